"""Where the wait went: parts that sum to the wall time, exactly on chosen instants and on the real engine."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from app.chat.message import Message
from app.engine.request import GenerationRequest
from app.engine.sampling import Sampling
from app.telemetry.recorder import TurnRecorder
from app.telemetry.timings import TurnStats
from app.telemetry.waiting import PARTS, WaitCheck, wait_of
from tests.fakes import MS
from tests.turns import T0

if TYPE_CHECKING:
    from app.engine.process import EngineProcess

# 3 ms queue, 4 template, 5 tokenise, 1 cached, 60 prefill, 7 first sample, 2 x 20 decode, 9 window (1 + 2 + 6).
STATS = TurnStats(
    submitted_ns=T0,
    started_ns=T0 + 3 * MS,
    rendered_ns=T0 + 7 * MS,
    tokenised_ns=T0 + 12 * MS,
    prefill_started_ns=T0 + 13 * MS,
    prefill_done_ns=T0 + 73 * MS,
    token_ns=(T0 + 80 * MS, T0 + 100 * MS, T0 + 120 * MS),
    finished_ns=T0 + 121 * MS,
    first_received_ns=T0 + 83 * MS,
    received_ns=T0 + 123 * MS,
    shown_ns=T0 + 129 * MS,
    prompt_tokens=400,
    cached_tokens=300,
    finish_reason="stop",
)


def lengths_ms(stats: TurnStats, now_ns: int | None = None) -> list[float]:
    wait = wait_of(stats, now_ns)
    assert wait is not None
    assert wait.difference_ns == 0
    return [part.ns / MS for part in wait.parts]


def test_every_part_is_the_difference_of_its_two_instants() -> None:
    assert lengths_ms(STATS) == [3, 4, 5, 1, 60, 7, 40, 9]
    wait = wait_of(STATS)
    assert wait is not None
    assert wait.wall_ns == 129 * MS
    assert [part.tokens for part in wait.parts] == [None, None, 400, 300, 100, None, 2, None]
    assert wait.window_ns == (1 * MS, 2 * MS, 6 * MS)
    assert wait.first_token_delay_ns == 3 * MS


def test_cached_tokens_take_no_time_and_say_what_they_saved() -> None:
    wait = wait_of(STATS)
    assert wait is not None
    assert wait.saved_s == pytest.approx(300 * 0.060 / 100)  # at this turn's own rate
    few = wait_of(replace(STATS, cached_tokens=390))
    assert few is not None
    assert few.saved_s is None
    known = wait_of(replace(STATS, cached_tokens=390), read_s_per_token=0.001)
    assert known is not None
    assert known.saved_s == pytest.approx(0.390)
    nothing = wait_of(replace(STATS, cached_tokens=0))
    assert nothing is not None
    assert nothing.saved_s == 0.0


@pytest.mark.parametrize(
    ("gone", "lengths"),
    [
        (("started_ns", "rendered_ns", "tokenised_ns", "prefill_started_ns", "prefill_done_ns", "token_ns"),
         [121, 0, 0, 0, 0, 0, 0, 8]),
        (("prefill_done_ns", "token_ns"), [3, 4, 5, 1, 108, 0, 0, 8]),
        (("token_ns",), [3, 4, 5, 1, 60, 48, 0, 8]),
    ],
    ids=["failed in the queue", "cancelled in prefill", "cancelled before token 1"],
)  # fmt: skip
def test_a_phase_that_was_cut_short_lasts_until_the_engines_end(gone: tuple[str, ...], lengths: list[float]) -> None:
    cut = replace(STATS, **{name: () if name == "token_ns" else None for name in gone})
    assert lengths_ms(cut) == lengths


def test_older_turns_have_template_and_tokenise_in_one() -> None:
    old = replace(STATS, rendered_ns=None, first_received_ns=None, received_ns=None, shown_ns=None)
    assert lengths_ms(old) == [3, 0, 9, 1, 60, 7, 40, 1]


def test_a_running_answer_waits_until_now() -> None:
    running = replace(STATS, finished_ns=None, finish_reason=None, received_ns=None, shown_ns=None)
    assert wait_of(running) is None
    assert lengths_ms(running, T0 + 130 * MS) == [3, 4, 5, 1, 60, 7, 50, 0]
    reading = replace(running, prefill_done_ns=None, token_ns=())
    assert lengths_ms(reading, T0 + 40 * MS) == [3, 4, 5, 1, 27, 0, 0, 0]
    assert lengths_ms(TurnStats(T0), T0 + 40 * MS) == [40, 0, 0, 0, 0, 0, 0, 0]


def test_the_check_counts_what_the_parts_do_not_explain() -> None:
    check = WaitCheck()
    sound = wait_of(STATS)
    assert sound is not None
    assert check.observe(sound)
    other_clock = wait_of(STATS, wall_ns=132 * MS)
    assert other_clock is not None
    assert other_clock.difference_ns == 3 * MS
    assert not check.observe(other_clock)
    # Instants out of order: the part that would be negative is 0, and the sum no longer fits.
    wrong = wait_of(replace(STATS, started_ns=T0 - 5 * MS))
    assert wrong is not None
    assert not check.observe(wrong)
    assert (check.answers, check.broken, check.worst_ns) == (3, 2, 5 * MS)


def test_on_the_real_engine_every_part_was_measured_and_they_sum_to_the_wall_time(engine: EngineProcess) -> None:
    check = WaitCheck()
    messages: list[Message] = []
    for number in range(50):
        messages = [*messages[-8:], Message("user", f"Say the number {number}.")]
        request = GenerationRequest(tuple(messages), time.perf_counter_ns(), Sampling(temperature=0), max_tokens=3)
        recorder = TurnRecorder(request.submitted_ns)
        for event in engine.generate(request):
            recorder.observe(event, time.perf_counter_ns())
        shown_ns = time.perf_counter_ns()
        recorder.observe_shown(shown_ns)
        messages.append(Message("assistant", "Yes."))
        wait = wait_of(recorder.stats, wall_ns=shown_ns - request.submitted_ns)
        assert wait is not None
        assert check.observe(wait), wait
        assert all(wait.part(name).ns > 0 for name in PARTS), wait
        assert wait.first_token_delay_ns is not None
        assert wait.first_token_delay_ns > 0
    assert (check.answers, check.broken) == (50, 0)
