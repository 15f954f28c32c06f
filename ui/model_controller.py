"""Loading and unloading: which model, how, and what to do after it killed the engine."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from app.engine.config import ModelConfig
from app.engine.events import ContextGrown, LoadedModel, LoadEvent, LoadFailed, LoadProgressed, ModelLoaded
from app.engine.states import StateBudget
from app.paths import paths
from ui.idle_gpu import idle_gpu
from ui.translation import localised

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from app.engine.events import Device
    from app.settings import AnswerSettings, LoadSettings, SamplingSettings
    from app.telemetry.series import ConversationSeries
    from ui.engine_worker import EngineWorker
    from ui.running_answer import RunningAnswer
    from ui.settings_keeper import SettingsKeeper

SAFE_N_CTX = 2048
MIB = 1024 * 1024


class ModelController(QObject):
    """Knows the loaded model and the load under way.

    Attributes:
        is_lent: the engine is used for other models now.

    Signals:
        changed: `model` is another one, has a context of another size, or is none.
        load_starting: the `ModelConfig` that is going to be loaded; who uses its RPC servers must let them go.
        progressed: `loading_fraction` changed.
        failed: a `Text` of one sentence; a load that was cancelled is none.
        noticed: one sentence the user should see once.
    """

    changed = Signal()
    load_starting = Signal(object)
    progressed = Signal()
    failed = Signal(object)
    noticed = Signal(str)

    def __init__(
        self,
        engine: EngineWorker,
        settings: SettingsKeeper,
        overrides: Mapping[str, Any],
        parent: QObject | None = None,
    ) -> None:
        """`overrides` are fields of `ModelConfig` from the command line; they hold for this window only."""
        super().__init__(parent)
        self.model: LoadedModel | None = None
        self.loading_fraction: float | None = None
        self.loading_path: Path | None = None
        self.machine_bytes: int | None = None
        self.devices: tuple[Device, ...] = ()
        self.is_lent = False
        self._ended_path: Path | None = None
        self._was_loaded = False
        self._awaits_devices = False
        self._engine = engine
        self._settings = settings
        self._overrides = dict(overrides)
        self._config: ModelConfig | None = None
        self._held: tuple[LoadedModel, ModelConfig] | None = None
        self._first_n_ctx = 0
        self._died: list[ModelConfig] = []

    @property
    def config(self) -> ModelConfig | None:
        """How the present model was asked for."""
        return self._config

    @property
    def has_grown(self) -> bool:
        """Whether the context is larger than it was when the model was loaded."""
        return self.model is not None and self.model.n_ctx > self._first_n_ctx

    @property
    def holds_servers(self) -> bool:
        """Whether the engine uses RPC servers; llama.cpp's server talks to one process at a time."""
        has_model = self.model is not None or self.loading_path is not None
        return has_model and self._config is not None and bool(self._config.rpc_servers)

    @property
    def ended_path(self) -> Path | None:
        """File of the model with which the engine ended, while there is none in its place."""
        has_other = self.model is not None or self.loading_path is not None or self.is_lent
        return None if has_other else self._ended_path

    def ask_devices(self, done: Callable[[tuple[Device, ...] | None], None]) -> None:
        """Ask the engine, when it is idle, for the devices and their memory now."""
        self._engine.ask(lambda engine: engine.devices(), done)

    def load(self, path: Path) -> None:
        """Load a file with the settings kept for it."""
        self._load(self.config_for(path, self._settings.value.load_settings(path)))

    def config_for(self, path: Path, load: LoadSettings) -> ModelConfig:
        """Return how a file would be loaded with these settings in this window."""
        settings = self._settings.value
        of_all = {"rpc_servers": settings.rpc_servers, "reserve_bytes": settings.reserve_mib * MIB}
        return ModelConfig(path, **{**asdict(load), **of_all, **self._overrides})

    def state_budget(self) -> StateBudget:
        """Return how much is kept of KV caches that others take the place of."""
        settings = self._settings.value
        return StateBudget(paths().states, settings.kv_memory_mib * MIB, settings.kv_disk_mib * MIB)

    @property
    def answer_settings(self) -> AnswerSettings:
        """How the present model is to answer."""
        return self._settings.value.answer_settings(self._config.path if self._config is not None else "")

    def are_fixed(self, fields: Iterable[str]) -> bool:
        """Whether the command line says one of these fields of `ModelConfig`, so that settings do not count."""
        return any(field in self._overrides for field in fields)

    def reload(self) -> None:
        """Load the last model again; with safer settings when it died with these more than once."""
        if self._config is None:
            return
        config = self._config
        while self._died.count(config) > 1 and safer_config(config) != config:
            config = safer_config(config)
            self.noticed.emit(self.tr("The engine died twice with these settings; safer ones are used this time."))
        self._load(config)

    def reload_with_settings(self) -> None:
        """Load the present model again: its settings were changed."""
        if self._config is not None:
            self.load(self._config.path)

    def unload(self) -> None:
        """Free the model."""
        self.is_lent = False
        self._engine.unload()
        self._set_model(None)

    def lend_engine(self) -> None:
        """Something else is going to load models of its own into the engine."""
        self.is_lent, self._was_loaded = True, self.model is not None
        self._set_model(None)

    def take_back_engine(self) -> None:
        """The engine is free again: load the model that was there, or none; one asked for meanwhile is loading."""
        if not self.is_lent:
            return
        self.is_lent = False
        if self._was_loaded and self._config is not None:
            self._load(self._config)
        else:
            self.unload()

    def cancel_load(self) -> None:
        """End a load under way."""
        if self.loading_fraction is not None:
            self._engine.cancel()

    @Slot(object)
    def on_answer_ended(self, running: RunningAnswer) -> None:
        """Learn from an answer whether the model is safe."""
        stats = running.recorder.stats
        if len(self.devices) > 1:
            self.sample_devices()
        if stats.finish_reason == "crashed":
            self.on_crashed()
        elif stats.completion_tokens and stats.finish_reason != "failed" and self._config is not None:
            self._settings.set(self._settings.value.with_model_loaded(self._config.path))

    def on_crashed(self) -> None:
        """The engine died with the model, which ended all that was asked of it: one death however often it is told."""
        if self.model is not None and self._config is not None:
            self._ended_path = self._config.path
            self._note_death()

    def _note_death(self) -> None:
        """The model is not loaded by itself until it has answered well."""
        assert self._config is not None
        self._died.append(self._config)
        self._settings.set(self._settings.value.with_unsafe_model(self._config.path))
        self._set_model(None)

    @Slot(object)
    def on_context_changed(self, context: ContextGrown | LoadedModel | None) -> None:
        """The context has grown, or is small again after a conversation was forgotten; None: there is no model."""
        if self.model is None or context is None or context.n_ctx == self.model.n_ctx:
            return
        if isinstance(context, LoadedModel) and context.info is not self.model.info:
            return  # another one was loaded meanwhile
        self._set_model(self.model.with_context(context))

    def describe_to(self, series: ConversationSeries) -> None:
        """Tell a conversation's charts about the model and the machine."""
        series.set_model(self.model)
        series.machine_total_bytes = self.machine_bytes
        if self.model is not None and series.process_bytes is None:
            series.process_bytes, series.saved_bytes = self.model.process_bytes, self.model.saved_bytes

    def sample_devices(self) -> None:
        """Learn from the engine, when it is idle, how much memory the devices have now."""
        self.ask_devices(self._on_devices)

    def settings_json(self, sampling: SamplingSettings | None = None) -> str:
        """Load and sampling settings, to be kept with a turn; `sampling` where it is not that of the settings."""
        config = asdict(self._config) if self._config is not None else {}
        used = sampling or self.answer_settings.sampling
        return json.dumps({"load": config, "sampling": asdict(used)}, default=str)

    def _load(self, config: ModelConfig) -> None:
        self.is_lent = False
        if config.path != self._ended_path:
            self._ended_path = None
        self._config = config
        self.loading_path = config.path
        self.loading_fraction = 0.0
        self._set_model(None)
        self.load_starting.emit(config)
        self._engine.load(config, partial(self._on_load_event, config))
        self.progressed.emit()

    def _on_load_event(self, config: ModelConfig, event: LoadEvent) -> None:
        match event:
            case LoadProgressed():
                self.loading_fraction = event.fraction
                self.progressed.emit()
            case ModelLoaded():
                self._end_loading()
                self._ended_path = None
                self._awaits_devices = True
                self.sample_devices()
                self._remember()
                self._held, self._first_n_ctx = (event.model, config), event.model.n_ctx
                self._set_model(event.model)
                for note in event.model.notes:
                    self.noticed.emit(localised(note))
            case LoadFailed():
                self._end_loading()
                if event.kind == "crashed":
                    self._note_death()
                elif event.keeps_model and self._held is not None:
                    model, self._config = self._held
                    self._set_model(model)
                else:
                    self.changed.emit()
                if event.kind != "cancelled":
                    self.failed.emit(event.reason)

    def _remember(self) -> None:
        """Put the model first among the recent ones; one that died stays unsafe until it has answered."""
        assert self._config is not None
        path, settings = str(self._config.path), self._settings.value
        unsafe = settings.unsafe_models
        self._settings.set(replace(settings.with_model_loaded(path), unsafe_models=unsafe))

    def _end_loading(self) -> None:
        self.loading_fraction = None
        self.loading_path = None

    @Slot(object)
    def _on_devices(self, devices: tuple[Device, ...] | None) -> None:
        self.devices = devices or ()
        is_new_load, self._awaits_devices = self._awaits_devices, False
        self.machine_bytes = next((device.total_bytes for device in self.devices if device.kind == "cpu"), None)
        self.changed.emit()
        if is_new_load and self.model is not None and self._config is not None:
            self._say_why_gpu_idles(self.model, self._config)

    def _say_why_gpu_idles(self, model: LoadedModel, config: ModelConfig) -> None:
        from app.telemetry.memory import why_gpu_idles  # not above: it is slow, and comes in a thread

        if sentence := idle_gpu(why_gpu_idles(config, model, self.devices)):
            self.noticed.emit(sentence)

    def _set_model(self, model: LoadedModel | None) -> None:
        self.model = model
        if model is not None and self._held is not None:
            self._held = model, self._held[1]  # its context may be of another size now
        self.changed.emit()


def safer_config(config: ModelConfig) -> ModelConfig:
    """Return settings that ask less of the machine than these, which the engine did not survive."""
    if config.use_extra_bufts is not False:
        return replace(config, use_extra_bufts=False)
    return replace(
        config, n_gpu_layers=0, n_ctx=min(config.n_ctx or SAFE_N_CTX, SAFE_N_CTX), type_k="f16", type_v="f16"
    )
