"""Moves a model to the trash, after saying what that frees; refuses what is in use or belongs to another program."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QLabel, QMessageBox, QWidget

from ui import formatting
from ui.job_thread import NotKnown
from ui.translation import localised

if TYPE_CHECKING:
    from pathlib import Path

    from app.hub.library import LibraryModel
    from app.hub.trash import Removal
    from ui.library_keeper import LibraryKeeper
    from ui.model_controller import ModelController

MOST_NAMED = 10
LEAST_WIDTH, MOST_WIDTH = 50, 80
"""Characters: what is freed then takes two lines, and a longer file name is broken."""


class Remover(QObject):
    """Asks, then removes in the background.

    Signals:
        told: what happened or why not, and the role of a notice.
    """

    told = Signal(str, str)

    def __init__(self, keeper: LibraryKeeper, models: ModelController, page: QWidget) -> None:
        super().__init__(page)
        self._keeper = keeper
        self._models = models
        self._page = page
        self._is_over = False

    def end(self) -> None:
        """Nobody listens any more; what was agreed to is still done."""
        self._is_over = True

    def ask(self, model: LibraryModel) -> None:
        """Find out what removing it would take away, and ask the user."""
        if self._is_in_use(model):
            text = self.tr("{name} is loaded now: unload it or load another model, then remove it.")
            self.told.emit(text.format(name=model.name), "warning")
            return
        self._keeper.files.run_job(partial(_plan, model), partial(self._on_planned, model))

    def _is_in_use(self, model: LibraryModel) -> bool:
        config = self._models.config
        is_there = self._models.model is not None or self._models.loading_path is not None or self._models.is_lent
        if config is None or not is_there:
            return False
        return any(_is_same(part, config.path) for part in (model.path, *model.parts))

    def _on_planned(self, model: LibraryModel, removal: Removal | NotKnown) -> None:
        if self._is_over:
            return
        if isinstance(removal, NotKnown):
            self.told.emit(localised(removal.reason), "warning")
            return
        box = QMessageBox(
            QMessageBox.Icon.Question,
            self.tr("Remove a model"),
            self.tr("Move {name} to the trash?").format(name=model.name),
            QMessageBox.StandardButton.Ok | QMessageBox.StandardButton.Cancel,
            self._page,
        )
        box.setObjectName("library_remove_box")
        box.setTextFormat(Qt.TextFormat.PlainText)
        names = [path.name for path in removal.paths[:MOST_NAMED]]
        if len(removal.paths) > MOST_NAMED:
            names.append(self.tr("and {} more").format(formatting.count(len(removal.paths) - MOST_NAMED)))
        box.setInformativeText("\n".join([*names, "", self._freed(removal)]))
        if (label := box.findChild(QLabel, "qt_msgbox_informativelabel")) is not None:
            metrics, margins = label.fontMetrics(), label.contentsMargins()
            char = metrics.averageCharWidth()
            longest = max(map(metrics.horizontalAdvance, names))
            width = min(max(LEAST_WIDTH * char, longest), MOST_WIDTH * char)
            label.setMinimumWidth(width + margins.left() + margins.right() + char)
        box.button(QMessageBox.StandardButton.Ok).setText(self.tr("Move to the trash"))
        box.setDefaultButton(QMessageBox.StandardButton.Cancel)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.accepted.connect(partial(self._remove, model))
        box.open()

    def _freed(self, removal: Removal) -> str:
        if not removal.frees_bytes:
            return self.tr("This frees nothing: it is a link, or the file has another name as well.")
        return self.tr("This frees {} once the trash is emptied. Until then it can be put back from there.").format(
            formatting.memory(removal.frees_bytes)
        )

    def _remove(self, model: LibraryModel) -> None:
        if self._is_in_use(model):
            self.ask(model)
            return
        self._keeper.files.run_job(partial(_remove, model), partial(self._on_removed, model))

    def _on_removed(self, model: LibraryModel, removal: Removal | NotKnown) -> None:
        self._keeper.refresh()
        if self._is_over:
            return
        if isinstance(removal, NotKnown):
            self.told.emit(localised(removal.reason), "error")
        else:
            text = self.tr("{name} is in the trash. {freed}")
            self.told.emit(text.format(name=model.name, freed=self._freed(removal)), "card")


def _is_same(path: Path, other: Path) -> bool:
    return path == other or os.path.realpath(path) == os.path.realpath(other)


def _plan(model: LibraryModel) -> Removal:
    from app.hub.trash import plan_removal

    return plan_removal(model)


def _remove(model: LibraryModel) -> Removal:
    from app.hub.trash import remove

    return remove(model)
