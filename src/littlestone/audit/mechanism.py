"""Exact verification of any function that draws through a source: all given pairs, both orders."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import inf, nextafter
from typing import Any, TypeVar

from littlestone.errors import check_integer
from littlestone.privacy import hockey_stick, tightest_epsilon
from littlestone.privacy.rounding import check_nonnegative, exact_text, float_up, upper
from littlestone.source import ExactSource, Law, Source, ball

__all__ = ["MechanismVerification", "precision", "replace_one", "rounding", "verify_mechanism"]

D = TypeVar("D", bound=Hashable)


@dataclass(frozen=True)
class MechanismVerification:
    """The result of an exact verification of one mechanism; see `verify_mechanism`.

    Attributes
    ----------
    datasets, pairs, paths : int
        Data sets whose law was computed, ordered pairs that were compared, paths of draws.
    epsilon, delta : Fraction
        The claim.
    worst_delta, tightest_epsilon : float
        As in `littlestone.audit.Verification`.
    slack : float
        Largest probability that cut paths may have contributed to a divergence.
    worst_pair : tuple or None
    holds : bool
    """

    datasets: int
    pairs: int
    paths: int
    epsilon: Fraction
    delta: Fraction
    worst_delta: float
    tightest_epsilon: float
    slack: float
    worst_pair: tuple[Hashable, Hashable] | None
    holds: bool

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON."""
        out = {**vars(self), "worst_pair": repr(self.worst_pair)}
        for name in ("epsilon", "delta"):
            exact = getattr(self, name)
            out[name], out[f"{name}_exact"] = float_up(exact), exact_text(exact)
        return out


def verify_mechanism(
    run: Callable[[D, Source], Hashable],
    pairs: Iterable[tuple[D, D]],
    *,
    epsilon: Any,
    delta: Any,
    cut: Fraction = Fraction(1, 2**80),
    follow: int = 32,
) -> MechanismVerification:
    """Compute the exact output law on both sides of every pair, and compare them both ways.

    Parameters
    ----------
    run : callable
        ``run(data, source)`` returns everything that can be observed; all its randomness comes
        from ``source``. The data set must be hashable.
    pairs : iterable of (data, data)
        The neighbouring data sets; `replace_one` lists all of them for small lists.
    epsilon, delta : number >= 0
        The claim.
    cut, follow
        As for `littlestone.source.ExactSource`: paths that are less likely are reported as slack.

    Returns
    -------
    MechanismVerification

    Examples
    --------
    >>> from littlestone.audit import replace_one, verify_mechanism
    >>> from littlestone.source import ExplicitWeights, exp
    >>> def randomized_response(bits, source):
    ...     return tuple(bit ^ source.choose(ExplicitWeights(exp(1), 1)) for bit in bits)
    >>> result = verify_mechanism(
    ...     randomized_response, replace_one([0, 1], 2), epsilon=1, delta=0)
    >>> result.holds, result.datasets, result.pairs
    (True, 4, 8)
    """
    owner = "verify_mechanism"
    exact_epsilon = check_nonnegative(owner, "epsilon", epsilon)
    exact_delta = check_nonnegative(owner, "delta", delta)
    bits = precision(exact_epsilon, exact_delta)
    laws: dict[Hashable, Law] = {}

    def law(data: D) -> Law:
        if data not in laws:
            source = ExactSource(cut=cut, follow=follow, bits=bits)
            laws[data] = source.law(lambda door: run(data, door))
        return laws[data]

    worst, worst_pair, tight, compared, holds = Fraction(0), None, 0.0, 0, True
    factor, cut_away = ball(exact_epsilon).exp(), Fraction(0)
    for one, other in pairs:
        for left, right in ((one, other), (other, one)):
            p, q = law(left), law(right)
            compared += 1
            # What was cut on the right counts e**epsilon times: there q may be larger than seen.
            slack = upper(p.slack) + (upper(q.slack) and upper(q.slack * factor))
            divergence = hockey_stick(p.outcomes, q.outcomes, exact_epsilon, bits=bits + 64)
            found = upper(divergence) + upper(p.slack)
            holds &= found <= exact_delta + slack + rounding(exact_delta)
            cut_away = max(cut_away, slack)
            if found > worst or worst_pair is None:
                worst, worst_pair = found, (left, right)
            least = tightest_epsilon(p.outcomes, q.outcomes, exact_delta, bits=bits + 64)
            tight = max(tight, nextafter(float(least.upper()), inf))
    return MechanismVerification(
        datasets=len(laws),
        pairs=compared,
        paths=sum(each.paths for each in laws.values()),
        epsilon=exact_epsilon,
        delta=exact_delta,
        worst_delta=float_up(worst),
        tightest_epsilon=tight,
        slack=float_up(cut_away),
        worst_pair=worst_pair,
        holds=holds,
    )


def replace_one(values: Sequence[D], n: int) -> Iterator[tuple[tuple[D, ...], tuple[D, ...]]]:
    """Yield every pair of lists of length n that differ in one entry, each pair once.

    Parameters
    ----------
    values : sequence
        All different: what an entry may be.
    n : int >= 1

    Examples
    --------
    >>> len(list(replace_one("abc", 2)))
    18
    """
    check_integer("replace_one", "n", n, low=1)
    for data in product(values, repeat=n):
        for i, old in enumerate(data):
            for new in values[values.index(old) + 1 :]:
                yield data, (*data[:i], new, *data[i + 1 :])


def rounding(delta: Fraction) -> Fraction:
    """Return what rounding alone may add to a worst delta that is exactly the claim."""
    return min(Fraction(1, 2**100), delta / 2**40) if delta else Fraction(1, 2**100)


def precision(epsilon: Fraction, delta: Fraction) -> int:
    """Return the bits at which laws that differ by e**epsilon, or by delta, can be compared."""
    small = (delta.denominator // max(delta.numerator, 1)).bit_length()
    return 192 + -int(-3 * epsilon // 1) + small
