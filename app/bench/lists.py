"""Lists as llama-bench's flags take them: numbers and ranges, types, layers, pairs, switches, separated by commas."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from app.engine.config import KV_TYPES
from app.errors import BadInputError, Sentence

if TYPE_CHECKING:
    from app.bench.plan import GpuLayers
    from app.engine.config import FlashAttention

_RANGE = re.compile(r"(-?\d+)(?:-(\d+)(?:([+*])(\d+))?)?")
_MOST_NUMBERS = 10_000
_FLASH_ATTENTION: dict[str, FlashAttention] = {
    "on": "on", "1": "on", "enabled": "on", "true": "on", "off": "off", "0": "off", "disabled": "off", "false": "off",
    "auto": "auto", "-1": "auto",
}  # fmt: skip


def numbers(text: str) -> list[int]:
    """Return numbers and ranges: first[-last[(+|*)step]], as llama-bench's `parse_int_range`.

    Raises:
        BadInputError: it is neither, or a range that is empty or does not end.
    """
    found: list[int] = []
    for part in _parts(text):
        match = _RANGE.fullmatch(part)
        if match is None:
            raise BadInputError(
                Sentence("{part} is neither a number nor a range like 128-512+128", part=part)
                if part
                else Sentence("a number, or a range like 128-512+128, is missing")
            )
        number, last = int(match[1]), int(match[2] or match[1])
        multiply, step = match[3] == "*", int(match[4] or 1)
        while number <= last:
            found.append(number)
            following = number * step if multiply else number + step
            if following <= number or len(found) > _MOST_NUMBERS:
                raise BadInputError(Sentence("the range {part} does not end", part=part))
            number = following
    if not found:
        raise BadInputError(Sentence("the range {text} is empty", text=text))
    return found


def layers(text: str) -> list[GpuLayers]:
    """Return numbers of layers, `auto` and `all`. Raises BadInputError."""
    found: list[GpuLayers] = []
    for part in _parts(text):
        match part:
            case "auto" | "all":
                found.append(part)
            case _:
                found += numbers(part)
    return found


def types(text: str) -> list[str]:
    """Return types of a KV cache. Raises BadInputError."""
    found = _parts(text)
    for part in found:
        if part not in KV_TYPES:
            raise BadInputError(
                Sentence("{part} is not a KV cache type: choose from {choices}", part=part, choices=", ".join(KV_TYPES))
            )
    return found


def pairs(text: str) -> list[tuple[int, int]]:
    """Return pairs such as 512,128; several are separated by spaces or semicolons. Raises BadInputError."""
    found = []
    for pair in re.split(r"[;\s]+", text.strip(" ;")):
        prompt, comma, generated = pair.partition(",")
        if not comma or not (prompt + generated).isascii() or not (prompt.isdigit() and generated.isdigit()):
            raise BadInputError(Sentence("{pair} is not a pair of numbers like 512,128", pair=pair or '""'))
        found.append((int(prompt), int(generated)))
    return found


def flash_attention(text: str) -> list[FlashAttention]:
    """Return what flash attention shall be: auto, on, off, or llama.cpp's numbers for them. Raises BadInputError."""
    found = []
    for part in _parts(text):
        if part not in _FLASH_ATTENTION:
            raise BadInputError(Sentence("{part} is neither auto, on nor off", part=part or '""'))
        found.append(_FLASH_ATTENTION[part])
    return found


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",")]
