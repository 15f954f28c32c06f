"""The text widget for untrusted text: it opens no file, fetches nothing and follows no link by itself."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QSize, Qt, QUrl, Signal, Slot
from PySide6.QtGui import QImage, QTextDocument, QTextOption
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextBrowser

from ui.chat.markdown import is_safe_link
from ui.chat.tooltip import plain_tooltip

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QWheelEvent
    from PySide6.QtWidgets import QWidget


class SafeTextBrowser(QTextBrowser):
    """Shows text at its full height without scroll bars of its own; wheel and Escape go to the parent.

    Signals:
        link_activated: a web or mail link was clicked or entered; nothing has been opened.
    """

    link_activated = Signal(QUrl)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setUndoRedoEnabled(False)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextBrowserInteraction | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.viewport().setAutoFillBackground(False)
        self.document().setDocumentMargin(0)
        self.anchorClicked.connect(self._on_anchor_clicked)
        self.highlighted.connect(self._on_highlighted)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer what can be done with selected text or a link; the rest is the message's to offer."""
        if self.textCursor().hasSelection() or self.anchorAt(event.pos()):
            super().contextMenuEvent(event)
        else:
            event.ignore()

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Give an empty picture or nothing for whatever is asked for; Qt would look on the disk."""
        if kind == QTextDocument.ResourceType.ImageResource.value:
            return QImage(1, 1, QImage.Format.Format_ARGB32)
        return QByteArray()

    @contextmanager
    def still_selection(self) -> Iterator[None]:
        """Keep the user's cursor and selection where they are while text is added at the end.

        Qt moves a cursor along that stands where text is put in, and scrolls to it.
        """
        before = self.textCursor()
        anchor, position = before.anchor(), before.position()
        yield
        cursor = self.textCursor()
        if (cursor.anchor(), cursor.position()) != (anchor, position):
            end = self.document().characterCount() - 1
            cursor.setPosition(min(anchor, end))
            cursor.setPosition(min(position, end), cursor.MoveMode.KeepAnchor)
            self.setTextCursor(cursor)

    def fit(self, width: int) -> int:
        """Lay the text out in this width and return its height."""
        document = self.document()
        if self.width() != width:
            self.resize(width, max(1, self.height()))
        for _ in range(2):  # the first time, a change still waiting may make QTextEdit take its former width again
            if document.textWidth() != width:  # setting even the same width lays everything out anew
                document.setTextWidth(width)
        return round(document.size().height() + 0.49)

    def text_width(self) -> int:
        """Return the width of the longest line as it is laid out."""
        widest = 0.0
        block = self.document().firstBlock()
        while block.isValid():
            layout = block.layout()
            widest = max([widest, *(layout.lineAt(i).naturalTextWidth() for i in range(layout.lineCount()))])
            block = block.next()
        return round(widest + 1.5)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)

    def wheelEvent(self, event: QWheelEvent) -> None:
        sideways = abs(event.angleDelta().x()) > abs(event.angleDelta().y())
        if sideways and self.horizontalScrollBar().maximum() > 0:
            super().wheelEvent(event)
        else:
            event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            event.ignore()
        else:
            super().keyPressEvent(event)

    @Slot(QUrl)
    def _on_anchor_clicked(self, url: QUrl) -> None:
        if is_safe_link(url.toString()):
            self.link_activated.emit(url)

    @Slot(QUrl)
    def _on_highlighted(self, url: QUrl) -> None:
        self.setToolTip(plain_tooltip(url.toString()))
