r"""Is it private for every n? A checked chain from single records to all data sets.

Exact verification enumerates small data sets. What is said here holds for every n, if each step
of a chain does; the report says of each step how it is known:

==========  =====================================================================================
enumerated  computed exactly, for everything that the step speaks of (every pair of records, ...)
proved      a theorem of ``proofs/``, checked by a kernel
tested      computed exactly on some data sets: it may be false on others
assumed     argued on paper, and neither computed here nor checked by a kernel
==========  =====================================================================================

*Sums over records.* The law of a draw is ``mu(h) e**(r sum_i f(z_i, h)) / total``: mu and r
depend on public parameters, n and what was released before. If for every pair of single records
f(z, h) - f(z', h) oscillates over all outcomes h by at most D, the draw has r D-bounded range for
all n (``additive.additive_range``). The integers f are read off exact laws, not off the code: the
log-ratio of two outcomes on two data sets, divided by r, must be one.

*Candidates beside bottom.* The weight of a candidate relative to bottom's is ``e**(r s)``. A
single record adds 1 to at most k scores; bottom has the weight that hides k
(``sparse.sparse_lists_dp``).

*Others* name the lemmas of their claims (`littlestone.bounds.lemmas`), and what these leave out.

The page: ``docs/audit.md``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement, product
from math import ceil, comb, prod
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from flint import arb, ctx

from littlestone.audit.mechanism import precision
from littlestone.audit.neighbours import promised
from littlestone.audit.verify import RecordCases, UserCases, record_kinds
from littlestone.bounds.lemmas import LEMMAS, UNCHECKED, Checked
from littlestone.classes import BoostedTreeClass, DecisionTrees
from littlestone.classes.boosted_trees.points import CodePoints
from littlestone.data import IntegerDomain, RowDomain
from littlestone.errors import UnsupportedError, check_integer, parameter_error
from littlestone.learners.agnostic import Subsample
from littlestone.learners.boosting.learner import Boosting
from littlestone.learners.boosting.marginals import SCALE, counts_of, sums
from littlestone.learners.boosting.votes import Votes
from littlestone.learners.exponential import Agnostic, Generic
from littlestone.learners.littlestone import Littlestone
from littlestone.learners.littlestone.plans import ClosedPlan
from littlestone.learners.users.learner import RecordsPlan, UserAgnostic
from littlestone.notebooks import Card, Table, rows_of
from littlestone.source import ExactSource, Law, SeededSource, ball, exp

if TYPE_CHECKING:
    import numpy.typing as npt

    from littlestone.learners.base import Learner
    from littlestone.learners.boosting.marginals import Marginals
    from littlestone.source import Exp, Source
    from littlestone.source.weights import Presented


Status = Literal["enumerated", "proved", "tested", "assumed"]
#: Outcomes of a law that is computed for every single record.
_MOST_OUTCOMES = 4096
#: Points of a domain that are enumerated by themselves.
_MOST_POINTS = 128
_LISTS = 8  # of each size that is tested
_SHORT = 2  # up to this size all lists over a few records are tested
_FEW = 4
_READ = Fraction(1, 2**20)  # how exactly an integer is read off a law
Data = tuple[Any, ...]
#: Logarithms of the probabilities of all outcomes.
Logs = dict[Hashable, arb]


@dataclass(frozen=True)
class Step:
    """One step of the chain.

    Attributes
    ----------
    name : str
    status : {"enumerated", "proved", "tested", "assumed"}
    holds : bool
    detail : str
        What was computed, or what is assumed.
    lemma : str
        The theorem of ``proofs/``, as ``file.theorem``, if it is proved.
    """

    name: str
    status: Status
    holds: bool
    detail: str
    lemma: str = ""


@dataclass(frozen=True, repr=False)
class AllN:
    """What is known about the privacy of a learner for every n; see `all_n`.

    Attributes
    ----------
    learner, concept_class : str
    route : {"sums over records", "candidates beside bottom", "lemmas", "enumerated"}
        "enumerated": no lemma; small data sets only, as `littlestone.audit.verify` does.
    steps : tuple of Step
    """

    learner: str
    concept_class: str
    route: str
    steps: tuple[Step, ...]

    @property
    def holds(self) -> bool:
        """Whether no step failed."""
        return all(step.holds for step in self.steps)

    @property
    def lemmas(self) -> tuple[str, ...]:
        """The theorems that the chain rests on."""
        return tuple(dict.fromkeys(step.lemma for step in self.steps if step.lemma))

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON."""
        return {
            "learner": self.learner,
            "concept_class": self.concept_class,
            "route": self.route,
            "holds": self.holds,
            "lemmas": list(self.lemmas),
            "steps": [vars(step) for step in self.steps],
        }

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        rows = rows_of(
            (step.name, step.status if step.holds else "FAILS", step.detail, step.lemma)
            for step in self.steps
        )
        return Card(self._head, [], Table(("step", "known by", "what", "lemma"), rows)).html()

    @property
    def _head(self) -> str:
        verdict = "ENUMERATED ONLY" if self.route == "enumerated" else "HOLDS"
        verdict = verdict if self.holds else "FAILS"
        return f"{verdict}: {self.learner} on {self.concept_class}, by {self.route}"

    def __str__(self) -> str:
        lines = [
            f"  {'' if step.holds else 'FAILS: '}{step.status:<10} {step.name}: {step.detail}"
            + f" ({step.lemma})" * bool(step.lemma)
            for step in self.steps
        ]
        return "\n".join([self._head, *lines])


class _BrokenError(Exception):
    """A step of the chain is false."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(why)
        self.name = name


def all_n(
    learner: Any,
    *,
    points: Sequence[Any] | None = None,
    sizes: Sequence[int] = (3, 40),
    seed: int = 0,
) -> AllN:
    """Check the chain that proves a learner private for every n.

    Parameters
    ----------
    learner : estimator or Learner
    points : sequence, optional
        The points of single records. By default all points of the domain (at most 128); with fewer,
        the range is *tested*, not *enumerated*.
    sizes : sequence of int
        Sizes of the data sets on which additivity is tested, beside 1 and 2.
    seed : int
        Of the choice of these data sets.

    Returns
    -------
    AllN

    Raises
    ------
    UnsupportedError
        If the law of a draw has too many outcomes to be computed for every record.

    Examples
    --------
    >>> import littlestone as ls
    >>> print(all_n(ls.GenericLearner(ls.Thresholds(1, 4), epsilon=1.0)))
    HOLDS: generic on thresholds(1, 4), by sums over records
      tested     public: 5 outcomes, the same with their multiplicities on ... data sets
      tested     law: log-ratios are integers times the rate 1/2, up to n = 40
      proved     drawing: a level, and then uniformly: the direct law (leveled.leveledE)
      tested     sums: scores are sums over records on 46 lists, with duplicates and points outside
      enumerated range: 45 pairs of single records of the domain: oscillation 2, times the rate
      1 <= 1
      proved     all n: bounded range, so pure privacy, for every n (additive.additive_pure)
    """
    algorithm = learner.to_learner() if hasattr(learner, "to_learner") else learner
    if not hasattr(algorithm, "draw"):
        raise parameter_error(
            "all_n", "learner", "a learner of this library", type(learner).__name__
        )
    for n in sizes:
        check_integer("all_n", "sizes", n, low=1)
    route, steps = _chain(algorithm, points, tuple(sizes), SeededSource(seed))
    return AllN(algorithm.name, algorithm.concept_class.spec, route, tuple(steps))


def by_lemmas(name: str, spec: str, known: Mapping[str, Checked | None]) -> AllN:
    """Return what lemmas say, where nothing else is computed.

    Examples
    --------
    >>> print(by_lemmas("votes", "any", {"dp.sum": LEMMAS["dp.sum"], "own": None}))
    ENUMERATED ONLY: votes on any, by enumerated
      proved     dp.sum: for every n (compose.compose_pure)
      proved     dp.sum: for every n (compose.compose_dp)
      proved     dp.sum: for every n (sums.rounds_pure)
      assumed    own: no lemma of proofs/
    """
    steps: list[Step] = []
    for claim, checked in known.items():
        lemmas = () if checked is None else checked.lemmas
        steps += [Step(claim, "proved", True, "for every n", lemma) for lemma in lemmas]
        left = checked.leaves_out if checked else UNCHECKED.get(claim, "no lemma of proofs/")
        steps += [Step(claim, "assumed", True, left)] * bool(left)
    complete = bool(known) and None not in known.values()
    return AllN(name, spec, "lemmas" if complete else "enumerated", tuple(steps))


def _claimed(claim: str) -> dict[str, Checked | None]:
    """Return the lemmas of each part of a claim, as ``dp.sum(vc1.privacy, score-histogram)``."""
    return {name: LEMMAS.get(name) for name in re.findall(r"[a-z0-9][a-z0-9.-]*", claim)}


def _chain(
    learner: Any, points: Any, sizes: tuple[int, ...], rng: SeededSource
) -> tuple[str, list[Step]]:
    if isinstance(learner, Subsample):
        route, steps = _chain(learner.learner, points, sizes, rng)
        part = "a secret part of a fixed size pays 1 + m/n (e**epsilon - 1)"
        return route, [*steps, Step("part", "proved", True, part, "subsample.sampled_pure")]
    if isinstance(learner, Generic | Agnostic):
        chain = _Sums(learner, promised(learner).epsilon, points, sizes, rng)
        costs = learner.mistake_costs
        rate = learner.rate(costs.largest if costs else 2 if learner.plan.surrogate else 1)
        chain.check(lambda n: rate, lambda sample, source: learner.draw(sample, source).key)
        return "sums over records", chain.steps
    if isinstance(learner, UserAgnostic) and isinstance(learner.plan.chosen, RecordsPlan):
        chain = _Sums(learner, learner.epsilon, points, sizes, rng)
        of_users = learner.plan.chosen.inner.rate(1)
        chain.check(lambda n: of_users, lambda users, source: learner.draw(users, source).key)
        cut = f"more than {learner.samples_per_user} records of a user are cut by themselves"
        chain.steps.append(Step("cut", "assumed", True, cut))
        return "sums over records", chain.steps
    if isinstance(learner, Boosting):
        return "sums over records", _rounds(learner, points, sizes, rng)
    settings = learner.plan.settings if isinstance(learner, Littlestone) else None
    if isinstance(settings, ClosedPlan) and learner.plan.chunk == 1:
        return "candidates beside bottom", _Bottom(learner, points, sizes, rng).check()
    found = by_lemmas(learner.name, "", _claimed(learner.guarantee().claim))
    return found.route, list(found.steps)


# --- data sets ------------------------------------------------------------------------------------


@dataclass
class _Chain:
    """Data sets of a learner, and the laws of a draw on them."""

    learner: Learner[Any]
    points: Any
    sizes: tuple[int, ...]
    rng: SeededSource

    def __post_init__(self) -> None:
        size = self.learner.concept_class.size
        if isinstance(size, int) and size > _MOST_OUTCOMES:
            raise UnsupportedError(
                f"all_n computes a law for every single record; {self.learner.concept_class.spec} "
                f"has more than {_MOST_OUTCOMES:,} concepts. Check a smaller class of the same "
                "kind; audit.replay looks at large ones."
            )

    @cached_property
    def layout(self) -> RecordCases | UserCases:
        """The single records (or users) that are tried."""
        learner: Any = self.learner
        domain = learner.concept_class.domain
        classes = learner.concept_class
        listed = len(classes.labels) if classes.lists_labels else None
        codes = 2 if listed is None else listed + 1  # one for all that are unlisted
        records = record_kinds(self.listed, outside=True, codes=codes)
        if learner.unit != "users":
            return RecordCases(list(records), domain, ordered=False, labels=listed)
        each = learner.samples_per_user
        if comb(len(records) + each, each) > _MOST_OUTCOMES:
            raise UnsupportedError(
                f"There are too many users with at most {each} records at these points. Name fewer "
                "points, or use a smaller samples_per_user."
            )
        return UserCases.of(records, domain, most=each, names=1, samples_per_user=each)

    @cached_property
    def listed(self) -> Sequence[Any]:
        """The points."""
        if self.points is not None:
            return list(self.points)
        found = domain_points(self.learner.concept_class.domain)
        if found is None:
            raise UnsupportedError(
                f"The domain of {self.learner.concept_class.spec} has no short list of points. "
                "Name some: points=[...] (--points)."
            )
        return found

    @cached_property
    def complete(self) -> bool:
        """Whether all single records of the domain are tried."""
        found = domain_points(self.learner.concept_class.domain)
        return found is not None and set(found) <= set(self.listed)

    @property
    def kinds(self) -> list[Any]:
        return list(self.layout.kinds)

    def lists(self) -> Iterator[Data]:
        """Yield data sets to test: all short ones over a few records, and longer ones."""
        few = [self.kinds[i] for i in self.rng.permutation(len(self.kinds))[:_FEW]]
        for n in range(1, _SHORT + 1):
            yield from combinations_with_replacement(few, n)
        for n in self.sizes:
            for _ in range(_LISTS):
                yield self.drawn(self.kinds, n)
            for _ in range(_LISTS):  # one record many times, beside others
                rest = self.rng.below(n + 1)
                yield self.drawn(self.kinds, 1) * (n - rest) + self.drawn(few, rest)

    def drawn(self, kinds: Sequence[Any], n: int) -> Data:
        """Return n records, drawn independently."""
        return tuple(kinds[self.rng.below(len(kinds))] for _ in range(n))

    def bits(self, n: int) -> int:
        """Return a precision at which no outcome of n records is lost, and no loss is rounded."""
        epsilon = self.learner.guarantee().epsilon
        small = (epsilon.denominator // epsilon.numerator).bit_length()
        return precision(epsilon, Fraction(0)) + ceil(4 * epsilon * n) + small

    def law(self, data: Data, run: Callable[[Any, Source], Hashable]) -> Law:
        sample = self.layout.sample(data)
        return ExactSource(bits=self.bits(len(data))).law(lambda source: run(sample, source))

    def logs(self, data: Data, run: Callable[[Any, Source], Hashable]) -> Logs:
        with ctx.workprec(self.bits(len(data))):
            return {h: p.log() for h, p in self.law(data, run).outcomes.items()}

    def integer(self, value: arb, rate: Fraction, n: int) -> int:
        """Return the integer k of a log-ratio k * rate."""
        with ctx.workprec(self.bits(n)):
            quotient = value / ball(rate)
            k = round(Fraction(float(quotient.mid())))
            if not abs(quotient - k) < ball(_READ):
                raise _BrokenError(
                    "law", "a log-ratio of two outcomes is no integer times the rate"
                )
            return k


def domain_points(domain: Any) -> list[Any] | None:
    """Return all points of a domain, if there are at most 128; points outside are not among them.

    Examples
    --------
    >>> domain_points(IntegerDomain(1, 3))
    [1, 2, 3]
    """
    if isinstance(domain, IntegerDomain) and domain.high - domain.low < _MOST_POINTS:
        return list(range(domain.low, domain.high + 1))
    if isinstance(domain, RowDomain) and prod(domain.schema.n_codes) <= _MOST_POINTS:
        return list(product(*map(range, domain.schema.n_codes)))
    return None


# --- sums over records ----------------------------------------------------------------------------


class _Sums(_Chain):
    """The chain of draws whose scores are sums over records."""

    def __init__(
        self,
        learner: Any,
        budget: Fraction,
        points: Any,
        sizes: tuple[int, ...],
        rng: SeededSource,
    ) -> None:
        super().__init__(learner, points, sizes, rng)
        self.budget = budget
        self.steps: list[Step] = []

    def check(
        self,
        rate: Callable[[int], Fraction],
        run: Callable[[Any, Source], Hashable],
        name: str = "",
    ) -> None:
        """Check one draw, and add its steps."""
        try:
            steps = self._check(rate, run)
        except _BrokenError as problem:
            steps = [Step(problem.name, "tested", False, str(problem))]
        prefix = f"{name}, " * bool(name)
        self.steps += [replace(step, name=prefix + step.name) for step in steps]

    def _drawing(self, run: Callable[[Any, Source], Hashable]) -> Step:
        """Say why a draw in parts has the law of the scores."""
        heard: Any = _Listening(SeededSource(0))
        run(self.layout.sample(tuple(self.kinds)), heard)
        if isinstance(self.learner.concept_class, DecisionTrees | BoostedTreeClass):
            lemma, how = "tree_draw.drawE", "top-down, each side by its own weights"
        elif heard.draws == 1:
            lemma, how = "leveled.leveledE", "a level, and then uniformly"
        else:
            return Step("drawing", "tested", True, "in parts: as the step before says")
        return Step("drawing", "proved", True, f"{how}: the direct law", lemma)

    def _check(
        self, rate: Callable[[int], Fraction], run: Callable[[Any, Source], Hashable]
    ) -> list[Step]:
        kinds, zero = self.kinds, self.kinds[0]
        base: dict[int, Logs] = {}
        single: dict[int, dict[Any, list[int]]] = {}
        seen = 0

        def scores(data: Data) -> list[int]:
            """Return what a data set adds to each outcome, beside the list of zeros."""
            nonlocal seen
            seen += 1
            n = len(data)
            if n not in base:
                base[n] = self.logs((zero,) * n, run)
            found, right = self.logs(data, run), base[n]
            if found.keys() != right.keys():
                raise _BrokenError("public", "the outcomes are not the same on two data sets")
            first = next(iter(right))
            with ctx.workprec(self.bits(n)):
                moved = [found[h] - found[first] - right[h] + right[first] for h in right]
            return [self.integer(value, rate(n), n) for value in moved]

        def adds(kind: Any, n: int) -> list[int]:
            known = single.setdefault(n, {})
            if kind not in known:
                known[kind] = scores((kind,) + (zero,) * (n - 1))
            return known[kind]

        for kind in kinds:
            adds(kind, 1)
        tried = largest = 0
        for data in self.lists():
            tried, largest = tried + 1, max(largest, len(data))
            parts = np.array([adds(kind, len(data)) for kind in data], dtype=object)
            if scores(data) != list(parts.sum(axis=0)):
                raise _BrokenError("sums", f"the score of {len(data)} records is not their sum")
        order = {h: i for i, h in enumerate(base[1])}
        for n, known in single.items():
            place = [order[h] for h in base[n]] if base[n].keys() == order.keys() else None
            for kind, found in known.items():
                at_one = single[1][kind]
                if place is None or found != [at_one[i] - at_one[place[0]] for i in place]:
                    raise _BrokenError("sums", f"a record counts otherwise among {n} than alone")
        matrix = np.array([single[1][kind] for kind in kinds], dtype=object)
        oscillation = 0
        for row in matrix:
            moved = matrix - row
            oscillation = max(oscillation, int((moved.max(axis=1) - moved.min(axis=1)).max()))
        n_pairs = len(kinds) * (len(kinds) - 1) // 2
        whole = "of the domain" if self.complete else "of the points given"
        fastest = max(rate(n) for n in {1, *self.sizes})
        dear = fastest * oscillation
        outcomes = len(order)
        return [
            Step(
                "public", "tested", True,
                f"{outcomes} outcomes, the same with their multiplicities on {seen} data sets",
            ),
            Step(
                "law", "tested", True,
                f"log-ratios are integers times the rate {fastest}, up to n = {largest}",
            ),
            self._drawing(run),
            Step(
                "sums", "tested", True,
                f"scores are sums over {self.learner.unit} on {tried} lists, with duplicates and "
                "points outside",
            ),
            Step(
                "range", "enumerated" if self.complete else "tested", dear <= self.budget,
                f"{n_pairs:,} pairs of single {self.learner.unit} {whole}: oscillation "
                f"{oscillation}, times the rate {dear} <= {self.budget}"
                if dear <= self.budget
                else f"oscillation {oscillation}, times the rate {dear} > {self.budget}",
            ),
            Step(
                "all n", "proved", True,
                "bounded range, so pure privacy, for every n", "additive.additive_pure",
            ),
        ]  # fmt: skip


def _rounds(
    learner: Boosting, points: Any, sizes: tuple[int, ...], rng: SeededSource
) -> list[Step]:
    """Return the chain of boosting: each round, given any trees before it."""
    settings = learner.plan.settings(max(sizes))
    chain = _Sums(learner, settings.round_epsilon, points, sizes, rng)
    several = len(learner.concept_class.labels) if learner.concept_class.lists_labels else 0
    rounds = sorted({0, 1, settings.rounds - 1} & set(range(settings.rounds)))
    for place in rounds:
        chain.budget = settings.epsilon_of(place)
        start: tuple[int, ...] = (0, rng.below(7) - 3 if settings.count_epsilon else 0)
        if several:
            start = tuple(-rng.below(4) if settings.count_epsilon else 0 for _ in range(several))
        points = None
        if settings.marginals is not None:
            points = _any_points(learner, max(several, 2), rng)
        before = []
        for _ in range(place):  # any trees: of a data set of any labels
            sample: Any = chain.layout.sample(chain.drawn(chain.kinds, 3))
            rows, rate = learner.round(Votes(sample, start, settings.loss, points), 0)
            before.append(learner.tree(rows, rate, rng))

        def weighted(
            sample: Any, place: int = place, start: Any = (start, points), trees: Any = before
        ) -> Any:
            votes = Votes(sample, start[0], settings.loss, start[1])
            for i, tree in enumerate(trees):
                votes.add(tree, i)
            return learner.round(votes, place)

        def rate_of(n: int, weighted: Any = weighted) -> Fraction:
            return Fraction(weighted(chain.layout.sample((chain.kinds[0],) * n))[1])

        def run(sample: Any, source: Source, weighted: Any = weighted) -> Hashable:
            rows, rate = weighted(sample)
            return learner.tree(rows, rate, source).key

        chain.check(rate_of, run, f"round {place + 1}")
    steps = chain.steps
    what = f"{settings.rounds} rounds with fixed budgets, each given the trees before"
    enough = settings.spent(learner.delta or Fraction(0), learner.evaluation) <= learner.epsilon
    what += f"; all together {'at most' if enough else 'more than'} {learner.epsilon}"
    if learner.delta is not None:
        steps.append(Step("rounds", "assumed", enough, f"{what}: zero-concentrated privacy"))
    else:  # a first round of another budget is beside the others
        lemmas = ("sums.rounds_pure", "compose.compose_pure")[: 1 + (settings.strong)]
        steps += [Step("rounds", "proved", enough, what, lemma) for lemma in lemmas]
    if settings.count_epsilon:
        what, moves = ("counts", "two of them move") if several else ("count", "it moves")
        noise = f"{moves} by at most 1, with two-sided geometric noise"
        what += " of labels" if several else " of label 1"
        steps.append(Step(what, "proved", True, noise, "noise.counts_pure"))
    if settings.marginals is not None:
        steps += _start(learner, settings.marginals, chain)
    if len(rounds) < settings.rounds:
        steps.append(Step("other rounds", "assumed", True, "they are drawn as these are"))
    return steps


def _any_points(learner: Boosting, labels: int, rng: SeededSource) -> CodePoints:
    """Return any start of all columns."""
    answers = [codes - 1 for codes in learner.concept_class.schema.n_codes]
    two = not learner.concept_class.lists_labels

    def points() -> tuple[int, ...]:
        own = [rng.below(2_000) - 1_000 for _ in range(labels)]
        return (0, *own[1:]) if two else tuple(own)

    columns = tuple((j, tuple(points() for _ in range(size))) for j, size in enumerate(answers))
    return CodePoints(points(), columns, SCALE, 4 * SCALE, 1 + two)


def _start(learner: Boosting, budget: Marginals, chain: _Chain) -> list[Step]:
    """Return the steps of a start from all columns: how far single records move its sums."""
    concepts = learner.concept_class
    labels = len(concepts.labels)
    samples: list[Any] = [chain.layout.sample((kind,)) for kind in chain.kinds]
    whole: Status = "enumerated" if chain.complete else "tested"
    added = "sums over records with discrete Gaussian noise, for every n"

    def cost_of(moved: list[npt.NDArray[np.int64]], variance: Fraction) -> Fraction:
        """Return what a replaced record costs."""
        pairs = ((a - b).tolist() for i, a in enumerate(moved) for b in moved[:i])
        most = max(sum(x * x for x in pair) for pair in pairs)
        return Fraction(most) / (2 * variance)

    counts = [
        np.concatenate([own.ravel() for own in counts_of(one, concepts.schema, labels)])
        for one in samples
    ]
    cost = cost_of(counts, budget.of_counts(len(concepts.schema)))
    found = [
        Step("counts of columns", whole, cost <= budget.counts,
             f"{added}: a replaced record costs {float(cost):.3g} <= {float(budget.counts):.3g}")
    ]  # fmt: skip
    if budget.weights:
        rng = chain.rng
        own = [
            np.array([rng.below(10 * SCALE) - 5 * SCALE for _ in range(codes - 1)])
            for codes in concepts.schema.n_codes
        ]
        base = rng.below(5) - 2.0
        both = [sums(one, list(range(len(own))), own, base) for one in samples]
        above = np.triu_indices(len(own) + 1)
        cost = cost_of([g for g, _ in both], budget.of_gradient)
        cost += cost_of([h[above] for _, h in both], budget.of_hessian)
        found.append(
            Step("weights of columns", "tested", cost <= budget.weights,
                 f"{added}: a replaced record costs {float(cost):.3g} <= "
                 f"{float(budget.weights):.3g}, with any log-odds of the answers")
        )  # fmt: skip
    return found


# --- candidates beside bottom ---------------------------------------------------------------------


class _Listening:
    """A source that counts its draws, and remembers whether bottom was drawn, beside what."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.presented: tuple[Exp, Fraction] | None = None
        self.fell, self.draws = False, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._source, name)

    def choose(self, weights: Presented) -> int:
        answer = self._source.choose(weights)
        self.draws += 1
        if getattr(weights, "bottom", None) is not None:
            self.presented = (weights.bottom, weights.rate)  # type: ignore[union-attr]
            self.fell = answer == 0
        return answer


class _Bottom(_Chain):
    """The chain of one draw of candidates beside bottom."""

    def check(self) -> list[Step]:
        """Return the steps."""
        try:
            return self._check()
        except _BrokenError as problem:
            return [Step(problem.name, "tested", False, str(problem))]

    def scores(self, data: Data) -> tuple[dict[Hashable, int], tuple[Exp, Fraction] | None]:
        """Return the score of each candidate; what is presented: bottom's weight and the rate."""
        presented: set[tuple[Exp, Fraction]] = set()

        def run(sample: Any, source: Source) -> Hashable:
            heard: Any = _Listening(source)
            key = self.learner.draw(sample, heard).key
            if heard.presented is None:
                raise _BrokenError("public", "there is a data set without bottom")
            presented.add(heard.presented)
            return heard.fell or key

        logs = self.logs(data, run)
        if len(presented) > 1:
            raise _BrokenError("public", "what is presented is not a function of the data set")
        ((bottom, rate),) = presented
        if logs.keys() == {True}:
            return {}, None  # nothing is listed, and bottom certain
        with ctx.workprec(self.bits(len(data))):
            beside = bottom.enclose(self.bits(len(data))).log() - logs.pop(True)
            shown = {h: value + beside for h, value in logs.items()}
        read = {h: self.integer(value, rate, len(data)) for h, value in shown.items()}
        return read, (bottom, rate)

    def _check(self) -> list[Step]:
        goal, pairs, largest = self.learner.guarantee(), 0, 0
        brought = {kind: self.scores((kind,))[0] for kind in self.kinds}
        most = max(map(len, brought.values()))
        known: dict[int, tuple[Exp, Fraction]] = {}
        for data in self.lists():
            scores, beside = self.scores(data)
            if beside and known.setdefault(len(data), beside) != beside:
                raise _BrokenError("public", "bottom's weight or the rate is not the same")
            total: dict[Hashable, int] = {}
            for kind in data:
                for h, score in brought[kind].items():
                    total[h] = total.get(h, 0) + score
            if scores != total:
                raise _BrokenError("sums", f"the scores of {len(data)} records are not their sum")
            pairs, largest = pairs + 1, max(largest, len(data))
        if any(set(scores.values()) - {1} for scores in brought.values()):
            raise _BrokenError("range", "a single record gives a candidate a score that is not 1")
        (weight, rate), *others = set(known.values())
        needed = Fraction(most) * (1 - goal.delta) / goal.delta
        hidden = (weight - exp(rate, times=needed)).sign() >= 0
        whole = "of the domain" if self.complete else "of the points given"
        kinds = len(self.kinds)
        return [
            Step(
                "public", "tested", not others,
                f"bottom's weight and the rate are the same on {pairs} data sets",
            ),
            Step(
                "law", "tested", True,
                f"candidates weigh e**(rate * score) beside bottom, up to n = {largest}",
            ),
            Step("drawing", "proved", True, "drawn by level, it is the direct law",
                 "leveled.leveledE"),
            Step("sums", "tested", True, f"scores are sums over records on {pairs} lists"),
            Step(
                "range", "enumerated" if self.complete else "tested",
                hidden and 2 * rate <= goal.epsilon,
                f"{kinds} single records {whole}: each lists at most {most} candidates, with score "
                f"1; bottom {'hides' if hidden else 'does not hide'} them",
            ),
            Step("all n", "proved", True, "(epsilon, delta)-privacy for every n",
                 "sparse.sparse_lists_dp"),
        ]  # fmt: skip
