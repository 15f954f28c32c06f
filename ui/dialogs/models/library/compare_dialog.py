"""Some models side by side: what differs, what each takes of the memory with the same context, and whether it fits."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtWidgets import QCheckBox, QDialog, QDialogButtonBox, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from ui.dialogs.boxes import spin_box
from ui.dialogs.models.library import compared
from ui.dialogs.models.library.compare_table import CompareTable
from ui.job_thread import NotKnown

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from app.hub.library import LibraryModel
    from app.telemetry.plan import Plan
    from ui.dialogs.models.library.compared import Row
    from ui.library_keeper import LibraryKeeper
    from ui.model_controller import ModelController
    from ui.planner_worker import NoAnswer, PlannerWorker
    from ui.settings_keeper import SettingsKeeper
    from ui.theme import Theme

CHANNEL = "library/compare/{}"
FIRST_N_CTX = 4096
LARGEST_N_CTX = 16 * 1024 * 1024
STEP = 256
REST_MS = 200
"""When the context was not changed for so long, it is planned with."""


class CompareDialog(QDialog):
    """Two to six models."""

    def __init__(
        self,
        theme: Theme,
        keeper: LibraryKeeper,
        chosen: Sequence[LibraryModel],
        models: ModelController,
        settings: SettingsKeeper,
        planner: PlannerWorker,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("compare_dialog")
        self.setWindowTitle(self.tr("Compare models"))
        self.setAccessibleName(self.tr("Compare models"))
        self.setWindowFlag(Qt.WindowType.WindowMaximizeButtonHint)
        self._keeper = keeper
        self._chosen = tuple(chosen)
        self._models = models
        self._settings = settings
        self._planner = planner
        self._plans: list[Plan | NoAnswer | None] = [None] * len(self._chosen)
        self._keys: tuple[Row, ...] = ()
        self._is_over = False
        self.table = CompareTable(theme, [model.name for model in self._chosen])
        self.n_ctx = spin_box(minimum=STEP, maximum=LARGEST_N_CTX, singleStep=STEP, groupSeparatorShown=True)
        self.n_ctx.setObjectName("compare_n_ctx")
        self.n_ctx.setValue(self._first_n_ctx())
        self.n_ctx.setAccessibleName(self.tr("Context to plan with, in tokens"))
        self.differing = QCheckBox(self.tr("Only what differs"))
        self.differing.setObjectName("compare_differing")
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._lay_out()
        self.resize(900, 620)
        self._rest.timeout.connect(self._plan)
        self.n_ctx.valueChanged.connect(self._rest.start)
        self.differing.toggled.connect(self._show)
        keeper.placed.connect(self._on_placed)
        theme.changed.connect(self._show)
        self._show()
        self._plan()
        keeper.files.run_job(partial(_differing_keys, self._chosen), self._on_keys)

    def done(self, result: int) -> None:
        """Close; plans under way are not waited for."""
        self._is_over = True
        self._rest.stop()
        self._planner.forget(*(CHANNEL.format(number) for number in range(len(self._chosen))))
        super().done(result)

    def _first_n_ctx(self) -> int:
        trained = [model.n_ctx_train for model in self._chosen if model.n_ctx_train is not None]
        return max(min([FIRST_N_CTX, *trained]), STEP)

    def _lay_out(self) -> None:
        label = QLabel(self.tr("Memory with a context of"))
        label.setBuddy(self.n_ctx)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(label)
        row.addWidget(self.n_ctx)
        row.addWidget(QLabel(self.tr("tokens")))
        row.addStretch(1)
        row.addWidget(self.differing)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        copy = buttons.addButton(self.tr("Copy values"), QDialogButtonBox.ButtonRole.ActionRole)
        copy.setObjectName("compare_copy")
        copy.clicked.connect(self.table.copy_values)
        layout = QVBoxLayout(self)
        layout.setSpacing(8)
        layout.addLayout(row)
        layout.addWidget(self.table, 1)
        layout.addWidget(buttons)

    @Slot()
    def _plan(self) -> None:
        devices = self._keeper.devices
        if devices is None or self._is_over:
            return
        for number, model in enumerate(self._chosen):
            if model.problem or model.kind in ("projector", "other"):
                continue
            load = self._settings.value.load_settings(model.path)
            config = replace(self._models.config_for(model.path, load), n_ctx=self.n_ctx.value())
            done = partial(self._on_planned, number)
            self._planner.estimate(CHANNEL.format(number), config, devices, done)

    def _on_planned(self, number: int, plan: Plan | NoAnswer) -> None:
        self._plans[number] = plan
        self._show()

    @Slot(object)
    def _on_placed(self, _paths: tuple[Path, ...]) -> None:
        """The devices are known now, if they were not before."""
        if not any(self._plans):
            self._plan()

    def _on_keys(self, keys: tuple[tuple[str, tuple[str, ...]], ...] | NotKnown) -> None:
        if not self._is_over and not isinstance(keys, NotKnown):
            self._keys = compared.keys(keys)
            self._show()

    @Slot()
    def _show(self) -> None:
        sections = (
            (self.tr("What they are"), compared.facts(self._chosen)),
            (self.tr("Memory, by the plan of a load"), compared.plans(self._chosen, self._plans)),
            (self.tr("Keys of the files that differ"), self._keys),
        )
        self.table.show_sections(sections, only_differing=self.differing.isChecked())


def _differing_keys(models: tuple[LibraryModel, ...]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    from app.errors import ModelFileError
    from app.hub.contents import Contents, differing_keys, read_contents

    found = []
    for model in models:
        try:
            found.append(read_contents(model))
        except ModelFileError:
            found.append(Contents((), (), "", {}))
    return differing_keys(found)
