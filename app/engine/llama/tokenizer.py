"""Text to token ids and back, by the model's own vocabulary."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from app.engine.llama.library import lib
from app.errors import EngineError, Sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

_PIECE_BYTES = 128


def _utf8(text: str) -> bytes:
    """Encode text that may hold lone surrogates, which become replacement characters."""
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace").encode()


class Tokenizer:
    """The vocabulary of a loaded model. Pieces are cached: each id is asked for once."""

    def __init__(self, vocab: int) -> None:
        self._vocab = vocab
        self._pieces: dict[int, tuple[bytes, bool]] = {}
        self.bos_token = self._text(lib.llama_vocab_bos(vocab))
        self.eos_token = self._text(lib.llama_vocab_eos(vocab))
        self._bos_id = lib.llama_vocab_bos(vocab) if lib.llama_vocab_get_add_bos(vocab) else -1

    def _text(self, token: int) -> str:
        text = lib.llama_vocab_get_text(self._vocab, token) if token >= 0 else None
        return text.decode("utf-8", "replace") if text else ""

    def encode(self, text: str) -> list[int]:
        """Return the ids of a rendered prompt; special tokens in it count, and BOS stands first exactly once."""
        tokens = self._tokenise(_utf8(text))
        if self._bos_id >= 0 and tokens[:1] != [self._bos_id]:
            tokens.insert(0, self._bos_id)
        return tokens

    def _tokenise(self, data: bytes) -> list[int]:
        size = len(data) + 8
        while True:
            ids = (lib.llama_token * size)()
            count = lib.llama_tokenize(self._vocab, data, len(data), ids, size, False, True)
            if count >= 0:
                return list(ids[:count])
            if -count <= size:
                raise EngineError(Sentence("The text could not be split into tokens."))
            size = -count

    def encode_onto(self, text: str, *candidates: Sequence[int]) -> list[int]:
        """Return the ids of a rendered prompt, beginning with as many of a candidate's as its text begins with.

        A model may write a word in other tokens than the tokenizer would choose. Its own are in the KV cache and mean
        the same text, so they are kept; what follows them must begin with a special token, where no merge can cross.
        Nothing follows them in the prompt of an answer that is continued.
        """
        data = _utf8(text)
        starts = [(*self._common(data, text, held), held) for held in filter(None, candidates)]
        for offset, kept, held in sorted(starts, key=lambda start: -start[0]):
            if offset == len(data) and kept == len(held):
                return list(held)
            if kept:
                rest = self._tokenise(data[offset:])
                if rest and self._is_special(rest[0]):
                    return [*held[:kept], *rest]
        return self.encode(text)

    def _common(self, data: bytes, text: str, held: Sequence[int]) -> tuple[int, int]:
        """Return how many bytes of the text, and tokens, may be kept: up to a special token, or all of them."""
        first = 1 if held[0] == self._bos_id and not text.startswith(self.bos_token) else 0
        offset = 0
        boundary = (0, 0)
        for position in range(first, len(held)):
            token = held[position]
            if self._is_special(token):
                boundary = (offset, position)
            piece = self.piece(token)[0]
            if not data.startswith(piece, offset):
                return boundary
            offset += len(piece)
        return offset, len(held)

    def _is_special(self, token: int) -> bool:
        return self.piece(token)[1] or self.is_end_of_generation(token)

    def is_end_of_generation(self, token: int) -> bool:
        """Whether the model says with this token that it is done."""
        return bool(lib.llama_vocab_is_eog(self._vocab, token))

    def piece(self, token: int) -> tuple[bytes, bool]:
        """Return a token's bytes and whether it is a control token, whose text is a mark and not an answer."""
        found = self._pieces.get(token)
        if found is None:
            control = bool(lib.llama_vocab_is_control(self._vocab, token))
            found = self._pieces[token] = (self._read_piece(token), control)
        return found

    def _read_piece(self, token: int) -> bytes:
        size = _PIECE_BYTES
        while True:
            buffer = ctypes.create_string_buffer(size)
            count = lib.llama_token_to_piece(self._vocab, token, buffer, size, 0, True)
            if count >= 0:
                return buffer.raw[:count]
            size = -count
