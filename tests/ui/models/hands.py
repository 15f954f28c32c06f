"""Hands that use the models window, and files for a hub."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QWidget

from tests.gguf_files import header_bytes
from tests.hub_server import HubServer, StoredFile
from ui.dialogs.models.dialog import ModelsDialog

REPO = "maker/model-GGUF"


def put(hub: HubServer, name: str, mib: int, repo: str = REPO) -> StoredFile:
    """Put a file on the hub whose header promises so many MiB of weights; they are zeros."""
    head = header_bytes({"general.architecture": "llama"}, [("w", (1024, 256 * mib))])
    size = len(head) + mib * 1024**2
    stored = StoredFile(size, "", lambda start, end: head[start:end].ljust(end - start, b"\0"))
    hub.files.setdefault(repo, {})[name] = stored
    return stored


class Models:
    """The window with its search and downloads."""

    def __init__(self, desk) -> None:
        self.desk = desk
        self.qtbot = desk.qtbot
        self.open()

    def open(self, page: str = "hub_page") -> None:
        self.desk.parts.models_window.show_page(page)
        self.dialog = self.desk.window.findChild(ModelsDialog)
        self.search = self.desk.parts.models_window._search
        self.downloads = self.desk.parts.downloads
        self.page = self.dialog.page("hub_page")
        self.pane = self.page.repository

    def find(self, name: str) -> QWidget:
        return self.dialog.findChild(QWidget, name)

    def click(self, name: str) -> None:
        self.qtbot.mouseClick(self.find(name), Qt.MouseButton.LeftButton)

    def wait(self, condition) -> None:
        self.qtbot.waitUntil(lambda: bool(condition()), timeout=20_000)

    def look_for(self, text: str) -> None:
        """Type, press Enter, and wait for what is found."""
        field = self.find("hub_text")
        field.clear()
        self.qtbot.keyClicks(field, text)
        self.qtbot.keyClick(field, Qt.Key.Key_Return)
        self.wait(lambda: self.search.phase in ("ready", "failed"))

    def hits(self) -> list[str]:
        model = self.page.hits.hits
        return [model.hit(row).repo for row in range(model.rowCount())]

    def look_at(self, repo: str = REPO) -> None:
        """Choose a hit, and wait until all is known of it."""
        self.page.hits.setCurrentIndex(self.page.hits.hits.index(self.hits().index(repo)))
        self.wait(lambda: self.search.visit.phase == "failed" or self.search.visit.is_placed)

    def lines(self) -> list[list[str]]:
        """The table as it is shown."""
        model = self.pane.files.files
        return [
            [model.index(row, column).data() for column in range(model.columnCount())]
            for row in range(model.rowCount())
        ]

    def press(self, line: str) -> None:
        """Click the button of a line."""
        table = self.pane.files
        row = [cells[0].split(" · ")[0] for cells in self.lines()].index(line)
        place = table.visualRect(table.files.index(row, table.files.columnCount() - 1)).center()
        self.qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)

    def states(self) -> list[str]:
        return [batch.state for batch in self.downloads.batches]

    def wait_for_states(self, *states: str) -> None:
        self.wait(lambda: self.states() == list(states))

    def button(self, verb: str, number: int = 0) -> QAbstractButton:
        """The button of a row on the page of downloads."""
        rows = list(self.dialog.page("downloads_page")._rows.values())
        return rows[number].buttons[verb]
