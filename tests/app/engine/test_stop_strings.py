"""Stop strings over chunk boundaries."""

from __future__ import annotations

import pytest

from app.engine.stop_strings import StopStrings


def run(stops: tuple[str, ...], chunks: list[str]) -> tuple[str, bool]:
    watcher, shown = StopStrings(stops), ""
    for chunk in chunks:
        text, met = watcher.feed(chunk)
        shown += text
        if met:
            return shown, True
    return shown + watcher.flush(), False


@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
def test_text_after_a_stop_string_is_cut_wherever_the_chunks_break(size: int) -> None:
    text = "One. User: two"
    chunks = [text[i : i + size] for i in range(0, len(text), size)]
    assert run(("User:", "###"), chunks) == ("One. ", True)


def test_text_that_only_looks_like_the_beginning_is_kept() -> None:
    assert run(("###",), ["a#", "#b", "##"]) == ("a##b##", False)


def test_text_is_held_back_only_as_long_as_it_may_be_a_stop_string() -> None:
    watcher = StopStrings(("stop",))
    assert watcher.feed("a st") == ("a ", False)
    assert watcher.feed("ar") == ("star", False)


def test_the_first_of_several_wins() -> None:
    assert run(("bb", "a"), ["xxabb"]) == ("xx", True)


def test_none_and_empty_ones_let_everything_through() -> None:
    assert run((), ["a", "b"]) == ("ab", False)
    assert run(("",), ["a", "b"]) == ("ab", False)
