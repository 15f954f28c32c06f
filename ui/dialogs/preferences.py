"""Language, theme, zoom, system prompt, sampling, reserve and RPC servers; every change holds at once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QEvent, QSignalBlocker, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QLabel,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from app.settings import ON_FULL, SamplingSettings
from ui.dialogs.boxes import double_spin_box, spin_box
from ui.dialogs.servers_field import ServersField
from ui.on_full import on_full_text

if TYPE_CHECKING:
    from app.chat.conversation import OnFull
    from app.settings import Settings
    from ui.settings_keeper import SettingsKeeper

MAX_SEED = 2**31 - 1
MAX_TOKENS = 1_048_576
MAX_RESERVE_MIB = 1_048_576


class PreferencesDialog(QDialog):
    """Edits the window's settings in place."""

    def __init__(self, settings: SettingsKeeper, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("preferences_dialog")
        self._settings = settings
        self._language = QComboBox()
        self._theme = QComboBox()
        self._zoom = spin_box(minimum=50, maximum=300, singleStep=10, suffix=" %")
        self._system_prompt = QPlainTextEdit(tabChangesFocus=True)
        self._system_prompt.setMaximumHeight(96)
        self._temperature = _decimal_box(0, 5, 0.1)
        self._top_k = spin_box(minimum=0, maximum=1000)
        self._top_p = _decimal_box(0, 1, 0.05)
        self._min_p = _decimal_box(0, 1, 0.01)
        self._repeat_penalty = _decimal_box(0.5, 2, 0.05)
        self._max_tokens = spin_box(minimum=0, maximum=MAX_TOKENS, singleStep=64)
        self._seed = spin_box(minimum=-1, maximum=MAX_SEED)
        self._on_full = QComboBox()
        self._reserve = spin_box(maximum=MAX_RESERVE_MIB, singleStep=256, suffix=" MiB")
        self._reserve.setGroupSeparatorShown(True)
        self._rpc_servers = ServersField()
        self._form = QFormLayout()
        self._form.setVerticalSpacing(8)
        self._form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self.setMinimumWidth(480)
        for name, widget in self._widgets().items():
            widget.setObjectName(name)
            self._form.addRow(QLabel(), widget)
        self._buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Close | QDialogButtonBox.StandardButton.RestoreDefaults
        )
        self._buttons.rejected.connect(self.reject)
        self._buttons.button(QDialogButtonBox.StandardButton.RestoreDefaults).clicked.connect(self._restore_sampling)
        layout = QVBoxLayout(self)
        layout.setSpacing(16)
        layout.addLayout(self._form)
        layout.addWidget(self._buttons)
        self._retranslate()
        self._show(settings.value)
        self._connect()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _widgets(self) -> dict[str, QWidget]:
        return {
            "language": self._language,
            "theme": self._theme,
            "zoom": self._zoom,
            "system_prompt": self._system_prompt,
            "temperature": self._temperature,
            "top_k": self._top_k,
            "top_p": self._top_p,
            "min_p": self._min_p,
            "repeat_penalty": self._repeat_penalty,
            "max_tokens": self._max_tokens,
            "seed": self._seed,
            "on_full": self._on_full,
            "reserve": self._reserve,
            "rpc_servers": self._rpc_servers,
        }

    def _retranslate(self) -> None:
        self.setWindowTitle(self.tr("Preferences"))
        texts = {
            "language": (self.tr("Language"), ""),
            "theme": (self.tr("Theme"), ""),
            "zoom": (self.tr("Text size"), ""),
            "system_prompt": (
                self.tr("System prompt"),
                self.tr("What the model is told before the conversation; holds for this one and new ones."),
            ),
            "temperature": (self.tr("Temperature"), self.tr("0 always takes the likeliest token.")),
            "top_k": (self.tr("Top k"), self.tr("Only the k likeliest tokens; 0 is off.")),
            "top_p": (self.tr("Top p"), self.tr("The likeliest tokens that together have this probability; 1 is off.")),
            "min_p": (self.tr("Min p"), self.tr("Tokens with at least this share of the best one; 0 is off.")),
            "repeat_penalty": (self.tr("Repeat penalty"), self.tr("Above 1 makes repetition less likely; 1 is off.")),
            "max_tokens": (self.tr("Most tokens in an answer"), ""),
            "seed": (self.tr("Seed"), self.tr("The same seed gives the same answer to the same conversation.")),
            "on_full": (
                self.tr("When the context is full"),
                self.tr("Unless a conversation says otherwise: click on the context gauge to choose for that alone."),
            ),
            "reserve": (
                self.tr("Memory to keep free"),
                self.tr("What is left on every device when as many layers and as much context are chosen as fit."),
            ),
            "rpc_servers": (
                self.tr("RPC servers"),
                self.tr("llama.cpp's rpc-server on other machines: their memory holds a part of the model."),
            ),
        }
        for name, widget in self._widgets().items():
            text, tooltip = texts[name]
            label = self._form.labelForField(widget)
            assert isinstance(label, QLabel)
            label.setText(text)
            widget.setAccessibleName(text)
            widget.setToolTip(tooltip)
        self._max_tokens.setSpecialValueText(self.tr("no limit"))
        self._seed.setSpecialValueText(self.tr("random"))
        self._buttons.button(QDialogButtonBox.StandardButton.RestoreDefaults).setText(self.tr("Default sampling"))
        for box, choices in (
            (self._language, (("", self.tr("System")), ("en", "English"), ("zh_CN", "简体中文"))),
            (
                self._theme,
                (("system", self.tr("System")), ("light", self.tr("Light")), ("dark", self.tr("Dark"))),
            ),
            (self._on_full, tuple((name, on_full_text(cast("OnFull", name))) for name in ON_FULL)),
        ):
            with QSignalBlocker(box):
                chosen = box.currentData()
                box.clear()
                for key, text in choices:
                    box.addItem(text, key)
                box.setCurrentIndex(max(0, box.findData(chosen)))

    def _show(self, value: Settings) -> None:
        sampling = value.sampling
        self._language.setCurrentIndex(max(0, self._language.findData(value.language)))
        self._theme.setCurrentIndex(max(0, self._theme.findData(value.theme)))
        self._zoom.setValue(round(value.zoom * 100))
        self._system_prompt.setPlainText(value.system_prompt)
        self._temperature.setValue(sampling.temperature)
        self._top_k.setValue(sampling.top_k)
        self._top_p.setValue(sampling.top_p)
        self._min_p.setValue(sampling.min_p)
        self._repeat_penalty.setValue(sampling.repeat_penalty)
        self._max_tokens.setValue(value.max_tokens or 0)
        self._on_full.setCurrentIndex(self._on_full.findData(value.on_full))
        self._reserve.setValue(value.reserve_mib)
        self._rpc_servers.set_value(value.rpc_servers)
        self._seed.setValue(-1 if sampling.seed is None else sampling.seed)

    def _connect(self) -> None:
        self._language.currentIndexChanged.connect(self._apply)
        self._theme.currentIndexChanged.connect(self._apply)
        self._on_full.currentIndexChanged.connect(self._apply)
        self._rpc_servers.changed.connect(self._apply)
        self._system_prompt.textChanged.connect(self._apply)
        for box in (self._zoom, self._top_k, self._max_tokens, self._seed, self._reserve):
            box.valueChanged.connect(self._apply)
        for decimal_box in (self._temperature, self._top_p, self._min_p, self._repeat_penalty):
            decimal_box.valueChanged.connect(self._apply)

    @Slot()
    def _apply(self) -> None:
        value = self._settings.value
        sampling = replace(
            value.sampling,
            temperature=self._temperature.value(),
            top_k=self._top_k.value(),
            top_p=self._top_p.value(),
            min_p=self._min_p.value(),
            repeat_penalty=self._repeat_penalty.value(),
            seed=None if self._seed.value() < 0 else self._seed.value(),
        )
        self._settings.set(
            replace(
                value,
                language=self._language.currentData(),
                theme=self._theme.currentData(),
                zoom=self._zoom.value() / 100,
                system_prompt=self._system_prompt.toPlainText(),
                on_full=self._on_full.currentData(),
                reserve_mib=self._reserve.value(),
                rpc_servers=self._rpc_servers.value(),
                max_tokens=self._max_tokens.value() or None,
                sampling=sampling,
            )
        )

    @Slot()
    def _restore_sampling(self) -> None:
        self._show(replace(self._settings.value, sampling=SamplingSettings(), max_tokens=None))


def _decimal_box(low: float, high: float, step: float) -> QDoubleSpinBox:
    return double_spin_box(minimum=low, maximum=high, singleStep=step, decimals=2)
