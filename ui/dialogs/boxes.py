"""Boxes for numbers whose text begins where that of the other fields does."""

from __future__ import annotations

from typing import Any, TypeVar

from PySide6.QtWidgets import QAbstractSpinBox, QDoubleSpinBox, QSpinBox

Box = TypeVar("Box", bound=QAbstractSpinBox)
INDENT = 8
"""Pixels: the padding of the style sheet, which Qt leaves out at the left of a box with buttons."""


def spin_box(**properties: Any) -> QSpinBox:
    """Return a box for whole numbers."""
    return _indented(QSpinBox(**properties))


def double_spin_box(**properties: Any) -> QDoubleSpinBox:
    """Return a box for numbers with decimals."""
    return _indented(QDoubleSpinBox(**properties))


def _indented(box: Box) -> Box:
    box.lineEdit().setTextMargins(INDENT, 0, 0, 0)
    return box
