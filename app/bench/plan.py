"""What a bench shall measure: lists of settings become tests, in an order that loads each model once per setting."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Literal

from app.engine.bench import BenchTest
from app.engine.config import KV_TYPES, FlashAttention
from app.errors import BadInputError, Sentence

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

GpuLayers = int | Literal["auto", "all"]


@dataclass(frozen=True, slots=True)
class BenchGrid:
    """Every combination of these lists is measured. Defaults are llama-bench's own, threads and layers excepted.

    Attributes:
        n_prompt, n_gen: one test each, pp and tg; 0 is none. `n_parallel` and `end_to_end` take every pair of them.
        n_pg: pairs that are timed together.
        n_depth: tokens in the KV cache before; for n_prompt, n_gen and n_pg.
        n_parallel: numbers of sequences in one batch, each by llama-batched-bench's method.
        n_threads: None: the physical cores this process may use. llama-bench's default is the same except on CPUs
            with cores of two kinds, and it does not look at the affinity.
        n_gpu_layers: "auto": as many as fit; llama-bench's default asks for all.
        end_to_end: also measure answers as a chat gets them, with template, sampling and text.
    """

    models: tuple[Path, ...]
    n_prompt: tuple[int, ...] = (512,)
    n_gen: tuple[int, ...] = (128,)
    n_pg: tuple[tuple[int, int], ...] = ()
    n_depth: tuple[int, ...] = (0,)
    n_parallel: tuple[int, ...] = ()
    n_batch: tuple[int, ...] = (2048,)
    n_ubatch: tuple[int, ...] = (512,)
    n_threads: tuple[int | None, ...] = (None,)
    n_gpu_layers: tuple[GpuLayers, ...] = ("auto",)
    type_k: tuple[str, ...] = ("f16",)
    type_v: tuple[str, ...] = ("f16",)
    flash_attention: tuple[FlashAttention, ...] = ("auto",)
    repetitions: int = 5
    warm_up: bool = True
    end_to_end: bool = False


@dataclass(frozen=True, slots=True)
class BenchGroup:
    """The tests of one load.

    Attributes:
        tests: each in a context of its own.
        chats: answers to be measured end to end; the model is loaded anew where their settings differ.
    """

    model: Path
    n_gpu_layers: GpuLayers
    tests: tuple[BenchTest, ...]
    chats: tuple[BenchTest, ...]


def make_plan(grid: BenchGrid) -> tuple[BenchGroup, ...]:
    """Return the groups in the order of llama-bench's loops.

    Raises:
        BadInputError: a value that cannot be, or nothing to measure.
    """
    _check(grid)
    tests = tuple(dict.fromkeys(_tests(grid)))
    chats = tuple(dict.fromkeys(_chats(grid))) if grid.end_to_end else ()
    if not tests and not chats:
        raise BadInputError(Sentence("There is nothing to measure: give -p, -n or -pg a number of tokens above 0."))
    return tuple(
        BenchGroup(model, layers, tests, chats)
        for model in dict.fromkeys(grid.models)
        for layers in dict.fromkeys(grid.n_gpu_layers)
    )


def _settings(grid: BenchGrid) -> Iterator[BenchTest]:
    for n_batch, n_ubatch, type_k, type_v, flash_attention, n_threads in product(
        grid.n_batch, grid.n_ubatch, grid.type_k, grid.type_v, grid.flash_attention, grid.n_threads
    ):
        yield BenchTest(
            n_batch=n_batch,
            n_ubatch=n_ubatch,
            n_threads=n_threads,
            type_k=type_k,
            type_v=type_v,
            flash_attention=flash_attention,
        )


def _tests(grid: BenchGrid) -> Iterator[BenchTest]:
    for settings in _settings(grid):
        for n_depth in grid.n_depth:
            at_depth = replace(settings, n_depth=n_depth)
            yield from (replace(at_depth, n_prompt=n_prompt) for n_prompt in grid.n_prompt if n_prompt)
            yield from (replace(at_depth, n_gen=n_gen) for n_gen in grid.n_gen if n_gen)
            yield from (replace(at_depth, n_prompt=pp, n_gen=tg) for pp, tg in grid.n_pg if pp or tg)
        for n_prompt, n_gen, n_parallel in product(grid.n_prompt, grid.n_gen, grid.n_parallel):
            if n_gen:
                yield replace(settings, n_prompt=n_prompt, n_gen=n_gen, n_parallel=n_parallel)


def _chats(grid: BenchGrid) -> Iterator[BenchTest]:
    for settings in _settings(grid):
        for n_prompt, n_gen in product(grid.n_prompt, grid.n_gen):
            if n_prompt and n_gen:
                yield replace(settings, n_prompt=n_prompt, n_gen=n_gen)


def _check(grid: BenchGrid) -> None:
    if not grid.models:
        raise BadInputError(Sentence("Name a model to measure: -m MODEL.gguf."))
    pairs = tuple(number for pair in grid.n_pg for number in pair)
    if any(number < 0 for number in (*grid.n_prompt, *grid.n_gen, *grid.n_depth, *pairs)):
        raise BadInputError(Sentence("A number of tokens to measure is negative: give 0 or more."))
    threads = tuple(number for number in grid.n_threads if number is not None)
    if any(number < 1 for number in (*grid.n_batch, *grid.n_ubatch, *threads, *grid.n_parallel, grid.repetitions)):
        raise BadInputError(Sentence("Batch sizes, threads, sequences and repetitions must each be 1 or more."))
    if unknown := {*grid.type_k, *grid.type_v} - set(KV_TYPES):
        raise BadInputError(
            Sentence(
                "{value} is not a KV cache type: choose one of {choices}.",
                value=min(unknown),
                choices=", ".join(KV_TYPES),
            )
        )
    if any(number > MOST_SEQUENCES for number in grid.n_parallel):
        raise BadInputError(
            Sentence("llama.cpp can batch at most {most} sequences: give -npl a smaller number.", most=MOST_SEQUENCES)
        )
    if grid.n_parallel and not any(grid.n_gen):
        raise BadInputError(Sentence("-npl measures batches of tokens to generate: give -n a number above 0."))
    if grid.end_to_end and not (any(grid.n_gen) and any(grid.n_prompt)):
        raise BadInputError(Sentence("--e2e measures whole answers: give -p and -n a number above 0."))


MOST_SEQUENCES = 256
"""LLAMA_MAX_SEQ of llama-cparams.h."""
