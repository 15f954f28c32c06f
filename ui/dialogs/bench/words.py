"""Sentences about plans, progress and times."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from ui import formatting

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from typing import Any

    from app.bench.plan import BenchGroup
    from app.bench.runner import RunProgressed


def long_duration(seconds: float) -> str:
    """Return whole seconds below two minutes, minutes above."""
    if seconds < 120:
        return QCoreApplication.translate("bench", "{} s").format(formatting.count(max(round(seconds), 1)))
    return QCoreApplication.translate("bench", "{} min").format(formatting.count(round(seconds / 60)))


def plan_size(plan: Sequence[BenchGroup], repetitions: int, seconds: float | None) -> str:
    """Return how much a plan is, and how long it takes when that is known."""
    tests = sum(len(group.tests) + len(group.chats) for group in plan)
    size = QCoreApplication.translate("bench", "Tests: {tests}. Timed runs: {runs}. Loads: {loads}.").format(
        tests=formatting.count(tests), runs=formatting.count(tests * repetitions), loads=formatting.count(len(plan))
    )
    if seconds is None:
        when = QCoreApplication.translate("bench", "How long it takes is known once a first test is done.")
    else:
        when = QCoreApplication.translate("bench", "Takes about {}, by earlier results.").format(long_duration(seconds))
    return QCoreApplication.translate("bench", "{size} {when}").format(size=size, when=when)


def progress(event: RunProgressed, repetitions: int) -> str:
    """Return what is measured now and what is left."""
    parts = [
        QCoreApplication.translate("bench", "Test {number} of {total}").format(
            number=formatting.count(min(event.done + 1, event.total)), total=formatting.count(event.total)
        ),
        event.model.name,
    ]
    if event.test is not None:
        parts.append(event.test.name)
    parts.append(_step(event, repetitions))
    if event.seconds_left is not None:
        left = QCoreApplication.translate("bench", "about {} left")
        parts.append(left.format(long_duration(event.seconds_left)))
    return " · ".join(parts)


def _step(event: RunProgressed, repetitions: int) -> str:
    if event.step == "load":
        return QCoreApplication.translate("bench", "loading the model")
    if event.step == "depth":
        return QCoreApplication.translate("bench", "filling the KV cache")
    if event.repetition == 0:
        return QCoreApplication.translate("bench", "warming up")
    return QCoreApplication.translate("bench", "repetition {number} of {total}").format(
        number=formatting.count(event.repetition), total=formatting.count(repetitions)
    )


def when(moment: datetime) -> str:
    """Return a moment in local time, to the second."""
    return f"{formatting.day(moment)} {moment.astimezone():%H:%M:%S}"


def column_heading(settings: Mapping[str, Any], moments: Mapping[str, datetime]) -> str:
    """Return what tells one column of a comparison from the others; a run by its moment."""
    parts = []
    for name, value in settings.items():
        if name == "run_id":
            parts.append(when(moments[value]) if value in moments else str(value))
        elif name == "model_filename":
            parts.append(str(value).replace("\\", "/").rsplit("/", 1)[-1])
        elif name in ("quantisation", "backends", "library", "machine"):
            parts.append(str(value))
        else:
            parts.append(f"{name} {value}")
    return ", ".join(parts) or QCoreApplication.translate("bench", "t/s")
