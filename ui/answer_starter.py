"""What an answer begins with: its request, and the fold of the events that will come."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.chat.conversation import prompt_messages
from app.chat.message import Message
from app.engine.request import GenerationRequest
from app.engine.sampling import Sampling
from ui.running_answer import RunningAnswer

if TYPE_CHECKING:
    from app.engine.events import LoadedModel
    from app.settings import SamplingSettings
    from ui.model_controller import ModelController
    from ui.session import Session


class AnswerStarter(QObject):
    """Puts an answer that begins into its session; a model is loaded."""

    def __init__(self, models: ModelController, parent: QObject) -> None:
        super().__init__(parent)
        self._models = models

    def new(
        self, session: Session, submitted_ns: int, sampling: SamplingSettings | None
    ) -> tuple[RunningAnswer, GenerationRequest]:
        """Begin an answer at the end of the path; `sampling`: None as the settings say."""
        model = self._model()
        message = Message("assistant", "", model=model.info.name, state="streaming")
        request = self._request(session, prompt_messages(session.conversation), submitted_ns, sampling)
        session.put(message)
        self._note_former_model(session, model)
        settings_json = self._models.settings_json(sampling)
        return RunningAnswer(session, message, submitted_ns, model, settings_json), request

    def continued(
        self, session: Session, message: Message, submitted_ns: int
    ) -> tuple[RunningAnswer, GenerationRequest]:
        """Go on with the answer that ends the path."""
        model = self._model()
        before = replace(session.conversation, messages=session.conversation.messages[:-1])
        request = replace(self._request(session, prompt_messages(before), submitted_ns), continues=message)
        begun = replace(message, state="streaming")
        session.put(begun)
        self._note_former_model(session, model)
        part = len(session.turns_of(message.id))
        return RunningAnswer(session, begun, submitted_ns, model, self._models.settings_json(), part), request

    def _model(self) -> LoadedModel:
        model = self._models.model
        assert model is not None
        return model

    def _request(
        self,
        session: Session,
        messages: list[Message],
        submitted_ns: int,
        sampling: SamplingSettings | None = None,
    ) -> GenerationRequest:
        settings = self._models.answer_settings
        return GenerationRequest(
            tuple(messages),
            submitted_ns,
            sampling=Sampling(**asdict(sampling or settings.sampling)),
            max_tokens=settings.max_tokens,
            conversation_id=session.id,
            states=self._models.state_budget(),
        )

    def _note_former_model(self, session: Session, model: LoadedModel) -> None:
        if (former := session.former_model(model.info.path)) is not None:
            session.cache_note = self.tr(
                "{model} reads this conversation anew: the KV cache of {former} is of no use to another model."
            ).format(model=model.info.name, former=former)
