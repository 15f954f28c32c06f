"""The page that searches the hub: the hits at the left, one of them at the right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QSettings, Qt, QTimer, QUrl, Signal, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.hub.search import SORTS
from ui.dialogs.models.empty import EmptyPage
from ui.dialogs.models.hub.hits import HitsList
from ui.dialogs.models.hub.repository_pane import RepositoryPane
from ui.dialogs.models.page import ModelsPage
from ui.search_field import SearchField
from ui.style_sheet import set_role

if TYPE_CHECKING:
    from ui.downloads_keeper import DownloadsKeeper
    from ui.hub_search import HubSearch
    from ui.theme import Theme

TYPING_PAUSE_MS = 400
"""A search goes over the network: it waits until the typing pauses."""
COLUMN_WIDTHS = (280, 760)
LEAST_WIDTHS = (220, 420)
COLUMNS_KEY = "hub_columns"


class HubPage(ModelsPage):
    """A view of the search and the downloads. Nothing is asked of the hub before the user asks for it.

    Signals:
        link_activated: a page of the hub the user wants to open.
    """

    link_activated = Signal(QUrl)

    def __init__(
        self,
        search: HubSearch,
        downloads: DownloadsKeeper,
        theme: Theme,
        state: QSettings,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("hub_page")
        self._state = state
        self._search = search
        self._downloads = downloads
        self.text = SearchField(theme, "search")
        self.text.setObjectName("hub_text")
        self.text.setPlaceholderText(self.tr("Search models on the hub"))
        self.text.setAccessibleName(self.tr("Search models on the hub"))
        self.text.setText(search.text)
        self._pause = QTimer(self, singleShot=True, interval=TYPING_PAUSE_MS)
        self.order = QComboBox()
        self.order.setObjectName("hub_sort")
        self.order.setAccessibleName(self.tr("Order"))
        names = {
            "downloads": self.tr("Most downloads"),
            "likes": self.tr("Most likes"),
            "recent": self.tr("Newest"),
        }
        for sort in SORTS:
            self.order.addItem(names[sort], sort)
        self.order.setCurrentIndex(self.order.findData(search.sort))
        self.empty = EmptyPage("hub_empty")
        self.hits = HitsList(theme)
        self.more_button = QPushButton()
        self.more_button.setObjectName("hub_more")
        self.more_button.setAutoDefault(False)
        self.more_fault = QLabel(wordWrap=True)
        self.more_fault.setObjectName("hub_more_fault")
        self.more_fault.setTextFormat(Qt.TextFormat.PlainText)
        self.repository = RepositoryPane(search, downloads, theme)
        self._left = QStackedWidget()
        self._columns = QSplitter(Qt.Orientation.Horizontal, childrenCollapsible=False)
        self._lay_out()
        self.text.textEdited.connect(self._on_edited)
        self.text.returnPressed.connect(self._search_now)
        self._pause.timeout.connect(self._search_now)
        self.order.activated.connect(self._search_now)
        self.empty.acted.connect(self._search_now)
        self.more_button.clicked.connect(search.show_more)
        self.hits.chosen.connect(search.look_at)
        self.repository.load_requested.connect(self.load_requested)
        self.repository.watch_requested.connect(self._show_downloads)
        self.repository.link_activated.connect(self.link_activated)
        search.hits_changed.connect(self._refresh)
        downloads.finished.connect(self._on_finished)
        self._refresh()

    def title(self) -> str:
        return self.tr("Search the hub")

    def begin(self) -> None:
        """Be ready to type."""
        self.text.setFocus()
        self._search.find_files()

    def end(self) -> None:
        """Ask nothing more for a text that was being typed; keep the widths of the columns."""
        self._pause.stop()
        self._state.setValue(COLUMNS_KEY, self._columns.saveState())

    def _lay_out(self) -> None:
        bar = QHBoxLayout()
        bar.setSpacing(8)
        bar.addWidget(self.text, 1)
        bar.addWidget(self.order)
        full = QWidget()
        left = QVBoxLayout(full)
        left.setContentsMargins(0, 0, 8, 0)
        left.setSpacing(8)
        left.addWidget(self.hits, 1)
        left.addWidget(self.more_fault)
        left.addWidget(self.more_button)
        self._left.addWidget(self.empty)
        self._left.addWidget(full)
        # Without stretch factors both columns grow with the window.
        # The left column may not be narrower than its buttons, the right one than its table.
        for widget, inside, width in zip(
            (self._left, self.repository), (self.hits, self.repository), LEAST_WIDTHS, strict=True
        ):
            inside.setMinimumWidth(width)
            self._columns.addWidget(widget)
        kept = self._state.value(COLUMNS_KEY, QByteArray(), type=QByteArray)
        if not (isinstance(kept, QByteArray) and self._columns.restoreState(kept)):
            self._columns.setSizes(list(COLUMN_WIDTHS))
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 8, 0, 0)
        rows.setSpacing(8)
        rows.addLayout(bar)
        rows.addWidget(self._columns, 1)

    @Slot()
    def _on_edited(self) -> None:
        self._pause.start()

    @Slot()
    def _search_now(self) -> None:
        self._pause.stop()
        self._search.search(self.text.text().strip(), self.order.currentData())

    @Slot()
    def _refresh(self) -> None:
        """Show the hits, or why there are none."""
        search = self._search
        if search.hits:
            self.hits.hits.set_hits(search.hits)
            self._select_visit()
            self._left.setCurrentIndex(1)
            self._show_more_button()
            return
        self.hits.hits.set_hits(())
        self._left.setCurrentWidget(self.empty)
        if search.phase == "none":
            text = self.tr(
                "Models to download are on the Hugging Face hub. Type what you are looking for, or see what others use."
            )
            self.empty.say(text, self.tr("Show the most downloaded"))
        elif search.phase == "loading":
            self.empty.wait(self.tr("Searching…"))
        elif search.refusal is not None:
            self.empty.refuse(search.refusal, self.tr("Try again"))
        else:
            text = self.tr("The hub has no GGUF models for “{}”. Try fewer or other words.")
            self.empty.say(text.format(search.text))

    def _show_more_button(self) -> None:
        search = self._search
        self.more_button.setEnabled(search.phase != "loading")
        self.more_button.setVisible(search.may_have_more or search.phase in ("loading", "failed"))
        refusal = search.refusal if search.phase == "failed" else None
        self.more_fault.setVisible(refusal is not None)
        if refusal is not None:
            self.more_fault.setText(refusal.sentence)
            set_role(self.more_fault, "muted" if refusal.is_offline else "error")
            self.more_button.setText(self.tr("Try again"))
        else:
            self.more_button.setText(self.tr("Searching…") if search.phase == "loading" else self.tr("Show more"))

    def _select_visit(self) -> None:
        """Find what is looked at in another list, or in the same one when the window is opened again."""
        visit = self._search.visit
        if visit is None or self.hits.currentIndex().isValid():
            return
        for row in range(self.hits.hits.rowCount()):
            if self.hits.hits.hit(row).repo == visit.found.repo:
                self.hits.setCurrentIndex(self.hits.hits.index(row))

    @Slot()
    def _show_downloads(self) -> None:
        self.page_requested.emit("downloads_page")

    @Slot()
    def _on_finished(self) -> None:
        self._search.find_files()
