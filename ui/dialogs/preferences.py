"""Language, theme, zoom, system prompt, sampling for all models or for one, reserve and RPC servers; every change holds
at once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QEvent, QSignalBlocker, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QLabel,
    QPlainTextEdit,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from app.settings import ON_FULL, AnswerSettings, SamplingSettings
from ui import formatting
from ui.dialogs.boxes import double_spin_box, spin_box
from ui.dialogs.form_area import FormArea
from ui.dialogs.servers_field import ServersField
from ui.on_full import on_full_text

if TYPE_CHECKING:
    from pathlib import Path

    from app.chat.conversation import OnFull
    from app.settings import Settings
    from ui.model_controller import ModelController
    from ui.saved_states import SavedStates
    from ui.settings_keeper import SettingsKeeper

MAX_SEED = 2**31 - 1
MAX_TOKENS = 1_048_576
MAX_RESERVE_MIB = 1_048_576
MAX_KV_DISK_MIB = 16_777_216
MINIMUM_WIDTH = 480
SPACING = 16
MOST_OF_SCREEN = 0.85
"""Height of the dialog at most; the rest is for its title and the desktop's bars."""


class PreferencesDialog(QDialog):
    """Edits the window's settings in place; how a model answers either for all of them or for the loaded one alone."""

    def __init__(
        self,
        settings: SettingsKeeper,
        models: ModelController,
        saved: SavedStates,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("preferences_dialog")
        self._settings = settings
        self._models = models
        self._saved = saved
        self._language = QComboBox()
        self._theme = QComboBox()
        self._zoom = spin_box(minimum=50, maximum=300, singleStep=10, suffix=" %")
        self._system_prompt = QPlainTextEdit(tabChangesFocus=True)
        self._system_prompt.setMaximumHeight(96)
        self._for_this_model = QCheckBox()
        self._temperature = _decimal_box(0, 5, 0.1)
        self._top_k = spin_box(minimum=0, maximum=1000)
        self._top_p = _decimal_box(0, 1, 0.05)
        self._min_p = _decimal_box(0, 1, 0.01)
        self._repeat_penalty = _decimal_box(0.5, 2, 0.05)
        self._max_tokens = spin_box(minimum=0, maximum=MAX_TOKENS, singleStep=64)
        self._seed = spin_box(minimum=-1, maximum=MAX_SEED)
        self._summarise_at = spin_box(maximum=100, singleStep=5, suffix=" %")
        self._on_full = QComboBox()
        self._reserve = spin_box(maximum=MAX_RESERVE_MIB, singleStep=256, suffix=" MiB")
        self._reserve.setGroupSeparatorShown(True)
        self._kv_memory = spin_box(maximum=MAX_RESERVE_MIB, singleStep=256, suffix=" MiB")
        self._kv_disk = spin_box(maximum=MAX_KV_DISK_MIB, singleStep=1024, suffix=" MiB")
        for box in (self._kv_memory, self._kv_disk):
            box.setGroupSeparatorShown(True)
        self._kv_saved = QLabel()
        self._rpc_servers = ServersField()
        self._form = QFormLayout()
        self._form.setVerticalSpacing(8)
        self._form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for name, widget in self._widgets().items():
            widget.setObjectName(name)
            self._form.addRow(QLabel(), widget)
        self._buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Close | QDialogButtonBox.StandardButton.RestoreDefaults
        )
        self._buttons.rejected.connect(self.reject)
        self._buttons.button(QDialogButtonBox.StandardButton.RestoreDefaults).clicked.connect(self._restore_sampling)
        page = QWidget()
        page.setLayout(self._form)
        self._form.setContentsMargins(0, 0, 8, 0)  # clear of the scroll bar
        self._area = FormArea(page)
        self._layout = QVBoxLayout(self)
        self._layout.setSpacing(SPACING)
        self._layout.addWidget(self._area, 1)
        self._layout.addWidget(self._buttons)
        self._retranslate()
        self._show(settings.value)
        self._connect()
        self._fit(page)

    def _fit(self, page: QWidget) -> None:
        """Be as high as all fields are, where the screen has the room; else they scroll."""
        margins = self._layout.contentsMargins()
        width = max(MINIMUM_WIDTH - margins.left() - margins.right(), self._area.least_width)
        height = page.heightForWidth(width) if page.hasHeightForWidth() else page.sizeHint().height()
        wanted = height + self._buttons.sizeHint().height() + SPACING + margins.top() + margins.bottom()
        room = round(MOST_OF_SCREEN * self.screen().availableGeometry().height())
        self.resize(width + margins.left() + margins.right(), min(wanted, room))

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
            "for_this_model": self._for_this_model,
            "temperature": self._temperature,
            "top_k": self._top_k,
            "top_p": self._top_p,
            "min_p": self._min_p,
            "repeat_penalty": self._repeat_penalty,
            "max_tokens": self._max_tokens,
            "seed": self._seed,
            "summarise_at": self._summarise_at,
            "on_full": self._on_full,
            "reserve": self._reserve,
            "kv_memory": self._kv_memory,
            "kv_disk": self._kv_disk,
            "kv_saved": self._kv_saved,
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
            "for_this_model": (
                self.tr("Sampling"),
                self.tr("When ticked, what is chosen below holds for this model alone and is remembered with it."),
            ),
            "temperature": (self.tr("Temperature"), self.tr("0 always takes the likeliest token.")),
            "top_k": (self.tr("Top k"), self.tr("Only the k likeliest tokens; 0 is off.")),
            "top_p": (
                self.tr("Top p"),
                self.tr("Only the likeliest tokens that together have this probability; 1 is off."),
            ),
            "min_p": (
                self.tr("Min p"),
                self.tr("Only tokens at least this share as likely as the best; 0 is off."),
            ),
            "repeat_penalty": (self.tr("Repeat penalty"), self.tr("Above 1 makes repetition less likely; 1 is off.")),
            "max_tokens": (self.tr("Most tokens in an answer"), ""),
            "seed": (self.tr("Seed"), self.tr("The same seed gives the same answer to the same conversation.")),
            "summarise_at": (
                self.tr("Summarise automatically from"),
                self.tr(
                    "While nothing else runs, older turns are summarised when this much of the context is in use; you "
                    "are told, and can undo it."
                ),
            ),
            "on_full": (
                self.tr("When the context is full"),
                self.tr("Unless a conversation says otherwise: click on the context gauge to choose for that alone."),
            ),
            "reserve": (
                self.tr("Memory to keep free"),
                self.tr("What stays free on every device when as many layers or tokens of context are chosen as fit."),
            ),
            "kv_memory": (
                self.tr("KV caches in memory"),
                self.tr("KV caches of other conversations, so that going back needs no reading; 0 keeps none."),
            ),
            "kv_disk": (
                self.tr("KV caches on disk"),
                self.tr("The same across restarts. The conversation left longest ago is dropped first; 0 keeps none."),
            ),
            "kv_saved": (self.tr("On disk now"), ""),
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
        self._show_saved()
        self._show_model()
        self._max_tokens.setSpecialValueText(self.tr("no limit"))
        self._summarise_at.setSpecialValueText(self.tr("never"))
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

    @Slot()
    def _show_model(self) -> None:
        """Name the model that settings can be made for alone, and show those that hold for it."""
        path = self._model_path
        name = self._models.model.info.name if self._models.model is not None else path.stem if path else ""
        self._for_this_model.setEnabled(path is not None)
        self._for_this_model.setText(
            self.tr("only for {model}").format(model=name.replace("&", "&&"))
            if path is not None
            else self.tr("for every model; load one to choose for it alone")
        )
        with QSignalBlocker(self._for_this_model):
            self._for_this_model.setChecked(path is not None and str(path) in self._settings.value.answers)
        self._show_answers(self._models.answer_settings)

    @property
    def _model_path(self) -> Path | None:
        """The model that is loaded or was last; None without one."""
        return self._models.config.path if self._models.config is not None else None

    def _show_answers(self, answer: AnswerSettings) -> None:
        """Show how a model answers, without changing it."""
        sampling = answer.sampling
        boxes: tuple[tuple[QSpinBox | QDoubleSpinBox, float], ...] = (
            (self._temperature, sampling.temperature),
            (self._top_k, sampling.top_k),
            (self._top_p, sampling.top_p),
            (self._min_p, sampling.min_p),
            (self._repeat_penalty, sampling.repeat_penalty),
            (self._max_tokens, answer.max_tokens or 0),
            (self._seed, -1 if sampling.seed is None else sampling.seed),
        )
        for box, value in boxes:
            with QSignalBlocker(box):
                box.setValue(value)  # type: ignore[arg-type]  # whole numbers for the boxes of whole numbers

    def _show(self, value: Settings) -> None:
        self._language.setCurrentIndex(max(0, self._language.findData(value.language)))
        self._theme.setCurrentIndex(max(0, self._theme.findData(value.theme)))
        self._zoom.setValue(round(value.zoom * 100))
        if self._system_prompt.toPlainText() != value.system_prompt:
            self._system_prompt.setPlainText(value.system_prompt)
        self._summarise_at.setValue(value.summarise_at)
        self._on_full.setCurrentIndex(self._on_full.findData(value.on_full))
        self._reserve.setValue(value.reserve_mib)
        self._kv_memory.setValue(value.kv_memory_mib)
        self._kv_disk.setValue(value.kv_disk_mib)
        if self._rpc_servers.value() != value.rpc_servers:
            self._rpc_servers.set_value(value.rpc_servers)

    @Slot()
    def _follow(self) -> None:
        """Show what was changed elsewhere, such as the size of text with the keyboard, without applying it again."""
        blockers = [QSignalBlocker(widget) for widget in self._widgets().values()]
        self._show(self._settings.value)
        for blocker in blockers:
            blocker.unblock()

    @Slot()
    def _show_saved(self) -> None:
        size, count = formatting.memory(self._saved.total_bytes), formatting.count(self._saved.conversations)
        self._kv_saved.setText(self.tr("{size}; conversations: {count}").format(size=size, count=count))

    def _connect(self) -> None:
        self._saved.changed.connect(self._show_saved)
        self._settings.changed.connect(self._follow)
        self._language.currentIndexChanged.connect(self._apply)
        self._theme.currentIndexChanged.connect(self._apply)
        self._on_full.currentIndexChanged.connect(self._apply)
        self._rpc_servers.changed.connect(self._apply)
        self._system_prompt.textChanged.connect(self._apply)
        for box in (self._zoom, self._summarise_at, self._reserve, self._kv_memory, self._kv_disk):
            box.valueChanged.connect(self._apply)
        for answer_box in (self._top_k, self._max_tokens, self._seed):
            answer_box.valueChanged.connect(self._apply_answers)
        for decimal_box in (self._temperature, self._top_p, self._min_p, self._repeat_penalty):
            decimal_box.valueChanged.connect(self._apply_answers)
        self._for_this_model.toggled.connect(self._on_scope_changed)
        self._models.changed.connect(self._show_model)

    @Slot()
    def _apply(self) -> None:
        self._settings.set(
            replace(
                self._settings.value,
                language=self._language.currentData(),
                theme=self._theme.currentData(),
                zoom=self._zoom.value() / 100,
                system_prompt=self._system_prompt.toPlainText(),
                summarise_at=self._summarise_at.value(),
                on_full=self._on_full.currentData(),
                reserve_mib=self._reserve.value(),
                kv_memory_mib=self._kv_memory.value(),
                kv_disk_mib=self._kv_disk.value(),
                rpc_servers=self._rpc_servers.value(),
            )
        )

    @Slot()
    def _apply_answers(self) -> None:
        """Keep what is shown of how a model answers, where the box says it belongs."""
        sampling = replace(
            self._models.answer_settings.sampling,
            temperature=self._temperature.value(),
            top_k=self._top_k.value(),
            top_p=self._top_p.value(),
            min_p=self._min_p.value(),
            repeat_penalty=self._repeat_penalty.value(),
            seed=None if self._seed.value() < 0 else self._seed.value(),
        )
        self._set_answers(AnswerSettings(self._max_tokens.value() or None, sampling))

    def _set_answers(self, answer: AnswerSettings) -> None:
        value, path = self._settings.value, self._model_path
        if self._for_this_model.isChecked() and path is not None:
            self._settings.set(value.with_answer_settings(path, answer))
        else:
            self._settings.set(replace(value, sampling=answer.sampling, max_tokens=answer.max_tokens))

    @Slot(bool)
    def _on_scope_changed(self, is_own: bool) -> None:
        """The model begins with settings of its own as they are for all, or goes back to those."""
        path = self._model_path
        if path is not None:
            own = self._models.answer_settings if is_own else None
            self._settings.set(self._settings.value.with_answer_settings(path, own))
        self._show_answers(self._models.answer_settings)

    @Slot()
    def _restore_sampling(self) -> None:
        self._set_answers(AnswerSettings(None, SamplingSettings()))
        self._show_answers(self._models.answer_settings)


def _decimal_box(low: float, high: float, step: float) -> QDoubleSpinBox:
    return double_spin_box(minimum=low, maximum=high, singleStep=step, decimals=2)
