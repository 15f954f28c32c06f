"""The bench window on a scripted engine: exact numbers, what is kept, what stands in the way, what comes back."""

import csv
import json
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication

from app.bench.fingerprint import machine_key
from app.bench.report import fields
from app.engine.bench import BenchTest
from app.telemetry.ceilings import Ceiling
from tests.app.bench.rows import SUBJECT, row
from tests.fakes import Answer, ScriptedEngine, Timing, fake_model
from ui.dialogs.bench.dialog import BenchDialog

MS = 1_000_000


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "fake.gguf"
    path.write_bytes(b"not read by a scripted engine")
    return path


@pytest.fixture
def desk(open_desk, model):
    return open_desk(ScriptedEngine(model=fake_model(model)), model)


def open_bench(desk, **texts) -> BenchDialog:
    desk.window.menu_actions["bench"].trigger()
    dialog = desk.window.findChild(BenchDialog)
    for name, text in texts.items():
        dialog.form.fields[name].setText(text)
    return dialog


def tiny(desk, repetitions=2, **texts) -> BenchDialog:
    dialog = open_bench(desk, **{"n_prompt": "100", "n_gen": "10", **texts})
    dialog.form.repetitions.setValue(repetitions)
    return dialog


def run(desk, dialog) -> None:
    with desk.qtbot.waitSignal(desk.parts.bench.finished):
        dialog.start_button.click()
    desk.qtbot.waitUntil(lambda: desk.parts.models.model is not None)
    desk.stored(lambda store: None)
    QApplication.processEvents()


def keep(desk, run_id, *rows) -> None:
    desk.stored(lambda store: store.add_bench_results(run_id, [fields(each) for each in rows]))


def test_nothing_is_there_before_the_first_run_and_the_window_says_what_will_be(desk):
    dialog = open_bench(desk)
    assert dialog.objectName() == "bench_dialog"
    assert "reads" in dialog.results.empty.text or "read prompts" in dialog.results.empty.text
    assert dialog.results.empty.isVisible()
    assert not dialog.results.table.isVisible()
    assert not dialog.results.copy_button.isVisible()
    assert "Not measured yet" in dialog.machine.figures.text()
    assert open_bench(desk) is dialog


def test_the_grid_says_how_much_it_is(desk):
    dialog = tiny(desk, n_depth="0,64", type_k="f16, q8_0", type_v="f16", n_threads="1,2", n_gpu_layers="0,all")
    dialog.form.repetitions.setValue(3)
    # two tests at two depths with two types and two numbers of threads, for each of two loads
    assert "Tests: 32. Timed runs: 96. Loads: 2." in dialog.size_label.text()
    assert "once a first test is done" in dialog.size_label.text()


def test_every_list_of_llama_bench_can_be_given(desk):
    dialog = tiny(desk, n_pg="64,8 32,4", n_batch="256,512", n_ubatch="128", flash_attention="on,off")
    grid = dialog.form.value()
    assert grid.n_pg == ((64, 8), (32, 4))
    assert (grid.n_batch, grid.n_ubatch, grid.flash_attention) == ((256, 512), (128,), ("on", "off"))
    assert "Tests: 16." in dialog.size_label.text()  # pp, tg and two pairs with two batches, twice
    for name in ("n_pg", "n_batch", "n_ubatch", "flash_attention"):
        dialog.form.fields[name].clear()
    empty = dialog.form.value()
    assert (empty.n_pg, empty.n_batch, empty.n_ubatch, empty.flash_attention) == ((), (2048,), (512,), ("auto",))


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        ({"n_prompt": "many"}, "many is neither a number nor a range like 128-512+128"),
        ({"n_prompt": "0", "n_gen": "0"}, "There is nothing to measure"),
        ({"type_k": "q9"}, "q9 is not a KV cache type: choose from f16"),
        ({"n_parallel": "0"}, "must each be 1 or more"),
        ({"n_batch": "0"}, "must each be 1 or more"),
        ({"n_pg": "512"}, "512 is not a pair of numbers like 512,128"),
        ({"flash_attention": "perhaps"}, "perhaps is neither auto, on nor off"),
    ],
)
def test_what_cannot_be_measured_is_said_before(desk, texts, sentence):
    dialog = tiny(desk, **texts)
    assert sentence in dialog.obstacle_label.text()
    assert not dialog.start_button.isEnabled()


def test_no_model_no_bench(desk):
    dialog = tiny(desk)
    for item in dialog.form.models._items():
        item.setCheckState(item.checkState().Unchecked)
    assert "Name a model" in dialog.obstacle_label.text()
    assert not dialog.start_button.isEnabled()


def test_results_are_exact_and_kept_with_their_environment(desk, model):
    desk.engine.timing = Timing(read_ms=1, step_ms=10, extra_ms=(0, 10))
    dialog = tiny(desk, n_parallel="2")
    dialog.form.end_to_end.setChecked(True)
    desk.engine.answers.append(Answer(prompt_tokens=20, prefill_ms=100, first_ms=5, itl_ms=10))
    run(desk, dialog)
    headings, pp, tg, batched, chat = dialog.results.table.texts()
    assert headings[:4] == ["model", "size", "params", "backend"]
    assert headings[5:7] == ["test", "t/s"]
    assert pp[:7] == ["llama 135M Q4_1", "92.10 MiB", "134.52 M", "CPU", "2", "pp100", "954.55 ± 64.28"]
    assert tg[5:7] == ["tg10", "95.45 ± 6.43"]
    assert batched[5] == "pp100+tg10 x 2"
    assert (batched[headings.index("S_PP t/s")], batched[headings.index("S_TG t/s")]) == ("1000.00", "190.91")
    assert (chat[headings.index("TTFT s")], chat[headings.index("TPOT ms")]) == ("0.108", "10.00")
    results = desk.stored(lambda store: store.bench_results())
    assert {result.run_id for result in results} == {desk.parts.bench.run_id}
    values = results[0].values
    assert values["model_filename"] == str(model)
    assert values["library"] == "llama-cpp-python 0.3.36"
    assert values["samples_ns"] == [100 * MS, 110 * MS]
    assert all(values[name] for name in ("model_fingerprint", "quantisation", "cpu_info", "machine", "build_commit"))


def test_the_charts_have_means_and_deviations(desk):
    desk.engine.timing = Timing(read_ms=1, step_ms=10, extra_ms=(0, 10))
    dialog = tiny(desk)
    run(desk, dialog)
    (pp,) = dialog.results.charts.prefill.bars.bars
    (tg,) = dialog.results.charts.decode.bars.bars
    assert (pp.height, pp.deviation) == (pytest.approx(954.545, abs=0.01), pytest.approx(64.28, abs=0.01))
    assert tg.text == "tg10: 95.45 ± 6.43 t/s."
    assert "pp100: 954.55" in dialog.results.charts.prefill.accessibleDescription()
    assert not pp.is_disturbed


def test_a_disturbed_run_carries_its_sentence(desk):
    desk.engine.timing = Timing(others_cpu=0.4)
    dialog = tiny(desk)
    run(desk, dialog)
    note = dialog.results.table.texts()[1][-1]
    assert note.startswith("Disturbed by other load: other programs took 40% of the CPU")
    assert dialog.results.runs.topLevelItem(0).text(3) == "2 disturbed"
    assert dialog.results.charts.prefill.bars.bars[0].is_disturbed


def test_the_loaded_model_makes_room_and_comes_back(desk, model):
    dialog = tiny(desk)
    assert "Fake 135M is unloaded for the bench and loaded again afterwards" in dialog.note_label.text()
    before = desk.parts.models.config
    run(desk, dialog)
    assert len(desk.engine.load_configs) == 3
    assert desk.engine.load_configs[-1] == before
    desk.ask("Are you there?")
    assert desk.texts()[-1] == "Hello world"


def test_without_a_loaded_model_there_is_none_afterwards(desk):
    desk.parts.models.unload()
    dialog = tiny(desk)
    assert not dialog.note_label.isVisible()
    with desk.qtbot.waitSignal(desk.parts.bench.finished):
        dialog.start_button.click()
    desk.stored(lambda store: None)
    assert desk.parts.models.model is None
    assert desk.parts.models.loading_path is None


def test_nothing_is_sent_during_a_bench_and_cancel_keeps_what_was_measured(desk):
    desk.engine.timing = Timing(hold_at=1)
    dialog = tiny(desk)
    dialog.start_button.click()
    desk.qtbot.waitUntil(lambda: desk.parts.bench.progress is not None and desk.parts.bench.progress.repetition == 1)
    desk.qtbot.waitUntil(lambda: "tg10 · repetition 1" in dialog.progress_label.text())
    assert dialog.progress_label.text() == "Test 2 of 2 · fake.gguf · tg10 · repetition 1 of 2 · about 1 s left"
    assert dialog.progress_bar.value() == pytest.approx(667, abs=1)
    assert not dialog.form.isEnabled()
    assert not dialog.start_button.isEnabled()
    assert not desk.window.welcome.isVisible()
    desk.type_and_send("Hello?")
    assert desk.engine.requests == []
    with desk.qtbot.waitSignal(desk.parts.bench.finished):
        dialog.cancel_button.click()
    desk.qtbot.waitUntil(lambda: desk.parts.models.model is not None)
    assert dialog.notice.sentence == "Cancelled; what was measured until then is kept."
    assert [result.values["test"] for result in desk.stored(lambda store: store.bench_results())] == ["pp100"]
    desk.find("composer").clear()
    desk.ask("And now?")
    assert len(desk.engine.requests) == 1


def test_an_answer_under_way_stands_in_the_way(open_desk, model):
    slow = Answer(pieces=("word",) * 50, delay_s=0.05)
    desk = open_desk(ScriptedEngine(slow, model=fake_model(model)), model)
    desk.type_and_send("Hello")
    dialog = tiny(desk)
    assert dialog.obstacle_label.text() == "An answer is being written: wait until it is done, or stop it."
    assert not dialog.start_button.isEnabled()
    assert not dialog.machine.button.isEnabled()
    desk.parts.chat.stop()
    desk.wait_until_idle()
    desk.qtbot.waitUntil(dialog.start_button.isEnabled)


def test_a_dead_engine_is_one_sentence_and_the_model_comes_back(desk):
    desk.engine.timing = Timing(crash_at=1)
    dialog = tiny(desk)
    run(desk, dialog)
    assert dialog.notice.sentence == "fake.gguf: pp100: The engine's process ended."
    assert [result.values["test"] for result in desk.stored(lambda store: store.bench_results())] == ["pp100"]
    assert str(desk.parts.models.config.path) not in desk.parts.settings.value.unsafe_models


def test_a_refused_test_is_named_and_the_others_go_on(desk):
    desk.engine.timing = Timing(refused={BenchTest(n_prompt=100): "It does not fit."})
    dialog = tiny(desk)
    run(desk, dialog)
    assert dialog.notice.sentence == "fake.gguf: pp100: It does not fit."
    assert [line[5] for line in dialog.results.table.texts()[1:]] == ["tg10"]


def test_closing_the_bench_window_leaves_the_bench_running(desk):
    desk.engine.timing = Timing(hold_at=1)
    dialog = tiny(desk)
    dialog.start_button.click()
    desk.qtbot.waitUntil(lambda: desk.parts.bench.progress is not None and desk.parts.bench.progress.repetition == 1)
    with desk.qtbot.waitSignal(dialog.destroyed):
        dialog.close()
    assert desk.parts.bench.is_running
    again = open_bench(desk)
    assert again.cancel_button.isVisible()
    with desk.qtbot.waitSignal(desk.parts.bench.finished):
        desk.window.menu_actions["stop"].trigger()


def test_closing_the_main_window_ends_the_bench_and_keeps_its_results(desk, open_desk, model):
    desk.engine.timing = Timing(hold_at=1)
    dialog = tiny(desk)
    dialog.start_button.click()
    desk.qtbot.waitUntil(lambda: "tg10" in dialog.progress_label.text())
    desk.window.close()
    assert desk.parts.has_ended
    again = open_desk(ScriptedEngine(model=fake_model(model)), model)
    assert [result.values["test"] for result in again.stored(lambda store: store.bench_results())] == ["pp100"]


def test_another_model_opened_meanwhile_ends_the_bench_and_is_not_replaced(desk, tmp_path):
    desk.engine.timing = Timing(hold_at=0)
    dialog = tiny(desk)
    dialog.start_button.click()
    desk.qtbot.waitUntil(lambda: "pp100" in dialog.progress_label.text())
    other = tmp_path / "other.gguf"
    with desk.qtbot.waitSignal(desk.parts.bench.finished):
        desk.window.model_dropped.emit(str(other))
    desk.qtbot.waitUntil(lambda: desk.parts.models.model is not None)
    assert desk.engine.load_configs[-1].path == other


PP, TG = BenchTest(n_prompt=100), BenchTest(n_gen=10)


def two_runs(desk) -> BenchDialog:
    keep(desk, "first", row(PP, 100 * MS, 102 * MS), row(TG, 100 * MS, 100 * MS))
    keep(desk, "second", row(PP, 50 * MS, 50 * MS), row(TG, 101 * MS, 99 * MS, others_cpu=0.5))
    dialog = open_bench(desk)
    desk.qtbot.waitUntil(lambda: dialog.results.runs.topLevelItemCount() == 2)
    return dialog


def test_runs_are_compared_in_percent(desk):
    dialog = two_runs(desk)
    assert dialog.results.table.texts()[1][5:7] == ["pp100", "2000.00 ± 0.00"]  # the newest is shown
    dialog.results.runs.selectAll()
    headings, pp, tg = dialog.results.table.texts()
    assert headings[0] == "test"
    assert len(headings) == 3
    assert pp == ["pp100", "990.20 ± 13.86", "2000.00 ± 0.00  +102.0%"]
    assert tg == ["tg10", "100.00 ± 0.00", "100.01 ± 1.41  (+0.0%)"]
    assert len(dialog.results.charts.prefill.bars.bars) == 2
    assert len(dialog.results.charts.legend.entries) == 2
    dialog.results.copy()
    assert "| pp100 | 990.20 ± 13.86 | 2000.00 ± 0.00  +102.0% |" in QApplication.clipboard().text()


def test_copied_and_saved_as_llama_bench_writes_it(desk, tmp_path):
    dialog = two_runs(desk)
    dialog.results.copy()
    text = QApplication.clipboard().text()
    assert text.startswith("| model                          |       size |")
    assert "tg10: Disturbed by other load" in text
    assert text.endswith("build: 0c1e570 (llama-cpp-python 0.3.36)\n")
    for suffix in ("md", "csv", "json", "jsonl"):
        dialog.results.save(str(tmp_path / f"out.{suffix}"))
    assert (tmp_path / "out.md").read_text(encoding="utf-8") == text
    assert [each["test"] for each in json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))] == [
        "pp100",
        "tg10",
    ]
    assert len((tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()) == 2
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        assert [line["avg_ts"] for line in csv.DictReader(file)] == ["2000.0", "100.010001"]


def test_a_place_that_cannot_be_written_is_one_sentence(desk, tmp_path):
    dialog = two_runs(desk)
    (tmp_path / "notes").write_text("a file")
    dialog.results.save(str(tmp_path / "notes" / "folder" / "out.md"))
    assert dialog.notice.sentence.startswith("The results could not be saved to ")
    assert dialog.notice.sentence.endswith(": a part of the path is a file, not a folder. Choose another place.")


def test_a_run_is_deleted(desk):
    dialog = two_runs(desk)
    dialog.results.delete_button.click()
    desk.qtbot.waitUntil(lambda: dialog.results.runs.topLevelItemCount() == 1)
    assert [result.run_id for result in desk.stored(lambda store: store.bench_results())] == ["first", "first"]


def test_earlier_results_tell_how_long_it_will_take(desk, model):
    subject = replace(SUBJECT, model_filename=str(model), machine=machine_key())
    keep(desk, "first", row(PP, 1000 * MS, subject=subject), row(TG, 2000 * MS, subject=subject))
    dialog = tiny(desk)
    # (1 + 2 s) x (5 repetitions + warm-up); the prompt is ten times as long
    dialog.form.fields["n_prompt"].setText("1000")
    dialog.form.repetitions.setValue(5)
    desk.qtbot.waitUntil(lambda: "Takes about" in dialog.size_label.text())
    assert "Takes about 72 s, by earlier results." in dialog.size_label.text()


def test_the_machine_is_measured_on_demand(desk, monkeypatch):
    asked = []

    def measure(stop):
        asked.append(stop)
        return Ceiling("memory_read", machine_key(), "CPU", 21.3e9, row_time(), "2 threads reading 64 MiB each")

    monkeypatch.setattr("app.bench.ceiling_run.measure_memory_read", measure)
    dialog = open_bench(desk)
    with desk.qtbot.waitSignal(desk.parts.bench.finished):
        dialog.machine.button.click()
    desk.qtbot.waitUntil(lambda: "21.3 GB/s" in dialog.machine.figures.text())
    assert f"21.3 GB/s ({row_time().astimezone():%Y-%m-%d})" in dialog.machine.figures.text()
    assert dialog.machine.button.text() == "Measure again"
    assert len(asked) == 1
    assert len(desk.engine.load_configs) == 1  # the model stayed
    assert desk.parts.models.model is not None
    assert desk.parts.chat.can_answer


def row_time():
    from datetime import UTC, datetime

    return datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_everything_has_a_name_for_screen_readers(desk):
    dialog = two_runs(desk)
    for widget in (
        *dialog.form.fields.values(),
        dialog.form.repetitions,
        dialog.form.models.rows,
        dialog.results.runs,
        dialog.results.table,
        dialog.results.charts.prefill,
        dialog.results.charts.decode,
        dialog.results.copy_button,
        dialog.start_button,
        dialog.cancel_button,
        dialog.progress_bar,
    ):
        assert widget.accessibleName(), widget.objectName()
