"""What the prompt costs now, and what it will with the summary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from ui import formatting

if TYPE_CHECKING:
    from app.chat.conversation import PromptCost

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class Numbers(QWidget):
    """A row per number: now, and with the summary."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("summary_numbers")
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(0, 1)
        self._titles: dict[str, str] = {}
        self._before: dict[str, QLabel] = {}
        self._after: dict[str, QLabel] = {}
        for column, title in ((1, self.tr("now")), (2, self.tr("with the summary"))):
            label = QLabel(title)
            label.setProperty("role", "muted")
            self._grid.addWidget(label, 0, column, _RIGHT)
        rows = (
            (
                "tokens",
                self.tr("Prompt"),
                self.tr("Tokens of the rendered prompt, by the model's own tokenizer."),
            ),
            ("kv", self.tr("KV cache"), formatting.definition("kv_used")),
            (
                "ttft",
                self.tr("TTFT, nothing cached"),
                self.tr(
                    "To expect when the whole prompt is read, as it is once after a summary: by the curve of your own "
                    "turns or, before there are enough, the prefill rate measured in this conversation."
                ),
            ),
            ("tpot", self.tr("TPOT"), self.tr("To expect at this context, by the line of your own turns.")),
        )
        for row, (key, title, tooltip) in enumerate(rows, 1):
            self._titles[key] = title
            name = QLabel(title)
            name.setToolTip(tooltip)
            self._grid.addWidget(name, row, 0)
            for column, labels in ((1, self._before), (2, self._after)):
                labels[key] = label = QLabel()
                label.setObjectName(f"summary_{key}_{'before' if column == 1 else 'after'}")
                label.setToolTip(tooltip)
                self._grid.addWidget(label, row, column, _RIGHT)

    def show_costs(self, before: PromptCost, after: PromptCost | None, *, is_estimate: bool) -> None:
        """Show both; `is_estimate`: the summary is not counted yet."""
        for labels, cost in ((self._before, before), (self._after, after)):
            texts = _texts(cost)
            for key, label in labels.items():
                about = is_estimate and cost is after and texts[key] != formatting.unknown()
                label.setText(f"≈ {texts[key]}" if about else texts[key])
        said = [
            f"{title}: {self._before[key].text()} → {self._after[key].text()}" for key, title in self._titles.items()
        ]
        self.setAccessibleName(self.tr("What the summary saves"))
        self.setAccessibleDescription("; ".join(said))


def _texts(cost: PromptCost | None) -> dict[str, str]:
    if cost is None:
        return dict.fromkeys(("tokens", "kv", "ttft", "tpot"), formatting.unknown())
    return {
        "tokens": formatting.tokens(cost.tokens),
        "kv": formatting.memory(cost.kv_bytes),
        "ttft": formatting.duration(cost.ttft_s),
        "tpot": formatting.duration(cost.tpot_s),
    }
