"""Models side by side as rows of text: their facts, their plans, their files' keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from app.hub.fits import placing_of
from app.hub.names import printable
from ui import formatting
from ui.dialogs.models.library import words
from ui.dialogs.models.library.columns import COLUMNS, meaning, title
from ui.dialogs.models.words import place
from ui.planner_worker import NoAnswer
from ui.translation import localised

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.hub.library import LibraryModel
    from app.telemetry.plan import Plan

translate = QCoreApplication.translate
_LONGEST_VALUE = 300


@dataclass(frozen=True, slots=True)
class Row:
    """One property of all models.

    Attributes:
        texts: one per model, in their order.
        tooltip: what it is; notes: what each cell says besides.
    """

    name: str
    texts: tuple[str, ...]
    tooltip: str = ""
    notes: tuple[str, ...] = ()

    @property
    def differs(self) -> bool:
        """Whether the models are not all the same in it."""
        return len(set(self.texts)) > 1


def facts(models: Sequence[LibraryModel]) -> tuple[Row, ...]:
    """Return what the table of models shows, apart from the name and what the plans say."""
    return tuple(
        Row(title(column.key), tuple(column.text(model, None) for model in models), meaning(column.key))
        for column in COLUMNS
        if column.key not in ("name", "fits", "largest")
    )


def plans(models: Sequence[LibraryModel], found: Sequence[Plan | NoAnswer | None]) -> tuple[Row, ...]:
    """Return what a load would take; n/a where nothing can be loaded, dots while it is being planned."""

    def row(name: str, text: Callable[[Plan], str]) -> Row:
        pairs = [_cell(model, plan, text) for model, plan in zip(models, found, strict=True)]
        return Row(name, tuple(cell for cell, _ in pairs), "", tuple(note for _, note in pairs))

    rows = [
        row(translate("compare", "Weights"), lambda plan: formatting.memory(plan.total_bytes("weights"))),
        row(translate("compare", "KV cache"), lambda plan: formatting.memory(plan.total_bytes("kv"))),
        row(translate("compare", "Recurrent state"), lambda plan: formatting.memory(plan.total_bytes("recurrent"))),
        row(
            translate("compare", "Compute and output"),
            lambda plan: formatting.memory(plan.total_bytes("compute") + plan.total_bytes("output")),
        ),
        row(translate("compare", "All"), lambda plan: formatting.memory(plan.total_bytes())),
        row(translate("compare", "Layers on GPUs"), _layers),
        row(translate("compare", "Fits"), _fits),
        row(translate("compare", "Largest context"), lambda plan: formatting.count(plan.max_n_ctx_that_fits)),
    ]
    return tuple(rows)


def keys(found: Sequence[tuple[str, tuple[str, ...]]]) -> tuple[Row, ...]:
    """Return the files' keys whose values differ; long values are cut."""
    return tuple(
        Row(printable(key), tuple(_line(value) if value else formatting.unknown() for value in values))
        for key, values in found
    )


def _cell(model: LibraryModel, plan: Plan | NoAnswer | None, text: Callable[[Plan], str]) -> tuple[str, str]:
    if model.problem or model.kind in ("projector", "other"):
        return formatting.unknown(), words.fits_explained(model, None)
    if plan is None:
        return "…", ""
    if isinstance(plan, NoAnswer):
        return formatting.unknown(), localised(plan.reason)
    return text(plan), localised(plan.refused)


def _layers(plan: Plan) -> str:
    return translate("compare", "{layers} of {total}").format(
        layers=formatting.count(plan.n_gpu_layers), total=formatting.count(plan.layers_total)
    )


def _fits(plan: Plan) -> str:
    return place(placing_of(plan).place)


def _line(value: str) -> str:
    line = printable(value[: 2 * _LONGEST_VALUE]).replace("\n", " ")
    return line if len(line) <= _LONGEST_VALUE else f"{line[:_LONGEST_VALUE]}…"
