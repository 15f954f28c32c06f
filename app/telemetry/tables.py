"""The charts' data as tables for other programs: names end in the unit, None is an empty cell."""

from __future__ import annotations

import io
from dataclasses import astuple, dataclass, fields
from typing import TYPE_CHECKING

from app.telemetry.series import MemoryPoint
from app.units import NS_PER_S

if TYPE_CHECKING:
    from app.telemetry.series import ConversationSeries

Cell = int | float | str | None


@dataclass(frozen=True, slots=True)
class Table:
    """Column names and rows of the same length."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def text(self, delimiter: str = ",") -> str:
        """Return the table with its header as CSV, or with tabs as TSV, numbers in full and with a decimal point."""
        import csv  # not above: nothing slow is imported before the first frame

        buffer = io.StringIO()
        writer = csv.writer(buffer, delimiter=delimiter, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(self.rows)
        return buffer.getvalue()


def ttft_table(series: ConversationSeries) -> Table:
    """Return one row per finished turn."""
    rows: list[tuple[Cell, ...]] = []
    for number, turn in enumerate(series.turns, start=1):
        stats, parts = turn.stats, turn.stats.ttft_parts()
        split: tuple[Cell, ...] = (None,) * 4
        if parts is not None:
            split = tuple(part_ns / NS_PER_S for part_ns in astuple(parts))
        rows.append(
            (
                number,
                stats.ttft_s,
                *split,
                stats.prompt_tokens,
                stats.cached_tokens,
                stats.prefill_tokens_per_s,
                stats.cache_miss,
                stats.finish_reason,
                stats.sequences,
                stats.aggregate_tokens_per_s,
                turn.message_id,
            )
        )
    columns = (
        "turn",
        "ttft_s",
        "queue_s",
        "tokenise_s",
        "prefill_s",
        "rest_s",
        "prompt_tokens",
        "cached_tokens",
        "prefill_tokens_per_s",
        "cache_miss",
        "finish_reason",
        "sequences",
        "aggregate_tokens_per_s",
        "message_id",
    )
    return Table(columns, tuple(rows))


def itl_table(series: ConversationSeries) -> Table:
    """Return one row per token after the first, the running answer included."""
    answers = list(series.past_latencies)
    if series.live_latencies is not None:
        answers.append(series.live_latencies)
    rows = tuple(
        (number, context, itl, answer.message_id)
        for number, answer in enumerate(answers, start=1)
        for context, itl in zip(answer.context_tokens.tolist(), answer.itl_s.tolist(), strict=True)
    )
    return Table(("turn", "context_tokens", "itl_s", "message_id"), rows)


def memory_table(series: ConversationSeries) -> Table:
    """Return one row per measured point, else what the loaded model takes now."""
    points = series.memory
    present = series.memory_point()
    if not points and present is not None:
        points = [present]
    return Table(tuple(field.name for field in fields(MemoryPoint)), tuple(astuple(point) for point in points))
