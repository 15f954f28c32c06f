"""“tokometer models show” and `verify`: what is in a model's files, and whether they are what they should be."""

from __future__ import annotations

import json
import sys
import threading
from typing import TYPE_CHECKING

from app.cli.models_download import size_text
from app.engine.dry_run_cache import file_identity
from app.errors import BadInputError, ModelFileError
from app.hub.contents import read_contents, whole_value
from app.hub.digests import DIGESTS_FILE, Digests
from app.hub.faults import FAULTS_FILE, Faults
from app.hub.names import printable
from app.hub.verify import fault_of, verdict, verify
from app.paths import paths

if TYPE_CHECKING:
    import argparse

    from app.hub.contents import Contents
    from app.hub.library import LibraryModel

_LONGEST_VALUE = 100
INTERRUPTED = 130


def add_show_options(parser: argparse.ArgumentParser) -> None:
    """Describe what comes after `models show`, besides the model."""
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--key", default="", metavar="KEY", help="only the value of this key, all of it")
    what.add_argument("--template", action="store_true", help="only the chat template")
    parser.add_argument("--tensors", action="store_true", help="every tensor too")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run_show(model: LibraryModel, options: argparse.Namespace) -> int:
    """Print what the headers of a model's files hold."""
    contents = read_contents(model)
    if options.key:
        _print_value(model, contents, options.key, as_json=options.json)
    elif options.template:
        print(json.dumps(contents.chat_template, ensure_ascii=False) if options.json else contents.chat_template)
    elif options.json:
        print(json.dumps(_report(model, contents, with_tensors=options.tensors), ensure_ascii=False, indent=1))
    else:
        print(_text(model, contents, with_tensors=options.tensors))
    return 0


def _print_value(model: LibraryModel, contents: Contents, key: str, *, as_json: bool) -> None:
    if key not in contents.values:
        raise BadInputError(f"{model.name} has no key {key}: “tokometer models show” lists them.")
    if contents.is_cut(key):
        values = whole_value(model, key)
        print(json.dumps(values, ensure_ascii=False) if as_json else "\n".join(map(printable, values)))
    elif as_json:
        print(json.dumps(contents.plain(key), ensure_ascii=False))
    else:
        print(printable(dict(contents.metadata)[key]))


def _report(model: LibraryModel, contents: Contents, *, with_tensors: bool) -> dict[str, object]:
    report: dict[str, object] = {
        "name": model.name,
        "path": str(model.path),
        "parts": [str(part) for part in model.parts],
        "problem": model.problem,
        "metadata": {key: contents.plain(key) for key in contents.values},
        "chat_template": contents.chat_template,
        "n_tensors": len(contents.tensors),
    }
    if with_tensors:
        report["tensors"] = [
            {"name": row.name, "shape": row.shape, "type": row.type_name, "n_bytes": row.n_bytes, "file": row.file}
            for row in contents.tensors
        ]
    return report


def _text(model: LibraryModel, contents: Contents, *, with_tensors: bool) -> str:
    width = max((len(key) for key, _ in contents.metadata), default=0)
    blocks = [
        "\n".join(filter(None, [printable(str(model.path)), model.problem])),
        "\n".join(f"{printable(key).ljust(width)}  {_short(value)}" for key, value in contents.metadata),
    ]
    if with_tensors:
        rows = [(printable(row.name), " x ".join(map(str, row.shape)), row.type_name) for row in contents.tensors]
        widths = [max((len(row[column]) for row in rows), default=0) for column in range(3)]
        blocks.append(
            "\n".join(
                f"{name.ljust(widths[0])}  {shape.ljust(widths[1])}  {type_name.ljust(widths[2])}  "
                f"{size_text(tensor.n_bytes)}"
                for (name, shape, type_name), tensor in zip(rows, contents.tensors, strict=True)
            )
        )
    sizes = [row.n_bytes for row in contents.tensors]
    total = size_text(None if None in sizes else sum(size for size in sizes if size is not None))
    blocks.append(f"{len(contents.tensors):,} tensors, {total}")
    return "\n\n".join(blocks)


def _short(value: str) -> str:
    line = printable(value.replace("\n", " "))
    return line if len(line) <= _LONGEST_VALUE else f"{line[:_LONGEST_VALUE]}... ({len(value):,} characters)"


# -- verify -----------------------------------------------------------------------------------------------------------


def add_verify_options(parser: argparse.ArgumentParser) -> None:
    """Describe what comes after `models verify`, besides the model."""
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run_verify(model: LibraryModel, options: argparse.Namespace) -> int:
    """Print the sha256 of every file, and what is known of it."""
    shown = -1

    def progress(done: int, total: int) -> None:
        nonlocal shown
        if sys.stderr.isatty() and (percent := 100 * done // total) != shown:
            shown = percent
            print(f"\r{percent}%", end="", file=sys.stderr, flush=True)

    identity = file_identity(model.path)
    try:
        verified = verify(model, threading.Event(), progress, Digests(paths().cache / DIGESTS_FILE))
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        if shown >= 0:
            print(file=sys.stderr)
    assert verified is not None  # nobody cancels
    Faults(paths().cache / FAULTS_FILE).remember(model.path, identity, fault_of(model, verified))
    found = verdict(model, verified)
    if options.json:
        report = {
            "name": model.name,
            "path": str(model.path),
            "whole": found.is_whole,
            "verdict": found.sentence,
            "files": [
                {
                    "path": str(each.path),
                    "sha256": each.digest,
                    "expected": each.expected or None,
                    "known_by": each.known_by or None,
                }
                for each in verified
            ],
        }
        print(json.dumps(report, ensure_ascii=False, indent=1))
    else:
        for each in verified:
            print(f"{each.digest}  {printable(str(each.path))}")
    if found.is_whole is False:
        raise ModelFileError(found.sentence)
    if not options.json:
        print(found.sentence)
    return 0
