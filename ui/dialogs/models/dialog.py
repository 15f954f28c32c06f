"""The models window: its pages behind tabs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QDialog, QTabWidget, QVBoxLayout, QWidget

from ui.dialogs.models.page import ModelsPage

if TYPE_CHECKING:
    from collections.abc import Sequence

FIRST_SIZE = (1080, 720)
MINIMUM_SIZE = (760, 480)


class ModelsDialog(QDialog):
    """Stays open beside the conversation. A page is asked for by its `objectName`.

    Signals:
        load_requested: path of a model file; the window has closed.
    """

    load_requested = Signal(str)

    def __init__(self, pages: Sequence[ModelsPage], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("models_dialog")
        self.setWindowTitle(self.tr("Models"))
        self.setAccessibleName(self.tr("Models"))
        self.setWindowFlag(Qt.WindowType.WindowMaximizeButtonHint)
        self.setMinimumSize(*MINIMUM_SIZE)
        self.tabs = QTabWidget()
        self.tabs.setObjectName("models_pages")
        self.tabs.setAccessibleName(self.tr("Models"))
        for page in pages:
            self.tabs.addTab(page, page.title())
            page.load_requested.connect(self._on_load_requested)
            page.page_requested.connect(self.show_page)
        layout = QVBoxLayout(self)
        layout.addWidget(self.tabs)
        self.resize(*FIRST_SIZE)
        self.tabs.currentChanged.connect(self._begin_page)

    def page(self, name: str) -> ModelsPage | None:
        """Return the page of this `objectName`, None when there is none."""
        return self.findChild(ModelsPage, name)

    @Slot(str)
    def show_page(self, name: str) -> None:
        """Bring a page to the front; the first one for an empty or unknown name."""
        page = self.page(name) if name else None
        self.tabs.setCurrentIndex(self.tabs.indexOf(page) if page is not None else 0)
        self._begin_page()

    def done(self, result: int) -> None:
        """Close; downloads go on."""
        for page in self._pages():
            page.end()
        super().done(result)

    @Slot()
    def _begin_page(self) -> None:
        page = self.tabs.currentWidget()
        if isinstance(page, ModelsPage):
            page.begin()

    @Slot(str)
    def _on_load_requested(self, path: str) -> None:
        self.close()
        self.load_requested.emit(path)

    def _pages(self) -> list[ModelsPage]:
        pages = [self.tabs.widget(index) for index in range(self.tabs.count())]
        return [page for page in pages if isinstance(page, ModelsPage)]
