"""Broken parts and votes: who sees a record, and what is counted of it."""

from __future__ import annotations

from fractions import Fraction
from itertools import cycle
from types import SimpleNamespace

import numpy as np

from littlestone.data.sample import part, shuffle, written_out
from littlestone.mechanisms.median import RankWindow

from .mutant import mutant, patched

_CHOOSERS = "learners.vc1"
_PARTS = "learners.littlestone:parts"
_MEDIAN = "mechanisms.median:private_median"


@mutant(
    "shuffling forgotten",
    "data.sample:shuffle",
    "data/test_sample.py::test_a_secret_permutation_is_uniform",
)
def a_deal_without_a_permutation(original, sample, source):
    """Counted records are shuffled in their sorted order: one smaller record shifts all others."""
    return written_out(sample)


@mutant("secret made public", "learners.vc1:_places", "test_the_law_is_that_of_a_full_permutation")
def places_that_everybody_can_draw(original, n, source):
    """Outermost records get their places from public coins; they are walked in sorted order."""
    public = source.public_rng()
    return original(n, SimpleNamespace(permutation=lambda n, few: public.permutation(n)[:few]))


@mutant(
    "parameter from the data",
    f"{_CHOOSERS}:ChainMedian.choose",
    "test_few_ends_of_many_are_not_the_root",
)
def a_window_for_the_paths_that_are_there(original, self, ends, tree, source):
    """The window of the median depth is a share of the paths that force something, not of all."""
    there = sum(tree.depth(end) > 0 for end in ends) or 1
    above = max(there - self.good + 1, 1)
    window = RankWindow(Fraction(0), Fraction(1))
    if above + 1 < there:
        window = RankWindow(Fraction(above, there), 1 - Fraction(1, there))
    with patched(f"{_CHOOSERS}:RankWindow", lambda *_: window):
        return original(self, ends, tree, source)


@mutant("parameter from the data", f"{_CHOOSERS}:one_shot_path", "paths that force nothing")
def a_reserve_for_the_paths_that_are_there(original, ends, tree, *, reserve, **options):
    """What is asked of a node is computed from how many paths force something: one record moves
    a score by two.
    """
    nothing = sum(not tree.depth(end) for end in ends)
    return original(ends, tree, reserve=max(reserve - nothing, 0), **options)


@mutant("parts overlap", _PARTS, "test_records_are_shuffled_or_counted")
def teachers_that_share_a_record(original, sample, source, chunk):
    """Each teacher also hears the first record of the next one: a record has two lists."""
    shuffled = shuffle(sample, source)
    return [
        (part(sample, shuffled[i * chunk : (i + 1) * chunk + 1]), 1)
        for i in range(max(1, sample.n // chunk))
    ]


@mutant("parts overlap", _PARTS, "test_records_are_shuffled_or_counted")
def records_left_over_go_to_all_teachers(original, sample, source, chunk):
    """So that none is wasted, every teacher hears the records that are fewer than a chunk."""
    shuffled, teachers = shuffle(sample, source), max(1, sample.n // chunk)
    rest = shuffled[teachers * chunk :]
    return [
        (part(sample, np.append(shuffled[i * chunk : (i + 1) * chunk], rest)), 1)
        for i in range(teachers)
    ]


#: Whether the part that is taken is the second one of a draw.
_SECOND = cycle([False, True])


@mutant("parts overlap", "learners.agnostic:part", "test_labels_of_the_first_part_do_not_matter")
def labels_of_the_first_part_choose_too(original, sample, kinds):
    """The dichotomy is scored on all records: those of the first part are used twice."""
    return sample if next(_SECOND) else original(sample, kinds)


@mutant(
    "half noise",
    "learners.agnostic:selection_rate",
    "agnostic:vc1 on thresholds(1, 2), high epsilon",
)
def dichotomies_at_twice_the_rate(original, epsilon):
    """The rate is epsilon instead of half of it."""
    return 2 * original(epsilon)


@mutant("amplification too good", "learners.agnostic:rate_for", "share of the pool")
def points_of_the_first_part_are_free(original, outer, inner, groups):
    """Which dichotomies there are depends on the first part's points: a factor of 4 that the
    share of the pool has to pay for, and here does not.
    """
    return original(outer, inner, 1)


@mutant(
    "n depends on the data", "mechanisms.median:Ordered.read", "test_values_are_clamped_and_counted"
)
def values_outside_the_domain_are_left_out(original, cls, values, low, high, *caller):
    """They are no points, so the median forgets them: n, and all that it decides, tells how many
    they were.
    """
    return original(cls, [v for v in values if low <= v <= high], low, high, *caller)


def distinct(values, low, high):
    """Return how many points of the domain the values are."""
    return len({min(max(int(v), low), high) for v in values})


@mutant("parameter from the data", _MEDIAN, "test_the_certificate_does_not_see_the_values")
def a_certificate_for_the_different_values(original, values, low, high, **options):
    """The certificate beside a median is that for the number of distinct values."""

    def chosen(choose, *given, **rest):
        made = choose(*given, **rest)
        few = made.certificate
        return _Certified(made, lambda n, beta: few(distinct(values, low, high), beta))

    with patched("mechanisms.median:choose", chosen):
        return original(values, low, high, **options)


class _Certified:
    """A mechanism with another certificate."""

    def __init__(self, made, certificate):
        self.made, self.certificate = made, certificate

    def __getattr__(self, name):
        return getattr(self.made, name)
