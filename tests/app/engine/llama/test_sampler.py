"""What each setting of the sampler does to the next token, on the logits of a model with random weights."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

import numpy as np
import pytest

from app.engine.llama.library import lib
from app.engine.llama.sampler import Sampler
from app.engine.sampling import Sampling
from tests.tiny_models import HELD

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.tiny_models import Loaded

N_VOCAB = 128
OFF = {"top_k": 0, "top_p": 1.0, "min_p": 0.0}


class Logits:
    """What the model makes of a prompt, and what a sampler makes of that."""

    def __init__(self, model: Loaded) -> None:
        model.read(HELD[:64])
        self._handle = model.context.handle
        row = lib.llama_get_logits_ith(self._handle, -1)
        logits = np.ctypeslib.as_array(ctypes.cast(row, ctypes.POINTER(ctypes.c_float)), (N_VOCAB,)).astype(float)
        self.best_first = list(np.argsort(-logits))
        weights = np.exp(logits - logits.max())
        self.probabilities = weights / weights.sum()

    def draw(self, count: int, *accepted: int, seed: int = 1, **settings: object) -> list[int]:
        """Return the tokens chosen one after the other, as if the model said the same each time."""
        sampler = Sampler(Sampling(**{**OFF, **settings}), N_VOCAB, seed)
        for token in accepted:
            sampler.accept(token)
        tokens = [sampler.sample(self._handle) for _ in range(count)]
        sampler.free()
        return tokens


@pytest.fixture
def logits(load: Callable[..., Loaded]) -> Logits:
    return Logits(load("llama-dense"))


def test_a_temperature_of_zero_takes_the_best(logits: Logits) -> None:
    assert set(logits.draw(20, temperature=0, seed=5)) == {logits.best_first[0]}


def test_a_high_temperature_takes_more_of_the_others(logits: Logits) -> None:
    best = logits.best_first[0]
    cold, warm, hot = (logits.draw(2000, temperature=t).count(best) / 2000 for t in (0.2, 1.0, 5.0))
    assert cold > warm > hot
    assert warm == pytest.approx(logits.probabilities[best], abs=0.04)


def test_top_k_leaves_the_k_best(logits: Logits) -> None:
    assert set(logits.draw(500, temperature=3, top_k=3)) == set(logits.best_first[:3])


def test_top_p_leaves_the_fewest_that_have_that_share(logits: Logits) -> None:
    shares = np.cumsum(logits.probabilities[logits.best_first])
    needed = int(np.searchsorted(shares, 0.5)) + 1
    assert needed > 1
    assert set(logits.draw(2000, temperature=3, top_p=0.5)) == set(logits.best_first[:needed])


def test_min_p_leaves_those_with_that_share_of_the_best(logits: Logits) -> None:
    left = np.flatnonzero(logits.probabilities >= 0.5 * logits.probabilities.max())
    assert len(left) > 1
    assert set(logits.draw(2000, temperature=3, min_p=0.5)) == set(left)


@pytest.mark.parametrize("setting", ["presence_penalty", "frequency_penalty"])
def test_a_penalty_goes_on_to_tokens_not_yet_said(logits: Logits, setting: str) -> None:
    assert logits.draw(40, temperature=0, **{setting: 100.0}) == logits.best_first[:40]


def test_the_presence_penalty_counts_once_and_the_frequency_penalty_each_time(logits: Logits) -> None:
    first, second = logits.best_first[:2]
    lead = float(np.log(logits.probabilities[first] / logits.probabilities[second]))
    said = [first] * 4  # four times a third of the lead is more than the lead, once is less
    assert logits.draw(1, *said, temperature=0, presence_penalty=lead / 3) == [first]
    assert logits.draw(1, *said, temperature=0, frequency_penalty=lead / 3) == [second]


def test_the_repeat_penalty_makes_what_was_said_less_likely(logits: Logits) -> None:
    first, second = logits.best_first[:2]
    assert logits.draw(2, temperature=0, repeat_penalty=100.0) == [first, second]


def test_tokens_of_the_prompt_count_for_the_penalties(logits: Logits) -> None:
    assert logits.draw(1, logits.best_first[0], temperature=0, presence_penalty=100.0) == [logits.best_first[1]]


def test_penalties_look_back_as_far_as_they_are_told(logits: Logits) -> None:
    first, second = logits.best_first[:2]
    drawn = logits.draw(6, temperature=0, presence_penalty=100.0, penalty_last_n=1)
    assert drawn == [first, second] * 3


def test_a_seed_repeats_the_draws_and_another_does_not(logits: Logits) -> None:
    assert logits.draw(50, temperature=1, seed=3) == logits.draw(50, temperature=1, seed=3)
    assert logits.draw(50, temperature=1, seed=3) != logits.draw(50, temperature=1, seed=4)
