"""The window as a program: built without its event loop, or run to its end; one window per data folder."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtWidgets import QApplication, QMessageBox

from app.errors import BadInputError, StorageError
from app.paths import Paths, paths
from ui.arguments import Arguments
from ui.error_dialog import ErrorDialog
from ui.garbage import GarbageCollector
from ui.icons import application_icon
from ui.opening import Opening
from ui.shell import Shell
from ui.single_instance import SingleInstance

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from app.engine.base import Engine
    from ui.main_window import MainWindow
    from ui.parts import MakeEngine


def create(argv: Sequence[str]) -> tuple[QApplication, MainWindow]:
    """Build everything without entering the event loop. `MainWindow.close` shuts everything down."""
    from ui.parts import compose  # not above: the window a person opens has it after its first frame

    arguments, folders = Arguments.parse(argv), paths()
    application = _application(argv)
    return application, compose(application, arguments, folders, _engine_factory(arguments, folders))


def run(options: argparse.Namespace) -> int:
    """Open the window and return the exit status; a second start raises the first one's window instead.

    Args:
        options: what `app.cli.options.parse` returned for the command `window`.

    Raises:
        BadInputError: another window has the data and does not answer.
    """
    arguments, folders = Arguments.of(options), paths()
    application = _application(sys.argv)
    instance = SingleInstance(folders.data)
    try:
        is_first = instance.claim()
    except StorageError:
        is_first = True  # there is nothing to fight over where nothing can be kept, and the window says that
    if not is_first:
        model = str(arguments.model) if arguments.model is not None else ""
        if instance.call_first({"model": model}):
            return 0
        raise BadInputError(
            "Tokometer is running already but does not answer: end it, or choose another folder with TOKOMETER_HOME."
        )
    shell = Shell(application, folders)
    window = shell.window
    errors = ErrorDialog(window)
    caller = _Caller(window)
    instance.called.connect(caller.on_called)
    opening = Opening(shell, arguments, _engine_factory(arguments, folders))
    opening.done.connect(GarbageCollector(window).begin)
    opening.done.connect(instance.listen)
    window.show()
    status = application.exec()
    errors.close()
    instance.release()
    if opening.parts is None:
        shell.close()
    elif not opening.parts.has_ended:
        os._exit(status)  # a thread hangs in native code: Qt would abort on it, and all is written already
    return status


def complain(sentence: str) -> None:
    """Say in a box why there is no window, and wait until it was read."""
    application = _application(sys.argv)
    box = QMessageBox(QMessageBox.Icon.Critical, application.applicationDisplayName(), sentence)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.exec()


class _Caller(QObject):
    """Answers a later start."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window

    @Slot(object)
    def on_called(self, message: dict[str, Any]) -> None:
        self._window.raise_to_front()
        model = message.get("model")
        if isinstance(model, str) and model:
            self._window.model_dropped.emit(model)


def _application(argv: Sequence[str]) -> QApplication:
    application = QApplication.instance()
    if application is None:
        # Like `setStyle`, which however makes the Python classes of all styles: a tenth of the way to the first frame.
        application = QApplication([*argv[:1], "-style", "Fusion"])
    application = cast("QApplication", application)
    application.setApplicationName("tokometer")
    application.setApplicationDisplayName("Tokometer")
    application.setDesktopFileName("tokometer")
    application.setWindowIcon(application_icon())
    return application


def _engine_factory(arguments: Arguments, folders: Paths) -> MakeEngine:
    def make() -> Engine:
        from app.engine.factory import make_engine  # not above: it is needed in the engine's thread only

        return make_engine(folders.data, in_process=arguments.in_process)

    return make
