"""What the user's own turns say of longer contexts, for the panel of the time per token."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from app.telemetry.outlook import doubled_context
from app.telemetry.speed import TpotLine

if TYPE_CHECKING:
    from app.engine.base import Engine
    from app.engine.events import ModelInfo
    from app.telemetry.outlook import ContextCost
    from app.telemetry.payoff import Payoff
    from ui.chat_controller import ChatController
    from ui.engine_worker import EngineWorker
    from ui.panels.tpot import TpotPanel
    from ui.speed_keeper import SpeedKeeper


class CurvePresenter(QObject):
    """Hands the panel the fitted line, what twice the context will cost, and when a summary pays for itself.

    What the instruction of a summary takes is counted once per model, when the engine is idle.
    """

    def __init__(
        self,
        panel: TpotPanel,
        chat: ChatController,
        engine: EngineWorker,
        speed: SpeedKeeper,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._panel = panel
        self._chat = chat
        self._engine = engine
        self._speed = speed
        self._asked_for: ModelInfo | None = None
        self._instruction_tokens: int | None = None
        speed.changed.connect(self._present)
        chat.answer_shown.connect(self._present)
        chat.session_changed.connect(self._present)

    @Slot()
    def _present(self) -> None:
        line = self._line()
        if line is None:
            self._panel.set_outlook(None, None, None)
            return
        context_tokens = self._chat.session.series.context_tokens
        cost: ContextCost | None = doubled_context(line, context_tokens) if context_tokens else None
        self._panel.set_outlook(line, cost, self._payoff(line, context_tokens))

    def _line(self) -> TpotLine | None:
        speed = self._speed.speed
        return speed.tpot if speed is not None and isinstance(speed.tpot, TpotLine) else None

    def _payoff(self, line: TpotLine, context_tokens: int) -> Payoff | None:
        from app.telemetry.payoff import summary_payoff, usual_plan
        from app.telemetry.speed import TtftCurve

        speed = self._speed.speed
        if speed is None or not isinstance(speed.ttft, TtftCurve):
            return None
        info = speed.model.info
        if self._asked_for is not info:
            self._asked_for, self._instruction_tokens = info, None
            self._engine.ask(_count_instruction, partial(self._on_counted, info))
        if self._instruction_tokens is None:
            return None
        plan = usual_plan(speed.turns, speed.model.n_ctx_max, self._instruction_tokens)
        return summary_payoff(speed.ttft, line, context_tokens, plan) if plan is not None else None

    def _on_counted(self, info: ModelInfo, tokens: int | None) -> None:
        if info is self._asked_for and tokens is not None:
            self._instruction_tokens = tokens
            self._present()


def _count_instruction(engine: Engine) -> int:
    from app.chat.message import Message
    from app.chat.summary import INSTRUCTION

    return engine.count_tokens([Message("user", INSTRUCTION)])
