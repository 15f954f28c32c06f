"""The load dialog: every choice and what it takes, live; what cannot work is disabled and says why."""

from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QDialogButtonBox, QMessageBox, QSpinBox, QWidget

from app.engine.config import ModelConfig
from app.engine.events import Device, LoadedModel
from app.settings import LoadSettings
from app.telemetry.plan import DevicePlan
from app.telemetry.pools import pools
from tests.fakes import MIB, fake_model
from tests.planners import CPU, GIB, GPU, SECOND_GPU, ScriptedPlanner
from ui.dialogs.load.context_field import slider_stops
from ui.dialogs.load.dialog import LoadSettingsDialog
from ui.panels.looks import COMPUTE, KV_USED, OTHERS, WEIGHTS
from ui.planner_worker import PlannerWorker
from ui.theme import Scheme, Theme

MODEL = Path("fake.gguf")


@pytest.fixture
def theme(qapp):
    theme = Theme(qapp, Scheme.LIGHT)
    yield theme
    theme.deleteLater()


@dataclass
class Models:
    """What the dialog asks of the `ModelController`."""

    model: LoadedModel | None = None
    holds_servers: bool = False


@pytest.fixture
def open_dialog(qtbot, theme):
    """Open the dialog on a scripted planner; wait for its first plan."""
    workers = []

    def open_(planner=None, value=LoadSettings(), path=MODEL, loaded=None):  # noqa: B008 - a frozen value
        planner = planner or ScriptedPlanner()
        worker = PlannerWorker(lambda: (planner, planner))
        workers.append(worker)

        def config(load):
            return ModelConfig(path, **asdict(load))

        dialog = LoadSettingsDialog(theme, value, path, config, worker, Models(loaded))
        dialog.planner = planner
        qtbot.addWidget(dialog)
        dialog.show()
        qtbot.waitUntil(lambda: bool(planner.error) or dialog.outcome.plan is not None)
        return dialog

    yield open_
    for worker in workers:
        assert worker.shutdown()


def ok(dialog):
    return dialog.findChild(QDialogButtonBox).button(QDialogButtonBox.StandardButton.Ok)


def text(dialog, name):
    return dialog.findChild(QWidget, name).text()


def plan_for(qtbot, dialog, **expected):
    """Wait for the plan of these values."""
    qtbot.waitUntil(lambda: all(getattr(dialog.outcome.plan, key) == value for key, value in expected.items()))


VALUES = [
    LoadSettings(),
    LoadSettings(n_ctx=512, n_gpu_layers=7, n_threads=3),
    LoadSettings(n_ctx=1_000_001, n_gpu_layers="all", type_k="q8_0", type_v="q5_1", flash_attention="on"),
    LoadSettings(n_ubatch=300, swa_full=True, offload_kqv=False, n_cpu_moe=5),
    LoadSettings(devices=("CUDA0", "RPC7"), tensor_split=(3.0, 1.0)),
]


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("devices", [(CPU,), (CPU, GPU, SECOND_GPU)], ids=["cpu", "gpus"])
def test_it_gives_back_what_it_was_given(open_dialog, value, devices):
    dialog = open_dialog(ScriptedPlanner(devices), value)
    dialog.form.set_devices(devices)
    assert dialog.value() == value
    dialog.form.set_value(LoadSettings())
    dialog.form.set_value(value)
    assert dialog.value() == value


def test_the_bars_follow_the_slider(qtbot, open_dialog):
    dialog = open_dialog(value=LoadSettings(n_ctx=4096))
    plan_for(qtbot, dialog, n_ctx=4096)
    before = dict(dialog.outcome.bars[0].segments())
    assert before == {OTHERS: 4 * GIB, WEIGHTS: 92 * MIB, KV_USED: 4096 * 23_040, COMPUTE: before[COMPUTE]} | {
        mark: 0 for mark in before if mark.colour == "recurrent"
    }
    slider = dialog.form.context.slider
    qtbot.keyClick(slider, Qt.Key.Key_PageUp)
    assert dialog.value().n_ctx == 8192
    plan_for(qtbot, dialog, n_ctx=8192)
    assert dict(dialog.outcome.bars[0].segments())[KV_USED] == 8192 * 23_040
    assert "8,192 tokens" in text(dialog, "plan_total")
    assert "KV cache 180 MiB" in dialog.outcome.bars[0].accessibleDescription()


def test_buffers_are_measured_when_the_settings_rest(qtbot, open_dialog):
    dialog = open_dialog(value=LoadSettings(n_ctx=4096))
    for position in range(30, 40):
        dialog.form.context.slider.setValue(position)
    last = dialog.value().n_ctx
    plan_for(qtbot, dialog, n_ctx=last, source="dry run")
    measured = [config.n_ctx for config, accuracy in dialog.planner.asked if accuracy == "dry run"]
    assert measured == [last]
    assert "measured" in text(dialog, "plan_source")


def test_a_late_answer_does_not_replace_a_newer_one(qtbot, open_dialog):
    dialog = open_dialog(value=LoadSettings(n_ctx=4096))
    old = dialog.outcome.plan
    dialog.form.context.set_value(16_384)
    plan_for(qtbot, dialog, n_ctx=16_384)
    dialog._on_plan(ModelConfig(MODEL, n_ctx=4096), old)
    assert dialog.outcome.plan.n_ctx == 16_384


def test_the_context_goes_by_256_and_grows_by_default(qtbot, open_dialog):
    dialog = open_dialog()
    context = dialog.form.context
    assert dialog.value().n_ctx is None
    assert not context.slider.isEnabled()
    assert "at first, for a context of 4,096 tokens" in text(dialog, "plan_total")
    assert f"up to {dialog.outcome.plan.max_n_ctx_that_fits:,} tokens" in text(dialog, "plan_growth")
    context.grow.setChecked(False)
    assert dialog.value().n_ctx == 4096
    plan_for(qtbot, dialog, n_ctx=4096)
    qtbot.waitUntil(lambda: not dialog.findChild(QWidget, "plan_growth").isVisible())
    stops = slider_stops(1_000_000)
    assert all(stop % 256 == 0 for stop in stops)
    assert stops[:4] == (256, 512, 768, 1024)
    assert max((b - a) / a for a, b in pairwise(stops[7:])) <= 1 / 8
    assert stops[-1] >= 1_000_000


def test_the_trained_limit_is_marked_and_may_be_passed(qtbot, open_dialog):
    dialog = open_dialog(value=LoadSettings(n_ctx=8192))
    context = dialog.form.context
    assert context.slider.mark == context.slider.value()
    assert "8,192" in text(dialog, "n_ctx_note")
    context.box.setValue(8448)
    assert "poor" in text(dialog, "n_ctx_note")
    assert ok(dialog).isEnabled()


def test_a_number_typed_between_the_stops_is_kept(open_dialog):
    dialog = open_dialog(value=LoadSettings(n_ctx=4096))
    dialog.form.context.box.setValue(100_001)
    assert dialog.value().n_ctx == 100_001


def test_the_largest_context_that_fits_is_one_click(qtbot, open_dialog):
    dialog = open_dialog(value=LoadSettings(n_ctx=4096))
    largest = dialog.outcome.plan.max_n_ctx_that_fits
    qtbot.mouseClick(dialog.outcome.largest, Qt.MouseButton.LeftButton)
    assert dialog.value().n_ctx == largest
    plan_for(qtbot, dialog, n_ctx=largest)
    assert dialog.outcome.fits
    dialog.form.type_k.setCurrentText("q8_0")
    qtbot.waitUntil(lambda: dialog.outcome.plan.max_n_ctx_that_fits > largest)


def entry(box, name):
    return box.model().item(box.findData(name) if box.findData(name) >= 0 else box.findText(name))


def test_quantised_v_and_no_flash_attention_exclude_each_other_and_say_why(open_dialog):
    dialog = open_dialog()
    form = dialog.form
    form.type_v.setCurrentText("q8_0")
    assert not entry(form.flash_attention, "off").isEnabled()
    assert "flash attention" in entry(form.flash_attention, "off").toolTip()
    form.type_v.setCurrentText("f16")
    form.flash_attention.setCurrentIndex(form.flash_attention.findData("off"))
    assert not entry(form.type_v, "q8_0").isEnabled()
    assert entry(form.type_v, "f32").isEnabled()
    assert ok(dialog).isEnabled()


def test_kept_settings_that_cannot_work_together_cannot_be_accepted(open_dialog):
    dialog = open_dialog(value=LoadSettings(type_v="q8_0", flash_attention="off"))
    assert not ok(dialog).isEnabled()
    assert "flash attention" in text(dialog, "load_settings_reason")
    dialog.form.flash_attention.setCurrentIndex(0)
    assert ok(dialog).isEnabled()
    assert not text(dialog, "load_settings_reason")


def test_what_llama_cpp_refuses_cannot_be_accepted_and_its_reason_is_shown(qtbot, open_dialog):
    planner = ScriptedPlanner()
    planner.refusals["q8_0"] = "K of type q8_0 needs heads of a multiple of 32, this model has 20."
    dialog = open_dialog(planner)
    dialog.form.type_k.setCurrentText("q8_0")
    qtbot.waitUntil(lambda: not ok(dialog).isEnabled())
    assert text(dialog, "load_settings_reason") == planner.refusals["q8_0"]
    dialog.form.type_k.setCurrentText("f16")
    assert ok(dialog).isEnabled()


def test_a_file_that_cannot_be_read_says_so_where_the_bars_would_be(qtbot, open_dialog, tmp_path):
    planner = ScriptedPlanner()
    planner.error = "bad.gguf is damaged: download it again."
    dialog = open_dialog(planner, path=tmp_path / "bad.gguf")
    qtbot.waitUntil(lambda: text(dialog, "plan_choice") == planner.error)
    assert dialog.outcome.bars == []
    figures = (dialog.outcome._legend, dialog.outcome.largest, dialog.findChild(QWidget, "plan_source"))
    assert not any(widget.isVisible() for widget in figures)
    planner.error = ""
    dialog.form.type_k.setCurrentText("q8_0")
    qtbot.waitUntil(lambda: all(widget.isVisible() for widget in figures))


def test_a_load_that_does_not_fit_is_asked_about(qtbot, open_dialog, monkeypatch):
    dialog = open_dialog(ScriptedPlanner(weights_bytes=5 * GIB))
    asked = []

    def answer(box):
        asked.append(box.informativeText())
        return QMessageBox.StandardButton.Cancel if len(asked) == 1 else QMessageBox.StandardButton.Ok

    monkeypatch.setattr(QMessageBox, "exec", answer)
    assert not dialog.outcome.fits
    ok(dialog).click()
    assert dialog.isVisible()
    assert "more than there is" in asked[0]
    ok(dialog).click()
    assert dialog.result() == LoadSettingsDialog.DialogCode.Accepted
    assert len(asked) == 2


def test_without_a_gpu_there_is_nothing_to_choose_and_it_says_why(qtbot, open_dialog):
    dialog = open_dialog()
    qtbot.waitUntil(lambda: not dialog.form.layers.mode.isEnabled())
    assert dialog.findChild(QWidget, "no_gpu").isVisible()
    assert not dialog.form.devices.isVisible()
    assert not dialog.form.offload_kqv.isVisible()


def test_devices_and_shares(qtbot, open_dialog):
    dialog = open_dialog(ScriptedPlanner((CPU, GPU, SECOND_GPU)))
    qtbot.waitUntil(lambda: dialog.form.devices.isVisible())
    assert len(dialog.outcome.bars) == 3
    first = dialog.findChild(QSpinBox, "share_CUDA0")
    second = dialog.findChild(QSpinBox, "share_CUDA1")
    first.setValue(75)
    second.setValue(25)
    assert (dialog.value().devices, dialog.value().tensor_split) == (("CUDA0", "CUDA1"), (75.0, 25.0))
    check = dialog.findChild(QCheckBox, "device_CUDA1")
    check.setChecked(False)
    assert (dialog.value().devices, dialog.value().tensor_split) == (("CUDA0",), ())
    assert not first.isEnabled()
    last = dialog.findChild(QCheckBox, "device_CUDA0")
    assert not last.isEnabled()
    assert "0 layers" in last.toolTip()
    check.setChecked(True)
    first.setValue(0)
    second.setValue(0)
    assert (dialog.value().devices, dialog.value().tensor_split) == ((), ())


def test_the_layers_slider_ends_at_all_layers(qtbot, open_dialog):
    dialog = open_dialog(ScriptedPlanner((CPU, GPU)), LoadSettings(n_gpu_layers=12))
    layers = dialog.form.layers
    assert layers.count.slider.maximum() == 31
    qtbot.keyClick(layers.count.slider, Qt.Key.Key_End)
    assert dialog.value().n_gpu_layers == 31
    plan_for(qtbot, dialog, n_gpu_layers=31)
    assert "31 of 31 layers" in text(dialog, "plan_cache")
    assert text(dialog, "plan_choice") == "31 of 31 layers on CUDA0."


def test_the_present_models_memory_is_not_counted_as_others(open_dialog):
    loaded = fake_model()
    dialog = open_dialog(loaded=loaded)
    held = loaded.memory.total_bytes()
    assert dict(dialog.outcome.bars[0].segments())[OTHERS] == 4 * GIB - held


def test_unified_memory_is_one_bar(open_dialog):
    igpu = Device("Vulkan0", "Fake iGPU", "igpu", "Vulkan", 8 * GIB, 4 * GIB)
    plans = (DevicePlan(CPU, weights_bytes=GIB), DevicePlan(igpu, kv_bytes=GIB), DevicePlan(GPU, compute_bytes=MIB))
    shared, own = pools(plans)
    assert (shared.devices, shared.others_bytes, shared.used_bytes, shared.left_bytes) == (
        ("CPU", "Vulkan0"),
        4 * GIB,
        2 * GIB,
        2 * GIB,
    )
    assert own.devices == ("CUDA0",)


def test_a_device_that_cannot_say_is_drawn_too(qtbot, open_dialog):
    dumb = replace(GPU, total_bytes=None, free_bytes=None)
    dialog = open_dialog(ScriptedPlanner((CPU, dumb)))
    bar = dialog.outcome.bars[1]
    assert "does not say" in bar.accessibleDescription()
    assert not bar.grab().isNull()
    assert dialog.outcome.fits


def test_everything_is_reached_by_tab_and_has_a_name(qtbot, open_dialog):
    dialog = open_dialog(ScriptedPlanner((CPU, GPU, SECOND_GPU)), LoadSettings(n_ctx=4096, n_gpu_layers=3))
    qtbot.waitUntil(lambda: dialog.form.devices.isVisible())
    qtbot.waitUntil(lambda: dialog.outcome.bars[-1].isVisible())
    names, widget = [], dialog.form.context.grow
    while not names or widget is not dialog.form.context.grow:
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isVisible() and widget.isEnabled():
            names.append(widget.accessibleName() or getattr(widget, "text", str)())
        widget = widget.nextInFocusChain()
    assert "" not in names, "|".join(names)
    assert names.index("Share of the layers on CUDA1") < names.index("Tokens computed at once")
    for wanted in ("Context in tokens", "Flash attention", "Share of the layers on CUDA1", "Memory of CPU · Fake CPU"):
        assert wanted in names, "|".join(names)
