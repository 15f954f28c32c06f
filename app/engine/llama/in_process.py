"""LlamaEngine for the worker thread alone, without a child: for debugging, and to measure what isolation costs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from app.engine.dry_run import DryRuns
from app.engine.events import LoadFailed
from app.engine.llama.engine import LlamaEngine
from app.engine.process import EngineProcess
from app.engine.settle import refused, settle
from app.errors import BadInputError, TokometerError
from app.paths import paths

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.engine.config import ModelConfig
    from app.engine.events import LoadEvent
    from app.engine.self_test import SelfTests


class InProcessEngine(LlamaEngine):
    """A LlamaEngine that knows whether weight repacking is safe: without a verdict, a child is asked first."""

    def __init__(self, self_tests: SelfTests) -> None:
        super().__init__()
        self._self_tests = self_tests
        self._dry_runs = DryRuns(paths().cache)

    def load(self, config: ModelConfig) -> Iterator[LoadEvent]:
        """Unload what is loaded, load this. See `Engine.load`."""
        if self.model is not None and (refusal := refused(config)) is not None:
            yield refusal
            return
        if config.use_extra_bufts is None:
            if self._self_tests.verdict() is None:
                prober = EngineProcess(self._self_tests)
                failed = [event for event in prober.load(config) if isinstance(event, LoadFailed)]
                prober.close()
                if failed:
                    yield failed[0]
                    return
            verdict = self._self_tests.verdict()
            config = replace(config, use_extra_bufts=verdict is not None and verdict.repacking_is_safe)
        try:
            config, choice = settle(config, self.devices, self._dry_runs)
        except TokometerError as error:
            yield LoadFailed(str(error), "bad_input" if isinstance(error, BadInputError) else "failed")
            return
        yield from self.load_settled(config, choice)
