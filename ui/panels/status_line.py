"""The line at the window's foot: which model, what the engine does now, what the user should know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from ui.panels.download_indicator import DownloadIndicator
from ui.panels.labels import ElidedLabel
from ui.style_sheet import set_role

if TYPE_CHECKING:
    from ui.theme import Theme


class StatusLine(QWidget):
    """Three plain texts: the activity leads, the notice follows, the model stands at the end, after the downloads."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("status_line")
        self._activity = ElidedLabel(self)
        self._notice = ElidedLabel(self)
        self._notice.setProperty("role", "warning")
        self._model = ElidedLabel(self)
        self._model.setProperty("role", "muted")
        self.downloads = DownloadIndicator(theme, self)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 4, 12, 4)
        layout.setSpacing(16)
        layout.addWidget(self._activity)
        layout.addWidget(self._notice, 1)
        layout.addWidget(self.downloads)
        layout.addWidget(self._model)
        self._describe()

    def set_activity(self, text: str) -> None:
        """Say what the engine does now: `reading 812 / 2,040 tokens, 3.1 s left`; empty without a model."""
        self._show(self._activity, text)
        self._activity.setVisible(bool(text))

    def set_notice(self, text: str, *, is_good: bool = False) -> None:
        """Say what the user should know, in the colour of a warning unless it is good news; empty takes it back."""
        set_role(self._notice, "" if is_good else "warning")
        self._show(self._notice, text)

    def set_model(self, text: str) -> None:
        """Name the model and where it runs."""
        self._show(self._model, text)

    @property
    def activity(self) -> str:
        """What the engine does now."""
        return self._activity.text()

    @property
    def notice(self) -> str:
        """What the user should know."""
        return self._notice.text()

    @property
    def model(self) -> str:
        """The model and where it runs."""
        return self._model.text()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._describe()

    def _show(self, label: ElidedLabel, text: str) -> None:
        if text != label.text():
            label.setText(text)
            self._describe()

    def _describe(self) -> None:
        self.setAccessibleName(self.tr("Status"))
        self.setAccessibleDescription(". ".join(text for text in (self.activity, self.notice, self.model) if text))
