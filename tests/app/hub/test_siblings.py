"""Which files on the disk are the same model with smaller weights."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.hub.library import LibraryModel
from app.hub.siblings import smaller_quantisations
from app.hub.sources import Root
from tests.fakes import fake_model

LOADED = replace(fake_model(Path("/models/Smol-135M-Instruct-Q8_0.gguf")).info, file_bytes=1000)


def model(name: str, file_bytes: int = 500, **facts: object) -> LibraryModel:
    path = Path(f"/models/{name}.gguf")
    known = {
        "architecture": LOADED.architecture,
        "n_params": LOADED.n_params,
        "quantisation": name.rpartition("-")[2],
        "kind": "chat",
        "parts": (path,),
        **facts,
    }
    return LibraryModel(path=path, name=name, root=Root(Path("/models"), "folder"), file_bytes=file_bytes, **known)  # type: ignore[arg-type]


def names(*models: LibraryModel) -> list[str]:
    return [each.name for each in smaller_quantisations(models, LOADED)]


def test_the_largest_of_the_smaller_ones_comes_first() -> None:
    found = smaller_quantisations(
        [
            model("smol-135m-instruct.Q2_K", 200),
            model("Smol-135M-Instruct-Q4_K_M", 600),
            model("SMOL 135M Instruct Q6_K", 800),
        ],
        LOADED,
    )
    assert [each.file_bytes for each in found] == [800, 600, 200]
    assert found[1].path == str(Path("/models/Smol-135M-Instruct-Q4_K_M.gguf"))
    assert found[1].name == "Q4_K_M"


def test_three_at_most() -> None:
    kinds = ("Q6_K", "Q5_K_M", "Q4_K_M", "Q3_K_S", "Q2_K")
    models = [model(f"Smol-135M-Instruct-{kind}", 900 - 100 * place) for place, kind in enumerate(kinds)]
    assert names(*models) == ["Q6_K", "Q5_K_M", "Q4_K_M"]


@pytest.mark.parametrize(
    "other",
    [
        model("Smol-135M-Instruct-Q4_K_M", 1000),
        model("Smol-135M-Instruct-Q4_K_M", n_params=1),
        model("Smol-135M-Instruct-Q4_K_M", architecture="gemma3"),
        model("Smol-135M-Instruct-Q4_K_M", kind="embedding"),
        model("Smol-135M-Instruct-Q4_K_M", problem="cut off"),
        model("Fine-Tune-135M-Instruct-Q4_K_M"),
        model("Smol-135M-Q4_K_M"),
        model("Smol-135M-Instruct-Q8_0", 500),
    ],
    ids=["no smaller", "other weights", "other architecture", "no chat", "damaged", "fine-tune", "base", "itself"],
)
def test_nothing_else_is_offered(other: LibraryModel) -> None:
    assert names(other) == []


def test_a_blob_of_ollamas_goes_by_its_name_in_the_list() -> None:
    blob = Path("/blobs/sha256-abc")
    loaded = replace(LOADED, path=blob)
    own = replace(model("smol:135m-q8_0"), path=blob, parts=(blob,), file_bytes=1000)
    other = replace(model("smol:135m-q4_0"), quantisation="Q4_0")
    assert [each.name for each in smaller_quantisations([own, other], loaded)] == ["Q4_0"]
