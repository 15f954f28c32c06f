"""What each variant of a repository would take here, before it is downloaded, and the one to take."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from app.engine.model_file import together
from app.errors import HubError, ModelFileError, Sentence
from app.hub.file_types import bits_per_weight
from app.hub.fits import Placing, placing_before
from app.hub.names import local_path, printable
from app.hub.ranges import fetch_headers

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from app.engine.config import ModelConfig
    from app.engine.gguf import Header
    from app.hub.connection import Abort
    from app.hub.variants import Variant
    from app.telemetry.planner import Planner

MOST_OFFERS = 64
"""Headers fetched without being asked: more variants than the largest collections of one model have."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A variant and what is known of it.

    Attributes:
        bits_per_weight: None when its header could not be read.
        placing: where it would go; its reason says why nothing is known.
    """

    variant: Variant
    bits_per_weight: float | None
    placing: Placing


def offer(variant: Variant, planner: Planner, config: ModelConfig, models: Path, abort: Abort) -> Offer:
    """Fetch a variant's headers, a few MiB, and plan with them.

    Args:
        planner: used by this thread alone.
        config: how it would be loaded; with `n_ctx` the context that is wanted. Its path is not used.
        models: the folder it would be downloaded to.

    Raises:
        StoppedError: it was aborted.
    """
    try:
        header = variant_header(variant, abort)
    except (HubError, ModelFileError) as error:
        return Offer(variant, None, Placing("unknown", reason=error.args[0]))
    return offer_of(variant, header, planner, config, models)


def offer_of(variant: Variant, header: Header, planner: Planner, config: ModelConfig, models: Path) -> Offer:
    """Plan with a header that was fetched; arguments as of `offer`."""
    path = local_path(models, variant.files[0].repo, variant.files[0].name)
    return Offer(variant, bits_per_weight(header), placing_before(planner, header, replace(config, path=path)))


def variant_header(variant: Variant, abort: Abort) -> Header:
    """Return the header of a variant, all its parts together. Raises HubError, ModelFileError or StoppedError."""
    return together(fetch_headers(variant.files, abort))


def recommended(offers: Sequence[Offer]) -> Offer | None:
    """Return the best quality that fits wholly on the GPU, else partly, else in the CPU's memory; None when none does.

    More bits per weight are the better quality; of equal ones the larger file.
    """
    for place in ("gpu", "partly", "cpu"):
        fitting = [each for each in offers if each.placing.place == place and each.variant.is_whole]
        if fitting:
            return max(fitting, key=lambda each: (each.bits_per_weight or 0, each.variant.size or 0))
    return None


def why_recommended(best: Offer | None, n_ctx: int) -> str:
    """Return in one sentence why it is the one to take with a context of so many tokens, or that none is."""
    if best is None:
        return Sentence(
            "None of these fits with a context of {n_ctx:,} tokens: choose a smaller context or a smaller model.",
            n_ctx=n_ctx,
        )
    name = printable(best.variant.quantisation or best.variant.name)
    if best.placing.place == "gpu":
        return Sentence(
            "{name} is the best quality that fits wholly on the GPU with a context of {n_ctx:,} tokens.",
            name=name,
            n_ctx=n_ctx,
        )
    if best.placing.place == "partly":
        return Sentence(
            "With a context of {n_ctx:,} tokens none fits wholly on the GPU; {name} is the best quality that does in "
            "part.",
            name=name,
            n_ctx=n_ctx,
        )
    return Sentence(
        "{name} is the best quality that fits in the memory with a context of {n_ctx:,} tokens; it runs on the CPU.",
        name=name,
        n_ctx=n_ctx,
    )
