"""Colours, fonts and the one style sheet: every look in the window is decided here.

What a widget may ask for, besides its class: `setProperty("role", ...)` with `primary` (a button: the one thing to do
next), `flat` (a borderless button), `muted` or `title` (a label), `error` or `warning` (a label or frame), `card`
(a frame with its own ground), `bare` (a text field without ground and border, in a frame of its own).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from string import Template
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, QObject, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette

from ui.fonts import families

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
    """One palette, "#rrggbb" each; the series are Okabe-Ito's and mean the same everywhere in the window."""

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
    others="#66707a",
)


class Theme(QObject):
    """Applies a palette, the fonts and the style sheet to the application; `changed` tells painters to restyle."""

    changed = Signal()

    def __init__(self, application: QApplication, scheme: Scheme = Scheme.SYSTEM, zoom: float = 1.0) -> None:
        super().__init__(application)
        self._application = application
        self._scheme = scheme
        self._zoom = zoom
        self._language = QLocale().name()
        size = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).pointSizeF()
        self._base_points = size if size > 0 else 10.0
        application.setStyle("Fusion")
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
            self._apply()

    def font(self, monospace: bool = False, delta_points: float = 0) -> QFont:
        """Return the interface's font, with tabular figures and fallbacks for CJK and emoji."""
        font = QFont()
        font.setFamilies(families(self._language, monospace))
        font.setPointSizeF(max(1.0, (self._base_points + delta_points) * self._zoom))
        font.setFeature(QFont.Tag("tnum"), 1)
        if monospace:
            font.setStyleHint(QFont.StyleHint.Monospace)
        return font

    @Slot()
    def _on_system_scheme_changed(self) -> None:
        if self._scheme is Scheme.SYSTEM:
            self._apply()

    def _apply(self) -> None:
        self._application.setPalette(palette(self.colours))
        self._application.setFont(self.font())
        self._application.setStyleSheet(style_sheet(self.colours, self.font(delta_points=1).pointSizeF()))
        self.changed.emit()


def palette(colours: Colours) -> QPalette:
    """Return the Qt palette of these colours."""
    roles = {
        QPalette.ColorRole.Window: colours.window,
        QPalette.ColorRole.WindowText: colours.text,
        QPalette.ColorRole.Base: colours.base,
        QPalette.ColorRole.AlternateBase: colours.window,
        QPalette.ColorRole.Text: colours.text,
        QPalette.ColorRole.Button: colours.base,
        QPalette.ColorRole.ButtonText: colours.text,
        QPalette.ColorRole.BrightText: colours.error,
        QPalette.ColorRole.ToolTipBase: colours.base,
        QPalette.ColorRole.ToolTipText: colours.text,
        QPalette.ColorRole.PlaceholderText: colours.muted,
        QPalette.ColorRole.Link: colours.link,
        QPalette.ColorRole.LinkVisited: colours.link,
        QPalette.ColorRole.Highlight: colours.selection,
        QPalette.ColorRole.HighlightedText: colours.text,
        QPalette.ColorRole.Light: colours.base,
        QPalette.ColorRole.Midlight: colours.base,
        QPalette.ColorRole.Mid: colours.border,
        QPalette.ColorRole.Dark: colours.border,
        QPalette.ColorRole.Shadow: colours.border,
        QPalette.ColorRole.Accent: colours.accent,
    }
    result = QPalette()
    for role, colour in roles.items():
        result.setColor(role, QColor(colour))
    for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText):
        result.setColor(QPalette.ColorGroup.Disabled, role, QColor(colours.muted))
    return result


def style_sheet(colours: Colours, title_points: float) -> str:
    """Return the application's style sheet in these colours."""
    return _STYLE_SHEET.substitute(vars(colours), title_points=f"{title_points:g}pt")


_STYLE_SHEET = Template("""
QToolTip { color: $text; background: $base; border: 1px solid $border; padding: 4px; }
QMenu { background: $base; border: 1px solid $border; padding: 4px; }
QMenu::item { padding: 4px 24px 4px 16px; border-radius: 4px; }
QMenu::item:selected { background: $selection; }
QMenu::item:disabled { color: $muted; }
QMenu::separator { height: 1px; background: $border; margin: 4px 8px; }
QLabel[role="muted"] { color: $muted; }
QLabel[role="title"] { font-weight: 600; font-size: $title_points; }
QFrame[role="card"] { background: $base; border: 1px solid $border; border-radius: 8px; }
QFrame[role="error"] { background: $base; border: 1px solid $error; border-radius: 8px; }
QFrame[role="warning"] { background: $base; border: 1px solid $warning; border-radius: 8px; }
QLabel[role="error"] { color: $error; background: transparent; border: none; } /* a QLabel is a QFrame too */
QLabel[role="warning"] { color: $warning; background: transparent; border: none; }
QFrame[role="plot"] { background: $base; border: 1px solid $border; border-radius: 4px; }
QFrame[role="plot"]:focus { border-color: $accent; }
QLabel[role="readout"] { background: $base; border: 1px solid $muted; border-radius: 4px; padding: 3px 6px; }
QPushButton { background: $base; border: 1px solid $border; border-radius: 6px; padding: 4px 12px; }
QPushButton:hover { border-color: $muted; }
QPushButton:pressed, QPushButton:checked { background: $selection; }
QPushButton:focus { border-color: $accent; }
QPushButton:disabled { color: $muted; background: $window; }
QPushButton[role="primary"] { background: $accent; color: $on_accent; border-color: $accent; font-weight: 600; }
QPushButton[role="primary"]:hover, QPushButton[role="primary"]:focus { border-color: $text; }
QPushButton[role="primary"]:disabled { color: $muted; background: $window; border-color: $border; }
QPushButton[role="flat"], QToolButton { background: transparent; border: 1px solid transparent; border-radius: 6px;
    padding: 4px; }
QPushButton[role="flat"]:hover, QToolButton:hover { border-color: $border; background: $base; }
QPushButton[role="flat"]:focus, QToolButton:focus { border-color: $accent; }
QToolButton:pressed, QToolButton:checked { background: $selection; }
QToolButton::menu-indicator { image: none; }
QLineEdit, QPlainTextEdit, QSpinBox, QDoubleSpinBox { background: $base; border: 1px solid $border;
    border-radius: 6px; padding: 4px 8px; selection-background-color: $selection; selection-color: $text; }
QLineEdit:focus, QPlainTextEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus { border-color: $accent; }
QPlainTextEdit[role="bare"] { background: transparent; border: none; padding: 0; }
QListView, QTreeView { background: $window; border: none; outline: none; }
QListView::item, QTreeView::item { padding: 4px 8px; border-radius: 6px; color: $text; }
QListView::item:hover, QTreeView::item:hover { background: $base; }
QListView::item:selected, QTreeView::item:selected { background: $selection; color: $text; }
QSplitter::handle { background: $border; }
QSplitter::handle:horizontal { width: 1px; }
QSplitter::handle:vertical { height: 1px; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: $border; border-radius: 4px; margin: 1px; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::handle:hover { background: $muted; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QProgressBar { background: $base; border: 1px solid $border; border-radius: 4px; text-align: center; }
QProgressBar::chunk { background: $accent; border-radius: 3px; }
QTabBar::tab { padding: 4px 12px; border: none; border-bottom: 2px solid transparent; color: $muted; }
QTabBar::tab:selected { color: $text; border-bottom-color: $accent; }
QTabWidget::pane { border: none; }
QStatusBar { background: $window; border-top: 1px solid $border; }
""")
