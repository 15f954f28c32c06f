"""The turns of all conversations: how they compare, whether they became slower, and all of it to take away."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QEvent, Qt, Slot
from PySide6.QtWidgets import QComboBox, QFileDialog, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.reasons import reason_of
from app.telemetry.runs import Run, overlaid, runs_of
from ui import formatting
from ui.translation import localised

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PySide6.QtGui import QShowEvent

    from app.storage.store import Store
    from app.telemetry.history import HistoryTurn, Points
    from ui.dialogs.speed.sources import Sources


class HistoryPage(QWidget):
    """Filtered by model and settings; a second run may be laid over the first."""

    def __init__(self, sources: Sources, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        from ui.dialogs.speed.history_chart import HistoryChart  # not above: numpy comes with it

        self._sources = sources
        self.runs: tuple[Run, ...] = ()
        self.model = QComboBox()
        self.model.setObjectName("history_model")
        self.other = QComboBox()
        self.other.setObjectName("history_other")
        for box in (self.model, self.other):
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(24)
            box.activated.connect(self._draw)
        self._model_label, self._other_label = QLabel(), QLabel()
        self._model_label.setBuddy(self.model)
        self._other_label.setBuddy(self.other)
        self.ttft = HistoryChart(sources.theme, "history_ttft")
        self.tpot = HistoryChart(sources.theme, "history_tpot")
        self.notice = QLabel(wordWrap=True)
        self.notice.setObjectName("history_notice")
        self.notice.setTextFormat(Qt.TextFormat.PlainText)
        self._told = QLabel()
        self._told.setProperty("role", "muted")
        self._csv, self._json = QPushButton(), QPushButton()
        self._csv.setObjectName("history_csv")
        self._json.setObjectName("history_json")
        self._csv.clicked.connect(partial(self._ask, "csv"))
        self._json.clicked.connect(partial(self._ask, "json"))
        self._lay_out()
        for chart in (self.ttft, self.tpot):
            chart.told.connect(self._told.setText)
        sources.speed.changed.connect(self.refresh)
        self._retranslate()

    def _lay_out(self) -> None:
        filters = QHBoxLayout()
        for widget in (self._model_label, self.model, self._other_label, self.other):
            filters.addWidget(widget)
        filters.addStretch()
        charts = QHBoxLayout()
        charts.addWidget(self.ttft)
        charts.addWidget(self.tpot)
        below = QHBoxLayout()
        below.addWidget(self._told, 1)
        below.addWidget(self._csv)
        below.addWidget(self._json)
        rows = QVBoxLayout(self)
        rows.addLayout(filters)
        rows.addLayout(charts, 1)
        rows.addWidget(self.notice)
        rows.addLayout(below)

    @Slot()
    def refresh(self) -> None:
        """Read the turns again."""
        if self.isVisible():
            self._sources.store.read(lambda store: store.history(), self._on_read)

    def _on_read(self, turns: list[HistoryTurn]) -> None:
        former = (self._run(self.model, 0), self._run(self.other, 1))
        self.runs = runs_of(turns)
        for box, offset, kept in zip((self.model, self.other), (0, 1), former, strict=True):
            box.clear()
            if offset:
                box.addItem(self.tr("nothing"))
            box.addItems([self._run_name(run) for run in self.runs])
            keys = [run.key for run in self.runs]
            place = keys.index(kept.key) + offset if kept is not None and kept.key in keys else 0
            box.setCurrentIndex(place)
            box.setEnabled(bool(self.runs))
        self._csv.setEnabled(bool(turns))
        self._json.setEnabled(bool(turns))
        self._draw()

    def _run(self, box: QComboBox, offset: int) -> Run | None:
        place = box.currentIndex() - offset
        return self.runs[place] if 0 <= place < len(self.runs) else None

    def _run_name(self, run: Run) -> str:
        text = self.tr("{model}: {settings}, {turns}") if run.difference else self.tr("{model}: {turns}")
        turns = formatting.turn_count(len(run.turns))
        return text.format(model=run.model_file, settings=run.difference, turns=turns)

    @Slot()
    def _draw(self) -> None:
        picture = overlaid(self._run(self.model, 0), self._run(self.other, 1))
        self.ttft.draw(_ttft(picture.first), _ttft(picture.second), picture.ttft)
        self.tpot.draw(_tpot(picture.first), _tpot(picture.second), picture.tpot)
        self.notice.setText("\n".join(self._lines(picture.slowdowns, picture.comparison)))
        self.notice.setVisible(bool(self.notice.text()))
        for chart in (self.ttft, self.tpot):
            chart.setAccessibleDescription(self.notice.text())

    def _lines(self, slowdowns: tuple[str, ...], comparison: tuple[float | None, float | None] | None) -> list[str]:
        lines = [localised(sentence) for sentence in slowdowns]
        if comparison is not None and comparison[0] is not None:
            text = self.tr("The second run takes {times} times as long to the first token, at the same lengths.")
            lines.append(text.format(times=formatting.number(comparison[0])))
        if comparison is not None and comparison[1] is not None:
            text = self.tr("The second run takes {times} times as long per token, at the same context.")
            lines.append(text.format(times=formatting.number(comparison[1])))
        return lines

    def _ask(self, kind: Literal["csv", "json"]) -> None:
        dialog = QFileDialog(self, self.tr("Save all turns"), f"turns.{kind}", f"{kind.upper()} (*.{kind})")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(kind)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(partial(self.save, kind))
        dialog.open()

    def save(self, kind: Literal["csv", "json"], path: str) -> None:
        """Write every turn; no word of any conversation is in it."""
        self._sources.store.read(partial(_export, kind, Path(path)), self._on_saved)

    def _on_saved(self, saved: _Saved) -> None:
        if saved.error:
            text = self.tr("The turns could not be saved to {path}: {reason}. Choose another place.")
            self._told.setText(text.format(path=saved.path, reason=localised(saved.error)))
        else:
            self._told.setText(self.tr("Saved as {path}.").format(path=saved.path))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _retranslate(self) -> None:
        nothing = self.tr("Every answer of all conversations with this model and these settings appears here.")
        self.ttft.set_words(self.tr("Time to first token, by new tokens"), self.tr("tokens"), nothing)
        self.tpot.set_words(self.tr("Time per token, by context"), self.tr("tokens"), nothing)
        self._model_label.setText(self.tr("Model"))
        self.model.setAccessibleName(self.tr("Model and settings"))
        self._other_label.setText(self.tr("compared with"))
        self.other.setAccessibleName(self.tr("Run to compare with"))
        for button, text in ((self._csv, self.tr("Save as CSV…")), (self._json, self.tr("Save as JSON…"))):
            button.setText(text)
            button.setAccessibleName(text)
        self.refresh()


@dataclass(frozen=True, slots=True)
class _Saved:
    path: Path
    error: str = ""


def _export(kind: Literal["csv", "json"], path: Path, store: Store) -> _Saved:
    from app.storage.export_history import export_history  # what few need is imported when it is wanted

    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            for piece in export_history(store, kind):
                file.write(piece)
    except OSError as error:
        return _Saved(path, reason_of(error))
    return _Saved(path)


def _ttft(points: Points) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return points.uncached_tokens, points.ttft_s


def _tpot(points: Points) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return points.context_tokens, points.tpot_s
