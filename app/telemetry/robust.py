"""Least squares for times that scatter in proportion to their length and have outliers.

Residuals are relative (measured / fitted - 1), so that short waits count as much as long ones. Outliers
(another program started, the machine slept) are weighed down by Huber's function (Huber 1964; tuning constant 1.345),
iterated, with the scale from the median absolute deviation. A prediction interval is Student's, from the residuals and
the uncertainty of the coefficients.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_HUBER = 1.345
_MAD_TO_DEVIATION = 1.4826
_STEPS = 30
_LEAST_SCALE = 1e-6
_LEAST_SHARE = 0.05
CONFIDENCE = 0.9
"""Share of new values that a prediction interval holds."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A predicted value and its interval, in the unit of what was fitted."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Fit:
    """value = sum of coefficients x terms.

    Attributes:
        coefficients: shape (k,), none negative; a term that would need a negative one has 0.
        covariance: shape (k, k).
        spread: standard deviation of the relative residuals, from their median or from what nine of ten keep to,
            whichever is larger.
        n: how many values were fitted.
    """

    coefficients: NDArray[np.float64]
    covariance: NDArray[np.float64]
    spread: float
    n: int

    def at(self, terms: Sequence[float]) -> Estimate:
        """Return the prediction for one row of terms, shape (k,)."""
        row = np.asarray(terms, dtype=np.float64)
        value = float(row @ self.coefficients)
        free = max(self.n - int(np.count_nonzero(self.coefficients)), 1)
        variance = (self.spread * value) ** 2 + float(row @ self.covariance @ row)
        half = student(free) * math.sqrt(max(variance, 0.0))
        return Estimate(value, max(value - half, 0.0), value + half)


def fit(terms: NDArray[np.float64], values: NDArray[np.float64], weights: NDArray[np.float64]) -> Fit:
    """Fit non-negative coefficients.

    Args:
        terms: shape (n, k), n > k; a column of zeros takes no part.
        values: shape (n,), all above 0.
        weights: shape (n,), relative importance.
    """
    active = [index for index in range(terms.shape[1]) if terms[:, index].any()]
    while True:
        coefficients, covariance, spread = _huber(terms[:, active], values, weights)
        negative = [index for index, value in enumerate(coefficients) if value < 0]
        if not negative or len(active) == 1:
            break
        del active[min(negative, key=lambda index: coefficients[index] * terms[:, active[index]].mean())]
    k = terms.shape[1]
    whole = np.zeros(k)
    whole[active] = np.maximum(coefficients, 0.0)
    whole_covariance = np.zeros((k, k))
    whole_covariance[np.ix_(active, active)] = covariance
    return Fit(whole, whole_covariance, spread, len(values))


def _huber(
    terms: NDArray[np.float64], values: NDArray[np.float64], weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    # Divided by what is fitted and not by what was measured: else one value far too small would outweigh all others.
    least = _LEAST_SHARE * float(np.median(values))
    sizes = np.full(len(values), float(np.median(values)))
    trust = np.ones(len(values))
    scale = _LEAST_SCALE
    for _ in range(_STEPS):
        root = np.sqrt(weights * trust) / sizes
        coefficients = np.asarray(np.linalg.lstsq(terms * root[:, None], values * root, rcond=None)[0])
        fitted = terms @ coefficients
        sizes = np.maximum(fitted, least)
        residuals = np.abs(values - fitted) / sizes
        scale = max(_MAD_TO_DEVIATION * _weighted_quantile(residuals, weights, 0.5), _LEAST_SCALE)
        before = trust
        trust = np.minimum(1.0, _HUBER * scale / np.maximum(residuals, _LEAST_SCALE))
        if np.allclose(before, trust, atol=1e-4):
            break
    relative = terms / sizes[:, None]
    normal = relative.T @ (relative * (weights * trust)[:, None])
    free = max(len(values) - terms.shape[1], 1)
    # With few values the median of the residuals says too little: they were what the line was drawn through.
    # Times have longer tails than a normal distribution: what nine of ten kept to counts, too.
    tail = _weighted_quantile(residuals, weights, CONFIDENCE) / NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    spread = max(scale, tail) * math.sqrt(len(values) / free)
    return coefficients, np.asarray(spread**2 * np.linalg.pinv(normal)), spread


def _weighted_quantile(values: NDArray[np.float64], weights: NDArray[np.float64], share: float) -> float:
    order = np.argsort(values)
    below = np.cumsum(weights[order])
    return float(values[order][int(np.searchsorted(below, below[-1] * share))])


def student(free: int, confidence: float = CONFIDENCE) -> float:
    """Return the two-sided quantile of Student's t (Abramowitz and Stegun 26.7.5; exact for 1 and 2)."""
    p = (1 + confidence) / 2
    if free == 1:
        return math.tan(math.pi * (p - 0.5))
    if free == 2:
        return (2 * p - 1) * math.sqrt(2 / (4 * p * (1 - p)))
    z = NormalDist().inv_cdf(p)
    return (
        z
        + (z**3 + z) / (4 * free)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * free**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * free**3)
    )
