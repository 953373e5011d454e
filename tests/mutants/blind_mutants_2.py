"""Mutants by another person who had not seen the tests, after all earlier ones were caught.

Of these 15, 5 were caught by the detectors that there were then.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from littlestone.classes import ThresholdHypothesis

from .mutant import mutant, patched

_BITS = "source.sources:BitSource"


@mutant(
    "threshold replaced", "mechanisms.select:_rate_and_threshold", "test_numbers_of_the_certificate"
)
def the_asked_threshold_instead_of_the_private_one(original, caller, epsilon, delta, at_least):
    """Who asks for items that occur at least three times gets a histogram cut at three: one name
    is kept that delta would have hidden.
    """
    rate, threshold = original(caller, epsilon, delta, at_least)
    return rate, at_least or threshold


@mutant("randomness reused", "source.sources:SecureSource._bytes", "test_threads_never_share_bits")
def random_bytes_in_a_ring(original, self, k):
    """The buffer of random bytes is read as a ring: once it has been read exactly to its end, the
    same bytes are handed out again.
    """
    piece = original(self, k)
    self._position %= len(self._buffer) or 1
    return piece


@mutant(
    "shuffling by position", f"{_BITS}._places", "test_first_entries_of_a_permutation_are_uniform"
)
def places_in_increasing_order(original, *given):
    """Few places among many come sorted instead of in random order: the outermost records of a
    list get the lowest places, and one record that is replaced moves the others to other chunks.
    """
    return np.sort(original(*given))


@mutant("candidates from the data", "learners.vc1:ChainMedian.choose", "vc1 on thresholds(1, 2)")
def the_deepest_chunk_ends_the_medians_domain(original, self, ends, tree, source):
    """The median depth is drawn among the depths up to the deepest chunk's, not up to the tree's:
    one record in a deep place brings many candidates with it, which take the mass from all others.
    """
    shallow = replace(self.budget, depth=max(map(tree.depth, ends)))
    return original(replace(self, budget=shallow), ends, tree, source)


class _Certain(Exception):
    """The interval holds no record."""


@mutant(
    "data-dependent branch",
    "papers.li_wang_ye:PrivateThreshold.draw",
    "test_lemma_51_and_algorithm_1",
)
def nobody_in_the_interval(original, self, sample, source):
    """The search for a threshold stops where the interval holds no record: then its lower end is
    certain, and one user with a record there makes others possible.
    """

    def draw(median, self, users, low, high, source):
        if not ((users.points >= low) & (users.points <= high)).any():
            raise _Certain(low)
        return median(self, users, low, high, source)

    with patched("papers.li_wang_ye:IntervalMedian.draw", draw):
        try:
            return original(self, sample, source)
        except _Certain as found:
            concepts = self.concept_class
            return ThresholdHypothesis(found.args[0], concepts.low, concepts.high)


@mutant("overflow", "learners.users.scores:_narrowest", "one user, one step")
def integers_one_too_narrow(original, largest):
    """How wide the counts of mistakes are stored is decided by one count less than there may be:
    a count that reaches 128 wraps around, unless somebody else has more, and all such users turn
    with that one.
    """
    return original(largest - 1)


@mutant(
    "state rolled back",
    "learners.online.journal:PublicRecord.catch_up",
    "test_the_public_record_catches_up_and_is_made_again",
)
def a_copy_that_has_published_as_much(original, self, state):
    """An old copy of a stream's state is continued if no hypothesis was published since: the
    noise of the above-threshold test is drawn again for records whose silence is known already.
    """
    if state is None:
        return original(self, state)
    time, state.time = state.time, 10**9
    try:
        return original(self, state)
    finally:
        state.time = time


@mutant("cut depends on others", "data.targets:UserSample._cut_one", "the cut of a rich user")
def a_rich_user_cut_by_number(original, self, *given):
    """The records of a user who has very many are drawn by the user's number, which is the rank
    of the name: a user with another name renumbers this one, and other records are kept.
    """
    return original(replace(self, keys=np.arange(len(self.keys), dtype=np.uint64)), *given)


@mutant("sampling", "learners.agnostic:places", "test_places_are_uniform_in_order")
def swapped_with_itself(original, n, m, source):
    """The place that is moved to the drawn one is not looked up: it may have been drawn already,
    and is then in the part twice.
    """
    moved, out = {}, []
    for i in range(m):
        j = i + source.below(n - i)
        out.append(moved.get(j, j))
        moved[j] = i
    return np.array(out, dtype=np.int64)


class _First:
    """A source whose uniform integers are 0."""

    def __init__(self, source):
        self.source = source

    def __getattr__(self, name):
        return getattr(self.source, name)

    def below(self, m):
        return 0


@mutant(
    "support from the data",
    "classes.decision_trees.concept_class:Drawing.tree",
    "generic on decision_trees(depth=2)",
)
def any_split_that_looks_the_same(original, self, source, path=()):
    """Of the splits that part the records alike the first one is taken: whether the others are
    possible says whether they part these records alike.
    """
    return original(self, _First(source), path)
