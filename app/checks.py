"""Checks of values that people may have written by hand; each returns the value, or says what it must be."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from app.errors import Sentence

Check = Callable[[object], object]

_LAST_PORT = 65535
_ENDPOINT = re.compile(r"[A-Za-z0-9._-]+:(?P<port>[0-9]{1,5})")


class WrongValueError(ValueError):
    """`str(error)` completes the sentence "it must be ..."."""


def text(value: object) -> object:
    """Any text."""
    if not isinstance(value, str):
        raise WrongValueError(Sentence("text"))
    return value


def flag(value: object) -> object:
    """True or false."""
    if not isinstance(value, bool):
        raise WrongValueError(Sentence("true or false"))
    return value


def list_of_text(value: object) -> object:
    """A list of texts; a tuple without repetitions is returned."""
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise WrongValueError(Sentence("a list of texts"))
    return tuple(dict.fromkeys(value))


def list_of_shares(value: object) -> object:
    """A list of numbers that are not negative; a tuple is returned."""
    if not isinstance(value, list) or not all(
        isinstance(item, int | float) and not isinstance(item, bool) and 0 <= item < math.inf for item in value
    ):
        raise WrongValueError(Sentence("a list of numbers from 0 up"))
    return tuple(float(item) for item in value)


def endpoint(value: object) -> object:
    """An address as llama.cpp's RPC takes it: `host:port`, the host a name or an IPv4 address."""
    match = _ENDPOINT.fullmatch(value) if isinstance(value, str) else None
    if match is None or not 1 <= int(match["port"]) <= _LAST_PORT:
        raise WrongValueError(Sentence("host:port, such as 192.168.1.20:50052, with a port from 1 to 65535"))
    return value


def list_of_endpoints(value: object) -> object:
    """A list of `host:port`; a tuple without repetitions is returned."""
    if not isinstance(value, list):
        raise WrongValueError(Sentence("a list of host:port"))
    return tuple(dict.fromkeys(str(endpoint(item)) for item in value))


def one_of(*choices: str) -> Check:
    """One of these words."""

    def check(value: object) -> object:
        if not isinstance(value, str) or value not in choices:
            raise WrongValueError(Sentence("one of {choices}", choices=", ".join(choices)))
        return value

    return check


def whole_number(low: int, high: int, *words: str) -> Check:
    """A whole number within limits, or one of these words."""

    def check(value: object) -> object:
        if isinstance(value, str) and value in words:
            return value
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise WrongValueError(_or(Sentence("a whole number from {low} to {high}", low=low, high=high), words))
        return value

    return check


def number(low: float, high: float) -> Check:
    """A number within limits."""

    def check(value: object) -> object:
        # Not `value < low or value > high`: NaN, which TOML allows, must fail too.
        if not isinstance(value, int | float) or isinstance(value, bool) or not low <= value <= high:
            raise WrongValueError(Sentence("a number from {low:g} to {high:g}", low=low, high=high))
        return float(value)

    return check


def _or(first: Sentence, words: tuple[str, ...]) -> Sentence:
    for word in words:
        first = Sentence("{first} or {word}", first=first, word=word)
    return first
