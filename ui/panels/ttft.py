"""Time to first token: one bar per turn, split into the parts of the wait."""

from __future__ import annotations

import time
from dataclasses import astuple
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt

from app.telemetry.tables import ttft_table
from app.telemetry.timings import NS_PER_S, TurnStats
from ui.formatting import count, definition, duration, duration_unit, labelled, rate, tokens, turn_count
from ui.panels.canvas import Canvas
from ui.panels.legend import Entry
from ui.panels.marks import Mark, Shape
from ui.panels.plot import PlotPanel
from ui.panels.stacked import StackedBars
from ui.panels.ticks import value_axis, whole_ticks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtWidgets import QWidget

    from app.telemetry.series import ConversationSeries
    from app.telemetry.tables import Table
    from app.telemetry.timings import TtftParts
    from ui.theme import Theme

FEWEST_TURNS, MOST_TURNS = 10, 20
"""How many bars there is room for: no fewer than the first, and by itself no more than the second."""

QUEUE = Mark("queue", pattern=Qt.BrushStyle.BDiagPattern)
TOKENISE = Mark("tokenise")
PREFILL = Mark("prefill")
REST = Mark("rest", pattern=Qt.BrushStyle.DiagCrossPattern)
CACHED = Mark("text", Shape.DIAMOND)
MISSING = Mark("muted", Shape.CROSS)

_PIXELS_PER_TURN_LABEL = 26
_HEADROOM = 1.12


class TtftPanel(PlotPanel):
    """Bars of the finished turns, and of the running one while it waits; a click leads to the answer."""

    def __init__(
        self, theme: Theme, parent: QWidget | None = None, clock_ns: Callable[[], int] = time.perf_counter_ns
    ) -> None:
        self._clock_ns = clock_ns
        self._bars: StackedBars | None = None
        self._follow = True
        self._highlighted = ""
        super().__init__(theme, "ttft_plot", parent)

    def highlight_turn(self, message_id: str) -> None:
        """Frame the bar of an answer; an empty id frames none."""
        if message_id != self._highlighted:
            self._highlighted = message_id
            self._invalidate()

    def table(self) -> Table:
        assert self._series is not None
        return ttft_table(self._series)

    def summary(self) -> str:
        series = self._series
        if series is None or not series.turns:
            return self._empty_text()
        last = series.turns[-1].stats
        known = [turn.stats.ttft_s for turn in series.turns if turn.stats.ttft_s is not None]
        sentences = [
            self.tr("{}.").format(turn_count(len(series.turns))),
            self.tr("Last turn: {}.").format(self._split(last)),
        ]
        if known:
            sentences.append(
                self.tr("Shortest {shortest}, longest {longest}.").format(
                    shortest=duration(min(known)), longest=duration(max(known))
                )
            )
        return " ".join(sentences)

    def _heading(self) -> tuple[str, str]:
        return self.tr("Time to first token"), definition("ttft")

    def _make_canvas(self) -> Canvas:
        canvas = Canvas(self._theme, self.tr("turn"), can_scroll=True, parent=self._frame)
        self._bars = StackedBars(self._theme, (QUEUE, TOKENISE, PREFILL, REST), missing=MISSING, dot=CACHED)
        canvas.add_pixel_item(self._bars)
        return canvas

    def _empty_text(self) -> str:
        return self.tr(
            "Each answer gets a bar here, split into the parts of its wait. Send a message to see the first."
        )

    def _has_data(self, series: ConversationSeries) -> bool:
        return bool(series.turns) or series.live_recorder is not None

    def _state(self, series: ConversationSeries) -> object:
        live = series.live_recorder
        return series.turns_revision, series.live_message_id, live is not None and live.completion_tokens > 0

    def _is_running(self, series: ConversationSeries) -> bool:
        return series.live_recorder is not None and not series.live_recorder.completion_tokens

    def _can_scroll(self) -> bool:
        return True

    def _reset(self) -> None:
        self._follow = True

    def _note_scrolled(self) -> None:
        assert self._canvas is not None
        self._follow = self._canvas.x_range[1] >= len(self._turns()) + 0.5

    def _turns(self) -> list[tuple[str, TurnStats]]:
        """The turns that have a bar, the running one included."""
        series = self._series
        if series is None:
            return []
        turns = [(turn.message_id, turn.stats) for turn in series.turns]
        if series.live_stats is not None:
            turns.append((series.live_message_id, series.live_stats))
        return turns

    def _parts(self, stats: TurnStats) -> TtftParts | None:
        series = self._series
        is_live = series is not None and series.live_recorder is not None and stats.finish_reason is None
        return stats.ttft_parts(self._clock_ns() if is_live else None)

    def _show_headline(self, series: ConversationSeries) -> None:
        live = series.live_stats
        if live is not None and live.ttft_s is None:
            parts = self._parts(live)
            self._set_headline(duration(parts.total_ns / NS_PER_S) if parts else "", self.tr("waiting"))
        elif live is not None or series.turns:
            stats = live or series.turns[-1].stats
            detail = ""
            if stats.prefill_tokens_per_s is not None:
                detail = self.tr("prefill {}").format(rate(stats.prefill_tokens_per_s))
            self._set_headline(duration(stats.ttft_s), detail, definition("prefill_rate"))
        else:
            self._set_headline("", "")

    def _draw(self, series: ConversationSeries, canvas: Canvas) -> None:
        assert self._bars is not None
        turns = self._turns()
        parts = np.full((len(turns), 4), np.nan)
        for row, (_, stats) in zip(parts, turns, strict=True):
            split = self._parts(stats)
            if split is not None:
                row[:] = np.array(astuple(split)) / NS_PER_S
        numbers = np.arange(1, len(turns) + 1, dtype=np.float64)
        dotted = np.array([bool(stats.cached_tokens) for _, stats in turns])
        ids = [message_id for message_id, _ in turns]
        self._bars.highlighted = ids.index(self._highlighted) + 1.0 if self._highlighted in ids else None
        self._bars.set_bars(numbers, parts, dotted)
        self._show_ranges(canvas, parts)
        self._set_legend(self._legend_entries(turns[-1][1]))

    def _show_ranges(self, canvas: Canvas, parts: np.ndarray) -> None:
        assert self._bars is not None
        n = len(parts)
        room = FEWEST_TURNS if n <= FEWEST_TURNS else MOST_TURNS
        last = max(n, room) + 0.5
        canvas.set_limits(0.4, last + 0.1, narrowest=4)
        first_shown, last_shown = (last - room, last) if self._follow else canvas.x_range
        shown = parts[max(0, int(first_shown - 0.5)) : int(last_shown + 0.5)].sum(axis=1)
        longest = float(np.nanmax(shown, initial=0.0)) * _HEADROOM
        width, height = canvas.size
        top, ticks = value_axis(longest, height, duration_unit)
        canvas.set_ranges((first_shown, last_shown), (0.0, top))
        canvas.set_ticks("left", ticks)
        numbers = whole_ticks(max(first_shown, 1), last_shown, int(width // _PIXELS_PER_TURN_LABEL))
        canvas.set_ticks("bottom", labelled(numbers))

    def _legend_entries(self, stats: TurnStats) -> list[Entry]:
        split = self._parts(stats)
        seconds = [part / NS_PER_S for part in astuple(split)] if split else [None] * 4
        names = (
            (QUEUE, self.tr("queue"), "queue"),
            (TOKENISE, self.tr("tokenise"), "tokenise"),
            (PREFILL, self.tr("prefill"), "prefill"),
            (REST, self.tr("rest"), "rest"),
        )
        entries = [
            Entry(mark, label, duration(value), definition(key))
            for (mark, label, key), value in zip(names, seconds, strict=True)
        ]
        cached_value = count(stats.cached_tokens) if stats.cached_tokens else ""
        explanation = self.tr("A part of this turn's prompt was already in the KV cache and was not read again.")
        entries.append(Entry(CACHED, self.tr("cached"), cached_value, explanation))
        return entries

    def _stops(self) -> Sequence[float]:
        return [float(number) for number in range(1, len(self._turns()) + 1)]

    def _message_at(self, x: float) -> str:
        turns = self._turns()
        return turns[round(x) - 1][0] if 1 <= round(x) <= len(turns) else ""

    def _reading(self, x: float) -> tuple[float, str] | None:
        turns = self._turns()
        number = round(x)
        if not 1 <= number <= len(turns):
            return None
        stats = turns[number - 1][1]
        lines = [self.tr("Turn {number}: {split}").format(number=count(number), split=self._split(stats))]
        if stats.prompt_tokens is not None:
            lines.append(
                self.tr("prompt {prompt}, {cached} of them cached").format(
                    prompt=tokens(stats.prompt_tokens), cached=count(stats.cached_tokens)
                )
            )
        if stats.cache_miss:
            lines.append(stats.cache_miss)
        return float(number), "\n".join(lines)

    def _split(self, stats: TurnStats) -> str:
        parts = self._parts(stats)
        if parts is None:
            return self.tr("no first token")
        queue, tokenise, prefill, rest = (duration(part / NS_PER_S) for part in astuple(parts))
        text = self.tr("{total}\nqueue {queue}, tokenise {tokenise}\nprefill {prefill}, rest {rest}")
        return text.format(
            total=duration(parts.total_ns / NS_PER_S), queue=queue, tokenise=tokenise, prefill=prefill, rest=rest
        )
