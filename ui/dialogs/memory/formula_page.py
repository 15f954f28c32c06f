"""The KV cache by the formula everybody knows, with this model's numbers, and the way from there to the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Slot

from app.telemetry.memory import classic_formula, formula_table
from app.telemetry.tables import Table
from ui import formatting
from ui.dialogs.memory.page import TablePage
from ui.dialogs.memory.words import formula_difference, formula_line, signed_memory

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.telemetry.memory import ClassicFormula
    from ui.model_controller import ModelController


class FormulaPage(TablePage):
    """The steps add up to what llama.cpp allocates."""

    def __init__(self, models: ModelController, parent: QWidget | None = None) -> None:
        super().__init__("formula", parent)
        self.set_columns(self.tr("The classic formula and the truth"), [self.tr("Step"), self.tr("KV cache")], 1)
        self._models = models
        models.changed.connect(self.refresh)
        self.refresh()

    def table(self) -> Table:
        formula = self._formula()
        return formula_table(formula) if formula is not None else Table((), ())

    @Slot()
    def refresh(self) -> None:
        model, formula = self._models.model, self._formula()
        head = self.tr("layers × context × KV heads × head dimension × precision × 2")
        if model is None:
            self.set_rows([])
            self.sentences.setText(self.tr("{formula}\nLoad a model: its numbers appear here.").format(formula=head))
            return
        if formula is None:
            self.set_rows([])
            text = self.tr(
                "{formula}\nThis model has no attention, so it has no KV cache: its state of {size} does not grow."
            )
            size = formatting.memory(model.memory.total_bytes("recurrent"))
            self.sentences.setText(text.format(formula=head, size=size))
            return
        rows = [[formula_line(formula), formatting.memory(formula.classic_bytes)]]
        rows += [[formula_difference(item.kind), signed_memory(item.size_bytes)] for item in formula.differences]
        rows.append([self.tr("What llama.cpp allocates"), formatting.memory(formula.exact_bytes)])
        self.set_rows(rows, last_is_total=True)
        same = self.tr("For this model the classic formula is exact.")
        other = self.tr("For this model the classic formula is not the truth; the steps between them add up exactly.")
        lines = [head, other if formula.differences else same]
        if formula.recurrent_bytes:
            state = self.tr("Beside the KV cache there is a recurrent state of {}, which the formula does not know.")
            lines.append(state.format(formatting.memory(formula.recurrent_bytes)))
        self.sentences.setText("\n".join(lines))

    def _formula(self) -> ClassicFormula | None:
        model, config = self._models.model, self._models.config
        if model is None:
            return None
        return classic_formula(model, config.n_ctx if config is not None else None)
