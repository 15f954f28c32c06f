"""The terminal: `tokometer chat`, `plan`, `bench`, `models`, `doctor`, and the window, which is the default command.

Exit status: 0 done; 2 bad input; 3 the engine failed; 130 interrupted. Standard output carries only the result; what
went wrong is one line on standard error, or in a box where there is none.
"""

from __future__ import annotations

import logging
import os
import sys
from typing import TYPE_CHECKING

from app.cli.options import fetch_hub_model, parse
from app.cli.telling import complain
from app.errors import EngineError, TokometerError
from app.log import Logging
from app.paths import paths

if TYPE_CHECKING:
    from collections.abc import Sequence

INTERRUPTED = 130

logger = logging.getLogger(__name__)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    options = parse(list(sys.argv[1:] if arguments is None else arguments))
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character must not end an answer
    logs = Logging(paths().logs)
    try:
        fetch_hub_model(options)
        status = _run(options.command, options)
        if sys.stdout is not None:
            sys.stdout.flush()  # at the interpreter's end nobody could say that the reader has gone
        return status
    except TokometerError as error:
        complain(str(error))
        return error.exit_status
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of the output has gone, and the interpreter would try to flush it once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception:
        logger.exception("unexpected")
        complain(f"Something unexpected went wrong; {logs.log_file or 'the log'} has it.")
        return EngineError.exit_status
    finally:
        logs.close()


def _run(command: str, options: object) -> int:
    # Each command brings imports the others can do without.
    match command:
        case "chat":
            from app.cli.chat import run
        case "plan":
            from app.cli.plan import run
        case "bench":
            from app.cli.bench import run
        case "models":
            from app.cli.models import run
        case "doctor":
            from app.cli.doctor import run
        case _:
            from app.cli.window import run
    return run(options)  # type: ignore[arg-type]
