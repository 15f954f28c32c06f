"""Where the wait went, as a bar and in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from app.telemetry.waiting import PARTS, wait_of
from app.units import NS_PER_S
from ui import formatting
from ui.chat.item import Segment
from ui.panels.looks import WAIT_PARTS

if TYPE_CHECKING:
    from app.telemetry.timings import TurnStats
    from app.telemetry.waiting import PartName, Wait

LOOKS = dict(zip(PARTS, WAIT_PARTS, strict=True))


def part_name(name: PartName) -> str:
    """Return what a part of the wait is called."""
    return {
        "queue": QCoreApplication.translate("waits", "queue"),
        "template": QCoreApplication.translate("waits", "template"),
        "tokenise": QCoreApplication.translate("waits", "tokenise"),
        "cached": QCoreApplication.translate("waits", "cached"),
        "prefill": QCoreApplication.translate("waits", "prefill"),
        "first_sample": QCoreApplication.translate("waits", "first sample"),
        "decode": QCoreApplication.translate("waits", "decode"),
        "window": QCoreApplication.translate("waits", "window"),
    }[name]


def part_definition(name: PartName) -> str:
    """Return what a part of the wait is."""
    return {
        "queue": QCoreApplication.translate("waits", "the engine was busy, or its process had to wake"),
        "template": QCoreApplication.translate("waits", "the chat template made the prompt"),
        "tokenise": QCoreApplication.translate("waits", "the prompt became tokens"),
        "cached": QCoreApplication.translate("waits", "what the KV cache holds of the prompt was taken over"),
        "prefill": QCoreApplication.translate("waits", "the rest of the prompt was read"),
        "first_sample": QCoreApplication.translate("waits", "the first token was chosen"),
        "decode": QCoreApplication.translate("waits", "the answer was written"),
        "window": QCoreApplication.translate("waits", "from the last token to its picture"),
    }[name]


@dataclass(frozen=True, slots=True)
class WaitBarOf:
    """The bar of one answer."""

    wait: Wait

    def segments(self) -> tuple[Segment, ...]:
        """Return the parts that lasted, in the order of time; they sum to the wall time."""
        wait = self.wait
        return tuple(Segment(LOOKS[part.name], part.ns, part_text(wait, part.name)) for part in wait.parts if part.ns)

    def text(self) -> str:
        """Return the whole wait in words, a line each."""
        wait = self.wait
        whole = QCoreApplication.translate("waits", "From Send until the whole answer is on screen: {time}")
        lines = [
            whole.format(time=formatting.duration(wait.wall_ns / NS_PER_S)),
            *(part_text(wait, part.name) for part in wait.parts if part.ns),
        ]
        if wait.saved_s:
            saved = QCoreApplication.translate("waits", "The KV cache saved about {time} of reading.")
            lines.append(saved.format(time=formatting.duration(wait.saved_s)))
        if wait.growth_ns:
            grown = QCoreApplication.translate("waits", "Growing the context took {time} of it.")
            lines.append(grown.format(time=formatting.duration(wait.growth_ns / NS_PER_S)))
        return "\n".join(lines)


def wait_of_turn(stats: TurnStats) -> WaitBarOf | None:
    """Return the bar of a finished turn, None for one that is not."""
    wait = wait_of(stats)
    return WaitBarOf(wait) if wait is not None else None


def part_text(wait: Wait, name: PartName) -> str:
    """Return one part in words: `prefill: 1.21 s, 1,840 tokens (the rest of the prompt was read)`."""
    part = wait.part(name)
    time = formatting.duration(part.ns / NS_PER_S)
    if part.tokens is not None:
        time = QCoreApplication.translate("waits", "{time}, {tokens}").format(
            time=time, tokens=formatting.tokens(part.tokens)
        )
    return QCoreApplication.translate("waits", "{part}: {time} ({definition})").format(
        part=part_name(name), time=time, definition=part_definition(name)
    )
