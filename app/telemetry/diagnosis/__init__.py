"""Why it is slow or full, and what to change: rules that read measurements and speak only with evidence.

    case       what is looked at           finding   what is said           expect   what a remedy should do
    first_token   slow to begin            writing, machine   slow to write
    memory        short of memory, cut     throughput         several answers at once
    promise       the effect measured after a remedy against the one promised

A rule is a function of a case that returns a finding or None. On a healthy turn all return None.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.telemetry.diagnosis import first_token, machine, memory, throughput, writing
from app.telemetry.diagnosis.case import Case, Quantisation
from app.telemetry.diagnosis.finding import Action, Effect, Evidence, Finding, Remedy
from app.telemetry.diagnosis.promise import Outcome, compare, measured

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "HELPED_BY_QUANTISATION", "RULES", "Action", "Case", "Effect", "Evidence", "Finding", "Outcome", "Quantisation",
    "Remedy", "compare", "diagnose", "measured",
]  # fmt: skip

RULES: tuple[Callable[[Case], Finding | None], ...] = (
    memory.context_cut,
    first_token.prefix_lost,
    first_token.small_batch,
    first_token.long_prompt,
    first_token.cpu_prefill,
    first_token.cold_load,
    machine.too_many_threads,
    writing.kv_on_cpu,
    writing.layers_on_cpu,
    machine.paging,
    machine.other_load,
    machine.throttled,
    machine.battery,
    writing.context_slowed,
    writing.bandwidth_bound,
    memory.kv_share,
    memory.reserve_unused,
    memory.quantised_kv,
    throughput.batch,
)
OF_SHARED_STEPS = (memory.context_cut, memory.kv_share, memory.reserve_unused, memory.quantised_kv, throughput.shared)
"""What can be said of an answer that shared its steps with others: its times are not those of one alone."""
HELPED_BY_QUANTISATION = ("paging", "bandwidth_bound")
"""Keys of the findings that offer smaller quantisations of the same model, where the case knows of some."""
_SEVERITIES = ("problem", "warning", "notice")


def diagnose(case: Case) -> tuple[Finding, ...]:
    """Return what was found, the worst first, else in the order of the rules."""
    rules = RULES if case.stats.sequences == 1 else OF_SHARED_STEPS
    found = [finding for rule in rules if (finding := rule(case)) is not None]
    return tuple(sorted(found, key=lambda finding: _SEVERITIES.index(finding.severity)))
