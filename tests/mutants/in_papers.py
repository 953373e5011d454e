"""The papers' algorithms as they are printed, where that is not private or not accurate."""

from __future__ import annotations

from dataclasses import replace

from littlestone.classes.trees import ROOT
from littlestone.data.sample import shuffle
from littlestone.privacy import Neighbours

from .mutant import mutant

_YAN, _LWY = "papers.yan", "papers.li_wang_ye"


@mutant("support from the data", "classes.trees:VC1Tree.deterministic", "test_algorithm_2")
def points_forced_where_no_concept_fits(original, self, sample):
    """Every point is deterministic where no concept fits, so one record moves all votes."""
    found = original(self, sample)
    if found is ROOT and sample.n:  # read literally: the deepest point of any path
        nodes = list(getattr(self, "nodes", []))
        return max(nodes, key=self.depth, default=ROOT)
    return found


@mutant("parts overlap", f"{_YAN}:ProperLearner.draw", "test_both_parts_of_algorithm_4")
def weights_of_both_parts(original, self, sample, source):
    """Weights and values are of all records; those of the first part are paid for once."""
    order, tree = shuffle(sample, source), self.improper.tree
    x_good = self.improper.node(sample, source, order[: self.first(sample.n)])
    return tree.concept(self.descend(x_good, sample, source))


@mutant("wrong theorem", f"{_LWY}:PrivateMinError.locate", "test_private_compare_and_algorithm_2")
def the_other_half(original, self, errors, n, source):
    """The search goes on with the half that does not hold the best error."""
    low, high = 0, self.top
    for _ in range(self.T):
        middle = (low + high) / 2
        bit = self.compare[middle].decide(errors, n, source)
        low, high = (low, middle) if bit else (middle, high)
    return low, min(self.top, high + self.gap)


@mutant(
    "wrong theorem",
    f"{_LWY}:PrivateCompare.trivial",
    "test_a_comparison_with_nothing_to_compare",
    kind="value",
)
def a_comparison_beyond_one(original):
    """An error of 1 or more is compared with, which no t tells from the midpoint."""
    return property(lambda self: False)


@mutant("half noise", f"{_LWY}:rate", "test_lemma_51_and_algorithm_1")
def one_sided_noise_for_replaced_users(original, epsilon, neighbours, sensitivity=1):
    """A user who is replaced raises one score and lowers another; the noise is for one of both."""
    return original(epsilon, Neighbours.USER_ADD_REMOVE, sensitivity)


@mutant("wrong sensitivity", f"{_LWY}_records:surrogate", "test_theorem_34_of_infinite_classes")
def disagreements_left_out(original, concept_class, labels, sample):
    """The score is the least error of a concept alone, whatever h is."""
    return original(concept_class, labels * 0, sample)


@mutant("contribution not bounded", f"{_LWY}:some_of_each", "test_users_of_too_many_records")
def all_records_of_a_user(original, users, m, source):
    """Users with more than m records count with all of them."""
    return users


@mutant(
    "more rounds than paid",
    f"{_YAN}:ProperLearner.T",
    "papers/test_yan.py::test_algorithm_4",
    kind="value",
)
def one_round_more(original):
    """A round that is not paid for."""
    return property(lambda self: original.fget(self) + 1)


@mutant(
    "composition forgotten",
    f"{_YAN}:ProperLearner.each",
    "test_the_rounds_cost_no_more_than_they_may",
    kind="value",
)
def rounds_as_theorem_13_has_them(original):
    """Theorem 13's substitution spends about 2.8 times epsilon."""
    import math
    from fractions import Fraction

    return property(
        lambda self: (
            self.epsilon_rounds
            / Fraction(math.sqrt(2 * math.log(2 / float(self.delta_rounds)) * self.rounds / 2))
        )
    )


@mutant(
    "budget not counted",
    f"{_LWY}:PrivateThreshold.medians",
    "test_lemma_51_and_algorithm_1",
    kind="value",
)
def medians_of_a_whole_epsilon(original):
    """Each median costs twice what was shared out to it."""
    return property(
        lambda self: [replace(one, epsilon=2 * one.epsilon) for one in original.func(self)]
    )
