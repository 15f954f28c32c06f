"""Settles "auto" and None before a load, the same way for the engine and for a plan."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from app.engine.memory.fit import LEAST_N_CTX, Fit, fit, keeps_reserve, largest_n_ctx
from app.errors import BadInputError, Sentence

if TYPE_CHECKING:
    from app.engine.config import ModelConfig
    from app.engine.memory.demand import Demands

_MOST_CORRECTIONS = 4


def choose(config: ModelConfig, demands: Demands, *, measured: bool) -> Fit:
    """Return the choice for a config.

    Args:
        measured: measure the chosen context in a dry run, and choose again when that shows more room or less.

    Raises:
        TokometerError: it could not be measured.
    """
    layout, devices = demands.layout(), demands.devices
    chosen = fit(config, layout, devices, demands.estimate)
    if not measured or demands.estimate(chosen.config).refused:
        return chosen
    for _ in range(_MOST_CORRECTIONS):
        demands.measure_all(_contexts(chosen.config, layout.n_ctx_train, chosen.n_ctx_max))
        again = fit(config, layout, devices, demands.estimate)
        if again.config == chosen.config and again.n_ctx_max == chosen.n_ctx_max:
            break
        chosen = again
    return chosen


def choose_to_load(config: ModelConfig, demands: Demands) -> Fit:
    """Return the choice for a load: measured only where the upper bound of what is needed does not fit.

    Raises:
        BadInputError: llama.cpp refuses the settings, or the context alone is larger than the memory that is free.
        TokometerError: it could not be measured.
    """
    chosen = choose(config, demands, measured=False)
    if chosen.reduced or not chosen.fits:
        chosen = choose(config, demands, measured=True)
    _check_room(chosen, config, demands)
    return chosen


def _contexts(config: ModelConfig, *lengths: int | None) -> list[ModelConfig]:
    """The config at its own length and at others, between which buffers grow in straight lines."""
    wanted = dict.fromkeys(length for length in (config.n_ctx, LEAST_N_CTX, *lengths) if length)
    return [replace(config, n_ctx=length) for length in wanted]


def _check_room(chosen: Fit, asked: ModelConfig, demands: Demands) -> None:
    demand = demands.estimate(chosen.config)
    if demand.refused:
        raise BadInputError(demand.refused)
    if asked.n_ctx is None:
        return
    for device in demands.devices:
        needed = demand.used_bytes(device.name, "kv", "recurrent", "compute", "output")
        if device.kind == "cpu" and device.free_bytes is not None and needed > device.free_bytes:
            largest = largest_n_ctx(
                replace(chosen.config, reserve_bytes=0), asked.n_ctx, demands.devices, demands.estimate
            )
            raise BadInputError(
                Sentence(
                    "A context of {n_ctx:,} tokens needs {need:.1f} GiB and {free:.1f} GiB are free: choose at most "
                    "{largest:,} tokens, or a smaller KV cache type.",
                    n_ctx=asked.n_ctx,
                    need=needed / 1024**3,
                    free=device.free_bytes / 1024**3,
                    largest=largest or 0,
                )
            )


__all__ = ["Fit", "choose", "choose_to_load", "keeps_reserve"]
