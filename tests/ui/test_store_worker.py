"""The storage thread: order, nothing lost when a write fails, all flushed at close."""

import threading
from functools import partial

import pytest
from PySide6.QtWidgets import QWidget
from shiboken6 import delete

from app.errors import StorageError, StorageRefusedError
from ui.store_worker import StoreWorker


class FlakyStore:
    """Takes rows; refuses them while `full`."""

    def __init__(self):
        self.rows = []
        self.full = False
        self.closed = False

    def add(self, row):
        if self.full:
            raise StorageError("The disk is full.")
        self.rows.append(row)

    def close(self):
        self.closed = True


@pytest.fixture
def store():
    return FlakyStore()


@pytest.fixture
def worker(qtbot, store):
    worker = StoreWorker(lambda: (store, ""))
    worker.start()
    yield worker
    assert worker.shutdown()
    assert store.closed or worker._opened is None


def test_reads_answer_in_the_gui_thread_after_the_writes_before_them(qtbot, worker):
    answers = []

    def done(rows):
        answers.append((list(rows), threading.current_thread() is threading.main_thread()))

    worker.write(lambda store: store.add("a"))
    worker.write(lambda store: store.add("b"))
    worker.read(lambda store: store.rows, done)
    qtbot.waitUntil(lambda: bool(answers))
    assert answers == [(["a", "b"], True)]


def test_what_was_deleted_since_is_not_told(qtbot, worker):
    class Page(QWidget):
        told = 0

        def on_rows(self, _number, _rows):
            Page.told += 1
            self.isVisible()

    kept, closed = Page(), Page()
    qtbot.addWidget(kept)
    go_on = threading.Event()
    worker.read(lambda _store: go_on.wait(), lambda _result: None)
    worker.read(lambda store: store.rows, partial(closed.on_rows, 1))
    worker.read(lambda store: store.rows, partial(kept.on_rows, 2))
    delete(closed)
    go_on.set()
    qtbot.waitUntil(lambda: Page.told > 0)
    assert Page.told == 1


def test_failed_writes_wait_and_are_written_in_order_later(qtbot, worker, store):
    store.full = True
    with qtbot.waitSignal(worker.failed) as failed:
        worker.write(lambda store: store.add("a"))
        worker.write(lambda store: store.add("b"))
    assert failed.args == ["The disk is full."]
    store.full = False
    with qtbot.waitSignal(worker.recovered):
        worker.retry()
    assert store.rows == ["a", "b"]


def test_what_cannot_be_written_is_tried_again_before_it_is_said(qtbot, worker, store):
    assert worker.problem() == ""
    store.full = True
    with qtbot.waitSignal(worker.failed):
        worker.write(lambda store: store.add("a"))
    assert worker.problem() == "The disk is full."
    store.full = False
    assert worker.problem() == ""
    assert store.rows == ["a"]


def test_the_failure_is_said_once(qtbot, worker, store):
    sentences = []
    worker.failed.connect(sentences.append)
    store.full = True
    with qtbot.waitSignal(worker.failed):
        for row in "abc":
            worker.write(lambda store, row=row: store.add(row))
    with qtbot.waitCallback() as read:
        worker.read(lambda store: store.rows, read)
    store.full = False
    with qtbot.waitSignal(worker.recovered):
        worker.retry()
    assert sentences == ["The disk is full."]
    assert store.rows == ["a", "b", "c"]


def test_another_try_that_fails_is_said_again(qtbot, worker, store):
    store.full = True
    with qtbot.waitSignal(worker.failed):
        worker.write(lambda store: store.add("a"))
    with qtbot.waitSignal(worker.failed) as failed:
        worker.retry()
    assert failed.args == ["The disk is full."]
    store.full = False


def test_a_write_that_is_refused_for_good_does_not_block_those_behind_it(qtbot, worker, store):
    def refuse(store):
        raise StorageRefusedError("The conversation is gone.")

    with qtbot.waitSignal(worker.noticed) as noticed:
        worker.write(refuse)
        worker.write(lambda store: store.add("b"))
    assert noticed.args == ["The conversation is gone."]
    assert worker.shutdown()
    assert store.rows == ["b"]


def test_a_file_that_cannot_be_written_holds_no_row_up(qtbot, worker, store):
    sentences, written = [], []
    worker.failed.connect(sentences.append)
    is_refused = threading.Event()
    is_refused.set()

    def write_file():
        if is_refused.is_set():
            raise StorageError("The settings cannot be written.")
        written.append(list(store.rows))

    with qtbot.waitSignal(worker.failed):
        worker.write_file(write_file)
    worker.write(lambda store: store.add("a"))
    with qtbot.waitCallback() as read:
        worker.read(lambda store: store.rows, read)
    assert store.rows == ["a"]
    store.full = True
    with qtbot.waitSignal(worker.failed):
        worker.write(lambda store: store.add("b"))
    assert sentences == ["The settings cannot be written.", "The disk is full."]
    is_refused.clear()
    with qtbot.assertNotEmitted(worker.recovered):
        worker.retry()
        with qtbot.waitCallback() as read:
            worker.read(lambda store: store.rows, read)
    assert written == [["a"]]
    store.full = False
    with qtbot.waitSignal(worker.recovered):
        worker.retry()
    assert store.rows == ["a", "b"]


def test_shutdown_flushes_every_write(qtbot, store):
    worker = StoreWorker(lambda: (store, ""))
    worker.start()
    for row in range(200):
        worker.write(lambda store, row=row: store.add(row))
    assert worker.shutdown()
    assert store.rows == list(range(200))
    assert store.closed


def test_a_store_that_cannot_be_opened_is_said_and_tried_again(qtbot, store):
    opened = []

    def open_store():
        opened.append(1)
        if len(opened) == 1:
            raise StorageError("The folder cannot be written.")
        return store, "The database was damaged."

    worker = StoreWorker(open_store)
    worker.start()
    with qtbot.waitSignal(worker.failed), qtbot.waitSignal(worker.noticed) as noticed:
        worker.write(lambda store: store.add("a"))
        worker.write(lambda store: store.add("b"))
    assert noticed.args == ["The database was damaged."]
    assert worker.shutdown()
    assert store.rows == ["a", "b"]
