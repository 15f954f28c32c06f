"""What all panels share: when they draw, theme, sizes, context menu, export."""

from __future__ import annotations

import csv
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QLocale, QPoint
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QImage
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu, QMessageBox, QWidget
from shiboken6 import isValid

from app.telemetry.series import ConversationSeries
from tests.fakes import Answer
from tests.pointer import hover
from tests.turns import run_conversation, stats_of
from ui.panels.diagnosis import DiagnosisStrip
from ui.panels.memory import MemoryPanel
from ui.panels.panel_column import PanelColumn
from ui.panels.tpot import TpotPanel
from ui.panels.ttft import TtftPanel
from ui.theme import Scheme

PANELS = (TtftPanel, TpotPanel, MemoryPanel)
NAMES = {TtftPanel: "ttft_plot", TpotPanel: "tpot_plot", MemoryPanel: "memory_plot"}

every_panel = pytest.mark.parametrize("kind", PANELS, ids=lambda kind: kind.__name__)


def draws(panel, monkeypatch) -> list[int]:
    """Count the panel's draws from now on."""
    counted: list[int] = []
    draw = panel._draw
    monkeypatch.setattr(panel, "_draw", lambda *arguments: (counted.append(1), draw(*arguments)))
    return counted


def test_the_modules_do_not_import_pyqtgraph() -> None:
    code = (
        "import sys, importlib, pkgutil, ui.panels\n"
        "for module in pkgutil.iter_modules(ui.panels.__path__): importlib.import_module('ui.panels.' + module.name)\n"
        "assert 'ui.panels.ttft' in sys.modules and 'pyqtgraph' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@every_panel
def test_the_chart_is_made_only_when_asked_for(qtbot, theme, series, kind) -> None:
    panel = kind(theme)
    qtbot.addWidget(panel)
    panel.set_series(series)
    with qtbot.waitExposed(panel):
        panel.show()
    panel.redraw()
    assert panel.canvas is None
    assert panel.findChild(QWidget, NAMES[kind]) is not None
    panel.ensure_plot()
    made = panel.canvas
    panel.ensure_plot()
    assert panel.canvas is made


def test_the_column_makes_its_charts_one_after_the_other(qtbot, theme) -> None:
    panels = [kind(theme) for kind in NAMES]
    column = PanelColumn(*panels, DiagnosisStrip(theme))
    qtbot.addWidget(column)
    column.make_plots()
    assert [panel.canvas is not None for panel in panels] == [True, False, False]
    qtbot.waitUntil(lambda: all(panel.canvas is not None for panel in panels))


@every_panel
def test_nothing_is_drawn_without_a_change(show, series, kind, monkeypatch) -> None:
    run_conversation(series, 2)
    panel = show(kind, series)
    counted = draws(panel, monkeypatch)
    panel.redraw()
    panel.redraw()
    assert counted == []
    series.add_turn("new", stats_of(Answer()))
    panel.redraw()
    panel.redraw()
    assert counted == [1]


@every_panel
def test_a_hidden_panel_is_not_drawn_but_is_up_to_date_when_shown(show, series, kind, monkeypatch) -> None:
    run_conversation(series, 1)
    panel = show(kind, series)
    panel.hide()
    counted = draws(panel, monkeypatch)
    run_conversation(series, 2)
    panel.redraw()
    assert counted == []
    panel.show()
    assert counted
    assert panel.table().rows


@every_panel
def test_another_conversation_takes_the_place_of_the_first(show, series, kind) -> None:
    run_conversation(series, 3)
    panel = show(kind, series)
    panel.set_series(ConversationSeries())
    assert not panel.canvas.widget.isVisible()
    assert panel.heading.value == ""


@every_panel
@pytest.mark.parametrize("scheme", [Scheme.LIGHT, Scheme.DARK])
@pytest.mark.parametrize("size", [(280, 160), (480, 320)], ids=str)
def test_it_fits_into_small_and_large_places(show, theme, series, kind, scheme, size) -> None:
    run_conversation(series, 3)
    theme.set_scheme(scheme)
    panel = show(kind, series, size=size)
    assert (panel.width(), panel.height()) == size
    assert panel.canvas.size[1] > 40
    assert panel.canvas.size[0] > 0.6 * size[0]
    assert panel.legend.height() >= panel.legend.heightForWidth(panel.legend.width())
    ticks = panel.canvas.ticks("left")
    assert len(ticks) >= 3
    assert ticks[-1][1].split()[-1] in ("ms", "s", "MiB")
    image = panel.grab().toImage()
    assert image.pixelColor(2, 2).name() == theme.colours.window


@every_panel
def test_the_theme_is_followed_while_shown(show, theme, series, kind) -> None:
    run_conversation(series, 2)
    panel = show(kind, series)
    for scheme in (Scheme.DARK, Scheme.LIGHT):
        theme.set_scheme(scheme)
        image = panel.canvas.widget.grab().toImage()
        assert image.pixelColor(1, 1).name() == theme.colours.base
        assert theme.colours.muted in {axis.textPen().color().name() for axis in panel.canvas.axes}


@every_panel
def test_larger_letters_still_fit(show, theme, series, kind) -> None:
    run_conversation(series, 2)
    panel = show(kind, series)
    width = panel.canvas.size[0]
    theme.set_zoom(1.5)
    QApplication.processEvents()
    assert panel.canvas.size[0] < width
    assert panel.canvas.size[1] > 40


@every_panel
def test_it_has_a_name_a_description_and_a_definition(show, series, kind) -> None:
    run_conversation(series, 2)
    panel = show(kind, series)
    frame = panel.findChild(QWidget, NAMES[kind])
    assert frame.accessibleName()
    assert any(character.isdigit() for character in frame.accessibleDescription())
    assert len(panel.heading.definition) > 40


@every_panel
def test_the_right_button_opens_the_menu_of_the_chart(qtbot, show, series, kind) -> None:
    run_conversation(series, 1)
    panel = show(kind, series)
    viewport = panel.canvas.widget.viewport()
    centre = viewport.rect().center()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, centre, viewport.mapToGlobal(centre))
    QApplication.sendEvent(viewport, event)
    menu = panel.findChild(QMenu)
    assert menu is not None
    assert menu.isVisible()
    texts = [action.text() for action in menu.actions() if action.text()]
    assert texts[:4] == ["Copy values", "Save as PNG…", "Save as SVG…", "Save as CSV…"]
    menu.close()


@every_panel
def test_without_data_there_is_nothing_to_take_away(show, kind) -> None:
    panel = show(kind, ConversationSeries())
    menu = panel.context_menu()
    assert not any(action.isEnabled() for action in menu.actions()[:4])
    menu.close()


@every_panel
def test_copied_values_are_tab_separated_with_units(show, series, kind) -> None:
    run_conversation(series, 2)
    panel = show(kind, series)
    menu = panel.context_menu()
    menu.actions()[0].trigger()
    menu.close()
    lines = QGuiApplication.clipboard().text().splitlines()
    header = lines[0].split("\t")
    assert any(name.endswith(("_s", "_bytes")) for name in header)
    assert [line.split("\t") for line in lines[1:]] == [
        ["" if cell is None else str(cell) for cell in row] for row in panel.table().rows
    ]


@every_panel
def test_csv_has_the_values_of_the_table(show, series, kind, tmp_path) -> None:
    QLocale.setDefault(QLocale(QLocale.Language.German))  # decimal commas are for eyes, not for files
    run_conversation(series, 2)
    panel = show(kind, series)
    path = tmp_path / "图表.csv"
    panel.exporter.save_csv(str(path))
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == list(panel.table().columns)
    assert len(rows) == len(panel.table().rows) + 1
    for written, row in zip(rows[1:], panel.table().rows, strict=True):
        for text, cell in zip(written, row, strict=True):
            assert text == "" if cell is None else type(cell)(text) == cell


@every_panel
def test_png_is_the_panel_as_it_looks(show, series, kind, tmp_path) -> None:
    run_conversation(series, 2)
    panel = show(kind, series)
    panel.show_readout(1)
    path = tmp_path / "chart.png"
    panel.exporter.save_png(str(path))
    image = QImage(str(path))
    assert image.size() == panel.size() * panel.devicePixelRatio()
    assert not panel.readout.isVisible()
    colours = {image.pixelColor(x, y).name() for x in range(0, 480, 3) for y in range(0, 320, 3)}
    assert len(colours) > 5


@every_panel
def test_svg_is_lines_and_text_not_a_picture(show, series, kind, tmp_path) -> None:
    run_conversation(series, 2)
    panel = show(kind, series)
    path = tmp_path / "chart.svg"
    panel.exporter.save_svg(str(path))
    root = ElementTree.parse(path).getroot()
    tags = [element.tag.rpartition("}")[2] for element in root.iter()]
    assert root.get("viewBox") == "0 0 480 320"
    assert "image" not in tags
    assert "clipPath" in tags
    assert tags.count("text") > 8
    assert tags.count("path") + tags.count("polyline") + tags.count("rect") > 5
    texts = " ".join("".join(element.itertext()) for element in root.iter() if element.tag.endswith("text"))
    assert panel.heading.value in texts


def test_a_file_that_cannot_be_written_is_said(qtbot, show, series, tmp_path) -> None:
    run_conversation(series, 1)
    panel = show(TtftPanel, series)
    panel.exporter.save_csv(str(tmp_path / "missing" / "chart.csv"))
    box = panel.findChild(QMessageBox)
    assert box is not None
    assert str(tmp_path / "missing" / "chart.csv") in box.text()
    assert box.text().endswith(": there is no such file or folder. Choose another place.")
    box.close()


def test_saving_asks_for_the_place(qtbot, show, series, tmp_path) -> None:
    run_conversation(series, 1)
    panel = show(TtftPanel, series)
    menu = panel.context_menu()
    menu.actions()[3].trigger()
    menu.close()
    dialog = panel.findChild(QFileDialog)
    qtbot.waitUntil(dialog.isVisible)
    assert dialog.selectedFiles()[0].endswith("ttft.csv")
    dialog.fileSelected.emit(str(tmp_path / "ttft.csv"))
    assert (tmp_path / "ttft.csv").read_text(encoding="utf-8").startswith("turn,ttft_s")
    dialog.close()


def test_a_read_out_stays_where_it_is_and_follows_the_values(show, series) -> None:
    run_conversation(series, 1)
    panel = show(MemoryPanel, series)
    panel.show_readout(2000)
    before = panel.readout.text()
    series.set_context_tokens(3000)
    panel.redraw()
    assert panel.readout.position == 2000
    assert "expected" in before
    assert "expected" not in panel.readout.text()


@every_panel
def test_a_panel_may_go_while_the_pointer_is_on_it(qtbot, theme, series, kind) -> None:
    run_conversation(series, 1)
    panel = kind(theme)
    panel.set_series(series)
    panel.show()
    panel.ensure_plot()
    hover(panel, 1, 0.05)
    panel.deleteLater()
    QCoreApplication.sendPostedEvents(panel, QEvent.Type.DeferredDelete)
    assert not isValid(panel)
    theme.set_scheme(Scheme.DARK)
    QApplication.processEvents()


def test_labels_of_the_legend_explain_themselves(qtbot, show, series) -> None:
    run_conversation(series, 1)
    panel = show(MemoryPanel, series)
    found = {panel.legend.entry_at(QPoint(x, 4).toPointF()) for x in range(0, panel.legend.width(), 4)}
    labels = {entry.label for entry in found if entry is not None}
    assert {"weights", "compute", "KV used"} <= labels
    assert all(entry.tooltip for entry in panel.legend.entries)
    assert panel.legend.entry_at(QPoint(4, 400).toPointF()) is None


def test_a_narrow_legend_leaves_values_out_rather_than_a_third_row(show, series) -> None:
    run_conversation(series, 1)
    panel = show(MemoryPanel, series, size=(280, 160))
    row = panel.legend.heightForWidth(10_000)
    assert panel.legend.heightForWidth(panel.legend.width()) == 2 * row


def test_a_legend_keeps_all_its_rows_when_it_gets_narrower(qtbot, show, series) -> None:
    run_conversation(series, 3)
    panel = show(TpotPanel, series, size=(640, 320))
    row = panel.legend.height()
    panel.resize(280, 320)
    qtbot.waitUntil(lambda: panel.legend.height() == 2 * row, timeout=1000)
