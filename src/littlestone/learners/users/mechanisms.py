"""The two mechanisms that choose a hypothesis and protect users, and what each certifies.

``GroupPrivacyMechanism``
    All mistakes, at most m of each user, with weights e**(-epsilon/(2m) * mistakes). This *is*
    group privacy: the item-level mechanism with epsilon/m, on n m records.
``UserLevelMechanism``
    Users with more than t mistakes (paper 002, Theorem 4.6), after a private search for the best
    error, which says which t separates good hypotheses from bad ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache, wraps
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.bounds import Certificate, CertificateBuilder, least_n
from littlestone.bounds.search import log_of
from littlestone.learners.users.claims import COMPARE, HASHED, SELECT, SUM
from littlestone.learners.users.compare import cut_between, rates
from littlestone.learners.users.grid_error import GridMinError
from littlestone.learners.users.min_error import PrivateMinError
from littlestone.learners.users.separation import crossing, separate_within, tail
from littlestone.learners.users.sweeps import errors_by_user

if TYPE_CHECKING:
    from littlestone.bounds import Step
    from littlestone.bounds.hashing import HashedRepresentation
    from littlestone.classes import Representation
    from littlestone.data import UserSample
    from littlestone.learners.users.separation import Floats
    from littlestone.source import Source
    from littlestone.types import Hypothesis

__all__ = [
    "GroupPrivacyMechanism",
    "MinErrorSearch",
    "UserLevelMechanism",
    "gap_steps",
    "nearer",
    "probabilities",
    "remembered",
    "worst_gap",
]

#: Where does the least error lie? Both answer privately (Lemma 4.5).
MinErrorSearch = PrivateMinError | GridMinError
Certify = Callable[[Any, int], Certificate]


def remembered(certify: Certify) -> Certify:
    """Keep the last certificates in the object: many releases ask for the same number of users."""

    @wraps(certify)
    def certificate(self: Any, n: int) -> Certificate:
        known = self.__dict__.setdefault("_certificates", {})
        if n not in known:
            if len(known) >= 64:
                known.clear()
            known[n] = certify(self, n)
        answer: Certificate = known[n]
        return answer

    return certificate


@dataclass(frozen=True)
class GroupPrivacyMechanism:
    """The exponential mechanism on the sum of all users' mistakes.

    Attributes
    ----------
    representation : Representation
        The class itself, or a hashed one.
    samples_per_user : int
    epsilon, alpha, beta : Fraction
    hashed : HashedRepresentation or None
        What certifies a hashed one, for records.
    """

    representation: Representation
    samples_per_user: int
    epsilon: Fraction
    alpha: Fraction
    beta: Fraction
    hashed: HashedRepresentation | None = None

    name = "group-privacy"

    def choose(self, users: UserSample, source: Source) -> Hypothesis:
        """Return a hypothesis; at most ``samples_per_user`` records of each user are given."""
        hypotheses = self.representation.drawn(source)
        rate = self.epsilon / (2 * self.samples_per_user)
        return hypotheses.candidates(users.pooled()).draw(rate, source)

    @cached_property
    def required(self) -> int:
        """The least number of users from which on the certificate holds."""
        if self.hashed is not None:
            return -(-self.hashed.required_samples() // self.samples_per_user)
        return max(int(self.certificate(1)["needed"]), 1)

    @remembered
    def certificate(self, n: int) -> Certificate:
        """Return what is certified for n users."""
        cert, m = CertificateBuilder(), self.samples_per_user
        if self.hashed is not None:
            self._as_records(cert, self.hashed.certificate(n * m), n)
            return cert.certificate(alpha=self.alpha, beta=self.beta, n=n, unit="users")
        alpha, beta, size = self.alpha, self.beta, self.representation.size
        tilt = cert.step(
            "tilt", "min(epsilon/(2*m), atanh(alpha))", SUM, epsilon=self.epsilon, m=m, alpha=alpha
        )
        decay = cert.step(
            "decay", "-m*log(cosh(tilt) - alpha*sinh(tilt))", SUM, m=m, alpha=alpha, tilt=tilt
        )
        formula = "ceil(log(max(size - 1, beta)/beta)/decay)"
        needed = cert.step("needed", formula, SUM, size=size, beta=beta, decay=decay)
        cert.step("enough", "n >= needed", SUM, n=n, needed=needed)
        return cert.certificate(alpha=alpha, beta=beta, n=n, unit="users")

    def _as_records(self, cert: CertificateBuilder, inner: Certificate, n: int) -> None:
        """Copy an item-level certificate, whose n is called ``records`` here."""
        for step in inner.steps:
            inputs, formula = dict(step.inputs), step.formula
            if "n" in inputs:
                inputs["records"] = inputs.pop("n")
                formula = formula.replace("n*log(", "records*log(")
            cert.step(step.name, formula, step.source, **inputs)
        m = self.samples_per_user
        cert.step("records", "records <= n*m", HASHED, records=n * m, n=n, m=m)


@dataclass(frozen=True)
class UserLevelMechanism:
    """A search for the best error, then the exponential mechanism on user-level errors.

    Attributes
    ----------
    representation : Representation
        The class itself, or one that is within ``alpha1`` of each concept except with probability
        ``beta1``.
    search : PrivateMinError or GridMinError
        With its part of the privacy budget.
    epsilon : Fraction
        What is left for the choice.
    alpha, beta : Fraction
    guess : int or None
        Of the users needed, in floats: saves time.
    """

    representation: Representation
    search: MinErrorSearch
    epsilon: Fraction
    alpha: Fraction
    beta: Fraction
    guess: int | None = field(default=None, compare=False)

    name = "user-level"

    @property
    def excess(self) -> Fraction:
        """How much worse than the best candidate a hypothesis may be."""
        return self.alpha - self.representation.alpha

    def t(self, low: Fraction, high: Fraction) -> int:
        """Return the t that separates best when the least error lies in [low, high]."""
        m = self.search.samples_per_user
        return int(separate_within(m, float(low), float(high), float(self.excess))[0][0])

    def choose(self, users: UserSample, source: Source) -> Hypothesis:
        """Return a hypothesis; at most ``samples_per_user`` records of each user are given."""
        hypotheses = self.representation.drawn(source)
        errors = errors_by_user(hypotheses, users, self.search.samples_per_user)
        # Theorem 4.6: eta by Lemma 4.5, from it t, then the exponential mechanism on err_z^t.
        low, high = self.search.locate(errors, users.n_users, source)
        return errors.draw(self.t(low, high), self.epsilon / 2, source)

    @cached_property
    def required(self) -> int:
        """The least number of users from which on the certificate holds."""
        return least_n(self.certificate, guess=nearer(self.certificate, self.guess, self.beta))

    @remembered
    def certificate(self, n: int) -> Certificate:
        """Return what is certified for n users: Theorem 4.6 with our constants."""
        cert = CertificateBuilder()
        failures = {"search": self._search(cert, n), "choice": self._choice(cert, n)}
        failure = cert.step(
            "failure",
            "search + choice + beta1",
            SELECT,
            beta1=self.representation.beta,
            **failures,
        )
        cert.step("enough", "failure <= beta", SELECT, failure=failure, beta=self.beta)
        return cert.certificate(alpha=self.alpha, beta=self.beta, n=n, unit="users")

    def _search(self, cert: CertificateBuilder, n: int) -> Step:
        """Bound the failure of the search: all comparisons, each like the worst one."""
        search = self.search
        if not search.comparisons:
            return cert.step("search", "0*n", COMPARE, n=n)
        shown: dict[str, Step] = {}
        for side, index, tilt in _least_favourable(search):
            compare = search.comparisons[index]
            error = compare.midpoint if side == "below" else compare.midpoint + compare.gap
            p = cert.step(
                f"p_{side}",
                "binomial_above(m, error, t)",
                COMPARE,
                m=search.samples_per_user,
                error=error,
                t=compare.t,
            )
            cert.step(
                f"tilt_{side}", "tilt <= epsilon", COMPARE, tilt=tilt, epsilon=compare.epsilon
            )
            formula = (
                "tilt*cut - log(1 + p*(exp(tilt) - 1))"
                if side == "below"
                else "-tilt*cut - log(1 - p*(1 - exp(-tilt)))"
            )
            name = f"rate_{side}"
            shown[side] = cert.step(name, formula, COMPARE, tilt=tilt, cut=compare.cut, p=p)
        return cert.step(
            "search",
            "weight*(min(1, exp(-n*below)) + min(1, exp(log(size) - n*above)))",
            COMPARE,
            weight=search.weight,
            size=self.representation.size,
            n=n,
            **shown,
        )

    def _choice(self, cert: CertificateBuilder, n: int) -> Step:
        """Bound the choice of a bad hypothesis after one of the answers that may be right."""
        search, excess = self.search, self.excess
        gap = gap_steps(cert, search, excess, SELECT)
        tilt = cert.step(
            "tilt", "min(epsilon/2, atanh(gap))", SELECT, epsilon=self.epsilon, gap=gap
        )
        decay = cert.step("decay", "-log(cosh(tilt) - gap*sinh(tilt))", SELECT, gap=gap, tilt=tilt)
        return cert.step(
            "choice",
            "min(1, answers*(size - 1)*exp(-n*decay))",
            SELECT,
            answers=search.answers,
            size=self.representation.size,
            n=n,
            decay=decay,
        )


def nearer(certify: Callable[[int], Certificate], guess: int | None, beta: Fraction) -> int | None:
    """Return a better guess of the least n: secants, since failures vanish exponentially in n.

    It saves time, and decides nothing.

    Parameters
    ----------
    certify : callable
        The certificate for n users; its step "failure" is compared with beta.
    guess : int or None
        None stays None.
    beta : Fraction in (0, 1)
    """
    if guess is None:
        return None
    n, wanted = guess, log_of(beta)
    for _ in range(4):
        step = n // 64 + 1
        here, there = (float(certify(k)["failure"]) for k in (n, n + step))
        fall = math.log(here) - math.log(there) if here > there > 0 else 0.0
        if not fall:  # certain to fail, or beyond floats
            break
        far = (math.log(here) - wanted) / fall * step
        n = max(n + math.ceil(min(max(far, -n / 2), n)), 1)
        if abs(far) < 2 + n / 2**12:
            break
    return n


def gap_steps(
    cert: CertificateBuilder, search: MinErrorSearch, excess: Fraction, source: str
) -> Step:
    """Write how well t separates errors after the worst answer of a search, at both its ends.

    Parameters
    ----------
    cert : CertificateBuilder
        Gets three steps: both ends, and the smaller one, "gap", which is returned.
    search : PrivateMinError or GridMinError
    excess : Fraction
        How much worse than the best error a bad hypothesis is.
    source : str
        The claim that uses it.
    """
    worst, t, _ = worst_gap(search, excess)
    parts = {}
    for name, end in zip(("low", "high"), search.intervals[worst], strict=True):
        error = min(end, 1 - excess)
        sure = error + excess >= 1
        parts[name] = cert.step(
            f"gap_{name}",
            ("1" if sure else "binomial_above(m, error + excess, t)")
            + " - binomial_above(m, error, t)",
            source,
            m=search.samples_per_user,
            error=error,
            t=t,
            **({} if sure else {"excess": excess}),
        )
    return cert.step("gap", "min(low, high)", source, **parts)


def probabilities(search: MinErrorSearch) -> tuple[Floats, Floats]:
    """Return the two probabilities of every comparison of a search."""
    return _probabilities(replace(search, epsilon=Fraction(1)))


@lru_cache(maxsize=1024)
def _probabilities(search: MinErrorSearch) -> tuple[Floats, Floats]:
    middle = np.array([float(one.midpoint) for one in search.comparisons])
    far, m = middle + float(search.gap), search.samples_per_user
    t = crossing(m, middle, far)
    return tail(m, middle, t), tail(m, far, t)


def worst_gap(search: MinErrorSearch, excess: Fraction) -> tuple[int, int, float]:
    """Return the least favourable answer of a search, its t, and how well that separates."""
    return _worst_gap(replace(search, epsilon=Fraction(1)), excess)  # epsilon plays no part


@lru_cache(maxsize=4096)
def _worst_gap(search: MinErrorSearch, excess: Fraction) -> tuple[int, int, float]:
    low = [float(low) for low, _ in search.intervals]
    high = [float(high) for _, high in search.intervals]
    t, least = separate_within(search.samples_per_user, low, high, float(excess))
    worst = int(np.argmin(least))
    return worst, int(t[worst]), float(least[worst])


@lru_cache(maxsize=256)
def _least_favourable(search: MinErrorSearch) -> list[tuple[str, int, Fraction]]:
    """Return, for both sides, the comparison that fails most easily, and a good tilt for it."""
    low, high = probabilities(search)
    epsilon = search.comparisons[0].epsilon
    up, down, *tilts = rates(cut_between(low, high, float(search.share)), low, high, float(epsilon))
    out = []
    for side, rate, tilt in zip(("below", "above"), (up, down), tilts, strict=True):
        worst = int(np.argmin(rate))
        exact = Fraction(float(tilt[worst])).limit_denominator(2**40)
        out.append((side, worst, min(exact, epsilon)))
    return out
