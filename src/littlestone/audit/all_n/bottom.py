"""Candidates beside bottom: (epsilon, delta) for every n."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from flint import ctx

from littlestone.audit.all_n.chain import BrokenError, Chain, Data, Listening
from littlestone.audit.all_n.report import Step
from littlestone.source import exp

if TYPE_CHECKING:
    from littlestone.source import Exp, Source


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
                raise BrokenError("public", "there is a data set without bottom")
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
                "range", self.known,
                hidden and 2 * rate <= goal.epsilon,
                f"{kinds} single records {whole}: each lists at most {most} candidates, with score "
                f"1; bottom {'hides' if hidden else 'does not hide'} them",
            ),
            Step("all n", "proved", True, "(epsilon, delta)-privacy for every n",
                 "sparse.sparse_lists_dp"),
        ]  # fmt: skip
