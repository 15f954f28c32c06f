from __future__ import annotations

import pytest

from app.hub.order import natural_key


def test_names_come_in_the_order_of_their_numbers():
    names = ["Qwen2.5-0.5B", "Qwen2.5-1.5B-Q2_K", "Qwen2.5-1.5B-Q8_0", "qwen2.5-1.5b-Q10_0", "Qwen2.5-14B", "Qwen3-8B",
             "SmolLM2-135M", "SmolLM2-360M", "SmolLM2-1.7B", "yi", "yi-6B"]  # fmt: skip
    assert sorted({*names}, key=natural_key) == names


@pytest.mark.parametrize("name", ["", "9" * 400, "٣-B", "1.2.3.4", "b"])
def test_every_name_has_its_place(name):
    assert sorted([name, "a1"], key=natural_key) == sorted(["a1", name], key=natural_key)
