"""Memory against the length of the conversation: what llama.cpp allocated, what is used of it, what was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Signal

from app.telemetry.layers import MemoryLayers, memory_layers
from ui.formatting import count, definition, growth, memory, number, tokens, turn_count
from ui.panels.device_lines import DeviceLines
from ui.panels.legend import Entry
from ui.panels.looks import (
    COMPUTE,
    EXPECTED,
    GROWN,
    KV_FREE,
    KV_SAVED,
    KV_USED,
    LIMIT,
    PROCESS,
    RECURRENT,
    ROOM,
    WEIGHTS,
)
from ui.panels.plot import PlotPanel
from ui.translation import joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtWidgets import QMenu, QWidget

    from app.telemetry.answer_room import AnswerRoom
    from app.telemetry.forecast import Forecast
    from app.telemetry.series import ConversationSeries
    from app.telemetry.tables import Table
    from ui.panels.canvas import Canvas
    from ui.panels.memory_chart import MemoryChart
    from ui.theme import Theme

_KEYBOARD_STOPS = 32
_SNAP_SHARE = 0.01
"""How near to a step, as a share of the axis, the pointer must be to read it."""


class MemoryPanel(PlotPanel):
    """The stack of the loaded model, of it the KV cache in use; the limits of context and machine; a forecast.

    Signals:
        details_requested: the user wants to see memory in detail.
    """

    details_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self.chart: MemoryChart | None = None
        self._room: AnswerRoom | None = None
        self.device_lines = DeviceLines()
        super().__init__(theme, "memory_plot", can_scroll=False, parent=parent)
        layout = self.layout()
        assert layout is not None
        layout.addWidget(self.device_lines)
        self._details = self.heading.add_button("info", theme)
        self._details.setObjectName("memory_details_button")
        self._details.clicked.connect(self.details_requested)
        self._name_details()

    def set_room(self, room: AnswerRoom | None) -> None:
        """Show how much of the context the next answer has; None where unknown.

        While an answer is written it is drawn with the rest, which is drawn often enough.
        """
        if room == self._room:
            return
        self._room, self._drawn = room, None
        if self._series is None or self._series.live_recorder is None:
            self.redraw()

    def highlight_turn(self, message_id: str) -> None:
        """Nothing here belongs to one answer."""

    def context_menu(self) -> QMenu:
        menu = super().context_menu()
        menu.addSeparator()
        menu.addAction(self.tr("Memory details…"), self.details_requested.emit)
        return menu

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.device_lines.retranslate()
            self._name_details()

    def _name_details(self) -> None:
        self._details.setAccessibleName(self.tr("Memory details"))
        self._details.setToolTip(self.tr("Buffers, devices, what each message takes, and the formula behind it"))

    def table(self) -> Table:
        assert self._series is not None
        from app.telemetry.tables import memory_table  # not above: it would come before the window's first frame

        return memory_table(self._series)

    def summary(self) -> str:
        series = self._series
        layers = memory_layers(series) if series is not None else None
        if series is None or layers is None:
            return self._empty_text()
        text = self.tr(
            "Weights {weights}, KV cache {used} in use of {reserved}, recurrent state {recurrent}, compute and output "
            "{compute}, measured {process}, machine {machine}. {context} of {n_ctx} in use."
        )
        sentence = text.format(
            weights=memory(layers.weights_bytes),
            used=memory(layers.kv_used_at(series.context_tokens)),
            reserved=memory(layers.kv_reserved_bytes),
            recurrent=memory(layers.recurrent_bytes),
            compute=memory(layers.compute_output_bytes),
            process=memory(series.process_bytes),
            machine=memory(series.machine_total_bytes),
            context=count(series.context_tokens),
            n_ctx=tokens(series.n_ctx),
        )
        if layers.saved_bytes:
            saved = self.tr("Saved KV caches {saved}, part of what was measured.")
            sentence = joined(sentence, saved.format(saved=memory(layers.saved_bytes)))
        grown = [growth(step) for step in series.context_growths]
        if self._room is not None:
            room = self.tr("Room for the next answer: {tokens}, {size}.")
            left = room.format(tokens=tokens(self._room.tokens), size=memory(self._room.kv_bytes))
            sentence = joined(sentence, left)
        parts = [sentence, *(f"{text}." for text in grown), self._sentence(series.forecast, series.n_ctx_max)]
        return joined(*parts)

    def _title(self) -> tuple[str, str]:
        return self.tr("Memory"), definition("memory") + "\n" + definition("kv_reserved")

    def _x_caption(self) -> str:
        return self.tr("tokens")

    def _empty_text(self) -> str:
        return self.tr(
            "Load a model: its weights, KV cache and buffers appear here, against the length of the context."
        )

    def _make_chart(self, canvas: Canvas) -> None:
        from ui.panels.memory_chart import MemoryChart  # not above: numpy would come before the window's first frame

        self.chart = MemoryChart(self._theme, canvas)

    def _has_data(self, series: ConversationSeries) -> bool:
        return series.model is not None or bool(series.memory)

    def _show_headline(self, series: ConversationSeries) -> None:
        layers = memory_layers(series)
        if layers is None:
            self.heading.set_value("")
            return
        size_bytes = series.process_bytes if series.process_bytes is not None else layers.total_bytes
        prediction = series.forecast
        if prediction is None:
            self.heading.set_value(memory(size_bytes))
            return
        detail = self.tr("about {} left").format(turn_count(prediction.turns_left))
        if prediction.turns_left == 0:
            detail = self.tr("the next turn will not fit")
        self.heading.set_value(memory(size_bytes), detail, self._sentence(prediction, series.n_ctx_max))

    def _sentence(self, prediction: Forecast | None, n_ctx: int | None) -> str:
        if prediction is None:
            return ""
        text = self.tr("At {growth} tokens a turn (mean of {turns}) the context of {n_ctx} is full at turn {turn}.")
        return text.format(
            growth=number(prediction.tokens_per_turn),
            turns=turn_count(prediction.growths),
            n_ctx=tokens(n_ctx),
            turn=count(prediction.limit_turn),
        )

    def _draw(self, series: ConversationSeries, canvas: Canvas) -> None:
        layers = memory_layers(series)
        assert layers is not None
        assert self.chart is not None
        n_ctx = self._n_ctx(series, layers)
        self.chart.draw(series, layers, n_ctx)
        self.chart.draw_room(layers, n_ctx, self._room)
        self.legend.set_entries(self._legend_entries(series, layers, n_ctx))

    def _n_ctx(self, series: ConversationSeries, layers: MemoryLayers) -> int:
        return series.n_ctx if series.n_ctx is not None else max(1, int(layers.context_tokens[-1]))

    def _legend_entries(self, series: ConversationSeries, layers: MemoryLayers, n_ctx: int) -> list[Entry]:
        used = layers.kv_used_at(series.context_tokens)
        free = layers.kv_reserved_bytes - used
        scratch = self.tr("Compute and output buffers: scratch memory for one batch, and the logits.")
        measured = self.tr("Measured memory of the model's process, saved KV caches included.")
        expected = self.tr("The KV cache in use when the conversation has become that long.")
        entries = [
            Entry(WEIGHTS, self.tr("weights"), memory(layers.weights_bytes), self.tr("The model's parameters.")),
            Entry(COMPUTE, self.tr("compute"), memory(layers.compute_output_bytes), scratch),
            Entry(KV_USED, self.tr("KV used"), memory(used), definition("kv_used")),
            Entry(KV_FREE, self.tr("KV free"), memory(free), definition("kv_reserved")),
            Entry(PROCESS, self.tr("process"), memory(series.process_bytes), measured),
            Entry(EXPECTED, self.tr("expected"), "", expected),
            self._limit_entry(series, n_ctx),
        ]
        if self._room is not None:
            explanation = self.tr("What the next message and its answer may take, up to the limit of {}.")
            value = self.tr("{tokens}, {size}").format(
                tokens=tokens(self._room.tokens), size=memory(self._room.kv_bytes)
            )
            entries.append(Entry(ROOM, self.tr("room"), value, explanation.format(tokens(self._room.limit))))
        if layers.saved_bytes:
            entries.insert(4, Entry(KV_SAVED, self.tr("KV saved"), memory(layers.saved_bytes), definition("kv_saved")))
        if series.context_growths:
            steps = "\n".join(growth(step) for step in series.context_growths)
            entries.insert(-1, Entry(GROWN, self.tr("grew"), "", steps))
        if layers.recurrent_bytes:
            state = self.tr("The state of recurrent layers; it does not grow.")
            entries.insert(1, Entry(RECURRENT, self.tr("recurrent"), memory(layers.recurrent_bytes), state))
        if series.machine_total_bytes is not None:
            entries.append(self._machine_entry(memory(series.machine_total_bytes)))
        return entries

    def _limit_entry(self, series: ConversationSeries, n_ctx: int) -> Entry:
        limit = series.n_ctx_max if series.n_ctx_max is not None else n_ctx
        explanation = self.tr("The most tokens this conversation can hold.")
        if limit <= n_ctx:
            return Entry(LIMIT, self.tr("limit"), tokens(limit), explanation)
        model = series.model
        reason = self.tr("More does not fit into memory.")
        if model is not None and limit >= model.info.n_ctx_train:
            reason = self.tr("The model was trained for no more.")
        now = self.tr("The context holds {} now and grows as needed; the limit lies beyond this chart.")
        return Entry(
            LIMIT, self.tr("limit"), f"{tokens(limit)} →", "\n".join((explanation, reason, now.format(tokens(n_ctx))))
        )

    def _machine_entry(self, machine: str) -> Entry:
        assert self.chart is not None
        if self.chart.is_machine_shown:
            explanation = self.tr("The machine's memory, {}.").format(machine)
            return Entry(LIMIT, self.tr("machine"), machine, explanation)
        explanation = self.tr("The machine's memory, {}. It lies above this chart.").format(machine)
        return Entry(LIMIT, self.tr("machine"), f"{machine} ↑", explanation, spare=True)

    def _stops(self, series: ConversationSeries) -> Sequence[float]:
        layers = memory_layers(series)
        if layers is None:
            return []
        n_ctx = self._n_ctx(series, layers)
        stops = {float(round(n_ctx * step / _KEYBOARD_STOPS)) for step in range(_KEYBOARD_STOPS + 1)}
        steps = (float(step.context_tokens) for step in series.context_growths)
        return sorted({*stops, *steps, float(series.context_tokens)})

    def _reading(self, series: ConversationSeries, x: float) -> tuple[float, str] | None:
        layers = memory_layers(series)
        if layers is None:
            return None
        n_ctx = self._n_ctx(series, layers)
        context = min(max(round(x), 0), n_ctx)
        step = min(series.context_growths, key=lambda step: abs(step.context_tokens - context), default=None)
        if step is not None and abs(step.context_tokens - context) <= n_ctx * _SNAP_SHARE:
            context = step.context_tokens
        reserved, scratch = layers.context_bytes_at(context)
        is_reached = context <= series.context_tokens
        head = self.tr("At {} of context") if is_reached else self.tr("At {} of context, expected")
        kv = self.tr("KV {used} of {reserved}")
        rest = self.tr("weights {weights}, compute {compute}")
        lines = [
            head.format(tokens(context)),
            kv.format(used=memory(layers.kv_used_at(context)), reserved=memory(reserved)),
            rest.format(weights=memory(layers.weights_bytes), compute=memory(scratch)),
        ]
        measured = [p for p in series.memory if p.process_bytes is not None and p.context_tokens <= context]
        if measured and is_reached:
            lines.append(self.tr("process {} measured").format(memory(measured[-1].process_bytes)))
        lines.extend(growth(step) for step in series.context_growths if step.context_tokens == context)
        return float(context), "\n".join(lines)
