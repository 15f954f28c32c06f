"""Where a form scrolls when the dialog is lower than it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget


class FormArea(QScrollArea):
    """Scrolls downwards only, and is always as wide as the form needs, whatever the size of text becomes."""

    def __init__(self, form: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._form = form
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(form)

    @property
    def least_width(self) -> int:
        """The form's, and the scroll bar's beside it."""
        return self._form.minimumSizeHint().width() + self.verticalScrollBar().sizeHint().width()

    def sizeHint(self) -> QSize:
        return QSize(self.least_width, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(self.least_width, super().minimumSizeHint().height())

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().viewportEvent(event)
