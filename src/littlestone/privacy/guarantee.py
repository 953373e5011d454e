"""The guarantee: what a release promises, in exact numbers, and which data sets it compares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

from flint import ctx

from littlestone.errors import ParameterError, check_integer, parameter_error
from littlestone.privacy.losses import Approximate, Pure
from littlestone.privacy.rounding import (
    check_nonnegative,
    exact_text,
    float_up,
    round_up,
    short_text,
    upper,
)
from littlestone.safe_io import read_exact
from littlestone.source import ball
from littlestone.types import Json

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

    @property
    def words(self) -> str:
        """Say the relation for people who decide, not only for those who prove."""
        return _WORDS[self]

    @property
    def unit(self) -> str:
        """Who is protected: ``"record"`` or ``"user"``."""
        return "user" if self is Neighbours.USER_REPLACE else "record"


_WORDS = {
    Neighbours.REPLACE_ONE: (
        "any one record is replaced by any other; the number of records is public"
    ),
    Neighbours.ADD_REMOVE: ("any one record is added or removed; the number of records is private"),
    Neighbours.USER_REPLACE: (
        "all records of any one user are replaced by any others; the number of users is public"
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
                "Guarantee", "delta", "in [0, 1)", self.delta, "delta = 1 promises nothing."
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
                f"A guarantee under {self.neighbours.value} promises nothing under "
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
            "epsilon_exact": exact_text(self.epsilon),
            "delta_exact": exact_text(self.delta),
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


def split(
    total: Any, weights: int | Iterable[Any], *, denominator: int | None = None
) -> tuple[Fraction, ...]:
    """Share a budget among parts, exactly; what must be rounded is rounded toward less loss.

    ``weights`` is a number of equal parts, or one weight for each part. With a ``denominator``
    every share is rounded down to a multiple of ``total / denominator``; otherwise the shares sum
    to the total exactly.

    Examples
    --------
    >>> split(1, 3)
    (Fraction(1, 3), Fraction(1, 3), Fraction(1, 3))
    >>> split(0.1, [1, 2.5], denominator=10)
    (Fraction(1, 50), Fraction(7, 100))
    """
    exact = check_nonnegative("split", "total", total)
    if isinstance(weights, int):
        parts = [Fraction(1)] * check_integer("split", "weights", weights, low=1)
    else:
        parts = [check_nonnegative("split", "weights", weight) for weight in weights]
    if not parts or min(parts) <= 0:
        raise parameter_error("split", "weights", "one or more positive numbers", weights)
    whole = sum(parts, Fraction(0))
    if denominator is None:
        return tuple(exact * part / whole for part in parts)
    grid = check_integer("split", "denominator", denominator, low=len(parts))
    return tuple(exact * (part * grid // whole) / grid for part in parts)
