"""The style sheet and the Qt palette, made of a theme's colours.

What a widget may ask for, besides its class: `setProperty("role", ...)` with `primary` (a button: the one thing to do
next), `flat` (a borderless button), `row` (a button that is a line of a list) or `row warning`, `muted` or `title` (a
label), `error` or `warning` (a label or frame), `card` (a frame with its own ground), `header` (a frame beside the
headings of a table), `bare` (a text field without ground and border, in a frame of its own), `table` (a tree view whose
lines go from edge to edge), `box` (a list with its own ground and border).
"""

from __future__ import annotations

from string import Template
from typing import TYPE_CHECKING

from PySide6.QtGui import QColor, QPalette

import resources

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from ui.theme import Colours


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


def set_role(widget: QWidget, role: str) -> None:
    """Give a widget another role, and the look of it."""
    if (widget.property("role") or "") != role:
        widget.setProperty("role", role)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def style_sheet(colours: Colours, title_points: float, is_dark: bool, zoom: float) -> str:
    """Return the application's style sheet in these colours, with signs that are as large as its text."""
    controls = str(resources.FOLDER / "icons" / "controls").replace("\\", "/")
    kind = "dark" if is_dark else "light"
    sizes = {name: round(pixels * zoom) for name, pixels in _SIZES.items()}
    outer = sizes["box"] + 2  # with its border
    sizes |= {"dot": outer - 2 * sizes["ring"], "half_box": outer // 2}
    texts = {"title_points": f"{title_points:g}pt", "controls": controls, "kind": kind}
    return _STYLE_SHEET.substitute(vars(colours), **texts, **{name: f"{pixels}px" for name, pixels in sizes.items()})


_SIZES = {"step": 20, "step_arrow": 12, "drop": 22, "drop_arrow": 14, "box": 14, "ring": 4}
"""Pixels at a zoom of 1: of the arrows of spin boxes and combo boxes and the room they take, of a check box or radio
button inside its border, and of the ring around a radio button's dot."""


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
QPushButton[role~="row"] { background: transparent; border: 1px solid transparent; padding: 2px 4px; text-align: left; }
QPushButton[role~="row"]:hover { background: $base; border-color: $border; }
QPushButton[role~="row"]:focus { border-color: $accent; }
QPushButton[role~="warning"] { color: $warning; }
QPushButton[role="flat"]:hover, QToolButton:hover { border-color: $border; background: $base; }
QPushButton[role="flat"]:focus, QToolButton:focus { border-color: $accent; }
QToolButton:pressed, QToolButton:checked { background: $selection; }
QToolButton::menu-indicator { image: none; }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QLineEdit, QPlainTextEdit { background: $base; border: 1px solid $border;
    border-radius: 6px; padding: 4px 8px; selection-background-color: $selection; selection-color: $text; }
QLineEdit:focus, QPlainTextEdit:focus { border-color: $accent; }
QPlainTextEdit[role="bare"] { background: transparent; border: none; padding: 0; }
QListView, QTreeView { background: $window; border: none; outline: none; }
QListView::item, QTreeView::item { padding: 4px 8px; border-radius: 6px; color: $text; }
QListView::item:hover, QTreeView::item:hover { background: $base; }
QListView::item:selected, QTreeView::item:selected { background: $selection; color: $text; }
QListView::item:disabled { color: $muted; }
QListView[role="box"] { background: $base; border: 1px solid $border; border-radius: 4px; }
QListView[role="box"]:focus { border-color: $accent; }
QListView[role="box"]::item:hover { background: $window; }
QListView[role="box"]::item:selected { background: $selection; }
QTreeView[role="table"]::item { border-radius: 0; padding: 4px 6px; }
QTableView { background: $base; border: 1px solid $border; border-radius: 4px; outline: none; }
QTableView:focus { border-color: $accent; }
QTableView::item { padding: 0 5px; border: none; } /* and 3px of Qt's: below its heading's text */
QTableView::item:hover { background: $window; }
QTableView::item:selected { background: $selection; color: $text; }
QAbstractSpinBox, QComboBox { background: $base; border: 1px solid $border; border-radius: 6px; padding: 4px 8px;
    selection-background-color: $selection; selection-color: $text; }
QAbstractSpinBox:focus, QComboBox:focus { border-color: $accent; }
QAbstractSpinBox:disabled, QComboBox:disabled { color: $muted; background: $window; }
QAbstractSpinBox { padding: 4px $step 4px 8px; }
QAbstractSpinBox QLineEdit, QComboBox QLineEdit { background: transparent; border: none; padding: 0; }
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { width: $step; border: none; background: transparent; }
QAbstractSpinBox::up-arrow { image: url("$controls/chevron-up-$kind.svg"); }
QAbstractSpinBox::down-arrow { image: url("$controls/chevron-down-$kind.svg"); }
QAbstractSpinBox::up-arrow, QAbstractSpinBox::down-arrow { width: $step_arrow; height: $step_arrow; }
QComboBox::drop-down { width: $drop; border: none; }
QComboBox::down-arrow { image: url("$controls/chevron-down-$kind.svg"); width: $drop_arrow; height: $drop_arrow; }
QComboBox QAbstractItemView { background: $base; border: 1px solid $border; selection-background-color: $selection;
    selection-color: $text; outline: none; }
QCheckBox, QRadioButton { spacing: 8px; }
QCheckBox::indicator, QRadioButton::indicator, QListView::indicator, QTreeView::indicator { width: $box; height: $box;
    border: 1px solid $muted; background: $base; }
QCheckBox::indicator, QListView::indicator, QTreeView::indicator { border-radius: 3px; }
QRadioButton::indicator { border-radius: $half_box; }
QCheckBox::indicator:checked, QListView::indicator:checked, QTreeView::indicator:checked {
    background: $accent; border-color: $accent;
    image: url("$controls/check-$kind.svg"); }
QRadioButton::indicator:checked { border: $ring solid $accent; width: $dot; height: $dot; }
QCheckBox::indicator:focus, QRadioButton::indicator:focus { border-color: $accent; }
QCheckBox::indicator:disabled, QRadioButton::indicator:disabled { border-color: $border; background: $window; }
QHeaderView { background: $window; }
QHeaderView::section { background: $window; color: $muted; border: none; border-bottom: 1px solid $border;
    padding: 4px 8px; }
QFrame[role="header"] { background: $window; border: none; border-bottom: 1px solid $border; }
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
QAbstractScrollArea::corner { background: transparent; border: none; }
QProgressBar { background: $base; border: 1px solid $border; border-radius: 4px; text-align: center; }
QProgressBar::chunk { background: $accent; border-radius: 3px; }
QTabBar::tab { padding: 4px 12px; border: none; border-bottom: 2px solid transparent; color: $muted; }
QTabBar#panel_tabs::tab { padding: 4px 6px; } /* in a narrow column */
QTabBar::tab:selected { color: $text; border-bottom-color: $accent; }
QTabWidget::pane { border: none; }
QStatusBar { background: $window; border-top: 1px solid $border; }
""")
