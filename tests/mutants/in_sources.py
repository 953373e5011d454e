"""Broken draws: bits that are rounded, reused or known."""

from __future__ import annotations

from dataclasses import replace
from math import ceil

import numpy as np
from flint import arb

from littlestone.source import SeededSource

from .mutant import mutant

_WEIGHTS = "source.sources"
_SAMPLER = "source.sources:BitSource"
_BYTES = "source.sources:SecureSource._bytes"


@mutant(
    "float underflow", "source.leveled:LevelWeights.enclose", "test_scores_beyond_machine_integers"
)
def hopeless_outcomes_are_impossible(original, self, bits):
    """A weight far below the best becomes zero, as in a softmax of floats."""
    return [ball if ball.mid() != 0 else arb(0) for ball in original(self, bits)]


@mutant("float rounding", f"{_WEIGHTS}:_whole_bounds", "test_draws_that_depend_on_draws")
def a_coin_rounded_to_64_bits(original, x):
    """Draws that are too close to call are called."""
    low, _ = original(x)
    return low, low


@mutant("float rounding", f"{_WEIGHTS}:_whole_bounds", "test_draws_that_depend_on_draws")
def a_coin_in_double_precision(original, x):
    """The cumulative weights go through a double."""
    return original(arb(float(x / 2**64)) * 2**64)


@mutant("biased draw", f"{_SAMPLER}.below", "test_below_is_rejection_from_the_fewest_bits")
def uniform_by_remainder(original, self, m):
    """Value % m instead of drawing anew: small results are likelier."""
    return self._bits((m - 1).bit_length()) % m if m > 1 else 0


@mutant("secret made public", f"{_SAMPLER}.permutation", "test_tied_keys_are_drawn_anew")
def a_permutation_by_public_coins(original, self, n, first=None):
    """Who is in which chunk is known to whoever knows the seed of the hash functions."""
    return self.public_rng().permutation(n)[:first]


@mutant("biased draw", f"{_SAMPLER}._order", "test_tied_keys_are_drawn_anew")
def a_shuffle_that_is_not_uniform(original, self, n):
    """The keys of the sort have two bits: the order of a file shines through."""
    keys = np.frombuffer(self._bytes(8 * n), dtype=np.uint64) >> np.uint64(62)
    return np.argsort(keys, kind="stable")


@mutant("randomness reused", _BYTES, "test_threads_never_share_bits")
def entropy_that_serves_twice(original, self, k):
    """The position in the buffer does not move."""
    piece = original(self, k)
    self._position = max(0, self._position - k)
    return piece


@mutant(
    "randomness reused",
    "source.sources:SecureSource._forget",
    "test_a_forked_child_draws_its_own_bits",
)
def a_child_that_inherits_its_parents_entropy(original, self):
    """After a fork both processes draw the same bytes."""
    if not hasattr(self, "_buffer"):
        original(self)


@mutant(
    "randomness not random", "learners.sklearn_base:PrivateClassifier._source", "seeds are named"
)
def seed_0_if_none_is_given(original, self):
    """A default that makes examples reproducible, and releases too."""
    return SeededSource(0) if self.random_state is None else original(self)


@mutant(
    "randomness not random",
    "privacy.guarantee:Guarantee.__str__",
    "test_what_follows_from_nothing_is_refused",
)
def a_seeded_release_that_says_nothing(original, self):
    """The guarantee of a reproducible release reads like that of a private one."""
    return original(replace(self, seeded=False))


@mutant("overflow", "source.leveled:exact_integers", "counts beyond 64 bits")
def sums_of_counts_wrap_around(original, values, reach=None):
    """Counts that fit into 64 bits each are added up in 64 bits: another candidate, or a crash."""
    return original(values, reach=0)


_STREAMED = "source.leveled"


@mutant(
    "float underflow",
    f"{_STREAMED}:heaviest_tail",
    "test_beside_every_boundary_the_outcome_is_that_of_exact_inversion",
)
def a_tail_that_is_too_light(original, rate, score, candidates):
    """What lies far below the best is taken for less than it may weigh, and never fetched."""
    return original(rate, score - ceil(40 / rate), candidates)


@mutant("biased draw", f"{_STREAMED}:_near", "test_levels_of_many_pieces_are_merged")
def a_level_that_is_lost(original, kept, gap):
    """The lowest level of those near the best is left out; the tail is bounded as if it were in."""
    scores, counts = original(kept, gap)
    return (scores[1:], counts[1:]) if gap is not None and len(scores) > 1 else (scores, counts)


@mutant("biased draw", "classes.thresholds:Thresholds._streamed", "streamed thresholds")
def points_between_two_batches_are_lost(original, self, sample):
    """A batch's first run starts at its first data point, not behind the last one before it."""
    for number, runs in enumerate(original(self, sample)):
        starts = runs.starts.copy()
        if number and len(starts) > 1:
            starts[0] = starts[1] - 1
        yield replace(runs, starts=starts)


_PAIRS = "source.leveled"


@mutant("float underflow", f"{_PAIRS}:_Doubles._decay", "test_the_error_bound_holds")
def near_pairs_that_count_as_nothing(original, self, gaps):
    """What weighs a little less than the best pair is left out of the sums."""
    return np.where(gaps > 1, 0.0, original(self, gaps))


@mutant("biased draw", f"{_PAIRS}:_Doubles._values", "test_the_error_bound_holds")
def sums_that_begin_anew(original, self, part, state):
    """Left ends of earlier parts are forgotten by the doubles."""
    return original(self, part, state._replace(total=0.0))


@mutant("biased draw", "classes.base:_steps", "test_law_of_tree_paths")
def spans_that_never_end(original, places, changes, score):
    """Concepts behind a point gain what only that point's span should."""
    return original(places, np.where(changes < 0, 0, changes), score)
