"""What one model of the hub is, and what stands between the user and its files."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, QUrl, Signal, Slot
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from app.hub.endpoint import endpoint
from app.hub.names import printable
from ui import formatting
from ui.dialogs.models import words
from ui.hub_thread import Refusal
from ui.icons import keep_icon
from ui.notice_bar import NoticeBar
from ui.panels.labels import ElidedLabel
from ui.style_sheet import set_role
from ui.translation import joined

if TYPE_CHECKING:
    from ui.hub_visit import Visit
    from ui.theme import Theme

SUMMARY_LINES = 5
OTHER_LINES = 16
"""What else stands in the pane, with a few files: where there is no more room, what the makers say gives way."""


class RepositoryHead(QWidget):
    """Plain text only, whatever the hub sends.

    Signals:
        retry_requested: the user has done something about what the notice says.
        link_activated: the model's page.
    """

    retry_requested = Signal()
    link_activated = Signal(QUrl)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._repo = ""
        self._pane_height = 0
        self.title = ElidedLabel(mode=Qt.TextElideMode.ElideMiddle)
        self.title.setObjectName("hub_title")
        self.title.setProperty("role", "title")
        self.facts = ElidedLabel()
        self.facts.setObjectName("hub_facts")
        self.facts.setProperty("role", "muted")
        self.page_button = QPushButton(words.hub_page())
        self.page_button.setObjectName("hub_page_button")
        self.page_button.setAutoDefault(False)
        self.notice = NoticeBar(theme, "hub_notice")
        self.summary = QPlainTextEdit(readOnly=True)
        self.summary.setObjectName("hub_summary")
        self.summary.setProperty("role", "bare")
        self.summary.setAccessibleName(self.tr("What its makers say"))
        self.summary.setTabChangesFocus(True)
        self.summary.document().setDocumentMargin(0)
        self.summary.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)  # blanks at a line's end
        names = QVBoxLayout()
        names.setSpacing(2)
        names.addWidget(self.title)
        names.addWidget(self.facts)
        head = QHBoxLayout()
        head.addLayout(names, 1)
        head.addWidget(self.page_button, 0, Qt.AlignmentFlag.AlignTop)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(8)
        rows.addLayout(head)
        rows.addWidget(self.notice)
        rows.addWidget(self.summary)
        self._fit_summary()
        self._lead_to_page(False)
        self.page_button.clicked.connect(self._open_page)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit_summary()

    def fit(self, pane_height: int) -> None:
        """Leave the files their room in a pane of this height."""
        self._pane_height = pane_height
        self._fit_summary()

    def _fit_summary(self) -> None:
        margins = self.summary.contentsMargins()
        line = math.ceil(QFontMetricsF(self.font()).lineSpacing())  # as the text is laid out
        lines = min(SUMMARY_LINES, self._pane_height // line - OTHER_LINES)
        self.summary.setVisible(lines > 0 and not self.summary.document().isEmpty())
        self.summary.setFixedHeight(max(lines, 1) * line + margins.top() + margins.bottom())

    def show_visit(self, visit: Visit) -> None:
        """Show a repository that was read."""
        repository = visit.repository
        assert repository is not None
        self._repo = repository.repo
        self.title.setText(repository.repo)
        facts = [
            self.tr("licence {}").format(repository.licence) if repository.licence else self.tr("licence not stated"),
            words.parameters(visit.found.n_params) if visit.found.n_params else "",
            words.downloads(repository.downloads, formatting.count),
            words.likes(repository.likes, formatting.count),
        ]
        self.facts.setText(" · ".join(fact for fact in facts if fact))
        if visit.summary != self.summary.toPlainText():
            self.summary.setPlainText(visit.summary or "")
        self._fit_summary()
        self.show_notice(visit)

    def show_notice(self, visit: Visit) -> None:
        """Say what stands between the user and the files; where the model's page helps, its button is the next step."""
        assert visit.repository is not None
        refused = next((header for header in visit.headers.values() if isinstance(header, Refusal)), None)
        has_header = any(not isinstance(header, Refusal) for header in visit.headers.values())
        if refused is not None and not has_header:
            text = printable(refused.sentence)
            if not visit.repository.gated:
                text = joined(self.tr("Whether these files fit is not known."), text)
            self.notice.offer(text, self.tr("Try again"), self._retry, "warning")
            self._lead_to_page(bool(refused.page))
        else:
            self.notice.dismiss()
            self._lead_to_page(False)

    def _lead_to_page(self, is_next: bool) -> None:
        set_role(self.page_button, "primary" if is_next else "")
        keep_icon(self.page_button, "external-link", self._theme, "on_accent" if is_next else "text")

    def _retry(self) -> None:
        self.retry_requested.emit()

    @Slot()
    def _open_page(self) -> None:
        self.link_activated.emit(QUrl(f"{endpoint()}/{self._repo}"))
