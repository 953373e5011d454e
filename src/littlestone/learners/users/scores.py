"""User-level errors of all hypotheses in one sweep: what every user counts, for every candidate.

For a hypothesis h and a number t, the user-level error count is the number of users on whose
records h makes more than t mistakes (Li, Wang, Ye 2024, Section 4: n times ``err_z^t(h)``). More
generally, a user with k mistakes counts min(max(k - t, 0), w), for a width w. Replacing one user
changes such a sum by at most w, whatever that user holds. `errors_by_user` returns an object that
knows it for *every* candidate of a class, and for every t and w:

=========================== ============================================ =========================
class                       how                                          cost
=========================== ============================================ =========================
thresholds, any domain      candidates lie in a line (below)             O(N log N) once, then
points, hashed points                                                    O(N) for each t
paths of trees
other classes of at most    one sparse product for each block            O(N size), once for
2**20 concepts; rules       of hypotheses                                all t
=========================== ============================================ =========================

N is the number of groups of the sample; of stored users a line is a pass over its blocks for
each t (`BlockErrors`). All counts are exact integers. A user without records makes no mistakes and
is counted in no score.

Candidates in a line: walk through them in their order. A point x is labelled 1 by the candidates of
one span, so a user's number of mistakes changes only where a span of that user's own points begins
or ends: at the user's own *events*. The score of every candidate is a running sum over events.

============== ============================== ================================
class          candidates, in order           a point x is labelled 1 by
============== ============================== ================================
thresholds     u = low - 1, ..., high         low - 1 .. x - 1
points         each point, then "never"       x alone
hashed points  "never", then each bucket of   x's bucket of each hash
               each hash
paths          nodes in preorder, then "none" the nodes below x, and x
============== ============================== ================================
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from littlestone.classes import FiniteClass, Points, Prefixes, Rules, Thresholds, TreePaths
from littlestone.classes.base import LISTABLE, ConceptClass, IdentityRepresentation
from littlestone.classes.hashing import HashedSets, predict_all
from littlestone.classes.hypotheses import AlwaysZero, PointHypothesis
from littlestone.classes.thresholds import ThresholdHypothesis
from littlestone.classes.trees import ROOT
from littlestone.data import UserSample
from littlestone.data.domains import totals
from littlestone.errors import UnsupportedError, check_integer
from littlestone.source import Explicit, Integers, ScoreRuns, exact_integers

if TYPE_CHECKING:
    from littlestone import types
    from littlestone.classes.base import HypothesisSet
    from littlestone.source import Source
    from littlestone.types import Hypothesis


# -- Exact separation of two binomial laws: how many mistakes of a user are many.
#
# A user with m records is wrong more than t times with probability ``tail(m, p, t)`` when each
# record is wrong with probability p. Which t tells error p from error q best? The likelihood
# ratio of two binomial laws is monotone, so the best event at all is of this form, and its
# advantage is the total variation distance (paper 002, Lemma 4.1, bounds it from below by 1/700
# of its order of magnitude; the exact value is about 500 times larger). All of this is in floats:
# certificates compute their probabilities again rigorously.


Floats = npt.NDArray[np.float64]


def tail(m: int, p: npt.ArrayLike, t: npt.ArrayLike) -> Floats:
    """Return Pr[Bin(m, p) > t] in floats; certificates compute it again rigorously.

    Examples
    --------
    >>> round(float(tail(2, 0.5, 0)), 12)
    0.75
    """
    from scipy.special import bdtrc  # noqa: PLC0415 - slow to import

    return np.asarray(bdtrc(np.asarray(t, dtype=float), m, np.asarray(p, dtype=float)))


def all_tails(m: int, errors: Floats) -> Floats:
    """Return Pr[Bin(m, error) > t] for all errors, and t = 0, ..., m: one row for each error.

    Examples
    --------
    >>> all_tails(2, np.array([0.5, 1.0])).round(12).tolist()
    [[0.75, 0.25, 0.0], [1.0, 1.0, 0.0]]
    """
    inner = np.clip(errors, 1e-300, 1 - 1e-16)[:, None]
    k, ways = _log_ways(m)
    chances = np.exp(ways + k * np.log(inner) + (m - k) * np.log1p(-inner))
    above = np.minimum(np.cumsum(chances[:, :0:-1], axis=1)[:, ::-1], 1.0)
    above[errors <= 0], above[errors >= 1] = 0.0, 1.0
    return np.concatenate([above, np.zeros((len(errors), 1))], axis=1)


@lru_cache(maxsize=16)
def _log_ways(m: int) -> tuple[Floats, Floats]:
    """Return 0, ..., m, and the logarithms of the binomial coefficients C(m, i)."""
    k = np.arange(m + 1, dtype=float)
    return k, np.array([math.log(math.comb(m, i)) for i in range(m + 1)])


def gap(m: int, p: npt.ArrayLike, q: npt.ArrayLike, t: npt.ArrayLike) -> Floats:
    """Return Pr[Bin(m, q) > t] - Pr[Bin(m, p) > t]."""
    return tail(m, q, t) - tail(m, p, t)


def log_moment(tails: Floats, tilts: npt.ArrayLike) -> Floats:
    """Return ln E e**(tilt * clipped mistakes), in floats.

    ``tails``: Pr[B > t], Pr[B > t + 1], ...: the clipped mistakes min(max(B - t, 0), width) are the
    sum of these events.

    Examples
    --------
    >>> bool(np.isclose(log_moment(np.array([0.25]), [1.0])[0], math.log(0.75 + 0.25 * math.e)))
    True
    """
    tilt, i = np.asarray(tilts, dtype=float), np.arange(tails.shape[-1])
    steps = np.exp(tilt[None] * i[:, None]) * np.expm1(tilt)[None]
    return np.asarray(np.log1p(np.maximum(tails @ steps, -1 + 2**-53)))


def crossing(m: int, p: npt.ArrayLike, q: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Return the t in [0, m) that separates Bin(m, p) from Bin(m, q) best, for p < q.

    It is where the two probability functions cross: all k above are likelier under q.

    Examples
    --------
    >>> int(crossing(16, 0.25, 0.35)), int(crossing(16, 0.0, 0.1))
    (4, 0)
    """
    low, high = np.clip(p, 1e-300, 1 - 1e-16), np.clip(q, 1e-300, 1 - 1e-16)
    # k ln(q/p) + (m - k) ln((1-q)/(1-p)) > 0
    fall = np.log1p(-low) - np.log1p(-high)
    where = m * fall / (np.log(high) - np.log(low) + fall)
    t = np.clip(np.floor(where), 0, m - 1)
    return np.asarray(t, dtype=np.int64)


def separate_within(m: int, low: float, high: float, excess: float) -> tuple[int, float]:
    """Return the t that tells p from p + excess best for the worst p in [low, high], and the gap.

    For each t the gap, as a function of p, rises and then falls: its derivative compares two
    values of a beta density. So the worst p is an end of the interval. A p above 1 - excess has no
    p + excess, and does not count.

    Examples
    --------
    >>> t, least = separate_within(64, 0.25, 0.375, 0.1)
    >>> t, round(least, 3)
    (23, 0.364)
    """
    ends, t = np.minimum([[low], [high]], 1 - excess), np.arange(m)
    least = gap(m, ends, ends + excess, t).min(axis=0)
    best = m - 1 - int(np.argmax(least[::-1]))  # of equal ones the last
    return best, float(least[best])


# -- Any listed hypotheses at once: a product of matrices for each block of them -------------------
#
# A user's mistakes are the ones among the user's labels, plus the zeros that a hypothesis labels 1,
# less the ones that it labels 1: linear in its labels, so all users and many hypotheses are one
# sparse product. Everything is an exact integer.


Ints = npt.NDArray[np.int64]
Bits = npt.NDArray[np.bool_]

_BLOCK = 1 << 22  # numbers of mistakes, or of labels, that are there at once


@dataclass(frozen=True)
class Listing:
    """Hypotheses 0, ..., size - 1, and how they label points."""

    size: int
    #: ``labels(start, stop, points)``: bool array, one row for each of these hypotheses.
    labels: Callable[[int, int, types.Points], Bits]
    hypothesis: Callable[[int], Hypothesis]  # the hypothesis of a number


def listing(hypotheses: ConceptClass | HypothesisSet) -> Listing:
    """Return the list of a class with at most 2**20 candidates, or of a drawn hypothesis set."""
    if isinstance(hypotheses, FiniteClass):
        return _matrix(hypotheses)
    if hypotheses.size > LISTABLE:
        name = hypotheses.spec if isinstance(hypotheses, ConceptClass) else "hypothesis set"
        raise UnsupportedError(
            f"The {name} has more than 2**20 candidates, and no sweep over users. Thresholds, "
            "points and tree paths may be of any size; other classes need a smaller domain, fewer "
            "bins or fewer literals."
        )
    if isinstance(hypotheses, Rules):
        return Listing(hypotheses.size, hypotheses.accepted, hypotheses.hypothesis)
    if isinstance(hypotheses, ConceptClass):
        concepts = list(hypotheses.concepts())
    else:
        concepts = list(hypotheses.hypotheses())

    def labels(start: int, stop: int, points: types.Points) -> Bits:
        return predict_all(concepts[start:stop], points)

    return Listing(len(concepts), labels, concepts.__getitem__)


def _matrix(finite: FiniteClass) -> Listing:
    def labels(start: int, stop: int, points: types.Points) -> Bits:
        columns = finite.matrix.shape[1]
        inside = np.asarray((points >= 0) & (points < columns), dtype=bool)
        out = np.zeros((stop - start, len(points)), dtype=bool)
        out[:, inside] = finite.matrix[start:stop, points[inside].astype(np.int64)] == 1
        return out

    return Listing(finite.size, labels, finite.hypothesis)


class ListedErrors:
    """How many users have more than t mistakes, for each of the listed hypotheses, and every t.

    ``m``: public: most records of a user.

    Notes
    -----
    *Cost.* One pass for all t < m at the first question: about N size operations for N groups;
    then m * size counts of 4 bytes are kept.

    Examples
    --------
    >>> from littlestone.data import UserSample
    >>> users = UserSample.of(["a", "a", "b"], [0, 1, 1], [0, 1, 1])
    >>> sweep = ListedErrors(listing(FiniteClass([[0, 0], [0, 1], [1, 0]])), users, m=2)
    >>> sweep.scores(0).tolist(), sweep.scores(1).tolist()
    ([2, 0, 2], [0, 0, 1])
    """

    def __init__(self, listed: Listing, users: UserSample, m: int) -> None:
        self._listed, self._users, self._m = listed, users, m
        self._table: npt.NDArray[np.int32] | None = None

    @property
    def size(self) -> int:
        """Number of candidates."""
        return self._listed.size

    def scores(self, t: int, *, width: int = 1) -> Ints:
        """Return for each hypothesis the sum of all users' min(max(mistakes - t, 0), width)."""
        if t >= self._m:
            return np.zeros(self.size, dtype=np.int64)
        if self._table is None:
            self._table = self._count()
        scores: Ints = self._table[t : t + width].sum(axis=0, dtype=np.int64)
        return scores

    def least(self, t: int, *, width: int = 1) -> int:
        """Return the least score, over all candidates."""
        return int(self.scores(t, width=width).min())

    def draw(self, t: int, rate: Fraction, source: Source, *, width: int = 1) -> Hypothesis:
        """Return a hypothesis with probability proportional to ``e**(-rate * score)``, exactly."""
        return self._listed.hypothesis(Explicit(-self.scores(t, width=width)).draw(rate, source))

    def _count(self) -> npt.NDArray[np.int32]:
        from scipy.sparse import csr_matrix  # noqa: PLC0415 - slow to import

        users, m = self._users, self._m
        used, column = np.unique(users.point.clip(0), return_inverse=True)  # that have records
        ones, points = users.code == 1, users.points[used[: len(users.points)]]
        gains = np.where(users.point >= 0, np.where(ones, -users.count, users.count), 0)
        kind = _narrowest(max(int(users.count.sum()), _BLOCK))
        entries = (gains.astype(kind), column, users.starts)
        matrix = csr_matrix(entries, shape=(users.n_users, max(len(points), 1)))
        begin = sums(np.where(ones, users.count, 0), users.starts)[:, None].astype(kind)
        out = np.zeros((m, self.size), dtype=np.int32)
        step = max(1, _BLOCK // max(users.n_users, len(points), m + 1))
        for start in range(0, self.size, step):
            stop = min(start + step, self.size)
            labels = np.zeros((max(len(points), 1), stop - start), dtype=kind)
            labels[: len(points)] = self._listed.labels(start, stop, points).T
            mistakes = np.minimum(begin + matrix @ labels, m)
            cells = mistakes + (m + 1) * np.arange(stop - start, dtype=kind)  # each one apart
            users_of = np.bincount(cells.ravel(), minlength=(m + 1) * (stop - start))
            users_of = users_of.reshape(-1, m + 1)[:, :0:-1]  # with m, m - 1, ... mistakes
            out[:, start:stop] = users_of.cumsum(axis=1)[:, ::-1].T
        return out


_KEPT = 4  # the runs of this number of (t, width) are kept


#: A user with k mistakes counts min(max(k - t, 0), w): with w = 1 the score of a candidate is the
#: number of users with more than t mistakes.
UserErrors: TypeAlias = "ListedErrors | LineErrors"


def sweepable(hypotheses: ConceptClass | HypothesisSet) -> bool:
    """Return whether `errors_by_user` can sweep these hypotheses; public.

    Examples
    --------
    >>> from littlestone.classes import Intervals
    >>> sweepable(Thresholds(1, 2**64)), sweepable(Intervals(1, 2**64))
    (True, False)
    """
    if isinstance(hypotheses, IdentityRepresentation):
        hypotheses = hypotheses.concept_class
    listed = isinstance(hypotheses, FiniteClass) or hypotheses.size <= LISTABLE
    return _in_a_line(hypotheses) or listed


def errors_by_user(
    hypotheses: ConceptClass | HypothesisSet, users: UserSample, m: int
) -> UserErrors:
    """Prepare the clipped user-level errors of all hypotheses at once, for every t and width.

    ``hypotheses``: thresholds and points of any domain (points over an infinite domain through a
    drawn representation), and whatever has at most 2**20 listed candidates; ``users``: each user's
    records, at most m of them (`UserSample.bound_contributions`); ``m``: the public number of
    records that each user has at most.

    Notes
    -----
    *Sensitivity.* Replacing one user changes each score by at most the width.

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> from littlestone.data import UserSample
    >>> users = UserSample.of(["a", "a", "b", "b"], [2, 7, 3, 8], [0, 1, 1, 1])
    >>> sweep = errors_by_user(Thresholds(1, 9), users, m=2)
    >>> sweep.least(0), sweep.scores(0).scores.tolist()
    (0, [1, 0, 1, 2])
    """
    check_integer("errors_by_user", "m", m, low=1)
    if isinstance(hypotheses, IdentityRepresentation):
        hypotheses = hypotheses.concept_class
    if not users.in_memory and _in_a_line(hypotheses):
        return BlockErrors(users, lambda block: _line(hypotheses, block))
    if _in_a_line(hypotheses):
        return _line(hypotheses, users)
    return ListedErrors(listing(hypotheses), users, m)


def threshold_errors(low: int, high: int, users: UserSample) -> LineErrors:
    """Return the user-level errors of all thresholds over low .. high.

    Examples
    --------
    >>> from littlestone.data import UserSample
    >>> users = UserSample.of(["a", "a", "b"], [2, 7, 3], [0, 1, 1])
    >>> threshold_errors(1, 9, users).scores(0).scores.tolist()
    [1, 0, 1, 2]
    """
    if not users.in_memory:
        return BlockErrors(users, lambda block: ThresholdErrors(low, high, block))
    return ThresholdErrors(low, high, users)


def _in_a_line(hypotheses: Any) -> bool:
    """Return whether the candidates lie in a line."""
    if isinstance(hypotheses, HashedSets):
        return hypotheses.k == 1
    bounded = isinstance(hypotheses, Points) and hypotheses.bounds is not None
    return bounded or isinstance(hypotheses, Thresholds | TreePaths | Prefixes)


def _line(hypotheses: Any, users: UserSample) -> LineErrors:
    if isinstance(hypotheses, Thresholds):
        return ThresholdErrors(hypotheses.low, hypotheses.high, users)
    if isinstance(hypotheses, Points) and hypotheses.bounds is not None:
        return point_errors(hypotheses.bounds, users)
    if isinstance(hypotheses, TreePaths | Prefixes):
        return path_errors(hypotheses, users)
    assert isinstance(hypotheses, HashedSets)
    return bucket_errors(hypotheses, users)


class Events:
    """Where each user's number of mistakes changes, user by user and in the order of the line.

    ``places``: increasing candidates at which something changes; ``starts``: the events of user i
    are number starts[i] to starts[i + 1] - 1. Of several events at one place any order will do;
    ``where``: index into ``places`` of each event; ``change``: by how much the user's mistakes
    change there.
    """

    def __init__(
        self, places: Integers, starts: Ints, where: npt.NDArray[Any], change: Ints
    ) -> None:
        self.places, self.starts = places, starts
        self.where, self.change = where, change


class LineErrors:
    """The clipped user-level errors of every candidate of a line, for every t and width.

    ``first``, ``end``: the candidates are first, ..., end - 1; ``mistakes``: of each user, under
    the candidate ``first``; ``events``: with places in (first, end]; ``make``: the hypothesis of a
    candidate.

    Notes
    -----
    *Cost.* A few bytes for each event. Each new t takes one pass over the events, and gives at most
    as many runs as users enter or leave.

    Examples
    --------
    >>> events = Events(np.array([2, 6]), np.array([0, 2]), np.array([0, 1]), np.array([-1, 2]))
    >>> one_user = LineErrors(0, 9, np.array([1]), events, make=str)
    >>> one_user.scores(0).starts.tolist(), one_user.scores(0).scores.tolist()
    ([0, 2, 6], [1, 0, 1])
    """

    def __init__(
        self,
        first: int,
        end: int,
        mistakes: Ints,
        events: Events,
        *,
        make: Callable[[int], Hypothesis],
    ) -> None:
        self.first, self.end, self.hypothesis = first, end, make
        self._places, self._mistakes = events.places, mistakes
        after = np.cumsum(events.change)
        earlier = np.concatenate([[0], after])[events.starts[:-1]]  # of the users before
        after += np.repeat(mistakes - earlier, np.diff(events.starts))
        before = after - events.change
        small = _narrowest(max(int(before.max(initial=0)), int(after.max(initial=0))))
        self._before, self._after = before.astype(small), after.astype(small)
        self._where = events.where.astype(_narrowest(len(events.places)), copy=False)
        self._known: dict[tuple[int, int], ScoreRuns] = {}

    @property
    def size(self) -> int:
        """Number of candidates."""
        return self.end - self.first

    def scores(self, t: int, *, width: int = 1) -> ScoreRuns:
        """Return for each candidate the sum of all users' clipped mistakes.

        ``width``: a user with k mistakes counts min(max(k - t, 0), width).
        """
        if (t, width) not in self._known:
            was, now = _clipped(self._before, t, width), _clipped(self._after, t, width)
            moved = np.flatnonzero(was != now)
            by = now[moved].astype(np.int64) - was[moved]
            changed, change = _totals(self._where[moved], by, len(self._places))
            begin = int(_clipped(self._mistakes, t, width).sum())
            scores = begin + np.concatenate([[0], np.cumsum(change)]).astype(np.int64)
            head = np.array([self.first], dtype=self._places.dtype)
            starts = np.concatenate([head, self._places[changed]])
            if int(starts[-1]) == self.end:  # what changes after the last candidate
                starts, scores = starts[:-1], scores[:-1]
            if len(self._known) >= _KEPT:
                self._known.pop(next(iter(self._known)))
            self._known[t, width] = ScoreRuns(starts, self.end, scores)
        return self._known[t, width]

    def least(self, t: int, *, width: int = 1) -> int:
        """Return the least score, over all candidates."""
        return int(self.scores(t, width=width).scores.min())

    def draw(self, t: int, rate: Fraction, source: Source, *, width: int = 1) -> Hypothesis:
        """Return a hypothesis with probability proportional to ``e**(-rate * score)``, exactly."""
        return self.hypothesis(self.scores(t, width=width).draw(-rate, source))


class BlockErrors(LineErrors):
    """The same for users in blocks: the scores of the blocks are added up, a pass for each t.

    ``errors``: returns the `LineErrors` of a block.

    Notes
    -----
    *Cost.* A pass over the users for each new t and width. Memory for a block, and for the runs of
    the scores: at most as many as users enter or leave.

    Examples
    --------
    >>> blocks = [UserSample.of([name], [3], [0]) for name in ("ann", "bob")]
    >>> from littlestone.data.stored import StoredUsers
    >>> users = StoredUsers(np.zeros(2, dtype=np.uint64), lambda: iter(blocks))
    >>> runs = BlockErrors(users, lambda block: ThresholdErrors(1, 9, block)).scores(0)
    >>> runs.starts.tolist(), runs.scores.tolist()
    ([0, 3], [2, 0])
    """

    def __init__(self, users: UserSample, errors: Callable[[UserSample], LineErrors]) -> None:
        self._users, self._errors = users, errors
        self._none = errors(UserSample.of([], [], []))  # knows the candidates
        self.first, self.end = self._none.first, self._none.end
        self.hypothesis = self._none.hypothesis
        self._known: dict[tuple[int, int], ScoreRuns] = {}  # the last ones: they may be many
        self._least: dict[tuple[int, int], int] = {}

    def scores(self, t: int, *, width: int = 1) -> ScoreRuns:
        """Return for each candidate the sum of all users' clipped mistakes; see `LineErrors`."""
        if (t, width) not in self._known:
            self._known.clear()
            nothing = self._none.scores(t, width=width)
            begin, places, changes = 0, [nothing.starts[1:]], [nothing.scores[1:]]
            for block in self._users.blocks():
                runs = self._errors(block).scores(t, width=width)
                begin += int(runs.scores[0])
                places.append(runs.starts[1:])
                changes.append(np.diff(runs.scores))
            changed, change = _added(places, changes)
            starts = np.concatenate([nothing.starts[:1].astype(changed.dtype), changed])
            scores = begin + np.concatenate([[0], np.cumsum(change)]).astype(np.int64)
            self._known[t, width] = ScoreRuns(starts, self.end, scores)
            self._least[t, width] = int(scores.min())
        return self._known[t, width]

    def least(self, t: int, *, width: int = 1) -> int:
        """Return the least score, over all candidates."""
        if (t, width) not in self._least:
            self.scores(t, width=width)
        return self._least[t, width]


def _added(parts: list[Integers], changes_of: list[Ints]) -> tuple[Integers, Ints]:
    """Add up changes at equal places, and return where they do not cancel; empties the lists."""
    places, changes = np.concatenate(parts), np.concatenate(changes_of)
    parts.clear()
    changes_of.clear()
    order = np.argsort(places)
    places, changes = places[order], changes[order]
    first = np.ones(len(places), dtype=bool)
    first[1:] = places[1:] != places[:-1]
    at = np.flatnonzero(first)
    if not len(at):
        return places, changes
    total = np.add.reduceat(changes, at)
    some = total != 0
    return places[at[some]], total[some]


def sums(values: Ints, starts: Ints) -> Ints:
    """Add up the values of each user, who may have none.

    ``values``: those of the first user, then those of the second, ...; ``starts``: where the values
    of each user begin; the last entry is their number.

    Examples
    --------
    >>> sums(np.array([1, 2, 4]), np.array([0, 2, 2, 3])).tolist()
    [3, 0, 4]
    """
    running = np.concatenate([[0], np.cumsum(values)])
    totals: Ints = np.diff(running[starts])
    return totals


def _narrowest(most: int) -> Any:
    """Return the narrowest integer type that holds 0 .. most."""
    return next(k for k in (np.int8, np.int16, np.int32, np.int64) if most <= np.iinfo(k).max)


def _clipped(mistakes: npt.NDArray[Any], t: int, width: int) -> npt.NDArray[Any]:
    """Return min(max(mistakes - t, 0), width); comparisons alone where that is one bit."""
    if width == 1:
        return np.asarray(mistakes > t)
    return np.asarray(np.clip(mistakes, t, t + width) - t)


def _totals(where: npt.NDArray[Any], change: Ints, size: int) -> tuple[Ints, Ints]:
    """Return where the changes do not cancel, and what they add up to there."""
    if 4 * len(where) < size:  # few events among many places: sort them
        keys, index = np.unique(where, return_inverse=True)
    else:
        keys, index = np.arange(size), where
    total = totals(index, change, len(keys))
    changed = np.flatnonzero(total)
    return keys[changed].astype(np.int64), total[changed]


class ThresholdErrors(LineErrors):
    """The user-level error counts of all thresholds over low .. high.

    ``users``: points beyond the domain are outside: labelled 0 by every concept.

    Notes
    -----
    *Cost.* O(N) to prepare N groups: they come sorted by user and point.

    Examples
    --------
    >>> from littlestone.data import UserSample
    >>> users = UserSample.of(["a", "a", "b"], [2, 7, 3], [0, 1, 1])
    >>> runs = ThresholdErrors(1, 9, users).scores(0)
    >>> runs.starts.tolist(), runs.scores.tolist()
    ([0, 2, 3, 7], [1, 0, 1, 2])
    """

    def __init__(self, low: int, high: int, users: UserSample) -> None:
        begin = int(np.count_nonzero(users.points < low))
        stop = int(np.count_nonzero(users.points <= high))
        points = exact_integers(
            users.points[begin:stop], reach=2 * max(abs(low - 1), abs(high + 1))
        )
        inside = (users.point >= begin) & (users.point < stop)
        ones = users.code == 1
        # "always 1" is wrong on the zeros inside and, as outside points are labelled 0, the ones
        # there
        wrong = np.where(inside != ones, users.count, 0)
        # passing x turns its label to 0
        change = np.where(ones, users.count, -users.count)
        starts, where = users.starts, users.point
        if not inside.all():
            starts = np.concatenate([[0], np.cumsum(inside)])[starts]
            where, change = where[inside], change[inside]
        super().__init__(
            low - 1,
            high + 1,
            sums(wrong, users.starts),
            Events(points, starts, where - begin if begin else where, change),
            make=lambda u: ThresholdHypothesis(u, low, high),
        )


def point_errors(bounds: tuple[int, int], users: UserSample) -> LineErrors:
    """Return the sweep of single points of low .. high, and the constant 0 (the last candidate)."""
    low, high = bounds
    never = high + 1

    def make(u: int) -> Hypothesis:
        return AlwaysZero() if u == never else PointHypothesis(u)

    begins = users.points
    kept = np.asarray((begins >= low) & (begins <= high), dtype=bool)
    inside = exact_integers(begins[kept], reach=2 * max(abs(low), abs(high + 2)))
    return _spans((low, never + 1), users, kept, (inside, inside + 1), make)


def path_errors(concept_class: TreePaths | Prefixes, users: UserSample) -> LineErrors:
    """Return the sweep of all paths of a tree, and the empty path (the last candidate)."""
    ranks, ends, inside = concept_class.spans(users.points)
    nodes = int(concept_class.size) - 1

    def make(rank: int) -> Hypothesis:
        node = ROOT if rank == nodes else concept_class.at_rank(rank)
        return concept_class.concept(node)

    begins, stops = (exact_integers(places, reach=2 * nodes + 2) for places in (ranks, ends))
    kept = np.asarray(inside, dtype=bool)
    return _spans((0, nodes + 1), users, kept, (begins, stops), make)


def bucket_errors(hypotheses: HashedSets, users: UserSample) -> LineErrors:
    """Return the sweep of a drawn set of hashed points: "never", then the buckets of each hash."""
    points = users.points
    kept = np.ones(len(points), dtype=bool)
    if hypotheses.bounds is not None and len(points):
        low, high = hypotheses.bounds
        kept = np.asarray((points >= low) & (points <= high), dtype=bool)
    copies, buckets = len(hypotheses.functions), hypotheses.functions[0].buckets
    here = points[kept]
    found = [f(here) if len(here) else np.zeros(0, np.int64) for f in hypotheses.functions]
    begins = np.stack([1 + i * buckets + bucket for i, bucket in enumerate(found)], axis=1)
    end = copies * buckets + 1
    return _spans((0, end), users, kept, (begins, begins + 1), hypotheses.single)


def _spans(
    line: tuple[int, int],
    users: UserSample,
    kept: npt.NDArray[np.bool_],
    spans: tuple[Integers, Integers],
    make: Callable[[int], Hypothesis],
) -> LineErrors:
    """Return the sweep of a line on which the points ``kept`` are 1 on spans, all others nowhere.

    ``spans`` are the first candidate that is 1 and the one after the last, one row for each such
    point (and maybe several columns).
    """
    (first, end), (begins, stops) = line, spans
    width = begins.size // max(len(begins), 1)
    places, index = np.unique(np.concatenate([begins, stops], axis=None), return_inverse=True)
    index = index.reshape(2, len(begins), width)
    inside = np.flatnonzero(users.point >= 0)
    inside = inside[kept[users.point[inside]]]
    which = (np.cumsum(kept) - 1)[users.point[inside]]
    gain = np.where(users.code == 1, -users.count, users.count)[inside]
    user = np.tile(np.repeat(users.user[inside], width), 2)
    where = index[:, which].reshape(-1)
    change = np.repeat(np.concatenate([gain, -gain]), width)
    order = np.lexsort((where, user))
    user, where, change = user[order], where[order], change[order]
    mistakes = sums(np.where(users.code == 1, users.count, 0), users.starts)
    if len(places) and int(places[0]) == first:  # what changes at the first candidate comes before
        begin = where == 0
        np.add.at(mistakes, user[begin], change[begin])
        user, where, change = user[~begin], where[~begin], change[~begin]
    starts = np.searchsorted(user, np.arange(users.n_users + 1)).astype(np.int64)
    return LineErrors(first, end, mistakes, Events(places, starts, where, change), make=make)
