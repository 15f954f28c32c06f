"""A summary before it counts: what it covers and saves, its text as it is written, the details it keeps."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.chat.summary import extract
from app.telemetry.receipt import prompt_cost
from ui.dialogs.summary.facts_field import FactsField
from ui.dialogs.summary.keep_field import KeepField
from ui.dialogs.summary.numbers import Numbers
from ui.dialogs.summary.text_field import TextField
from ui.style_sheet import set_role
from ui.translation import said

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.chat.conversation import PromptCost
    from app.chat.summary import Draft
    from app.chat.summary_outline import Outline
    from app.telemetry.recorder import TurnRecorder
    from ui.chat_controller import ChatController
    from ui.speed_keeper import SpeedKeeper
    from ui.summary_controller import SummaryController
    from ui.translation import Text

PAUSE_MS = 350
"""After the last key or click the text is counted; while it is changed, its size is estimated."""
FIRST_SIZE = (880, 620)


class SummaryDialog(QDialog):
    """Stays beside the conversation it was opened for; nothing of that changes until Accept.

    The text is of the whole conversation where that could be read at once: then how many turns are kept can be chosen
    without asking the model again. Where it speaks of less than is to be covered, it must be written again.
    """

    def __init__(
        self,
        summaries: SummaryController,
        chat: ChatController,
        speed: SpeedKeeper,
        describe: Callable[[TurnRecorder], str],
        parent: QWidget | None = None,
    ) -> None:
        """`describe` says how far a recorder has come."""
        super().__init__(parent)
        self.setObjectName("summary_dialog")
        self.setWindowTitle(self.tr("Summarise the older turns"))
        self._summaries = summaries
        self._chat = chat
        self._speed = speed
        self._describe = describe
        self._session = chat.session
        self._outline: Outline | None = None
        self._draft: Draft | None = None
        self._is_edited = False
        self._is_accepting = False
        self._is_writing = False
        self._asked_cut: int | None = None
        self._counted: tuple[str, tuple[str, ...], int] | None = None
        self.keep = KeepField()
        self._text = TextField()
        self._status = QLabel(wordWrap=True)
        self._status.setObjectName("summary_status")
        self._status.setTextFormat(Qt.TextFormat.PlainText)
        self.numbers = Numbers()
        self.facts = FactsField()
        self._buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        self._accept = self._buttons.button(QDialogButtonBox.StandardButton.Ok)
        self._accept.setText(self.tr("Accept"))
        self._accept.setObjectName("summary_accept")
        self._accept.setProperty("role", "primary")
        self._accept.setDefault(True)
        self._again = self._buttons.addButton(self.tr("Try again"), QDialogButtonBox.ButtonRole.ActionRole)
        self._again.setObjectName("summary_again")
        self._again.setAutoDefault(False)
        cancel = self._buttons.button(QDialogButtonBox.StandardButton.Cancel)
        cancel.setObjectName("summary_cancel")
        cancel.setAutoDefault(False)
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._lay_out()
        self._connect()
        self.resize(*FIRST_SIZE)
        self.write()

    @Slot()
    def write(self) -> None:
        """Have the summary written, again if there is one: of what is to be covered now."""
        self._draft, self._is_edited, self._counted = None, False, None
        self._asked_cut = self.keep.cut if self._outline is not None else None
        self._text.set_body("")
        self._is_writing = self._summaries.start_preview(self._asked_cut)
        self._show_state()

    @Slot()
    def accept(self) -> None:
        """Lay what stands here over the conversation; the dialog closes once that is done."""
        outline, draft = self._outline, self._draft
        if outline is None or not self._accept.isEnabled():
            return
        self._is_accepting = True
        method = draft.method if draft is not None else "model"
        self._summaries.accept(
            outline,
            self.keep.cut,
            self._text.body,
            self.facts.facts(),
            method,
            is_edited=self._is_edited or draft is None,
        )
        self._show_state()

    def done(self, result: int) -> None:
        """Close; a summary that is still written is given up."""
        self._pause.stop()
        if self._is_accepting:
            self._is_accepting = False
            self._summaries.withdraw()
        if self._is_writing:
            self._is_writing = False
            self._summaries.cancel()
        super().done(result)

    # -- layout -------------------------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        left, right, columns = QVBoxLayout(), QVBoxLayout(), QHBoxLayout()
        left.setSpacing(8)
        left.addWidget(self._text, 1)
        left.addWidget(self._status)
        right.setSpacing(16)
        right.addWidget(self.numbers)
        right.addWidget(self.facts, 1)
        columns.setSpacing(24)
        columns.addLayout(left, 3)
        columns.addLayout(right, 2)
        layout = QVBoxLayout(self)
        layout.setSpacing(8)
        layout.addWidget(self.keep)
        layout.addSpacing(8)
        layout.addLayout(columns, 1)
        layout.addWidget(self._buttons)

    def _connect(self) -> None:
        self._buttons.accepted.connect(self.accept)
        self._buttons.rejected.connect(self.reject)
        self._again.clicked.connect(self.write)
        # Return is a new line in the text.
        shortcut = QShortcut(QKeySequence(Qt.Modifier.CTRL | Qt.Key.Key_Return), self)
        shortcut.activated.connect(self.accept)
        self.keep.changed.connect(self._on_slid)
        self._text.edited.connect(self._on_edited)
        self.facts.changed.connect(self._on_facts_changed)
        self._pause.timeout.connect(self._count)
        self._summaries.outlined.connect(self._on_outlined)
        self._summaries.written.connect(self._on_written)
        self._summaries.drafted.connect(self._on_drafted)
        self._summaries.progressed.connect(self._on_progressed)
        self._summaries.failed.connect(self._on_failed)
        self._summaries.counted.connect(self._on_counted)
        self._summaries.laid.connect(self._on_laid)
        self._chat.session_changed.connect(self._on_session_changed)
        self._speed.changed.connect(self._show_numbers)

    # -- what the controller says -------------------------------------------------------------------------------------

    @Slot(object)
    def _on_outlined(self, outline: Outline) -> None:
        if not self._is_writing:
            return
        self._outline = outline
        self.keep.set_outline(outline)
        self._show_facts()

    @Slot(str)
    def _on_written(self, text: str) -> None:
        if not self._is_writing:
            return
        self._text.show_written(text)
        self._show_numbers()

    @Slot(object)
    def _on_drafted(self, draft: Draft) -> None:
        if not self._is_writing:
            return
        self._draft, self._is_writing = draft, False
        self._text.set_body(draft.body)
        self._show_state()
        self._count()
        if self._accept.isEnabled() and not self.facts.isAncestorOf(self.focusWidget()):
            self._accept.setFocus(Qt.FocusReason.OtherFocusReason)  # Return is all that is left to do

    @Slot()
    def _on_progressed(self) -> None:
        if self._is_writing and not self._summaries.is_running:
            # Whatever ended the run says so by another signal, unless Stop did.
            QTimer.singleShot(0, self, self._on_run_ended)
        self._show_status()

    @Slot()
    def _on_run_ended(self) -> None:
        if self._is_writing and not self._summaries.is_running:
            self._is_writing = False
            self._show_state(self.tr("Stopped. Nothing was changed."))

    @Slot(object)
    def _on_failed(self, sentence: Text) -> None:
        self._is_writing = self._is_accepting = False
        self._show_state(said(sentence), is_error=True)

    @Slot(str, object, int)
    def _on_counted(self, body: str, facts: tuple[str, ...], tokens: int) -> None:
        self._counted = (body, facts, tokens)
        self._show_state()

    @Slot(str, object, bool)
    def _on_laid(self, conversation_id: str, _summary: object, was_seen: bool) -> None:
        if was_seen and conversation_id == self._session.id:
            self._is_accepting = False
            super().accept()

    @Slot(object)
    def _on_session_changed(self) -> None:
        if self._chat.session is not self._session:
            self.reject()

    # -- what the user does -------------------------------------------------------------------------------------------

    @Slot()
    def _on_slid(self) -> None:
        assert self._outline is not None
        if self._draft is not None and self._draft.method == "extracted" and not self._is_edited:
            self._draft = extract(self._outline, self.keep.cut)
            self._text.set_body(self._draft.body)
        self._show_facts()
        self._show_state()

    @Slot()
    def _on_edited(self) -> None:
        self._is_edited = True
        self._pause.start()
        self._show_state()

    @Slot()
    def _on_facts_changed(self) -> None:
        self._pause.start()
        self._show_state()

    @Slot()
    def _count(self) -> None:
        outline = self._outline
        if outline is None or self._is_writing or not self._text.body:
            return
        self._summaries.count(outline, self.keep.cut, self._text.body, self.facts.facts())

    # -- what is shown ------------------------------------------------------------------------------------------------

    def _is_stale(self) -> bool:
        """Whether more is to be covered than the text speaks of."""
        return self._draft is not None and not self._is_edited and self.keep.cut > self._draft.read

    def _show_facts(self) -> None:
        assert self._outline is not None
        self.facts.set_facts(self._outline.facts(self.keep.cut), self._outline.chosen_facts(self.keep.cut))

    def _show_state(self, sentence: str = "", *, is_error: bool = False) -> None:
        is_ready = bool(self._text.body) and not self._is_writing and not self._is_accepting
        saves = self._tokens_saved()
        self._accept.setEnabled(is_ready and saves is not None and saves > 0 and not self._is_stale())
        self._again.setEnabled(not self._is_writing and not self._is_accepting)
        self._mark_next(self._again if self._again.isEnabled() and not self._accept.isEnabled() else self._accept)
        self._text.setReadOnly(self._is_writing or self._is_accepting)
        self.keep.set_changeable(not self._is_accepting)
        self._show_numbers()
        self._show_status(sentence, is_error=is_error)

    def _mark_next(self, button: QPushButton) -> None:
        """Mark what is left to do, which Return does."""
        if not button.isDefault() or button.property("role") != "primary":
            for each, role in ((self._accept, ""), (self._again, ""), (button, "primary")):
                set_role(each, role)
            button.setDefault(True)

    def _show_status(self, sentence: str = "", *, is_error: bool = False) -> None:
        role = "error" if is_error else "muted"
        if not sentence:
            sentence, role = self._state(), "warning" if self._is_stale() else "muted"
        self._status.setText(sentence)
        set_role(self._status, role)

    def _state(self) -> str:
        if self._is_writing:
            recorder = self._summaries.recorder
            return self._describe(recorder) if recorder is not None else self.tr("preparing")
        if self._is_accepting:
            return self.tr("counting")
        if self._is_stale():
            return self.tr("The text does not speak of all that is to be covered: write it again, or keep more turns.")
        saved = self._tokens_saved()
        if saved is not None and saved <= 0:
            return self.tr("With this text the prompt would become no shorter.")
        if self._is_edited:
            return self.tr("Edited by you. Ctrl+Enter accepts it.")
        match self._draft.method if self._draft is not None else "":
            case "extracted":
                return self.tr("The model gave no usable summary: these are the first sentences, word for word.")
            case "parts":
                return self.tr("Read in parts, because the conversation did not fit into one prompt.")
            case "model":
                return self.tr("Nothing is changed until you accept it. The text can be edited.")
        return ""

    def _summary_tokens(self) -> tuple[int, bool]:
        """Return the size of the summary's text and whether it is an estimate."""
        assert self._outline is not None
        body, facts = self._text.body, self.facts.facts()
        if self._counted is not None and self._counted[:2] == (body, facts):
            return self._counted[2], False
        recorder = self._summaries.recorder
        if self._is_writing and recorder is not None:
            return recorder.completion_tokens + self._outline.facts_tokens(facts), True
        return self._outline.text_tokens(body, facts), True

    def _tokens_saved(self) -> int | None:
        if self._outline is None or self._is_writing or not self._text.body:
            return None
        return self._outline.tokens_before - self._outline.prompt_tokens(self.keep.cut, self._summary_tokens()[0])

    @Slot()
    def _show_numbers(self) -> None:
        outline = self._outline
        if outline is None:
            return
        tokens, is_estimate = self._summary_tokens()
        self.facts.show_tokens(outline.facts_tokens(self.facts.facts()))
        has_text = self._is_writing or bool(self._text.body)
        after = self._cost(outline.prompt_tokens(self.keep.cut, tokens)) if has_text else None
        before = self._cost(outline.tokens_before)
        if before.tpot_s is None:
            turns = list(self._session.turns.values())
            before = replace(before, tpot_s=turns[-1].stats.tpot_s if turns else None)
        self.numbers.show_costs(before, after, is_estimate=is_estimate)

    def _cost(self, tokens: int) -> PromptCost:
        speed = self._speed.speed
        fitted = (speed.ttft, speed.tpot) if speed is not None else (None, None)
        stats = [turn.stats for turn in self._session.turns.values()]
        return prompt_cost(tokens, self._session.series.model, stats, *fitted)
