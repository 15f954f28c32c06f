"""Arithmetic of the context: room for the answer, what fits, where a summary may cut."""

from __future__ import annotations

import pytest

from app.chat.context_window import does_not_fit, fits, kept_tokens, reply_room, split_for_summary
from app.chat.message import Message


@pytest.mark.parametrize(("n_ctx", "room"), [(256, 64), (2048, 512), (4096, 1024), (8192, 1024), (131_072, 1024)])
def test_reply_room(n_ctx: int, room: int) -> None:
    assert reply_room(n_ctx) == room


@pytest.mark.parametrize(
    ("prompt", "n_ctx", "reply", "expected"),
    [(4095, 4096, 1, True), (4096, 4096, 1, False), (3072, 4096, 1024, True), (3073, 4096, 1024, False)],
)
def test_fits(prompt: int, n_ctx: int, reply: int, expected: bool) -> None:
    assert fits(prompt, n_ctx, reply) is expected


def test_sentence() -> None:
    assert does_not_fit(9120, 8192) == (
        "This conversation needs 9,120 tokens and the context holds 8,192: "
        "summarise it, start a new one or load the model with a larger context."
    )


def test_kept_tokens() -> None:
    assert kept_tokens(4096) == 921
    assert kept_tokens(8192) == 2150


class TestSplit:
    @pytest.mark.parametrize(
        ("roles", "keep", "cut"),
        [
            ("uauaua", 0, 4),  # the last turn always stays
            ("uauaua", 20, 4),
            ("uauaua", 39, 4),  # whole turns only
            ("uauaua", 40, 2),
            ("uauaua", 999, 0),  # all of it is kept
            ("ua", 0, 0),
            ("u", 0, 0),
            ("", 0, 0),
            ("uauau", 0, 2),  # a question that waits for its answer stays, and the turn before it
            ("uauauu", 0, 2),
            ("uuaua", 0, 3),
            ("uua", 0, 0 + 1),  # the cut is before the last user message that was answered
            ("aua", 0, 0),  # a greeting of the model is no turn
            ("auaua", 0, 3),
            ("uaaua", 0, 3),
            ("uauaa", 0, 2),
        ],
    )
    def test_cut(self, roles: str, keep: int, cut: int) -> None:
        messages = [Message("user" if role == "u" else "assistant", role) for role in roles]
        assert split_for_summary(messages, [10] * len(messages), keep) == cut

    @pytest.mark.parametrize("keep", [0, 10, 55, 100, 1000])
    def test_what_stays_begins_with_a_question_and_holds_the_last_turn(self, keep: int) -> None:
        messages = [Message("user" if i % 2 == 0 else "assistant", str(i)) for i in range(20)]
        counts = [7 * i % 23 for i in range(20)]
        cut = split_for_summary(messages, counts, keep)
        assert cut <= 18
        assert messages[cut].role == "user"
        assert cut == 18 or sum(counts[cut:]) <= keep
        assert cut < 2 or sum(counts[cut - 2 :]) > keep
