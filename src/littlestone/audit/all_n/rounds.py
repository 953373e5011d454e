"""Boosting: each round, given any trees before it, and what is asked before and after them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from littlestone.audit.all_n.asked import noisy_sums, quantile
from littlestone.audit.all_n.chain import EACH, Chain
from littlestone.audit.all_n.report import Step
from littlestone.audit.all_n.sums import Sums
from littlestone.classes.boosted_trees.points import CodePoints
from littlestone.data.targets import Count, Periods, TargetSample
from littlestone.evaluation.survival import survival_histogram
from littlestone.learners.boosting import Boosting, Values
from littlestone.learners.boosting.errors import error_sums
from littlestone.learners.boosting.losses import Huber, Poisson
from littlestone.learners.boosting.marginals import SCALE, counts_of, sums
from littlestone.learners.boosting.starts import (
    counts_at_risk,
    private_counts,
    private_sum,
    quantile_sums,
)
from littlestone.privacy import Pure, compose

if TYPE_CHECKING:
    from littlestone.classes.decision_trees import TreeHypothesis
    from littlestone.learners.boosting.marginals import Marginals
    from littlestone.source import SeededSource, Source


def rounds(
    learner: Boosting | Values, points: Any, sizes: tuple[int, ...], rng: SeededSource
) -> list[Step]:
    """Return the chain of boosting: each round, given any trees before it."""
    settings: Any = learner.plan.settings(max(sizes))

    def budget(n: int) -> Fraction:
        found: Fraction = learner.plan.settings(n).epsilon_of(place)
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
        _of_values(learner, chain, loss)
        _after(learner, chain, records, trees)
    else:
        _of_labels(learner, chain)
    if len(places) < settings.rounds:
        chain.steps.append(Step("other rounds", "assumed", True, "they are drawn as these are"))
    if learner.unit == "users":
        more = f"users of more than {EACH} records weigh by their own sum, as these do"
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
            return private_counts(sample, sample.code, size, epsilon=epsilon, source=source)

        chain.add(
            lambda: noisy_sums(chain, counts, lambda n: epsilon, learner.start), "counts of labels"
        )
    elif settings.count_epsilon:
        several = concepts.lists_labels
        what, moves = ("counts", "two of them move") if several else ("count", "it moves")
        noise = f"{moves} by at most 1, with two-sided geometric noise"
        what += " of labels" if several else " of label 1"
        chain.steps.append(Step(what, "proved", True, noise, "noise.counts_pure"))
    if settings.marginals is not None:
        chain.steps += _start(learner, settings.marginals, chain)


def _of_values(learner: Values, chain: Sums, loss: Any) -> None:
    """Add the steps of the start of a quantity, a count or a time."""
    target: Any = learner.concept_class.target

    def budget(n: int, place: int = 0) -> Fraction:
        return learner.plan.settings(n).start[place].reach or Fraction(0)

    middle = learner.quantile or Fraction(1, 2)
    levels = {
        "quantity": (Fraction(1, 4), middle, Fraction(3, 4)),
        "count": (Fraction(9, 10),),
        "time": (),
    }[target.kind]
    for i, q in enumerate(levels):

        def check(i: int = i, q: Fraction = q) -> list[Step]:
            def missed(sample: Any) -> Any:
                return quantile_sums(sample, target.size, q)

            return quantile(chain, missed, learner.start, i, lambda n: budget(n, i))

        chain.add(check, f"quantile {q}")
    if isinstance(target, Count):

        def total(sample: Any, source: Source) -> Any:
            epsilon, most = budget(sample.n, 1), loss.most
            return [private_sum(sample, sample.code, most, epsilon=epsilon, source=source)]

        chain.add(lambda: noisy_sums(chain, total, lambda n: budget(n, 1), learner.start), "mean")
    if isinstance(target, Periods):

        def lives(sample: Any, source: Source) -> Any:
            return counts_at_risk(sample, target, epsilon=budget(sample.n), source=source)

        chain.add(lambda: noisy_sums(chain, lives, budget, learner.start), "life table")


def _after(learner: Values, chain: Sums, records: Any, trees: Any) -> None:
    """Add the steps of what corrects the mean, and of an evaluation on the same records."""

    def corrected(sample: Any, source: Source) -> Any:
        return learner.sums_after(records(sample), source)

    def of_end(n: int) -> Fraction:
        return sum((own.reach or Fraction(0) for own in learner.plan.settings(n).end), Fraction(0))

    loss = records(chain.layout.sample(chain.kinds[:1])).loss
    if isinstance(loss, Huber | Poisson):
        name = "last shift" if isinstance(loss, Huber) else "last factor"
        chain.add(lambda: noisy_sums(chain, corrected, of_end), name)
    epsilon = learner.evaluation
    if epsilon is not None:
        any_records = records(chain.layout.sample(chain.drawn(chain.kinds, max(chain.sizes))))
        model: Any = learner.released(trees, any_records, chain.rng)

        def evaluated(sample: Any, source: Source) -> Any:
            how: Any = {"epsilon": epsilon, "held_out": False, "source": source}
            if isinstance(model.target, Periods):
                schema = learner.concept_class.schema
                counts = survival_histogram(model, schema, sample, **how).counts
                return [count for row in counts for count in row]
            made = error_sums(model, sample, **how)
            counts = made.cells.counts if made.cells else ()
            return [*made.sums, *(count for row in counts for count in row)]

        chain.add(lambda: noisy_sums(chain, evaluated, lambda n: epsilon), "evaluation")


def _any_points(learner: Boosting, labels: int, rng: SeededSource) -> CodePoints:
    """Return any start of all columns."""
    answers = [codes - 1 for codes in learner.concept_class.schema.n_codes]
    two = not learner.concept_class.lists_labels

    def points() -> tuple[int, ...]:
        own = [rng.below(2_000) - 1_000 for _ in range(labels)]
        return (0, *own[1:]) if two else tuple(own)

    columns = tuple((j, tuple(points() for _ in range(size))) for j, size in enumerate(answers))
    return CodePoints(points(), columns, SCALE, 4 * SCALE, 1 + two)


def _start(learner: Boosting, budget: Marginals, chain: Chain) -> list[Step]:
    """Return the steps of a start from all columns: how far single records move its sums."""
    concepts = learner.concept_class
    labels = len(concepts.labels)
    samples: list[Any] = [chain.layout.sample((kind,)) for kind in chain.kinds]
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
        Step("counts of columns", chain.known, cost <= budget.counts,
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
