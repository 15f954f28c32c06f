"""Asks after each answer why it was slow or full, carries remedies out, and holds their promises against what came."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from ui.job_thread import NotKnown
from ui.planner_worker import NoAnswer

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.hub.library import LibraryModel
    from app.telemetry.ceilings import Ceilings
    from app.telemetry.diagnosis import Case, Finding, Outcome, Remedy
    from app.telemetry.plan import Plan
    from app.telemetry.system_state import SystemSampler, SystemState
    from app.telemetry.timings import TurnStats
    from ui.chat_controller import ChatController
    from ui.ledger_keeper import LedgerKeeper
    from ui.library_keeper import LibraryKeeper
    from ui.model_controller import ModelController
    from ui.planner_worker import PlannerWorker
    from ui.running_answer import RunningAnswer
    from ui.settings_keeper import SettingsKeeper
    from ui.speed_keeper import Speed, SpeedKeeper
    from ui.speed_worker import SpeedWorker

CHANNEL = "diagnosis"
SETTINGS = {
    "kv_type": ("type_k", "type_v"),
    "kv_offload": ("offload_kqv",),
    "context": ("n_ctx",),
    "gpu_layers": ("n_gpu_layers",),
    "threads": ("n_threads",),
    "batch_size": ("n_ubatch",),
}
"""The load settings that a remedy changes."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """An answer that has ended, with what was so when it began."""

    running: RunningAnswer
    stats: TurnStats
    previous_context_tokens: int
    turns_since_load: int
    system: SystemState
    speed: Speed | None
    waiting: int


class DiagnosisKeeper(QObject):
    """Of the last answer of the open conversation.

    Attributes:
        findings: the worst first; empty when nothing was found.
        is_known: whether an answer was looked at.
        outcome: what the remedy that was applied last brought, None before one was.
        applied: that remedy.

    Signals:
        changed: one of these.
    """

    changed = Signal()

    def __init__(
        self,
        chat: ChatController,
        models: ModelController,
        settings: SettingsKeeper,
        ledger: LedgerKeeper,
        speed: SpeedKeeper,
        planner: PlannerWorker,
        worker: SpeedWorker,
        ceilings: Callable[[], Ceilings],
        disk: LibraryKeeper,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.findings: tuple[Finding, ...] = ()
        self.is_known = False
        self.applied: Remedy | None = None
        self.outcome: Outcome | None = None
        self._chat = chat
        self._models = models
        self._settings = settings
        self._speed = speed
        self._planner = planner
        self._worker = worker
        self._ceilings = ceilings
        self._disk = disk
        self._sampler: SystemSampler | None = None
        self._begun: tuple[RunningAnswer, int, Speed | None] | None = None
        self._seen: _Seen | None = None
        self._last: RunningAnswer | None = None
        self._answers_since_load = 0
        self._after: list[TurnStats] = []
        chat.answer_begun.connect(self._on_answer_begun)
        chat.answer_ended.connect(self._on_answer_ended)
        chat.session_changed.connect(self._on_session_changed)
        models.load_starting.connect(self._on_load_starting)
        models.changed.connect(self._measure_outcome)
        ledger.changed.connect(self._on_counted)

    def can_apply(self, remedy: Remedy) -> bool:
        """Whether the window can do it now: a setting that the command line fixes it cannot change."""
        if remedy.action in ("new_conversation", "summarise"):
            return self._chat.can_answer
        return self._models.config is not None and not self._models.are_fixed(SETTINGS.get(remedy.action, ()))

    def note_applied(self, remedy: Remedy) -> None:
        """From now on answers are held against this promise."""
        self.applied, self.outcome, self._after = remedy, None, []
        self.findings = ()
        self._measure_outcome()
        self.changed.emit()

    def reload_with(self, remedy: Remedy) -> None:
        """Load the model anew with the setting that a remedy names, or the file it names."""
        config = self._models.config
        if config is None:
            return
        if remedy.action == "smaller_quant":
            self._models.load(Path(str(remedy.value)))
            return
        value = True if remedy.action == "kv_offload" else remedy.value
        load = self._settings.value.load_settings(config.path)
        load = replace(load, **dict.fromkeys(SETTINGS[remedy.action], value))
        self._settings.set(self._settings.value.with_load_settings(config.path, load))
        self._models.load(config.path)

    @Slot(object)
    def _on_load_starting(self) -> None:
        self._answers_since_load = 0

    @Slot(object)
    def _on_session_changed(self) -> None:
        self._seen = None
        self.findings, self.is_known = (), False
        self.changed.emit()

    @Slot(object)
    def _on_answer_begun(self, running: RunningAnswer) -> None:
        from app.telemetry.system_state import SystemSampler  # not above: it is slow, and comes in a thread

        if self._sampler is None:
            self._sampler = SystemSampler(os.getpid())
        self._sampler.begin()
        self._begun = (running, running.session.series.context_tokens, self._speed.speed)

    @Slot(object)
    def _on_answer_ended(self, running: RunningAnswer) -> None:
        stats, begun, self._begun = running.recorder.stats, self._begun, None
        if begun is None or begun[0] is not running or self._sampler is None:
            return
        system = self._sampler.end()
        waiting = len(self._chat.answers)
        self._seen = _Seen(running, stats, begun[1], self._answers_since_load, system, begun[2], waiting)
        self._last = running
        self._answers_since_load += 1
        if self.applied is not None and stats.sequences == 1:
            self._after.append(stats)
            self._measure_outcome()

    @Slot()
    def _on_counted(self) -> None:
        """The messages are counted: all is known of the last answer."""
        seen, model, config = self._seen, self._models.model, self._models.config
        if seen is None or model is None or config is None or seen.running.session is not self._chat.session:
            return
        self._seen = None
        done = partial(self._on_planned, seen)
        self._planner.estimate(CHANNEL, replace(config, n_gpu_layers="auto"), self._models.devices, done)

    def _on_planned(self, seen: _Seen, plan: Plan | NoAnswer) -> None:
        from app.engine.cores import usable_cores
        from app.telemetry.diagnosis import Case, diagnose

        model, config, speed = self._models.model, self._models.config, seen.speed or self._speed.speed
        if model is None or config is None or seen.running.session is not self._chat.session:
            return
        known = plan if not isinstance(plan, NoAnswer) else None
        case = Case(
            stats=seen.stats,
            model=model,
            config=config,
            devices=self._models.devices,
            ceilings=self._ceilings(),
            system=seen.system,
            work=speed.work if speed is not None else None,
            ttft=speed.ttft if speed is not None else None,
            tpot=speed.tpot if speed is not None else None,
            previous_context_tokens=seen.previous_context_tokens,
            message_tokens=self._message_tokens(seen.running),
            turns_since_load=seen.turns_since_load,
            cores=usable_cores(),
            gpu_layers_that_fit=known.n_gpu_layers if known is not None else None,
            n_ctx_that_fits=known.max_n_ctx_that_fits if known is not None else None,
            requests_waiting=seen.waiting,
        )
        self._worker.run_job(partial(diagnose, case), partial(self._on_diagnosed, case, seen))

    def _message_tokens(self, running: RunningAnswer) -> int | None:
        """Return what the question of this answer takes, None when it was not counted."""
        messages, ledger = running.session.conversation.messages, running.session.ledger
        ids = [message.id for message in messages]
        place = ids.index(running.message.id) if running.message.id in ids else 0
        entry = ledger.entry(ids[place - 1]) if ledger is not None and place else None
        return entry.tokens if entry is not None else None

    def _on_diagnosed(self, case: Case, seen: _Seen, findings: tuple[Finding, ...] | NotKnown) -> None:
        from app.telemetry.diagnosis import HELPED_BY_QUANTISATION

        if isinstance(findings, NotKnown) or seen.running.session is not self._chat.session:
            return
        if case.quantisations and self._is_overtaken(seen):
            return
        self.findings, self.is_known = findings, True
        self.changed.emit()
        if not case.quantisations and any(finding.key in HELPED_BY_QUANTISATION for finding in findings):
            self._disk.ask(partial(self._on_listed, case, seen))

    def _on_listed(self, case: Case, seen: _Seen, models: tuple[LibraryModel, ...]) -> None:
        """Offer smaller quantisations of the same model, unless another answer has come meanwhile."""
        from app.hub.siblings import smaller_quantisations
        from app.telemetry.diagnosis import diagnose

        smaller = smaller_quantisations(models, case.model.info)
        if not smaller or self._is_overtaken(seen):
            return
        case = replace(case, quantisations=smaller)
        self._worker.run_job(partial(diagnose, case), partial(self._on_diagnosed, case, seen))

    def _is_overtaken(self, seen: _Seen) -> bool:
        """Whether another answer has begun since, or what was found was acted on."""
        return self._last is not seen.running or self._begun is not None or not self.findings

    @Slot()
    def _measure_outcome(self) -> None:
        """Measure what the remedy promised, in the answers since."""
        if self.applied is None:
            return
        from app.telemetry.diagnosis import compare, measured

        expected, model = self.applied.expected, self._models.model
        outcome = compare(expected, measured(expected.metric, self._after, model))
        if outcome != self.outcome:
            self.outcome = outcome
            self.changed.emit()
