"""Results for tests, with samples that are known."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from app.bench.row import BenchRow, Subject
from tests.fakes import FAKE_ENVIRONMENT

if TYPE_CHECKING:
    from app.engine.bench import BenchTest

SUBJECT = Subject(FAKE_ENVIRONMENT, "model.gguf", "4bcbe339c889e1ea", "Q4_1", "machine")


def row(test: BenchTest, *samples_ns: int, **changes: object) -> BenchRow:
    """A row of llama-bench's method with these samples."""
    base = BenchRow(
        method="llama-bench",
        subject=SUBJECT,
        test=test,
        samples_ns=samples_ns,
        sample_tokens=(test.tokens,) * len(samples_ns),
        n_threads=2,
        n_ctx=256,
        test_time="2026-03-01T12:00:00Z",
    )
    return replace(base, **changes)
