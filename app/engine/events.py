"""The closed set of events an engine emits; transcript, charts and store are folds over them.

All instants are `time.perf_counter_ns()`: one clock for every process of a machine on Linux, macOS and Windows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pathlib import Path

Channel = Literal["answer", "thinking"]
FinishReason = Literal["stop", "stop_string", "length", "context", "cancelled", "failed", "crashed", "interrupted"]
"""Why an answer ended: `stop` end-of-generation token, `stop_string`, `length` max tokens, `context` the context is
full, `cancelled` by the user, `failed` an error with a sentence, `crashed` the engine's process died, `interrupted`
the window died (only ever read from the store)."""

RestoredFrom = Literal["", "memory", "disk"]
BufferKind = Literal["weights", "kv", "recurrent", "compute", "output"]
DeviceKind = Literal["cpu", "gpu", "igpu", "accel", "meta"]


@dataclass(frozen=True, slots=True)
class Device:
    """A ggml device. `total_bytes` and `free_bytes` are None where the backend cannot say."""

    name: str
    description: str
    kind: DeviceKind
    backend: str
    total_bytes: int | None
    free_bytes: int | None


@dataclass(frozen=True, slots=True)
class Buffer:
    """One allocation in llama.cpp's log. `device` is the buffer type's name, such as CPU, CUDA0, CPU_REPACK."""

    device: str
    kind: BufferKind
    size_bytes: int


@dataclass(frozen=True, slots=True)
class KvCache:
    """One KV cache: a class of layers that share a number of cells.

    Attributes:
        cells: how many it has; a sliding-window cache has fewer than the context.
        bytes_per_cell: K and V of all its layers for one cell.
        tokens_per_cell: more than 1 in a compressed cache (DeepSeek-V4).
        streams: how many there are of it, one for each answer that can be written at once.
    """

    cells: int
    layers: int
    bytes_per_cell: int
    tokens_per_cell: int = 1
    streams: int = 1


@dataclass(frozen=True, slots=True)
class MemoryBreakdown:
    """What llama.cpp allocated for a loaded model, per device and kind."""

    buffers: tuple[Buffer, ...]
    kv_caches: tuple[KvCache, ...]

    def total_bytes(self, *kinds: BufferKind) -> int:
        """Sum of the buffers of these kinds; of all when none is named."""
        return sum(buffer.size_bytes for buffer in self.buffers if not kinds or buffer.kind in kinds)

    def kv_used_bytes(self, context_tokens: int) -> int:
        """Cells in use x bytes per cell, per layer class, for a conversation of that many tokens."""
        return sum(
            min(-(-context_tokens // cache.tokens_per_cell), cache.cells) * cache.bytes_per_cell
            for cache in self.kv_caches
        )


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What a loaded model is; head counts and widths are those of the first attention layer, None without one."""

    path: Path
    name: str
    architecture: str
    quantisation: str
    n_params: int
    n_layer: int
    n_embd: int
    n_vocab: int
    n_head: int | None
    n_head_kv: int | None
    head_dim_k: int | None
    head_dim_v: int | None
    n_ctx_train: int
    n_swa: int
    is_recurrent: bool
    is_hybrid: bool
    file_bytes: int
    chat_template: str
    has_chat_template: bool


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A model ready to answer, with what was really chosen and allocated.

    Attributes:
        n_ctx: tokens the context holds now, padding included.
        n_ctx_max: tokens it can grow to: the trained context, or what fits into memory; n_ctx when it is fixed.
        layers_offloaded, layers_total: output layer included, as llama.cpp counts.
        flash_attention: what "auto" became.
        backend: name of the device that does the work, such as CPU or CUDA0.
        use_extra_bufts: whether weights were repacked for this CPU.
        load_ns: how long the load took, warm-up included.
        process_bytes: measured memory of the model's process after the load, or after its context became small again;
            None where it cannot be read.
        saved_bytes: of it, copies of KV caches, as `MemorySampled` says.
        grown_bytes: by how much the load made the process larger, when that was measured.
        choice: one sentence about what was chosen for "auto"; empty when nothing was.
        notes: sentences the user should see once ("This model brings no chat template ...").
        n_parallel: answers written at once; `n_ctx` is what each conversation has.
        gpu_backends: the backends for GPUs that this llama.cpp was built with, whether they find a device or not.
    """

    info: ModelInfo
    memory: MemoryBreakdown
    n_ctx: int
    n_ctx_max: int
    n_batch: int
    n_ubatch: int
    n_threads: int
    n_gpu_layers: int
    layers_offloaded: int
    layers_total: int
    flash_attention: bool
    type_k: str
    type_v: str
    backend: str
    use_extra_bufts: bool
    load_ns: int
    process_bytes: int | None = None
    saved_bytes: int = 0
    grown_bytes: int | None = None
    choice: str = ""
    notes: tuple[str, ...] = ()
    gpu_backends: tuple[str, ...] = ()
    n_parallel: int = 1

    def with_context(self, other: ContextGrown | LoadedModel) -> LoadedModel:
        """Return the same model, `info` the same object, with a context that has grown or become small again."""
        return replace(
            self,
            n_ctx=other.n_ctx,
            n_batch=other.n_batch,
            n_ubatch=other.n_ubatch,
            memory=other.memory,
            process_bytes=other.process_bytes if isinstance(other, LoadedModel) else self.process_bytes,
            saved_bytes=other.saved_bytes if isinstance(other, LoadedModel) else self.saved_bytes,
        )


@dataclass(frozen=True, slots=True)
class LoadProgressed:
    """Fraction of the weights read, 0 to 1."""

    fraction: float


@dataclass(frozen=True, slots=True)
class ModelLoaded:
    """The end of a good load."""

    model: LoadedModel


@dataclass(frozen=True, slots=True)
class LoadFailed:
    """The end of a bad load. `reason` is one sentence for the user.

    kind: `cancelled` by the user, `bad_input` the file or a setting, `failed` the engine, `crashed` its process died.
    keeps_model: the model that was loaded before still is, with all that its KV cache holds.
    """

    reason: str
    kind: Literal["cancelled", "bad_input", "failed", "crashed"]
    keeps_model: bool = False


@dataclass(frozen=True, slots=True)
class PromptTokenised:
    """The prompt is ready.

    Attributes:
        started_ns: t1, the worker took the request.
        tokenised_ns: t2, template rendered and tokenised.
        rendered_ns: between t1 and t2, the template was rendered.
        prompt_tokens: tokens of the whole prompt.
        cached_tokens: of these, already in the KV cache.
        cache_miss: why fewer tokens were reused than the cache held, one sentence; empty when nothing was lost.
        notes: sentences the user should see ("... refuses a system prompt: it was merged ...").
        restored_from: where the conversation's saved KV cache came from; empty when none was brought back.
        restored_tokens: tokens in that state, of which `cached_tokens` could be used; restore_ns: what that took.
    """

    started_ns: int
    tokenised_ns: int
    prompt_tokens: int
    cached_tokens: int
    cache_miss: str = ""
    notes: tuple[str, ...] = ()
    rendered_ns: int | None = None
    restored_from: RestoredFrom = ""
    restored_tokens: int = 0
    restore_ns: int = 0


@dataclass(frozen=True, slots=True)
class ContextGrown:
    """A larger context took over the conversation: before the prompt is read, or in the middle of the answer.

    Attributes:
        n_ctx, previous_n_ctx: tokens the context holds now and held before.
        carried_tokens: cells taken over without being read again.
        memory: everything llama.cpp has allocated now.
        took_ns: how long nothing was computed for it; at_ns: when it was over.
        n_batch, n_ubatch: of the new context, which may allow more than the old one.
        added_kv_bytes: what its KV cache takes more than the old one's; added_bytes: what all its buffers do.
        note: a sentence when the cache could not be taken over; else empty.
    """

    n_ctx: int
    previous_n_ctx: int
    carried_tokens: int
    memory: MemoryBreakdown
    took_ns: int
    at_ns: int
    n_batch: int
    n_ubatch: int
    added_kv_bytes: int
    added_bytes: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class PrefillProgressed:
    """How far the uncached prompt has been read. The first has done 0 (t3), the last has done == total (t4)."""

    done_tokens: int
    total_tokens: int
    at_ns: int


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A stretch of text of one channel."""

    channel: Channel
    text: str


@dataclass(frozen=True, slots=True)
class TokensGenerated:
    """A batch of sampled tokens.

    Attributes:
        sampled_ns: one instant per sampled token, right after the sampler call; the end-of-generation token included.
        pieces: the text that became readable, in order, one for each change of channel; may be none (half a
            character, a control token).
        context_tokens: cells in use after the last token of this batch was sampled (it is itself not yet in the KV).
        sequences: the most answers that shared a step with these tokens, those whose prompt was read included.
        together_tokens: tokens that all answers sampled after this one's first, up to the last of this batch; None
            where only one can be written.
    """

    sampled_ns: tuple[int, ...]
    pieces: tuple[TextPiece, ...]
    context_tokens: int
    sequences: int = 1
    together_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class GenerationFinished:
    """The end of every answer, good or bad.

    Attributes:
        at_ns: when the engine was done with it.
        context_tokens: cells in use now.
        error: one sentence when the reason is `failed`, `crashed` or a refused `context`; else empty.
        seed: the seed that was used.
    """

    finish_reason: FinishReason
    at_ns: int
    context_tokens: int
    error: str = ""
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class MemorySampled:
    """Measured memory of the process that runs the model (resident set size).

    `saved_bytes`: of it, copies of KV caches: those of conversations and branches that others took the place of, and
    the checkpoints of the present one.
    """

    process_bytes: int
    at_ns: int
    saved_bytes: int = 0


@dataclass(frozen=True, slots=True)
class AnswerRestarted:
    """What came of an answer in the background is void: it gave way to a user's and will be written from the start."""

    at_ns: int


LoadEvent = LoadProgressed | ModelLoaded | LoadFailed
GenerationEvent = (
    PromptTokenised
    | ContextGrown
    | PrefillProgressed
    | TokensGenerated
    | MemorySampled
    | AnswerRestarted
    | GenerationFinished
)
EngineEvent = LoadEvent | GenerationEvent


@dataclass(frozen=True, slots=True)
class Answered:
    """An event of one of several answers, that of the `GenerationRequest` with this id."""

    request_id: str
    event: GenerationEvent
