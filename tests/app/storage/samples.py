"""Values that the storage tests share."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime

from app.storage.store import Turn
from app.telemetry.series import MemoryPoint
from app.telemetry.timings import ContextGrowth, TurnStats

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)

AWKWARD_TEXTS = (
    "",
    " \t\r\n",
    "NUL \0 in the middle\0",
    "half a character \ud83d",
    "\udcff\udc80 undecodable path",
    "\ude00\ud83d the wrong way round",
    "\ud83d\ude00 two halves that are not one character to Python",
    "😀👩‍👩‍👧‍👦🇩🇪 emoji",
    "שלום עולם مرحبا \u202e override \u2066 isolate",
    "é e\u0301 ﬁ İ ß ẞ Ω Ω",
    "'; DROP TABLE messages; -- \" ? :name",
    "\ufeff\ufffe\uffff\x7f\x80",
    "模型" * 5000,
)


def random_texts(count: int, seed: int = 7) -> list[str]:
    """Texts of any code points, lone surrogates and NUL among them."""
    chance = random.Random(seed)
    ranges = ((0, 0x80), (0, 0x800), (0xD7F0, 0xE010), (0x1F5F0, 0x1F650), (0, 0x110000))
    return [
        "".join(chr(chance.randrange(*chance.choice(ranges))) for _ in range(chance.randrange(40)))
        for _ in range(count)
    ]


def full_turn(message_id: str, tokens: int = 5) -> Turn:
    """A turn in which no field has its default."""
    stats = TurnStats(
        submitted_ns=1_000,
        started_ns=2_000,
        tokenised_ns=3_000,
        prefill_started_ns=4_000,
        prefill_done_ns=1_004_000,
        token_ns=tuple(2_000_000_000 + 10_000_000 * k for k in range(tokens)),
        finished_ns=9_000_000_000,
        prompt_tokens=120,
        cached_tokens=100,
        cache_miss="The turn before was edited.",
        context_tokens=125,
        n_ctx=4096,
        finish_reason="stop",
        error="An error.",
        seed=2**32 - 1,
        rendered_ns=2_500,
        first_received_ns=2_000_100_000,
        received_ns=9_000_200_000,
        shown_ns=9_004_000_000,
        restored_from="disk",
        restored_tokens=300,
        restore_ns=1_500,
        context_growths=(
            ContextGrowth(0, 100, 100, 2048, 4096, 47_185_920, 49_283_072, 60_000_000),
            ContextGrowth(3, 4096, 4096, 4096, 8192, 94_371_840, 98_566_144, 2**33),
        ),
        sequences=3,
        together_tokens=2**40,
    )
    memory = (
        MemoryPoint(0, 96_468_992, 0, 94_371_840, 0, 18_035_507, None),
        MemoryPoint(125, 96_468_992, 2_880_000, 94_371_840, 7, 18_035_507, 212_000_000, 30_000_000),
    )
    return Turn(message_id, stats, memory, "SmolLM2 135M", "/models/模型.gguf", '{"n_ctx": 4096}', '{"library": "b1"}')


def turn_of_schema_1(message_id: str) -> Turn:
    """`full_turn` as far as the first schema could hold it."""
    turn = full_turn(message_id)
    stats = replace(
        turn.stats,
        rendered_ns=None,
        first_received_ns=None,
        received_ns=None,
        shown_ns=None,
        context_growths=(),
        restored_from="",
        restored_tokens=0,
        restore_ns=0,
        sequences=1,
        together_tokens=None,
    )
    memory = tuple(replace(point, saved_bytes=None) for point in turn.memory)
    return replace(turn, stats=stats, memory=memory, environment_json="")
