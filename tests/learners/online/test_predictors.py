"""Without privacy: mistake bounds on every realizable sequence, exhaustively."""

from itertools import combinations, product

import pytest

import littlestone as ls
from littlestone.classes import FiniteClass, Points, SparseSets, Thresholds
from littlestone.combinatorics import Kernel
from littlestone.learners.online.algorithm import HalvingPredictor, SOAPredictor


def most_mistakes(make, concept_class, matrix):
    """The largest number of mistakes on any realizable sequence, by walking all of them.

    Only mistakes change a predictor, so the worst sequence asks for one mistake after the other.
    """
    columns = range(len(matrix[0]))
    worst, stack = 0, [((), [list(row) for row in matrix])]
    while stack:
        sequence, left = stack.pop()
        predictor = make(concept_class)
        for x, y in sequence:
            assert predictor.predict_one(x) != y
            predictor.learn_one(x, y)
        worst = max(worst, len(sequence))
        assert len(sequence) < len(matrix), "a mistake that teaches nothing may come again"
        for x in columns:
            y = 1 - predictor.predict_one(x)
            rest = [row for row in left if row[x] == y]
            if rest:
                stack.append(((*sequence, (x, y)), rest))
    return worst


@pytest.mark.first(4)
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_the_soa_makes_littlestone_dimension_mistakes_on_all_classes_of_three_points(size):
    for matrix in combinations(list(product((0, 1), repeat=3)), size):
        d = Kernel(list(map(list, matrix))).ldim()
        soa = most_mistakes(SOAPredictor, FiniteClass(matrix), matrix)
        assert soa == d == SOAPredictor(FiniteClass(matrix)).mistake_bound()
        halving = HalvingPredictor(FiniteClass(matrix))
        assert most_mistakes(HalvingPredictor, FiniteClass(matrix), matrix) <= (
            halving.mistake_bound()
        )


def test_right_predictions_do_not_matter_and_every_order_is_fine():
    """All sequences of length 4 with repetitions, right predictions included."""
    matrix = [[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]]
    for concept, order in product(matrix, product(range(3), repeat=4)):
        soa, halving = SOAPredictor(FiniteClass(matrix)), HalvingPredictor(FiniteClass(matrix))
        wrong = [0, 0]
        for x in order:
            for i, predictor in enumerate((soa, halving)):
                wrong[i] += predictor.predict_one(x) != concept[x]
                predictor.learn_one(x, concept[x])
        assert max(wrong) <= 2


def test_structured_classes_of_any_size():
    soa = ls.theory.SOAPredictor(Thresholds(1, 2**200))
    wrong = 0
    for i in range(600):
        x = 1 + (i * 7919**40) % 2**200
        y = x > 3**100
        wrong += soa.predict_one(x) != y
        soa.learn_one(x, y)
    assert wrong <= soa.mistake_bound() == 200
    sets = SOAPredictor(SparseSets(3))
    wrong = 0
    for x in ["oslo", "rome", "oslo", "bonn", "kyiv", "rome", "bonn", "kyiv"] * 3:
        y = x in {"rome", "kyiv"}
        wrong += sets.predict_one(x) != y
        sets.learn_one(x, y)
    assert wrong == 2
    assert sets.mistake_bound() == 3


def test_what_no_concept_explains_and_what_is_no_point():
    soa = SOAPredictor(Points())
    for x, y in (("a", 1), ("b", 1), ("a", 0)):
        soa.learn_one(x, y)
    assert soa.predict_one("a") == 1
    ages = SOAPredictor(Thresholds(1, 9))
    ages.learn_one("seven", 1)
    ages.learn_one(100, 1)
    assert ages.predict_one(None) == 0
    assert ages.hypothesis_ == SOAPredictor(Thresholds(1, 9)).hypothesis_
    with pytest.raises(ls.errors.UnsupportedError if hasattr(ls, "errors") else TypeError):
        HalvingPredictor(Points())
    with pytest.raises(ValueError, match="must be 0 or 1"):
        ages.learn_one(3, 2)
