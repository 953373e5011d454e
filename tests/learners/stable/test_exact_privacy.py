"""Learner M verified exactly: all ordered lists of small classes; broken variants are caught."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

import littlestone.learners.stable.learner as algorithm
from littlestone import audit
from littlestone.classes import FiniteClass, Points
from littlestone.data.sample import OrderedSample, shuffle
from littlestone.learners.stable import Stable
from littlestone.mechanisms import stable_items
from littlestone.privacy import hockey_stick, tightest_epsilon
from littlestone.source import ExactSource

ONE = FiniteClass([[0, 0], [0, 1], [1, 0]])
BUDGET = {"epsilon": 1, "delta": F(1, 5), "alpha": F(1, 3), "beta": F(1, 3)}


def learner(concepts=ONE, *, make=Stable, **parameters):
    return make(concepts, **BUDGET, constants=parameters)


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("parameters", "n", "outside"),
    [
        ({"auxiliary": 1, "copies": [2]}, 3, False),  # k = 0: the SOA alone
        ({"auxiliary": 1, "copies": [2]}, 3, True),
        ({"auxiliary": 1, "copies": [0, 1], "batches": [0, 2]}, 4, False),  # one tournament
        ({"auxiliary": 1, "copies": [5]}, 2, False),  # too few records
    ],
)
def test_private_on_all_lists(parameters, n, outside):
    result = audit.verify(learner(**parameters), points=[0, 1], n_samples=n, outside=outside)
    assert result.holds
    assert result.ordered
    assert result.refusals == 0
    assert result.worst_delta > 0


@pytest.mark.full
@pytest.mark.parametrize(
    ("parameters", "n"),
    [
        ({"auxiliary": 1, "copies": [3]}, 4),
        ({"auxiliary": 2, "copies": [2]}, 5),
        ({"auxiliary": 1, "copies": [1, 1], "batches": [0, 2]}, 5),
    ],
)
def test_private_on_all_longer_lists(parameters, n):
    assert audit.verify(learner(**parameters), points=[0, 1], n_samples=n).holds


@pytest.mark.more
def test_private_for_other_classes():
    two = FiniteClass([[0, 0], [0, 1], [1, 0], [1, 1]])
    for concepts, points in ((two, [0, 1]), (Points(), ["a", "b"])):
        made = learner(concepts, auxiliary=1, copies=[3])
        assert audit.verify(made, points=points, n_samples=3).holds


@pytest.mark.more
def test_private_when_every_search_is_given_up():
    made = Stable(ONE, **BUDGET, constants={"auxiliary": 1, "copies": [3]}, max_nodes=0)
    result = audit.verify(made, points=[0, 1], n_samples=3)
    assert result.holds


# Broken variants.


class AllRecords(Stable):
    """The choice looks at all records: then its cost adds to the histogram's."""

    def draw(self, sample, source):
        shuffled = shuffle(sample, source)
        copies, chosen_by = self.plan.parts(sample.n)
        found = self.submitted(sample, shuffled[: len(shuffled) - chosen_by], copies, 0)
        return algorithm_end(self, list(found), sample, source)


class NoThreshold(Stable):
    """Whatever is submitted is listed."""

    def draw(self, sample, source):
        shuffled = shuffle(sample, source)
        copies, chosen_by = self.plan.parts(sample.n)
        found = [
            h for h in self.submitted(sample, shuffled[:-chosen_by], copies, 0) if h is not None
        ]
        return max(found, key=found.count) if found else self.default


class Raises(Stable):
    """ "Fail" is an error instead of nothing."""

    def draw(self, sample, source):
        shuffled = shuffle(sample, source)
        copies, chosen_by = self.plan.parts(sample.n)
        if None in self.submitted(sample, shuffled[:-chosen_by], copies, 0):
            raise ValueError("Fail")
        return super().draw(sample, source)


class Follows(Stable):
    """A copy looks at what the first copy submitted: one record moves all items."""

    def draw(self, sample, source):
        shuffled = shuffle(sample, source)
        copies, chosen_by = self.plan.parts(sample.n)
        found = list(self.submitted(sample, shuffled[:-chosen_by], copies, 0))
        return algorithm_end(self, [found[0]] * len(found), sample, source)


def algorithm_end(self, found, fresh, source):
    listed = stable_items(
        (h for h in found if h is not None),
        n=len(found), epsilon=self.epsilon, delta=self.delta, source=source,
    )  # fmt: skip
    if not listed:
        return self.default
    scores = algorithm.Explicit([-algorithm.errors(h, fresh) for h in listed])
    return listed[algorithm.exponential_mechanism(scores, epsilon=self.epsilon, source=source)]


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("make", "parameters"),
    [
        (NoThreshold, {"auxiliary": 1, "copies": [3]}),
        (Follows, {"auxiliary": 1, "copies": [3]}),
        (Raises, {"auxiliary": 1, "copies": [0, 1], "batches": [0, 2]}),
    ],
)
def test_broken_variants_are_caught(make, parameters):
    assert not audit.verify(learner(make=make, **parameters), points=[0, 1], n_samples=4).holds


def test_parts_that_overlap_are_caught():
    """One record less for a hypothesis: listed less often *and* chosen less often."""
    budget = {**BUDGET, "delta": F(1, 1000)}

    def law(make, one):
        made = make(ONE, **budget, constants={"auxiliary": 1, "copies": [44]})
        assert made.plan.parts(64) == ((44,), 20)
        points = [*[0] * 9, one, *[1] * 34, *[0] * 20]  # (0, 1) speaks for 10, (1, 1) for 01
        listed = OrderedSample.listed(points, [1] * 64)
        return ExactSource().law(lambda source: made.draw(listed, source)).outcomes

    for make, private in ((Stable, True), (AllRecords, False)):
        laws = [law(make, one) for one in (0, 1)]
        worst = max(float(hockey_stick(p, q, F(1)).upper()) for p, q in (laws, laws[::-1]))
        assert (worst <= F(1, 1000)) == private


def test_the_choice_costs_epsilon_and_nearly_all_of_it():
    """Both hypotheses are surely listed; one record of the choice is replaced."""
    made = Stable(
        ONE, **{**BUDGET, "delta": F(1, 1000)}, constants={"auxiliary": 1, "copies": [120]}
    )
    (copies,), rest = made.plan.parts(140)
    assert (copies, rest) == (105, 35)

    def law(first):
        points = [*[0] * 52, *[1] * 53, first, *[1] * 34]  # as above
        listed = OrderedSample.listed(points, [1] * 140)
        return ExactSource().law(lambda source: made.draw(listed, source)).outcomes

    laws = [law(0), law(1)]
    for p, q in (laws, laws[::-1]):
        assert float(hockey_stick(p, q, F(1)).upper()) <= F(1, 1000)
    assert max(float(tightest_epsilon(p, q).upper()) for p, q in (laws, laws[::-1])) > 0.9
