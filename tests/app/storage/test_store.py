"""The store keeps what it is given, whatever it is."""

from __future__ import annotations

import threading
from dataclasses import MISSING, fields, replace
from datetime import timedelta, timezone
from typing import TYPE_CHECKING

import pytest

from app.chat.conversation import Conversation, PromptCost, Receipt, Summary
from app.chat.message import Message
from app.errors import StorageRefusedError
from app.storage.store import Store, Turn
from app.telemetry.timings import TurnStats
from tests.app.storage.samples import AWKWARD_TEXTS, NOON, full_turn, random_texts

if TYPE_CHECKING:
    from pathlib import Path


def titles(store: Store, search: str = "") -> list[str]:
    return [row.title for row in store.conversations(search)]


def exchange(store: Store, conversation: Conversation, number: int) -> tuple[Message, Message]:
    """A question and its answer, `number` minutes past noon."""
    time = NOON + timedelta(minutes=number)
    question = Message("user", f"Question {number}", created_at=time)
    answer = Message("assistant", f"Answer {number}", f"Thought {number}", created_at=time, model="SmolLM2")
    store.add_message(conversation.id, question)
    store.begin_answer(conversation.id, replace(answer, content="", thinking="", state="streaming"))
    store.finish_answer(answer, full_turn(answer.id))
    return question, answer


@pytest.fixture
def conversation(store: Store) -> Conversation:
    conversation = Conversation(title="Ferry", created_at=NOON, updated_at=NOON)
    store.create(conversation)
    return conversation


def test_a_conversation_is_read_as_it_was_written_also_after_reopening(path: Path) -> None:
    store = Store(path)
    conversation = Conversation(title="Ferry", system_prompt="Be brief.", draft="And", created_at=NOON, updated_at=NOON)
    store.create(conversation)
    first, second = exchange(store, conversation, 1), exchange(store, conversation, 2)
    summary = Summary("Short.", first[1].id, 100, 20, created_at=NOON)
    store.add_summary(conversation.id, summary)
    store.close()

    store = Store(path)
    read, turns = store.conversation(conversation.id), store.turns(conversation.id)
    store.close()

    assert read == replace(
        conversation,
        messages=(*first, *second),
        summaries=(summary,),
        updated_at=NOON + timedelta(minutes=2),
    )
    assert turns == [full_turn(first[1].id), full_turn(second[1].id)]


def test_the_sample_turn_exercises_every_field() -> None:
    stats = full_turn("id").stats
    untouched = [f.name for f in fields(TurnStats) if f.default is not MISSING and getattr(stats, f.name) == f.default]
    assert untouched == []


def test_unknown_numbers_stay_unknown(store: Store, conversation: Conversation) -> None:
    turn = Turn("a", TurnStats(submitted_ns=5))
    store.begin_answer(conversation.id, Message("assistant", "", id="a", state="streaming"))
    store.finish_answer(Message("assistant", "", id="a", state="failed"), turn)
    assert store.turns(conversation.id) == [turn]


def test_a_created_conversation_brings_its_messages_and_summaries(store: Store) -> None:
    messages = (Message("user", "1"), Message("assistant", "2", state="interrupted"))
    whole = Conversation(messages=messages, summaries=(Summary("s", messages[0].id, undone=True),))
    store.create(whole)
    assert store.conversation(whole.id) == whole


@pytest.mark.parametrize("text", AWKWARD_TEXTS, ids=range(len(AWKWARD_TEXTS)))
def test_any_text_survives_everywhere(store: Store, text: str) -> None:
    message = Message("user", text, text, model=text)
    conversation = Conversation(title=text, system_prompt=text, draft=text)
    store.create(conversation)
    store.add_message(conversation.id, message)
    store.rename(conversation.id, text)
    store.set_draft(conversation.id, text)
    store.set_system_prompt(conversation.id, text)
    store.add_summary(conversation.id, Summary(text, message.id))
    answer = Message("assistant", text, text, model=text)
    turn = replace(full_turn(answer.id), model_name=text, model_path=text, settings_json=text)
    turn = replace(turn, stats=replace(turn.stats, cache_miss=text, error=text))
    store.begin_answer(conversation.id, answer, turn)
    store.journal(answer.id, text, text, [1])
    store.finish_answer(answer, turn)

    read = store.conversation(conversation.id)

    assert (read.title, read.system_prompt, read.draft, read.summaries[0].text) == (text, text, text, text)
    assert read.messages == (message, answer)
    assert store.turns(conversation.id) == [turn]
    assert [row.title for row in store.conversations(text)] == [text]


def test_what_the_model_sees_is_kept(store: Store) -> None:
    conversation = Conversation(messages=(Message("user", "Remember 42."), Message("assistant", "Yes.")))
    first = conversation.messages[0]
    store.create(conversation)

    store.set_on_full(conversation.id, "drop")
    store.set_dropped_until(conversation.id, first.id)
    store.set_pinned(conversation.id, first.id, True)
    read = store.conversation(conversation.id)
    assert (read.on_full, read.dropped_until) == ("drop", first.id)
    assert [message.pinned for message in read.messages] == [True, False]
    assert read.in_view() == read.messages

    store.set_on_full(conversation.id, None)
    store.set_dropped_until(conversation.id, "")
    store.set_pinned(conversation.id, first.id, False)
    assert store.conversation(conversation.id) == conversation
    with pytest.raises(StorageRefusedError):
        store.set_pinned(conversation.id, "gone", True)


def test_random_text_survives(store: Store, conversation: Conversation) -> None:
    texts = random_texts(300)
    for text in texts:
        store.add_message(conversation.id, Message("user", text))
    assert [message.content for message in store.conversation(conversation.id).messages] == texts


def test_a_time_is_kept_to_the_microsecond_in_utc(store: Store, conversation: Conversation) -> None:
    time = NOON.replace(microsecond=999_999).astimezone(timezone(timedelta(hours=9)))
    store.add_message(conversation.id, Message("user", "x", created_at=time))
    read = store.conversation(conversation.id).messages[0].created_at
    assert read == time
    assert read.utcoffset() == timedelta(0)


def test_the_list_is_newest_first_and_counts_what_is_shown(store: Store) -> None:
    old, new = (Conversation(title=title, created_at=NOON, updated_at=NOON) for title in ("old", "new"))
    store.create(old)
    store.create(new)
    assert titles(store) == ["new", "old"]
    exchange(store, old, 1)
    assert [(row.title, row.message_count) for row in store.conversations()] == [("old", 2), ("new", 0)]
    assert store.conversations()[0].updated_at == NOON + timedelta(minutes=1)


def test_a_clock_that_was_set_back_does_not_move_a_conversation_down(store: Store, conversation: Conversation) -> None:
    store.add_message(conversation.id, Message("user", "x", created_at=NOON - timedelta(days=1)))
    assert store.conversation(conversation.id).updated_at == NOON


@pytest.mark.parametrize(
    ("title", "search"),
    [
        ("Die FÄHRE nach Öland", "fähre"),
        ("Паром", "ПАРОМ"),
        ("Straße", "STRASSE"),
        ("İstanbul", "i̇stanbul"),
        ("Caf\u00e9", "cafe\u0301"),
        ("ｆｕｌｌ width", "full"),
        ("摆渡船", "渡"),
        ("100% sure", "0%"),
        ("snake_case", "e_c"),
        ("a\\b", "\\"),
        ("half \ud83d", "half \ud83d"),
        ("NUL\0 after", "after"),
    ],
)
def test_search_finds_titles_in_any_script(store: Store, title: str, search: str) -> None:
    store.create(Conversation(title=title))
    store.create(Conversation(title="other"))
    assert titles(store, search) == [title]


@pytest.mark.parametrize("search", ["%", "_", "%%", "a_c", "*", "?"])
def test_search_takes_wildcards_literally(store: Store, search: str) -> None:
    store.create(Conversation(title="abc"))
    assert titles(store, search) == []


def test_search_follows_a_new_title(store: Store, conversation: Conversation) -> None:
    store.rename(conversation.id, "Brücke")
    assert titles(store, "ferry") == []
    assert titles(store, "BRÜCKE") == ["Brücke"]


def test_deleting_can_be_undone_until_it_is_purged(store: Store, conversation: Conversation) -> None:
    exchange(store, conversation, 1)
    whole = store.conversation(conversation.id)
    store.delete(conversation.id)
    assert titles(store) == []
    store.restore(conversation.id)
    assert titles(store) == ["Ferry"]
    assert store.conversation(conversation.id) == whole


def test_purging_erases_the_text_from_the_file(path: Path) -> None:
    store = Store(path)
    kept, deleted = Conversation(title="Kept"), Conversation(title="Deleted")
    for each in (kept, deleted):
        store.create(each)
        store.add_message(each.id, Message("user", f"secret of {each.title} " * 2000))
        exchange(store, each, 1)
    store.delete(deleted.id)
    store.purge_deleted()
    with pytest.raises(StorageRefusedError):
        store.conversation(deleted.id)
    assert store.turns(deleted.id) == []
    assert len(store.turns(kept.id)) == 1
    store.close()
    content = path.read_bytes()
    assert b"secret of Kept" in content
    assert b"secret of Deleted" not in content


def test_regenerating_keeps_the_old_answers_as_versions(store: Store, conversation: Conversation) -> None:
    question, first = exchange(store, conversation, 1)
    second = Message("assistant", "Better", created_at=NOON)
    store.branch(conversation.id, question.id, [second], full_turn(second.id))
    store.finish_answer(second, full_turn(second.id))

    assert store.conversation(conversation.id).messages == (question, second)
    assert store.turns(conversation.id) == [full_turn(second.id)]
    assert store.superseded(conversation.id) == [(first, full_turn(first.id))]
    assert store.conversations()[0].message_count == 2


def test_ending_the_path_earlier_takes_all_later_ones_of_this_conversation_only(store: Store) -> None:
    here, there = Conversation(title="here"), Conversation(title="there")
    store.create(here)
    store.create(there)
    kept = exchange(store, here, 1)
    exchange(store, here, 2)
    others = exchange(store, there, 3)
    exchange(store, here, 4)
    store.show_path(here.id, kept[-1].id)
    assert store.conversation(here.id).messages == kept
    assert store.conversation(there.id).messages == others
    with pytest.raises(StorageRefusedError):
        store.show_path(here.id, others[0].id)
    assert store.conversation(here.id).messages == kept
    assert store.conversation(there.id).messages == others


def test_summaries_are_versions_that_can_be_undone(store: Store, conversation: Conversation) -> None:
    question, _ = exchange(store, conversation, 1)
    first, second = Summary("first", question.id), Summary("second", question.id)
    store.add_summary(conversation.id, first)
    store.add_summary(conversation.id, second)
    assert store.conversation(conversation.id).active_summary == second
    store.set_summary_undone(conversation.id, second.id, True)
    assert store.conversation(conversation.id).active_summary == first
    store.set_summary_undone(conversation.id, second.id, False)
    assert store.conversation(conversation.id).active_summary == second


def test_finishing_may_be_repeated(store: Store, conversation: Conversation) -> None:
    _, answer = exchange(store, conversation, 1)
    store.finish_answer(replace(answer, content="Again"), full_turn(answer.id, tokens=9))
    assert store.conversation(conversation.id).messages[1].content == "Again"
    assert store.turns(conversation.id) == [full_turn(answer.id, tokens=9)]


def test_what_is_gone_or_there_already_is_refused_in_one_sentence(store: Store, conversation: Conversation) -> None:
    question, _ = exchange(store, conversation, 1)
    calls = [
        lambda: store.conversation("gone"),
        lambda: store.rename("gone", "x"),
        lambda: store.delete("gone"),
        lambda: store.add_message("gone", Message("user", "x")),
        lambda: store.begin_answer("gone", Message("assistant", "")),
        lambda: store.journal("gone", "x", "", []),
        lambda: store.finish_answer(Message("assistant", "x"), full_turn("gone")),
        lambda: store.add_summary("gone", Summary("x", "y")),
        lambda: store.set_summary_undone(conversation.id, "gone", True),
        lambda: store.create(conversation),
        lambda: store.add_message(conversation.id, question),
    ]
    before = store.conversation(conversation.id), store.turns(conversation.id)
    for call in calls:
        with pytest.raises(StorageRefusedError, match=r"^[A-Z].*\.$"):
            call()
    assert (store.conversation(conversation.id), store.turns(conversation.id)) == before


def test_it_may_be_opened_in_one_thread_and_used_in_another(store: Store, conversation: Conversation) -> None:
    thread = threading.Thread(target=exchange, args=(store, conversation, 1))
    thread.start()
    thread.join()
    assert len(store.conversation(conversation.id).messages) == 2


def test_calls_together_are_written_all_or_none(store: Store) -> None:
    def begin(answered: str) -> None:
        with store.together():
            store.create(Conversation("c"))
            store.add_message("c", Message("user", "1", id="q"))
            store.begin_answer(answered, Message("assistant", "", id="a", state="streaming"))

    with pytest.raises(StorageRefusedError):
        begin("gone")
    assert store.conversations() == []
    begin("c")
    assert [message.id for message in store.conversation("c").messages] == ["q", "a"]


def test_closing_twice_is_harmless_and_leaves_one_file_with_all_data(path: Path) -> None:
    store = Store(path)
    store.create(Conversation())
    store.close()
    store.close()
    assert sorted(file.name for file in path.parent.iterdir()) == ["conversations.db", "conversations.db.lock"]


def test_in_memory_it_works_alike() -> None:
    store = Store(None)
    conversation = Conversation(title="Ferry")
    store.create(conversation)
    exchange(store, conversation, 1)
    assert len(store.conversation(conversation.id).messages) == 2
    assert store.is_owner
    store.close()


def test_when_an_answer_was_drawn_is_added_later(store: Store) -> None:
    store.create(Conversation("c"))
    answer = Message("assistant", "Yes.", id="a", created_at=NOON)
    store.begin_answer("c", answer)
    turn = full_turn("a")
    store.finish_answer(answer, replace(turn, stats=replace(turn.stats, shown_ns=None)))
    store.note_shown("a", 9_004_000_000)
    store.note_shown("gone", 1)
    assert store.turns("c") == [turn]


def test_a_summary_keeps_its_receipt_and_what_was_measured(store: Store, conversation: Conversation) -> None:
    message = Message("user", "1")
    store.create(replace(conversation, id="receipts", messages=(message,)))
    before, after = PromptCost(100, 4000, 2.5, 0.02), PromptCost(20, 800, 0.5)
    summary = Summary(
        "s", message.id, 100, 20, method="parts", is_edited=True, receipt=Receipt(before, after), created_at=NOON
    )
    store.add_summary("receipts", summary)
    assert store.conversation("receipts").summaries == (summary,)
    measured = PromptCost(30, 1200, 0.6, 0.01)
    store.set_summary_measured("receipts", summary.id, measured)
    assert store.conversation("receipts").summaries == (replace(summary, receipt=Receipt(before, after, measured)),)
    store.set_summary_measured("receipts", "gone", measured)
