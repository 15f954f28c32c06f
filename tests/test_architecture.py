"""The layers of app/__init__.py's map, the fences around libraries and the repository's layout."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

LAYERS = {  # a room and the rooms below it that it may import
    "app.chat": (),
    "app.engine": ("app.chat",),
    "app.telemetry": ("app.engine", "app.chat"),
    "app.storage": ("app.telemetry", "app.engine", "app.chat"),
    "app.hub": ("app.telemetry", "app.engine", "app.chat"),
    "app.bench": ("app.telemetry", "app.engine", "app.chat"),
    "app.cli": ("app.storage", "app.hub", "app.bench", "app.telemetry", "app.engine", "app.chat"),
    "app.__main__": ("app.cli",),
    "app.setup": (),
    "ui": ("app.cli", "app.storage", "app.hub", "app.bench", "app.telemetry", "app.engine", "app.chat"),
}
FENCES = {  # a library and the only places that import it
    "PySide6": ("ui",),
    "pyqtgraph": ("ui",),
    "llama_cpp": ("app.engine.llama",),
    "platformdirs": ("app.paths",),
    "huggingface_hub": ("app.hub",),
    "httpx2": ("app.hub",),
    "python_socks": ("app.hub",),
}
TOP_LEVEL = {
    "pyproject.toml",
    "README.md",
    "app",
    "ui",
    "resources",
    "tests",
    "LICENSE",
    "CHANGELOG.md",
    ".gitignore",
    ".ci",
}
MAX_LINES = 400
LONG_FILES: dict[str, str] = {}  # path -> why it may be longer
LONG_SUFFIXES = {".ts": "translations, written by a tool"}


def module_name(path: Path) -> str:
    """app/chat/message.py -> app.chat.message"""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def sources() -> dict[str, Path]:
    return {module_name(path): path for room in ("app", "ui") for path in sorted((ROOT / room).rglob("*.py"))}


MODULES = sources()


def is_within(name: str, room: str) -> bool:
    return name == room or name.startswith(f"{room}.")


def imports_of(name: str) -> list[tuple[str, bool]]:
    """Every module that a module imports, for types too, and whether that is inside a function."""
    path = MODULES[name]
    tree = ast.parse(path.read_text(encoding="utf-8"))
    lazy = {
        child
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for child in ast.walk(node)
    }
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, node in lazy) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name} imports relatively"
            for alias in node.names:  # `from app import settings` imports a module, `from app import x` a name
                inner = f"{node.module}.{alias.name}"
                found.append((inner if inner in MODULES else str(node.module), node in lazy))
    return found


def room_of(name: str) -> str | None:
    """The room of LAYERS that a module belongs to; None for a leaf, which is a plain module in app/."""
    return next((room for room in LAYERS if is_within(name, room)), None)


def is_leaf(name: str) -> bool:
    return name == "app" or (name.count(".") == 1 and name.startswith("app.") and room_of(name) is None)


def is_allowed(name: str, imported: str, lazy: bool) -> bool:
    if imported.split(".")[0] not in {"app", "ui"} or is_leaf(imported):
        return True
    room = room_of(name)
    if room is None:
        return False
    if room == "app.cli" and is_within(imported, "ui"):
        return lazy  # the one exception: the terminal opens the window
    return any(is_within(imported, other) for other in (room, *LAYERS[room]))


@pytest.mark.parametrize("name", MODULES)
def test_every_module_has_a_layer(name):
    assert room_of(name) or is_leaf(name), f"say in LAYERS what {name} may import"


@pytest.mark.parametrize("name", MODULES)
def test_imports_point_down(name):
    wrong = [imported for imported, lazy in imports_of(name) if not is_allowed(name, imported, lazy)]
    assert wrong == []


@pytest.mark.parametrize("name", MODULES)
def test_libraries_stay_behind_their_fences(name):
    wrong = [
        imported
        for imported, _ in imports_of(name)
        for library, places in FENCES.items()
        if is_within(imported, library) and not any(is_within(name, place) for place in places)
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("name", "imported", "lazy", "allowed"),
    [
        ("app.chat.message", "app.errors", False, True),
        ("app.chat.message", "app.engine.events", False, False),
        ("app.engine.process", "app.telemetry.timings", False, False),
        ("app.storage.store", "app.hub.catalog", False, False),
        ("app.errors", "app.chat.message", False, False),
        ("app.settings", "app.errors", False, True),
        ("app.cli", "ui.application", True, True),
        ("app.cli", "ui.application", False, False),
        ("app.storage.store", "ui.application", True, False),
        ("ui.main_window", "app.setup.system", False, False),
        ("app.setup.system", "app.errors", False, True),
        ("app.bench.runner", "app.engine.base", False, True),
        ("app.bench.runner", "app.storage.store", False, False),
        ("app.storage.benches", "app.bench.report", False, False),
    ],
)
def test_the_rule_itself(name, imported, lazy, allowed):
    assert is_allowed(name, imported, lazy) is allowed


def test_app_imports_neither_qt_nor_the_engine_nor_the_hub():
    rooms = ("app.engine.llama", "app.hub.api")
    names = [name for name in MODULES if is_within(name, "app") and not any(is_within(name, room) for room in rooms)]
    script = (
        "import importlib, sys\n"
        f"for name in {names}: importlib.import_module(name)\n"
        f"heavy = {set(FENCES) - {'platformdirs'} | {'shiboken6', 'ui'}}\n"
        "print(sorted(sys.modules.keys() & heavy))"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr


def tracked_files() -> list[str]:
    """What git has or would take."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    return [path for path in done.stdout.decode().split("\0") if path and (ROOT / path).exists()]


def test_the_top_level_is_fixed():
    files = tracked_files()
    assert {path.split("/")[0] for path in files} <= TOP_LEVEL
    assert [path for path in files if path.startswith(".ci/")] in ([], [".ci/run"])


def test_no_file_is_too_long():
    texts = [path for path in tracked_files() if path not in LONG_FILES and Path(path).suffix not in LONG_SUFFIXES]
    lines = {path: (ROOT / path).read_bytes() for path in texts}
    too_long = {path: data.count(b"\n") for path, data in lines.items() if b"\0" not in data}
    assert {path: count for path, count in too_long.items() if count > MAX_LINES} == {}
