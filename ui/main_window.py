"""The window: the parts and where they stand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QEvent, QSettings, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QPushButton,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from ui.chat.composer import Composer
from ui.chat.room_bar import RoomBar
from ui.chat.transcript import Transcript
from ui.icons import keep_icon
from ui.model_selector import ModelSelector
from ui.notice_bar import NoticeBar
from ui.panels.diagnosis import DiagnosisStrip
from ui.panels.gauge import ContextGauge
from ui.panels.memory import MemoryPanel
from ui.panels.panel_column import PanelColumn
from ui.panels.status_line import StatusLine
from ui.panels.tpot import TpotPanel
from ui.panels.ttft import TtftPanel
from ui.sidebar.conversation_list import ConversationList
from ui.welcome import WelcomePage
from ui.window_actions import WindowActions

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import QMimeData
    from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QPaintEvent

    from ui.theme import Theme

MINIMUM_SIZE = (900, 600)
FIRST_SIZE = (1360, 860)
COLUMN_WIDTHS = (220, 740, 400)
MARGIN = 8
PAUSE_MS = 20
"""After the first frame: what the user has typed by then goes before what is slow."""


class MainWindow(QMainWindow):
    """Views only: every decision is a controller's.

    Attributes:
        may_close: asked before the window closes.

    Signals:
        first_painted: the window is on the screen; what is slow may begin.
        closing: the window is hidden and all behind it must end before this signal returns.
        model_dropped: path of a file dropped onto the window.
    """

    first_painted = Signal()
    closing = Signal()
    model_dropped = Signal(str)

    def __init__(self, theme: Theme, state: QSettings) -> None:
        super().__init__()
        self._state = state
        self._is_painted = False
        self._is_closed = False
        self.may_close: Callable[[], bool] = lambda: True
        self._freed = ("", "")
        self.setObjectName("main_window")
        self.setWindowTitle("Tokometer")
        self.setMinimumSize(*MINIMUM_SIZE)
        self.setAcceptDrops(True)
        self.menu_actions = WindowActions(self)
        self.model_selector = ModelSelector(theme)
        self.state_label = QLabel()
        self.state_label.setProperty("role", "muted")
        self.state_label.setTextFormat(Qt.TextFormat.PlainText)
        self.gauge = ContextGauge(theme)
        self.summarise_button = QPushButton()
        self.summarise_button.setObjectName("summarise_button")
        self.summarise_button.setEnabled(False)
        keep_icon(self.summarise_button, "summarise", theme)
        self.new_button = QPushButton()
        self.new_button.setObjectName("new_conversation_button")
        keep_icon(self.new_button, "plus", theme)
        self.conversation_list = ConversationList(theme)
        self.undo_bar = NoticeBar(theme, "undo_bar", is_narrow=True)
        self.notice_bar = NoticeBar(theme, "notice_bar")
        self.transcript = Transcript(theme)
        self.welcome = WelcomePage(theme)
        self.composer = Composer(theme)
        self.room_bar = RoomBar(theme, self.composer.editor)
        self.ttft_panel, self.tpot_panel, self.memory_panel = TtftPanel(theme), TpotPanel(theme), MemoryPanel(theme)
        self.panels = PanelColumn(
            self.ttft_panel, self.tpot_panel, self.memory_panel, DiagnosisStrip(theme), theme.zoom
        )
        self.status_line = StatusLine(theme)
        self._sidebar = QWidget()
        self._centre = QStackedWidget()
        self._columns = QSplitter(Qt.Orientation.Horizontal, childrenCollapsible=False)
        self._lay_out()
        self._connect()
        self._retranslate()
        self._restore_state()
        self.composer.focus_editor()

    def show_welcome(self, shown: bool) -> None:
        """Show how to get a model in place of the conversation; whoever was there goes on to write."""
        focused = self.focusWidget()
        was_there = self._centre.currentWidget() is self.welcome and (
            focused is None or focused is self.welcome or self.welcome.isAncestorOf(focused)
        )
        self._centre.setCurrentWidget(self.welcome if shown else self.transcript)
        if was_there and not shown:
            self.composer.focus_editor()

    def show_freed(self, new: str, summarise: str) -> None:
        """Say at the buttons what they free, before they are pressed; empty while it is not known."""
        self._freed = (new, summarise)
        self.conversation_list.set_freed(new)
        self._show_tooltips()

    def raise_to_front(self) -> None:
        """Come before the other windows."""
        if self.isMinimized():
            self.showNormal()
        self.show()
        self.raise_()
        self.activateWindow()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Tell once that the first frame was drawn."""
        super().paintEvent(event)
        if not self._is_painted:
            self._is_painted = True
            QTimer.singleShot(PAUSE_MS, self, self._on_first_painted)

    @Slot()
    def _on_first_painted(self) -> None:
        self.first_painted.emit()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Vanish at once; then end all that works behind the window."""
        if not self._is_closed and not self.may_close():
            event.ignore()
            return
        event.accept()
        if self._is_closed:
            return
        self._is_closed = True
        self._save_state()
        self.hide()
        self.closing.emit()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _dropped_file(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        if path := _dropped_file(event.mimeData()):
            event.acceptProposedAction()
            self.model_dropped.emit(path)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _lay_out(self) -> None:
        bar = QHBoxLayout()
        bar.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        bar.setSpacing(MARGIN)
        self.state_label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        bar.addWidget(self.model_selector)
        bar.addWidget(self.state_label, 1)
        bar.addWidget(self.gauge, 2)
        bar.addWidget(self.summarise_button)
        bar.addWidget(self.new_button)
        sidebar = _column(self._sidebar, self.conversation_list, _framed(self.undo_bar))
        sidebar.setStretch(0, 1)
        self._centre.addWidget(self.transcript)
        self._centre.addWidget(self.welcome)
        conversation = QWidget()
        parts = (_framed(self.notice_bar), self._centre, self.room_bar, self.composer)
        _column(conversation, *parts).setStretch(1, 1)
        self._sidebar.setMinimumWidth(160)
        conversation.setMinimumWidth(360)
        for widget in (self._sidebar, conversation, self.panels):
            self._columns.addWidget(widget)
        self._columns.setStretchFactor(1, 3)
        self._columns.setStretchFactor(2, 1)
        self._columns.setSizes(list(COLUMN_WIDTHS))
        page = QWidget()
        rows = _column(page, bar, self._columns, self.status_line)
        rows.setStretch(1, 1)
        self.setCentralWidget(page)
        for first, second in zip(self._tab_order(), self._tab_order()[1:], strict=False):
            QWidget.setTabOrder(first, second)

    def _tab_order(self) -> list[QWidget]:
        return [
            self.composer,
            self.transcript,
            self.model_selector,
            self.gauge,
            self.summarise_button,
            self.new_button,
            self.conversation_list,
            self.panels,
        ]

    def _connect(self) -> None:
        self.menu_actions["sidebar"].toggled.connect(self._sidebar.setVisible)
        self.menu_actions["panels"].toggled.connect(self.panels.setVisible)

    def _retranslate(self) -> None:
        self.menu_actions.retranslate()
        self.summarise_button.setText(self.tr("Summarise"))
        self.summarise_button.setAccessibleName(self.tr("Summarise the conversation"))
        self.new_button.setText(self.tr("New"))
        self.new_button.setAccessibleName(self.tr("New conversation"))
        self._show_tooltips()
        self.transcript.set_empty_text(
            self.tr("Ask something"),
            self.tr("While the answer is written, the charts show where the time and the memory go."),
        )

    def _show_tooltips(self) -> None:
        new, summarise = self._freed
        condense = self.tr(
            "Let the model condense the older turns, so that they take less of the context. Can be undone."
        )
        empty = self.tr("Start an empty conversation and empty the KV cache. This one is kept.")
        for button, text in ((self.summarise_button, f"{condense}\n{summarise}"), (self.new_button, f"{empty}\n{new}")):
            button.setToolTip(text.strip())

    def _restore_state(self) -> None:
        self.resize(*FIRST_SIZE)
        geometry = self._state.value("geometry", QByteArray(), type=QByteArray)
        if isinstance(geometry, QByteArray) and not geometry.isEmpty():
            self.restoreGeometry(geometry)
        columns = self._state.value("columns", QByteArray(), type=QByteArray)
        if isinstance(columns, QByteArray) and not columns.isEmpty():
            self._columns.restoreState(columns)
        for name, widget in (("sidebar", self._sidebar), ("panels", self.panels)):
            shown = self._state.value(name, True, type=bool)
            self.menu_actions[name].setChecked(bool(shown))
            widget.setVisible(bool(shown))

    def _save_state(self) -> None:
        self._state.setValue("geometry", self.saveGeometry())
        self._state.setValue("columns", self._columns.saveState())
        for name in ("sidebar", "panels"):
            self._state.setValue(name, self.menu_actions[name].isChecked())
        self._state.sync()


def _framed(widget: QWidget) -> QHBoxLayout:
    """Give a widget a margin of its own, which goes with it when it is hidden."""
    layout = QHBoxLayout()
    layout.setContentsMargins(MARGIN, 0, MARGIN, 0)
    layout.addWidget(widget)
    return layout


def _column(parent: QWidget, *parts: QWidget | QHBoxLayout) -> QVBoxLayout:
    layout = QVBoxLayout(parent)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(0)
    for part in parts:
        if isinstance(part, QWidget):
            layout.addWidget(part)
        else:
            layout.addLayout(part)
    return layout


def _dropped_file(data: QMimeData) -> str:
    """Return the path of a single local GGUF file, else nothing."""
    paths = [url.toLocalFile() for url in data.urls() if url.isLocalFile()]
    return paths[0] if len(paths) == 1 and Path(paths[0]).suffix.lower() == ".gguf" else ""
