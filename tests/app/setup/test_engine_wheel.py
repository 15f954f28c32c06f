"""The engine's wheel: what tells two builds apart, where it is kept, and which way it is got."""

from __future__ import annotations

from pathlib import Path

import pytest
from platformdirs import PlatformDirs

from app.setup import engine_wheel
from app.setup.console import SetupError
from app.setup.engine_wheel import EngineSource, cache_folder, install, instruction_sets, wanted_version

X86 = "processor\t: 0\nmodel name\t: Any\nflags\t\t: fpu sse2 avx2 amx_int8 fma bmi1 {} popcnt\nbugs\t\t: spectre_v1\n"
PYPROJECT = Path(__file__).resolve().parents[3] / "pyproject.toml"
WHEEL = "llama_cpp_python-1.0-py3-none-any.whl"


class PipConsole:
    """Plays pip: `wheel` makes a wheel, `download` finds one only when `has_ready`."""

    log_path = Path("setup.log")

    def __init__(self, has_ready=False, builds=True):
        self.runs = []
        self.environs = []
        self._has_ready = has_ready
        self._builds = builds

    def say(self, text):
        pass

    def run(self, command, *, doing, advice, environ=None):
        verb = command[3]
        self.runs.append((verb, command[-1]))
        self.environs.append(environ)
        if (verb == "download" and not self._has_ready) or (verb == "wheel" and not self._builds):
            raise SetupError(f"{doing} failed")
        if verb in ("download", "wheel"):
            option = "--dest" if verb == "download" else "--wheel-dir"
            (command[command.index(option) + 1] / WHEEL).write_bytes(verb.encode())

    @property
    def verbs(self):
        return [verb for verb, _ in self.runs]


@pytest.fixture
def get(monkeypatch, tmp_path):
    """Install with a given source into nowhere; returns the console and the kept wheel."""
    monkeypatch.setattr(engine_wheel, "ensure_compiler", lambda _: None)

    def run(console, source=EngineSource()):  # noqa: B008 - frozen
        install(console, Path("python"), source, "1.0", tmp_path / "wheels")
        return tmp_path / "wheels" / source.key("1.0") / WHEEL

    return run


def test_key_tells_flags_versions_indexes_and_processors_apart(monkeypatch):
    keys = [
        EngineSource().key("1.0"),
        EngineSource().key("1.1"),
        EngineSource("-DGGML_CUDA=on").key("1.0"),
        EngineSource(index="https://example.org/cu124").key("1.0"),
        EngineSource(index="https://example.org/cu130").key("1.0"),
    ]
    monkeypatch.setattr(engine_wheel, "cpu_features", lambda: "another processor")
    keys.append(EngineSource().key("1.0"))
    assert len(set(keys)) == len(keys)


def test_key_is_a_folder_name_and_stays_the_same():
    key = EngineSource("-DA=1 -DB=/x").key("1.0")
    assert key == EngineSource("-DA=1 -DB=/x").key("1.0") != EngineSource().key("1.0")
    assert key.startswith("llama-cpp-python-1.0-cp3")
    assert not set(key) & set('/\\:*?"<>| ')


def test_instruction_sets_ignore_what_a_kernel_update_changes():
    assert instruction_sets(X86.format("ibrs")) == instruction_sets(X86.format("retbleed_fix"))
    assert instruction_sets(X86.format("avx512f")) != instruction_sets(X86.format(""))
    assert instruction_sets(X86.format("ibrs")) == "amx_int8 avx2 bmi1 fma popcnt sse2"


def test_instruction_sets_of_arm_and_of_the_unknown():
    assert instruction_sets("processor\t: 0\nFeatures\t: sve fp asimddp\n") == "asimddp fp sve"
    assert instruction_sets("") == ""


def test_the_version_is_the_lowest_that_pyproject_accepts(tmp_path):
    file = tmp_path / "pyproject.toml"
    file.write_text('[project]\ndependencies = ["numpy>=2.0", "llama-cpp-python>=1.2.3"]\n', encoding="utf-8")
    assert wanted_version(file) == "1.2.3"
    assert wanted_version(PYPROJECT) >= "0.3.36"


def test_cache_folder_is_the_one_of_the_application(monkeypatch, tmp_path):
    monkeypatch.delenv("TOKOMETER_HOME")
    assert cache_folder(engine_wheel.os.environ) == PlatformDirs("tokometer", appauthor=False).user_cache_path
    assert cache_folder({"TOKOMETER_HOME": str(tmp_path)}) == tmp_path / "cache"


@pytest.mark.parametrize(
    ("system", "environ", "folder"),
    [
        ("linux", {"XDG_CACHE_HOME": "/c"}, Path("/c/tokometer")),
        ("linux", {}, Path.home() / ".cache/tokometer"),
        ("darwin", {}, Path.home() / "Library/Caches/tokometer"),
        ("win32", {"LOCALAPPDATA": "/local"}, Path("/local/tokometer/Cache")),
    ],
)
def test_cache_folder_by_system(system, environ, folder):
    assert cache_folder(environ, system) == folder


def test_a_build_is_kept_and_used_again(get):
    first, second = PipConsole(), PipConsole()
    assert get(first).read_bytes() == b"wheel"
    kept = get(second)
    assert first.verbs == ["download", "wheel", "install"]
    assert second.runs == [("install", kept)]


def test_what_is_at_hand_needs_no_compiler(get, tmp_path):
    def is_at_hand(source):
        return engine_wheel.is_at_hand(source, "1.0", tmp_path / "wheels")

    assert not is_at_hand(EngineSource())
    assert is_at_hand(EngineSource(index="https://example.org/cu124"))
    get(PipConsole())
    assert is_at_hand(EngineSource())


def test_a_build_gets_its_flags(get):
    console = PipConsole()
    get(console, EngineSource("-DGGML_CUDA=on"))
    assert console.verbs == ["wheel", "install"]
    assert console.environs[0]["CMAKE_ARGS"] == "-DGGML_CUDA=on"


def test_the_default_build_can_use_remote_devices(get):
    console = PipConsole()
    get(console)
    assert "-DGGML_RPC=ON" in console.environs[1]["CMAKE_ARGS"].split()


def test_the_default_build_leaves_amx_out_where_there_is_one(monkeypatch):
    monkeypatch.setattr(engine_wheel, "cpu_features", lambda: "amx_int8 avx2")
    assert "-DCMAKE_CXX_FLAGS=-mno-amx-int8" in EngineSource().build_flags
    assert EngineSource("-DGGML_CUDA=on").build_flags == "-DGGML_CUDA=on"
    monkeypatch.setattr(engine_wheel, "cpu_features", lambda: "avx2")
    assert "amx" not in EngineSource().build_flags


def test_a_ready_wheel_of_pips_configuration_saves_the_build(get):
    console = PipConsole(has_ready=True)
    assert get(console).read_bytes() == b"download"
    assert console.verbs == ["download", "install"]


def test_a_failed_build_leaves_nothing_that_looks_ready(get, tmp_path):
    with pytest.raises(SetupError):
        get(PipConsole(builds=False))
    assert [path for path in (tmp_path / "wheels").rglob("*") if path.name] == []


def test_an_index_is_asked_for_a_built_wheel_only(get):
    console = PipConsole()
    get(console, EngineSource(index="https://example.org/cu124"))
    assert console.runs == [("install", "llama-cpp-python>=1.0")]
