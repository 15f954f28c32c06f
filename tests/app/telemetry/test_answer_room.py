"""How much room the next answer has."""

from __future__ import annotations

import pytest

from app.telemetry.answer_room import AnswerRoom, answer_room
from app.telemetry.ledger import Ledger, LedgerEntry
from app.telemetry.recorder import TurnRecorder
from app.telemetry.series import ConversationSeries
from tests.fakes import fake_model

KV_BYTES = 23_040


def series(n_ctx: int = 2048, n_ctx_max: int = 8192, used: int = 500, may_grow: bool = True) -> ConversationSeries:
    made = ConversationSeries()
    made.set_model(fake_model(n_ctx=n_ctx, n_ctx_max=n_ctx_max))
    made.set_context_tokens(used)
    made.set_may_grow(may_grow)
    return made


def test_without_a_model_nobody_knows() -> None:
    assert answer_room(ConversationSeries()) is None


@pytest.mark.parametrize(("may_grow", "limit"), [(True, 8192), (False, 2048)])
def test_up_to_the_limit_that_holds(may_grow: bool, limit: int) -> None:
    room = answer_room(series(may_grow=may_grow))
    assert room == AnswerRoom(limit - 500, (limit - 500) * KV_BYTES, limit)


def test_what_the_next_prompt_will_be_counts_not_what_the_cache_holds() -> None:
    ledger = Ledger(20, (LedgerEntry("m", 80, 20),))
    known = series(may_grow=False)
    assert answer_room(known, ledger) == AnswerRoom(1948, 1948 * KV_BYTES, 2048)
    known.lose_cache(300)
    assert answer_room(known) == AnswerRoom(1748, 1748 * KV_BYTES, 2048)


def test_while_an_answer_is_written_the_cells_in_use_count() -> None:
    running = series(may_grow=False)
    running.begin_turn("m", TurnRecorder(0))
    assert answer_room(running, Ledger(100)) == AnswerRoom(1548, 1548 * KV_BYTES, 2048)


def test_an_overfull_context_has_none() -> None:
    assert answer_room(series(may_grow=False), Ledger(3000)) == AnswerRoom(0, 0, 2048)
