"""Where the wait for each answer went: a turn as time, and its parts as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.telemetry.waiting import wait_of
from app.telemetry.words.timeline import timeline
from app.units import NS_PER_S
from ui import formatting
from ui.dialogs.speed.timeline_view import TimelineView
from ui.waits import WaitBarOf, part_definition, part_name

if TYPE_CHECKING:
    from PySide6.QtGui import QShowEvent

    from app.telemetry.timings import TurnStats
    from app.telemetry.waiting import Wait
    from ui.dialogs.speed.sources import Sources

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class TimelinePage(QWidget):
    """The last turn, until the user chooses another one."""

    def __init__(self, sources: Sources, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sources = sources
        self._turns: list[tuple[str, TurnStats]] = []
        self._chosen = ""
        self._label = QLabel()
        self.turn = QComboBox()
        self.turn.setObjectName("timeline_turn")
        self.turn.activated.connect(self._on_chosen)
        self._label.setBuddy(self.turn)
        self.view = TimelineView(sources.theme)
        self.rows = QTreeWidget()
        self.rows.setObjectName("timeline_rows")
        self.rows.setProperty("role", "table")
        self.rows.setRootIsDecorated(False)
        header = self.rows.header()
        header.setStretchLastSection(True)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self._check = QLabel(wordWrap=True)
        self._check.setObjectName("timeline_check")
        self._check.setProperty("role", "muted")
        row = QHBoxLayout()
        row.addWidget(self._label)
        row.addWidget(self.turn)
        row.addStretch()
        rows = QVBoxLayout(self)
        rows.addLayout(row)
        rows.addWidget(self.view)
        rows.addWidget(self.rows, 1)
        rows.addWidget(self._check)
        sources.chat.answer_ended.connect(self.refresh)
        sources.chat.answer_shown.connect(self.refresh)
        sources.chat.session_changed.connect(self.refresh)
        self._retranslate()

    def choose(self, message_id: str) -> None:
        """Show the turn of this answer; empty shows the last one."""
        self._chosen = message_id
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Draw what changed."""
        if not self.isVisible():
            return
        self._turns = self._sources.turns()
        ids = [message_id for message_id, _ in self._turns]
        self.turn.clear()
        self.turn.addItems([self.tr("turn {}").format(formatting.count(n + 1)) for n in range(len(ids))])
        self.turn.setEnabled(bool(ids))
        place = ids.index(self._chosen) if self._chosen in ids else len(ids) - 1
        self.turn.setCurrentIndex(place)
        stats = self._turns[place][1] if ids else None
        wait = wait_of(stats) if stats is not None else None
        self.view.show_turn(timeline(stats, wait) if stats is not None and wait is not None else None, wait)
        self.view.setAccessibleDescription(WaitBarOf(wait).text() if wait is not None else self._nothing())
        self._fill(wait)
        self._check.setText(self._checked() if wait is not None else self._nothing())
        self._check.setAlignment(_LEFT if wait is not None else Qt.AlignmentFlag.AlignCenter)
        for widget in (self._label, self.turn, self.view, self.rows):
            widget.setVisible(wait is not None)

    def _fill(self, wait: Wait | None) -> None:
        self.rows.clear()
        for part in wait.parts if wait is not None else ():
            assert wait is not None
            share = formatting.percent(part.ns / wait.wall_ns) if wait.wall_ns else ""
            tokens = formatting.count(part.tokens) if part.tokens is not None else ""
            time = formatting.duration(part.ns / NS_PER_S)
            row = QTreeWidgetItem([part_name(part.name), time, share, tokens, part_definition(part.name)])
            for column in (1, 2, 3):
                row.setTextAlignment(column, _RIGHT)
            self.rows.addTopLevelItem(row)

    def _checked(self) -> str:
        check = self._sources.chat.wait_check
        if not check.answers:
            return self.tr("The parts add up to the time from Send until the whole answer is on screen.")
        text = self.tr(
            "The parts add up to the time from Send until the whole answer is on screen; over {answers} of this window "
            "they and the wall time differed by at most {worst}."
        )
        return text.format(answers=formatting.turn_count(check.answers), worst=formatting.duration(check.worst_s))

    def _nothing(self) -> str:
        return self.tr("After an answer its time is drawn here: reading the prompt, then writing token by token.")

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _retranslate(self) -> None:
        self._label.setText(self.tr("Answer"))
        self.turn.setAccessibleName(self.tr("Answer"))
        self.view.setAccessibleName(self.tr("Timeline"))
        self.rows.setAccessibleName(self.tr("Parts of the wait"))
        titles = (self.tr("Part"), self.tr("Time"), self.tr("Share"), self.tr("Tokens"), self.tr("What it is"))
        self.rows.setHeaderLabels(list(titles))
        self.refresh()

    @Slot(int)
    def _on_chosen(self, index: int) -> None:
        is_last = index == len(self._turns) - 1
        self.choose("" if is_last else self._turns[index][0])
