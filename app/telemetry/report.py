"""One turn as plain numbers, for `tokometer chat --json`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.units import NS_PER_S

if TYPE_CHECKING:
    from app.engine.events import LoadedModel
    from app.telemetry.timings import TurnStats


def turn_report(stats: TurnStats, model: LoadedModel, process_bytes: int | None) -> dict[str, Any]:
    """Return the numbers of a turn by name; unknown ones are None. Units are in the names.

    `model` is the loaded one as it is at the end of the turn.
    """
    memory = model.memory
    context_tokens = stats.context_tokens or 0
    return {
        "prompt_tokens": stats.prompt_tokens,
        "cached_tokens": stats.cached_tokens,
        "completion_tokens": stats.completion_tokens,
        "finish_reason": stats.finish_reason,
        "ttft_s": stats.ttft_s,
        "queue_s": stats.queue_s,
        "tokenise_s": stats.tokenise_s,
        "prefill_s": stats.prefill_s,
        "tpot_s": stats.tpot_s,
        "e2e_s": stats.e2e_s,
        "prefill_tokens_per_s": stats.prefill_tokens_per_s,
        "decode_tokens_per_s": stats.decode_tokens_per_s,
        "itl_s": list(stats.itl_s),
        "n_ctx": model.n_ctx,
        "n_ctx_max": model.n_ctx_max,
        "context_growths": [
            {
                "from": growth.previous_n_ctx,
                "to": growth.n_ctx,
                "carried_tokens": growth.carried_tokens,
                "s": growth.took_ns / NS_PER_S,
            }
            for growth in stats.context_growths
        ],
        "context_tokens_used": stats.context_tokens,
        "cache_miss": stats.cache_miss,
        "seed": stats.seed,
        "error": stats.error,
        "memory": {
            "weights_bytes": memory.total_bytes("weights"),
            "kv_reserved_bytes": memory.total_bytes("kv"),
            "kv_used_bytes": memory.kv_used_bytes(context_tokens),
            "recurrent_bytes": memory.total_bytes("recurrent"),
            "compute_bytes": memory.total_bytes("compute"),
            "output_bytes": memory.total_bytes("output"),
            "process_bytes": process_bytes,
        },
    }
