"""Time to first token: one bar per turn, split into the parts of the wait."""

from __future__ import annotations

import time
from dataclasses import astuple
from typing import TYPE_CHECKING

from app.units import NS_PER_S
from ui.formatting import count, definition, duration, growth, rate, tokens, turn_count
from ui.panels.legend import Entry
from ui.panels.looks import CACHED, TTFT_PARTS
from ui.panels.plot import PlotPanel
from ui.translation import joined

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtWidgets import QWidget

    from app.telemetry.series import ConversationSeries
    from app.telemetry.tables import Table
    from app.telemetry.timings import TtftParts, TurnStats
    from ui.panels.canvas import Canvas
    from ui.panels.ttft_chart import TtftChart
    from ui.theme import Theme


class TtftPanel(PlotPanel):
    """Bars of the finished turns, and of the running one while it waits; a click leads to the answer."""

    def __init__(
        self, theme: Theme, parent: QWidget | None = None, clock_ns: Callable[[], int] = time.perf_counter_ns
    ) -> None:
        self.chart: TtftChart | None = None
        self._clock_ns = clock_ns
        self._highlighted = ""
        super().__init__(theme, "ttft_plot", can_scroll=True, parent=parent)

    def highlight_turn(self, message_id: str) -> None:
        """Frame the bar of an answer; an empty id frames none."""
        if message_id != self._highlighted:
            self._highlighted = message_id
            self._invalidate()

    def table(self) -> Table:
        assert self._series is not None
        from app.telemetry.tables import ttft_table  # not above: it would come before the window's first frame

        return ttft_table(self._series)

    def summary(self) -> str:
        series = self._series
        if series is None or not series.turns:
            return self._empty_text()
        last = self._split(series, series.turns[-1].stats).replace("\n", self.tr(", "))
        sentences = [self.tr("{turns}. Last turn: {split}.").format(turns=turn_count(len(series.turns)), split=last)]
        known = [turn.stats.ttft_s for turn in series.turns if turn.stats.ttft_s is not None]
        if known:
            range_text = self.tr("Shortest {shortest}, longest {longest}.")
            sentences.append(range_text.format(shortest=duration(min(known)), longest=duration(max(known))))
        return joined(*sentences)

    def _title(self) -> tuple[str, str]:
        return self.tr("Time to first token"), definition("ttft")

    def _x_caption(self) -> str:
        return self.tr("turn")

    def _empty_text(self) -> str:
        return self.tr("Each answer gets a bar here, split into the parts of its wait: send a message to see one.")

    def _make_chart(self, canvas: Canvas) -> None:
        from ui.panels.ttft_chart import TtftChart  # not above: numpy would come before the window's first frame

        self.chart = TtftChart(self._theme, canvas)

    def _has_data(self, series: ConversationSeries) -> bool:
        return bool(series.turns) or series.live_recorder is not None

    def _state(self, series: ConversationSeries) -> object:
        live = series.live_recorder
        return series.turns_revision, series.live_message_id, live is not None and live.completion_tokens > 0

    def _is_running(self, series: ConversationSeries) -> bool:
        return series.live_recorder is not None and not series.live_recorder.completion_tokens

    def _reset(self) -> None:
        if self.chart is not None:
            self.chart.follow()

    def _note_scrolled(self, canvas: Canvas) -> None:
        if self.chart is not None:
            self.chart.note_scrolled()

    def _turns(self, series: ConversationSeries) -> list[tuple[str, TurnStats]]:
        """Answer and stats of the turns that have a bar, the running one included."""
        turns = [(turn.message_id, turn.stats) for turn in series.turns]
        live = series.live_stats
        return turns if live is None else [*turns, (series.live_message_id, live)]

    def _parts(self, series: ConversationSeries, stats: TurnStats) -> TtftParts | None:
        is_live = series.live_recorder is not None and stats.finish_reason is None
        return stats.ttft_parts(self._clock_ns() if is_live else None)

    def _show_headline(self, series: ConversationSeries) -> None:
        turns = self._turns(series)
        if not turns:
            self.heading.set_value("")
            return
        stats = turns[-1][1]
        parts = self._parts(series, stats)
        if self._is_running(series) and parts is not None:
            self.heading.set_value(duration(parts.total_ns / NS_PER_S), self.tr("waiting"))
            return
        speed = stats.prefill_tokens_per_s
        detail = "" if speed is None else self.tr("prefill {}").format(rate(speed))
        self.heading.set_value(duration(stats.ttft_s), detail, definition("prefill_rate"))

    def _draw(self, series: ConversationSeries, canvas: Canvas) -> None:
        assert self.chart is not None
        turns = self._turns(series)
        ids = [message_id for message_id, _ in turns]
        highlighted = ids.index(self._highlighted) + 1 if self._highlighted in ids else None
        parts = [self._parts(series, stats) for _, stats in turns]
        self.chart.draw(parts, [bool(stats.cached_tokens) for _, stats in turns], highlighted)
        self.legend.set_entries(self._legend_entries(series, turns[-1][1]))

    def _legend_entries(self, series: ConversationSeries, stats: TurnStats) -> list[Entry]:
        parts = self._parts(series, stats)
        values = [duration(part_ns / NS_PER_S) for part_ns in astuple(parts)] if parts else [duration(None)] * 4
        names = [self.tr("queue"), self.tr("tokenise"), self.tr("prefill"), self.tr("rest")]
        definitions = [definition(key) for key in ("queue", "tokenise", "prefill", "rest")]
        entries = [Entry(*entry) for entry in zip(TTFT_PARTS, names, values, definitions, strict=True)]
        cached = count(stats.cached_tokens) if stats.cached_tokens else ""
        explanation = self.tr("A part of this turn's prompt was already in the KV cache and was not read again.")
        return [*entries, Entry(CACHED, self.tr("cached"), cached, explanation)]

    def _stops(self, series: ConversationSeries) -> Sequence[float]:
        return [float(number) for number in range(1, len(self._turns(series)) + 1)]

    def _message_at(self, series: ConversationSeries, x: float) -> str:
        turns = self._turns(series)
        return turns[round(x) - 1][0] if 1 <= round(x) <= len(turns) else ""

    def _reading(self, series: ConversationSeries, x: float) -> tuple[float, str] | None:
        turns = self._turns(series)
        number = round(x)
        if not 1 <= number <= len(turns):
            return None
        stats = turns[number - 1][1]
        lines = [self.tr("Turn {number}: {split}").format(number=count(number), split=self._split(series, stats))]
        if stats.prompt_tokens is not None:
            prompt = self.tr("prompt {prompt}, {cached} of them cached")
            lines.append(prompt.format(prompt=tokens(stats.prompt_tokens), cached=count(stats.cached_tokens)))
        if stats.cache_miss:
            lines.append(stats.cache_miss)
        if (step := stats.growth_before(1)) is not None:
            lines.append(growth(step))
        return float(number), "\n".join(lines)

    def _split(self, series: ConversationSeries, stats: TurnStats) -> str:
        parts = self._parts(series, stats)
        if parts is None:
            return self.tr("no first token")
        queue, tokenise, prefill, rest = (duration(part_ns / NS_PER_S) for part_ns in astuple(parts))
        text = self.tr("{total}\nqueue {queue}, tokenise {tokenise}\nprefill {prefill}, rest {rest}")
        total = duration(parts.total_ns / NS_PER_S)
        return text.format(total=total, queue=queue, tokenise=tokenise, prefill=prefill, rest=rest)
