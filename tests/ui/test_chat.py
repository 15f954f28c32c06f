"""A message's whole path: typed, answered, drawn, measured, stored."""

from ui.chat.transcript import Kind, State


def test_a_message_is_answered_drawn_measured_and_stored(desk):
    desk.ask("Why is the sky blue?")
    user, answer = desk.items()
    assert (user.kind, user.text) == (Kind.USER, "Why is the sky blue?")
    assert (answer.kind, answer.text, answer.state) == (Kind.ASSISTANT, "Hello world", State.COMPLETE)
    assert answer.author == "Fake 135M"
    assert "TTFT 108 ms" in answer.footer
    assert "20 + 3 tokens" in answer.footer
    (row,) = desk.stored(lambda store: store.conversations())
    assert row.title == "Why is the sky blue?"
    conversation = desk.stored(lambda store: store.conversation(row.id))
    assert [(m.role, m.content, m.state) for m in conversation.messages] == [
        ("user", "Why is the sky blue?", "complete"),
        ("assistant", "Hello world", "complete"),
    ]
    (turn,) = desk.stored(lambda store: store.turns(row.id))
    assert turn.message_id == answer.id
    assert turn.stats.ttft_s == 0.108
    assert turn.stats.tpot_s == 0.01
    assert turn.stats.finish_reason == "stop"
    assert turn.memory[-1].context_tokens == 22
    assert turn.memory[-1].kv_used_bytes == 22 * 23_040
