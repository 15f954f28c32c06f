"""Garbage is collected by the window's thread alone."""

import gc
import weakref

from ui.garbage import GarbageCollector


class Ring:
    def __init__(self):
        self.itself = self


def test_garbage_goes_between_events_and_not_by_itself(qtbot, monkeypatch):
    collector = GarbageCollector()
    monkeypatch.setattr(collector._timer, "start", lambda: None)
    monkeypatch.setattr(gc, "freeze", lambda: None)
    gc.enable()
    collector.begin()
    assert not gc.isenabled()
    gone = weakref.ref(Ring())
    kept = [Ring() for _ in range(2 * gc.get_threshold()[0])]
    assert gone() is not None
    collector.collect()
    assert gone() is None
    assert len(kept) == 2 * gc.get_threshold()[0]
