"""Searching the hub in the window: what is found, what fits before it is downloaded, and what can go wrong."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt, QUrl

from app.engine.config import ModelConfig
from app.errors import Sentence, UnknownArchitectureError
from tests.hub_server import Fault, StoredFile
from tests.planners import ScriptedPlanner
from tests.ui.models.hands import REPO, Models, put
from ui.dialogs.models.hub.files_model import FITS, LARGEST, NAME, SIZE


def test_nothing_is_asked_before_the_user_asks(models, hub):
    assert "Type what you are looking for" in models.page.empty.text
    assert hub.hub_requests == []
    models.click("hub_empty_button")
    models.wait(lambda: models.search.phase == "ready")
    assert hub.hub_requests


def test_text_and_order_go_to_the_hub(models, hub):
    for number, repo in enumerate(("a/one-GGUF", "b/one-GGUF", "c/two-GGUF")):
        put(hub, "x-Q4_0.gguf", 1, repo)
        hub.about[repo] = {
            "likes": 10 - number,
            "downloads": number,
            "lastModified": f"2026-0{number + 1}-01T00:00:00Z",
        }
    models.look_for("one")
    assert models.hits() == ["b/one-GGUF", "a/one-GGUF"]
    models.page.order.setCurrentIndex(models.page.order.findData("likes"))
    models.page.order.activated.emit(1)
    models.wait(lambda: models.search.phase == "ready")
    assert models.hits() == ["a/one-GGUF", "b/one-GGUF"]
    models.look_at("b/one-GGUF")
    models.look_for("one-")
    assert models.page.hits.currentIndex().row() == models.hits().index("b/one-GGUF")
    assert models.pane.head.title.text() == "b/one-GGUF"
    models.look_for("nothing like this")
    assert "no GGUF models for “nothing like this”" in models.page.empty.text
    assert models.pane.currentWidget() is models.pane.empty
    assert "appear here" in models.pane.empty.text
    models.look_for("one")
    models.look_at("b/one-GGUF")
    assert models.pane.head.title.text() == "b/one-GGUF"


def test_a_search_starts_when_the_typing_pauses(models, hub):
    put(hub, "x-Q4_0.gguf", 1)
    models.qtbot.keyClicks(models.find("hub_text"), "model")
    assert hub.hub_requests == []
    models.wait(lambda: models.search.phase == "ready")
    assert models.hits() == [REPO]
    assert len([path for path, _ in hub.hub_requests if path.startswith("/api/models?")]) == 1


def test_more_is_shown_on_demand_and_the_place_in_the_list_stays(models, hub):
    for number in range(60):
        put(hub, "x-Q4_0.gguf", 1, f"maker/m{number:02d}-GGUF")
    models.look_for("maker")
    assert len(models.hits()) == 50
    models.look_at(models.hits()[3])
    models.click("hub_more")
    models.wait(lambda: len(models.hits()) == 60)
    assert models.page.hits.currentIndex().row() == 3
    assert models.find("hub_more").isHidden()


def test_more_that_cannot_be_had_says_why_and_the_same_is_asked_for_again(models, hub):
    for number in range(120):
        put(hub, "x-Q4_0.gguf", 1, f"maker/m{number:03d}-GGUF")
    models.look_for("maker")
    hub.api_faults.append(Fault(status=500))
    models.click("hub_more")
    models.wait(lambda: models.search.phase == "failed")
    fault = models.find("hub_more_fault")
    assert fault.isVisible()
    assert fault.text() == models.search.refusal.sentence
    assert models.find("hub_more").text() == "Try again"
    assert len(models.hits()) == 50
    models.click("hub_more")
    models.wait(lambda: len(models.hits()) == 100)
    assert fault.isHidden()
    assert models.find("hub_more").text() == "Show more"


def test_every_file_has_its_label_before_the_download_and_one_is_recommended(models, hub):
    put(hub, "model-Q4_K_M.gguf", 40)
    put(hub, "model-F16.gguf", 400)
    put(hub, "Q8_0/model-Q8_0-00001-of-00002.gguf", 100)
    put(hub, "Q8_0/model-Q8_0-00002-of-00002.gguf", 100)
    put(hub, "model-F32.gguf", 100_000)
    put(hub, "mmproj-model-F16.gguf", 9)
    hub.cards[REPO] = "---\nlicense: mit\n---\nA **small** [model](http://evil.example).<img src=http://evil.example/x>"
    models.look_for("")
    models.look_at()
    lines = models.lines()
    assert [line[0] for line in lines] == ["Q4_K_M", "Q8_0 · 2 files", "F16 · recommended", "F32", "mmproj F16"]
    assert [line[1] for line in lines] == ["40.0 MiB", "200 MiB", "400 MiB", "97.7 GiB", "9.00 MiB"]
    fits = "on CPU"
    assert [line[3] for line in lines] == [fits, fits, fits, "does not fit", "beside a model"]
    assert "F16 is the best quality that fits in the memory with a context of 4,096 tokens" in models.pane.why.text()
    assert models.pane.act_button.text() == "Download F16 (400 MiB)"
    models.wait(lambda: models.pane.head.summary.toPlainText() == "A small model.")
    assert "licence mit" in models.pane.head.facts.text()
    assert hub.body_bytes_sent < 6 * 2 * 1024**2


def test_a_card_that_did_not_come_is_asked_for_with_the_headers_again(models, hub):
    hub.add(REPO, "README.md", b"A **small** model.")
    put(hub, "model-Q4_K_M.gguf", 40)
    hub.faults.extend([Fault(status=503)] * 2)
    models.look_for("")
    models.look_at()
    models.wait(lambda: not hub.faults)
    assert models.pane.head.summary.toPlainText() == ""
    models.click("hub_notice_button")
    models.wait(lambda: models.pane.head.summary.toPlainText() == "A small model.")
    models.wait(lambda: models.search.visit.is_placed)


def test_of_a_split_model_without_all_its_files_nothing_is_said_to_fit(models, hub):
    put(hub, "model-Q4_K_M.gguf", 40)
    put(hub, "model-Q8_0-00001-of-00003.gguf", 100)
    put(hub, "model-Q8_0-00002-of-00003.gguf", 100)
    models.look_for("")
    models.look_at()
    assert {line[0]: line[2:] for line in models.lines()}["Q8_0 · 2 files"] == ["", "n/a", "", "incomplete"]


def test_where_nothing_can_be_said_of_what_fits_the_reason_is(models, hub, monkeypatch):
    def plan(*_, **__):
        raise UnknownArchitectureError(Sentence("It can be said only once it is downloaded."))

    monkeypatch.setattr(ScriptedPlanner, "plan", plan)
    put(hub, "model-Q4_K_M.gguf", 40)
    models.look_for("")
    models.look_at()
    assert models.lines()[0][3:5] == ["n/a", "n/a"]
    assert models.pane.why.text() == "It can be said only once it is downloaded."


def test_of_what_is_no_model_the_reason_is_said(models, hub):
    data = b"<html>" + bytes(100)
    hub.files[REPO] = {"model-Q4_0.gguf": StoredFile(len(data), "", lambda start, end: data[start:end])}
    models.look_for("")
    models.look_at()
    assert models.pane.head.notice.sentence == (
        "Whether these files fit is not known. "
        "model-Q4_0.gguf is not a GGUF file: Tokometer opens models in llama.cpp's GGUF format only."
    )


def test_another_context_is_planned_without_asking_the_hub_again(models, hub):
    put(hub, "model-Q4_K_M.gguf", 3900)
    put(hub, "model-Q2_K.gguf", 40)
    models.look_for("")
    models.look_at()
    assert "Q4_K_M is the best" in models.pane.why.text()
    asked = len(hub.cdn_requests)
    models.pane.context.setCurrentIndex(models.pane.context.findData(131_072))
    models.pane.context.activated.emit(models.pane.context.currentIndex())
    models.wait(lambda: models.search.visit.is_placed)
    assert "Q2_K is the best quality that fits in the memory with a context of 131,072 tokens" in models.pane.why.text()
    assert len(hub.cdn_requests) == asked


def test_what_was_found_is_there_when_the_window_is_opened_again(models, hub):
    put(hub, "model-Q4_K_M.gguf", 4)
    models.look_for("model")
    models.look_at()
    asked = len(hub.hub_requests)
    models.dialog.close()
    models.open()
    assert models.find("hub_text").text() == "model"
    assert models.hits() == [REPO]
    assert models.lines()[0][0] == "Q4_K_M · recommended"
    assert len(hub.hub_requests) == asked


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        (Fault(status=503), "is busy (HTTP 503)"),
        (Fault(status=429, headers={"Retry_After": "7200"}), "120 minutes"),
        (Fault(status=401), "token"),
        (Fault(status=403), "token"),
        (Fault(status=404), "does not answer as the hub does"),
        (Fault(status=500), "has an error (HTTP 500): try again later"),
        (Fault(page=True), "web page"),
    ],
)
def test_what_goes_wrong_is_said_and_can_be_tried_again(models, hub, fault, sentence):
    put(hub, "model-Q4_K_M.gguf", 4)
    hub.api_faults.append(fault)
    models.look_for("model")
    assert sentence in models.page.empty.text
    models.click("hub_empty_button")
    models.wait(lambda: models.search.phase == "ready")
    hub.api_faults.append(fault)
    models.look_at()
    assert models.pane.currentWidget() is models.pane.empty
    models.click("hub_repository_empty_button")
    models.wait(lambda: models.search.visit.is_placed)
    assert models.lines()[0][0] == "Q4_K_M · recommended"


def test_offline_by_choice_and_without_a_network(models, hub, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    models.look_for("model")
    assert "HF_HUB_OFFLINE" in models.page.empty.text
    assert models.search.refusal.is_offline
    monkeypatch.delenv("HF_HUB_OFFLINE")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    models.look_for("other")
    assert "cannot be reached" in models.page.empty.text
    assert hub.hub_requests == []


@pytest.mark.parametrize("zoom", [1.0, 1.5])
def test_the_line_to_take_is_whole_in_a_small_window_with_larger_text(models, hub, zoom):
    for number in range(20):
        put(hub, f"model-{number:02d}-Q4_K_M.gguf", 2 + number)
    hub.cards[REPO] = "A small model.\n\n" * 9
    settings = models.desk.parts.settings
    table = models.pane.files

    def is_whole() -> bool:
        seen = table.viewport().rect().adjusted(0, 0, 0, 1)  # Qt scrolls to all but a line's last pixel
        return seen.contains(table.visualRect(table.currentIndex()))

    settings.set(replace(settings.value, zoom=zoom))
    models.dialog.resize(900, 600)
    models.look_for("")
    models.look_at()
    models.wait(models.pane.head.summary.isVisible)
    assert table.currentIndex().row() == models.search.visit.best == 19
    models.qtbot.wait(100)  # whatever is laid out later has been
    assert is_whole()
    models.dialog.resize(900, 560)
    models.qtbot.wait(100)
    assert is_whole()
    table.scrollToTop()
    models.qtbot.wait(100)
    models.dialog.resize(900, 580)
    models.qtbot.wait(100)
    assert not is_whole()  # the user has scrolled away


def test_a_gated_model_says_what_to_do_and_opens_with_a_token(models, hub, monkeypatch):
    put(hub, "model-Q4_K_M.gguf", 4)
    hub.gated.add(REPO)
    models.look_for("")
    models.look_at()
    assert "gated" in models.page.hits.hits.index(0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert models.pane.head.notice.sentence == (
        f"{REPO} is gated, and the token in HF_TOKEN or of “hf auth login” has no access to it: accept its licence at "
        f"{hub.endpoint}/{REPO}, and allow the token to read gated repositories at {hub.endpoint}/settings/tokens."
    )
    assert models.lines()[0][3] == "n/a"
    assert models.find("hub_page_button").property("role") == "primary"
    monkeypatch.setenv("HF_TOKEN", "hf_good")
    models.click("hub_notice_button")
    models.wait(lambda: models.search.visit.is_placed)
    assert models.lines()[0][3] == "on CPU"
    assert models.pane.head.notice.isHidden()
    assert models.find("hub_page_button").property("role") == ""


def test_a_page_of_the_hub_is_opened_only_after_asking(models, hub, browser):
    put(hub, "model-Q4_K_M.gguf", 4)
    models.look_for("")
    models.look_at()
    shown, opened = browser
    models.click("hub_page_button")
    assert shown == [("Open this page in your browser?", f"{hub.endpoint}/{REPO}")]
    assert opened == [QUrl(f"{hub.endpoint}/{REPO}")]


def test_a_model_of_which_nothing_may_be_read_leads_to_its_page(models, hub, browser):
    put(hub, "model-Q4_K_M.gguf", 4)
    models.look_for("")
    hub.api_faults.append(Fault(status=403, headers={"X_Error_Code": "GatedRepo"}))
    models.look_at()
    assert f"accept its licence at {hub.endpoint}/{REPO}" in models.pane.empty.text
    models.click("hub_repository_empty_page")
    shown, opened = browser
    assert shown == [("Open this page in your browser?", f"{hub.endpoint}/{REPO}")]
    assert opened == [QUrl(f"{hub.endpoint}/{REPO}")]
    hub.api_faults.append(Fault(status=503))
    models.click("hub_repository_empty_button")
    models.wait(lambda: "is busy" in models.pane.empty.text)
    assert models.find("hub_repository_empty_page").isHidden()


def test_ten_thousand_files_with_hostile_names_do_not_hold_the_window_up(models, hub):
    names = ("../../../etc/passwd{}", "<b>bold<img src=x>{}", "\x1b[2J{}", "CON{}", "a" * 300 + "{}", "\u202egnp{}")
    data = b"GGUF" + bytes(100)
    stored = StoredFile(len(data), "", lambda start, end: data[start:end])
    hub.files[REPO] = {names[n % len(names)].format(n) + ".gguf": stored for n in range(10_000)}
    models.look_for("")
    longest, last = 0.0, time.perf_counter()

    def is_placed() -> bool:
        nonlocal longest, last
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
        return models.search.visit.is_placed

    models.page.hits.setCurrentIndex(models.page.hits.hits.index(0))
    models.wait(is_placed)
    assert len(models.lines()) == 10_000
    assert len({path for path, _ in hub.cdn_requests}) == 64  # no more headers than that are fetched unasked
    shown = "".join(line[0] for line in models.lines())
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    table = models.pane.files.files
    tooltip = next(table.index(row, 0).data(3) for row in range(10_000) if "<b>" in table.index(row, 0).data())
    assert "<b>" not in tooltip
    models.pane.files.setCurrentIndex(table.index([line[0][:3] for line in models.lines()].index("aaa"), 0))
    assert models.pane.act_button.sizeHint().width() < models.pane.width()
    assert longest < 2.0  # a freeze, not a slow machine


def test_a_file_beyond_the_first_ones_is_placed_when_it_is_chosen(models, hub):
    for number in range(70):
        put(hub, f"m{number:02d}-Q4_0.gguf", 1 + number)
    models.look_for("")
    models.look_at()
    assert (models.lines()[63][3], models.lines()[66][3]) == ("on CPU", "")
    assert models.pane.why.text().endswith(
        "fits in the memory with a context of 4,096 tokens; it runs on the CPU. "
        "Only the first 64 headers are read automatically: choose another line to have its own read."
    )
    tooltips = [models.pane.files.files.index(row, LARGEST).data(Qt.ItemDataRole.ToolTipRole) for row in (63, 66)]
    assert ["choose this line to have its header read" in tooltip for tooltip in tooltips] == [False, True]
    models.pane.files.setCurrentIndex(models.pane.files.files.index(66, 0))
    models.downloads.changed.emit()  # progress meanwhile does not ask anew
    models.wait(lambda: models.lines()[66][3] == "on CPU")
    assert len([path for path, _ in hub.cdn_requests if "m66" in path]) == 1


def test_a_search_under_way_does_not_hold_up_the_end(models, hub):
    put(hub, "model-Q4_K_M.gguf", 4)
    hub.api_held = threading.Event()
    models.qtbot.keyClicks(models.find("hub_text"), "model")
    models.page._search_now()
    models.wait(lambda: bool(hub.hub_requests))
    assert "Searching" in models.page.empty.text
    models.desk.window.close()
    assert models.desk.parts.has_ended
    hub.api_held.set()


def test_the_context_is_that_of_the_loaded_model(hub, desk):
    desk.parts.models._config = ModelConfig(desk.parts.models.config.path, n_ctx=20_000)
    models = Models(desk)
    assert models.pane.context.currentText() == "20,000 tokens"


@pytest.mark.parametrize("zoom", [1.0, 1.5])
@pytest.mark.parametrize("size", [(760, 480), (1000, 700), (1600, 1000)])
def test_what_a_file_is_how_large_and_whether_it_fits_is_seen_at_every_size(models, hub, size, zoom):
    put(hub, "model-Q4_K_M.gguf", 40)
    settings = models.desk.parts.settings
    settings.set(replace(settings.value, zoom=zoom))
    models.dialog.resize(*size)
    models.look_for("")
    models.look_at()
    table = models.pane.files
    models.qtbot.wait(0)
    needed = {NAME: models.lines()[0][0], SIZE: models.lines()[0][1], FITS: models.lines()[0][3]}
    for column, text in needed.items():
        rect = table.visualRect(table.files.index(0, column))
        assert not table.isColumnHidden(column)
        assert table.viewport().rect().contains(rect), column
        if zoom == 1.0 or size[0] > 760:
            assert rect.width() > table.fontMetrics().horizontalAdvance(text), column
    assert table.isColumnHidden(LARGEST) is (size[0] < 1000 or (zoom > 1 and size[0] == 1000))
