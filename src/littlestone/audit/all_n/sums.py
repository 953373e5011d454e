"""Draws whose scores are sums over records: bounded range for every n."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from flint import ctx

from littlestone.audit.all_n.chain import BrokenError, Chain, Data, Listening, Logs
from littlestone.audit.all_n.report import Step
from littlestone.classes import BoostedTreeClass, DecisionTrees
from littlestone.source import SeededSource

if TYPE_CHECKING:
    from littlestone.source import Source


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

    def _drawing(self, run: Callable[[Any, Source], Hashable]) -> Step:
        """Say why a draw in parts has the law of the scores."""
        heard: Any = Listening(SeededSource(0))
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
        whole = "of the domain" if self.complete else "of the points given"
        worst = max({1, *self.sizes}, key=lambda n: rate(n) / self.budget(n))
        dear, budget = rate(worst) * oscillation, self.budget(worst)
        outcomes = len(order)
        return [
            Step(
                "public", "tested", True,
                f"{outcomes} outcomes, the same with their multiplicities on {seen} data sets",
            ),
            Step(
                "law", "tested", True,
                f"log-ratios are integers times the rate {rate(worst)}, up to n = {largest}",
            ),
            self._drawing(run),
            Step(
                "sums", "tested", True,
                f"scores are sums over {self.learner.unit} on {tried} lists, with duplicates and "
                "points outside",
            ),
            Step(
                "range", self.known, dear <= budget,
                f"{n_pairs:,} pairs of single {self.learner.unit} {whole}: oscillation "
                f"{oscillation}, times the rate {dear} <= {budget}"
                if dear <= budget
                else f"oscillation {oscillation}, times the rate {dear} > {budget}",
            ),
            Step(
                "all n", "proved", True,
                "bounded range, so pure privacy, for every n", "additive.additive_pure",
            ),
        ]  # fmt: skip
