"""What the window does with summaries: the preview beside the conversation, what is said of them, undo and redo."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtWidgets import QDialog

from app.chat.context_window import possible_cuts

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.chat.conversation import Summary
    from ui.chat_controller import ChatController
    from ui.main_window import MainWindow
    from ui.model_controller import ModelController
    from ui.speed_keeper import SpeedKeeper
    from ui.status_presenter import StatusPresenter
    from ui.summary_controller import SummaryController
    from ui.translation import Text


class SummaryPreview(QObject):
    """One preview at a time; a child of the window."""

    def __init__(
        self,
        window: MainWindow,
        summaries: SummaryController,
        chat: ChatController,
        models: ModelController,
        speed: SpeedKeeper,
        status: StatusPresenter,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._summaries = summaries
        self._chat = chat
        self._models = models
        self._speed = speed
        self._status = status
        self._then: Callable[[], None] | None = None
        summaries.laid.connect(self._on_laid)
        summaries.failed.connect(self._on_failed)

    @property
    def is_open(self) -> bool:
        """Whether a preview is shown."""
        return self._opened() is not None

    @Slot()
    def open(self) -> None:
        """Have the open conversation summarised, in a preview; where there is nothing to, that is said."""
        self.open_for(None)

    def open_for(self, then: Callable[[], None] | None) -> None:
        """The same; `then` is called when the next summary is laid, unless that fails."""
        from app.chat.summary import NOTHING_OLDER
        from ui.dialogs.summary.dialog import SummaryDialog  # a dialog is imported when it is wanted

        self._then = then
        if (opened := self._opened()) is not None:
            opened.raise_()
            opened.activateWindow()
            return
        conversation = self._chat.session.conversation
        said = [message for message in conversation.messages[conversation.view_start :] if message.content.strip()]
        if not self._chat.can_answer:
            return
        if not possible_cuts(said):
            self._summaries.failed.emit(NOTHING_OLDER)
            return
        dialog = SummaryDialog(self._summaries, self._chat, self._speed, self._status.describe, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.show()

    def undo(self, summary_id: str) -> None:
        """Take a summary of the open conversation back, and offer to use it again."""
        conversation_id = self._chat.session.id
        self._summaries.undo(conversation_id, summary_id)
        redo = partial(self._summaries.undo, conversation_id, summary_id, undone=False)
        self._window.undo_bar.offer(
            lambda: self.tr("The summary was taken back."), lambda: self.tr("Use it again"), redo
        )

    @Slot(str, object, bool)
    def _on_laid(self, conversation_id: str, summary: Summary, was_seen: bool) -> None:
        then, self._then = self._then, None
        if then is not None:
            then()
        if not was_seen:
            undo = partial(self._summaries.undo, conversation_id, summary.id)
            self._window.undo_bar.offer(
                lambda: self.tr("The older turns were summarised."), lambda: self.tr("Undo"), undo
            )

    @Slot(object)
    def _on_failed(self, sentence: Text) -> None:
        """Say why, unless the preview does."""
        self._then = None
        bar = self._window.notice_bar
        if self._models.model is None:
            bar.offer(sentence, lambda: self.tr("Reload the model"), self._models.reload, "error")
        elif not self.is_open:
            bar.offer(sentence, role="warning")

    def _opened(self) -> QDialog | None:
        dialogs = self._window.findChildren(QDialog, "summary_dialog")
        return next((dialog for dialog in dialogs if dialog.isVisible()), None)
