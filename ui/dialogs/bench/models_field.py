"""Which models to measure: the loaded one, recent ones, any file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QFrame, QListWidget, QListWidgetItem, QPushButton, QVBoxLayout, QWidget

from app.starter import starter_model

if TYPE_CHECKING:
    from collections.abc import Sequence

_ROWS = 3
_ROW_PADDING = 12


class ModelsField(QWidget):
    """A list to check.

    Signals:
        changed: another choice.
    """

    changed = Signal()

    def __init__(self, loaded: Path | None, recent: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = QListWidget()
        self.rows.setObjectName("bench_models")
        self.rows.setAccessibleName(self.tr("Models to measure"))
        self.rows.setFixedHeight(_ROWS * (self.rows.fontMetrics().height() + _ROW_PADDING))
        self.open_button = QPushButton(self.tr("Add a model file…"))
        self.open_button.setObjectName("bench_add_model")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        frame = QFrame()
        frame.setProperty("role", "plot")
        inside = QVBoxLayout(frame)
        inside.setContentsMargins(1, 1, 1, 1)
        inside.addWidget(self.rows)
        layout.addWidget(frame)
        layout.addWidget(self.open_button)
        starter = starter_model()
        paths = [str(loaded)] if loaded is not None else []
        paths += [path for path in recent if Path(path).is_file()]
        paths += [str(starter)] if starter is not None else []
        for path in dict.fromkeys(paths):
            self._append(Path(path), is_checked=not self.rows.count())
        self.rows.itemChanged.connect(self.changed)
        self.open_button.clicked.connect(self._ask)

    def value(self) -> tuple[Path, ...]:
        """Return the checked ones."""
        return tuple(Path(item.data(Qt.ItemDataRole.UserRole)) for item in self._items() if _is_checked(item))

    def add(self, path: Path) -> None:
        """Offer a file, checked."""
        for item in self._items():
            if item.data(Qt.ItemDataRole.UserRole) == str(path):
                item.setCheckState(Qt.CheckState.Checked)
                return
        self._append(path, is_checked=True)
        self.changed.emit()

    def _items(self) -> list[QListWidgetItem]:
        return [self.rows.item(row) for row in range(self.rows.count())]

    def _append(self, path: Path, is_checked: bool) -> None:
        item = QListWidgetItem(path.name)
        item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
        item.setData(Qt.ItemDataRole.UserRole, str(path))
        item.setToolTip(str(path).replace("&", "&amp;").replace("<", "&lt;"))
        item.setCheckState(Qt.CheckState.Checked if is_checked else Qt.CheckState.Unchecked)
        self.rows.addItem(item)

    @Slot()
    def _ask(self) -> None:
        folder = str(self.value()[0].parent) if self.value() else ""
        dialog = QFileDialog(self, self.tr("Open a model file"), folder, self.tr("GGUF models (*.gguf);;All files (*)"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.filesSelected.connect(self._on_files_selected)
        dialog.open()

    @Slot(list)
    def _on_files_selected(self, paths: list[str]) -> None:
        for path in paths:
            self.add(Path(path))


def _is_checked(item: QListWidgetItem) -> bool:
    return item.checkState() is Qt.CheckState.Checked
