"""Keeps the chosen line of a list in view while the text or the list changes its size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Slot

if TYPE_CHECKING:
    from PySide6.QtWidgets import QAbstractItemView


class ChosenInView(QObject):
    """Scrolls up or down to the line whenever there is more or less to scroll, unless the user has left it.

    The view already has its model.
    """

    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._view = view
        self._was_seen = False
        view.viewport().installEventFilter(self)
        view.selectionModel().currentChanged.connect(self._on_chosen)
        view.verticalScrollBar().rangeChanged.connect(self._keep)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            line, seen = self._view.visualRect(self._view.currentIndex()), self._view.viewport().rect()
            self._was_seen = line.top() <= seen.bottom() and line.bottom() >= seen.top()
        return super().eventFilter(watched, event)

    @Slot()
    def _on_chosen(self) -> None:
        self._was_seen = True  # the view scrolls to it

    @Slot()
    def _keep(self) -> None:
        if self._was_seen:
            across = self._view.horizontalScrollBar()
            place = across.value()
            self._view.scrollTo(self._view.currentIndex())
            across.setValue(place)
