"""Where the next prompt is likely to part from this one: before the last question, and before the answer's opening."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.errors import TemplateError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from app.chat.template import ChatTemplate
    from app.engine.llama.tokenizer import Tokenizer

_HEADING_TOKENS = 16
"""A template's mark stands at most so far before a message's text: `<|start_header_id|>user<|end_header_id|>`."""
_QUESTION = ({"role": "user", "content": "?"},)


class Places:
    """Finds them in the tokens of a rendered prompt, from the end; templates are probed once per set of variables."""

    def __init__(self, template: ChatTemplate, tokenizer: Tokenizer) -> None:
        self._template = template
        self._tokenizer = tokenizer
        self._openings: dict[str, str] = {}

    def body(self, text: str, prompt: Sequence[int], variables: Mapping[str, Any]) -> int:
        """Return how many tokens stand before the words that open the answer; at least one always follows."""
        opening = self._opening(variables)
        size = len(opening.encode("utf-8", "replace")) if opening and text.endswith(opening) else 0
        return min(self._before_last(prompt, size), len(prompt) - 1)

    def before_question(self, text: str, prompt: Sequence[int], question: str) -> int:
        """Return how many tokens stand before the last user message and its mark; 0 when it is not found."""
        at = text.rfind(question.strip()) if question.strip() else -1
        if at < 0:
            return 0
        first = self._before_last(prompt, len(text[at:].encode("utf-8", "replace")))
        for mark in range(first, max(first - _HEADING_TOKENS, -1), -1):
            if self._tokenizer.piece(prompt[mark])[1]:
                return mark
        return first

    def _opening(self, variables: Mapping[str, Any]) -> str:
        key = repr(sorted(variables.items()))
        if key not in self._openings:
            self._openings[key] = self._probe(variables)
        return self._openings[key]

    def _probe(self, variables: Mapping[str, Any]) -> str:
        try:
            closed = self._template.render(_QUESTION, False, **variables)
            opened = self._template.render(_QUESTION, True, **variables)
        except TemplateError:
            return ""
        return opened.removeprefix(closed) if opened.startswith(closed) else ""

    def _before_last(self, prompt: Sequence[int], size_bytes: int) -> int:
        """Return the position of the token in which the last `size_bytes` of the text begin."""
        position = len(prompt)
        while position > 0 and size_bytes > 0:
            position -= 1
            size_bytes -= len(self._tokenizer.piece(prompt[position])[0])
        return position
