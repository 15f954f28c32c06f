"""Frames between the processes: whole, in order, and only values of our own."""

from __future__ import annotations

import os
import pickle
import struct
from pathlib import Path

import pytest

from app.chat.message import Message
from app.engine.bench import BenchMeasured, BenchRequest, BenchTest
from app.engine.channel import Bench, Cancel, Channel, Load, Submit
from app.engine.config import ModelConfig
from app.engine.request import GenerationRequest
from app.engine.sampling import Sampling
from tests.fakes import fake_model


@pytest.fixture
def channel() -> Channel:
    read, write = os.pipe()
    pipe = Channel(os.fdopen(read, "rb"), os.fdopen(write, "wb"))
    yield pipe
    pipe.close()


@pytest.mark.parametrize(
    "message",
    [
        Load(ModelConfig(Path("模型.gguf"), n_ctx=4096, rpc_servers=("127.0.0.1:50052",))),
        Submit(GenerationRequest((Message("user", "héé 🙂"),), 17, Sampling(seed=3), template_kwargs={"a": [1]})),
        Cancel(12),
        Bench(BenchRequest((BenchTest(512), BenchTest(0, 8, n_parallel=4)), 17)),
        BenchMeasured(0, (1, 2), (), (), 2, 256, None),
        fake_model(),
    ],
)
def test_messages_arrive_as_they_were_sent(channel: Channel, message: object) -> None:
    channel.send(message)
    assert channel.receive() == message


def test_the_end_of_the_other_side_is_an_eof_error() -> None:
    read, write = os.pipe()
    pipe = Channel(os.fdopen(read, "rb"), os.fdopen(write, "wb"))
    pipe._sink.write(struct.pack("<I", 100) + b"half")
    pipe._sink.close()
    with pytest.raises(EOFError):
        pipe.receive()
    pipe._source.close()


@pytest.mark.parametrize(
    "name",
    [
        "pathlib os.system",
        "app.engine.process os.system",
        "app.engine.child_process Channel",
        "app.engine.none Channel",
    ],
)
def test_only_value_types_are_built(channel: Channel, name: str) -> None:
    module, attribute = name.encode().split()
    data = b"\x80\x04\x8c" + bytes([len(module)]) + module + b"\x8c" + bytes([len(attribute)]) + attribute + b"\x93."
    channel._sink.write(struct.pack("<I", len(data)) + data)
    channel._sink.flush()
    with pytest.raises(pickle.UnpicklingError):
        channel.receive()


def test_a_message_that_would_run_code_is_refused(channel: Channel, tmp_path: Path) -> None:
    class Evil:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return os.mkdir, (str(tmp_path / "owned"),)

    channel.send(Evil())
    with pytest.raises(pickle.UnpicklingError):
        channel.receive()
    assert not (tmp_path / "owned").exists()
