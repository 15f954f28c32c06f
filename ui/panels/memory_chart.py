"""The stack, lines and limits of the memory panel: what is drawn and in which range."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ui.formatting import labelled, memory_unit
from ui.panels.looks import EXPECTED, GROWN, LIMIT, MEMORY_LAYERS, NOW, PROCESS, ROOM
from ui.panels.stacked import Points, StackedArea
from ui.panels.ticks import context_ticks, value_axis

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.telemetry.answer_room import AnswerRoom
    from app.telemetry.layers import MemoryLayers
    from app.telemetry.series import ConversationSeries
    from ui.panels.canvas import Canvas
    from ui.theme import Theme

_PIXELS_PER_LABEL = 56
_ROOM_ABOVE = 1.06
_ROOM_RIGHT = 1.03
_MACHINE_IN_RANGE = 1.6


class MemoryChart:
    """Layers from the bottom up as in `MEMORY_LAYERS`, lines and limits.

    Attributes:
        is_machine_shown: whether the machine's memory is near enough to be a line here.
        is_limit_shown: whether the context can grow no more, so that its limit is the end of this chart.
        growths: one line for each step in which the context grew.
    """

    def __init__(self, theme: Theme, canvas: Canvas) -> None:
        self.is_machine_shown = False
        self.is_limit_shown = False
        self.growths: list[Any] = []
        self._canvas = canvas
        self.area = StackedArea(theme, MEMORY_LAYERS)
        canvas.add_pixel_item(self.area)
        self.expected = canvas.add_curve(EXPECTED)
        self.process = canvas.add_curve(PROCESS)
        self.room = canvas.add_curve(ROOM)
        self.now = Points(theme, NOW)
        canvas.add_pixel_item(self.now)
        self.context_limit = canvas.add_line(LIMIT, angle=90)
        self.machine_limit = canvas.add_line(LIMIT, angle=0)

    def draw(self, series: ConversationSeries, layers: MemoryLayers, n_ctx: int) -> None:
        """Show the stack over the context, what was measured, and the limits."""
        measured = [
            (point.context_tokens, point.process_bytes) for point in series.memory if point.process_bytes is not None
        ]
        contexts, process = np.array(measured, dtype=np.float64).reshape(-1, 2).T
        now_bytes, machine = series.process_bytes, series.machine_total_bytes
        largest = max(layers.total_bytes + layers.saved_bytes, now_bytes or 0, process.max(initial=0.0))
        # Layers are numpy's: Qt takes no numpy.bool.
        self.is_machine_shown = machine is not None and bool(machine <= largest * _MACHINE_IN_RANGE)
        if machine is not None:
            self.machine_limit.setValue(machine)
            largest = max(largest, machine) if self.is_machine_shown else largest
        self.machine_limit.setVisible(self.is_machine_shown)
        self.is_limit_shown = series.n_ctx_max is None or series.n_ctx_max <= n_ctx
        self.context_limit.setVisible(self.is_limit_shown)
        self.context_limit.setValue(n_ctx)
        self._show_growths([step.context_tokens for step in series.context_growths])
        self._show_ranges(n_ctx, float(largest) * _ROOM_ABOVE)
        self._draw_layers(layers, n_ctx)
        self.process.setData(contexts, process, skipFiniteCheck=True)
        present = [] if now_bytes is None else [(series.context_tokens, now_bytes)]
        self.now.set_points([x for x, _ in present], [y for _, y in present])

    def draw_room(self, layers: MemoryLayers, n_ctx: int, room: AnswerRoom | None) -> None:
        """Draw how far the conversation can still go, as far as this chart reaches: at the height it has reached."""
        if room is None:
            self.room.setData([], [])
            return
        used = room.limit - room.tokens
        height = float(layers.constant_bytes + layers.kv_used_at(used))
        self.room.setData([used, min(room.limit, n_ctx)], [height, height])

    def _show_growths(self, context_tokens: Sequence[int]) -> None:
        while len(self.growths) < len(context_tokens):
            self.growths.append(self._canvas.add_line(GROWN, angle=90))
        for number, line in enumerate(self.growths):
            line.setVisible(number < len(context_tokens))
            if number < len(context_tokens):
                line.setValue(context_tokens[number])

    def _draw_layers(self, layers: MemoryLayers, n_ctx: int) -> None:
        """Stack the layers over the whole context; KV in use ends where the conversation stands now."""
        now = layers.context_tokens[-1]
        positions = np.concatenate([layers.context_tokens, [now, max(float(n_ctx), now)]])
        used = np.concatenate([layers.kv_used_bytes, [0.0, 0.0]])
        reserved = np.concatenate([layers.past_kv_reserved_bytes, [layers.kv_reserved_bytes] * 2])
        scratch = np.concatenate([layers.past_compute_output_bytes, [layers.compute_output_bytes] * 2])
        constant = np.ones_like(positions)
        thicknesses = [
            constant * layers.weights_bytes,
            constant * layers.recurrent_bytes,
            scratch,
            used,
            reserved - used,
            constant * layers.saved_bytes,
        ]
        self.area.set_layers(positions, np.stack(thicknesses))
        expected = layers.expected_kv_used_bytes + layers.constant_bytes
        self.expected.setData(layers.expected_context_tokens, expected, skipFiniteCheck=True)

    def _show_ranges(self, n_ctx: int, largest: float) -> None:
        width, height = self._canvas.size
        top, ticks = value_axis(largest, height, memory_unit)
        self._canvas.set_ranges((0.0, n_ctx * _ROOM_RIGHT), (0.0, top))
        self._canvas.set_ticks("left", ticks)
        self._canvas.set_ticks("bottom", labelled(context_ticks(n_ctx, int(width // _PIXELS_PER_LABEL))))
