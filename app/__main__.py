"""`python -m app`: the same as the console script `tokometer`."""

import sys

from app.cli import main

if __name__ == "__main__":  # the engine's spawned child imports this module again
    sys.exit(main())
