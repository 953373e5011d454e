"""What a fit decides without being asked for, in words: the lines that are printed first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from littlestone.errors import counted
from littlestone.evaluation.holdout import held_out_by_rule
from littlestone.learners.linear import Linear
from littlestone.learners.linear.inference import SHARE, usually
from littlestone.learners.running import Shares

Say = Callable[[str, str], None]
#: A delta that is often chosen.
USUAL = Fraction(1, 10**6)


class Decided:
    """What is decided without being asked for, reported when nothing refuses the next draw."""

    def __init__(self, say: Say) -> None:
        self._say, self._waiting = say, list[tuple[str, str]]()

    def add(self, name: str, text: str) -> None:
        """Keep a decision."""
        self._waiting.append((name, text))

    def tell(self) -> None:
        """Report what was not reported yet."""
        while self._waiting:
            self._say(*self._waiting.pop(0))


def about_evaluation(shares: Shares, rows: int | None) -> str:
    """Say what is evaluated on what; by a public rule, where nothing else was said."""
    if shares.rule:  # users are counted when they are read
        return "on held-out users, if n epsilon is 500 or more"
    if shares.evaluation is None:
        assert rows is not None
        return held_out_by_rule(rows, shares.total).words()
    measures = f"epsilon {shares.evaluation} is for a private evaluation"
    if shares.holdout is None:
        return f"{measures}; without it, all learns"
    number = "" if rows is None else f"{shares.held_out(rows):,} "
    return f"{measures}, of {number}held-out {'users' if rows is None else 'records'}"


def about_delta(learner: Any, n: int | None) -> str:
    """Say what the delta is, or what one would gain; with how many trees, where n is known."""
    delta = learner.delta
    if isinstance(learner, Linear):
        rounds = 0 if n is None else learner.plan.settings(n).rounds
        return f"{float(delta):g}" + (f": {counted(rounds, 'noisy gradients')}" if rounds else "")
    said = "0, pure privacy" if delta is None else f"{float(delta):g}"
    if n is None:
        return said + ("; a delta of 1e-6 would allow more trees" if delta is None else "")
    trees, without = (
        replace(learner, delta=each).plan.settings(n).rounds for each in (delta or USUAL, None)
    )
    if delta is not None:
        return f"{said}: {counted(trees, 'trees')}, instead of {without} without it"
    gain = f"; a delta of 1e-6 would allow {counted(trees, 'trees')} instead of {without}"
    if learner.concept_class.domain.schema.proposal is not None:
        gain += ", and text columns"
    return f"0, pure privacy{gain}"


def about_coefficients(learner: Any, n: int | None) -> str:
    """Say whether intervals are usually given at these public numbers."""
    usual = n is not None and usually(learner.named, n, learner.rho * SHARE)
    often = "are usually given" if usual else "are often hidden by the noise"
    names = ", ".join(learner.inference)
    return f"of {names}, for half of the privacy; at these numbers intervals {often}"
