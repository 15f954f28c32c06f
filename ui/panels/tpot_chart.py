"""The curves of the TPOT panel: what is drawn and in which range."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.telemetry.latencies import TokenLatencies, peaks, usual_max_s
from ui.formatting import duration_unit, labelled
from ui.panels.band import BandItem
from ui.panels.looks import CURRENT, EARLIER, FITTED, HIGHLIGHTED, OFF_SCALE, P50, P95, TPOT
from ui.panels.stacked import Points
from ui.panels.ticks import round_context, value_axis, whole_ticks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.telemetry.speed import TpotLine
    from ui.panels.canvas import Canvas
    from ui.theme import Theme

_PIXELS_PER_LABEL = 56
_NARROWEST = 16


class TpotChart:
    """Latencies of all answers against the context; the last answer is the current one.

    Attributes:
        is_zoomed: whether the user has chosen the range of the x axis.
        top_s: the end of the y axis.
        p50_s, p95_s: percentiles of the current answer.
    """

    def __init__(self, theme: Theme, canvas: Canvas) -> None:
        self.is_zoomed = False
        self.top_s = self.p50_s = self.p95_s = 0.0
        self._canvas = canvas
        self._earlier_drawn: object = None
        self._line_drawn: TpotLine | None = None
        self._line_end = 0.0
        self.band = BandItem(theme, FITTED)
        canvas.add_pixel_item(self.band)
        self.fitted = canvas.add_curve(FITTED)
        self.earlier = canvas.add_curve(EARLIER)
        self.current = canvas.add_curve(CURRENT)
        self.highlighted = canvas.add_curve(HIGHLIGHTED)
        self.p50 = canvas.add_line(P50, angle=0)
        self.p95 = canvas.add_line(P95, angle=0)
        self.tpot = canvas.add_line(TPOT, angle=0)
        self.off_scale = Points(theme, OFF_SCALE)
        canvas.add_pixel_item(self.off_scale)

    def draw(
        self,
        answers: Sequence[TokenLatencies],
        revision: int,
        n_ctx: int | None,
        tpot_s: float | None,
        highlighted: str,
        fitted: TpotLine | None = None,
    ) -> None:
        """Show the answers.

        Args:
            answers: oldest first, none empty.
            revision: changes with the finished answers.
            n_ctx: the context's limit.
            tpot_s: TPOT of the last answer.
            highlighted: message id of the answer to be drawn in the accent colour.
            fitted: to earlier turns; None draws no line.
        """
        current = answers[-1]
        self.p50_s, self.p95_s = (float(value) for value in np.percentile(current.itl_s, (50, 95)))
        self._show_ranges(answers, n_ctx)
        self._set_curve(self.current, [current])
        self._set_curve(self.highlighted, [answer for answer in answers if answer.message_id == highlighted])
        state = (revision, len(answers), self._canvas.x_range, self._canvas.size)
        if state != self._earlier_drawn:
            self._earlier_drawn = state
            self._set_curve(self.earlier, answers[:-1])
        for line, value in ((self.p50, self.p50_s), (self.p95, self.p95_s), (self.tpot, tpot_s)):
            line.setVisible(value is not None)
            if value is not None:
                line.setValue(value)
        self._show_line(fitted)
        beyond = current.context_tokens[current.itl_s > self.top_s]
        self.off_scale.set_points(beyond, np.full(len(beyond), self.top_s * 0.97))

    def _show_line(self, line: TpotLine | None) -> None:
        end = self._canvas.x_range[1]
        if line is self._line_drawn and end == self._line_end:
            return
        self._line_drawn, self._line_end = line, end
        if line is None:
            self.fitted.setData(np.empty(0), np.empty(0))
            self.band.set_band(np.empty(0), np.empty(0), np.empty(0))
            return
        band = line.band(end)
        self.fitted.setData(band.tokens, band.value_s, skipFiniteCheck=True)
        self.band.set_band(band.tokens, band.low_s, band.high_s)

    def _show_ranges(self, answers: Sequence[TokenLatencies], n_ctx: int | None) -> None:
        """Set ranges and ticks; the y axis ends where a few outliers do not flatten the curve."""
        longest = max(int(answer.context_tokens[-1]) for answer in answers)
        end = float(round_context(longest, n_ctx))
        self._canvas.set_limits(0, end, _NARROWEST)
        first, last = self._canvas.x_range if self.is_zoomed else (0.0, end)
        usual = max([usual_max_s(answers[-1].itl_s), *(answer.usual_max_s or 0.0 for answer in answers[:-1])])
        width, height = self._canvas.size
        self.top_s, ticks = value_axis(usual, height, duration_unit)
        self._canvas.set_ranges((first, last), (0.0, self.top_s))
        self._canvas.set_ticks("left", ticks)
        self._canvas.set_ticks("bottom", labelled(whole_ticks(first, last, int(width // _PIXELS_PER_LABEL))))

    def _set_curve(self, curve: object, answers: Sequence[TokenLatencies]) -> None:
        """Draw the part of these answers that is in view as one curve with gaps."""
        first, last = self._canvas.x_range
        shown = [
            self._reduced(answer.between(first, last), first, last)
            for answer in answers
            if answer.context_tokens[0] <= last and answer.context_tokens[-1] >= first
        ]
        contexts = np.concatenate([answer.context_tokens for answer in shown]) if shown else np.empty(0)
        itl_s = np.concatenate([answer.itl_s for answer in shown]) if shown else np.empty(0)
        connect = np.ones(len(contexts), dtype=np.int32)
        connect[np.cumsum([len(answer.itl_s) for answer in shown], dtype=np.intp) - 1] = 0
        curve.setData(contexts, itl_s, connect=connect, skipFiniteCheck=True)  # type: ignore[attr-defined]

    def _reduced(self, visible: TokenLatencies, first: float, last: float) -> TokenLatencies:
        """Return no more points than the screen has pixels for."""
        share = (visible.context_tokens[-1] - visible.context_tokens[0] + 1) / (last - first)
        return peaks(visible, max(1, round(float(share) * self._canvas.size[0])))
