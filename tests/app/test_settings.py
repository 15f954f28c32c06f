"""Settings survive everything: a crash while writing, a hand that slipped, an older and a newer version."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tomllib
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import pytest
import tomli_w

from app.chat.conversation import OnFull
from app.engine.config import KV_TYPES, MOST_PARALLEL, ModelConfig
from app.engine.sampling import Sampling
from app.errors import Sentence, StorageError
from app.settings import (
    KV_TYPES as SETTINGS_KV_TYPES,
)
from app.settings import (
    MOST_PARALLEL as SETTINGS_MOST_PARALLEL,
)
from app.settings import (
    ON_FULL,
    AnswerSettings,
    LoadSettings,
    SamplingSettings,
    Settings,
    load_settings,
    save_settings,
)
from tests.permissions import posix_only, read_only

if TYPE_CHECKING:
    from collections.abc import Callable

FULL = Settings(
    language="zh_CN",
    theme="dark",
    zoom=1.25,
    autoload=False,
    last_model="/models/模型 😀.gguf",
    recent_models=("/models/模型 😀.gguf", 'C:\\models\\"a".gguf'),
    model_folders=("/mnt/models", "/models/undecodable \udcff"),
    unsafe_models=("/models/undecodable \udcff.gguf",),
    system_prompt="Be brief.\r\n\"\"\"''' \\ \0 \x7f half \ud83d\tend ",
    summarise_at=80,
    reserve_mib=512,
    rpc_servers=("192.168.1.20:50052", "box-2.local:65535"),
    sampling=SamplingSettings(0.1, 1, 0.2, 0.3, 1.1, 0.4, 0.5, -1, 2**32 - 1),
    models={
        "/models/模型 😀.gguf": LoadSettings(4096, "q8_0", "q4_0", "on", 12, 4),
        "/models/undecodable \udcff.gguf": LoadSettings(n_gpu_layers="all"),
        "/models/split.gguf": LoadSettings(
            n_ubatch=256,
            swa_full=True,
            offload_kqv=False,
            devices=("CUDA0", "RPC0"),
            tensor_split=(0.5, 0.5),
            n_cpu_moe=3,
        ),
    },
    answers={
        "/models/模型 😀.gguf": AnswerSettings(256, SamplingSettings(temperature=0.2, seed=7)),
        "/models/split.gguf": AnswerSettings(),
    },
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config" / "settings.toml"


def write(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_what_is_saved_is_loaded(path: Path) -> None:
    assert FULL.sampling != SamplingSettings()
    save_settings(path, FULL)
    assert load_settings(path) == (FULL, "")
    save_settings(path, Settings())
    assert load_settings(path) == (Settings(), "")


def test_no_file_means_defaults_without_a_word(path: Path) -> None:
    assert load_settings(path) == (Settings(), "")
    assert not path.parent.exists()


def test_the_mirrored_fields_are_those_of_the_engine() -> None:
    assert {f.name: f.default for f in fields(SamplingSettings)} == {f.name: f.default for f in fields(Sampling)}
    engine = {f.name: f.default for f in fields(ModelConfig)}
    ours = {f.name: f.default for f in fields(LoadSettings)}
    assert ours == {name: engine[name] for name in ours}
    assert SETTINGS_KV_TYPES == KV_TYPES
    assert SETTINGS_MOST_PARALLEL == MOST_PARALLEL
    assert get_args(OnFull) == ON_FULL


def test_a_model_answers_by_its_own_settings_or_by_those_for_all() -> None:
    for_all = Settings(max_tokens=64, sampling=SamplingSettings(temperature=0.3))
    own = for_all.with_answer_settings("/a.gguf", AnswerSettings(8))
    assert own.answer_settings("/a.gguf") == AnswerSettings(8)
    assert own.answer_settings("/b.gguf") == AnswerSettings(64, SamplingSettings(temperature=0.3))
    assert own.with_answer_settings("/a.gguf", None) == for_all


def test_a_wrong_value_of_one_models_answers_is_said_and_the_rest_kept(path: Path) -> None:
    write(path, 'schema = 1\n[answers."/a.gguf"]\nmax_tokens = 9\n[answers."/a.gguf".sampling]\ntop_k = -1\nseed = 4\n')
    settings, sentence = load_settings(path)
    assert settings.answer_settings("/a.gguf") == AnswerSettings(9, SamplingSettings(seed=4))
    assert "answers./a.gguf.sampling.top_k must be a whole number from 0 to" in sentence


def test_it_is_a_leaf() -> None:
    code = (
        "import sys, app.settings, app.paths, app.log; print(*sorted(m for m in sys.modules if m.startswith('app.')))"
    )
    root = Path(__file__).parents[2]
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert run.stdout.split() == ["app.checks", "app.errors", "app.files", "app.log", "app.paths", "app.settings"]


WRONG: list[tuple[str, Any, str]] = [
    ("language", 3, "must be text"),
    ("theme", "pink", "must be one of system, light, dark"),
    ("theme", ["dark"], "must be one of system, light, dark"),
    ("zoom", 0, "must be a number from 0.5 to 4"),
    ("zoom", float("nan"), "must be a number from 0.5 to 4"),
    ("zoom", float("inf"), "must be a number from 0.5 to 4"),
    ("zoom", True, "must be a number from 0.5 to 4"),
    ("zoom", "1", "must be a number from 0.5 to 4"),
    ("autoload", 1, "must be true or false"),
    ("recent_models", "/one.gguf", "must be a list of texts"),
    ("unsafe_models", ["/one.gguf", 2], "must be a list of texts"),
    ("sampling", 1, "must be a table"),
    ("sampling.temperature", -1, "must be a number from 0 to 10"),
    ("sampling.top_k", 1.5, "must be a whole number from 0 to 1000000"),
    ("sampling.top_k", True, "must be a whole number from 0 to 1000000"),
    ("sampling.seed", 2**32, "must be a whole number from 0 to 4294967295"),
    ("models", [], "must be a table"),
    ("models.m", "x", "must be a table"),
    ("models.m.n_ctx", 0, "must be a whole number from 16 to 100000000"),
    ("models.m.type_k", "q3", "must be one of f16,"),
    ("models.m.n_gpu_layers", "some", "must be a whole number from 0 to 10000 or auto or all"),
    ("models.m.flash_attention", True, "must be one of auto, on, off"),
    ("models.m.n_ubatch", 0, "must be a whole number from 1 to 65536"),
    ("models.m.offload_kqv", "yes", "must be true or false"),
    ("models.m.devices", "CUDA0", "must be a list of texts"),
    ("models.m.tensor_split", 1, "must be a list of numbers from 0 up"),
    ("models.m.tensor_split", [1, -1], "must be a list of numbers from 0 up"),
    ("models.m.tensor_split", [float("inf")], "must be a list of numbers from 0 up"),
    ("summarise_at", 101, "must be a whole number from 0 to 100"),
    ("reserve_mib", -1, "must be a whole number from 0 to 1048576"),
    ("rpc_servers", "host:1", "must be a list of host:port"),
    ("rpc_servers", ["host"], "must be host:port"),
    ("rpc_servers", ["host:0"], "must be host:port"),
    ("rpc_servers", ["host:70000"], "must be host:port"),
    ("rpc_servers", ["a b:1"], "must be host:port"),
    ("rpc_servers", [7], "must be host:port"),
]


@pytest.mark.parametrize(("key", "value", "words"), WRONG, ids=[f"{key}={value}" for key, value, _ in WRONG])
def test_one_wrong_value_falls_back_alone_and_is_named(path: Path, key: str, value: Any, words: str) -> None:
    good = replace(FULL, models={"m": LoadSettings(4096, "q8_0", "q4_0", "on", 12, 4)})
    save_settings(path, good)
    table = tomllib.loads(path.read_bytes().decode("utf-8", "surrogatepass"))
    *outer, last = key.split(".")
    inner = table
    for name in outer:
        inner = inner[name]
    inner[last] = value
    path.write_bytes(tomli_w.dumps(table).encode("utf-8", "surrogatepass"))

    settings, sentence = load_settings(path)

    assert sentence.startswith(f"In settings.toml, {key} {words}")
    assert sentence.endswith("; the default is used.")
    assert isinstance(sentence, Sentence)
    assert isinstance(sentence.values["problem"].values["error"], Sentence)  # it has a translation of its own
    assert settings == without(good, outer, last)


def without(settings: Settings, outer: list[str], name: str) -> Settings:
    """Settings in which this one value has its default."""
    if not outer:
        default = getattr(Settings(), name)
        return replace(settings, **{name: default})
    if outer == ["sampling"]:
        return replace(settings, sampling=replace(settings.sampling, **{name: getattr(SamplingSettings(), name)}))
    if outer == ["models"]:
        return replace(settings, models={})
    return settings.with_load_settings("m", replace(settings.models["m"], **{name: getattr(LoadSettings(), name)}))


def test_every_wrong_value_is_named(path: Path) -> None:
    write(path, 'zoom = "big"\ntheme = "dark"\n[sampling]\ntop_p = 2\n')
    settings, sentence = load_settings(path)
    assert (settings.theme, settings.zoom, settings.sampling.top_p) == ("dark", 1.0, 0.95)
    assert "zoom must be" in sentence
    assert "sampling.top_p must be" in sentence


def test_a_whole_number_does_for_a_number(path: Path) -> None:
    write(path, "zoom = 2\n")
    settings, sentence = load_settings(path)
    assert (settings.zoom, type(settings.zoom), sentence) == (2.0, float, "")


@pytest.mark.parametrize(
    "content",
    [
        b"theme = ",
        b"\xff\xfe garbage",
        random.Random(1).randbytes(200),
        'theme = "dark"'.encode("utf-16"),
        b"theme = 'dark'\ntheme = 'light'",
        b"x = " + b"[" * 5000,
        b"x = " + b"9" * 5000,
        b"\0" * 4096,
    ],
    ids=["cut", "bytes", "random", "utf-16", "twice", "deep", "huge", "zeros"],
)
def test_a_damaged_file_is_kept_aside_and_defaults_are_used(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    settings, sentence = load_settings(path)
    [aside] = path.parent.iterdir()
    assert settings == Settings()
    assert aside.read_bytes() == content
    assert aside.name.startswith("settings.damaged-")
    assert (
        sentence
        == f"The settings in settings.toml were damaged; the file was kept as {aside.name} and the defaults are used."
    )
    save_settings(path, FULL)
    assert load_settings(path) == (FULL, "")


@pytest.mark.parametrize(
    "edit", [lambda b: b"\xef\xbb\xbf" + b, lambda b: b.replace(b"\n", b"\r\n")], ids=["bom", "crlf"]
)
def test_what_editors_do_to_a_file_does_no_harm(path: Path, edit: Callable[[bytes], bytes]) -> None:
    save_settings(path, FULL)
    path.write_bytes(edit(path.read_bytes()))
    assert load_settings(path) == (FULL, "")


def test_an_empty_file_means_defaults(path: Path) -> None:
    write(path, "")
    assert load_settings(path) == (Settings(), "")


def test_unknown_keys_stay_where_they_are(path: Path) -> None:
    write(
        path,
        'schema = 9\nfuture = [1, 2]\ntheme = "dark"\n[sampling]\nmirostat = 2\n'
        '[models."m"]\nn_ctx = 512\nrope = 1.5\n[models."gone"]\nn_ctx = 64\n[plugins]\nx = 1\n',
    )
    settings, sentence = load_settings(path)
    assert (settings.theme, sentence) == ("dark", "")
    models = {"m": replace(settings.models["m"], n_ctx=1024)}
    save_settings(path, replace(settings, theme="light", models=models))
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    assert (table["schema"], table["future"], table["plugins"], table["theme"]) == (9, [1, 2], {"x": 1}, "light")
    assert table["sampling"]["mirostat"] == 2
    assert table["models"].keys() == {"m"}
    assert (table["models"]["m"]["n_ctx"], table["models"]["m"]["rope"]) == (1024, 1.5)


def test_a_value_taken_back_leaves_the_file(path: Path) -> None:
    save_settings(path, FULL)
    save_settings(path, replace(FULL, sampling=replace(FULL.sampling, seed=None)))
    assert load_settings(path)[0].sampling.seed is None


def test_a_file_damaged_while_the_window_was_open_is_kept_aside_too(path: Path) -> None:
    write(path, "my careful edits = with a typo")
    save_settings(path, FULL)
    assert load_settings(path) == (FULL, "")
    [aside] = (file for file in path.parent.iterdir() if file != path)
    assert aside.read_text() == "my careful edits = with a typo"


@posix_only
def test_without_permission_it_is_one_sentence_and_the_old_file_stays(open_folder: Path) -> None:
    path = open_folder / "settings.toml"
    save_settings(path, FULL)
    path.chmod(0o644)
    with read_only(open_folder):
        with pytest.raises(StorageError, match=r"cannot be written to .*settings\.toml \(Permission denied\)"):
            save_settings(path, Settings())
        assert load_settings(path) == (FULL, "")


def test_a_folder_that_cannot_be_made_is_one_sentence(path: Path) -> None:
    path.parent.write_bytes(b"a file")
    settings, sentence = load_settings(path)
    assert (settings, "the defaults are used" in sentence) == (Settings(), True)
    with pytest.raises(StorageError, match="cannot be written"):
        save_settings(path, Settings())


def test_a_directory_in_its_place_is_one_sentence(path: Path) -> None:
    path.mkdir(parents=True)
    settings, sentence = load_settings(path)
    assert (settings, "cannot be read" in sentence) == (Settings(), True)
    with pytest.raises(StorageError, match="cannot be written"):
        save_settings(path, Settings())


def test_recent_models_are_few_distinct_and_newest_first() -> None:
    settings = Settings()
    for number in (*range(12), 5):
        settings = settings.with_model_loaded(Path(f"/{number}.gguf"))
    names = [Path(model).stem for model in settings.recent_models]
    assert names == ["5", "11", "10", "9", "8", "7", "6", "4", "3", "2"]
    assert settings.last_model == os.fspath(Path("/5.gguf"))


def test_a_long_list_of_recent_models_is_cut(path: Path) -> None:
    write(path, f"recent_models = {[f'/{number}.gguf' for number in range(30)]}\n")
    assert len(load_settings(path)[0].recent_models) == 10


def test_a_model_that_killed_the_engine_is_not_loaded_by_itself_until_it_loads_again() -> None:
    settings = Settings().with_model_loaded("/a.gguf")
    assert settings.model_to_autoload == "/a.gguf"
    settings = settings.with_unsafe_model("/a.gguf").with_unsafe_model("/a.gguf")
    assert (settings.unsafe_models, settings.model_to_autoload) == (("/a.gguf",), "")
    settings = settings.with_model_loaded("/a.gguf")
    assert (settings.unsafe_models, settings.model_to_autoload) == ((), "/a.gguf")
    assert replace(settings, autoload=False).model_to_autoload == ""


def test_load_settings_are_kept_by_model() -> None:
    settings = Settings().with_load_settings(Path("/a.gguf"), LoadSettings(n_ctx=512))
    assert settings.load_settings(Path("/a.gguf")).n_ctx == 512
    assert settings.load_settings("/b.gguf") == LoadSettings()
