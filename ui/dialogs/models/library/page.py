"""The page "On this machine": every model on the disk, what it costs to run, and what can be done with it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QSettings, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QStackedWidget, QVBoxLayout, QWidget

from ui import formatting
from ui.dialogs.models.library import words
from ui.dialogs.models.library.actions import LibraryActions
from ui.dialogs.models.library.empty import EmptyPage
from ui.dialogs.models.library.filter import LibraryFilter
from ui.dialogs.models.library.filter_bar import FilterBar
from ui.dialogs.models.library.removal import Remover
from ui.dialogs.models.library.table import LibraryTable
from ui.dialogs.models.library.table_model import LibraryTableModel
from ui.dialogs.models.library.verification import Verification
from ui.dialogs.models.page import ModelsPage
from ui.icons import SIZE_PX
from ui.notice_bar import NoticeBar
from ui.panels.labels import ElidedLabel
from ui.reveal import reveal
from ui.style_sheet import set_role
from ui.translation import localised

if TYPE_CHECKING:
    from pathlib import Path

    from app.hub.library import LibraryModel
    from ui.library_keeper import LibraryKeeper
    from ui.model_controller import ModelController
    from ui.notice_bar import Role
    from ui.planner_worker import PlannerWorker
    from ui.settings_keeper import SettingsKeeper
    from ui.theme import Theme

PREFER_MS = 100
SHOW_MS = 100
"""While models are found there is something new to show all the time."""
_DETAIL_LINES = 2
"""Most sentences take no more; the table does not jump when another row is chosen."""


class LibraryPage(ModelsPage):
    """A view of the keeper; dialogs it opens are its children.

    Signals:
        settings_requested: path of a model that is to be loaded with settings to be chosen; the window closes.
    """

    settings_requested = Signal(str)

    def __init__(
        self,
        theme: Theme,
        keeper: LibraryKeeper,
        models: ModelController,
        settings: SettingsKeeper,
        planner: PlannerWorker,
        state: QSettings,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("library_page")
        self._theme = theme
        self._keeper = keeper
        self._models = models
        self._settings = settings
        self._planner = planner
        self._is_begun = False
        self._offered: list[LibraryModel] = []
        self.notice = NoticeBar(theme, "library_notice")
        self.rows = LibraryTableModel(keeper, models, theme, self)
        self.shown = LibraryFilter(self.rows, self)
        self.bar = FilterBar(theme)
        self.table = LibraryTable(self.shown, state)
        self.empty = EmptyPage()
        self.actions_ = LibraryActions(theme, self)
        self.verification = Verification(keeper, theme)
        self._remover = Remover(keeper, models, self)
        self.details = QLabel(wordWrap=True)
        self.details.setObjectName("library_details")
        self.details.setTextFormat(Qt.TextFormat.PlainText)
        self.details.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.details.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.path = ElidedLabel(mode=Qt.TextElideMode.ElideMiddle)
        self.path.setObjectName("library_path")
        self.path.setProperty("role", "muted")
        self.summary = ElidedLabel()
        self.summary.setObjectName("library_summary")
        self.summary.setProperty("role", "muted")
        self._places = QStackedWidget()
        self._preferring = QTimer(self, singleShot=True, interval=PREFER_MS)
        self._pausing = QTimer(self, singleShot=True, interval=SHOW_MS)
        self._is_stale = False
        self._lay_out()
        self._connect()
        self._show_state()

    def title(self) -> str:
        """Name the page for its tab."""
        return self.tr("On this machine")

    def begin(self) -> None:
        """Look what is there now."""
        self._is_begun = True
        self._keeper.attend()
        self.table.setFocus()

    def end(self) -> None:
        """Keep how the table looks, and let the disk be."""
        self.table.save()
        for dialog in self.findChildren(QDialog):
            dialog.close()
        self._remover.end()
        self.verification.cancel()
        if self._is_begun:
            self._keeper.leave()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit_to_font()

    def _fit_to_font(self) -> None:
        self.details.setMinimumHeight(_DETAIL_LINES * self.fontMetrics().lineSpacing())
        side = round(SIZE_PX * self._theme.zoom)
        self.table.setIconSize(QSize(side, side))

    def _lay_out(self) -> None:
        self._places.addWidget(self.table)
        self._places.addWidget(self.empty)
        self._fit_to_font()
        facts = QHBoxLayout()
        facts.setSpacing(24)
        facts.addWidget(self.path, 1)
        facts.addWidget(self.summary)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addStretch(1)
        for button in self.actions_.buttons():
            foot.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 8, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self.notice)
        layout.addWidget(self.bar)
        layout.addWidget(self._places, 1)
        layout.addLayout(facts)
        layout.addWidget(self.details)
        layout.addWidget(self.verification)
        layout.addLayout(foot)

    def _connect(self) -> None:
        keeper, table, acts = self._keeper, self.table, self.actions_
        for name, slot in {
            "load": self._load,
            "load_settings": self._load_with_settings,
            "show": self._look_inside,
            "compare": self._compare,
            "verify": self._verify,
            "reveal": self._reveal,
            "copy_path": self._copy_path,
            "remove": self._remove,
            "refresh": self._look_again,
        }.items():
            acts[name].triggered.connect(slot)
        keeper.changed.connect(self._show_soon)
        keeper.progressed.connect(self._show_soon)
        self._pausing.timeout.connect(self._show_again)
        keeper.placed.connect(self._on_placed)
        self._models.changed.connect(self._offer)
        table.chosen.connect(self._offer)
        table.activated_row.connect(self._load)
        table.menu_requested.connect(self._on_menu_requested)
        table.seen.connect(self._preferring.start)
        self._preferring.timeout.connect(self._prefer_seen)
        self.bar.text_changed.connect(self.shown.set_text)
        self.bar.kind_changed.connect(self.shown.set_kind)
        self.bar.place_changed.connect(self.shown.set_place)
        self.bar.folders_requested.connect(self.edit_folders)
        self.bar.refresh_requested.connect(self._look_again)
        self.bar.rows_requested.connect(table.go_to_rows)
        self.bar.columns_requested.connect(self._on_columns_requested)
        self.empty.hub_requested.connect(partial(self.page_requested.emit, "hub_page"))
        self.empty.folders_requested.connect(self.edit_folders)
        self.empty.clear_requested.connect(self.bar.clear)
        self.empty.again_requested.connect(self._look_again)
        for signal in (self.bar.text_changed, self.bar.kind_changed, self.bar.place_changed):
            signal.connect(self._show_soon)  # which filters leave nothing may be others, although no row comes or goes
        for signal in (self.shown.rowsInserted, self.shown.rowsRemoved):
            signal.connect(self._show_soon)
        self.verification.ended.connect(self._on_verified)
        self.verification.begun.connect(self._offer)
        self._remover.told.connect(self._on_told)

    # -- what is shown ------------------------------------------------------------------------------------------------

    @Slot()
    def _show_soon(self) -> None:
        """Show the state now, or at the end of a pause when that was done just before."""
        self._is_stale = self._pausing.isActive()
        if not self._is_stale:
            self._pausing.start()
            self._show_state()

    @Slot()
    def _show_again(self) -> None:
        if self._is_stale:
            self._show_soon()

    def _show_state(self) -> None:
        """Show the table or why there is none, and how far a scan is."""
        keeper, count = self._keeper, self.shown.rowCount()
        if count:
            self._places.setCurrentWidget(self.table)
        else:
            self._places.setCurrentWidget(self.empty)
            if keeper.models:
                self.empty.show_no_match(self.bar.filters())
            elif keeper.failure:
                self.empty.show_failure(localised(keeper.failure))
            elif keeper.is_scanning or not keeper.is_listed:
                self.empty.show_scanning(keeper.done, keeper.total)
            else:
                self.empty.show_nothing(keeper.own_folder)
        self.summary.setText(self._summary(count))
        self.summary.setToolTip("\n".join(map(localised, keeper.notes)).replace("&", "&amp;").replace("<", "&lt;"))
        self._preferring.start()
        if self.table.chosen_models() != self._offered:
            self._offer()
        elif not self._offered:
            self._show_details([])

    def _summary(self, shown: int) -> str:
        keeper = self._keeper
        parts = []
        if keeper.models:
            size = formatting.memory(sum(model.file_bytes for model in keeper.models.values()))
            parts = [self.tr("{models}, {size}").format(models=words.model_count(len(keeper.models)), size=size)]
        if shown != len(keeper.models):
            parts.append(self.tr("{} shown").format(formatting.count(shown)))
        if keeper.is_scanning and keeper.models:
            parts.append(self._scanning())
        elif keeper.failure and keeper.models:
            parts.append(localised(keeper.failure))
        elif keeper.notes:
            parts.append(self.tr("{} left out").format(formatting.count(len(keeper.notes))))
        return " · ".join(parts)

    def _scanning(self) -> str:
        if not self._keeper.total:
            return self.tr("looking for models…")
        return self.tr("reading {done} of {total}…").format(
            done=formatting.count(self._keeper.done), total=formatting.count(self._keeper.total)
        )

    @Slot(object)
    def _on_placed(self, paths: tuple[Path, ...]) -> None:
        chosen = self.table.chosen_models()
        if len(chosen) == 1 and chosen[0].path in paths:
            self._show_details(chosen)

    @Slot()
    def _prefer_seen(self) -> None:
        self._keeper.prefer(model.path for model in self.table.visible_models())

    @Slot()
    def _offer(self) -> None:
        chosen = self._offered = self.table.chosen_models()
        config = self._models.config
        loaded = config.path if config is not None and self._models.model is not None else None
        self.actions_.offer(chosen, loaded, is_busy=self.verification.is_running)
        self._show_details(chosen)

    def _show_details(self, chosen: list[LibraryModel]) -> None:
        self.actions_.lead_to_load(not any(map(self._is_doubtful, chosen)))
        if len(chosen) == 1:
            model = chosen[0]
            text = words.fits_explained(model, self._keeper.placings.get(model.path))
            parts = self.tr("{} files").format(formatting.count(len(model.parts))) if len(model.parts) > 1 else ""
            self._say(text, "warning" if model.is_damaged else "")
            self.notice.withdraw(text)  # a fault just found is said once
            self.path.setText(" · ".join(filter(None, (str(model.path), parts))))
        elif chosen:
            size = sum(model.file_bytes for model in chosen)
            text = self.tr("{models} chosen, {size}")
            self._say(text.format(models=words.model_count(len(chosen)), size=formatting.memory(size)))
        else:
            hint = self.tr("Choose a model to see where it would go, and why.")
            self._say(hint if self.shown.rowCount() else "", "muted")

    def _is_doubtful(self, model: LibraryModel) -> bool:
        """Whether loading it is not the thing to do next, although it may be done."""
        placing = self._keeper.placings.get(model.path)
        return model.is_damaged or (placing is not None and placing.place == "no")

    def _say(self, text: str, role: str = "") -> None:
        """Say something of what is chosen; it lies in no one place, unless that is said next."""
        self.path.clear()
        self.details.setText(text)
        set_role(self.details, role)

    # -- what is done -------------------------------------------------------------------------------------------------

    @Slot(QPoint)
    def _on_menu_requested(self, place: QPoint) -> None:
        self.actions_.menu().popup(place)

    @Slot(QPoint)
    def _on_columns_requested(self, place: QPoint) -> None:
        self.table.columns_menu().popup(place)

    @Slot()
    def _look_again(self) -> None:
        self.notice.dismiss()
        self._keeper.attend()

    @Slot()
    def _load(self) -> None:
        if self.actions_["load"].isEnabled():
            self.load_requested.emit(str(self.table.chosen_models()[0].path))

    @Slot()
    def _load_with_settings(self) -> None:
        self.settings_requested.emit(str(self.table.chosen_models()[0].path))

    @Slot()
    def _look_inside(self) -> None:
        from ui.dialogs.models.library.contents_dialog import ContentsDialog

        dialog = ContentsDialog(self._theme, self._keeper, self.table.chosen_models()[0], self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.show()

    @Slot()
    def _compare(self) -> None:
        from ui.dialogs.models.library.compare_dialog import CompareDialog

        dialog = CompareDialog(
            self._theme, self._keeper, self.table.chosen_models(), self._models, self._settings, self._planner, self
        )
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.show()

    @Slot()
    def _verify(self) -> None:
        self.notice.dismiss()
        self.verification.start(self.table.chosen_models()[0])

    @Slot(str, str)
    def _on_verified(self, sentence: str, role: Role) -> None:
        if sentence:
            self.notice.offer(sentence, role=role)
        self._offer()

    @Slot()
    def _reveal(self) -> None:
        path = self.table.chosen_models()[0].path
        if not reveal(path):
            text = self.tr("This system names no file manager. The file is in {}.").format(path.parent)
            self.notice.offer(text, self.tr("Copy the path"), self._copy_path, "warning")

    @Slot()
    def _copy_path(self) -> None:
        QGuiApplication.clipboard().setText(str(self.table.chosen_models()[0].path))

    @Slot()
    def _remove(self) -> None:
        self._remover.ask(self.table.chosen_models()[0])

    @Slot(str, str)
    def _on_told(self, sentence: str, role: Role) -> None:
        self.notice.offer(sentence, role=role)

    @Slot()
    def edit_folders(self) -> None:
        """Let the user choose where models are looked for."""
        from ui.dialogs.models.library.folders_dialog import FoldersDialog

        dialog = FoldersDialog(self._theme, self._keeper, self._settings, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()
