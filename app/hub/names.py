"""From a name on the hub, which anybody may have chosen, to a path below the models folder."""

from __future__ import annotations

import re
import sys
import unicodedata
from pathlib import Path

_FORBIDDEN = re.compile(r'[<>:"|?*]')
_RESERVED = re.compile(r"(con|conin\$|conout\$|prn|aux|nul|(com|lpt)[\d¹²³]) *(\..*)?", re.IGNORECASE)
"""By Windows, with a suffix or spaces behind them too."""
_MOST_BYTES = 200
"""Of one part of a path: file systems take 255, and a suffix is added while it is incomplete."""
_MOST_PARTS = 8
_MOST_WORD_CHARS = 100


def local_path(folder: Path, repo: str, name: str) -> Path:
    """Return `folder/owner/repository/file`, below `folder` whatever the names are."""
    parts = [_safe(part) for part in re.split(r"[/\\]", f"{repo}/{name}") if part.strip() not in ("", ".", "..")]
    *folders, file = parts or ["model.gguf"]
    return folder.joinpath(*folders[: _MOST_PARTS - 1], file)


def place_of(repo: str, name: str) -> str:
    """Return what is equal for two names that are one file on this machine."""
    place = str(local_path(Path(), repo, name))
    return place.casefold() if sys.platform in ("win32", "darwin") else place


def printable(text: str) -> str:
    """Return a text without characters that steer a terminal or hide what is written."""
    return "".join(char for char in text if char == "\n" or unicodedata.category(char)[0] != "C")


def word(text: str) -> str:
    """Return what somebody else says of a thing, short and on one line whatever it is."""
    return " ".join(printable(text[: 2 * _MOST_WORD_CHARS]).split())[:_MOST_WORD_CHARS]


def _safe(part: str) -> str:
    part = _FORBIDDEN.sub("_", printable(part).replace("\n", "")).strip().rstrip(". ")
    part = f"_{part}" if _RESERVED.fullmatch(part) or not part else part
    stem, dot, suffix = part.rpartition(".")
    if not stem or len(suffix) > 10:
        stem, dot, suffix = part, "", ""
    room = _MOST_BYTES - len((dot + suffix).encode("utf-8"))
    # The end is kept: there stand the quantisation and the number of a part.
    return stem.encode("utf-8", "ignore")[-room:].decode("utf-8", "ignore") + dot + suffix
