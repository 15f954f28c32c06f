"""Beside Send: what the draft will cost, from a count off the window's thread and the user's own turns."""

from tests.fakes import Answer, ScriptedEngine
from ui.forecast_keeper import MOST_CHARACTERS


def answer(prompt_tokens: int, cached_tokens: int = 0) -> Answer:
    """Reads a token in a millisecond, after 20 ms that every answer waits."""
    uncached = prompt_tokens - cached_tokens
    return Answer(
        ("word ",) * 12,
        queue_ms=0,
        tokenise_ms=20,
        prefill_ms=uncached,
        first_ms=0,
        itl_ms=10 + prompt_tokens // 100,
        prompt_tokens=prompt_tokens,
        cached_tokens=cached_tokens,
    )


def write(desk, text: str) -> None:
    desk.find("composer").setPlainText(text)


def forecast(desk) -> str:
    return desk.find("forecast_label").text()


def test_without_turns_tokens_and_context_are_foretold_and_the_rest_is_said_to_be_missing(qtbot, desk):
    assert forecast(desk) == ""
    write(desk, "one two three")
    qtbot.waitUntil(lambda: forecast(desk) != "")
    assert forecast(desk) == "7 new tokens, context 0% → 0%"
    assert "0 of 4 turns" in desk.find("forecast_label").toolTip()
    write(desk, "")
    assert forecast(desk) == ""


def test_turns_of_ones_own_foretell_the_first_token(qtbot, open_desk):
    engine = ScriptedEngine(*(answer(tokens) for tokens in (100, 200, 400, 800, 1000)))
    desk = open_desk(engine)
    for _ in range(5):
        desk.ask("Hello")
    qtbot.waitUntil(lambda: desk.parts.speed.speed is not None and len(desk.parts.speed.speed.turns) == 5)
    desk.parts.chat.new()
    write(desk, "word " * 496)
    qtbot.waitUntil(lambda: desk.parts.forecast.outlook is not None)
    outlook = desk.parts.forecast.outlook
    assert (outlook.new_tokens, outlook.context_tokens, outlook.context_tokens_then) == (500, 0, 500)
    assert outlook.ttft.low <= 0.52 <= outlook.ttft.high
    assert abs(outlook.ttft.value - 0.52) < 1e-6
    assert forecast(desk).startswith("500 new tokens, about 0.52 s to the first token")
    assert desk.find("send_button").accessibleDescription() == forecast(desk)


def test_a_draft_of_a_megabyte_is_counted_from_its_beginning(qtbot, open_desk):
    engine = ScriptedEngine()
    counted = []
    count_tokens = engine.count_tokens

    def count(messages):
        counted.extend(len(message.content) for message in messages)
        return count_tokens(messages)

    engine.count_tokens = count
    desk = open_desk(engine)
    write(desk, "word " * 200_000)
    qtbot.waitUntil(lambda: desk.parts.forecast.outlook is not None)
    assert max(counted) == MOST_CHARACTERS
    assert abs(desk.parts.forecast.outlook.new_tokens - 200_004) <= 2
    assert "do not fit" in forecast(desk)


def test_nothing_is_foretold_while_an_answer_is_written(qtbot, open_desk):
    engine = ScriptedEngine(Answer(("word ",) * 500, delay_s=0.01))
    desk = open_desk(engine)
    desk.type_and_send("Hello")
    write(desk, "next")
    assert forecast(desk) == ""
    desk.parts.chat.stop()
    desk.wait_until_idle()
    qtbot.waitUntil(lambda: forecast(desk) != "")


def test_new_are_the_tokens_that_the_engine_will_not_find(qtbot, desk):
    asked = []
    foresee = desk.engine.foresee
    desk.engine.foresee = lambda request: (asked.append(request), foresee(request))[1]
    desk.ask("word " * 20)
    desk.engine.held_tokens = 20
    write(desk, "one two three")
    qtbot.waitUntil(lambda: desk.parts.forecast.outlook is not None)
    sent = [*desk.engine.requests[0].messages, desk.parts.chat.session.last_answer]
    counted = desk.engine.count_tokens(sent) + 7
    outlook = desk.parts.forecast.outlook
    assert (outlook.new_tokens, outlook.context_tokens_then) == (counted - 20, counted)
    assert asked[-1].messages[-1].content == "one two three"
    assert (asked[-1].conversation_id, asked[-1].states) == (
        desk.parts.chat.session.id,
        desk.parts.models.state_budget(),
    )


def test_what_the_engine_holds_is_asked_again_when_it_may_be_something_else(qtbot, desk):
    desk.engine.held_tokens = 20
    desk.ask("word " * 20)
    write(desk, "one two three")
    qtbot.waitUntil(lambda: desk.parts.forecast.outlook is not None)
    before = desk.parts.forecast.outlook.new_tokens
    desk.engine.held_tokens = 0
    desk.parts.saved.refresh()  # as when another conversation was answered, or a saved one deleted
    qtbot.waitUntil(lambda: desk.parts.forecast.outlook is None)
    qtbot.waitUntil(lambda: desk.parts.forecast.outlook is not None)
    assert desk.parts.forecast.outlook.new_tokens == before + 20
