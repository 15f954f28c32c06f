"""Measurements: raw instants in, TTFT, TPOT and memory out."""
