"""What the models window says of a model: where it would go, and how far a download is."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from app.hub.fits import PLACE_WORDS
from app.hub.names import printable
from ui import formatting
from ui.translation import joined, localised

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.hub.batches import Batch
    from app.hub.fits import Place, Placing

_MINUTE_S, _HOUR_S = 60, 3600
_SHORTENED_FROM = 10_000
_UNITS = ((10**9, "B"), (10**6, "M"), (10**3, "K"))


def place(value: Place) -> str:
    """Return where a model would go, in a few words."""
    return formatting.unknown() if value == "unknown" else localised(PLACE_WORDS[value])


def placing(value: Placing) -> str:
    """Return what the words mean, for a tooltip."""
    if value.reason:
        return printable(localised(value.reason))
    match value.place:
        case "gpu":
            text = QCoreApplication.translate("models", "All its layers fit into the free memory of the GPU.")
        case "partly":
            text = QCoreApplication.translate("models", "Some of its layers fit on the GPU, the CPU computes the rest.")
        case "cpu":
            text = QCoreApplication.translate("models", "It fits into the free memory; the CPU computes it.")
        case "no" if value.needed_bytes is not None:
            text = QCoreApplication.translate("models", "It needs {needed} of memory where {free} is free.")
            return text.format(needed=formatting.memory(value.needed_bytes), free=formatting.memory(value.free_bytes))
        case "no":
            return QCoreApplication.translate("models", "It needs more memory than is free.")
        case _:
            return QCoreApplication.translate("models", "What it takes is not known.")
    if value.n_ctx is None:
        return text
    largest = QCoreApplication.translate("models", "The largest context that fits then has {}.")
    return joined(text, largest.format(formatting.tokens(value.n_ctx)))


def parameters(n_params: int) -> str:
    """Return a number of weights as models are named by it: `135M parameters`, `8.03B parameters`."""
    return QCoreApplication.translate("models", "{} parameters").format(short(n_params))


def short(count: int) -> str:
    """Return a large number in few characters: `9,876`, `412K`, `1.23M`, `8.03B`."""
    if count < _SHORTENED_FROM:
        return formatting.count(count)
    size, letter = next(unit for unit in _UNITS if count >= unit[0])
    return f"{formatting.number(count / size)}{letter}"


def downloads(count: int, text: Callable[[int], str]) -> str:
    """Return how often something was downloaded; `text` writes a number."""
    if count == 1:
        return QCoreApplication.translate("models", "1 download")
    return QCoreApplication.translate("models", "{} downloads").format(text(count))


def hub_page() -> str:
    """Return what a button is called that leads to a page of the hub."""
    return QCoreApplication.translate("models", "Hub page…")


def likes(count: int, text: Callable[[int], str]) -> str:
    """Return how many like something; `text` writes a number."""
    if count == 1:
        return QCoreApplication.translate("models", "1 like")
    return QCoreApplication.translate("models", "{} likes").format(text(count))


def time_left(seconds: float) -> str:
    """Return a time that is still to go, rounded up: `12 s`, `3 min`, `2 h 5 min`."""
    if seconds < _MINUTE_S:
        return QCoreApplication.translate("models", "{} s").format(formatting.count(max(1, math.ceil(seconds))))
    minutes = math.ceil(seconds / _MINUTE_S)
    if seconds < _HOUR_S:
        return QCoreApplication.translate("models", "{} min").format(formatting.count(minutes))
    return QCoreApplication.translate("models", "{hours} h {minutes} min").format(
        hours=formatting.count(minutes // 60), minutes=formatting.count(minutes % 60)
    )


def state(batch: Batch) -> str:
    """Return what happens to a download now, with its bytes, speed and time left."""
    amount = QCoreApplication.translate("models", "{done} of {total}").format(
        done=formatting.memory(batch.done_bytes), total=formatting.memory(batch.total_bytes)
    )
    match batch.state:
        case "waiting":
            size = amount if batch.done_bytes else formatting.memory(batch.total_bytes)
            parts = [QCoreApplication.translate("models", "waiting for its turn"), size]
        case "checking":
            checked = QCoreApplication.translate("models", "checking what is here already: {} so far")
            parts = [checked.format(formatting.memory(batch.done_bytes))]
        case "retrying":
            parts = [QCoreApplication.translate("models", "trying again automatically"), amount]
        case "downloading":
            parts = [amount]
            if batch.bytes_per_s:
                speed = formatting.memory(batch.bytes_per_s)
                parts.append(QCoreApplication.translate("models", "{}/s").format(speed))
            if (left := batch.seconds_left) is not None:
                parts.append(QCoreApplication.translate("models", "{} left").format(time_left(left)))
        case "paused":
            parts = [QCoreApplication.translate("models", "paused"), amount]
        case "failed":
            parts = [QCoreApplication.translate("models", "failed"), amount if batch.done_bytes else ""]
        case "done":
            parts = [
                QCoreApplication.translate("models", "downloaded and checked"),
                formatting.memory(batch.total_bytes),
            ]
        case _:
            parts = []
    return " · ".join(part for part in parts if part)
