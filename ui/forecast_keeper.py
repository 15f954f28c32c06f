"""What sending the draft will cost, beside Send: foreseen by the engine while it is idle, timed by the fitted curve."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QTimer, Slot

from app.chat.conversation import prompt_messages
from app.chat.message import Message
from app.engine.request import GenerationRequest
from app.telemetry.outlook import outlook
from ui import formatting
from ui.translation import localised

if TYPE_CHECKING:
    from app.chat.conversation import Conversation
    from app.engine.base import Engine
    from app.engine.events import LoadedModel
    from app.engine.request import Foreseen
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
        self._counted: tuple[_Asked, Foreseen] | None = None
        self._is_asking = False
        self._changes = 0
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self._count)
        composer.draft_changed.connect(self._on_draft_changed)
        chat.session_changed.connect(self._wait)
        chat.progressed.connect(self._wait)
        models.changed.connect(self._wait)
        speed.changed.connect(self._show)
        saved.changed.connect(self._wait)
        composer.installEventFilter(self)

    @Slot(str)
    def _on_draft_changed(self, text: str) -> None:
        self._draft = "" if text.isspace() else text
        if not self._draft:
            self._show()
        self._pause.start()

    @Slot()
    def _wait(self) -> None:
        """What the engine holds may be something else now."""
        self._counted = None
        self._changes += 1
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
        session = self._chat.session
        request = GenerationRequest(
            (),
            0,
            conversation_id=session.id,
            states=self._models.state_budget(),
            may_grow=self._chat.on_full(session) == "grow",
        )
        foresee = partial(_foresee, asked[0], asked[2], request)
        self._engine.ask(foresee, partial(self._on_counted, asked, self._changes))

    def _on_counted(self, asked: _Asked, changes: int, foreseen: Foreseen | None) -> None:
        self._is_asking = False
        is_old = changes != self._changes
        self._counted = (asked, foreseen) if foreseen is not None and not is_old else None
        self._show()
        now = self._asked()
        is_another = now is not None and not _same(now, asked)
        if foreseen is not None and (is_old or is_another) and not self._pause.isActive():
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
        prompt_tokens, cached_tokens = self._counted[1].prompt_tokens, self._counted[1].cached_tokens
        self.outlook = found = outlook(
            prompt_tokens, cached_tokens, series.context_tokens, series.n_ctx_max or 1, speed.ttft
        )
        lines = [localised(found.sentence)]
        if edge := self._at_the_edge(session, prompt_tokens):
            lines[0] = self.tr("{forecast}; {edge}").format(forecast=lines[0], edge=edge)
        if found.missing is not None:
            lines.append(self.tr("No forecast yet: {reason}").format(reason=localised(found.missing.reason)))
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


def _foresee(conversation: Conversation, draft: str, request: GenerationRequest, engine: Engine) -> Foreseen:

    def foreseen(text: str) -> Foreseen:
        asked = replace(conversation, messages=(*conversation.messages, Message("user", text)))
        return engine.foresee(replace(request, messages=tuple(prompt_messages(asked))))

    if len(draft) <= MOST_CHARACTERS:
        return foreseen(draft)
    beginning = foreseen(draft[:MOST_CHARACTERS])
    rest = foreseen(draft[: MOST_CHARACTERS // 2])
    per_character = (beginning.prompt_tokens - rest.prompt_tokens) / (MOST_CHARACTERS - MOST_CHARACTERS // 2)
    more = round(per_character * (len(draft) - MOST_CHARACTERS))
    return replace(beginning, prompt_tokens=beginning.prompt_tokens + more)
