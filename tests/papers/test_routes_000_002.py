"""Routes of the learners that the pages replace have the pages' laws, where parameters agree.

For as long as both are there.
"""

import random
from dataclasses import dataclass
from fractions import Fraction as F
from functools import cached_property

import pytest

from littlestone.classes import FiniteClass
from littlestone.data.sample import shuffle
from littlestone.learners.vc1.choosers import TreeGoal, TwoStep
from littlestone.learners.vc1.chunks import chunk_ends
from littlestone.mechanisms.median import RankExponential, RankWindow, TreeEM
from littlestone.papers import yan
from littlestone.source import ExactSource

from .test_yan import data_sets, listed, random_class, root

SEEDS = range(20)


def same(one, other):
    laws = [ExactSource().law(run).outcomes for run in (one, other)]
    assert laws[0].keys() == laws[1].keys()
    assert all(laws[0][key].overlaps(laws[1][key]) for key in laws[0])


@dataclass(frozen=True)
class Split(yan.OPTPrivateLearner):
    """Algorithm 2 with the window and the shares of `TwoStep`."""

    route: TwoStep | None = None

    @cached_property
    def private_median(self):
        route, t = self.route, self.t
        above, below = max(t - route.good + 1, 1), route.votes
        window = RankWindow(F(0), F(1))
        if above + below < t:
            window = RankWindow(F(above, t), 1 - F(below, t))
        size, height = route.budget.depth + 1, route.budget.depth.bit_length()
        if self.median == "exponential":
            return RankExponential(size, window, route.epsilons[0])
        return TreeEM(height, window, route.epsilons[0], route.deltas[0])

    @property
    def choosing(self):
        return yan.ChoosingMechanism(self.route.epsilons[1], self.route.deltas[1])


@pytest.mark.first(1)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("median", ["exponential", "tree"])
def test_median_and_choice_on_trees(median, seed):
    rng = random.Random(seed)
    concepts = random_class(rng)
    concept_class = FiniteClass(concepts)
    tree = concept_class.tree()
    budget = TreeGoal(F(4), F(1, 20), F(1, 10), F(1, 10), depth=tree.height)
    route = TwoStep(budget, median, good=rng.randint(1, 3), votes=1, share=F(1, 3), required=1)
    t = rng.randint(1, 4)
    A = Split(concept_class, F(2), F(1, 40), F(1, 10), F(1, 10), t, median, route)
    for records in data_sets(rng, len(concepts[0]), 3, 5):
        sample = listed(records)

        def old(source, sample=sample):
            ends = chunk_ends(tree, sample, shuffle(sample, source), t)
            node = route.choose(ends, tree, source)
            return None if node is None else root(node)

        same(old, lambda source, sample=sample: root(A.node(sample, source)))
