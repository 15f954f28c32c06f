"""Downloads in the window: one after the other, paused, resumed, cancelled, and found again by the next window."""

from __future__ import annotations

import hashlib

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMessageBox

from app.hub.batches import Batch
from app.hub.download import Download
from app.hub.partial import RemoteFile
from app.paths import paths
from tests.downloads import DATA, HALF, left_over, remote
from tests.hub_server import Fault
from tests.ui.models.hands import REPO, Models, put
from ui.dialogs.models import words
from ui.dialogs.models.downloads.row import DownloadRow
from ui.dialogs.models.hub.files_model import ACTION

NAME = "model-Q4_K_M.gguf"


@pytest.fixture
def shown(models, hub):
    """The hub's page with one model of 2 MiB."""
    hub.add(REPO, NAME, DATA)
    models.look_for("")
    models.look_at()
    return models


def hold(hub, at: int = HALF) -> None:
    """Let the next download stop within its file."""
    hub.reached.clear()
    hub.released.clear()
    hub.faults.append(Fault(hold_at=at))


def test_a_download_ends_with_a_model_to_load(shown, hub):
    hold(hub)
    shown.press("Q4_K_M")
    shown.wait(lambda: shown.lines()[0][5] == "50%")
    assert shown.desk.find("download_indicator").text() == "Downloading 50%"
    files = shown.pane.files
    assert not files.has_button(files.files.index(0, ACTION))
    shown.press("Q4_K_M")
    assert shown.dialog.tabs.currentWidget() is shown.page
    shown.click("hub_download")
    assert shown.dialog.tabs.currentWidget().objectName() == "downloads_page"
    assert shown.find("download_state").text().startswith("1.00 MiB of 2.00 MiB")
    hub.released.set()
    shown.wait_for_states("done")
    target = paths().models / "maker" / "model-GGUF" / NAME
    assert target.read_bytes() == DATA
    assert shown.find("download_state").text() == "downloaded and checked · 2.00 MiB"
    line = shown.desk.window.status_line
    assert "model-Q4_K_M is downloaded" in line.notice
    assert line._notice.property("role") == ""  # good news is no warning
    assert shown.desk.find("download_indicator").isHidden()
    shown.button("load").click()
    shown.wait(lambda: len(shown.desk.engine.load_configs) == 2)
    assert shown.desk.engine.load_configs[-1].path == target


def test_how_far_it_is_stands_where_the_button_has_its_text(shown, hub):
    table = shown.pane.files
    cell = table.visualRect(table.files.index(0, ACTION)).adjusted(8, 6, -8, -6)  # within the button's frame

    def middle() -> float:
        image = table.viewport().grab(cell).toImage()
        ground = image.pixelColor(0, 0)
        inked = [x for x in range(image.width()) for y in range(image.height()) if image.pixelColor(x, y) != ground]
        return (inked[0] + inked[-1]) / 2 / image.devicePixelRatio()

    of_button = middle()
    hold(hub)
    shown.press("Q4_K_M")
    shown.wait(lambda: shown.lines()[0][5] == "50%")
    assert middle() == pytest.approx(of_button, abs=1.5)
    hub.released.set()
    shown.wait_for_states("done")


def test_what_is_here_is_loaded_instead_of_downloaded(shown):
    shown.press("Q4_K_M")
    shown.wait(lambda: shown.lines()[0][5] == "Load")
    shown.downloads.forget(shown.downloads.batches[0])
    shown.wait(lambda: not shown.downloads.batches)
    assert shown.lines()[0][5] == "Load"
    shown.press("Q4_K_M")
    shown.wait(lambda: len(shown.desk.engine.load_configs) == 2)


def test_a_finished_one_is_in_the_library(user_home, hub, desk):
    models = Models(desk)
    models.open("library_page")
    models.open("hub_page")
    put(hub, NAME, 4)
    models.look_for("")
    models.look_at()
    models.press("Q4_K_M")
    models.wait_for_states("done")
    models.wait(lambda: paths().models / REPO / NAME in desk.parts.disk.models)


def test_pause_and_resume_fetch_only_what_is_missing(shown, hub):
    before = hub.body_bytes_sent
    hold(hub)
    shown.press("Q4_K_M")
    shown.dialog.show_page("downloads_page")
    shown.wait(lambda: shown.downloads.batches and shown.downloads.batches[0].done_bytes == HALF)
    shown.button("pause").click()
    shown.wait_for_states("paused")
    assert shown.find("download_state").text() == "paused · 1.00 MiB of 2.00 MiB"
    assert shown.desk.find("download_indicator").text() == "A download is paused"
    shown.button("resume").click()
    shown.wait_for_states("done")
    assert hub.body_bytes_sent - before == len(DATA)


def test_the_keyboard_never_goes_on_to_what_throws_a_download_away(shown, hub):
    shown.dialog.show_page("downloads_page")
    shown.dialog.activateWindow()
    shown.wait(shown.dialog.isActiveWindow)
    page = shown.dialog.page("downloads_page")

    def press(button) -> None:
        button.setFocus()
        shown.qtbot.keyClick(button, Qt.Key.Key_Space)

    file = remote(hub, sha256="0" * 64)
    hub.files[REPO][NAME].sha256 = file.sha256
    hold(hub)
    shown.downloads.add([file])
    shown.wait(lambda: shown.downloads.batches and shown.downloads.batches[0].done_bytes == HALF)
    press(shown.button("pause"))
    shown.wait_for_states("paused")
    assert shown.button("resume").hasFocus()
    hub.released.set()
    hold(hub, HALF // 2)
    press(page.resume_button)
    shown.wait(hub.reached.is_set)
    shown.wait(lambda: page.resume_button.isHidden())
    assert page.pause_button.hasFocus()
    shown.button("pause").setFocus()
    hub.released.set()
    shown.wait_for_states("failed")
    assert shown.button("resume").hasFocus()


def test_ten_cancels_leave_nothing(shown, hub):
    for number in range(10):
        hub.add(REPO, f"{number}.gguf", DATA)
    models_folder = paths().models
    shown.search.visit.phase = "failed"
    shown.search.look_again()
    shown.wait(lambda: shown.search.visit.is_placed)
    shown.dialog.show_page("downloads_page")
    for number in range(10):
        hold(hub)
        shown.downloads.add(shown.pane.files.files.row(number).files)
        shown.wait(hub.reached.is_set)
        shown.wait(lambda: bool(shown.downloads.batches) and shown.downloads.batches[0].state == "downloading")
        shown.button("cancel").click()
        hub.released.set()
        shown.wait(lambda: shown.downloads.batches == ())
    shown.wait(lambda: left_over(models_folder) == [])
    assert shown.dialog.page("downloads_page").empty.isVisible()


def test_a_failed_one_says_why_and_is_tried_again(shown, hub, monkeypatch):
    hub.gated.add(REPO)
    shown.press("Q4_K_M")
    shown.wait_for_states("failed")
    shown.dialog.show_page("downloads_page")
    assert f"accept its licence at {hub.endpoint}/{REPO}" in shown.find("download_sentence").text()
    indicator, colours = shown.desk.find("download_indicator"), shown.desk.parts.theme.colours
    assert indicator.text() == "The download of model-Q4_K_M failed"
    assert indicator.palette().buttonText().color().name() == colours.warning
    assert shown.find("downloads_resume").isHidden()
    asked: list[str] = []
    monkeypatch.setattr(QMessageBox, "exec", lambda box: asked.append(box.informativeText()))
    shown.button("page").click()
    assert asked == [f"{hub.endpoint}/{REPO}"]
    monkeypatch.setenv("HF_TOKEN", "hf_good")
    shown.button("resume").click()
    shown.wait_for_states("done")
    assert indicator.palette().buttonText().color().name() == colours.text


def test_a_split_model_is_one_download_and_cancelled_as_one(models, hub):
    for number in (1, 2, 3):
        hub.add(REPO, f"m-Q8_0-0000{number}-of-00003.gguf", DATA)
    models.look_for("")
    models.look_at()
    hub.faults += [Fault(), Fault(hold_at=HALF)]
    models.press("Q8_0")
    models.wait(hub.reached.is_set)
    models.wait(lambda: models.downloads.batches[0].done_bytes == len(DATA) + HALF)
    assert models.states() == ["downloading"]
    assert models.downloads.batches[0].total_bytes == 3 * len(DATA)
    models.dialog.show_page("downloads_page")
    models.button("cancel").click()
    models.wait(lambda: models.downloads.batches == ())
    hub.released.set()
    models.wait(lambda: left_over(paths().models) == [])


def test_closing_pauses_and_the_next_window_finds_everything_again(hub, open_desk):
    models = Models(open_desk())
    hub.add(REPO, NAME, DATA)
    hub.add(REPO, "model-Q8_0.gguf", DATA)
    models.look_for("")
    models.look_at()
    before = hub.body_bytes_sent
    hold(hub)
    for line in ("Q4_K_M", "Q8_0"):
        models.press(line)
    models.wait(
        lambda: models.states() == ["downloading", "waiting"] and models.downloads.batches[0].done_bytes == HALF
    )
    assert models.find("downloads_sum").text() == "1 under way, 1 waiting"
    models.desk.window.close()
    assert models.desk.parts.has_ended
    hub.released.set()
    again = Models(open_desk())
    again.wait_for_states("paused", "paused")
    assert "2 downloads were interrupted" in again.desk.window.status_line.notice
    assert again.desk.window.status_line._notice.property("role") == "warning"
    assert again.desk.find("download_indicator").text() == "2 downloads are paused"
    again.open("downloads_page")
    again.click("downloads_resume")
    again.wait_for_states("done", "done")
    # What was on the line when it was closed is sent again: two pieces of the server's at most.
    assert hub.body_bytes_sent - before <= 2 * len(DATA) + 2 * 64 * 1024
    for name in (NAME, "model-Q8_0.gguf"):
        assert hashlib.sha256((paths().models / REPO / name).read_bytes()).digest() == hashlib.sha256(DATA).digest()


def test_the_line_at_the_foot_is_as_high_without_downloads(shown, hub):
    line = shown.desk.window.status_line
    height = line.height()
    hold(hub)
    shown.press("Q4_K_M")
    shown.wait(lambda: shown.desk.find("download_indicator").isVisible())
    shown.qtbot.wait(0)
    assert line.height() == height
    hub.released.set()
    shown.wait_for_states("done")


def test_the_rows_end_where_their_buttons_above_do_unless_they_scroll(shown, hub):
    hold(hub)
    shown.press("Q4_K_M")
    shown.dialog.show_page("downloads_page")
    shown.wait(lambda: bool(shown.states()))
    page = shown.dialog.page("downloads_page")

    def gap() -> int:
        button, row = page.pause_button, next(iter(page._rows.values()))
        return button.mapTo(page, QPoint(button.width(), 0)).x() - row.mapTo(page, QPoint(row.width(), 0)).x()

    shown.wait(lambda: gap() == 0)
    for number in range(12):
        shown.downloads.add([remote(hub, name=f"{number}.gguf")])
    shown.wait(lambda: len(shown.downloads.batches) == 13 and gap() > 0)
    for batch in shown.downloads.batches:
        shown.downloads.cancel(batch)
    hub.released.set()
    shown.wait(lambda: shown.downloads.batches == ())


def test_of_what_is_being_checked_it_is_not_said_that_it_is_all_there_is():
    file = RemoteFile(REPO, NAME)
    checked = Download(1, file, paths().models / NAME, "checking", done_bytes=68 * 1024**2, total_bytes=600 * 1024**2)
    assert words.state(Batch((REPO, NAME, 1), "model", (checked,))) == "checking what is here already: 68.0 MiB so far"


def test_a_narrow_row_has_its_buttons_below_what_happens(qtbot):
    half = Download(
        1,
        RemoteFile(REPO, NAME),
        paths().models / NAME,
        "downloading",
        done_bytes=19 * 1024**2,
        total_bytes=17 * 1024**3,
        bytes_per_s=3.6 * 1024**2,
    )
    row = DownloadRow(Batch((REPO, NAME, 1), "model", (half,)))
    qtbot.addWidget(row)
    row.show()
    for width, is_below in ((350, True), (900, False)):
        row.resize(width, 120)
        qtbot.waitUntil(
            lambda is_below=is_below: (row.buttons["pause"].y() > row.state.geometry().bottom()) == is_below
        )
        assert row.state.shown_text == row.state.text() == "19.0 MiB of 17.0 GiB · 3.60 MiB/s · 1 h 21 min left"


def test_the_counts_are_cut_with_an_ellipsis_and_the_rows_stay_where_they_are(shown, hub):
    hub.gated.add(REPO)
    shown.dialog.show_page("downloads_page")
    hold(hub)
    shown.press("Q4_K_M")
    shown.wait_for_states("failed")
    page = shown.dialog.page("downloads_page")
    row = next(iter(page._rows.values()))
    shown.qtbot.wait(0)
    assert page.pause_button.isHidden()
    assert page.resume_button.isHidden()
    top = row.mapTo(page, QPoint(0, 0)).y()
    page.pause_button.show()
    shown.qtbot.wait(0)
    assert row.mapTo(page, QPoint(0, 0)).y() == top
    page.sum_label.setText("1 under way, 2 waiting, 1 paused, 1 failed, 1 finished" * 9)
    assert page.sum_label.shown_text.endswith("…")


def test_without_downloads_the_page_says_what_will_appear(models):
    models.dialog.show_page("downloads_page")
    assert "Nothing is being downloaded" in models.dialog.page("downloads_page").empty.text
    models.click("downloads_empty_button")
    assert models.dialog.tabs.currentWidget() is models.page


def test_everything_has_a_name_and_can_be_reached_with_the_keyboard(shown, hub):
    put(hub, NAME, 4)
    shown.press("Q4_K_M")
    shown.wait(lambda: bool(shown.states()))
    shown.dialog.show_page("downloads_page")
    from PySide6.QtWidgets import QAbstractButton, QComboBox, QLineEdit

    for kind in (QAbstractButton, QComboBox, QLineEdit):
        for widget in shown.dialog.findChildren(kind):
            if widget.isVisibleTo(shown.dialog) and widget.parent().objectName() != "qt_tabwidget_tabbar":
                assert widget.accessibleName() or getattr(widget, "text", lambda: "")(), widget.objectName()
                assert widget.focusPolicy() & Qt.FocusPolicy.TabFocus or widget.objectName() == "", widget
