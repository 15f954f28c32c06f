"""The TPOT panel: its curves and lines against the series, outliers, clicks and zoom."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt

from app.telemetry.timings import ContextGrowth, TurnStats
from tests.fakes import MIB, MS, Answer
from tests.pointer import click, hover, turn_wheel
from tests.turns import T0, begin_turn, events_of, run_conversation, run_turn
from ui.panels.tpot import TpotPanel


def data(curve) -> tuple[list[float], list[float]]:
    """Return what a pyqtgraph curve or its like draws."""
    x, y = curve.getData()
    return list(map(float, x)), list(map(float, y))


def stats(gaps_ms: list[float], prompt_tokens: int = 100) -> TurnStats:
    """A finished turn with these gaps between its tokens."""
    instants = np.concatenate([[0.0], np.cumsum(gaps_ms)])
    token_ns = tuple(T0 + round(ms * MS) for ms in instants)
    return TurnStats(T0, token_ns=token_ns, prompt_tokens=prompt_tokens, cached_tokens=0, n_ctx=4096)


def test_the_last_answer_is_drawn_against_its_context(show, series) -> None:
    run_conversation(series, 3)
    panel = show(TpotPanel, series)
    assert data(panel.chart.current) == ([129, 130, 131, 132], [0.013] * 4)
    last = series.past_latencies[-1]
    assert data(panel.chart.current) == (last.context_tokens.tolist(), last.itl_s.tolist())


def test_earlier_answers_are_one_dimmer_curve_with_gaps(show, series) -> None:
    run_conversation(series, 3)
    panel = show(TpotPanel, series)
    assert data(panel.chart.earlier) == ([41, 42, 43, 44, 85, 86, 87, 88], [0.011] * 4 + [0.012] * 4)
    assert panel.chart.earlier.opts["connect"].tolist() == [1, 1, 1, 0, 1, 1, 1, 0]


def test_lines_and_heading_are_those_of_the_last_answer(show, series) -> None:
    turn = stats([10, 12, 11, 13, 40])
    series.add_turn("m", turn)
    panel = show(TpotPanel, series)
    assert panel.chart.p50.value() == turn.itl_percentile_s(50) == 0.012
    assert panel.chart.p95.value() == pytest.approx(turn.itl_percentile_s(95))
    assert panel.chart.tpot.value() == turn.tpot_s == 0.0172
    assert (panel.heading.value, panel.heading.detail) == ("17.2 ms", "58.1 tok/s")
    assert [(entry.label, entry.value) for entry in panel.legend.entries] == [
        ("turn 1", ""),
        ("TPOT", "17.2 ms"),
        ("p50", "12.0 ms"),
        ("p95", "34.6 ms"),
    ]


def test_the_running_answer_grows(show, series) -> None:
    run_conversation(series, 1)
    recorder = begin_turn(series, "live")
    panel = show(TpotPanel, series)
    events = events_of(Answer(pieces=("x",) * 600, prompt_tokens=200, itl_ms=20))
    assert panel.heading.value == "11.0 ms"  # until the second token the last answer's number stands
    for end in (5, 50, 500):
        for event in events[recorder.completion_tokens + (3 if recorder.completion_tokens else 0) : end]:
            recorder.observe(event)
        series.observe()
        panel.redraw()
        n = recorder.completion_tokens - 1
        assert data(panel.chart.current)[0][-1] == 200 + n
        assert set(data(panel.chart.current)[1]) == {0.02}
        assert data(panel.chart.earlier)[0] == [41, 42, 43, 44]
    assert panel.heading.value == "20.0 ms"
    assert panel.legend.entries[0].label == "this answer"


def test_an_outlier_does_not_flatten_the_curve_and_is_told(show, series) -> None:
    gaps = [10.0] * 300
    gaps[150] = 900.0
    series.add_turn("m", stats(gaps))
    panel = show(TpotPanel, series)
    assert 0.015 <= panel.chart.top_s <= 0.03
    assert panel.chart.off_scale.xs.tolist() == [251]
    assert panel.legend.entries[-1].label == "max"
    assert panel.legend.entries[-1].value == "900 ms"
    assert max(data(panel.chart.current)[1]) == 0.9


def test_an_outlier_in_a_short_answer_does_not_flatten_it_either(show, series) -> None:
    series.add_turn("m", stats([10.0] * 9 + [60_000.0]))
    panel = show(TpotPanel, series)
    assert panel.chart.top_s <= 0.06
    assert panel.legend.entries[-1].value == "60.0 s"


def test_without_outliers_nothing_is_off_scale(show, series) -> None:
    run_conversation(series, 2)
    panel = show(TpotPanel, series)
    assert len(panel.chart.off_scale.xs) == 0
    assert "max" not in [entry.label for entry in panel.legend.entries]


def test_after_an_answer_of_one_token_heading_legend_and_curve_are_those_of_the_one_before(show, series) -> None:
    run_conversation(series, 1)
    run_turn(series, "short", Answer(pieces=("",), prompt_tokens=90))
    panel = show(TpotPanel, series)
    assert (panel.heading.value, panel.heading.detail) == ("11.0 ms", "90.9 tok/s")
    assert [(entry.label, entry.value) for entry in panel.legend.entries[:2]] == [("turn 1", ""), ("TPOT", "11.0 ms")]
    assert data(panel.chart.current)[0] == [41, 42, 43, 44]


def test_a_lone_answer_of_one_token_has_no_tpot(show, series) -> None:
    run_turn(series, "short", Answer(pieces=("",), prompt_tokens=90))
    assert show(TpotPanel, series).heading.value == "n/a"


def test_many_tokens_are_reduced_to_the_pixels_but_keep_their_peaks(show, series) -> None:
    rng = np.random.default_rng(1)
    for number in range(20):
        series.add_turn(f"m{number}", stats(list(rng.gamma(9.0, 1.2, 200)), prompt_tokens=200 * number))
    panel = show(TpotPanel, series)
    contexts, itl = data(panel.chart.earlier)
    width = panel.canvas.size[0]
    assert len(contexts) < 3 * width
    whole = np.concatenate([answer.itl_s for answer in series.past_latencies[:-1]])
    assert max(itl) == whole.max()
    assert min(itl) == whole.min()


def test_the_x_axis_ends_at_round_numbers_up_to_the_limit(show, series) -> None:
    series.add_turn("m1", stats([10, 10], prompt_tokens=20))
    panel = show(TpotPanel, series)
    assert panel.canvas.x_range == (0, 256)
    series.add_turn("m2", stats([10] * 10, prompt_tokens=251))
    panel.redraw()
    assert panel.canvas.x_range == (0, 512)
    series.add_turn("m3", stats([10] * 10, prompt_tokens=4000))
    panel.redraw()
    assert panel.canvas.x_range == (0, 4096)


def test_a_click_leads_to_the_nearest_tokens_answer(qtbot, show, series) -> None:
    run_conversation(series, 3)
    panel = show(TpotPanel, series)
    for x, message_id in [(43, "m1"), (86, "m2"), (131, "m3"), (200, "m3")]:
        with qtbot.waitSignal(panel.turn_activated) as activated:
            click(panel, x, 0.005)
        assert activated.args == [message_id]


def test_the_pointer_reads_the_nearest_token(qtbot, show, series) -> None:
    run_conversation(series, 2)
    panel = show(TpotPanel, series)
    hover(panel, 86, 0.005)
    qtbot.waitUntil(panel.readout.isVisible)
    context = round(panel.readout.position)
    assert panel.readout.text() == f"turn 2, at {context} tokens of context\n12.0 ms, 83.3 tok/s"


def test_a_token_that_waited_for_a_larger_context_says_so(show, series) -> None:
    growth = ContextGrowth(3, 23, 23, 1024, 2048, 20 * MIB, 22 * MIB, 90_000_000)
    series.add_turn("m1", replace(stats([10, 10, 100, 10], prompt_tokens=20), context_growths=(growth,)))
    panel = show(TpotPanel, series)
    said = []
    for context in (21, 22, 23, 24):
        panel.show_readout(context)
        said.append(panel.readout.text().splitlines()[2:])
    assert said == [[], [], ["context grew from 1,024 to 2,048 tokens: 22.0 MiB more, 90.0 ms"], []]


def test_keys_walk_over_the_answers(qtbot, show, series) -> None:
    run_conversation(series, 3)
    panel = show(TpotPanel, series)
    frame = panel.findChild(object, "tpot_plot")
    qtbot.keyClick(frame, Qt.Key.Key_End)
    assert panel.readout.position == 132
    qtbot.keyClick(frame, Qt.Key.Key_Left)
    assert panel.readout.position == 88
    with qtbot.waitSignal(panel.turn_activated) as activated:
        qtbot.keyClick(frame, Qt.Key.Key_Return)
    assert activated.args == ["m2"]


def test_a_highlighted_answer_is_drawn_again_in_the_accent_colour(show, series, theme) -> None:
    run_conversation(series, 3)
    panel = show(TpotPanel, series)
    assert data(panel.chart.highlighted) == ([], [])
    panel.highlight_turn("m2")
    assert data(panel.chart.highlighted) == ([85, 86, 87, 88], [0.012] * 4)
    assert panel.chart.highlighted.opts["pen"].color().name() == theme.colours.accent
    panel.highlight_turn("")
    assert data(panel.chart.highlighted) == ([], [])


def test_the_user_can_zoom_in_and_out_again(show, series) -> None:
    series.add_turn("m1", stats([10] * 200, prompt_tokens=20))
    panel = show(TpotPanel, series)
    whole = panel.canvas.x_range
    turn_wheel(panel, 100, 0.01, steps=10)
    zoomed = panel.canvas.x_range
    assert whole[0] < zoomed[0] < 100 < zoomed[1] < whole[1]
    series.add_turn("m2", stats([10] * 20, prompt_tokens=230))
    panel.redraw()
    assert panel.canvas.x_range == pytest.approx(zoomed)
    panel.show_latest()
    assert panel.canvas.x_range == (0, 256)


def test_before_the_second_token_it_says_what_will_appear(show, series) -> None:
    recorder = begin_turn(series, "m")
    panel = show(TpotPanel, series)
    for event in events_of(Answer())[:4]:
        recorder.observe(event)
    series.observe()
    panel.redraw()
    assert not panel.canvas.widget.isVisible()
    assert "second token" in panel.findChild(object, "tpot_plot").accessibleDescription()
    recorder.observe(events_of(Answer())[4])
    series.observe()
    panel.redraw()
    assert panel.canvas.widget.isVisible()


def test_the_numbers_are_told_in_words(show, series) -> None:
    run_conversation(series, 1)
    panel = show(TpotPanel, series)
    assert panel.findChild(object, "tpot_plot").accessibleDescription() == (
        "Last answer: 5 tokens, 11.0 ms per token, 90.9 tok/s; half of the tokens took at most 11.0 ms, "
        "95 of 100 at most 11.0 ms, the slowest 11.0 ms."
    )
