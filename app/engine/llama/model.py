"""Loading a GGUF with progress and cancel, and reading what it is."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from app.engine.events import ModelInfo
from app.engine.llama.library import lib
from app.engine.llama.placement import place
from app.engine.model_file import model_name, split_parts
from app.errors import EngineError, ModelFileError, Sentence, TokometerError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from app.engine.config import ModelConfig

_SENTENCES = (
    (
        "unknown model architecture",
        Sentence("{file} has an architecture this llama.cpp does not know: update llama-cpp-python."),
    ),
    ("is not within the file bounds", Sentence("{file} is damaged or cut off: download it again.")),
    ("failed to read", Sentence("{file} is damaged or cut off: download it again.")),
    (
        "unable to allocate",
        Sentence("{file} does not fit into memory: close other programs, or choose a smaller model."),
    ),
    (
        "failed to allocate",
        Sentence("{file} does not fit into memory: close other programs, or choose a smaller model."),
    ),
    (
        "missing tensor",
        Sentence("{file} lacks a tensor its architecture needs: download it again, or choose another conversion."),
    ),
    (
        "key not found",
        Sentence("{file} lacks metadata its architecture needs: choose another conversion of this model."),
    ),
    (
        "invalid split file",
        Sentence("{file} belongs to a split model whose parts do not match: download all parts again."),
    ),
)


class LoadCancelledError(TokometerError):
    """The user stopped the load."""


class LlamaModel:
    """One loaded model; `free` gives its memory back.

    Raises BadInputError for a device that is not there, ModelFileError or EngineError when it cannot be loaded.
    """

    def __init__(
        self,
        config: ModelConfig,
        *,
        use_extra_bufts: bool,
        on_progress: Callable[[float], bool],
        errors: Callable[[], Sequence[str]],
        no_alloc: bool = False,
    ) -> None:
        path = config.path
        parameters = lib.llama_model_default_params()
        self._kept_alive = place(parameters, config)
        parameters.use_extra_bufts = use_extra_bufts
        if no_alloc:
            # llama-model.cpp asserts that nothing is mapped when nothing is allocated.
            parameters.no_alloc = True
            parameters.load_mode = lib.LLAMA_LOAD_MODE_NONE
        cancelled = False

        def report(fraction: float, _data: ctypes.c_void_p) -> bool:
            nonlocal cancelled
            cancelled = not on_progress(fraction)
            return not cancelled

        callback = lib.llama_progress_callback(report)
        parameters.progress_callback = callback
        errors()
        handle = lib.llama_model_load_from_file(str(path).encode(), parameters)
        if not handle:
            if cancelled:
                raise LoadCancelledError(Sentence("Loading {file} was cancelled.", file=path.name))
            raise load_error(path, errors())
        self.handle = handle
        self.path = path
        self.vocab = lib.llama_model_get_vocab(handle)

    def free(self) -> None:
        """Free the weights; contexts on it must be freed before."""
        if self.handle:
            lib.llama_model_free(self.handle)
            self.handle = None

    def metadata(self, key: str) -> str | None:
        """Return one value of the GGUF's metadata as text, None when it is not there (or is an array)."""
        size = lib.llama_model_meta_val_str(self.handle, key.encode(), None, 0)
        if size < 0:
            return None
        buffer = ctypes.create_string_buffer(size + 1)
        lib.llama_model_meta_val_str(self.handle, key.encode(), buffer, size + 1)
        return buffer.value.decode("utf-8", "replace")

    def check_can_chat(self) -> None:
        """Raise ModelFileError for a model that does not write text."""
        architecture = self.metadata("general.architecture") or ""
        if (
            lib.llama_model_has_encoder(self.handle)
            or not lib.llama_model_has_decoder(self.handle)
            or lib.llama_model_is_diffusion(self.handle)
        ):
            raise ModelFileError(
                Sentence(
                    "{file} ({architecture}) is not a chat model but made for another task: choose a model that "
                    "writes text.",
                    file=self.path.name,
                    architecture=architecture,
                )
            )
        if lib.llama_vocab_type(self.vocab) == lib.LLAMA_VOCAB_TYPE_NONE:
            raise ModelFileError(
                Sentence("{file} contains no vocabulary, so it cannot chat: choose another file.", file=self.path.name)
            )

    def info(self) -> ModelInfo:
        """Return what the model is."""
        handle = self.handle
        architecture = self.metadata("general.architecture") or "unknown"
        n_head = lib.llama_model_n_head(handle) or None
        n_head_kv = lib.llama_model_n_head_kv(handle) or None
        n_embd = lib.llama_model_n_embd(handle)
        default_dim = n_embd // n_head if n_head else None
        template = lib.llama_model_chat_template(handle, None)
        quantisation = _quantisation(handle)
        return ModelInfo(
            path=self.path,
            name=model_name(self.path, quantisation),
            architecture=architecture,
            quantisation=quantisation,
            n_params=lib.llama_model_n_params(handle),
            n_layer=lib.llama_model_n_layer(handle),
            n_embd=n_embd,
            n_vocab=lib.llama_vocab_n_tokens(self.vocab),
            n_head=n_head,
            n_head_kv=n_head_kv,
            head_dim_k=_to_int(self.metadata(f"{architecture}.attention.key_length")) or default_dim,
            head_dim_v=_to_int(self.metadata(f"{architecture}.attention.value_length")) or default_dim,
            n_ctx_train=lib.llama_model_n_ctx_train(handle) % 2**32,  # it has 32 bits, which llama.h gives a sign
            n_swa=lib.llama_model_n_swa(handle),
            is_recurrent=bool(lib.llama_model_is_recurrent(handle)),
            is_hybrid=bool(lib.llama_model_is_hybrid(handle)),
            file_bytes=sum(part.stat().st_size for part in split_parts(self.path)),
            chat_template=template.decode("utf-8", "replace") if template else "",
            has_chat_template=bool(template),
        )


def _to_int(text: str | None) -> int | None:
    return int(text) if text is not None and text.isdigit() else None


def _quantisation(handle: int) -> str:
    name = lib.llama_ftype_name(lib.llama_model_ftype(handle))
    text: str = name.decode("utf-8", "replace") if name else "unknown"
    base, _, detail = text.removeprefix("(guessed) ").removeprefix("all ").partition(" - ")
    return base + {"Small": "_S", "Medium": "_M", "Large": "_L"}.get(detail, "")


def load_error(path: Path, log: Sequence[str]) -> TokometerError:
    """Return the error for a load that llama.cpp refused, in one sentence made from its log."""
    text = "\n".join(log)
    for mark, template in _SENTENCES:
        if mark in text:
            return ModelFileError(Sentence(template, file=path.name))
    detail = next((line.split("error loading model:")[-1].strip() for line in log if "error loading" in line), "")
    if detail:
        return ModelFileError(Sentence("{file} cannot be loaded: {detail}.", file=path.name, detail=detail.rstrip(".")))
    return EngineError(
        Sentence("{file} cannot be loaded, and llama.cpp did not say why: look at the log file.", file=path.name)
    )
