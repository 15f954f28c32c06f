"""The engine on llama.cpp's low-level API; the only room that imports llama_cpp."""

import os

# GNU OpenMP's threads spin 300,000 times before they sleep. Where other programs run too they spin against their own
# partners: with both cores of two busy a token took 114 ms, and 49 ms with 10,000 spins. Fewer spins send them to sleep
# while a token is sampled, which costs 3 % on an idle machine (tests/benchmarks/bench_spinning.py, bench_engine.py).
# Read when libgomp is loaded.
os.environ.setdefault("GOMP_SPINCOUNT", "10000")
