"""The list of models to begin with: what ships is sound, and what is not sound is one sentence."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from app.errors import BadInputError
from app.hub.curated import PURPOSES, curated_models
from app.hub.variants import quantisation_of

ONE = """schema = 1
[[model]]
name = "Tiny"
repo = "maker/tiny-GGUF"
quantisation = "Q4_K_M"
licence = "mit"
purpose = "smallest"
parameters = 0.5
n_ctx_train = 2048
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "models.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_what_ships_is_a_dozen_from_small_to_large():
    models = curated_models()
    assert len(models) >= 12
    assert (models[0].size_bytes or 0) < 1024**3
    assert (models[-1].size_bytes or 0) > 20 * 1024**3
    assert {model.purpose for model in models} == set(PURPOSES)


def test_every_file_states_its_quantisation():
    for model in curated_models():
        if model.file:
            assert quantisation_of(model.file.removesuffix(".gguf")) == model.quantisation, model.name


def test_every_size_is_what_so_many_parameters_take():
    for model in curated_models():
        if model.size_bytes is not None:
            bits = model.size_bytes * 8 / (model.parameters * 1e9)
            assert 4 < bits < 5.7, (model.name, bits)  # embeddings of small models weigh more


def test_a_model_that_leaves_out_what_may_be_left_out(tmp_path):
    (model,) = curated_models(written(tmp_path, ONE))
    assert (model.reference, model.file, model.size_bytes, model.active_share) == (
        "maker/tiny-GGUF:Q4_K_M",
        "",
        None,
        1.0,
    )


def test_experts_work_in_turns(tmp_path):
    (model,) = curated_models(written(tmp_path, ONE + "active_parameters = 0.1\n"))
    assert model.active_share == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("schema = [", "models.toml cannot be used"),
        ("", "its schema must be 1"),
        ("schema = 2", "its schema must be 1"),
        ("schema = 1", "it lists no models"),
        ("schema = 1\nmodel = 3", "it lists no models"),
        ("schema = 1\nmodel = [3]", "model 1 must be a table"),
        (ONE.replace('name = "Tiny"\n', ""), "model 1 lacks name"),
        (ONE.replace('"Tiny"', '" "'), "name of model 1 must be a name"),
        (ONE.replace('"Tiny"', '"a\\u202eb"'), "name of model 1 must be a name"),
        (ONE.replace("0.5", "0"), "parameters of model 1 must be a number"),
        (ONE.replace("0.5", "nan"), "parameters of model 1 must be a number"),
        (ONE.replace("2048", '"2048"'), "n_ctx_train of model 1 must be a whole number"),
        (ONE.replace("smallest", "nothing"), "purpose of model 1 must be one of smallest"),
        (ONE.replace("maker/tiny-GGUF", "../../etc"), "names no model on the hub"),
        (ONE + "size = 3\n", "model 1 has an unknown key size"),
        (ONE + ONE.removeprefix("schema = 1\n"), "it lists maker/tiny-GGUF:Q4_K_M twice"),
    ],
)
def test_what_is_wrong_is_one_sentence(tmp_path, text, said):
    with pytest.raises(BadInputError, match=said) as error:
        curated_models(written(tmp_path, text))
    assert "\n" not in str(error.value)


def test_a_file_that_is_not_there_or_not_text(tmp_path):
    with pytest.raises(BadInputError, match="cannot be used"):
        curated_models(tmp_path / "none.toml")
    path = tmp_path / "models.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(BadInputError, match="cannot be used"):
        curated_models(path)


def test_the_list_ships_with_the_package():
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))
    assert "**/*.toml" in project["tool"]["setuptools"]["package-data"]["resources"]
