"""The TTFT panel: its bars against the series, the running wait, clicks, keys and scrolling."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtWidgets import QApplication

from app.engine.events import GenerationFinished, PrefillProgressed, PromptTokenised
from app.telemetry.timings import ContextGrowth
from tests.fakes import MIB, MS, Answer
from tests.pointer import click, hover, turn_wheel
from tests.turns import T0, begin_turn, events_of, run_conversation, run_turn, stats_of
from ui.panels.ttft import TtftPanel
from ui.theme import Scheme


class Clock:
    """A clock that stands until it is set."""

    def __init__(self) -> None:
        self.now_ns = T0

    def __call__(self) -> int:
        return self.now_ns


def test_one_bar_per_turn_with_the_parts_of_its_wait(show, series) -> None:
    run_conversation(series, 3)
    panel = show(TtftPanel, series)
    bars = panel.chart.bars
    assert bars.positions.tolist() == [1, 2, 3]
    assert bars.parts.tolist() == [[0.001, 0.002, 0.1, 0.005], [0.001, 0.002, 0.2, 0.005], [0.001, 0.002, 0.3, 0.005]]
    for turn, parts in zip(series.turns, bars.parts, strict=True):
        assert sum(parts) == pytest.approx(turn.stats.ttft_s, rel=1e-12)
    assert bars.dotted.tolist() == [False, True, True]


def test_the_heading_is_the_last_turns_ttft(show, series) -> None:
    run_conversation(series, 2)
    panel = show(TtftPanel, series)
    assert panel.heading.value == "208 ms"
    assert panel.heading.detail == "prefill 200 tok/s"


def test_the_legend_has_the_last_turns_parts(show, series) -> None:
    run_conversation(series, 2)
    panel = show(TtftPanel, series)
    assert [(entry.label, entry.value) for entry in panel.legend.entries] == [
        ("queue", "1.00 ms"),
        ("tokenise", "2.00 ms"),
        ("prefill", "200 ms"),
        ("rest", "5.00 ms"),
        ("cached", "44"),
    ]
    assert all(entry.tooltip for entry in panel.legend.entries)


def test_bars_are_painted_with_the_height_of_their_value(show, series) -> None:
    run_conversation(series, 2)
    panel = show(TtftPanel, series)
    image = panel.canvas.widget.grab().toImage()
    prefill = panel.canvas.to_widget(2, 0.1).toPoint()
    above = panel.canvas.to_widget(2, 0.219).toPoint()
    ratio = image.devicePixelRatio()
    assert image.pixelColor(prefill * ratio).name() == "#0072b2"
    assert image.pixelColor(above * ratio).name() != "#0072b2"


def test_parts_are_painted_one_upon_the_other(show, series, theme) -> None:
    run_turn(series, "m", Answer(queue_ms=100, tokenise_ms=100, prefill_ms=100, first_ms=100))
    panel = show(TtftPanel, series)
    image = panel.canvas.widget.grab().toImage()
    colours = theme.colours
    parts = (colours.queue, colours.tokenise, colours.prefill, colours.rest)
    for height, expected in zip((0.05, 0.15, 0.25, 0.35), parts, strict=True):
        centre = panel.canvas.to_widget(1, height).toPoint() * image.devicePixelRatio()
        around = {image.pixelColor(centre + QPoint(x, y)).name() for x in range(-6, 6) for y in range(-6, 6)}
        assert expected in around
        assert not (set(parts) - {expected}) & around


def test_a_turn_without_a_first_token_is_a_cross_not_a_zero(show, series) -> None:
    run_turn(series, "m1", Answer())
    recorder = begin_turn(series, "m2")
    recorder.observe(GenerationFinished("failed", T0 + MS, 0, "No."))
    series.end_turn()
    series.add_turn("m2", recorder.stats)
    panel = show(TtftPanel, series)
    assert np.isnan(panel.chart.bars.parts[1]).all()
    assert panel.heading.value == "n/a"
    assert [entry.value for entry in panel.legend.entries[:4]] == ["n/a"] * 4
    panel.show_readout(2)
    assert panel.readout.text() == "Turn 2: no first token"


def test_the_running_wait_grows_with_the_clock(show, series) -> None:
    clock = Clock()
    recorder = begin_turn(series, "live")
    panel = show(TtftPanel, series, clock_ns=clock)
    clock.now_ns = T0 + 40 * MS
    panel.redraw()
    assert panel.chart.bars.parts.tolist() == [[0.04, 0, 0, 0]]
    assert (panel.heading.value, panel.heading.detail) == ("40.0 ms", "waiting")
    recorder.observe(PromptTokenised(T0 + 1 * MS, T0 + 3 * MS, 100, 0))
    recorder.observe(PrefillProgressed(0, 100, T0 + 4 * MS))
    series.observe()
    clock.now_ns = T0 + 1504 * MS
    panel.redraw()
    assert panel.chart.bars.parts.tolist() == [[0.001, 0.002, 1.5, 0.001]]
    assert panel.heading.value == "1.50 s"


def test_the_wait_stands_once_the_first_token_came(show, series) -> None:
    clock = Clock()
    recorder = begin_turn(series, "live")
    panel = show(TtftPanel, series, clock_ns=clock)
    for event in events_of(Answer())[:4]:
        recorder.observe(event)
    series.observe()
    clock.now_ns = T0 + 5000 * MS
    panel.redraw()
    assert panel.chart.bars.parts.tolist() == [[0.001, 0.002, 0.1, 0.005]]
    assert panel.heading.value == "108 ms"


@pytest.mark.parametrize("number", [1, 3])
def test_a_click_on_a_bar_activates_its_answer(qtbot, show, series, number) -> None:
    run_conversation(series, 3)
    panel = show(TtftPanel, series)
    with qtbot.waitSignal(panel.turn_activated) as activated:
        click(panel, number, 0.05)
    assert activated.args == [f"m{number}"]


def test_a_click_beside_the_bars_activates_nothing(qtbot, show, series) -> None:
    run_conversation(series, 3)
    panel = show(TtftPanel, series)
    with qtbot.assertNotEmitted(panel.turn_activated):
        click(panel, 7, 0.05)
        click(panel, 1, -1.0)


def test_the_pointer_reads_values_with_units(qtbot, show, series) -> None:
    run_conversation(series, 2)
    panel = show(TtftPanel, series)
    hover(panel, 2, 0.1)
    qtbot.waitUntil(panel.readout.isVisible)
    assert panel.readout.text() == (
        "Turn 2: 208 ms\nqueue 1.00 ms, tokenise 2.00 ms\nprefill 200 ms, rest 5.00 ms\n"
        "prompt 84 tokens, 44 of them cached"
    )
    assert panel.rect().contains(panel.readout.geometry())
    hover(panel, 2, -0.02)
    qtbot.waitUntil(lambda: not panel.readout.isVisible())


def test_the_values_go_when_the_pointer_leaves(qtbot, show, series) -> None:
    run_conversation(series, 2)
    panel = show(TtftPanel, series)
    hover(panel, 2, 0.1)
    qtbot.waitUntil(panel.readout.isVisible)
    QApplication.sendEvent(panel.canvas.widget, QEvent(QEvent.Type.Leave))
    assert not panel.readout.isVisible()


def test_a_first_token_that_waited_for_a_larger_context_says_so(show, series) -> None:
    growth = ContextGrowth(0, 900, 900, 1024, 2048, 20 * MIB, 22 * MIB, 90_000_000)
    series.add_turn("m", replace(stats_of(Answer()), context_growths=(growth,)))
    panel = show(TtftPanel, series)
    panel.show_readout(1)
    assert panel.readout.text().splitlines()[-1] == "context grew from 1,024 to 2,048 tokens: 22.0 MiB more, 90.0 ms"


def test_why_the_cache_missed_is_said(show, series) -> None:
    series.add_turn("m", replace(stats_of(Answer()), cache_miss="An earlier <b>turn</b> was edited."))
    panel = show(TtftPanel, series)
    panel.show_readout(1)
    assert panel.readout.text().endswith("\nAn earlier <b>turn</b> was edited.")
    assert panel.readout.textFormat() is Qt.TextFormat.PlainText


def test_keys_walk_over_the_turns_and_enter_activates(qtbot, show, series) -> None:
    run_conversation(series, 3)
    panel = show(TtftPanel, series)
    frame = panel.findChild(object, "ttft_plot")
    for key, position in [("Left", 3), ("Left", 2), ("Home", 1), ("Left", 1), ("Right", 2), ("End", 3), ("Right", 3)]:
        qtbot.keyClick(frame, getattr(Qt.Key, f"Key_{key}"))
        assert panel.readout.position == position
    with qtbot.waitSignal(panel.turn_activated) as activated:
        qtbot.keyClick(frame, Qt.Key.Key_Return)
    assert activated.args == ["m3"]
    qtbot.keyClick(frame, Qt.Key.Key_Escape)
    assert not panel.readout.isVisible()


def test_the_highlighted_answer_has_a_frame(show, series) -> None:
    run_conversation(series, 3)
    panel = show(TtftPanel, series)
    before = panel.grab().toImage()
    panel.highlight_turn("m2")
    assert panel.chart.bars.highlighted == 2
    assert panel.grab().toImage() != before
    panel.highlight_turn("")
    assert panel.chart.bars.highlighted is None


def test_the_last_twenty_turns_are_in_view_until_the_user_scrolls(show, series) -> None:
    run_conversation(series, 3)
    panel = show(TtftPanel, series)
    assert panel.canvas.x_range == (0.5, 10.5)
    run_conversation(series, 40)
    panel.redraw()
    assert panel.canvas.x_range == (23.5, 43.5)
    turn_wheel(panel, 24, 0.5, steps=-50)
    assert panel.canvas.x_range == (0.5, 43.5)
    run_turn(series, "newest", Answer())
    panel.redraw()
    assert panel.canvas.x_range == (1.5, 44.5)
    turn_wheel(panel, 2, 0.5, steps=8)
    scrolled = panel.canvas.x_range
    assert scrolled[1] < 44
    run_turn(series, "one more", Answer())
    panel.redraw()
    assert panel.canvas.x_range == pytest.approx(scrolled)
    panel.show_latest()
    assert panel.canvas.x_range == (25.5, 45.5)


def test_the_y_axis_fits_the_bars_in_view(show, series) -> None:
    run_conversation(series, 30)
    panel = show(TtftPanel, series)
    top = panel.canvas.top
    assert 3.008 * 1.1 < top < 3.008 * 1.6
    turn_wheel(panel, 11, 0.5, steps=-50)
    turn_wheel(panel, 1, 0.5, steps=20)
    assert panel.canvas.top < top


def test_before_the_first_message_it_says_what_will_appear(show, series) -> None:
    panel = show(TtftPanel, series)
    assert not panel.legend.isVisible()
    assert panel.heading.value == ""
    assert "Send a message" in panel.summary() or "send a message" in panel.summary()
    run_conversation(series, 1)
    panel.redraw()
    assert panel.legend.isVisible()
    assert panel.canvas.widget.isVisible()
    series.clear()
    panel.redraw()
    assert not panel.canvas.widget.isVisible()


def test_the_numbers_are_told_in_words(show, series) -> None:
    run_conversation(series, 3)
    panel = show(TtftPanel, series)
    frame = panel.findChild(object, "ttft_plot")
    assert frame.accessibleName() == "Time to first token"
    assert frame.accessibleDescription() == (
        "3 turns. Last turn: 308 ms, queue 1.00 ms, tokenise 2.00 ms, prefill 300 ms, rest 5.00 ms. "
        "Shortest 108 ms, longest 308 ms."
    )
    run_turn(series, "m4", Answer())
    panel.redraw()
    assert frame.accessibleDescription().startswith("4 turns. Last turn: 108 ms")


def test_dark_bars_are_the_same_bars(show, series, theme) -> None:
    run_conversation(series, 2)
    panel = show(TtftPanel, series)
    light = panel.chart.bars.parts.tolist()
    theme.set_scheme(Scheme.DARK)
    image = panel.canvas.widget.grab().toImage()
    assert image.pixelColor(2, 2).name() == theme.colours.base
    assert panel.chart.bars.parts.tolist() == light
