"""Thinking and answer are told apart however the text is cut into pieces."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from app.chat.template import ChatTemplate
from app.chat.thinking import FAMILIES, Family, Piece, ThinkingSplitter, opens_thinking, strip_thinking

THINK = FAMILIES[0]
GENERATED = [family for family in FAMILIES if family.written_by == "model"]
families = pytest.mark.parametrize("family", GENERATED, ids=lambda family: family.opener)


def joined(pieces: list[Piece]) -> tuple[str, str]:
    """Return (thinking, answer)."""
    return tuple("".join(text for channel, text in pieces if channel == wanted) for wanted in ("thinking", "answer"))


def split(text: str, step: int | None = None, opened: Family | None = None) -> tuple[str, str]:
    splitter = ThinkingSplitter(opened)
    step = step or max(1, len(text))
    pieces = [piece for i in range(0, len(text), step) for piece in splitter.feed(text[i : i + step])]
    return joined(pieces + splitter.finish())


def split_tokens(*tokens: str) -> tuple[str, str]:
    """Feed tokens; one that begins with `^` is a control token."""
    splitter = ThinkingSplitter()
    pieces = [piece for token in tokens for piece in splitter.feed(token.removeprefix("^"), token.startswith("^"))]
    return joined(pieces + splitter.finish())


class TestText:
    @families
    @pytest.mark.parametrize("step", [1, 2, 3, 7, None])
    def test_every_family_in_pieces_of_every_size(self, family: Family, step: int | None) -> None:
        text = f"{family.opener}\nIs 2 < 3? [yes]\n{family.closer}\n\nYes, <b>2</b> < 3.\n"
        assert split(text, step) == ("Is 2 < 3? [yes]", "Yes, <b>2</b> < 3.\n")

    @families
    def test_opened_by_the_template(self, family: Family) -> None:
        assert split(f"hm\n{family.closer}\nYes", 1, opened=family) == ("hm", "Yes")

    @families
    def test_opened_by_the_template_and_again_by_the_model(self, family: Family) -> None:
        assert split(f"{family.opener}\nhm{family.closer}Yes", 1, opened=family) == ("hm", "Yes")

    @pytest.mark.parametrize("step", [1, 5, None])
    @pytest.mark.parametrize(
        "text",
        [
            "Hello.",
            "  indented\n",
            "\n\n",
            "",
            "<",
            "<thin",
            "[TH",
            "<table><tr>",
            "[1, 2]",
            "Use `<think>` and `</think>`.",
            "```xml\n<think>\nhm\n</think>\n```",
            "a\n<think>b</think>",
            "It ends with </response>",
            "Here are my reasoning steps: none.",
        ],
    )
    def test_without_thinking_every_character_is_answer(self, text: str, step: int | None) -> None:
        assert split(text, step) == ("", text)

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("\n<think>hm</think>Yes", ("hm", "Yes")),
            ("<think>\n\n</think>\n\nYes", ("", "Yes")),
            ("<think>never ended ", ("never ended", "")),
            ("<think>cut in the marker</thi", ("cut in the marker</thi", "")),
            ("<think>", ("", "")),
            ("<think></think>", ("", "")),
            ("</think>\n\nYes", ("", "Yes")),
            ("<think>a <think> b</think>Yes", ("a <think> b", "Yes")),
            ("<think>a</think>\n<think>b</think>Yes", ("a\n\nb", "Yes")),
            ("<think>a</think>Yes </think> no", ("a", "Yes </think> no")),
            ("<think>a</think><response>\nYes\n</response>\n", ("a", "Yes")),
            ("<think>a</think>Yes</response>", ("a", "Yes</response>")),
            ("<think>a</thinking>b</think>Yes", ("a</thinking>b", "Yes")),
        ],
    )
    @pytest.mark.parametrize("step", [1, 4, None])
    def test_edges(self, text: str, expected: tuple[str, str], step: int | None) -> None:
        assert split(text, step) == expected

    def test_any_cut_gives_the_same(self) -> None:
        text = "<think>\nIf a < b, then </b>\n\n[/THINK]\n</think>\n\n<p>So < it is.</p>\n```\n<think>\n```\n"
        expected = split(text)
        chance = random.Random(7)
        for _ in range(200):
            splitter, pieces, rest = ThinkingSplitter(), [], text
            while rest:
                size = chance.randint(1, 9)
                pieces += splitter.feed(rest[:size])
                rest = rest[size:]
            assert joined(pieces + splitter.finish()) == expected


class TestHolding:
    def test_plain_text_is_not_held(self) -> None:
        splitter = ThinkingSplitter()
        assert splitter.feed("Hi") == [("answer", "Hi")]
        assert splitter.feed(" <") == [("answer", " <")]

    def test_the_beginning_of_a_marker_is_held_as_long_as_needed(self) -> None:
        splitter = ThinkingSplitter()
        assert splitter.feed("<th") == []
        assert splitter.feed("ree>") == [("answer", "<three>")]

    def test_white_space_at_the_beginning_is_held_and_given_back(self) -> None:
        splitter = ThinkingSplitter()
        assert splitter.feed("\n ") == []
        assert splitter.feed("Hi") == [("answer", "\n Hi")]

    def test_thinking_is_passed_on_at_once(self) -> None:
        splitter = ThinkingSplitter()
        assert splitter.feed("<think>") == []
        assert splitter.is_thinking
        assert splitter.feed("One,") == [("thinking", "One,")]
        assert splitter.feed(" two </") == [("thinking", " two")]
        assert splitter.feed("b>") == [("thinking", " </b>")]
        assert splitter.feed(" </think>Yes") == [("answer", "Yes")]
        assert not splitter.is_thinking

    def test_finish_is_empty_when_nothing_was_held(self) -> None:
        splitter = ThinkingSplitter()
        splitter.feed("Hi")
        assert splitter.finish() == []
        assert splitter.finish() == []


class TestControlTokens:
    def test_harmony(self) -> None:
        head = ["^<|channel|>", "analysis", "^<|message|>", "Users say", " <|end|", ">", "^<|end|>"]
        tail = ["^<|start|>", "assistant", "^<|channel|>", "final", "^<|message|>", "Yes", ".", "^<|return|>"]
        assert split_tokens(*head[:4], *head[6:], *tail) == ("Users say", "Yes.")

    def test_harmony_without_thinking(self) -> None:
        assert split_tokens("^<|channel|>", "final", "^<|message|>", "Yes") == ("", "Yes")

    def test_harmony_with_a_preamble(self) -> None:
        first = ["^<|channel|>", "analysis", "^<|message|>", "hm", "^<|end|>"]
        second = ["^<|start|>", "assistant", "^<|channel|>", "commentary", "^<|message|>", "Wait.", "^<|end|>"]
        third = ["^<|start|>", "assistant", "^<|channel|>", "final", "^<|message|>", "Yes", "^<|return|>"]
        assert split_tokens(*first, *second, *third) == ("hm", "Wait.\n\nYes")

    def test_harmony_that_forgets_the_end(self) -> None:
        tokens = ["^<|channel|>", "analysis", "^<|message|>", "hm", "^<|channel|>", "final", "^<|message|>", "Yes"]
        assert split_tokens(*tokens) == ("hm", "Yes")

    def test_command_r(self) -> None:
        tokens = ["^<|START_THINKING|>", "hm", "^<|END_THINKING|>", "^<|START_RESPONSE|>", "Yes", "^<|END_RESPONSE|>"]
        assert split_tokens(*tokens) == ("hm", "Yes")

    def test_gemma(self) -> None:
        assert split_tokens("^<|channel>", "thought", "\n", "hm", "\n", "^<channel|>", "Yes") == ("hm", "Yes")

    def test_solar(self) -> None:
        tokens = ["^<|think|>", "hm", "^<|end|>", "^<|begin|>", "assistant", "^<|content|>", "Yes"]
        assert split_tokens(*tokens) == ("hm", "Yes")

    def test_in_the_middle_of_an_answer(self) -> None:
        assert split_tokens("Yes", "^[THINK]", "wait", "^[/THINK]", "No") == ("wait", "Yes\n\nNo")

    def test_text_that_looks_the_same_is_text(self) -> None:
        assert split_tokens("Yes ", "[THINK]", "wait", "[/THINK]", "No") == ("", "Yes [THINK]wait[/THINK]No")

    @pytest.mark.parametrize("token", ["<|im_end|>", "<pad>", ""])
    def test_other_control_tokens_are_dropped(self, token: str) -> None:
        splitter = ThinkingSplitter()
        assert joined(splitter.feed("a") + splitter.feed(token, True) + splitter.feed("<think>b")) == ("", "a<think>b")


class TestPrompt:
    @pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.opener)
    def test_every_opener_is_recognised_at_the_end(self, family: Family) -> None:
        assert opens_thinking(f"<|assistant|>{family.opener}\n") == family

    @pytest.mark.parametrize(
        "prompt", ["", "<|assistant|>\n", "<think>\n\n</think>\n\n", "What is <think>?\n<|assistant|>"]
    )
    def test_no_opener(self, prompt: str) -> None:
        assert opens_thinking(prompt) is None

    def test_words_of_a_template(self) -> None:
        family = opens_thinking("<|begin_assistant|>\nHere are my reasoning steps:\n")
        assert split("hm\n[BEGIN FINAL RESPONSE]\nYes", 1, family) == ("hm", "Yes")

    @pytest.mark.parametrize(
        ("name", "variables", "opener"),
        [
            ("Qwen-QwQ-32B", {"enable_thinking": True}, "<think>"),
            ("Qwen-Qwen3-0.6B", {}, None),
            ("Qwen-Qwen3-0.6B", {"enable_thinking": False}, None),
            ("Qwen3.5-4B", {"enable_thinking": True}, "<think>"),
            ("llama-cpp-deepseek-r1", {}, "<think>"),
            ("deepseek-ai-DeepSeek-V3.2", {"thinking": True}, "<think>"),
            ("MiniMax-M2", {}, "<think>"),
            ("Apriel-1.6-15b-Thinker-fixed", {}, "Here are my reasoning steps:"),
            ("openai-gpt-oss-120b", {}, None),
            ("google-gemma-4-31B-it", {}, None),
        ],
    )
    def test_real_templates(self, name: str, variables: dict[str, bool], opener: str | None) -> None:
        source = (Path(__file__).parent / "templates" / f"{name}.jinja").read_text(encoding="utf-8")
        family = opens_thinking(ChatTemplate(source).render([{"role": "user", "content": "Hi"}], **variables))
        assert (family.opener if family else None) == opener


class TestStrip:
    @pytest.mark.parametrize(
        ("text", "answer"),
        [
            ("<think>\nhm\n</think>\n\nYes", "Yes"),
            ("Yes", "Yes"),
            ("<think>hm", ""),
            ("Write `<think>`.", "Write `<think>`."),
            ("", ""),
        ],
    )
    def test_strip_thinking(self, text: str, answer: str) -> None:
        assert strip_thinking(text) == answer
