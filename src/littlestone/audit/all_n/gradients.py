"""Linear models: each round, given any weights before it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.audit.all_n.chain import EACH, BrokenError, Chain, Step
from littlestone.learners.linear.inference import SHARE, Budget, largest_moment, second_moments
from littlestone.learners.linear.learner import Records
from littlestone.privacy import Concentrated, compose

if TYPE_CHECKING:
    from littlestone.audit.all_n.chain import Data
    from littlestone.learners.linear import Linear
    from littlestone.source import SeededSource

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
        own = learner.plan.settings(n)
        return own.rounds / (2 * own.variance)

    steps = chain.attempt(lambda: _check(chain, learner.shape, asked, cost, settings.rho))
    if learner.inference is not None:
        steps += _regression(learner, chain)
        losses.append(Concentrated(learner.rho * SHARE))
    epsilon = compose(losses, delta=learner.delta)[0]
    holds = epsilon <= learner.epsilon
    what = f"{settings.rounds} rounds with fixed budgets, each given what was released before; all "
    what += f"together {'at most' if holds else 'more than'} {learner.epsilon}"
    steps.append(Step("other weights", "assumed", True, "they clip as these do"))
    steps.append(Step("rounds", "assumed", holds, f"{what}: zero-concentrated privacy"))
    if learner.unit == "users":
        more = f"users of more than {EACH} records are cut by their own gradient, as these are"
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
        found = chain.attempt(lambda a=ask, c=cost, m=most: _check(chain, shape, a, c, m))  # type: ignore[misc]
        steps += [replace(step, name=f"{name}, {step.name}") for step in found]
    return steps


def _check(
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
        Step("sums", "tested", True, f"sums over {unit} on {len(lists)} lists"),
        Step(
            "noise", chain.known, worst <= budget,
            f"discrete Gaussian; replacing a {unit.removesuffix('s')} by any other costs "
            f"{compared} of zCDP in all, at {len(weights)} weights",
        ),
    ]  # fmt: skip
