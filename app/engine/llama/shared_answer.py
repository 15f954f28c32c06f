"""One of several answers that are written in the same steps."""

from __future__ import annotations

import secrets
import time
from typing import TYPE_CHECKING

from app.chat.context_window import does_not_fit
from app.chat.prefill import begin
from app.engine.events import FinishReason, GenerationFinished, PrefillProgressed, PromptTokenised, TokensGenerated
from app.engine.llama.answer import BATCH_NS
from app.engine.llama.answer_text import AnswerText
from app.engine.llama.sampler import Sampler
from app.engine.llama.sequence import choose_sequence
from app.engine.request import Foreseen
from app.errors import ContextFullError, Sentence

if TYPE_CHECKING:
    from collections.abc import Sequence as Tokens

    from app.engine.events import TextPiece
    from app.engine.llama.batch import Batch
    from app.engine.llama.sequence import Sequence
    from app.engine.llama.session import Session
    from app.engine.request import GenerationRequest


def foresee(session: Session, request: GenerationRequest, idle: Tokens[Sequence], busy: frozenset[int]) -> Foreseen:
    """Return what a `SharedAnswer` would find. Raises TemplateError."""
    rendered = session.template.render_prompt(request.messages, **request.template_kwargs)
    text = begin(rendered.text, request.continues, session.template.source).prompt
    sequence = choose_sequence(idle, session.tokenizer.encode(text), request.conversation_id, busy)
    prompt = session.tokenizer.encode_onto(text, *sequence.beginnings())
    return Foreseen(len(prompt), sequence.reusable(prompt))


class SharedAnswer:
    """Reads its prompt and writes, on the idle sequence that suits it best; the scheduler says when and how much.

    Attributes:
        finish_reason: None while it goes on.
        error: a sentence that goes with it, mostly empty.

    Raises:
        TokometerError: the prompt cannot be made, or does not fit.
    """

    def __init__(
        self, session: Session, request: GenerationRequest, idle: Tokens[Sequence], busy: frozenset[int]
    ) -> None:
        started_ns = time.perf_counter_ns()
        self.request = request
        self._session = session
        tokenizer = session.tokenizer
        rendered = session.template.render_prompt(request.messages, **request.template_kwargs)
        beginning = begin(rendered.text, request.continues, session.template.source)
        rendered_ns = time.perf_counter_ns()
        prompt = tokenizer.encode(beginning.prompt)
        self.sequence = sequence = choose_sequence(idle, prompt, request.conversation_id, busy)
        prompt = tokenizer.encode_onto(beginning.prompt, *sequence.beginnings())
        limit = session.context.n_ctx
        if len(prompt) >= limit:
            raise ContextFullError(does_not_fit(len(prompt), limit))
        tokenised_ns = time.perf_counter_ns()
        is_own = bool(sequence.tokens) and sequence.conversation_id == request.conversation_id
        cached, cache_miss = sequence.reuse_prefix(prompt)
        if not is_own:
            is_later = sum(message.role == "user" for message in request.messages) > 1
            cache_miss = Sentence("The cache held nothing of this conversation any more.") if is_later else ""
        sequence.conversation_id, sequence.used_ns = request.conversation_id, started_ns
        self.begun = PromptTokenised(
            started_ns, tokenised_ns, len(prompt), cached, cache_miss, tuple(rendered.notes), rendered_ns
        )
        self.seed = request.sampling.seed if request.sampling.seed is not None else secrets.randbits(31)
        self._prompt, self._cached = prompt, cached
        self._sampler = Sampler(request.sampling, session.loaded.info.n_vocab, self.seed)
        for token in prompt[-request.sampling.penalty_last_n :] if request.sampling.penalty_last_n > 0 else ():
            self._sampler.accept(token)
        self._text = AnswerText(beginning.splitter, request.stop)
        self._pieces: list[TextPiece] = []
        self._instants: list[int] = []
        self._count = 0
        self._token = 0
        self._flush_ns = 0
        self._row = -1
        self._decoding: list[int] = []
        self._sequences = 1
        self._together_at_first = 0
        self.finish_reason: FinishReason | None = None
        self.error = ""

    @property
    def unread_tokens(self) -> int:
        """Tokens of the prompt that are not in the cache yet; 0: it is writing."""
        return max(len(self._prompt) - len(self.sequence.tokens), 0) if not self._count else 0

    @property
    def is_first(self) -> bool:
        """Whether the next token it samples is its first."""
        return not self._count

    def progress(self, at_ns: int) -> PrefillProgressed:
        """Return how far the prompt has been read."""
        total = len(self._prompt) - self._cached
        return PrefillProgressed(total - self.unread_tokens, total, at_ns)

    # -- a step -------------------------------------------------------------------------------------------------------

    def put_into(self, batch: Batch, share: int) -> None:
        """Add the last sampled token, or the next `share` tokens of the prompt; with 0 it sits this step out."""
        held = len(self.sequence.tokens)
        unread = self.unread_tokens
        self._decoding = [self._token] if not unread else self._prompt[held : held + share]
        self._row = -1
        if self._decoding:
            row = batch.add(self._decoding, held, self.sequence.number, wants_logits=len(self._decoding) >= unread)
            self._row = row if len(self._decoding) >= unread else -1

    def keep_decoded(self, *, is_whole: bool) -> None:
        """The step was computed, or ended early: then what is in the cache stays, but for a token without logits."""
        if is_whole:
            self.sequence.tokens.extend(self._decoding)
        elif self._decoding:
            kept = self.sequence.keep_decoded(self._decoding)
            if self._row >= 0 and kept == len(self._decoding):
                self.sequence.step_back()
            self._row, self._decoding = -1, []

    @property
    def takes_part(self) -> bool:
        """Whether tokens of it are in this step."""
        return bool(self._decoding)

    @property
    def wants_token(self) -> bool:
        """Whether its logits were computed in this step."""
        return self._row >= 0

    def note_step(self, sequences: int) -> None:
        """So many answers shared this step."""
        self._sequences = max(self._sequences, sequences)

    def sample(self, together: int) -> TokensGenerated | None:
        """Choose the next token; return a batch of them when it is time for one.

        Args:
            together: tokens all answers have sampled so far, this one included.
        """
        token = self._sampler.sample(self._session.context.handle, self._row)
        now = time.perf_counter_ns()
        self._instants.append(now)
        self._count += 1
        self._token = token
        if self._count == 1:
            self._together_at_first = together
        self._finish_with(token)
        if self.finish_reason is None and now < self._flush_ns:
            return None
        self._flush_ns = now + BATCH_NS
        return self._take_batch(together) if self.finish_reason is None else None

    def _finish_with(self, token: int) -> None:
        tokenizer, request = self._session.tokenizer, self.request
        if tokenizer.is_end_of_generation(token):
            self.finish_reason = "stop"
            return
        self._text.take(*tokenizer.piece(token), self._pieces)
        if self._text.is_stopped:
            self.finish_reason = "stop_string"
        elif request.max_tokens is not None and self._count >= request.max_tokens:
            self.finish_reason = "length"
        elif len(self.sequence.tokens) >= self._session.context.n_ctx:
            self.finish_reason = "context"

    def _take_batch(self, together: int) -> TokensGenerated:
        instants, self._instants = tuple(self._instants), []
        pieces, self._pieces = tuple(self._pieces), []
        after_first = together - self._together_at_first
        return TokensGenerated(instants, pieces, len(self.sequence.tokens), self._sequences, after_first)

    # -- the end ------------------------------------------------------------------------------------------------------

    def end(self, together: int) -> list[TokensGenerated | GenerationFinished]:
        """Return what was held back, and the end; `finish_reason` must be set. The sequence keeps what it holds."""
        assert self.finish_reason is not None
        events: list[TokensGenerated | GenerationFinished] = []
        if self._count:
            self.sequence.undecoded = None if self.finish_reason == "stop" else self._token
            self._text.end(self._pieces)
            if self._instants or self._pieces:
                events.append(self._take_batch(together))
        self.free()
        held, now = len(self.sequence.tokens), time.perf_counter_ns()
        self.sequence.used_ns = now
        events.append(GenerationFinished(self.finish_reason, now, held, self.error, self.seed))
        return events

    def free(self) -> None:
        """Free the sampler."""
        self._sampler.free()
