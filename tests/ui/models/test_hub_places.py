"""Where things stand on the hub's page: no fact is cut, and what is chosen stays in view."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QSize, Qt

from tests.hub_server import Fault
from tests.ui.models.hands import REPO, put
from ui.dialogs.models.hub.files_model import BITS, FITS
from ui.dialogs.models.hub.hits import DOT, LINE_GAP, PADDING_X, PADDING_Y
from ui.dialogs.models.library.columns import title

if TYPE_CHECKING:
    from PySide6.QtWidgets import QListView, QTreeView

LONG = "lmstudio-community/A-model-with-a-very-long-name-indeed-and-more-of-it-Instruct-2507-GGUF"


def zoom(models, factor: float) -> None:
    settings = models.desk.parts.settings
    settings.set(replace(settings.value, zoom=factor))


def is_chosen_whole(view: QListView | QTreeView) -> bool:
    seen = view.viewport().rect().adjusted(0, 0, 0, 1)  # Qt scrolls to all but a line's last pixel
    return seen.contains(view.visualRect(view.currentIndex()))


def columns(models) -> tuple[int, int]:
    left, right = models.page._columns.sizes()
    return left, right


@pytest.mark.parametrize("factor", [1.0, 1.5])
@pytest.mark.parametrize("size", [(760, 480), (1000, 700), (1600, 1000)])
def test_a_hits_line_has_room_for_all_that_is_known_of_it(models, hub, size, factor):
    for number in range(9):  # at first, of 1000 pixels' width, without a scroll bar
        repo = f"{LONG}-{number}"
        put(hub, "model-Q4_K_M.gguf", 4, repo)
        hub.about[repo] = {"downloads": 1_234_567, "likes": 12_345, "gguf": {"total": 70_553_706_496}}
        hub.gated.add(repo)
    models.dialog.resize(1000, 700)
    models.look_for("")
    hits = models.page.hits
    models.qtbot.wait(50)
    zoom(models, factor)
    models.dialog.resize(*size)
    models.qtbot.wait(50)
    index, metrics, delegate = hits.hits.index(0), hits.fontMetrics(), hits.itemDelegate()
    dot = metrics.horizontalAdvance(DOT)
    for left in (columns(models)[0], 320, 220, 280):  # as when the user drags the line between the columns
        models.page._columns.setSizes([left, sum(columns(models)) - left])
        models.qtbot.wait(50)
        room = hits.viewport().width() - 2 * PADDING_X
        for row in range(9):
            lines = delegate._lines(hits.hits.index(row), metrics)
            widths = [sum(delegate._width(fact, metrics) + dot for fact in line) - dot for line in lines]
            height = (1 + len(lines)) * (metrics.height() + LINE_GAP) - LINE_GAP + 2 * PADDING_Y
            assert max(widths) <= room
            assert hits.visualRect(hits.hits.index(row)).height() == height
        places = [hits.visualRect(hits.hits.index(row)) for row in range(9)]
        assert [place.top() for place in places[1:]] == [place.bottom() + 1 for place in places[:-1]]
    facts = "gated · 70.6B · 1.23M downloads · 12.3K likes"
    assert index.data(Qt.ItemDataRole.ToolTipRole).startswith(f"{LONG}-0\n{facts}")
    assert [fact.text for fact in hits.hits.facts(hits.hits.hit(0))][:4] == ["gated", "70.6B", "1.23M", "12.3K"]
    shown = [fact for line in delegate._lines(index, metrics) for fact in line]
    assert shown == hits.hits.facts(hits.hits.hit(0))


def test_facts_are_in_one_line_where_there_is_room(models, hub):
    put(hub, "model-Q4_K_M.gguf", 4)
    hub.about[REPO] = {"downloads": 1_234_567, "likes": 482, "gguf": {"total": 8_030_261_248}}
    models.dialog.resize(1000, 700)
    models.look_for("")
    hits = models.page.hits
    height = hits.fontMetrics().height()
    assert hits.visualRect(hits.hits.index(0)).height() == 2 * height + LINE_GAP + 2 * PADDING_Y


def test_both_columns_grow_with_the_window_and_are_found_again_as_they_were_left(models):
    def share() -> float:
        return columns(models)[0] / sum(columns(models))

    models.dialog.resize(1000, 700)
    models.qtbot.wait(0)
    before, first = columns(models), share()
    models.dialog.resize(1600, 1000)
    models.qtbot.wait(0)
    assert all(now > then + 100 for now, then in zip(columns(models), before, strict=True))
    assert share() == pytest.approx(first, abs=0.01)
    models.page._columns.setSizes([700, sum(columns(models)) - 700])
    models.qtbot.wait(0)
    left = share()
    assert left > first + 0.1
    models.dialog.close()
    models.qtbot.wait(0)
    models.open()
    models.dialog.resize(1200, 700)
    models.qtbot.wait(0)
    assert share() == pytest.approx(left, abs=0.01)


@pytest.mark.parametrize("size", [(760, 480), (1000, 700)])
def test_what_is_chosen_stays_in_view_when_the_text_becomes_larger_or_smaller(models, hub, size):
    for number in range(40):
        put(hub, "x-Q4_0.gguf", 1, f"maker/m{number:02d}-GGUF")
    for number in range(30):
        put(hub, f"model-{number:02d}-Q4_K_M.gguf", 2 + number, "maker/m20-GGUF")
    hub.cards["maker/m20-GGUF"] = "A small model.\n\n" * 9
    models.dialog.resize(*size)
    models.look_for("")
    models.look_at("maker/m20-GGUF")
    models.wait(lambda: models.search.visit.summary)
    views = (models.page.hits, models.pane.files)
    models.qtbot.wait(50)
    assert all(map(is_chosen_whole, views))
    for factor in (1.2, 1.5, 0.8, 1.0):
        zoom(models, factor)
        models.qtbot.wait(50)
        assert all(map(is_chosen_whole, views)), factor
    for view in views:
        view.verticalScrollBar().setValue(0)  # the user scrolls away
    models.qtbot.wait(50)
    zoom(models, 1.5)
    models.qtbot.wait(50)
    assert not any(map(is_chosen_whole, views))


def test_bits_per_weight_are_called_the_same_on_both_pages(models):
    header = models.pane.files.files.headerData(BITS, Qt.Orientation.Horizontal)
    assert header == title("bits") == "Bits/weight"


def test_nothing_is_the_thing_to_do_next_before_it_is_known_to_fit(models, hub):
    put(hub, "model-Q4_K_M.gguf", 40)
    hub.reached.clear()
    hub.released.clear()
    hub.faults.append(Fault(hold_at=0))
    models.look_for("")
    models.page.hits.setCurrentIndex(models.page.hits.hits.index(models.hits().index(REPO)))
    models.wait(hub.reached.is_set)
    models.wait(models.pane.act_button.isVisible)
    assert models.pane.act_button.text() == "Download Q4_K_M (40.0 MiB)"
    assert models.pane.act_button.property("role") == ""
    hub.released.set()
    models.wait(lambda: models.search.visit.is_placed)
    assert models.pane.act_button.property("role") == "primary"


def test_what_the_makers_say_gives_way_to_the_files(models, hub):
    put(hub, "model-Q4_K_M.gguf", 4)
    hub.cards[REPO] = "A small model. " * 200
    models.look_for("")
    models.look_at()
    summary, table = models.pane.head.summary, models.pane.files
    for size, factor, least, most in (
        ((1000, 700), 1.0, 5, 5), ((900, 600), 1.5, 2, 4), ((760, 480), 1.0, 4, 5), ((760, 480), 1.5, 0, 0)
    ):  # fmt: skip
        models.dialog.resize(*size)
        zoom(models, factor)
        models.qtbot.wait(50)
        lines = summary.height() // summary.fontMetrics().lineSpacing() if summary.isVisible() else 0
        assert least <= lines <= most, size
        assert table.viewport().height() >= 2 * table.visualRect(table.currentIndex()).height(), size


def test_what_the_makers_say_is_five_lines_high_with_larger_text_too(models, hub):
    put(hub, "model-Q4_K_M.gguf", 4)
    hub.cards[REPO] = "A small model. " * 200
    models.look_for("")
    models.look_at()
    summary, settings = models.pane.head.summary, models.desk.parts.settings
    for zoom in (1.0, 1.5):
        settings.set(replace(settings.value, zoom=zoom))
        points = models.desk.parts.theme.font().pointSizeF()
        models.wait(lambda points=points: summary.font().pointSizeF() == points)
        models.wait(lambda: 5 <= summary.height() / summary.fontMetrics().lineSpacing() < 6)
        line = summary.document().firstBlock().layout().lineAt
        models.wait(lambda line=line: 0 <= summary.viewport().height() - 5 * line(0).height() <= 2)  # none is cut


def test_the_signs_of_the_files_grow_with_the_text_and_cut_no_word(models, hub):
    for name in ("model-Q4_K_M.gguf", "mmproj-model-F16.gguf"):
        put(hub, name, 4)
    models.look_for("")
    models.look_at()
    settings, table = models.desk.parts.settings, models.pane.files
    for zoom, side in ((1.0, 16), (1.5, 24)):
        settings.set(replace(settings.value, zoom=zoom))
        models.wait(lambda side=side: table.iconSize() == QSize(side, side))
        models.wait(lambda: table.sizeHintForColumn(FITS) <= table.columnWidth(FITS))
