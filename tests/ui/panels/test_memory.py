"""The memory panel: its stack, lines and limits against the series, and its forecast."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt

from app.engine.events import Buffer
from app.telemetry.answer_room import AnswerRoom
from app.telemetry.series import ConversationSeries
from tests.fakes import MIB, Answer, fake_model, grown
from tests.pointer import hover
from tests.turns import begin_turn, events_of, run_conversation, run_turn, stats_of
from ui.panels.looks import MEMORY_LAYERS
from ui.panels.memory import MemoryPanel

CELL = 23_040
RESERVED = 4096 * CELL
COMPUTE = 17 * MIB + MIB // 5


def layer(panel, name: str) -> list[float]:
    """Return a layer's thickness at the stack's positions, by its colour's name."""
    index = [mark.colour for mark in MEMORY_LAYERS].index(name)
    return panel.chart.area.layers[index].tolist()


def test_a_loaded_model_is_shown_before_the_first_turn(show, series) -> None:
    panel = show(MemoryPanel, series)
    assert panel.chart.area.positions.tolist() == [0, 0, 4096]
    assert layer(panel, "weights") == [92 * MIB] * 3
    assert layer(panel, "compute") == [COMPUTE] * 3
    assert layer(panel, "recurrent") == [0] * 3
    assert layer(panel, "kv_used") == [0] * 3
    assert layer(panel, "kv_reserved") == [RESERVED] * 3
    assert panel.heading.value == "199 MiB"
    assert panel.chart.context_limit.value() == 4096
    assert panel.chart.context_limit.isVisible()


def test_only_the_used_part_of_the_reserved_cache_grows(show, series) -> None:
    panel = show(MemoryPanel, series)
    for cells in (100, 1500, 4096):
        series.set_context_tokens(cells)
        panel.redraw()
        assert panel.chart.area.positions.tolist() == [0, cells, cells, 4096]
        assert layer(panel, "kv_used") == [0, cells * CELL, 0, 0]
        assert layer(panel, "kv_reserved") == [RESERVED, RESERVED - cells * CELL, RESERVED, RESERVED]
        total = panel.chart.area.layers.sum(axis=0)
        assert total.tolist() == [92 * MIB + COMPUTE + RESERVED] * 4


def test_what_is_expected_of_the_cache_goes_on_to_the_limit(show, series) -> None:
    series.set_context_tokens(1000)
    panel = show(MemoryPanel, series)
    contexts, heights = panel.chart.expected.getData()
    below = 92 * MIB + COMPUTE
    assert contexts.tolist() == [1000, 4096]
    assert heights.tolist() == [below + 1000 * CELL, below + RESERVED]


def test_measured_process_memory_is_a_line_to_the_present(show, series) -> None:
    run_conversation(series, 3)
    panel = show(MemoryPanel, series)
    contexts, process = panel.chart.process.getData()
    measured = [(point.context_tokens, point.process_bytes) for point in series.memory if point.process_bytes]
    assert list(zip(contexts.tolist(), process.tolist(), strict=True)) == measured
    assert (contexts[-1], process[-1]) == (132, 123 * MIB)
    assert (panel.chart.now.xs.tolist(), panel.chart.now.ys.tolist()) == ([132], [123 * MIB])
    assert panel.heading.value == "123 MiB"


def test_unmeasured_memory_is_not_drawn(show, series) -> None:
    run_turn(series, "m", Answer(), process_bytes=None)
    panel = show(MemoryPanel, series)
    assert len(panel.chart.process.getData()[0]) == 0
    assert len(panel.chart.now.xs) == 0
    assert {entry.label: entry.value for entry in panel.legend.entries}["process"] == "n/a"


def test_saved_caches_are_a_part_of_their_own_on_top_of_what_llama_cpp_allocated(show, series) -> None:
    run_turn(series, "m", Answer(), process_bytes=400 * MIB)
    panel = show(MemoryPanel, series)
    assert set(panel.chart.area.layers[-1].tolist()) == {0}
    assert "KV saved" not in [entry.label for entry in panel.legend.entries]
    assert "Saved KV caches" not in panel.summary()
    run_turn(series, "n", Answer(), process_bytes=430 * MIB, saved_bytes=30 * MIB)
    panel.redraw()
    assert set(panel.chart.area.layers[-1].tolist()) == {30 * MIB}
    total = panel.chart.area.layers.sum(axis=0)
    assert set(total.tolist()) == {92 * MIB + COMPUTE + RESERVED + 30 * MIB}
    assert {entry.label: entry.value for entry in panel.legend.entries}["KV saved"] == "30.0 MiB"
    assert "Saved KV caches 30.0 MiB, part of what was measured." in panel.summary()


def test_a_new_conversation_takes_the_used_cache_to_zero(show, series) -> None:
    run_conversation(series, 2)
    panel = show(MemoryPanel, series)
    assert max(layer(panel, "kv_used")) == 88 * CELL
    series.clear()
    panel.redraw()
    assert max(layer(panel, "kv_used")) == 0
    assert len(panel.chart.process.getData()[0]) == 0


def test_machine_memory_in_range_is_a_line_else_a_note(show, series) -> None:
    series.machine_total_bytes = 256 * MIB
    panel = show(MemoryPanel, series)
    assert panel.chart.machine_limit.isVisible()
    assert panel.chart.machine_limit.value() == 256 * MIB
    assert panel.canvas.top >= 256 * MIB
    assert panel.legend.entries[-1].value == "256 MiB"
    series.machine_total_bytes = 8192 * MIB
    series.set_context_tokens(1)
    panel.redraw()
    assert not panel.chart.machine_limit.isVisible()
    assert panel.canvas.top < 400 * MIB
    assert panel.legend.entries[-1].value == "8.00 GiB ↑"
    assert panel.legend.entries[-1].tooltip == "The machine's memory, 8.00 GiB. It lies above this chart."


def test_room_that_shrinks_while_an_answer_is_written_waits_for_the_next_drawing(show, series) -> None:
    panel = show(MemoryPanel, series)
    begin_turn(series, "m")
    series.set_context_tokens(40)
    panel.redraw()
    drawn = []
    panel._draw = lambda *_: drawn.append(panel._room)  # type: ignore[method-assign]
    panel.set_room(AnswerRoom(4000, 4000 * CELL, 4096))
    assert drawn == []
    panel.redraw()
    assert drawn == [AnswerRoom(4000, 4000 * CELL, 4096)]
    series.end_turn()
    panel.set_room(AnswerRoom(3000, 3000 * CELL, 4096))
    assert drawn[1:] == [AnswerRoom(3000, 3000 * CELL, 4096)]


def test_the_forecast_is_in_the_heading(show, series) -> None:
    for number in range(2):
        series.add_turn(f"m{number}", replace(stats_of(Answer()), context_tokens=1000 + 500 * number))
    panel = show(MemoryPanel, series)
    assert panel.heading.detail == "about 5 turns left"
    sentence = "At 500 tokens a turn (mean of 1 turn) the context of 4,096 tokens is full at turn 8."
    assert panel.summary().endswith(sentence)
    series.add_turn("m2", replace(stats_of(Answer()), context_tokens=4000))
    panel.redraw()
    assert panel.heading.detail == "the next turn will not fit"


def test_no_forecast_before_the_second_turn(show, series) -> None:
    run_conversation(series, 1)
    panel = show(MemoryPanel, series)
    assert panel.heading.detail == ""


def test_recurrent_state_has_its_layer(show) -> None:
    model = fake_model()
    buffers = (*model.memory.buffers, Buffer("CPU", "recurrent", 40 * MIB))
    series = ConversationSeries()
    series.set_model(replace(model, memory=replace(model.memory, buffers=buffers)))
    panel = show(MemoryPanel, series)
    assert layer(panel, "recurrent") == [40 * MIB] * 3
    assert {entry.label: entry.value for entry in panel.legend.entries}["recurrent"] == "40.0 MiB"


@pytest.fixture
def grown_series() -> ConversationSeries:
    """A context that grew from 1,024 to 2,048 tokens and may grow to 8,192; 1,200 are in use."""
    series = ConversationSeries()
    series.set_model(fake_model(n_ctx=1024, n_ctx_max=8192))
    recorder = begin_turn(series, "m1")
    event = grown(series.model, 1024)
    recorder.observe(event)
    series.set_model(series.model.with_context(event))
    series.end_turn()
    series.add_turn("m1", replace(recorder.stats, context_tokens=1200))
    return series


def test_a_context_that_grew_is_a_step_with_a_line(show, grown_series) -> None:
    panel = show(MemoryPanel, grown_series)
    assert panel.chart.area.positions.tolist() == [0, 1024, 1024, 1200, 1200, 2048]
    total = panel.chart.area.layers.sum(axis=0) - 92 * MIB
    small, large = COMPUTE + 1024 * CELL, COMPUTE + 4 * MIB + 2048 * CELL
    assert total.tolist() == [small, small, large, large, large, large]
    assert [(line.isVisible(), line.value()) for line in panel.chart.growths] == [(True, 1024)]
    grew = next(entry for entry in panel.legend.entries if entry.label == "grew")
    assert grew.tooltip == "context grew from 1,024 to 2,048 tokens: 26.5 MiB more, 100 ms"
    assert grew.tooltip in panel.findChild(object, "memory_plot").accessibleDescription()


def test_the_pointer_reads_the_step(show, grown_series) -> None:
    panel = show(MemoryPanel, grown_series)
    panel.show_readout(1010)
    assert panel.readout.position == 1024
    lines = panel.readout.text().splitlines()
    assert lines[1] == "KV 22.5 MiB of 45.0 MiB"
    assert lines[-1] == "context grew from 1,024 to 2,048 tokens: 26.5 MiB more, 100 ms"
    panel.show_readout(900)
    assert panel.readout.text().splitlines()[1:] == ["KV 19.8 MiB of 22.5 MiB", "weights 92.0 MiB, compute 17.2 MiB"]


def test_a_limit_beyond_the_chart_is_in_the_legend(show, grown_series) -> None:
    panel = show(MemoryPanel, grown_series)
    assert not panel.chart.context_limit.isVisible()
    limit = next(entry for entry in panel.legend.entries if entry.label == "limit")
    assert limit.value == "8,192 tokens →"
    assert "trained for no more" in limit.tooltip
    assert "holds 2,048 tokens now" in limit.tooltip
    grown_series.set_model(replace(grown_series.model, n_ctx_max=5120))
    panel.redraw()
    limit = next(entry for entry in panel.legend.entries if entry.label == "limit")
    assert "does not fit into memory" in limit.tooltip
    grown_series.set_model(replace(grown_series.model, n_ctx_max=2048))
    panel.redraw()
    assert panel.chart.context_limit.isVisible()
    assert panel.chart.context_limit.value() == 2048


def test_a_new_conversation_takes_the_steps_away(show, grown_series) -> None:
    panel = show(MemoryPanel, grown_series)
    grown_series.clear()
    grown_series.set_model(grown_series.model.with_context(fake_model(n_ctx=1024)))
    panel.redraw()
    assert panel.chart.area.positions.tolist() == [0, 0, 1024]
    assert not panel.chart.growths[0].isVisible()


def test_layers_are_painted_where_their_bytes_are(show, series) -> None:
    series.set_context_tokens(4000)
    panel = show(MemoryPanel, series)
    image = panel.canvas.widget.grab().toImage()

    def colour(tokens: int, size_bytes: float) -> str:
        point = panel.canvas.to_widget(tokens, size_bytes).toPoint() * image.devicePixelRatio()
        return image.pixelColor(point).name()

    below = 92 * MIB + COMPUTE
    assert colour(2000, 46 * MIB) == "#8a949e"
    assert colour(3900, below + 3000 * CELL) == "#0072b2"
    assert colour(1000, below + 900 * CELL) == "#0072b2"
    assert colour(1000, below + 1300 * CELL) != "#0072b2"


def test_the_pointer_reads_what_was_and_what_is_expected(qtbot, show, series) -> None:
    run_conversation(series, 2)
    panel = show(MemoryPanel, series)
    panel.show_readout(88)
    assert panel.readout.text() == (
        "At 88 tokens of context\nKV 1.93 MiB of 90.0 MiB\nweights 92.0 MiB, compute 17.2 MiB\nprocess 122 MiB measured"
    )
    hover(panel, 2048, 50 * MIB)
    qtbot.waitUntil(lambda: panel.readout.position is not None and panel.readout.position > 1000)
    lines = panel.readout.text().splitlines()
    assert lines[0] == f"At {round(panel.readout.position):,} tokens of context, expected"
    assert len(lines) == 3


def test_keys_walk_over_the_context(qtbot, show, series) -> None:
    series.set_context_tokens(100)
    panel = show(MemoryPanel, series)
    frame = panel.findChild(object, "memory_plot")
    for key, position in [("End", 4096), ("Home", 0), ("Right", 100), ("Right", 128), ("Left", 100)]:
        qtbot.keyClick(frame, getattr(Qt.Key, f"Key_{key}"))
        assert panel.readout.position == position


def test_without_a_model_it_says_what_will_appear(show) -> None:
    series = ConversationSeries()
    panel = show(MemoryPanel, series)
    assert panel.heading.value == ""
    assert "Load a model" in panel.findChild(object, "memory_plot").accessibleDescription()
    series.set_model(fake_model())
    panel.redraw()
    assert panel.canvas.widget.isVisible()
    series.set_model(None)
    panel.redraw()
    assert not panel.canvas.widget.isVisible()


def test_a_reopened_conversation_is_shown_without_its_model(show, series) -> None:
    run_conversation(series, 2)
    reopened = ConversationSeries()
    for turn in series.turns:
        reopened.add_turn(turn.message_id, turn.stats)
    reopened.add_memory(series.memory)
    panel = show(MemoryPanel, reopened)
    assert panel.chart.context_limit.value() == 4096
    assert max(layer(panel, "kv_used")) == 88 * CELL
    assert np.array(panel.chart.process.getData()).tolist()[1][-1] == 122 * MIB


def test_it_is_live_while_the_answer_streams(show, series) -> None:
    panel = show(MemoryPanel, series)
    recorder = begin_turn(series, "m")
    seen = []
    for event in events_of(Answer(pieces=("a",) * 4, prompt_tokens=500)):
        recorder.observe(event)
        series.observe()
        panel.redraw()
        seen.append(max(layer(panel, "kv_used")) / CELL)
    assert seen == [0, 0, 500, 500, 501, 502, 503, 503]


def test_the_numbers_are_told_in_words(show, series) -> None:
    series.machine_total_bytes = 8192 * MIB
    run_conversation(series, 2)
    panel = show(MemoryPanel, series)
    assert panel.findChild(object, "memory_plot").accessibleDescription() == (
        "Weights 92.0 MiB, KV cache 1.93 MiB in use of 90.0 MiB, recurrent state 0 MiB, compute and output 17.2 MiB, "
        "measured 122 MiB, machine 8.00 GiB. 88 of 4,096 tokens in use. "
        "At 44.0 tokens a turn (mean of 1 turn) the context of 4,096 tokens is full at turn 94."
    )
