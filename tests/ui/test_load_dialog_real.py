"""The load dialog and the memory details on real planners and a real engine, an RPC server on loopback included."""

from functools import partial

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from app.engine.factory import make_engine
from app.paths import paths
from app.settings import LoadSettings
from tests.rpc_server import running_rpc_server
from tests.sparse_model import write_sparse_model
from ui.arguments import Arguments
from ui.dialogs.load.dialog import LoadSettingsDialog
from ui.dialogs.memory.dialog import MemoryDetailsDialog
from ui.parts import Parts, compose

LONG_MS = 60_000


@pytest.fixture(scope="module")
def verdict(tmp_path_factory):
    """Where the engine keeps what it found out about this CPU, so that only the first window finds it out."""
    return tmp_path_factory.mktemp("verdict")


@pytest.fixture
def rpc_server():
    with running_rpc_server() as endpoint:
        yield endpoint


@pytest.fixture
def open_window(qtbot, verdict):
    """Open a window on a real engine and real planners."""
    windows = []

    def open_(model=None, **load):
        window = compose(QApplication.instance(), Arguments(model, load), paths(), lambda: make_engine(verdict))
        windows.append(window)
        window.show()
        return window, window.findChild(Parts)

    yield open_
    for window in windows:
        window.close()
        window.deleteLater()


def dialog_for(qtbot, parts, path, value=LoadSettings()):  # noqa: B008 - a frozen value
    make_config = partial(parts.models.config_for, path)
    dialog = LoadSettingsDialog(parts.theme, value, path, make_config, parts.planner, parts.models, parts.window)
    dialog.show()
    qtbot.waitUntil(lambda: dialog.outcome.plan is not None, timeout=LONG_MS)
    return dialog


def wait_for(qtbot, dialog, **expected):
    qtbot.waitUntil(
        lambda: all(getattr(dialog.outcome.plan, name) == value for name, value in expected.items()), timeout=LONG_MS
    )
    return dialog.outcome.plan


def test_a_move_of_the_slider_leads_to_another_bar(qtbot, open_window, starter, monkeypatch):
    monkeypatch.setattr("ui.parts.starter_model", lambda: None)
    _, parts = open_window()
    dialog = dialog_for(qtbot, parts, starter, LoadSettings(n_ctx=2048))
    before = wait_for(qtbot, dialog, n_ctx=2048)
    assert before.total_bytes("kv") == 2048 * 23_040
    qtbot.keyClick(dialog.form.context.slider, Qt.Key.Key_PageUp)
    after = wait_for(qtbot, dialog, n_ctx=4096)
    assert dialog.outcome.bars[0].pool.kv_bytes == after.total_bytes("kv") == 4096 * 23_040
    measured = wait_for(qtbot, dialog, n_ctx=4096, source="dry run")
    # SmolLM2 at 4,096 tokens and 512 at once: 17.5 MiB of compute buffer, a quarter of a MiB for one row of logits
    assert measured.total_bytes("compute") == pytest.approx(17.5 * 1024**2, rel=0.01)
    assert dialog.outcome.fits
    dialog.reject()


def test_a_huge_model_is_planned_and_does_not_fit(qtbot, open_window, starter, tmp_path, monkeypatch):
    monkeypatch.setattr("ui.parts.starter_model", lambda: None)
    path = write_sparse_model(tmp_path / "huge.gguf", starter)
    _, parts = open_window()
    dialog = dialog_for(qtbot, parts, path, LoadSettings(n_ctx=131_072))
    plan = wait_for(qtbot, dialog, n_ctx=131_072)
    assert plan.total_bytes("weights") > 65 * 1024**3
    # 80 layers x 131,072 tokens x 8 KV heads x 128 x 2 bytes x 2
    assert plan.total_bytes("kv") == 80 * 131_072 * 8 * 128 * 2 * 2
    if not dialog.outcome.fits:
        assert "more than there is" in dialog.outcome.bars[0].accessibleDescription()
    dialog.reject()


def test_what_was_predicted_is_what_was_allocated(qtbot, open_window, starter):
    window, parts = open_window(starter, n_ctx=2048)
    qtbot.waitUntil(lambda: bool(parts.models.model and parts.models.devices), timeout=LONG_MS)
    parts.dialogs.memory_details()
    page = window.findChild(MemoryDetailsDialog).buffers
    qtbot.waitUntil(lambda: all(row.predicted_bytes is not None for row in page._found), timeout=LONG_MS)
    kinds = {row.kind: row for row in page._found}
    assert kinds["kv"].difference_bytes == 0
    assert abs(kinds["weights"].difference_bytes) <= 0.02 * 1024**2 or parts.models.model.use_extra_bufts
    assert abs(kinds["compute"].difference_bytes) <= 0.01 * kinds["compute"].measured_bytes
    window.findChild(MemoryDetailsDialog).close()


def test_an_rpc_server_is_a_device_of_the_dialog_and_takes_layers(
    qtbot,
    open_window,
    starter,
    rpc_server,
    monkeypatch,
):
    monkeypatch.setattr("ui.parts.starter_model", lambda: None)
    window, parts = open_window(rpc_servers=(rpc_server,))
    # before a load the planner is connected, and lets go for the load
    dialog = dialog_for(qtbot, parts, starter, LoadSettings(n_ctx=2048, n_gpu_layers="all"))
    wait_for(qtbot, dialog, n_gpu_layers=31, source="dry run")
    parts.settings.set(parts.settings.value.with_load_settings(starter, dialog.value()))
    parts.models.load(starter)
    qtbot.waitUntil(lambda: bool(parts.models.model and parts.models.devices), timeout=LONG_MS)
    dialog.reject()
    dialog = dialog_for(qtbot, parts, starter, LoadSettings(n_ctx=2048, n_gpu_layers=12))
    plan = wait_for(qtbot, dialog, n_gpu_layers=12)
    assert [bar.pool.devices[0] for bar in dialog.outcome.bars] == ["CPU", "RPC0"]
    assert dialog.form.layers.mode.isEnabled()
    # 12 "layers" are the output layer and 11 with KV
    assert {item.device.name: item.kv_bytes for item in plan.devices} == {
        "CPU": 19 * 2048 * 768,
        "RPC0": 11 * 2048 * 768,
    }
    chosen = dialog.value()
    dialog.reject()
    parts.settings.set(parts.settings.value.with_load_settings(starter, chosen))
    parts.models.load(starter)
    qtbot.waitUntil(lambda: parts.models.model is not None and parts.models.loading_path is None, timeout=LONG_MS)
    assert parts.models.model.layers_offloaded == 12
    lines = window.memory_panel.device_lines
    qtbot.waitUntil(lambda: any(line.startswith("RPC0") for line in lines.texts()), timeout=LONG_MS)
    parts.dialogs.memory_details()
    page = window.findChild(MemoryDetailsDialog).buffers
    qtbot.waitUntil(lambda: any(row.predicted_bytes is not None for row in page._found), timeout=LONG_MS)
    on_device = {row.kind: row for row in page._found if row.device == "RPC0"}
    assert on_device["kv"].difference_bytes == 0
    assert "12 asked for, 12 of 31 there" in page.sentences.text()
    window.findChild(MemoryDetailsDialog).close()


def test_a_server_that_does_not_answer_is_a_sentence(qtbot, open_window, starter, monkeypatch):
    monkeypatch.setattr("ui.parts.starter_model", lambda: None)
    window, parts = open_window(rpc_servers=("127.0.0.1:1",))
    make_config = partial(parts.models.config_for, starter)
    dialog = LoadSettingsDialog(parts.theme, LoadSettings(), starter, make_config, parts.planner, parts.models, window)
    dialog.show()
    choice = dialog.findChild(QWidget, "plan_choice")
    qtbot.waitUntil(lambda: "127.0.0.1:1" in choice.text(), timeout=LONG_MS)
    dialog.reject()
    failures = []
    parts.models.failed.connect(failures.append)
    parts.models.load(starter)
    qtbot.waitUntil(lambda: bool(failures), timeout=LONG_MS)
    assert "127.0.0.1:1" in failures[0]
