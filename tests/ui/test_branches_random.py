"""Whatever is done to a conversation, in any order: window, store and prompt agree, and every template takes it."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

from app.chat.conversation import Summary, prompt_messages
from app.chat.policy import Cut
from app.chat.template import ChatTemplate
from tests.fakes import Answer, ScriptedEngine
from tests.ui.branches import check, ids, session_of

TEMPLATES = Path(__file__).parents[1] / "app" / "chat" / "templates"
FAMILIES = (
    "Qwen-Qwen2.5-7B-Instruct",
    "meta-llama-Llama-3.1-8B-Instruct",
    "google-gemma-2-2b-it",
    "mistralai-Mistral-7B-Instruct-v0.2",
    "mistralai-Mistral-Nemo-Instruct-2407",
    "microsoft-Phi-3.5-mini-instruct",
    "llama-cpp-deepseek-r1",
    "Qwen-Qwen3-0.6B",
    "openai-gpt-oss-120b",
    "CohereForAI-c4ai-command-r-plus-tool_use",
)
SEED, STEPS = 11, 300


class User:
    """Does one thing after another."""

    def __init__(self, desk, chance):
        self.desk, self.chance = desk, chance
        self.branches, self.store = desk.parts.branches, desk.parts.store
        self.one = ""
        self.steps = [
            *(self.send, self.edit, self.delete, self.delete_turn, self.undo, self.regenerate, self.branch, self.step),
            *(self.show, self.go_on, self.pin, self.pin, self.summarise, self.undo_summary, self.drop, self.reopen),
            *(self.original, self.summarised, self.drop, self.bring_back, self.undo_last),
        ]

    @property
    def session(self):
        return session_of(self.desk)

    def act(self):
        """Do one thing a user could do; return its name."""
        shown = ids(self.desk)
        step = self.chance.choice(self.steps) if shown else self.send
        self.one = self.chance.choice(shown) if shown else ""
        step()
        self.desk.wait_until_idle()
        return step.__name__

    def send(self):
        self.desk.ask(f"Said {self.chance.random()}")

    def edit(self):
        self.branches.edit(self.one, f"Edited {self.chance.random()}")

    def delete(self):
        self.branches.delete([self.one])

    def delete_turn(self):
        self.branches.delete(self.branches.turn_of(self.one))

    def undo(self):
        gone = [node.id for node in self.session.tree if node.is_deleted]
        self.branches.restore(self.session.id, gone[: self.chance.randrange(3)])

    def regenerate(self):
        self.branches.regenerate(self.one)

    def branch(self):
        self.branches.branch_from(self.one)

    def step(self):
        self.branches.step(self.one, self.chance.choice((-1, 1)))

    def show(self):
        self.branches.show(self.chance.choice(self.session.tree.ends()))

    def go_on(self):
        self.branches.continue_last()

    def pin(self):
        self.branches.pin(self.one, self.chance.random() < 0.7)

    def summarise(self):
        session, summary = self.session, Summary(f"Short {self.chance.random()}", self.one)
        session.add_summary(summary)
        self.store.write(lambda store: store.add_summary(session.id, summary))
        self.desk.parts.chat.show_again()

    def undo_summary(self):
        if self.session.conversation.summaries:
            summary = self.chance.choice(self.session.conversation.summaries)
            self.desk.parts.summaries.undo(self.session.id, summary.id, self.chance.random() < 0.7)

    def original(self):
        if self.session.summaries:
            self.branches.show_original(self.chance.choice(list(self.session.summaries)))

    def summarised(self):
        if self.session.summaries:
            self.branches.show_summarised(self.chance.choice(list(self.session.summaries)))

    def drop(self):
        self.desk.parts.view.drop(self.session, Cut(self.one, 1, 1))

    def bring_back(self):
        self.desk.parts.view.restore()

    def undo_last(self):
        self.desk.window.undo_bar.act()

    def reopen(self):
        opened = self.session.id
        self.desk.parts.chat.show_empty()
        self.desk.parts.library.open(opened)
        self.desk.qtbot.waitUntil(lambda: self.session.id == opened)


def check_prompt(templates, conversation):
    """Every family is given all that is in view, in this order."""
    messages = prompt_messages(conversation)
    expected = [message.content for message in conversation.in_view() if message.content]
    assert [message.content for message in messages if message.role != "system"] == expected
    if not expected:
        return
    for template in templates:
        prompt, at = template.render(messages), 0
        for text in expected:
            at = prompt.index(text, at) + len(text)


def test_three_hundred_random_steps(open_desk):
    chance = random.Random(SEED)
    reasons = ("stop", "length", "cancelled")
    answers = [Answer(pieces=(f"Word {n}", "."), finish_reason=chance.choice(reasons)) for n in range(STEPS + 1)]
    desk = open_desk(ScriptedEngine(*answers))
    templates = [ChatTemplate((TEMPLATES / f"{name}.jinja").read_text("utf-8"), "<BOS>", "<EOS>") for name in FAMILIES]
    user, done, begun = User(desk, chance), [], []
    desk.parts.chat.answer_begun.connect(begun.append)
    for _ in range(STEPS):
        requests = len(desk.engine.requests)
        done.append(user.act())
        check(desk)
        conversation = session_of(desk).conversation
        check_prompt(templates, conversation)
        if len(desk.engine.requests) > requests:
            before = replace(conversation, messages=conversation.messages[:-1])
            asked = [(message.role, message.content) for message in desk.engine.requests[-1].messages]
            assert asked == [(message.role, message.content) for message in prompt_messages(before)]
            assert conversation.messages[-1].id == begun[-1].message.id
    assert set(done) == {step.__name__ for step in user.steps}
