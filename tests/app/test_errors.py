"""Sentences: English by themselves, and whole again wherever they have passed through."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import pytest

from app.engine.model_file import check_model_file
from app.errors import EngineError, ModelFileError, Sentence, joined

CUT = Sentence("{file} is cut off: {missing:,} bytes are missing.", file="a.gguf", missing=12345)


@pytest.mark.parametrize(
    "passed",
    [
        CUT,
        str(CUT),
        str(EngineError(CUT)),
        pickle.loads(pickle.dumps(CUT)),
        copy.deepcopy(CUT),
        pickle.loads(pickle.dumps(EngineError(CUT))).args[0],
    ],
    ids=["itself", "str", "exception", "pickle", "copy", "pickled exception"],
)
def test_a_sentence_keeps_its_template_and_values(passed):
    assert passed == "a.gguf is cut off: 12,345 bytes are missing."
    assert passed.template == "{file} is cut off: {missing:,} bytes are missing."
    assert passed.values == {"file": "a.gguf", "missing": 12345}


def test_without_values_braces_are_text():
    assert Sentence("a template such as {% if %} or {x}") == "a template such as {% if %} or {x}"


def test_values_are_plain_text_or_numbers():
    sentence = Sentence("{path} ({error}) {part}", path=Path("x"), error=OSError("full"), part=CUT)
    assert {name: type(value) for name, value in sentence.values.items()} == {
        "path": str,
        "error": str,
        "part": Sentence,
    }


def test_unpickling_does_not_format():
    """What another process sends as a template is never run through str.format."""
    sent = Sentence("{a}", a="1")
    sent.template = "{a.__class__}" + "{a:>999999999999}"
    received = pickle.loads(pickle.dumps(sent))
    assert received == "1"


@pytest.mark.parametrize(
    ("parts", "text"), [([], ""), (["One."], "One."), (["One.", CUT, "Three."], f"One. {CUT} Three.")]
)
def test_joined(parts, text):
    assert joined(parts) == text


def test_joined_keeps_every_part():
    both = joined([CUT, Sentence("Download it again.")])
    assert both.values["text"].values["missing"] == 12345
    assert both.values["sentence"].template == "Download it again."


def test_a_real_error_is_a_sentence(tmp_path):
    with pytest.raises(ModelFileError) as caught:
        check_model_file(tmp_path / "missing.gguf")
    assert str(caught.value).template == "{path} does not exist: check the name, or choose another file."
