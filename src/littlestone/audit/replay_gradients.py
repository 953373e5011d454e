"""The exact loss of linear models on neighbours of a real table. What it says is secret.

What a round releases has the same weights before it on a neighbour, so its gradient there is known.
With V the variance, a released y has the loss ``(|y - G'|**2 - |y - G|**2) / (2 V)``, and the round
costs ``|G - G'|**2 / (2 V)`` of zCDP.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from littlestone.learners.linear.learner import descend, noisy_gradient
from littlestone.source import SeededSource

if TYPE_CHECKING:
    from collections.abc import Callable

    from littlestone.learners.linear import Linear


class Gradients:
    """A run of a linear model on a table, and what neighbours of it would have released."""

    def __init__(self, learner: Linear, table: Any, seed: int) -> None:
        self.learner, self.settings = learner, learner.plan.settings(table.n)
        self.moments: list[tuple[Any, Any, Any]] = []  # weights, exact sum, what was released
        records, source = learner.records(table), SeededSource(seed)

        def gradient(weights: Any) -> Any:
            exact = records.gradient(weights)
            released = noisy_gradient(records, weights, self.settings, source)
            whole = [int(value) for value in released.ravel()]
            self.moments.append((weights, exact.ravel().tolist(), whole))
            return released

        descend(learner.features, learner.shape[0], self.settings, table.n, gradient)

    def losses(self, neighbour: Any) -> tuple[Fraction, list[Fraction]]:
        """Return the loss of all that was released, and what each round costs of zCDP."""
        records, loss, costs = self.learner.records(neighbour), 0, []
        for weights, exact, released in self.moments:
            other = records.gradient(weights).ravel().tolist()
            for here, there, y in zip(exact, other, released, strict=True):
                loss += (y - there) ** 2 - (y - here) ** 2
            costs.append(sum((a - b) ** 2 for a, b in zip(exact, other, strict=True)))
        twice = 2 * self.settings.variance
        return abs(loss) / twice, [cost / twice for cost in costs]


def compared(
    run: Gradients, neighbours: Callable[[], tuple[Any, Any]], heard: Any, pairs: int
) -> tuple[Fraction, list[Fraction]]:
    """Return the largest loss, and the largest cost of each round, over so many neighbours."""
    most, costs = Fraction(0), [Fraction(0)] * len(run.moments)
    for _ in range(pairs):
        pair, other = neighbours()
        loss, own = run.losses(other)
        most, costs = max(most, loss), list(map(max, costs, own))
        heard(pair, sum(own))
    return most, costs
