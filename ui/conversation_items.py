"""What the transcript shows of a session: messages, summaries as dividers, numbers in the foot, what can be done."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypedDict

from PySide6.QtCore import QObject

from app.chat.conversation import PromptCost, Receipt
from app.chat.view import view_of
from app.telemetry.receipt import prompt_cost
from app.telemetry.resume import resume_of
from ui import formatting
from ui.chat.transcript import Action, Costs, Item, Kind, State
from ui.translation import localised
from ui.waits import wait_of_turn

if TYPE_CHECKING:
    from pathlib import Path

    from app.chat.conversation import Summary
    from app.chat.message import Message
    from app.storage.turns import Turn
    from app.telemetry.resume import Resume
    from app.telemetry.timings import TurnStats
    from ui.model_controller import ModelController
    from ui.running_answer import RunningAnswer
    from ui.session import Session

REGENERATE = "regenerate"
REGENERATE_MENU = "regenerate_menu"
CONTINUE = "continue"
EDIT = "edit"
BRANCH = "branch"
PIN = "pin"
UNPIN = "unpin"
DELETE_MESSAGE = "delete_message"
DELETE_TURN = "delete_turn"
PREVIOUS_VERSION = "previous_version"
NEXT_VERSION = "next_version"
MENU = "menu"
VERSIONS = "versions"
RELOAD_MODEL = "reload_model"
NEW_CONVERSATION = "new_conversation"
SUMMARISE = "summarise"
LOAD_SETTINGS = "load_settings"
SHOW_ORIGINAL = "show_original"
SHOW_SUMMARISED = "show_summarised"
UNDO_SUMMARY = "undo_summary"
REDO_SUMMARY = "redo_summary"
BRING_BACK = "bring_back"
DROP = "drop"
EDGE_ID = "view_edge"
ENDED_ID = "engine_ended"
EXPLAIN_WAIT = "explain_wait"
"""The bar below an answer was clicked."""


class ConversationItems(QObject):
    """Makes transcript items; a QObject for its translations."""

    def __init__(self, models: ModelController, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._models = models

    def of(
        self, session: Session, running: RunningAnswer | None = None, before: int = 0, *, is_asking: bool = False
    ) -> list[Item]:
        """Return all items of a session, oldest first; `running` is its answer under way, `before` that in line.

        A question at the end that has none offers to be answered, unless it is about to be (`is_asking`). Where there
        is nothing yet, the model with which the engine ended is offered.
        """
        items: list[Item] = []
        start = session.conversation.view_start
        summaries = {summary.covers_until: summary for summary in session.conversation.summaries if not summary.undone}
        last = session.conversation.summaries[-1] if session.conversation.summaries else None
        counting = {summary.id for summary in session.conversation.summaries}
        for index, message in enumerate(session.conversation.messages):
            if start and index == start:
                items.append(self.edge(session))
            if running is not None and message.id == running.message.id:
                items.append(self.streaming(running, before))
            else:
                items.append(self.message(session, message))
            if summary := summaries.get(message.id):
                items.append(self.summary(session, summary))
            if last is not None and last.undone and last.covers_until == message.id:
                items.append(self._undone(last))
            elsewhere = (each for each in session.tree.summarised_after(message.id) if each not in counting)
            items += map(self._summarised, elsewhere)
        messages = session.conversation.messages
        if messages and messages[-1].role == "user" and not is_asking:
            index = next(i for i, item in enumerate(items) if item.id == messages[-1].id)
            items[index] = replace(items[index], actions=(Action(REGENERATE, self.tr("Answer")),))
        if start and start == len(messages):
            items.append(self.edge(session))
        if not items and (ended_path := self._models.ended_path) is not None:
            items.append(self._ended(ended_path))
        return items

    def edge(self, session: Session) -> Item:
        """Return the line where the model's view begins."""
        view = view_of(session.conversation)
        out, summarised = view.turns_out_of_view, view.summarised_turns
        if summarised == out:
            above = self.tr("The model sees from here on. Summarised above: {turns}")
        elif not summarised:
            above = self.tr("The model sees from here on. Out of its view above: {turns}")
        else:
            above = self.tr(
                "The model sees from here on. Out of its view above: {turns}, of them summarised: {summarised}"
            )
        return Item(
            id=EDGE_ID,
            kind=Kind.EDGE,
            author=above.format(turns=formatting.turn_count(out), summarised=formatting.count(summarised)),
            footer_tooltip=self.tr(
                "Nothing is deleted: what stands above is kept, and dimmed because the model is not given it word for "
                "word. Pinned messages are always in its view."
            ),
            actions=(Action(BRING_BACK, self.tr("Bring them back into view")),) if view.returning_turns else (),
        )

    def message(self, session: Session, message: Message) -> Item:
        """Return a user message, or an answer that has ended."""
        is_out = not message.pinned and session.is_before_view(message.id)
        if message.role == "user":
            return Item(
                message.id,
                Kind.USER,
                self.tr("You"),
                message.content,
                cost=self._cost(session, message),
                is_out_of_view=is_out,
                **_place(session, message),
            )
        turn = session.turns.get(message.id)
        stats = turn.stats if turn is not None else None
        resume = resume_of(stats, (one.stats for one in session.turns.values())) if stats is not None else None
        is_last = session.last_answer is not None and session.last_answer.id == message.id
        return Item(
            kind=Kind.ASSISTANT,
            author=self._author(session, message, turn),
            text=message.content,
            thinking=message.thinking,
            footer=self._footer(message, stats, resume),
            footer_tooltip=self._tooltip(session, message, stats, resume),
            state=self._state(message, stats),
            error=self._error(message, stats),
            actions=self._actions(message, stats, is_last),
            **self.costs(session, message)._asdict(),
            is_out_of_view=is_out,
            **_place(session, message),
        )

    def costs(self, session: Session, message: Message) -> Costs:
        """Return what `message` says of cost, what would become free, and wait."""
        if message.role == "user":
            return Costs(message.id, self._cost(session, message))
        turn = session.turns.get(message.id)
        wait = wait_of_turn(turn.stats) if turn is not None else None
        return Costs(message.id, self._cost(session, message), self._frees(session, message), wait)

    def _footer(self, message: Message, stats: TurnStats | None, resume: Resume | None) -> str:
        figures = formatting.turn_footer(stats, resume) if stats is not None else ""
        return " · ".join(filter(None, (self.tr("edited by you") if message.edited else "", figures)))

    def _author(self, session: Session, message: Message, turn: Turn | None) -> str:
        """Name the model; with its file where that alone tells it from the one before."""
        name = message.model or self.tr("Model")
        if turn is None or message.id not in session.namesakes:
            return name
        return self._named(name, turn.model_path)

    def _streaming_author(self, running: RunningAnswer) -> str:
        name, path = running.message.model, running.model.info.path
        return self._named(name, str(path)) if running.session.former_model(path) == name else name

    def _named(self, name: str, file: str) -> str:
        return self.tr("{model} · {file}").format(model=name, file=file.replace("\\", "/").rpartition("/")[2])

    def _cost(self, session: Session, message: Message) -> str:
        ledger, model = session.ledger, session.series.model
        if ledger is None or model is None:
            return ""
        entry = ledger.entry(message.id)
        if entry is None:  # behind the summary, without text, or not counted yet
            is_out = not message.pinned and session.is_before_view(message.id)
            return self.tr("Out of the model's view: takes nothing of the context.") if is_out else ""
        return self.tr("{tokens}, {size} of the KV cache").format(
            tokens=formatting.tokens(entry.tokens),
            size=formatting.memory(ledger.message_bytes(model.memory, message.id)),
        )

    def _frees(self, session: Session, message: Message) -> str:
        ledger, model = session.ledger, session.series.model
        if ledger is None or model is None or ledger.entry(message.id) is None:
            return ""
        tokens, size = ledger.freed_from(model.memory, message.id)
        return self.tr("Takes this answer out, which frees {tokens}, {size} of the KV cache.").format(
            tokens=formatting.tokens(tokens), size=formatting.memory(size)
        )

    def streaming(self, running: RunningAnswer, before: int = 0) -> Item:
        """Return an answer under way with its text so far; `before`: how many must end before it is begun."""
        return Item(
            id=running.message.id,
            kind=Kind.ASSISTANT,
            author=self._streaming_author(running),
            text=running.text,
            thinking=running.thinking,
            footer=formatting.waiting(before) if before else "",
            state=State.STREAMING,
        )

    def summary(self, session: Session, summary: Summary) -> Item:
        """Return the divider that stands after the last message a summary covers."""
        actions = []
        if summary.id in session.tree:
            actions.append(Action(SHOW_ORIGINAL, self.tr("Show the original")))
        if summary is session.conversation.active_summary:
            actions.append(Action(UNDO_SUMMARY, self.tr("Undo summary")))
        return Item(
            id=summary.id,
            kind=Kind.SUMMARY,
            author=self._summary_title(summary),
            text=summary.text,
            footer=self._receipt(session, summary),
            footer_tooltip=self._receipt_tooltip(summary),
            actions=tuple(actions),
        )

    def _summarised(self, summary_id: str) -> Item:
        return _notice(
            summary_id,
            self.tr(
                "A summary was laid here: this is the original, and the branch with the summary goes on beside it."
            ),
            Action(SHOW_SUMMARISED, self.tr("Show the branch with the summary")),
        )

    def _undone(self, summary: Summary) -> Item:
        text = self.tr("A summary of everything above was taken back.")
        return _notice(summary.id, text, Action(REDO_SUMMARY, self.tr("Use it again")))

    def _ended(self, path: Path) -> Item:
        text = self.tr("The engine ended, and {file} is no longer loaded.").format(file=path.name)
        return _notice(ENDED_ID, text, Action(RELOAD_MODEL, self.tr("Reload the model")))

    def _summary_title(self, summary: Summary) -> str:
        title = {
            "parts": self.tr("Summary of everything above, read in parts"),
            "extracted": self.tr("First sentences of everything above"),
        }.get(summary.method, self.tr("Summary of everything above"))
        return self.tr("{title}, edited").format(title=title) if summary.is_edited else title

    def _receipt(self, session: Session, summary: Summary) -> str:
        receipt = summary.receipt
        if receipt is None:
            turns = [turn.stats for turn in session.turns.values()]
            costs = [prompt_cost(tokens, session.series.model, turns) for tokens in _sizes(summary)]
            receipt = Receipt(*costs)
        before, after, measured = receipt.before, receipt.after, receipt.measured or PromptCost()
        line = self.tr("{before} → {after} · KV {kv_before} → {kv_after} · TTFT {ttft} · TPOT {tpot}")
        return line.format(
            before=formatting.count(summary.tokens_before),
            after=formatting.tokens(summary.tokens_after),
            kv_before=formatting.memory(before.kv_bytes),
            kv_after=formatting.memory(after.kv_bytes),
            ttft=self._change(before.ttft_s, after.ttft_s, measured.ttft_s),
            tpot=self._change(before.tpot_s, after.tpot_s, measured.tpot_s),
        )

    def _change(self, before: float | None, expected: float | None, measured: float | None) -> str:
        if measured is None and expected is None:
            return self.tr("{before} → not known yet").format(before=formatting.duration(before))
        if measured is None:
            return self.tr("{before} → {expected} expected").format(
                before=formatting.duration(before), expected=formatting.duration(expected)
            )
        return self.tr("{before} → {measured} measured").format(
            before=formatting.duration(before), measured=formatting.duration(measured)
        )

    def _receipt_tooltip(self, summary: Summary) -> str:
        lines = [
            self.tr(
                "The prompt without → with this summary: its size, the KV cache it takes, the TTFT when nothing of it "
                "is cached, and the TPOT after it. Expected: by your own turns with this model. Measured: the first "
                "answer after the summary."
            )
        ]
        receipt = summary.receipt
        if receipt is not None and receipt.measured is not None:
            lines.append(
                self.tr(
                    "Measured with {tokens}, {size} of KV cache; expected were TTFT {ttft} and TPOT {tpot}."
                ).format(
                    tokens=formatting.tokens(receipt.measured.tokens),
                    size=formatting.memory(receipt.measured.kv_bytes),
                    ttft=formatting.duration(receipt.after.ttft_s),
                    tpot=formatting.duration(receipt.after.tpot_s),
                )
            )
        method = {
            "parts": self.tr(
                "The conversation did not fit into one prompt with room for a summary: the model read it in parts."
            ),
            "extracted": self.tr(
                "The model gave no usable summary: the first sentence of every message stands here, word for word."
            ),
        }.get(summary.method, self.tr("Written by the model, which read the conversation as the KV cache held it."))
        return "\n".join([*lines, method])

    def _state(self, message: Message, stats: TurnStats | None) -> State:
        if message.state == "failed":
            return State.FAILED
        if message.state == "interrupted" or (stats is not None and stats.finish_reason == "cancelled"):
            return State.STOPPED
        return State.COMPLETE

    def _error(self, message: Message, stats: TurnStats | None) -> str:
        if stats is not None and stats.error:
            return localised(stats.error)
        if stats is not None and stats.finish_reason == "context":
            return self.tr("The context is full: the answer ends here. Make room, or start a new conversation.")
        if message.state == "interrupted":
            return self.tr("The window was closed or the engine ended while this was written; what had come is kept.")
        return ""

    def _actions(self, message: Message, stats: TurnStats | None, is_last: bool) -> tuple[Action, ...]:
        if not is_last:
            return ()
        actions = [Action(REGENERATE, self.tr("Regenerate")), Action(REGENERATE_MENU, self.tr("Regenerate otherwise"))]
        if can_be_continued(message, stats):
            actions.append(Action(CONTINUE, self.tr("Continue")))
        reason = stats.finish_reason if stats is not None else None
        if reason == "crashed":
            actions.insert(0, Action(RELOAD_MODEL, self.tr("Reload the model")))
        if reason == "context":
            actions = [
                Action(SUMMARISE, self.tr("Summarise")),
                Action(DROP, self.tr("Take the oldest turns out of view")),
                Action(NEW_CONVERSATION, self.tr("New conversation")),
                Action(LOAD_SETTINGS, self.tr("Load settings…")),
                *actions,
            ]
        return tuple(actions)

    def _tooltip(self, session: Session, message: Message, stats: TurnStats | None, resume: Resume | None) -> str:
        earlier = [formatting.turn_footer(turn.stats) for turn in session.turns_of(message.id)[:-1]]
        parts = [self.tr("Continued; before that: {figures}").format(figures=figures) for figures in earlier]
        cache_miss = [localised(stats.cache_miss)] if stats is not None and stats.cache_miss else []
        grown = [formatting.growth(step) for step in stats.context_growths] if stats is not None else []
        keys = ["ttft", "decode_rate", "tpot"]
        if stats is not None and stats.sequences > 1:
            keys.append("aggregate_rate")
        definitions = (formatting.definition(key) for key in keys)
        resumed = [formatting.resumed(resume)] if resume is not None else []
        return "\n".join([*parts, *resumed, *cache_miss, *grown, *definitions])


def _notice(item_id: str, text: str, action: Action) -> Item:
    return Item(item_id, Kind.NOTICE, "", text, actions=(action,))


class _Place(TypedDict):
    version: int
    versions: int
    is_pinned: bool
    has_menu: bool
    edit: str | None


def _place(session: Session, message: Message) -> _Place:
    """Say which of its versions a message is, whether it is pinned, that it has a menu, and how it is being edited."""
    versions = session.tree.versions(message.id)
    return {
        "version": versions.index(message.id) + 1,
        "versions": len(versions),
        "is_pinned": message.pinned,
        "has_menu": True,
        "edit": session.edits.get(message.id),
    }


def can_be_continued(message: Message, stats: TurnStats | None) -> bool:
    """Whether an answer may go on: it was stopped or cut off, or the user wrote its end."""
    if message.state == "streaming" or not (message.content or message.thinking):
        return False
    reason = stats.finish_reason if stats is not None else None
    return message.edited or message.state == "interrupted" or reason in ("cancelled", "length", "context")


def _sizes(summary: Summary) -> tuple[int | None, int | None]:
    return summary.tokens_before, summary.tokens_after
