"""`tokometer chat`: turns from -p, from a pipe, or typed, with the window's numbers."""

from __future__ import annotations

import json
import signal
import sys
import time
from typing import TYPE_CHECKING, Any

from app.chat.conversation import Conversation
from app.chat.message import Message
from app.cli.options import model_config, sampling
from app.cli.talk import INTERRUPTED, Interrupted, Talk
from app.cli.telling import tell
from app.engine.events import GenerationFinished, LoadFailed, ModelLoaded, TokensGenerated
from app.engine.factory import make_engine
from app.engine.request import GenerationRequest
from app.errors import BadInputError, EngineError, Sentence
from app.paths import paths
from app.telemetry.recorder import TurnRecorder
from app.telemetry.report import turn_report

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from app.engine.base import Engine
    from app.engine.events import LoadedModel
    from app.telemetry.timings import TurnStats


def run(options: argparse.Namespace) -> int:
    """Answer every turn; returns the exit status."""
    config = model_config(options)
    engine = make_engine(paths().data, in_process=options.in_process)
    previous = signal.signal(signal.SIGINT, lambda *_: engine.cancel())
    try:
        loaded = _load(engine, config)
        for note in loaded.notes:
            tell(note)
        return _converse(engine, loaded, options)
    finally:
        engine.close()
        signal.signal(signal.SIGINT, previous)


def _load(engine: Engine, config: Any) -> LoadedModel:
    for event in engine.load(config):
        if isinstance(event, ModelLoaded):
            return event.model
        if isinstance(event, LoadFailed):
            errors = {"bad_input": BadInputError, "cancelled": Interrupted}
            raise errors.get(event.kind, EngineError)(event.reason)
    raise EngineError(Sentence("The engine ended without saying whether the model was loaded."))


def _prompts(options: argparse.Namespace) -> Iterator[str]:
    if options.prompt:
        yield from options.prompt
    elif not sys.stdin.isatty():
        yield sys.stdin.read()
    else:
        while True:
            try:
                text = input("> ")
            except EOFError:
                return
            if text.strip():
                yield text


def _converse(engine: Engine, loaded: LoadedModel, options: argparse.Namespace) -> int:
    talk = Talk(engine, Conversation(system_prompt=options.system), options.on_full, options.max_tokens, tell)
    typed = not options.prompt and sys.stdin.isatty()
    for prompt in _prompts(options):
        if not prompt.strip():
            raise BadInputError(Sentence("A prompt is empty: give -p a text."))
        talk.add(Message("user", prompt))
        try:
            talk.make_room()
        except BadInputError as held:
            if not typed:
                raise
            talk.take_back()
            tell(str(held))
            continue
        answer, thinking, stats, process_bytes = _answer(engine, talk, options)
        if stats.finish_reason == "context" and not stats.completion_tokens and talk.may_grow:
            # There was no memory for the larger context that was counted on.
            talk.make_room(may_grow=False)
            answer, thinking, stats, process_bytes = _answer(engine, talk, options, may_grow=False)
        context = talk.report()
        talk.add(Message("assistant", answer))
        if options.json:
            report = turn_report(stats, engine.model or loaded, process_bytes)
            print(
                json.dumps({**report, "context": context, "text": answer, "thinking": thinking}, ensure_ascii=False),
                flush=True,
            )
        elif sys.stderr.isatty():
            print(_summary(stats), file=sys.stderr)
        if stats.finish_reason == "cancelled" and not typed:
            return INTERRUPTED
        if stats.error:
            raise (BadInputError if stats.finish_reason == "context" else EngineError)(stats.error)
    return 0


def _answer(
    engine: Engine, talk: Talk, options: argparse.Namespace, *, may_grow: bool = True
) -> tuple[str, str, TurnStats, int | None]:
    request = GenerationRequest(
        messages=talk.prompt,
        submitted_ns=time.perf_counter_ns(),
        sampling=sampling(options),
        max_tokens=options.max_tokens,
        stop=tuple(options.stop),
        may_grow=may_grow and talk.may_grow,
    )
    recorder = TurnRecorder(request.submitted_ns)
    texts: dict[str, list[str]] = {"answer": [], "thinking": []}
    for event in engine.generate(request):
        recorder.observe(event)
        if isinstance(event, TokensGenerated):
            for piece in event.pieces:
                texts[piece.channel].append(piece.text)
                if piece.channel == "answer" and not options.json:
                    print(piece.text, end="", flush=True)
        elif isinstance(event, GenerationFinished) and not options.json and recorder.completion_tokens:
            print(flush=True)
    return "".join(texts["answer"]), "".join(texts["thinking"]), recorder.stats, recorder.process_bytes


def _summary(stats: TurnStats) -> str:
    def show(value: float | None, unit: str, scale: float = 1) -> str:
        return "n/a" if value is None else f"{value * scale:.3g} {unit}"

    return (
        f"[TTFT {show(stats.ttft_s, 's')}, TPOT {show(stats.tpot_s, 'ms', 1000)}, "
        f"{show(stats.decode_tokens_per_s, 'tokens/s')}, {stats.prompt_tokens} prompt ({stats.cached_tokens} cached) "
        f"+ {stats.completion_tokens} tokens, {stats.finish_reason}]"
    )
