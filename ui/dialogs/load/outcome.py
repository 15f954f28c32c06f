"""What the chosen settings would take: a bar per pool of memory, a legend, and the plan in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from app.telemetry.pools import pools
from ui import formatting
from ui.dialogs.load.device_bar import DeviceBar
from ui.dialogs.load.kv_class import kv_class_name
from ui.panels.legend import Entry, Legend
from ui.panels.looks import COMPUTE, FREE, KV_USED, OTHERS, OVER, RECURRENT, WEIGHTS
from ui.translation import localised

if TYPE_CHECKING:
    from app.telemetry.plan import Plan
    from ui.theme import Theme


class Outcome(QWidget):
    """Shows one `Plan` at a time.

    Signals:
        largest_requested: tokens; the user wants the largest context that fits.

    Attributes:
        plan: what is shown, None when nothing is known.
        bars: one per pool.
    """

    largest_requested = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.plan: Plan | None = None
        self.bars: list[DeviceBar] = []
        self._rows = QVBoxLayout()
        self._rows.setSpacing(8)
        self._legend = Legend(theme)
        self._total = self._label("plan_total", "title")
        self._growth = self._label("plan_growth")
        self._growth.hide()
        self._split = self._label("plan_split")
        self._cache = self._label("plan_cache")
        self._choice = self._label("plan_choice")
        self._source = self._label("plan_source", "muted")
        self.largest = QPushButton()
        self.largest.setObjectName("largest_context")
        self.largest.clicked.connect(self._on_largest_clicked)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self._total)
        layout.addLayout(self._rows)
        layout.addWidget(self._legend)
        for label in (self._growth, self._split, self._cache, self._choice):
            layout.addWidget(label)
        layout.addWidget(self.largest, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addWidget(self._source)
        layout.addStretch(1)
        self._legend.set_entries(self._legend_entries())
        self._show_largest(None)
        self.show_waiting()

    def show_waiting(self) -> None:
        """Say that the first plan is being made."""
        self._total.setText(self.tr("Reading the model…"))
        self._choice.hide()
        self._show_figures(False)

    def show_unknown(self, reason: str) -> None:
        """Say why nothing is known."""
        self.plan = None
        self._total.setText(self.tr("What this takes is not known"))
        self._show_figures(False)
        self._choice.setText(localised(reason))
        self._choice.setVisible(True)
        self._show_largest(None)

    def show_plan(self, plan: Plan, grows: bool = False) -> None:
        """Show another plan; that of a context that `grows` is the plan of its beginning."""
        self.plan = plan
        found = pools(plan.devices)
        while len(self.bars) > len(found):
            bar = self.bars.pop()
            self._rows.removeWidget(bar)
            bar.deleteLater()
        while len(self.bars) < len(found):
            bar = DeviceBar(self._theme)
            self.bars.append(bar)
            self._rows.addWidget(bar)
        for bar, pool in zip(self.bars, found, strict=True):
            bar.set_pool(pool)
        self._show_figures(True)
        self._show_texts(plan, grows)
        self._show_largest(plan.max_n_ctx_that_fits)

    def _show_figures(self, shown: bool) -> None:
        """Without a plan there are none to explain."""
        for widget in (*self.bars, self._legend, self._growth, self._split, self._cache, self._source, self.largest):
            widget.setVisible(shown)

    @property
    def fits(self) -> bool:
        """Whether every pool has the room, as far as it can say."""
        return all((bar.pool.left_bytes or 0) >= 0 for bar in self.bars if bar.pool is not None)

    def _show_texts(self, plan: Plan, grows: bool) -> None:
        total = self.tr("{size} for a context of {n_ctx}")
        if grows:
            total = self.tr("{size} at first, for a context of {n_ctx}")
        size, n_ctx = formatting.memory(plan.total_bytes()), formatting.tokens(plan.n_ctx)
        self._total.setText(total.format(size=size, n_ctx=n_ctx))
        limit = plan.max_n_ctx_that_fits
        self._growth.setVisible(grows and limit is not None and limit > plan.n_ctx)
        self._growth.setText(self.tr("Grows with the conversation, up to {}.").format(formatting.tokens(limit)))
        parts = [
            (self.tr("weights {}"), plan.total_bytes("weights")),
            (self.tr("KV cache {}"), plan.total_bytes("kv")),
            (self.tr("recurrent state {}"), plan.total_bytes("recurrent")),
            (self.tr("compute {}"), plan.total_bytes("compute")),
            (self.tr("output {}"), plan.total_bytes("output")),
        ]
        self._split.setText(", ".join(text.format(formatting.memory(size)) for text, size in parts if size))
        cache = self.tr("{kv_class}: {size} for each token of context, flash attention {flash}")
        if plan.n_gpu_layers:
            cache = self.tr(
                "{kv_class}: {size} for each token of context, flash attention {flash}, {layers} of {total} layers on "
                "GPUs"
            )
        self._cache.setText(
            cache.format(
                kv_class=kv_class_name(plan.kv_class),
                size=formatting.memory(plan.kv_bytes_per_token),
                flash=self.tr("on") if plan.flash_attention else self.tr("off"),
                layers=formatting.count(plan.n_gpu_layers),
                total=formatting.count(plan.layers_total),
            )
        )
        self._choice.setText(localised(plan.choice))
        self._choice.setVisible(bool(plan.choice))
        estimate = self.tr("Compute and output buffers are estimated; they are measured as soon as the settings rest.")
        measured = self.tr("Compute and output buffers were measured by a load that allocates nothing.")
        self._source.setText(localised(plan.note) or (estimate if plan.source == "estimate" else measured))

    def _show_largest(self, n_ctx: int | None) -> None:
        self.largest.setEnabled(n_ctx is not None)
        self.largest.setText(
            self.tr("Largest context that fits: {}").format(formatting.tokens(n_ctx))
            if n_ctx is not None
            else self.tr("Largest context that fits")
        )
        if n_ctx is None and self.plan is not None:
            self.largest.setText(self.tr("No context fits"))

    def _legend_entries(self) -> list[Entry]:
        return [
            Entry(OTHERS, self.tr("used by others"), "", self.tr("What other programs hold at present.")),
            Entry(WEIGHTS, self.tr("weights"), "", self.tr("The model's parameters.")),
            Entry(KV_USED, self.tr("KV cache"), "", formatting.definition("kv_reserved")),
            Entry(RECURRENT, self.tr("recurrent"), "", self.tr("The state of recurrent layers; it does not grow.")),
            Entry(
                COMPUTE,
                self.tr("compute"),
                "",
                self.tr("Compute and output buffers: scratch memory for one batch, and the logits."),
            ),
            Entry(FREE, self.tr("free"), "", self.tr("What stays free.")),
            Entry(OVER, self.tr("does not fit"), "", self.tr("More than the device has.")),
        ]

    def _label(self, name: str, role: str = "") -> QLabel:
        label = QLabel(wordWrap=True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setObjectName(name)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        if role:
            label.setProperty("role", role)
        return label

    @Slot()
    def _on_largest_clicked(self) -> None:
        if self.plan is not None and self.plan.max_n_ctx_that_fits is not None:
            self.largest_requested.emit(self.plan.max_n_ctx_that_fits)
