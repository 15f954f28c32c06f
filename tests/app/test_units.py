"""Sizes in the unit that suits them."""

from __future__ import annotations

import pytest

from app.units import size_text


@pytest.mark.parametrize(
    ("size_bytes", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (5000, "4.88 KiB"),
        (500_000_000, "477 MiB"),
        (64 * 1024**2, "64.0 MiB"),
        (5 * 1024**3, "5.00 GiB"),
    ],
)
def test_a_size_has_three_digits(size_bytes: int, text: str) -> None:
    assert size_text(size_bytes) == text
