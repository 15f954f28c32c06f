"""Verifying in the window: what it says, what stays with the model, and how it ends."""

import threading

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from app.engine.dry_run_cache import file_identity
from tests.library_pages import (
    LONG_MS,
    cell,
    choose,
    column,
    names,
    open_page,
    wait_until_listed,
    wait_until_placed,
)
from tests.model_stores import LLAMA, add_to_hugging_face, gguf, write


def test_verifying_reads_all_and_says_what_is_known(desk, own, user_home):
    snapshot = add_to_hugging_face(user_home / ".cache/huggingface/hub", "org/name", {"hub.gguf": gguf()})
    page = open_page(desk)
    choose(page, "hub")
    page.actions_["verify"].trigger()
    desk.qtbot.waitUntil(lambda: bool(page.notice.sentence), timeout=LONG_MS)
    assert page.notice.sentence == "hub is whole: its SHA-256 is the one Hugging Face knows it by."
    data = bytearray((snapshot / "hub.gguf").read_bytes())
    data[-1] ^= 1
    (snapshot / "hub.gguf").write_bytes(data)
    page.actions_["verify"].trigger()
    desk.qtbot.waitUntil(lambda: "damaged" in page.details.text(), timeout=LONG_MS)
    assert page.notice.isHidden()


def test_a_fault_of_a_model_that_is_no_longer_chosen_is_said_until_it_is_chosen_again(desk, own, user_home):
    file = add_to_hugging_face(user_home / ".cache/huggingface/hub", "org/name", {"hub.gguf": gguf()}) / "hub.gguf"
    file.write_bytes(file.read_bytes()[:-1] + b"x")
    write(own / "other.gguf", gguf())
    page = open_page(desk)
    choose(page, "hub")
    page.actions_["verify"].trigger()
    choose(page, "other")
    desk.qtbot.waitUntil(lambda: bool(page.notice.sentence), timeout=LONG_MS)
    sentence = page.notice.sentence
    assert sentence == ("hub.gguf is damaged: its SHA-256 is not the one Hugging Face knows it by. Download it again.")
    assert page.notice.property("role") == "error"
    assert page.details.text() != sentence
    choose(page, "hub")
    assert page.details.text() == sentence
    assert page.notice.isHidden()


def verified(desk, page) -> str:
    """Verify the chosen model, and return what is said."""
    page.notice.dismiss()
    with desk.qtbot.waitSignal(page.verification.ended, timeout=LONG_MS):
        page.actions_["verify"].trigger()
    return page.notice.sentence or page.details.text()


def scan_again(desk) -> None:
    desk.parts.disk.refresh()
    wait_until_listed(desk)


def test_what_verifying_finds_stays_with_the_model_until_its_file_changes(desk, user_home):
    hub = user_home / ".cache/huggingface/hub"
    file = add_to_hugging_face(hub, "org/name", {"hub.gguf": gguf(LLAMA)}) / "hub.gguf"
    page = open_page(desk)
    wait_until_placed(desk)
    choose(page, "hub")
    button = page.findChild(QPushButton, "library_load_button")

    def shown() -> tuple[object, ...]:
        name = page.shown.index(0, column("name")).data(Qt.ItemDataRole.DecorationRole)
        return name is not None, cell(page, "hub", "fits"), button.property("role"), button.isEnabled()

    assert shown() == (False, "on CPU", "primary", True)
    whole = file.read_bytes()
    file.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    sentence = verified(desk, page)
    scan_again(desk)
    assert "is damaged" in sentence
    assert shown() == (True, "damaged", "", True)
    assert page.details.text() == sentence
    page.shown.set_kind("damaged")
    assert names(page) == ["hub"]
    page.shown.set_kind("")
    file.write_bytes(whole)
    scan_again(desk)
    wait_until_placed(desk)
    assert shown() == (False, "on CPU", "primary", True)


def test_what_is_said_of_a_row_does_not_hide_it(desk, own, user_home):
    for number in range(60):
        write(own / f"m{number:02}.gguf", gguf())
    page = open_page(desk)
    wait_until_placed(desk)
    row = len(page.table.visible_models()) - 2
    page.table.choose([page.shown.model_at(row).path])
    page.table.scrollToTop()
    before = page.table.viewport().height()
    verified(desk, page)
    desk.qtbot.waitUntil(lambda: page.table.viewport().height() < before)
    shown = page.table.visualRect(page.table.currentIndex())
    assert page.table.viewport().rect().contains(shown.center())
    assert page.table.viewport().height() >= shown.bottom()


def test_what_verifying_finds_is_known_at_the_next_start(desk, open_desk, user_home):
    hub = user_home / ".cache/huggingface/hub"
    file = add_to_hugging_face(hub, "org/name", {"hub.gguf": gguf(LLAMA)}) / "hub.gguf"
    whole = file.read_bytes()
    file.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    page = open_page(desk)
    choose(page, "hub")
    sentence = verified(desk, page)
    desk.window.close()
    desk = open_desk(model=None, load=False)
    page = open_page(desk)
    choose(page, "hub")
    assert cell(page, "hub", "fits") == "damaged"
    assert page.details.text() == sentence
    file.write_bytes(whole)
    scan_again(desk)
    wait_until_placed(desk)
    assert cell(page, "hub", "fits") == "on CPU"


def test_a_model_that_is_verified_right_is_no_longer_damaged(desk, own, user_home):
    file = add_to_hugging_face(user_home / ".cache/huggingface/hub", "org/name", {"hub.gguf": gguf(LLAMA)}) / "hub.gguf"
    page = open_page(desk)
    wait_until_placed(desk)
    desk.parts.disk.keep_fault(file, file_identity(file), "hub is damaged.")
    assert cell(page, "hub", "fits") == "damaged"
    choose(page, "hub")
    verified(desk, page)
    assert cell(page, "hub", "fits") == "on CPU"


def test_verifying_can_be_cancelled_and_ends_with_the_window(desk, starter, monkeypatch):
    held = threading.Event()
    reads = []

    def verify(_model, cancelled, progress, _digests):
        reads.append(cancelled)
        progress(1, 2)
        held.wait(10)
        return None if cancelled.is_set() else ()

    monkeypatch.setattr("app.hub.verify.verify", verify)
    page = open_page(desk)
    choose(page, starter.stem)
    page.actions_["verify"].trigger()
    assert page.verification.isVisible()
    assert not page.actions_["verify"].isEnabled()
    desk.qtbot.waitUntil(lambda: bool(reads))
    desk.qtbot.mouseClick(page.findChild(QPushButton, "library_verify_cancel"), Qt.MouseButton.LeftButton)
    assert reads[0].is_set()
    assert not page.verification.isVisible()
    assert page.notice.sentence == ""
    page.actions_["verify"].trigger()
    held.set()
    desk.window.close()
    assert desk.parts.has_ended
