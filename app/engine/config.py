"""How a model is loaded and how its context is made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pathlib import Path

FlashAttention = Literal["auto", "on", "off"]

KV_TYPES = ("f16", "bf16", "f32", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl")
"""Types llama.cpp accepts for K and V, the list llama-server allows."""

START_N_CTX = 4096
"""The size a context that grows as needed begins with: room for a talk, and quick to carry over into a larger one."""


MOST_PARALLEL = 8
"""More answers at once than this are a server's work; each costs a KV cache of its own."""

DEFAULT_RESERVE_BYTES = 1024**3
"""Left free on every device, llama.cpp's default for --fit-target (common/common.h)."""


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """Load and context settings; None means: chosen by the engine, and reported in `LoadedModel`.

    Attributes:
        path: a GGUF file; the first part of a split one.
        n_ctx: context length in tokens, fixed; None: grow as needed, from `n_ctx_start` to the trained context or what
            fits into memory.
        n_batch: the most tokens handed to one decode call.
        n_ubatch: the most tokens computed at once; sets the size of the compute buffer.
        n_threads: CPU threads; None: physical cores.
        n_gpu_layers: layers on the GPU, output layer included; "auto": as many as fit, "all": every one.
        type_k, type_v: one of `KV_TYPES`.
        flash_attention: "auto" lets llama.cpp probe.
        swa_full: keep the whole context in sliding-window layers.
        offload_kqv: keep the KV cache of a layer on the device that holds its weights; else all of it on the CPU.
        devices: names of the GPU devices to use, such as CUDA0; empty: llama.cpp's own choice.
        tensor_split: share of the layers for each of these devices; empty: by their free memory.
        n_cpu_moe: in how many of the first layers the experts' weights stay on the CPU.
        rpc_servers: `host:port` of llama.cpp RPC servers whose devices join this machine's.
        use_extra_bufts: weight repacking (AMX, CPU_REPACK); None: on, unless the self test found it unsafe here.
        reserve_bytes: what "auto" and a growing context leave free on every device, for the desktop and other programs.
        n_parallel: answers written at once, 1 to `MOST_PARALLEL`; every conversation has a context of `n_ctx` tokens of
            its own, and where one grows all do.
        n_ctx_start: the size a context that grows begins with; a model trained for less begins with that.
    """

    path: Path
    n_ctx: int | None = None
    n_batch: int = 2048
    n_ubatch: int = 512
    n_threads: int | None = None
    n_gpu_layers: int | Literal["auto", "all"] = "auto"
    type_k: str = "f16"
    type_v: str = "f16"
    flash_attention: FlashAttention = "auto"
    swa_full: bool = False
    offload_kqv: bool = True
    devices: tuple[str, ...] = ()
    tensor_split: tuple[float, ...] = ()
    n_cpu_moe: int = 0
    rpc_servers: tuple[str, ...] = ()
    use_extra_bufts: bool | None = None
    reserve_bytes: int = DEFAULT_RESERVE_BYTES
    n_ctx_start: int = START_N_CTX
    n_parallel: int = 1
