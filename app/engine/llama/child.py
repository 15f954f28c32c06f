"""The engine's own process: a `LlamaEngine` that is asked over standard input and answers over standard output.

It ends when its standard input closes, so that it never outlives the window.
"""

from __future__ import annotations

import faulthandler
import logging
import os
import queue
import signal
import sys
import threading
from collections import deque
from typing import TYPE_CHECKING

from app.engine.channel import (
    Bench,
    Cancel,
    Close,
    CountTokens,
    Discard,
    Foresee,
    Forget,
    ListDevices,
    Load,
    Measure,
    Result,
    Submit,
    WarmUpBegun,
    take_standard_streams,
)
from app.engine.llama.dry_run import DryRunner
from app.engine.llama.engine import LlamaEngine
from app.errors import TokometerError

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.engine.channel import Channel
    from app.engine.config import ModelConfig

_LAST_RESORT_S = 2.0
_IDLE_S = 20.0
"""Longer than it takes to type a short question, so that writing the KV cache to disk seldom meets the next one."""


def _listen(channel: Channel, engine: LlamaEngine, commands: queue.SimpleQueue[object]) -> None:
    """Hand commands to the engine's thread; cancel at once. The other side's end is a command to end."""
    while True:
        try:
            message = channel.receive()
        except (EOFError, OSError):
            engine.cancel()
            commands.put(Close())
            timer = threading.Timer(_LAST_RESORT_S, os._exit, (1,))
            timer.daemon = True
            timer.start()
            return
        if isinstance(message, Cancel):
            engine.cancel(message.request_id, message.at_ns)
        else:
            commands.put(message)


def _answer(question: Callable[[], object]) -> Result:
    try:
        return Result(question())
    except TokometerError as error:
        return Result(error=str(error), error_class=type(error).__name__)


def _measure(channel: Channel, dry_runner: DryRunner, configs: tuple[ModelConfig, ...]) -> None:
    for measured in dry_runner.measure(configs):
        channel.send(measured)


def _write_answers(channel: Channel, engine: LlamaEngine, commands: queue.SimpleQueue[object]) -> list[object]:
    """Write all that is submitted, also meanwhile; return the commands that had to wait for the end."""
    later: list[object] = []
    for answered in engine.serve():
        channel.send(answered)
        while not commands.empty():
            match commands.get():
                case Submit(request):
                    engine.submit(request)
                case CountTokens() | Foresee() | ListDevices() | Discard() as question:
                    channel.send(_answer_question(engine, question))
                case command:
                    later.append(command)
                    if isinstance(command, Close):
                        engine.cancel()
    return later


def _answer_question(engine: LlamaEngine, question: CountTokens | Foresee | ListDevices | Discard) -> Result:
    match question:
        case CountTokens(messages):
            return _answer(lambda: engine.count_tokens(messages))
        case Foresee(request):
            return _answer(lambda: engine.foresee(request))
        case ListDevices(rpc_servers):
            return _answer(lambda: engine.devices(rpc_servers))
        case Discard(conversation_id, states):
            engine.discard(conversation_id, states)
            return Result()


def _serve(channel: Channel, engine: LlamaEngine, commands: queue.SimpleQueue[object]) -> None:
    dry_runner = DryRunner(engine.log)
    held: deque[object] = deque()
    while True:
        try:
            command = held.popleft() if held else commands.get(timeout=_IDLE_S)
        except queue.Empty:
            engine.while_idle()
            command = commands.get()
        match command:
            case Load(config, choice):
                for load_event in engine.load_settled(config, choice):
                    channel.send(load_event)
            case Submit(request):
                engine.submit(request)
                held.extend(_write_answers(channel, engine, commands))
            case Bench(bench_request):
                for bench_event in engine.bench(bench_request):
                    channel.send(bench_event)
            case CountTokens() | Foresee() | ListDevices() | Discard() as question:
                channel.send(_answer_question(engine, question))
            case Measure(configs):
                channel.send(_answer(lambda: _measure(channel, dry_runner, configs)))
            case Forget():
                channel.send(Result(engine.forget()))
            case Close():
                engine.close()
                return


def main() -> None:
    """Serve one window until it closes the pipe."""
    faulthandler.enable()
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(message)s")
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C in a terminal reaches both; the window decides
    channel = take_standard_streams()
    engine = LlamaEngine(before_warm_up=lambda: channel.send(WarmUpBegun()))
    commands: queue.SimpleQueue[object] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(channel, engine, commands), name="listen", daemon=True).start()
    try:
        _serve(channel, engine, commands)
    except OSError:
        pass  # the window has gone: nobody is left to tell
    finally:
        sys.stderr.flush()
        os._exit(0)  # native threads and the listener must not delay the end


if __name__ == "__main__":
    main()
