"""A black-box lower bound on epsilon: run a mechanism often on two neighbours, and compare.

Exact verification enumerates; this module samples. It needs nothing but a callable, so it works for
domains that are too large to enumerate and for the mechanisms of other libraries. What it finds is
a *lower* bound: it can refute a claim, it never proves one.
"""

from __future__ import annotations

import math
import numbers
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, SupportsIndex

import numpy as np

from littlestone.bounds.tails import lower_limit, upper_limit
from littlestone.errors import check_integer, check_probability, parameter_error

# -- What is looked at in an output, and which event distinguishes two neighbours best.


_BINS = 64
_ENTRIES = 16  # of a sequence that are looked at one by one
_FEW = 16  # runs for each value, or those that came up less often are one cell
_HUGE = 2**1000
_NEW = "not seen before"
_ALPHAS = 1 + np.geomspace(1e-3, 100, 60)  # orders of Renyi divergences

Outputs = Counter[Hashable]
Described = list[tuple[dict[str, Hashable], int]]


class Raised(NamedTuple):
    """An exception as an output."""

    type: str
    message: str


def output(run: Callable[..., Any], argument: Any) -> Any:
    """Return what a call returned or raised: a refusal is an output too."""
    try:
        return run(argument)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as refusal:  # panics of Rust libraries are no Exception
        return Raised(type(refusal).__name__, str(refusal))


class Items(tuple[tuple[Any, Any], ...]):
    """The items of a dict, hashable."""

    __slots__ = ()


def hashable(output: Any) -> Hashable:
    """Return numbers, texts and tuples as they are; arrays and lists as tuples, dicts as items."""
    if isinstance(output, np.ndarray):
        return hashable(output.ravel().tolist())
    if isinstance(output, Raised):
        return output
    if isinstance(output, list | tuple):
        return tuple(hashable(part) for part in output)
    if isinstance(output, dict):
        return Items((hashable(key), hashable(part)) for key, part in output.items())
    try:
        hash(output)
    except TypeError:
        return repr(output)
    return "nan" if output != output else output  # noqa: PLR0124 - NaN is one output


def battery(output: Hashable) -> dict[str, Hashable]:
    """Return the statistics of an output by name: value, type, length, keys, entries, last bits.

    Examples
    --------
    >>> battery((0.5, None))["lowest bit of output[0]"], battery((0.5, None))["len(output)"]
    (-1, 2)
    """
    found: dict[str, Hashable] = {"output": output}

    def look(name: str, part: Any) -> None:
        found[f"type({name})"] = part.type if isinstance(part, Raised) else type(part).__name__
        if name != "output":
            found[name] = part
        if isinstance(part, Items):
            found[f"keys({name})"] = tuple(sorted(repr(key) for key, _ in part))
            inner = [(f"{name}[{key!r}]", value) for key, value in part]
        elif isinstance(part, tuple | bytes):
            inner = [(f"{name}[{i}]", value) for i, value in enumerate(part)]
        else:
            inner = []
        if isinstance(part, tuple | bytes | str):
            found[f"len({name})"] = len(part)
        if isinstance(part, float) and math.isfinite(part) and part:
            top, bottom = part.as_integer_ratio()
            found[f"lowest bit of {name}"] = (top & -top).bit_length() - bottom.bit_length()
        for each in inner[:_ENTRIES]:
            look(*each)

    look("output", output)
    return found


@dataclass(frozen=True)
class Cells:
    """A partition of all outputs by one statistic, fixed before anything is measured."""

    name: str
    value: Callable[[dict[str, Hashable]], Hashable]
    cuts: tuple[float, ...] | None  # of the real line; None: every value is a cell of its own
    known: frozenset[Hashable]

    @classmethod
    def all(cls, explored: Sequence[Described]) -> Iterator[Cells]:
        """Yield the partitions that are tried."""
        names: dict[str, None] = {}
        for side in explored:
            for found, _ in side:
                names |= dict.fromkeys(found)
        for name in names:
            yield cls._of(explored, name, lambda found, name=name: found.get(name))  # type: ignore[misc]
        entries = [
            name
            for name in names
            if not name.startswith(("len(", "lowest"))
            and all(_is_number(found.get(name)) for side in explored for found, _ in side)
        ]
        if len(entries) > 1:
            yield cls._of(explored, "weighted sum of entries", _direction(explored, entries))

    @classmethod
    def _of(
        cls,
        explored: Sequence[Described],
        name: str,
        value: Callable[[dict[str, Hashable]], Hashable],
    ) -> Cells:
        counts: Counter[Hashable] = Counter()
        for side in explored:
            for found, count in side:
                counts[value(found)] += count
        if len(counts) * _FEW > counts.total():  # what came up once promises what it cannot keep
            often = frozenset(x for x, count in counts.items() if count >= _FEW)
        else:
            often = frozenset(counts)
        values = sorted(float(x) for x in counts.elements() if _is_number(x))  # type: ignore[arg-type]
        if len(set(values)) <= _BINS:
            return cls(name, value, None, often)
        cuts = {values[i * (len(values) - 1) // _BINS] for i in range(1, _BINS)}
        return cls(name, value, tuple(sorted(cuts)), often)

    def tally(self, side: Described) -> Outputs:
        """Count cells; what was never explored is one cell."""
        cells: Outputs = Counter()
        for found, count in side:
            value = self.value(found)
            if self.cuts is not None and _is_number(value):
                cells[bisect_right(self.cuts, float(value))] += count  # type: ignore[arg-type]
            else:
                cells[value if value in self.known else _NEW] += count
        return cells

    def describe(self, cells: Sequence[Hashable]) -> str:
        """Return an event in words."""
        ends = (-math.inf, *(self.cuts or ()), math.inf)
        spans: list[list[float]] = []
        places = [] if self.cuts is None else sorted(c for c in cells if isinstance(c, int))
        for i in places:
            if spans and spans[-1][1] == ends[i]:
                spans[-1][1] = ends[i + 1]
            else:
                spans.append([ends[i], ends[i + 1]])
        parts = [f"[{a:.6g}, {b:.6g})" for a, b in spans]
        single = sorted(repr(cell) for cell in cells if self.cuts is None or cell not in places)
        if single or not parts:
            more = f" and {len(single) - 3} more" if len(single) > 3 else ""
            parts.append(f"{{{', '.join(single[:3])}}}{more}")
        return f"{self.name} in " + " or ".join(parts)


@dataclass(frozen=True)
class Event:
    """Cells, the side on which they are likelier, and the bound that they promise."""

    cells: tuple[Hashable, ...]
    swapped: bool
    gain: float = -math.inf


def _is_number(output: Any) -> bool:
    """Return whether it is a number that a float can stand for."""
    if isinstance(output, int):
        return abs(output) < _HUGE
    return isinstance(output, numbers.Real)


def _direction(
    explored: Sequence[Described], entries: Sequence[str]
) -> Callable[[dict[str, Hashable]], Hashable]:
    """Return the weighted sum of entries along which the two sides differ most."""
    sides = [
        np.repeat(
            np.array([[float(found[e]) for e in entries] for found, _ in side]),  # type: ignore[arg-type]
            [count for _, count in side],
            axis=0,
        )
        for side in explored
    ]
    spread = sum(np.nan_to_num(side.var(axis=0)) for side in sides)
    apart = np.nan_to_num(sides[0].mean(axis=0) - sides[1].mean(axis=0))
    weights = (apart / np.maximum(spread, 1e-12)).tolist()

    def value(found: dict[str, Hashable]) -> Hashable:
        numbers = [found.get(each) for each in entries]
        if not all(map(_is_number, numbers)):
            return None
        return sum(w * float(x) for w, x in zip(weights, numbers, strict=True))  # type: ignore[arg-type]

    return value


def at_least(measure: str, low: Any, high: Any, delta: float) -> Any:
    """Return what epsilon (at delta) or rho is at least, if an event has p >= low and q <= high.

    A mechanism that is rho-zCDP has a Renyi divergence of at most alpha rho at every order alpha,
    and an event (a coin with p, or with q) cannot have more.
    """
    low, high = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
    if measure == "epsilon":
        gain = np.log(np.maximum(low - delta, 1e-300) / high)
        return np.where(low - delta > high, gain, 0.0)
    p, q = np.clip(low, 1e-300, 1 - 1e-16), np.clip(high, 1e-300, 1 - 1e-16)
    best = np.zeros_like(p)
    for alpha in _ALPHAS.tolist():
        moment = np.logaddexp(
            alpha * np.log(p) + (1 - alpha) * np.log(q),
            alpha * np.log1p(-p) + (1 - alpha) * np.log1p(-q),
        )
        best = np.maximum(best, moment / (alpha * (alpha - 1)))
    return np.where(low > high, best, 0.0)


def best(
    explored: Sequence[Described], *, measure: str, delta: float, risk: float
) -> tuple[Cells, Event]:
    """Return the partition and the event that promise the largest bound."""
    found = [
        (cells, _choose(*map(cells.tally, explored), measure=measure, delta=delta, risk=risk))
        for cells in Cells.all(explored)
    ]
    return max(found, key=lambda pair: pair[1].gain)


def _choose(p: Outputs, q: Outputs, *, measure: str, delta: float, risk: float) -> Event:
    """Return the event that promises the largest bound, from the exploring runs alone."""
    chosen = Event((), swapped=False)
    cells = sorted({*p, *q}, key=repr)
    for swapped, (more, less) in enumerate(((p, q), (q, p))):
        order = sorted(cells, key=lambda c: -(more[c] + 0.5) / (less[c] + 0.5))
        above = np.cumsum([more[c] for c in order])
        below = np.cumsum([less[c] for c in order])
        # As if the exploring runs were all: a bound that small events, lucky once, do not win.
        low = lower_limit(above, more.total(), risk)
        high = upper_limit(below, less.total(), risk)
        gain = at_least(measure, low, high, delta)
        place = int(np.argmax(gain))
        if gain[place] > chosen.gain:
            chosen = Event(tuple(order[: place + 1]), bool(swapped), float(gain[place]))
    return chosen


_EXPLORE = 4  # one run in four chooses the event, the others measure it


class LowerBound(float):
    """A number that epsilon (or rho) is proved to reach or exceed, with the stated confidence.

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
    measure : "epsilon" or "rho"
        What is bounded.

    Examples
    --------
    >>> bound = LowerBound(0.5, delta=0.0, confidence=0.95, trials=4, event="", hits=(3, 1),
    ...                    measured=3, swapped=False, measure="epsilon")
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
    measure: str

    def __new__(cls, epsilon: float | SupportsIndex, /, **evidence: Any) -> LowerBound:
        """Make the number and keep its evidence."""
        self = super().__new__(cls, epsilon)
        vars(self).update(evidence)
        return self

    def __repr__(self) -> str:
        at = f" at delta = {self.delta:g}" if self.measure == "epsilon" else ""
        return (
            f"LowerBound({self.measure} >= {float(self):.4g}{at}, "
            f"confidence {self.confidence:g}, {self.trials} trials)"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON."""
        return {"bound": float(self), **vars(self), "hits": list(self.hits)}


def lower_bound(
    mechanism: Callable[[Any], Any],
    data: Any,
    neighbour: Any,
    *,
    delta: float,
    trials: int,
    confidence: float = 0.9999,
    measure: str = "epsilon",
    key: Callable[[Any], Any] | None = None,
) -> LowerBound:
    """Return an epsilon (or rho) that the mechanism has at least, by sampling its outputs.

    Parameters
    ----------
    mechanism : callable
        ``mechanism(data)`` returns one output. Any library's, also in another interpreter
        (``examples/field_audit``); an exception that it raises is an output too (its type and
        message).
    data, neighbour : object
        Two neighbouring data sets, passed on as they are.
    delta : float in [0, 1)
        The delta of the claim that is tested.
    trials : int >= 8
        Runs on each data set. A quarter chooses the event, the others measure it.
    confidence : float in (0, 1), default 0.9999
        Probability with which the bound is right, over the mechanism's randomness.
    measure : "epsilon" or "rho", default "epsilon"
        ``"rho"``: of zero-concentrated privacy, where delta is 0.
    key : callable, optional
        Maps an output to what is looked at. Of any output its value, type, length, keys and the
        last bits of floats are tried, of those with parts (lists, arrays, dicts) also each part,
        and a weighted sum of the numbers.

    Returns
    -------
    LowerBound

    Raises
    ------
    ParameterError
        Before anything is run.

    Notes
    -----
    *Method.* Independent runs choose a statistic, a direction and an event E (the values whose
    ratio is largest; numbers with too many values are cut at sample quantiles first). Fresh runs
    count E on both sides. With probability at least ``confidence`` both Clopper-Pearson bounds
    hold, each at half the remaining risk, and then

        epsilon >= ln((p_low - delta) / q_high).

    Under rho-zCDP the Renyi divergence of order alpha of the two coins with p_low and q_high is at
    most alpha rho: rho is at least the largest quotient.

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
    caller = "lower_bound"
    exact_delta = 0.0 if delta == 0 else float(check_probability(caller, "delta", delta))
    risk = 1 - float(check_probability(caller, "confidence", confidence))
    check_integer(caller, "trials", trials, low=8)
    for name, value in (("mechanism", mechanism), *([] if key is None else [("key", key)])):
        if not callable(value):
            raise parameter_error(caller, name, "callable", value)
    if measure not in ("epsilon", "rho") or (measure == "rho" and delta):
        hint = "A claim of rho has no delta."
        raise parameter_error(caller, "measure", '"epsilon", or "rho" with delta 0', measure, hint)
    explore, sides = trials // _EXPLORE, (data, neighbour)
    first = [_described(mechanism, key, side, explore) for side in sides]
    cells, event = best(first, measure=measure, delta=exact_delta, risk=risk / 2)
    measured, hits = trials - explore, []
    for side in sides:
        tally = cells.tally(_described(mechanism, key, side, measured))
        hits.append(sum(tally[cell] for cell in event.cells))
    more, less = reversed(hits) if event.swapped else hits
    low, high = lower_limit(more, measured, risk / 2), upper_limit(less, measured, risk / 2)
    return LowerBound(
        float(at_least(measure, low, high, exact_delta)),
        delta=exact_delta,
        confidence=float(confidence),
        trials=trials,
        event=cells.describe(event.cells),
        hits=(more, less),
        measured=measured,
        swapped=event.swapped,
        measure=measure,
    )


def _described(
    mechanism: Any, key: Callable[[Any], Any] | None, data: Any, times: int
) -> Described:
    """Run the mechanism, and return the statistics of each output with how often it came up."""
    many = getattr(mechanism, "many", None)
    outputs = many(data, times) if many else (output(mechanism, data) for _ in range(times))
    if key is not None:
        outputs = (x if isinstance(x, Raised) else output(key, x) for x in outputs)
    return [(battery(found), count) for found, count in Counter(map(hashable, outputs)).items()]
