"""Plans: what a learner will do, and what that certifies, from public parameters only.

Every learner's plan is found in the same way: floats propose numbers, exact certificates decide
(`verified_plan`, `least_required`). A float never decides whether a certificate holds.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

from littlestone.bounds import Reference, least_n
from littlestone.bounds.search import log_of
from littlestone.privacy import Neighbours

if TYPE_CHECKING:
    from littlestone.bounds import Certificate, CertificateBuilder, Unit


@dataclass(frozen=True)
class Goal:
    """What a learner may spend and must achieve: privacy, and error with its probability.

    Examples
    --------
    >>> Goal(Fraction(1), Fraction(1, 10**6), Fraction(1, 10), Fraction(1, 20)).rate
    Fraction(1, 2)
    """

    epsilon: Fraction  # what the release may cost; delta is 0 where nothing but epsilon is allowed
    delta: Fraction
    #: (Excess) error, and the probability of exceeding it. No privacy depends on them.
    alpha: Fraction
    beta: Fraction
    #: The neighbouring relation of the guarantee.
    neighbours: Neighbours = field(default=Neighbours.REPLACE_ONE, kw_only=True)
    #: With a number, users are protected, each with at most that number of records.
    samples_per_user: int | None = field(default=None, kw_only=True)
    #: The part of epsilon that an evaluation takes: a share.
    evaluation: Fraction = field(default=Fraction(0), kw_only=True)

    @property
    def left(self) -> Fraction:
        """What an evaluation leaves of epsilon."""
        return self.epsilon * (1 - self.evaluation)

    @property
    def rate(self) -> Fraction:
        """Half of epsilon: where replacing one record takes one vote away and adds another."""
        return self.epsilon / 2


class Plan(ABC):
    """A learner's own numbers, and what they need and certify.

    A learner's plan is a frozen dataclass that derives from this class.

    ``required``: the least n from which on the certificate always holds: a field or a property.
    """

    unit: Unit = "records"  # what ``required`` counts: ``"records"`` or ``"users"``

    if TYPE_CHECKING:

        @property
        def required(self) -> int:
            """The least n from which on the certificate always holds."""

    @abstractmethod
    def certificate(self, n: int) -> Certificate:
        """Return the accuracy certificate for n records (or users)."""


P = TypeVar("P", bound=Plan)


def cached(certify: Callable[[Any, int], Certificate]) -> Callable[[Any, int], Certificate]:
    """Keep the last certificates in the plan: many releases ask for the same n."""

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


def verified_plan(plan: P, larger: Callable[[P, int], P]) -> P:
    """Return a plan whose exact certificate holds at its required number: floats proposed it.

    ``larger``: ``larger(plan, k)`` returns the plan with about k records more; k is 1 at first,
    because floats are hardly ever off by more, and grows by a quarter.
    """
    step = 4
    while not plan.certificate(plan.required).holds:
        plan = larger(plan, step // 4)
        step = step * 5 // 4
    return plan


def least_required(
    certify: Callable[[int], Certificate], guess: int | None, *, beta: Fraction | None = None
) -> int:
    """Return the least n from which on a certificate always holds; floats say where to look.

    ``certify``: from n to a certificate, monotone; ``guess``: what floats found. It changes nothing
    but the time; ``beta``: if the certificates have a step "failure" that is compared with beta:
    the guess is refined by `refine_guess` first.
    """
    if beta is not None:
        guess = refine_guess(certify, guess, beta)
    return least_n(lambda n: certify(n).holds, 1 if guess is None else guess)


def refine_guess(
    certify: Callable[[int], Certificate], guess: int | None, beta: Fraction
) -> int | None:
    """Return a better guess of the least n: secants, since failures vanish exponentially in n.

    ``certify``: the certificate for n; its step "failure" is compared with beta; ``guess``: none
    stays None.
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


#: Inputs that mean the head of a certificate, and so must be renamed inside another one.
_HEAD = re.compile(r"\b(alpha|beta|n)\b")


def nest(cert: CertificateBuilder, certificate: Certificate, label: str) -> None:
    """Write all steps of a certificate into another one, under names of their own.

    ``cert``: of the outer certificate; ``certificate``: of a part; its conditions become conditions
    of the whole; ``label``: a word. Steps become ``"label.step"``, and its alpha, beta and n
    ``alpha_label`` and so on.

    Examples
    --------
    >>> from littlestone.bounds import CertificateBuilder, realizable
    >>> cert = CertificateBuilder()
    >>> nest(cert, realizable(100, epsilon=1, alpha="0.1", beta="0.05"), "inner")
    >>> [(name, step.formula) for name, step in cert.steps.items()][-1]
    ('inner.enough', 'n_inner >= needed')
    """
    for step in certificate.steps:
        inputs = {
            _renamed(name, label): Reference(f"{label}.{x.step}") if isinstance(x, Reference) else x
            for name, x in step.inputs.items()
        }
        formula = _renamed(step.formula, label)
        cert.written(f"{label}.{step.name}", formula, step.source, **inputs)


def _renamed(text: str, label: str) -> str:
    return _HEAD.sub(rf"\1_{label}", text)
