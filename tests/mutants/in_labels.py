"""Broken learners of several labels, their costs and evaluations."""

from __future__ import annotations

from dataclasses import replace
from math import gcd

import numpy as np

from littlestone.costs import Costs

from .mutant import mutant

_EVALUATED = "three labels and their evaluation"


@mutant(
    "label set from the data",
    "classes.finite:FiniteClass._costs",
    "test_exactly_private_with_three_labels",
)
def only_labels_that_occur_are_answered(original, self, sample):
    """The list of labels is read off the table: a label that one person has tells of them."""
    seen = np.append(sample.counts[:-1].sum(axis=1) > 0, False)
    allowed = seen[self.matrix].all(axis=1)
    return np.where(allowed, original(self, sample), 10**6)


@mutant("n depends on the data", "data.sample:Sample.n", _EVALUATED)
def cells_outside_the_list_are_no_records(original, self):
    """Cells outside the list are dropped, so that n tells how many there are."""
    return original(self) - self.unlisted * int(self.by_label[-1])


@mutant("wrong sensitivity", "costs:Costs.table", "test_exactly_private_with_three_labels")
def a_cell_outside_the_list_costs_twice(original, self):
    """It takes from one answer what it adds to the others."""
    table = original(self)
    table[-1] = -2 * self.largest
    table[-1, 0] = 2 * self.largest
    return table


@mutant("composition forgotten", "learners.running:Shares.learner", _EVALUATED)
def an_evaluation_of_labels_is_unpaid(original, self, learner):
    """Where labels are listed, the learner spends all of epsilon, and the evaluation its part."""
    left = original(self, learner)
    return learner if learner.concept_class.lists_labels else left


@mutant("half noise", "evaluation.histogram:histogram_rate", "test_columns_compose")
def one_record_moves_one_cell_of_labels(original, *given, **options):
    """A replaced record leaves one cell and enters another."""
    return 2 * original(*given, **options)


@mutant("noise left out", "learners.running:release_histogram", _EVALUATED)
def no_noise_outside_the_list(original, scores, counts, *, unlisted=False, **options):
    """Cells outside the list are thought to be nobody's."""
    made = original(scores, counts if not unlisted else counts[:-1], **options)
    if not unlisted:
        return made
    return replace(made, counts=(*made.counts, tuple(map(int, counts[-1]))), unlisted=True)


@mutant("float rounding", "costs:Costs.of", "costs of three labels")
def costs_are_floats(original, *given, **options):
    """Costs are scaled in floats, and cut: 0.29 is 28 hundredths, so what is said is not drawn."""
    made = original(*given, **options)
    if made.unit == 1:
        return made
    rows = [[int(float(made.unit * k) * float(1 / made.unit)) for k in row] for row in made.matrix]
    factor = gcd(*(k for row in rows for k in row)) or 1
    return Costs(tuple(tuple(k // factor for k in row) for row in rows), made.unit * factor)
