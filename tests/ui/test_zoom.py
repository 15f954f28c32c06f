"""Larger text: all of it follows, at once, and nothing is cut off that cannot be scrolled to."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QScrollArea,
    QSpinBox,
    QTabBar,
    QToolButton,
)

from app.paths import paths
from app.settings import Settings, save_settings
from ui.dialogs.bench.dialog import BenchDialog
from ui.dialogs.form_area import FormArea
from ui.dialogs.preferences import PreferencesDialog


def zoom(desk, factor: float) -> None:
    settings = desk.parts.settings
    settings.set(replace(settings.value, zoom=factor))
    QApplication.processEvents()


def is_whole(area: QScrollArea) -> bool:
    """Whether the form is no wider than what is seen of it."""
    return area.widget().width() <= area.viewport().width()


def open_preferences(desk) -> FormArea:
    desk.window.menu_actions["preferences"].trigger()
    return desk.window.findChild(PreferencesDialog).findChild(FormArea)


def open_bench(desk) -> FormArea:
    desk.window.menu_actions["bench"].trigger()
    return desk.window.findChild(BenchDialog).findChild(FormArea)


@pytest.mark.parametrize("open_form", [open_preferences, open_bench])
def test_forms_are_as_wide_as_larger_text_needs(desk, open_form):
    area = open_form(desk)
    for factor in (1.5, 2.0, 1.0):
        zoom(desk, factor)
        desk.qtbot.waitUntil(lambda: is_whole(area))


@pytest.mark.parametrize("open_form", [open_preferences, open_bench])
def test_forms_are_as_wide_as_larger_text_needs_when_they_are_opened(open_desk, open_form):
    paths().settings_file.parent.mkdir(parents=True, exist_ok=True)
    save_settings(paths().settings_file, Settings(zoom=1.5))
    desk = open_desk()
    area = open_form(desk)
    desk.qtbot.waitUntil(lambda: is_whole(area))


def test_the_words_in_the_empty_composer_follow(desk):
    editor = desk.find("composer")
    for factor in (1.5, 1.0):
        zoom(desk, factor)
        assert editor.viewport().font().pointSizeF() == pytest.approx(editor.document().defaultFont().pointSizeF())


@pytest.mark.parametrize("at_first", [1.0, 1.5])
def test_the_icons_of_a_search_field_grow_with_its_text_and_leave_it_its_room(open_desk, at_first):
    paths().settings_file.parent.mkdir(parents=True, exist_ok=True)
    save_settings(paths().settings_file, Settings(zoom=at_first))
    desk = open_desk()
    field, plain = desk.find("conversation_search"), QLineEdit(desk.window)
    field.setText("Ferry")
    for factor, side in ((at_first, 16 * at_first), (1.5, 24), (2.0, 32), (1.0, 16)):
        zoom(desk, factor)
        plain.ensurePolished()
        assert field.sizeHint().height() == plain.sizeHint().height()  # by the style sheet
        sign, clear = sorted(field.findChildren(QToolButton), key=lambda button: button.x())
        desk.qtbot.waitUntil(lambda sign=sign, side=side: sign.height() == side + 2)  # around the icon
        image = sign.grab().toImage()
        ground = image.pixelColor(0, 0)
        size = image.size()
        inked = [y for y in range(size.height()) for x in range(size.width()) if image.pixelColor(x, y) != ground]
        assert inked[-1] - inked[0] + 1 == pytest.approx(side * 0.8, abs=side * 0.1)  # of its 24 units the icon has 19
        field.setCursorPosition(0)
        assert sign.geometry().right() <= field.cursorRect().center().x()
        assert field.rect().contains(sign.geometry())
        assert field.rect().contains(clear.geometry())


@pytest.mark.parametrize("size", [(900, 600), (1000, 700)])
def test_the_charts_tabs_and_titles_are_whole(desk, size):
    desk.ask("Hello")
    desk.window.resize(*size)
    zoom(desk, 1.5)
    tabs: QTabBar = desk.find("panel_tabs")
    desk.qtbot.waitUntil(lambda: tabs.isVisible() and desk.window.panels.width() >= 300)
    QApplication.processEvents()
    for number in range(tabs.count()):
        assert tabs.rect().contains(tabs.tabRect(number))
        assert tabs.tabRect(number).width() > tabs.fontMetrics().horizontalAdvance(tabs.tabText(number))
    title = desk.window.ttft_panel.heading._title
    assert title.shown_text == title.text()
    area = QRect(QPoint(0, 0), desk.window.size())
    assert area.contains(QRect(desk.window.panels.mapTo(desk.window, QPoint(0, 0)), desk.window.panels.size()))


def test_the_preferences_follow_the_keyboard_and_do_not_undo_it(desk):
    desk.window.menu_actions["preferences"].trigger()
    dialog = desk.window.findChild(PreferencesDialog)
    settings = desk.parts.settings
    dialog.findChild(QPlainTextEdit, "system_prompt").setPlainText("Be terse.")
    desk.window.menu_actions["zoom_in"].trigger()
    assert settings.value.zoom == 1.1
    assert dialog.findChild(QSpinBox, "zoom").value() == 110
    dialog.findChild(QSpinBox, "summarise_at").setValue(80)
    assert (settings.value.zoom, settings.value.summarise_at) == (1.1, 80)
    assert settings.value.system_prompt == "Be terse."
    settings.set(replace(settings.value, theme="dark"))
    assert dialog.findChild(QComboBox, "theme").currentData() == "dark"
