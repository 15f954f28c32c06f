"""`tokometer models`: what models are on the disk, what they are and where they would go, and what to do with one."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli.models_download import add_download_options, add_search_options, run_download, run_search
from app.cli.models_look import INTERRUPTED, add_show_options, add_verify_options, run_show, run_verify
from app.cli.telling import tell
from app.engine.config import ModelConfig
from app.engine.dry_run import DryRuns
from app.errors import BadInputError, EngineError
from app.hub.fits import PLACE_WORDS, Placing, placing
from app.hub.header_cache import HEADERS_FOLDER, HeaderCache
from app.hub.library import CACHE_FILE, Library
from app.hub.names import printable
from app.hub.sources import model_roots
from app.hub.trash import plan_removal, remove
from app.paths import paths
from app.settings import load_settings
from app.telemetry.planner import Planner

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from app.hub.library import LibraryModel, Listing

_HEADINGS = (
    "name", "kind", "architecture", "parameters", "type", "bits", "size", "context", "KV/token", "fits", "largest",
    "licence", "source",
)  # fmt: skip
_LEFT_ALIGNED = (0, 1, 2, 4, 9, 11, 12)


def add_models_options(parser: argparse.ArgumentParser) -> None:
    """Describe what comes after `models`."""
    actions = parser.add_subparsers(dest="action", metavar="action", required=True)
    for name, (help_text, add_options, _) in ACTIONS.items():
        add_options(actions.add_parser(name, help=help_text))


def run(options: argparse.Namespace) -> int:
    """Do one action; returns the exit status."""
    return ACTIONS[options.action][2](options)


# -- list -------------------------------------------------------------------------------------------------------------


def _add_list_options(parser: argparse.ArgumentParser) -> None:
    _add_folder_option(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON array")


def _add_folder_option(parser: argparse.ArgumentParser) -> None:
    help_text = "look in these folders too, for this once"
    parser.add_argument("--folder", nargs="+", type=Path, default=[], metavar="DIR", help=help_text)


def _list(options: argparse.Namespace) -> int:
    listing = _scan(options.folder)
    planner = Planner(DryRuns(paths().cache), _headers().read)
    try:
        planner.devices()
        rows = [(model, placing(planner, model, ModelConfig(model.path))) for model in listing.models]
    except EngineError as error:
        tell(str(error))
        rows = [(model, Placing("unknown", reason=model.problem)) for model in listing.models]
    finally:
        planner.close()
    if options.json:
        print(json.dumps([_report(model, place) for model, place in rows], ensure_ascii=False, indent=1))
    else:
        print(_text(rows))
    return 0


def _scan(folders: Sequence[Path]) -> Listing:
    """Return what is there; what was left out is said on standard error."""
    folders_of_app = paths()
    settings, problem = load_settings(folders_of_app.settings_file)
    roots = model_roots(folders_of_app.models, (*settings.model_folders, *folders))
    listing = Library(folders_of_app.cache / CACHE_FILE, _headers().read).scan(roots)
    for note in filter(None, (problem, *listing.notes)):
        tell(note)
    return listing


def _headers() -> HeaderCache:
    return HeaderCache(paths().cache / HEADERS_FOLDER)


def _report(model: LibraryModel, place: Placing) -> dict[str, Any]:
    return {
        "name": model.name,
        "path": str(model.path),
        "source": model.source,
        "kind": model.kind,
        "arch": model.architecture,
        "n_params": model.n_params,
        "quantisation": model.quantisation,
        "bits_per_weight": model.bits_per_weight,
        "file_bytes": model.file_bytes,
        "n_ctx_train": model.n_ctx_train,
        "kv_bytes_per_token": model.kv_bytes_per_token,
        "licence": model.licence,
        "parts": [str(part) for part in model.parts],
        "missing": list(model.missing),
        "problem": model.problem or model.fault,
        "fits": place.place,
        "max_n_ctx_that_fits": place.n_ctx,
        "fits_reason": place.reason,
    }


def _text(rows: Sequence[tuple[LibraryModel, Placing]]) -> str:
    if not rows:
        return f"No models: put GGUF files into {paths().models}, or name their folder with --folder."
    table = [_HEADINGS, *(_row(model, place) for model, place in rows)]
    widths = [max(len(row[column]) for row in table) for column in range(len(_HEADINGS))]
    lines = [
        "  ".join(
            text.ljust(width) if column in _LEFT_ALIGNED else text.rjust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    ]
    reasons = [reason for model, place in rows for reason in (place.reason, model.fault) if reason]
    problems = list(dict.fromkeys(reasons))
    return "\n".join([*lines, *(["", *map(_line, problems)] if problems else [])])


def _row(model: LibraryModel, place: Placing) -> tuple[str, ...]:
    bits = model.bits_per_weight
    return (
        _line(model.name),
        model.kind,
        model.architecture or "n/a",
        _short(model.n_params),
        model.quantisation or "n/a",
        "n/a" if bits is None else f"{bits:.2f}",
        _size(model.file_bytes),
        _count(model.n_ctx_train),
        _count(model.kv_bytes_per_token),
        "incomplete" if model.missing else "damaged" if model.is_damaged else PLACE_WORDS[place.place],
        _count(place.n_ctx),
        model.licence or "n/a",
        model.source,
    )


def _line(text: str) -> str:
    return printable(text.replace("\n", " "))


def _count(count: int | None) -> str:
    return "n/a" if count is None else f"{count:,}"


def _short(count: int | None) -> str:
    if count is None:
        return "n/a"
    return f"{count / 1e9:.3g}B" if count >= 1e9 else f"{count / 1e6:.4g}M"


def _size(size_bytes: int) -> str:
    return f"{size_bytes / 1024**3:.2f} GiB" if size_bytes >= 1024**3 else f"{size_bytes / 1024**2:.2f} MiB"


# -- one of them ------------------------------------------------------------------------------------------------------


def _add_model_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="PATH_OR_NAME", help="one model: its path, or its name in the list")
    _add_folder_option(parser)


def _add_show_options(parser: argparse.ArgumentParser) -> None:
    _add_model_option(parser)
    add_show_options(parser)


def _show(options: argparse.Namespace) -> int:
    return run_show(_named(_scan(options.folder).models, options.model), options)


def _add_verify_options(parser: argparse.ArgumentParser) -> None:
    _add_model_option(parser)
    add_verify_options(parser)


def _verify(options: argparse.Namespace) -> int:
    return run_verify(_named(_scan(options.folder).models, options.model), options)


def _add_remove_options(parser: argparse.ArgumentParser) -> None:
    _add_model_option(parser)
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def _remove(options: argparse.Namespace) -> int:
    model = _named(_scan(options.folder).models, options.model)
    removal = plan_removal(model)
    what = f"{len(removal.paths)} files" if len(removal.paths) > 1 else _line(str(removal.paths[0]))
    frees = (
        f"{_size(removal.frees_bytes)} when the trash is emptied" if removal.frees_bytes else "nothing: it is a link"
    )
    agreed = options.yes or _agreed(f"Move {what} to the trash? It frees {frees}. [y/N] ")
    if agreed:
        remove(model)
    if options.json:
        report = {
            "name": model.name,
            "removed": [str(path) for path in removal.paths] if agreed else [],
            "frees_bytes": removal.frees_bytes if agreed else 0,
        }
        print(json.dumps(report, ensure_ascii=False, indent=1))
    else:
        print(f"Moved {what} to the trash; it frees {frees}." if agreed else "Nothing was removed.")
    return 0 if agreed else INTERRUPTED


def _agreed(question: str) -> bool:
    """Ask on standard error, as standard output carries the result."""
    print(question, end="", file=sys.stderr, flush=True)
    try:
        return input().strip().lower() in ("y", "yes")
    except EOFError:
        print(file=sys.stderr)
        return False


def _named(models: Sequence[LibraryModel], text: str) -> LibraryModel:
    path = Path(text).absolute()
    found = [model for model in models if path == model.path or path in model.parts]
    found = found or [model for model in models if model.name == text]
    if not found and path.is_file():
        raise BadInputError(f"{path} lies in none of the folders looked through: name its folder with --folder.")
    if not found:
        raise BadInputError(f"No model is called {text}: “tokometer models list” shows their names.")
    if len(found) > 1:
        places = ", ".join(str(model.path) for model in found)
        raise BadInputError(f"{len(found)} models are called {text}: give the path of one of them: {places}")
    return found[0]


ACTIONS: dict[str, tuple[str, Callable[[argparse.ArgumentParser], None], Callable[[argparse.Namespace], int]]] = {
    "list": ("all models on this machine, and where they would go", _add_list_options, _list),
    "search": ("look for GGUF models on the hub", add_search_options, run_search),
    "download": ("fetch a model from the hub, from where an earlier try stopped", add_download_options, run_download),
    "show": ("everything a model's header says: keys, chat template, tensors", _add_show_options, _show),
    "verify": ("read a model whole and compare its SHA-256 with what is known of it", _add_verify_options, _verify),
    "remove": ("move a model to the trash", _add_remove_options, _remove),
}
"""Each with its help, what describes its options and what does it."""
