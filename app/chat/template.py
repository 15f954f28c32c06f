"""The model's own chat template: from messages to the prompt the model was trained on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from jinja2.exceptions import SecurityError, TemplateSyntaxError, UndefinedError

from app.chat.message import Message
from app.chat.sandbox import RaisedByTemplateError, TemplateSandbox
from app.chat.template_bounds import LimitExceededError
from app.errors import Sentence, TemplateError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from jinja2 import Template

CHATML = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
NO_TEMPLATE_NOTE = Sentence(
    "This model brings no chat template; the common ChatML form is used, which it may not know."
)
SYSTEM_REFUSED_NOTE = Sentence("This model's template refuses a system prompt; it was put before the first message.")
LEFT_OUT = "…"
"""Stands for the question of an answer that comes first: the rest was deleted, dropped or summarised."""

Turn = dict[str, Any]


@dataclass(frozen=True, slots=True)
class RenderedPrompt:
    """A prompt, and the sentences the user should know about how it was made."""

    text: str
    notes: tuple[str, ...] = ()


class ChatTemplate:
    """A chat template as a GGUF file carries it: untrusted, and made for a library with habits of its own.

    Rendering is total: it returns a prompt or raises `TemplateError` with one sentence, within the bounds of
    `TemplateSandbox`. What a template cannot take is given in a form it can: a system prompt it refuses or drops goes
    before the first message, messages of one role in a row become one, an answer that comes first gets a question
    where the template wants one, content becomes a list of parts where the template reads parts.
    """

    def __init__(
        self,
        source: str,
        bos_token: str = "",
        eos_token: str = "",
        clock: Callable[[], datetime] = datetime.now,
    ) -> None:
        """Keep the source; it is compiled and probed when first rendered. `clock` is read by `strftime_now`."""
        self.source = source
        self._variables = {"bos_token": bos_token, "eos_token": eos_token}
        self._clock = clock
        self._sandbox = TemplateSandbox(clock)

    def render(
        self, messages: Sequence[Message | Mapping[str, Any]], add_generation_prompt: bool = True, **kwargs: Any
    ) -> str:
        """Return the prompt. Raises TemplateError."""
        return self.render_prompt(messages, add_generation_prompt, **kwargs).text

    def render_prompt(
        self, messages: Sequence[Message | Mapping[str, Any]], add_generation_prompt: bool = True, **kwargs: Any
    ) -> RenderedPrompt:
        """Return the prompt with notes; `kwargs` are variables of the template. Raises TemplateError."""
        turns = _merge_roles([_turn(message) for message in messages])
        notes = () if self.source.strip() else (NO_TEMPLATE_NOTE,)
        if turns and turns[0]["role"] == "system":
            if self._refuses_system:
                turns = _without_system(turns)
                notes = (*notes, SYSTEM_REFUSED_NOTE)
            elif len(turns) == 1:  # many templates fail without a user message; this form counts the same text
                turns = _without_system(turns)
        first = int(bool(turns) and turns[0]["role"] == "system")
        if turns[first : first + 1] and turns[first]["role"] == "assistant" and self._refuses_leading_answer:
            turns.insert(first, {"role": "user", "content": LEFT_OUT})
        text = self._run(self._in_form(turns), add_generation_prompt=add_generation_prompt, **kwargs)
        return RenderedPrompt(text, notes)

    @cached_property
    def _template(self) -> Template:
        return self._sandbox.compile_template(self.source if self.source.strip() else CHATML)

    @cached_property
    def _reads_parts(self) -> bool:
        """Whether the template shows content only when it comes as a list of parts."""
        user = {"role": "user", "content": "Probe of content"}
        return not self._shows([user], user["content"]) and self._shows([_in_parts(user)], user["content"])

    @cached_property
    def _refuses_system(self) -> bool:
        """Whether a system message makes the template fail or is left out silently."""
        system, user = {"role": "system", "content": "Probe of system"}, {"role": "user", "content": "Probe"}
        return not self._shows(self._in_form([system, user]), system["content"]) and self._shows(
            self._in_form([user]), user["content"]
        )

    @cached_property
    def _refuses_leading_answer(self) -> bool:
        """Whether an answer without a question before it makes the template fail or is left out silently."""
        answer, user = {"role": "assistant", "content": "Probe of answer"}, {"role": "user", "content": "Probe"}
        return not all(self._shows(self._in_form(turns), answer["content"]) for turns in ([answer, user], [answer]))

    def _shows(self, turns: Sequence[Turn], content: str) -> bool:
        try:
            return content in self._run(turns, add_generation_prompt=True)
        except TemplateError as error:
            if isinstance(error.__cause__, LimitExceededError):  # would run into the same limit again and again
                raise
            return False

    def _in_form(self, turns: list[Turn]) -> list[Turn]:
        return [_in_parts(turn) for turn in turns] if self._reads_parts else turns

    def _run(self, turns: Sequence[Turn], **variables: Any) -> str:
        try:
            today = self._clock().strftime("%Y-%m-%d")
            return self._sandbox.run(
                self._template, {"datetime": today, **self._variables, "messages": turns, **variables}
            )
        except Exception as error:  # foreign code: whatever it raises becomes one sentence
            raise TemplateError(_sentence(error)) from error


def _turn(message: Message | Mapping[str, Any]) -> Turn:
    """Return a plain dict, which is all a template gets to see; content is text, also when given as parts or None."""
    if isinstance(message, Message):
        return {"role": message.role, "content": message.content}
    content = message.get("content") or ""
    if not isinstance(content, str):
        content = "\n".join(str(part.get("text", "")) if isinstance(part, dict) else str(part) for part in content)
    return {**message, "role": str(message.get("role", "user")), "content": content}


def _merge_roles(turns: Sequence[Turn]) -> list[Turn]:
    """Put all system text first and make one message of neighbours of one role, parted by an empty line."""
    merged: list[Turn] = []
    for turn in sorted(turns, key=lambda turn: turn["role"] != "system"):
        if merged and merged[-1]["role"] == turn["role"]:
            merged[-1] = _joined(merged[-1], turn)
        else:
            merged.append(turn)
    return merged


def _without_system(turns: list[Turn]) -> list[Turn]:
    system, *others = turns
    if others and others[0]["role"] == "user":
        return [_joined({**system, "role": "user"}, others[0]), *others[1:]]
    return [{**system, "role": "user"}, *others]


def _joined(first: Turn, second: Turn) -> Turn:
    texts = [turn["content"] for turn in (first, second) if turn["content"]]
    return {**first, **second, "role": first["role"], "content": "\n\n".join(texts)}


def _in_parts(turn: Turn) -> Turn:
    return {**turn, "content": [{"type": "text", "text": turn["content"]}]}


def _sentence(error: Exception) -> Sentence:
    """Say in one sentence what went wrong; a template's own words are cut short, on one line."""
    detail: str = " ".join(str(error).split())[:200].rstrip(".")
    match error:
        case TemplateSyntaxError():
            return Sentence(
                "The model's chat template cannot be read (line {line}): {detail}.", line=error.lineno, detail=detail
            )
        case RaisedByTemplateError():
            return Sentence(
                "The model's chat template refuses this conversation: {detail}.",
                detail=detail or Sentence("it gives no reason"),
            )
        case LimitExceededError() | MemoryError() | OverflowError():
            return Sentence(
                "The model's chat template was stopped: {detail}.",
                detail=str(error) or Sentence("it needs too much memory"),
            )
        case RecursionError():
            return Sentence("The model's chat template was stopped: it calls itself without end.")
        case SecurityError():
            return Sentence(
                "The model's chat template was stopped: it reaches for what a template may not use ({detail}).",
                detail=detail,
            )
        case UndefinedError():
            return Sentence(
                "The model's chat template asks for something this conversation does not have: {detail}.",
                detail=detail,
            )
    return Sentence(
        "The model's chat template fails for this conversation: {detail}.", detail=detail or type(error).__name__
    )
