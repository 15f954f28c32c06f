"""A second start raises the first window and ends."""

import subprocess
import sys
from pathlib import Path

import pytest

from ui.single_instance import SingleInstance, socket_name

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def first(qtbot, tmp_path):
    instance = SingleInstance(tmp_path)
    assert instance.claim()
    instance.listen()
    yield instance
    instance.release()


def test_only_one_can_claim_a_folder(first, tmp_path):
    second = SingleInstance(tmp_path)
    assert not second.claim()
    first.release()
    assert second.claim()
    second.release()


def test_other_folders_have_their_own_instance(first, tmp_path):
    other = SingleInstance(tmp_path / "other")
    assert other.claim()
    other.release()


def test_a_second_process_tells_the_first_its_model(qtbot, first, tmp_path):
    script = (
        "import sys; from pathlib import Path; from PySide6.QtCore import QCoreApplication;"
        "from ui.single_instance import SingleInstance; a = QCoreApplication([]);"
        "i = SingleInstance(Path(sys.argv[1])); assert not i.claim();"
        "sys.exit(0 if i.call_first({'model': '/models/模型 1.gguf'}) else 3)"
    )
    with qtbot.waitSignal(first.called, timeout=20_000) as called:
        process = subprocess.Popen([sys.executable, "-c", script, str(tmp_path)], cwd=ROOT)
    assert called.args == [{"model": "/models/模型 1.gguf"}]
    qtbot.waitUntil(lambda: process.poll() is not None, timeout=20_000)
    assert process.returncode == 0


def test_nonsense_on_the_socket_is_ignored(qtbot, first, tmp_path):
    from PySide6.QtNetwork import QLocalSocket

    heard = []
    first.called.connect(heard.append)
    for data in (b"not json\n", b"[1, 2]\n", b"\xff\xfe\n"):
        socket = QLocalSocket()
        socket.connectToServer(socket_name(tmp_path))
        assert socket.waitForConnected(2000)
        with qtbot.waitSignal(socket.readChannelFinished if data != b"[1, 2]\n" else socket.readyRead):
            socket.write(data)
        socket.abort()
    assert heard == []


def test_a_socket_left_by_a_killed_window_is_taken_over(qtbot, tmp_path):
    from PySide6.QtNetwork import QLocalServer

    instance = SingleInstance(tmp_path)
    squatter = QLocalServer()
    assert squatter.listen(socket_name(tmp_path))
    assert instance.claim()
    instance.listen()
    assert instance._server.isListening()
    instance.release()
    squatter.close()
