"""The protocol both engines speak: `LlamaEngine` (this process) and `EngineProcess` (a child process)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.chat.message import Message
    from app.engine.bench import BenchEvent, BenchRequest
    from app.engine.config import ModelConfig
    from app.engine.events import Device, GenerationEvent, LoadedModel, LoadEvent
    from app.engine.request import GenerationRequest
    from app.engine.states import StateBudget


class Engine(Protocol):
    """One model at a time, driven by one thread for life; only `cancel` may be called from another.

    No method raises for a fault of the model or of native code: a bad load ends in `LoadFailed`, a bad answer in
    `GenerationFinished` and a bad bench in `BenchFinished`, each with the reason and one sentence. The iterators must
    be run to their end.
    """

    @property
    def model(self) -> LoadedModel | None:
        """The loaded model, None when there is none or its process died."""

    def load(self, config: ModelConfig) -> Iterator[LoadEvent]:
        """Unload what is loaded, load this; the last event is `ModelLoaded` or `LoadFailed`."""

    def generate(self, request: GenerationRequest) -> Iterator[GenerationEvent]:
        """Write one answer; the last event is `GenerationFinished`."""

    def bench(self, request: BenchRequest) -> Iterator[BenchEvent]:
        """Measure the loaded model, each test in a context of its own; the last event is `BenchFinished`."""

    def count_tokens(self, messages: Sequence[Message]) -> int:
        """Return the size in tokens of the rendered prompt. Raises TokometerError when it cannot be rendered."""

    def forget(self) -> LoadedModel | None:
        """Empty the KV cache: the conversation ended. Return the model, whose context may be small again.

        The state of the conversation is saved before, within the budget of its last request.
        """

    def discard(self, conversation_id: str, states: StateBudget) -> None:
        """Delete the saved states of a conversation, which is deleted itself."""

    def devices(self, rpc_servers: tuple[str, ...] = ()) -> tuple[Device, ...]:
        """Return the devices ggml knows, those of RPC servers (`host:port`) too, with their memory now.

        Raises EngineError when a server does not answer.
        """

    def cancel(self) -> None:
        """End the running load, answer or bench soon (within 150 ms on the CPU). Callable from any thread, always."""

    def unload(self) -> None:
        """Free the model and everything it allocated."""

    def close(self) -> None:
        """Unload and end; the engine cannot be used again. Returns within 2 s."""
