"""A black-box lower bound on epsilon: run a mechanism often on two neighbours, and compare.

Exact verification enumerates; this room samples. It needs nothing but a callable, so it works for
domains that are too large to enumerate and for the mechanisms of other libraries. What it finds is
a *lower* bound: it can refute a claim, it never proves one.

`audit_learner` does it for one of our learners, with a class as large as it likes. What is chosen
are a few points, and pairs of neighbouring data sets over them at which learners are at their
weakest: labels that nearly balance, and one record that tips them.
"""

from __future__ import annotations

import math
import numbers
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from fractions import Fraction
from multiprocessing import get_context
from operator import itemgetter
from typing import Any, SupportsIndex

import numpy as np

from littlestone.audit.neighbours import promised
from littlestone.audit.verify import RecordCases, UserCases
from littlestone.bounds.tails import lower_limit, upper_limit
from littlestone.errors import check_integer, check_probability, parameter_error
from littlestone.source import SecureSource, reseed

__all__ = ["Audited", "LowerBound", "audit_learner", "lower_bound", "neighbour_pairs"]

Mechanism = Callable[[Any], Any]
Progress = Callable[[int, int], None]

_EXPLORE = 4  # one run in four chooses the event, the others measure it
_BINS = 64
_BATCH = 1000
_ENTRIES = 16  # of an array that are looked at


class LowerBound(float):
    """A number that epsilon is proved to reach or exceed, with the stated confidence.

    It is a float, so it can be compared with a claim. It carries what it rests on.

    Attributes
    ----------
    delta, confidence : float
    trials : int
        Runs on each of the two data sets.
    event : str
        The event, in words: which outputs were counted.
    hits : tuple of int
        How often the event happened on the more likely and on the less likely side, out of
        ``measured`` runs each.
    measured : int
    swapped : bool
        Whether the second data set is the more likely side.

    Examples
    --------
    >>> bound = LowerBound(0.5, delta=0.0, confidence=0.95, trials=4, event="", hits=(3, 1),
    ...                    measured=3, swapped=False)
    >>> bound <= 1, bound.hits
    (True, (3, 1))
    """

    delta: float
    confidence: float
    trials: int
    event: str
    hits: tuple[int, int]
    measured: int
    swapped: bool

    def __new__(cls, epsilon: float | SupportsIndex, /, **evidence: Any) -> LowerBound:
        """Make the number and keep its evidence."""
        self = super().__new__(cls, epsilon)
        vars(self).update(evidence)
        return self

    def __repr__(self) -> str:
        return (
            f"LowerBound(epsilon >= {float(self):.4g} at delta = {self.delta:g}, "
            f"confidence {self.confidence:g}, {self.trials} trials)"
        )

    def __getnewargs_ex__(self) -> tuple[tuple[float], dict[str, Any]]:
        return (float(self),), dict(vars(self))

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON."""
        return {"epsilon": float(self), **vars(self), "hits": list(self.hits)}


def lower_bound(
    mechanism: Mechanism,
    data: Any,
    neighbour: Any,
    *,
    delta: float,
    trials: int,
    confidence: float = 0.9999,
    key: Callable[[Any], Hashable] | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> LowerBound:
    """Return an epsilon that the mechanism has at least, by sampling its outputs.

    Parameters
    ----------
    mechanism : callable
        ``mechanism(data)`` returns one output. Any library's; an exception that it raises is an
        output too (its type and message).
    data, neighbour : object
        Two neighbouring data sets, passed on as they are.
    delta : float in [0, 1)
        The delta of the claim that is tested.
    trials : int >= 8
        Runs on each data set. A quarter chooses the event, the others measure it.
    confidence : float in (0, 1), default 0.9999
        Probability with which the bound is right, over the mechanism's randomness.
    key : callable, optional
        Maps an output to something hashable. By default numbers, texts and tuples stay as they
        are, arrays become tuples, and other unhashable outputs their ``repr``. Of tuples (arrays)
        of numbers with too many values, single entries and the sum are tried.
    workers : int >= 1, default 1
        Processes. Each reseeds the global generators of ``random`` and numpy. A mechanism that
        owns a generator would repeat itself in every process: leave this at 1.
    progress : callable, optional
        Called with (runs done, runs in all).

    Returns
    -------
    LowerBound

    Raises
    ------
    ParameterError
        Before anything is run.

    Notes
    -----
    *Method.* Independent runs choose a direction and an event E (the outputs whose ratio is
    largest; numbers with too many values are cut at sample quantiles first, arrays of them by an
    entry or by the sum, whichever promises more). Fresh runs
    count E on both sides. With probability at least ``confidence`` both Clopper-Pearson bounds
    hold, each at half the remaining risk, and then

        epsilon >= ln((p_low - delta) / q_high).

    *Guarantee.* Correct for every mechanism whose runs are independent; no other assumption.

    *Cost.* 2 * trials runs of the mechanism.

    Examples
    --------
    >>> from littlestone.mechanisms import private_count
    >>> from littlestone.source import SecureSource
    >>> source = SecureSource()
    >>> def count(data):
    ...     return private_count(sum(data), len(data), epsilon=1, source=source, beta=0.05).value
    >>> bound = lower_bound(count, [1, 1, 1], [1, 1, 0], delta=0, trials=4000)
    >>> 0.5 < bound <= 1
    True
    """
    owner = "lower_bound"
    exact_delta = 0.0 if delta == 0 else float(check_probability(owner, "delta", delta))
    risk = 1 - float(check_probability(owner, "confidence", confidence))
    check_integer(owner, "trials", trials, low=8)
    check_integer(owner, "workers", workers, low=1)
    for name, value in (("mechanism", mechanism), *([] if key is None else [("key", key)])):
        if not callable(value):
            raise parameter_error(owner, name, "callable", value)
    explore = trials // _EXPLORE
    measure = trials - explore
    run = _Runner(mechanism, key or _key, workers, 2 * trials, progress)

    first = [run(side, explore) for side in (data, neighbour)]
    cells, event = _best(first, delta=exact_delta, risk=risk / 2)
    second = [cells.tally(run(side, measure)) for side in (data, neighbour)]
    hits = [int(sum(side[cell] for cell in event.cells)) for side in second]
    if event.swapped:
        hits.reverse()
    low = float(lower_limit(hits[0], measure, risk / 2))
    high = float(upper_limit(hits[1], measure, risk / 2))
    epsilon = math.log((low - exact_delta) / high) if low - exact_delta > high else 0.0
    return LowerBound(
        epsilon,
        delta=exact_delta,
        confidence=float(confidence),
        trials=trials,
        event=cells.describe(event.cells),
        hits=(hits[0], hits[1]),
        measured=measure,
        swapped=event.swapped,
    )


# --- running ---------------------------------------------------------------------------------


class _Runner:
    """Runs the mechanism, in this process or in several, and reports progress."""

    def __init__(
        self,
        mechanism: Mechanism,
        key: Callable[[Any], Hashable],
        workers: int,
        total: int,
        progress: Progress | None,
    ) -> None:
        self.job = (mechanism, key)
        self.workers, self.total, self.progress, self.done = workers, total, progress, 0

    def __call__(self, data: Any, times: int) -> Counter[Hashable]:
        """Return how often each output came up."""
        batches = [min(_BATCH, times - start) for start in range(0, times, _BATCH)]
        counts: Counter[Hashable] = Counter()
        for batch in self._results(data, batches):
            counts.update(batch)
            self.done += batch.total()
            if self.progress is not None:
                self.progress(self.done, self.total)
        return counts

    def _results(self, data: Any, batches: Sequence[int]) -> Iterable[Counter[Hashable]]:
        if self.workers == 1:
            yield from (_outputs(*self.job, data, size) for size in batches)
            return
        # Forked, so that any callable can be run, a lambda too.
        with ProcessPoolExecutor(
            self.workers,
            mp_context=get_context("fork"),
            initializer=_begin,
            initargs=(*self.job, data),
        ) as pool:
            yield from pool.map(_work, batches)


_ASSIGNED: list[tuple[Mechanism, Callable[[Any], Hashable], Any]] = []


def _begin(mechanism: Mechanism, key: Callable[[Any], Hashable], data: Any) -> None:
    _ASSIGNED[:] = [(mechanism, key, data)]
    reseed()


def _work(size: int) -> Counter[Hashable]:
    return _outputs(*_ASSIGNED[0], size)


def _outputs(
    mechanism: Mechanism, key: Callable[[Any], Hashable], data: Any, size: int
) -> Counter[Hashable]:
    return Counter(_output(mechanism, key, data) for _ in range(size))


def _output(mechanism: Mechanism, key: Callable[[Any], Hashable], data: Any) -> Hashable:
    try:
        return key(mechanism(data))
    except Exception as refusal:  # a refusal is an output too
        return ("raised", type(refusal).__name__, str(refusal))


def _key(output: Any) -> Hashable:
    if isinstance(output, np.ndarray):
        return _key(output.ravel().tolist())
    if isinstance(output, list):
        return tuple(_key(part) for part in output)
    try:
        hash(output)
    except TypeError:
        return repr(output)
    return output  # type: ignore[no-any-return]


# --- events ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Cells:
    """A partition of all outputs, fixed before anything is measured."""

    cuts: tuple[float, ...] | None  # of the real line; None: every output is a cell of its own
    known: frozenset[Hashable]
    name: str = "output"
    number: Callable[[Any], Any] = field(default=lambda output: output, compare=False)

    @classmethod
    def all(cls, explored: Sequence[Counter[Hashable]]) -> Iterator[_Cells]:
        """Yield the partitions that are tried."""
        outputs = set().union(*explored)
        runs = sum(side.total() for side in explored)
        few = len(outputs) * 16 <= runs
        if not few and all(map(_is_number, outputs)):
            yield cls._cut(explored, "output", lambda output: output)
            return
        entries: list[Any] = [x if isinstance(x, tuple) else () for x in outputs]
        size = len(entries[0])
        if few or not size or not all(len(x) == size and all(map(_is_number, x)) for x in entries):
            yield cls(None, frozenset(outputs))
            return
        for i in range(min(size, _ENTRIES)):
            yield cls._cut(explored, f"output[{i}]", itemgetter(i))
        yield cls._cut(explored, "sum(output)", sum)

    @classmethod
    def _cut(
        cls, explored: Sequence[Counter[Hashable]], name: str, number: Callable[[Any], Any]
    ) -> _Cells:
        values = sorted(float(number(x)) for side in explored for x in side.elements())
        cuts = {values[i * (len(values) - 1) // _BINS] for i in range(1, _BINS)}
        return cls(tuple(sorted(cuts)), frozenset(), name, number)

    def tally(self, counts: Counter[Hashable]) -> Counter[Hashable]:
        """Count cells instead of outputs; what was never explored is one cell, None."""
        cells: Counter[Hashable] = Counter()
        for output, count in counts.items():
            cells[self._cell(output)] += count
        return cells

    def _cell(self, output: Hashable) -> Hashable:
        if self.cuts is None:
            return output if output in self.known else None
        try:
            return bisect_right(self.cuts, float(self.number(output)))
        except (TypeError, ValueError, IndexError):  # another kind of output than was explored
            return None

    def describe(self, cells: Sequence[Hashable]) -> str:
        if self.cuts is None:
            shown = sorted(repr(cell) for cell in cells)
            more = f" and {len(shown) - 3} more" if len(shown) > 3 else ""
            return f"output in {{{', '.join(shown[:3])}}}{more}"
        ends = (-math.inf, *self.cuts, math.inf)
        places = sorted(cell for cell in cells if isinstance(cell, int))
        spans: list[list[float]] = []
        for i in places:
            if spans and spans[-1][1] == ends[i]:
                spans[-1][1] = ends[i + 1]
            else:
                spans.append([ends[i], ends[i + 1]])
        return f"{self.name} in " + " or ".join(f"[{a:.6g}, {b:.6g})" for a, b in spans)


def _is_number(output: Any) -> bool:
    return isinstance(output, numbers.Real) and not math.isnan(output)


@dataclass(frozen=True)
class _Event:
    cells: tuple[Hashable, ...]
    swapped: bool
    gain: float = -math.inf  # the bound that it promises


def _best(
    explored: Sequence[Counter[Hashable]], *, delta: float, risk: float
) -> tuple[_Cells, _Event]:
    """Return the partition and the event that promise the largest bound."""
    found = [
        (cells, _choose(*map(cells.tally, explored), delta=delta, risk=risk))
        for cells in _Cells.all(explored)
    ]
    return max(found, key=lambda pair: pair[1].gain)


def _choose(p: Counter[Hashable], q: Counter[Hashable], *, delta: float, risk: float) -> _Event:
    """Return the event that promises the largest bound, from the exploring runs alone."""
    best, chosen = -math.inf, _Event((), False)
    cells = sorted({*p, *q}, key=repr)
    for swapped, (more, less) in enumerate(((p, q), (q, p))):
        order = sorted(cells, key=lambda c: -(more[c] + 0.5) / (less[c] + 0.5))
        above = np.cumsum([more[c] for c in order])
        below = np.cumsum([less[c] for c in order])
        # As if the exploring runs were all: a bound that small events, lucky once, do not win.
        low = lower_limit(above, more.total(), risk) - delta
        high = upper_limit(below, less.total(), risk)
        gain = np.where(low > 0, np.log(np.maximum(low, 1e-300) / high), -np.inf)
        place = int(np.argmax(gain))
        if gain[place] > best:
            best = float(gain[place])
            chosen = _Event(tuple(order[: place + 1]), bool(swapped), best)
    return chosen


# --- our own learners: pairs of neighbours that are likely to tell -------------------------------

Record = tuple[Any, int]
Data = tuple[Record, ...]


@dataclass(frozen=True)
class Audited:
    """What sampling found out about a learner."""

    learner: str
    concept_class: str
    epsilon: Fraction
    delta: Fraction
    n_samples: int
    pairs: tuple[tuple[tuple[Data, Data], LowerBound], ...]

    @property
    def best(self) -> LowerBound:
        """The largest lower bound."""
        return max(bound for _, bound in self.pairs)

    @property
    def refuted(self) -> bool:
        """Whether the claim is wrong (with the stated confidence)."""
        return self.best > self.epsilon

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON."""
        return {
            "learner": self.learner,
            "class": self.concept_class,
            "epsilon": float(self.epsilon),
            "delta": float(self.delta),
            "n_samples": self.n_samples,
            "lower_bound": float(self.best),
            "refuted": self.refuted,
            "pairs": [
                {"data": [[[str(x), y] for x, y in side] for side in pair], **bound.to_dict()}
                for pair, bound in self.pairs
            ],
        }


def neighbour_pairs(points: Sequence[Any], n_samples: int) -> list[tuple[Data, Data]]:
    """Return pairs of data sets over some points that differ in one record, likely to tell.

    For each point x and the next one: labels at x that nearly balance, and one of them turned; all
    records alike, and one turned; and one that moves to the next point.

    Examples
    --------
    >>> for pair in neighbour_pairs([4, 7], 2)[:2]:
    ...     print(*pair)
    ((4, 1), (4, 0)) ((4, 0), (4, 0))
    ((4, 1), (4, 1)) ((4, 0), (4, 1))
    """
    check_integer("neighbour_pairs", "n_samples", n_samples, low=1)
    places = list(dict.fromkeys(points))
    if not places:
        raise parameter_error("neighbour_pairs", "points", "at least one point", points)
    pairs = []
    for i, x in enumerate(places):
        other = places[(i + 1) % len(places)]
        half: Data = tuple((x, int(2 * j < n_samples)) for j in range(n_samples))
        alike: Data = ((x, 1),) * n_samples
        pairs += [(half, ((x, 0), *half[1:])), (alike, ((x, 0), *alike[1:]))]
        if other != x:
            pairs.append((half, ((other, 1), *half[1:])))
    return pairs


def audit_learner(
    learner: Any,
    *,
    points: Sequence[Any],
    n_samples: int = 3,
    trials: int = 10_000,
    confidence: Any = "0.9999",
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Audited:
    """Bound a learner's epsilon from below on the pairs of `neighbour_pairs`.

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> from littlestone.learners import registry
    >>> learner = registry.make("generic", Thresholds(1, 2**40), epsilon=1)
    >>> found = audit_learner(learner, points=[2**39], trials=400)
    >>> found.refuted, len(found.pairs)
    (False, 2)
    """
    algorithm = learner.to_learner() if hasattr(learner, "to_learner") else learner
    claimed = promised(algorithm)
    pairs = neighbour_pairs(points, n_samples)
    risk = (1 - check_probability("audit_learner", "confidence", confidence)) / len(pairs)
    source = SecureSource()
    done = 0

    def so_far(runs: int, total: int) -> None:
        if progress is not None:
            progress(done + runs, total * len(pairs))

    found = []
    for pair in pairs:
        one, other = (_sample(algorithm, data) for data in pair)
        bound = lower_bound(
            lambda sample: algorithm.draw(sample, source).key,
            one,
            other,
            delta=float(claimed.delta),
            trials=trials,
            confidence=float(1 - risk),
            workers=workers,
            progress=so_far,
        )
        found.append((pair, bound))
        done += 2 * trials
    return Audited(
        algorithm.name,
        algorithm.concept_class.spec,
        claimed.epsilon,
        claimed.delta,
        n_samples,
        tuple(found),
    )


def _sample(algorithm: Any, data: Data) -> Any:
    domain = algorithm.concept_class.domain
    if algorithm.unit == "users":
        each = algorithm.samples_per_user
        return UserCases([], domain).sample([(i, (one,) * each) for i, one in enumerate(data)])
    return RecordCases([], domain, ordered=False).sample(data)
