"""The text of a summary: put together and taken apart, cleaned, and held against its source."""

from __future__ import annotations

import pytest

from app.chat.message import Message
from app.chat.summary import INSTRUCTION
from app.chat.summary_text import FACTS_HEADING, clean_answer, first_sentences, is_grounded, join_summary, split_summary


class TestText:
    def test_join_and_split(self) -> None:
        assert split_summary(join_summary("Body\n\nmore", ["a", "b c"])) == ("Body\n\nmore", ["a", "b c"])
        assert join_summary("Body", []) == "Body"
        assert split_summary("Body") == ("Body", [])
        assert split_summary("") == ("", [])

    @pytest.mark.parametrize(
        ("answer", "text"),
        [
            (" a\n\n\nb \n- \n*\n", " a\nb"),
            ("- a\n- b\n- a", "- a\n- b"),
            ("<think>hm</think>a", "a"),
            (f"a\n{FACTS_HEADING}\n- wrong", "a"),
            ("Yes. " * 10, ""),
            ("- x\n" * 9, ""),
            ("", ""),
        ],
    )
    def test_clean_answer(self, answer: str, text: str) -> None:
        assert clean_answer(answer) == text.strip()

    @pytest.mark.parametrize(
        ("summary", "grounded"),
        [
            ("The user plans a trip to Norway; the ferry leaves Bergen at 7:40.", True),
            ("Planning to travel: Norway, ferry from Bergen, 1,500 EUR.", True),
            ("Wonderful holiday! Thanks for sharing these memories with everyone.", False),
            ("The ferry leaves Bergen after 18 hours and 25 minutes; Norway in 2031.", False),
            ("好的", True),
        ],
    )
    def test_is_grounded(self, summary: str, grounded: bool) -> None:
        source = "I plan a trip to Norway with 1,500 EUR. The ferry MS Fjordkatt leaves Bergen at 7:40. Travel light!"
        assert is_grounded(summary, source, ignored=INSTRUCTION) is grounded

    def test_inflected_words_count(self) -> None:
        assert is_grounded(
            "Пользователь планирует поездку паромом", "Я планирую поездки; на пароме. Пользователи довольны."
        )

    def test_first_sentences(self) -> None:
        messages = [
            Message("user", "What is it? I ask."),
            Message("assistant", "# A lake\nWater."),
            Message("user", "好的。再见"),
            Message("assistant", "x" * 500),
        ]
        lines = first_sentences("Before.", messages, 1000).splitlines()
        assert lines[:4] == ["Before.", "User: What is it?", "Assistant: # A lake", "User: 好的。"]
        assert lines[4] == "Assistant: " + "x" * 199 + "…"

    def test_first_sentences_keep_beginning_and_end(self) -> None:
        messages = [Message("user", f"Question {number}.") for number in range(100)]
        lines = first_sentences("", messages, 200).splitlines()
        assert lines[0] == "User: Question 0."
        assert lines[-1] == "User: Question 99."
        assert len("\n".join(lines)) <= 200
