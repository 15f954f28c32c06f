"""A theme, panels on screen, and a conversation with exact numbers."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QApplication

from app.telemetry.series import ConversationSeries
from tests.fakes import fake_model
from ui.theme import Scheme, Theme

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ui.panels.plot import PlotPanel


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    """Numbers as in English, whatever the machine's language."""
    before = QLocale()
    QLocale.setDefault(QLocale(QLocale.Language.English, QLocale.Country.UnitedStates))
    yield
    QLocale.setDefault(before)


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    theme = Theme(qapp, Scheme.LIGHT)
    theme.lay_style_sheet()
    yield theme
    theme.deleteLater()


@pytest.fixture
def show(qtbot, theme: Theme) -> Iterator[Callable[..., PlotPanel]]:
    """Return a function that shows a panel with a series and its chart."""
    # A panel without parent that only a finished test knew would be collected while it is being painted.
    shown: list[PlotPanel] = []

    def show_panel(kind: type[PlotPanel], series: ConversationSeries, size=(480, 320), **options) -> PlotPanel:
        panel = kind(theme, **options)
        qtbot.addWidget(panel)
        shown.append(panel)
        panel.resize(*size)
        panel.set_series(series)
        with qtbot.waitExposed(panel):
            panel.show()
        panel.ensure_plot()
        panel.redraw()
        QApplication.processEvents()  # the layout makes room for the legend
        return panel

    yield show_panel
    for panel in shown:
        panel.hide()


@pytest.fixture
def series() -> ConversationSeries:
    """A loaded model, no turn yet."""
    result = ConversationSeries()
    result.set_model(fake_model())
    return result
