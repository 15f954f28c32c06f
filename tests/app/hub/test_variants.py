"""Names of files on the hub: quantisations, parts, projectors."""

from __future__ import annotations

import pytest

from app.errors import BadInputError, NotOnHubError
from app.hub.partial import RemoteFile
from app.hub.reference import choose, parse_reference
from app.hub.search import Repository, plain_text
from app.hub.variants import group, quantisation_of


@pytest.mark.parametrize(
    ("name", "quantisation"),
    [
        ("Llama-3.2-1B-Instruct-Q4_K_M", "Q4_K_M"),
        ("gemma-3-27b-it-UD-IQ2_XXS", "UD-IQ2_XXS"),
        ("Qwen3-8B-UD-Q4_K_XL", "UD-Q4_K_XL"),
        ("qwen2.5-7b-instruct-q5_0", "Q5_0"),
        ("model.Q6_K", "Q6_K"),
        ("model-IQ4_NL", "IQ4_NL"),
        ("gpt-oss-20b-mxfp4", "MXFP4"),
        ("gpt-oss-120b-MXFP4_MOE", "MXFP4_MOE"),
        ("model-fp16", "F16"),
        ("model-BF16", "BF16"),
        ("phi-q4", ""),
        ("bitnet-TQ2_0", "TQ2_0"),
        ("model-Q4_0_4_4", "Q4_0_4_4"),
        ("IQ-test-7B", ""),
        ("", ""),
    ],
)
def test_a_name_states_its_quantisation(name, quantisation):
    assert quantisation_of(name) == quantisation


def files(*names: str, size: int | None = 100) -> list[RemoteFile]:
    return [RemoteFile("maker/model", name, size=size) for name in names]


def test_parts_are_one_projectors_apart_and_the_rest_left_out():
    variants, projectors = group(
        files(
            "Q8_0/big-Q8_0-00002-of-00002.gguf",
            "Q8_0/big-Q8_0-00001-of-00002.gguf",
            "small-Q4_K_M.gguf",
            "mmproj-F16.gguf",
            "imatrix_unsloth.gguf",
            "README.md",
            "BF16/model-00002-of-00003.gguf",
        )
    )
    assert [(each.quantisation, each.size, each.is_whole) for each in variants] == [
        ("BF16", 100, False),
        ("Q4_K_M", 100, True),
        ("Q8_0", 200, True),
    ]
    assert [file.name[-19:] for file in variants[2].files] == ["-00001-of-00002.gguf"[1:], "-00002-of-00002.gguf"[1:]]
    assert [file.name for file in projectors] == ["mmproj-F16.gguf"]


def test_ten_thousand_files_and_sizes_nobody_knows_do_no_harm():
    variants, _ = group(files(*(f"{n}/x-Q4_0.gguf" for n in range(20_000)), size=None))
    assert len(variants) == 10_000
    assert variants[0].size is None


def found(*names: str) -> Repository:
    variants, projectors = group(files(*names))
    return Repository("maker/model", "main", "", False, 0, 0, variants, projectors)


def test_q4_k_m_is_meant_when_nothing_is_said_else_the_first():
    assert choose(found("a-Q2_K.gguf", "b-Q4_K_M.gguf"), "").quantisation == "Q4_K_M"
    assert choose(found("b-Q8_0.gguf", "a-Q2_K.gguf"), "").quantisation == "Q2_K"
    assert choose(found("b-Q8_0.gguf", "a-Q2_K.gguf"), "Q8_0").quantisation == "Q8_0"
    assert choose(found("x/b-Q8_0.gguf", "a-Q2_K.gguf"), "", "b-Q8_0.gguf").quantisation == "Q8_0"


@pytest.mark.parametrize(
    ("names", "quantisation", "file", "said"),
    [
        (["a-Q2_K.gguf"], "Q8_0", "", "has no Q8_0; it has Q2_K"),
        (["a-Q2_K.gguf"], "", "b.gguf", "has no b.gguf; it has a-Q2_K.gguf"),
        (["model.safetensors"], "", "", "no GGUF files"),
        (["a-Q2_K-00002-of-00002.gguf"], "", "", "lacks some of its parts"),
    ],
)
def test_what_is_not_there_is_said(names, quantisation, file, said):
    with pytest.raises(NotOnHubError, match=said):
        choose(found(*names), quantisation, file)


def test_references():
    assert parse_reference("maker/model-GGUF") == ("maker/model-GGUF", "")
    assert parse_reference("maker/model-GGUF:q8_0") == ("maker/model-GGUF", "Q8_0")


@pytest.mark.parametrize("text", ["", "model", "a/b/c", "../..", "a/..", "a/b:", "a b/c", "a/b\n/c", "https://x/y"])
def test_what_is_no_reference_is_said(text):
    with pytest.raises(BadInputError, match="names no model"):
        parse_reference(text)


def test_a_card_becomes_plain_text():
    card = (
        "---\nlicense: mit\n---\n# Title\n<script>alert(1)</script>\n**Bold** and [a link](javascript:alert(1)) "
        "&lt;b&gt; ![pic](http://x/y.png)\n| a | b |\n```python\nrm -rf\n```\n\x1b[31mred\u202e end\n"
    )
    text = plain_text(card)
    assert "Bold and a link" in text
    assert "red end" in text
    for gone in ("license", "alert(1)</", "javascript", "http", "rm -rf", "\x1b", "\u202e", "<script", "| a"):
        assert gone not in text
    assert len(plain_text("word " * 10_000)) <= 1202


@pytest.mark.parametrize(
    ("platform", "kept"),
    [("linux", ["A-Q4_0", "a-Q4_0", "b_Q8_0"]), ("win32", ["a-Q4_0", "b_Q8_0"]), ("darwin", ["a-Q4_0", "b_Q8_0"])],
)
def test_a_file_that_would_take_anothers_place_here_is_left_out(monkeypatch, platform, kept):
    monkeypatch.setattr("sys.platform", platform)
    named = files("a-Q4_0.gguf", "A-Q4_0.gguf", "b_Q8_0.gguf", "b:Q8_0.gguf", "../b_Q8_0.gguf", "b\x07_Q8_0.gguf")
    variants, _ = group(named)
    assert [variant.name for variant in variants] == kept
