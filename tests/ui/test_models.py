"""Choosing a model: the selector's menu, recent files, unload, what is remembered."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog

from app.settings import LoadSettings
from tests.fakes import ScriptedEngine
from tests.planners import scripted_planners
from ui.arguments import Arguments
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
    assert list(menu) == ["fake.gguf", "Models…", "Open a model file…", "Load settings…", "Memory details…", "Unload"]
    assert menu["fake.gguf"].isChecked()
    assert menu["Unload"].isEnabled()


def test_a_recent_model_is_loaded_from_the_menu(desk, tmp_path):
    other = tmp_path / "other & more.gguf"
    other.touch()
    desk.parts.models.load(other)
    desk.qtbot.waitUntil(lambda: loaded(desk))
    menu_of(desk)["other && more.gguf"].trigger()
    desk.qtbot.waitUntil(lambda: len(desk.engine.load_configs) == 3)
    assert [Path(path).name for path in desk.parts.settings.value.recent_models] == ["other & more.gguf", "fake.gguf"]


def test_unload_frees_the_model_and_keeps_the_conversation(desk):
    desk.ask("Hello")
    menu_of(desk)["Unload"].trigger()
    assert not loaded(desk)
    desk.qtbot.waitUntil(lambda: desk.engine.model is None)
    assert desk.texts() == ["Hello", "Hello world"]
    assert desk.window.model_selector.text() == "No model"
    assert not desk.find("send_button").isEnabled()


def test_unload_while_answering_keeps_the_text(open_desk):
    from tests.fakes import Answer

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
    again.qtbot.waitUntil(lambda: "fake.gguf ended the engine" in again.window.status_line.notice)
    assert again.engine.load_configs == []


def test_the_engine_is_not_started_before_the_first_paint(open_desk):
    from PySide6.QtWidgets import QApplication

    from app.paths import paths
    from ui.parts import compose

    engine = ScriptedEngine()
    window = compose(QApplication.instance(), Arguments(Path("fake.gguf")), paths(), lambda: engine, scripted_planners)
    assert engine.load_configs == []
    assert window.findChild(Parts).models.loading_fraction is None
    window.close()
    window.deleteLater()
