"""The protocol both engines speak: `LlamaEngine` (this process) and `EngineProcess` (a child process)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.chat.message import Message
    from app.engine.bench import BenchEvent, BenchRequest
    from app.engine.config import ModelConfig
    from app.engine.events import Answered, Device, GenerationEvent, LoadedModel, LoadEvent
    from app.engine.request import Foreseen, GenerationRequest
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
        """Unload what is loaded, load this; the last event is `ModelLoaded` or `LoadFailed`.

        A file that is no chat model takes no other's place: that stays loaded then.
        """

    def generate(self, request: GenerationRequest) -> Iterator[GenerationEvent]:
        """Write one answer; the last event is `GenerationFinished`."""

    def submit(self, request: GenerationRequest) -> None:
        """Ask for one more answer, before `serve` or between two of its events."""

    def serve(self) -> Iterator[Answered]:
        """Write all that was submitted, until nothing is left; the last event of each is `GenerationFinished`.

        As many at once as the model was loaded for, in the order of asking; one in the background gives way to a
        user's: it begins anew later, which `AnswerRestarted` says. Between two events `count_tokens` and
        `foresee` may be asked.
        """

    def bench(self, request: BenchRequest) -> Iterator[BenchEvent]:
        """Measure the loaded model, each test in a context of its own; the last event is `BenchFinished`."""

    def count_tokens(self, messages: Sequence[Message]) -> int:
        """Return the size in tokens of the rendered prompt. Raises TokometerError when it cannot be rendered."""

    def foresee(self, request: GenerationRequest) -> Foreseen:
        """Return what a request would find if it were asked now; nothing is read or changed for it.

        Raises TokometerError when its prompt cannot be rendered.
        """

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

    def cancel(self, request_id: str = "") -> None:
        """End soon (within 150 ms on the CPU) all that was asked so far, or the answer of this request alone.

        Callable from any thread, always.
        """

    def unload(self) -> None:
        """Free the model and everything it allocated."""

    def close(self) -> None:
        """Unload and end; the engine cannot be used again. Returns within 2 s."""
