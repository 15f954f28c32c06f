"""Reading a prompt in chunks and writing an answer token by token, with an instant for each."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from app.engine.events import ContextGrown, FinishReason, PrefillProgressed, TextPiece, TokensGenerated
from app.engine.llama.answer_text import AnswerText
from app.errors import ContextFullError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from app.chat.thinking import ThinkingSplitter
    from app.engine.llama.context import LlamaContext
    from app.engine.llama.sampler import Sampler
    from app.engine.llama.tokenizer import Tokenizer

BATCH_NS = 50_000_000
"""Tokens travel together for at most this long, three frames at 60 Hz: each journey, and the
drawing at its end, takes from decoding on the same cores."""

_CHUNK_S = 4.0
_CHUNK_WITHOUT_ABORT_S = 0.1
_SMALLEST_CHUNK = 32


class PrefillPace:
    """Chooses how many tokens one prefill chunk has: as many as are computed at once, fewer where that takes long.

    Where a decode call can be aborted, a chunk is only a step of the progress shown, and a small one costs speed (of
    SmolLM2's 512 tokens in chunks of 32, 45 %). Where it cannot, on a GPU, a chunk is also how long Stop takes.

    Attributes:
        largest: the context's n_ubatch.
    """

    def __init__(self, n_ubatch: int, *, abortable: bool) -> None:
        self.largest = n_ubatch
        self._chunk_s = _CHUNK_S if abortable else _CHUNK_WITHOUT_ABORT_S
        self._tokens_per_s: float | None = None

    def observe(self, tokens: int, elapsed_ns: int) -> None:
        """Take note of a chunk's speed."""
        self._tokens_per_s = tokens * 1e9 / max(elapsed_ns, 1)

    def chunk(self, longest_s: float | None = None) -> int:
        """Return the size of the next chunk, a power of two or n_ubatch; `longest_s`: how long it may take instead."""
        if self._tokens_per_s is None:
            return self.largest if longest_s is None else _SMALLEST_CHUNK
        wanted = int(self._tokens_per_s * (longest_s or self._chunk_s))
        if wanted >= self.largest:
            return self.largest
        return max(_SMALLEST_CHUNK, 1 << max(wanted, 1).bit_length() - 1)


def read_prompt(
    context: LlamaContext, tokens: Sequence[int], pace: PrefillPace, checkpoints: Sequence[int] = ()
) -> Iterator[PrefillProgressed]:
    """Decode the uncached part of a prompt; ends early, without the last event, when cancelled.

    Args:
        checkpoints: after how many of these tokens the context takes one; rising, 0 for now.
    """
    total = len(tokens)
    done = 0
    if 0 in checkpoints:
        context.take_checkpoint()
    yield PrefillProgressed(0, total, time.perf_counter_ns())
    while done < total:
        stop = next((place for place in checkpoints if place > done), total)
        size = min(pace.chunk(), stop - done)
        at = time.perf_counter_ns()
        if context.cancelled or not context.decode(tokens[done : done + size]):
            return
        now = time.perf_counter_ns()
        if size >= _SMALLEST_CHUNK:
            pace.observe(size, now - at)
        done += size
        if done in checkpoints:
            context.take_checkpoint()
        yield PrefillProgressed(done, total, now)


class AnswerWriter:
    """Samples and decodes until something ends the answer; `finish_reason` then says what, `error` perhaps more.

    Args:
        make_room: makes the full context larger; None when that must not be or was cancelled. It may raise
            ContextFullError.
    """

    def __init__(
        self,
        context: LlamaContext,
        sampler: Sampler,
        tokenizer: Tokenizer,
        *,
        splitter: ThinkingSplitter,
        stop: tuple[str, ...],
        max_tokens: int | None,
        make_room: Callable[[], ContextGrown | None],
    ) -> None:
        self._context = context
        self._sampler = sampler
        self._tokenizer = tokenizer
        self._text = AnswerText(splitter, stop)
        self._max_tokens = max_tokens
        self._make_room = make_room
        self.finish_reason: FinishReason = "stop"
        self.error = ""

    def write(self) -> Iterator[TokensGenerated | ContextGrown]:
        """Yield the answer in batches; the first token travels alone and at once."""
        context, sampler, tokenizer, text = self._context, self._sampler, self._tokenizer, self._text
        instants: list[int] = []
        pieces: list[TextPiece] = []
        count = 0
        flush_at = 0
        while True:
            token = sampler.sample(context.handle)
            now = time.perf_counter_ns()
            instants.append(now)
            count += 1
            if tokenizer.is_end_of_generation(token):
                self.finish_reason = "stop"
                break
            data, control = tokenizer.piece(token)
            text.take(data, control, pieces)
            if text.is_stopped:
                self.finish_reason = "stop_string"
                break
            if self._max_tokens is not None and count >= self._max_tokens:
                self.finish_reason = "length"
                break
            is_full = len(context.tokens) >= context.n_ctx
            if now >= flush_at or is_full:
                yield TokensGenerated(tuple(instants), tuple(pieces), len(context.tokens))
                instants, pieces = [], []
                flush_at = now + BATCH_NS
            if is_full:
                grown = self._grow()
                if grown is None:
                    break
                yield grown
            if context.cancelled or not context.decode_one(token):
                self.finish_reason = "cancelled"
                break
        context.undecoded = None if self.finish_reason == "stop" else token
        text.end(pieces)
        if instants or pieces:
            yield TokensGenerated(tuple(instants), tuple(pieces), len(context.tokens))

    def _grow(self) -> ContextGrown | None:
        self.finish_reason = "context"
        try:
            grown = self._make_room()
        except ContextFullError as full:
            self.error = str(full)
            return None
        if grown is None and self._context.cancelled:
            self.finish_reason = "cancelled"
        return grown
