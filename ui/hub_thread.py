"""Questions to the hub, asked from the GUI thread: the network is waited for elsewhere."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from app.errors import TokometerError
from app.hub.endpoint import page_of
from ui.owner_thread import OwnerThread
from ui.translation import localised

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from PySide6.QtCore import QObject

    from app.hub.connection import Abort

T = TypeVar("T")
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why the hub did not give what was asked for, in one sentence.

    Attributes:
        reason: a `Sentence`, in no language yet.
        is_offline: the user forbade to ask: nothing is wrong.
    """

    reason: str
    is_offline: bool = False

    @property
    def sentence(self) -> str:
        """The reason in the window's language."""
        return localised(self.reason)

    @property
    def page(self) -> str:
        """Address of the hub's page where the user can do something about it; mostly empty."""
        return page_of(self.reason)


class HubThread(OwnerThread):
    """Asks one thing at a time; a new question ends the one under way."""

    def __init__(self, name: str, parent: QObject | None = None) -> None:
        super().__init__(name, parent)
        self._abort: Abort | None = None

    def ask(self, question: Callable[[Abort], T], done: Callable[[T | Refusal], None]) -> None:
        """Call `done` in the GUI thread with the answer, unless something else is asked before that."""
        self.give_up()
        if self.is_closing:
            return
        from app.hub.connection import Abort  # with the standard library's client: not before it is wanted

        abort = self._abort = Abort()
        if not self.isRunning():
            self.start()
        self.post(lambda: self._ask(abort, question, done))

    def give_up(self) -> None:
        """End what was asked and not yet answered."""
        if self._abort is not None:
            self._abort.set()

    def shutdown(self, timeout_ms: int) -> bool:
        """End the question under way and the thread. Return whether that was done in time."""
        self.give_up()
        return self.close(timeout_ms)

    def _ask(self, abort: Abort, question: Callable[[Abort], object], done: Callable[[Any], None]) -> None:
        if not abort.is_set:
            answer = asked(abort, question)
            self.answer(lambda result: None if abort.is_set else done(result), answer)


class HubThreads:
    """Some threads that ask the same about many things, the first ones first."""

    def __init__(self, count: int, parent: QObject) -> None:
        self._threads = [OwnerThread(f"hub headers {number}", parent) for number in range(1, count + 1)]
        self._abort: Abort | None = None
        self._left: deque[Any] = deque()

    def ask(
        self,
        items: Iterable[Item],
        question: Callable[[Item, Abort], T],
        done: Callable[[Item, T | Refusal], None],
    ) -> None:
        """Call `done` in the GUI thread for each item as its answer comes; questions asked before are given up."""
        self.give_up()
        from app.hub.connection import Abort

        abort = self._abort = Abort()
        left = self._left = deque(items)
        for thread in self._threads[: len(left)]:
            if not thread.is_closing:
                if not thread.isRunning():
                    thread.start()
                thread.post(lambda thread=thread: _ask_each(thread, left, abort, question, done))  # type: ignore[misc]

    def give_up(self) -> None:
        """End what was asked and not yet answered."""
        if self._abort is not None:
            self._abort.set()

    def shutdown(self, timeout_ms: int) -> bool:
        """End the questions under way and the threads. Return whether that was done in time."""
        self.give_up()
        ended = [thread.close(timeout_ms) for thread in self._threads]
        return all(ended)


def asked(abort: Abort, question: Callable[[Abort], T]) -> T | Refusal | None:
    """Return the answer; None when it was ended. For the threads that wait."""
    from app.hub.connection import StoppedError
    from app.hub.endpoint import OfflineError

    try:
        return question(abort)
    except StoppedError:
        return None
    except TokometerError as error:
        return Refusal(str(error), isinstance(error, OfflineError))


def _ask_each(
    thread: OwnerThread,
    left: deque[Item],
    abort: Abort,
    question: Callable[[Item, Abort], T],
    done: Callable[[Item, T | Refusal], None],
) -> None:
    while left and not abort.is_set:
        try:
            item = left.popleft()
        except IndexError:  # another thread took the last one
            return

        def tell(answer: Any, item: Item = item) -> None:
            if not abort.is_set:
                done(item, answer)

        answer = asked(abort, lambda abort, item=item: question(item, abort))  # type: ignore[misc]
        thread.answer(tell, answer)
