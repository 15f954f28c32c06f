"""How long a chat template may run and how much it may make: the checks `TemplateSandbox` is made of."""

from __future__ import annotations

import json
import re
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from jinja2 import nodes, pass_environment
from jinja2.filters import make_attrgetter
from jinja2.visitor import NodeTransformer

from app.errors import Sentence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from jinja2.environment import Environment

MAX_SOURCE_CHARACTERS = 1_000_000
MAX_CHARACTERS = 32 * 1024 * 1024
"""The longest text a template may build, its output included."""
MAX_ELEMENTS = 1_000_000
"""The longest list a template may build."""
MAX_INTEGER = 1_000_000
"""The largest width, count or exponent."""
TIME_LIMIT_S = 5.0

METERED_LOOP = "metered loop"
BOUNDED_CONCATENATION = "bounded concatenation"
# Names of filters that no template can spell.


class LimitExceededError(Exception):
    """A template went past one of the bounds."""


@dataclass(slots=True)
class Meter:
    """How long one rendering may still run."""

    deadline_s: float = field(default_factory=lambda: time.monotonic() + TIME_LIMIT_S)

    def tick(self) -> None:
        """Raise LimitExceededError when the time is over."""
        if time.monotonic() > self.deadline_s:
            raise LimitExceededError(
                Sentence("it ran for more than {time_limit_s:g} seconds", time_limit_s=TIME_LIMIT_S)
            )


class MeteredLoop:
    """An iterable that ticks at every step and keeps its length, which `loop.length` and `loop.last` ask for."""

    def __init__(self, iterable: Iterable[Any], meter: Meter) -> None:
        """Wrap an iterable; what is none raises TypeError when the loop begins, as without the wrapping."""
        self._iterable = iterable
        self._meter = meter

    def __iter__(self) -> Iterator[Any]:
        """Pass on the items."""
        for item in self._iterable:
            self._meter.tick()
            yield item

    def __len__(self) -> int:
        """Return the length; TypeError for a generator, which jinja2 copes with."""
        return len(self._iterable)  # type: ignore[arg-type]


class Bounding(NodeTransformer):
    """Puts every loop and every `~` of a template under the bounds; calls and operators the sandbox sees already."""

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802 - named by jinja2
        """Let the loop tick."""
        self.generic_visit(node)
        node.iter = nodes.Filter(node.iter, METERED_LOOP, [], [], None, None, lineno=node.lineno)
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802 - named by jinja2
        """Let the concatenation check its length."""
        self.generic_visit(node)
        parts = nodes.List(node.nodes, lineno=node.lineno)
        return nodes.Filter(parts, BOUNDED_CONCATENATION, [], [], None, None, lineno=node.lineno)


def check_length(length: int) -> None:
    """Raise LimitExceededError for a text that would be too long."""
    if length > MAX_CHARACTERS:
        raise LimitExceededError(
            Sentence("it made a text of more than {max_characters:,} characters", max_characters=MAX_CHARACTERS)
        )


def check_value(value: Any, times: int = 1) -> None:
    """Raise LimitExceededError for a text or list that is too long when taken so many times."""
    if isinstance(value, str | bytes):
        check_length(len(value) * times)
    elif isinstance(value, list | tuple) and len(value) * times > MAX_ELEMENTS:
        raise LimitExceededError(
            Sentence("it made a list of more than {max_elements:,} elements", max_elements=MAX_ELEMENTS)
        )


def check_integers(values: Iterable[Any]) -> None:
    """Raise LimitExceededError for a number that would make something huge as a width, a count or an exponent."""
    if any(isinstance(value, int) and abs(value) > MAX_INTEGER for value in values):
        raise LimitExceededError(
            Sentence("it uses a number above {max_integer:,} as a width or a count", max_integer=MAX_INTEGER)
        )


def check_layout(layout: str) -> None:
    """Refuse a format such as `%999999999d`, which turns a few characters into gigabytes."""
    if re.search(r"\d{6}", layout):
        raise LimitExceededError(Sentence("it formats with a width of more than five digits"))


def printable(value: Any) -> Any:
    """Return the value if it can be written out within the bounds, with all that it contains however often."""
    pending, characters, elements = [value], 0, 0
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            characters += len(item)
            check_length(characters)
        elif isinstance(item, list | tuple | dict):
            elements += len(item)
            if elements > MAX_ELEMENTS:
                raise LimitExceededError(
                    Sentence("it writes out more than {max_elements:,} elements", max_elements=MAX_ELEMENTS)
                )
            pending += [*item, *item.values()] if isinstance(item, dict) else item
    return value


def concatenate(parts: Iterable[str]) -> str:
    """Join like `environment.concat` does for macros, captured text and the output, but only up to the bound."""
    pieces: list[str] = []
    length = 0
    for part in parts:
        length += len(part)
        check_length(length)
        pieces.append(part)
    return "".join(pieces)


def concatenate_values(parts: Iterable[Any]) -> str:
    """Return what `~` makes of its operands."""
    return concatenate(str(printable(part)) for part in parts)


@pass_environment
def join(environment: Environment, value: Iterable[Any], d: Any = "", attribute: str | int | None = None) -> str:
    """The filter `join`, and the method of texts."""
    items = value if attribute is None else map(make_attrgetter(environment, attribute), value)
    texts = [str(printable(item)) for item in items]
    check_length(len(texts) * len(str(d)) + sum(map(len, texts)))
    return str(d).join(texts)


def replace(text: Any, old: Any, new: Any, count: int = -1) -> str:
    """The filter `replace`, and the method of texts."""
    text, old, new = (str(printable(value)) for value in (text, old, new))
    found = text.count(old)
    check_length(len(text) + len(new) * (found if count < 0 else min(found, count)))
    return str(text.replace(old, new, count))


def indent(text: Any, width: int | str = 4, first: bool = False, blank: bool = False) -> str:
    """The filter `indent`."""
    margin = width if isinstance(width, str) else " " * min(width, MAX_INTEGER)
    lines = str(printable(text)).splitlines(keepends=True)
    check_length(sum(map(len, lines)) + len(lines) * len(margin))
    return "".join(
        margin + line if (first or number) and (blank or line.strip()) else line for number, line in enumerate(lines)
    )


def tojson(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """The filter `tojson` as in transformers: readable Unicode, and no HTML escapes as jinja2's own filter makes."""
    check_integers([indent])
    return json.dumps(
        printable(value), ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )
