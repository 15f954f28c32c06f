"""The engine on llama.cpp's low-level API; the only room that imports llama_cpp."""

import os

# GNU OpenMP's threads spin for about a millisecond before they sleep. On a machine that does something else too they
# spin against their own partners: with other programs on both cores a token then took 114 ms instead of 47 ms; alone,
# no difference could be measured (10.4 and 10.3 ms; tests/benchmarks/bench_spinning.py). Read when libgomp is loaded.
os.environ.setdefault("GOMP_SPINCOUNT", "1000")
