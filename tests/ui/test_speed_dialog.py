"""Speed explained: timeline, roofline, history and what each number is, of scripted turns."""

import json
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt

from app.bench.report import fields
from app.engine.bench import BenchTest
from app.telemetry.ceilings import Ceilings
from app.telemetry.work import Attention, CacheRead, ModelWork
from tests.app.bench.rows import SUBJECT, row
from tests.fakes import Answer, ScriptedEngine
from tests.ui.test_waits import STATS
from ui.dialogs.speed.dialog import SpeedDialog

WORK = ModelWork(
    dense_bytes=80_000_000,
    head_bytes=18_000_000,
    experts_bytes=0,
    embedding_row_bytes=300,
    dense_weights=106_000_000,
    head_weights=28_000_000,
    experts_weights=0,
    experts=0,
    experts_used=0,
    caches=(CacheRead(4096, 1, 23_040),),
    attention=(Attention(69_120, None, 1),),
    recurrent_bytes=0,
)
CEILINGS = Ceilings(read_bytes_per_s=20e9, flops_per_s=100e9, measured_at=None, cache_bytes=1_000_000)


@pytest.fixture
def dialog(desk):
    desk.parts.dialogs.speed_explained()
    dialog = desk.window.findChild(SpeedDialog)
    yield dialog
    dialog.close()


def give_turn(desk):
    """One answer with exact instants."""
    desk.ask("Hello")
    session = desk.parts.chat.session
    (message_id,) = session.turns
    desk.qtbot.waitUntil(lambda: session.turns[message_id].stats.shown_ns is not None)
    session.turns[message_id] = replace(session.turns[message_id], stats=STATS)
    return message_id


def give_limits(desk, monkeypatch):
    desk.qtbot.waitUntil(lambda: desk.parts.speed.speed is not None)
    monkeypatch.setattr(desk.parts.speed, "speed", replace(desk.parts.speed.speed, work=WORK))
    monkeypatch.setattr(desk.parts.ceilings, "value", lambda: CEILINGS)


def test_without_an_answer_each_page_says_what_will_appear(desk, dialog):
    assert dialog.timeline.view.boxes() == []
    assert "After an answer" in dialog.timeline.view.accessibleDescription()
    assert "After an answer" in dialog.timeline._check.text()
    assert not any(widget.isVisible() for widget in (dialog.timeline.turn, dialog.timeline.view, dialog.timeline.rows))
    dialog.show_roofline()
    assert dialog.roofline.picture is None
    dialog.show_number("tpot")
    assert dialog.numbers.figures.text() == "After an answer today's figures stand here."


def test_the_timeline_shows_the_two_phases_and_parts_that_sum(desk, dialog):
    give_turn(desk)
    dialog.show_timeline()
    assert all(widget.isVisible() for widget in (dialog.timeline.turn, dialog.timeline.view, dialog.timeline.rows))
    boxes = dialog.timeline.view.boxes()
    assert [span.phase for span, _ in boxes] == ["before"] * 4 + ["prefill"] * 2 + ["decode", "after"]
    assert boxes[-1][1].right() == pytest.approx(dialog.timeline.view.width() - 8)
    rows = dialog.timeline.rows
    times = [rows.topLevelItem(row).text(1) for row in range(rows.topLevelItemCount())]
    assert times == ["2.00 ms", "3.00 ms", "4.00 ms", "1.00 ms", "1.00 s", "5.00 ms", "200 ms", "15.0 ms"]
    assert "prefill" in dialog.timeline.view.text_at(boxes[4][1].center().x())


def test_the_bar_under_an_answer_leads_to_its_timeline(qtbot, desk):
    from tests.ui.test_waits import bar_of

    message_id = give_turn(desk)
    qtbot.mouseClick(bar_of(desk), Qt.MouseButton.LeftButton)
    dialog = desk.window.findChild(SpeedDialog)
    assert dialog.pages.currentWidget() is dialog.timeline
    assert dialog.timeline._chosen == message_id
    dialog.close()


def test_the_roofline_has_a_point_per_phase_under_the_ceilings(desk, dialog, monkeypatch):
    give_turn(desk)
    give_limits(desk, monkeypatch)
    dialog.show_roofline()
    dialog.roofline.refresh()
    picture = dialog.roofline.picture
    assert [point.phase for point in picture.phases] == ["prefill", "decode"]
    assert picture.ridge == 5.0
    chart = dialog.roofline.chart
    assert len(chart.prefill.xs) == len(chart.decode.xs) == 1
    assert len(chart.batch_points.xs) == len(picture.line)
    assert max(chart.batch_points.ys) <= 11.0 + 1e-9
    words = dialog.findChild(type(dialog.roofline._words), "roofline_words").text()
    assert [name in words for name in ("MFU", "MBU", "sequences in a step")] == [True] * 3


def test_a_batch_sweep_of_the_bench_tells_the_measured_crossover(qtbot, desk, dialog, monkeypatch):
    give_turn(desk)
    subject = replace(SUBJECT, model_filename=str(desk.parts.models.model.info.path))
    for sequences, seconds in ((1, 1), (2, 1), (8, 4), (16, 8)):
        result = row(
            BenchTest(n_prompt=100, n_gen=10, n_parallel=sequences, n_threads=2),
            10**9 * (seconds + 1),
            subject=subject,
            method="llama-batched-bench",
            prompt_ns=(10**9,),
            gen_ns=(10**9 * seconds,),
        )
        desk.parts.store.write(lambda store, result=result: store.add_bench_results("run", [fields(result)]))
    dialog.show_roofline()
    qtbot.waitUntil(lambda: len(dialog.roofline._sweep) == 4)
    give_limits(desk, monkeypatch)
    dialog.roofline.refresh()
    assert "Measured with several sequences at once: 2.00." in dialog.roofline._words.text()


def test_the_machine_is_measured_off_the_windows_thread_and_kept(qtbot, desk, dialog):
    from datetime import UTC, datetime

    from app.telemetry.ceilings import Ceiling

    keeper = desk.parts.ceilings
    qtbot.waitUntil(lambda: keeper._known is not None)
    machine = keeper._known.machine
    keeper._measure = lambda: Ceiling("memory_read", machine, "CPU", 42e9, datetime.now(UTC), "a test")
    dialog.show_roofline()
    button = dialog.findChild(type(dialog.roofline._button), "measure_machine")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert not button.isEnabled()
    qtbot.waitUntil(lambda: not keeper.is_measuring)
    assert keeper.value().read_bytes_per_s == 42e9
    assert "42.0 GB/s" in dialog.roofline._hint.text()
    assert [each.value for each in desk.stored(lambda store: store.ceilings(machine))] == [42e9]


def test_a_refusal_to_measure_is_said(qtbot, desk, dialog):
    from app.errors import BadInputError

    def refuse():
        raise BadInputError("The machine runs on battery.")

    desk.parts.ceilings._measure = refuse
    dialog.show_roofline()
    desk.parts.ceilings.measure()
    qtbot.waitUntil(lambda: dialog.roofline._hint.text() == "The machine runs on battery.")


def test_history_draws_all_turns_with_their_curves_and_saves_them(qtbot, open_desk, tmp_path):
    lengths = (100, 200, 400, 800, 900)
    engine = ScriptedEngine(*(Answer(("w ",) * 12, prefill_ms=length, prompt_tokens=length) for length in lengths))
    desk = open_desk(engine)
    for _ in range(5):
        desk.ask("Hello")
    desk.parts.dialogs.speed_explained()
    dialog = desk.window.findChild(SpeedDialog)
    page = dialog.history
    dialog.pages.setCurrentWidget(page)
    qtbot.waitUntil(lambda: len(page.runs) == 1)
    assert page.model.currentText() == "fake.gguf: 5 turns"
    assert page.ttft.first.xs.tolist() == list(lengths)
    assert len(page.tpot.first.ys) == 5
    assert len(page.ttft.curve.getData()[0]) > 1
    page.save("json", str(tmp_path / "all.json"))
    qtbot.waitUntil(lambda: "Saved" in page._told.text())
    assert len(json.loads((tmp_path / "all.json").read_text())["turns"]) == 5
    page.save("csv", str(tmp_path / "no" / "all.csv"))
    qtbot.waitUntil(lambda: "there is no such file or folder" in page._told.text())
    dialog.close()


def test_each_number_is_explained_with_todays_figures(desk, dialog, monkeypatch):
    give_turn(desk)
    give_limits(desk, monkeypatch)
    dialog.show_number("ttft")
    dialog.numbers.refresh()
    assert dialog.numbers.formula.text() == "TTFT = t5 - t0"
    assert dialog.numbers.figures.text().startswith("2.00 ms + 7.00 ms + 1.00 s + 6.00 ms = 1.01 s")
    for key in dialog.numbers.keys:
        dialog.show_number(key)
        assert dialog.numbers.words.text() or dialog.numbers.formula.text()


def test_a_click_on_a_number_and_f1_in_its_chart_say_what_it_is(qtbot, desk):
    heading = desk.window.tpot_panel.heading
    qtbot.mouseClick(heading, Qt.MouseButton.LeftButton, pos=heading._title.geometry().center())
    dialog = desk.window.findChild(SpeedDialog)
    assert dialog.numbers.formula.text() == "TPOT = (tn - t5)/(n - 1)"
    desk.find("memory_plot").setFocus()
    desk.window.menu_actions["about_numbers"].trigger()
    assert dialog.numbers.names.currentItem().text() == "Memory of the model"
    dialog.close()


def test_names_of_numbers_are_whole_with_larger_text(qtbot, desk, dialog):
    names = dialog.numbers.names
    dialog.show_number("ttft")
    settings = desk.parts.settings
    settings.set(replace(settings.value, zoom=1.5))

    def written_px(row: int) -> int:
        """How far to the right there is something dark in a line of one row."""
        line = names.viewport().grab(names.visualItemRect(names.item(row))).toImage()
        dark = (x for x in range(line.width()) for y in range(line.height()) if line.pixelColor(x, y).lightness() < 100)
        return max(dark, default=0)

    row = next(row for row in range(names.count()) if names.item(row).text() == "What the window added")
    needed = names.fontMetrics().horizontalAdvance("What the window added")
    qtbot.waitUntil(lambda: names.visualItemRect(names.item(row)).height() > 40 or written_px(row) >= needed)
