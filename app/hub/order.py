"""The order of models' names, as people read them."""

from __future__ import annotations

import math
import re

_NUMBER = re.compile(r"(\d+(?:\.\d+)?)(?:([kmb])(?![a-z]))?")
_SIZES = {"k": 10**3, "m": 10**6, "b": 10**9, None: 1}


def natural_key(name: str) -> tuple[tuple[float, str], ...]:
    """Return what names are sorted by: 0.5B, 1.5B, 14B; 360M before 1.7B; Q2, Q8, Q10; upper and lower case alike."""
    parts, end = [], 0
    folded = name.casefold()
    for match in _NUMBER.finditer(folded):
        parts.append((math.inf, folded[end : match.start()]))
        parts.append((float(match[1]) * _SIZES[match[2]], ""))
        end = match.end()
    return (*parts, (math.inf, folded[end:]))
