"""Which models are offered first: those that fit and write as fast as they are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.engine.config import ModelConfig
from app.engine.events import Device
from app.hub.curated import CuratedModel, curated_models
from app.hub.fits import Placing
from app.hub.partial import RemoteFile
from app.hub.start import StartOffer, rough_offer, suggested, told_by_hub
from app.hub.variants import Variant

GIB = 1024**3
CONFIG = ModelConfig(Path("any.gguf"), reserve_bytes=GIB)


def cpu(free_gib: float) -> Device:
    return Device("CPU", "a processor", "cpu", "CPU", 64 * GIB, int(free_gib * GIB))


def gpu(free_gib: float | None) -> Device:
    return Device("CUDA0", "a card", "gpu", "CUDA", 24 * GIB, None if free_gib is None else int(free_gib * GIB))


def model(name: str, size_gib: float | None, active: float | None = None, kv: int | None = None) -> CuratedModel:
    return CuratedModel(
        name=name,
        repo=f"maker/{name}",
        quantisation="Q4_K_M",
        licence="mit",
        purpose="everyday",
        parameters=10.0,
        n_ctx_train=4096,
        size_bytes=None if size_gib is None else int(size_gib * GIB),
        active_parameters=active,
        kv_bytes_per_token=kv,
    )


def names(devices: tuple[Device, ...], *models: CuratedModel) -> list[str]:
    return [each.model.name for each in suggested([rough_offer(each, CONFIG, devices) for each in models])]


@pytest.mark.parametrize(
    ("devices", "place"),
    [
        ((gpu(6), cpu(8)), "gpu"),
        ((gpu(4), cpu(8)), "partly"),
        ((gpu(0.5), cpu(8)), "cpu"),
        ((cpu(6),), "cpu"),
        ((cpu(4.5),), "no"),
        ((gpu(2), cpu(3)), "no"),
        ((gpu(None), cpu(1)), "gpu"),
    ],
)
def test_a_rough_placing(devices, place):
    offer = rough_offer(model("m", 4), CONFIG, devices)
    assert offer.placing.place == place
    assert offer.is_rough


def test_the_context_counts_too():
    assert rough_offer(model("m", 4, kv=GIB // 4096), CONFIG, (cpu(5.5),)).placing.place == "no"


def test_without_a_size_nothing_is_said():
    assert rough_offer(model("m", None), CONFIG, (cpu(60),)).placing == Placing("unknown")


def test_the_best_then_smaller_ones():
    models = [model(str(size), size) for size in (0.5, 1, 2, 3, 4)]
    assert names((cpu(60),), *models) == ["4", "2", "1"]
    assert names((cpu(3.5),), *models) == ["2", "1", "0.5"]
    assert names((cpu(1.6),), *models) == ["0.5"]
    assert names((cpu(1),), *models) == []


def test_what_the_processor_reads_slower_than_the_user_is_not_offered():
    large, experts = model("large", 30), model("experts", 30, active=1.0)
    assert names((cpu(60),), model("small", 3), large) == ["small"]
    assert names((gpu(40), cpu(60)), model("small", 3), large) == ["large", "small"]
    assert names((cpu(60),), model("small", 3), experts) == ["experts", "small"]
    assert names((cpu(60),), large) == ["large"]


@pytest.mark.parametrize(
    ("devices", "best"),
    [
        ((cpu(3),), "Qwen3.5 2B"),
        ((cpu(6),), "Gemma 4 E4B"),
        ((cpu(12),), "Qwen3.5 9B"),
        ((cpu(28),), "Qwen3.6 35B-A3B"),
        ((gpu(23), cpu(28)), "Qwen3.6 35B-A3B"),
        ((gpu(7), cpu(10)), "Gemma 4 26B-A4B"),
        ((cpu(120),), "gpt-oss 120B"),
    ],
)
def test_the_list_has_something_for_every_machine(devices, best):
    offers = suggested([rough_offer(each, CONFIG, devices) for each in curated_models()])
    assert offers[0].model.name == best
    assert len(offers) in (2, 3)


def test_what_the_hub_tells_takes_the_place_of_the_estimate():
    rough = [rough_offer(model(str(size), size), CONFIG, (cpu(60),)) for size in (1, 2, 4)]
    variant = Variant("m", "Q4_K_M", (RemoteFile("maker/4", "m.gguf", size=5 * GIB),))
    told = told_by_hub(rough[2], variant, Placing("no"))
    assert (told.size_bytes, told.is_rough) == (5 * GIB, False)
    assert [each.model.name for each in suggested([*rough[:2], told])] == ["2", "1"]


def test_a_header_that_says_nothing_leaves_the_estimate():
    rough = rough_offer(model("m", 4), CONFIG, (cpu(60),))
    variant = Variant("m", "Q4_K_M", (RemoteFile("maker/m", "m.gguf"),))
    told = told_by_hub(rough, variant, Placing("unknown", reason="why"))
    assert told == StartOffer(rough.model, Placing("cpu"), True, variant)
    assert told.size_bytes == 4 * GIB
