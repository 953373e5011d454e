"""Is it private for every n? A checked chain from single records to all data sets.

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

*Rounds of boosting* are such sums over units, given any earlier trees; so are what starts, last
corrections and evaluations ask, quantiles and sums with noise.

*Others* name the lemmas of their claims (`littlestone.bounds.claims`), and what these leave out.

===========  =====================================================================================
`chain`      steps, and what they rest on; records and data sets; quantiles and sums
`rounds`     boosting; scores that are sums over records; candidates beside bottom; linear models
===========  =====================================================================================

The page: ``docs/audit.md``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, lru_cache, partial
from math import floor
from typing import TYPE_CHECKING, Any

import numpy as np
from flint import ctx

from littlestone.audit.chain import (
    EACH,
    AllN,
    BrokenError,
    Chain,
    Data,
    Listening,
    Logs,
    Step,
    by_lemmas,
    domain_points,
    noisy_sums,
    quantile,
)
from littlestone.audit.neighbours import promised
from littlestone.audit.verify import algorithm_of
from littlestone.bounds.claims import LEMMAS
from littlestone.classes import BoostedTreeClass, DecisionTrees
from littlestone.classes.boosted_trees.coefficients import CodePoints
from littlestone.classes.boosted_trees.ensemble import TreeSum
from littlestone.classes.boosted_trees.export import PARTS
from littlestone.data.targets import TargetSample
from littlestone.errors import check_integer
from littlestone.evaluation.quantities import parts_of_epsilon, survival_histogram
from littlestone.learners.boosting import Boosting, Values
from littlestone.learners.boosting.losses import (
    FINE,
    Gamma,
    Hazards,
    Huber,
    Poisson,
    above,
    cell_reach,
    counts_at_risk,
    deviation,
    error_cells,
    error_sizes,
    private_counts,
    private_sum,
    quantile_sums,
    size_edges,
    sums_within,
    unit_weight,
)
from littlestone.learners.boosting.rounds import SCALE, count_noise, counts_of
from littlestone.learners.exponential import Agnostic, Generic
from littlestone.learners.linear import Linear
from littlestone.learners.linear.learner import (
    SHARE,
    Budget,
    Records,
    largest_moment,
    second_moments,
)
from littlestone.learners.littlestone import Littlestone
from littlestone.learners.littlestone_plans import ClosedPlan
from littlestone.learners.users.learner import RecordsPlan, UserAgnostic
from littlestone.mechanisms.estimate import clip_edges, rank_of
from littlestone.privacy import Concentrated, Pure, compose
from littlestone.source import SeededSource, exp

if TYPE_CHECKING:
    from littlestone.classes.decision_trees import TreeHypothesis
    from littlestone.source import Exp, Source

__all__ = ["AllN", "Step", "all_n", "by_lemmas", "domain_points"]


# -- Boosting and linear models: each round, given what was before it, and what else is asked.


# -- Draws whose scores are sums over records: bounded range for every n.


_LEVELED = "a level and then an outcome uniformly within it"


class Sums(Chain):
    """The chain of draws whose scores are sums over records."""

    def __init__(
        self,
        learner: Any,
        budget: Callable[[int], Fraction],
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
        self.add(lambda: self._check(rate, run), name)

    def add(self, check: Callable[[], list[Step]], name: str = "") -> None:
        """Add the steps of a check."""
        prefix = f"{name}, " * bool(name)
        self.steps += [replace(step, name=prefix + step.name) for step in self.attempt(check)]

    def noisy(self, name: str, ask: Any, budget: Callable[[int], Any], draw: Any = None) -> None:
        """Check sums that are released with noise (`noisy_sums`)."""
        self.add(lambda: noisy_sums(self, ask, budget, draw), name)

    def quantile(
        self, name: str, sums: Any, draw: Any, budget: Callable[[int], Fraction], place: int = 0
    ) -> None:
        """Check a choice by the larger of two sums (`quantile`)."""
        self.add(lambda: quantile(self, sums, draw, place, budget), name)

    def _drawing(self, run: Callable[[Any, Source], Hashable]) -> Step:
        """Say why a draw in parts has the law of the scores."""
        heard: Any = Listening(SeededSource(0))
        run(self.layout.sample(tuple(self.kinds)), heard)
        if isinstance(self.learner.concept_class, DecisionTrees | BoostedTreeClass):
            lemma, how = "tree_draw.drawE", "a tree top-down, each side by its own weights,"
        elif heard.draws == 1:
            lemma, how = "leveled.leveledE", _LEVELED
        else:
            return Step("drawing", "tested", True, "in parts; the step before tests the whole")
        return Step("drawing", "proved", True, f"drawing {how} has the law of a direct draw", lemma)

    def _check(
        self, rate: Callable[[int], Fraction], run: Callable[[Any, Source], Hashable]
    ) -> list[Step]:
        kinds, zero, rate = self.kinds, self.kinds[0], cache(rate)
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
                raise BrokenError("public", "the outcomes are not the same on two data sets")
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
                raise BrokenError("sums", f"the score of {len(data)} records is not their sum")
        order = {h: i for i, h in enumerate(base[1])}
        for n, known in single.items():
            place = [order[h] for h in base[n]] if base[n].keys() == order.keys() else None
            for kind, found in known.items():
                at_one = single[1][kind]
                if place is None or found != [at_one[i] - at_one[place[0]] for i in place]:
                    raise BrokenError("sums", f"a record counts otherwise among {n} than alone")
        matrix = np.array([single[1][kind] for kind in kinds], dtype=object)
        oscillation = 0
        for row in matrix:
            moved = matrix - row
            oscillation = max(oscillation, int((moved.max(axis=1) - moved.min(axis=1)).max()))
        n_pairs = len(kinds) * (len(kinds) - 1) // 2
        whole = "in or outside the domain" if self.complete else "at or outside the points given"
        worst = max({1, *self.sizes}, key=lambda n: rate(n) / self.budget(n))
        dear, budget = rate(worst) * oscillation, self.budget(worst)
        outcomes = len(order)
        return [
            Step(
                "public", "tested", True,
                f"{outcomes} outcomes, whose multiplicities are the same on {seen} data sets",
            ),
            Step(
                "law", "tested", True,
                f"log-ratios of probabilities are integer multiples of the rate {rate(worst)}, "
                f"up to n = {largest}",
            ),
            self._drawing(run),
            Step(
                "sums", "tested", True,
                f"scores are sums over {self.learner.unit}, on {tried} lists, some with duplicates "
                "or with points outside the domain",
            ),
            Step(
                "range", self.known, dear <= budget,
                f"{n_pairs:,} pairs of single {self.learner.unit} {whole}: their score "
                f"differences range over at most {oscillation}; times the rate: {dear} <= {budget}"
                if dear <= budget
                else f"score differences range over {oscillation}; by rate: {dear} > {budget}",
            ),
            Step(
                "all n", "proved", True,
                "bounded range, so pure privacy, for every n", "additive.additive_pure",
            ),
        ]  # fmt: skip


def rounds(
    learner: Boosting | Values, points: Any, sizes: tuple[int, ...], rng: SeededSource
) -> list[Step]:
    """Return the chain of boosting: each round, given any trees before it."""
    settings: Any = learner.plan.settings(max(sizes))

    def budget(n: int) -> Fraction:
        found: Fraction = learner.plan.settings(n).round_epsilon
        return found

    place = 0
    chain = Sums(learner, budget, points, sizes, rng)
    start, loss = _any_start(learner, chain)
    trees: list[TreeHypothesis] = []  # any trees: of data sets of any labels

    def records(sample: Any) -> Any:
        found: Any = learner.at(sample, start, loss)
        for i, tree in enumerate(trees):
            found.add(tree, i)
        return found

    places = sorted({0, 1, settings.rounds - 1} & set(range(settings.rounds)))
    for place in range(settings.rounds):

        @lru_cache(maxsize=1)  # of one sample, along all paths of the draw
        def weighted(sample: Any, place: int = place) -> Any:
            return learner.round(records(sample), place)

        def rate_of(n: int, weighted: Any = weighted) -> Fraction:
            return Fraction(weighted(chain.layout.sample((chain.kinds[0],) * n))[1])

        def run(sample: Any, source: Source, weighted: Any = weighted) -> Hashable:
            rows, rate = weighted(sample)
            return learner.tree(rows, rate, source).key

        if place in places:
            chain.check(rate_of, run, f"round {place + 1}")
        rows, rate = weighted(chain.layout.sample(chain.drawn(chain.kinds, 3)))
        trees.append(learner.tree(rows, rate, rng))
    losses = Counter(settings.losses)
    losses.update([Pure(learner.evaluation)] if learner.evaluation else [])
    enough = compose(losses, delta=learner.delta or Fraction(0))[0] <= learner.epsilon
    what = f"{settings.rounds} rounds with fixed budgets, each given the trees before; all "
    what += f"together {'at most' if enough else 'more than'} {learner.epsilon}"
    if learner.delta is not None:
        chain.steps.append(Step("rounds", "assumed", enough, f"{what}: zero-concentrated privacy"))
    else:  # what has another budget is beside the rounds
        lemmas = ("sums.rounds_pure", "compose.compose_pure")[: 1 + (len(losses) > 1)]
        chain.steps += [Step("rounds", "proved", enough, what, lemma) for lemma in lemmas]
    if isinstance(learner, Values):
        _of_values(learner, chain)
        _after(learner, chain, records, trees)
    else:
        _of_labels(learner, chain)
    if len(places) < settings.rounds:
        chain.steps.append(Step("other rounds", "assumed", True, "they are drawn like these"))
    if learner.unit == "users":
        more = f"users with more than {EACH} records are weighted by their own sum, like these"
        chain.steps.append(Step("more records", "assumed", True, more))
    return chain.steps


def _any_start(learner: Boosting | Values, chain: Chain) -> tuple[Any, Any]:
    """Return what was released before the first tree: of any data set, or anything."""
    rng, n = chain.rng, max(chain.sizes)
    if isinstance(learner, Values):
        sample: Any = chain.layout.sample(chain.drawn(chain.kinds, n))
        return learner.start(sample, rng)
    settings = learner.plan.settings(n)
    several = len(learner.concept_class.labels) if learner.concept_class.lists_labels else 0
    if settings.marginals is not None:
        return _any_points(learner, max(several, 2), rng), settings.loss
    counted = bool(settings.count_epsilon)
    if several:
        return tuple(-rng.below(4) if counted else 0 for _ in range(several)), settings.loss
    return (0, rng.below(7) - 3 if counted else 0), settings.loss


def _of_labels(learner: Boosting, chain: Sums) -> None:
    """Add the steps of the start of labels."""
    settings, concepts = learner.plan.settings(max(chain.sizes)), learner.concept_class
    if settings.count_epsilon and learner.reads is TargetSample:
        size, epsilon = len(concepts.labels) + 1, settings.count_epsilon

        def counts(sample: Any, source: Source) -> Any:
            return private_counts(sample, sample.code, size, loss=Pure(epsilon), source=source)

        chain.noisy("counts of labels", counts, lambda n: Pure(epsilon), learner.start)
    elif settings.count_epsilon:
        several = concepts.lists_labels
        what, moves = ("counts", "two of them move") if several else ("count", "it moves")
        noise = f"{moves} by at most 1, with two-sided geometric noise"
        what += " of labels" if several else " of label 1"
        chain.steps.append(Step(what, "proved", True, noise, "noise.counts_pure"))
    if settings.marginals is not None:
        chain.steps.append(_start(learner, settings.marginals, chain))


def _of_values(learner: Values, chain: Sums) -> None:
    """Add the steps of the start of a quantity, a count or a time."""
    target: Any = learner.concept_class.target

    def spent(n: int, place: int = 0) -> Any:
        return learner.plan.settings(n).start[place]

    def budget(n: int, place: int = 0) -> Fraction:
        return spent(n, place).reach or Fraction(0)

    middle = learner.quantile or Fraction(1, 2)
    levels = (Fraction(1, 4), middle, Fraction(3, 4)) if target.continuous else ()
    for i, q in enumerate(levels):
        missed = partial(quantile_sums, size=target.size, quantile=q)
        chain.quantile(f"quantile {q}", missed, learner.start, partial(budget, place=i), i)
    if not target.continuous and not target.ends:
        edges = clip_edges(1, target.high)

        def clipped(sample: Any) -> Any:
            rank = rank_of(sample.n, spent(sample.n).eta, deviation(spent(sample.n, 1)))
            return _misses(sample, sample.code, edges, rank)

        def total(sample: Any, source: Source) -> Any:
            loss = spent(sample.n, 1)
            return [private_sum(sample, sample.code, int(edges[0]), loss=loss, source=source)]

        chain.quantile("where to clip", clipped, learner.start, budget)
        chain.noisy("counts", total, partial(spent, place=1), learner.start)
    if target.ends:

        def lives(sample: Any, source: Source) -> Any:
            return counts_at_risk(sample, target, loss=spent(sample.n), source=source)

        chain.noisy("life table", lives, spent, learner.start)


def _misses(sample: Any, values: Any, edges: Any, rank: float) -> Any:
    """Return how far the numbers of units above edges are from a rank, either way."""
    missed = above(sample, values, edges) - floor(rank * unit_weight(sample))
    return np.stack([missed, -missed])


def _after(learner: Values, chain: Sums, records: Any, trees: Any) -> None:
    """Add the steps of what makes means right, and of an evaluation on the same records."""
    target: Any = learner.concept_class.target
    start = (0,) * (len(target.ends) or 1)
    any_model = TreeSum(tuple(trees), (PARTS,) * len(trees), start, target)

    def last(n: int) -> Any:
        return learner.plan.settings(n).end[-1]

    def rates(sample: Any, source: Source) -> Any:
        return [learner.rates(records(sample), source)]

    def falls(sample: Any, source: Source) -> Any:
        return learner.falls(any_model, records(sample), source)

    any_sample = chain.layout.sample(chain.kinds[:1])
    loss = records(any_sample).loss
    if isinstance(loss, Poisson):
        chain.noisy("last factor", rates, last)
    if isinstance(loss, Hazards) and learner.plan.settings(max(chain.sizes)).end:
        chain.noisy("predicted survival", falls, last)
    if isinstance(loss, Huber | Gamma):

        def missed(sample: Any) -> Any:
            return _misses(sample, *learner.left(records(sample)))

        def drawn(sample: Any, source: Source) -> Any:
            return learner.released(trees, records(sample), source)

        def of_rank(n: int) -> Fraction:
            return learner.plan.settings(n).end[0].reach or Fraction(0)

        chain.quantile("where to clip", missed, drawn, of_rank)
        edges = learner.left(records(any_sample))[1].tolist()
        for most in sorted({edges[0], edges[len(edges) // 2], edges[-1]}):

            def sums(sample: Any, source: Source, most: int = most) -> Any:
                return [own for own, _ in learner.sums_at(records(sample), most, source)]

            chain.noisy(f"the mean of the residuals up to {most / FINE:g} cells", sums, last)
    epsilon = learner.evaluation
    if epsilon is not None:
        any_records = records(chain.layout.sample(chain.drawn(chain.kinds, max(chain.sizes))))
        model: Any = learner.released(trees, any_records, chain.rng)

        if model.target.ends:
            schema = learner.concept_class.schema

            def persons(sample: Any, source: Source) -> Any:
                how: Any = {"epsilon": epsilon, "held_out": False, "source": source}
                counts = survival_histogram(model, schema, sample, **how).counts
                return [count for row in counts for count in row]

            chain.noisy("evaluation", persons, lambda n: Pure(epsilon))
            return
        edges = size_edges(model)
        of_cells = cell_reach(model, epsilon * max(chain.sizes))

        def sizes(sample: Any, source: Source) -> Any:
            own, _, other = parts_of_epsilon(epsilon, sample.n)
            counts = [*error_sizes(model, sample, own, source).counts[0]]
            if other:
                rows = error_cells(model, sample, of_cells, other, source).counts
                counts += [count for row in rows for count in row]
            return counts

        def of_sums(n: int) -> Pure:
            return Pure(parts_of_epsilon(epsilon, n)[1])

        chain.noisy("evaluation, sizes", sizes, lambda n: Pure(epsilon - of_sums(n).epsilon))
        for reach in (int(edges[0]), int(edges[len(edges) // 2]), int(edges[-1])):

            def cut(sample: Any, source: Source, reach: int = reach) -> Any:
                _, own, _ = parts_of_epsilon(epsilon, sample.n)
                return sums_within(model, sample, reach, own, source)

            chain.noisy(f"evaluation, up to {reach} parts", cut, of_sums)


def _any_points(learner: Boosting, labels: int, rng: SeededSource) -> CodePoints:
    """Return any start of all columns."""
    answers = [codes - 1 for codes in learner.concept_class.schema.n_codes]
    two = not learner.concept_class.lists_labels

    def points() -> tuple[int, ...]:
        own = [rng.below(2_000) - 1_000 for _ in range(labels)]
        return (0, *own[1:]) if two else tuple(own)

    columns = tuple((j, tuple(points() for _ in range(size))) for j, size in enumerate(answers))
    return CodePoints(points(), columns, SCALE, 4 * SCALE, 1 + two)


def _start(learner: Boosting, rho: Fraction, chain: Chain) -> Step:
    """Return the steps of a start from all columns: how far single records move its counts."""
    concepts = learner.concept_class
    labels = len(concepts.labels)
    samples: list[Any] = [chain.layout.sample((kind,)) for kind in chain.kinds]
    moved = [
        np.concatenate([own.ravel() for own in counts_of(one, concepts.schema, labels)])
        for one in samples
    ]
    pairs = ((a - b).tolist() for i, a in enumerate(moved) for b in moved[:i])
    most = max(sum(x * x for x in pair) for pair in pairs)
    cost = Fraction(most) / (2 * count_noise(rho, len(concepts.schema)))
    return Step(
        "counts of columns", chain.known, cost <= rho,
        "sums over records with discrete Gaussian noise, for every n: replacing a record costs "
        f"{float(cost):.3g} <= {float(rho):.3g}",
    )  # fmt: skip


# -- Candidates beside bottom: (epsilon, delta) for every n.


class Bottom(Chain):
    """The chain of one draw of candidates beside bottom."""

    def check(self) -> list[Step]:
        """Return the steps."""
        return self.attempt(self._check)

    def scores(self, data: Data) -> tuple[dict[Hashable, int], tuple[Exp, Fraction] | None]:
        """Return the score of each candidate; what is presented: bottom's weight and the rate."""
        presented: set[tuple[Exp, Fraction]] = set()

        def run(sample: Any, source: Source) -> Hashable:
            heard: Any = Listening(source)
            key = self.learner.draw(sample, heard).key
            if heard.presented is None:
                raise BrokenError("public", "on some data set bottom has no weight")
            presented.add(heard.presented)
            return heard.fell or key

        logs = self.logs(data, run)
        if len(presented) > 1:
            raise BrokenError("public", "what is presented is not a function of the data set")
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
                raise BrokenError("public", "bottom's weight or the rate is not the same")
            total: dict[Hashable, int] = {}
            for kind in data:
                for h, score in brought[kind].items():
                    total[h] = total.get(h, 0) + score
            if scores != total:
                raise BrokenError("sums", f"the scores of {len(data)} records are not their sum")
            pairs, largest = pairs + 1, max(largest, len(data))
        if any(set(scores.values()) - {1} for scores in brought.values()):
            raise BrokenError("range", "a single record gives a candidate a score that is not 1")
        (weight, rate), *others = set(known.values())
        needed = Fraction(most) * (1 - goal.delta) / goal.delta
        hidden = (weight - exp(rate, times=needed)).sign() >= 0
        whole = "in or outside the domain" if self.complete else "at or outside the points given"
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
            Step("drawing", "proved", True, f"drawing {_LEVELED} has the law of a direct draw",
                 "leveled.leveledE"),
            Step("sums", "tested", True, f"scores are sums over records, on {pairs} lists"),
            Step(
                "range", self.known,
                hidden and 2 * rate <= goal.epsilon,
                f"{kinds} single records {whole}: each lists at most {most} candidates, with score "
                f"1; bottom {'hides' if hidden else 'does not hide'} them",
            ),
            Step("all n", "proved", True, "(epsilon, delta)-privacy for every n",
                 "sparse.sparse_lists_dp"),
        ]  # fmt: skip


# -- Linear models: each round, given any weights before it.


_SCALES = (0.0, 1e-3, 1e-2, 1.0, 1e300)  # of weights, beside some that are no numbers


def gradients(
    learner: Linear, points: Any, sizes: tuple[int, ...], rng: SeededSource
) -> list[Step]:
    """Return the chain of a linear model: each round, given any weights before it."""
    chain = Chain(learner, points, sizes, rng)
    settings = learner.plan.settings(max(sizes))
    losses = [Concentrated(settings.rho / settings.rounds)] * settings.rounds

    def asked(sample: Any, n: int, weights: Any) -> Any:
        return learner.records(sample, n).gradient(weights)

    def cost(n: int) -> Fraction:
        own = learner.settings(n)
        return own.rounds / (2 * own.variance)

    steps = chain.attempt(lambda: _gradient_steps(chain, learner.shape, asked, cost, settings.rho))
    if learner.inference is not None:
        steps += _regression(learner, chain)
        losses.append(Concentrated(learner.rho * SHARE))
    epsilon = compose(losses, delta=learner.delta)[0]
    holds = epsilon <= learner.epsilon
    what = f"{settings.rounds} rounds with fixed budgets, each given what was released before; all "
    what += f"together {'at most' if holds else 'more than'} {learner.epsilon}"
    steps.append(Step("other weights", "assumed", True, "they clip like these"))
    steps.append(Step("rounds", "assumed", holds, f"{what}: zero-concentrated privacy"))
    if learner.unit == "users":
        more = f"users with more than {EACH} records are clipped by their own gradient, like these"
        steps.append(Step("more records", "assumed", True, more))
    return steps


def _regression(learner: Linear, chain: Chain) -> list[Step]:
    """Check the rounds, the gradient and the second moments of a regression."""
    budget, features = Budget.of(learner.rho * SHARE), learner.named

    def records(sample: Any, n: int) -> Records:
        return Records(sample, features, learner.of_regression(n).square, 1)

    def gradient(sample: Any, n: int, weights: Any) -> Any:
        return records(sample, n).gradient(weights)

    def moments(sample: Any, n: int, weights: Any) -> Any:
        own = second_moments(records(sample, n), weights)
        above = own[np.triu_indices(len(own), 1)]  # half of the variance: each counts twice
        return np.concatenate([np.diag(own), above, above])

    def of_gradients(n: int) -> Fraction:
        own = learner.of_regression(n)
        once = replace(own, rounds=1, rho=budget.gradient)
        return own.rounds / (2 * own.variance) + 1 / (2 * once.variance)

    def of_moments(n: int) -> Fraction:
        return budget.moments / (2 * largest_moment(features, 4 * features.grain) ** 2)

    steps, shape = [], (1, features.size)
    for name, ask, cost, most in (
        ("regression", gradient, of_gradients, budget.rounds + budget.gradient),
        ("second moments", moments, of_moments, budget.moments),
    ):
        found = chain.attempt(lambda a=ask, c=cost, m=most: _gradient_steps(chain, shape, a, c, m))  # type: ignore[misc]
        steps += [replace(step, name=f"{name}, {step.name}") for step in found]
    return steps


def _gradient_steps(
    chain: Chain, shape: tuple[int, int], ask: Callable[[Any, int, Any], Any],
    cost: Callable[[int], Fraction], budget: Fraction,
) -> list[Step]:  # fmt: skip
    """Check that what is asked is a sum over units, and what one unit costs, at any weights.

    ``cost`` is what a squared move of one costs of zCDP, among n units.
    """
    weights = []
    for scale in _SCALES:
        parts = [chain.rng.below(2001) / 1000 - 1 for _ in range(shape[0] * shape[1])]
        weights.append(scale * np.array(parts).reshape(shape))
    weights += [np.full(shape, np.nan), np.full(shape, -np.inf)]
    lists, costs, unit = list(chain.lists()), dict[int, Fraction](), chain.learner.unit
    for n in sorted({1, *map(len, lists)}):

        def summed(data: Data, n: int = n) -> list[Any]:
            sample = chain.layout.sample(data)
            return [ask(sample, n, own).ravel().astype(object) for own in weights]

        single = {kind: summed((kind,)) for kind in chain.kinds}
        for data in (data for data in lists if len(data) == n):
            added = [sum(own) for own in zip(*(single[kind] for kind in data), strict=True)]
            if any((a != b).any() for a, b in zip(summed(data), added, strict=True)):
                raise BrokenError("sums", f"what {n} {unit} add is no sum")
        most = 0
        for each in zip(*single.values(), strict=True):
            units = np.array(each, dtype=object)
            most = max(most, *(int(((units - one) ** 2).sum(axis=1).max()) for one in units))
        costs[n] = most * cost(n)
    worst = max(costs.values())
    compared = f"{float(worst):.4g} {'<=' if worst <= budget else '>'} {float(budget):.4g}"
    return [
        Step("sums", "tested", True, f"before noise, sums over {unit}, on {len(lists)} lists"),
        Step(
            "noise", chain.known, worst <= budget,
            f"discrete Gaussian; replacing a {unit.removesuffix('s')} by any other costs "
            f"{compared} of zCDP in all, at {len(weights)} weights",
        ),
    ]  # fmt: skip


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
      tested     public: 5 outcomes, whose multiplicities are the same on ... data sets
      tested     law: log-ratios of probabilities are integer multiples of the rate 1/2, up to
      n = 40
      proved     drawing: drawing a level and then an outcome uniformly within it has the law of a
      direct draw (leveled.leveledE)
      tested     sums: scores are sums over records, on 46 lists, some with duplicates or with
      points outside the domain
      enumerated range: 45 pairs of single records in or outside the domain: their score differences
      range over at most 2; times the rate: 1 <= 1
      proved     all n: bounded range, so pure privacy, for every n (additive.additive_pure)
    """
    algorithm = algorithm_of("all_n", learner)
    for n in sizes:
        check_integer("all_n", "sizes", n, low=1)
    route, steps = _chain(algorithm, points, tuple(sizes), SeededSource(seed))
    return AllN(algorithm.name, algorithm.concept_class.spec, route, tuple(steps))


def _chain(
    learner: Any, points: Any, sizes: tuple[int, ...], rng: SeededSource
) -> tuple[str, list[Step]]:
    if isinstance(learner, Generic | Agnostic):
        epsilon = promised(learner).epsilon
        chain = Sums(learner, lambda n: epsilon, points, sizes, rng)
        costs = learner.mistake_costs
        rate = learner.rate(costs.largest if costs else 1)
        chain.check(lambda n: rate, lambda sample, source: learner.draw(sample, source).key)
        return "sums over records", chain.steps
    if isinstance(learner, UserAgnostic) and isinstance(learner.plan.chosen, RecordsPlan):
        chain = Sums(learner, lambda n: learner.epsilon, points, sizes, rng)
        of_users = learner.plan.chosen.inner.rate(1)
        chain.check(lambda n: of_users, lambda users, source: learner.draw(users, source).key)
        cut = f"more than {learner.samples_per_user} records of a user are cut by themselves"
        chain.steps.append(Step("cut", "assumed", True, cut))
        return "sums over records", chain.steps
    if isinstance(learner, Boosting | Values | Linear):
        check: Any = gradients if isinstance(learner, Linear) else rounds
        return "sums over records", check(learner, points, sizes, rng)
    settings = learner.plan.settings if isinstance(learner, Littlestone) else None
    if isinstance(settings, ClosedPlan) and learner.plan.chunk == 1:
        return "candidates beside bottom", Bottom(learner, points, sizes, rng).check()
    # of each part of a claim, as ``dp.sum(vc1.privacy, score-histogram)``
    parts = re.findall(r"[a-z0-9][a-z0-9.-]*", learner.guarantee().claim)
    found = by_lemmas(learner.name, "", {part: LEMMAS.get(part) for part in parts})
    return found.route, list(found.steps)
