"""A jinja2 sandbox for chat templates of unknown origin: no way out of it, and bounds on time and size."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, NoReturn

from jinja2 import pass_context
from jinja2.ext import Extension
from jinja2.runtime import Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from app.chat import template_bounds as bounds
from app.chat.template_bounds import LimitExceededError
from app.errors import Sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from jinja2 import Template, nodes
    from jinja2.parser import Parser
    from jinja2.runtime import Context

# Nothing a chat template needs, and each can make a huge value out of a small one.
_REMOVED_FILTERS = ("batch", "center", "filesizeformat", "format", "pprint", "random", "slice", "urlize", "wordwrap")
_REFUSED_METHODS = frozenset({"center", "encode", "expandtabs", "maketrans", "to_bytes", "translate"})

_METER = " meter"  # a context variable whose name no template can spell


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


class _Generation(Extension):
    """`{% generation %}...{% endgeneration %}`, transformers' mark for training masks: its body is rendered."""

    tags = {"generation"}  # noqa: RUF012 - declared by jinja2 as an instance attribute

    def parse(self, parser: Parser) -> list[nodes.Node]:
        """Return the statements between the tags."""
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


class TemplateSandbox(ImmutableSandboxedEnvironment):
    """The environment transformers renders chat templates in, with bounds.

    Bounded, by what `template_bounds` says: the time of a rendering, looked at in every loop step and every call, so
    that nested loops and recursive macros end; the length of the output and of every text or list made by an operator,
    a call, by joining, replacing or capturing; what a list holds when it is written out; integers handed to methods,
    and powers; the length of the source. By jinja2: `range` (100,000), attributes that lead out of the sandbox, changes
    of lists and dicts. By Python: recursion. Not bounded: the sum of many values that are each small enough, and a
    single call of C code on a text within the bounds.
    """

    intercepted_binops = frozenset({"+", "*", "**", "%"})
    concat = staticmethod(bounds.concatenate)

    def __init__(self, clock: Callable[[], datetime] = datetime.now) -> None:
        """Make an environment whose `strftime_now` reads this clock."""
        super().__init__(
            trim_blocks=True,
            lstrip_blocks=True,
            extensions=["jinja2.ext.loopcontrols", _Generation],
            finalize=bounds.printable,
        )
        for name in _REMOVED_FILTERS:
            del self.filters[name]
        del self.globals["lipsum"]
        self.filters |= {
            "tojson": bounds.tojson,
            "indent": bounds.indent,
            "join": bounds.join,
            "replace": bounds.replace,
            "string": lambda value: str(bounds.printable(value)),
            bounds.METERED_LOOP: _metered,
            bounds.BOUNDED_CONCATENATION: bounds.concatenate_values,
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
        bounds.check_integers([*args, *kwargs.values()])
        owner = getattr(getattr(function, "__wrapped__", function), "__self__", None)
        if isinstance(owner, str):
            if function.__name__ in ("format", "format_map"):
                bounds.check_layout(owner)
                bounds.printable([*args, *kwargs.values()])
            elif function.__name__ == "replace":
                return bounds.replace(owner, *args)
            elif function.__name__ == "join":
                return bounds.join(self, args[0], owner)
        result = super().call(context, function, *args, **kwargs)
        bounds.check_value(result)
        return result

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Apply an operator within the bounds."""
        if operator == "*":
            for value, times in ((left, right), (right, left)):
                if isinstance(times, int):
                    bounds.check_value(value, times)
        elif operator == "**":
            bounds.check_integers([left, right])
            if isinstance(left, int) and isinstance(right, int) and left.bit_length() * right > bounds.MAX_INTEGER:
                raise LimitExceededError(Sentence("it computes a power of too many digits"))
        elif operator == "%" and isinstance(left, str):
            bounds.check_layout(left)
            bounds.check_integers(bounds.printable(right) if isinstance(right, tuple) else [bounds.printable(right)])
        result = super().call_binop(context, operator, left, right)
        bounds.check_value(result)
        return result

    def compile_template(self, source: str) -> Template:
        """Compile; raises jinja2's errors and `LimitExceededError`."""
        if len(source) > bounds.MAX_SOURCE_CHARACTERS:
            raise LimitExceededError(
                Sentence(
                    "it is longer than {max_source_characters:,} characters",
                    max_source_characters=bounds.MAX_SOURCE_CHARACTERS,
                )
            )
        return self.from_string(bounds.Bounding().visit(self.parse(source)))

    def run(self, template: Template, variables: Mapping[str, Any]) -> str:
        """Render within the bounds; raises whatever the template makes happen."""
        optional = {name: Absent(name=name) for name in ("tools", "documents", "functions")}
        return bounds.concatenate(template.generate({**optional, **variables, _METER: bounds.Meter()}))


@pass_context
def _metered(context: Context, iterable: Iterable[Any]) -> bounds.MeteredLoop:
    return bounds.MeteredLoop(iterable, context[_METER])


def _raise_exception(message: Any = "") -> NoReturn:
    raise RaisedByTemplateError(str(message))
