"""Labels for numbers that change all the time: the window is laid out only when they need more or less room."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QHBoxLayout, QWidget

from ui.panels.labels import ElidedLabel, PlainLabel


class Layouts(QObject):
    """Counts how often a widget is laid out."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        self.count += event.type() == QEvent.Type.LayoutRequest
        return False


@pytest.fixture(params=[PlainLabel, ElidedLabel])
def label(request, qtbot):
    row = QWidget()
    qtbot.addWidget(row)
    label = request.param(row)
    label.setText("252 MiB")
    layout = QHBoxLayout(row)
    layout.addWidget(label)
    layout.addWidget(QWidget(row), 1)
    row.resize(600, 60)
    with qtbot.waitExposed(row):
        row.show()
    yield label
    row.hide()


def test_another_number_of_the_same_width_lays_nothing_out(label):
    layouts = Layouts()
    label.parentWidget().installEventFilter(layouts)
    label.setText("525 MiB")
    QApplication.processEvents()
    assert (label.text(), label.shown_text, label.accessibleName()) == ("525 MiB",) * 3
    assert layouts.count == 0
    label.setText("1,252 MiB")
    QApplication.processEvents()
    assert layouts.count > 0
    assert label.width() >= label.sizeHint().width()


@pytest.mark.parametrize("way", ["font", "sheet"])
def test_a_larger_font_gets_the_room_it_needs(label, way):
    before = label.width()
    if way == "font":
        font = label.font()
        font.setPointSizeF(font.pointSizeF() * 2)
        label.setFont(font)
    else:
        label.parentWidget().setStyleSheet("QLabel { font-size: 30pt; }")
    QApplication.processEvents()
    assert label.shown_text == "252 MiB"
    assert label.width() >= label.sizeHint().width() > before
