"""What sending the draft will cost, beside Send: counted by the engine while it is idle, timed by the fitted curve."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QTimer, Slot

from app.chat.conversation import prompt_messages
from app.chat.message import Message
from app.telemetry.outlook import outlook
from ui import formatting
from ui.translation import localised

if TYPE_CHECKING:
    from app.chat.conversation import Conversation
    from app.engine.base import Engine
    from app.engine.events import LoadedModel
    from app.telemetry.outlook import Outlook
    from ui.chat.composer import Composer
    from ui.chat_controller import ChatController
    from ui.engine_worker import EngineWorker
    from ui.model_controller import ModelController
    from ui.saved_states import SavedStates
    from ui.session import Session
    from ui.speed_keeper import SpeedKeeper

PAUSE_MS = 350
"""After the last key: who types on is not helped by a number that changes with every letter."""
MOST_CHARACTERS = 20_000
"""Of longer drafts the beginning is counted and the rest estimated from it: what is sent meanwhile must not wait."""

_Asked = tuple["Conversation", "LoadedModel", str]
_Counts = tuple[int, int]
"""Tokens of the prompt that sending the draft makes, and of what went before, which the KV cache may hold."""


class ForecastKeeper(QObject):
    """Asks for at most one count at a time; what was typed meanwhile is counted next.

    Attributes:
        outlook: what is shown, None while nothing is.
    """

    def __init__(
        self,
        composer: Composer,
        chat: ChatController,
        models: ModelController,
        engine: EngineWorker,
        speed: SpeedKeeper,
        saved: SavedStates,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.outlook: Outlook | None = None
        self._composer = composer
        self._draft = ""
        self._chat = chat
        self._models = models
        self._engine = engine
        self._speed = speed
        self._saved = saved
        self._counted: tuple[_Asked, _Counts] | None = None
        self._is_asking = False
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self._count)
        composer.draft_changed.connect(self._on_draft_changed)
        chat.session_changed.connect(self._wait)
        chat.progressed.connect(self._wait)
        models.changed.connect(self._wait)
        speed.changed.connect(self._show)
        saved.changed.connect(self._show)
        composer.installEventFilter(self)

    @Slot(str)
    def _on_draft_changed(self, text: str) -> None:
        self._draft = "" if text.isspace() else text
        if not self._draft:
            self._show()
        self._pause.start()

    @Slot()
    def _wait(self) -> None:
        self._show()
        if not self._pause.isActive():
            self._pause.start()

    def _asked(self) -> _Asked | None:
        """Return what a forecast would be of now; None while nothing can be sent."""
        model = self._models.model
        if model is None or not self._chat.is_idle or not self._draft:
            return None
        return self._chat.session.conversation, model, self._draft

    @Slot()
    def _count(self) -> None:
        asked = self._asked()
        if asked is None or self._is_asking or (self._counted is not None and _same(self._counted[0], asked)):
            self._show()
            return
        self._is_asking = True
        self._engine.ask(partial(_count_tokens, asked[0], asked[2]), partial(self._on_counted, asked))

    def _on_counted(self, asked: _Asked, counts: _Counts | None) -> None:
        self._is_asking = False
        self._counted = (asked, counts) if counts is not None else None
        self._show()
        now = self._asked()
        if counts is not None and now is not None and not _same(now, asked) and not self._pause.isActive():
            self._pause.start()

    @Slot()
    def _show(self) -> None:
        asked, speed = self._asked(), self._speed.speed
        is_counted = asked is not None and self._counted is not None and _same(self._counted[0], asked)
        if not is_counted or speed is None:
            self.outlook = None
            self._composer.set_forecast("")
            return
        assert self._counted is not None
        session = self._chat.session
        series = session.series
        prompt_tokens, past_tokens = self._counted[1]
        cached = 0
        if not session.cache_note and self._chat.is_cached(session.id):
            cached = min(series.context_tokens, past_tokens)
        elif not session.cache_note and self._saved.is_kept(session.id):
            # Only what was read and written is kept; what was counted also ends the answer.
            read = series.turns[-1].stats.context_tokens if series.turns else None
            cached = min(series.expected_tokens or series.context_tokens, past_tokens, read or 0)
        self.outlook = found = outlook(prompt_tokens, cached, series.context_tokens, series.n_ctx_max or 1, speed.ttft)
        lines = [localised(found.sentence)]
        if edge := self._at_the_edge(session, prompt_tokens):
            lines[0] = self.tr("{forecast}; {edge}").format(forecast=lines[0], edge=edge)
        if found.missing is not None:
            lines.append(self.tr("Not foretold yet: {reason}").format(reason=localised(found.missing.reason)))
        elif found.ttft is not None:
            spread = self.tr("In 9 of 10 cases the first token comes after {low} to {high}, by {turns} of your own.")
            turns = formatting.turn_count(getattr(speed.ttft, "turns", 0))
            low, high = formatting.duration(found.ttft.low), formatting.duration(found.ttft.high)
            lines.append(spread.format(low=low, high=high, turns=turns))
        if len(self._counted[0][2]) > MOST_CHARACTERS:
            lines.append(self.tr("The tokens of a draft this long are estimated from its beginning."))
        self._composer.set_forecast(lines[0], "\n".join(lines[1:]))

    def _at_the_edge(self, session: Session, prompt_tokens: int) -> str:
        """Return what sending will lead to where the answer would not find its room; empty while it does."""
        from app.chat.context_window import fits
        from app.chat.policy import Limits

        model = self._models.model
        assert model is not None
        on_full = self._chat.on_full(session)
        limits = Limits.of(model.n_ctx, model.n_ctx_max, on_full, self._models.answer_settings.max_tokens)
        if limits.has_room(prompt_tokens):
            return ""
        if not session.conversation.messages or on_full == "stop":
            return "" if fits(prompt_tokens, limits.limit) else self.tr("it will not be sent")
        return {
            "grow": self.tr("the older turns will be summarised first"),
            "summarise": self.tr("the older turns will be summarised first"),
            "drop": self.tr("the oldest turns will leave the model's view"),
            "ask": self.tr("you will be asked what is to be done"),
        }[on_full]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LanguageChange:
            self._show()
        return super().eventFilter(watched, event)


def _same(one: _Asked, other: _Asked) -> bool:
    return one[0] is other[0] and one[1] is other[1] and one[2] == other[2]


def _count_tokens(conversation: Conversation, draft: str, engine: Engine) -> _Counts:
    past = engine.count_tokens(prompt_messages(conversation)) if conversation.messages else 0
    return _prompt_tokens(conversation, draft, engine), past


def _prompt_tokens(conversation: Conversation, draft: str, engine: Engine) -> int:

    def prompt(text: str) -> int:
        message = Message("user", text)
        return engine.count_tokens(prompt_messages(replace(conversation, messages=(*conversation.messages, message))))

    if len(draft) <= MOST_CHARACTERS:
        return prompt(draft)
    beginning = prompt(draft[:MOST_CHARACTERS])
    rest = prompt(draft[: MOST_CHARACTERS // 2])
    per_character = (beginning - rest) / (MOST_CHARACTERS - MOST_CHARACTERS // 2)
    return beginning + round(per_character * (len(draft) - MOST_CHARACTERS))
