"""Records what llama.cpp allocates for the models of headers.tar.xz, which have metadata and no tensors.

`python -m tests.models.measure_headers` writes header_truth.jsonl. llama.cpp makes the tensors such metadata asks for
(`llama_model_init_from_user`). Each model has a process of its own, because a model that asks for the impossible
ends it; its contexts up to then are kept.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SETTINGS = (
    {"n_ctx": 4096, "type_k": "f16", "type_v": "f16", "fa": -1, "n_seq_max": 1, "unified": False, "swa_full": False},
    {"n_ctx": 3000, "type_k": "q8_0", "type_v": "q8_0", "fa": 1, "n_seq_max": 3, "unified": True, "swa_full": False},
    {"n_ctx": 2048, "type_k": "f16", "type_v": "f16", "fa": 0, "n_seq_max": 2, "unified": False, "swa_full": True},
)
LOAD = """
import ctypes, json, sys
from app.engine.llama.context import GGML_TYPE_IDS
from app.engine.llama.library import initialise, lib
from pathlib import Path
import llama_cpp

path, settings = sys.argv[1], json.loads(sys.argv[2])
initialise()

def show(_level, text, _data):
    sys.stdout.write(text.decode("utf-8", "replace"))
    sys.stdout.flush()

callback = lib.llama_log_callback(show)
lib.llama_log_set(callback, ctypes.c_void_p(None))
ggml = ctypes.CDLL(str(next((Path(llama_cpp.__file__).parent / "lib").glob("*ggml-base.*"))))

class Parameters(ctypes.Structure):
    _fields_ = [("no_alloc", ctypes.c_bool), ("context", ctypes.c_void_p)]

ggml.gguf_init_from_file.restype = ctypes.c_void_p
ggml.gguf_init_from_file.argtypes = [ctypes.c_char_p, Parameters]
Fill = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
fill = Fill(lambda _tensor, _data: None)
create = lib._lib.llama_model_init_from_user
model_parameters = lib.llama_model_default_params()
model_parameters.n_gpu_layers = 0
create.restype = ctypes.c_void_p
create.argtypes = [ctypes.c_void_p, Fill, ctypes.c_void_p, type(model_parameters)]
model = create(ggml.gguf_init_from_file(path.encode(), Parameters(True, None)), fill, None, model_parameters)
if not model:
    sys.exit("not loaded")
for number, each in enumerate(settings):
    parameters = lib.llama_context_default_params()
    parameters.n_ctx = each["n_ctx"]
    parameters.n_outputs_max = each["n_seq_max"]
    parameters.n_seq_max = each["n_seq_max"]
    parameters.kv_unified = each["unified"]
    parameters.swa_full = each["swa_full"]
    parameters.flash_attn_type = each["fa"]
    parameters.type_k = GGML_TYPE_IDS[each["type_k"]]
    parameters.type_v = GGML_TYPE_IDS[each["type_v"]]
    print(f"\\nCONTEXT {number}", flush=True)
    context = lib.llama_init_from_model(model, parameters)
    print("\\nMADE" if context else "\\nREFUSED", flush=True)
    if context:
        lib.llama_free(context)
"""
CACHE = re.compile(r"llama_kv_cache: size\s*=\s*([\d.]+) MiB \(\s*(\d+) cells,\s*(\d+) layers")
STATE = re.compile(r"(?:RS|DSV4 \w+ state) buffer size\s*=\s*([\d.]+) MiB")


def measure(path: Path) -> list[dict[str, Any]]:
    """Return one row per context whose memory was made, even when the model's graph could not be built after it."""
    done = subprocess.run(
        [sys.executable, "-c", LOAD, str(path), json.dumps(SETTINGS)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT), "GGML_NO_BACKTRACE": "1"},
        check=False,
    )
    rows = []
    for part in done.stdout.decode("utf-8", "replace").split("\nCONTEXT ")[1:]:
        number, log = int(part[0]), part[1:]
        if "\nREFUSED" in log:
            rows.append({"file": path.name, **SETTINGS[number], "refused": True})
            continue
        caches = [[int(cells), int(layers), float(mib)] for mib, cells, layers in CACHE.findall(log)]
        states = [float(mib) for mib in STATE.findall(log)]
        if caches or states or "\nMADE" in log:
            rows.append({"file": path.name, **SETTINGS[number], "kv": caches, "rs": states})
    return rows


def main() -> None:
    """Measure every header and write the truth."""
    with tempfile.TemporaryDirectory() as name:
        with tarfile.open(HERE / "headers.tar.xz") as archive:
            archive.extractall(name)
        with ThreadPoolExecutor(4) as pool:
            rows = [row for found in pool.map(measure, sorted(Path(name).glob("*.gguf"))) for row in found]
    with (HERE / "header_truth.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


if __name__ == "__main__":
    main()
