"""Time per output token: the latency of every token against the length of the context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Slot

from ui.formatting import count, definition, duration, growth, rate, together, tokens
from ui.panels.labels import ElidedLabel
from ui.panels.legend import Entry
from ui.panels.looks import CURRENT, EARLIER, FITTED, OFF_SCALE, P50, P95, TPOT
from ui.panels.outlook import outlook_text
from ui.panels.plot import PlotPanel
from ui.translation import joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtWidgets import QWidget

    from app.telemetry.latencies import TokenLatencies
    from app.telemetry.outlook import ContextCost
    from app.telemetry.payoff import Payoff
    from app.telemetry.series import ConversationSeries
    from app.telemetry.speed import TpotLine
    from app.telemetry.tables import Table
    from app.telemetry.timings import TurnStats
    from ui.panels.canvas import Canvas
    from ui.panels.tpot_chart import TpotChart
    from ui.theme import Theme


class TpotPanel(PlotPanel):
    """The answer being written or the last one in colour, earlier ones dimmer; a click leads to the answer."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self.chart: TpotChart | None = None
        self._highlighted = ""
        self._line: TpotLine | None = None
        self._cost: ContextCost | None = None
        self._payoff: Payoff | None = None
        super().__init__(theme, "tpot_plot", can_scroll=True, parent=parent)
        self.outlook = ElidedLabel(self)
        self.outlook.setObjectName("tpot_outlook")
        self.outlook.setProperty("role", "muted")
        layout = self.layout()
        assert layout is not None
        layout.addWidget(self.outlook)
        self.outlook.hide()
        theme.changed.connect(self._restyle_outlook)
        self._restyle_outlook()

    def highlight_turn(self, message_id: str) -> None:
        """Draw an answer's tokens in the accent colour; an empty id draws none so."""
        if message_id != self._highlighted:
            self._highlighted = message_id
            self._invalidate()

    def set_outlook(self, line: TpotLine | None, cost: ContextCost | None, payoff: Payoff | None) -> None:
        """Draw the line that was fitted to the user's turns, and say what it foretells; None says nothing."""
        self._line, self._cost, self._payoff = line, cost, payoff
        self._show_outlook()
        self._invalidate()

    def table(self) -> Table:
        assert self._series is not None
        from app.telemetry.tables import itl_table  # not above: it would come before the window's first frame

        return itl_table(self._series)

    def summary(self) -> str:
        series = self._series
        if series is None or not series.turns:
            return self._empty_text()
        last, stats = series.past_latencies[-1], series.turns[-1].stats
        text = self.tr(
            "Last answer: {tokens}, {tpot} per token, {rate}; half of the tokens took at most {p50}, "
            "95 of 100 at most {p95}, the slowest {slowest}."
        )
        sentence = text.format(
            tokens=tokens(stats.completion_tokens),
            tpot=duration(stats.tpot_s),
            rate=rate(stats.decode_tokens_per_s),
            p50=duration(last.percentile_s(50)),
            p95=duration(last.percentile_s(95)),
            slowest=duration(last.max_s),
        )
        return joined(sentence, self.outlook.text())

    def _show_outlook(self) -> None:
        text, explanation = outlook_text(self._line, self._cost, self._payoff)
        self.outlook.setText(text)
        self.outlook.setToolTip(explanation)
        self.outlook.setAccessibleName(text)
        self.outlook.setAccessibleDescription(explanation)
        self.outlook.setVisible(bool(text))
        self._described = None

    def _retranslate(self) -> None:
        super()._retranslate()
        if self._line is not None:
            self._show_outlook()

    @Slot()
    def _restyle_outlook(self) -> None:
        self.outlook.setFont(self._theme.font(delta_points=-1))

    def _title(self) -> tuple[str, str]:
        return self.tr("Time per token"), definition("tpot")

    def _x_caption(self) -> str:
        return self.tr("tokens")

    def _empty_text(self) -> str:
        return self.tr("From the second token of an answer on, the time between its tokens is drawn here as it comes.")

    def _make_chart(self, canvas: Canvas) -> None:
        from ui.panels.tpot_chart import TpotChart  # not above: numpy would come before the window's first frame

        self.chart = TpotChart(self._theme, canvas)

    def _has_data(self, series: ConversationSeries) -> bool:
        return bool(self._answers(series))

    def _reset(self) -> None:
        if self.chart is not None:
            self.chart.is_zoomed = False

    def _note_scrolled(self, canvas: Canvas) -> None:
        if self.chart is not None:
            self.chart.is_zoomed = True

    def _answers(self, series: ConversationSeries) -> list[TokenLatencies]:
        """All answers with at least two tokens, the one being written last."""
        live = series.live_latencies
        answers = [*series.past_latencies, live] if live is not None else series.past_latencies
        return [answer for answer in answers if len(answer.itl_s)]

    def _stats_of(self, series: ConversationSeries, message_id: str) -> TurnStats | None:
        if message_id == series.live_message_id and series.live_stats is not None:
            return series.live_stats
        return next((turn.stats for turn in reversed(series.turns) if turn.message_id == message_id), None)

    def _turn_name(self, series: ConversationSeries, message_id: str) -> str:
        ids = [turn.message_id for turn in series.turns]
        number = ids.index(message_id) + 1 if message_id in ids else len(ids) + 1
        return self.tr("turn {}").format(count(number))

    def _show_headline(self, series: ConversationSeries) -> None:
        answers = self._answers(series)
        if answers:  # until an answer has two tokens the number of the last one that has stands, as its curve does
            stats = self._stats_of(series, answers[-1].message_id)
        else:
            stats = series.turns[-1].stats if series.turns else None
        if stats is None:
            self.heading.set_value("")
            return
        speed = stats.decode_tokens_per_s
        detail = "" if speed is None else rate(speed)
        explanation = definition("decode_rate")
        if stats.sequences > 1:
            live = series.live_recorder
            recent = live.recent_aggregate_per_s if live is not None and live.completion_tokens >= 2 else None
            detail = together(stats.sequences, recent or stats.aggregate_tokens_per_s)
            explanation = f"{explanation}\n{definition('aggregate_rate')}"
        self.heading.set_value(duration(stats.tpot_s), detail, explanation)

    def _draw(self, series: ConversationSeries, canvas: Canvas) -> None:
        assert self.chart is not None
        answers = self._answers(series)
        current = answers[-1]
        stats = self._stats_of(series, current.message_id)
        tpot_s = stats.tpot_s if stats is not None else None
        self.chart.draw(answers, series.turns_revision, series.n_ctx, tpot_s, self._highlighted, self._line)
        is_live = current.message_id == series.live_message_id
        name = self.tr("this answer") if is_live else self._turn_name(series, current.message_id)
        self.legend.set_entries(self._legend_entries(name, current, tpot_s, has_earlier=len(answers) > 1))

    def _legend_entries(
        self, name: str, current: TokenLatencies, tpot_s: float | None, has_earlier: bool
    ) -> list[Entry]:
        assert self.chart is not None
        p50, p95 = self.chart.p50_s, self.chart.p95_s
        entries = [
            Entry(CURRENT, name, "", definition("itl")),
            Entry(TPOT, self.tr("TPOT"), duration(tpot_s), definition("tpot")),
            Entry(P50, self.tr("p50"), duration(p50), self.tr("Half of this answer's tokens took no longer.")),
            Entry(P95, self.tr("p95"), duration(p95), self.tr("95 of 100 of this answer's tokens took no longer.")),
        ]
        if has_earlier:
            entries.append(Entry(EARLIER, self.tr("earlier"), "", self.tr("The tokens of earlier answers.")))
        if self._line is not None:
            explanation = self.tr("Fitted to your own turns; the shaded area is where 9 of 10 answers are expected.")
            entries.append(Entry(FITTED, self.tr("fitted"), "", explanation))
        slowest = current.max_s
        if slowest is not None and slowest > self.chart.top_s:
            explanation = self.tr("This answer's slowest token; the triangles mark tokens above the scale.")
            entries.append(Entry(OFF_SCALE, self.tr("max"), duration(slowest), explanation))
        return entries

    def _stops(self, series: ConversationSeries) -> Sequence[float]:
        return sorted({float(answer.context_tokens[-1]) for answer in self._answers(series)})

    def _token_at(self, series: ConversationSeries, x: float) -> tuple[TokenLatencies, int] | None:
        from app.telemetry.latencies import nearest_token  # not above: numpy would come before the window's first frame

        return nearest_token(self._answers(series), x)

    def _message_at(self, series: ConversationSeries, x: float) -> str:
        token = self._token_at(series, x)
        return token[0].message_id if token is not None else ""

    def _reading(self, series: ConversationSeries, x: float) -> tuple[float, str] | None:
        token = self._token_at(series, x)
        if token is None:
            return None
        answer, index = token
        context, itl_s = int(answer.context_tokens[index]), float(answer.itl_s[index])
        place = self.tr("{turn}, at {context} of context").format(
            turn=self._turn_name(series, answer.message_id), context=tokens(context)
        )
        value = self.tr("{itl}, {rate}").format(itl=duration(itl_s), rate=rate(1 / itl_s if itl_s else None))
        lines = [place, value]
        stats = self._stats_of(series, answer.message_id)
        # The first latency is that of token 2.
        if stats is not None and (step := stats.growth_before(index + 2)) is not None:
            lines.append(growth(step))
        return float(context), "\n".join(lines)
