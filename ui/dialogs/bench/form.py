"""What to measure: lists with llama-bench's flags, every combination of which is a test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QFormLayout, QLabel, QLineEdit, QWidget

from app.bench.lists import flash_attention, layers, numbers, pairs, types
from app.bench.plan import BenchGrid
from ui.dialogs.bench.models_field import ModelsField
from ui.dialogs.boxes import spin_box
from ui.translation import joined

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


MOST_REPETITIONS = 1000
_EMPTY = {
    "n_prompt": "0",
    "n_gen": "0",
    "n_depth": "0",
    "type_k": "f16",
    "type_v": "f16",
    "flash_attention": "auto",
    "n_batch": "2048",
    "n_ubatch": "512",
    "n_gpu_layers": "auto",
}
"""What an empty field stands for: no test, or llama-bench's default."""


class GridForm(QWidget):
    """Edits a `BenchGrid`.

    Signals:
        changed: some field.
    """

    changed = Signal()

    def __init__(self, loaded: Path | None, recent: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.models = ModelsField(loaded, recent)
        self.fields: dict[str, QLineEdit] = {}
        self.repetitions = spin_box(minimum=1, maximum=MOST_REPETITIONS, value=5)
        self.end_to_end = QCheckBox(self.tr("whole answers too (--e2e)"))
        self._form = QFormLayout(self)
        self._form.setContentsMargins(0, 0, 0, 0)
        self._form.setVerticalSpacing(6)
        self._form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self._form.addRow(self.models)
        self._lay_out()
        self.models.changed.connect(self.changed)
        self.repetitions.valueChanged.connect(self.changed)
        self.end_to_end.toggled.connect(self.changed)

    def value(self) -> BenchGrid:
        """Return what is asked for.

        Raises:
            BadInputError: a list cannot be read.
        """
        threads = self._text("n_threads")
        parallel = self._text("n_parallel")
        combined = self._text("n_pg")
        return BenchGrid(
            models=self.models.value(),
            n_prompt=tuple(numbers(self._text("n_prompt"))),
            n_gen=tuple(numbers(self._text("n_gen"))),
            n_pg=tuple(pairs(combined)) if combined else (),
            n_depth=tuple(numbers(self._text("n_depth"))),
            n_parallel=tuple(numbers(parallel)) if parallel else (),
            n_batch=tuple(numbers(self._text("n_batch"))),
            n_ubatch=tuple(numbers(self._text("n_ubatch"))),
            n_threads=tuple(numbers(threads)) if threads else (None,),
            n_gpu_layers=tuple(layers(self._text("n_gpu_layers"))),
            type_k=tuple(types(self._text("type_k"))),
            type_v=tuple(types(self._text("type_v"))),
            flash_attention=tuple(flash_attention(self._text("flash_attention"))),
            repetitions=self.repetitions.value(),
            end_to_end=self.end_to_end.isChecked(),
        )

    def _text(self, name: str) -> str:
        return self.fields[name].text().strip().strip(",") or _EMPTY.get(name, "")

    def _lay_out(self) -> None:
        several = self.tr("Several with commas, ranges as in 128-512+128.")
        automatic = self.tr("automatic")
        for name, label, flag, text, placeholder, tooltip in (
            ("n_prompt", self.tr("Prompt"), "-p", "512", "0", self.tr("Tokens read at once: one pp test each.")),
            ("n_gen", self.tr("Answer"), "-n", "128", "0", self.tr("Tokens written one by one: one tg test each.")),
            (
                "n_pg",
                self.tr("Both"),
                "-pg",
                "",
                self.tr("none"),
                self.tr("A prompt and the tokens after it, timed together: 512,128. Several with spaces."),
            ),
            (
                "n_depth",
                self.tr("Depth"),
                "-d",
                "0",
                "0",
                self.tr("Tokens in the KV cache before the clock starts."),
            ),
            (
                "n_parallel",
                self.tr("Sequences"),
                "-npl",
                "",
                self.tr("none"),
                self.tr("Sequences in one batch, each with its own prompt and answer, as llama-batched-bench."),
            ),
            ("type_k", self.tr("Type of K"), "-ctk", "f16", "f16", self.tr("Such as f16, q8_0, q4_0.")),
            ("type_v", self.tr("Type of V"), "-ctv", "f16", "f16", self.tr("A quantised V needs flash attention.")),
            (
                "flash_attention",
                self.tr("Flash attention"),
                "-fa",
                "auto",
                "auto",
                self.tr("auto, on, off; auto lets llama.cpp choose."),
            ),
            ("n_batch", self.tr("Batch"), "-b", "2048", "2048", self.tr("The most tokens handed over at once.")),
            ("n_ubatch", self.tr("Micro-batch"), "-ub", "512", "512", self.tr("The most tokens computed at once.")),
            (
                "n_gpu_layers",
                self.tr("GPU layers"),
                "-ngl",
                "",
                automatic,
                self.tr("Numbers, auto or all; the model is loaded once for each."),
            ),
            ("n_threads", self.tr("Threads"), "-t", "", automatic, self.tr("Empty: the physical cores.")),
        ):
            field = QLineEdit(text)
            field.setObjectName(f"bench_{name}")
            field.setPlaceholderText(placeholder)
            field.setToolTip(tooltip if name == "n_pg" else joined(tooltip, several))
            field.textChanged.connect(self.changed)
            self.fields[name] = field
            self._add(f"{label} ({flag})", field)
        self.repetitions.setObjectName("bench_repetitions")
        self.repetitions.setToolTip(self.tr("How often each test is timed, after one run that is not."))
        self._add(self.tr("Repetitions") + " (-r)", self.repetitions)
        self.end_to_end.setObjectName("bench_e2e")
        self.end_to_end.setToolTip(
            self.tr("What a chat really gets: template, tokeniser, sampling and text, as TTFT and TPOT.")
        )
        self._form.addRow("", self.end_to_end)

    def _add(self, text: str, widget: QWidget) -> None:
        label = QLabel(text)
        label.setBuddy(widget)
        widget.setAccessibleName(text)
        self._form.addRow(label, widget)
