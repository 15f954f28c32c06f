"""Sets a clone up by itself, with nothing but a bare Python: `python3 -m app.setup` and `python3 -m app.setup test`.

    system        what the operating system must bring: one list, installed with apt-get where that is possible
    engine_wheel  llama-cpp-python, built once per version, flags and processor, and kept in the user's cache folder
    environment   `.venv` in the clone and the stamp that makes a second run quick
    console       commands run quietly: what they print goes to a log, the terminal gets a line every few seconds

Nothing here imports what is not in the standard library, and nothing else in `app` imports this.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - people do start this with an older Python
    message = "Tokometer needs Python 3.11 or newer, and this is {}.{}; start the command with a newer python3."
    sys.exit(message.format(*sys.version_info[:2]))
