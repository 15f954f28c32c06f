"""No error is lost, and no conversation is logged. Each test runs in a process of its own: the hooks are global."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SETUP = """
import logging, sys, threading
from pathlib import Path
from app.log import Logging
log = Logging(Path(sys.argv[1]))
"""


def run(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-X", "utf8", "-W", "error", "-c", SETUP + code, str(folder)]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", cwd=ROOT, check=False)


def logged(folder: Path) -> str:
    return (folder / "tokometer.log").read_text(encoding="utf-8")


def test_records_from_info_on_are_written_whatever_they_contain(tmp_path: Path) -> None:
    code = """
logging.getLogger("app.x").info("模型 %s", "half \\ud83d")
logging.getLogger("app.x").debug("the prompt")
log.close()
"""
    result = run(code, tmp_path / "logs")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert "INFO MainProcess MainThread app.x: 模型 half \\ud83d\n" in logged(tmp_path / "logs")
    assert "the prompt" not in logged(tmp_path / "logs")


def test_an_uncaught_exception_is_logged_with_its_traceback(tmp_path: Path) -> None:
    result = run("raise ValueError('lost')", tmp_path)
    assert result.returncode == 1
    assert "CRITICAL MainProcess MainThread app.uncaught: Uncaught exception\nTraceback" in logged(tmp_path)
    assert "ValueError: lost" in logged(tmp_path)


def test_an_exception_in_a_thread_is_logged_with_its_name(tmp_path: Path) -> None:
    run("t = threading.Thread(target=lambda: 1 / 0, name='storage'); t.start(); t.join()", tmp_path)
    assert "app.uncaught: Uncaught exception in storage\nTraceback" in logged(tmp_path)
    assert "ZeroDivisionError" in logged(tmp_path)


def test_an_exception_in_a_finaliser_is_logged_without_the_objects_text(tmp_path: Path) -> None:
    code = """
class Private(str):
    def __del__(self): raise ValueError("late")
p = Private("the prompt")
del p
"""
    run(code, tmp_path)
    assert "Private.__del__" in logged(tmp_path)
    assert "ValueError: late" in logged(tmp_path)
    assert "the prompt" not in logged(tmp_path)


def test_a_warning_is_logged(tmp_path: Path) -> None:
    run("import warnings; warnings.simplefilter('always'); warnings.warn('old way')", tmp_path)
    assert "old way" in logged(tmp_path)


def test_an_interrupt_from_the_keyboard_is_no_error(tmp_path: Path) -> None:
    result = run("raise KeyboardInterrupt", tmp_path)
    assert result.returncode != 0
    assert "Uncaught" not in logged(tmp_path)


def test_a_native_crash_leaves_the_stacks_of_all_threads(tmp_path: Path) -> None:
    code = """
import os
stop = threading.Event()
def sleeper(): stop.wait()
threading.Thread(target=sleeper, daemon=True).start()
os.abort()
"""
    result = run(code, tmp_path)
    assert result.returncode != 0
    report = (tmp_path / "crash.log").read_text(encoding="utf-8")
    assert report.startswith("Process ")
    assert "Fatal Python error: Aborted" in report
    assert "in sleeper" in report


def test_a_folder_that_cannot_be_written_does_not_stop_anything(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    code = "print(log.problem); print(log.log_file); logging.getLogger('x').warning('seen'); log.close()"
    result = run(code, tmp_path / "file" / "logs")
    assert result.returncode == 0
    problem, log_file = result.stdout.splitlines()
    assert problem.startswith(f"Nothing can be logged to {tmp_path / 'file' / 'logs'} (")
    assert log_file == "None"
    assert "WARNING MainProcess MainThread x: seen" in result.stderr


def test_without_a_folder_and_without_stderr_records_go_nowhere(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    code = "log.close(); sys.stderr = None; log = Logging(Path(sys.argv[1])); logging.info('x'); log.close()"
    result = run(code, tmp_path / "file" / "logs")
    assert (result.returncode, result.stderr) == (0, "")


def test_closing_puts_everything_back(tmp_path: Path) -> None:
    code = """
log.close()
root = logging.getLogger()
assert (root.handlers, root.level) == ([], logging.WARNING)
assert sys.excepthook is sys.__excepthook__
assert threading.excepthook is threading.__excepthook__
assert sys.unraisablehook is sys.__unraisablehook__
"""
    assert run(code, tmp_path).returncode == 0


def test_old_files_are_dropped(tmp_path: Path) -> None:
    run("for _ in range(60): logging.info('x' * 100_000)\nlog.close()", tmp_path)
    sizes = [file.stat().st_size for file in tmp_path.glob("tokometer.log*")]
    assert len(sizes) == 4
    assert max(sizes) <= 1_000_000
