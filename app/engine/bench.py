"""What the engine is asked to measure, by the methods of llama-bench and llama-batched-bench, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from app.engine.config import FlashAttention

BenchPhase = Literal["warm_up", "depth", "run"]
BenchFinishReason = Literal["done", "cancelled", "failed", "crashed"]


@dataclass(frozen=True, slots=True)
class BenchTest:
    """One test, run in a context of its own.

    Attributes:
        n_prompt: tokens read in batches of `n_batch`; per sequence when `n_parallel` is set.
        n_gen: tokens decoded one by one; per sequence when `n_parallel` is set.
        n_depth: tokens put into the KV cache before the clock starts.
        n_parallel: 0: llama-bench's method; else llama-batched-bench's, with that many sequences in one batch.
        n_threads: CPU threads; None: those the model was loaded with.
    """

    n_prompt: int = 0
    n_gen: int = 0
    n_depth: int = 0
    n_parallel: int = 0
    n_batch: int = 2048
    n_ubatch: int = 512
    n_threads: int | None = None
    type_k: str = "f16"
    type_v: str = "f16"
    flash_attention: FlashAttention = "auto"

    @property
    def name(self) -> str:
        """llama-bench's name, such as `pp512`, `tg128 @ d1024`, `pp512+tg128`; with ` x 4` for four sequences."""
        if not self.n_gen:
            name = f"pp{self.n_prompt}"
        elif not self.n_prompt:
            name = f"tg{self.n_gen}"
        else:
            name = f"pp{self.n_prompt}+tg{self.n_gen}"
        name += f" @ d{self.n_depth}" if self.n_depth else ""
        return name + (f" x {self.n_parallel}" if self.n_parallel else "")

    @property
    def tokens(self) -> int:
        """Tokens computed between start and stop of the clock."""
        return (self.n_prompt + self.n_gen) * max(self.n_parallel, 1)


@dataclass(frozen=True, slots=True)
class BenchRequest:
    """Tests of the loaded model.

    Attributes:
        submitted_ns: `time.perf_counter_ns()` when it was asked for.
        repetitions: how often each test is timed.
        warm_up: run each test once before, untimed.
    """

    tests: tuple[BenchTest, ...]
    submitted_ns: int
    repetitions: int = 5
    warm_up: bool = True


@dataclass(frozen=True, slots=True)
class BenchEnvironment:
    """What measures, by llama-bench's own names, and what the model is to llama.cpp.

    Attributes:
        build_commit: of llama.cpp; empty when the library does not say.
        library: the package and its version.
        backends: such as CUDA, or CPU when there is no other.
        n_gpu_layers: what was asked of llama.cpp; negative: every layer.
        repack: whether weights may be repacked for this CPU.
    """

    build_commit: str
    library: str
    cpu_info: str
    gpu_info: str
    backends: str
    model_type: str
    model_size: int
    model_n_params: int
    n_gpu_layers: int
    repack: bool


@dataclass(frozen=True, slots=True)
class BenchStarted:
    """The first event of a bench that starts."""

    environment: BenchEnvironment


@dataclass(frozen=True, slots=True)
class BenchProgressed:
    """A part of a test begins.

    Attributes:
        test: index into `BenchRequest.tests`.
        repetition: from 1; 0 in the warm-up.
    """

    test: int
    phase: BenchPhase
    repetition: int
    at_ns: int


@dataclass(frozen=True, slots=True)
class BenchMeasured:
    """One test is done; after a cancel, with the repetitions that were complete.

    Attributes:
        test: index into `BenchRequest.tests`.
        samples_ns: the whole time of each repetition.
        prompt_ns, gen_ns: its two parts; only with `n_parallel`.
        n_threads: CPU threads that were used.
        n_ctx: length of the context that was made.
        others_cpu: share of all CPU time of the machine that other processes took meanwhile, 0 to 1; None when the
            test was too short to tell.
    """

    test: int
    samples_ns: tuple[int, ...]
    prompt_ns: tuple[int, ...]
    gen_ns: tuple[int, ...]
    n_threads: int
    n_ctx: int
    others_cpu: float | None


@dataclass(frozen=True, slots=True)
class BenchRefused:
    """A test that cannot be run, with one sentence; the others go on."""

    test: int
    reason: str


@dataclass(frozen=True, slots=True)
class BenchFinished:
    """The end of every bench. `error` is one sentence when the reason is `failed` or `crashed`, else empty."""

    reason: BenchFinishReason
    at_ns: int
    error: str = ""


BenchEvent = BenchStarted | BenchProgressed | BenchMeasured | BenchRefused | BenchFinished
