"""Icons from resources/icons, drawn in the palette's colours."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QObject, QSize, Qt, Slot
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

import resources

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from PySide6.QtGui import QAction
    from PySide6.QtWidgets import QAbstractButton

    from ui.theme import Theme

SIZE_PX = 16
"""Of an icon beside text at a zoom of 1, on a screen that has one dot for a pixel."""
_SCREENS = (1, 1.5, 2, 3)


@cache
def folder() -> Path:
    """Return where the icons and their licence are."""
    return resources.FOLDER / "icons"


@cache
def _source(name: str) -> str:
    return (folder() / f"{name}.svg").read_text(encoding="utf-8")


def _pixmaps(name: str, colour: str, zoom: float) -> Iterator[QPixmap]:
    renderer = QSvgRenderer(QByteArray(_source(name).replace("currentColor", colour).encode()))
    for dots_per_pixel in _SCREENS:
        size = round(SIZE_PX * zoom * dots_per_pixel)
        pixmap = QPixmap(size, size)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        renderer.render(painter)
        painter.end()
        yield pixmap


def icon(name: str, theme: Theme, colour: str | None = None) -> QIcon:
    """Return an icon in the text colour, or in `colour`, in a chosen row too; muted when disabled.

    `name` is the file's without .svg.

    Raises:
        FileNotFoundError: there is no such icon.
    """
    result = QIcon()
    for pixmap in _pixmaps(name, colour or theme.colours.text, theme.zoom):
        for mode in (QIcon.Mode.Normal, QIcon.Mode.Selected):
            result.addPixmap(pixmap, mode)
    for pixmap in _pixmaps(name, theme.colours.muted, theme.zoom):
        result.addPixmap(pixmap, QIcon.Mode.Disabled)
    return result


def application_icon() -> QIcon:
    """Return the application's own icon, the same in every palette; drawn when it is first seen."""
    return QIcon(str(folder() / "tokometer.svg"))


def keep_icon(target: QAbstractButton | QAction, name: str, theme: Theme, role: str = "text") -> None:
    """Give a button or action an icon that follows the theme; `role` is the colour's name in `ui.theme.Colours`.

    Called again with another name, it takes the former icon's place.
    """
    keeper = target.findChild(_IconKeeper, options=Qt.FindChildOption.FindDirectChildrenOnly)
    if keeper is None:
        keeper = _IconKeeper(target, theme)
    keeper.show(name, role)


class _IconKeeper(QObject):
    """Lives as a child of what it decorates."""

    def __init__(self, target: QAbstractButton | QAction, theme: Theme) -> None:
        super().__init__(target)
        self._target = target
        self._theme = theme
        self._name, self._role = "", ""
        theme.changed.connect(self._refresh)

    def show(self, name: str, role: str) -> None:
        self._name, self._role = name, role
        self._refresh()

    @Slot()
    def _refresh(self) -> None:
        self._target.setIcon(icon(self._name, self._theme, getattr(self._theme.colours, self._role)))
        size = round(SIZE_PX * self._theme.zoom)
        if hasattr(self._target, "setIconSize"):
            self._target.setIconSize(QSize(size, size))
