"""From a request to the tokens that must be read: template, saved state, common prefix, room in the context."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.chat.context_window import does_not_fit, reply_room
from app.chat.prefill import begin
from app.engine.events import ContextGrown, PromptTokenised
from app.engine.kv_state import Origin, described
from app.errors import ContextFullError

if TYPE_CHECKING:
    from collections.abc import Generator

    from app.chat.prefill import Beginning
    from app.chat.thinking import ThinkingSplitter
    from app.engine.llama.session import Session
    from app.engine.llama.state_keeper import StateKeeper
    from app.engine.request import Foreseen, GenerationRequest


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt of which the first `cached` tokens stand in the cache.

    Attributes:
        splitter: what takes the answer apart from here.
        checkpoints: after how many of the uncached tokens a checkpoint is taken.
    """

    splitter: ThinkingSplitter
    tokens: list[int]
    cached: int
    checkpoints: tuple[int, ...]

    @property
    def uncached(self) -> list[int]:
        """The tokens to read."""
        return self.tokens[self.cached :]


@dataclass(frozen=True, slots=True)
class Rendered:
    """What a request is in the model's words.

    Attributes:
        beginning: the prompt's text, and what takes the answer apart from there.
        notes: what the user should know of it.
        started_ns, ended_ns: when it was made.
    """

    beginning: Beginning
    notes: tuple[str, ...]
    started_ns: int
    ended_ns: int


def render(session: Session, request: GenerationRequest, started_ns: int) -> Rendered:
    """Apply the template. Raises TemplateError."""
    rendered = session.template.render_prompt(request.messages, **request.template_kwargs)
    beginning = begin(rendered.text, request.continues, session.template.source)
    return Rendered(beginning, tuple(rendered.notes), started_ns, time.perf_counter_ns())


def prepare(
    session: Session, request: GenerationRequest, rendered: Rendered, keeper: StateKeeper
) -> Generator[ContextGrown | PromptTokenised, None, Prompt]:
    """Make the prompt, and the keeper's cache hold as much of it as can be had without reading.

    Raises:
        ContextFullError: the prompt does not fit.
        EngineError: there is no context any more.
    """
    cache, beginning = keeper.cache, rendered.beginning
    keeper.before_prompt(request)
    tokens = session.tokenizer.encode_onto(beginning.prompt, *keeper.candidates())
    if keeper.looks_further(tokens):
        tokens = session.tokenizer.encode_onto(beginning.prompt, *keeper.candidates())
    limit = session.loaded.n_ctx_max if request.may_grow else cache.n_ctx
    if len(tokens) >= limit:
        raise ContextFullError(does_not_fit(len(tokens), limit))
    body = session.places.body(beginning.prompt, tokens, request.template_kwargs)
    restorable = keeper.tokens_to_restore(tokens)
    step, read_again = None, bool(session.sequences)  # other answers may be under way in them
    if request.may_grow:
        wanted = max(len(tokens) + _reply_tokens(request, cache.n_ctx), restorable)
        step = session.elastic.plan(len(tokens) + 1, wanted)
    tokenised_ns = time.perf_counter_ns()
    keeper.take_over(tokens)
    grown = None
    if restorable and step is not None:
        cache.clear()  # nothing is carried over that is going to be replaced
        if (grown := session.grow(step, read_again=read_again)) is not None:
            yield grown
    restored = keeper.restore(tokens)
    cached, cache_miss = keeper.reuse(tokens, request.messages, session.loaded.info.chat_template)
    if step is not None and grown is None and (grown := session.grow(step, read_again=read_again)) is not None:
        cached, cache_miss = len(cache.tokens), grown.note or cache_miss
        yield grown
    yield PromptTokenised(
        rendered.started_ns,
        tokenised_ns,
        len(tokens),
        cached,
        cache_miss,
        notes=(*rendered.notes, *keeper.take_notes()),
        rendered_ns=rendered.ended_ns,
        restored_from=restored.place,
        restored_tokens=restored.tokens,
        restore_ns=restored.took_ns,
    )
    is_aside = request.purpose == "summary"
    keeper.after_prompt(Origin(described(request.messages), body, len(tokens), is_aside=is_aside))
    checkpoints = session.checkpoint_places(beginning.prompt, tokens, request.messages, body, cached)
    return Prompt(beginning.splitter, tokens, cached, checkpoints)


def foresee(session: Session, request: GenerationRequest, rendered: Rendered, keeper: StateKeeper) -> Foreseen:
    """Return what `prepare` would find."""
    text = rendered.beginning.prompt
    return keeper.foresee(request, lambda candidates: session.tokenizer.encode_onto(text, *candidates))


def _reply_tokens(request: GenerationRequest, n_ctx: int) -> int:
    """Cells to have ready for the answer, so that a usual one is written without a pause."""
    room = reply_room(n_ctx)
    return room if request.max_tokens is None else min(room, request.max_tokens)
