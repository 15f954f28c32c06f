"""The yardstick: llama.cpp driven by nothing but `llama_decode`, without sampling, in a process of its own.

    python -m tests.benchmarks.bare_loop MODEL N_CTX N_THREADS REPACK

Reads lines `PROMPT_TOKENS NEW_TOKENS` and answers with the seconds of prefill and of the decode of NEW_TOKENS.
"""

from __future__ import annotations

import random
import sys
import time

from llama_cpp import llama_cpp as lib


def main() -> None:
    path, n_ctx, n_threads, repack = sys.argv[1], *(int(text) for text in sys.argv[2:])
    quiet = lib.llama_log_callback(lambda _level, _text, _data: None)
    lib.llama_log_set(quiet, None)
    lib.llama_backend_init()
    model_parameters = lib.llama_model_default_params()
    model_parameters.use_extra_bufts = bool(repack)
    model_parameters.n_gpu_layers = 0
    model = lib.llama_model_load_from_file(path.encode(), model_parameters)
    parameters = lib.llama_context_default_params()
    parameters.n_ctx, parameters.n_outputs_max, parameters.swa_full = n_ctx, 1, False
    parameters.n_threads = parameters.n_threads_batch = n_threads
    context = lib.llama_init_from_model(model, parameters)
    memory = lib.llama_get_memory(context)
    vocabulary = lib.llama_vocab_n_tokens(lib.llama_model_get_vocab(model))
    chance = random.Random(1)

    def decode(count: int) -> None:
        tokens = (lib.llama_token * count)(*(chance.randrange(vocabulary) for _ in range(count)))
        if lib.llama_decode(context, lib.llama_batch_get_one(tokens, count)):
            sys.exit("llama_decode failed")
        lib.llama_synchronize(context)

    decode(8)
    print("ready", flush=True)
    for line in sys.stdin:
        prompt, new = (int(text) for text in line.split())
        lib.llama_memory_clear(memory, False)
        started = time.perf_counter()
        for first in range(0, prompt, parameters.n_ubatch):
            decode(min(parameters.n_ubatch, prompt - first))
        read = time.perf_counter()
        for _ in range(new):
            decode(1)
        print(read - started, time.perf_counter() - read, flush=True)


if __name__ == "__main__":
    main()
