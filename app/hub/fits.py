"""Where a model of the library would go on this machine, from the same plan as the load dialog's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from app.errors import Sentence, TokometerError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.engine.config import ModelConfig
    from app.engine.gguf import Header
    from app.hub.library import LibraryModel
    from app.telemetry.plan import Plan
    from app.telemetry.planner import Planner

Place = Literal["gpu", "partly", "cpu", "no", "unknown"]
PLACE_WORDS: Mapping[Place, str] = {
    "gpu": Sentence("whole on GPU"),
    "partly": Sentence("partly on GPU"),
    "cpu": Sentence("on CPU"),
    "no": Sentence("does not fit"),
    "unknown": "n/a",
}
"""What a place is called in the terminal and in the window."""


@dataclass(frozen=True, slots=True)
class Placing:
    """Where it goes.

    Attributes:
        place: "gpu": every layer and all experts; "partly": some; "cpu": none, or there is no GPU; "no": it needs more
            memory than is free, or llama.cpp refuses it; "unknown": it is no model to load, or cannot be planned.
        n_ctx: the largest context with these layers; None where none fits or nothing is known.
        reason: why it is "no" or "unknown", one sentence; empty when the numbers say it.
        needed_bytes, free_bytes: of the devices with too little room, when that is why it is "no"; None otherwise.
    """

    place: Place
    n_ctx: int | None = None
    reason: str = ""
    needed_bytes: int | None = None
    free_bytes: int | None = None


def placing(planner: Planner, model: LibraryModel, config: ModelConfig) -> Placing:
    """Return where this model goes. Never raises; takes milliseconds once the planner knows the devices, unless the
    architecture is new and must be measured.

    Args:
        planner: used by this thread alone.
        config: how it would be loaded; its path is the model's.
    """
    if model.problem:
        return Placing("unknown", reason=model.problem)
    if model.kind in ("projector", "other"):
        return Placing("unknown")
    try:
        return placing_of(planner.plan(config, accuracy="estimate"))
    except TokometerError as error:
        return Placing("unknown", reason=error.args[0])


def placing_before(planner: Planner, header: Header, config: ModelConfig) -> Placing:
    """Return where a model goes of which only the header was fetched. Never raises.

    Args:
        header: of all parts together.
        config: how it would be loaded; its path need not exist.
    """
    try:
        return placing_of(planner.plan(config, accuracy="estimate", header=header))
    except TokometerError as error:
        return Placing("unknown", reason=error.args[0])


def placing_of(plan: Plan) -> Placing:
    """Return what a plan says of it."""
    if plan.refused:
        return Placing("no", reason=plan.refused)
    if not plan.fits:
        short = [each for each in plan.devices if (each.left_bytes or 0) < 0]
        needed, free = sum(each.used_bytes for each in short), sum(each.device.free_bytes or 0 for each in short)
        return Placing("no", needed_bytes=needed, free_bytes=free)
    if not plan.n_gpu_layers:
        place: Place = "cpu"
    else:
        place = "gpu" if plan.n_gpu_layers >= plan.layers_total and not plan.n_cpu_moe else "partly"
    return Placing(place, plan.max_n_ctx_that_fits)
