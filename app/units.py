"""Factors between units."""

NS_PER_S = 1_000_000_000
