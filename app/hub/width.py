"""How many connections to one server are worth it: measured, not guessed."""

from __future__ import annotations

import time
from dataclasses import dataclass

MOST_CONNECTIONS = 4
"""Fewer than the six that browsers open to one server."""
MEASURE_S, SETTLE_S = 3.0, 1.0
"""How long a number of connections is measured, after it has begun."""
WORTH_IT = 1.2
"""Twice as many connections must be that much faster, or the line itself is the limit."""


@dataclass(slots=True)
class Width:
    """How many connections are worth it: doubled as long as that helps.

    Attributes:
        speed: bytes per second with half as many.
        count: connections now; 1 when more than that did not help.
    """

    speed: float
    count: int = 2
    is_settled: bool = False

    def learn(self, speed: float) -> None:
        """Take up what was measured with the present number."""
        if self.is_settled:
            return
        if speed < self.speed * WORTH_IT:
            self.count //= 2
            self.is_settled = True
        elif self.count >= MOST_CONNECTIONS:
            self.is_settled = True
        else:
            self.speed, self.count = speed, self.count * 2


class Probe:
    """Measures how fast bytes come, once they come."""

    def __init__(self, done: int) -> None:
        self._began, self._before, self._is_settled = time.monotonic(), done, False

    def speed(self, done: int) -> float | None:
        """Return bytes per second; None until it was measured long enough."""
        now = time.monotonic()
        if not self._is_settled and now - self._began >= SETTLE_S:
            self._began, self._before, self._is_settled = now, done, True
        if not self._is_settled or now - self._began < MEASURE_S:
            return None
        return (done - self._before) / (now - self._began)
