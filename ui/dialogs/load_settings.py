"""How a model is loaded: context, KV types, flash attention, GPU layers, threads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from app.settings import KV_TYPES, LoadSettings
from ui import formatting

if TYPE_CHECKING:
    from app.engine.events import LoadedModel

QUANTISED = tuple(name for name in KV_TYPES if name not in ("f16", "bf16", "f32"))
MAX_N_CTX = 1_048_576
MAX_LAYERS = 999
MAX_THREADS = 1024


class LoadSettingsDialog(QDialog):
    """Edits the `LoadSettings` of one model; what cannot work together cannot be accepted, and why is said."""

    def __init__(
        self, value: LoadSettings, model_name: str, model: LoadedModel | None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("load_settings_dialog")
        self.setWindowTitle(self.tr("Load settings"))
        name = QLabel(model_name)
        name.setTextFormat(Qt.TextFormat.PlainText)
        name.setProperty("role", "title")
        self._n_ctx = _spin_box(0, MAX_N_CTX, 1024, self.tr("grow as needed"))
        self._type_k = QComboBox()
        self._type_v = QComboBox()
        for box in (self._type_k, self._type_v):
            box.addItems(KV_TYPES)
        self._flash_attention = QComboBox()
        for key, text in (("auto", self.tr("automatic")), ("on", self.tr("on")), ("off", self.tr("off"))):
            self._flash_attention.addItem(text, key)
        self._gpu_mode = QComboBox()
        for key, text in (
            ("auto", self.tr("as many as fit")),
            ("all", self.tr("all")),
            ("count", self.tr("this many:")),
        ):
            self._gpu_mode.addItem(text, key)
        self._gpu_layers = _spin_box(0, MAX_LAYERS, 1)
        self._n_threads = _spin_box(0, MAX_THREADS, 1, self.tr("automatic"))
        self._reason = QLabel(wordWrap=True)
        self._reason.setObjectName("load_settings_reason")
        self._reason.setProperty("role", "error")
        self._buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok
            | QDialogButtonBox.StandardButton.Cancel
            | QDialogButtonBox.StandardButton.RestoreDefaults
        )
        self._buttons.button(QDialogButtonBox.StandardButton.Ok).setText(self.tr("Load with these"))
        self._lay_out(name, model)
        self._set_value(value)
        self._connect()
        self._check()

    def value(self) -> LoadSettings:
        """Return what is chosen."""
        mode = self._gpu_mode.currentData()
        return LoadSettings(
            n_ctx=self._n_ctx.value() or None,
            type_k=self._type_k.currentText(),
            type_v=self._type_v.currentText(),
            flash_attention=self._flash_attention.currentData(),
            n_gpu_layers=self._gpu_layers.value() if mode == "count" else mode,
            n_threads=self._n_threads.value() or None,
        )

    def _lay_out(self, name: QLabel, model: LoadedModel | None) -> None:
        form = QFormLayout()
        trained = formatting.tokens(model.info.n_ctx_train if model is not None else None)
        for text, widget, object_name, tooltip in (
            (
                self.tr("Context (tokens)"),
                self._n_ctx,
                "n_ctx",
                self.tr(
                    "How many tokens one conversation can hold; the model was trained for {}. Grow as needed: 4,096 at "
                    "first, and twice as many whenever a conversation needs more, without reading it again."
                ).format(trained),
            ),
            (self.tr("Type of K in the KV cache"), self._type_k, "type_k", formatting.definition("kv_reserved")),
            (
                self.tr("Type of V in the KV cache"),
                self._type_v,
                "type_v",
                self.tr("A quantised V needs flash attention."),
            ),
            (
                self.tr("Flash attention"),
                self._flash_attention,
                "flash_attention",
                self.tr("Automatic: on where llama.cpp finds that it works."),
            ),
            (
                self.tr("Layers on the GPU"),
                self._gpu_mode,
                "gpu_mode",
                self.tr("What was really offloaded is shown after the load."),
            ),
            ("", self._gpu_layers, "gpu_layers", self.tr("The output layer counts as one.")),
            (
                self.tr("CPU threads"),
                self._n_threads,
                "n_threads",
                self.tr("Automatic: one for each physical core."),
            ),
        ):
            widget.setObjectName(object_name)
            widget.setAccessibleName(text or self.tr("Number of layers on the GPU"))
            widget.setToolTip(tooltip)
            form.addRow(text, widget)
        layout = QVBoxLayout(self)
        layout.setSpacing(16)
        layout.addWidget(name)
        layout.addLayout(form)
        layout.addWidget(self._reason)
        layout.addWidget(self._buttons)

    def _connect(self) -> None:
        for box in (self._type_k, self._type_v, self._flash_attention, self._gpu_mode):
            box.currentIndexChanged.connect(self._check)
        self._buttons.accepted.connect(self.accept)
        self._buttons.rejected.connect(self.reject)
        restore = self._buttons.button(QDialogButtonBox.StandardButton.RestoreDefaults)
        restore.clicked.connect(self._restore_defaults)

    def _set_value(self, value: LoadSettings) -> None:
        self._n_ctx.setValue(value.n_ctx or 0)
        self._type_k.setCurrentText(value.type_k)
        self._type_v.setCurrentText(value.type_v)
        self._flash_attention.setCurrentIndex(self._flash_attention.findData(value.flash_attention))
        mode = value.n_gpu_layers if isinstance(value.n_gpu_layers, str) else "count"
        self._gpu_mode.setCurrentIndex(self._gpu_mode.findData(mode))
        self._gpu_layers.setValue(value.n_gpu_layers if isinstance(value.n_gpu_layers, int) else 0)
        self._n_threads.setValue(value.n_threads or 0)

    @Slot()
    def _restore_defaults(self) -> None:
        self._set_value(LoadSettings())

    @Slot()
    def _check(self) -> None:
        self._gpu_layers.setEnabled(self._gpu_mode.currentData() == "count")
        needs_flash = self._type_v.currentText() in QUANTISED and self._flash_attention.currentData() == "off"
        self._reason.setText(
            self.tr("V can be {} only with flash attention: set it to automatic or on, or V to f16.").format(
                self._type_v.currentText()
            )
            if needs_flash
            else ""
        )
        self._reason.setVisible(needs_flash)
        self._buttons.button(QDialogButtonBox.StandardButton.Ok).setEnabled(not needs_flash)


def _spin_box(low: int, high: int, step: int, zero_text: str = "") -> QSpinBox:
    box = QSpinBox(minimum=low, maximum=high, singleStep=step)
    box.setGroupSeparatorShown(True)
    box.setSpecialValueText(zero_text)
    return box
