"""Reads one model whole in the background, with its progress and a way to end it."""

from __future__ import annotations

import threading
import time
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QWidget

from ui import formatting
from ui.dialogs.models.empty import BAR_HEIGHT
from ui.job_thread import NotKnown
from ui.translation import localised

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.hub.library import LibraryModel
    from app.hub.verify import Verdict
    from ui.library_keeper import LibraryKeeper
    from ui.theme import Theme

    _Found = tuple[tuple[object, ...], Verdict]

_STEPS = 1000
_TOLD_S = 0.1


class Verification(QWidget):
    """A bar that is there while a model is read.

    Signals:
        begun: a model is being read.
        ended: what was found, and the role of a notice; an empty sentence when it was cancelled.
    """

    begun = Signal()
    ended = Signal(str, str)

    def __init__(self, keeper: LibraryKeeper, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("library_verification")
        self._keeper = keeper
        self._cancelled: threading.Event | None = None
        self._label = QLabel()
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._bar = QProgressBar(maximum=_STEPS, textVisible=False)
        self._bar.setFixedHeight(BAR_HEIGHT)
        self._bar.setObjectName("library_verify_progress")
        self._bar.setAccessibleName(self.tr("Progress of the verification"))
        self._button = QPushButton(self.tr("Cancel"))
        self._button.setObjectName("library_verify_cancel")
        self._button.setAccessibleName(self.tr("Cancel the verification"))
        self._button.setAutoDefault(False)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self._label)
        layout.addWidget(self._bar, 1)
        layout.addWidget(self._button)
        self._button.clicked.connect(self.cancel)
        self.hide()

    @property
    def is_running(self) -> bool:
        """Whether a model is being read."""
        return self._cancelled is not None

    def start(self, model: LibraryModel) -> None:
        """Read a model, unless one is being read."""
        if self._cancelled is not None:
            return
        cancelled = self._cancelled = threading.Event()
        self._show(model, (0, model.file_bytes))
        self.show()
        files = self._keeper.whole_files

        def tell(done: int, total: int) -> None:
            files.answer(partial(self._on_progressed, cancelled, model), (done, total))

        done = partial(self._on_ended, cancelled, model)
        files.run_cancellable(partial(_verify, model, cancelled, tell), done, cancelled.set)
        self.begun.emit()

    @Slot()
    def cancel(self) -> None:
        """End it; nothing is said."""
        if self._cancelled is not None:
            self._cancelled.set()
            self._end("", "card")

    def _on_progressed(self, cancelled: threading.Event, model: LibraryModel, progress: tuple[int, int]) -> None:
        if cancelled is self._cancelled:
            self._show(model, progress)

    def _show(self, model: LibraryModel, progress: tuple[int, int]) -> None:
        done, total = progress
        text = self.tr("Verifying {name}: {done} of {total}")
        sizes = formatting.memory(done), formatting.memory(total)
        self._label.setText(text.format(name=model.name, done=sizes[0], total=sizes[1]))
        self._bar.setValue(_STEPS * done // total if total else 0)

    def _on_ended(self, cancelled: threading.Event, model: LibraryModel, found: _Found | NotKnown | None) -> None:
        if cancelled is not self._cancelled:
            return
        if isinstance(found, NotKnown):
            self._end(localised(found.reason), "error")
        elif found is not None:
            identity, verdict = found
            is_wrong = verdict.is_whole is False
            self._keeper.keep_fault(model.path, identity, verdict.sentence if is_wrong else "")
            self._end(localised(verdict.sentence), "error" if is_wrong else "card")

    def _end(self, sentence: str, role: str) -> None:
        self._cancelled = None
        self.hide()
        self.ended.emit(sentence, role)


def _verify(model: LibraryModel, cancelled: threading.Event, tell: Callable[[int, int], None]) -> _Found | None:
    from app.engine.dry_run_cache import file_identity
    from app.hub.digests import DIGESTS_FILE, Digests
    from app.hub.faults import FAULTS_FILE, Faults
    from app.hub.verify import fault_of, verdict, verify
    from app.paths import paths

    told_s = 0.0

    def progress(done: int, total: int) -> None:
        nonlocal told_s
        if (now := time.monotonic()) - told_s >= _TOLD_S:
            told_s = now
            tell(done, total)

    identity = file_identity(model.path)
    verified = verify(model, cancelled, progress, Digests(paths().cache / DIGESTS_FILE))
    if verified is None:
        return None
    Faults(paths().cache / FAULTS_FILE).remember(model.path, identity, fault_of(model, verified))
    return identity, verdict(model, verified)
