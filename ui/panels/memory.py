"""Memory against the length of the conversation: what llama.cpp allocated, what is used of it, what was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import Qt

from app.telemetry.layers import MemoryLayers, memory_layers
from app.telemetry.tables import memory_table
from ui.formatting import count, definition, labelled, memory, memory_unit, number, tokens, turn_count
from ui.panels.canvas import Canvas
from ui.panels.legend import Entry
from ui.panels.marks import Mark, Shape
from ui.panels.plot import PlotPanel
from ui.panels.stacked import StackedArea
from ui.panels.ticks import context_ticks, round_context, value_axis

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtWidgets import QWidget

    from app.telemetry.series import ConversationSeries
    from app.telemetry.tables import Table
    from ui.theme import Theme

WEIGHTS = Mark("weights")
RECURRENT = Mark("recurrent", pattern=Qt.BrushStyle.Dense3Pattern)
COMPUTE = Mark("compute", pattern=Qt.BrushStyle.FDiagPattern)
KV_USED = Mark("kv_used")
KV_UNUSED = Mark("kv_reserved", pattern=Qt.BrushStyle.BDiagPattern)
EXPECTED = Mark("muted", Shape.LINE, dash=Qt.PenStyle.DashLine)
PROCESS = Mark("text", Shape.LINE)
LIMIT = Mark("limit", Shape.LINE, dash=Qt.PenStyle.DashLine)

_PIXELS_PER_CONTEXT_LABEL = 56
_ROOM_ABOVE = 1.06
_ROOM_RIGHT = 1.03
_MACHINE_IN_RANGE = 1.6
_KEYBOARD_STOPS = 32


class MemoryPanel(PlotPanel):
    """The stack of the loaded model, of it the KV cache in use; the limits of context and machine; a forecast."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self._area: StackedArea | None = None
        self._items: dict[str, Any] = {}
        self._layers: MemoryLayers | None = None
        super().__init__(theme, "memory_plot", parent)

    def highlight_turn(self, message_id: str) -> None:
        """Nothing here belongs to one answer."""

    def table(self) -> Table:
        assert self._series is not None
        return memory_table(self._series)

    def summary(self) -> str:
        series = self._series
        layers = memory_layers(series) if series is not None else None
        if series is None or layers is None:
            return self._empty_text()
        text = self.tr(
            "Weights {weights}, KV cache {used} in use of {reserved}, recurrent state {recurrent}, compute and output "
            "{compute}, measured {process}. {context} of {n_ctx} in use."
        )
        sentence = text.format(
            weights=memory(layers.weights_bytes),
            used=memory(layers.kv_used_at(series.context_tokens)),
            reserved=memory(layers.kv_reserved_bytes),
            recurrent=memory(layers.recurrent_bytes),
            compute=memory(layers.compute_output_bytes),
            process=memory(series.process_bytes),
            context=count(series.context_tokens),
            n_ctx=tokens(series.n_ctx),
        )
        return f"{sentence} {self._forecast_sentence(series)}".strip()

    def _heading(self) -> tuple[str, str]:
        return self.tr("Memory"), definition("memory") + "\n" + definition("kv_reserved")

    def _make_canvas(self) -> Canvas:
        canvas = Canvas(self._theme, self.tr("tokens"), can_scroll=False, parent=self._frame)
        self._area = StackedArea(self._theme, (WEIGHTS, RECURRENT, COMPUTE, KV_USED, KV_UNUSED))
        canvas.add_pixel_item(self._area)
        self._items = {
            "expected": canvas.add_curve(EXPECTED),
            "process": canvas.add_curve(PROCESS),
            "now": canvas.add_points(Mark("text"), "o", size=6),
            "context_limit": canvas.add_line(LIMIT, angle=90),
            "machine_limit": canvas.add_line(LIMIT, angle=0),
        }
        return canvas

    def _empty_text(self) -> str:
        return self.tr(
            "Load a model: its weights, its KV cache and its buffers appear here, against the context's length."
        )

    def _has_data(self, series: ConversationSeries) -> bool:
        return series.model is not None or bool(series.memory)

    def _show_headline(self, series: ConversationSeries) -> None:
        self._layers = memory_layers(series)
        if self._layers is None:
            self._set_headline("", "")
            return
        size_bytes = series.process_bytes if series.process_bytes is not None else self._layers.total_bytes
        prediction = series.forecast
        detail = ""
        if prediction is not None:
            detail = self.tr("about {} left").format(turn_count(prediction.turns_left))
            if prediction.turns_left == 0:
                detail = self.tr("the next turn will not fit")
        self._set_headline(memory(size_bytes), detail, self._forecast_sentence(series) or definition("memory"))

    def _forecast_sentence(self, series: ConversationSeries) -> str:
        prediction = series.forecast
        if prediction is None:
            return ""
        text = self.tr(
            "At {growth} tokens a turn (mean of the last {turns}) the context of {n_ctx} is full at turn {turn}."
        )
        return text.format(
            growth=number(prediction.tokens_per_turn),
            turns=turn_count(prediction.growths),
            n_ctx=tokens(series.n_ctx),
            turn=count(prediction.limit_turn),
        )

    def _draw(self, series: ConversationSeries, canvas: Canvas) -> None:
        layers = self._layers
        assert layers is not None
        assert self._area is not None
        n_ctx = series.n_ctx or round_context(int(layers.context_tokens[-1]), None)
        measured = [point for point in series.memory if point.process_bytes is not None]
        contexts = np.array([point.context_tokens for point in measured], dtype=np.float64)
        process = np.array([point.process_bytes for point in measured], dtype=np.float64)
        machine = series.machine_total_bytes
        largest = max(layers.total_bytes, float(process.max(initial=0.0)), series.process_bytes or 0)
        is_machine_shown = machine is not None and machine <= largest * _MACHINE_IN_RANGE
        if machine is not None and is_machine_shown:
            largest = max(largest, machine)
        self._show_ranges(canvas, n_ctx, largest * _ROOM_ABOVE)
        self._draw_layers(layers, n_ctx)
        self._items["process"].setData(contexts, process, skipFiniteCheck=True)
        now = series.process_bytes
        self._items["now"].setData(*([[series.context_tokens], [now]] if now is not None else [[], []]))
        self._items["context_limit"].setVisible(True)
        self._items["context_limit"].setValue(n_ctx)
        self._items["machine_limit"].setVisible(is_machine_shown)
        if machine is not None:
            self._items["machine_limit"].setValue(machine)
        self._set_legend(self._legend_entries(series, layers, n_ctx, is_machine_shown))

    def _show_ranges(self, canvas: Canvas, n_ctx: int, largest: float) -> None:
        width, height = canvas.size
        top, ticks = value_axis(largest, height, memory_unit)
        canvas.set_ranges((0.0, n_ctx * _ROOM_RIGHT), (0.0, top))
        canvas.set_ticks("left", ticks)
        canvas.set_ticks("bottom", labelled(context_ticks(n_ctx, int(width // _PIXELS_PER_CONTEXT_LABEL))))

    def _draw_layers(self, layers: MemoryLayers, n_ctx: int) -> None:
        """Stack the layers over the whole context; KV in use ends where the conversation stands now."""
        assert self._area is not None
        contexts, used = layers.context_tokens, layers.kv_used_bytes
        now = contexts[-1]
        positions = np.concatenate([contexts, [now, max(float(n_ctx), now)]])
        used = np.concatenate([used, [0.0, 0.0]])
        constant = np.ones_like(positions)
        self._area.set_layers(
            positions,
            np.stack(
                [
                    constant * layers.weights_bytes,
                    constant * layers.recurrent_bytes,
                    constant * layers.compute_output_bytes,
                    used,
                    layers.kv_reserved_bytes - used,
                ]
            ),
        )
        self._items["expected"].setData(
            layers.expected_context_tokens, layers.expected_kv_used_bytes + layers.constant_bytes, skipFiniteCheck=True
        )

    def _legend_entries(
        self, series: ConversationSeries, layers: MemoryLayers, n_ctx: int, is_machine_shown: bool
    ) -> list[Entry]:
        used = layers.kv_used_at(series.context_tokens)
        machine = memory(series.machine_total_bytes)
        entries = [
            Entry(WEIGHTS, self.tr("weights"), memory(layers.weights_bytes), self.tr("The model's parameters.")),
            Entry(
                RECURRENT, self.tr("recurrent"), memory(layers.recurrent_bytes), self.tr("State of recurrent layers.")
            ),
            Entry(
                COMPUTE,
                self.tr("compute"),
                memory(layers.compute_output_bytes),
                self.tr("Compute and output buffers: scratch memory for one batch, and the logits."),
            ),
            Entry(KV_USED, self.tr("KV used"), memory(used), definition("kv_used")),
            Entry(KV_UNUSED, self.tr("KV free"), memory(layers.kv_reserved_bytes - used), definition("kv_reserved")),
            Entry(
                PROCESS,
                self.tr("process"),
                memory(series.process_bytes),
                self.tr("Measured memory of the model's process."),
            ),
            Entry(LIMIT, self.tr("limit"), tokens(n_ctx), self.tr("The most tokens this conversation can hold.")),
        ]
        if len(layers.expected_context_tokens) > 1:
            explanation = self.tr("The KV cache in use when the conversation has become that long.")
            entries.append(Entry(EXPECTED, self.tr("expected"), "", explanation))
        if series.machine_total_bytes is not None:
            explanation = self.tr("The machine's memory, {}.").format(machine)
            if not is_machine_shown:
                explanation += " " + self.tr("It lies above this chart.")
                machine += " ↑"
            entries.append(Entry(LIMIT, self.tr("machine"), machine, explanation))
        return [entry for entry in entries if entry.mark is not RECURRENT or layers.recurrent_bytes]

    def _stops(self) -> Sequence[float]:
        series = self._series
        if series is None or series.n_ctx is None:
            return []
        stops = np.linspace(0, series.n_ctx, _KEYBOARD_STOPS + 1).round()
        return sorted({*stops.tolist(), float(series.context_tokens)})

    def _reading(self, x: float) -> tuple[float, str] | None:
        series, layers = self._series, self._layers
        if series is None or layers is None:
            return None
        end = series.n_ctx if series.n_ctx is not None else layers.context_tokens[-1]
        context = int(np.clip(round(x), 0, end))
        used = memory(layers.kv_used_at(context))
        head = (
            self.tr("At {} of context") if context <= series.context_tokens else self.tr("At {} of context, expected")
        )
        kv = self.tr("KV {used} of {reserved}").format(used=used, reserved=memory(layers.kv_reserved_bytes))
        rest = self.tr("weights {weights}, compute {compute}").format(
            weights=memory(layers.weights_bytes), compute=memory(layers.compute_output_bytes)
        )
        lines = [head.format(tokens(context)), kv, rest]
        reached = [p for p in series.memory if p.context_tokens <= context and p.process_bytes is not None]
        if reached and context <= series.context_tokens:
            lines.append(self.tr("process {} measured").format(memory(reached[-1].process_bytes)))
        return float(context), "\n".join(lines)
