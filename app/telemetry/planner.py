"""Plans of memory: the formula, dry runs and the fit, put together per device."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from app.engine.dry_run_cache import file_identity
from app.engine.memory.choose import choose
from app.engine.memory.demand import Demands
from app.engine.memory.placement import gpu_devices
from app.engine.model_file import read_model
from app.errors import BadInputError, EngineError, Sentence, UnknownArchitectureError
from app.telemetry.plan import DevicePlan, Plan

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from app.engine.config import ModelConfig
    from app.engine.dry_run import DryRuns
    from app.engine.events import Device
    from app.engine.gguf import Header
    from app.engine.memory.demand import Demand
    from app.engine.memory.fit import Fit

_MOST_MODELS = 16


class Planner:
    """Answers what a config will take. Driven by one thread, which owns the dry runs handed in.

    Devices are asked for when an RPC server is new, and again by every `devices`; file headers are read once.

    Args:
        read: reads the header of one file, or remembers it; None: it is read.
    """

    def __init__(self, dry_runs: DryRuns, read: Callable[[Path], Header] | None = None) -> None:
        self._dry_runs = dry_runs
        self._read = read
        self._devices: dict[tuple[str, ...], tuple[Device, ...]] = {}
        self._models: dict[object, Demands] = {}

    def devices(self, rpc_servers: tuple[str, ...] = ()) -> tuple[Device, ...]:
        """Return the devices with their memory now; plans from now on count with it.

        Raises:
            EngineError: an RPC server does not answer, or the measuring process died.
        """
        self._devices[rpc_servers] = devices = self._dry_runs.devices(rpc_servers)
        return devices

    def take_devices(self, rpc_servers: tuple[str, ...], devices: tuple[Device, ...]) -> None:
        """Count with these devices from now on: they were asked for elsewhere, or memory will be freed on them."""
        self._devices[rpc_servers] = devices

    def plan(
        self, config: ModelConfig, *, accuracy: Literal["estimate", "dry run"] = "dry run", header: Header | None = None
    ) -> Plan:
        """Return what llama.cpp will allocate.

        Args:
            accuracy: "estimate" needs no process and takes milliseconds; compute and output buffers are then drawn
                through what earlier dry runs of this file found, or an upper bound.
            header: of a model that is not here yet, for an estimate of it; the config's path is then only a name.

        Raises:
            BadInputError: the file or a setting cannot be used.
            EngineError: an RPC server does not answer, or an unknown architecture cannot be measured.
            UnknownArchitectureError: there is only a header, and its memory cannot be calculated.
        """
        if header is not None:
            return self._estimate_of(header, config)
        demands, config = self._demands(config)
        note = ""
        if accuracy == "dry run" or not demands.is_known:
            try:
                return self._plan(config, demands, choose(config, demands, measured=True), measured=True)
            except BadInputError:
                raise
            except EngineError as error:
                if not demands.is_known:
                    raise
                note = str(error)
        return replace(self._plan(config, demands, choose(config, demands, measured=False), measured=False), note=note)

    def largest_n_ctx(self, config: ModelConfig) -> int | None:
        """Return the largest context that fits with this config's other settings; None when none does.

        Raises as `plan` does.
        """
        return self.plan(config).max_n_ctx_that_fits

    def cancel(self) -> None:
        """End a dry run under way, which raises then. Callable from any thread."""
        self._dry_runs.cancel()

    def close(self) -> None:
        """End the measuring process. A later question starts another."""
        self._dry_runs.close()

    def _estimate_of(self, header: Header, config: ModelConfig) -> Plan:
        demands = Demands(config.path, header, self._known_devices(config), self._dry_runs)
        if not demands.is_known:
            raise UnknownArchitectureError(
                Sentence(
                    "What a model of the architecture {architecture} takes can be said only once it is downloaded.",
                    architecture=header.architecture or "unnamed",
                )
            )
        return self._plan(config, demands, choose(config, demands, measured=False), measured=False)

    def _known_devices(self, config: ModelConfig) -> tuple[Device, ...]:
        devices = self._devices.get(config.rpc_servers)
        return self.devices(config.rpc_servers) if devices is None else devices

    def _demands(self, config: ModelConfig) -> tuple[Demands, ModelConfig]:
        devices = self._known_devices(config)
        identity = file_identity(config.path)
        demands = self._models.get(identity)
        if demands is None or demands.devices != devices:
            path, header = (demands.path, demands.header) if demands else read_model(config.path, self._read)
            demands = Demands(path, header, devices, self._dry_runs)
            if len(self._models) >= _MOST_MODELS:
                del self._models[next(iter(self._models))]
            self._models[identity] = demands
        return demands, replace(config, path=demands.path)

    def _plan(self, asked: ModelConfig, demands: Demands, fit: Fit, *, measured: bool) -> Plan:
        config = fit.config
        demand = demands.measure(config) if measured else demands.estimate(config)
        layout = demands.layout()
        facts = demands.facts(config)
        gpus = gpu_devices(config, demands.devices)
        return Plan(
            architecture=demands.header.architecture,
            n_params=facts.n_params,
            n_layer=layout.n_layer,
            n_ctx=demand.n_ctx or config.n_ctx or 0,
            n_ctx_train=layout.n_ctx_train,
            n_gpu_layers=min(int(config.n_gpu_layers), layout.layers_total) if gpus else 0,
            layers_total=layout.layers_total,
            flash_attention=demand.flash_attention,
            kv_class=facts.kv_class,
            kv_bytes_per_token=facts.kv_bytes_per_token,
            devices=_by_device(demand, config, demands.devices),
            max_n_ctx_that_fits=fit.n_ctx_max,
            choice=fit.choice,
            refused=demand.refused,
            source=demand.source,
            n_cpu_moe=config.n_cpu_moe,
            host_bytes=demand.host_bytes,
        )


def _by_device(demand: Demand, config: ModelConfig, devices: tuple[Device, ...]) -> tuple[DevicePlan, ...]:
    usable = {device.name for device in gpu_devices(config, devices)}
    return tuple(
        DevicePlan(
            device,
            *(demand.used_bytes(device.name, kind) for kind in ("weights", "kv", "recurrent", "compute", "output")),
        )
        for device in devices
        if device.kind == "cpu" or device.name in usable or demand.used_bytes(device.name)
    )
