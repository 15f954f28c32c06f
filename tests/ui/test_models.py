"""Choosing a model: the selector's menu, recent files, unload, what is remembered."""

import time
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QCheckBox, QDialogButtonBox, QFileDialog, QWidget

from app.engine.events import GenerationFinished, PromptTokenised
from app.hub.library import LibraryModel
from app.hub.sources import Root
from app.paths import paths
from app.settings import AnswerSettings, LoadSettings
from tests.fakes import Answer, ScriptedEngine, fake_model
from tests.model_stores import gguf, write
from tests.planners import scripted_planners
from tests.ui.conftest import MODEL
from ui.arguments import Arguments
from ui.dialogs.preferences import PreferencesDialog
from ui.model_controller import safer_config
from ui.parts import Parts


def menu_of(desk) -> dict:
    desk.window.model_selector._fill()
    return {action.text(): action for action in desk.window.model_selector.menu().actions() if action.text()}


def loaded(desk) -> bool:
    return desk.parts.models.model is not None


def test_the_selector_shows_the_model_and_offers_what_can_be_done(desk):
    assert desk.window.model_selector.text() == "Fake 135M  Q4_1"
    menu = menu_of(desk)
    assert list(menu) == ["fake", "Models…", "Open a model file…", "Load settings…", "Memory details…", "Unload"]
    assert menu["fake"].isChecked()
    assert menu["Unload"].isEnabled()


def test_a_recent_model_is_loaded_from_the_menu(desk, tmp_path):
    for name in ("other & more.gguf", "third.gguf"):
        path = tmp_path / name
        path.touch()
        desk.parts.models.load(path)
        desk.qtbot.waitUntil(lambda: loaded(desk))
    menu_of(desk)["other && more"].trigger()
    desk.qtbot.waitUntil(lambda: len(desk.engine.load_configs) == 4 and loaded(desk))
    recent = [Path(path).name for path in desk.parts.settings.value.recent_models]
    assert recent == ["other & more.gguf", "third.gguf", "fake.gguf"]


def test_the_present_model_chosen_again_stays_as_it_is(desk):
    menu_of(desk)["fake"].trigger()
    assert loaded(desk)
    assert len(desk.engine.load_configs) == 1
    assert menu_of(desk)["fake"].isChecked()


def another(desk, tmp_path, name="Fake 135M", file="other.gguf"):
    """Make the engine load a model of another file from the selector's menu."""
    path = tmp_path / file
    path.touch()
    settings = desk.parts.settings
    settings.set(replace(settings.value, recent_models=(*settings.value.recent_models, str(path))))
    model = fake_model(path)
    desk.engine._next_model = replace(model, info=replace(model.info, name=name))
    menu_of(desk)[Path(file).stem].trigger()
    desk.qtbot.waitUntil(lambda: loaded(desk))
    return path


def test_one_click_exchanges_the_model_and_every_answer_says_who_wrote_it(desk, tmp_path):
    desk.ask("Hello")
    path = another(desk, tmp_path, "Other 1B")
    assert desk.engine.load_configs[-1].path == path
    assert desk.texts() == ["Hello", "Hello world"]
    desk.ask("Again")
    desk.ask("And again")
    assert [item.author for item in desk.items()] == [
        "You", "Fake 135M", "You", "Other 1B", "You", "Other 1B",
    ]  # fmt: skip
    assert [message.content for message in desk.engine.requests[-1].messages] == [
        "Hello", "Hello world", "Again", "Hello world", "And again",
    ]  # fmt: skip


def test_two_files_of_the_same_name_are_told_apart_and_after_a_restart_too(desk, open_desk, tmp_path):
    desk.ask("Hello")
    another(desk, tmp_path)
    desk.ask("Again")
    assert desk.items()[-1].author == "Fake 135M · other.gguf"
    desk.window.close()
    again = open_desk()
    (row,) = again.stored(lambda store: store.conversations())
    again.parts.library.open(row.id)
    again.qtbot.waitUntil(lambda: len(again.items()) == 4)
    assert [item.author for item in again.items()[1::2]] == ["Fake 135M", "Fake 135M · other.gguf"]


def test_while_the_first_answer_of_a_namesake_streams_its_file_is_said(open_desk, tmp_path):
    desk = open_desk(ScriptedEngine(Answer(), Answer(pieces=("word ",) * 500, delay_s=0.01)))
    desk.ask("Hello")
    another(desk, tmp_path)
    desk.type_and_send("Go")
    desk.qtbot.waitUntil(lambda: "word" in desk.items()[-1].text)
    assert desk.items()[-1].author == "Fake 135M · other.gguf"
    desk.click("stop_button")
    desk.wait_until_idle()


def test_a_switch_in_the_middle_of_an_answer_keeps_its_text_and_goes_on_with_the_other_model(open_desk, tmp_path):
    desk = open_desk(ScriptedEngine(Answer(pieces=("word ",) * 500, delay_s=0.01), Answer()))
    desk.type_and_send("Go")
    desk.qtbot.waitUntil(lambda: "word" in desk.items()[-1].text)
    another(desk, tmp_path, "Other 1B")
    desk.wait_until_idle()
    assert desk.items()[-1].text.startswith("word ")
    desk.ask("Again")
    assert [item.author for item in desk.items()[1::2]] == ["Fake 135M", "Other 1B"]
    assert desk.items()[-1].text == "Hello world"


def test_after_a_switch_the_note_says_why_the_prefix_is_read_anew(desk, tmp_path):
    desk.ask("Hello")
    another(desk, tmp_path, "Other 1B")
    now = time.perf_counter_ns()
    said = PromptTokenised(now, now, 30, 0, "The cache was empty.")
    desk.engine.answers.clear()
    desk.engine.answers.append(Answer(events=(said, GenerationFinished("stop", now, 30, ""))))
    desk.ask("Again")
    note = desk.parts.chat.session.turns[desk.items()[-1].id].stats.cache_miss
    assert note == ("Other 1B reads this conversation anew: the KV cache of Fake 135M is of no use to another model.")
    assert note in desk.items()[-1].footer_tooltip


def test_a_model_dropped_while_another_loads_takes_its_place(open_desk, tmp_path):
    engine = ScriptedEngine()
    engine.load_delay_s = 60
    desk = open_desk(engine, load=False)
    desk.qtbot.waitUntil(lambda: len(engine.load_configs) == 1)
    engine.load_delay_s = 0
    path = tmp_path / "other.gguf"
    path.touch()
    desk.window.model_dropped.emit(str(path))
    desk.qtbot.waitUntil(lambda: loaded(desk))
    assert engine.load_configs[-1].path == path


class Disk(QObject):
    """A library that finds what a test puts on the disk."""

    changed = Signal(object, object)

    def __init__(self, parent):
        super().__init__(parent)
        self.models = {}
        self.is_scanning = False
        self.scans = 0

    def refresh(self):
        self.scans += 1
        self.is_scanning = True

    def find(self, *models):
        self.is_scanning = False
        self.models |= {model.path: model for model in models}
        self.changed.emit(models, ())


def on_disk(path, **facts) -> LibraryModel:
    path.touch()
    return LibraryModel(path=path, name=path.stem, root=Root(path.parent, "folder"), parts=(path,),
                        **{"kind": "chat", **facts})  # fmt: skip


def test_the_models_of_this_machine_are_one_click_away(desk, tmp_path):
    disk = Disk(desk.window)
    selector = desk.window.model_selector
    selector.watch(disk)  # in the place of the real one
    assert "On this machine" not in menu_of(desk)
    assert disk.scans == 1
    disk.find(  # while the menu is open
        on_disk(tmp_path / "b & c.gguf"),
        on_disk(tmp_path / "A.gguf"),
        on_disk(tmp_path / "embeds.gguf", kind="embedding"),
        on_disk(tmp_path / "damaged.gguf", problem="It is cut off."),
    )
    texts = [action.text() for action in selector.menu().actions() if action.text()]
    assert texts[:5] == ["fake", "On this machine", "A", "b && c", "Models…"]
    menu = menu_of(desk)
    assert disk.scans == 2
    menu_of(desk)
    assert disk.scans == 2  # one is under way
    menu = menu_of(desk)
    assert not menu["A"].isChecked()
    menu["b && c"].trigger()
    desk.qtbot.waitUntil(lambda: desk.engine.load_configs[-1].path == tmp_path / "b & c.gguf" and loaded(desk))
    texts = [action.text() for action in menu_of(desk).values()]
    assert texts[:4] == ["b && c", "fake", "On this machine", "A"]  # now among the recent ones
    assert menu_of(desk)["b && c"].isChecked()


def test_a_long_library_does_not_fill_the_screen(desk, tmp_path):
    disk = Disk(desk.window)
    desk.window.model_selector.watch(disk)
    disk.find(*(on_disk(tmp_path / f"model {number:03}.gguf") for number in range(40)))
    assert sum(text.startswith("model ") for text in menu_of(desk)) == 12
    disk.find(on_disk(tmp_path / f"a {'long ' * 40}name.gguf"))
    (long,) = (text for text in menu_of(desk) if text.startswith("a long"))
    assert long.endswith("name")
    assert len(long) < 80


def test_the_real_library_is_listed_once_the_menu_was_opened(desk, user_home):
    path = write(paths().models / "maker" / "chat.gguf", gguf())
    menu_of(desk)
    menu = desk.window.model_selector.menu()
    desk.qtbot.waitUntil(lambda: "chat" in [action.text() for action in menu.actions()], timeout=60_000)
    menu_of(desk)["chat"].trigger()
    desk.qtbot.waitUntil(lambda: desk.engine.load_configs[-1].path == path and loaded(desk))


def preferences(desk) -> PreferencesDialog:
    desk.parts.dialogs.edit_preferences()
    return desk.window.findChild(PreferencesDialog)


def test_how_a_model_answers_is_remembered_for_it_alone(desk, tmp_path):
    dialog = preferences(desk)
    box = dialog.findChild(QCheckBox, "for_this_model")
    assert box.text() == "only for Fake 135M"
    assert not box.isChecked()
    box.setChecked(True)
    dialog.findChild(QWidget, "temperature").setValue(0.1)
    dialog.findChild(QWidget, "max_tokens").setValue(77)
    settings = desk.parts.settings.value
    assert (settings.sampling.temperature, settings.max_tokens) == (0.8, None)
    desk.ask("Hello")
    request = desk.engine.requests[-1]
    assert (request.sampling.temperature, request.max_tokens) == (0.1, 77)
    assert '"temperature": 0.1' in desk.parts.models.settings_json()
    another(desk, tmp_path)
    assert not box.isChecked()
    assert dialog.findChild(QWidget, "temperature").value() == 0.8
    dialog.findChild(QWidget, "temperature").setValue(1.5)
    desk.ask("Again")
    assert (desk.engine.requests[-1].sampling.temperature, desk.engine.requests[-1].max_tokens) == (1.5, None)
    desk.engine._next_model = fake_model(MODEL)
    desk.window.model_selector.chosen.emit(str(MODEL))  # its file is not there, so the menu does not offer it
    desk.qtbot.waitUntil(lambda: loaded(desk))
    assert box.isChecked()
    assert dialog.findChild(QWidget, "temperature").value() == 0.1
    box.setChecked(False)
    assert dialog.findChild(QWidget, "temperature").value() == 1.5
    assert desk.parts.settings.value.answers == {}
    dialog.close()


def test_the_defaults_come_back_where_the_box_says(desk):
    dialog = preferences(desk)
    dialog.findChild(QWidget, "top_k").setValue(3)
    dialog.findChild(QCheckBox, "for_this_model").setChecked(True)
    assert dialog.findChild(QWidget, "top_k").value() == 3  # it begins as it was
    dialog.findChild(QDialogButtonBox).button(QDialogButtonBox.StandardButton.RestoreDefaults).click()
    settings = desk.parts.settings.value
    assert settings.sampling.top_k == 3
    assert settings.answer_settings(MODEL) == AnswerSettings()
    dialog.close()


def test_the_preferences_fit_the_screen_or_scroll(desk):
    dialog = preferences(desk)
    dialog.findChild(QWidget, "language").setFocus()
    page = dialog._area.widget()
    room = dialog.screen().availableGeometry().height()
    assert dialog.height() <= room
    assert dialog._area.verticalScrollBar().maximum() == max(0, page.height() - dialog._area.viewport().height())
    assert page.width() == dialog._area.viewport().width()  # nothing is cut off at the right
    dialog.close()


def test_without_a_model_there_is_none_to_choose_for(open_desk, monkeypatch):
    monkeypatch.setattr("ui.parts.starter_model", lambda: None)
    desk = open_desk(model=None, load=False)
    dialog = preferences(desk)
    assert not dialog.findChild(QCheckBox, "for_this_model").isEnabled()
    dialog.findChild(QWidget, "top_k").setValue(3)
    assert desk.parts.settings.value.sampling.top_k == 3
    dialog.close()


def test_unload_frees_the_model_and_keeps_the_conversation(desk):
    desk.ask("Hello")
    menu_of(desk)["Unload"].trigger()
    assert not loaded(desk)
    desk.qtbot.waitUntil(lambda: desk.engine.model is None)
    assert desk.texts() == ["Hello", "Hello world"]
    assert desk.window.model_selector.text() == "No model"
    assert not desk.find("send_button").isEnabled()


def test_unload_while_answering_keeps_the_text(open_desk):
    desk = open_desk(ScriptedEngine(Answer(pieces=("word ",) * 500, delay_s=0.01)))
    desk.type_and_send("Go")
    desk.qtbot.waitUntil(lambda: "word" in desk.items()[-1].text)
    desk.parts.models.unload()
    desk.wait_until_idle()
    assert desk.items()[-1].text.startswith("word ")
    assert not loaded(desk)


def test_open_loads_the_chosen_file(desk, tmp_path, monkeypatch):
    path = tmp_path / "chosen.gguf"
    path.touch()
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))
    desk.window.menu_actions["open_model"].trigger()
    desk.qtbot.waitUntil(lambda: desk.engine.load_configs[-1].path == path)


def test_a_cancelled_file_dialog_changes_nothing(desk, monkeypatch):
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: ("", ""))
    desk.window.menu_actions["open_model"].trigger()
    assert len(desk.engine.load_configs) == 1
    assert loaded(desk)


def test_a_load_can_be_cancelled_from_the_menu(open_desk):
    engine = ScriptedEngine()
    engine.load_delay_s = 60
    desk = open_desk(engine, load=False)
    desk.qtbot.waitUntil(lambda: desk.parts.models.loading_fraction is not None)
    menu_of(desk)["Cancel loading"].trigger()
    desk.qtbot.waitUntil(lambda: desk.parts.models.loading_fraction is None)
    assert not loaded(desk)


def test_options_of_the_command_line_win_over_kept_settings(open_desk):
    arguments = Arguments.parse(["tokometer", "-m", "x.gguf", "-c", "1024", "-ngl", "3", "--in-process"])
    assert arguments == Arguments(Path("x.gguf").absolute(), {"n_ctx": 1024, "n_gpu_layers": 3}, in_process=True)
    assert Arguments.parse(["tokometer"]) == Arguments()


@pytest.mark.parametrize("text", ["--bad", "-c zero"])
def test_a_bad_command_line_exits_with_2(text, capsys):
    with pytest.raises(SystemExit) as exit_:
        Arguments.parse(["tokometer", *text.split()])
    assert exit_.value.code == 2


def test_settings_kept_for_a_model_are_used_at_the_next_load(desk, tmp_path):
    path = tmp_path / "kept.gguf"
    path.touch()
    settings = desk.parts.settings
    settings.set(settings.value.with_load_settings(path, LoadSettings(n_ctx=777, type_k="q8_0")))
    desk.parts.models.load(path)
    desk.qtbot.waitUntil(lambda: desk.engine.load_configs[-1].path == path)
    config = desk.engine.load_configs[-1]
    assert (config.n_ctx, config.type_k, config.type_v) == (777, "q8_0", "f16")


def test_safer_settings_end_somewhere(desk):
    config = desk.parts.models.config
    seen = [config]
    while safer_config(seen[-1]) != seen[-1]:
        seen.append(safer_config(seen[-1]))
    assert len(seen) == 3
    assert seen[-1].n_gpu_layers == 0


def test_a_deadly_model_is_named_at_the_next_start(open_desk, monkeypatch, tmp_path):
    monkeypatch.setattr("ui.parts.starter_model", lambda: None)
    desk = open_desk()
    path = desk.parts.models.config.path
    desk.parts.settings.set(desk.parts.settings.value.with_unsafe_model(path))
    desk.window.close()
    again = open_desk(model=None, load=False)
    again.qtbot.waitUntil(lambda: "fake.gguf ended the engine" in again.window.notice_bar.sentence)
    assert again.engine.load_configs == []
    again.click("notice_bar_button")
    again.qtbot.waitUntil(lambda: again.parts.models.model is not None)
    assert again.parts.models.config.path == path
    assert again.window.notice_bar.sentence == ""


def test_the_engine_is_not_started_before_the_first_paint(open_desk):
    from PySide6.QtWidgets import QApplication

    from ui.parts import compose

    engine = ScriptedEngine()
    window = compose(QApplication.instance(), Arguments(Path("fake.gguf")), paths(), lambda: engine, scripted_planners)
    assert engine.load_configs == []
    assert window.findChild(Parts).models.loading_fraction is None
    window.close()
    window.deleteLater()
