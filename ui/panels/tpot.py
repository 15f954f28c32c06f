"""Time per output token: the latency of every token against the length of the context."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import Qt

from app.telemetry.latencies import TokenLatencies, peaks
from app.telemetry.tables import itl_table
from ui.formatting import count, definition, duration, duration_unit, labelled, rate, tokens
from ui.panels.canvas import Canvas
from ui.panels.legend import Entry
from ui.panels.marks import Mark, Shape
from ui.panels.plot import PlotPanel
from ui.panels.ticks import round_context, value_axis, whole_ticks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtWidgets import QWidget

    from app.telemetry.series import ConversationSeries
    from app.telemetry.tables import Table
    from ui.theme import Theme

CURRENT = Mark("decode", Shape.LINE)
EARLIER = Mark("others", Shape.LINE)
HIGHLIGHTED = Mark("accent", Shape.LINE)
TPOT = Mark("text", Shape.LINE)
P50 = Mark("muted", Shape.LINE, dash=Qt.PenStyle.DashLine)
P95 = Mark("muted", Shape.LINE, dash=Qt.PenStyle.DotLine)
OFF_SCALE = Mark("limit", Shape.TRIANGLE)

_ROOM_ABOVE_P99 = 1.5
_PIXELS_PER_CONTEXT_LABEL = 56


class TpotPanel(PlotPanel):
    """The answer being written or the last one in colour, earlier ones dimmer; a click leads to the answer."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self._items: dict[str, Any] = {}
        self._highlighted = ""
        self._zoomed = False
        self._earlier_drawn: object = None
        super().__init__(theme, "tpot_plot", parent)

    def highlight_turn(self, message_id: str) -> None:
        """Draw an answer's tokens in the accent colour; an empty id draws none so."""
        if message_id != self._highlighted:
            self._highlighted = message_id
            self._invalidate()

    def table(self) -> Table:
        assert self._series is not None
        return itl_table(self._series)

    def summary(self) -> str:
        series = self._series
        if series is None or not series.past_latencies:
            return self._empty_text()
        last, stats = series.past_latencies[-1], series.turns[-1].stats
        text = self.tr(
            "Last answer: {tokens}, {tpot} per token, {rate}; half of the tokens took at most {p50}, "
            "95 of 100 at most {p95}, the slowest {slowest}."
        )
        return text.format(
            tokens=tokens(stats.completion_tokens),
            tpot=duration(stats.tpot_s),
            rate=rate(stats.decode_tokens_per_s),
            p50=duration(last.percentile_s(50)),
            p95=duration(last.percentile_s(95)),
            slowest=duration(last.max_s),
        )

    def _heading(self) -> tuple[str, str]:
        return self.tr("Time per token"), definition("tpot")

    def _make_canvas(self) -> Canvas:
        canvas = Canvas(self._theme, self.tr("tokens"), can_scroll=True, parent=self._frame)
        self._items = {
            "earlier": canvas.add_curve(EARLIER),
            "current": canvas.add_curve(CURRENT),
            "highlighted": canvas.add_curve(HIGHLIGHTED),
            "p50": canvas.add_line(P50, angle=0),
            "p95": canvas.add_line(P95, angle=0),
            "tpot": canvas.add_line(TPOT, angle=0),
            "off_scale": canvas.add_points(OFF_SCALE, "t1"),
        }
        self._earlier_drawn = None
        return canvas

    def _empty_text(self) -> str:
        return self.tr("From the second token of an answer on, the time between its tokens is drawn here as it comes.")

    def _answers(self, series: ConversationSeries) -> list[TokenLatencies]:
        """All answers with at least two tokens, the one being written last."""
        answers = [*series.past_latencies]
        if series.live_latencies is not None:
            answers.append(series.live_latencies)
        return [answer for answer in answers if len(answer.itl_s)]

    def _has_data(self, series: ConversationSeries) -> bool:
        return bool(self._answers(series))

    def _can_scroll(self) -> bool:
        return True

    def _reset(self) -> None:
        self._zoomed = False

    def _note_scrolled(self) -> None:
        self._zoomed = True

    def _show_headline(self, series: ConversationSeries) -> None:
        stats = series.live_stats or (series.turns[-1].stats if series.turns else None)
        if stats is None:
            self._set_headline("", "")
            return
        speed = stats.decode_tokens_per_s
        self._set_headline(duration(stats.tpot_s), rate(speed) if speed is not None else "", definition("decode_rate"))

    def _draw(self, series: ConversationSeries, canvas: Canvas) -> None:
        answers = self._answers(series)
        current = answers[-1]
        p50, p95, p99 = (float(value) for value in np.percentile(current.itl_s, (50, 95, 99)))
        # The last turn has no curve of its own when it ended before its second token.
        last_id = series.live_message_id or series.turns[-1].message_id
        stats = series.live_stats or series.turns[-1].stats
        tpot = stats.tpot_s if current.message_id == last_id else None
        top = self._show_ranges(series, canvas, answers, p99)
        first, last = canvas.x_range
        shown = self._shown(current, first, last, canvas)
        self._items["current"].setData(shown.context_tokens, shown.itl_s, skipFiniteCheck=True)
        self._draw_earlier(series, canvas, answers[:-1])
        self._draw_highlighted(answers, canvas)
        for name, value in (("p50", p50), ("p95", p95), ("tpot", tpot)):
            self._items[name].setVisible(value is not None)
            if value is not None:
                self._items[name].setValue(value)
        beyond = current.context_tokens[current.itl_s > top]
        self._items["off_scale"].setData(beyond, np.full(len(beyond), top * 0.97))
        self._set_legend(self._legend_entries(p50, p95, tpot, current.max_s, top, has_earlier=len(answers) > 1))

    def _show_ranges(
        self, series: ConversationSeries, canvas: Canvas, answers: list[TokenLatencies], p99: float
    ) -> float:
        """Set ranges and ticks and return the end of the y axis: a few outliers do not flatten the curve."""
        longest_context = max(int(answer.context_tokens[-1]) for answer in answers)
        end = float(round_context(longest_context, series.n_ctx))
        canvas.set_limits(0, end, narrowest=16)
        first, last = canvas.x_range if self._zoomed else (0.0, end)
        usual = max([p99, *(answer.percentile_s(99) or 0.0 for answer in answers[:-1])]) * _ROOM_ABOVE_P99
        width, height = canvas.size
        top, ticks = value_axis(usual, height, duration_unit)
        canvas.set_ranges((first, last), (0.0, top))
        canvas.set_ticks("left", ticks)
        canvas.set_ticks("bottom", labelled(whole_ticks(first, last, int(width // _PIXELS_PER_CONTEXT_LABEL))))
        return top

    def _shown(self, answer: TokenLatencies, first: float, last: float, canvas: Canvas) -> TokenLatencies:
        """Return an answer's part in view, with no more points than the screen has pixels."""
        visible = answer.between(first, last)
        share = (visible.context_tokens[-1] - visible.context_tokens[0] + 1) / (last - first)
        return peaks(visible, max(1, round(share * canvas.size[0])))

    def _draw_earlier(self, series: ConversationSeries, canvas: Canvas, earlier: list[TokenLatencies]) -> None:
        state = (series.turns_revision, len(earlier), canvas.x_range, canvas.size)
        if state == self._earlier_drawn:
            return
        self._earlier_drawn = state
        first, last = canvas.x_range
        drawn = [
            self._shown(answer, first, last, canvas)
            for answer in earlier
            if answer.context_tokens[0] <= last and answer.context_tokens[-1] >= first
        ]
        if not drawn:
            self._items["earlier"].setData([], [])
            return
        contexts = np.concatenate([answer.context_tokens for answer in drawn])
        connect = np.ones(len(contexts), dtype=np.int32)
        connect[np.cumsum([len(answer.itl_s) for answer in drawn]) - 1] = 0
        itl = np.concatenate([answer.itl_s for answer in drawn])
        self._items["earlier"].setData(contexts, itl, connect=connect, skipFiniteCheck=True)

    def _draw_highlighted(self, answers: list[TokenLatencies], canvas: Canvas) -> None:
        answer = next((answer for answer in answers if answer.message_id == self._highlighted), None)
        first, last = canvas.x_range
        if answer is None or answer.context_tokens[0] > last or answer.context_tokens[-1] < first:
            self._items["highlighted"].setData([], [])
            return
        shown = self._shown(answer, first, last, canvas)
        self._items["highlighted"].setData(shown.context_tokens, shown.itl_s, skipFiniteCheck=True)

    def _legend_entries(
        self, p50: float, p95: float, tpot: float | None, slowest: float | None, top: float, has_earlier: bool
    ) -> list[Entry]:
        entries = [
            Entry(CURRENT, self.tr("this answer"), "", definition("itl")),
            Entry(TPOT, self.tr("TPOT"), duration(tpot), definition("tpot")),
            Entry(P50, self.tr("p50"), duration(p50), self.tr("Half of this answer's tokens took no longer.")),
            Entry(P95, self.tr("p95"), duration(p95), self.tr("95 of 100 of this answer's tokens took no longer.")),
        ]
        if has_earlier:
            entries.append(Entry(EARLIER, self.tr("earlier"), "", self.tr("The tokens of earlier answers.")))
        if slowest is not None and slowest > top:
            explanation = self.tr("This answer's slowest token; the triangles mark tokens above the scale.")
            entries.append(Entry(OFF_SCALE, self.tr("max"), duration(slowest), explanation))
        return entries

    def _token_at(self, x: float) -> tuple[TokenLatencies, int] | None:
        """Return the answer and the index of the token nearest to a context length; the newest answer wins."""
        answers = self._answers(self._series) if self._series is not None else []
        if not answers:
            return None

        def distance(answer: TokenLatencies) -> float:
            return max(float(answer.context_tokens[0]) - x, x - float(answer.context_tokens[-1]), 0.0)

        nearest = min(reversed(answers), key=distance)
        return nearest, int(np.clip(round(x) - nearest.context_tokens[0], 0, len(nearest.itl_s) - 1))

    def _stops(self) -> Sequence[float]:
        answers = self._answers(self._series) if self._series is not None else []
        return sorted({float(answer.context_tokens[-1]) for answer in answers})

    def _message_at(self, x: float) -> str:
        token = self._token_at(x)
        return token[0].message_id if token is not None else ""

    def _reading(self, x: float) -> tuple[float, str] | None:
        token = self._token_at(x)
        if token is None or self._series is None:
            return None
        answer, index = token
        ids = [turn.message_id for turn in self._series.turns]
        number = ids.index(answer.message_id) + 1 if answer.message_id in ids else len(ids) + 1
        context, itl = int(answer.context_tokens[index]), float(answer.itl_s[index])
        text = self.tr("Turn {number}, at {context} of context\n{itl}, {rate}")
        return float(context), text.format(
            number=count(number), context=tokens(context), itl=duration(itl), rate=rate(1 / itl if itl else None)
        )
