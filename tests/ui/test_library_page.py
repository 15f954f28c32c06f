"""The models on this machine in the window: found, followed, sorted, filtered, and what can be done with one."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QListWidget, QMessageBox, QPushButton, QWidget

from app.errors import EngineError, Sentence
from app.paths import paths
from app.settings import LoadSettings
from tests.model_stores import LLAMA, add_to_hugging_face, gguf, write, write_split
from tests.planners import GPU
from ui.dialogs.models.dialog import ModelsDialog
from ui.dialogs.models.library.columns import COLUMNS
from ui.dialogs.models.library.compare_dialog import CompareDialog
from ui.dialogs.models.library.contents_dialog import ContentsDialog
from ui.dialogs.models.library.folders_dialog import FoldersDialog
from ui.dialogs.models.library.page import LibraryPage

LONG_MS = 30_000
pytestmark = pytest.mark.usefixtures("user_home")


@pytest.fixture
def desk(open_desk, monkeypatch):
    """A window without a model."""
    monkeypatch.setattr("ui.parts.starter_model", lambda: None)
    return open_desk(model=None, load=False)


@pytest.fixture
def own():
    """The application's folder for models."""
    paths().models.mkdir(parents=True, exist_ok=True)
    return paths().models


def open_page(desk, wait=True) -> LibraryPage:
    desk.parts.models_window.show_page("library_page")
    page = desk.window.findChild(LibraryPage)
    if wait:
        wait_until_listed(desk)
    return page


def wait_until_listed(desk):
    disk = desk.parts.disk
    desk.qtbot.waitUntil(lambda: disk.is_listed and not disk.is_scanning, timeout=LONG_MS)


def wait_until_placed(desk):
    disk = desk.parts.disk
    desk.qtbot.waitUntil(lambda: disk.is_listed and len(disk.placings) == len(disk.models), timeout=LONG_MS)


def names(page) -> list[str]:
    return [page.shown.model_at(row).name for row in range(page.shown.rowCount())]


def cell(page, name: str, key: str) -> str:
    column = [column.key for column in COLUMNS].index(key)
    row = names(page).index(name)
    return page.shown.index(row, column).data()


def choose(page, *chosen: str):
    page.table.choose(model.path for model in page._keeper.models.values() if model.name in chosen)


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
    assert shown == {"size": "93.8 MiB", "parameters": "135 M", "bits": "5.74", "context": "8,192", "kv": "22.5 KiB",
                     "kind": "chat"}  # fmt: skip
    assert [cell(page, starter.stem, key) for key in ("quantisation", "architecture", "licence", "source")] == [
        "Q4_1", "llama", "apache-2.0", "starter model"
    ]  # fmt: skip
    assert (cell(page, "hub", "source"), cell(page, "mmproj", "kind")) == ("Hugging Face", "projector")
    assert [cell(page, name, "fits") for name in ("half", "broken", "mmproj")] == ["incomplete", "damaged", "n/a"]
    choose(page, "half")
    assert "half-00002-of-00002.gguf is missing" in page.details.text()
    desk.qtbot.waitUntil(lambda: page.summary.text().startswith("7 models, "))


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


# -- where they go ----------------------------------------------------------------------------------------------------


def test_places_follow_the_settings_kept_for_a_model(desk, starter):
    page = open_page(desk)
    wait_until_placed(desk)
    assert (cell(page, starter.stem, "fits"), cell(page, starter.stem, "largest")) == ("CPU", "8,192")
    choose(page, starter.stem)
    assert "Largest context that fits: 8,192 tokens." in page.details.text()
    settings = desk.parts.settings
    settings.set(settings.value.with_load_settings(starter, LoadSettings(n_ctx=100_000_000)))
    desk.qtbot.waitUntil(lambda: cell(page, starter.stem, "fits") == "no", timeout=LONG_MS)
    settings.set(settings.value.with_load_settings(starter, LoadSettings(n_ctx=256)))
    desk.qtbot.waitUntil(lambda: cell(page, starter.stem, "fits") == "CPU", timeout=LONG_MS)


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
    column = [column.key for column in COLUMNS].index("parameters")
    page.table.sortByColumn(column, Qt.SortOrder.AscendingOrder)
    assert names(page) == ["a", starter.stem, "b"]
    page.table.sortByColumn(column, Qt.SortOrder.DescendingOrder)
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
    desk.qtbot.waitUntil(lambda: page.empty.sentence.startswith("Nothing matches"))
    desk.qtbot.mouseClick(page.findChild(QPushButton, "library_clear"), Qt.MouseButton.LeftButton)
    assert len(names(page)) == 4
    page.bar.place.setCurrentIndex(page.bar.place.findData("cpu"))
    assert "broken" not in names(page)


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


# -- what can be done -------------------------------------------------------------------------------------------------


def test_enter_loads_the_chosen_model_and_closes(desk, own, starter):
    page = open_page(desk)
    choose(page, starter.stem)
    dialog = desk.window.findChild(ModelsDialog)
    desk.qtbot.keyClick(page.table, Qt.Key.Key_Return)
    assert not dialog.isVisible()
    desk.qtbot.waitUntil(lambda: desk.parts.models.model is not None)
    assert desk.engine.load_configs[-1].path == starter


def test_what_cannot_be_loaded_is_not_offered_and_says_why(desk, own, starter):
    write(own / "broken.gguf", b"GGUF")
    write(own / "mmproj.gguf", gguf({"general.architecture": "clip"}))
    page = open_page(desk)
    for name, words in (("broken", "damaged"), ("mmproj", "Only models that chat")):
        choose(page, name)
        assert not page.actions_["load"].isEnabled()
        assert words in page.findChild(QPushButton, "library_load_button").toolTip()
    choose(page, starter.stem)
    assert page.actions_["load"].isEnabled()
    choose(page, starter.stem, "mmproj")
    assert [page.actions_[name].isEnabled() for name in ("load", "compare", "remove")] == [False, True, False]


def test_every_action_is_in_the_menu_and_named(desk, own, starter):
    page = open_page(desk)
    choose(page, starter.stem)
    menu = page.actions_.menu()
    texts = [action.text().replace("&", "") for action in menu.actions() if action.text()]
    assert texts == ["Load", "Load with settings…", "Look inside…", "Compare…", "Verify", "Show in folder",
                     "Copy the path", "Remove…"]  # fmt: skip
    assert all(button.accessibleName() for button in page.findChildren(QPushButton) if button.isVisible())
    page.actions_["copy_path"].trigger()
    assert QGuiApplication.clipboard().text() == str(starter)


def test_looking_inside_shows_every_key_the_template_and_the_tensors(desk, starter):
    page = open_page(desk)
    choose(page, starter.stem)
    page.actions_["show"].trigger()
    dialog = page.findChild(ContentsDialog)
    desk.qtbot.waitUntil(lambda: dialog.tabs.isEnabled(), timeout=LONG_MS)
    keys = dict(dialog.keys.texts())
    assert (keys["llama.context_length"], keys["tokenizer.ggml.tokens"]) == ("8192", "49,152 texts")
    assert dialog.template.text.toPlainText().startswith("{% for message in messages %}")
    assert len(dialog.tensors.texts()) == 272
    assert dialog.tensors.texts()[0][0] == "token_embd.weight"
    dialog.keys.set_filter("ggml.tokens")
    dialog.keys.selectRow(0)
    whole = dialog.findChild(QPushButton, "contents_value_whole")
    assert whole.isVisibleTo(dialog)
    desk.qtbot.mouseClick(whole, Qt.MouseButton.LeftButton)
    desk.qtbot.waitUntil(lambda: "49,152 values" in dialog.value.label.text(), timeout=LONG_MS)
    assert "more characters" in dialog.value.text.toPlainText()
    dialog.value.copy_all()
    assert len(QGuiApplication.clipboard().text().split("\n")) == 49_152
    dialog.close()


def test_what_a_file_says_is_never_markup(desk, own, tmp_path):
    evil = f'<img src="{tmp_path}/x.png"><b>bold</b>\x1b[31m\u202e'
    write(own / "evil.gguf", gguf({**LLAMA, "general.name": evil, "general.license": evil}))
    page = open_page(desk)
    choose(page, "evil")
    page.actions_["show"].trigger()
    dialog = page.findChild(ContentsDialog)
    desk.qtbot.waitUntil(lambda: dialog.tabs.isEnabled(), timeout=LONG_MS)
    shown = dict(dialog.keys.texts())["general.name"]
    assert shown.startswith("<img src=")
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    column = [column.key for column in COLUMNS].index("licence")
    tooltip = page.shown.index(names(page).index("evil"), column).data(Qt.ItemDataRole.ToolTipRole)
    assert "<img" not in tooltip
    dialog.close()


def test_verifying_reads_all_and_says_what_is_known(desk, own, user_home):
    snapshot = add_to_hugging_face(user_home / ".cache/huggingface/hub", "org/name", {"hub.gguf": gguf()})
    page = open_page(desk)
    choose(page, "hub")
    page.actions_["verify"].trigger()
    desk.qtbot.waitUntil(lambda: bool(page.notice.sentence), timeout=LONG_MS)
    assert page.notice.sentence == "hub is whole: its SHA-256 is the one Hugging Face knows it by."
    data = bytearray((snapshot / "hub.gguf").read_bytes())
    data[-1] ^= 1
    (snapshot / "hub.gguf").write_bytes(data)
    page.actions_["verify"].trigger()
    desk.qtbot.waitUntil(lambda: "damaged" in page.notice.sentence, timeout=LONG_MS)
    assert page.notice.property("role") == "error"


def test_verifying_can_be_cancelled_and_ends_with_the_window(desk, starter, monkeypatch):
    held = threading.Event()
    reads = []

    def verify(_model, cancelled, progress, _digests):
        reads.append(cancelled)
        progress(1, 2)
        held.wait(10)
        return None if cancelled.is_set() else ()

    monkeypatch.setattr("app.hub.verify.verify", verify)
    page = open_page(desk)
    choose(page, starter.stem)
    page.actions_["verify"].trigger()
    assert page.verification.isVisible()
    assert not page.actions_["verify"].isEnabled()
    desk.qtbot.waitUntil(lambda: bool(reads))
    desk.qtbot.mouseClick(page.findChild(QPushButton, "library_verify_cancel"), Qt.MouseButton.LeftButton)
    assert reads[0].is_set()
    assert not page.verification.isVisible()
    assert page.notice.sentence == ""
    page.actions_["verify"].trigger()
    held.set()
    desk.window.close()
    assert desk.parts.has_ended


def test_removing_asks_says_what_it_frees_and_moves_to_the_trash(desk, own, monkeypatch):
    parts = write_split(own, "two")
    write(own / "a.gguf", gguf())
    trashed = []

    def trash(path):
        trashed.append(path)
        Path(path).unlink()

    monkeypatch.setattr("send2trash.send2trash", trash)
    page = open_page(desk)
    choose(page, "two")
    page.actions_["remove"].trigger()
    desk.qtbot.waitUntil(lambda: page.findChild(QMessageBox) is not None, timeout=LONG_MS)
    box = page.findChild(QMessageBox)
    assert "two" in box.text()
    assert parts[1].name in box.informativeText()
    assert "once the trash is emptied" in box.informativeText()
    assert box.defaultButton().text() != "Move to the trash"
    assert trashed == []
    box.button(QMessageBox.StandardButton.Ok).click()
    desk.qtbot.waitUntil(lambda: "two" not in names(page), timeout=LONG_MS)
    assert trashed == parts
    assert page.notice.sentence.startswith("two is in the trash. This frees ")
    assert "put back" in page.notice.sentence


def test_what_is_loaded_or_not_ours_is_not_removed(desk, own, starter, tmp_path):
    path = write(own / "a.gguf", gguf())
    link = tmp_path / "link.gguf"
    link.symlink_to(path)
    desk.parts.models.load(link)
    desk.qtbot.waitUntil(lambda: desk.parts.models.model is not None)
    page = open_page(desk)
    choose(page, "a")
    page.actions_["remove"].trigger()
    assert page.notice.sentence == "a is loaded now: unload it or load another model, then remove it."
    choose(page, starter.stem)
    page.actions_["remove"].trigger()
    desk.qtbot.waitUntil(lambda: "pip uninstall" in page.notice.sentence, timeout=LONG_MS)
    assert page.findChild(QMessageBox) is None
    assert path.exists()


def test_comparing_shows_what_differs_and_what_each_takes(desk, own, starter):
    write(own / "a.gguf", gguf())
    page = open_page(desk)
    wait_until_placed(desk)
    choose(page, "a", starter.stem)
    page.actions_["compare"].trigger()
    dialog = page.findChild(CompareDialog)

    def rows():
        return {texts[0]: texts[1:] for texts in dialog.table.texts()}

    desk.qtbot.waitUntil(lambda: "llama.block_count" in rows() and rows()["All"][1] != "…", timeout=LONG_MS)
    assert rows()["Parameters"] == ["6.34 K", "135 M"]
    assert rows()["llama.block_count"] == ["1", "30"]
    assert "general.architecture" not in rows()
    assert rows()["KV cache"][0] == "45.0 MiB"  # the scripted planner's: 2,048 tokens of 23,040 bytes
    dialog.n_ctx.setValue(4096)
    desk.qtbot.waitUntil(lambda: rows()["KV cache"][0] == "90.0 MiB", timeout=LONG_MS)
    assert rows()["Kind"] == ["chat", "chat"]
    dialog.differing.setChecked(True)
    assert "Kind" not in rows()
    dialog.table.copy_values()
    assert QGuiApplication.clipboard().text().split("\n")[0] == f"\ta\t{starter.stem}"
    dialog.close()


def test_folders_are_added_and_taken_out(desk, own, tmp_path):
    write(tmp_path / "mine/deep/m.gguf", gguf())
    page = open_page(desk)
    page.edit_folders()
    dialog = page.findChild(FoldersDialog)
    found = dialog.findChild(QListWidget, "folders_found")
    texts = [found.item(row).text() for row in range(found.count())]
    assert any(text.startswith("starter model · ") for text in texts)
    assert f"Tokometer's own · {paths().models}" in texts
    dialog.add(str(tmp_path / "mine"))
    assert desk.parts.settings.value.model_folders == (str(tmp_path / "mine"),)
    desk.qtbot.waitUntil(lambda: "m" in names(page), timeout=LONG_MS)
    dialog.added.item(0).setSelected(True)
    desk.qtbot.mouseClick(dialog.findChild(QPushButton, "folders_remove"), Qt.MouseButton.LeftButton)
    desk.qtbot.waitUntil(lambda: "m" not in names(page), timeout=LONG_MS)
    assert desk.parts.settings.value.model_folders == ()
    dialog.close()


def test_a_folder_that_is_gone_is_said_and_looked_for_again(desk, own, tmp_path):
    settings = desk.parts.settings
    settings.set(replace(settings.value, model_folders=(str(tmp_path / "unplugged"),)))
    page = open_page(desk)
    desk.qtbot.waitUntil(lambda: desk.parts.disk.watcher.unwatched != set(), timeout=LONG_MS)
    desk.qtbot.waitUntil(lambda: page.summary.text().endswith("1 left out"))
    assert "unplugged" in page.summary.toolTip()
    write(tmp_path / "unplugged/m.gguf", gguf())
    desk.parts.disk.watcher._poll.setInterval(10)
    desk.qtbot.waitUntil(lambda: "m" in names(page), timeout=LONG_MS)


def test_a_file_is_revealed_without_a_shell(desk, own, monkeypatch):
    path = write(own / "$(touch x); name.gguf", gguf())
    started, opened = [], []
    monkeypatch.setattr("ui.reveal.QProcess.startDetached", lambda *command: started.append(command) or (True, 1))
    monkeypatch.setattr("ui.reveal.QDesktopServices.openUrl", lambda url: opened.append(url.toLocalFile()) or True)
    monkeypatch.setattr("ui.reveal._by_message", lambda _path: False)
    page = open_page(desk)
    choose(page, path.stem)
    page.actions_["reveal"].trigger()
    assert opened == [str(own)]
    monkeypatch.setattr("ui.reveal.sys.platform", "darwin")
    page.actions_["reveal"].trigger()
    assert started[-1] == ("open", ["-R", str(path)])
    monkeypatch.setattr("ui.reveal.sys.platform", "win32")
    page.actions_["reveal"].trigger()
    assert started[-1][0] == "explorer.exe"
    assert started[-1][1][0] == "/select,"


@pytest.mark.parametrize("size", [(760, 480), (1000, 700), (1600, 1000)])
def test_it_works_at_every_size(desk, own, size):
    write(own / "a.gguf", gguf())
    page = open_page(desk)
    dialog = desk.window.findChild(ModelsDialog)
    dialog.resize(*size)
    desk.qtbot.waitUntil(lambda: dialog.width() >= size[0])
    QApplication.processEvents()
    assert dialog.width() == size[0]
    for button in page.findChildren(QPushButton):
        if button.isVisible():
            inside = page.rect().contains(button.mapTo(page, QPoint(button.width() - 1, button.height() - 1)))
            assert inside, button.objectName()
    assert page.findChild(QWidget, "library_table").height() > 100
