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

*Fresh* (Cohen and Lyu 2023, paper 003, Algorithm 2): no rho; each question is an r-DP coin of its
own, and only a public count is kept. (epsilon, delta)-DP by `ChargedTests`, whose
proof is in ``docs/ledger.md``. For many charged answers r falls like 1/sqrt(K), not like 1/K.

*How much noise.* Rates follow from a budget, margins from rates.
"""

from __future__ import annotations

import math
import numbers
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal

from littlestone.bounds.certificate import least_n
from littlestone.errors import (
    DataError,
    ParameterError,
    StateError,
    check_fraction,
    check_integer,
    check_probability,
    exact_value,
    parameter_error,
)
from littlestone.mechanisms.estimate import coin_of, two_sided
from littlestone.privacy import ChargedTests, Guarantee, Loss, Neighbours, Pure, compose
from littlestone.source import ExplicitWeights, Source, exp

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


def _root(value: int) -> int:
    """Return the square root, rounded up to a power of two."""
    return 1 << (((value - 1).bit_length() + 1) // 2)


def _cube_root(value: int) -> int:
    """Return the integer part of the cube root."""
    return least_n(lambda x: (x + 1) ** 3 > value, low=0)


@lru_cache(maxsize=256)
def fresh_rate(epsilon: Fraction, delta: Fraction, limit: int) -> Fraction | None:
    """Return about the largest rate whose `ChargedTests` composes to (epsilon, delta), or None.

    Examples
    --------
    >>> round(float(1 / fresh_rate(Fraction(1), Fraction(1, 10**6), 16)), 1)
    37.2
    """

    def private(rate: Fraction) -> bool:
        try:
            return compose([ChargedTests(rate, limit)], delta=delta)[0] <= epsilon
        except ParameterError:  # no order has a finite divergence
            return False

    # sqrt(limit): how the rate falls; an epsilon below about 1e-6 needs orders beyond `compose`
    low = next((r for i in range(1, 24) if private(r := epsilon / 2**i / _root(limit))), None)
    if low is None:
        return None
    high = 2 * low
    for _ in range(20):  # to a relative 1e-6
        middle = (low + high) / 2
        low, high = (middle, high) if private(middle) else (low, middle)
    short = Fraction(f"{float(low):.6e}")  # few digits
    return short if short <= low else low


def margin(offset: Fraction | None, rate: Fraction, queries: int, beta: Fraction) -> int:
    """Return about the least a = b + c with the two tails, beyond b and c, at most beta together.

    Notes
    -----
    ``2 e**(-s(b+1)) / (1 + e**-s) + queries e**(-r(c+1)) / (1 + e**-r) <= beta`` is decided
    exactly; where to split is only guessed.

    Examples
    --------
    >>> margin(None, Fraction(1), 1, Fraction(1, 20))
    2
    """
    both = 1 + exp(-rate)

    def fits(a: int, b: int) -> bool:
        noise = exp(-rate * (a - b + 1), times=queries)
        if offset is None:
            return (both * beta - noise).sign() >= 0
        far = exp(-offset * (b + 1), times=2)
        other = 1 + exp(-offset)
        return (beta * both * other - noise * other - far * both).sign() >= 0

    if offset is None:
        return least_n(lambda a: fits(a, 0), low=0)
    s, r = float(offset), float(rate)
    bend = math.log(2 * s * (1 + math.exp(-r)) / (queries * r * (1 + math.exp(-s))))

    def splits(a: int) -> bool:
        best = round((bend + r * a) / (s + r))  # where the sum of the two tails is least
        return any(0 <= b <= a and fits(a, b) for b in {best - 1, best, best + 1, 0, a})

    return least_n(splits, low=0)


CLASSIC = "above-threshold.classic"

Charged = Literal["above", "below"]
Method = Literal["auto", "classic", "fresh"]

#: For ``method="auto"`` only: the setting at which the two error bounds are compared.
_QUERIES, _BETA = 1000, Fraction(1, 20)
_COINS = 1 << 14  # coins that one running test remembers; a cache, without effect on any law


class AboveThreshold:
    """Many questions "does this value reach the threshold?", few of them charged.

    One run, from `start` to the halt after ``limit`` charged answers, costs epsilon and delta in
    [0, 1); 0 admits the classic method only, of which ``offset_rate`` is the rate s, as ``rate`` is
    r. ``changes`` is *your promise* how the values of two neighbouring data sets differ, besides
    "by at most 1": in any way; all in one direction; or not at all up to some time and then by one
    constant. ``method="auto"`` takes the smaller `error_bound` for 1000 questions; ``neighbours``
    is the relation under which values move by at most 1.

    Notes
    -----
    *Guarantee.* Pure epsilon (classic) or (epsilon, delta) (fresh), for every sequence of
    integers, chosen adaptively, with any other mechanisms in between (these are accounted for
    separately: `loss` is the item for `littlestone.privacy.compose`).

    *Cost.* A question whose value was asked before: one comparison. About a million a second.

    *Source.* Proof at the top of the module; paper 003, Algorithm 2 and Lemma 3.2 (fresh), which
    prints ``counter <= K``: that is one charged answer too many, here there are K.
    Rates: with m = 2K ("any"), K ("monotone") or K - 1 ("shift") steps, s : m r = 1 : m**(2/3),
    which has the least variance; for "shift" r is at most epsilon / K.

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
        delta: Any = 0,
        limit: int = 1,
        charged: Charged = "above",
        changes: Changes = "any",
        method: Method = "auto",
        neighbours: Neighbours = Neighbours.REPLACE_ONE,
    ) -> None:
        caller = "AboveThreshold"
        self.epsilon = check_fraction(caller, "epsilon", epsilon)
        spare = exact_value(delta)
        if spare is None or not 0 <= spare < 1:
            raise parameter_error(caller, "delta", "a number in [0, 1)", delta)
        self.limit = check_integer(caller, "limit", limit, low=1)
        _check_choice("charged", charged, "above", "below")
        _check_choice("changes", changes, "any", "monotone", "shift")
        _check_choice("method", method, "auto", "classic", "fresh")
        if method == "fresh" and not spare:
            raise parameter_error(
                caller, "delta", "positive for method='fresh'", delta, "Use method='classic'."
            )
        self.charged: Charged = charged
        self.changes: Changes = changes
        self.neighbours = neighbours
        self.offset_rate, self.rate = self._rates(method, spare)
        self.delta = Fraction(0) if self.offset_rate is not None else spare

    def _rates(self, method: Method, delta: Fraction) -> tuple[Fraction | None, Fraction]:
        """Return the rates of the offset, if there is one, and of each question's noise."""
        classic = classic_rates(self.epsilon, self.limit, self.changes)
        if method == "classic" or not delta:
            return classic
        fresh = fresh_rate(self.epsilon, delta, self.limit)
        if fresh is None and method == "fresh":
            raise parameter_error(
                "AboveThreshold", "epsilon",
                "so large that fresh noise can be composed to this delta", float(self.epsilon),
                "Use method='classic'.",
            )  # fmt: skip
        if fresh is None or (method == "auto" and _bound(None, fresh) >= _bound(*classic)):
            return classic
        return None, fresh

    @property
    def method(self) -> Literal["classic", "fresh"]:
        """The method in use."""
        return "fresh" if self.offset_rate is None else "classic"

    @property
    def loss(self) -> Loss:
        """What one run promises: the item for `littlestone.privacy.compose`."""
        if self.offset_rate is None:
            return ChargedTests(self.rate, self.limit)
        return Pure(self.epsilon)

    def guarantee(self, *, seeded: bool = False) -> Guarantee:
        """Return the promise of one run."""
        claim = "charged-tests.renyi" if self.offset_rate is None else CLASSIC
        return Guarantee(self.epsilon, self.delta, self.neighbours, claim=claim, seeded=seeded)

    def start(self, threshold: int, source: Source) -> RunningTest:
        """Draw the secret offset (classic method) and return a running test.

        The threshold is public; a private one belongs into the values.
        """
        threshold = check_integer("AboveThreshold", "threshold", threshold)
        offset = 0 if self.offset_rate is None else two_sided(self.offset_rate, source)
        return RunningTest(self, threshold + offset, source)

    def error_bound(self, *, queries: int, beta: Any) -> int:
        """Return a margin a at which all answers are right with probability at least 1 - beta.

        Up to the halt, each of the first ``queries`` values that is at least threshold + a is
        answered "above", and each that is below threshold - a is answered "below".

        Notes
        -----
        ``a = b + c`` with ``2 e**(-s(b+1)) / (1+e**-s) + queries e**(-r(c+1)) / (1+e**-r) <= beta``
        (without the first term for the fresh method), decided exactly.

        Examples
        --------
        >>> AboveThreshold(epsilon=1).error_bound(queries=1000, beta=0.05)
        41
        """
        queries = check_integer("error_bound", "queries", queries, low=1)
        beta = check_probability("error_bound", "beta", beta)
        return margin(self.offset_rate, self.rate, queries, beta)

    def __repr__(self) -> str:
        return (
            f"AboveThreshold(epsilon={self.epsilon}, delta={self.delta}, limit={self.limit}, "
            f"charged={self.charged!r}, changes={self.changes!r}, method={self.method!r})"
        )


def _check_choice(name: str, value: str, *allowed: str) -> None:
    if value not in allowed:
        raise parameter_error("AboveThreshold", name, " or ".join(map(repr, allowed)), value)


def _bound(offset_rate: Fraction | None, rate: Fraction) -> int:
    """Return the error bound by which ``method="auto"`` compares."""
    return margin(offset_rate, rate, _QUERIES, _BETA)


class RunningTest:
    """One run of an `AboveThreshold`, made by its ``start``.

    ``spent``: charged answers so far, which are public.
    """

    __slots__ = ("_charges_above", "_coins", "_level", "_plan", "_source", "spent")

    def __init__(self, plan: AboveThreshold, level: int, source: Source) -> None:
        self._plan, self._level, self._source, self.spent = plan, level, source, 0
        self._charges_above = plan.charged == "above"
        self._coins: dict[int, ExplicitWeights] = {}

    @property
    def halted(self) -> bool:
        """Whether the last charged answer was given: public."""
        return self.spent >= self._plan.limit

    def ask(self, value: int) -> bool:
        """Return whether the value is above, noisily.

        The value is private, and replacing a record moves it by at most 1. `StateError` after the
        halt, which is public: ask `halted` first. `DataError` if the value is not an integer: the
        guarantee rests on unit steps.
        """
        if self.spent >= self._plan.limit:
            raise StateError(
                "This above-threshold test has halted: it has given its "
                f"{self._plan.limit} charged answers. Check 'halted' before asking, or start a "
                "new test, which is charged again."
            )
        coin = self._coins.get(value) if type(value) is int else None
        if coin is None:
            coin = self._new_coin(value)
        above = self._source.choose(coin) == 1
        if above == self._charges_above:
            self.spent += 1
        return above

    def _new_coin(self, value: Any) -> ExplicitWeights:
        if isinstance(value, bool) or not isinstance(value, numbers.Integral):
            raise DataError(
                "An above-threshold test takes integers; the guarantee rests on unit steps."
            )
        if len(self._coins) >= _COINS:
            self._coins.clear()
        value = int(value)
        coin = self._coins[value] = coin_of(self._plan.rate, value - self._level)
        return coin
