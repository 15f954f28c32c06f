"""A jinja2 sandbox for chat templates of unknown origin: no way out of it, and bounds on time and size."""

from __future__ import annotations

import json
import re
import time
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, NoReturn

from jinja2 import nodes, pass_context, pass_environment
from jinja2.ext import Extension
from jinja2.filters import make_attrgetter
from jinja2.runtime import Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from jinja2 import Template
    from jinja2.environment import Environment
    from jinja2.parser import Parser
    from jinja2.runtime import Context

MAX_SOURCE_CHARACTERS = 1_000_000
MAX_CHARACTERS = 32 * 1024 * 1024
"""The longest text a template may build, its output included."""
MAX_ELEMENTS = 1_000_000
"""The longest list a template may build."""
MAX_INTEGER = 1_000_000
TIME_LIMIT_S = 5.0

_REMOVED_FILTERS = ("batch", "center", "filesizeformat", "format", "pprint", "random", "slice", "urlize", "wordwrap")
_REFUSED_METHODS = frozenset({"center", "expandtabs", "maketrans", "to_bytes", "translate"})
# Nothing a chat template needs, and each can make a huge value out of a small one.
_METER = " meter"  # a context variable whose name no template can spell


class LimitExceededError(Exception):
    """A template went past one of the bounds."""


class RaisedByTemplateError(Exception):
    """A template called `raise_exception`."""


class Absent(Undefined):
    """An optional variable nobody gave, such as `tools`.

    Templates in the wild test these with `is defined`, `is not none`, `if tools`, or loop over them at once. This value
    satisfies all four: it is undefined, none, false and empty.
    """

    def __eq__(self, other: object) -> bool:
        """Equal to None and to whatever else is undefined."""
        return other is None or isinstance(other, Undefined)

    def __ne__(self, other: object) -> bool:
        """The opposite of equal; `Undefined` defines it on its own."""
        return not self == other

    __hash__ = Undefined.__hash__

    def __add__(self, other: Any) -> Any:
        """Add nothing: a few templates append `functions` to a text without asking."""
        return other

    __radd__ = __add__


@dataclass(slots=True)
class _Meter:
    """How long one rendering may still run."""

    deadline_s: float = field(default_factory=lambda: time.monotonic() + TIME_LIMIT_S)

    def tick(self) -> None:
        if time.monotonic() > self.deadline_s:
            raise LimitExceededError(f"it ran for more than {TIME_LIMIT_S:g} seconds")


class _MeteredLoop:
    """An iterable that ticks at every step and keeps its length, which `loop.length` and `loop.last` ask for."""

    def __init__(self, iterable: Iterable[Any], meter: _Meter) -> None:
        self._iterable = iterable
        self._meter = meter

    def __iter__(self) -> Iterator[Any]:
        for item in self._iterable:
            self._meter.tick()
            yield item

    def __len__(self) -> int:
        return len(self._iterable)  # type: ignore[arg-type]  # jinja2 asks first and copes with TypeError


@pass_context
def _metered(context: Context, iterable: Iterable[Any]) -> _MeteredLoop:
    return _MeteredLoop(iterable, context[_METER])


def _bounded_concat(parts: Iterable[str]) -> str:
    """Join like `environment.concat` does for macros, blocks and captured text, but only up to the bound."""
    pieces: list[str] = []
    length = 0
    for part in parts:
        length += len(part)
        _check_length(length)
        pieces.append(part)
    return "".join(pieces)


def _check_length(length: int) -> None:
    if length > MAX_CHARACTERS:
        raise LimitExceededError(f"it made a text of more than {MAX_CHARACTERS:,} characters")


def _check_value(value: Any, times: int = 1) -> None:
    if isinstance(value, str | bytes):
        _check_length(len(value) * times)
    elif isinstance(value, list | tuple) and len(value) * times > MAX_ELEMENTS:
        raise LimitExceededError(f"it made a list of more than {MAX_ELEMENTS:,} elements")


def _check_integers(values: Iterable[Any]) -> None:
    if any(isinstance(value, int) and abs(value) > MAX_INTEGER for value in values):
        raise LimitExceededError(f"it uses a number above {MAX_INTEGER:,} as a width or a count")


def _check_widths(layout: str) -> None:
    """Refuse a format such as `%999999999d`, which turns a few characters into gigabytes."""
    if re.search(r"\d{6}", layout):
        raise LimitExceededError("it formats with a width of more than five digits")


def _concatenated(parts: list[Any]) -> str:
    return _bounded_concat(str(part) for part in parts)


@pass_environment
def _join(environment: Environment, value: Iterable[Any], d: Any = "", attribute: str | int | None = None) -> str:
    items = value if attribute is None else map(make_attrgetter(environment, attribute), value)
    texts = [str(item) for item in items]
    _check_length(len(texts) * len(str(d)) + sum(map(len, texts)))
    return str(d).join(texts)


def _replace(text: Any, old: Any, new: Any, count: int = -1) -> str:
    text, old, new = str(text), str(old), str(new)
    found = text.count(old)
    _check_length(len(text) + len(new) * (found if count < 0 else min(found, count)))
    return str(text.replace(old, new, count))


def _indent(text: Any, width: int | str = 4, first: bool = False, blank: bool = False) -> str:
    margin = width if isinstance(width, str) else " " * min(width, MAX_INTEGER)
    lines = str(text).splitlines(keepends=True)
    _check_length(len(str(text)) + len(lines) * len(margin))
    return "".join(
        margin + line if (first or number) and (blank or line.strip()) else line for number, line in enumerate(lines)
    )


def _tojson(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """Write JSON as transformers does: readable Unicode, and no HTML escapes as jinja2's own filter makes."""
    _check_integers([indent])
    return json.dumps(
        value,
        ensure_ascii=ensure_ascii,
        indent=indent,
        separators=separators,
        sort_keys=sort_keys,
        default=lambda unknown: None if isinstance(unknown, Absent) else str(unknown),
    )


def _raise_exception(message: Any = "") -> NoReturn:
    raise RaisedByTemplateError(str(message))


class _Metering(NodeTransformer):
    """Puts every loop and every `~` of a template under the bounds; calls and operators the sandbox sees already."""

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802 - named by jinja2
        """Let the loop tick."""
        self.generic_visit(node)
        node.iter = nodes.Filter(node.iter, "metered loop", [], [], None, None, lineno=node.lineno)
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802 - named by jinja2
        """Let the concatenation check its length."""
        self.generic_visit(node)
        parts = nodes.List(node.nodes, lineno=node.lineno)
        return nodes.Filter(parts, "bounded concatenation", [], [], None, None, lineno=node.lineno)


class _Generation(Extension):
    """`{% generation %}...{% endgeneration %}`, transformers' mark for training masks: its body is rendered."""

    tags = {"generation"}  # noqa: RUF012 - declared by jinja2 as an instance attribute

    def parse(self, parser: Parser) -> list[nodes.Node]:
        """Return the statements between the tags."""
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


class TemplateSandbox(ImmutableSandboxedEnvironment):
    """The environment transformers renders chat templates in, with bounds.

    Bounded: the time of a rendering (`TIME_LIMIT_S`, looked at in every loop step and every call, so that nested loops
    and recursive macros end); the length of the output and of every text or list made by an operator, a call, by
    joining, replacing or capturing (`MAX_CHARACTERS`, `MAX_ELEMENTS`); integers handed to methods and powers
    (`MAX_INTEGER`); `range` (100,000, by jinja2); the length of the source; recursion (by Python). Attributes that lead
    out of the sandbox and changes of lists and dicts are refused by jinja2. Not bounded: the sum of many values that
    are each small enough.
    """

    intercepted_binops = frozenset({"+", "*", "**", "%"})
    concat = staticmethod(_bounded_concat)

    def __init__(self, clock: Callable[[], datetime] = datetime.now) -> None:
        """Make an environment whose `strftime_now` reads this clock."""
        super().__init__(trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols", _Generation])
        for name in _REMOVED_FILTERS:
            del self.filters[name]
        del self.globals["lipsum"]
        self.filters |= {
            "tojson": _tojson,
            "indent": _indent,
            "join": _join,
            "replace": _replace,
            "metered loop": _metered,
            "bounded concatenation": _concatenated,
        }
        self.tests["none"] = lambda value: value is None or isinstance(value, Absent)
        self.globals |= {
            "raise_exception": _raise_exception,
            "strftime_now": lambda layout: clock().strftime(layout),
        }

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Refuse also the methods that inflate."""
        return attr not in _REFUSED_METHODS and super().is_safe_attribute(obj, attr, value)

    def call(self, context: Context, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call within the bounds."""
        context[_METER].tick()
        _check_integers([*args, *kwargs.values()])
        owner = getattr(getattr(function, "__wrapped__", function), "__self__", None)
        if isinstance(owner, str):
            name = function.__name__
            if name in ("format", "format_map"):
                _check_widths(owner)
            elif name == "replace":
                return _replace(owner, *args)
            elif name == "join":
                return _join(self, args[0], owner)
        result = super().call(context, function, *args, **kwargs)
        _check_value(result)
        return result

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Apply an operator within the bounds."""
        if operator == "*":
            for value, times in ((left, right), (right, left)):
                if isinstance(times, int):
                    _check_value(value, times)
        elif operator == "**":
            _check_integers([left, right])
            if isinstance(left, int) and isinstance(right, int) and left.bit_length() * right > MAX_INTEGER:
                raise LimitExceededError("it computes a power of too many digits")
        elif operator == "%" and isinstance(left, str):
            _check_widths(left)
            _check_integers(right if isinstance(right, tuple) else [right])
        result = super().call_binop(context, operator, left, right)
        _check_value(result)
        return result

    def compile_template(self, source: str) -> Template:
        """Compile; raises jinja2's errors and `LimitExceededError`."""
        if len(source) > MAX_SOURCE_CHARACTERS:
            raise LimitExceededError(f"it is longer than {MAX_SOURCE_CHARACTERS:,} characters")
        return self.from_string(_Metering().visit(self.parse(source)))

    def run(self, template: Template, variables: Mapping[str, Any]) -> str:
        """Render within the bounds; raises whatever the template makes happen."""
        optional = {name: Absent(name=name) for name in ("tools", "documents", "functions")}
        return _bounded_concat(template.generate({**optional, **variables, _METER: _Meter()}))
