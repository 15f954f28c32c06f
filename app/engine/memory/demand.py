"""What one config takes on each device: the formula for weights, KV and recurrent state, a dry run for the rest."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from app.engine.config import ModelConfig
from app.engine.memory.compute import ComputeBound, interpolated, scratch_bytes
from app.engine.memory.fit import Layout
from app.engine.memory.formula import predict_memory
from app.engine.memory.metadata import MAX_LAYERS, Metadata
from app.engine.memory.placement import CPU, gpu_devices
from app.engine.memory.settings import CELLS_STEP
from app.engine.memory.shape import read_shape
from app.errors import EngineError, Sentence, UnknownArchitectureError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from app.engine.dry_run import DryRuns
    from app.engine.events import Buffer, BufferKind, Device
    from app.engine.gguf import Header
    from app.engine.measured import Measured
    from app.engine.memory.prediction import Prediction
    from app.engine.memory.shape import Shape

logger = logging.getLogger(__name__)

MOST_MEASURED_N_CTX = 2**20
"""llama.cpp keeps 50 bytes of its own per cell also in a dry run; beyond, the line is drawn on."""

_ROUNDED = 0.011 * 1024**2  # llama.cpp's log has two decimals of a MiB
_MOST_REMEMBERED = 1024
_MOST_RECURRENT_SHARE = 4  # a dry run really allocates recurrent state: at most this part of what is free


@dataclass(frozen=True, slots=True)
class Demand:
    """Bytes by device and kind.

    Attributes:
        n_ctx: padding included; 0 when it is refused.
        refused: why llama.cpp will not make this context, one sentence; empty when it will.
        source: where compute and output buffers come from.
        host_bytes: what the process takes beside them: what a dry run measured, see `Measured`, and ggml's scratch
            memory; None: not measured.
    """

    n_ctx: int
    flash_attention: bool
    sizes: dict[tuple[str, BufferKind], int]
    refused: str = ""
    source: Literal["dry run", "estimate"] = "estimate"
    host_bytes: int | None = None

    def used_bytes(self, device: str, *kinds: BufferKind) -> int:
        """What a device gives, for these kinds or in all."""
        return sum(size for (name, kind), size in self.sizes.items() if name == device and (not kinds or kind in kinds))

    def total_bytes(self, *kinds: BufferKind) -> int:
        """What all devices give together, for these kinds or in all."""
        return sum(size for (_, kind), size in self.sizes.items() if not kinds or kind in kinds)


@dataclass(frozen=True, slots=True)
class Facts:
    """What a plan says of the model beside its bytes; fields of `Prediction`."""

    n_params: int
    kv_class: str
    kv_bytes_per_token: int


class Demands:
    """Answers for one file and the devices of one moment.

    Args:
        path: what llama.cpp is to open.
        header: of the whole model, all parts of a split one.
    """

    def __init__(self, path: Path, header: Header, devices: Sequence[Device], dry_runs: DryRuns) -> None:
        self.path = path
        self.header = header
        self.devices = tuple(devices)
        self._dry_runs = dry_runs
        self._predictions: dict[ModelConfig, Prediction] = {}
        self._shape: Shape | None = None
        try:
            self.prediction(ModelConfig(path, n_ctx=CELLS_STEP, n_gpu_layers=0))
            self._shape = read_shape(header, path.name)
            self._bound = ComputeBound(header, self._shape, path.name)
        except UnknownArchitectureError as error:
            logger.info("%s", error)

    @property
    def is_known(self) -> bool:
        """Whether the formula knows the architecture; where it does not, every answer is a dry run's."""
        return self._shape is not None

    def prediction(self, config: ModelConfig) -> Prediction:
        """Return what the formula says. Raises UnknownArchitectureError."""
        found = self._predictions.get(config)
        if found is None:
            if len(self._predictions) >= _MOST_REMEMBERED:
                self._predictions.clear()
            found = self._predictions[config] = predict_memory(self.header, config, self.devices)
        return found

    def estimate(self, config: ModelConfig) -> Demand:
        """Return an answer without a dry run: compute and output are drawn through what is known, else an upper bound.

        Raises:
            TokometerError: the architecture is unknown and a dry run, which it then takes, is not possible.
        """
        if self._shape is None:
            return self.measure(config)
        prediction = self.prediction(config)
        sizes = self._predicted_sizes(prediction)
        if not prediction.refused:
            known = self._dry_runs.known(config, self.devices)
            drawn = interpolated(known, config.n_ctx or 0) or self._bound.buffers(config, prediction, self.devices)
            self._add(sizes, drawn)
        return Demand(prediction.n_ctx_seq, prediction.flash_attention, sizes, prediction.refused)

    def measure(self, config: ModelConfig) -> Demand:
        """Return an answer whose compute and output buffers a dry run measured, the rest being checked by it.

        Raises:
            TokometerError: it could not be measured.
        """
        prediction = self.prediction(config) if self.is_known else None
        if prediction is not None:
            if prediction.refused:
                return Demand(0, prediction.flash_attention, self._predicted_sizes(prediction), prediction.refused)
            self._check_recurrent(prediction)
        if (config.n_ctx or 0) > MOST_MEASURED_N_CTX:
            near = [replace(config, n_ctx=MOST_MEASURED_N_CTX // part) for part in (2, 1)]
            self._dry_runs.measure(near, self.devices)
            return replace(self.estimate(config), source="dry run")
        (measured,) = self._dry_runs.measure([config], self.devices)
        sizes = self._weights_alone(config) if prediction is None else self._predicted_sizes(prediction)
        if measured.refused:
            return Demand(0, measured.flash_attention, sizes, measured.refused, "dry run")
        self._correct(sizes, measured)
        self._add(sizes, [buffer for buffer in measured.memory.buffers if buffer.kind in ("compute", "output")])
        host = measured.host_bytes
        if host is not None and prediction is not None and self._shape is not None:
            settled = replace(prediction, flash_attention=measured.flash_attention)
            host += scratch_bytes(config, settled, self._shape)
        return Demand(measured.n_ctx, measured.flash_attention, sizes, source="dry run", host_bytes=host)

    def measure_all(self, configs: Sequence[ModelConfig]) -> None:
        """Measure several contexts at once, for what comes; those that cannot be are left out."""
        wanted = [config for config in configs if CELLS_STEP <= (config.n_ctx or 0) <= MOST_MEASURED_N_CTX]
        if self.is_known:
            for config in wanted:
                self._check_recurrent(self.prediction(config))
        self._dry_runs.measure(wanted, self.devices)

    def _check_recurrent(self, prediction: Prediction) -> None:
        free = sum(device.free_bytes or 0 for device in self.devices)
        if prediction.total_bytes("recurrent") > free // _MOST_RECURRENT_SHARE:
            raise EngineError(
                Sentence(
                    "The recurrent state of {size:.1f} GiB is too large to be measured beside other programs.",
                    size=prediction.total_bytes("recurrent") / 1024**3,
                )
            )

    def _predicted_sizes(self, prediction: Prediction) -> dict[tuple[str, BufferKind], int]:
        sizes: dict[tuple[str, BufferKind], int] = {}
        for buffer in prediction.buffers:
            if not (prediction.refused and buffer.kind != "weights"):
                key = (buffer.device, buffer.kind)
                sizes[key] = sizes.get(key, 0) + buffer.size_bytes
        return sizes

    def _add(self, sizes: dict[tuple[str, BufferKind], int], buffers: Sequence[Buffer]) -> None:
        for buffer in buffers:
            key = (device_of(buffer.device, self.devices), buffer.kind)
            sizes[key] = sizes.get(key, 0) + buffer.size_bytes

    def _correct(self, sizes: dict[tuple[str, BufferKind], int], measured: Measured) -> None:
        """Let the dry run have the last word on the KV caches, keeping their shares, and on recurrent state."""
        caches = measured.memory.kv_caches
        kv = sum(cache.streams * cache.cells * cache.bytes_per_cell for cache in caches)
        said = {name: size for (name, kind), size in sizes.items() if kind == "kv"}
        if abs(kv - sum(said.values())) > _ROUNDED * max(1, len(caches)):
            if self.is_known:
                logger.warning("%s: the formula says %s bytes of KV, llama.cpp %d", self.header.architecture, said, kv)
            shares = said or {name: size for (name, kind), size in sizes.items() if kind == "weights"}
            whole = sum(shares.values()) or 1
            for name, share in shares.items():
                sizes[name, "kv"] = kv * share // whole
        state = [buffer for buffer in measured.memory.buffers if buffer.kind == "recurrent"]
        total = sum(buffer.size_bytes for buffer in state)
        if abs(total - sum(s for (_, kind), s in sizes.items() if kind == "recurrent")) > _ROUNDED * max(1, len(state)):
            for key in [key for key in sizes if key[1] == "recurrent"]:
                del sizes[key]
            self._add(sizes, state)

    def _weights_alone(self, config: ModelConfig) -> dict[tuple[str, BufferKind], int]:
        """Weights of an unknown architecture, as if all layers were alike: the GPUs' share by their free memory."""
        whole = self.header.file_bytes - self.header.data_offset
        gpus = gpu_devices(config, self.devices)
        layers = config.n_gpu_layers if isinstance(config.n_gpu_layers, int) else self.layout().layers_total
        moved = whole * min(layers, self.layout().layers_total) // self.layout().layers_total if gpus else 0
        free = sum(gpu.free_bytes or 0 for gpu in gpus)
        shares = {gpu.name: moved * (gpu.free_bytes or 0) // free if free else moved // len(gpus) for gpu in gpus}
        shares[CPU] = whole - sum(shares.values())
        return {(name, "weights"): size for name, size in shares.items()}

    def facts(self, config: ModelConfig) -> Facts:
        """Return what is to be said of the model with this config, which an unknown architecture needs measured."""
        if self.is_known:
            said = self.prediction(config)
            return Facts(said.n_params, said.kv_class, said.kv_bytes_per_token)
        n_params = sum(tensor.n_elements for tensor in self.header.tensors)
        measured = self._dry_runs.known(config, self.devices).get(config.n_ctx or 0)
        caches = measured.memory.kv_caches if measured else ()
        return Facts(n_params, "unknown", sum(cache.bytes_per_cell // cache.tokens_per_cell for cache in caches))

    def layout(self) -> Layout:
        """Return what `fit` must know of the model."""
        has_experts = any("_exps." in tensor.name for tensor in self.header.tensors)
        if self._shape is not None:
            shape = self._shape
            return Layout(shape.n_ctx_train, shape.n_layer, shape.n_layer_all + 1, has_experts)
        meta = Metadata(self.header, self.path.name)
        n_layer = meta.integer("block_count", 1, most=MAX_LAYERS)
        return Layout(meta.integer("context_length", 0, most=2**32 - 1), n_layer, n_layer + 1, has_experts)


def device_of(buffer: str, devices: Sequence[Device]) -> str:
    """Return the device that holds a buffer of llama.cpp's log: `RPC0[host:port]`, `CUDA_Host`, `CPU_Mapped`.

    Pinned and repacked memory is the CPU's.
    """
    name = buffer.split("[")[0]
    candidates = [device.name for device in devices if device.kind != "cpu" and name.startswith(device.name)]
    if name.endswith("_Host") or not candidates:
        return next((device.name for device in devices if device.kind == "cpu"), "CPU")
    return max(candidates, key=len)
