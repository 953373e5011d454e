"""What exact verifications share: the loss of a hypothesis and an evaluation of it together."""

import math
from itertools import combinations_with_replacement

import numpy as np
import pytest

from littlestone.audit.verify import RecordCases
from littlestone.evaluation import release_histogram
from littlestone.source import ExactSource


def cell_law(count, n, epsilon):
    """Return the exact law of one noisy cell, from the releasing code."""
    law = ExactSource().law(
        lambda source: release_histogram(
            [0], [[count], [0]], n=n, epsilon=epsilon, source=source
        ).counts[0][0]
    )
    assert law.slack == 0
    return {value: float(p.mid()) for value, p in law.outcomes.items()}


def laws_of(learner, n, kinds, score):
    """Return the law of the trees of each data set, and where they count each point."""
    concepts = learner.concept_class
    labels = len(concepts.labels) if concepts.lists_labels else None
    cases = RecordCases(kinds, concepts.domain, ordered=False, labels=labels)
    laws = {}
    for data in combinations_with_replacement(kinds, n):
        law = ExactSource().law(lambda source, data=data: learner.draw(cases.sample(data), source))
        laws[data] = {h: float(p.mid()) for h, p in law.outcomes.items()}
    points = list(dict.fromkeys(point for point, _ in kinds))
    place = {
        h: dict(zip(points, score(h, np.array(points)).tolist(), strict=True))
        for law in laws.values()
        for h in law
    }
    return laws, place


def worst(learner, n, evaluate, kinds, score):
    """Return the largest loss of (trees, histogram) over all data sets and their neighbours.

    Given the trees, the cells are independent, and replacing one record changes two cells by one:
    so the loss of an outcome is that of the trees plus that of the two cells. ``score(trees,
    points)`` says in which column of the histogram points are counted; a record's row is its label.
    """
    cells = [cell_law(count, n, evaluate) for count in range(n + 1)]
    assert len({tuple(sorted(law)) for law in cells}) == 1
    of_cells = {
        (a, b): max(math.log(cells[a][v] / cells[b][v]) for v in cells[a])
        for a in range(n + 1)
        for b in (a - 1, a + 1)
        if 0 <= b <= n
    }
    laws, place = laws_of(learner, n, kinds, score)
    most = 0.0
    for data, law in laws.items():
        for i, old in enumerate(data):
            for new in kinds:
                other = tuple(sorted((*data[:i], new, *data[i + 1 :]), key=kinds.index))
                for h, p in law.items():
                    where = {kind: (kind[1], place[h][kind[0]]) for kind in kinds}
                    loss = math.log(p / laws[other][h])
                    if where[old] != where[new]:
                        down = sum(where[k] == where[old] for k in data)
                        up = sum(where[k] == where[new] for k in data)
                        loss += of_cells[down, down - 1] + of_cells[up, up + 1]
                    most = max(most, loss)
    return most


def leaked(learner, n, kinds, score):
    """Return the largest hockey-stick divergence, at epsilon, of (trees, histogram) of neighbours.

    Trees and the two cells that a replaced record changes are one law: all outcomes are added up.
    """
    cells = [cell_law(count, n, learner.evaluation) for count in range(n + 1)]
    cells = [np.array([law[value] for value in sorted(law)]) for law in cells]
    laws, place = laws_of(learner, n, kinds, score)
    most, grown = 0.0, math.exp(learner.epsilon)
    for data, law in laws.items():
        for i, old in enumerate(data):
            for new in kinds:
                other = tuple(sorted((*data[:i], new, *data[i + 1 :]), key=kinds.index))
                total = 0.0
                for h, p in law.items():
                    where = {kind: (kind[1], place[h][kind[0]]) for kind in kinds}
                    down = sum(where[k] == where[old] for k in data)
                    up = sum(where[k] == where[new] for k in data)
                    one = other_one = np.ones((1, 1))
                    if where[old] != where[new]:
                        one = np.outer(cells[down], cells[up])
                        other_one = np.outer(cells[down - 1], cells[up + 1])
                    q = laws[other].get(h, 0.0)
                    total += np.maximum(p * one - grown * q * other_one, 0).sum()
                most = max(most, float(total))
    return most


@pytest.fixture
def worst_loss():
    return worst


@pytest.fixture
def largest_leak():
    return leaked
