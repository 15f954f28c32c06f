"""What a chart can be taken away as: values on the clipboard, PNG, SVG, CSV."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QObject, QPoint, QSize, Qt, Slot
from PySide6.QtGui import QGuiApplication, QPainter
from PySide6.QtWidgets import QAbstractButton

from app.reasons import reason_of
from ui.translation import localised

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from PySide6.QtWidgets import QMenu, QWidget

    from app.telemetry.tables import Table


class Chart(Protocol):
    """What an exporter needs to know of a chart."""

    def table(self) -> Table:
        """Return the chart's data."""

    def picture(self) -> QWidget:
        """Return the widget to be drawn, ready for it: nothing of the pointer on it."""


class Exporter(QObject):
    """Fills a chart's context menu and does what is chosen there."""

    def __init__(self, chart: Chart, name: str, window: QWidget) -> None:
        super().__init__(window)
        self._chart = chart
        self._name = name
        self._window = window

    def fill(self, menu: QMenu, has_data: bool) -> None:
        """Append the entries; without data they are there but disabled."""
        entries: list[tuple[str, Callable[[], None]]] = [
            (self.tr("Copy values"), self.copy_values),
            (self.tr("Save as PNG…"), self._ask_png),
            (self.tr("Save as SVG…"), self._ask_svg),
            (self.tr("Save as CSV…"), self._ask_csv),
        ]
        for text, slot in entries:
            menu.addAction(text, slot).setEnabled(has_data)

    @Slot()
    def copy_values(self) -> None:
        """Put the values on the clipboard as TSV, which a spreadsheet takes as cells."""
        QGuiApplication.clipboard().setText(self._chart.table().text("\t"))

    def save_png(self, path: str) -> None:
        """Write the chart as it looks."""
        content = QByteArray()
        buffer = QBuffer(content)
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        picture = self._chart.picture()
        with _without_buttons(picture):
            picture.grab().save(buffer, "PNG")
        self._write(path, bytes(content.data()))

    def save_svg(self, path: str) -> None:
        """Write the chart as lines and text; pyqtgraph's own SVG export is broken (its issue 3485)."""
        from PySide6.QtSvg import QSvgGenerator  # what few need is imported when it is wanted

        picture = self._chart.picture()
        content = QByteArray()
        buffer = QBuffer(content)
        generator = QSvgGenerator(QSvgGenerator.SvgVersion.Svg11)  # the older version does not clip
        generator.setOutputDevice(buffer)
        generator.setSize(QSize(picture.width(), picture.height()))
        generator.setViewBox(picture.rect())
        generator.setResolution(picture.logicalDpiX())
        generator.setTitle(picture.accessibleName())
        painter = QPainter(generator)
        with _without_buttons(picture):
            picture.render(painter, QPoint())
        painter.end()
        self._write(path, bytes(content.data()))

    def save_csv(self, path: str) -> None:
        """Write the values, with the units in the header."""
        self._write(path, self._chart.table().text().encode())

    @Slot()
    def _ask_png(self) -> None:
        self._ask(self.tr("PNG image"), "png", self.save_png)

    @Slot()
    def _ask_svg(self) -> None:
        self._ask(self.tr("SVG drawing"), "svg", self.save_svg)

    @Slot()
    def _ask_csv(self) -> None:
        self._ask(self.tr("CSV table"), "csv", self.save_csv)

    def _ask(self, kind: str, suffix: str, save: Callable[[str], None]) -> None:
        from PySide6.QtWidgets import QFileDialog

        dialog = QFileDialog(self._window, self.tr("Save chart"), f"{self._name}.{suffix}", f"{kind} (*.{suffix})")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(suffix)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(save)
        dialog.open()

    def _write(self, path: str, content: bytes) -> None:
        try:
            Path(path).write_bytes(content)
        except OSError as error:
            text = self.tr("The chart could not be saved to {path}: {reason}. Choose another place.")
            from PySide6.QtWidgets import QMessageBox

            box = QMessageBox(self._window)
            box.setIcon(QMessageBox.Icon.Warning)
            box.setTextFormat(Qt.TextFormat.PlainText)
            box.setText(text.format(path=path, reason=localised(reason_of(error))))
            box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            box.open()


@contextmanager
def _without_buttons(picture: QWidget) -> Iterator[None]:
    """Leave out of a picture what can only be pressed in the window; each keeps its place in the layout."""
    buttons = [button for button in picture.findChildren(QAbstractButton) if button.isVisible()]
    for button in buttons:
        button.hide()
    try:
        yield
    finally:
        for button in buttons:
            button.show()
