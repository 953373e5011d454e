"""The guarantee: what a release promises, in exact numbers, and which data sets it compares."""

from __future__ import annotations

import functools
import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from numbers import Rational
from typing import Any

from flint import arb, ctx

from littlestone.errors import ParameterError, check_integer, exact_value, parameter_error
from littlestone.safe_io import read_exact
from littlestone.source import ball
from littlestone.types import Json

# -- Rounding that never flatters: exact end points of balls, decimals and floats rounded up.
#
# A guarantee is an upper bound. Whatever leaves exact arithmetic on its way to a reader is
# therefore rounded *up*, and the exact value travels beside it as text.


def upper(x: arb) -> Fraction:
    """Return the exact upper end of a finite ball.

    Examples
    --------
    >>> from flint import arb
    >>> upper(arb(1) / 4)
    Fraction(1, 4)
    """
    return _dyadic(x.mid()) + _dyadic(x.rad())


def lower(x: arb) -> Fraction:
    """Return the exact lower end of a finite ball."""
    return _dyadic(x.mid()) - _dyadic(x.rad())


def round_up(x: Fraction, digits: int = 15) -> Fraction:
    """Return the least decimal with ``digits`` significant digits that is at least ``x`` >= 0.

    Examples
    --------
    >>> round_up(Fraction(1, 3), 3)
    Fraction(167, 500)
    """
    if x == 0:
        return Fraction(0)
    # log10 of numerator and denominator apart: both may be far beyond the range of a float.
    exponent = math.floor(math.log10(x.numerator) - math.log10(x.denominator))
    scale = Fraction(10) ** (digits - 1 - exponent)
    return Fraction(math.ceil(x * scale)) / scale


def float_up(x: Rational | int) -> float:
    """Return the least float that is at least ``x`` (``inf`` when there is none).

    Examples
    --------
    >>> float_up(Fraction(1, 10)), float_up(Fraction(3, 10))
    (0.1, 0.30000000000000004)
    """
    exact = Fraction(x)
    try:
        nearest = float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf
    return nearest if Fraction(nearest) >= exact else math.nextafter(nearest, math.inf)


@lru_cache(maxsize=256)
def short_text(x: Fraction, *, up: bool = True) -> str:
    """Write a number >= 0 for people: at most 6 digits, rounded up (or down).

    Examples
    --------
    >>> short_text(Fraction(1, 3)), short_text(Fraction(1, 3), up=False), short_text(Fraction(2))
    ('0.333334', '0.333333', '2')
    >>> short_text(Fraction(2) ** 2000), short_text(Fraction(1, 3) ** 2000)
    ('1.14814e602', '5.72125e-955')
    """
    if not x:
        return "0"
    places = math.floor(math.log10(x.numerator) - math.log10(x.denominator))
    scale = Fraction(10) ** (5 - places)
    lead = Fraction(math.ceil(x * scale) if up else math.floor(x * scale)) / 10**5
    if abs(places) < 300:
        return f"{float(lead * Fraction(10) ** places):.6g}"
    return f"{float(lead):.6g}e{places}"


def check_nonnegative(caller: str, name: str, value: Any, *, hint: str = "") -> Fraction:
    """Return a finite number >= 0 as the exact fraction of what was typed."""
    exact = exact_value(value)
    if exact is None or exact < 0:
        raise parameter_error(caller, name, "a number in [0, inf)", value, hint)
    return exact


def _dyadic(exact: arb) -> Fraction:
    mantissa, exponent = (int(part) for part in exact.man_exp())
    return Fraction(mantissa << exponent) if exponent >= 0 else Fraction(mantissa, 1 << -exponent)


# -- What one mechanism promises, in the forms that compose: the items of `compose`.
#
# Every loss splits into a *leak*, the probability with which everything may be given away, and a
# rest that is described in up to three ways, each of which composes by its own rule:
#
# ====================  =============================================  =========================
# description           what it bounds                                 composes by
# ====================  =============================================  =========================
# ``reach``             the largest privacy loss (pure DP)             sum
# ``renyi(order)``      the Rényi divergence of each order             sum at equal order
# ``profile(t)``        the hockey-stick divergence at each t = e**x   product of dominating pairs
# ====================  =============================================  =========================
#
# The three hold for both orders of the two data sets, and for adaptive composition.


class Loss:
    """Base of all losses. A description that a loss does not have is None (leak: zero).

    A new mechanism may bring its own: a frozen dataclass with the descriptions it can prove.
    """

    @property
    def leak(self) -> Fraction:
        """Probability with which everything may be given away."""
        return Fraction(0)

    @property
    def reach(self) -> Fraction | None:
        """Epsilon with which the rest is pure."""
        return None

    def renyi(self, order: Fraction | arb) -> arb | None:
        """Enclose a bound on the Rényi divergence of ``order`` > 1 (infinite where none holds)."""
        return None

    def profile(self, t: arb) -> arb | None:
        """Enclose a bound on the hockey-stick divergence at ``t`` > 0.

        Must be a convex function of t, equal to 1 - t up to e**-reach and 0 from e**reach on, so
        that it is the profile of a pair of laws (a dominating pair).
        """
        return None


def _order(order: Fraction | arb) -> arb:
    return order if isinstance(order, arb) else ball(order)


@dataclass(frozen=True)
class Pure(Loss):
    """Pure epsilon-differential privacy; dominated by randomized response.

    Examples
    --------
    >>> Pure(0.1).reach
    Fraction(1, 10)
    """

    epsilon: Fraction

    def __post_init__(self) -> None:
        _store(self, "epsilon")

    @property
    def reach(self) -> Fraction:
        """The epsilon itself."""
        return self.epsilon

    def renyi(self, order: Fraction | arb) -> arb:
        """Enclose the divergence of randomized response (Mironov 2017, Proposition 5)."""
        a, e = _order(order), ball(self.epsilon)
        up, down = (e * a).exp(), (e * (1 - a)).exp()
        return ((up + down) / (1 + e.exp())).log() / (a - 1)

    def profile(self, t: arb) -> arb:
        """Enclose the profile of randomized response: linear between its two losses."""
        e = ball(self.epsilon).exp()
        return _between(t, e, (e - t) / (1 + e))


@dataclass(frozen=True)
class Approximate(Pure):
    """(epsilon, delta)-DP: with probability delta all is given away, the rest is pure [KOV15].

    ``Approximate(0, delta)`` beside another loss says "that loss, except with probability delta";
    so `BoundedRange(2 * e)` and ``Approximate(0, d)`` together describe a sparse selection.
    """

    delta: Fraction

    def __post_init__(self) -> None:
        super().__post_init__()
        _store(self, "delta")
        if self.delta > 1:
            raise parameter_error("Approximate", "delta", "in [0, 1]", self.delta)

    @property
    def leak(self) -> Fraction:
        """The delta."""
        return self.delta


@dataclass(frozen=True)
class BoundedRange(Loss):
    """The log-likelihood ratio lies in some interval of length eta: the exponential mechanism.

    Weights e**(rate * score): under replace-one a score moves up or down by 1 and eta = 2 * rate;
    when all scores move one way by at most 1, eta = rate. Implies eta-DP and eta**2/8-zCDP.

    References
    ----------
    Durfee and Rogers 2019 (bounded range); Dong, Durfee and Rogers 2020 (profile); Cesar and
    Rogers 2021 (zCDP).
    """

    eta: Fraction

    def __post_init__(self) -> None:
        _store(self, "eta")

    @property
    def reach(self) -> Fraction:
        """Eta: an interval of length eta that contains 0 reaches at most to eta."""
        return self.eta

    def renyi(self, order: Fraction | arb) -> arb:
        """Enclose order * eta**2 / 8."""
        return _order(order) * ball(self.eta**2 / 8)

    def profile(self, t: arb) -> arb:
        """Enclose the largest profile of any pair with that range."""
        e = ball(self.eta)
        inside = (1 - (-e / 2).exp() * t.sqrt()) ** 2 / (1 - (-e).exp()) if self.eta else arb(0)
        return _between(t, e.exp(), inside)


@dataclass(frozen=True)
class Concentrated(Loss):
    """rho-zCDP: the Rényi divergence of every order is at most order * rho [BS16]."""

    rho: Fraction

    def __post_init__(self) -> None:
        _store(self, "rho")

    def renyi(self, order: Fraction | arb) -> arb:
        """Enclose order * rho."""
        return _order(order) * ball(self.rho)


@dataclass(frozen=True)
class ChargedTests(Loss):
    """Any number of adaptive epsilon-DP binary tests, stopped after some *charged* outcomes.

    One fixed label (say "above") is charged; the other is free. With e = e**epsilon, at each order
    1 < a < ln(1+e)/epsilon the transcript has Rényi divergence at most
    charges * max(ln(A/(1-B)), ln(B/(1-A))) / (a-1), A = e**a / (1+e), B = e**(1-a) / (1+e).
    Claim ``charged-tests.renyi``; the constant is exactly tight.
    """

    epsilon: Fraction
    charges: int

    def __post_init__(self) -> None:
        _store(self, "epsilon")
        check_integer("ChargedTests", "charges", self.charges, low=0)

    def renyi(self, order: Fraction | arb) -> arb:
        """Enclose the divergence; infinite from order ln(1+e**epsilon)/epsilon on."""
        q, e = _order(order), ball(self.epsilon)
        one = 1 + e.exp()
        a, b = (e * q).exp() / one, (e * (1 - q)).exp() / one
        if not (a < 1 and b < 1):
            return arb("inf")
        cost = (a / (1 - b)).log().max((b / (1 - a)).log())
        return self.charges * cost / (q - 1)


def _between(t: arb, e: arb, inside: arb) -> arb:
    """Return the profile that is 1-t up to 1/e, ``inside`` up to e, then 0 (all three convex)."""
    if t >= e:
        return arb(0)
    if t * e <= 1:
        return 1 - t
    # Undecided at a kink: the pieces agree there, and the larger of all is a safe bound.
    return inside if 1 / e < t < e else inside.max(1 - t).max(arb(0))


def _store(loss: Loss, name: str) -> None:
    value = check_nonnegative(type(loss).__name__, name, getattr(loss, name))
    object.__setattr__(loss, name, value)


NOT_PRIVATE = "NOT PRIVATE (seeded)"
REPLACE = "dp.replace"


class Neighbours(Enum):
    """The neighbouring relation of a guarantee: what one person can change.

    Examples
    --------
    >>> print(Neighbours.REPLACE_ONE.words)
    any one record is replaced by any other; the number of records is public
    >>> Neighbours("user-replace")
    <Neighbours.USER_REPLACE: 'user-replace'>
    """

    #: The default of this library.
    REPLACE_ONE = "replace-one"
    #: One record more or less; the number of records is private.
    ADD_REMOVE = "add-remove"
    #: All records of one user at once; the number of users is public, their numbers of records not.
    USER_REPLACE = "user-replace"
    #: All records of one user more or less; the number of users is private.
    USER_ADD_REMOVE = "user-add-remove"

    @property
    def words(self) -> str:
        """Say the relation for people who decide, not only for those who prove."""
        return _WORDS[self]

    @property
    def unit(self) -> str:
        """Who is protected: ``"record"`` or ``"user"``."""
        return "user" if self.value.startswith("user") else "record"


_WORDS = {
    Neighbours.REPLACE_ONE: (
        "any one record is replaced by any other; the number of records is public"
    ),
    Neighbours.ADD_REMOVE: ("any one record is added or removed; the number of records is private"),
    Neighbours.USER_REPLACE: (
        "all records of any one user are replaced by any others; the number of users is public"
    ),
    Neighbours.USER_ADD_REMOVE: (
        "any one user, with all records, is added or removed; the number of users is private"
    ),
}


@dataclass(frozen=True, repr=False)
class Guarantee:
    """(epsilon, delta)-differential privacy under a neighbouring relation.

    For every two neighbouring data sets, also unrealistic ones, and every set of outcomes, the
    probability of the set changes by at most a factor e**epsilon, plus delta.

    Numbers are kept as the exact fractions of what was typed; delta = 0 is *pure*. ``claim``
    identifies the statement that proves it (`littlestone.bounds.claim`). ``seeded``: the randomness
    was reproducible, and anyone who knows the seed can undo the release, so it says NOT PRIVATE
    (seeded) wherever it is shown.

    Examples
    --------
    >>> print(Guarantee(0.5, claim="exp-mech.privacy"))
    pure 0.5-differential privacy, replace-one [exp-mech.privacy]
    >>> print(Guarantee(1, 1e-6, seeded=True))
    (1, 1e-06)-differential privacy, replace-one: NOT PRIVATE (seeded)
    """

    epsilon: Fraction
    delta: Fraction = Fraction(0)
    neighbours: Neighbours = Neighbours.REPLACE_ONE
    claim: str = ""
    seeded: bool = False

    def __post_init__(self) -> None:
        epsilon = check_nonnegative("Guarantee", "epsilon", self.epsilon)
        delta = check_nonnegative("Guarantee", "delta", self.delta)
        if delta >= 1:
            raise parameter_error(
                "Guarantee", "delta", "in [0, 1)", self.delta, "delta = 1 guarantees nothing."
            )
        object.__setattr__(self, "epsilon", epsilon)
        object.__setattr__(self, "delta", delta)
        object.__setattr__(self, "neighbours", Neighbours(self.neighbours))

    @property
    def pure(self) -> bool:
        """Whether delta is zero."""
        return self.delta == 0

    @property
    def loss(self) -> Pure | Approximate:
        """The guarantee as an item for `compose`."""
        return Pure(self.epsilon) if self.pure else Approximate(self.epsilon, self.delta)

    def under(self, neighbours: Neighbours) -> Guarantee:
        """Return what the same release promises under another neighbouring relation.

        (epsilon, delta) under add-remove is (2 epsilon, (1 + e**epsilon) delta) under replace-one,
        rounded up to 15 digits: a record is removed, and another one added. `ParameterError` where
        nothing follows: under replace-one the number of records may be published; what hides one
        record does not hide all those of a user.

        Notes
        -----
        Let P, M, Q be the laws on a data set, without the record, and with its replacement. Then
        ``P(S) <= e**epsilon M(S) + delta <= e**epsilon (e**epsilon Q(S) + delta) + delta``. Claim
        ``dp.replace``.

        Examples
        --------
        >>> counted = Guarantee(1, neighbours=Neighbours.ADD_REMOVE, claim="histogram")
        >>> print(counted.under(Neighbours.REPLACE_ONE))
        pure 2-differential privacy, replace-one [dp.replace(histogram)]
        """
        if neighbours is self.neighbours:
            return self
        if (self.neighbours, neighbours) != (Neighbours.ADD_REMOVE, Neighbours.REPLACE_ONE):
            raise ParameterError(
                f"A guarantee under {self.neighbours.value} implies nothing under "
                f"{neighbours.value}. State it under that relation, or use another ledger."
            )
        if self.delta and self.epsilon > 10_000:
            raise ParameterError(
                f"A guarantee of epsilon {self.epsilon} and a delta under {self.neighbours.value} "
                f"promises nothing under {neighbours.value}: its delta there is above 1."
            )
        with ctx.workprec(max(64, 2 * self.epsilon.numerator.bit_length()) + 192):
            leak = upper((1 + ball(self.epsilon).exp()) * ball(self.delta)) if self.delta else 0
        claim = f"{REPLACE}({self.claim})" if self.claim else REPLACE
        return Guarantee(2 * self.epsilon, round_up(Fraction(leak)), neighbours, claim, self.seeded)

    def to_dict(self) -> Json:
        """Return plain JSON: floats rounded up for readers, exact text for programs."""
        return {
            "epsilon": float_up(self.epsilon),
            "delta": float_up(self.delta),
            "epsilon_exact": str(self.epsilon),
            "delta_exact": str(self.delta),
            "neighbours": self.neighbours.value,
            "claim": self.claim,
            "seeded": self.seeded,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Guarantee:
        """Read what `to_dict` wrote, from its exact texts; it may be untrusted."""
        try:
            claim, seeded = data["claim"], data["seeded"]
            if not isinstance(claim, str) or not isinstance(seeded, bool) or len(claim) > 10_000:
                raise TypeError
            epsilon, delta = (read_exact(data[name]) for name in ("epsilon_exact", "delta_exact"))
            return cls(epsilon, delta, Neighbours(data["neighbours"]), claim, seeded)
        except (KeyError, TypeError, ValueError):
            raise ParameterError(
                "A guarantee must have the entries that `Guarantee.to_dict` writes."
            ) from None

    def __str__(self) -> str:
        epsilon, delta = (short_text(part) for part in (self.epsilon, self.delta))
        what = f"pure {epsilon}" if self.pure else f"({epsilon}, {delta})"
        text = f"{what}-differential privacy, {self.neighbours.value}"
        if self.claim:
            text += f" [{self.claim}]"
        return f"{text}: {NOT_PRIVATE}" if self.seeded else text

    def __repr__(self) -> str:
        return f"<Guarantee: {self}>"


def parallel(*guarantees: Guarantee) -> Guarantee:
    """Return what mechanisms on *disjoint parts* of the records promise together: the maximum.

    The split must be public, and it must send each record to its part by the record's *position*
    (or by a permutation drawn independently of the data). Then replacing one record changes
    one part, the other mechanisms see equal data, and the pair of outputs is as indistinguishable
    as that one part's. Under ``ADD_REMOVE`` positions move, so each record must carry its own part
    (or its own coin); under ``USER_REPLACE`` all records of a user go to one part.

    The result has the largest epsilon and the largest delta, and is seeded if any part is;
    `ParameterError` for different neighbouring relations, whose maximum means nothing.

    Notes
    -----
    Claim ``dp.parallel``.

    Examples
    --------
    >>> print(parallel(Guarantee(1), Guarantee(Fraction(1, 2), 1e-6)))
    (1, 1e-06)-differential privacy, replace-one [dp.parallel]
    """
    if len({g.neighbours for g in guarantees}) != 1:
        raise parameter_error(
            "parallel",
            "guarantees",
            "one or more guarantees under one neighbouring relation",
            sorted({g.neighbours.value for g in guarantees}),
            "Restate each part under the same relation first.",
        )
    claims = ", ".join(dict.fromkeys(g.claim for g in guarantees if g.claim))
    return Guarantee(
        max(g.epsilon for g in guarantees),
        max(g.delta for g in guarantees),
        guarantees[0].neighbours,
        f"dp.parallel({claims})" if claims else "dp.parallel",
        any(g.seeded for g in guarantees),
    )


# -- What a document cost: its parts, and their sum.

#: Records that parts of a document are about: the others pay nothing for this document.
ALL, OTHERS = "all records", "other records"
#: The two parts of a secret split: a record is in one of them, and pays for that one only.
LEARNED_FROM, HELD_OUT = "training records", "held-out records"
_ABOUT = (ALL, OTHERS, LEARNED_FROM, HELD_OUT)


@dataclass(frozen=True)
class Part:
    """What was paid for one thing in a document, and by which records.

    ``entry``: what a ledger recorded of it, for the record of a release.
    """

    what: str
    guarantee: Guarantee
    about: str = ALL
    entry: Json | None = field(default=None, compare=False, repr=False)

    @property
    def payers(self) -> str:
        """Who pays, in words: ``about``, and users where these are protected."""
        return self.about.replace("record", self.guarantee.neighbours.unit)

    def to_dict(self) -> Json:
        """Return plain JSON; `from_dict` reads it back."""
        return {"what": self.what, "about": self.about, "guarantee": self.guarantee.to_dict()}

    @classmethod
    def from_dict(cls, data: Any) -> Part:
        """Read what `to_dict` wrote; it may be untrusted."""
        try:
            what, about = data["what"], data["about"]
            if not isinstance(what, str) or len(what) > 1000 or about not in _ABOUT:
                raise TypeError
            return cls(what, Guarantee.from_dict(data["guarantee"]), about)
        except (KeyError, TypeError):
            raise ParameterError(
                "A part of a guarantee must have the entries that `Part.to_dict` writes."
            ) from None


def total(parts: Iterable[Part]) -> Guarantee:
    """Return what a document promises: the sum over its parts, in the order of payment.

    What is about the two sides of a secret split is summed for each side, and the larger of both
    counts. Parts about other records are not added. It is seeded if any part is, also of those: the
    document shows it. `ParameterError` for parts under different neighbouring relations, which do
    not add, and if the deltas sum to one or more.

    Notes
    -----
    Claims ``dp.sum``: adaptive composition, so a part may depend on those before it; and
    ``dp.parallel`` (`littlestone.evaluation.histogram`).

    Examples
    --------
    >>> columns, learning = Part("columns", Guarantee("1/5")), Part("learning", Guarantee("4/5"))
    >>> print(total([columns, learning]))
    pure 1-differential privacy, replace-one [dp.sum]
    >>> columns, learning = (replace(part, about=LEARNED_FROM) for part in (columns, learning))
    >>> print(total([columns, learning, Part("evaluation", Guarantee(1), HELD_OUT)]))
    pure 1-differential privacy, replace-one [dp.parallel(dp.sum)]
    """
    whole = tuple(parts)
    relations = dict.fromkeys(part.guarantee.neighbours for part in whole if part.about != OTHERS)
    if len(relations) != 1:
        names = " and ".join(relation.value for relation in relations) or "none"
        raise ParameterError(
            "The parts of a release must have guarantees for the same neighbours; these are "
            f"{names}. Columns that were learned from records (schema propose) protect single "
            "records, whose number is public: to protect users, or under add-remove, write the "
            "schema from public knowledge (`littlestone schema new`)."
        )
    about = {side: [part.guarantee for part in whole if part.about == side] for side in _ABOUT}
    own, sides = about[ALL], [about[side] for side in (LEARNED_FROM, HELD_OUT) if about[side]]
    if sides:
        own.append(parallel(*map(_summed, sides)))
    seeded = any(part.guarantee.seeded for part in whole)
    return replace(_summed(own), seeded=seeded)


def _summed(guarantees: Sequence[Guarantee]) -> Guarantee:
    """Return the sum of guarantees under one relation."""
    if len(guarantees) == 1:
        return guarantees[0]
    claims = ", ".join(guarantee.claim for guarantee in guarantees if guarantee.claim)
    return Guarantee(
        sum((guarantee.epsilon for guarantee in guarantees), Fraction(0)),
        sum((guarantee.delta for guarantee in guarantees), Fraction(0)),
        guarantees[0].neighbours,
        f"dp.sum({claims})" if claims else "dp.sum",
    )


# -- Exact comparison of two finite output laws: the hockey-stick divergence and its inverse.
#
# The laws are what `ExactSource` computes: a ball for the probability of every outcome. All
# results are enclosures, so an upper end is a proof.


Probabilities = Mapping[Hashable, arb]


def hockey_stick(p: Probabilities, q: Probabilities, epsilon: Any, *, bits: int = 256) -> arb:
    """Enclose the least delta with p(E) <= e**epsilon * q(E) + delta for all events E.

    Both laws map outcomes to balls; an outcome that is missing has probability zero. Only this
    order is compared: call again with p and q exchanged for the other. Returns a ball that contains
    the sum over outcomes of max(0, p - e**epsilon * q), computed with ``bits``; its upper end is a
    proof.

    Examples
    --------
    >>> from flint import arb
    >>> coin, bent = {0: arb(1) / 2, 1: arb(1) / 2}, {0: arb(1) / 4, 1: arb(3) / 4}
    >>> float(hockey_stick(coin, bent, 0))
    0.25
    """
    return _divergence(p, q, check_nonnegative("hockey_stick", "epsilon", epsilon), bits)


def tightest_epsilon(p: Probabilities, q: Probabilities, delta: Any = 0, *, bits: int = 256) -> arb:
    """Enclose the least epsilon >= 0 at which the hockey-stick divergence is at most ``delta``.

    Only this order is compared; delta = 0 is the largest log-ratio, pure differential privacy. The
    upper end of the ball is a proof of (epsilon, delta). It is infinite when the outcomes that q
    excludes have more than ``delta`` under p, or when the balls are too wide to exclude that (an
    exact tie: ask for a slightly larger delta).

    Examples
    --------
    >>> from flint import arb
    >>> coin, bent = {0: arb(1) / 2, 1: arb(1) / 2}, {0: arb(1) / 4, 1: arb(3) / 4}
    >>> round(float(tightest_epsilon(coin, bent)), 6)
    0.693147
    >>> float(tightest_epsilon(coin, bent, 0.25))
    0.0
    """
    exact = check_nonnegative("tightest_epsilon", "delta", delta)
    with ctx.workprec(bits):
        pairs = [(p.get(k, arb(0)), q.get(k, arb(0))) for k in {**p, **q}]
        if exact == 0:
            return _largest_ratio(pairs)
        guess = _guess(pairs, exact)
    if guess is None:
        return arb("inf")
    # The guess is near; widen it until both sides are proved.
    width = Fraction(1, 2**60)
    high = guess + width
    while not _divergence(p, q, high, bits) <= ball(exact):
        if width > 2**20:  # the balls are too wide to prove anything
            return arb("inf")
        width *= 16
        high = guess + width
    width, low = Fraction(1, 2**60), max(guess - Fraction(1, 2**60), Fraction(0))
    while low > 0 and not _divergence(p, q, low, bits) > ball(exact):
        width *= 16
        low = max(guess - width, Fraction(0))
    with ctx.workprec(bits):
        if low == 0 and _divergence(p, q, low, bits) <= ball(exact):
            return arb(0)
        return ball(low).union(ball(high))


def _divergence(p: Probabilities, q: Probabilities, epsilon: Fraction, bits: int) -> arb:
    with ctx.workprec(bits):
        factor, total, zero = _power(epsilon, bits), arb(0), arb(0)
        for outcome, mass in p.items():
            other = q.get(outcome)
            excess = mass if other is None else mass - factor * other
            if not excess <= 0:
                total += excess if excess > 0 else excess.max(zero)
        return total


@functools.lru_cache(maxsize=256)
def _power(epsilon: Fraction, bits: int) -> arb:
    with ctx.workprec(bits):
        return ball(epsilon).exp()


def _largest_ratio(pairs: list[tuple[arb, arb]]) -> arb:
    largest = arb(0)
    for mass, other in pairs:
        if mass <= 0:
            continue
        if not other > 0:
            return arb("inf")
        ratio = (mass / other).log() if mass > 0 else (mass.upper() / other).log().union(arb(0))
        largest = largest.max(ratio)
    return largest


def _guess(pairs: list[tuple[arb, arb]], delta: Fraction) -> Fraction | None:
    """Return a good epsilon from the end points of the balls, as plain fractions."""
    over, under = Fraction(0), Fraction(0)
    masses = [(max(upper(a), Fraction(0)), max(lower(b), Fraction(0))) for a, b in pairs]
    order = sorted(
        (m for m in masses if m[0] > 0), key=lambda m: (m[1] == 0, m[0] / (m[1] or 1)), reverse=True
    )
    for i, (mass, other) in enumerate(order):
        over, under = over + mass, under + other
        if over <= delta:
            continue
        if under == 0:
            return None
        root = (over - delta) / under  # e**epsilon, if these are the outcomes that count
        following = order[i + 1] if i + 1 < len(order) else (Fraction(0), Fraction(1))
        if following[1] == 0 or following[0] > root * following[1]:
            continue
        return Fraction(max(math.log(root), 0.0)) if root > 1 else Fraction(0)
    return Fraction(0)
