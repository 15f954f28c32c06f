"""The choice of a context: grow as needed, or a fixed number of tokens by slider and spin box."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QSlider, QStyle, QVBoxLayout, QWidget

from ui import formatting
from ui.dialogs.boxes import spin_box

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from ui.theme import Theme

STEP = 256
"""llama.cpp pads a context to a multiple of this (llama-context.cpp)."""

STEPS_PER_DOUBLING = 8
SMALLEST_END = 131_072
LARGEST_N_CTX = 16 * 1024 * 1024
FIRST_FIXED = 4096


def slider_stops(last: int) -> tuple[int, ...]:
    """Return multiples of 256 from 256 to at least `last`, closer together where contexts are small."""
    stops = [STEP]
    while stops[-1] < last:
        octave = 1 << (stops[-1].bit_length() - 1)
        stops.append(stops[-1] + max(STEP, octave // STEPS_PER_DOUBLING))
    return tuple(stops)


class MarkedSlider(QSlider):
    """A horizontal slider with a mark at one of its positions.

    Attributes:
        mark: the position, None for none.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._theme = theme
        self.mark: int | None = None

    def set_mark(self, position: int | None) -> None:
        """Mark this position."""
        self.mark = position
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.mark is None:
            return
        handle = self.style().pixelMetric(QStyle.PixelMetric.PM_SliderLength, None, self)
        room = self.width() - handle
        offset = QStyle.sliderPositionFromValue(self.minimum(), self.maximum(), self.mark, room)
        x = handle / 2 + (room - offset if self.isRightToLeft() else offset)
        painter = QPainter(self)
        painter.setPen(QPen(QColor(self._theme.colours.limit), 2, Qt.PenStyle.DotLine))
        painter.drawLine(QPointF(x, 0), QPointF(x, self.height()))


class ContextField(QWidget):
    """`n_ctx` as the user sets it.

    Signals:
        changed: by the user or `set_value`.
    """

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._n_ctx_train: int | None = None
        self._stops = slider_stops(SMALLEST_END)
        self.grow = QCheckBox(self.tr("grow as needed"))
        self.grow.setObjectName("n_ctx_grow")
        self.grow.setToolTip(
            self.tr(
                "Begin with 4,096 tokens and take twice as many whenever a conversation needs more, without reading it "
                "again: memory grows only when needed."
            )
        )
        self.slider = MarkedSlider(theme)
        self.slider.setObjectName("n_ctx_slider")
        self.slider.setAccessibleName(self.tr("Context in tokens, slider"))
        self.box = spin_box(minimum=STEP, maximum=LARGEST_N_CTX, singleStep=STEP)
        self.box.setGroupSeparatorShown(True)
        self.box.setObjectName("n_ctx")
        self.box.setAccessibleName(self.tr("Context in tokens"))
        self.note = QLabel(wordWrap=True)
        self.note.setObjectName("n_ctx_note")
        self.note.setProperty("role", "muted")
        first, second, rows = QHBoxLayout(), QHBoxLayout(), QVBoxLayout(self)
        first.addWidget(self.grow, 1)
        first.addWidget(self.box)
        second.addWidget(self.slider)
        for layout in (first, second, rows):
            layout.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(4)
        rows.addLayout(first)
        rows.addLayout(second)
        rows.addWidget(self.note)
        self._set_range()
        self.set_value(None)
        self.grow.toggled.connect(self._on_grow_toggled)
        self.slider.valueChanged.connect(self._on_slid)
        self.box.valueChanged.connect(self._on_typed)

    def value(self) -> int | None:
        """Return the fixed context, None for one that grows."""
        return None if self.grow.isChecked() else self.box.value()

    def set_value(self, n_ctx: int | None) -> None:
        """Show this choice."""
        with QSignalBlocker(self.grow), QSignalBlocker(self.box):
            self.grow.setChecked(n_ctx is None)
            self.box.setValue(n_ctx or FIRST_FIXED)
        self._follow_box()
        self._show_state()
        self.changed.emit()

    def set_trained(self, n_ctx_train: int) -> None:
        """Mark what the model was trained for."""
        if n_ctx_train != self._n_ctx_train:
            self._n_ctx_train = n_ctx_train or None
            self._set_range()
            self._show_state()

    def _set_range(self) -> None:
        self._stops = slider_stops(min(max(SMALLEST_END, 2 * (self._n_ctx_train or 0)), LARGEST_N_CTX))
        with QSignalBlocker(self.slider):
            self.slider.setRange(0, len(self._stops) - 1)
            self.slider.setPageStep(STEPS_PER_DOUBLING)
        self.slider.set_mark(self._position(self._n_ctx_train) if self._n_ctx_train else None)
        self._follow_box()

    def _position(self, n_ctx: int) -> int:
        """Return the slider's first position at or above a context."""
        return min(bisect_left(self._stops, n_ctx), len(self._stops) - 1)

    def _follow_box(self) -> None:
        with QSignalBlocker(self.slider):
            self.slider.setValue(self._position(self.box.value()))

    def _show_state(self) -> None:
        is_fixed = not self.grow.isChecked()
        self.slider.setEnabled(is_fixed)
        self.box.setEnabled(is_fixed)
        trained = formatting.tokens(self._n_ctx_train)
        if self._n_ctx_train is None:
            text = ""
        elif is_fixed and self.box.value() > self._n_ctx_train:
            text = self.tr("More than the {} the model was trained for: answers may be poor beyond them.")
        else:
            text = self.tr("The model was trained for {} (the mark).")
        self.note.setText(text.format(trained))

    @Slot()
    def _on_grow_toggled(self) -> None:
        self._show_state()
        self.changed.emit()

    @Slot(int)
    def _on_slid(self, position: int) -> None:
        with QSignalBlocker(self.box):
            self.box.setValue(self._stops[position])
        self._show_state()
        self.changed.emit()

    @Slot()
    def _on_typed(self) -> None:
        self._follow_box()
        self._show_state()
        self.changed.emit()
