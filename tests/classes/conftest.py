"""Independent oracles: the exponential mechanism by brute force, concepts by definition."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from fractions import Fraction
from types import SimpleNamespace

import mpmath
import pytest

from littlestone.data import Sample
from littlestone.source import ExactSource


def count_errors(accepts: Callable[[object], bool], sample: Sample) -> int:
    """Count errors record by record, from the definition; outside points are labelled 0."""
    wrong = sample.outside[1]
    points = [tuple(p) for p in sample.points.tolist()] if sample.points.ndim == 2 else list(
        sample.points
    )  # fmt: skip
    for point, zeros, ones in zip(points, sample.zeros, sample.ones, strict=True):
        wrong += int(zeros) if accepts(point) else int(ones)
    return int(wrong)


def softmax(errors: Iterable[tuple[Hashable, int]], rate: Fraction) -> dict[Hashable, mpmath.mpf]:
    """Return the law of the exponential mechanism over listed representations."""
    mpmath.mp.dps = 60
    q = mpmath.mpf(rate.numerator) / rate.denominator
    weights: dict[Hashable, mpmath.mpf] = {}
    for key, wrong in errors:
        weights[key] = weights.get(key, mpmath.mpf(0)) + mpmath.exp(-q * wrong)
    total = sum(weights.values())
    return {key: w / total for key, w in weights.items()}


def exact_law(candidates, rate: Fraction) -> dict[Hashable, object]:
    """Return the exact law of a draw, by hypothesis key, from the releasing code."""
    law = ExactSource().law(lambda source: candidates.draw(rate, source).key)
    assert law.slack == 0
    return law.outcomes


def assert_same_law(candidates, errors: Sequence[tuple[Hashable, int]], rate: Fraction) -> None:
    """Assert that a draw has exactly the brute-force law: total variation zero, up to 1e-45."""
    assert candidates.size == len(errors)
    expected, found = softmax(errors, rate), exact_law(candidates, rate)
    assert set(found) == set(expected)
    for key, enclosure in found.items():
        assert float(enclosure.rad()) < 1e-45
        middle = mpmath.mpf(enclosure.str(50, radius=False))
        assert abs(middle - expected[key]) < mpmath.mpf(10) ** -44


@pytest.fixture(scope="session")
def oracle():
    """Return the oracles of this room."""
    return SimpleNamespace(
        count_errors=count_errors, assert_same_law=assert_same_law, exact_law=exact_law
    )
