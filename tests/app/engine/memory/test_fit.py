"""The fit on a model whose sizes are round numbers: context first, then layers, experts to the CPU first."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.engine.config import ModelConfig
from app.engine.events import Device
from app.engine.memory.demand import Demand
from app.engine.memory.fit import Fit, Layout, fit, largest_n_ctx

MIB = 1024**2
GIB = 1024**3
N_LAYER = 32
DENSE = Layout(n_ctx_train=131_072, n_layer=N_LAYER, layers_total=N_LAYER + 1, has_experts=False)
EXPERTS = Layout(n_ctx_train=131_072, n_layer=N_LAYER, layers_total=N_LAYER + 1, has_experts=True)
LAYER = 200 * MIB  # of which experts have 180
KV_PER_TOKEN = 4096  # per layer


def cpu(free: int = 64 * GIB) -> Device:
    return Device("CPU", "a processor", "cpu", "CPU", 64 * GIB, free)


def gpu(index: int, free: int | None) -> Device:
    return Device(f"CUDA{index}", "a card", "gpu", "CUDA", 24 * GIB if free is not None else None, free)


class Model:
    """Layers of 200 MiB, 4 KiB per layer and token, 100 MiB of compute on every device with layers."""

    def __init__(self, *gpus: Device) -> None:
        self.gpus = gpus
        self.asked = 0

    def measure(self, config: ModelConfig) -> Demand:
        self.asked += 1
        n_ctx, total = config.n_ctx or 0, N_LAYER + 1
        offloaded = min(int(config.n_gpu_layers), total) if self.gpus else 0
        split = config.tensor_split or tuple(float(device.free_bytes or 1) for device in self.gpus)
        sizes: dict[tuple[str, str], int] = {}
        for layer in range(total):
            name = "CPU"
            if layer >= total - offloaded:
                place = (layer - (total - offloaded)) / offloaded * sum(split)
                shares = [sum(split[: i + 1]) for i in range(len(split))]
                name = self.gpus[next(i for i, end in enumerate(shares) if place < end)].name
            experts = 180 * MIB if layer < min(config.n_cpu_moe, N_LAYER) else 0
            for device, kind, size in ((name, "weights", LAYER - experts), ("CPU", "weights", experts)):
                sizes[device, kind] = sizes.get((device, kind), 0) + size
            if layer < N_LAYER:
                sizes[name, "kv"] = sizes.get((name, "kv"), 0) + n_ctx * KV_PER_TOKEN
        for name in {name for (name, _), size in sizes.items() if size}:
            sizes[name, "compute"] = 100 * MIB
        return Demand(n_ctx, True, {key: size for key, size in sizes.items() if size})


def run(layout: Layout, *gpus: Device, host: int = 64 * GIB, **settings: object) -> Fit:
    model = Model(*gpus)
    found = fit(ModelConfig(Path("m.gguf"), n_ctx_start=8192, **settings), layout, (*gpus, cpu(host)), model.measure)
    assert model.asked < 80
    for device in gpus:
        if settings.get("n_gpu_layers", "auto") == "auto" and device.free_bytes:
            reserve = found.config.reserve_bytes
            assert model.measure(found.config).used_bytes(device.name) <= max(device.free_bytes - reserve, 0)
    return found


def test_everything_fits_on_the_cpu() -> None:
    found = run(DENSE)
    assert (found.config.n_gpu_layers, found.config.n_ctx, found.n_ctx_max) == (0, 8192, 131_072)
    assert (found.fits, found.reduced) == (True, False)
    assert found.choice == "All layers on the CPU: 56.5 GiB kept free."


def test_everything_fits_on_the_gpu() -> None:
    found = run(DENSE, gpu(0, 20 * GIB))
    assert (found.config.n_gpu_layers, found.config.n_ctx) == (33, 8192)
    assert found.choice == "All 33 layers on CUDA0: 12.5 GiB kept free."
    assert found.n_ctx_max == 101_888  # (20 - 1 GiB - 33 x 200 MiB - 100 MiB) / (32 x 4 KiB), in steps of 256


def test_the_context_shrinks_before_a_layer_leaves_the_gpu() -> None:
    found = run(DENSE, gpu(0, 1024 * MIB + 33 * LAYER + 100 * MIB + 5000 * N_LAYER * KV_PER_TOKEN))
    assert (found.config.n_gpu_layers, found.config.n_ctx, found.n_ctx_max) == (33, 4864, 4864)
    assert found.choice.endswith("The context is 4,864 tokens instead of 8,192, to fit.")


def test_then_layers_leave() -> None:
    found = run(DENSE, gpu(0, 5 * GIB))
    # 4 GiB hold 100 MiB, the output layer and 17 layers of 200 + 16 MiB
    assert (found.config.n_gpu_layers, found.config.n_ctx, found.config.tensor_split) == (18, 4096, ())
    assert found.choice.startswith("18 of 33 layers on CUDA0: 1.1 GiB kept free.")
    assert found.reduced
    assert found.fits


def test_an_asked_context_stays() -> None:
    found = run(DENSE, gpu(0, 5 * GIB), n_ctx=16_384)
    assert (found.config.n_gpu_layers, found.config.n_ctx) == (15, 16_384)
    assert found.choice == "15 of 33 layers on CUDA0: 1.1 GiB kept free."


def test_asked_layers_stay_although_they_do_not_fit() -> None:
    found = run(DENSE, gpu(0, 5 * GIB), n_gpu_layers=33, n_ctx=4096)
    assert (found.config.n_gpu_layers, found.fits, found.choice, found.n_ctx_max) == (33, False, "", None)


def test_a_gpu_without_room_gets_nothing_and_the_context_is_whole() -> None:
    found = run(DENSE, gpu(0, 1 * GIB))
    assert (found.config.n_gpu_layers, found.config.n_ctx, found.fits) == (0, 8192, True)
    assert found.choice == "No layer on CUDA0: 56.5 GiB kept free."


def test_a_gpu_that_does_not_say_what_it_has_gets_nothing() -> None:
    assert run(DENSE, gpu(0, None)).config.n_gpu_layers == 0


def test_two_gpus_are_filled_from_the_last_with_whole_layers() -> None:
    found = run(DENSE, gpu(0, 3 * GIB), gpu(1, 4 * GIB))
    # 2 GiB - 100 MiB hold 9 layers, 3 GiB - 100 MiB the output layer and 12 layers
    assert found.config.tensor_split == (9.0, 13.0)
    assert found.config.n_gpu_layers == 22


def test_a_given_split_stays_and_only_the_number_is_chosen() -> None:
    found = run(DENSE, gpu(0, 3 * GIB), gpu(1, 4 * GIB), tensor_split=(1.0, 1.0))
    assert found.config.tensor_split == (1.0, 1.0)
    assert 0 < int(found.config.n_gpu_layers) < 22


def test_experts_go_to_the_cpu_before_layers() -> None:
    found = run(EXPERTS, gpu(0, 5 * GIB))
    # 33 layers take 7,212 MiB with 4,096 tokens; 180 MiB less for each layer without experts
    assert (found.config.n_gpu_layers, found.config.n_cpu_moe) == (33, 18)
    assert "The experts of 18 layers stay on the CPU." in found.choice


def test_without_any_experts_on_the_gpu_layers_leave_too() -> None:
    found = run(EXPERTS, gpu(0, 1024 * MIB + 900 * MIB))
    assert found.config.n_cpu_moe == N_LAYER
    assert 0 < int(found.config.n_gpu_layers) < 33


def test_asked_experts_stay() -> None:
    assert run(EXPERTS, gpu(0, 5 * GIB), n_cpu_moe=4).config.n_cpu_moe == 4


def test_the_reserve_is_the_users() -> None:
    generous, none = (run(DENSE, gpu(0, 8 * GIB), reserve_bytes=size, n_ctx=4096) for size in (3 * GIB, 0))
    assert int(generous.config.n_gpu_layers) < int(none.config.n_gpu_layers)


def test_on_the_cpu_alone_the_context_shrinks_as_far_as_it_must() -> None:
    found = run(DENSE, host=1024 * MIB + 33 * LAYER + 100 * MIB + 1000 * N_LAYER * KV_PER_TOKEN)
    assert (found.config.n_ctx, found.n_ctx_max, found.fits) == (768, 768, True)


def test_weights_that_do_not_fit_are_mapped_and_a_small_context_is_tried() -> None:
    found = run(DENSE, host=4 * GIB)
    assert found.config.n_ctx == 4096  # 512 MiB and the compute buffer: less than a quarter
    assert (found.fits, found.n_ctx_max) == (False, None)
    assert "missing to keep 1.0 GiB free" in found.choice


def test_nothing_chosen_is_nothing_said() -> None:
    assert run(DENSE, n_ctx=4096, n_gpu_layers=0).choice == ""


@pytest.mark.parametrize("room", [0, 255, 256, 300, 5000, 99_999, 131_072, 10**9])
def test_the_largest_context_is_the_last_that_fits(room: int) -> None:
    host = 1024 * MIB + 33 * LAYER + 100 * MIB + room * N_LAYER * KV_PER_TOKEN
    model = Model()
    config = ModelConfig(Path("m.gguf"), n_gpu_layers=0)
    found = largest_n_ctx(config, 131_072, (cpu(host),), model.measure)
    assert found == (min(room // 256 * 256, 131_072) or None)
    assert model.asked <= 8


def test_the_largest_context_where_a_line_bends() -> None:
    def measure(config: ModelConfig) -> Demand:
        n_ctx = config.n_ctx or 0
        return Demand(n_ctx, True, {("CPU", "kv"): min(n_ctx, 1024) * MIB + n_ctx * 1024})

    free = 1024 * MIB + 50_000 * 1024
    config = ModelConfig(Path("m.gguf"), n_gpu_layers=0, reserve_bytes=0)
    assert largest_n_ctx(config, 10**6, (cpu(free),), measure) == 49_920


@pytest.mark.parametrize(
    ("trained", "largest"), [(1, 256), (255, 256), (256, 256), (8191, 8192), (2**32 - 1, 2**32 - 256)]
)
def test_a_context_is_padded_as_llama_cpp_does(trained: int, largest: int) -> None:
    config = ModelConfig(Path("m.gguf"), n_gpu_layers=0)
    assert largest_n_ctx(config, trained, (cpu(2**60),), Model().measure) == largest


def test_what_is_refused_fits_nowhere() -> None:
    config = ModelConfig(Path("m.gguf"), n_gpu_layers=0)
    assert largest_n_ctx(config, 8192, (cpu(),), lambda _: Demand(0, False, {}, refused="No.")) is None
