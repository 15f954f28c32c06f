"""The line where the model's view begins, and the dimmed messages above it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QPushButton

from tests.ui.chat.test_transcript import view_of
from ui.chat.item_view import VEIL_ALPHA, Veil
from ui.chat.transcript import Action, Item, Kind
from ui.theme import DARK, LIGHT

EDGE = Item(
    "edge",
    Kind.EDGE,
    "The model sees from here on. Out of its view above: 1 turn",
    footer_tooltip="Nothing is deleted.",
    actions=(Action("bring_back", "Bring them back into view"),),
)
ITEMS = [
    Item("u1", Kind.USER, "You", "One", is_out_of_view=True),
    Item("a1", Kind.ASSISTANT, "Model", "```python\nprint(1)\n```\nA long answer.", is_out_of_view=True),
    EDGE,
    Item("u2", Kind.USER, "You", "Two"),
    Item("a2", Kind.ASSISTANT, "Model", "Another."),
]


def is_dimmed(transcript, item_id: str) -> bool:
    return view_of(transcript, item_id).findChild(Veil) is not None


def luminance(colour: QColor) -> float:
    """WCAG 2's relative luminance."""
    parts = (colour.redF(), colour.greenF(), colour.blueF())
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("colours", [LIGHT, DARK])
@pytest.mark.parametrize("ground", ["base", "user_bubble", "code_background"])
def test_dimmed_text_can_be_read(colours, ground):
    base, text, behind = (QColor(getattr(colours, name)) for name in ("base", "text", ground))

    def veiled(colour: QColor) -> QColor:
        pairs = zip(colour.getRgbF()[:3], base.getRgbF()[:3], strict=True)
        return QColor.fromRgbF(*(below * (1 - VEIL_ALPHA) + veil * VEIL_ALPHA for below, veil in pairs))

    high, low = sorted((luminance(veiled(text)), luminance(veiled(behind))), reverse=True)
    assert (high + 0.05) / (low + 0.05) >= 4.5


def test_what_is_out_of_view_is_dimmed_and_stays_so_when_it_changes(qtbot, transcript):
    transcript.set_items(ITEMS)
    assert [is_dimmed(transcript, item.id) for item in ITEMS] == [True, True, False, False, False]
    view = view_of(transcript, "a1")
    veil = view.findChild(Veil)
    assert veil.size() == view.size()
    assert view.children()[-1] is veil
    transcript.update_item(replace(ITEMS[1], footer="TTFT 1 s"))
    assert view.children()[-1] is veil
    transcript.update_item(replace(ITEMS[1], is_out_of_view=False))
    qtbot.waitUntil(lambda: not is_dimmed(transcript, "a1"))


def test_the_veil_lets_the_pointer_through(qtbot, transcript):
    transcript.set_items(ITEMS)
    view = view_of(transcript, "u1")
    assert view.findChild(Veil).testAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)


def test_the_line_offers_to_bring_the_turns_back(qtbot, transcript):
    transcript.set_items(ITEMS)
    view = view_of(transcript, "edge")
    assert view.accessibleName() == "Where the model's view begins"
    button = view.findChild(QPushButton, "bring_back")
    with qtbot.waitSignal(transcript.action_triggered) as triggered:
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert triggered.args == ["edge", "bring_back"]
    assert view.geometry().bottom() < view_of(transcript, "u2").geometry().top() + 1


def test_the_line_is_not_copied_with_the_conversation(transcript, qapp):
    transcript.set_items(ITEMS)
    transcript.copy_conversation()
    assert "sees from here" not in qapp.clipboard().text()
