"""One model of the hub: what it is, whether it may be had, its files and what fits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QUrl, Signal, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from ui import formatting
from ui.dialogs.models.empty import EmptyPage
from ui.dialogs.models.hub.files_model import NAME
from ui.dialogs.models.hub.files_table import FilesTable
from ui.dialogs.models.hub.repository_head import RepositoryHead
from ui.style_sheet import set_role
from ui.translation import joined

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent

    from ui.downloads_keeper import DownloadsKeeper
    from ui.hub_search import HubSearch
    from ui.hub_visit import Visit
    from ui.theme import Theme

CONTEXTS = tuple(2**power for power in range(11, 18))
"""Tokens, 2,048 to 131,072: what models are trained for."""
LONGEST_NAME = 32
"""Characters, on the button: a file without a quantisation is called by all of its name."""


class RepositoryPane(QStackedWidget):
    """Shows `HubSearch.visit`.

    Signals:
        load_requested: path of a model that is here.
        watch_requested: the user wants to see the downloads.
        link_activated: a page of the hub.
    """

    load_requested = Signal(str)
    watch_requested = Signal()
    link_activated = Signal(QUrl)

    def __init__(
        self, search: HubSearch, downloads: DownloadsKeeper, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._search = search
        self._downloads = downloads
        self._repo = ""
        self._own_choice = -1
        self.empty = EmptyPage("hub_repository_empty")
        self.head = RepositoryHead(theme)
        self.context = QComboBox()
        self.context.setObjectName("hub_context")
        self.context.setAccessibleName(self.tr("Context that is to fit"))
        self.context.setToolTip(self.tr("The context that is to fit: tokens of the conversation and its answers."))
        self.why = QLabel(wordWrap=True)
        self.why.setObjectName("hub_why")
        self.why.setTextFormat(Qt.TextFormat.PlainText)
        self.files = FilesTable(search, downloads, theme)
        self.act_button = QPushButton()
        self.act_button.setObjectName("hub_download")
        self.act_button.setProperty("role", "primary")
        self.act_button.setAutoDefault(False)
        self._lay_out()
        self.empty.acted.connect(search.look_again)
        self.empty.link_activated.connect(self.link_activated)
        self.context.activated.connect(self._on_context_chosen)
        self.files.acted.connect(self._act_on)
        self.files.current_changed.connect(self._on_current_changed)
        self.head.retry_requested.connect(search.look_again)
        self.head.link_activated.connect(self.link_activated)
        self.act_button.clicked.connect(self._act)
        search.visit_changed.connect(self.refresh)
        search.offer_changed.connect(self._on_offer)
        downloads.changed.connect(self._on_downloads)
        self.refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.head.fit(self.height())

    def _lay_out(self) -> None:
        self.addWidget(self.empty)
        self._full = QWidget()
        rows = QVBoxLayout(self._full)
        rows.setContentsMargins(8, 0, 0, 0)
        rows.setSpacing(8)
        rows.addWidget(self.head)
        asked = QHBoxLayout()
        asked.setSpacing(8)
        label = QLabel(self.tr("Context"))
        label.setBuddy(self.context)
        asked.addWidget(label)
        asked.addWidget(self.context)
        asked.addWidget(self.why, 1)
        rows.addLayout(asked)
        rows.addWidget(self.files, 1)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(self.act_button)
        rows.addLayout(foot)
        self.addWidget(self._full)
        self._fill_contexts()

    @Slot()
    def refresh(self) -> None:
        """Show what is known now."""
        visit = self._search.visit
        if visit is None or visit.phase != "ready":
            self._show_empty(visit)
            return
        repository = visit.repository
        assert repository is not None
        self.files.files.show()
        if not repository.variants and not repository.projectors:
            self.empty.say(self.tr("This model has no GGUF files: look for a conversion of it."))
            self.setCurrentWidget(self.empty)
            return
        self.setCurrentWidget(self._full)
        if self._repo != repository.repo:
            self._repo = repository.repo
            self._choose(0)
            self.files.scrollToTop()
        self.head.show_visit(visit)
        self._show_recommended()

    def _show_empty(self, visit: Visit | None) -> None:
        if visit is None:
            self.empty.say(
                self.tr("The files of the model you choose appear here, and which of them fit this machine.")
            )
        elif visit.phase == "failed" and visit.refusal is not None:
            self.empty.refuse(visit.refusal, self.tr("Try again"))
        else:
            self.empty.wait(self.tr("Asking for {}…").format(visit.found.repo))
        self._repo = ""
        self.setCurrentWidget(self.empty)

    def _show_recommended(self) -> None:
        visit = self._search.visit
        if visit is None:
            return
        why = self._search.why()
        if not visit.is_placed:
            why = self.tr("Reading the files' headers: {done} of {total}").format(
                done=formatting.count(len(visit.offers)), total=formatting.count(visit.n_asked)
            )
        elif visit.repository is not None and len(visit.repository.variants) > visit.n_asked:
            rest = self.tr(
                "Only the first {} headers are read automatically: choose another line to have its own read."
            )
            why = joined(why, rest.format(formatting.count(visit.n_asked)))
        self.why.setText(why)
        best = self.files.files.best_row()
        if best is not None and self.files.currentIndex().row() == self._own_choice:
            self._choose(best)  # the user has not chosen another line
        self._show_action()

    def _choose(self, row: int) -> None:
        self._own_choice = row
        self.files.setCurrentIndex(self.files.files.index(row, NAME))

    @Slot(int)
    def _on_offer(self, number: int) -> None:
        visit = self._search.visit
        if visit is None or visit.phase != "ready":
            return
        if visit.is_placed:
            self.files.files.refresh()
        else:
            self.files.files.refresh_row(number)
        self.head.show_notice(visit)
        self._show_recommended()

    @Slot()
    def _on_downloads(self) -> None:
        self.files.files.refresh()
        self._show_action()

    @Slot()
    def _on_current_changed(self) -> None:
        row = self.files.currentIndex().row()
        if row >= 0 and (number := self.files.files.row(row).number) is not None:
            self._search.look_into(number)
        self._show_action()

    @Slot()
    def _show_action(self) -> None:
        row = self.files.currentIndex().row()
        if row < 0:
            self.act_button.setVisible(False)
            return
        line = self.files.files.row(row)
        action, text = self.files.files.action(row)
        metrics = self.act_button.fontMetrics()
        name = metrics.elidedText(line.name, Qt.TextElideMode.ElideMiddle, LONGEST_NAME * metrics.averageCharWidth())
        match action:
            case "download":
                size = self.files.files.index(row, 1).data()
                text = self.tr("Download {name} ({size})").format(name=name, size=size)
            case "watch":
                text = self.tr("Show the downloads")
            case "load":
                text = self.tr("Load {}").format(name)
        offer = self._search.visit.offers.get(line.number) if self._search.visit and line.number is not None else None
        # What is not known to fit can be downloaded all the same, but it is not the thing to do next.
        is_next = offer is not None and offer.placing.place not in ("no", "unknown")
        set_role(self.act_button, "primary" if is_next or action != "download" else "")
        self.act_button.setText(text.replace("&", "&&"))
        self.act_button.setAccessibleName(text)
        self.act_button.setVisible(action != "none")

    @Slot()
    def _act(self) -> None:
        self._act_on(self.files.currentIndex().row())

    @Slot(int)
    def _act_on(self, row: int) -> None:
        line = self.files.files.row(row)
        match self.files.files.action(row)[0]:
            case "download":
                self._downloads.add(line.files)
            case "watch":
                self.watch_requested.emit()
            case "load" if line.variant is not None:
                self.load_requested.emit(str(self._search.path_of(line.variant)))

    def _fill_contexts(self) -> None:
        for n_ctx in sorted({*CONTEXTS, self._search.n_ctx}):
            self.context.addItem(formatting.tokens(n_ctx), n_ctx)
        self.context.setCurrentIndex(self.context.findData(self._search.n_ctx))

    @Slot(int)
    def _on_context_chosen(self, index: int) -> None:
        self._search.set_n_ctx(self.context.itemData(index))
