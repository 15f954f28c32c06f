"""The models on this machine in the window: found, followed, placed, sorted and filtered."""

import os
import sys
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPushButton

from app.errors import EngineError, Sentence
from app.hub.library import LibraryModel
from app.hub.sources import Root
from app.paths import paths
from app.settings import LoadSettings
from tests.library_pages import (
    LONG_MS,
    cell,
    choose,
    column,
    names,
    open_page,
    wait_until_listed,
    wait_until_placed,
)
from tests.model_stores import LLAMA, add_to_hugging_face, gguf, write, write_split
from tests.planners import GPU
from ui.dialogs.models.dialog import ModelsDialog
from ui.dialogs.models.library import words
from ui.dialogs.models.library.columns import COLUMNS

# -- what is listed ---------------------------------------------------------------------------------------------------


def test_models_of_all_folders_are_rows_with_their_facts(desk, own, user_home, starter):
    write(own / "deep/er/a-Q4_0.gguf", gguf())
    add_to_hugging_face(user_home / ".cache/huggingface/hub", "org/name", {"hub.gguf": gguf()})
    write_split(own, "two")
    write_split(own, "half")[1].unlink()
    write(own / "broken.gguf", b"GGUF")
    write(own / "mmproj.gguf", gguf({"general.architecture": "clip"}))
    page = open_page(desk)
    wait_until_placed(desk)
    assert names(page) == ["a-Q4_0", "broken", "half", "hub", "mmproj", starter.stem, "two"]
    shown = {key: cell(page, starter.stem, key) for key in ("size", "parameters", "bits", "context", "kv", "kind")}
    assert shown == {"size": "93.8 MiB", "parameters": "135M", "bits": "5.74", "context": "8,192", "kv": "22.5 KiB",
                     "kind": "chat"}  # fmt: skip
    assert [cell(page, starter.stem, key) for key in ("quantisation", "architecture", "licence", "source")] == [
        "Q4_1", "llama", "apache-2.0", "starter model"
    ]  # fmt: skip
    assert (cell(page, "hub", "source"), cell(page, "mmproj", "kind")) == ("Hugging Face", "projector")
    assert [cell(page, name, "fits") for name in ("half", "broken", "mmproj")] == ["part 2 missing", "damaged", "n/a"]
    half = page.shown.index(names(page).index("half"), column("fits"))
    for role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleDescriptionRole):
        assert "half-00002-of-00002.gguf is missing" in half.data(role)
    choose(page, "half")
    assert "half-00002-of-00002.gguf is missing" in page.details.text()
    desk.qtbot.waitUntil(lambda: page.summary.text().startswith("7 models, "))


def test_parameters_are_written_as_models_are_named():
    assert [words.parameters(count) for count in (8_030_261_248, 134_515_008, None)] == ["8.03B", "135M", "n/a"]


def test_rows_come_while_models_are_still_read(desk, own, monkeypatch):
    for number in range(30):
        write(own / f"{number:02}.gguf", gguf())
    page = open_page(desk, wait=False)
    seen = []
    page.rows.rowsInserted.connect(lambda *_: seen.append((page.rows.rowCount(), desk.parts.disk.is_scanning)))
    wait_until_listed(desk)
    assert seen[0][1] is True
    assert page.rows.rowCount() == 31
    desk.qtbot.waitUntil(lambda: page.summary.text().startswith("31 models, "))


def test_an_empty_disk_says_what_to_do(desk, monkeypatch):
    monkeypatch.setattr(type(desk.parts.disk), "_on_listed", _without_starter(type(desk.parts.disk)._on_listed))
    page = open_page(desk, wait=False)
    assert "Looking for models" in page.empty.sentence
    assert page._places.currentWidget() is page.empty
    desk.qtbot.waitUntil(lambda: not desk.parts.disk.is_scanning, timeout=LONG_MS)
    desk.parts.disk._take((), tuple(desk.parts.disk.models))
    desk.qtbot.waitUntil(lambda: "No models on this machine yet" in page.empty.sentence)
    assert str(paths().models) in page.empty.sentence
    asked = []
    page.page_requested.connect(asked.append)
    desk.qtbot.mouseClick(page.findChild(QPushButton, "library_find_on_hub"), Qt.MouseButton.LeftButton)
    assert asked == ["hub_page"]


def _without_starter(on_listed):
    def listed(self, scanned):
        on_listed(self, replace(scanned, listing=replace(scanned.listing, models=())))

    return listed


def test_a_failure_is_said_and_can_be_tried_again(desk, monkeypatch):
    from app.hub.scan import LibraryProcess

    def scan(*_):
        raise EngineError(Sentence("The process that reads them ended."))

    with monkeypatch.context() as patch:
        patch.setattr(LibraryProcess, "scan", scan)
        page = open_page(desk, wait=False)
        desk.qtbot.waitUntil(lambda: bool(desk.parts.disk.failure), timeout=LONG_MS)
        sentence = "The models cannot be listed The process that reads them ended."
        desk.qtbot.waitUntil(lambda: page.empty.sentence == sentence)
    desk.qtbot.mouseClick(page.findChild(QPushButton, "library_again"), Qt.MouseButton.LeftButton)
    wait_until_listed(desk)
    desk.qtbot.waitUntil(lambda: page._places.currentWidget() is page.table)


# -- following the disk -----------------------------------------------------------------------------------------------


def test_new_changed_and_deleted_files_show_by_themselves(desk, own):
    write(own / "a.gguf", gguf())
    page = open_page(desk)
    desk.qtbot.waitUntil(lambda: str(own / "a.gguf") in desk.parts.disk.watcher.watched(), timeout=LONG_MS)
    write(own / "sub/b.gguf", gguf())
    desk.qtbot.waitUntil(lambda: "b" in names(page), timeout=LONG_MS)
    desk.qtbot.waitUntil(lambda: str(own / "sub") in desk.parts.disk.watcher.watched(), timeout=LONG_MS)
    write(own / "sub/c.gguf", gguf())
    desk.qtbot.waitUntil(lambda: "c" in names(page), timeout=LONG_MS)
    choose(page, "a")
    write(own / "a.gguf", gguf({**LLAMA, "general.license": "mit"}))
    desk.qtbot.waitUntil(lambda: cell(page, "a", "licence") == "mit", timeout=LONG_MS)
    assert [model.name for model in page.table.chosen_models()] == ["a"]
    (own / "sub/b.gguf").unlink()
    desk.qtbot.waitUntil(lambda: "b" not in names(page), timeout=LONG_MS)
    assert [model.name for model in page.table.chosen_models()] == ["a"]


def test_nothing_is_watched_or_kept_running_when_the_window_is_closed(desk, own):
    write(own / "a.gguf", gguf())
    open_page(desk)
    wait_until_placed(desk)
    disk = desk.parts.disk
    desk.qtbot.waitUntil(lambda: bool(disk.watcher.watched()), timeout=LONG_MS)
    assert disk._worker.pid is not None
    desk.window.findChild(ModelsDialog).close()
    assert disk.watcher.watched() == set()
    desk.qtbot.waitUntil(lambda: disk._worker.pid is None, timeout=LONG_MS)
    desk.qtbot.waitUntil(lambda: desk.window.findChild(ModelsDialog) is None)
    write(own / "b.gguf", gguf())
    page = open_page(desk)
    desk.qtbot.waitUntil(lambda: "b" in names(page), timeout=LONG_MS)


def test_the_window_can_be_closed_while_models_are_read(desk, own):
    for number in range(30):
        write(own / f"{number:02}.gguf", gguf())
    open_page(desk, wait=False)
    desk.window.close()
    assert desk.parts.has_ended


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names are Unicode")
def test_names_that_are_no_unicode_or_no_plain_text_are_rows_too(desk, own):
    write(own / "<b>bold</b>\n&amp.gguf", gguf())
    write(own / os.fsdecode(b"bad\xff.gguf"), gguf())
    page = open_page(desk)
    wait_until_placed(desk)
    assert sorted(cell(page, name, "fits") for name in names(page)) == ["on CPU"] * 3
    choose(page, "<b>bold</b>\n&amp")
    tooltip = page.shown.index(0, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert "<b>" not in tooltip
    for row in range(3):
        page.table.selectRow(row)
    page.table.grab()
    write(own / "c.gguf", gguf())
    desk.qtbot.waitUntil(lambda: "c" in names(page), timeout=LONG_MS)


def test_a_file_that_claims_the_impossible_is_a_row_too(desk, own):
    keys = ("context_length", "block_count", "attention.head_count", "attention.head_count_kv", "embedding_length")
    write(own / "absurd.gguf", gguf({**LLAMA, **{f"llama.{key}": 2**64 - 1 for key in keys}}))
    page = open_page(desk)
    wait_until_placed(desk)
    assert [cell(page, "absurd", key) for key in ("fits", "context")] == ["damaged", "n/a"]


# -- where they go ----------------------------------------------------------------------------------------------------


def test_places_follow_the_settings_kept_for_a_model(desk, starter):
    page = open_page(desk)
    wait_until_placed(desk)
    assert (cell(page, starter.stem, "fits"), cell(page, starter.stem, "largest")) == ("on CPU", "8,192")
    choose(page, starter.stem)
    assert "Largest context that fits: 8,192 tokens." in page.details.text()
    settings = desk.parts.settings
    settings.set(settings.value.with_load_settings(starter, LoadSettings(n_ctx=100_000_000)))
    desk.qtbot.waitUntil(lambda: cell(page, starter.stem, "fits") == "does not fit", timeout=LONG_MS)
    text = "It needs 2,240 GiB of memory where 4.00 GiB is free, with the settings kept for this model."
    assert page.details.text() == text
    button = page.findChild(QPushButton, "library_load_button")
    assert (button.property("role"), button.isEnabled()) == ("", True)
    settings.set(settings.value.with_load_settings(starter, LoadSettings(n_ctx=256)))
    desk.qtbot.waitUntil(lambda: cell(page, starter.stem, "fits") == "on CPU", timeout=LONG_MS)


def test_a_gpu_takes_what_fits(desk, own, starter, monkeypatch):
    page = open_page(desk)
    wait_until_placed(desk)
    disk = desk.parts.disk
    disk.devices = (GPU, *disk.devices)
    settings = desk.parts.settings
    settings.set(replace(settings.value, reserve_mib=0))
    desk.qtbot.waitUntil(lambda: cell(page, starter.stem, "fits") == "whole on GPU", timeout=LONG_MS)
    settings.set(settings.value.with_load_settings(starter, LoadSettings(n_gpu_layers=3)))
    desk.qtbot.waitUntil(lambda: cell(page, starter.stem, "fits") == "partly on GPU", timeout=LONG_MS)


def test_what_is_still_worked_out_is_not_yet_unknown(desk, own, starter, monkeypatch):
    monkeypatch.setattr(desk.parts.planner, "devices", lambda _channel, _servers, _done: None)
    write(own / "broken.gguf", b"GGUF")
    page = open_page(desk)
    assert [cell(page, starter.stem, key) for key in ("fits", "largest")] == ["…", "…"]
    assert [cell(page, "broken", key) for key in ("fits", "largest")] == ["damaged", "n/a"]


def test_without_devices_the_rest_is_shown(desk, starter, monkeypatch):
    from ui.planner_worker import NoAnswer

    monkeypatch.setattr(
        desk.parts.planner, "devices", lambda _channel, _servers, done: done(NoAnswer("It does not answer."))
    )
    page = open_page(desk)
    wait_until_placed(desk)
    assert (cell(page, starter.stem, "fits"), cell(page, starter.stem, "size")) == ("n/a", "93.8 MiB")
    choose(page, starter.stem)
    assert "It does not answer." in page.details.text()


# -- sorting, filtering, columns --------------------------------------------------------------------------------------


def test_columns_sort_by_value_and_unknown_comes_last(desk, own, starter):
    write(own / "a.gguf", gguf())
    write(own / "b.gguf", b"GGUF")
    page = open_page(desk)
    page.table.sortByColumn(column("parameters"), Qt.SortOrder.AscendingOrder)
    assert names(page) == ["a", starter.stem, "b"]
    page.table.sortByColumn(column("parameters"), Qt.SortOrder.DescendingOrder)
    assert names(page) == [starter.stem, "a", "b"]


def test_words_kind_and_place_filter_together(desk, own, starter):
    write(own / "a.gguf", gguf())
    write(own / "embed.gguf", gguf({**LLAMA, "general.license": "mit", "llama.attention.causal": False}))
    write(own / "broken.gguf", b"GGUF")
    page = open_page(desk)
    wait_until_placed(desk)
    page.bar.search.setText("LLAMA apache")
    assert names(page) == ["a", starter.stem]
    page.bar.search.setText(starter.stem[:6])
    assert names(page) == [starter.stem]
    page.bar.search.clear()
    page.bar.kind.setCurrentIndex(page.bar.kind.findData("embedding"))
    assert names(page) == ["embed"]
    page.bar.kind.setCurrentIndex(page.bar.kind.findData("damaged"))
    assert names(page) == ["broken"]
    page.bar.place.setCurrentIndex(page.bar.place.findData("fits"))
    assert names(page) == []
    sentence = "Nothing matches No model matches the kind “damaged or incomplete”, the place “fits”."
    desk.qtbot.waitUntil(lambda: page.empty.sentence == sentence)
    page.bar.clear()
    page.bar.search.setText("nowhere")
    desk.qtbot.waitUntil(lambda: page.empty.sentence == "Nothing matches No model matches all of these words.")
    page.bar.kind.setCurrentIndex(page.bar.kind.findData("chat"))
    sentence = "Nothing matches No model matches all of these words, the kind “chat”."
    desk.qtbot.waitUntil(lambda: page.empty.sentence == sentence)
    desk.qtbot.mouseClick(page.findChild(QPushButton, "library_clear"), Qt.MouseButton.LeftButton)
    assert len(names(page)) == 4
    page.bar.place.setCurrentIndex(page.bar.place.findData("cpu"))
    assert "broken" not in names(page)


@pytest.mark.parametrize(("n_bytes", "text"), [(0, "0 B"), (23_040, "22.5 KiB"), (None, "n/a")])
def test_what_a_token_takes_of_the_cache(tmp_path, n_bytes, text):
    path = tmp_path / "bge.gguf"
    root = Root(tmp_path, "folder")
    model = LibraryModel(path=path, name="bge", root=root, parts=(path,), kv_bytes_per_token=n_bytes)
    assert COLUMNS[column("kv")].text(model, None) == text


def test_the_keyboard_goes_from_the_words_to_the_rows(desk, own, starter):
    write(own / "a.gguf", gguf())
    page = open_page(desk)
    page.bar.search.setFocus()
    desk.qtbot.keyClicks(page.bar.search, starter.stem[:6])
    assert names(page) == [starter.stem]
    desk.qtbot.keyClick(page.bar.search, Qt.Key.Key_Return)
    assert [model.name for model in page.table.chosen_models()] == [starter.stem]
    assert page.isVisible()
    assert desk.parts.models.loading_path is None


def test_the_choice_of_columns_outlives_the_window(desk, open_desk, own):
    page = open_page(desk)
    assert page.table.is_column_shown("licence")
    assert not page.table.is_column_shown("folder")
    menu = page.table.columns_menu()
    next(action for action in menu.actions() if action.data() == "licence").trigger()
    next(action for action in menu.actions() if action.data() == "folder").trigger()
    page.table.sortByColumn(3, Qt.SortOrder.DescendingOrder)
    desk.window.findChild(ModelsDialog).close()
    desk.qtbot.waitUntil(lambda: desk.window.findChild(ModelsDialog) is None)
    page = open_page(desk)
    assert not page.table.is_column_shown("licence")
    assert page.table.is_column_shown("folder")
    assert page.table.horizontalHeader().sortIndicatorSection() == 3
    page.table.reset_columns()
    assert page.table.is_column_shown("licence")


def test_larger_text_gets_wider_columns_now_and_the_next_time(desk, own):
    page = open_page(desk)
    settings, size = desk.parts.settings, column("size")
    usual = page.table.columnWidth(size)
    settings.set(replace(settings.value, zoom=1.5))
    desk.qtbot.waitUntil(lambda: page.table.columnWidth(size) == pytest.approx(1.5 * usual, rel=0.05))
    assert page.details.height() >= 2 * page.details.fontMetrics().lineSpacing()
    settings.set(replace(settings.value, zoom=1.0))
    desk.qtbot.waitUntil(lambda: page.table.columnWidth(size) == pytest.approx(usual, abs=2))
    dialog, last = desk.window.findChild(ModelsDialog), column("source")
    dialog.resize(2600, 700)
    desk.qtbot.waitUntil(lambda: page.table.columnWidth(last) > 2 * usual)
    settings.set(replace(settings.value, theme="dark"))
    dialog.resize(1000, 700)
    desk.qtbot.waitUntil(lambda: page.table.columnWidth(last) < 2 * usual)  # not the room it filled
    desk.window.findChild(ModelsDialog).close()
    desk.qtbot.waitUntil(lambda: desk.window.findChild(ModelsDialog) is None)
    settings.set(replace(settings.value, zoom=1.5))
    page = open_page(desk)
    assert page.table.columnWidth(size) == pytest.approx(1.5 * usual, rel=0.05)


def test_what_is_there_is_cut_with_an_ellipsis_where_there_is_no_room(desk, own, starter):
    page = open_page(desk)
    page.summary.resize(page.summary.fontMetrics().horizontalAdvance("1 model, 9"), page.summary.height())
    assert page.summary.shown_text.endswith("…")
    settings = desk.parts.settings
    settings.set(replace(settings.value, zoom=1.5))
    desk.window.findChild(ModelsDialog).resize(900, 600)
    choose(page, starter.stem)
    QApplication.processEvents()
    assert page.summary.shown_text == page.summary.text()
    assert page.path.text() == str(starter)
    assert page.path.shown_text.endswith(starter.name[-12:])


def test_a_chosen_row_stays_in_view_with_larger_text(desk, own):
    for number in range(40):
        write(own / f"model-{number}.gguf", gguf())
    page = open_page(desk)
    table, settings = page.table, desk.parts.settings
    desk.window.findChild(ModelsDialog).resize(760, 480)
    choose(page, "model-30")
    table.horizontalScrollBar().setValue(200)
    for zoom in (1.5, 1.0):
        desk.qtbot.wait(50)
        settings.set(replace(settings.value, zoom=zoom))
        desk.qtbot.wait(50)
        row = table.visualRect(table.currentIndex())
        assert 0 <= row.top() <= row.bottom() <= table.viewport().height()
        assert table.horizontalScrollBar().value() == 200
        header, bar = table.horizontalHeader(), table.verticalScrollBar()
        assert bar.mapTo(table, bar.rect().topLeft()).y() == header.geometry().bottom() + 1
    table.verticalScrollBar().setValue(0)
    desk.qtbot.wait(50)
    settings.set(replace(settings.value, zoom=1.5))
    desk.qtbot.wait(50)
    assert table.verticalScrollBar().value() == 0


def test_several_models_lie_in_no_one_place(desk, own):
    for name in ("a", "b"):
        write(own / f"{name}.gguf", gguf())
    page = open_page(desk)
    choose(page, "a")
    assert page.path.shown_text.endswith("a.gguf")
    choose(page, "a", "b")
    assert page.details.text().startswith("2 models chosen, ")
    assert page.path.shown_text == ""
