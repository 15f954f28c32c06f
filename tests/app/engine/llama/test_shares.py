"""Who reads how much in a step, and on which sequence an answer is written: without a model."""

from __future__ import annotations

import pytest

from app.engine.llama.answer import PrefillPace
from app.engine.llama.scheduler import BESIDE_S, shares
from app.engine.llama.sequence import Sequence, choose_sequence


def test_beside_writers_a_part_of_a_prompt_takes_no_longer_than_it_may() -> None:
    pace = PrefillPace(512, abortable=True)
    assert pace.chunk() == 512
    assert pace.chunk(BESIDE_S) == 32  # nothing is known of the speed yet
    pace.observe(512, 512 * 1_000_000)  # 1,000 tokens/s
    assert pace.chunk() == 512
    assert pace.chunk(BESIDE_S) == 64
    pace.observe(512, 512 * 100_000_000)  # 10 tokens/s
    assert pace.chunk(BESIDE_S) == 32


@pytest.mark.parametrize(
    ("budget", "wanted", "given"),
    [
        (100, [1000], [100]),
        (100, [1000, 1000], [50, 50]),
        (100, [10, 1000], [10, 90]),
        (100, [1000, 10, 1000], [45, 10, 45]),
        (100, [10, 20], [10, 20]),
        (0, [10, 20], [0, 0]),
        (3, [10, 10, 10, 10], [0, 1, 1, 1]),
        (100, [], []),
    ],
)
def test_room_is_shared_equally_and_nothing_of_it_is_wasted(budget: int, wanted: list[int], given: list[int]) -> None:
    assert shares(budget, wanted) == given


class _NoContext:
    pass


def sequence(number: int, tokens: list[int], conversation: str = "", used_ns: int = 0) -> Sequence:
    made = Sequence(_NoContext(), number)  # type: ignore[arg-type]
    made.tokens, made.conversation_id, made.used_ns = tokens, conversation, used_ns
    return made


def test_a_conversation_finds_its_own_sequence_again() -> None:
    idle = [sequence(0, [1, 2, 3], "other"), sequence(1, [1, 9], "own"), sequence(2, [])]
    assert choose_sequence(idle, [1, 2, 3, 4], "own", frozenset()).number == 1


def test_a_foreign_cache_is_taken_only_where_most_of_it_stays() -> None:
    idle = [sequence(0, [1, 2, 3], "other"), sequence(1, [])]
    assert choose_sequence(idle, [1, 2, 7], "new", frozenset()).number == 0
    assert choose_sequence(idle, [1, 7, 8], "new", frozenset()).number == 1


def test_an_empty_sequence_beside_a_busy_one_goes_first() -> None:
    idle = [sequence(0, []), sequence(2, []), sequence(3, [])]
    assert choose_sequence(idle, [1], "new", frozenset({4})).number == 3


def test_else_the_one_not_used_for_longest() -> None:
    idle = [sequence(0, [5], "a", used_ns=3), sequence(1, [6], "b", used_ns=1), sequence(2, [7], "c", used_ns=2)]
    assert choose_sequence(idle, [1], "new", frozenset()).number == 1
