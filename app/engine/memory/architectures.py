"""Which rule each architecture follows: `llama_model::create_memory` (llama-model.cpp) and each model's
`load_arch_hparams` (src/models/*.cpp), as tables."""

from __future__ import annotations

from dataclasses import dataclass

RECURRENT = frozenset({"mamba", "mamba2", "rwkv6", "rwkv6qwen2", "rwkv7", "arwkv7"})
"""llm_arch_is_recurrent, llama-arch.cpp."""

RECURRENT_WITHOUT_KV_HEADS = frozenset(
    {"jamba", "plamo2", "granitehybrid", "lfm2", "lfm2moe", "kimi-linear", "kimi-k3", "bailingmoe3", "glm5-next"}
)
"""Hybrids whose recurrent layers are those with head_count_kv 0."""

RECURRENT_INTERVAL = {"qwen3next": 4, "qwen35": 4, "qwen35moe": 4, "qwen4exp": 4, "minimax-01": 8}
"""Hybrids with attention in every n-th layer, unless `attention.recurrent_layers` says otherwise."""

NEMOTRON_H = frozenset({"nemotron_h", "nemotron_h_moe"})
"""Hybrids with three kinds of layers: attention, recurrent, and feed-forward only."""

HYBRID = RECURRENT_WITHOUT_KV_HEADS | RECURRENT_INTERVAL.keys() | NEMOTRON_H | {"falcon-h1"}
"""llm_arch_is_hybrid, without deepseek4, which has a memory of its own."""

RWKV = frozenset({"rwkv6", "rwkv6qwen2", "rwkv7", "arwkv7"})
SHORT_CONVOLUTION = frozenset({"lfm2", "lfm2moe"})
KIMI_DELTA_ATTENTION = frozenset({"kimi-linear", "kimi-k3", "bailingmoe3", "glm5-next"})
WITHOUT_SSM_GROUPS = frozenset({"mamba", "jamba"})

MLA = frozenset(
    {
        "deepseek2", "mistral4", "deepseek32", "glm-dsa", "hy_v4", "dots3note", "kimi-linear", "kimi-k3",
        "bailingmoe3", "glm5-next",
    }
)  # fmt: skip
"""Those that read `attention.key_length_mla`: with it the cache holds the compressed latent."""

VALUE_IS_LATENT = frozenset({"kimi-k3", "glm5-next"})
"""Their value length is `attention.kv_lora_rank`, whatever the file says."""

INDEXED = frozenset({"deepseek32", "glm-dsa", "hy_v4", "dots3note", "minimax-m3", "glm5-next", "qwen4exp", "deepseek4"})
"""Those with an indexer: sparse attention chooses cells by small keys of their own."""

ENCODERS = frozenset(
    {
        "bert", "jina-bert-v2", "jina-bert-v3", "nomic-bert", "nomic-bert-moe", "neo-bert", "eurobert", "modern-bert",
        "gemma-embedding",
    }
)  # fmt: skip
"""They make vectors of texts."""

WITHOUT_MEMORY = ENCODERS | {"wavtokenizer-dec", "dream", "llada", "llada-moe", "rnd1"}
"""Encoders and diffusion models: every call computes the whole text."""

DRAFT = frozenset({"gemma4-assistant", "eagle3", "dflash"})
"""Heads that guess tokens for another model and read that model's context."""

FULL_ATTENTION = frozenset(
    {
        "llama", "deci", "falcon", "grok", "gpt2", "gptneox", "mpt", "baichuan", "starcoder", "refact", "bloom",
        "stablelm", "qwen", "qwen2", "qwen2moe", "qwen2vl", "qwen3", "qwen3moe", "qwen3vl", "qwen3vlmoe", "phi2",
        "phi3", "phimoe", "plamo", "codeshell", "orion", "internlm2", "minicpm", "minicpm3", "gemma", "starcoder2",
        "xverse", "command-r", "dbrx", "olmo", "olmoe", "openelm", "arctic", "deepseek", "deepseek2-ocr", "chatglm",
        "glm4", "glm4moe", "bitnet", "t5", "t5encoder", "jais", "jais2", "nemotron", "exaone", "granite",
        "granitemoe", "graniteswitch", "chameleon", "plm", "bailingmoe", "bailingmoe2", "dots1", "arcee", "ernie4_5",
        "ernie4_5-moe", "hunyuan-moe", "hunyuan-dense", "hunyuan_vl", "hy_v3", "smollm3", "seed_oss", "grovemoe",
        "apertus", "hrm_text", "minimax-m2", "cogvlm", "pangu-embedded", "mistral3", "paddleocr", "llama-embed",
        "maincoder", "talkie", "nanbeige", "qwen3tts", "pockettts",
    }
)  # fmt: skip
"""The default of create_memory: K and V of every layer for every token."""


@dataclass(frozen=True, slots=True)
class WindowRule:
    """How an architecture reads its sliding window.

    Attributes:
        pattern: one layer in so many keeps the whole context, unless `attention.sliding_window_pattern` says
            otherwise; None: that key must be an array with a value per layer.
        dense_first: the first of each group keeps the whole context, not the last (llama_hparams::set_swa_pattern).
        default: window when the key is missing; None: it must be there, or there is no window (`optional`).
        optional: without the key, or with 0, every layer keeps the whole context.
        always: this window, whatever the key says.
    """

    pattern: int | None = None
    dense_first: bool = False
    default: int | None = None
    optional: bool = False
    always: int | None = None


WINDOWS = {
    "afmoe": WindowRule(4, optional=True),
    "cohere2": WindowRule(4),
    "cohere2moe": WindowRule(4, dense_first=True),
    "dots3note": WindowRule(),
    "exaone-moe": WindowRule(4),
    "exaone4": WindowRule(4, default=4096),
    "gemma2": WindowRule(2, default=4096),
    "gemma3": WindowRule(6, optional=True),
    "gemma3n": WindowRule(5),
    "gemma4": WindowRule(),
    "gpt-oss": WindowRule(2),
    "granite_swa": WindowRule(),
    "laguna": WindowRule(4, dense_first=True, optional=True),
    "llama4": WindowRule(4, default=8192, optional=True, always=8192),
    "maple": WindowRule(),
    "mellum": WindowRule(4, optional=True),
    "mimo2": WindowRule(),
    "muse-glimmer": WindowRule(4),
    "olmo2": WindowRule(4, optional=True),
    "plamo3": WindowRule(8, optional=True),
    "smallthinker": WindowRule(4, dense_first=True, optional=True, always=4096),
    "spark2_5": WindowRule(),
    "step35": WindowRule(),
}
"""Those with some layers that keep a window only. lfm2 (all attention layers) and deepseek4 (all) are apart."""

EXAONE4_WINDOWED_LAYERS = 64
"""Only EXAONE 4's 32B, told by its number of layers, has windows."""

KNOWN = FULL_ATTENTION | WINDOWS.keys() | MLA | INDEXED | RECURRENT | HYBRID | WITHOUT_MEMORY | DRAFT
