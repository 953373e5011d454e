"""Checks of mechanisms that the table does not make: special inputs, order, hashes."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from littlestone.audit.mechanism import replace_one, verify_mechanism
from littlestone.audit.table.mechanisms import transcript
from littlestone.mechanisms import (
    AboveThreshold,
    exponential_mechanism,
    private_count,
    sparse_select,
    sparse_select_lists,
    stable_histogram,
    stable_items,
)
from littlestone.mechanisms.median import TuplePaths, one_shot_path
from littlestone.source import ExactSource, Explicit, Source

from .base import Detector, verified

__all__ = ["OF_MECHANISMS"]

ONE, SMALL = Fraction(1), Fraction(1, 10**6)


def wide_scores() -> str | None:
    """Try scores that one record moves by up to 3."""

    def run(scores: tuple[int, ...], source: Source) -> Hashable:
        return exponential_mechanism(
            Explicit(np.array(scores)), epsilon=ONE, sensitivity=3, source=source
        )

    pairs = [((a, b), (a + i, b + j)) for a in range(3) for b in range(3)
             for i in range(-3, 4) for j in range(-3, 4)]  # fmt: skip
    return verified(run, pairs)


def huge_epsilon() -> str | None:
    """Try scores so far apart that their weights leave the range of a double."""

    def run(scores: tuple[int, ...], source: Source) -> Hashable:
        return exponential_mechanism(Explicit(np.array(scores)), epsilon=1500, source=source)

    result = verify_mechanism(run, [((0, 2), (1, 1)), ((0, 2), (0, 1))], epsilon=1500, delta=0)
    return None if result.holds else f"worst delta {result.worst_delta:.3g}"


def repeated_votes() -> str | None:
    """Try lists that name one candidate twice, at an epsilon at which that shows."""
    pool = [(), ("a",), ("a", "a"), ("a", "a", "b", "b"), ("b", "b")]

    def run(lists: Any, source: Source) -> Hashable:
        return sparse_select_lists(
            lists, cap=4, epsilon=2, delta=SMALL, source=source, default=None
        )

    return verified(run, replace_one(pool, 2), epsilon=2, delta=SMALL)


def popular_candidates() -> str | None:
    """Try candidates so popular that bottom plays no part: only the rate counts."""

    def run(scores: tuple[int, ...], source: Source) -> Hashable:
        held = dict(enumerate(scores))
        return sparse_select(held, k=1, epsilon=ONE, delta=SMALL, source=source, default=None)

    def of_lists(lists: tuple[tuple[int, ...], ...], source: Source) -> Hashable:
        return sparse_select_lists(
            lists, cap=1, epsilon=ONE, delta=SMALL, source=source, default=None
        )

    votes = [tuple((0,) if i < zeros else (1,) for i in range(120)) for zeros in (60, 61)]
    return verified(run, [((60, 60), (61, 59))], delta=SMALL) or verified(
        of_lists, [(votes[0], votes[1])], delta=SMALL
    )


def whole_estimate() -> str | None:
    """Compare all that a private count shows, its interval too."""

    def run(count: int, source: Source) -> Hashable:
        return repr(private_count(count, 12, epsilon=ONE, source=source).to_dict())

    return verified(run, [(5, 6), (0, 1)])


def near_the_threshold() -> str | None:
    """Try two items whose counts lie around the threshold, both ways."""

    def run(counts: tuple[int, int], source: Source) -> Hashable:
        items = ["a"] * counts[0] + ["b"] * counts[1]
        return tuple(stable_items(items, n=99, epsilon=ONE, delta="1/1000", source=source))

    pairs = [((a, b), (a + 1, b - 1)) for a in range(3, 17) for b in range(1, 17)]
    return verified(run, pairs, delta="1/1000")


def near_the_threshold_with_counts() -> str | None:
    """Try one item whose count lies around the threshold; the noisy count is shown."""

    def run(count: int, source: Source) -> Hashable:
        items = ["a"] * count
        kept = stable_histogram(items, n=24, epsilon=4, delta="1/100", source=source)
        return tuple(kept.items())

    return verified(run, [(a, a + 1) for a in range(1, 9)], epsilon=2, delta="1/100")


def two_shown_counts() -> str | None:
    """Try two items of which now one, now the other is more frequent; order and counts show."""

    def run(counts: tuple[int, int], source: Source) -> Hashable:
        items = ["a"] * counts[0] + ["b"] * counts[1]
        kept = stable_histogram(items, n=7, epsilon=ONE, delta="1/4", source=source)
        return tuple(kept.items())

    return verified(run, [((a, 7 - a), (a + 1, 6 - a)) for a in (2, 3, 4)], delta="1/4")


def two_sided_offset() -> str | None:
    """Try an above-threshold test that a single record can turn, from either side."""
    test = AboveThreshold(epsilon=ONE, limit=1, charged="above", changes="shift")
    pairs = [((v, v), (v + 1, v + 1)) for v in (0, 1)]
    run = partial(transcript, test, 0)
    return verified(run, pairs, cut=Fraction(1, 2**26))


def many_charged_answers() -> str | None:
    """Try a test with more high values than it may answer."""
    # One charged answer before the values shift, more after it: only the halt keeps this private.
    test = AboveThreshold(epsilon=2, limit=1, charged="above", changes="shift")
    run = partial(transcript, test, 0)
    return verified(run, [((1,) * 4, (1, 0, 0, 0))], epsilon=2, cut=Fraction(1, 2**26))


def deep_paths() -> str | None:
    """Try paths that are longer than the public depth, and many that share a node."""

    def run(ends: Any, source: Source) -> Hashable:
        return one_shot_path(
            ends, TuplePaths(), max_depth=1, epsilon=ONE, delta=SMALL, source=source
        )

    return verified(run, replace_one([(), (1,), (1, 1, 1), (2, 2, 2)], 2), delta=SMALL)


class _Salted(str):
    """A text whose hash, and so its place in a set, depends on a salt."""

    salt = 0

    def __hash__(self) -> int:
        return hash((_Salted.salt, str(self)))

    def __eq__(self, other: object) -> bool:
        return str.__eq__(self, other)


def hash_order() -> str | None:
    """Check that laws do not depend on the order in which a set is walked."""
    words = [_Salted(word) for word in ("ash", "birch", "cedar", "elm", "fir", "larch")]
    lists = [words, words[:4], words[2:]]

    def chosen(source: Source) -> Hashable:
        return sparse_select_lists(
            lists, cap=2, epsilon=ONE, delta=SMALL, source=source, default=None
        )

    def kept(source: Source) -> Hashable:
        items = words * 3
        return tuple(stable_items(items, n=18, epsilon=ONE, delta=SMALL, source=source))

    seen = set()
    for salt in range(8):
        _Salted.salt = salt
        for run in (chosen, kept):
            outcomes = ExactSource().law(run).outcomes
            seen.add((run.__name__, repr(sorted((repr(k), str(v)) for k, v in outcomes.items()))))
    return None if len(seen) == 2 else "the law depends on the hash of the items"


def order_of_records() -> str | None:
    """Check that what is published does not depend on the order in which equal data came."""

    def names(items: tuple[str, ...], source: Source) -> Hashable:
        return tuple(stable_items(items, n=9, epsilon=4, delta=Fraction(1, 4), source=source))

    def counts(items: tuple[str, ...], source: Source) -> Hashable:
        kept = stable_histogram(items, n=9, epsilon=4, delta=Fraction(1, 4), source=source)
        return tuple(kept.items())

    for run in (names, counts):
        laws = set()
        for places in [(0, 1, 2, 3), (5, 6, 7, 8), (0, 2, 4, 6), (1, 3, 5, 7)]:
            items = tuple("a" if i in places else "b" for i in range(9))
            outcomes = ExactSource().law(partial(run, items)).outcomes
            laws.add(repr(sorted((repr(k), str(v)) for k, v in outcomes.items())))
        if len(laws) > 1:
            return "the law depends on the order of the records"
    return None


OF_MECHANISMS: dict[str, Detector] = {
    "scores that move by 3": wide_scores,
    "weights beyond a double": huge_epsilon,
    "repeated votes": repeated_votes,
    "popular candidates": popular_candidates,
    "a count with its interval": whole_estimate,
    "counts near the threshold": near_the_threshold,
    "shown counts near the threshold": near_the_threshold_with_counts,
    "two shown counts": two_shown_counts,
    "a test turned by one record": two_sided_offset,
    "more answers than paid for": many_charged_answers,
    "paths beyond the public depth": deep_paths,
    "hash order": hash_order,
    "order of records": order_of_records,
}
