"""A window killed at random moments, again and again on the same data.

    python -m tests.benchmarks.bench_kills [TIMES]              Ctrl+C ends it earlier

What it proves: whatever the window was doing when its process was killed (SIGKILL; TerminateProcess on Windows), the
database is whole, the conversation under way is as it was before the operation or as it was to become, every other
conversation is untouched, and of an answer that was being written no more than the last 250 ms are lost. The window,
the storage and their threads are real, the model is scripted. What each operation is to make of the conversation is
said by `killed_window` before it begins, worked out without the store.
"""

from __future__ import annotations

import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

from app.paths import paths
from app.storage.store import Store
from tests.benchmarks.telling import seen
from tests.benchmarks.yardstick import spread, table

View = dict[str, Any]
Report = dict[str, Any]
TIMES = 200
ROOT = Path(__file__).parents[2]
JOURNAL_MS = 250
AT_START = 0.05
"""So many are killed before they are ready, while they recover what the one before left."""


class Kills:
    """Starts one window after the other, and looks at what each leaves behind."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.chance = random.Random(seed)
        self.known: dict[str, View] = {}
        self.kills: Counter[str] = Counter()
        self.found: Counter[str] = Counter()
        self.lost_ms: list[float] = []
        self.faults: list[str] = []
        self.ended = 0

    def kill(self, seed: int) -> None:
        """Start a window, kill it, and check."""
        lines, killed_ns = self._run(seed)
        reports = [json.loads(line) for line in lines if line.endswith("\n")]
        begun, since = self._take(reports)
        shown = self._read()
        if begun is None:
            self.kills["between operations" if reports else "start"] += 1
        else:
            self.kills[begun["begin"]] += 1
            self._judge(begun, since, shown, killed_ns)
        for conversation_id in self.known.keys() | shown.keys():
            is_under_way = begun is not None and conversation_id == begun["id"]
            if not is_under_way and shown.get(conversation_id) != self.known.get(conversation_id):
                self._fault(
                    begun, "another conversation changed", self.known.get(conversation_id), shown.get(conversation_id)
                )
        self.known = shown

    def _judge(self, begun: Report, since: list[Report], shown: dict[str, View], killed_ns: int) -> None:
        """Look at the conversation that was being changed."""
        before, now = self.known.get(begun["id"]), shown.get(begun["id"])
        views = begun["views"] + [each["next"] for each in since if "next" in each]
        if now == before:
            self.found["old"] += 1
        elif now is not None and any(is_view(now, view, before, streams=begun["streams"]) for view in views):
            self.found["new"] += 1
        else:
            self._fault(begun, "neither the old view nor the new one", before, now, *views)
        given = [(each["at"], each["word"].strip()) for each in since if "at" in each]
        if given:
            kept = words(now) - words(before)
            lost_ns = next((killed_ns - at_ns for at_ns, word in given if word not in kept), 0)
            self.lost_ms.append(lost_ns / 1e6)

    def _run(self, seed: int) -> tuple[list[str], int]:
        command = [sys.executable, "-m", "tests.benchmarks.killed_window", str(seed)]
        environment = {**os.environ, "TOKOMETER_HOME": str(self.folder)}
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment) as process:
            assert process.stdout is not None
            lines: list[str] = []
            if self.chance.random() < AT_START:
                time.sleep(self.chance.uniform(0, 1.5))
            else:
                operations = self.chance.randrange(1, 8)
                while operations and (line := process.stdout.readline()):
                    lines.append(line)
                    operations -= '"begin"' in line
                streams = '"streams": true' in "".join(lines[-1:])
                moment_s = self.chance.uniform(0, 0.8) if streams else self.chance.expovariate(200)
                time.sleep(self.chance.choice((0, moment_s, moment_s)))
            killed_ns = time.monotonic_ns()
            process.kill()
            lines += process.stdout.read().splitlines(keepends=True)
        if process.returncode not in (-9, 1):
            self._fault(None, f"it ended by itself, {process.returncode}")
        return lines, killed_ns

    def _take(self, reports: list[Report]) -> tuple[Report | None, list[Report]]:
        """Take over what is known to be stored; return what was begun and has not ended, and what was said since."""
        begun, since = None, []
        for report in reports:
            if "begin" in report:
                begun, since = report, []
            elif "end" in report and begun is not None:
                self._check_end(begun, since, report)
                begun, since = None, []
            else:
                since.append(report)
        return begun, since

    def _check_end(self, begun: Report, since: list[Report], report: Report) -> None:
        before, end = self.known.get(begun["id"]), report["end"]
        views = begun["views"] or [before, *(each["next"] for each in since if "next" in each)]
        if end != report["shown"]:
            self._fault(begun, "the window shows something else than the store", before, end, report["shown"])
        if not is_view(end, views[-1], before, streams=begun["streams"]):
            self._fault(begun, "it did not become what it was to", before, end, *views)
        self.known[begun["id"]] = end
        self.ended += 1

    def _read(self) -> dict[str, View]:
        """What is in the database, which must be whole before and after the store recovers."""
        file = paths().database_file
        if not file.exists():
            return {}
        self._check(file)
        store = Store(file)
        store.recover()
        shown = {row.id: seen(store.conversation(row.id)) for row in store.conversations()}
        for row in store.conversations():
            tree = store.tree(row.id)
            if tree.path() != [message.id for message in store.conversation(row.id).messages]:
                self._fault(None, "the tree is another")
        store.close()
        self._check(file)
        connection = sqlite3.connect(file)
        if connection.execute("SELECT count(*) FROM journal").fetchone()[0]:
            self._fault(None, "the journal was left")
        connection.close()
        return shown

    def _check(self, file: Path) -> None:
        connection = sqlite3.connect(file)
        for pragma, wanted in (("integrity_check", [("ok",)]), ("foreign_key_check", [])):
            if (found := connection.execute(f"PRAGMA {pragma}").fetchall()) != wanted:
                self._fault(None, f"{pragma}: {found}")
        connection.close()

    def _fault(self, begun: Report | None, sentence: str, *views: View | None) -> None:
        name = begun["begin"] if begun is not None else "-"
        self.faults.append(f"{name}: {sentence}")
        print(f"FAULT {name}: {sentence}", file=sys.stderr)
        for view in views:
            print("   ", json.dumps(view), file=sys.stderr)


def words(view: View | None) -> set[str]:
    return {word for message in view["path"] for word in message[1].split()} if view is not None else set()


def is_view(found: View, wanted: View, before: View | None, *, streams: bool) -> bool:
    """Tell whether this is that view; where it `streams`, its last message may have come only in part."""
    if found == wanted:
        return True
    if not streams or not found["path"]:
        return False
    (_, text, _), (role, whole, pinned) = found["path"][-1], wanted["path"][-1]
    former = before["path"][-1][1] if before is not None and before["path"] else ""
    least = former if whole.startswith(former) else ""
    if not whole.startswith(text) or not text.startswith(least):
        return False
    path = [*found["path"][:-1], [role, whole, pinned]]
    given = found["prompt"][:-1] if text.strip() else found["prompt"]
    return path == wanted["path"] and [*given, [role, whole]] == wanted["prompt"]


def main() -> None:
    """Kill, check, print the table."""
    times = int(sys.argv[1]) if len(sys.argv) > 1 else TIMES
    kills = Kills(Path(os.environ["TOKOMETER_HOME"]), seed=times)
    with suppress(KeyboardInterrupt):
        for seed in range(times):
            kills.kill(seed)
            if seed % 20 == 19:
                print(f"{seed + 1} kills, {len(kills.faults)} faults", file=sys.stderr)
    table(
        f"A window killed {kills.kills.total()} times",
        [
            *(((f"killed in: {name}"), str(number)) for name, number in kills.kills.most_common()),
            ("then: the old view, the new one", f"{kills.found['old']}, {kills.found['new']}"),
            ("operations that ended before, each checked", str(kills.ended)),
            (f"ms of an answer lost (goal: {JOURNAL_MS})", spread(kills.lost_ms) if kills.lost_ms else "n/a"),
            (f"  of these more than {JOURNAL_MS} ms", str(sum(lost > JOURNAL_MS for lost in kills.lost_ms))),
            ("faults (goal: 0)", str(len(kills.faults))),
            *((f"  {fault}", str(number)) for fault, number in Counter(kills.faults).items()),
        ],
    )


if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TOKOMETER_HOME"] = folder
        main()
