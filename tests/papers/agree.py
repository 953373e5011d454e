"""What the tests of the pages share: small classes, and laws that must agree."""

from __future__ import annotations

import random

import numpy as np

from littlestone.classes import FiniteClass
from littlestone.source import ExactSource


def small_class(seed, *, points=(3, 5), concepts=(3, 8), ldim=None, dims=(1, 2, 3)):
    """Return a random class as a list of rows, of a dimension among ``dims``."""
    rng = random.Random(seed)
    while True:
        n = rng.randint(*points)
        rows = {tuple(rng.randint(0, 1) for _ in range(n)) for _ in range(rng.randint(*concepts))}
        if len(rows) >= concepts[0] and (ldim is None or ldim(frozenset(rows)) in dims):
            return sorted(rows), rng


def finite(rows):
    return FiniteClass([list(row) for row in rows])


def table(hypothesis, n):
    """Return the labels of a hypothesis on 0, ..., n - 1."""
    return tuple(int(y) for y in hypothesis.predict(np.arange(n)))


def member(concept_class, n):
    """Return the labels of the public default."""
    return table(concept_class.version_space().member(), n)


def exact_law(run, cut=2**-45):
    """Return the law as floats, and the slack."""
    law = ExactSource(cut=cut, follow=1).law(run)
    laws = {outcome: float(ball.mid()) for outcome, ball in law.outcomes.items()}
    return laws, float(law.slack.upper())


def assert_equal(law, reference, slack=0.0, within=1e-11):
    """Every outcome has the same probability, up to what was cut off."""
    for outcome in law.keys() | reference.keys():
        here, there = law.get(outcome, 0.0), reference.get(outcome, 0.0)
        assert abs(here - there) <= within + slack, (outcome, here, there)
