"""What the pages of the models window share."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget


class ModelsPage(QWidget):
    """One page. It is made when the window is opened and gone when it is closed: what outlives it is a controller's.

    Signals:
        load_requested: path of a model file the user wants loaded; the window closes.
        page_requested: `objectName` of another page the user wants to see.
    """

    load_requested = Signal(str)
    page_requested = Signal(str)

    def title(self) -> str:
        """Name the page for its tab."""
        raise NotImplementedError

    def begin(self) -> None:
        """The page has come to the front, for the first time or again."""

    def end(self) -> None:
        """The window closes; answers under way are not waited for."""
