"""Telling a model's thinking from its answer while the text arrives in pieces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Channel = Literal["answer", "thinking"]
Piece = tuple[Channel, str]


@dataclass(frozen=True, slots=True)
class Family:
    """How one family of models marks its thinking.

    Attributes:
        opener, closer: what stands before and after the thinking.
        wrapping: what may follow the closer before the answer itself begins; not shown.
        answer_closer: what ends a wrapped answer; not shown. Empty: nothing does.
        turn_opener, answer_opener: what the model writes after the closer before a wrapped answer, where it is one mark
            more than `wrapping` shows; the latter also where it has not thought.
        written_by: `template` is an opener in plain words, which only counts where the chat template wrote it.
    """

    opener: str
    closer: str
    wrapping: tuple[str, ...] = ()
    answer_closer: str = ""
    turn_opener: str = ""
    answer_opener: str = ""
    written_by: Literal["model", "template"] = "model"


FAMILIES = (
    # DeepSeek R1, Qwen 3, QwQ, GLM, Kimi K2, MiniMax M2, SmolLM3, Nemotron; with <response>: Granite 3.3
    Family("<think>", "</think>", ("<response>",), "</response>"),
    Family("<thinking>", "</thinking>"),  # Apriel 1.5
    Family("<thought>", "</thought>"),  # EXAONE Deep
    Family("<reasoning>", "</reasoning>"),
    Family("<seed:think>", "</seed:think>"),  # Seed-OSS
    Family("<mm:think>", "</mm:think>"),  # MiniMax M3
    Family("<think:opensource>", "</think:opensource>"),  # Hunyuan 3
    Family("[THINK]", "[/THINK]"),  # Magistral, Ministral 3
    Family("◁think▷", "◁/think▷"),  # Kimi VL
    Family("<|inner_prefix|>", "<|inner_suffix|>"),  # Apertus
    Family(
        "<|START_THINKING|>",  # Command R7B, Command A
        "<|END_THINKING|>",
        ("<|START_RESPONSE|>", "<|START_TEXT|>"),
        answer_opener="<|START_RESPONSE|>",
    ),
    Family(
        "<|begin_of_thought|>",
        "<|end_of_thought|>",
        ("<|begin_of_solution|>",),
        "<|end_of_solution|>",
        answer_opener="<|begin_of_solution|>",
    ),
    Family("<|channel>thought", "<channel|>"),  # Gemma 4
    Family(
        "<|open|>think<|sep|>",  # Kimi K3
        "<|close|>think<|sep|>",
        ("<|open|>response<|sep|>",),
        answer_opener="<|open|>response<|sep|>",
    ),
    Family(
        "<|think|>",  # Solar Open
        "<|end|>",
        ("<|begin|>assistant", "<|content|>"),
        turn_opener="<|begin|>assistant",
        answer_opener="<|content|>",
    ),
    Family(
        "<|channel|>analysis<|message|>",  # gpt-oss (harmony)
        "<|end|>",
        ("<|start|>assistant", "<|channel|>final<|message|>", "<|channel|>commentary<|message|>"),
        turn_opener="<|start|>assistant",
        answer_opener="<|channel|>final<|message|>",
    ),
    Family("Here are my reasoning steps:", "[BEGIN FINAL RESPONSE]", written_by="template"),  # Apriel 1.6
)

_OPENERS = {family.opener: family for family in FAMILIES if family.written_by == "model"}
_CLOSERS = tuple({family.closer: None for family in FAMILIES})
_WRAPPINGS = tuple(wrapping for family in FAMILIES for wrapping in family.wrapping)


class ThinkingSplitter:
    """Splits the text of one answer, fed piece by piece, into thinking and answer.

    Markers count where they can be markers: an opener at the beginning of the answer or right after the thinking, a
    closer inside the thinking. Anywhere else, in a code block or in the middle of a sentence, the same characters are
    text; unless they are one of the vocabulary's control tokens, which a model never writes as text. Text is held back
    only while it may still become a marker, and white space around the thinking is dropped with the markers. An answer
    without thinking is passed on to the character.
    """

    def __init__(self, opened: Family | None = None, resumes: Channel | None = None) -> None:
        """Begin in the thinking of a family when the prompt ended with its opener (`opens_thinking`).

        resumes: the prompt ended inside what the model had written before, in this channel.
        """
        self._state: Literal["boundary", "thinking", "answer"] = resumes or ("thinking" if opened else "boundary")
        self._family = opened
        self._held = ""
        self._after_marker = opened is not None and resumes is None  # white space that follows belongs to the marker
        self._control = False  # a control token is held: every known marker may follow
        self._wrapped = False  # the answer was opened by a marker, so its closer counts
        self._begins = resumes is None
        self._written: set[Channel] = {resumes} if resumes else set()

    @property
    def is_thinking(self) -> bool:
        """Whether the last text fed was thinking."""
        return self._state == "thinking"

    def feed(self, text: str, is_control: bool = False) -> list[Piece]:
        """Take the next piece of text and return what is certain by now.

        is_control: `text` is exactly one control token; one that belongs to no marker is dropped.
        """
        if is_control:
            if not text or not _occurs_in_a_marker(text):
                return []
            if self._state == "answer" or (self._state == "thinking" and text not in self._terminator):
                pieces = self._flush()
                self._enter("boundary")
                self._held, self._control = text, True
                return pieces + self._advance()
            self._control = self._state == "boundary"
        self._held += text
        return self._advance()

    def finish(self) -> list[Piece]:
        """Return what was held back: nothing more will come."""
        return self._flush()

    @property
    def _terminator(self) -> str:
        """What ends the present state; empty when nothing does."""
        if self._family is None:
            return ""
        if self._state == "thinking":
            return self._family.closer
        return self._family.answer_closer if self._wrapped else ""

    def _enter(self, state: Literal["boundary", "thinking", "answer"]) -> None:
        self._state = state
        self._after_marker = state != "answer"
        self._control = False
        self._begins = True

    def _flush(self) -> list[Piece]:
        """Give out what is held; the white space around the thinking and a wrapped answer is not worth a piece."""
        text, self._held = self._held, ""
        if self._after_marker:
            text = text.lstrip()
        if self._terminator:
            text = text.rstrip()
        return self._pieces(text)

    def _pieces(self, text: str) -> list[Piece]:
        """Return text in the present channel, apart from what an earlier stretch of that channel said."""
        if not text:
            return []
        channel: Channel = "thinking" if self._state == "thinking" else "answer"
        if self._begins and channel in self._written:
            text = "\n\n" + text
        self._begins = False
        self._written.add(channel)
        return [(channel, text)]

    def _advance(self) -> list[Piece]:
        pieces: list[Piece] = []
        while self._held and (self._at_boundary() if self._state == "boundary" else self._within(pieces)):
            pass
        return pieces

    def _at_boundary(self) -> bool:
        """Look for a marker at the beginning of what is held; return whether to go on."""
        text = self._held.lstrip()
        markers = self._markers_here()
        found = next((marker for marker in markers if text.startswith(marker)), None)
        if found is not None:
            self._held = text.removeprefix(found)
            if found in _OPENERS:
                self._family = _OPENERS[found]
                self._enter("thinking")
            else:
                self._wrapped = found in _WRAPPINGS
                self._enter("boundary")
            return True
        if any(marker.startswith(text) for marker in markers):
            return False
        if self._after_marker:
            self._held = text
        self._enter("answer")
        return True

    def _markers_here(self) -> tuple[str, ...]:
        wrapping = _WRAPPINGS if self._control else self._family.wrapping if self._family else ()
        return (*_OPENERS, *_CLOSERS, *wrapping)

    def _within(self, pieces: list[Piece]) -> bool:
        """Pass on text up to what ends it; return whether to go on."""
        if self._after_marker:
            self._held = self._held.lstrip()
            opener = self._family.opener if self._family else ""
            if self._held.startswith(opener):  # the template opened it and the model does so again
                self._held = self._held.removeprefix(opener)
                return True
            if opener.startswith(self._held):
                return False
            self._after_marker = False
        terminator = self._terminator
        if not terminator:
            pieces += self._flush()
            return False
        text, found, rest = self._held.partition(terminator)
        if not found:
            text, rest = _split_tail(self._held, terminator)
        pieces += self._pieces(text.rstrip() if found else text)
        self._held = rest
        if found:
            self._wrapped = False
            self._enter("boundary")
        return bool(found)


def opens_thinking(prompt: str) -> Family | None:
    """Return the family whose thinking the chat template opened at the end of a rendered prompt, or None."""
    text = prompt.rstrip()
    return next((family for family in FAMILIES if text.endswith(family.opener)), None)


def strip_thinking(text: str) -> str:
    """Return only the answer of a complete text, for the history that is given back to the model."""
    splitter = ThinkingSplitter()
    pieces = splitter.feed(text) + splitter.finish()
    return "".join(part for channel, part in pieces if channel == "answer")


def _occurs_in_a_marker(text: str) -> bool:
    return any(text in marker for marker in (*_OPENERS, *_CLOSERS, *_WRAPPINGS))


def _split_tail(text: str, marker: str) -> tuple[str, str]:
    """Part off the end that may be white space before a marker or the beginning of it."""
    start = next(i for i in range(max(0, len(text) - len(marker) + 1), len(text) + 1) if marker.startswith(text[i:]))
    start = len(text[:start].rstrip())
    return text[:start], text[start:]
