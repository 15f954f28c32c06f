"""What a saved state of the KV cache is: its tokens, where they came from, what it fits, and llama.cpp's bytes."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING

from app.errors import Sentence

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from app.chat.message import Message

Bytes = bytearray | memoryview
"""A writable buffer, so that native code can be handed its address."""


@dataclass(frozen=True, slots=True)
class StateKey:
    """What a state depends on: one with another key would be refused by llama.cpp, or mean something else.

    Attributes:
        model: `app.engine.fingerprint.model_fingerprint` of the file; model_name is for the sentence.
        template: a digest of the chat template.
        library: `app.engine.self_test.library_fingerprint`.
        flash_attention: V is stored transposed without it.
        streams: sequences with a cache of their own in the context.
    """

    model: str
    model_name: str
    template: str
    library: str
    type_k: str
    type_v: str
    flash_attention: bool
    swa_full: bool
    streams: int = 1

    @property
    def digest(self) -> str:
        """Return what tells this key from others; the model's name may change."""
        values = {name: value for name, value in asdict(self).items() if name != "model_name"}
        return hashlib.blake2b(json.dumps(values, sort_keys=True).encode(), digest_size=16).hexdigest()

    def why_not(self, saved: StateKey) -> Sentence:
        """Say why a state with another key is of no use under this one."""
        if saved.model != self.model:
            return Sentence(
                "The saved KV cache of this conversation belongs to another model ({model}), so it was not used.",
                model=saved.model_name,
            )
        if (saved.type_k, saved.type_v) != (self.type_k, self.type_v):
            return Sentence(
                "The saved KV cache of this conversation has other types (K {saved_k}, V {saved_v}; now {type_k}, "
                "{type_v}), so it was not used.",
                saved_k=saved.type_k,
                saved_v=saved.type_v,
                type_k=self.type_k,
                type_v=self.type_v,
            )
        if saved.template != self.template:
            return Sentence(
                "The saved KV cache of this conversation was made with another chat template, so it was not used."
            )
        if saved.library != self.library:
            return Sentence(
                "The saved KV cache of this conversation was made by another build of llama.cpp, so it was not used."
            )
        return Sentence("The saved KV cache of this conversation was made with other settings, so it was not used.")


def text_digest(text: str) -> str:
    """Return a short digest of a message's text: enough to see that it changed, too little to read it."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


@dataclass(frozen=True, slots=True)
class Origin:
    """The request that the tokens in a cache came from.

    Attributes:
        messages: role and text digest of each, in order; answer: that of the answer.
        body_tokens: tokens of the prompt before the words that open the answer; prompt_tokens: all of it.
        thought: whether the answer has thinking, which many templates leave out the next time.
        is_aside: whether its last message and the answer are no part of the conversation, such as those of a summary.
    """

    messages: tuple[tuple[str, str], ...] = ()
    body_tokens: int = 0
    prompt_tokens: int = 0
    answer: str = ""
    thought: bool = False
    is_aside: bool = False


def described(messages: Iterable[Message]) -> tuple[tuple[str, str], ...]:
    """Return messages as `Origin.messages` has them."""
    return tuple((message.role, text_digest(message.content)) for message in messages)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What cannot step back of a state (sliding windows, recurrent layers), as it was after `tokens` tokens."""

    tokens: int
    data: Bytes

    @property
    def size_bytes(self) -> int:
        """The size of the data."""
        return len(self.data)


@dataclass(frozen=True, slots=True)
class KvState:
    """A sequence's state.

    Attributes:
        tokens: ids whose K and V are in it, in order.
        undecoded: the last sampled token, when an answer ended before it was put into the cache.
        data: what `llama_state_seq_get_data` gave.
        checkpoints: by rising number of tokens.
    """

    tokens: tuple[int, ...]
    undecoded: int | None
    origin: Origin
    data: Bytes
    checkpoints: tuple[Checkpoint, ...] = ()

    @property
    def size_bytes(self) -> int:
        """What it takes in memory, and nearly what it takes on disk."""
        return len(self.data) + 4 * len(self.tokens) + sum(point.size_bytes for point in self.checkpoints)


def key_from(values: dict[str, Any]) -> StateKey:
    """Return a key as `asdict` wrote it. Raises TypeError, KeyError or ValueError when it is none."""
    kinds = {"flash_attention": bool, "swa_full": bool, "streams": int}
    for each in fields(StateKey):
        if not isinstance(values[each.name], kinds.get(each.name, str)):
            raise TypeError(each.name)
    return StateKey(**values)


def origin_from(values: dict[str, Any]) -> Origin:
    """Return an origin as `asdict` wrote it. Raises TypeError, KeyError or ValueError when it is none."""
    return Origin(
        messages=tuple((str(role), str(digest)) for role, digest in values["messages"]),
        body_tokens=int(values["body_tokens"]),
        prompt_tokens=int(values["prompt_tokens"]),
        answer=str(values["answer"]),
        thought=bool(values["thought"]),
        is_aside=bool(values.get("is_aside", False)),
    )
