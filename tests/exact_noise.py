"""Noise as one finite draw, for exact laws of what is clamped afterwards."""

from fractions import Fraction as F
from functools import cache

from littlestone.source import ExplicitWeights, exp


def table_gaussian(reach, *, flat=1):
    """Return a stand-in of `discrete_gaussian`: exact up to ``reach``, where its tail is."""
    return _table(reach, lambda z, variance: F(z**2) / (2 * variance * flat))


def table_geometric(reach):
    """Return a stand-in of `two_sided`."""
    return _table(reach, lambda z, rate: rate * z)


def _table(reach, power):
    @cache
    def weights(parameter):
        sizes = [exp(-power(z, parameter)) for z in range(reach + 40)]
        tail, inner = sum(sizes[reach + 1 :], sizes[reach]), sizes[1:reach]
        return ExplicitWeights(tail, *inner[::-1], sizes[0], *inner, tail)

    return lambda parameter, source: source.choose(weights(parameter)) - reach
