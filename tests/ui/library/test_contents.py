"""The dialog that looks inside a model: what it says of files that are split, damaged or without a chat template."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt

from tests.library_pages import LONG_MS, choose, open_page
from tests.model_stores import gguf, write, write_split
from ui.dialogs.models.library.contents_dialog import ContentsDialog


@pytest.fixture
def look_inside(desk, own):
    """Open the dialog on a model of the application's own folder."""

    def look(name: str) -> ContentsDialog:
        page = open_page(desk)
        choose(page, name)
        page.actions_["show"].trigger()
        return page.findChild(ContentsDialog)

    return look


def test_the_tensors_of_a_split_model_say_which_file_they_lie_in(desk, own, look_inside):
    write_split(own, "two")
    dialog = look_inside("two")
    desk.qtbot.waitUntil(dialog.tabs.isEnabled, timeout=LONG_MS)
    assert not dialog.tensors.isColumnHidden(1)
    assert [texts[1] for texts in dialog.tensors.texts()] == ["1 of 2", "2 of 2", "2 of 2", "2 of 2"]
    dialog.close()


def test_tensors_are_sorted_by_the_number_of_their_layer(desk, own, look_inside):
    layers = [2, 10, 0, 1]
    write(own / "a.gguf", gguf(tensors=[(f"blk.{layer}.attn_q.weight", (64, 64)) for layer in layers]))
    dialog = look_inside("a")
    desk.qtbot.waitUntil(dialog.tabs.isEnabled, timeout=LONG_MS)
    shown = [int(texts[0].split(".")[1]) for texts in dialog.tensors.texts()]
    assert shown == layers
    dialog.tensors.sortByColumn(0, Qt.SortOrder.AscendingOrder)
    shown = [int(texts[0].split(".")[1]) for texts in dialog.tensors.texts()]
    assert shown == [0, 1, 2, 10]
    dialog.close()


def test_a_damaged_file_is_one_sentence_and_nothing_else(desk, own, look_inside):
    write(own / "broken.gguf", b"GGUF")
    dialog = look_inside("broken")
    assert dialog.empty.text == "Reading the file…"
    desk.qtbot.waitUntil(lambda: "broken.gguf is cut off" in dialog.empty.text, timeout=LONG_MS)
    assert dialog.empty.isVisible()
    assert not dialog.tabs.isVisible()
    dialog.close()


def test_without_a_chat_template_there_is_a_sentence_and_no_empty_field(desk, own, look_inside):
    write(own / "mmproj.gguf", gguf({"general.architecture": "clip"}))
    dialog = look_inside("mmproj")
    desk.qtbot.waitUntil(dialog.tabs.isEnabled, timeout=LONG_MS)
    dialog.tabs.setCurrentWidget(dialog.template)
    assert dialog.template.label.text() == "The file brings no chat template."
    assert not dialog.template.text.isVisible()
    dialog.close()


def test_the_rows_are_as_high_as_larger_text_needs(desk, own, look_inside):
    write(own / "a.gguf", gguf())
    dialog = look_inside("a")
    desk.qtbot.waitUntil(dialog.tabs.isEnabled, timeout=LONG_MS)
    settings = desk.parts.settings
    for zoom in (1.5, 1.0):
        settings.set(replace(settings.value, zoom=zoom))
        for table in (dialog.keys, dialog.tensors):
            desk.qtbot.waitUntil(lambda table=table: 0 < table.rowHeight(0) - table.fontMetrics().height() < 16)
    dialog.close()


def test_a_filter_that_leaves_nothing_says_so(desk, own, look_inside):
    write(own / "a.gguf", gguf())
    dialog = look_inside("a")
    desk.qtbot.waitUntil(dialog.tabs.isEnabled, timeout=LONG_MS)
    ground = dialog.keys.palette().base().color()

    def is_blank() -> bool:
        image = dialog.keys.viewport().grab().toImage()
        middle = image.height() // 2
        points = ((x, y) for x in range(image.width()) for y in range(middle - 10, middle + 10))
        return all(image.pixelColor(x, y) == ground for x, y in points)

    dialog.keys.set_filter("no such key")
    assert dialog.keys.texts() == []
    assert not is_blank()
    dialog.keys.set_filter("")
    assert dialog.keys.texts()
    dialog.close()
