"""The translations as they are in the repository."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "resources" / "translations"


@dataclass(frozen=True)
class Entry:
    """One text of a catalogue; several forms where it counts something."""

    context: str
    source: str
    comment: str
    forms: tuple[str, ...]
    state: str

    @property
    def key(self) -> tuple[str, str, str]:
        return self.context, self.source, self.comment


def entries(path: Path) -> list[Entry]:
    return [
        Entry(
            context.findtext("name", ""),
            message.findtext("source", ""),
            message.findtext("comment", ""),
            tuple(form.text or "" for form in translation.iter("numerusform")) or (translation.text or "",),
            translation.get("type", "finished"),
        )
        for context in ElementTree.parse(path).iter("context")
        for message in context.iter("message")
        for translation in message.iter("translation")
    ]


CHINESE = entries(FOLDER / "tokometer_zh_CN.ts")
