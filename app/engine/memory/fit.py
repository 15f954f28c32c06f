"""Chooses the context and the layers on GPUs that fit: llama.cpp's own algorithm (common/fit.cpp), on any measure.

Context first: it shrinks to 4,096 tokens before a layer leaves the GPUs. Then layers: GPUs are filled from the last to
the first, the output layer with the last. A model with experts first gives up their weights, from its first layers on.
Other than in llama.cpp, the CPU's memory counts as far as it is available, and experts leave by whole layers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from app.engine.memory.placement import gpu_devices
from app.engine.memory.settings import CELLS_STEP, MOST_CELLS, padded
from app.errors import Sentence, joined

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.engine.config import ModelConfig
    from app.engine.events import Device
    from app.engine.memory.demand import Demand

LEAST_N_CTX = 4096
"""No layer leaves a GPU for a context larger than this: --fit-ctx of llama.cpp's common/common.h."""

_SMALLEST_N_CTX = 512


@dataclass(frozen=True, slots=True)
class Layout:
    """What the algorithm must know of a model. `layers_total` counts the output layer."""

    n_ctx_train: int
    n_layer: int
    layers_total: int
    has_experts: bool


@dataclass(frozen=True, slots=True)
class Fit:
    """What was chosen.

    Attributes:
        config: the one asked for, with numbers in place of "auto" and None.
        n_ctx_max: the largest context that fits with these layers; None when none does.
        fits: whether every device keeps its reserve.
        reduced: whether something had to be smaller than wanted.
        choice: one sentence about it; empty when nothing was to be chosen.
    """

    config: ModelConfig
    n_ctx_max: int | None
    fits: bool
    reduced: bool
    choice: str


def fit(
    config: ModelConfig, layout: Layout, devices: Sequence[Device], measure: Callable[[ModelConfig], Demand]
) -> Fit:
    """Return the choice for this config on these devices (the CPU among them).

    Args:
        measure: what a config takes; called some dozens of times.
    """
    return _Fitter(config, layout, devices, measure).run()


def largest_n_ctx(
    config: ModelConfig, ceiling: int, devices: Sequence[Device], measure: Callable[[ModelConfig], Demand]
) -> int | None:
    """Return the largest context that fits with the reserve, up to the one that llama.cpp makes of `ceiling`.

    None when none does.

    By false position, as llama.cpp's fit counts layers: what a context takes grows in straight lines.

    Args:
        config: its layers are a number.
    """

    def excess(steps: int) -> int:
        return excess_bytes(measure(replace(config, n_ctx=steps * CELLS_STEP)), config, devices)

    high = min(padded(ceiling), MOST_CELLS) // CELLS_STEP
    above = excess(high)
    if above <= 0:
        return high * CELLS_STEP
    low, below = 1, excess(1) if high > 1 else above
    if below > 0:
        return None
    from_below = False
    while high - low > 1:
        guess = low + (high - low) * -below // (above - below)
        middle = min(max(guess + from_below, low + 1), high - 1)
        at = excess(middle)
        from_below = at <= 0
        if at <= 0:
            low, below = middle, at
        else:
            high, above = middle, at
    return low * CELLS_STEP


def excess_bytes(demand: Demand, config: ModelConfig, devices: Sequence[Device]) -> int:
    """Return how much is missing to keep the reserve on the device that misses most; at most 0 when nothing is.

    A GPU without layers, serving the CPU's, need not keep any. One that cannot say what it has, has it.
    """
    if demand.refused:
        return 1
    worst: int | None = None
    for device in devices:
        used = demand.used_bytes(device.name)
        if not used or device.free_bytes is None:
            continue
        holds = device.kind == "cpu" or demand.used_bytes(device.name, "weights", "kv", "recurrent") > 0
        missing = used + (config.reserve_bytes if holds else 0) - device.free_bytes
        worst = missing if worst is None else max(worst, missing)
    return -1 if worst is None else worst


def keeps_reserve(demand: Demand, config: ModelConfig, devices: Sequence[Device]) -> bool:
    """Whether every device keeps its reserve free (`excess_bytes`)."""
    return excess_bytes(demand, config, devices) <= 0


class _Fitter:
    def __init__(
        self, config: ModelConfig, layout: Layout, devices: Sequence[Device], measure: Callable[[ModelConfig], Demand]
    ) -> None:
        self._asked = config
        self._layout = layout
        self._devices = devices
        self._gpus = gpu_devices(config, devices)
        self._measure = measure

    def run(self) -> Fit:
        asked, layout = self._asked, self._layout
        trained = layout.n_ctx_train or asked.n_ctx_start
        wanted = asked.n_ctx or min(trained, asked.n_ctx_start)
        full = replace(asked, n_ctx=wanted, n_gpu_layers=self._all_layers(asked))
        config = full
        if not self._on_gpus_fits(full) and asked.n_ctx is None:
            config = replace(full, n_ctx=self._reduced_n_ctx(full, wanted))
        if asked.n_gpu_layers == "auto" and self._gpus and not self._on_gpus_fits(config):
            config = self._with_fewer_layers(config)
            if config.n_gpu_layers == 0:  # the context shrank for nothing
                config = replace(full, n_gpu_layers=0)
                if asked.n_ctx is None and not self._on_gpus_fits(config):
                    config = replace(config, n_ctx=self._reduced_n_ctx(config, wanted))
        ceiling = max(trained, asked.n_ctx or 0)
        most = largest_n_ctx(config, ceiling, self._devices, self._measure)
        demand = self._measure(config)
        fits = keeps_reserve(demand, config, self._devices)
        return Fit(config, most, fits, config != full, self._sentence(config, wanted, demand, fits))

    def _all_layers(self, asked: ModelConfig) -> int:
        if isinstance(asked.n_gpu_layers, int):
            return asked.n_gpu_layers
        return self._layout.layers_total if self._gpus or asked.n_gpu_layers == "all" else 0

    def _on_gpus_fits(self, config: ModelConfig) -> bool:
        """Whether the GPUs, or the CPU where there are none, keep their reserve."""
        demand = self._measure(config)
        devices = self._gpus if self._gpus and config.n_gpu_layers else self._devices
        return all(demand.used_bytes(device.name) <= self._target(device) for device in devices)

    def _target(self, device: Device) -> float:
        """What may be used; nothing of a GPU that does not say what it has, as in llama.cpp."""
        if device.free_bytes is None:
            return 0.0 if device.kind in ("gpu", "igpu") else float("inf")
        return max(device.free_bytes - self._asked.reserve_bytes, 0)

    def _reduced_n_ctx(self, full: ModelConfig, wanted: int) -> int:
        """Return the largest context with which all layers stay where they are, at least 4,096 tokens.

        Without GPUs there is nothing else to give up: then as many tokens as fit, and where not even the weights fit
        (they are mapped, so they load all the same) what fits into a quarter of the memory.
        """
        largest = largest_n_ctx(full, wanted, self._devices, self._measure)
        if self._gpus and full.n_gpu_layers:
            return max(largest or 0, min(LEAST_N_CTX, wanted))
        if largest is not None:
            return largest
        quarter = sum(device.free_bytes or 0 for device in self._devices if device.kind == "cpu") // 4
        n_ctx = wanted
        while n_ctx > _SMALLEST_N_CTX and self._context_bytes(replace(full, n_ctx=n_ctx)) > quarter:
            n_ctx //= 2
        return max(n_ctx // CELLS_STEP * CELLS_STEP, min(_SMALLEST_N_CTX, wanted))

    def _context_bytes(self, config: ModelConfig) -> int:
        return self._measure(config).total_bytes("kv", "recurrent", "compute", "output")

    # -- layers -------------------------------------------------------------------------------------------------------

    def _with_fewer_layers(self, config: ModelConfig) -> ModelConfig:
        if not self._layout.has_experts or config.n_cpu_moe:
            return self._filled(config)
        dense = replace(config, n_cpu_moe=self._layout.n_layer)
        if not self._on_gpus_fits(dense):
            return self._filled(dense)
        low, high = (
            0,
            self._layout.n_layer,
        )  # with `low` layers' experts on the CPU it does not fit, with `high` it does
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._on_gpus_fits(replace(config, n_cpu_moe=middle)) else (middle, high)
        return replace(config, n_cpu_moe=high)

    def _filled(self, config: ModelConfig) -> ModelConfig:
        """Fill the GPUs from the last to the first, each with as many layers as it holds."""
        if config.tensor_split:  # the user's: only their number is open
            gpus = self._gpus
            return self._most_layers(lambda count: replace(config, n_gpu_layers=count), self._layout.layers_total, gpus)
        counts = [0] * len(self._gpus)

        def with_counts(index: int, count: int) -> ModelConfig:
            tried = [*counts[:index], count, *counts[index + 1 :]]
            split = tuple(map(float, tried)) if len(tried) > 1 and any(tried) else ()
            return replace(config, n_gpu_layers=sum(tried), tensor_split=split)

        filled = config
        for index in reversed(range(len(self._gpus))):
            left = self._layout.layers_total - sum(counts)
            filled = self._most_layers(lambda n, i=index: with_counts(i, n), left, self._gpus[index : index + 1])  # type: ignore[misc]
            counts[index] = int(filled.n_gpu_layers) - sum(counts)
        return filled

    def _most_layers(self, at: Callable[[int], ModelConfig], ceiling: int, devices: Sequence[Device]) -> ModelConfig:
        def has_room(count: int) -> bool:
            demand = self._measure(at(count))
            return all(demand.used_bytes(device.name) <= self._target(device) for device in devices)

        low, high = 0, ceiling + 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if has_room(middle) else (low, middle)
        return at(low)

    # -- words --------------------------------------------------------------------------------------------------------

    def _sentence(self, config: ModelConfig, wanted: int, demand: Demand, fits: bool) -> str:
        if demand.refused:
            return ""
        sentences: list[str] = []
        if self._asked.n_gpu_layers == "auto":
            room = self._kept_free(demand) if fits else self._lacking(demand)
            sentences.append(Sentence("{layers}: {room}.", layers=self._layers_in_words(config), room=room))
            if config.n_cpu_moe > self._asked.n_cpu_moe:
                count = min(config.n_cpu_moe, self._layout.n_layer)
                sentences.append(Sentence("The experts of {count} layers stay on the CPU.", count=count))
        if config.n_ctx != wanted:
            sentences.append(
                Sentence(
                    "The context is {n_ctx:,} tokens instead of {wanted:,}, to fit.", n_ctx=config.n_ctx, wanted=wanted
                )
            )
        return joined(sentences)

    def _layers_in_words(self, config: ModelConfig) -> str:
        count, total = config.n_gpu_layers, self._layout.layers_total
        names = ", ".join(device.name for device in self._gpus)
        if not self._gpus:
            return Sentence("All layers on the CPU")
        if not count:
            return Sentence("No layer on {devices}", devices=names)
        if count == total:
            return Sentence("All {total} layers on {devices}", total=total, devices=names)
        return Sentence("{count} of {total} layers on {devices}", count=count, total=total, devices=names)

    def _kept_free(self, demand: Demand) -> str:
        used = [device for device in self._gpus if demand.used_bytes(device.name, "weights", "kv")]
        shown = used or [device for device in self._devices if device.kind == "cpu"]
        left = [
            (device.name, device.free_bytes - demand.used_bytes(device.name))
            for device in shown
            if device.free_bytes is not None
        ]
        if not left:
            return Sentence("what stays free is not known")
        sizes = [_gib(size) if len(left) == 1 else f"{name} {_gib(size)}" for name, size in left]
        return Sentence("{sizes} kept free", sizes=", ".join(sizes))

    def _lacking(self, demand: Demand) -> str:
        reserve = self._asked.reserve_bytes
        missing = {
            device.name: excess_bytes(demand, self._asked, (device,))
            for device in self._devices
            if demand.used_bytes(device.name)
        }
        lacks = [f"{name} {_gib(size)}" for name, size in missing.items() if size > 0]
        return Sentence("{sizes} missing to keep {reserve} free", sizes=", ".join(lacks), reserve=_gib(reserve))


def _gib(size_bytes: int) -> str:
    return f"{size_bytes / 1024**3:.1f} GiB"
