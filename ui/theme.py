"""Colours and fonts, and the one object that applies them to the application.

The style sheet made of them is in `ui.style_sheet`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, QObject, Qt, Signal, Slot
from PySide6.QtGui import QFont, QFontDatabase

from ui.fonts import families
from ui.style_sheet import palette, style_sheet

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

SMALLEST_ZOOM, LARGEST_ZOOM = 0.5, 3.0


class Scheme(StrEnum):
    """Which palette the user wants."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True)
class Colours:
    """One palette, "#rrggbb" each.

    From `weights` on they are series: Okabe-Ito's colours and greys, with the same meaning everywhere in the window.
    """

    window: str
    base: str
    text: str
    muted: str
    accent: str
    on_accent: str
    border: str
    user_bubble: str
    code_background: str
    link: str
    error: str
    warning: str
    selection: str
    grid: str

    weights: str = "#8a949e"
    kv_used: str = "#0072b2"
    kv_reserved: str = "#56b4e9"
    recurrent: str = "#009e73"
    compute: str = "#e69f00"
    others: str = "#b4bac1"
    limit: str = "#d55e00"
    queue: str = "#8a949e"
    tokenise: str = "#f0e442"
    prefill: str = "#0072b2"
    rest: str = "#cc79a7"
    decode: str = "#009e73"
    earlier: str = "#8a949e"


LIGHT = Colours(
    window="#f3f4f6",
    base="#ffffff",
    text="#1b1f24",
    muted="#57606a",
    accent="#0a5ca8",
    on_accent="#ffffff",
    border="#d3d8de",
    user_bubble="#e4edf7",
    code_background="#eff1f4",
    link="#0a5ca8",
    error="#a8201a",
    warning="#7d4e00",
    selection="#b5d5f5",
    grid="#e6e9ed",
)

DARK = Colours(
    window="#15181c",
    base="#1c2025",
    text="#e4e7eb",
    muted="#a3acb6",
    accent="#6cb6f5",
    on_accent="#0b1a29",
    border="#363c44",
    user_bubble="#23364a",
    code_background="#14171b",
    link="#7dbdf5",
    error="#ff9a90",
    warning="#f0b75a",
    selection="#2b5680",
    grid="#2a2f36",
    weights="#6b7580",
    earlier="#6b7580",
    queue="#6b7580",
)


class Theme(QObject):
    """Applies a palette, the fonts and the style sheet to the application; `changed` tells painters to restyle.

    The style sheet comes with `lay_style_sheet`.
    """

    changed = Signal()

    def __init__(self, application: QApplication, scheme: Scheme = Scheme.SYSTEM, zoom: float = 1.0) -> None:
        super().__init__(application)
        self._application = application
        self._scheme = scheme
        self._zoom = zoom
        self._is_laid = False
        self._language = QLocale().name()
        self._families: dict[bool, list[str]] = {}  # by monospace; looked up when they are wanted, which takes a while
        size = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).pointSizeF()
        self._base_points = size if size > 0 else 10.0
        application.styleHints().colorSchemeChanged.connect(self._on_system_scheme_changed)
        self._apply()

    @property
    def colours(self) -> Colours:
        """The palette in use."""
        return DARK if self.is_dark else LIGHT

    @property
    def is_dark(self) -> bool:
        """Whether the dark palette is in use; a system that does not say counts as light."""
        if self._scheme is Scheme.SYSTEM:
            return self._application.styleHints().colorScheme() is Qt.ColorScheme.Dark
        return self._scheme is Scheme.DARK

    @property
    def scheme(self) -> Scheme:
        """What the user chose."""
        return self._scheme

    @property
    def zoom(self) -> float:
        """The user's factor on all text sizes."""
        return self._zoom

    def set_scheme(self, scheme: Scheme) -> None:
        """Use this palette from now on."""
        if scheme is not self._scheme:
            self._scheme = scheme
            self._apply()

    def set_zoom(self, zoom: float) -> None:
        """Scale all text; held between `SMALLEST_ZOOM` and `LARGEST_ZOOM`."""
        zoom = min(max(zoom, SMALLEST_ZOOM), LARGEST_ZOOM)
        if zoom != self._zoom:
            self._zoom = zoom
            self._apply()

    def set_language(self, name: str) -> None:
        """Prefer this language's shapes of Han characters; `name` is a locale's, such as zh_CN."""
        if name != self._language:
            self._language = name
            self._families.clear()
            self._apply()

    def font(self, monospace: bool = False, delta_points: float = 0) -> QFont:
        """Return the interface's font, with tabular figures and fallbacks for CJK and emoji."""
        font = QFont()
        if monospace not in self._families:
            self._families[monospace] = families(self._language, monospace)
        font.setFamilies(self._families[monospace])
        font.setPointSizeF(max(1.0, (self._base_points + delta_points) * self._zoom))
        font.setFeature(QFont.Tag("tnum"), 1)
        if monospace:
            font.setStyleHint(QFont.StyleHint.Monospace)
        return font

    def lay_style_sheet(self) -> None:
        """Lay the style sheet over the widgets there are: over a whole window at once it is quickest.

        It is never taken off again: Qt (6.11) would then miss the end of widgets that were measured but never shown,
        and lay the next style sheet over widgets that are gone.
        """
        self._is_laid = True
        sheet = self._style_sheet()
        if self._application.styleSheet() != sheet:
            self._application.setStyleSheet(sheet)

    @Slot()
    def _on_system_scheme_changed(self) -> None:
        if self._scheme is Scheme.SYSTEM:
            self._apply()

    def _apply(self) -> None:
        focus = [(window, window.focusWidget()) for window in self._application.topLevelWidgets()]
        self._application.setPalette(palette(self.colours))
        self._application.setFont(self.font())
        if self._is_laid:
            self._application.setStyleSheet(self._style_sheet())
        for window, widget in focus:
            # Qt lays the buttons of a dialog out anew, and the keyboard is on another of them then.
            if widget is not None and window.focusWidget() is not widget:
                widget.setFocus()
        self.changed.emit()

    def _style_sheet(self) -> str:
        return style_sheet(self.colours, self.font(delta_points=1).pointSizeF(), self.is_dark, self._zoom)
