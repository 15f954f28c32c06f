"""Fonts, colours and formats of messages, made once per theme."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtGui import QColor, QFont, QFontInfo, QTextCharFormat

from ui.icons import SIZE_PX, icon

if TYPE_CHECKING:
    from PySide6.QtGui import QIcon

    from ui.theme import Theme

READING_POINTS = 1.0  # above the interface's font
LINE_HEIGHT_PERCENT = 118.0
_HEADING_POINTS = {1: 5.0, 2: 3.0, 3: 1.5}


class Style:
    """The theme's fonts, colours and icons as messages use them.

    Made anew when the theme changes; asking the theme for each message would take longer than laying it out.

    Attributes:
        em: pixel size of the text.
    """

    def __init__(self, theme: Theme) -> None:
        self.colours = theme.colours
        self.is_dark = theme.is_dark
        self.font = theme.font(delta_points=READING_POINTS)
        self.code_font = theme.font(monospace=True, delta_points=READING_POINTS - 0.5)
        self.small_font = theme.font(delta_points=-1)
        self.interface_font = theme.font()
        self.author_font = theme.font(delta_points=-0.5)
        self.author_font.setWeight(QFont.Weight.DemiBold)
        self.em = QFontInfo(self.font).pixelSize()
        self.icon_size = round(SIZE_PX * theme.zoom)
        self._theme = theme
        self._icons: dict[tuple[str, str], QIcon] = {}
        self._formats: dict[tuple[object, ...], QTextCharFormat] = {}

    def characters(self, look: Look) -> QTextCharFormat:
        """Return the character format of a look; links add their address to a copy."""
        key = (look.bold, look.italic, look.struck, look.code, look.heading, look.quoted, bool(look.href))
        if key not in self._formats:
            self._formats[key] = self._make(look)
        result = self._formats[key]
        if look.href:
            result = QTextCharFormat(result)
            result.setAnchorHref(look.href)
        return result

    def icon(self, name: str, role: str = "muted") -> QIcon:
        """Return an icon in the colour of that name."""
        if (name, role) not in self._icons:
            self._icons[name, role] = icon(name, self._theme, getattr(self.colours, role))
        return self._icons[name, role]

    def _make(self, look: Look) -> QTextCharFormat:
        result = QTextCharFormat()
        if look.code:
            result.setFontFamilies(self.code_font.families())
            result.setFontStyleHint(QFont.StyleHint.Monospace)
            result.setFontPointSize(self.code_font.pointSizeF())
            result.setBackground(QColor(self.colours.code_background))
        if look.heading:
            points = self.font.pointSizeF() + _HEADING_POINTS.get(look.heading, 0.0) * self._theme.zoom
            result.setFontPointSize(points)
        if look.bold or look.heading:
            result.setFontWeight(QFont.Weight.DemiBold)
        result.setFontItalic(bool(look.italic))
        result.setFontStrikeOut(bool(look.struck))
        if look.quoted:
            result.setForeground(QColor(self.colours.muted))
        if look.href:
            result.setForeground(QColor(self.colours.link))
            result.setFontUnderline(True)
            result.setAnchor(True)
        return result


@dataclass(slots=True)
class Look:
    """How the next characters look."""

    bold: int = 0
    italic: int = 0
    struck: int = 0
    code: bool = False
    heading: int = 0
    quoted: bool = False
    href: str = ""
