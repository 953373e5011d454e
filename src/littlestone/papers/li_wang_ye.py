"""Li, Wang, Ye 2024 (002), from Section 4 on: pure private agnostic learning of users, as printed.

=====================  ======================================================================
`PrivateCompare`       Lemma C.1: is the best error below or above a midpoint?
`PrivateMinError`      Algorithm 2, Lemma 4.5: binary search with such bits
`Theorem46`            Theorem 4.6 (Appendix C.4): search, then the exponential mechanism on q
`IntervalMedian`       Lemma 5.1: a point that halves the mass of an interval
`PrivateThreshold`     Algorithm 1, Theorem 5.2: medians and choices, T times
=====================  ======================================================================

Records, Section 3, are in `littlestone.papers.li_wang_ye_records`. Scores are counts of users, n
times those of the paper. Users are replaced, and n is public, or (Definition 2.1) added or removed,
and n is secret: `ADDED`. Errata are numbered in docs/errata.csv (docs/papers.md). Lines of
Algorithms 1 and 2 have no numbers in print: comments count them, from the first one after the
input, each if with its else and end as one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from littlestone.bounds import CertificateBuilder, Step
from littlestone.classes import Points, SparseSets, ThresholdHypothesis, Thresholds
from littlestone.data import UserSample
from littlestone.errors import ParameterError, UnsupportedError, check_integer, parameter_error
from littlestone.learners.users.scores import (
    BlockErrors,
    ListedErrors,
    Listing,
    ThresholdErrors,
    UserErrors,
    crossing,
    errors_by_user,
    separate_within,
    sweepable,
    tail,
    threshold_errors,
)
from littlestone.mechanisms.estimate import coin_of
from littlestone.papers.adaptor import BOUNDS, Certified, on_page
from littlestone.papers.li_wang_ye_records import PRIVACY
from littlestone.privacy import Guarantee, Neighbours
from littlestone.source import Explicit, ExplicitWeights, ScoreRuns, exp, public_salt

if TYPE_CHECKING:
    from littlestone.classes import ConceptClass, Representation
    from littlestone.learners.base import Goal
    from littlestone.source import Source
    from littlestone.types import Hypothesis


SEARCH = "lwy.lemma4.5"
CHOICE = "lwy.theorem4.6"
HALVING = "lwy.lemma5.1"
WALK = "lwy.algorithm1"

_COMPARE, _SIDES, _HALVED, _WALKED = (
    BOUNDS[f"lwy.{part}"] for part in ("lemmaC.1", "lemma5.1", "lemma5.1.median", "algorithm1")
)

Ints = npt.NDArray[np.int64]
Bits = npt.NDArray[np.bool_]


# -- Section 4: users -----------------------------------------------------------------------------


#: Of users: replaced, and n is public; or added or removed (Definition 2.1), and n is secret. The
#: estimators, which print n, offer the first one only.
REPLACED, ADDED = Neighbours.USER_REPLACE, Neighbours.USER_ADD_REMOVE


def rate(epsilon: Fraction, neighbours: Neighbours, sensitivity: int = 1) -> Fraction:
    """Return the rate of an exponential mechanism; a user who is added moves all scores one way."""
    return epsilon / ((1 if neighbours is ADDED else 2) * sensitivity)


def some_of_each(users: UserSample, m: int, source: Source) -> UserSample:
    """Return at most m records of each user, chosen by public coins."""
    return users.bound_contributions(m, salt=public_salt(source))


def behaviours(concept_class: ConceptClass, points: Any, most: int) -> Bits:
    """Return what the concepts say at points of a sample of ``most`` records, each once or more."""
    if isinstance(concept_class, Points | SparseSets):
        k = concept_class.vc_dim
        if sum(math.comb(most, i) for i in range(k + 1)) > 2**20:
            raise UnsupportedError(
                f"{concept_class.spec} has more than 2**20 patterns on that many records, and "
                "Theorem 4.6 lists them. Use fewer users or records, or a smaller k."
            )
        low, high = concept_class.bounds or (-math.inf, math.inf)
        inside = [i for i, x in enumerate(points.tolist())
                  if concept_class.bounds is None or low <= x <= high]  # fmt: skip
        subsets = [s for i in range(k + 1) for s in combinations(inside, i)]
        rows = np.zeros((len(subsets), len(points)), dtype=bool)
        for row, subset in zip(rows, subsets, strict=True):
            row[list(subset)] = True
        return rows
    return np.array([c.predict(points) for c in concept_class.concepts()], dtype=bool)


def class_errors(concept_class: ConceptClass, users: UserSample, m: int) -> UserErrors:
    """Return err_z^t of all concepts, for every t."""
    if sweepable(concept_class):
        return errors_by_user(concept_class, users, m)
    rows = behaviours(concept_class, users.points, users.n_users * m)
    return ListedErrors(Listing(len(rows), lambda i, j, _: rows[i:j], lambda i: i), users, m)  # type: ignore[arg-type,return-value]


def surrogate_of_users(
    concept_class: ConceptClass, labels: Ints, users: UserSample, m: int, t: int
) -> Ints:
    """Return n q(z, h) = min over c of n err_z^t(c) + n dis_x^s(c, h), s = 0, for each h."""
    C = behaviours(concept_class, users.points, users.n_users * m).astype(np.int64)
    counts = np.zeros((2, len(users.points) + 1, users.n_users), dtype=np.int64)
    np.add.at(counts, (users.code, users.point, users.user), users.count)  # -1: the last, outside
    zeros, ones = counts[:, :-1]
    mistakes = C @ zeros + (1 - C) @ ones + counts[1, -1]
    errors = (mistakes > t).sum(axis=1)
    present = (zeros + ones > 0).astype(np.int64)
    q = [(errors + ((h != C) @ present > 0).sum(axis=1)).min() for h in labels]
    return np.array(q, dtype=np.int64)


@on_page("lwy.lemmaC.1", "Lemma C.1", "mechanism",
         "PrivateCompare: is the best error below or above a midpoint?", unit="users")  # fmt: skip
@dataclass(frozen=True)
class PrivateCompare:
    """Lemma C.1: 1 if the least user-level error, plus noise, reaches a cut between two laws.

    The noisy count is never shown, and not even drawn: the bit is one coin.

    *Deviations.* t and the cut by the exact separation, which is some 500 times that of Lemma 4.1;
    the cut 9/20 of the way up, as below it one count fails, above it the least of ``|C|``. With n
    public the noise is two-sided geometric, Laplace on integers. With n secret the sum over users
    of (1[.] - cut) is compared with 0: n cut would move with n (erratum 13). From midpoint + gap =
    1 on there is nothing to compare (erratum 14).

    Examples
    --------
    >>> import littlestone as ls
    >>> quarter, eighth = Fraction(1, 4), Fraction(1, 8)
    >>> A = PrivateCompare(ls.Thresholds(1, 9), 16, quarter, eighth, epsilon=Fraction(1))
    >>> A.t, round(float(A.cut), 3)
    (4, 0.553)
    """

    concept_class: ConceptClass
    samples_per_user: int  # m
    midpoint: Fraction
    gap: Fraction  # alpha/2: between midpoint and midpoint + gap both answers are right
    epsilon: Fraction
    neighbours: Neighbours = REPLACED
    share: Fraction = Fraction(9, 20)

    def guarantee(self) -> Guarantee:
        """Return what is promised about one user."""
        return Guarantee(self.epsilon, neighbours=self.neighbours, claim=PRIVACY)

    @property
    def trivial(self) -> bool:
        """Whether 0 is a right answer, whatever the error."""
        return self.midpoint + self.gap >= 1

    @cached_property
    def t(self) -> int:
        """How many mistakes of a user tell midpoint from midpoint + gap best."""
        return int(crossing(self.samples_per_user, *map(float, self.ends)))

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """The two errors that are distinguished."""
        return self.midpoint, self.midpoint + self.gap

    @cached_property
    def cut(self) -> Fraction:
        """The share of users that decides."""
        low, high = (float(tail(self.samples_per_user, float(p), self.t)) for p in self.ends)
        between = low + float(self.share) * (high - low)
        return Fraction(min(max(int(between * _GRID), 1), _GRID - 1), _GRID)

    def draw(self, users: UserSample, source: Source) -> int:
        """Return 1 for "above the midpoint", 0 for "below"."""
        users = some_of_each(users, self.samples_per_user, source)
        errors = class_errors(self.concept_class, users, self.samples_per_user)
        return self.decide(errors, users.n_users, source)

    def decide(self, errors: UserErrors, n: int, source: Source) -> int:
        """Return the bit for n users with these errors."""
        if self.trivial:
            return 0
        least = errors.least(self.t)  # min over c of n err_z^t(c)
        if self.neighbours is ADDED:  # Lap(max(cut, 1 - cut)/epsilon) >= n cut - least?
            missing = (n * self.cut - least) / max(self.cut, 1 - self.cut)
            far = exp(-self.epsilon * abs(missing), times=Fraction(1, 2))
            over = (1 - far, far) if missing > 0 else (far, 1 - far)
            return source.choose(ExplicitWeights(*over))
        return source.choose(coin_of(self.epsilon, least - math.ceil(n * self.cut)))

    def failure(self, cert: CertificateBuilder, name: str) -> Step:
        """Write the chance of a wrong answer, for n users, as the step "wrong" of this name."""
        noise = self.epsilon / (max(self.cut, 1 - self.cut) if self.neighbours is ADDED else 1)
        here = cert.where(m=self.samples_per_user, p=self.ends[0], q=self.ends[1], t=self.t,
                          cut=self.cut, epsilon=noise)  # fmt: skip
        rates = {x: here.step(f"{x}_{name}", f"binomial_above(m, {p}, t)", SEARCH)
                 for x, p in (("low", "p"), ("high", "q"))}  # fmt: skip
        here = here.where(**rates)
        up, down = (_COMPARE.function(line, share, **here.floats)
                    for line, share in (("up", "far"), ("down", "beyond")))  # fmt: skip
        return _COMPARE.write(here, suffix=f"_{name}", far=_least(up), beyond=_least(down))


_GRID = 2**30  # cuts are fractions with this denominator


def _least(height: Callable[[float], float]) -> Fraction:
    """Return the share at which a bound is about least: it decides nothing but a size."""
    return min((Fraction(i, 400) for i in range(1, 400)), key=lambda share: height(float(share)))


@on_page("lwy.algorithm2", "Algorithm 2", "mechanism",
         "PrivateMinError: the best error of a class, by binary search", unit="users")  # fmt: skip
@dataclass(frozen=True)
class PrivateMinError:
    """Algorithm 2 (Lemma 4.5): where the best error of the class lies, by binary search.

    *Deviations.* As printed it continues with the wrong half, and ends far away: `branch` (erratum
    12). It says an interval, [l, r + gap], not l. ``steps`` None: as many as t needs, width and gap
    1/(4 sqrt(m)), where the paper's T = ceil(log2(2/alpha)) locates the error itself; never more.
    It starts with [0, ``top``], and top is 1/2 where a class holds both constants.

    Examples
    --------
    >>> import littlestone as ls
    >>> A = PrivateMinError(ls.Thresholds(1, 9), 16, Fraction(1), Fraction(1, 20))
    >>> A.T, A.gap, A.met
    (3, Fraction(1, 16), [1, 2, 2])
    """

    concept_class: ConceptClass
    samples_per_user: int  # m
    epsilon: Fraction  # of all comparisons together
    alpha: Fraction
    top: Fraction = Fraction(1, 2)
    steps: int | None = None
    neighbours: Neighbours = REPLACED

    @property
    def T(self) -> int:  # noqa: N802 - the paper's symbol
        """The number of comparisons; none for users of one record, for whom t is 0."""
        if self.steps is not None:
            return check_integer("PrivateMinError", "steps", self.steps, low=0)
        if self.samples_per_user == 1:
            return 0
        fine = math.ceil(math.log2(4 * math.sqrt(self.samples_per_user) * self.top))
        return min(fine, math.ceil(math.log2(2 / self.alpha)))

    @property
    def gap(self) -> Fraction:
        """What comparisons distinguish; also the width of the last interval."""
        return Fraction(self.top, 2**self.T)

    def guarantee(self) -> Guarantee:
        """Return the sum of the comparisons."""
        each = self.epsilon / max(self.T, 1)
        return Guarantee(self.T * each, neighbours=self.neighbours, claim=PRIVACY)

    @cached_property
    def compare(self) -> dict[Fraction, PrivateCompare]:
        """The comparison with each midpoint that may be met."""
        each = self.epsilon / max(self.T, 1)  # epsilon'
        return {
            middle: PrivateCompare(
                self.concept_class, self.samples_per_user, middle, self.gap, each, self.neighbours
            )
            for middle in (j * self.gap for j in range(1, 2**self.T))
        }

    @staticmethod
    def branch(bit: int, low: Fraction, middle: Fraction, high: Fraction) -> tuple[Fraction, ...]:
        """Return the half to continue with; as printed it is the other one."""
        return (middle, high) if bit else (low, middle)

    def draw(self, users: UserSample, source: Source) -> tuple[Fraction, Fraction]:
        """Return an interval that holds the best error of the class."""
        users = some_of_each(users, self.samples_per_user, source)
        errors = class_errors(self.concept_class, users, self.samples_per_user)
        return self.locate(errors, users.n_users, source)

    def locate(self, errors: UserErrors, n: int, source: Source) -> tuple[Fraction, Fraction]:
        """Return [l, r + gap] for n users with these errors."""
        l, r = Fraction(0), self.top  # 1, 2, 3: T, epsilon' of `compare`  # noqa: E741 - symbols
        for _ in range(self.T):  # 4
            mid = (l + r) / 2  # 5
            sigma = self.compare[mid].decide(errors, n, source)
            l, r = self.branch(sigma, l, mid, r)  # 6: the branch  # noqa: E741
        return l, min(self.top, r + self.gap)  # 7

    @cached_property
    def answers(self) -> list[tuple[Fraction, Fraction]]:
        """All intervals that may be found; if no comparison is wrong, two neighbours may be."""
        lows = [j * self.gap for j in range(2**self.T)]
        return [(low, min(self.top, low + 2 * self.gap)) for low in lows]

    @property
    def met(self) -> list[int]:
        """How many midpoints of each step can be met while no comparison is wrong."""
        return [min(2**k, math.ceil(1 + Fraction(2**k, 2**self.T))) for k in range(self.T)]

    def failure(self, cert: CertificateBuilder) -> Step:
        """Write the chance of a wrong comparison, for n users and ``|C|`` = size."""
        if not self.T:
            return cert.step("search", "0*n", SEARCH)
        parts: dict[str, Step] = {}
        terms = []
        for k, most in enumerate(self.met):
            row = []
            for j in range(1, 2 ** (k + 1), 2):
                one = self.compare[j * self.top / 2 ** (k + 1)]
                if not one.trivial:  # else it cannot be wrong
                    row.append(f"p{k}_{j}")
                    parts[row[-1]] = one.failure(cert, f"compare_{k}_{j}")
            terms.append(f"{most}*max({', '.join(row)})")
        return cert.step("search", " + ".join(terms), SEARCH, **parts)


def _separating(m: int, low: Fraction, high: Fraction, excess: Fraction) -> int:
    """Return the t that tells p from p + excess best (Lemma 4.1), for all p in [low, high]."""
    return separate_within(m, float(low), float(high), float(excess))[0]


def _apart(
    cert: CertificateBuilder, name: str, m: int, answer: tuple[Fraction, Fraction], excess: Fraction
) -> tuple[int, Step]:
    """Write how far t keeps errors apart that differ by the excess, within an answer."""
    t = _separating(m, *answer, excess)
    for end, p in zip(("left", "right"), (answer[0], min(answer[1], 1 - excess)), strict=True):
        more = "1" if p + excess >= 1 else "binomial_above(m, p + excess, t)"
        cert.step(
            f"{name}_{end}", f"{more} - binomial_above(m, p, t)", CHOICE, m=m, p=p, t=t,
            excess=excess,
        )  # fmt: skip
    parts = {end: cert.steps[f"{name}_{end}"] for end in ("left", "right")}
    return t, cert.step(f"{name}_apart", "min(left, right)", CHOICE, **parts)


def _two(cert: CertificateBuilder, name: str, each: list[Step], source: str) -> Step:
    """Write the largest sum of two neighbours: the intervals that the search may answer."""
    pairs: list[tuple[int, ...]] = list(pairwise(range(len(each)))) or [(0,)]
    sums = ", ".join(" + ".join(f"x{i}" for i in pair) for pair in pairs)
    return cert.step(name, f"max({sums})", source, **{f"x{i}": x for i, x in enumerate(each)})


@on_page("lwy.theorem4.6", "Theorem 4.6", "learner",
         "users: search for the best error, then the exponential mechanism",
         unit="users", pure=True, agnostic=True)  # fmt: skip
@dataclass(frozen=True)
class Theorem46(Certified):
    """Theorem 4.6 (Appendix C.4): eta by Lemma 4.5, from it t, then the exponential mechanism on q.

    H is drawn from an (alpha/18, beta/7)-representation, and is the class itself where it can be
    listed: there q = err_z^t (with s = 0, as the paper has it). Otherwise q is the least over all
    patterns of concepts at the points of the sample; they are listed.

    *Deviations.* The paper's alpha/(134,400 sqrt(m)) of the representation follows from 1/700 in
    Lemma 4.1; with the exact separation alpha/(18 m) does. See `PrivateMinError` for the search.

    Examples
    --------
    >>> import littlestone as ls
    >>> A = Theorem46.printed(ls.Thresholds(1, 2**20), epsilon=Fraction(1), delta=Fraction(0),
    ...     alpha=Fraction(1, 10), beta=Fraction(1, 10), n=1, samples_per_user=16)
    >>> A.required_samples()
    1310
    """

    concept_class: ConceptClass
    epsilon: Fraction
    alpha: Fraction
    beta: Fraction
    samples_per_user: int
    steps: int | None = None  # of the search
    neighbours: Neighbours = REPLACED

    @classmethod
    def for_goal(cls, concept_class: ConceptClass, goal: Goal, n: int) -> Self:
        """Return it for a budget: half of it for the search, half for the choice."""
        m = _records(cls, goal.samples_per_user)
        return cls(concept_class, goal.epsilon, goal.alpha, goal.beta, m)

    def guarantee(self) -> Guarantee:
        """Return the sum of search and choice."""
        return Guarantee(
            self.search.guarantee().epsilon + self.epsilon / 2, neighbours=self.neighbours,
            claim=PRIVACY,
        )  # fmt: skip

    @cached_property
    def search(self) -> PrivateMinError:
        """The search for the best error of the class."""
        return PrivateMinError(
            self.concept_class, self.samples_per_user, self.epsilon / 2, self.alpha / 6,
            Fraction(1), self.steps, self.neighbours,
        )  # fmt: skip

    @cached_property
    def representation(self) -> Representation:
        """P."""
        near = self.alpha / (18 * self.samples_per_user)
        return self.concept_class.representation(near, self.beta / 7)

    def draw(self, sample: UserSample, source: Source) -> Hypothesis:
        """Return a hypothesis of H."""
        m = self.samples_per_user
        drawn = self.representation.drawn(source)  # H ~ P, by public coins
        users = some_of_each(sample, m, source)
        errors = class_errors(self.concept_class, users, m)
        low, high = self.search.locate(errors, users.n_users, source)  # Lemma 4.5: eta
        t = _separating(m, low, high, self.alpha)  # Lemma 4.1
        each = rate(self.epsilon / 2, self.neighbours, sensitivity=2)
        if drawn.proper:
            return errors.draw(t, each, source)
        H = list(drawn.hypotheses())
        labels = np.array([h.predict(users.points) for h in H], dtype=np.int64)
        q = surrogate_of_users(self.concept_class, labels, users, m, t)
        return H[Explicit(-q).draw(each, source)]

    def failure(self, n: int) -> CertificateBuilder | None:
        """Return the certificate; None for infinitely many concepts, of which the search asks."""
        if isinstance(self.concept_class.size, float):
            return None
        P, m = self.representation, self.samples_per_user
        cert = CertificateBuilder(n=n, size=int(self.concept_class.size), beta=self.beta)
        self.search.failure(cert)
        most = rate(self.epsilon / 2, self.neighbours, sensitivity=2)
        each: list[Step] = []
        for i, answer in enumerate(self.search.answers):
            _, g = _apart(cert, f"answer_{i}", m, answer, self.alpha)
            gap = max(float(g.value), 1e-9)
            each.append(BOUNDS["lwy.theorem4.6"].write(
                cert, suffix=f"_{i}", g=g, m=m, alpha1=P.alpha, hypotheses=P.size, rate=most,
                tilt=min(most, Fraction(math.atanh(min(gap, 0.999))).limit_denominator(10**6)),
            ))  # fmt: skip
        _two(cert, "choice", each, CHOICE)
        cert.step("failure", "search + choice + beta1", CHOICE, beta1=P.beta)
        cert.step("enough", "failure <= beta", CHOICE)
        return cert


def _records(cls: type[Any], samples_per_user: int | None) -> int:
    if samples_per_user is None:
        raise ParameterError(f"{cls.__name__} needs 'samples_per_user', a public number.")
    return samples_per_user


# -- Section 5: thresholds ------------------------------------------------------------------------


@dataclass(frozen=True)
class IntervalMedian:
    """Lemma 5.1 (PrivateMedian): a point of [l, r] with few users on either side.

    The score of u is the larger one of the numbers of users with more than s records in [l, u - 1],
    and in [u + 1, r]: user-level errors of thresholds, were all records in [l, r] labelled 1, or 0.

    *Deviations.* The proof writes "more than m s"; s is a number of records (erratum 16). It is the
    one that separates masses of 1/2 and theta best, exactly (erratum 15).

    Examples
    --------
    >>> users = UserSample.of([i // 2 for i in range(80)], [3, 7] * 40, [0] * 80)
    >>> median = IntervalMedian(2, Fraction(1), Fraction(2))
    >>> median.s, median.scores(users, 0, 9).starts.tolist()
    (1, [0, 3, 8])
    """

    samples_per_user: int  # m
    mass: Fraction  # what [l, r] is supposed to hold at most; only s depends on it
    epsilon: Fraction
    theta: Fraction = Fraction(2, 3)
    neighbours: Neighbours = REPLACED

    @property
    def s(self) -> int:
        """How many records of a user are many."""
        halves = float(self.mass / 2), float(self.mass * self.theta)
        return int(crossing(self.samples_per_user, *halves))

    def draw(self, users: UserSample, l: int, r: int, source: Source) -> int:  # noqa: E741
        """Return a point of [l, r]; users have at most m records."""
        return self.scores(users, l, r).draw(-rate(self.epsilon, self.neighbours), source)

    def scores(self, users: UserSample, l: int, r: int) -> ScoreRuns:  # noqa: E741
        """Return the score of every point of [l, r]."""

        def many(label: int) -> ScoreRuns:  # f_u is wrong on label 1 up to u, label 0 beyond it
            def errors(block: UserSample) -> ThresholdErrors:
                return ThresholdErrors(l, r, _labelled(block, label, l, r))

            return BlockErrors(users, errors).scores(self.s)

        left, right = many(1), many(0)
        begin = np.array([l], dtype=left.starts.dtype)
        starts = np.unique(np.concatenate([begin, left.starts + 1, right.starts]))
        starts = starts[np.asarray((starts >= l) & (starts <= r), dtype=bool)]
        before = left.scores[np.searchsorted(left.starts, starts - 1, side="right") - 1]
        after = right.scores[np.searchsorted(right.starts, starts, side="right") - 1]
        return ScoreRuns(starts, r + 1, np.maximum(before, after))

    def failure(self, cert: CertificateBuilder, k: int) -> Step:
        """Write the chance that a side holds more than theta M, for n users and ``|C|`` = size."""
        cells = 1000
        here = cert.where(
            M=self.mass, theta=self.theta, cells=cells, m=self.samples_per_user, s=self.s,
            rate=rate(self.epsilon, self.neighbours),
            pairs=4 * (2 * cells / self.mass + 1) * (2 * cells + 4),
        )  # fmt: skip
        here = here.where(gain=_SIDES.write(here, suffix=f"_{k}"), lose=here.steps[f"lose_{k}"])
        level = _least(_HALVED.function("median", "level", **here.floats))
        return _HALVED.write(here, suffix=f"_side_{k}", level=level)


def _labelled(users: UserSample, label: int, low: int, high: int) -> UserSample:
    """Return the records in [low, high], all with one label."""
    here = np.asarray((users.points >= low) & (users.points <= high), dtype=bool)
    keep = np.append(here, False)[users.point]
    labels = np.full(int(keep.sum()), label, dtype=np.int64)
    kept = {name: getattr(users, name)[keep] for name in ("user", "point", "count")}
    return replace(users, code=labels, **kept)


# *Medians* (docs/papers-certificates.md, Algorithm 1 of 002). Suppose that [l, r] has mass at
# most M and mid leaves more than theta M on one side. Cut the domain at quantiles, cells of mass
# mu = M/1000. A set of mass theta M - 2 mu inside that side depends on the cell of one end only;
# outer sets of mass at most M/2 + 2 mu on both sides of a true median depend on the cells of both
# ends: (2/mu + 1)(2004) pairs of cells, two sides, two comparisons. Both sets lie in one of mass
# M + 2 mu, so they share the excess, and a user has many records in the smaller set but not in
# the larger one with at most a trinomial probability: with given masses it is largest for the
# least overlap, since the joint tail of a multinomial grows with it. The score of mid exceeds
# that of the median by more than Y unless one of these walks is low; the exponential mechanism
# loses Y with probability at most |C| e^(-rate Y).


@on_page("lwy.algorithm1", "Algorithm 1", "learner",
         "PrivateThreshold: thresholds of users, by medians and choices",
         unit="users", pure=True, agnostic=True)  # fmt: skip
@dataclass(frozen=True)
class PrivateThreshold(Certified):
    """Algorithm 1 (Theorem 5.2), after the search for t.

    *Deviations.* Lines 6 to 9 are one draw by the exponential mechanism: the paper adds
    Lap(1/(n epsilon')) to each of the three scores, at 3 epsilon', and uses only which sum is
    least; that costs epsilon' here, and what all T draws lose together has a bound of its own.
    v_mid, v_l, v_r are never shown (erratum 13). epsilon is split as the certificate wants it: 1/20
    for the search, 9/25 for the T choices, the rest for the medians, of which each gets 7/5 of the
    one before, since intervals get lighter (the paper: half for the search, epsilon/(4T) each).

    Examples
    --------
    >>> import littlestone as ls
    >>> goal = {"alpha": Fraction(1, 10), "beta": Fraction(1, 10), "delta": Fraction(0)}
    >>> A = PrivateThreshold.printed(
    ...     ls.Thresholds(1, 2**20), epsilon=Fraction(1), **goal, n=1, samples_per_user=16)
    >>> A.T, A.search.T, A.guarantee().epsilon, A.required_samples()
    (8, 3, Fraction(1, 1), 6068)
    """

    concept_class: Thresholds
    epsilon: Fraction
    alpha: Fraction
    beta: Fraction
    samples_per_user: int
    steps: int | None = None  # T; None: ceil(log(2/alpha)/log(1/theta))
    theta: Fraction = Fraction(2, 3)  # decaying factor
    neighbours: Neighbours = REPLACED

    def __post_init__(self) -> None:
        if not 0 < self.theta < 1:
            raise parameter_error("PrivateThreshold", "theta", "between 0 and 1", str(self.theta))

    @classmethod
    def for_goal(cls, concept_class: ConceptClass, goal: Goal, n: int) -> Self:
        """Return it for a budget."""
        if not isinstance(concept_class, Thresholds):
            raise UnsupportedError(
                f"PrivateThreshold learns thresholds(low, high), not {concept_class.spec}. "
                "Theorem46 (lwy.theorem4.6) learns users' classes that can be listed."
            )
        m = _records(cls, goal.samples_per_user)
        return cls(concept_class, goal.epsilon, goal.alpha, goal.beta, m)

    @property
    def T(self) -> int:  # noqa: N802 - the paper's symbol
        """The number of iterations."""
        if self.steps is not None:
            return check_integer("PrivateThreshold", "steps", self.steps, low=1)
        return math.ceil(math.log(float(self.alpha) / 2) / math.log(self.theta))

    @cached_property
    def search(self) -> PrivateMinError:
        """The search; f_0 and f_|X| are both in the class, so the best error is at most 1/2."""
        return PrivateMinError(
            self.concept_class, self.samples_per_user, self.epsilon / 20, self.alpha / 6,
            neighbours=self.neighbours,
        )  # fmt: skip

    @property
    def epsilon_choice(self) -> Fraction:
        """Of each choice."""
        return self.epsilon * Fraction(9, 25) / self.T

    @cached_property
    def medians(self) -> list[IntervalMedian]:
        """One for each step, for intervals of mass 1, theta, theta**2, ..."""
        spent = self.search.guarantee().epsilon + self.T * self.epsilon_choice
        weights = [Fraction(7, 5) ** k for k in range(self.T)]
        return [
            IntervalMedian(
                self.samples_per_user, self.theta**k, (self.epsilon - spent) * w / sum(weights),
                self.theta, self.neighbours,
            )
            for k, w in enumerate(weights)
        ]  # fmt: skip

    def guarantee(self) -> Guarantee:
        """Return the sum of search, medians and choices."""
        spent = self.search.guarantee().epsilon + self.T * self.epsilon_choice
        spent += sum((median.epsilon for median in self.medians), Fraction(0))
        return Guarantee(spent, neighbours=self.neighbours, claim=PRIVACY)

    @property
    def excess(self) -> Fraction:
        """What the threshold may lose beside the mass of the last interval."""
        return self.alpha - self.theta**self.T

    def draw(self, sample: UserSample, source: Source) -> ThresholdHypothesis:
        """Return a threshold."""
        low, high, m = self.concept_class.low, self.concept_class.high, self.samples_per_user
        users = some_of_each(sample, m, source)
        errors = threshold_errors(low, high, users)
        eta = self.search.locate(errors, users.n_users, source)  # Theorem 5.2, by Lemma 4.5
        scores = errors.scores(_separating(m, *eta, self.excess))  # n err_z^t of every f_u
        each = rate(self.epsilon_choice, self.neighbours)
        l, r = low - 1, high  # 1, 2: of a choice; a median has its own  # noqa: E741 - symbols
        for median in self.medians:  # 3
            if l == r:
                break  # 4
            mid = median.draw(users, l, r, source)  # 5: for mass theta**(k-1)
            parts = [(mid, mid), (l, mid - 1), (mid + 1, r)]
            least = [scores.least(*part) for part in parts]  # 6, 7, 8: without noise
            some = [(part, v) for part, v in zip(parts, least, strict=True) if v is not None]
            drawn = Explicit([-v for _, v in some]).draw(each, source)
            l, r = some[drawn][0]  # 9: (mid, mid) is f_mid  # noqa: E741
        return ThresholdHypothesis(l, low, high)  # 10

    def failure(self, n: int) -> CertificateBuilder | None:
        """Return the certificate; None where T is so small that the last interval is heavy."""
        if self.excess <= 0:
            return None
        cert = CertificateBuilder(n=n, size=self.concept_class.size, beta=self.beta)
        self.search.failure(cert)
        self._walk(cert)
        each = {f"m{k}": one.failure(cert, k) for k, one in enumerate(self.medians)}
        cert.step("medians", " + ".join(each), HALVING, **each)
        cert.step("failure", "search + walk + medians", WALK)
        cert.step("enough", "failure <= beta", WALK)
        return cert

    def _walk(self, cert: CertificateBuilder) -> Step:
        """Write the chance that the choices end at a threshold that is too bad."""
        fails: list[Step] = []
        for i, answer in enumerate(self.search.answers):
            t, apart = _apart(cert, f"answer_{i}", self.samples_per_user, answer, self.excess)
            lose = cert.step(
                f"lose_walk_{i}", "min(binomial_above(m, p, t), 1 - binomial_above(m, q, t))", WALK,
                m=self.samples_per_user, p=answer[1], q=answer[0] + self.excess, t=t,
            )  # fmt: skip
            gain = cert.step(f"gain_walk_{i}", "apart + lose", WALK, apart=apart, lose=lose)
            here = cert.where(
                gain=gain, lose=lose, T=self.T, rate=rate(self.epsilon_choice, self.neighbours)
            )
            power = Fraction(1, 2)
            for _ in range(2):
                M = float(_moment(power)[1])
                numbers = here.floats | {"power": float(power), "bound": M}
                level = _least(_WALKED.function("walk", "level", **numbers))
                fails_at = _WALKED.function("walk", "power", "bound", level=level, **here.floats)
                powers = (Fraction(j, 40) for j in range(4, 40))
                power = min(powers, key=lambda p: fails_at(float(p), float(_moment(p)[1])))
            y, _ = _moment(power)
            bound = here.step(f"moment_{i}", "(1 - power)/y**power", WALK, power=power, y=y)
            here.step(f"moment_root_{i}", "y**power + 2*power*y <= 1 - power", WALK, power=power,
                      y=y)  # fmt: skip
            fails.append(
                _WALKED.write(here, suffix=f"_walk_{i}", level=level, power=power, bound=bound)
            )
        return _two(cert, "walk", fails, WALK)


@lru_cache(maxsize=64)
def _moment(power: Fraction) -> tuple[Fraction, Fraction]:
    """Return y, and (1 - power)/y**power: no less than M(power).

    M is the largest (1 + 2z**(1 - power))/(1 + 2z) for z in [0, 1]. At its maximum
    z**power + 2 power z = 1 - power, and M = (1 - power)/z**power there; a y below z
    bounds it.
    """
    p = float(power)
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if middle**p + 2 * p * middle <= 1 - p else (low, middle)
    y = Fraction(math.floor(low * 10**9), 10**9)
    return y, Fraction((1 - p) / float(y) ** p)
