"""How the next token is chosen."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the next token is chosen.

    Attributes:
        temperature: 0 is greedy.
        top_k: 0 is off. top_p, min_p: 1 and 0 are off.
        repeat_penalty: 1 is off; presence_penalty, frequency_penalty: 0 is off.
        penalty_last_n: how many tokens back the penalties look.
        seed: None draws a fresh one for every answer, which the engine reports.
    """

    temperature: float = 0.8
    top_k: int = 40
    top_p: float = 0.95
    min_p: float = 0.05
    repeat_penalty: float = 1.0
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    penalty_last_n: int = 64
    seed: int | None = None
