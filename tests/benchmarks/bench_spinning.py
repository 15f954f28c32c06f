"""How long OpenMP's threads should spin before they sleep: the bare loop with several settings, in turns.

    python -m tests.benchmarks.bench_spinning [HOGS]

HOGS processes that do nothing but compute run beside it (default 0): once with 0, once with 2.
"""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from tests.benchmarks.yardstick import BareLoop, self_tests, spread, table

if TYPE_CHECKING:
    from app.engine.self_test import SelfTests

ROUNDS = 4
NEW_TOKENS = 12
SETTINGS: dict[str, dict[str, str]] = {
    "OpenMP's default": {"GOMP_SPINCOUNT": ""},
    "GOMP_SPINCOUNT=1000": {"GOMP_SPINCOUNT": "1000"},
    "GOMP_SPINCOUNT=10000 (ours)": {"GOMP_SPINCOUNT": "10000"},
    "OMP_WAIT_POLICY=passive": {"GOMP_SPINCOUNT": "", "OMP_WAIT_POLICY": "passive"},
}


def may_repack(tests: SelfTests) -> bool:
    verdict = tests.verdict()
    return verdict is not None and verdict.repacking_is_safe


def main() -> None:
    hogs = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    repack = may_repack(self_tests())
    loops = {name: BareLoop(repack=repack, environment=environment) for name, environment in SETTINGS.items()}
    beside = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(hogs)]
    tokens: dict[str, list[float]] = {name: [] for name in loops}
    try:
        for _ in range(ROUNDS):
            for name, loop in loops.items():
                tokens[name].append(loop.run(16, NEW_TOKENS)[1] / NEW_TOKENS)
    finally:
        for hog in beside:
            hog.kill()
            hog.wait()
        for loop in loops.values():
            loop.close()
    table(f"Time per token beside {hogs} busy processes", [(n, spread(v, " ms", 1000)) for n, v in tokens.items()])


if __name__ == "__main__":
    main()
