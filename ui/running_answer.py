"""The fold of one answer's events into its text, its turn and the journal that survives a crash of the window."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from app.engine.events import ContextGrown, GenerationEvent, TokensGenerated
from app.storage.turns import Turn
from app.telemetry.recorder import TurnRecorder

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.chat.message import Message, MessageState
    from app.engine.events import Channel, LoadedModel
    from app.storage.store import Store
    from app.telemetry.timings import TurnStats
    from ui.session import Session


class RunningAnswer:
    """Observes the events of one answer in order; belongs to its session, shown or not.

    Attributes:
        message: the answer as it was begun, without text or, when it is continued, with what it had; `finished_message`
            has it all.
        part: how often the answer was begun before.
        model: the one that answers.
        ticket: the engine worker's, once it was asked.
        cache_note: why nothing will be found in the KV cache, as the window knows; empty when it knows of no reason.
        begun_monotonic_ns: Send by another clock than the recorder's, to check the parts of the wait against.
    """

    def __init__(
        self,
        session: Session,
        message: Message,
        submitted_ns: int,
        model: LoadedModel,
        settings_json: str,
        part: int = 0,
    ) -> None:
        self.begun_monotonic_ns = time.monotonic_ns() - (time.perf_counter_ns() - submitted_ns)
        self.ticket = 0
        self.session = session
        self.message = message
        self.recorder = TurnRecorder(submitted_ns, model.n_ctx)
        self.cache_note, session.cache_note = session.cache_note, ""
        self.model = model
        self._settings_json = settings_json
        self.part = part
        self._text: dict[Channel, list[str]] = {"answer": [message.content], "thinking": [message.thinking]}
        self._journaled: dict[Channel, int] = {"answer": 1, "thinking": 1}
        self._journaled_tokens = 0
        self._journaled_stats: TurnStats | None = None
        self._is_cut_short = False
        session.series.begin_turn(message.id, self.recorder)

    def observe(self, event: GenerationEvent) -> None:
        """Take one event."""
        if isinstance(event, ContextGrown):
            self.session.series.observe()  # what came before belongs to the smaller context
        self.recorder.observe(event, time.perf_counter_ns())
        if isinstance(event, TokensGenerated):
            for piece in event.pieces:
                self._text[piece.channel].append(piece.text)

    def observe_shown(self, at_ns: int) -> None:
        """The window has drawn the end of the answer."""
        self.recorder.observe_shown(at_ns)

    def take_journal(self) -> Callable[[Store], None] | None:
        """Return the write of what came since the last call, None when nothing did."""
        token_ns = self.recorder.token_ns_since(self._journaled_tokens)
        if not token_ns:
            return None
        self._journaled_tokens += len(token_ns)
        text, thinking = self._new_text("answer"), self._new_text("thinking")
        message_id, stats = self.message.id, replace(self.recorder.stats, token_ns=())
        changed = stats if stats != self._journaled_stats else None
        self._journaled_stats = stats
        return lambda store: store.journal(message_id, text, thinking, token_ns, changed)

    def _new_text(self, channel: Channel) -> str:
        pieces = self._text[channel][self._journaled[channel] :]
        self._journaled[channel] += len(pieces)
        return "".join(pieces)

    def finished_message(self, is_closing: bool = False) -> Message:
        """Return the answer with all text received so far; interrupted when the window closed meanwhile."""
        state: MessageState = "complete"
        stats = self.recorder.stats
        self._is_cut_short = is_closing and stats.finish_reason == "cancelled"
        if is_closing or stats.finish_reason in ("crashed", "interrupted"):
            state = "interrupted"
        elif stats.finish_reason == "failed" or (stats.error and not stats.completion_tokens):
            state = "failed"
        return replace(self.message, content=self.text, thinking="".join(self._text["thinking"]), state=state)

    def turn(self) -> Turn:
        """Return the turn as it stands."""
        from app.telemetry.environment import environment_json  # not above: it is slow, and comes in a thread

        stats, info = self.recorder.stats, self.model.info
        if self._is_cut_short:  # the window stopped it, not the user
            stats = replace(stats, finish_reason="interrupted")
        if self.cache_note and stats.cache_miss:
            stats = replace(stats, cache_miss=self.cache_note)
        # The series has dropped the points that this turn overwrote: those from the cached prefix on are its own.
        first = stats.cached_tokens if stats.cached_tokens is not None else stats.n_ctx or 0
        memory = tuple(point for point in self.session.series.memory if point.context_tokens >= first)
        return Turn(
            self.message.id,
            stats,
            memory,
            info.name,
            str(info.path),
            self._settings_json,
            environment_json(self.model),
            self.part,
        )

    @property
    def text(self) -> str:
        """The answer's text so far."""
        return "".join(self._text["answer"])

    @property
    def thinking(self) -> str:
        """The thinking's text so far."""
        return "".join(self._text["thinking"])
