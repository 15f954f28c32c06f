"""How many layers: chosen by Tokometer, all of them, or a number by slider and spin box."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QSlider, QVBoxLayout, QWidget

from ui.dialogs.boxes import spin_box

MAX_LAYERS = 10_000
Layers = int | Literal["auto", "all"]


class CountField(QWidget):
    """A slider and a spin box for one number from 0 on.

    Signals:
        changed: by the user or `set_value`.
    """

    changed = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setObjectName(f"{name}_slider")
        self.box = spin_box(maximum=MAX_LAYERS)
        self.box.setObjectName(name)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.slider, 1)
        layout.addWidget(self.box)
        self.slider.valueChanged.connect(self.box.setValue)
        self.box.valueChanged.connect(self._on_changed)

    def value(self) -> int:
        """Return the number."""
        return self.box.value()

    def set_value(self, value: int) -> None:
        """Show this number."""
        self.box.setValue(value)

    def set_maximum(self, maximum: int) -> None:
        """Let the slider end here; a larger number that was kept stays in the box until it is changed."""
        with QSignalBlocker(self.slider):
            self.slider.setMaximum(maximum)
            self.slider.setValue(min(self.box.value(), maximum))
        self.box.setMaximum(max(maximum, self.box.value()))

    def set_names(self, name: str, tooltip: str) -> None:
        """Name both for screen readers."""
        for widget in (self.slider, self.box):
            widget.setAccessibleName(name)
            widget.setToolTip(tooltip)

    @Slot()
    def _on_changed(self) -> None:
        with QSignalBlocker(self.slider):
            self.slider.setValue(min(self.box.value(), self.slider.maximum()))
        self.changed.emit()


class LayersField(QWidget):
    """`n_gpu_layers` as the user sets it.

    Signals:
        changed: by the user or `set_value`.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.mode = QComboBox()
        self.mode.setObjectName("gpu_mode")
        for key, text in (
            ("auto", self.tr("as many as fit")),
            ("all", self.tr("all")),
            ("count", self.tr("this many:")),
        ):
            self.mode.addItem(text, key)
        self.count = CountField("gpu_layers")
        self.count.set_names(self.tr("Number of layers on the GPU"), self.tr("The output layer counts as one."))
        self.note = QLabel(self.tr("This build of llama.cpp finds no GPU here."), wordWrap=True)
        self.note.setObjectName("no_gpu")
        self.note.setProperty("role", "muted")
        self.note.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        for widget in (self.mode, self.count, self.note):
            layout.addWidget(widget)
        self.mode.currentIndexChanged.connect(self._on_mode_changed)
        self.count.changed.connect(self._on_count_changed)
        self._show_state()

    def value(self) -> Layers:
        """Return the choice."""
        match self.mode.currentData():
            case "auto":
                return "auto"
            case "all":
                return "all"
            case _:
                return self.count.value()

    def set_value(self, value: Layers) -> None:
        """Show this choice."""
        self.mode.setCurrentIndex(self.mode.findData(value if isinstance(value, str) else "count"))
        self.count.set_value(value if isinstance(value, int) else 0)

    def set_total(self, layers_total: int) -> None:
        """Let the slider end at all layers, the output layer included."""
        self.count.set_maximum(layers_total)

    def set_possible(self, has_gpu: bool) -> None:
        """Let the choice be made only where there is a GPU; say so where there is none."""
        self.mode.setEnabled(has_gpu)
        self.count.setEnabled(has_gpu)
        self.note.setVisible(not has_gpu)

    def _show_state(self) -> None:
        self.count.setVisible(self.mode.currentData() == "count")

    @Slot()
    def _on_mode_changed(self) -> None:
        self._show_state()
        self.changed.emit()

    @Slot()
    def _on_count_changed(self) -> None:
        self.changed.emit()
