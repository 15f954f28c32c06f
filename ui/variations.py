"""How an answer is made anew: as the settings say, more or less creatively, with another seed, or as chosen."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from app.settings import SamplingSettings

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from ui.model_controller import ModelController
    from ui.room_controller import RoomController

SAME, MORE, LESS, SEED, CHOOSE = "same_settings", "more_creative", "less_creative", "other_seed", "choose_sampling"
WARMER = 1.5
"""A step of the temperature: half as much again, or by as much less."""
HOTTEST = 2.0
"""Where words lose their sense; the upper end of OpenAI's own scale."""
SEED_BITS = 31


class Variations(QObject):
    """Makes sampling settings out of the user's own and has an answer made anew with them."""

    def __init__(self, window: QWidget, models: ModelController, room: RoomController) -> None:
        super().__init__(window)
        self._window = window
        self._models = models
        self._room = room
        self._message_id = ""

    def choices(self) -> list[tuple[str, str, str]]:
        """Return name, label and explanation of each way."""
        more, less = self.sampling(MORE).temperature, self.sampling(LESS).temperature
        temperature = self.tr("Temperature {value}")
        return [
            (SAME, self.tr("Same settings"), temperature.format(value=f"{self.sampling(SAME).temperature:.2g}")),
            (MORE, self.tr("More creative"), temperature.format(value=f"{more:.2g}")),
            (LESS, self.tr("Less creative"), temperature.format(value=f"{less:.2g}")),
            (SEED, self.tr("Other seed"), self.tr("Another seed, everything else the same.")),
            (CHOOSE, self.tr("Choose…"), self.tr("Temperature, top p, top k and seed, for this answer alone.")),
        ]

    def sampling(self, name: str) -> SamplingSettings:
        """Return the settings of one way, apart from what is chosen in the dialog."""
        own = self._models.answer_settings.sampling
        if name == MORE:
            warm = own.temperature or SamplingSettings().temperature / WARMER
            return replace(own, temperature=min(warm * WARMER, max(HOTTEST, own.temperature)))
        if name == LESS:
            return replace(own, temperature=own.temperature / WARMER)
        if name == SEED:
            return replace(own, seed=random.SystemRandom().getrandbits(SEED_BITS))
        return own

    def apply(self, name: str, message_id: str) -> None:
        """Answer anew in one of the ways."""
        if name != CHOOSE:
            self._room.regenerate(message_id, self.sampling(name))
            return
        from ui.dialogs.sampling import SamplingDialog  # a dialog is imported when it is wanted

        self._message_id = message_id
        dialog = SamplingDialog(self._models.answer_settings.sampling, self._window)
        dialog.chosen.connect(self._on_chosen)
        dialog.open()

    @Slot(object)
    def _on_chosen(self, sampling: SamplingSettings) -> None:
        self._room.regenerate(self._message_id, sampling)
