"""A field for what is looked for, whose icons grow with its text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLineEdit, QProxyStyle, QStyle

from ui.icons import SIZE_PX, keep_icon

if TYPE_CHECKING:
    from PySide6.QtGui import QShowEvent
    from PySide6.QtWidgets import QStyleOption, QWidget

    from ui.theme import Theme


class SearchField(QLineEdit):
    """Has a button that clears it and, where `icon` names one, an icon before the text."""

    def __init__(self, theme: Theme, icon: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icon = icon

    def showEvent(self, event: QShowEvent) -> None:
        """Get the icons now that the style sheet is there: it is laid over no widget that has a style before it."""
        if not self.isClearButtonEnabled():
            self.setStyle(_Style(self._theme, self))
            self.setClearButtonEnabled(True)
            if self._icon:
                sign = QAction(self)
                keep_icon(sign, self._icon, self._theme, "muted")
                self.addAction(sign, QLineEdit.ActionPosition.LeadingPosition)
        super().showEvent(event)


class _Style(QProxyStyle):
    """The style sheet has no word for the size of a line edit's icons."""

    def __init__(self, theme: Theme, field: SearchField) -> None:
        super().__init__("Fusion")
        self.setParent(field)
        self._theme = theme

    def pixelMetric(
        self, metric: QStyle.PixelMetric, option: QStyleOption | None = None, widget: QWidget | None = None
    ) -> int:
        if metric == QStyle.PixelMetric.PM_LineEditIconSize:
            return round(SIZE_PX * self._theme.zoom)
        return super().pixelMetric(metric, option, widget)
