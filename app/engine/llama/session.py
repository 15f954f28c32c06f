"""All that exists while a model is loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.chat.template import ChatTemplate
from app.engine.llama.answer import PrefillPace
from app.engine.llama.tokenizer import Tokenizer

if TYPE_CHECKING:
    from app.engine.events import ContextGrown, LoadedModel
    from app.engine.llama.growth import ElasticContext, Step
    from app.engine.llama.model import LlamaModel


class Session:
    """A model, its context and what is made of its metadata."""

    def __init__(self, model: LlamaModel, elastic: ElasticContext) -> None:
        loaded = elastic.model
        self.model = model
        self.context = elastic.context
        self.elastic = elastic
        self.tokenizer = Tokenizer(model.vocab)
        self.template = ChatTemplate(
            loaded.info.chat_template, bos_token=self.tokenizer.bos_token, eos_token=self.tokenizer.eos_token
        )
        self.pace = PrefillPace(loaded.n_ubatch, abortable=loaded.layers_offloaded == 0)

    @property
    def loaded(self) -> LoadedModel:
        """The model with its context as it is now."""
        return self.elastic.model

    def grow(self, step: Step, *, read_again: bool = False) -> ContextGrown | None:
        """Make the context larger. See `ElasticContext.grow`."""
        grown = self.elastic.grow(step, read_again=read_again)
        self.pace.largest = self.context.n_ubatch
        return grown

    def make_room(self) -> ContextGrown | None:
        """Let a full context grow in the middle of an answer; None when it is at its limit or was cancelled."""
        step = self.elastic.plan(len(self.context.tokens) + 1)
        return self.grow(step, read_again=True) if step is not None else None

    def shrink(self) -> bool:
        """Forget the conversation. See `ElasticContext.shrink`."""
        has_shrunk = self.elastic.shrink()
        self.pace.largest = self.context.n_ubatch
        return has_shrunk

    def free(self) -> None:
        """Give all memory back."""
        self.context.free()
        self.model.free()
