"""`tokometer models search` and `models download`, and -hf, which downloads what is not here and uses it."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from app.cli.telling import tell
from app.engine.config import ModelConfig
from app.engine.dry_run import DryRuns
from app.errors import HubError, Sentence, TokometerError
from app.hub.connection import Abort
from app.hub.digests import DIGESTS_FILE, Digests
from app.hub.download import DownloadQueue
from app.hub.fits import PLACE_WORDS
from app.hub.names import printable, word
from app.hub.offers import MOST_OFFERS, offer, recommended
from app.hub.reference import choose, local_file, parse_reference, resolve
from app.hub.search import SORTS, card_summary, repository, search
from app.paths import paths
from app.telemetry.planner import Planner

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from app.hub.download import Download
    from app.hub.offers import Offer
    from app.hub.search import Repository
    from app.hub.variants import Variant

_PROGRESS_S = 0.25
_HITS = 20
_MOST_HITS = 1000
_INTERRUPTED = 130


class Interrupted(TokometerError):  # noqa: N818 - not a fault
    """The user pressed Ctrl+C during a download."""

    exit_status = _INTERRUPTED


# -- search -----------------------------------------------------------------------------------------------------------


def add_search_options(parser: argparse.ArgumentParser) -> None:
    """Describe what comes after `models search`."""
    add = parser.add_argument
    add("text", metavar="TEXT", help="what to look for; owner/name shows the files of one model and what fits")
    add("--sort", choices=SORTS, default="downloads", help="what comes first (default %(default)s)")
    limit = f"at most that many (default {_HITS}; of the files of owner/name {MOST_OFFERS})"
    add("--limit", type=_limit, metavar="N", help=limit)
    add("-c", "--ctx-size", type=_limit_of(100_000_000), metavar="N", help="with owner/name: the context that must fit")
    add("--json", action="store_true", help="print one JSON array; with owner/name one object")


def run_search(options: argparse.Namespace) -> int:
    """Print what the hub has."""
    if "/" in options.text:
        return _show(options)
    found = search(options.text, options.sort, options.limit or _HITS)
    if options.json:
        hits = [
            {"repo": each.repo, "downloads": each.downloads, "likes": each.likes, "gated": each.gated,
             "modified": each.modified.isoformat() if each.modified else None}
            for each in found
        ]  # fmt: skip
        print(json.dumps(hits, ensure_ascii=False, indent=1))
    elif not found:
        print(f"The hub has no GGUF models for {printable(options.text)}.")
    else:
        rows = [("model", "downloads", "likes", "changed", "")]
        for each in found:
            changed = f"{each.modified:%Y-%m-%d}" if each.modified else "n/a"
            gated = "gated" if each.gated else ""
            rows.append((each.repo, f"{each.downloads:,}", f"{each.likes:,}", changed, gated))
        print(_table(rows, left=(0, 3, 4)))
    return 0


def _show(options: argparse.Namespace) -> int:
    repo, quantisation = parse_reference(options.text)
    found = repository(repo)
    variants = [each for each in found.variants if not quantisation or each.quantisation == quantisation]
    if not variants:
        choose(found, quantisation)  # says what it has instead
    shown = variants[: options.limit or MOST_OFFERS]
    n_left = len(variants) - len(shown)
    folders = paths()
    planner = Planner(DryRuns(folders.cache))
    config = ModelConfig(folders.models, n_ctx=options.ctx_size)
    try:
        offers = [offer(variant, planner, config, folders.models, Abort()) for variant in shown]
    finally:
        planner.close()
    best = recommended(offers)
    if options.json:
        print(json.dumps(_report(found, offers, best, n_left), ensure_ascii=False, indent=1))
    else:
        print(_shown(found, offers, best, n_left, _summary(repo)))
    return 0


def _summary(repo: str) -> str:
    try:
        return card_summary(repo)
    except HubError as error:
        tell(str(error))
        return ""


def _report(found: Repository, offers: Sequence[Offer], best: Offer | None, n_left: int) -> dict[str, Any]:
    return {
        "repo": found.repo,
        "commit": found.commit,
        "licence": found.licence,
        "gated": found.gated,
        "downloads": found.downloads,
        "likes": found.likes,
        "variants": [
            {
                "name": each.variant.name,
                "quantisation": each.variant.quantisation,
                "files": [file.name for file in each.variant.files],
                "size_bytes": each.variant.size,
                "bits_per_weight": each.bits_per_weight,
                "is_whole": each.variant.is_whole,
                "fits": each.placing.place,
                "max_n_ctx_that_fits": each.placing.n_ctx,
                "fits_reason": each.placing.reason,
                "recommended": each is best,
            }
            for each in offers
        ],
        "variants_not_shown": n_left,
        "projectors": [{"file": file.name, "size_bytes": file.size} for file in found.projectors],
    }


def _shown(found: Repository, offers: Sequence[Offer], best: Offer | None, n_left: int, summary: str) -> str:
    head = [found.repo, f"licence {found.licence or 'n/a'}", f"{found.downloads:,} downloads", f"{found.likes:,} likes"]
    rows: list[Sequence[str]] = [("name", "type", "size", "bits", "fits", "largest context", "")]
    for each in offers:
        note = "recommended" if each is best else "" if each.variant.is_whole else "parts are missing"
        rows.append(
            (
                word(each.variant.name),
                each.variant.quantisation or "n/a",
                size_text(each.variant.size),
                "n/a" if each.bits_per_weight is None else f"{each.bits_per_weight:.2f}",
                PLACE_WORDS[each.placing.place],
                "n/a" if each.placing.n_ctx is None else f"{each.placing.n_ctx:,}",
                note,
            )
        )
    reasons = list(dict.fromkeys(each.placing.reason for each in offers if each.placing.reason))
    blocks = [", ".join([*head, *(["gated"] if found.gated else [])]), summary, _table(rows, left=(0, 1, 4, 6))]
    projectors = [f"beside them: {word(file.name)}, {size_text(file.size)}" for file in found.projectors]
    left = f"{n_left:,} more are not shown: raise --limit." if n_left else ""
    return "\n\n".join(filter(None, [*blocks, left, "\n".join(projectors), "\n".join(map(printable, reasons))]))


# -- download ---------------------------------------------------------------------------------------------------------


def add_download_options(parser: argparse.ArgumentParser) -> None:
    """Describe what comes after `models download`."""
    add = parser.add_argument
    add(
        "reference", metavar="REPO[:QUANT]", help="owner/name on the hub; without a quantisation Q4_K_M, else the first"
    )
    add("--file", default="", metavar="NAME", help="this GGUF file of the repository")
    add("--json", action="store_true", help="print one JSON object")


def run_download(options: argparse.Namespace) -> int:
    """Download a model; prints where it is."""
    found, variant = resolve(options.reference, options.file)
    files = fetch(variant)
    if options.json:
        report = {
            "repo": found.repo,
            "commit": found.commit,
            "quantisation": variant.quantisation,
            "model": str(files[0]),
            "files": [str(path) for path in files],
            "size_bytes": variant.size,
        }
        print(json.dumps(report, ensure_ascii=False, indent=1))
    else:
        print(files[0])
    return 0


def model_from_hub(reference: str) -> Path:
    """Return the file that -hf means, downloaded when it is not here; progress goes to standard error.

    Where the hub cannot be asked or no longer has it, one that was downloaded earlier.

    Raises:
        TokometerError: it is not there, cannot be downloaded, or the user interrupted it.
    """
    try:
        _, variant = resolve(reference)
    except HubError as error:
        path = local_file(reference, paths().models)
        if path is None:
            raise
        tell(f"{error} {path.name} is here and is used.")
        return path
    return fetch(variant)[0]


def fetch(variant: Variant) -> list[Path]:
    """Download all parts of a variant; returns their paths. Raises HubError or Interrupted."""
    folders = paths()
    queue = DownloadQueue(folders.models, digests=Digests(folders.cache / DIGESTS_FILE))
    shown = ""
    try:
        queue.add_together(variant.files)
        while not queue.wait(_PROGRESS_S):
            if sys.stderr is not None and sys.stderr.isatty():
                line = _progress(queue.downloads())
                print(f"\r{line.ljust(len(shown))}", end="", file=sys.stderr, flush=True)
                shown = line
    except KeyboardInterrupt:
        raise Interrupted(
            Sentence("The download was interrupted: the same command goes on where it stopped.")
        ) from None
    finally:
        queue.close()
        if shown:
            print(file=sys.stderr)
    downloads = queue.downloads()
    for download in downloads:
        if download.state != "done":
            raise HubError(download.sentence)
    return [download.target for download in downloads]


def _progress(downloads: Sequence[Download]) -> str:
    done = sum(each.state == "done" for each in downloads)
    now = next((each for each in downloads if each.state not in ("done", "waiting")), downloads[-1])
    parts = [printable(now.target.name)]
    if len(downloads) > 1:
        parts.append(f"{min(done + 1, len(downloads))} of {len(downloads)}")
    if now.state == "checking":
        parts.append("checking what is here")
    total = size_text(now.total_bytes)
    percent = f" ({100 * now.done_bytes // now.total_bytes}%)" if now.total_bytes else ""
    parts.append(f"{size_text(now.done_bytes)} of {total}{percent}")
    if now.bytes_per_s:
        parts.append(f"{size_text(int(now.bytes_per_s))}/s")
    if now.seconds_left is not None:
        minutes, seconds = divmod(int(now.seconds_left), 60)
        parts.append(f"{minutes}:{seconds:02d} left")
    if now.sentence:
        parts.append(printable(now.sentence))
    return ", ".join(parts)


def size_text(size_bytes: int | None) -> str:
    """Return a size in MiB or GiB, n/a for None."""
    if size_bytes is None:
        return "n/a"
    return f"{size_bytes / 1024**3:.2f} GiB" if size_bytes >= 1024**3 else f"{size_bytes / 1024**2:.2f} MiB"


def _table(rows: Sequence[Sequence[str]], left: Sequence[int]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            text.ljust(width) if column in left else text.rjust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def _limit(text: str) -> int:
    return _limit_of(_MOST_HITS)(text)


def _limit_of(most: int) -> Callable[[str], int]:
    def whole(text: str) -> int:
        if not (text.isascii() and text.isdigit()) or not 1 <= int(text[:12]) <= most:
            raise argparse.ArgumentTypeError(f"{text} is not a whole number from 1 to {most:,}")
        return int(text)

    return whole
