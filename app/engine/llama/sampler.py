"""A chain of llama.cpp samplers for one answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.engine.llama.library import lib

if TYPE_CHECKING:
    from app.engine.sampling import Sampling


class Sampler:
    """Chooses the next token from a context's logits; top-k goes first, so that the rest sees few candidates."""

    def __init__(self, sampling: Sampling, n_vocab: int, seed: int) -> None:
        parameters = lib.llama_sampler_chain_default_params()
        self._chain = lib.llama_sampler_chain_init(parameters)
        penalised = sampling.repeat_penalty != 1.0 or sampling.presence_penalty or sampling.frequency_penalty
        if penalised and sampling.penalty_last_n:
            self._add(
                lib.llama_sampler_init_penalties(
                    n_vocab,
                    sampling.penalty_last_n,
                    sampling.repeat_penalty,
                    sampling.frequency_penalty,
                    sampling.presence_penalty,
                )
            )
        if sampling.temperature <= 0:
            self._add(lib.llama_sampler_init_greedy())
            return
        if sampling.top_k > 0:
            self._add(lib.llama_sampler_init_top_k(sampling.top_k))
        if sampling.top_p < 1:
            self._add(lib.llama_sampler_init_top_p(sampling.top_p, 1))
        if sampling.min_p > 0:
            self._add(lib.llama_sampler_init_min_p(sampling.min_p, 1))
        self._add(lib.llama_sampler_init_temp(sampling.temperature))
        self._add(lib.llama_sampler_init_dist(seed))

    def _add(self, sampler: int) -> None:
        lib.llama_sampler_chain_add(self._chain, sampler)

    def accept(self, token: int) -> None:
        """Tell the penalties about a token of the prompt."""
        lib.llama_sampler_accept(self._chain, token)

    def sample(self, context: int | None, row: int = -1) -> int:
        """Return the next token from the logits of a row of the last batch; the chain takes note of it."""
        return lib.llama_sampler_sample(self._chain, context, row)  # type: ignore[no-any-return]

    def free(self) -> None:
        """Free the chain and its samplers."""
        if self._chain:
            lib.llama_sampler_free(self._chain)
            self._chain = None
