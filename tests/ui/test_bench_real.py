"""The bench window on the starter model in its child process: results, cancel, chat afterwards, a killed child."""

import psutil
import pytest

from app.settings import SamplingSettings
from app.starter import starter_model
from ui.arguments import Arguments
from ui.dialogs.bench.dialog import BenchDialog

pytestmark = [
    pytest.mark.model,
    pytest.mark.skipif(starter_model() is None, reason="the starter model is not installed"),
]

SLOW_MACHINE_MS = 120_000


@pytest.fixture
def parts(qtbot, open_real_window):
    parts = open_real_window(Arguments(starter_model(), {"n_ctx": 1024, "n_threads": 1}))
    wait_for_the_model(qtbot, parts)
    parts.settings.set(parts.settings.value.__class__(max_tokens=8, sampling=SamplingSettings(temperature=0)))
    return parts


def wait_for_the_model(qtbot, parts):
    qtbot.waitUntil(lambda: parts.models.model is not None, timeout=SLOW_MACHINE_MS)


def open_bench(parts, n_prompt, n_gen, repetitions) -> BenchDialog:
    parts.window.menu_actions["bench"].trigger()
    dialog = parts.window.findChild(BenchDialog)
    dialog.form.fields["n_prompt"].setText(n_prompt)
    dialog.form.fields["n_gen"].setText(n_gen)
    dialog.form.fields["n_threads"].setText("1")
    dialog.form.repetitions.setValue(repetitions)
    return dialog


def ask(qtbot, parts):
    parts.chat.send("What is the capital of France?")
    qtbot.waitUntil(lambda: parts.chat.running is None, timeout=SLOW_MACHINE_MS)
    return parts.chat.session.turns[parts.chat.session.last_answer.id].stats


def test_a_small_bench_then_a_cancelled_one_then_an_answer(qtbot, parts):
    before = parts.models.config
    dialog = open_bench(parts, "16", "4", 2)
    with qtbot.waitSignal(parts.bench.finished, timeout=SLOW_MACHINE_MS):
        dialog.start_button.click()
    assert dialog.notice.sentence == ""
    wait_for_the_model(qtbot, parts)
    qtbot.waitUntil(lambda: len(dialog.results.table.texts()) == 3)
    headings, pp, tg = dialog.results.table.texts()
    test = headings.index("test")
    assert (pp[test], tg[test]) == ("pp16", "tg4")
    assert pp[0].startswith("llama ")
    assert all(float(line[test + 1].split(" ± ")[0]) > 0 for line in (pp, tg))
    assert {bar.text.split(":")[0] for bar in dialog.results.charts.decode.bars.bars} == {"tg4"}

    dialog.form.fields["n_prompt"].setText("16,512")
    dialog.form.fields["n_gen"].setText("512")
    dialog.form.repetitions.setValue(50)
    dialog.start_button.click()
    qtbot.waitUntil(
        lambda: parts.bench.progress is not None and parts.bench.progress.done == 1, timeout=SLOW_MACHINE_MS
    )
    with qtbot.waitSignal(parts.bench.finished, timeout=SLOW_MACHINE_MS):
        dialog.cancel_button.click()
    assert dialog.notice.sentence == "Cancelled; what was measured until then is kept."
    wait_for_the_model(qtbot, parts)
    qtbot.waitUntil(lambda: dialog.results.runs.topLevelItemCount() == 2)
    assert dialog.results.runs.topLevelItem(0).text(2).split(", ")[0] == "pp16"
    assert parts.models.config == before
    stats = ask(qtbot, parts)
    assert (stats.finish_reason, stats.cached_tokens) == ("length", 0)


def test_a_killed_child_is_one_sentence_and_the_model_comes_back(qtbot, parts):
    dialog = open_bench(parts, "0", "512", 50)
    dialog.start_button.click()
    qtbot.waitUntil(
        lambda: parts.bench.progress is not None and parts.bench.progress.test is not None, timeout=SLOW_MACHINE_MS
    )
    with qtbot.waitSignal(parts.bench.finished, timeout=SLOW_MACHINE_MS):
        psutil.Process(parts.engine._made.pid).kill()
    name = starter_model().name
    sentence = dialog.notice.sentence
    assert sentence.startswith(f"{name}: tg512: The engine's process ended while it measured (SIGKILL")
    assert sentence.endswith(").")
    wait_for_the_model(qtbot, parts)
    assert ask(qtbot, parts).finish_reason == "length"


def test_the_machine_is_measured_while_the_model_stays(qtbot, parts):
    dialog = open_bench(parts, "16", "4", 1)
    model = parts.models.model
    with qtbot.waitSignal(parts.bench.finished, timeout=SLOW_MACHINE_MS):
        dialog.machine.button.click()
        assert not parts.chat.can_answer
    qtbot.waitUntil(lambda: "GB/s" in dialog.machine.figures.text())
    assert parts.models.model is model
    assert ask(qtbot, parts).finish_reason == "length"
