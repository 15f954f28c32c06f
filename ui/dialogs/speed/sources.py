"""What the pages of the dialog read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.telemetry.timings import TurnStats
    from app.telemetry.words import Figures
    from ui.ceilings_keeper import CeilingsKeeper
    from ui.chat_controller import ChatController
    from ui.model_controller import ModelController
    from ui.speed_keeper import SpeedKeeper
    from ui.store_worker import StoreWorker
    from ui.theme import Theme


@dataclass(frozen=True, slots=True)
class Sources:
    """The open conversation, the loaded model, what its turns say, the machine's ceilings, and the store."""

    theme: Theme
    chat: ChatController
    models: ModelController
    speed: SpeedKeeper
    ceilings: CeilingsKeeper
    store: StoreWorker

    def turns(self) -> list[tuple[str, TurnStats]]:
        """Return the finished turns of the open conversation with their message ids, oldest first."""
        session = self.chat.session
        found = ((message.id, session.turns.get(message.id)) for message in session.conversation.messages)
        return [(message_id, turn.stats) for message_id, turn in found if turn is not None]

    def figures(self, sweep: Mapping[int, float] | None = None) -> Figures:
        """Return today's figures: of the last turn of the open conversation.

        Args:
            sweep: a batch sweep of the loaded model, see `app.bench.stored.batch_sweep`.
        """
        from app.telemetry.roofline import roofline
        from app.telemetry.waiting import wait_of
        from app.telemetry.words import Figures

        turns, model, speed = self.turns(), self.models.model, self.speed.speed
        stats = turns[-1][1] if turns else None
        picture = None
        if stats is not None and model is not None and speed is not None and speed.work is not None:
            picture = roofline(speed.work, self.ceilings.value(), stats, model.n_ubatch, sweep=sweep)
        return Figures(
            stats=stats,
            model=model,
            context_tokens=self.chat.session.series.context_tokens if model is not None else None,
            wait=wait_of(stats) if stats is not None else None,
            roofline=picture,
        )
