"""Opens the preview of a summary beside the conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtWidgets import QDialog

from app.chat.context_window import possible_cuts
from ui.translation import localised

if TYPE_CHECKING:
    from ui.chat_controller import ChatController
    from ui.main_window import MainWindow
    from ui.speed_keeper import SpeedKeeper
    from ui.status_presenter import StatusPresenter
    from ui.summary_controller import SummaryController


class SummaryPreview(QObject):
    """One preview at a time; a child of the window."""

    def __init__(
        self,
        window: MainWindow,
        summaries: SummaryController,
        chat: ChatController,
        speed: SpeedKeeper,
        status: StatusPresenter,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._summaries = summaries
        self._chat = chat
        self._speed = speed
        self._status = status

    @Slot()
    def open(self) -> None:
        """Have the open conversation summarised, in a preview; where there is nothing to, that is said."""
        from app.chat.summary import NOTHING_OLDER
        from ui.dialogs.summary.dialog import SummaryDialog  # a dialog is imported when it is wanted

        if (opened := self._opened()) is not None:
            opened.raise_()
            opened.activateWindow()
            return
        conversation = self._chat.session.conversation
        said = [message for message in conversation.messages[conversation.view_start :] if message.content.strip()]
        if not self._chat.can_answer:
            return
        if not possible_cuts(said):
            self._summaries.failed.emit(localised(NOTHING_OLDER))
            return
        dialog = SummaryDialog(self._summaries, self._chat, self._speed, self._status.describe, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.show()

    @property
    def is_open(self) -> bool:
        """Whether a preview is shown."""
        return self._opened() is not None

    def _opened(self) -> QDialog | None:
        dialogs = self._window.findChildren(QDialog, "summary_dialog")
        return next((dialog for dialog in dialogs if dialog.isVisible()), None)
