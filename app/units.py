"""Factors between units, and sizes in the unit that suits them."""

NS_PER_S = 1_000_000_000

_SIZES = ((1024**3, "GiB"), (1024**2, "MiB"), (1024, "KiB"))


def size_text(size_bytes: int) -> str:
    """Return three significant digits, or hundredths; fewer than 1024 bytes are counted."""
    for unit, name in _SIZES:
        if size_bytes >= unit:
            value = size_bytes / unit
            decimals = 2 if value < 10 else 1 if value < 100 else 0
            return f"{value:.{decimals}f} {name}"
    return f"{size_bytes} B"
