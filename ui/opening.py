"""From the first frame to a window that works: the code behind it is imported while one can type already."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot

if TYPE_CHECKING:
    from ui.arguments import Arguments
    from ui.parts import MakeEngine, Parts
    from ui.shell import Shell

STEPS = (
    "app.engine.events",
    "ui.branch_controller",
    "ui.ceilings_keeper",
    "ui.chat_controller",
    "ui.diagnosis_keeper",
    "ui.forecast_keeper",
    "ui.start_keeper",
    "ui.parts",
    "email.message",
    "importlib.metadata",
    "PySide6.QtNetwork",
)
"""`ui.parts` and what its `begin` needs, in pieces of about 15 ms; between two of them the window answers."""


class Opening(QObject):
    """Makes the `Parts` of a shell, once its first frame is on the screen.

    Attributes:
        parts: None until they are made; a window that was closed before has none.

    Signals:
        done: `parts` are there, and have begun.
    """

    done = Signal()

    def __init__(self, shell: Shell, arguments: Arguments, make_engine: MakeEngine) -> None:
        super().__init__(shell.window)
        self._shell, self._arguments, self._make_engine = shell, arguments, make_engine
        self._steps = iter(STEPS)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._go_on)
        self.parts: Parts | None = None
        self._has_ended = False
        shell.window.closing.connect(self._end)
        shell.when_seen(self._start)

    @Slot()
    def _start(self) -> None:
        if self.parts is None and not self._has_ended:
            self._timer.start(0)

    @Slot()
    def _end(self) -> None:
        self._has_ended = True
        self._timer.stop()

    @Slot()
    def _go_on(self) -> None:
        for step in self._steps:
            importlib.import_module(step)
            return
        self._timer.stop()
        if self.parts is None:
            from ui.parts import Parts

            self.parts = Parts(self._shell, self._arguments, self._make_engine)
            self._timer.start(0)
        else:
            self.parts.begin()
            self.done.emit()
