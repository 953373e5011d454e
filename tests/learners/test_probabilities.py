"""Shares of labels among equal answers: their counts are private, and give probabilities."""

import math
from itertools import product

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score

import littlestone as ls
from littlestone.classes.decision_trees import Node, TreeHypothesis
from littlestone.data import Sample
from littlestone.errors import UnsupportedError
from littlestone.evaluation import Evaluation, ScoreHistogram
from littlestone.learners import running
from littlestone.source import ExactSource, SeededSource

SCHEMA = ls.Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn"]}})
TINY = ls.Schema.from_dict({"age": {"bins": [30]}})
AT30, _, AT60, _, BONN, _ = SCHEMA.literals()
ROWS = np.array(list(product(range(5), range(3))))


def histogram_of(tree, data, epsilon=10**6):
    """Return the evaluation of one tree, with hardly any noise."""
    sample = Sample.of(np.array([row for row, _ in data]), [label for _, label in data])
    found = running._histogram(tree, sample, SeededSource(0), epsilon, held_out=False)
    return np.array(found.counts)


def test_one_record_moves_two_cells_by_one_at_most():
    tree = TreeHypothesis.of(Node(AT30, Node(BONN, 1, 0), Node(AT60, 0, 1)))
    kinds = list(product([(0, 0), (2, 2), (4, 2), (4, 1)], (0, 1)))
    for data in product(kinds, repeat=2):
        counts = histogram_of(tree, data)
        assert counts.sum() == 2
        for kind in kinds:
            moved = np.abs(counts - histogram_of(tree, (data[0], kind)))
            assert moved.sum() <= 2


def worst_cells(law):
    """Return the largest loss of two cells of which one gains a record and the other loses it."""
    empty, full = law(0), law(1)
    if set(empty) != set(full):
        return math.inf
    up = max(math.log(full[v] / empty[v]) for v in full)
    return up + max(math.log(empty[v] / full[v]) for v in full)


@pytest.mark.more
def test_cells_without_records_have_noise_as_well():
    def law(count):
        sample, tree = Sample.of(np.array([[3]]), [1 - count]), TreeHypothesis.of(0)

        def cell(source):
            return running._histogram(tree, sample, source, 8, held_out=False).counts[0][0]

        return {v: float(p.mid()) for v, p in ExactSource().law(cell).outcomes.items()}

    laws = [law(0), law(1)]
    assert worst_cells(lambda count: laws[count]) <= 8 + 1e-9
    laws[0] = {0: 1.0}  # a mutant: empty cells stay empty
    assert worst_cells(lambda count: laws[count]) > 8 + 1e-9


def test_shares_are_smoothed():
    from fractions import Fraction

    counts = ((-5, 8), (-7, 0))
    found = Evaluation(ScoreHistogram((0, 1), counts, 8, Fraction(1), Fraction(1, 2))).shares()
    assert found.tolist() == [[0.5, 0.9], [0.5, pytest.approx(0.1)]]


CELLS = np.array([["20", "Bonn"], ["70", "Rome"], ["40", "Bonn"], ["10", "x"]] * 60, dtype=object)
LABELS = np.array([0, 1, 1, 0] * 60)


def test_sklearn_ranks_by_them():
    trees = ls.DecisionTrees(SCHEMA, 2)
    own = ls.AgnosticLearner(trees, epsilon=8, evaluate=4, random_state=0)
    search = GridSearchCV(own, {"alpha": ["0.1", "0.2"]}, scoring="roc_auc", cv=2)
    search.fit(CELLS, LABELS)
    assert search.best_score_ > 0.9
    assert cross_val_score(own, CELLS, LABELS, scoring="roc_auc", cv=2).min() > 0.9
    assert own.fit(CELLS, LABELS).predict_proba(CELLS).shape == (240, 2)
    assert own.evaluation_.histogram.n == 240


def test_rules_and_thresholds_have_the_shares_of_their_answers():
    learner = ls.GenericLearner(ls.Thresholds(1, 9), epsilon=8, random_state=0)
    assert not hasattr(learner, "predict_proba")
    learner.fit([2, 8] * 100, [0, 1] * 100)
    assert not hasattr(learner, "predict_proba")
    with pytest.raises(UnsupportedError, match="labels, not probabilities"):
        learner.release_.predict_proba([2])
    learner.fit([2, 8] * 100, [0, 1] * 100, evaluate=4)
    low, high = learner.predict_proba([2, 8])[:, 1]
    assert low < 0.1
    assert high > 0.9
