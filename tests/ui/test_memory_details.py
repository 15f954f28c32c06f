"""The memory details: predicted beside measured, devices, messages, the formula; who does the work, and why."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QWidget

from app.engine.events import Buffer, Device, MemoryBreakdown
from app.settings import LoadSettings
from tests.fakes import MIB, Answer, ScriptedEngine, fake_model
from tests.planners import GIB
from ui.dialogs.memory.dialog import MemoryDetailsDialog
from ui.dialogs.preferences import PreferencesDialog

CPU_GPU = (
    Device("CPU", "Fake CPU", "cpu", "CPU", 8 * GIB, 4 * GIB),
    Device("CUDA0", "Fake GPU", "gpu", "CUDA", 2 * GIB, GIB),
)


def open_details(desk) -> MemoryDetailsDialog:
    desk.window.menu_actions["memory_details"].trigger()
    return desk.window.findChild(MemoryDetailsDialog)


def test_it_is_reached_from_the_panel_the_menu_and_the_model(desk):
    desk.click("memory_details_button")
    dialog = desk.window.findChild(MemoryDetailsDialog)
    assert dialog.isVisible()
    assert open_details(desk) is dialog
    assert "Memory details…" in [action.text() for action in desk.window.memory_panel.context_menu().actions()]
    dialog.close()


def test_predicted_stands_beside_measured(desk):
    page = open_details(desk).buffers
    desk.qtbot.waitUntil(lambda: page.texts()[0][3] != "n/a")
    weights, kv, compute, output, total = page.texts()
    assert weights == ["Weights", "CPU", "CPU", "92.0 MiB", "92.0 MiB", "0 MiB"]
    assert kv[3:] == ["90.0 MiB", "90.0 MiB", "0 MiB"]
    assert (compute[0], output[0], total[0]) == ("Compute", "Output", "Total")
    assert "0 of 31 there. CPU does the work" in page.sentences.text()
    # what was chosen was planned, by a dry run
    (planner, measuring) = desk.parts.planner._planners
    assert planner.asked == []
    ((config, accuracy),) = measuring.asked
    assert (config.n_ctx, config.n_gpu_layers, accuracy) == (4096, 0, "dry run")


def test_a_difference_is_shown_with_its_share(open_desk):
    buffers = (Buffer("CPU_Mapped", "weights", 100 * MIB), Buffer("CPU", "kv", 90 * MIB))
    model = replace(fake_model(), memory=MemoryBreakdown(buffers, fake_model().memory.kv_caches))
    desk = open_desk(ScriptedEngine(model=model))
    page = open_details(desk).buffers
    desk.qtbot.waitUntil(lambda: page.texts()[0][3] != "n/a")
    assert page.texts()[0][-1] == "+8.00 MiB (8.00%)"
    assert page.texts()[2][3:] == ["17.0 MiB", "0 MiB", "−17.0 MiB"]


def test_values_go_to_the_clipboard_and_to_a_file(desk, tmp_path):
    dialog = open_details(desk)
    desk.qtbot.waitUntil(lambda: dialog.buffers.texts()[0][3] != "n/a")
    desk.qtbot.mouseClick(dialog.findChild(QPushButton, "copy_values"), Qt.MouseButton.LeftButton)
    lines = QApplication.clipboard().text().splitlines()
    assert lines[0].split("\t")[:4] == ["kind", "device", "buffers", "predicted_bytes"]
    assert lines[1].split("\t") == ["weights", "CPU", "CPU", str(92 * MIB), str(92 * MIB), "0"]
    dialog.buffers.exporter.save_csv(str(tmp_path / "memory.csv"))
    assert (tmp_path / "memory.csv").read_text().startswith("kind,device")


@pytest.mark.parametrize(
    ("asked", "devices", "backends", "words"),
    [
        ("all", CPU_GPU[:1], (), "built without GPU support"),
        (12, CPU_GPU[:1], ("CUDA",), "finds no GPU"),
        ("auto", CPU_GPU, ("CUDA",), "not even one layer fits"),
        (0, CPU_GPU, ("CUDA",), "0 layers were asked for"),
        ("auto", CPU_GPU[:1], (), ""),
    ],
)
def test_a_gpu_that_idles_is_said_once_and_in_the_details(open_desk, asked, devices, backends, words):
    engine = ScriptedEngine(model=replace(fake_model(), gpu_backends=backends))
    desk = open_desk(engine)
    models = desk.parts.models
    desk.qtbot.waitUntil(lambda: bool(models.devices) and not models._awaits_devices)
    engine.devices = lambda: devices
    settings, path = desk.parts.settings, models.config.path
    settings.set(settings.value.with_load_settings(path, LoadSettings(n_gpu_layers=asked)))
    said = []
    models.noticed.connect(said.append)
    models.load(path)
    desk.qtbot.waitUntil(lambda: models.model is not None and not models._awaits_devices)
    assert [words in sentence for sentence in said] == ([True] if words else [])
    page = open_details(desk).buffers
    assert words in page.warning.text()
    assert page.warning.isVisibleTo(page) == bool(words)


def test_devices_are_sampled_while_they_are_in_sight(desk):
    dialog = open_details(desk)
    assert not dialog.devices._timer.isActive()
    dialog.pages.setCurrentWidget(dialog.devices)
    assert dialog.devices._timer.isActive()
    desk.qtbot.waitUntil(lambda: bool(dialog.devices.texts()))
    held = 92 * MIB + 23_040 * 4096 + 17 * MIB + MIB // 5
    row = dialog.devices.texts()[0]
    assert row[:4] == ["CPU", "CPU", "Fake CPU", "8.00 GiB"]
    assert (row[4], row[6]) == ("199 MiB", "4.00 GiB")
    assert row[5] == f"{(4 * GIB - held) / GIB:.2f} GiB"
    dialog.pages.setCurrentWidget(dialog.buffers)
    assert not dialog.devices._timer.isActive()


def test_rpc_servers_of_the_preferences_are_devices_and_go_into_loads(desk):
    desk.parts.dialogs.edit_preferences()
    preferences = desk.window.findChild(PreferencesDialog)
    address, error = preferences.findChild(QLineEdit, "rpc_address"), preferences.findChild(QWidget, "rpc_error")
    assert "trust" in preferences.findChild(QWidget, "rpc_warning").text()
    address.setText("no port")
    desk.qtbot.keyClick(address, Qt.Key.Key_Return)
    assert "host:port" in error.text()
    assert error.isVisible()
    assert preferences.isVisible()
    address.setText("box:50052")
    assert not error.isVisible()
    desk.qtbot.keyClick(address, Qt.Key.Key_Return)
    assert desk.parts.settings.value.rpc_servers == ("box:50052",)
    dialog = open_details(desk)
    dialog.pages.setCurrentWidget(dialog.devices)
    desk.qtbot.waitUntil(lambda: [row[0] for row in dialog.devices.texts()] == ["CPU", "RPC0"])
    # the engine that holds the servers is asked itself: they talk to one process at a time
    desk.engine.devices = lambda: CPU_GPU
    desk.parts.models.reload_with_settings()
    desk.qtbot.waitUntil(lambda: desk.engine.load_configs[-1].rpc_servers == ("box:50052",))
    dialog.devices.refresh()
    desk.qtbot.waitUntil(lambda: [row[0] for row in dialog.devices.texts()] == ["CPU", "CUDA0"])
    preferences._rpc_servers.list.setCurrentRow(0)
    desk.qtbot.mouseClick(preferences._rpc_servers.remove, Qt.MouseButton.LeftButton)
    assert desk.parts.settings.value.rpc_servers == ()
    preferences.close()


def test_the_conversation_lists_what_each_message_takes(open_desk):
    desk = open_desk(ScriptedEngine(Answer(pieces=("word ",) * 30)))
    desk.ask("Why is the sky blue")
    page = open_details(desk).conversation
    desk.qtbot.waitUntil(lambda: len(page.texts()) == 3)
    template, user, answer = page.texts()
    assert template[0] == "Template"
    assert user == ["You", "Why is the sky blue", "9", "202 KiB", "43 tokens, 968 KiB"]
    assert answer[2] == "34"
    assert "2 messages" in page.sentences.text()
    shown = []
    page.message_activated.connect(shown.append)
    page.rows.itemActivated.emit(page.rows.topLevelItem(1), 0)
    assert shown == [desk.items()[0].id]
    page.exporter.copy_values()
    assert QApplication.clipboard().text().splitlines()[2].split("\t")[1:] == ["9", "207360", "43", "990720"]


def test_the_formula_has_the_models_numbers(desk):
    page = open_details(desk).formula
    first, last = page.texts()
    assert first == ["30 layers × 4,096 tokens × 3 KV heads × 64 per head × 2 bytes × 2 (K and V)", "90.0 MiB"]
    assert last == ["What llama.cpp allocates", "90.0 MiB"]
    assert "exact" in page.sentences.text()


def test_without_a_model_every_page_says_what_will_appear(open_desk, monkeypatch):
    monkeypatch.setattr("ui.parts.starter_model", lambda: None)
    desk = open_desk(model=None, load=False)
    dialog = open_details(desk)
    for page in (dialog.buffers, dialog.conversation, dialog.formula):
        assert page.texts() == []
        assert "appear" in page.sentences.text()


def test_the_panel_has_a_line_per_device_when_there_is_more_than_the_cpu(open_desk):
    engine = ScriptedEngine()
    engine.devices = lambda: CPU_GPU
    desk = open_desk(engine)
    lines = desk.window.memory_panel.device_lines
    desk.qtbot.waitUntil(lambda: len(lines.texts()) == 2)
    assert lines.texts()[1] == "CUDA0  0 MiB this model, 1.00 GiB others, 1.00 GiB free"
    assert lines.isVisible()
    engine.devices = lambda: (CPU_GPU[0], replace(CPU_GPU[1], free_bytes=GIB // 2))
    desk.ask("Hello")
    desk.qtbot.waitUntil(lambda: "512 MiB free" in lines.texts()[1])


def test_on_a_cpu_alone_the_panel_has_no_such_lines(desk):
    desk.qtbot.waitUntil(lambda: bool(desk.parts.models.devices))
    assert not desk.window.memory_panel.device_lines.isVisible()


def test_the_reserve_of_the_preferences_goes_into_loads(desk):
    desk.parts.dialogs.edit_preferences()
    preferences = desk.window.findChild(PreferencesDialog)
    preferences.findChild(QWidget, "reserve").setValue(256)
    preferences.close()
    desk.parts.models.reload_with_settings()
    desk.qtbot.waitUntil(lambda: desk.engine.load_configs[-1].reserve_bytes == 256 * MIB)
