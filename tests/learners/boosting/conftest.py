"""What exact verifications of boosting share: the loss of trees and an evaluation together."""

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


@pytest.fixture
def worst_loss():
    return worst
