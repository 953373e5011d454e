"""Every mechanism, on all data sets of a small domain."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from fractions import Fraction
from functools import partial
from itertools import chain, combinations, product
from typing import Any

import numpy as np

from littlestone.audit.all_n import AllN, by_lemmas
from littlestone.audit.mechanism import MechanismVerification, replace_one, verify_mechanism
from littlestone.audit.table.case import Case, Part
from littlestone.bounds.lemmas import LEMMAS, Checked
from littlestone.errors import StateError
from littlestone.mechanisms import (
    AboveThreshold,
    exponential_mechanism,
    private_count,
    sparse_select,
    sparse_select_lists,
    stable_histogram,
    stable_items,
)
from littlestone.mechanisms.counts import Noise, noisy_counts
from littlestone.mechanisms.median import (
    Ordered,
    RankExponential,
    RankWindow,
    TreeEM,
    TreeLog,
    TuplePaths,
    one_shot_path,
    private_median,
)
from littlestone.source import Explicit, LeveledChoice, Source

F = Fraction
ONE, SMALL, MEDIUM = F(1), F(1, 10**6), F(1, 20)
#: With so large an epsilon three or four records outweigh bottom or a threshold: then it can be
#: seen, and not only delta.
HIGH_EPSILON: dict[str, Any] = {"epsilon": F(10), "delta": F(1, 100)}
Vector = tuple[int, ...]
_EPSILON: tuple[Part, ...] = ("epsilon",)

# --- scores --------------------------------------------------------------------------------------


def _moves(
    n: int, values: range, steps: tuple[int, ...], *, most: int | None = None
) -> Iterator[tuple[Vector, Vector]]:
    """Yield vectors of scores and all that one record can make of them."""
    for scores in product(values, repeat=n):
        for change in product(steps, repeat=n):
            if any(change) and (most is None or sum(map(abs, change)) <= most):
                yield scores, tuple(s + d for s, d in zip(scores, change, strict=True))


def _select(scores: Vector, source: Source, *, monotone: bool = False) -> Hashable:
    return exponential_mechanism(
        Explicit(np.array(scores)), epsilon=ONE, monotone=monotone, source=source
    )


def _runs(scores: Vector, source: Source) -> Hashable:
    # Runs of an ordered domain, one of them long and one of them empty.
    lengths = [3, 40, 0][: len(scores)]
    runs = LeveledChoice(scores, lengths, lambda run, _: run)
    segment = exponential_mechanism(runs, epsilon=ONE, source=source)
    return segment


def _bounded(scores: Vector, source: Source, *, epsilon: F = ONE, delta: F = SMALL) -> Hashable:
    nonzero = {place: score for place, score in enumerate(scores) if score}
    return sparse_select(nonzero, k=2, epsilon=epsilon, delta=delta, source=source, default=None)


def _k_bounded() -> Iterator[tuple[Vector, Vector]]:
    """Yield k-bounded neighbours, k = 2: a record leaves two scores and another joins two."""
    pool = range(3)
    for common in product(range(3), repeat=3):
        raised = [
            tuple(s + (i in chosen) for i, s in enumerate(common))
            for size in range(3)
            for chosen in combinations(pool, size)
        ]
        yield from combinations(raised, 2)


# --- lists, items, values ------------------------------------------------------------------------

_LISTS = tuple(chain.from_iterable(combinations("abc", size) for size in range(4)))


def _lists(
    lists: tuple[tuple[str, ...], ...], source: Source, *, epsilon: F = ONE, delta: F = SMALL
) -> Hashable:
    return sparse_select_lists(
        lists, cap=2, epsilon=epsilon, delta=delta, source=source, default=None
    )


def _histogram(
    items: tuple[str | None, ...], source: Source, *, epsilon: F = ONE, delta: F = MEDIUM
) -> Hashable:
    kept = [item for item in items if item is not None]
    out = stable_histogram(kept, n=len(items), epsilon=epsilon, delta=delta, source=source)
    return tuple(out.items())


def _items(
    items: tuple[str | None, ...], source: Source, *, epsilon: F = ONE, delta: F = SMALL
) -> Hashable:
    kept = [item for item in items if item is not None]
    return tuple(stable_items(kept, n=len(items), epsilon=epsilon, delta=delta, source=source))


def _count(bits: Vector, source: Source) -> Hashable:
    count = private_count(sum(bits), len(bits), epsilon=ONE, source=source, beta=MEDIUM)
    return count.value


def _cells(values: tuple[int | None, ...], source: Source) -> Hashable:
    counts = [values.count(cell) for cell in (0, 1)]
    noisy = noisy_counts(counts, Noise(rate=F(20)), source)
    return tuple(min(max(count, -1), len(values) + 1) for count in noisy)


def _median(mechanism: Any, size: int) -> Callable[[Vector, Source], Hashable]:
    return lambda values, source: mechanism.draw(Ordered.of(values, size), source)


def _release(values: Vector, source: Source) -> Hashable:
    return private_median(values, 1, 4, epsilon=ONE, random_state=source).value


def _tree() -> tuple[tuple[int, ...], ...]:
    """Return the nodes of a tree with a fork below a chain, as paths from the root."""
    return ((), (1,), (1, 1), (1, 2), (1, 2, 1), (2,))


def _path(
    ends: tuple[tuple[int, ...], ...],
    source: Source,
    *,
    max_depth: int = 3,
    epsilon: F = ONE,
    delta: F = SMALL,
) -> Hashable:
    return one_shot_path(
        ends, TuplePaths(), max_depth=max_depth, epsilon=epsilon, delta=delta, source=source
    )


# --- tests above a threshold ---------------------------------------------------------------------


def transcript(test: AboveThreshold, pace: int, values: Vector, source: Source) -> Hashable:
    """Ask adaptively: each answer moves the next question by ``pace``, on both sides alike.

    Anyone who asks does not look whether the test has halted: it is asked until it refuses.
    """
    running, answers, shift = test.start(1, source), [], 0
    for value in values:
        try:
            answers.append(running.ask(value + shift))
        except StateError:
            break
        shift += pace if answers[-1] else 0
    return tuple(answers), running.halted


def _questions(changes: str, length: int) -> Iterator[tuple[Vector, Vector]]:
    """Yield sequences of values as the promise ``changes`` lets two neighbours have them."""
    steps = list(product((-1, 0, 1), repeat=length))
    if changes == "monotone":
        steps = [s for s in steps if min(s) >= 0 or max(s) <= 0]
    elif changes == "shift":
        steps = [
            tuple(0 if i < start else sign for i in range(length))
            for start in range(length)
            for sign in (-1, 1)
        ]
    for values in product((0, 1, 2), repeat=length):
        for step in steps:
            if any(step):
                yield values, tuple(v + d for v, d in zip(values, step, strict=True))


def _above(
    changes: Any, *, limit: int, charged: Any, method: Any = "classic", length: int = 2
) -> MechanismVerification:
    delta = SMALL if method == "fresh" else 0
    test = AboveThreshold(
        epsilon=ONE, delta=delta, limit=limit, charged=charged, changes=changes, method=method
    )
    return verify_mechanism(
        partial(transcript, test, 1),
        _questions(changes, length),
        epsilon=ONE,
        delta=delta,
        cut=F(1, 2**26),
        follow=0,
    )


# --- the table -----------------------------------------------------------------------------------


def _case(
    name: str,
    domain: str,
    check: Callable[[], Any],
    *sharp: Part,
    full: bool = False,
) -> Case:
    words = [word.strip() for word in name.split(",")]
    both = ", ".join(words[:2])
    checked = _LEMMAS[both if both in _LEMMAS else words[0]]

    def chain() -> AllN:
        known = {checked: None} if isinstance(checked, str) else {words[0]: checked}
        return by_lemmas(words[0], "any data", known)

    return Case(name, "mechanism", domain, lambda observers: check(), full, sharp, chain)


_SELECTION, _SPARSE = LEMMAS["exp-mech.privacy"], Checked(("sparse.sparse_dp_tight",))
#: The lemmas behind each mechanism, or its claim, which has none.
_LEMMAS: dict[str, Checked | str] = {
    "exponential_mechanism": _SELECTION,
    "exponential_mechanism, monotone": Checked(("range.exp_mech_monotone", "leveled.leveledE")),
    "exponential_mechanism over runs": _SELECTION,
    "sparse_select": _SPARSE,
    "sparse_select_lists": Checked(("sparse.sparse_lists_dp",)),
    "stable_histogram": LEMMAS["histogram.privacy"],
    "stable_items": LEMMAS["histogram.privacy"],
    "private_count": LEMMAS["score-histogram"],
    "noisy_counts": LEMMAS["counts.privacy"],
    "median A (rank exponential)": LEMMAS["median.exponential"],
    "median B (TreeEM)": LEMMAS["median.tree"],
    "median C (TreeLog)": "median.tree-log",
    "private_median": LEMMAS["median.exponential"],
    "one_shot_path": LEMMAS["median.paths"],
    "AboveThreshold, classic": LEMMAS["above-threshold.classic"],
    "AboveThreshold, fresh": "charged-tests.renyi",
}


def _of(
    run: Callable[[Any, Source], Hashable], pairs: Callable[[], Any], delta: Any = 0
) -> Callable[[], MechanismVerification]:
    return lambda: verify_mechanism(run, pairs(), epsilon=ONE, delta=delta)


def _high(
    run: Callable[..., Hashable], pairs: Callable[[], Any], **settings: Any
) -> Callable[[], MechanismVerification]:
    run = partial(run, **HIGH_EPSILON, **settings)
    return lambda: verify_mechanism(run, pairs(), **HIGH_EPSILON)


_THIRDS = RankWindow.of((F(1, 3), F(2, 3)))

MECHANISMS: tuple[Case, ...] = (
    _case(
        "exponential_mechanism", "3 candidates, scores 0 to 2, every score moves by at most 1",
        _of(_select, lambda: _moves(3, range(3), (-1, 0, 1))), "epsilon",
    ),
    _case(
        "exponential_mechanism, monotone", "3 candidates, scores 0 to 2, scores move one way",
        _of(partial(_select, monotone=True), lambda: _moves(3, range(3), (0, 1))), "epsilon",
    ),
    _case(
        "exponential_mechanism over runs", "runs of 3, 40 and 0 candidates, scores -2 to 0",
        _of(_runs, lambda: _moves(3, range(-2, 1), (-1, 0, 1))), "epsilon",
    ),
    _case(
        "sparse_select", "3 candidates, scores 0 to 3, k = 2",
        _of(_bounded, _k_bounded, SMALL), "delta",
    ),
    _case(
        "sparse_select, high epsilon", "3 candidates, scores 0 to 3, k = 2",
        _high(_bounded, _k_bounded), "epsilon", "delta",
    ),
    _case(
        "sparse_select_lists", "2 teachers with any lists over 3 items, cap 2",
        _of(_lists, lambda: replace_one(_LISTS, 2), SMALL), "delta",
    ),
    _case(
        "sparse_select_lists, high epsilon", "4 teachers with one of 4 lists over 2 items, cap 2",
        _high(_lists, lambda: replace_one(((), ("a",), ("b",), ("a", "b")), 4)), "epsilon", "delta",
    ),
    _case(
        "stable_histogram", "3 records with one of 2 items or none",
        _of(_histogram, lambda: replace_one((None, "a", "b"), 3), MEDIUM), "delta",
    ),
    _case(
        "stable_histogram, high epsilon", "3 records with one of 2 items or none",
        _high(_histogram, lambda: replace_one((None, "a", "b"), 3)), "epsilon", "delta",
    ),
    _case(
        "stable_items", "3 records with one of 3 items or none",
        _of(_items, lambda: replace_one((None, "a", "b", "c"), 3), SMALL), "delta",
    ),
    _case(
        "stable_items, high epsilon", "4 records with one of 2 items or none",
        _high(_items, lambda: replace_one((None, "a", "b"), 4)), "epsilon", "delta",
    ),
    _case("private_count", "4 bits", _of(_count, lambda: replace_one((0, 1), 4)), "epsilon"),
    _case(
        "median A (rank exponential)", "3 values of a domain of 5",
        _of(_median(RankExponential(5, _THIRDS, ONE), 5), lambda: replace_one(range(5), 3)),
        "epsilon",
    ),
    _case(
        "median B (TreeEM)", "3 values of a domain of 5",
        _of(_median(TreeEM(3, _THIRDS, ONE, SMALL), 5), lambda: replace_one(range(5), 3), SMALL),
        "delta",
    ),
    _case(
        "median B (TreeEM), high epsilon", "3 values of a domain of 4",
        lambda: verify_mechanism(
            _median(TreeEM(2, _THIRDS, **HIGH_EPSILON), 4), replace_one(range(4), 3), **HIGH_EPSILON
        ),
        "epsilon", "delta",
    ),
    _case(
        # a smaller epsilon needs more records to say anything
        "median C (TreeLog)", "5 values of a domain of 2, epsilon 60",
        lambda: verify_mechanism(
            _median(TreeLog(1, RankWindow.of((0, 1)), F(60), F(1, 2)), 2),
            replace_one(range(2), 5), epsilon=60, delta=F(1, 2),
        ),
    ),
    _case(
        "private_median", "3 values in [1, 4]",
        _of(_release, lambda: replace_one((1, 2, 4), 3)), "epsilon",
    ),
    _case(
        "noisy_counts", "a value in 2 cells or none",
        lambda: verify_mechanism(
            _cells, replace_one((None, 0, 1), 1), epsilon=F(40), follow=10
        ),
        "epsilon",
    ),
    _case(
        "one_shot_path", "3 ends in a tree of 6 nodes",
        _of(_path, lambda: replace_one(_tree(), 3), SMALL), "delta",
    ),
    _case(
        "one_shot_path, high epsilon", "4 ends in a tree of 4 nodes",
        _high(_path, lambda: replace_one(((), (1,), (2,), (1, 1)), 4), max_depth=2),
        "epsilon", "delta",
    ),
    *(
        _case(
            f"AboveThreshold, classic, {changes}, limit {limit}, charged {charged}, {length} asked",
            f"{length} adaptive questions with values 0 to 2",
            partial(_above, changes, limit=limit, charged=charged, length=length),
            *(_EPSILON if (changes, limit) == ("shift", 1) else ()),
            full=changes != "shift" or length > 2,
        )
        for changes, limit, charged, length in (
            ("any", 1, "above", 2), ("any", 2, "above", 3), ("any", 1, "below", 2),
            ("monotone", 1, "above", 2), ("monotone", 2, "below", 3),
            ("shift", 1, "above", 2), ("shift", 1, "above", 3),
        )
    ),
    *(
        _case(
            f"AboveThreshold, fresh, limit {limit}",
            f"{length} adaptive questions with values 0 to 2",
            partial(_above, "any", limit=limit, charged="below", method="fresh", length=length),
            full=length > 2,
        )
        for limit, length in ((1, 2), (2, 3))
    ),
)  # fmt: skip
