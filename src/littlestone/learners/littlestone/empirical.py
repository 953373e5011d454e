"""Certificates for every realizable data set: the error is on the given records (003, Theorem 3).

The records are fixed, and the shuffle to the teachers is a uniformly random permutation: so
teachers are not independent. Theorem 4 of docs/learners/littlestone.md ("On the records
themselves") says what replaces independence.

*Proof.* (i) *One teacher.* Its records are drawn without replacement. Of K given records, each
draw hits one with probability at most K/(n - m + 1), so more than c hits are no likelier than
for such a coin. As long as at most c of more than E given records were hit, the next draw hits
one with probability above (E - c)/n. While the records in F do not span F, none of those in F
but not in the span F' was seen: the next draw is one with probability at least their share of
all n. (ii) *All teachers.* Let J_(k,i) say that record k goes to teacher i (or, last, to none).
These indicators are negatively associated (Joag-Dev and Proschan 1983): for nonnegative
functions of disjoint sets of them that all increase, or all decrease, the expectation of the
product is at most the product of expectations. "Not spanned" (U_i) and "a bad set is listed"
(b_i: at most c errors) decrease in teacher i's records, "too many errors for F" (V_i)
increases. So E e^(x U/h) <= (1 + u (e^(x/h) - 1))^t for the sum U, likewise for V, and E
e^((l/h) sum (b_i + U_i)) <= E^t, where for given marginals both together as often as possible
is the worst. (iii) Hoelder's inequality with h and 1 - h joins the two kinds: Pr[U + V >= t - K
+ 1] <= e^(-x(t-K+1)) E e^(x(U+V)), and a bad set is drawn against F with probability at most E
e^(l (b - a)) <= e^(-l t) E e^(l (b + U + V)), since at least t - U - V teachers list F. QED
With u or v zero, h is 1 or 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from littlestone.bounds import Certificate, CertificateBuilder, Step
from littlestone.bounds.bound import log_of
from littlestone.learners.littlestone.plans import FAR, ClosedPlan

EMPIRICAL = "littlestone.empirical"

#: How rarely a teacher does not list the good hypothesis: not spanned; too many errors.
_Miss = tuple[Step, Step]
#: Exponents of Hoelder's inequality that are tried.
_THETAS = tuple(Fraction(k, 8) for k in range(1, 8))
#: Tilts that are tried.
_TILTS = tuple(Fraction(k, 16) for k in (*range(1, 17), *range(18, 33, 2), *range(36, 65, 4)))


def empirical_certificate(plan: ClosedPlan, n: int) -> Certificate:
    """Return the certificate for every realizable data set of n records."""
    goal, own, cap = plan.goal, plan.own, plan.cap
    cert = CertificateBuilder(
        n=n, m=plan.chunk, alpha=goal.alpha, beta=goal.beta, delta=goal.delta, rate=goal.rate,
        error=own.alpha, own_beta=own.beta, cap=cap,
    )  # fmt: skip
    if plan.vote_margin is None:
        cert.step("certified", "beta <= 0", EMPIRICAL)
        return cert.certificate(alpha=goal.alpha, beta=goal.beta, n=n)
    if own != goal:
        cert.step(
            "proper_point", "spread <= (alpha - own)*(beta - own_beta)", EMPIRICAL,
            spread=plan.spread, own=own.alpha,
        )  # fmt: skip
    rate, cert = goal.rate, cert.where(c=plan.tolerances[0])
    t = cert.step("teachers", "min(floor(n/m), most)", EMPIRICAL, most=FAR)
    wrong = cert.step("wrong", "1 - binomial_above(m, max(error - c/n, 0), c)", EMPIRICAL)
    cert = cert.where(t=t)
    # so many that bottom loses, up to beta/4
    hidden = float(rate) + log_of(Fraction(cap)) - log_of(goal.delta * own.beta / 4)
    votes = cert.step("votes", "votes", EMPIRICAL, votes=math.ceil(hidden / float(rate)))
    cert.step("enough_teachers", "t >= votes", EMPIRICAL)
    cert.step("bottom", "cap/delta*exp(rate*(1 - votes))", EMPIRICAL, votes=votes)
    few: dict[str, Step] = {}
    lost: dict[str, Step] = {}
    bad = max(cap - 1, 1)
    for s, miss in enumerate(_misses(cert, plan)):
        few[f"x{s}"] = _too_few(cert, f"too_few_{s}", miss, t, votes)
        all_of = {"bad": Fraction(bad), "t": t, "w": wrong}
        lost[f"y{s}"] = _wrongly(cert, f"wrongly_{s}", miss, all_of, rate)
    cert.step("too_few", f"max({', '.join([*few, '0'])})", EMPIRICAL, **few)
    cert.step("wrongly", f"max({', '.join([*lost, '0'])})", EMPIRICAL, **lost)
    cert.step("enough", "too_few + bottom/(1 + bottom) + wrongly <= own_beta", EMPIRICAL)
    return cert.certificate(alpha=goal.alpha, beta=goal.beta, n=n)


def _misses(cert: CertificateBuilder, plan: ClosedPlan) -> list[_Miss]:
    """Write how rarely a teacher does not list the good hypothesis: not spanned; too many errors.

    For each number s of levels that the closed set has passed.
    """
    zero = cert.step("never", "0", EMPIRICAL)
    levels, found = (Fraction(0), *plan.levels), []
    cert.step("low", "level <= error", EMPIRICAL, level=levels[-1])
    for s, level in enumerate(levels):
        u = v = zero
        if s < plan.rank:
            u = cert.step(
                f"unspanned_{s}", "1 - binomial_above(m, gap, needed)", EMPIRICAL,
                gap=levels[s + 1] - level, needed=plan.rank - s - 1,
            )  # fmt: skip
        if s:
            v = cert.step(
                f"exceeds_{s}", "binomial_above(m, min(level*n/max(n - m + 1, 1), 1), c)",
                EMPIRICAL, level=level,
            )  # fmt: skip
        found.append((u, v))
    return found


def _too_few(cert: CertificateBuilder, name: str, miss: _Miss, t: Step, votes: Step) -> Step:
    """Write the chance that fewer than ``votes`` teachers list the good hypothesis."""
    (u, v), teachers = miss, float(t.value)
    above = teachers - float(votes.value) + 1

    def of_one(one: Step, x: float) -> float:
        return math.log1p(float(one.value) * math.expm1(min(x, 300.0)))

    def bound(tilt: float, theta: float) -> float:
        each = theta * of_one(u, tilt / theta) + (1 - theta) * of_one(v, tilt / (1 - theta))
        return teachers * each - tilt * above

    if u.value and v.value:
        tilt, theta = _best(_TILTS, bound)
        return cert.step(
            name,
            "min(1, exp(t*(theta*log(1 + u*(exp(l/theta) - 1))"
            " + (1 - theta)*log(1 + v*(exp(l/(1 - theta)) - 1))) - l*(t - votes + 1)))",
            EMPIRICAL, l=tilt, theta=theta, u=u, v=v,
        )  # fmt: skip
    only = u if u.value else v
    if not only.value:
        return cert.step(name, "0", EMPIRICAL)
    tilt = min(_TILTS, key=lambda x: teachers * of_one(only, float(x)) - float(x) * above)
    return cert.step(
        name, "min(1, exp(t*log(1 + miss*(exp(l) - 1)) - l*(t - votes + 1)))", EMPIRICAL,
        l=tilt, miss=only,
    )  # fmt: skip


def _wrongly(
    cert: CertificateBuilder, name: str, miss: _Miss, all_of: dict[str, Any], rate: Fraction
) -> Step:
    """Write the chance that some bad hypothesis is drawn against the good one."""
    u, v = miss
    listed, nots, too = (float(step.value) for step in (all_of["w"], u, v))
    both = min(listed, nots)

    def of_one(x: float) -> float:
        x = min(x, 300.0)
        grown = both * math.expm1(2 * x) + (listed + nots - 2 * both) * math.expm1(x)
        return math.log1p(grown)

    def bound(tilt: float, theta: float) -> float:
        second = (1 - theta) * math.log1p(too * math.expm1(min(tilt / (1 - theta), 300.0)))
        return -tilt + theta * of_one(tilt / theta) + second

    together = cert.step(f"{name}_together", "min(w, u)", EMPIRICAL, w=all_of["w"], u=u)
    tilts = [tilt for tilt in _TILTS if tilt < rate] + [rate]
    known = all_of | {"u": u, "q": together}
    grown = "q*exp(2*{0}) + (w + u - 2*q)*exp({0}) + 1 - w - u + q"
    if not too:
        tilt = min(tilts, key=lambda x: of_one(float(x)) - float(x))
        return cert.step(
            name, f"min(1, bad*exp(t*(log({grown.format('l')}) - l)))", EMPIRICAL,
            l=tilt, **known,
        )  # fmt: skip
    tilt, theta = _best(tilts, bound)
    return cert.step(
        name,
        f"min(1, bad*exp(t*(theta*log({grown.format('l/theta')}) - l"
        " + (1 - theta)*log(1 + v*(exp(l/(1 - theta)) - 1)))))",
        EMPIRICAL, l=tilt, theta=theta, v=v, **known,
    )  # fmt: skip


def _best(tilts: Any, bound: Callable[[float, float], float]) -> tuple[Fraction, Fraction]:
    """Return the tilt and the exponent with the least bound, by floats."""
    pairs = ((tilt, theta) for tilt in tilts for theta in _THETAS)
    return min(pairs, key=lambda pair: bound(float(pair[0]), float(pair[1])))
