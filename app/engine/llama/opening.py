"""What a load makes of a model: its context, or the sentence why there is none, and what the user should know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.engine.llama.context import LlamaContext
from app.errors import BadInputError, EngineError, Sentence

if TYPE_CHECKING:
    from app.engine.config import ModelConfig
    from app.engine.events import ModelInfo
    from app.engine.llama.log_capture import LogCapture
    from app.engine.llama.model import LlamaModel


def make_context(model: LlamaModel, config: ModelConfig, n_ctx: int, n_threads: int, log: LogCapture) -> LlamaContext:
    """Return a new context. Raises BadInputError when llama.cpp refuses it."""
    try:
        return LlamaContext(model, config, n_ctx, n_threads)
    except EngineError:
        said = "\n".join(log.errors())
        if "failed to allocate" in said or "unable to allocate" in said:
            raise BadInputError(
                Sentence(
                    "There is not enough memory for a context of {n_ctx:,} tokens: choose a smaller one, or a "
                    "smaller KV cache type.",
                    n_ctx=n_ctx,
                )
            ) from None
        raise BadInputError(
            Sentence(
                "llama.cpp refused these settings for {file} (context {n_ctx:,}, K {type_k}, V {type_v}, flash "
                "attention {flash_attention}): choose f16 for K and V.",
                file=model.path.name,
                n_ctx=n_ctx,
                type_k=config.type_k,
                type_v=config.type_v,
                flash_attention=config.flash_attention,
            )
        ) from None


def load_notes(config: ModelConfig, info: ModelInfo) -> tuple[str, ...]:
    """Return the sentences the user should see once after this load."""
    notes = []
    if not info.has_chat_template:
        notes.append(Sentence("This model brings no chat template: ChatML is used, and answers may be poor."))
    if config.n_ctx is not None and info.n_ctx_train and config.n_ctx > info.n_ctx_train:
        notes.append(
            Sentence(
                "The context of {n_ctx:,} tokens is longer than the {n_ctx_train:,} this model was trained for: "
                "answers may be poor beyond them.",
                n_ctx=config.n_ctx,
                n_ctx_train=info.n_ctx_train,
            )
        )
    return tuple(notes)
