"""Palettes, fonts, zoom, the style sheet and the icons."""

from __future__ import annotations

import os
from dataclasses import MISSING, fields

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QAction, QColor, QFontDatabase, QFontInfo, QIcon, QPalette
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QMessageBox,
    QPushButton,
    QRadioButton,
    QSpinBox,
    QStyle,
    QStyleOptionComboBox,
    QStyleOptionSpinBox,
    QWidget,
)

from ui import icons
from ui.fonts import families, han_families
from ui.icons import application_icon, icon, keep_icon
from ui.style_sheet import style_sheet
from ui.theme import DARK, LARGEST_ZOOM, LIGHT, SMALLEST_ZOOM, Colours, Scheme, Theme

PALETTES = pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])

TEXT_ON_GROUND = [
    ("text", "window"),
    ("text", "base"),
    ("text", "user_bubble"),
    ("text", "code_background"),
    ("text", "selection"),
    ("muted", "window"),
    ("muted", "base"),
    ("link", "base"),
    ("link", "window"),
    ("link", "user_bubble"),
    ("error", "base"),
    ("error", "window"),
    ("warning", "base"),
    ("warning", "window"),
    ("on_accent", "accent"),
]
SERIES = [field.name for field in fields(Colours) if field.default is not MISSING]
DRAWN_AS_LINES = ["kv_used", "recurrent", "limit", "decode", "earlier", "weights", "queue", "rest", "accent"]
"""Series that stand alone as a line or border a light one; yellow, orange and light blue fills have an outline."""


def luminance(colour: str) -> float:
    """Relative luminance of WCAG 2.2."""
    channels = [QColor(colour).redF(), QColor(colour).greenF(), QColor(colour).blueF()]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    """Contrast ratio of WCAG 2.2, 1 to 21."""
    lighter, darker = sorted((luminance(first), luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.fixture
def theme(qapp):
    theme = Theme(qapp, Scheme.LIGHT)
    theme.lay_style_sheet()
    yield theme
    theme.deleteLater()


def test_the_measure_of_contrast_is_right() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@PALETTES
@pytest.mark.parametrize(("text", "ground"), TEXT_ON_GROUND, ids=lambda name: name)
def test_text_can_be_read(colours: Colours, text: str, ground: str) -> None:
    assert contrast(getattr(colours, text), getattr(colours, ground)) >= 4.5


@PALETTES
@pytest.mark.parametrize("name", DRAWN_AS_LINES)
def test_lines_can_be_seen(colours: Colours, name: str) -> None:
    assert contrast(getattr(colours, name), colours.base) >= 3.0


@PALETTES
def test_every_colour_is_a_colour(colours: Colours) -> None:
    for field in fields(colours):
        value = getattr(colours, field.name)
        assert value.startswith("#")
        assert len(value) == 7
        assert QColor(value).isValid()


def test_series_keep_their_hue_in_the_dark() -> None:
    hues = ("kv_used", "kv_reserved", "recurrent", "compute", "limit", "tokenise", "prefill", "rest", "decode")
    assert [getattr(LIGHT, name) for name in hues] == [getattr(DARK, name) for name in hues]
    assert set(hues) <= set(SERIES)


def test_the_scheme_decides_the_palette(qtbot, qapp, theme) -> None:
    assert not theme.is_dark
    assert theme.colours is LIGHT
    with qtbot.waitSignal(theme.changed):
        theme.set_scheme(Scheme.DARK)
    assert theme.is_dark
    assert theme.colours is DARK
    assert qapp.palette().color(QPalette.ColorRole.Base).name() == DARK.base
    with qtbot.assertNotEmitted(theme.changed):
        theme.set_scheme(Scheme.DARK)
    theme.set_scheme(Scheme.SYSTEM)
    assert theme.is_dark == (qapp.styleHints().colorScheme() is Qt.ColorScheme.Dark)


def test_zoom_scales_points_and_has_limits(qtbot, qapp, theme) -> None:
    points = theme.font().pointSizeF()
    with qtbot.waitSignal(theme.changed):
        theme.set_zoom(2.0)
    assert theme.font().pointSizeF() == pytest.approx(2 * points)
    assert qapp.font().pointSizeF() == pytest.approx(2 * points)
    assert theme.font(delta_points=-1).pointSizeF() == pytest.approx(2 * (points - 1))
    theme.set_zoom(100)
    assert theme.zoom == LARGEST_ZOOM
    theme.set_zoom(0)
    assert theme.zoom == SMALLEST_ZOOM
    with qtbot.assertNotEmitted(theme.changed):
        theme.set_zoom(0)


@pytest.mark.parametrize("zoom", [1.0, 1.5, 2.0])
def test_signs_are_as_large_as_the_text_beside_them(qtbot, theme, zoom: float) -> None:
    theme.set_zoom(zoom)
    combo, spin, check, radio = QComboBox(), QSpinBox(), QCheckBox(), QRadioButton(checked=True)
    for widget in (combo, spin, check, radio):
        qtbot.addWidget(widget)
        widget.show()
    metric, style = QStyle.PixelMetric, check.style()
    sides = [
        style.pixelMetric(metric.PM_IndicatorWidth, None, check),
        style.pixelMetric(metric.PM_ExclusiveIndicatorWidth, None, radio),
    ]
    assert sides == [round(14 * zoom) + 2] * 2
    assert [arrow_width(combo, QStyle.ComplexControl.CC_ComboBox, QStyle.SubControl.SC_ComboBoxArrow),
            arrow_width(spin, QStyle.ComplexControl.CC_SpinBox, QStyle.SubControl.SC_SpinBoxUp)
            ] == [22 * zoom, 20 * zoom]  # fmt: skip


def arrow_width(widget: QWidget, control: QStyle.ComplexControl, part: QStyle.SubControl) -> int:
    option = QStyleOptionComboBox() if isinstance(widget, QComboBox) else QStyleOptionSpinBox()
    widget.initStyleOption(option)
    return widget.style().subControlRect(control, option, part, widget).width()


def test_figures_are_tabular(theme) -> None:
    assert theme.font().featureTags()
    assert any(tag.toString() == b"tnum" for tag in theme.font().featureTags())


def test_monospace_is_monospace(theme) -> None:
    assert QFontInfo(theme.font(monospace=True)).fixedPitch()


def test_families_are_installed_and_end_in_emoji() -> None:
    for monospace in (False, True):
        found = families("en_GB", monospace)
        assert found
        assert len(found) == len(set(found))
        if len(found) > 1:
            assert all(QFontDatabase.hasFamily(family) for family in found)
        if QFontDatabase.hasFamily("Noto Color Emoji"):
            assert found.index("Noto Color Emoji") > 0


@pytest.mark.parametrize(
    ("language", "family"),
    [
        ("zh_CN", "Noto Sans CJK SC"),
        ("zh_TW", "Noto Sans CJK TC"),
        ("zh_HK", "Noto Sans CJK HK"),
        ("ja_JP", "Noto Sans CJK JP"),
        ("ko_KR", "Noto Sans CJK KR"),
        ("en_US", "Noto Sans CJK SC"),
        ("zh_SG", "Noto Sans CJK SC"),
        ("C", "Noto Sans CJK SC"),
    ],
)
def test_han_characters_have_the_languages_shapes(language: str, family: str) -> None:
    assert han_families(language)[0] == family


def test_the_language_changes_the_families(qtbot, theme) -> None:
    theme.set_language("ja_JP")
    with qtbot.waitSignal(theme.changed):
        theme.set_language("zh_TW")
    if QFontDatabase.hasFamily("Noto Sans CJK TC"):
        assert "Noto Sans CJK TC" in theme.font().families()


class StyleChanges(QObject):
    """Counts how often a widget was given another style."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.count = 0
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.count += event.type() == QEvent.Type.StyleChange
        return super().eventFilter(watched, event)


def test_another_window_leaves_the_style_sheet_alone(open_desk) -> None:
    first = open_desk(load=False)
    changes = StyleChanges(first.window.composer)
    open_desk(load=False)
    assert changes.count == 0
    first.parts.theme.set_scheme(Scheme.DARK)
    assert changes.count > 0


@PALETTES
def test_the_style_sheet_is_whole(qtbot, colours: Colours) -> None:
    sheet = style_sheet(colours, 11.0, colours is DARK, 1.0)
    assert "$" not in sheet
    assert "px pt" not in sheet
    assert "11pt" in sheet
    button = QPushButton("Send")
    qtbot.addWidget(button)
    button.setStyleSheet(sheet)  # a mistake in it would be a Qt warning, which fails the test
    button.setProperty("role", "primary")
    button.style().polish(button)
    button.resize(80, 30)
    assert button.grab().toImage().pixelColor(8, 15).name() == colours.accent


def icon_names() -> list[str]:
    return sorted(path.name.removesuffix(".svg") for path in icons.folder().iterdir() if path.name.endswith(".svg"))


@pytest.mark.parametrize("name", icon_names())
def test_every_icon_can_be_drawn(theme, name: str) -> None:
    image = icon(name, theme).pixmap(QSize(32, 32)).toImage()
    alphas = [image.pixelColor(x, y).alpha() for x in range(32) for y in range(32)]
    assert max(alphas) > 200
    assert min(alphas) == 0


def test_icons_take_the_text_colour_and_are_muted_when_disabled(theme) -> None:
    theme.set_scheme(Scheme.DARK)

    def darkest(pixmap) -> str:
        image = pixmap.toImage()
        opaque = [image.pixelColor(x, y) for x in range(24) for y in range(24)]
        return max(opaque, key=QColor.alpha).name()

    assert darkest(icon("stop", theme).pixmap(24, 24)) == DARK.text
    assert darkest(icon("stop", theme).pixmap(QSize(24, 24), QIcon.Mode.Disabled)) == DARK.muted
    assert darkest(icon("stop", theme, "#ff0000").pixmap(24, 24)) == "#ff0000"
    assert darkest(icon("stop", theme, "#ff0000").pixmap(QSize(24, 24), QIcon.Mode.Selected)) == "#ff0000"


def test_an_unknown_icon_is_an_error(theme) -> None:
    with pytest.raises(FileNotFoundError):
        icon("no-such-icon", theme)


def test_a_kept_icon_follows_the_theme(qtbot, theme) -> None:
    button = QPushButton()
    qtbot.addWidget(button)
    keep_icon(button, "plus", theme)
    before = button.icon().pixmap(16, 16).toImage()
    theme.set_scheme(Scheme.DARK)
    assert button.icon().pixmap(16, 16).toImage() != before
    theme.set_zoom(2.0)
    assert button.iconSize() == QSize(32, 32)
    plus = button.icon().pixmap(16, 16).toImage()
    keep_icon(button, "stop", theme)
    assert button.icon().pixmap(16, 16).toImage() != plus
    assert len([child for child in button.children() if type(child).__name__ == "_IconKeeper"]) == 1
    action = QAction(button)
    keep_icon(action, "trash", theme, role="error")
    assert not action.icon().isNull()


def test_the_application_has_an_icon(qapp) -> None:
    assert application_icon().pixmap(256, 256).toImage().pixelColor(128, 20).name() == "#12304a"


def test_the_licence_of_the_icons_lies_beside_them() -> None:
    text = (icons.folder() / "LICENSE").read_text(encoding="utf-8")
    assert "ISC License" in text
    assert "Lucide Contributors" in text


def test_the_keyboard_stays_on_its_button_in_another_theme(qtbot, theme) -> None:
    buttons = QMessageBox.StandardButton.Ok | QMessageBox.StandardButton.Cancel
    box = QMessageBox(QMessageBox.Icon.Question, "Remove a model", "Move it to the trash?", buttons)
    qtbot.addWidget(box)
    box.setDefaultButton(QMessageBox.StandardButton.Cancel)
    box.open()
    qtbot.waitUntil(box.isActiveWindow)
    for is_active in (True, False):
        if not is_active:
            other = QWidget()
            qtbot.addWidget(other)
            other.show()
            other.activateWindow()
            qtbot.waitUntil(lambda: not box.isActiveWindow())
        for scheme, zoom in ((Scheme.DARK, 1.0), (Scheme.LIGHT, 1.0), (Scheme.LIGHT, 1.5), (Scheme.DARK, 1.0)):
            theme.set_scheme(scheme)
            theme.set_zoom(zoom)
            assert box.focusWidget() is box.button(QMessageBox.StandardButton.Cancel)
