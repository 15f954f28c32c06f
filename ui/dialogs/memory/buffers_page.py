"""Every buffer of the loaded model: predicted beside measured, and who does the work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Slot

from app.telemetry.memory import comparison_table, memory_rows, settled, why_gpu_idles
from ui import formatting
from ui.dialogs.memory.page import TablePage
from ui.dialogs.memory.words import difference, kind_name
from ui.idle_gpu import idle_gpu
from ui.planner_worker import NoAnswer
from ui.translation import localised

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.engine.config import ModelConfig
    from app.engine.events import LoadedModel
    from app.telemetry.memory import MemoryRow
    from app.telemetry.plan import Plan
    from app.telemetry.tables import Table
    from ui.model_controller import ModelController
    from ui.planner_worker import PlannerWorker

CHANNEL = "memory/plan"


class BuffersPage(TablePage):
    """The plan is made by a dry run of what was really chosen for the loaded model."""

    def __init__(self, models: ModelController, planner: PlannerWorker, parent: QWidget | None = None) -> None:
        super().__init__("buffers", parent)
        self.set_columns(
            self.tr("Buffers, predicted and measured"),
            [
                self.tr("What"),
                self.tr("Device"),
                self.tr("llama.cpp's buffers"),
                self.tr("Predicted"),
                self.tr("Measured"),
                self.tr("Difference"),
            ],
            3,
        )
        self._models = models
        self._planner = planner
        self._found: tuple[MemoryRow, ...] = ()
        models.changed.connect(self.refresh)
        self.refresh()

    def table(self) -> Table:
        return comparison_table(self._found)

    @Slot()
    def refresh(self) -> None:
        model, config = self._models.model, self._models.config
        if model is None or config is None:
            self._found = ()
            self.set_rows([])
            self.set_warning("")
            self.sentences.setText(self.tr("Load a model: what llama.cpp allocates for it appears here."))
            return
        self._show(model, config, None, self.tr("The prediction is being made…"))
        if not self._models.devices:  # they are being asked for, and then this is called again
            return
        ask = self._planner.estimate if self._models.holds_servers else self._planner.measure
        ask(CHANNEL, settled(config, model), self._models.devices, self._on_plan)

    def end(self) -> None:
        self._planner.forget(CHANNEL)

    def _on_plan(self, answer: Plan | NoAnswer) -> None:
        model, config = self._models.model, self._models.config
        if model is None or config is None:
            return
        if isinstance(answer, NoAnswer):
            self._show(model, config, None, localised(answer.reason))
            return
        note = self.tr(
            "Predicted: from the file's header and a load that allocates nothing. Measured: what llama.cpp's log says."
        )
        if answer.source == "estimate":
            note = self.tr(
                "Predicted: from the file's header; compute and output buffers are estimated. Measured: what "
                "llama.cpp's log says."
            )
        if model.layers_offloaded and any("CPU_Mapped" in row.buffers for row in memory_rows(answer, model)):
            mapped = self.tr(
                "CPU_Mapped is the whole stretch of the file that is mapped, with parts other devices hold."
            )
            note = f"{note}\n{mapped}"
        if answer.process_bytes is not None:
            process = self.tr(
                "The process was expected to grow by {predicted}, of it {host} beside the buffers, for vocabulary, "
                "graphs and scratch memory, and grew by {measured}; what a buffer has not been used for yet is not "
                "counted in it."
            ).format(
                predicted=formatting.memory(answer.process_bytes),
                host=formatting.memory(answer.host_bytes),
                measured=formatting.memory(model.grown_bytes),
            )
            note = f"{note}\n{process}"
        self._show(model, config, answer, note)

    def _show(self, model: LoadedModel, config: ModelConfig, plan: Plan | None, note: str) -> None:
        self._found = memory_rows(plan, model)
        predicted = sum(row.predicted_bytes or 0 for row in self._found) if plan is not None else None
        measured = sum(row.measured_bytes or 0 for row in self._found)
        total = self._texts(self.tr("Total"), "", "", predicted, measured)
        rows = [
            self._texts(
                kind_name(row.kind), row.device, " + ".join(row.buffers), row.predicted_bytes, row.measured_bytes
            )
            for row in self._found
        ]
        self.set_rows([*rows, total], last_is_total=True)
        self.sentences.setText(f"{self._layers(model, config)}\n{note}")
        self.set_warning(idle_gpu(why_gpu_idles(config, model, self._models.devices)))

    def _texts(self, what: str, device: str, buffers: str, predicted: int | None, measured: int | None) -> list[str]:
        sizes = [formatting.memory(predicted), formatting.memory(measured), difference(predicted, measured)]
        return [what, device, buffers, *sizes]

    def _layers(self, model: LoadedModel, config: ModelConfig) -> str:
        words = {"auto": self.tr("as many as fit"), "all": self.tr("all")}
        asked = config.n_gpu_layers
        text = self.tr("Layers on the GPU: {asked} asked for, {got} of {total} there. {backend} does the work.")
        return text.format(
            asked=words[asked] if isinstance(asked, str) else formatting.count(asked),
            got=formatting.count(model.layers_offloaded),
            total=formatting.count(model.layers_total),
            backend=model.backend,
        )
