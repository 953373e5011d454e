"""What is asked of records beside the rounds: quantiles, and sums with two-sided geometric noise.

A source without randomness hears what a draw is made from: the scores of a choice and its rate, or
the rate of noise that it leaves out. So sums are read exactly, as they are released, and by noise
of one in what steps they are released.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from littlestone.audit.all_n.chain import BrokenError
from littlestone.audit.all_n.report import Step

if TYPE_CHECKING:
    from littlestone.audit.all_n.chain import Chain, Data
    from littlestone.source import Source

Vector = npt.NDArray[Any]


class _Fixed:
    """A source whose noise is 0, 1 or -1 (``sign`` 0, 1, 2), and that remembers its rates."""

    seeded = True

    def __init__(self, sign: int = 0) -> None:
        self.sign = sign
        self.choices: list[tuple[Vector, Fraction]] = []  # scores, and their rate
        self.rates: list[Fraction] = []  # of noise

    def choose(self, weights: Any) -> int:
        choice = getattr(weights, "choice", None)
        if choice is not None:
            self.choices.append((choice.scores, weights.rate))
        elif len(weights) == 3:  # noise that is 0, above or below it: 1 - p, p, p for p = e**-rate
            ((power, _),) = weights.weights[1].terms
            self.rates.append(-power)
            return self.sign
        return 0

    def below(self, m: int) -> int:
        return 0


def noisy_sums(
    chain: Chain,
    ask: Callable[[Any, Source], Sequence[Any]],
    budget: Callable[[int], Fraction],
    draw: Callable[[Any, Source], object] | None = None,
) -> list[Step]:
    """Check that what is released, but for noise, is sums over units, and what one unit moves.

    ``draw`` is what asks it, if that returns something else: it must have the same noise.
    """
    public: dict[int, tuple[list[Fraction], Vector]] = {}

    def heard(sample: Any, sign: int = 0) -> tuple[list[Fraction], Vector]:
        source: Any = _Fixed(sign)
        found = ask(sample, source)
        return source.rates, np.array([Fraction(own) for own in found], dtype=object)

    def sums(data: Data) -> Vector:
        """Return the sums of a data set, each in steps of its noise, times the rate of it."""
        sample = chain.layout.sample(data)
        rates, found = heard(sample)
        if len(data) not in public:  # what is at an end of the range moves one way only
            up, down = (abs(heard(sample, sign)[1] - found) for sign in (1, 2))
            public[len(data)] = rates, np.maximum(up, down)
        claimed, steps = public[len(data)]
        if draw is not None:
            drawn: Any = _Fixed()
            draw(sample, drawn)
            rates = drawn.rates
        if claimed != rates:
            raise BrokenError("noise", "its rate is another, or not a function of n")
        costs: Vector = found / steps * np.array(claimed, dtype=object)
        return costs

    moved, lists = _added(chain, sums)
    costs = {n: _largest(units, lambda move: abs(move).sum(axis=1)) for n, units in moved.items()}
    said, holds = _within(chain, costs, budget)
    return [
        Step("sums", "tested", True, f"sums over {chain.learner.unit} on {lists} lists"),
        Step("noise", chain.known, holds, f"two-sided geometric; {said}", "noise.counts_pure"),
    ]


def quantile(
    chain: Chain,
    sums_of: Callable[[Any], Vector],
    draw: Callable[[Any, Source], object],
    place: int,
    budget: Callable[[int], Fraction],
) -> list[Step]:
    """Check a choice where a score is less the largest of two sums over units, and 0."""
    public: dict[int, Fraction] = {}

    def sums(data: Data) -> Vector:
        sample: Any = chain.layout.sample(data)
        heard: Any = _Fixed()
        draw(sample, heard)
        scores, rate = heard.choices[place]
        if public.setdefault(len(data), rate) != rate:
            raise BrokenError("public", "the rate is not a function of n")
        found = sums_of(sample)
        if (scores != -np.maximum(found.max(axis=0), 0)).any():
            raise BrokenError("law", "a score is not less the largest of two sums, and 0")
        return found.ravel().astype(object)

    moved, lists = _added(chain, sums)
    costs = {
        n: 2 * public[n] * _largest(units, lambda move: abs(move).max(axis=1))
        for n, units in moved.items()
    }
    said, holds = _within(chain, costs, budget)
    return [
        Step("sums", "tested", True, f"scores are less the largest of two sums on {lists} lists"),
        Step("range", chain.known, holds, f"bounded; {said}", "range.law_range"),
    ]


def _within(
    chain: Chain, costs: dict[int, Fraction], budget: Callable[[int], Fraction]
) -> tuple[str, bool]:
    """Say what replacing a unit costs, and whether it is within the budget."""
    worst = max(costs, key=lambda n: costs[n] / budget(n))
    holds = costs[worst] <= budget(worst)
    compared = f"{float(costs[worst]):.4g} {'<=' if holds else '>'} {float(budget(worst)):.4g}"
    unit = chain.learner.unit.removesuffix("s")
    return f"replacing a {unit} by any other costs {compared}, for every n", holds


def _added(chain: Chain, sums: Callable[[Data], Vector]) -> tuple[dict[int, Vector], int]:
    """Return what each unit adds among n of them, by n, and on how many lists this was tested."""
    zero, lists = chain.kinds[0], list(chain.lists())
    base, moved = dict[int, Vector](), dict[int, dict[Any, Vector]]()
    for n in sorted({1, *map(len, lists)}):
        base[n] = sums((zero,) * n)
        moved[n] = {kind: sums((kind,) + (zero,) * (n - 1)) - base[n] for kind in chain.kinds}
    for data in lists:
        added = sum((moved[len(data)][kind] for kind in data), base[len(data)])
        if (sums(data) != added).any():
            raise BrokenError("sums", f"what {len(data)} {chain.learner.unit} add is no sum")
    return {n: np.array(list(units.values())) for n, units in moved.items()}, len(lists)


def _largest(units: Vector, size: Callable[[Vector], Vector]) -> Fraction:
    """Return the largest size of a difference of two rows."""
    whole = lcm(*(Fraction(x).denominator for x in units.ravel()))
    rows = np.array([[int(x * whole) for x in row] for row in units], dtype=object)
    return Fraction(max(int(size(rows - row).max()) for row in rows), whole)
