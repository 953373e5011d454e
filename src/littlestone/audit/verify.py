"""Exact verification: all data sets, all neighbours, everything observable, no sampling.

For a small domain, the output law of a learner is computed exactly for *every* data set
(realizable or not), by running the releasing code under `ExactSource`; then the hockey-stick
divergence at the claimed epsilon is computed for every pair of neighbours.

The output that is compared is everything an observer gets (`littlestone.audit.mechanism`): what is
returned, what is printed, warned and logged, and what a refusal says.

Its limits: a learner that keeps state in a *module* from one data set to the next, or that looks
at the type of its source, can deceive it; such code is malice, and reading finds it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations_with_replacement, product
from math import comb, nextafter
from typing import TYPE_CHECKING, Any

import numpy as np
from flint import arb

from littlestone.audit.mechanism import (
    REFUSED,
    MechanismVerification,
    Observer,
    compared,
    observe,
    precision,
)
from littlestone.audit.neighbours import codes_of
from littlestone.data import OUTSIDE, Sample, UserSample
from littlestone.data.domains import as_points
from littlestone.data.sample import OrderedSample
from littlestone.data.targets import UNKNOWN, TargetSample
from littlestone.errors import ParameterError, UnsupportedError, check_integer, parameter_error
from littlestone.learners.running import promise
from littlestone.privacy import Neighbours
from littlestone.source import ExactSource, Law

if TYPE_CHECKING:
    from littlestone.data import Domain
    from littlestone.learners.base import Learner
    from littlestone.types import Hypothesis, Points


Record = tuple[Any, int]
#: What one neighbour replaces: a record (point, label), or a user (name, records).
Kind = Hashable
#: A data set.
Case = tuple[Kind, ...]


@dataclass(frozen=True, repr=False)
class Verification(MechanismVerification):
    """The result of an exact verification; never quote ``holds`` without the sizes.

    Attributes
    ----------
    learner, concept_class : str
    n_samples : int
        Size of each data set; ``datasets`` counts ordered lists, ``laws`` the distinct laws that
        were computed (a learner sees counts, so lists with equal counts share one law).
    datasets, laws, pairs, paths : int
        ``pairs`` counts ordered pairs of neighbouring lists.
    epsilon, delta : Fraction
        The claim.
    worst_delta : float
        Upper end of the largest hockey-stick divergence at ``epsilon``, slack included.
    tightest_epsilon : float
        Least epsilon at which the claimed delta would still hold (upper end).
    slack : float
        Largest probability that cut paths may have contributed to a divergence.
    refusals : int
        Number of data sets on which the learner may refuse (or crash): nothing is learned there.
    worst_pair : tuple or None
        The two data sets of the worst pair (verification data, not private data).
    holds : bool
        Whether ``worst_delta`` is at most the claim, up to ``slack`` and rounding (at most 2**-100
        and 2**-40 of delta).
    ordered : bool
        Whether data sets were lists, split into parts by position; then every list has its own law.
    unit : str
        What one neighbour replaces, and ``n_samples`` counts: ``"records"`` or ``"users"``.
    neighbours : str
        The relation. Under add-remove all data sets of at most ``n_samples`` records are tried.
    """

    learner: str
    concept_class: str
    n_samples: int
    laws: int
    refusals: int
    ordered: bool = False
    unit: str = "records"
    neighbours: str = "replace-one"

    @property
    def of(self) -> str:
        """What was verified."""
        size = f"n {'<=' if self.neighbours == 'add-remove' else '='} {self.n_samples}"
        return f"{self.learner} on {self.concept_class}, {size}"

    @property
    def data(self) -> str:
        """What was enumerated."""
        return "lists" if self.ordered else "data sets"

    def __str__(self) -> str:
        refused = f"; {self.refusals} data sets may be refused" * bool(self.refusals)
        return f"{'HOLDS' if self.holds else 'FAILS'}: {self.of}: {self.verdict}{refused}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON."""
        out = super().to_dict() | {"worst_pair": None}
        if self.worst_pair is not None:
            out["worst_pair"] = [[shown(kind) for kind in side] for side in self.worst_pair]
        return out


def verify(
    learner: Any,
    *,
    points: Sequence[Any],
    n_samples: int = 3,
    outside: bool = False,
    observers: Sequence[Observer] = (),
    public_seeds: Sequence[int] = (0, 1),
    evaluate: Any = None,
    holdout: Any = None,
    records_per_user: int | None = None,
    names: int = 1,
    before: Callable[[int], None] | None = None,
) -> Verification:
    """Verify a learner's privacy exactly on every data set over ``points``.

    Parameters
    ----------
    learner : estimator or Learner
    points : sequence
        The points that records may have (for rows of a schema, tuples of codes). All labelings
        are tried, realizable or not.
    n_samples : int >= 1
        Number of records; of users, for a learner that protects users.
    outside : bool, default False
        Also try records whose point lies outside the domain (as files may contain).
    observers : sequence of callables ``Release -> str``
        Further views of a release that must be private too, for example the rendered page.
    public_seeds : sequence of int
        Privacy must hold for every value of the public coins: these are tried, when the learner
        uses public coins at all.
    evaluate, holdout : number, optional
        Verify the release together with an evaluation, as `littlestone.learners.running.run` makes
        it.
    records_per_user : int >= 0, optional
        For a learner that protects users: try users with 0, 1, ... and this number of
        records. By default one more than its ``samples_per_user``, so that some have too many.
    names : int, default 1
        Number of names that users with too many records are tried with: a public cut may depend
        on a name.
    before : callable, optional
        Called with the number of data sets before the first is tried; it may raise.

    Returns
    -------
    Verification

    Raises
    ------
    UnsupportedError
        If the learner refused every data set alike: then nothing was verified.

    Notes
    -----
    A learner that shuffles its records to parts (it says so by ``shuffles(n)``) is verified on
    ordered lists, split by position, and neighbours differ in one position: privacy must hold for
    every value of the secret permutation. Other learners see counts only.

    Cost: one execution for each path of draws of each data set. Two points, n = 4 and a class of
    four concepts take a few hundredths of a second.

    Examples
    --------
    >>> import littlestone as ls
    >>> L = ls.GenericLearner(ls.Thresholds(1, 2), epsilon=1.0)
    >>> result = ls.audit.verify(L, points=[1, 2], n_samples=2)
    >>> result.holds, result.datasets, result.pairs
    (True, 16, 96)
    """
    algorithm = algorithm_of("verify", learner)
    n = check_integer("verify", "n_samples", n_samples, low=1)
    concept_class = algorithm.concept_class
    records = record_kinds(points, outside=outside, codes=codes_of(concept_class))
    guarantee = promise(algorithm, evaluate=evaluate, holdout=holdout)
    ordered = holdout is not None or _shuffles(algorithm, n)
    cases = cases_of(algorithm, records, most=records_per_user, names=names, ordered=ordered)
    kinds, ordered = cases.kinds, cases.ordered
    removed = guarantee.neighbours is Neighbours.ADD_REMOVE
    if removed and ordered:
        raise UnsupportedError(
            "Under add-remove records have no positions, so a learner that splits them by position "
            "cannot be verified."
        )
    sizes = range(n + 1) if removed else (n,)
    if before is not None:
        k = len(kinds)
        before(sum(k**size if ordered else comb(k + size - 1, size) for size in sizes))
    bits = precision(guarantee.epsilon, guarantee.delta)
    pairs = _removals if removed else partial(_neighbours, kinds, ordered=ordered)
    found: list[dict[str, Any]] = []
    laws: list[Law] = []
    refusals, released = 0, False

    def law(data: Case, seed: int) -> Law:
        # A copy for each data set: what the learner remembers of one must not hide another.
        own, sample = copy.deepcopy(algorithm), cases.sample(data)
        seen = partial(observe, own, observers=observers, evaluate=evaluate, holdout=holdout)
        return ExactSource(public_seed=seed, bits=bits).law(lambda source: seen(sample, source))

    for seed in public_seeds:
        known = {data: law(data, seed) for size in sizes for data in cases.lists(size)}
        laws += known.values()
        refused = [[o[0] == REFUSED for o in law.outcomes] for law in known.values()]  # type: ignore[index]
        refusals = max(refusals, sum(map(any, refused)))
        released = released or not all(map(all, refused))
        found.append(compared(pairs(known), known.__getitem__, guarantee.epsilon, guarantee.delta))
        if not any(law.public_coins for law in known.values()):
            break
    worst = max(found, key=lambda one: one["worst_delta"])
    holds = all(one["holds"] for one in found)
    if holds and not released:
        raise UnsupportedError(
            f"The {algorithm.name!r} learner refused every data set over these points, so there is "
            "nothing to verify. Points of rows are tuples of codes; other points lie in the domain."
        )
    return Verification(
        learner=algorithm.name,
        concept_class=algorithm.concept_class.spec,
        n_samples=n,
        datasets=sum(len(kinds) ** size for size in sizes),
        laws=len(laws),
        pairs=sum(len(kinds) ** size * size * (2 if removed else len(kinds) - 1) for size in sizes),
        paths=sum(law.paths for law in laws),
        epsilon=guarantee.epsilon,
        delta=guarantee.delta,
        worst_delta=worst["worst_delta"],
        tightest_epsilon=max(one["tightest_epsilon"] for one in found),
        slack=max(one["slack"] for one in found),
        refusals=refusals,
        worst_pair=worst["worst_pair"],
        holds=holds,
        ordered=ordered,
        unit=algorithm.unit,
        neighbours=guarantee.neighbours.value,
    )


def output_distribution(learner: Any, X: Any, y: Any) -> dict[Hypothesis, tuple[float, float]]:
    """Return the exact output law of a learner on one data set.

    Parameters
    ----------
    learner : estimator or Learner
    X, y : array-like
        A (small) data set, as for ``fit``. A learner that shuffles its records to parts does so by
        position here: the law is that for one value of the secret permutation.

    Returns
    -------
    dict of hypothesis to (low, high)
        A rigorous enclosure of each released hypothesis' probability.

    Examples
    --------
    >>> import littlestone as ls
    >>> L = ls.GenericLearner(ls.theory.FiniteClass([[0, 0], [0, 1]]), epsilon=1.0)
    >>> law = ls.audit.output_distribution(L, [0, 1], [0, 1])
    >>> [round(low, 4) for low, high in law.values()]
    [0.3775, 0.6225]
    """
    algorithm = algorithm_of("verify", learner)
    domain = algorithm.concept_class.domain
    listed = algorithm.concept_class.labels
    names = listed if algorithm.concept_class.lists_labels else None
    sample = Sample.from_arrays(X, y, domain, labels=names, caller="output_distribution")
    if _shuffles(algorithm, sample.n):
        points = domain.array(X, caller="output_distribution")
        sample = OrderedSample.listed(points.tolist(), np.asarray(y).ravel().tolist())
    law = ExactSource().law(lambda source: algorithm.draw(sample, source))
    return {h: _outward(p) for h, p in law.outcomes.items()}  # type: ignore[misc]


def algorithm_of(caller: str, learner: Any) -> Learner[Any]:
    """Return the learner of an estimator, or a learner as it is."""
    made = learner.to_learner() if hasattr(learner, "to_learner") else learner
    if not hasattr(made, "draw"):
        raise parameter_error(caller, "learner", "a learner of this library", type(made).__name__)
    return made  # type: ignore[no-any-return]


def _shuffles(algorithm: Any, n: int) -> bool:
    """Return whether the learner shuffles n records to parts, so that their order matters."""
    return hasattr(algorithm, "shuffles") and bool(algorithm.shuffles(n))


def cases_of(
    algorithm: Any, records: list[Record], *, most: Any, names: int = 1, ordered: bool = False
) -> RecordCases | UserCases | TargetCases:
    """Return the data sets for a learner of records or of users."""
    domain = algorithm.concept_class.domain
    if algorithm.reads is TargetSample:
        return TargetCases.of(records, algorithm, 2 if most is None else most)
    if algorithm.unit != "users":
        if most is not None:
            raise ParameterError(
                "The 'records_per_user' parameter of verify is for learners that protect users; "
                f"the {algorithm.name!r} learner protects records."
            )
        labels = len(algorithm.concept_class.labels)
        listed = labels if algorithm.concept_class.lists_labels else None
        return RecordCases(list(records), domain, ordered, listed)
    each: int = algorithm.samples_per_user
    most = each + 1 if most is None else most
    return UserCases.of(records, domain, most=most, names=names, samples_per_user=each)


def _neighbours(
    kinds: list[Kind], laws: dict[Case, Law], *, ordered: bool
) -> Iterator[tuple[Case, Case]]:
    """Yield every ordered pair of data sets that differ by replacing one record."""
    order = {kind: i for i, kind in enumerate(kinds)}
    for left in laws:
        for i, old in enumerate(left):
            if not ordered and i and left[i - 1] == old:
                continue  # the same replacement, up to the order of records
            for new in kinds:
                if new != old:
                    right = (*left[:i], new, *left[i + 1 :])
                    yield left, right if ordered else tuple(sorted(right, key=order.__getitem__))


def _removals(laws: dict[Case, Law]) -> Iterator[tuple[Case, Case]]:
    """Yield every ordered pair of data sets of which one has one record more."""
    for larger in laws:
        for i in range(len(larger)):
            smaller = (*larger[:i], *larger[i + 1 :])
            yield larger, smaller
            yield smaller, larger


def _outward(value: arb) -> tuple[float, float]:
    low = nextafter(float(value.lower()), 0.0)
    return max(low, 0.0), min(nextafter(float(value.upper()), 2.0), 1.0)


# --- the data sets that are tried: lists of records, or of users with records --------------------


def record_kinds(points: Sequence[Any], *, outside: bool, codes: int = 2) -> list[Record]:
    """Return all records over these points, with all codes of labels."""
    places: list[Any] = list(dict.fromkeys(points))
    if outside:
        places.append(OUTSIDE)
    if not places:
        raise parameter_error("verify", "points", "at least one point", points)
    return [(x, label) for x in places for label in range(codes)]


@dataclass(frozen=True)
class RecordCases:
    """Data sets of n records; ordered lists for a learner that shuffles them to parts."""

    kinds: list[Kind]
    domain: Domain
    ordered: bool
    labels: int | None = None  # of a class that lists them

    def lists(self, n: int) -> Iterator[Case]:
        """Yield the data sets of size n: lists, or multisets."""
        return product(self.kinds, repeat=n) if self.ordered else _multisets(self.kinds, n)

    def sample(self, data: Sequence[Any]) -> Any:
        """Return the data set as the learner sees it."""
        points, codes = [x for x, _ in data], [code for _, code in data]
        listed = OrderedSample.listed(points, codes, self._layout, self.labels)
        if self.ordered:
            return listed
        return Sample(listed.points, listed.counts, listed.outside, listed.costs)

    def _layout(self, inside: Any) -> Points:
        schema = self.domain.schema
        if schema is not None:  # rows of codes are stored in two dimensions
            if any(np.size(row) != len(schema) for row in inside):
                hint = "A row has the code of its cell in each column, for example (2, 3)."
                named = ", ".join(schema.names)
                raise parameter_error("verify", "points", f"rows of codes of {named}", inside, hint)
            return np.array(inside, dtype=np.int16).reshape(len(inside), len(schema))
        return as_points(inside)


@dataclass(frozen=True)
class UserCases:
    """Data sets of n users, each with any records, also none.

    A user is a pair (name, records). Names matter to a learner that cuts what a user has too much
    of by a public rule: users with more than ``samples_per_user`` records are tried with several.
    """

    kinds: list[Kind]
    domain: Domain
    ordered: bool = False

    @classmethod
    def of(
        cls,
        records: list[Record],
        domain: Domain,
        *,
        most: Any,
        names: int,
        samples_per_user: int,
    ) -> UserCases:
        """Return all users with at most ``most`` of these records."""
        most = check_integer("verify", "records_per_user", most, low=0)
        sizes = range(most + 1)
        bundles = [bundle for size in sizes for bundle in _multisets(records, size)]
        return cls(
            [
                (name, bundle)
                for bundle in bundles
                for name in range(names if len(bundle) > samples_per_user else 1)
            ],
            domain,
        )

    def lists(self, n: int) -> Iterator[Case]:
        """Yield the data sets of n users."""
        return _multisets(self.kinds, n)

    def sample(self, data: Sequence[Any]) -> UserSample:
        """Return the data set as the learner sees it."""
        records = [record for _, bundle in data for record in bundle]
        layout = RecordCases([], self.domain, ordered=True)
        everything = layout.sample(records)
        point, label = np.divmod(everything.kinds, 2)
        point[point == len(everything.points)] = -1
        user = np.repeat(np.arange(len(data)), [len(bundle) for _, bundle in data])
        keys = np.array([name for name, _ in data], dtype=np.uint64)
        ones = np.ones(len(user), dtype=np.int64)
        return UserSample(everything.points, user, point, label, ones, keys).merged()


@dataclass(frozen=True)
class TargetCases:
    """Data sets of n units with codes of targets, one of which is not known: `TargetSample`."""

    kinds: list[Kind]
    users: bool
    ordered: bool = False

    @classmethod
    def of(cls, records: list[Record], algorithm: Any, most: int) -> TargetCases:
        """Return all records, or all users with at most ``most`` of them."""
        points = list(dict.fromkeys(point for point, _ in records))
        if algorithm.concept_class.target is not None:
            records = [*records, *((point, UNKNOWN) for point in points)]
        users = algorithm.unit == "users"
        sizes = range(most + 1) if users else (1,)
        return cls([bundle for size in sizes for bundle in _multisets(records, size)], users)

    def lists(self, n: int) -> Iterator[Case]:
        """Yield the data sets of n units."""
        return _multisets(self.kinds, n)

    def sample(self, data: Sequence[Any]) -> TargetSample:
        """Return the data set as the learner sees it."""
        rows = [(unit, x, code) for unit, bundle in enumerate(data) for x, code in bundle]
        width = max((len(x) for _, x, _ in rows), default=1)
        points = np.array([x for _, x, _ in rows], dtype=np.int16).reshape(len(rows), width)
        codes = np.array([code for _, _, code in rows], dtype=np.int64)
        if not self.users:
            return TargetSample.listed(points, codes)
        user = np.array([unit for unit, _, _ in rows], dtype=np.int64)
        return TargetSample.listed(points, codes, user, np.arange(len(data), dtype=np.uint64))


def _multisets(kinds: Sequence[Any], size: int) -> Iterator[tuple[Any, ...]]:
    return combinations_with_replacement(kinds, size)


def _plain(x: Any) -> Hashable:
    """Return a point as a key; rows of codes come as lists."""
    return tuple(x) if isinstance(x, list | tuple) else x


def shown(kind: Any) -> list[Any]:
    """Return a record as [point, label], a user as [name, records], or as its records alone."""
    if all(isinstance(part, tuple) for part in kind):
        return [shown(record) for record in kind]
    first, second = kind
    if isinstance(second, tuple):
        return [first, [shown(record) for record in second]]
    return [str(first), second]
