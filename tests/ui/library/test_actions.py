"""What can be done with the models on this machine."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel, QListWidget, QMessageBox, QPushButton, QWidget

from app.paths import paths
from tests.library_pages import (
    LONG_MS,
    choose,
    column,
    names,
    open_page,
    wait_until_placed,
)
from tests.model_stores import LLAMA, gguf, write, write_split
from ui.dialogs.models.dialog import ModelsDialog
from ui.dialogs.models.library.compare_dialog import CompareDialog
from ui.dialogs.models.library.contents_dialog import ContentsDialog
from ui.dialogs.models.library.folders_dialog import FoldersDialog
from ui.theme import DARK, LIGHT

# -- what can be done -------------------------------------------------------------------------------------------------


def test_enter_loads_the_chosen_model_and_closes(desk, own, starter):
    page = open_page(desk)
    choose(page, starter.stem)
    dialog = desk.window.findChild(ModelsDialog)
    desk.qtbot.keyClick(page.table, Qt.Key.Key_Return)
    assert not dialog.isVisible()
    desk.qtbot.waitUntil(lambda: desk.parts.models.model is not None)
    assert desk.engine.load_configs[-1].path == starter


def test_the_loaded_model_stands_out(desk, starter):
    page = open_page(desk)
    index = page.shown.index(names(page).index(starter.stem), column("name"))
    assert index.data(Qt.ItemDataRole.FontRole) is None
    desk.parts.models.load(starter)
    desk.qtbot.waitUntil(lambda: desk.parts.models.model is not None)
    assert index.data(Qt.ItemDataRole.FontRole).bold()
    assert "It is loaded." in index.data(Qt.ItemDataRole.ToolTipRole)
    choose(page, starter.stem)
    assert not page.actions_["load"].isEnabled()


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
    tooltip = page.shown.index(names(page).index("evil"), column("licence")).data(Qt.ItemDataRole.ToolTipRole)
    assert "<img" not in tooltip
    dialog.close()


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


@pytest.mark.parametrize("name", ["a", "a-model-of-quite-usual-length-Q4_K_M", "a-very-long-name" * 9])
def test_what_removing_frees_is_read_in_two_lines_whatever_the_name(desk, own, name):
    write(own / f"{name}.gguf", gguf())
    page = open_page(desk)
    choose(page, name)
    page.actions_["remove"].trigger()
    desk.qtbot.waitUntil(lambda: page.findChild(QMessageBox) is not None, timeout=LONG_MS)
    box = page.findChild(QMessageBox)
    label = box.findChild(QLabel, "qt_msgbox_informativelabel")
    desk.qtbot.waitUntil(label.isVisible)
    metrics, freed = label.fontMetrics(), box.informativeText().split("\n")[-1]
    lines = metrics.boundingRect(label.contentsRect(), Qt.TextFlag.TextWordWrap, freed).height() / metrics.lineSpacing()
    assert round(lines) <= 2
    assert label.width() <= 82 * metrics.averageCharWidth()
    box.reject()


def test_the_window_may_be_closed_before_anything_asked_for_is_there(desk, own, starter, monkeypatch):
    write(own / "a.gguf", gguf())
    write(own / "b.gguf", gguf())
    trashed = []
    monkeypatch.setattr("send2trash.send2trash", lambda path: trashed.append(path) or Path(path).unlink())
    page = open_page(desk)
    choose(page, "a")
    page.actions_["remove"].trigger()
    desk.qtbot.waitUntil(lambda: page.findChild(QMessageBox) is not None, timeout=LONG_MS)
    held = threading.Event()
    desk.parts.disk.files.post(lambda: held.wait(10))
    page.findChild(QMessageBox).button(QMessageBox.StandardButton.Ok).click()
    choose(page, "a", "b")
    page.actions_["compare"].trigger()
    choose(page, "b")
    page.actions_["show"].trigger()
    page.actions_["remove"].trigger()
    page.actions_["verify"].trigger()
    desk.window.findChild(ModelsDialog).close()
    desk.qtbot.waitUntil(lambda: desk.window.findChild(ModelsDialog) is None)
    held.set()
    desk.qtbot.waitUntil(lambda: trashed == [own / "a.gguf"], timeout=LONG_MS)
    done = []
    desk.parts.disk.files.run_job(lambda: None, done.append)
    desk.qtbot.waitUntil(lambda: bool(done), timeout=LONG_MS)
    assert (own / "b.gguf").exists()


def test_a_model_is_looked_into_while_another_is_verified(desk, starter, monkeypatch):
    held = threading.Event()
    monkeypatch.setattr("app.hub.verify.verify", lambda *_: held.wait(20) and None)
    page = open_page(desk)
    choose(page, starter.stem)
    page.actions_["verify"].trigger()
    page.actions_["show"].trigger()
    dialog = page.findChild(ContentsDialog)
    desk.qtbot.waitUntil(lambda: dialog.tabs.isEnabled(), timeout=LONG_MS)
    assert page.verification.isVisible()
    held.set()
    dialog.close()


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
    assert rows()["Parameters"] == ["6,336", "135M"]
    assert rows()["llama.block_count"] == ["1", "30"]
    assert "general.architecture" not in rows()
    assert rows()["KV cache"][0] == "45.0 MiB"  # the scripted planner's: 2,048 tokens of 23,040 bytes
    dialog.n_ctx.setValue(4096)
    desk.qtbot.waitUntil(lambda: rows()["KV cache"][0] == "90.0 MiB", timeout=LONG_MS)
    assert rows()["Kind"] == ["chat", "chat"]
    titles = [texts[0] for texts in dialog.table.texts()]
    assert [title for title in titles if titles.count(title) > 1] == []
    assert (rows()["Fits"], "Largest context" in titles) == (["on CPU", "on CPU"], True)
    dialog.differing.setChecked(True)
    assert "Kind" not in rows()
    dialog.table.copy_values()
    assert QGuiApplication.clipboard().text().split("\n")[0] == f"\ta\t{starter.stem}"
    settings = desk.parts.settings
    for scheme, colours in (("dark", DARK), ("light", LIGHT)):
        settings.set(replace(settings.value, theme=scheme))
        assert dialog.table.item(0, 0).foreground().color().name() == colours.muted
    dialog.close()


def test_the_names_of_six_compared_models_are_read_whole(desk, own):
    long = [f"Meta-Llama-3.{number}-8B-Instruct-Q4_K_M" for number in range(5)]
    endless = "x" * 200
    for name in (*long, endless):
        write(own / f"{name}.gguf", gguf())
    page = open_page(desk)
    choose(page, *long, endless)
    page.actions_["compare"].trigger()
    dialog = page.findChild(CompareDialog)
    dialog.resize(1000, 700)
    QApplication.processEvents()
    table, header = dialog.table, dialog.table.horizontalHeader()
    shown = [table.horizontalHeaderItem(column).text() for column in range(1, 7)]
    assert [text.replace("\n", "") for text in shown[:5]] == long
    assert "…" in shown[5]
    metrics = header.fontMetrics()
    for number, text in enumerate(shown, 1):
        lines = text.split("\n")
        assert max(map(metrics.horizontalAdvance, lines)) <= header.sectionSize(number)
        assert header.height() >= len(lines) * metrics.lineSpacing()
    assert all("Q4_K_M" in text for text in shown[:5])  # in one line
    desk.parts.theme.set_zoom(1.5)
    QApplication.processEvents()
    for number in range(1, 6):
        lines = table.horizontalHeaderItem(number).text().split("\n")
        assert "".join(lines) == long[number - 1]
        assert max(map(header.fontMetrics().horizontalAdvance, lines)) <= header.sectionSize(number)
    item = table.horizontalHeaderItem(6)
    assert endless in item.toolTip()
    assert item.data(Qt.ItemDataRole.AccessibleTextRole) == endless
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
    page.edit_folders()
    dialog = page.findChild(FoldersDialog)
    assert not dialog.added.item(0).icon().isNull()
    assert "cannot be read" in dialog.added.item(0).toolTip()
    dialog.close()
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
    downloads = dialog.page("downloads_page")
    dialog.show_page("downloads_page")
    (left, right) = (downloads.mapTo(dialog, downloads.rect().topLeft()).x(), downloads.width())
    dialog.show_page("library_page")
    assert (page.table.mapTo(dialog, QPoint(0, 0)).x(), page.table.width()) == (left, right)
    for button in page.findChildren(QPushButton):
        if button.isVisible():
            inside = page.rect().contains(button.mapTo(page, QPoint(button.width() - 1, button.height() - 1)))
            assert inside, button.objectName()
    assert page.findChild(QWidget, "library_table").height() > 100
