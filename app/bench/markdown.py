"""The tables: llama-bench's and llama-batched-bench's own, character for character, and one for whole answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.bench.plan import BenchGrid
from app.bench.report import FLASH_ATTENTION
from app.bench.row import deviation, mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from app.bench.row import BenchRow

_MIB = 1024 * 1024
_GIB = 1024 * _MIB
_CPU_BACKENDS = ("CPU", "BLAS", "ZenDNN")

_COLUMNS: dict[str, tuple[str, int, Callable[[BenchRow], object]]] = {
    # field: (heading, width, negative when set to the left; value), in llama-bench's order
    "model": ("model", -30, lambda row: row.subject.environment.model_type),
    "size": ("size", 10, lambda row: _size(row.subject.environment.model_size)),
    "params": ("params", 10, lambda row: _count(row.subject.environment.model_n_params)),
    "backend": ("backend", -10, lambda row: row.subject.environment.backends),
    "n_gpu_layers": ("ngl", 3, lambda row: row.subject.environment.n_gpu_layers),
    "n_threads": ("threads", 7, lambda row: row.n_threads),
    "n_batch": ("n_batch", 7, lambda row: row.test.n_batch),
    "n_ubatch": ("n_ubatch", 8, lambda row: row.test.n_ubatch),
    "type_k": ("type_k", 6, lambda row: row.test.type_k),
    "type_v": ("type_v", 6, lambda row: row.test.type_v),
    "flash_attention": ("fa", 3, lambda row: FLASH_ATTENTION[row.test.flash_attention]),
    "test": ("test", 15, lambda row: row.test.name),
    "t/s": ("t/s", 20, lambda row: f"{row.avg_ts:.2f} ± {row.stddev_ts:.2f}"),
}
_TAIL = {"test": _COLUMNS.pop("test"), "t/s": _COLUMNS.pop("t/s")}
_CHAT_TAIL: dict[str, tuple[str, int, Callable[[BenchRow], object]]] = {
    "test": _TAIL["test"],
    "ttft": ("TTFT s", 18, lambda row: _plus_minus(row.ttft_s, 3)),
    "tpot": ("TPOT ms", 18, lambda row: _plus_minus([each and each * 1000 for each in row.tpot_s], 2)),
    "rate": ("tokens/s", 10, lambda row: _rate(row.tpot_s)),
}
_ALWAYS = ("model", "size", "params", "backend")
_SETTINGS = ("n_gpu_layers", "n_threads", "n_batch", "n_ubatch", "type_k", "type_v", "flash_attention")


class Table:
    """llama-bench's table (llama-bench.cpp, `markdown_printer`): a column per setting that is not its default.

    Args:
        chats: of whole answers, with TTFT and TPOT where llama-bench has tokens per second.
    """

    def __init__(self, grid: BenchGrid, backends: str, *, chats: bool = False) -> None:
        on_cpu = any(name in backends for name in _CPU_BACKENDS)
        names = {*_ALWAYS, "n_threads" if on_cpu else "n_gpu_layers"}
        defaults = BenchGrid(models=())
        names |= {
            name
            for name in _SETTINGS
            if getattr(grid, name) != getattr(defaults, name) and not (on_cpu and name == "n_gpu_layers")
        }
        self._columns = [column for name, column in _COLUMNS.items() if name in names]
        self._columns += (_CHAT_TAIL if chats else _TAIL).values()

    @property
    def headings(self) -> list[tuple[str, bool]]:
        """Name of each column, and whether it is set to the right."""
        return [(heading, width > 0) for heading, width, _ in self._columns]

    def cells(self, row: BenchRow) -> list[str]:
        """Return the texts of one result."""
        return [str(value(row)) for _, _, value in self._columns]

    def header(self) -> str:
        """Return its first two lines."""
        rule = "".join(f" {'-' * (abs(width) - 1)}{':' if width > 0 else '-'} |" for _, width, _ in self._columns)
        return _line((heading, width) for heading, width, _ in self._columns) + f"|{rule}\n"

    def line(self, row: BenchRow) -> str:
        """Return the line of one result."""
        return _line((value(row), width) for _, width, value in self._columns)


def document(rows: Sequence[BenchRow], grid: BenchGrid, *, first_is_printed: bool = False) -> str:
    """Return every table these results need, what disturbed them, and the build.

    Args:
        first_is_printed: leave out llama-bench's own table, which was printed line by line.
    """
    parts = []
    plain = [row for row in rows if row.method == "llama-bench"]
    if plain and not first_is_printed:
        table = Table(grid, plain[0].subject.environment.backends)
        parts.append(table.header() + "".join(map(table.line, plain)))
    if batched := [row for row in rows if row.method == "llama-batched-bench"]:
        parts.append(batched_tables(batched))
    if chats := [row for row in rows if row.method == "end-to-end"]:
        table = Table(grid, chats[0].subject.environment.backends, chats=True)
        parts.append("End to end, with sampling:\n\n" + table.header() + "".join(map(table.line, chats)))
    if disturbed := [row for row in rows if row.disturbance]:
        parts.append("".join(f"{row.test.name}: {row.disturbance}\n" for row in disturbed))
    return "\n".join(["", *parts] if first_is_printed else parts) + footer(rows[0])


def footer(row: BenchRow) -> str:
    """Return what llama-bench ends with; the library's version stands where its build number does."""
    environment = row.subject.environment
    return f"\nbuild: {environment.build_commit or 'unknown'} ({environment.library})\n"


def batched_tables(rows: Sequence[BenchRow]) -> str:
    """Return llama-batched-bench's tables, one per model and settings, which stand above it.

    They have one more column, the speed each sequence gets. Figures are means of the repetitions.
    """
    tables: dict[str, list[BenchRow]] = {}
    for row in rows:
        tables.setdefault(_settings(row), []).append(row)
    return "\n".join(f"{settings}\n\n{_batched_table(alike)}" for settings, alike in tables.items())


def _settings(row: BenchRow) -> str:
    test, environment = row.test, row.subject.environment
    return (
        f"{environment.model_type}: n_batch = {test.n_batch}, n_ubatch = {test.n_ubatch}, "
        f"flash_attn = {FLASH_ATTENTION[test.flash_attention]}, type_k = {test.type_k}, type_v = {test.type_v}, "
        f"is_pp_shared = 0, n_gpu_layers = {environment.n_gpu_layers}, n_threads = {row.n_threads}"
    )


def _batched_table(rows: Sequence[BenchRow]) -> str:
    names = ("PP", "TG", "B", "N_KV", "T_PP s", "S_PP t/s", "T_TG s", "S_TG t/s", "T s", "S t/s", "S_TG/B t/s")
    widths = (6, 6, 4, 6, 8, 8, 8, 8, 8, 8, 10)
    lines = ["|" + " | ".join(f"{name:>{width}}" for name, width in zip(names, widths, strict=True)) + " |"]
    lines.append("|" + "-|-".join("-" * width for width in widths) + "-|")
    for row in rows:
        test, speed_tg = row.test, mean(row.gen_ts)
        values = (
            f"{test.n_prompt}",
            f"{test.n_gen}",
            f"{test.n_parallel}",
            f"{test.tokens}",
            f"{mean(row.prompt_ns) / 1e9:.3f}",
            f"{mean(row.prompt_ts):.2f}" if row.prompt_ts else "n/a",
            f"{mean(row.gen_ns) / 1e9:.3f}",
            f"{speed_tg:.2f}",
            f"{row.avg_ns / 1e9:.3f}",
            f"{row.avg_ts:.2f}",
            f"{speed_tg / test.n_parallel:.2f}",
        )
        lines.append("|" + " | ".join(f"{value:>{width}}" for value, width in zip(values, widths, strict=True)) + " |")
    return "\n".join(lines) + "\n"


def _line(cells: Iterable[tuple[object, int]]) -> str:
    padded = (str(value).rjust(width) if width > 0 else str(value).ljust(-width) for value, width in cells)
    return "|" + "".join(f" {cell} |" for cell in padded) + "\n"


def _size(size: int) -> str:
    return f"{size / _MIB:.2f} MiB" if size < _GIB else f"{size / _GIB:.2f} GiB"


def _count(count: int) -> str:
    return f"{count / 1e6:.2f} M" if count < 1_000_000_000 else f"{count / 1e9:.2f} B"


def _plus_minus(values: Sequence[float | None], digits: int) -> str:
    known = [value for value in values if value is not None]
    return f"{mean(known):.{digits}f} ± {deviation(known):.{digits}f}" if known else "n/a"


def _rate(tpot_s: Sequence[float | None]) -> str:
    known = [1 / value for value in tpot_s if value]
    return f"{mean(known):.2f}" if known else "n/a"
