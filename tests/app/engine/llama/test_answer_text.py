"""From sampled tokens' bytes to readable text: cut characters, bytes that are none, control tokens, long pieces."""

from __future__ import annotations

import random

import pytest

from app.chat.thinking import ThinkingSplitter
from app.engine.llama.answer_text import AnswerText

TEXT = "Grüße 世界 👩‍👩‍👧‍👦🇩🇪 नमस्ते\n"


def written(*tokens: bytes, stop: tuple[str, ...] = ()) -> tuple[str, str]:
    """Return (thinking, answer); a token that begins with `^` is a control token."""
    text, pieces = AnswerText(ThinkingSplitter(), stop), []
    for token in tokens:
        text.take(token.removeprefix(b"^"), token.startswith(b"^"), pieces)
    text.end(pieces)
    return tuple("".join(each.text for each in pieces if each.channel == of) for of in ("thinking", "answer"))


@pytest.mark.parametrize("size", [1, 2, 3, 5, 1000])
def test_characters_may_be_cut_anywhere(size: int) -> None:
    data = TEXT.encode()
    assert written(*(data[at : at + size] for at in range(0, len(data), size))) == ("", TEXT)


def test_a_character_is_shown_with_its_last_byte() -> None:
    text, pieces = AnswerText(ThinkingSplitter(), ()), []
    for byte in "世🙂".encode():
        text.take(bytes([byte]), False, pieces)
        assert "�" not in "".join(each.text for each in pieces)
    assert [(each.channel, each.text) for each in pieces] == [("answer", "世🙂")]


@pytest.mark.parametrize(
    ("tokens", "answer"),
    [
        ((b"a\xff", b"b"), "a�b"),
        ((b"\xf0\x9f", b"b"), "�b"),
        ((b"\xf0\x9f", b"\xf0\x9f", b"\x99", b"\x82"), "�🙂"),
        ((b"a\xe4\xb8",), "a�"),
        ((b"\x80" * 3,), "���"),
    ],
)
def test_bytes_that_are_no_character_hold_nothing_up(tokens: tuple[bytes, ...], answer: str) -> None:
    assert written(*tokens) == ("", answer)


def test_random_bytes_in_random_pieces() -> None:
    rng = random.Random(7)
    for _ in range(300):
        data = bytes(rng.choice(b"a \xf0\x9f\x99\x82\xe4\xb8\x96\x80\xff\xc3") for _ in range(rng.randrange(40)))
        tokens, at = [], 0
        while at < len(data):
            size = rng.randrange(1, 6)
            tokens.append(data[at : at + size])
            at += size
        assert written(*tokens) == ("", data.decode("utf-8", "replace"))


def test_a_long_piece_is_whole() -> None:
    assert written(b" " * 400 + b"x") == ("", " " * 400 + "x")


def test_a_control_token_after_a_cut_character_is_still_one() -> None:
    assert written(b"^<think>", b"hm \xf0\x9f", b"^</think>", b"Yes") == ("hm �", "Yes")
    assert written(b"Yes \xf0\x9f", b"^<|im_start|>", b"!") == ("", "Yes �!")


def test_a_stop_string_may_be_cut_inside_a_character() -> None:
    data = "A。終".encode()
    assert written(data[:3], data[3:5], data[5:], b" more", stop=("。終",)) == ("", "A")
