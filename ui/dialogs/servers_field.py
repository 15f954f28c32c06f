"""The list of llama.cpp RPC servers: addresses are checked where they are typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QListWidget, QPushButton, QVBoxLayout, QWidget

from app import checks

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent

LIST_HEIGHT = 72


class ServersField(QWidget):
    """`host:port` of machines whose devices join this one's.

    Signals:
        changed: by the user.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.address = QLineEdit()
        self.address.setObjectName("rpc_address")
        self.address.setPlaceholderText("192.168.1.20:50052")
        self.add = QPushButton()
        self.add.setObjectName("rpc_add")
        self.add.setAutoDefault(False)
        self.remove = QPushButton()
        self.remove.setObjectName("rpc_remove")
        self.remove.setAutoDefault(False)
        self.list = QListWidget()
        self.list.setObjectName("rpc_list")
        self.list.setMaximumHeight(LIST_HEIGHT)
        self.error = QLabel(wordWrap=True)
        self.error.setObjectName("rpc_error")
        self.error.setProperty("role", "error")
        self.error.setTextFormat(Qt.TextFormat.PlainText)
        self.error.hide()
        self.warning = QLabel(wordWrap=True)
        self.warning.setObjectName("rpc_warning")
        self.warning.setProperty("role", "muted")
        row, rows = QHBoxLayout(), QVBoxLayout(self)
        for layout in (row, rows):
            layout.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.address, 1)
        row.addWidget(self.add)
        row.addWidget(self.remove)
        rows.setSpacing(4)
        rows.addLayout(row)
        for widget in (self.error, self.list, self.warning):
            rows.addWidget(widget)
        self.add.clicked.connect(self._on_add)
        self.address.returnPressed.connect(self._on_add)
        self.address.textChanged.connect(self._clear_error)
        self.remove.clicked.connect(self._on_remove)
        self.list.currentRowChanged.connect(self._show_state)
        self._retranslate()
        self._show_state()

    def value(self) -> tuple[str, ...]:
        """Return the addresses in order."""
        return tuple(self.list.item(row).text() for row in range(self.list.count()))

    def set_value(self, servers: tuple[str, ...]) -> None:
        """Show these addresses."""
        self.list.clear()
        self.list.addItems(servers)
        self._show_state()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # A form gives wrapped text the height it has at another width.
        for label in (self.error, self.warning):
            label.setMinimumHeight(max(label.heightForWidth(event.size().width()), 0))

    def _retranslate(self) -> None:
        self.address.setAccessibleName(self.tr("Address of an RPC server, host:port"))
        self.add.setText(self.tr("Add"))
        self.add.setAccessibleName(self.tr("Add the RPC server"))
        self.remove.setText(self.tr("Remove"))
        self.remove.setAccessibleName(self.tr("Remove the chosen RPC server"))
        self.list.setAccessibleName(self.tr("RPC servers"))
        self.warning.setText(
            self.tr(
                "Only on networks you trust: nothing is encrypted, and whoever reaches a server can use it. Holds from "
                "the next load on."
            )
        )

    @Slot()
    def _on_add(self) -> None:
        text = self.address.text().strip()
        try:
            checks.endpoint(text)
        except checks.WrongValueError:
            self.error.setText(self.tr("Write host:port, such as 192.168.1.20:50052, with a port from 1 to 65535."))
            self.error.show()
            self.address.setFocus()
            return
        if text not in self.value():
            self.list.addItem(text)
            self._show_state()
            self.changed.emit()
        self.address.clear()

    @Slot()
    def _on_remove(self) -> None:
        if self.list.currentRow() >= 0:
            self.list.takeItem(self.list.currentRow())
            self._show_state()
            self.changed.emit()

    @Slot()
    def _clear_error(self) -> None:
        self.error.hide()

    @Slot()
    def _show_state(self) -> None:
        self.list.setVisible(self.list.count() > 0)
        self.remove.setEnabled(self.list.currentRow() >= 0)
