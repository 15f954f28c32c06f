"""The formula: what llama.cpp will allocate for a model file and settings, from the file's header alone.

Weights, KV cache and recurrent state per device and layer, exact to the byte on the CPU; compute and output buffers
depend on llama.cpp's graph and come from a dry run instead. One module per question:

    metadata      values of the header, bounded             architectures  which rule an architecture follows
    shape         hyperparameters, per layer                block_types    bytes of a row of a KV cache
    settings      padding, batch sizes, what is refused     cache          one KV cache, one recurrent state
    attention     full attention, windows, shared layers    indexed        MLA, DSA and MSA with their indexers
    deepseek4     its compressed caches                     recurrent      recurrent and hybrid models
    placement     layers -> devices                         weights        tensors -> devices
    formula       all of it -> Prediction                   prediction     the result

The rules are llama.cpp's at the version of llama-cpp-python 0.3.36; each module cites file and function.
"""

from app.engine.memory.formula import predict_memory
from app.engine.memory.prediction import LayerMemory, Prediction

__all__ = ["LayerMemory", "Prediction", "predict_memory"]
