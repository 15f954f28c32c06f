"""Stop strings in a stream: text that may begin one is held back, text after one is cut."""

from __future__ import annotations


class StopStrings:
    """Watches the answer's text for any of `stops`; empty ones are ignored."""

    def __init__(self, stops: tuple[str, ...]) -> None:
        self._stops = tuple(stop for stop in stops if stop)
        self._held = ""

    def feed(self, text: str) -> tuple[str, bool]:
        """Return (text that is safe to show, whether a stop string was met)."""
        if not self._stops:
            return text, False
        text = self._held + text
        found = [position for stop in self._stops if (position := text.find(stop)) >= 0]
        if found:
            self._held = ""
            return text[: min(found)], True
        keep = max(self._overlap(text, stop) for stop in self._stops)
        self._held = text[len(text) - keep :] if keep else ""
        return text[: len(text) - keep], False

    def flush(self) -> str:
        """Return what was held back: the stream ended without a stop string."""
        held, self._held = self._held, ""
        return held

    @staticmethod
    def _overlap(text: str, stop: str) -> int:
        """How many characters at the end of `text` could begin `stop`."""
        longest = min(len(text), len(stop) - 1)
        return next((n for n in range(longest, 0, -1) if stop.startswith(text[-n:])), 0)
