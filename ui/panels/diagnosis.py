"""Why it is slow or full: one quiet line above the charts that opens to the numbers and to what helps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ui.formatting import count, figure
from ui.icons import keep_icon
from ui.panels.labels import ElidedButton, ElidedLabel
from ui.translation import localised

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent

    from app.telemetry.diagnosis import Finding, Remedy
    from ui.diagnosis_keeper import DiagnosisKeeper
    from ui.theme import Theme

TALLEST = 240
"""Pixels at a zoom of 1: what is more scrolls, so that the charts keep their room."""
_UNITS = {"ttft_s": "s", "tpot_s": "s", "memory_bytes": "bytes"}


class DiagnosisStrip(QFrame):
    """The worst finding in a line; opened, its evidence, its remedies as buttons, and the other findings.

    It opens by itself for what is set wrong or slower than it need be, until the user closes it.

    Signals:
        remedy_chosen: a `Remedy` to be carried out.
        toggled: it takes more or less room now.
    """

    remedy_chosen = Signal(object)
    toggled = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("diagnosis_strip")
        self._theme = theme
        self._keeper: DiagnosisKeeper | None = None
        self._shown = 0
        self._is_wanted = True
        self._button = QToolButton()
        self._button.setObjectName("diagnosis_toggle")
        self._button.setAutoRaise(True)
        self._button.clicked.connect(self._on_toggled)
        self._title = QLabel()
        self._title.setProperty("role", "title")
        self._line = ElidedLabel()
        self._line.setObjectName("diagnosis_line")
        self._line.setProperty("role", "muted")
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._title)
        head.addWidget(self._line, 1)
        head.addWidget(self._button)
        self._area = QScrollArea(widgetResizable=True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setObjectName("diagnosis_details")
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.hide()
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(8, 4, 8, 4)
        self._rows.setSpacing(4)
        self._rows.addLayout(head)
        self._rows.addWidget(self._area)
        theme.changed.connect(self._show)
        self._retranslate()

    def watch(self, keeper: DiagnosisKeeper) -> None:
        """Show what this one finds."""
        self._keeper = keeper
        keeper.changed.connect(self._on_changed)
        self._show()

    @property
    def is_open(self) -> bool:
        """Whether the details are shown."""
        return not self._area.isHidden()

    @property
    def sentence(self) -> str:
        """The worst finding, or what is said without one."""
        return self.accessibleDescription()

    @Slot()
    def _on_changed(self) -> None:
        self._shown = 0
        self._show()

    @Slot()
    def _on_toggled(self) -> None:
        self._is_wanted = not self.is_open
        self._show(forced=self._is_wanted)

    @Slot()
    def _on_other_chosen(self) -> None:
        self._shown = int(self.sender().property("finding"))
        self._show(forced=True)

    @Slot()
    def _on_remedy_clicked(self) -> None:
        findings = self._keeper.findings if self._keeper is not None else ()
        finding = findings[self._shown]
        self.remedy_chosen.emit(finding.remedies[int(self.sender().property("remedy"))])

    @Slot()
    def _show(self, forced: bool = False) -> None:
        keeper = self._keeper
        findings = keeper.findings if keeper is not None else ()
        outcome = localised(keeper.outcome.sentence) if keeper is not None and keeper.outcome is not None else ""
        has_details = bool(findings) or bool(outcome)
        is_pressing = bool(findings) and findings[0].severity != "notice"
        is_open = has_details and (forced or (self._is_wanted and (is_pressing or bool(outcome))))
        self._line.setText(self._number(findings) if is_open and findings else self._summary(outcome))
        self._button.setEnabled(has_details)
        keep_icon(self._button, "chevron-up" if is_open else "chevron-down", self._theme, "muted")
        name = self.tr("Hide the details") if is_open else self.tr("Show the details")
        self._button.setAccessibleName(name)
        self._button.setToolTip(name)
        self.setAccessibleDescription(self._summary(outcome))
        if is_open:
            self._area.setWidget(self._details(findings, outcome))
            self._fit_height()
        if is_open != self.is_open:
            self._area.setVisible(is_open)
            self.toggled.emit()

    def _number(self, findings: tuple[Finding, ...]) -> str:
        return self.tr("{number} of {all}").format(number=count(self._shown + 1), all=count(len(findings)))

    def _summary(self, outcome: str) -> str:
        if self._keeper is None or not (self._keeper.is_known or self._keeper.findings):
            return outcome or self.tr("After an answer: what made it slow, and what helps.")
        findings = self._keeper.findings
        if not findings:
            return outcome or self.tr("Nothing is slower or fuller than it need be.")
        return localised(findings[0].sentence)

    def _details(self, findings: tuple[Finding, ...], outcome: str) -> QWidget:
        page = QWidget()
        rows = QVBoxLayout(page)
        rows.setContentsMargins(0, 0, 4, 0)
        rows.setSpacing(4)
        if outcome:
            rows.addWidget(_text(outcome, "diagnosis_outcome"))
        if findings:
            self._add_finding(rows, findings[self._shown])
            for number, other in enumerate(findings):
                if number != self._shown:
                    rows.addWidget(self._other(number, other))
        rows.addStretch()
        return page

    def _add_finding(self, rows: QVBoxLayout, finding: Finding) -> None:
        role = {"problem": "error", "warning": "warning"}.get(finding.severity, "")
        rows.addWidget(_text(f"{self._severity(finding)}: {localised(finding.sentence)}", "diagnosis_sentence", role))
        numbers = (f"{localised(each.name)} {figure(each.value, each.unit)}" for each in finding.evidence)
        rows.addWidget(_text(" · ".join(numbers), "diagnosis_evidence", "muted"))
        for number, remedy in enumerate(finding.remedies):
            rows.addWidget(self._remedy(number, remedy))

    def _severity(self, finding: Finding) -> str:
        return {
            "problem": self.tr("Problem"),
            "warning": self.tr("Slower than it need be"),
            "notice": self.tr("Good to know"),
        }[finding.severity]

    def _remedy(self, number: int, remedy: Remedy) -> QWidget:
        assert self._keeper is not None
        box = QWidget()
        row = QHBoxLayout(box)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        sentence, promise = localised(remedy.sentence), self._promise(remedy)
        row.addWidget(_text(f"{sentence}\n{promise}"), 1)
        button = QPushButton(self._action(remedy.action))
        button.setObjectName(f"remedy_{remedy.action}")
        button.setProperty("remedy", number)
        button.setEnabled(self._keeper.can_apply(remedy))
        button.clicked.connect(self._on_remedy_clicked)
        button.setAccessibleName(sentence)
        button.setAccessibleDescription(promise)
        button.setToolTip(promise)
        row.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        return box

    def _action(self, action: str) -> str:
        return {
            "new_conversation": self.tr("New"),
            "summarise": self.tr("Summarise"),
            "smaller_quant": self.tr("Load it"),
        }.get(action, self.tr("Change it"))

    def _promise(self, remedy: Remedy) -> str:
        effect = remedy.expected
        what = {
            "ttft_s": self.tr("First token"),
            "tpot_s": self.tr("Per token"),
            "memory_bytes": self.tr("Memory"),
        }[effect.metric]
        unit = _UNITS[effect.metric]
        if effect.after is None:
            return self.tr("{what}: {before} now; the effect will be measured").format(
                what=what, before=figure(effect.before, unit)
            )
        return self.tr("{what}: {before} → about {after}").format(
            what=what, before=figure(effect.before, unit), after=figure(effect.after, unit)
        )

    def _other(self, number: int, finding: Finding) -> QWidget:
        sentence = localised(finding.sentence)
        button = ElidedButton(sentence)
        button.setObjectName(f"finding_{finding.key}")
        button.setProperty("finding", number)
        button.setToolTip(sentence)
        button.clicked.connect(self._on_other_chosen)
        return button

    def _fit_height(self) -> None:
        """Give the details the height of their wrapped lines; their size hint wraps narrower and would leave a gap."""
        page = self._area.widget()
        assert page is not None
        width = self.width() - self._rows.contentsMargins().left() - self._rows.contentsMargins().right()
        wanted = page.heightForWidth(width) if page.hasHeightForWidth() else page.sizeHint().height()
        self._area.setFixedHeight(min(wanted, round(TALLEST * self._theme.zoom)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.is_open and event.size().width() != event.oldSize().width():
            self._fit_height()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _retranslate(self) -> None:
        self._title.setText(self.tr("Why"))
        self._title.setToolTip(self.tr("Rules read the measurements of the last answer and speak only with evidence."))
        self.setAccessibleName(self.tr("Why it is slow or full"))
        self._area.setAccessibleName(self.tr("Evidence and remedies"))
        self._show()


def _text(text: str, name: str = "", role: str = "") -> QLabel:
    label = QLabel(text, wordWrap=True)
    label.setObjectName(name)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    if role:
        label.setProperty("role", role)
    return label
