"""What to offer a newcomer: the few models of the list that suit this machine best."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from app.engine.config import START_N_CTX
from app.engine.memory.placement import gpu_devices
from app.errors import NotOnHubError
from app.hub.fits import Placing
from app.hub.offers import variant_header
from app.hub.reference import choose
from app.hub.search import repository
from app.hub.transfer import RESERVE_BYTES, free_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from app.engine.config import ModelConfig
    from app.engine.events import Device
    from app.engine.gguf import Header
    from app.hub.connection import Abort
    from app.hub.curated import CuratedModel
    from app.hub.variants import Variant

MOST_OFFERS = 3
_READING_TOKENS_PER_S = 238 / 60 / 0.75
"""238 words a minute are read silently (Brysbaert 2019); a token is about three quarters of an English word."""
_MEMORY_BYTES_PER_S = 38.4e9
"""What two channels of DDR4-2400 carry (JESD79-4), the slowest memory that a computer of today has."""
READABLE_BYTES = _MEMORY_BYTES_PER_S / _READING_TOKENS_PER_S
"""More weights per token than this are read from main memory slower than their words are read by the user."""


@dataclass(frozen=True, slots=True)
class StartOffer:
    """A model of the list on this machine.

    Attributes:
        placing: where it would go.
        is_rough: the placing is made from the file's size, not from its header.
        variant: what would be downloaded; None until the hub was asked.
    """

    model: CuratedModel
    placing: Placing
    is_rough: bool = True
    variant: Variant | None = None

    @property
    def size_bytes(self) -> int | None:
        """Of the download: as the hub says, else as the list says."""
        size = self.variant.size if self.variant is not None else None
        return self.model.size_bytes if size is None else size

    @property
    def bytes_per_token(self) -> float | None:
        """Weights that are read for each token."""
        return None if self.size_bytes is None else self.size_bytes * self.model.active_share


def rough_offer(model: CuratedModel, config: ModelConfig, devices: Sequence[Device]) -> StartOffer:
    """Place a model by its file's size and the KV cache of a context that has not grown yet.

    Args:
        config: with the reserve and the devices to use; its path is not used.
        devices: those of this machine with their free memory.
    """
    if model.size_bytes is None:
        return StartOffer(model, Placing("unknown"))
    needed = model.size_bytes + START_N_CTX * (model.kv_bytes_per_token or 0)
    gpus = gpu_devices(config, devices)
    on_gpus = sum(_room(device, config) for device in gpus)
    on_cpu = sum(_room(device, config) for device in devices if device.kind == "cpu")
    if on_gpus >= needed:
        return StartOffer(model, Placing("gpu"))
    if on_gpus + on_cpu < needed:
        return StartOffer(model, Placing("no"))
    return StartOffer(model, Placing("partly" if on_gpus else "cpu"))


def download_room(folder: Path) -> float:
    """Return the bytes that a download may take on the disk of a folder, which need not be there yet."""
    for place in (folder, *folder.parents):
        with suppress(OSError):
            return max(free_bytes(place) - RESERVE_BYTES, 0)
    return math.inf


def look_up(model: CuratedModel, abort: Abort) -> tuple[Variant, Header]:
    """Ask the hub for a model of the list: its files, and their headers.

    A repository whose files were renamed or made anew is asked for the quantisation instead.

    Raises:
        HubError, ModelFileError: the hub cannot be asked, has no such model, or what it has is damaged.
        StoppedError: it was aborted.
    """
    found = repository(model.repo, abort)
    try:
        variant = choose(found, model.quantisation, model.file)
    except NotOnHubError:
        variant = choose(found, model.quantisation)
    return variant, variant_header(variant, abort)


def suggested(offers: Sequence[StartOffer]) -> tuple[StartOffer, ...]:
    """Return at most `MOST_OFFERS` that fit, the best first, each of the others half as large at most.

    The best is the most capable one that writes as fast as it is read: any that is whole on a GPU, else one whose
    weights per token are at most `READABLE_BYTES`. Where none does, the fastest.

    Args:
        offers: in the order of the list, the most capable last.
    """
    fitting = [each for each in offers if each.placing.place in ("gpu", "partly", "cpu") and each.size_bytes]
    if not fitting:
        return ()
    quick = [each for each in fitting if each.placing.place == "gpu" or _bytes_per_token(each) <= READABLE_BYTES]
    chosen = [quick[-1] if quick else min(fitting, key=_bytes_per_token)]
    while len(chosen) < MOST_OFFERS:
        smaller = [each for each in quick if 2 * (each.size_bytes or 0) <= (chosen[-1].size_bytes or 0)]
        if not smaller:
            break
        chosen.append(smaller[-1])
    return tuple(chosen)


def told_by_hub(offer: StartOffer, variant: Variant, placing: Placing) -> StartOffer:
    """Return an offer with what its header says; the rough placing stays where the header says nothing."""
    if placing.place == "unknown":
        return replace(offer, variant=variant)
    return replace(offer, variant=variant, placing=placing, is_rough=False)


def _bytes_per_token(offer: StartOffer) -> float:
    return offer.bytes_per_token or 0.0


def _room(device: Device, config: ModelConfig) -> float:
    """What a model may take; a device that cannot say what it has is taken to have it, as in a plan."""
    return math.inf if device.free_bytes is None else max(device.free_bytes - config.reserve_bytes, 0)
