"""One result: the raw samples with all that is needed to repeat or compare them, and what follows from them."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from app.errors import Sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.engine.bench import BenchEnvironment, BenchTest

Method = Literal["llama-bench", "llama-batched-bench", "end-to-end"]

LARGEST_SPREAD = 0.10
LARGEST_SHARE_OF_OTHERS = 0.10


def mean(values: Sequence[float]) -> float:
    """Arithmetic mean; 0 of nothing, as in llama-bench."""
    return statistics.fmean(values) if values else 0.0


def deviation(values: Sequence[float]) -> float:
    """Sample standard deviation (n - 1), as llama-bench's `stdev`; 0 of fewer than two."""
    return statistics.stdev(values) if len(values) > 1 else 0.0


@dataclass(frozen=True, slots=True)
class Subject:
    """What was measured, where.

    Attributes:
        model_filename: as the user named it.
        fingerprint: of the file's content, see `fingerprint.model_fingerprint`.
        machine: see `fingerprint.machine_key`.
    """

    environment: BenchEnvironment
    model_filename: str
    fingerprint: str
    quantisation: str
    machine: str


@dataclass(frozen=True, slots=True)
class BenchRow:
    """The samples of one test.

    Attributes:
        samples_ns: one per repetition; with method `end-to-end` from the request to the last token.
        sample_tokens: tokens computed in each.
        prompt_ns, gen_ns: the two parts of each; only with `llama-batched-bench`.
        ttft_s, tpot_s: one per answer; only with `end-to-end`. None where it is undefined.
        test_time: when the test began, RFC 3339, UTC.
        others_cpu: share of the machine's CPU time that other processes took; None when not known.
    """

    method: Method
    subject: Subject
    test: BenchTest
    samples_ns: tuple[int, ...]
    sample_tokens: tuple[int, ...]
    n_threads: int
    n_ctx: int
    test_time: str
    prompt_ns: tuple[int, ...] = ()
    gen_ns: tuple[int, ...] = ()
    ttft_s: tuple[float | None, ...] = ()
    tpot_s: tuple[float | None, ...] = ()
    others_cpu: float | None = None

    @property
    def samples_ts(self) -> tuple[float, ...]:
        """Tokens per second of each repetition."""
        return tuple(1e9 * tokens / ns for tokens, ns in zip(self.sample_tokens, self.samples_ns, strict=True))

    @property
    def avg_ns(self) -> float:
        """Mean time."""
        return mean(self.samples_ns)

    @property
    def stddev_ns(self) -> float:
        """Sample standard deviation of the times."""
        return deviation(self.samples_ns)

    @property
    def avg_ts(self) -> float:
        """Mean of the speeds (not tokens over mean time), as llama-bench."""
        return mean(self.samples_ts)

    @property
    def stddev_ts(self) -> float:
        """Sample standard deviation of the speeds."""
        return deviation(self.samples_ts)

    @property
    def prompt_ts(self) -> tuple[float, ...]:
        """S_PP of llama-batched-bench, all sequences together; empty without a prompt."""
        tokens = self.test.n_prompt * self.test.n_parallel
        return tuple(1e9 * tokens / ns for ns in self.prompt_ns) if tokens else ()

    @property
    def gen_ts(self) -> tuple[float, ...]:
        """S_TG of llama-batched-bench: tokens per second of all sequences together."""
        return tuple(1e9 * self.test.n_gen * self.test.n_parallel / ns for ns in self.gen_ns)

    @property
    def spread(self) -> float:
        """Standard deviation of the speeds as a share of their mean."""
        return self.stddev_ts / self.avg_ts if self.avg_ts else 0.0

    @property
    def disturbance(self) -> str:
        """One sentence when other load disturbed the test, empty when nothing speaks for that."""
        others = self.others_cpu if self.others_cpu is not None else 0.0
        if others > LARGEST_SHARE_OF_OTHERS:
            return Sentence(
                "Disturbed by other load: other programs took {others:.0%} of the CPU meanwhile, and the repetitions "
                "spread by {spread:.0%}.",
                others=others,
                spread=self.spread,
            )
        if self.spread > LARGEST_SPREAD:
            return Sentence(
                "Disturbed, perhaps by other load or by the CPU's clock: the repetitions spread by {spread:.0%}.",
                spread=self.spread,
            )
        return ""


def phase_speeds(row: BenchRow) -> dict[Literal["pp", "tg"], tuple[float, float]]:
    """Return the mean and sample standard deviation, in tokens per second, of the phases a result tells apart.

    A prompt and an answer that were timed together tell neither; a batch tells both, of all sequences together; whole
    answers tell how fast they were written (1/TPOT).
    """
    test = row.test
    if row.method == "llama-batched-bench":
        parts: dict[Literal["pp", "tg"], tuple[float, ...]] = {"pp": row.prompt_ts, "tg": row.gen_ts}
    elif row.method == "end-to-end":
        parts = {"tg": tuple(1 / tpot_s for tpot_s in row.tpot_s if tpot_s)}
    elif test.n_prompt and test.n_gen:
        parts = {}
    else:
        parts = {"tg" if test.n_gen else "pp": row.samples_ts}
    return {phase: (mean(speeds), deviation(speeds)) for phase, speeds in parts.items() if speeds}
