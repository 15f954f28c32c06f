"""What is said besides the result: on standard error, or in a box where a program of the desktop has none."""

from __future__ import annotations

import sys

from app.hub.names import printable

PROGRAM = "tokometer"


def tell(sentence: str, program: str = PROGRAM) -> None:
    """Say in one line what the user may want to know, where there is a standard error."""
    if sys.stderr is not None:
        print(f"{program}: {printable(sentence)}", file=sys.stderr)


def complain(sentence: str, program: str = PROGRAM) -> None:
    """Say why the program ends, in any case: on Windows a program without a console has no standard error."""
    if sys.stderr is not None:
        tell(sentence, program)
    else:
        from app.cli.window import show_complaint  # not above: nothing slow is imported before the first frame

        show_complaint(printable(sentence))
