"""Hands for the page of models: open it, wait for what it finds, read and choose rows."""

from __future__ import annotations

from ui.dialogs.models.library.columns import COLUMNS
from ui.dialogs.models.library.page import LibraryPage

LONG_MS = 30_000


def open_page(desk, wait=True) -> LibraryPage:
    """Open the page, and wait until the disk was searched."""
    desk.parts.models_window.show_page("library_page")
    page = desk.window.findChild(LibraryPage)
    if wait:
        wait_until_listed(desk)
    return page


def wait_until_listed(desk) -> None:
    """Wait until a scan has ended."""
    disk = desk.parts.disk
    desk.qtbot.waitUntil(lambda: disk.is_listed and not disk.is_scanning, timeout=LONG_MS)


def wait_until_placed(desk) -> None:
    """Wait until it is known of every model where it goes."""
    disk = desk.parts.disk
    desk.qtbot.waitUntil(lambda: disk.is_listed and len(disk.placings) == len(disk.models), timeout=LONG_MS)


def names(page) -> list[str]:
    """Return the names in the order they are shown."""
    return [page.shown.model_at(row).name for row in range(page.shown.rowCount())]


def column(key: str) -> int:
    """Return the number of a column."""
    return [column.key for column in COLUMNS].index(key)


def cell(page, name: str, key: str) -> str:
    """Return what a cell shows."""
    return page.shown.index(names(page).index(name), column(key)).data()


def choose(page, *chosen: str) -> None:
    """Select the rows of these models."""
    page.table.choose(model.path for model in page._keeper.models.values() if model.name in chosen)
