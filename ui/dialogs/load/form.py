"""The fields of the load settings; what cannot work together is disabled and says why."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QLabel, QWidget

from app.settings import KV_TYPES, MOST_PARALLEL, LoadSettings
from ui import formatting
from ui.dialogs.boxes import spin_box
from ui.dialogs.load.context_field import ContextField
from ui.dialogs.load.devices_field import GPU_KINDS, DevicesField
from ui.dialogs.load.layers_field import CountField, LayersField

if TYPE_CHECKING:
    from PySide6.QtGui import QStandardItemModel

    from app.engine.events import Device
    from app.engine.traits import ModelTraits
    from app.telemetry.plan import Plan
    from ui.theme import Theme

QUANTISED = tuple(name for name in KV_TYPES if name not in ("f16", "bf16", "f32"))
UBATCH_SIZES = (32, 64, 128, 256, 512, 1024, 2048, 4096)
MAX_THREADS = 1024


class LoadForm(QWidget):
    """Edits a `LoadSettings`.

    Signals:
        changed: some field, by the user or by `set_value`.
    """

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._value = LoadSettings()
        self._is_filling = False
        self._has_gpu = True
        self._traits: ModelTraits | None = None
        self.context = ContextField(theme)
        self.type_k, self.type_v = QComboBox(), QComboBox()
        for box in (self.type_k, self.type_v):
            box.addItems(KV_TYPES)
        self.flash_attention = QComboBox()
        for key, text in (("auto", self.tr("automatic")), ("on", self.tr("on")), ("off", self.tr("off"))):
            self.flash_attention.addItem(text, key)
        self.layers = LayersField()
        self.devices = DevicesField()
        self.offload_kqv = QCheckBox(self.tr("with the layers, on the GPU"))
        self.experts = CountField("n_cpu_moe")
        self.swa_full = QCheckBox(self.tr("keep the whole context"))
        self.n_ubatch = QComboBox()
        for size in UBATCH_SIZES:
            self.n_ubatch.addItem(formatting.count(size), size)
        self.n_parallel = spin_box(minimum=1, maximum=MOST_PARALLEL)
        self.n_threads = spin_box(maximum=MAX_THREADS)
        self.n_threads.setSpecialValueText(self.tr("automatic"))
        self._form = QFormLayout(self)
        self._form.setContentsMargins(0, 0, 0, 0)
        self._form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self._lay_out()
        self._connect()
        self.set_value(LoadSettings())
        self._show_rows()

    def value(self) -> LoadSettings:
        """Return what is chosen; what is not shown stays as it was."""
        return self._value

    def set_value(self, value: LoadSettings) -> None:
        """Show these settings."""
        self._is_filling = True
        self.context.set_value(value.n_ctx)
        self.type_k.setCurrentText(value.type_k)
        self.type_v.setCurrentText(value.type_v)
        self.flash_attention.setCurrentIndex(self.flash_attention.findData(value.flash_attention))
        self.layers.set_value(value.n_gpu_layers)
        self.devices.set_value(value.devices, value.tensor_split)
        self.offload_kqv.setChecked(value.offload_kqv)
        self.experts.set_maximum(max(value.n_cpu_moe, self._traits.n_layer if self._traits else 0))
        self.experts.set_value(value.n_cpu_moe)
        self.swa_full.setChecked(value.swa_full)
        if self.n_ubatch.findData(value.n_ubatch) < 0:
            self.n_ubatch.addItem(formatting.count(value.n_ubatch), value.n_ubatch)
        self.n_ubatch.setCurrentIndex(self.n_ubatch.findData(value.n_ubatch))
        self.n_parallel.setValue(value.n_parallel)
        self.n_threads.setValue(value.n_threads or 0)
        self._is_filling = False
        self._value = value
        self._offer_what_works()
        self._show_rows()
        self.changed.emit()

    def reason(self) -> str:
        """Return why these settings cannot work together, empty when they can."""
        if self.type_v.currentText() in QUANTISED and self.flash_attention.currentData() == "off":
            return self.tr("V can be {} only with flash attention: set it to automatic or on, or V to f16.").format(
                self.type_v.currentText()
            )
        return ""

    def set_traits(self, traits: ModelTraits) -> None:
        """Offer what this model has: a mark at its context, experts, sliding windows."""
        self._traits = traits
        self.context.set_trained(traits.n_ctx_train)
        self.experts.set_maximum(traits.n_layer)
        self._show_rows()

    def set_devices(self, devices: tuple[Device, ...]) -> None:
        """Offer these devices."""
        self._has_gpu = any(device.kind in GPU_KINDS for device in devices)
        self.devices.set_devices(devices)
        self._show_rows()

    def show_plan(self, plan: Plan) -> None:
        """Take over limits that only a plan knows."""
        self.layers.set_total(plan.layers_total)
        self.context.set_trained(plan.n_ctx_train)

    def stops(self) -> list[QWidget]:
        """Return the fields in the order of the Tab key."""
        devices = self.devices
        return [
            self.context.grow,
            self.context.box,
            self.context.slider,
            self.n_parallel,
            self.type_k,
            self.type_v,
            self.flash_attention,
            self.swa_full,
            self.layers.mode,
            self.layers.count.slider,
            self.layers.count.box,
            *(widget for name in devices.checks for widget in (devices.checks[name], devices.shares[name])),
            self.offload_kqv,
            self.experts.slider,
            self.experts.box,
            self.n_ubatch,
            self.n_threads,
        ]

    def _lay_out(self) -> None:
        for text, widget, object_name, tooltip in (
            (self.tr("Context"), self.context, "context", self.tr("How many tokens one conversation can hold.")),
            (
                self.tr("Answers at once"),
                self.n_parallel,
                "n_parallel",
                self.tr(
                    "How many conversations are answered at the same time; further ones wait. Each has a KV cache of "
                    "its own; where one outgrows it, all become larger."
                ),
            ),
            (self.tr("Type of K in the KV cache"), self.type_k, "type_k", formatting.definition("kv_reserved")),
            (
                self.tr("Type of V in the KV cache"),
                self.type_v,
                "type_v",
                self.tr("A quantised V needs flash attention."),
            ),
            (
                self.tr("Flash attention"),
                self.flash_attention,
                "flash_attention",
                self.tr("Automatic: on where llama.cpp finds that it works."),
            ),
            (
                self.tr("Sliding-window layers"),
                self.swa_full,
                "swa_full",
                self.tr("These layers see only the last tokens, and usually their cache holds no more than that."),
            ),
            (
                self.tr("Layers on the GPU"),
                self.layers,
                "layers",
                self.tr("What was really offloaded is shown after the load."),
            ),
            (self.tr("GPUs"), self.devices, "devices", self.tr("Which GPUs are used, and how the layers are split.")),
            (
                self.tr("KV cache"),
                self.offload_kqv,
                "offload_kqv",
                self.tr(
                    "Otherwise all of it stays in the machine's memory, which is slower and leaves room on the GPU."
                ),
            ),
            (
                self.tr("Experts on the CPU"),
                self.experts,
                "experts",
                self.tr("The experts' weights of this many of the first layers stay in the machine's memory."),
            ),
            (
                self.tr("Tokens computed at once"),
                self.n_ubatch,
                "n_ubatch",
                self.tr("More make reading a prompt faster and the compute buffer larger (n_ubatch)."),
            ),
            (
                self.tr("CPU threads"),
                self.n_threads,
                "n_threads",
                self.tr("Automatic: one for each physical core."),
            ),
        ):
            widget.setObjectName(object_name)
            widget.setAccessibleName(text)
            widget.setToolTip(tooltip)
            label = QLabel(text)
            label.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
            label.setContentsMargins(0, 0 if isinstance(widget, QCheckBox) else 5, 0, 0)
            label.setBuddy(widget)
            self._form.addRow(label, widget)
        self.layers.mode.setAccessibleName(self.tr("Layers on the GPU"))
        self.experts.set_names(self.tr("Experts on the CPU"), self.experts.toolTip())
        for box in (self.offload_kqv, self.swa_full):
            box.setAccessibleName(f"{box.accessibleName()}: {box.text()}")

    def _connect(self) -> None:
        for box in (self.type_k, self.type_v, self.flash_attention, self.n_ubatch):
            box.currentIndexChanged.connect(self._on_changed)
        for field in (self.context, self.layers, self.devices, self.experts):
            field.changed.connect(self._on_changed)
        for check in (self.offload_kqv, self.swa_full):
            check.toggled.connect(self._on_changed)
        self.n_parallel.valueChanged.connect(self._on_changed)
        self.n_threads.valueChanged.connect(self._on_changed)

    @Slot()
    def _on_changed(self) -> None:
        if self._is_filling:
            return
        devices, split = self.devices.value()
        self._value = replace(
            self._value,
            n_ctx=self.context.value(),
            type_k=self.type_k.currentText(),
            type_v=self.type_v.currentText(),
            flash_attention=self.flash_attention.currentData(),
            n_gpu_layers=self.layers.value(),
            n_parallel=self.n_parallel.value(),
            n_threads=self.n_threads.value() or None,
            n_ubatch=self.n_ubatch.currentData(),
            swa_full=self.swa_full.isChecked(),
            offload_kqv=self.offload_kqv.isChecked(),
            devices=devices,
            tensor_split=split,
            n_cpu_moe=self.experts.value(),
        )
        self._offer_what_works()
        self.changed.emit()

    def _offer_what_works(self) -> None:
        """Disable quantised types of V without flash attention, and no flash attention with one."""
        is_off = self.flash_attention.currentData() == "off"
        reason = self.tr("A quantised V needs flash attention.")
        for name in QUANTISED:
            _offer(self.type_v, self.type_v.findText(name), not is_off, reason)
        is_quantised = self.type_v.currentText() in QUANTISED
        _offer(self.flash_attention, self.flash_attention.findData("off"), not is_quantised, reason)

    def _show_rows(self) -> None:
        traits, value = self._traits, self._value
        self.layers.set_possible(self._has_gpu)
        self._form.setRowVisible(self.offload_kqv, self._has_gpu or not value.offload_kqv)
        self._form.setRowVisible(self.devices, self.devices.has_choice)
        has_experts = traits is not None and traits.n_experts > 0
        self._form.setRowVisible(self.experts, (has_experts and self._has_gpu) or value.n_cpu_moe > 0)
        self._form.setRowVisible(self.swa_full, (traits is not None and traits.n_swa > 0) or value.swa_full)


def _offer(box: QComboBox, index: int, is_possible: bool, reason: str) -> None:
    """Let an entry be chosen, or not and say why."""
    model: QStandardItemModel = box.model()  # type: ignore[assignment]  # what a QComboBox makes by itself
    item = model.item(index)
    with QSignalBlocker(model):
        item.setEnabled(is_possible)
        item.setToolTip("" if is_possible else reason)
