"""All that exists while a model is loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.chat.conversation import last_user_index
from app.chat.template import ChatTemplate
from app.engine.fingerprint import model_fingerprint
from app.engine.kv_state import StateKey, text_digest
from app.engine.llama.answer import PrefillPace
from app.engine.llama.checkpoints import WORTH_TOKENS
from app.engine.llama.places import Places
from app.engine.llama.room import HOST
from app.engine.llama.sequence import Sequence as CacheSequence
from app.engine.llama.state_keeper import StateKeeper
from app.engine.llama.state_shelf import StateShelf
from app.engine.llama.tokenizer import Tokenizer
from app.engine.self_test import library_fingerprint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.chat.message import Message
    from app.engine.events import ContextGrown, LoadedModel
    from app.engine.llama.growth import ElasticContext, Step
    from app.engine.llama.model import LlamaModel


_SAVE_S = 1.0
"""The engine ends within 2 s (`Engine.close`), and what is not written by then is read again some day."""


class Session:
    """A model, its context and what is made of its metadata.

    Attributes:
        sequences: those of a context that has several; empty where the context itself holds the conversation.
        keepers: one for each cache.
    """

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
        self.places = Places(self.template, self.tokenizer)
        numbers = range(loaded.n_parallel) if loaded.n_parallel > 1 else ()
        self.sequences = tuple(CacheSequence(self.context, number) for number in numbers)
        elastic.caches = self.sequences or (self.context,)
        self.shelf = StateShelf(self._state_key, loaded.info.n_vocab, loaded.n_parallel)
        self.keepers = tuple(StateKeeper(cache, self.shelf, self._free_bytes) for cache in elastic.caches)
        elastic.spare_bytes = lambda: self.shelf.memory_bytes

    @property
    def loaded(self) -> LoadedModel:
        """The model with its context as it is now."""
        return self.elastic.model

    @property
    def held_bytes(self) -> int:
        """What all copies of KV caches take: saved states, those on their way to the disk, and checkpoints."""
        checkpoints = (point for cache in self.elastic.caches for point in cache.checkpoints.points)
        return self.shelf.held_bytes + sum(point.size_bytes for point in checkpoints)

    def checkpoint_places(
        self, text: str, prompt: Sequence[int], messages: Sequence[Message], body: int, cached: int
    ) -> tuple[int, ...]:
        """Return after how many of the uncached tokens a checkpoint is worth its while; none where it is not needed."""
        if not self.context.needs_checkpoints:
            return ()
        last = last_user_index(messages)
        question = self.places.before_question(text, prompt, messages[last].content) if last is not None else 0
        if cached < question < cached + WORTH_TOKENS:
            question = cached  # nothing is lost by stepping back a little further, and no decode is spent on it
        places = {place - cached for place in (question, body) if cached <= place < len(prompt)}
        return tuple(sorted(places))

    def grow(self, step: Step, *, read_again: bool = False) -> ContextGrown | None:
        """Make the context larger. See `ElasticContext.grow`."""
        if not self.elastic.has_room(step):
            self.shelf.drop_all()
        grown = self.elastic.grow(step, read_again=read_again)
        self.pace.largest = self.context.n_ubatch
        return grown

    def make_room(self) -> ContextGrown | None:
        """Let the full context grow in the middle of an answer; None when it is at its limit or was cancelled."""
        step = self.elastic.plan(len(self.context.tokens) + 1)
        return self.grow(step, read_again=True) if step is not None else None

    def shrink(self) -> bool:
        """Forget the conversations, whose states are kept. See `ElasticContext.shrink`."""
        for keeper in self.keepers:
            keeper.forget()
        has_shrunk = self.elastic.shrink()
        self.pace.largest = self.context.n_ubatch
        return has_shrunk

    def free(self) -> None:
        """Write the conversations' states if that is soon done, and give all memory back."""
        for keeper in self.keepers:
            keeper.write()
        self.shelf.close(_SAVE_S)
        self.context.free()
        self.model.free()

    def _free_bytes(self) -> int:
        return self.elastic.free_bytes()[HOST]

    def _state_key(self) -> StateKey:
        loaded = self.loaded
        return StateKey(
            model=model_fingerprint(self.model.path),
            model_name=loaded.info.name,
            template=text_digest(loaded.info.chat_template),
            library=library_fingerprint(),
            type_k=loaded.type_k,
            type_v=loaded.type_v,
            flash_attention=loaded.flash_attention,
            swa_full=self.context.swa_full,
            streams=loaded.n_parallel,
        )
