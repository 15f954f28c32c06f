"""Load settings with what they take, while they are being chosen."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QMessageBox,
    QVBoxLayout,
    QWidget,
)

from app.engine.traits import read_traits
from app.settings import LoadSettings
from app.telemetry.pools import after_unload
from ui import formatting
from ui.dialogs.form_area import FormArea
from ui.dialogs.load.form import LoadForm
from ui.dialogs.load.outcome import Outcome
from ui.planner_worker import NoAnswer
from ui.translation import localised

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from app.engine.config import ModelConfig
    from app.engine.events import Device
    from app.engine.traits import ModelTraits
    from app.telemetry.plan import Plan
    from ui.model_controller import ModelController
    from ui.planner_worker import PlannerWorker
    from ui.theme import Theme

IDLE_MS = 150
"""When nothing was changed for so long, buffers are measured by a dry run."""

TRAITS, DEVICES, ESTIMATE, MEASURE = "load/traits", "load/devices", "load/estimate", "load/measure"


class LoadSettingsDialog(QDialog):
    """Edits the `LoadSettings` of one model file, loaded or not; `value()` is what was chosen."""

    def __init__(
        self,
        theme: Theme,
        value: LoadSettings,
        path: Path,
        make_config: Callable[[LoadSettings], ModelConfig],
        planner: PlannerWorker,
        models: ModelController,
        parent: QWidget | None = None,
    ) -> None:
        """The memory of the model that `models` has now is freed before this one is loaded.

        While that one uses RPC servers, which talk to one process at a time, the engine is asked for the devices, and
        nothing is measured.
        """
        super().__init__(parent)
        self.setObjectName("load_settings_dialog")
        self.setWindowTitle(self.tr("Load settings"))
        self._path = path
        self._make_config = make_config
        self._planner = planner
        self._models = models
        self._asked: ModelConfig | None = None
        self._devices: tuple[Device, ...] | None = None
        self._name = QLabel(path.name, wordWrap=True)
        self._name.setTextFormat(Qt.TextFormat.PlainText)
        self._name.setProperty("role", "title")
        self._about = QLabel(wordWrap=True)
        self._about.setTextFormat(Qt.TextFormat.PlainText)
        self._about.setProperty("role", "muted")
        self.form = LoadForm(theme)
        self.outcome = Outcome(theme)
        self._reason = QLabel(wordWrap=True)
        self._reason.setObjectName("load_settings_reason")
        self._reason.setProperty("role", "error")
        self._reason.setTextFormat(Qt.TextFormat.PlainText)
        self._buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok
            | QDialogButtonBox.StandardButton.Cancel
            | QDialogButtonBox.StandardButton.RestoreDefaults
        )
        ok = self._buttons.button(QDialogButtonBox.StandardButton.Ok)
        ok.setText(self.tr("Load with these"))
        ok.setProperty("role", "primary")
        self._idle = QTimer(self, singleShot=True, interval=IDLE_MS)
        self._lay_out()
        self.form.set_value(value)
        self._connect()
        self._begin()

    def value(self) -> LoadSettings:
        """Return what is chosen."""
        return self.form.value()

    @Slot()
    def accept(self) -> None:
        """Close with the settings; what does not fit is asked about once."""
        if self.outcome.plan is None or self.outcome.fits or self._wants_it_anyway():
            super().accept()

    def done(self, result: int) -> None:
        """Close; answers under way are not waited for."""
        self._idle.stop()
        self._planner.forget(TRAITS, DEVICES, ESTIMATE, MEASURE)
        if self._make_config(self.value()).rpc_servers:
            self._planner.release_servers()
        super().done(result)

    def _lay_out(self) -> None:
        area = FormArea(self.form)
        area.setAccessibleName(self.tr("Settings"))
        columns = QHBoxLayout()
        columns.setSpacing(24)
        columns.addWidget(area, 1)
        columns.addWidget(self.outcome, 1)
        layout = QVBoxLayout(self)
        layout.setSpacing(8)
        layout.addWidget(self._name)
        layout.addWidget(self._about)
        layout.addSpacing(8)
        layout.addLayout(columns, 1)
        layout.addWidget(self._reason)
        layout.addWidget(self._buttons)
        self._order_stops()
        self.resize(880, 560)

    def _connect(self) -> None:
        self.form.changed.connect(self._on_changed)
        self.outcome.largest_requested.connect(self.form.context.set_value)
        self._idle.timeout.connect(self._measure)
        self._buttons.accepted.connect(self.accept)
        self._buttons.rejected.connect(self.reject)
        restore = self._buttons.button(QDialogButtonBox.StandardButton.RestoreDefaults)
        restore.clicked.connect(self._restore_defaults)

    def _begin(self) -> None:
        config = self._make_config(self.value())
        self._show_reason(self.form.reason())
        self._planner.run(TRAITS, partial(read_traits, self._path), self._on_traits)
        if self._models.holds_servers:
            self._models.ask_devices(self._on_devices)
        else:
            self._planner.devices(DEVICES, config.rpc_servers, self._on_devices)

    @Slot()
    def _restore_defaults(self) -> None:
        self.form.set_value(LoadSettings())

    @Slot()
    def _on_changed(self) -> None:
        config = self._make_config(self.value())
        self._show_reason(self.form.reason())
        if config == self._asked or self._devices is None:
            return
        self._asked = config
        self._planner.estimate(ESTIMATE, config, self._devices, partial(self._on_plan, config))
        if not self._models.holds_servers:
            self._idle.start()

    @Slot()
    def _measure(self) -> None:
        config, devices = self._asked, self._devices
        assert config is not None
        assert devices is not None
        self._planner.measure(MEASURE, config, devices, partial(self._on_plan, config))

    def _on_plan(self, config: ModelConfig, answer: Plan | NoAnswer) -> None:
        if config != self._asked:
            return
        if isinstance(answer, NoAnswer):
            self.outcome.show_unknown(answer.reason)
            return
        bars = len(self.outcome.bars)
        self.outcome.show_plan(answer, grows=config.n_ctx is None)
        self.form.show_plan(answer)
        if len(self.outcome.bars) != bars:
            self._order_stops()
        self._show_reason(self.form.reason() or localised(answer.refused))

    def _on_traits(self, traits: ModelTraits | NoAnswer) -> None:
        if isinstance(traits, NoAnswer):
            self._about.setText(localised(traits.reason))
            return
        self._name.setText(traits.name)
        self._about.setText(
            self.tr("{file} · {architecture} · {layers} layers").format(
                file=self._path.name, architecture=traits.architecture, layers=formatting.count(traits.n_layer)
            )
        )
        self.form.set_traits(traits)
        self._order_stops()

    def _on_devices(self, devices: tuple[Device, ...] | NoAnswer | None) -> None:
        if devices is None or not self.isVisible():  # the engine has nothing to say, or nobody listens any more
            return
        if isinstance(devices, NoAnswer):
            self.outcome.show_unknown(devices.reason)
            return
        loaded = self._models.model
        self._devices = devices if loaded is None else after_unload(devices, loaded.memory)
        self.form.set_devices(self._devices)
        self._order_stops()
        self._on_changed()

    def _order_stops(self) -> None:
        """See that Tab goes down the form."""
        stops = [*self.form.stops(), *self.outcome.bars, self.outcome.largest, *self._buttons.buttons()]
        for first, second in pairwise(stops):
            QWidget.setTabOrder(first, second)

    def _show_reason(self, sentence: str) -> None:
        self._reason.setText(sentence)
        self._reason.setVisible(bool(sentence))
        self._buttons.button(QDialogButtonBox.StandardButton.Ok).setEnabled(not sentence)

    def _wants_it_anyway(self) -> bool:
        missing = [bar.description() for bar in self.outcome.bars if bar.pool and (bar.pool.left_bytes or 0) < 0]
        box = QMessageBox(
            QMessageBox.Icon.Warning,
            self.tr("Load settings"),
            self.tr("This does not fit into memory. Load it anyway?"),
            QMessageBox.StandardButton.Ok | QMessageBox.StandardButton.Cancel,
            self,
        )
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setInformativeText("\n".join(missing))
        box.button(QMessageBox.StandardButton.Ok).setText(self.tr("Load anyway"))
        box.setDefaultButton(QMessageBox.StandardButton.Cancel)
        return box.exec() == QMessageBox.StandardButton.Ok
