"""Intervals for a regression of at most six columns that an analyst names.

It is another, smaller model beside the one that predicts, with a part of rho of its own: an
intercept; for a number one slope, of z in [-1, 1], where its bin lies in the public range (missing
is the middle); for a text an indicator of each category but the first, as which missing and other
cells count. Rounds as those of the model, without a clip; then one gradient at their weights, and
noisy second moments.

*Second moments* (claim ``linear.moments``). A record adds ``q x x'`` with an integer q of at most
m, so a matrix that is positive semidefinite, of Frobenius norm at most ``M = m |x|**2``. Two such
matrices differ by at most ``sqrt(2) M``, as ``|A - B|**2 = |A|**2 + |B|**2 - 2 tr(A B)`` and
``tr(A B) >= 0``. Its square is the sum of squared moves on the diagonal and twice those above, so
noise of variance ``M**2 / rho`` there and half of it above costs ``2 M**2 / (2 M**2 / rho) = rho``.
Single entries are not rounded: a rounded matrix need not be positive. []

*Estimate.* With w the weights, G the gradient of the mean loss and H the second moments there, one
Newton step gives ``b = w - G / H``, with the covariance ``(H/n + noise of G) / H**2`` and what the
noise of H does to the step. Intervals are given only where the least eigenvalue of H is above half
the norm that its noise has: elsewhere they would not cover.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from littlestone.classes.boosted_trees.coefficients import Coefficients
from littlestone.mechanisms.estimate import noisy

if TYPE_CHECKING:
    from littlestone.data import Column, Schema
    from littlestone.learners.linear.learner import Features, Records
    from littlestone.source import Source

Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


#: Of rho: for the regression; and of that for its gradient and its second moments.
SHARE = Fraction(1, 2)
_GRADIENT, _MOMENTS = Fraction(2, 5), Fraction(1, 5)
MOST_COLUMNS = 6
_USUAL = 0.01  # noise of H, of features in units of one, below which intervals are usually given


@dataclass(frozen=True)
class Budget:
    """The parts of rho of a regression."""

    rounds: Fraction
    gradient: Fraction
    moments: Fraction

    @classmethod
    def of(cls, rho: Fraction) -> Budget:
        """Return the parts of what the regression has."""
        rest = 1 - _GRADIENT - _MOMENTS
        return cls(rho * rest, rho * _GRADIENT, rho * _MOMENTS)


def design(schema: Schema, names: tuple[str, ...], grain: int) -> list[tuple[int, Ints]]:
    """Return, for each named column, its place and the features of its answers."""
    found = []
    for name in names:
        place = schema.names.index(name)
        found.append((place, _slopes(schema.columns[place], grain)))
    return found


def _slopes(column: Column, grain: int) -> Ints:
    answers = column.n_codes - column.OTHER
    if column.edges is None:
        return np.eye(answers, dtype=np.int64)[:, 2:] * grain
    table = np.zeros((answers, 1), dtype=np.int64)
    middles, centre, half = _places(column)
    table[1:, 0] = np.rint(grain * (middles - centre) / half).astype(np.int64)
    return table


def _places(column: Column) -> tuple[Doubles, float, float]:
    """Return the middles of the bins, the centre of them all, and half of their range.

    A bin without an end is as wide as its neighbour; of two bins, one lies at 0 and one at 1.
    """
    edges = np.array(column.edges, dtype=np.float64)
    if len(edges) == 1:
        return np.array([0.0, 1.0]), 0.0, 1.0
    wide = np.concatenate([[2 * edges[0] - edges[1]], edges, [2 * edges[-1] - edges[-2]]])
    middles = (wide[1:] + wide[:-1]) / 2
    return middles, float(middles[0] + middles[-1]) / 2, float(middles[-1] - middles[0]) / 2


def described(schema: Schema, names: tuple[str, ...]) -> list[tuple[str, str, str]]:
    """Return what each feature is: its term, the unit, the reference."""
    found = [("intercept", "", "")]
    for name in names:
        column = schema[name]
        first = column.describe(column.FIRST)
        if column.edges is None:
            codes = range(column.FIRST + 1, column.n_codes)
            found += [(column.describe(code), "1", first) for code in codes]
        elif len(column.edges) == 1:
            found.append((column.describe(column.FIRST + 1), "1", first))
        elif column.calendar is None:
            _, centre, half = _places(column)
            found.append((name, f"{half:g}", f"{centre:g}"))
        else:
            found.append((name, "half of the range of its bins", "its middle"))
    return found


def second_moments(records: Records, weights: Doubles) -> Ints:
    """Return the sum of integer weights p (1 - p) times x x' over all records: exact."""
    rows, features = records.rows, records.rows.features
    total = np.zeros((features.size, features.size), dtype=np.int64)
    each = records.counts[:2].sum(axis=0)
    for at, chances in rows.chances(weights):
        curve = chances[0] * (rows.fine - chances[0]) // rows.fine
        x = np.concatenate(
            [np.full((1, curve.size), features.grain)]
            + [t[own].T for t, own in zip(features.tables, rows.answers[:, at], strict=True)]
        )
        total += (x * (each[at] * curve)) @ x.T
    return total


def largest_moment(features: Features, fine: int) -> int:
    """Return M: the largest norm of what a record adds."""
    return fine // 4 * features.square


def noisy_moments(
    records: Records, weights: Doubles, rho: Fraction, n: int, source: Source
) -> Doubles:
    """Return the second moments with noise, symmetric: released."""
    exact, most = (
        second_moments(records, weights),
        largest_moment(records.rows.features, records.rows.fine),
    )
    size, variance = len(exact), Fraction(most**2) / rho
    above = np.triu_indices(size, 1)
    found = np.zeros((size, size))
    found[above] = noisy(exact[above], n * most, variance / 2, source)
    found += found.T
    found[np.diag_indices(size)] = noisy(np.diag(exact), n * most, variance, source)
    return found


def estimate(
    weights: Doubles, gradient: Doubles, moments: Doubles, n: int, noises: tuple[float, float]
) -> tuple[Doubles, Doubles, bool]:
    """Return coefficients, their standard errors, and whether these are given.

    All are of features divided by the largest norm; ``noises``: the standard deviations of the
    noise of a coordinate of the mean gradient, and of a diagonal entry of the mean second moments.
    """
    of_gradient, of_moments = noises
    size = len(weights)
    norm = of_moments * math.sqrt(2 * size)  # about that of the noise
    values, vectors = np.linalg.eigh(moments)
    kept = np.maximum(values, norm)
    inverse = (vectors / kept) @ vectors.T
    step = inverse @ gradient
    meat = (vectors * kept) @ vectors.T / n + of_gradient**2 * np.eye(size)
    covariance = inverse @ meat @ inverse
    covariance += of_moments**2 * float(step @ step) * (inverse @ inverse)
    return weights - step, np.sqrt(np.diag(covariance)), bool(values[0] > norm / 2)


def coefficients(
    about: list[tuple[str, str, str]], values: Doubles, deviations: Doubles, *, printed: bool
) -> Coefficients:
    """Return what is released, rounded far below the noise."""

    def rounded(numbers: Doubles) -> tuple[float, ...]:
        return tuple(float(f"{value:.6g}") for value in numbers)

    terms, units, references = (tuple(part) for part in zip(*about, strict=True))
    own = rounded(deviations) if printed else ()
    return Coefficients(terms, units, references, rounded(values), own, printed)


def usually(features: Any, n: int, rho: Fraction) -> bool:
    """Return whether intervals are usually given: by the public size of the noise of H."""
    deviation = math.sqrt(2 / float(2 * rho * _MOMENTS)) / 4 / n
    noise = deviation * math.sqrt(2 * features.size) * features.square / features.grain**2
    return bool(noise < _USUAL)
