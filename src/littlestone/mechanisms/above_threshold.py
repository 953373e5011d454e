"""Above-threshold tests: any number of questions, paid for by the few charged answers.

A test asks whether an integer value reaches a threshold. One fixed answer ("above" or "below") is
charged; after ``limit`` charged answers the test halts. All other answers are free.

*Classic* (Dwork, Naor, Reingold, Rothblum and Vadhan 2009; its correct forms: Lyu, Su and Li
2017): one secret offset rho for the threshold, fresh noise nu for each question; "above" iff
value + nu >= threshold + rho. Pure epsilon. Both noises are two-sided geometric,
``Pr[z] ~ e**(-rate |z|)``; write s for the rate of rho and r for the rate of nu, q(v, rho) for
the chance of "above", and let "above" be charged (the other case is its mirror image).

*Proof.* A transcript has probability sum over rho of Pr[rho] * prod_i (q or 1 - q)(v_i, rho): given
rho, an answer depends on the data only through its value, so the product form survives any
adaptive choice of questions and any mechanisms that run in between. q rises with v, falls with
rho, is a function of v - rho, and q(v, rho) <= e**r q(v - 1, rho). For neighbours with values v_i
and v'_i, |v_i - v'_i| <= 1:

* *any* changes: compare rho with rho + 1 on the other side. Each free factor grows, since
  q(v', rho + 1) <= q(v + 1, rho + 1) = q(v, rho); each of the at most K charged ones costs at most
  2 r; the offset costs s. Total s + 2 K r.
* *monotone* changes (all v' - v in {0, 1}, or all in {-1, 0}): values that fall need no new rho and
  cost K r; values that rise cost r per charged answer with rho + 1, and s. Total s + K r.
* *shift* (v' = v up to some time, then v' - v is one constant -1, 0 or 1 until the halt): if the
  values rise, compare rho with rho + 1: afterwards all factors coincide, before only charged ones
  cost, at most K - 1 of them (else the halt came first): s + (K - 1) r; in the other direction
  keep rho: free factors grow and charged ones cost K r. Total max(s + (K - 1) r, K r). For K = 1
  that is max(s, r), not s + r. []

*How much noise.* Rates follow from a budget, margins from rates.

Fresh noise alone, with a delta, is less for many charged answers: `papers.AboveThreshold`.
"""

from __future__ import annotations

import math
import numbers
from fractions import Fraction
from typing import Any, Literal, get_args

from littlestone.bounds.certificate import least_n
from littlestone.errors import (
    DataError,
    StateError,
    check_fraction,
    check_integer,
    check_probability,
    parameter_error,
)
from littlestone.mechanisms.estimate import coin_of, two_sided
from littlestone.privacy import Guarantee, Loss, Neighbours, Pure
from littlestone.source import Source, exp

Changes = Literal["any", "monotone", "shift"]


def classic_rates(epsilon: Fraction, limit: int, changes: Changes) -> tuple[Fraction, Fraction]:
    """Return the rates (s, r) of offset and noise whose cost is exactly epsilon.

    Examples
    --------
    >>> classic_rates(Fraction(1), 1, "shift"), classic_rates(Fraction(1), 1, "monotone")
    ((Fraction(1, 1), Fraction(1, 1)), (Fraction(1, 2), Fraction(1, 2)))
    """
    steps = {"any": 2 * limit, "monotone": limit, "shift": limit - 1}[changes]
    # s : steps r = 1 : steps**(2/3), the split of least variance; by integers, so the same anywhere
    share = Fraction(1000, 1000 + _cube_root(steps**2 * 10**9))
    rate = epsilon * (1 - share) / steps if steps else epsilon
    if changes == "shift":
        rate = min(rate, epsilon / limit)
    return epsilon - steps * rate, rate


def _cube_root(value: int) -> int:
    """Return the integer part of the cube root."""
    return least_n(lambda x: (x + 1) ** 3 > value, low=0)


def margin(s: Fraction, r: Fraction, queries: int, beta: Fraction) -> int:
    """Return about the least a = b + c with the two tails, beyond b and c, at most beta together.

    Notes
    -----
    ``2 e**(-s(b+1)) / (1 + e**-s) + queries e**(-r(c+1)) / (1 + e**-r) <= beta`` is decided
    exactly; where to split is only guessed.

    Examples
    --------
    >>> margin(Fraction(1), Fraction(1), 1, Fraction(1, 20))
    6
    """
    both, other = 1 + exp(-r), 1 + exp(-s)
    odds = 2 * float(s) * (1 + math.exp(-r)) / (queries * float(r) * (1 + math.exp(-s)))

    def fits(a: int, b: int) -> bool:
        noise, far = exp(-r * (a - b + 1), times=queries), exp(-s * (b + 1), times=2)
        return (beta * both * other - noise * other - far * both).sign() >= 0

    def splits(a: int) -> bool:
        best = round((math.log(odds) + float(r * a)) / float(s + r))  # the least sum of two tails
        return any(0 <= b <= a and fits(a, b) for b in {best - 1, best, best + 1, 0, a})

    return least_n(splits, low=0)


CLASSIC = "above-threshold.classic"

Charged = Literal["above", "below"]


class AboveThreshold:
    """Many questions "does this value reach the threshold?", few of them charged.

    One run, from `start` to the halt after ``limit`` charged answers, costs epsilon; the offset has
    the rate ``offset_rate``, each question's noise the rate ``rate``. ``changes`` is *your promise*
    how the values of two neighbouring data sets differ, besides "by at most 1": in any way; all in
    one direction; or not at all up to some time and then by one constant. ``neighbours`` is the
    relation under which values move by at most 1.

    Notes
    -----
    *Guarantee.* Pure epsilon, for every sequence of integers, chosen adaptively, with any other
    mechanisms in between (these are accounted for separately: `loss` is the item for
    `littlestone.privacy.compose`).

    *Source.* Proof at the top of the module. Rates: with m = 2K ("any"), K ("monotone") or K - 1
    ("shift") steps, s : m r = 1 : m**(2/3), which has the least variance; for "shift" r is at most
    epsilon / K.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> test = AboveThreshold(epsilon=1, limit=1).start(100, SeededSource(0))
    >>> [test.ask(value) for value in (3, 40, 170)], test.halted
    ([False, False, True], True)
    """

    def __init__(
        self,
        *,
        epsilon: Any,
        limit: int = 1,
        charged: Charged = "above",
        changes: Changes = "any",
        neighbours: Neighbours = Neighbours.REPLACE_ONE,
    ) -> None:
        caller = "AboveThreshold"
        self.epsilon = check_fraction(caller, "epsilon", epsilon)
        self.limit = check_integer(caller, "limit", limit, low=1)
        for name, value, allowed in (
            ("charged", charged, get_args(Charged)), ("changes", changes, get_args(Changes)),
        ):  # fmt: skip
            if value not in allowed:
                raise parameter_error(caller, name, " or ".join(map(repr, allowed)), value)
        self.charged, self.changes, self.neighbours = charged, changes, neighbours
        self.offset_rate, self.rate = classic_rates(self.epsilon, self.limit, changes)

    @property
    def loss(self) -> Loss:
        """What one run promises: the item for `littlestone.privacy.compose`."""
        return Pure(self.epsilon)

    def guarantee(self, *, seeded: bool = False) -> Guarantee:
        """Return the promise of one run."""
        return Guarantee(self.epsilon, neighbours=self.neighbours, claim=CLASSIC, seeded=seeded)

    def start(self, threshold: int, source: Source) -> RunningTest:
        """Draw the secret offset and return a running test.

        The threshold is public; a private one belongs into the values.
        """
        threshold = check_integer("AboveThreshold", "threshold", threshold)
        return RunningTest(self, threshold + two_sided(self.offset_rate, source), source)

    def error_bound(self, *, queries: int, beta: Any) -> int:
        """Return a margin a at which all answers are right with probability at least 1 - beta.

        Up to the halt, each of the first ``queries`` values that is at least threshold + a is
        answered "above", and each that is below threshold - a is answered "below".

        Notes
        -----
        As `margin` says, decided exactly.

        Examples
        --------
        >>> AboveThreshold(epsilon=1).error_bound(queries=1000, beta=0.05)
        41
        """
        queries = check_integer("error_bound", "queries", queries, low=1)
        beta = check_probability("error_bound", "beta", beta)
        return margin(self.offset_rate, self.rate, queries, beta)


class RunningTest:
    """One run of an `AboveThreshold`, made by its ``start``.

    ``spent``: charged answers so far, which are public.
    """

    def __init__(self, plan: AboveThreshold, level: int, source: Source) -> None:
        self._plan, self._level, self._source, self.spent = plan, level, source, 0

    @property
    def halted(self) -> bool:
        """Whether the last charged answer was given: public."""
        return self.spent >= self._plan.limit

    def ask(self, value: Any) -> bool:
        """Return whether the value is above, noisily.

        The value is private, and replacing a record moves it by at most 1. `StateError` after the
        halt, which is public: ask `halted` first. `DataError` if the value is not an integer: the
        guarantee rests on unit steps.
        """
        if self.halted:
            raise StateError(
                "This above-threshold test has halted: it has given its "
                f"{self._plan.limit} charged answers. Check 'halted' before asking, or start a "
                "new test, which is charged again."
            )
        if isinstance(value, bool) or not isinstance(value, numbers.Integral):
            raise DataError(
                "An above-threshold test takes integers; the guarantee rests on unit steps."
            )
        above = self._source.choose(coin_of(self._plan.rate, int(value) - self._level)) == 1
        self.spent += above == (self._plan.charged == "above")
        return above
