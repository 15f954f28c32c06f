"""Details are found by their form, in linear time, and merged without losing the earlier ones."""

from __future__ import annotations

import time

import pytest

from app.chat.facts import MAX_CHARACTERS, find_facts, merge_facts


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("See https://example.org/a?b=1, please.", ["https://example.org/a?b=1"]),
        ("Write to ann.lee@example.org.", ["ann.lee@example.org"]),
        ("Open ~/notes/plan.md or C:\\Temp\\log.txt!", ["~/notes/plan.md", "C:\\Temp\\log.txt"]),
        ("It is in config.toml.", ["config.toml"]),
        ("On 2026-05-01 at 7:40, not 7:45 pm.", ["2026-05-01", "7:40", "7:45 pm"]),
        ("Version v1.2.3 needs 8 GB and 3.5 % more.", ["v1.2.3", "8 GB", "3.5 %"]),
        ("It costs $3,400 or 3.100 €.", ["$3,400", "3.100 €"]),
        ("Call parse_args() with n_ctx and fooBar.", ["parse_args()", "n_ctx", "fooBar"]),
        ("Run `make all` for #123 at 0xFF.", ["`make all`", "#123", "0xFF"]),
        ('She said "see you" and “never”.', ['"see you"', "“never”"]),
        ("它重20公里，叫《红楼梦》。", ["20公里", "《红楼梦》"]),
        ("Please remember that Rex eats no nuts. Bye.", ["Please remember that Rex eats no nuts"]),
        ("请记住我叫小明。好吗", ["请记住我叫小明"]),
        ("Keep in mind: it leaves at 7:40!", ["Keep in mind: it leaves at 7:40"]),
        ("Nothing of that kind, e.g. and/or 5 of 7 in 1999.", []),
        ("", []),
    ],
)
def test_find_facts(text: str, facts: list[str]) -> None:
    assert find_facts([text]) == facts


def test_each_once_wishes_first() -> None:
    texts = ["It weighs 12 kg. Remember the cake.", "12 kg, yes. Don't forget the cake."]
    assert find_facts(texts) == ["Remember the cake", "Don't forget the cake", "12 kg"]


def test_passages_are_no_details() -> None:
    assert find_facts(["Remember " + "this and that " * 20]) == []
    assert all(len(fact) <= MAX_CHARACTERS for fact in find_facts(["https://example.org/" + "x" * 500]))


@pytest.mark.parametrize("unit", ["a", "1,", "a-", "./", "a@", "`a", '"a', "a_", "1.1", "((", "€", "remember ", "/a"])
def test_no_text_takes_long(unit: str) -> None:
    started = time.perf_counter()
    find_facts([unit * (1_000_000 // len(unit))])
    assert time.perf_counter() - started < 10


class TestMerge:
    def test_without_repetitions(self) -> None:
        assert merge_facts(["a", "b"], ["b", "c", "c"], 100) == ("a", "b", "c")

    def test_earlier_ones_stay_when_room_is_short(self) -> None:
        assert merge_facts(["aaaa"], ["bbbb", "cccc"], 14) == ("aaaa", "bbbb")

    def test_earlier_ones_cannot_keep_all_new_ones_out(self) -> None:
        earlier = [f"old {number}" for number in range(10)]
        merged = merge_facts(earlier, ["new 1", "new 2"], 48)
        assert merged == ("old 0", "old 1", "old 2", "old 3", "new 1", "new 2")

    def test_what_is_too_long_is_left_out(self) -> None:
        assert merge_facts([], ["x" * 50, "y"], 20) == ("y",)
        assert merge_facts(["a"], ["b"], 0) == ()
