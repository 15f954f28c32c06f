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


def test_of_a_conversation_that_was_left_only_what_was_read_comes_back(qtbot, open_desk):
    desk = open_desk(ScriptedEngine(Answer(prompt_tokens=24)))
    chat = desk.parts.chat
    desk.ask("word " * 20)
    left, read = chat.session.id, chat.session.series.context_tokens
    chat.new()
    desk.ask("Something else")
    desk.parts.library.open(left)
    qtbot.waitUntil(lambda: chat.session.id == left and chat.session.ledger is not None)
    counted = chat.session.ledger.total_tokens
    assert counted > read
    write(desk, "one two three")
    qtbot.waitUntil(lambda: desk.parts.forecast.outlook is not None)
    assert desk.parts.forecast.outlook.new_tokens == counted + 7 - read
