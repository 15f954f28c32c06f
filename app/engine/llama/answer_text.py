"""Sampled tokens as text: bytes to characters, thinking apart from the answer, stop strings cut."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

from app.engine.events import TextPiece
from app.engine.stop_strings import StopStrings

if TYPE_CHECKING:
    from app.chat.thinking import ThinkingSplitter
    from app.engine.events import Channel


class AnswerText:
    """Takes tokens' bytes, gives pieces of text.

    Attributes:
        is_stopped: a stop string was written; what follows is not taken.
    """

    def __init__(self, splitter: ThinkingSplitter, stop: tuple[str, ...]) -> None:
        self._splitter = splitter
        self._stops = StopStrings(stop)
        self._utf8 = codecs.getincrementaldecoder("utf-8")("replace")
        self.is_stopped = False

    def take(self, data: bytes, control: bool, pieces: list[TextPiece]) -> None:
        """Take one token; what became readable is appended to `pieces`.

        A control token is a mark of its own: a character that was begun before it stays incomplete.
        """
        if control:
            self._read(self._utf8.decode(b"", final=True), False, pieces)
        self._read(self._utf8.decode(data), control, pieces)

    def end(self, pieces: list[TextPiece]) -> None:
        """Append what was held back."""
        if self.is_stopped:
            return
        self._read(self._utf8.decode(b"", final=True), False, pieces)
        for channel, part in self._splitter.finish():
            self._add(channel, part, pieces)
        if not self.is_stopped and (held := self._stops.flush()):
            _append(pieces, "answer", held)

    def _read(self, text: str, control: bool, pieces: list[TextPiece]) -> None:
        if text:
            for channel, part in self._splitter.feed(text, control):
                self._add(channel, part, pieces)

    def _add(self, channel: str, text: str, pieces: list[TextPiece]) -> None:
        if self.is_stopped:
            return
        if channel == "answer":
            text, self.is_stopped = self._stops.feed(text)
            if text:
                _append(pieces, "answer", text)
        elif text:
            _append(pieces, "thinking", text)


def _append(pieces: list[TextPiece], channel: Channel, text: str) -> None:
    """Put text behind what came before; one piece has all that travels together in one channel."""
    if pieces and pieces[-1].channel == channel:
        text = pieces.pop().text + text
    pieces.append(TextPiece(channel, text))
