"""The engine dies: what came is kept, one sentence says what happened, one click loads again."""

from dataclasses import replace
from pathlib import Path

from app.engine.events import LoadFailed
from tests.fakes import Answer, ScriptedEngine
from ui.chat.transcript import Kind, State

DEATH = "The engine's process ended while it answered (SIGSEGV)."
CRASH = Answer(pieces=("Half an ", "answer"), finish_reason="crashed", error=DEATH)


def crashed_desk(open_desk, *more):
    desk = open_desk(ScriptedEngine(CRASH, *(more or (Answer(),))))
    desk.ask("Hello")
    return desk


def reload_model(desk):
    desk.window.transcript.action_triggered.emit(desk.items()[-1].id, "reload_model")
    desk.qtbot.waitUntil(lambda: desk.parts.models.model is not None)


def test_the_text_so_far_is_kept_and_the_sentence_stands_apart(open_desk):
    desk = crashed_desk(open_desk)
    item = desk.items()[-1]
    assert item.text == "Half an answer"
    assert item.error == DEATH
    assert item.actions[0].id == "reload_model"
    conversation = desk.stored(lambda store: store.conversation(desk.parts.chat.session.id))
    assert (conversation.messages[-1].content, conversation.messages[-1].state) == ("Half an answer", "interrupted")
    (turn,) = desk.stored(lambda store: store.turns(conversation.id))
    assert (turn.stats.finish_reason, turn.stats.error) == ("crashed", DEATH)


def test_without_a_model_nothing_more_is_sent(open_desk):
    desk = crashed_desk(open_desk)
    assert desk.parts.models.model is None
    desk.type_and_send("Are you there?")
    assert len(desk.engine.requests) == 1


def test_one_click_loads_again_and_the_second_time_with_safer_settings(open_desk):
    desk = crashed_desk(open_desk, CRASH, Answer())
    reload_model(desk)
    assert desk.engine.load_configs[1] == desk.engine.load_configs[0]
    desk.parts.branches.regenerate()
    desk.wait_until_idle()
    reload_model(desk)
    assert desk.engine.load_configs[2].use_extra_bufts is False
    desk.parts.branches.regenerate()
    desk.wait_until_idle()
    assert desk.items()[-1].state is State.COMPLETE
    assert desk.texts() == ["Hello", "Hello world"]


def test_answers_that_waited_end_with_the_same_death(open_desk):
    desk = open_desk(ScriptedEngine(replace(CRASH, delay_s=0.1), replace(CRASH, pieces=()), Answer()))
    for question in ("Hello", "And here?"):
        desk.window.new_button.click()
        desk.parts.chat.send(question)
    desk.qtbot.waitUntil(lambda: not desk.parts.chat.answers)
    reload_model(desk)
    assert desk.engine.load_configs[1] == desk.engine.load_configs[0]


def test_a_new_conversation_after_a_crash_offers_the_model_again_with_one_click(open_desk):
    desk = crashed_desk(open_desk)
    desk.window.new_button.click()
    assert not desk.find("welcome_page").isVisible()
    (notice,) = desk.items()
    assert (notice.kind, notice.text) == (Kind.NOTICE, "The engine ended, and fake.gguf is no longer loaded.")
    assert [action.label for action in notice.actions] == ["Reload the model"]
    reload_model(desk)
    assert desk.items() == ()
    assert desk.window.transcript.isVisible()
    assert desk.engine.load_configs[1] == desk.engine.load_configs[0]
    desk.ask("Hello again")
    assert desk.texts() == ["Hello again", "Hello world"]


def test_while_the_model_is_loaded_again_it_is_not_offered_and_after_a_vain_load_once_more(open_desk):
    desk = crashed_desk(open_desk)
    desk.window.new_button.click()
    desk.engine.load_delay_s = 30
    desk.window.transcript.action_triggered.emit(desk.items()[0].id, "reload_model")
    assert desk.items() == ()
    assert not desk.find("welcome_page").isVisible()
    desk.qtbot.waitUntil(lambda: len(desk.engine.load_configs) == 2)
    desk.parts.models.cancel_load()
    desk.qtbot.waitUntil(lambda: desk.parts.models.loading_fraction is None)
    assert [item.actions[0].id for item in desk.items()] == ["reload_model"]


def test_a_model_that_the_user_unloads_after_a_reload_is_not_said_to_have_ended(open_desk):
    desk = crashed_desk(open_desk)
    desk.window.new_button.click()
    reload_model(desk)
    desk.parts.models.unload()
    assert desk.items() == ()
    assert desk.find("welcome_page").isVisible()


def test_a_model_that_killed_the_engine_is_not_loaded_by_itself_until_it_answered(open_desk):
    desk = crashed_desk(open_desk)
    path = str(desk.engine.load_configs[0].path)
    assert desk.parts.settings.value.unsafe_models == (path,)
    desk.window.close()
    again = open_desk(model=None, load=False)
    assert again.parts.settings.value.unsafe_models == (path,)
    assert again.parts.settings.value.model_to_autoload == ""
    again.parts.models.load(desk.engine.load_configs[0].path)
    again.qtbot.waitUntil(lambda: again.parts.models.model is not None)
    assert again.parts.settings.value.unsafe_models == (path,)
    again.ask("Hello")
    assert again.parts.settings.value.unsafe_models == ()


def test_a_load_that_fails_says_why_and_what_to_do(open_desk):
    engine = ScriptedEngine()
    engine.loads.append(LoadFailed("fake.gguf is not a GGUF file: choose another.", "bad_input"))
    desk = open_desk(engine, load=False)
    desk.qtbot.waitUntil(lambda: desk.window.notice_bar.isVisible())
    assert desk.window.notice_bar.sentence == "fake.gguf is not a GGUF file: choose another."
    assert desk.find("welcome_page").isVisible()
    assert desk.parts.settings.value.unsafe_models == ()
    desk.parts.models.load(desk.parts.models.config.path)
    desk.qtbot.waitUntil(lambda: desk.parts.models.model is not None)
    assert desk.window.notice_bar.sentence == ""


def test_a_file_that_is_no_model_takes_no_others_place(open_desk):
    engine = ScriptedEngine()
    desk = open_desk(engine)
    models = desk.parts.models
    desk.qtbot.waitUntil(lambda: models.model is not None)
    model, config = models.model, models.config
    engine.loads.append(LoadFailed("notes.txt is not a GGUF file: choose another.", "bad_input", keeps_model=True))
    models.load(Path("notes.txt"))
    assert models.model is None
    desk.qtbot.waitUntil(lambda: desk.window.notice_bar.isVisible())
    assert desk.window.notice_bar.sentence == "notes.txt is not a GGUF file: choose another."
    assert (models.model, models.config, models.loading_path) == (model, config, None)
    assert not desk.find("welcome_page").isVisible()
    desk.ask("Are you still there?")
    assert desk.items()[-1].state is State.COMPLETE


def test_a_load_that_kills_the_engine_puts_the_model_on_the_unsafe_list(open_desk):
    engine = ScriptedEngine()
    engine.loads.append(LoadFailed("The engine's process ended while it loaded the model (SIGKILL).", "crashed"))
    desk = open_desk(engine, load=False)
    desk.qtbot.waitUntil(lambda: desk.window.notice_bar.isVisible())
    assert len(desk.parts.settings.value.unsafe_models) == 1
    assert desk.parts.models.loading_fraction is None
    assert desk.find("welcome_page").isVisible()


def test_a_cancelled_load_is_no_error(open_desk):
    engine = ScriptedEngine()
    engine.load_delay_s = 30
    desk = open_desk(engine, load=False)
    desk.qtbot.waitUntil(lambda: desk.parts.models.loading_fraction is not None)
    desk.parts.models.cancel_load()
    desk.qtbot.waitUntil(lambda: desk.parts.models.loading_fraction is None)
    assert not desk.window.notice_bar.isVisible()
    assert desk.find("welcome_page").isVisible()
