"""Details are found by their form, in linear time, and chosen without losing what was asked to be remembered."""

from __future__ import annotations

import time

import pytest

from app.chat.facts import MAX_CHARACTERS, Fact, choose_facts, find_facts, recall_facts
from app.chat.message import Message
from app.chat.wishes import find_wishes, is_wish


def found(text: str, role: str = "user") -> list[str]:
    return [fact.text for fact in find_facts([Message(role, text)])]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("See https://example.org/a?b=1, please.", ["https://example.org/a?b=1"]),
        ("See [the page](https://example.org/x) or www.example.org.", ["https://example.org/x", "www.example.org"]),
        ("Write to ann.lee@example.org.", ["ann.lee@example.org"]),
        ("Open ~/notes/plan.md or C:\\Temp\\log.txt!", ["~/notes/plan.md", "C:\\Temp\\log.txt"]),
        ("It is in config.toml and in src/app/main.py.", ["config.toml", "src/app/main.py"]),
        ("On 2026-05-01 at 7:40, not 7:45 pm.", ["2026-05-01", "7:40", "7:45 pm"]),
        ("On 12 June 2026 or June 3rd at 7pm.", ["12 June 2026", "June 3rd", "7pm"]),
        ("Version v1.2.3 needs 8 GB and 3.5 % more.", ["v1.2.3", "8 GB", "3.5 %"]),
        ("It costs $3,400 or 3.100 €.", ["$3,400", "3.100 €"]),
        ("The order 4711234 is of 12,500; call +47 912 34 567.", ["4711234", "12,500", "+47 912 34 567"]),
        ("Call parse_args() with n_ctx and fooBar.", ["parse_args()", "n_ctx", "fooBar"]),
        ("Use os.path.join, MainWindow and --no-cache.", ["os.path.join", "MainWindow", "--no-cache"]),
        ("Run `make all` for #123 at 0xFF, ABC-12, bbf0c11.", ["`make all`", "#123", "0xFF", "ABC-12", "bbf0c11"]),
        ("I run Qwen3-0.6B now.", ["Qwen3-0.6B"]),
        ('She said "see you" and “never”.', ['"see you"', "“never”"]),
        ("The ship MS Fjordkatt sails to New York.", ["MS Fjordkatt", "New York"]),
        ("My dog is called Rex and Dr. Berg knows.", ["My dog is called Rex and Dr. Berg knows"]),
        ("It belongs to a dog named Rex of Dr. Berg.", ["Rex", "Dr. Berg"]),
        ("My sister's name is Clara Olsen.", ["My sister's name is Clara Olsen"]),
        ("I'm allergic to nuts. My budget is $3,400.", ["I'm allergic to nuts", "My budget is $3,400"]),
        ("它重20公里，叫《红楼梦》。", ["20公里", "《红楼梦》"]),
        ("2026年6月12日见，他读『史记』。", ["2026年6月12日", "『史记』"]),
        ("我叫李小明，和王先生一起。", ["李小明", "王先生"]),
        ("安娜·卡列尼娜是谁？", ["安娜·卡列尼娜"]),
        ("田中さんはアンナ・カールソンと「雪国」を読む。", ["田中さん", "アンナ・カールソン", "「雪国」"]),
        ("제 이름은 김민수입니다. 박지은 씨도 와요.", ["김민수", "박지은 씨"]),
    ],
)
def test_each_named_kind_is_found(text: str, facts: list[str]) -> None:
    assert sorted(found(text)) == sorted(facts)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Nothing of that kind, e.g. and/or 5 of 7 in 1999.",
        "I remember that summer well. Do you remember the cake? It is hard to remember things.",
        "My question is why it fails. My guess is that it is not me.",
        "The Answer is simple. What Is it? Please Tell me more.",
        "First we go. Then we eat. In the end it works, doesn't it?",
        "He said 3 of 4 are good, and 1 is not.",
        "我们去吃饭吧。今天天气很好。",
        "今日はいい天気ですね。",
    ],
)
def test_small_talk_holds_none(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "wishes"),
    [
        ("Please remember that Rex eats no nuts. Bye.", ["Please remember that Rex eats no nuts"]),
        ("Keep in mind: it leaves at 7:40!", ["Keep in mind: it leaves at 7:40"]),
        (
            "And always remember: no meat. Also, don't forget the cake.",
            ["always remember: no meat", "don't forget the cake"],
        ),
        ("Remember that pi is 3.14159, says Dr. Berg. Ok?", ["Remember that pi is 3.14159, says Dr. Berg"]),
        ("- Remember the milk\n- Buy bread", ["Remember the milk"]),
        ("no full stop Remember the milk", ["Remember the milk"]),
        ("请记住我叫小明。好吗", ["请记住我叫小明"]),
        ("會議在三點，請記得帶傘。", ["請記得帶傘"]),
        ("会議は3時だと覚えておいてください。", ["会議は3時だと覚えておいてください"]),
        ("좋아요. 회의는 3시라는 걸 기억해 주세요.", ["회의는 3시라는 걸 기억해 주세요"]),
        ("Bitte vergiss nicht, dass ich keine Nüsse esse.", ["Bitte vergiss nicht, dass ich keine Nüsse esse"]),
        ("N'oublie pas que Paul est végétarien.", ["N'oublie pas que Paul est végétarien"]),
        ("Recuerda que vivo en Madrid.", ["Recuerda que vivo en Madrid"]),
        ("Запомни, что меня зовут Иван.", ["Запомни, что меня зовут Иван"]),
        ("I remember that. Do you remember me? You can't remember it.", []),
        ("Remember when we met?", []),
        ("Remember " + "this and that " * 20, []),
        ("记住。", []),
    ],
)
def test_wishes_are_kept_as_they_were_said(text: str, wishes: list[str]) -> None:
    assert [wish.strip(" ,;:.") for wish in find_wishes(text)] == wishes
    assert all(is_wish(wish) for wish in wishes)
    assert [fact.text for fact in find_facts([Message("user", text)]) if fact.kind == "wish"] == wishes


def test_what_the_model_says_is_no_wish_and_comes_last() -> None:
    talk = [
        Message("assistant", "Remember to drink 2 litres, I am called Bot. My name is Hal. Use `sip`."),
        Message("user", "It weighs 12 kg. Remember the cake."),
        Message("assistant", "12 kg, at 7:40."),
    ]
    facts = find_facts(talk)
    assert [(fact.kind, fact.text, fact.position) for fact in facts] == [
        ("wish", "Remember the cake", 1),
        ("user", "12 kg", 1),
        ("model", "`sip`", 0),
        ("model", "7:40", 2),
    ]


def test_each_once_wishes_first() -> None:
    talk = [
        Message("user", "It weighs 12 kg. Remember the cake."),
        Message("user", "12 kg, yes. Don't forget the cake."),
    ]
    assert [fact.text for fact in find_facts(talk)] == ["Remember the cake", "Don't forget the cake", "12 kg"]


def test_what_a_wish_contains_is_not_listed_again() -> None:
    talk = [Message("assistant", "At 7:40?"), Message("user", "Keep in mind: it leaves at 7:40!")]
    assert [fact.text for fact in find_facts(talk)] == ["Keep in mind: it leaves at 7:40"]


def test_of_a_block_of_code_only_what_it_defines() -> None:
    code = "import os\nclass Ferry:\n    def sail_to(self, port_name):\n        return os.path.join(port_name)\n"
    code = f"Here:\n```python\n{code}```\nSee `Ferry`."
    assert found(code, "assistant") == ["`Ferry`", "sail_to"]


def test_passages_are_no_details() -> None:
    assert all(len(fact) <= MAX_CHARACTERS for fact in found("https://example.org/" + "x" * 500))


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "1,",
        "a-",
        "./",
        "a@",
        "`a",
        '"a',
        "a_",
        "1.1",
        "((",
        "€",
        "remember ",
        "/a",
        "Aa Bb ",
        "my ",
        "记住",
        "覚えて",
        "```\n",
    ],
)
def test_no_text_takes_long(unit: str) -> None:
    started = time.perf_counter()
    find_facts([Message("user", unit * (1_000_000 // len(unit)))])
    assert time.perf_counter() - started < 10


def test_the_kinds_of_carried_details_are_recalled() -> None:
    talk = [Message("user", "It  weighs\n12 kg."), Message("assistant", "At 7:40.")]
    facts = recall_facts(["Remember the cake", "It weighs 12 kg", "7:40", "7:40"], talk)
    assert [(fact.text, fact.kind) for fact in facts] == [
        ("Remember the cake", "wish"),
        ("It weighs 12 kg", "user"),
        ("7:40", "model"),
    ]


def wish(text: str) -> Fact:
    return Fact(text, "wish")


def said(text: str) -> Fact:
    return Fact(text, "user")


def answered(text: str) -> Fact:
    return Fact(text, "model")


def texts(facts: tuple[Fact, ...]) -> list[str]:
    return [fact.text for fact in facts]


class TestChoose:
    def test_without_repetitions(self) -> None:
        assert texts(choose_facts([said("a"), said("b")], [said("b"), said("c")], 100, 100)) == ["a", "b", "c"]

    def test_earlier_ones_stay_when_room_is_short(self) -> None:
        assert texts(choose_facts([said("aaaa")], [said("bbbb"), said("cccc")], 14, 14)) == ["aaaa", "bbbb"]

    def test_earlier_ones_cannot_keep_all_new_ones_out(self) -> None:
        earlier = [said(f"old {number}") for number in range(10)]
        chosen = choose_facts(earlier, [said("new 1"), said("new 2")], 48, 48)
        assert texts(chosen) == ["old 0", "old 1", "old 2", "old 3", "new 1", "new 2"]

    def test_wishes_go_before_everything_the_oldest_first(self) -> None:
        earlier = [wish("wish 1"), said("said 1"), wish("wish 2")]
        assert texts(choose_facts(earlier, [wish("wish 3"), said("said 2")], 20, 20)) == ["wish 1", "wish 2"]

    def test_wishes_have_room_of_their_own(self) -> None:
        assert texts(choose_facts([said("aaaa")], [wish("bbbb"), wish("cccc")], 7, 14)) == ["bbbb", "cccc"]

    def test_the_users_go_before_the_models(self) -> None:
        assert texts(choose_facts([], [answered("aaaa"), said("bbbb")], 7, 7)) == ["bbbb"]

    def test_what_is_too_long_is_left_out(self) -> None:
        assert texts(choose_facts([], [said("x" * 50), said("y")], 20, 20)) == ["y"]
        assert choose_facts([said("a")], [said("b")], 0, 0) == ()
