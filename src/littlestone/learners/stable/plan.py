"""Plans of the stable learner: rounds, copies, batches, and the certificate.

The library's G is the paper's with two changes that only help (docs/learners/stable.md): the number
of rounds k is not drawn but assigned, K_k copies for each k, so a copy of few rounds takes few
records; and constants are solved for, not rounded to powers of 2**2**d. How often a copy of G
submits its most frequent hypothesis, and how many copies that asks for, is at the end.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt

from littlestone.bounds import Bound, Certificate, CertificateBuilder, Step, register_claim
from littlestone.bounds.claims import IID, REALIZABLE
from littlestone.bounds.search import log_of
from littlestone.errors import (
    InfeasibleError,
    ParameterError,
    check_integer,
    check_probability,
    parameter_error,
)
from littlestone.learners.base import Goal, Plan
from littlestone.mechanisms import histogram_threshold

_PAGE = "docs/learners/stable.md"
_ALON = ("Alon, Bun, Livni, Malliaris, Moran: Private and Online Learnability Are Equivalent",)
_V = "2022 (004); constants: " + _PAGE
_PUBLIC = "class and parameters were chosen without looking at the records"
_STABLE = (
    "assumed or estimated, not proved: on records of this distribution one hypothesis is the "
    "algorithm's output with probability at least eta"
)
PRIVACY = register_claim(
    "stable.privacy",
    *_ALON,
    f"{_V}, Theorem 30",
    "One record reaches one copy or the choice: the stable histogram over the copies is "
    "(epsilon, delta)-DP, the exponential mechanism over its list is epsilon-DP, and they see "
    "disjoint records.",
)
FREQUENT = register_claim(
    "stable.frequent",
    *_ALON,
    f"{_V}, Theorem 23, Lemmas 25-27",
    "With rho_0 = 1 and rho_k = (rho_(k-1)**2 - theta)/(2 (1 - theta)), if rho_d >= theta then "
    "for some k <= d one hypothesis of error at most alpha1, (1 - alpha1)**auxiliary <= theta, "
    "is the output of a copy with k rounds and B batches with probability at least "
    "theta - E_k/(B + 1), E_0 = 0 and E_k = (2 E_(k-1) + 2)/(1 - theta).",
    (IID, REALIZABLE),
)
ASSUMED = register_claim(
    "stable.assumed",
    *_ALON,
    f"{_V}, Proposition 7, Lemma 26",
    "A hypothesis that a copy of realizable records outputs with probability at least "
    "`stability` has error at most alpha1 if (1 - alpha1)**auxiliary <= stability.",
    (
        IID,
        REALIZABLE,
        "assumed, not proved: for this distribution, some hypothesis is the output of a copy "
        "with probability at least `stability` (see the page for where that is so)",
    ),
    status="conditional",
)
PROTOCOL = register_claim(
    "stable.protocol",
    *_ALON,
    f"{_V}, Definition 6, Proposition 7",
    "A hypothesis that a consistent algorithm outputs on m records with probability at least "
    "eta has error at most alpha1 if (1 - alpha1)**m <= eta.",
    (
        IID,
        REALIZABLE,
        _STABLE,
        "the algorithm is consistent: on realizable records its output makes no error on them",
    ),
    status="conditional",
)
STATED = register_claim(
    "stable.stated",
    *_ALON,
    f"{_V}, Definition 6, Theorem 30",
    "K copies of an (m, eta)-globally stable algorithm submit its frequent hypothesis "
    "independently, each with probability at least eta.",
    (IID, _STABLE, "stated, not proved: that hypothesis has error at most alpha1"),
    status="conditional",
)
LISTED = register_claim(
    "stable.listed",
    "littlestone",
    _PAGE,
    "A hypothesis that each of K copies submits with probability at least q is not listed with "
    "probability at most e**(l (tau - 1)) (1 - q (1 - e**-l))**K E[e**(-l Z)], Z the noise.",
    (IID, _PUBLIC),
)
CHOICE = register_claim(
    "stable.choice",
    "littlestone",
    f"{_PAGE}; docs/certificates.md",
    "Weights e**(-(epsilon/2) errors) over a list of at most K hypotheses, one of error at "
    "most alpha1, that does not depend on these n records: Pr[error > alpha] <= "
    "(K - 1) (1 - alpha (1 - e**-l) + alpha1 (e**l - 1))**n for 0 <= l <= epsilon/2.",
    (IID,),
)


#: Largest Littlestone dimension with the theorem's constants; one more squares a number of about
#: 10**40 records.
DEEPEST = 7

P = TypeVar("P", bound="StablePlan")

_SHARES = [Fraction(i, 20) for i in range(2, 13)]  # of alpha, for the frequent hypothesis
_LAMBDAS = [i / 20 for i in range(4, 17)]  # of theta, for copies that run out of records


_RHO = Bound((("rho", "(rho**2 - theta)/(2*(1 - theta))", FREQUENT),))
_EXPECTED = Bound((("expected", "(2*expected + 2)/(1 - theta)", FREQUENT),))
_RATE = Bound((("rate", "max(0, theta - expected/(batches + 1))", FREQUENT),))
#: One Chernoff bound for the copies and the histogram's noise together: what each copy leaves.
_LEFT = "(1 - rate*(1 - exp(-tilt)))"
_CHERNOFF = (
    f"exp(tilt*(tau - 1))*{_LEFT}**copies*(1 - exp(-epsilon/2))**2"
    "/((1 - exp(tilt - epsilon/2))*(1 - exp(-tilt - epsilon/2)))"
)
_MISSED = Bound((("missed", f"min(1, {_CHERNOFF})", LISTED),))
_SEARCHED = Bound((("bound", _CHERNOFF, LISTED), ("fall", f"-log({_LEFT})", LISTED)))
_CHOSEN = Bound((
    ("choice_tilt", "min(epsilon/2, log(alpha/alpha1)/2)", CHOICE),
    ("choice_fails", "min(1, max(0, copies - 1)*(1 - alpha*(1 - exp(-choice_tilt)) + "
     "alpha1*(exp(choice_tilt) - 1))**choice_records)", CHOICE),
))  # fmt: skip


@dataclass(frozen=True)
class Constants:
    """How algorithm G is run; no privacy depends on it."""

    auxiliary: int  # records of one batch: the paper's auxiliary sample size n
    #: Number of copies with k = 0, 1, ... rounds.
    copies: tuple[int, ...]
    #: Most batches that the rounds of one copy may draw; the last auxiliary sample is apart.
    batches: tuple[int, ...]
    #: How often the most frequent hypothesis is *assumed* to be submitted by a copy with k rounds,
    #: for some k of those given; None for what the theorem proves.
    stability: Fraction | None = None

    @property
    def records(self) -> int:
        """Records of all copies."""
        pairs = zip(self.copies, self.batches, strict=True)
        return sum(c * (b + 1) * self.auxiliary for c, b in pairs)

    def to_dict(self) -> dict[str, Any]:
        """Return what ``constants=`` takes."""
        out: dict[str, Any] = {
            "auxiliary": self.auxiliary,
            "copies": list(self.copies),
            "batches": list(self.batches),
        }
        return out if self.stability is None else out | {"stability": str(self.stability)}

    @classmethod
    def read(cls, given: Any, caller: str) -> Constants:
        """Check constants that were given as a mapping."""
        fields = {"auxiliary", "copies", "batches", "stability"}
        if not isinstance(given, Mapping) or not {"auxiliary", "copies"} <= set(given) <= fields:
            raise parameter_error(
                caller,
                "constants",
                "'practical', 'theory', or a mapping with 'auxiliary' and 'copies' and perhaps "
                "'batches' and 'stability'",
                given,
            )
        auxiliary = check_integer(caller, "constants['auxiliary']", given["auxiliary"], low=1)
        copies = _counts(caller, "copies", given["copies"])
        batches = _counts(caller, "batches", given.get("batches", [0] * len(copies)))
        if len(batches) != len(copies) or not any(copies):
            raise ParameterError(
                f"The 'constants' of {caller} must have one number of copies and of batches for "
                "each number of rounds 0, 1, ..., and at least one copy."
            )
        assumed = given.get("stability")
        if assumed is not None:
            assumed = check_probability(caller, "constants['stability']", assumed)
        return cls(auxiliary, copies, batches, assumed)

    def check(self, d: int, caller: str) -> None:
        """Refuse more rounds than the Littlestone dimension d."""
        if len(self.copies) > d + 1:
            raise ParameterError(
                f"The 'constants' of {caller} must have numbers of copies for at most {d} rounds, "
                "the Littlestone dimension of the class."
            )

    def assuming(self, d: int) -> Constants:
        """Return the constants with a stability of 1/4 where the theorem proves none."""
        if self.stability is not None or len(self.copies) == d + 1:
            return self
        return replace(self, stability=Fraction(1, 4))


@dataclass(frozen=True)
class StablePlan(Plan):
    """How a class of Littlestone dimension d is learned; n is all that it does not know."""

    d: int
    goal: Goal
    constants: Constants
    alpha1: Fraction  # error of the frequent hypothesis
    choice: int  # records of the final choice that the certificate needs

    @property
    def required(self) -> int:
        """The least n from which on the certificate always holds (if it ever does)."""
        return self.constants.records + self.choice

    @property
    def certifiable(self) -> bool:
        """Whether the certificate holds for some n: a choice of enough records is not in doubt."""
        cert = self.certificate(self.constants.records + 2**200)
        return cert.holds

    def parts(self, n: int) -> tuple[tuple[int, ...], int]:
        """Return the numbers of copies and of records of the final choice, for n records.

        More records than required all go to the choice; with fewer there are fewer copies.
        """
        if n >= self.required:
            return self.constants.copies, n - self.constants.records
        left = n - min(self.choice, n // 4)
        records = self.constants.records
        copies = tuple(min(c, c * left // records) for c in self.constants.copies)
        return copies, n - replace(self.constants, copies=copies).records

    @lru_cache(maxsize=64)  # noqa: B019 - plans are few
    def certificate(self, n: int) -> Certificate:
        """Return the certificate for n records."""
        copies, _ = self.parts(n)
        own, goal = self.constants, self.goal
        cert = CertificateBuilder(
            n=n, epsilon=goal.epsilon, alpha=goal.alpha, beta=goal.beta, alpha1=self.alpha1,
            auxiliary=own.auxiliary, stability=own.stability or 0,
        )  # fmt: skip
        used = replace(own, copies=copies).records
        cert.step("choice_records", "n - used", CHOICE, used=used)
        rates = self._assumed(cert) if own.stability is not None else self._proved(cert)
        missed = [
            _MISSED.write(
                cert, suffix=f"_{k}", rate=rate, copies=copies[k], tau=threshold(goal),
                tilt=least_copies(goal, float(rate.value), goal.beta / 2)[0],
            ).name
            for k, rate in enumerate(rates)
        ]  # fmt: skip
        formula = missed[0] if len(missed) == 1 else f"max({', '.join(missed)})"
        cert.step("as_planned", "n >= planned", LISTED, planned=self.required)
        cert.step("missed", formula, LISTED)
        _CHOSEN.write(cert, copies=sum(copies))
        cert.step("enough", "missed + choice_fails <= beta", CHOICE)
        return cert.certificate(alpha=goal.alpha, beta=goal.beta, n=n)

    def _assumed(self, cert: CertificateBuilder) -> list[Step]:
        rate = cert.step("rate", "stability", ASSUMED)
        cert.step("one_batch", "(1 - alpha1)**auxiliary <= stability", ASSUMED)
        return [rate] * len(self.constants.copies)

    def _proved(self, cert: CertificateBuilder) -> list[Step]:
        """Lemmas 25 to 27 with the recursions solved."""
        cert.step("theta", "theta", FREQUENT, theta=stability(self.d))
        rho = cert.step("rho_0", "1", FREQUENT)
        for k in range(1, self.d + 1):
            rho = _RHO.write(cert, suffix=f"_{k}", rho=rho)
        cert.step("some_round", "rho >= theta", FREQUENT, rho=rho)
        cert.step("one_batch", "(1 - alpha1)**auxiliary <= theta", FREQUENT)
        rates, drawn = [], cert.step("expected_0", "0", FREQUENT)
        for k, batches in enumerate(self.constants.batches):
            if k:
                drawn = _EXPECTED.write(cert, suffix=f"_{k}", expected=drawn)
            rates.append(_RATE.write(cert, suffix=f"_{k}", expected=drawn, batches=batches))
        return rates


@lru_cache(maxsize=64)
def theorem_plan(d: int, goal: Goal) -> StablePlan:
    """Return the plan of the theorem that needs the fewest records.

    Constants
    ----------
    d : int >= 1
        Littlestone dimension.
    goal : Goal
    """
    if d > DEEPEST:
        raise InfeasibleError(
            f"A class of Littlestone dimension {d} would need far more than 10**40 records with "
            "constants='theory'. Use constants='practical', or the 'littlestone' learner.",
            n_needed=10**40,
        )
    theta = stability(d)

    def pairs(split: Fraction) -> list[tuple[int, int]]:
        return [_rounds(goal, theta, drawn, goal.beta * split) for drawn in expected(d)]

    def build(share: Fraction, split: Fraction, copies: Any, batches: Any) -> StablePlan:
        alpha1 = goal.alpha * share
        auxiliary = max(1, math.ceil(log_of(theta) / math.log1p(-float(alpha1)) * (1 + 1e-9)))
        own = Constants(auxiliary, copies, batches)
        return StablePlan(d, goal, own, alpha1, _choice(goal, own, alpha1, split))

    splits = (Fraction(1, 2), Fraction(8, 10), Fraction(95, 100))
    found = [
        build(share, split, *numbers)
        for split in splits
        for numbers in [tuple(zip(*pairs(split), strict=True))]
        for share in _SHARES
    ]
    return _decided(min(found, key=lambda plan: plan.required))


def assumed_plan(d: int, goal: Goal, given: Constants | None = None) -> StablePlan:
    """Return the plan with an assumed stability: a practical one, or the user's.

    Practical: no rounds, batches of 4/alpha records, stability 1/4.
    """
    split = Fraction(1, 2)
    if given is None:
        auxiliary = math.ceil(4 / goal.alpha)
        _, copies = least_copies(goal, 0.25, goal.beta * split)
        given = Constants(auxiliary, (copies,), (0,), Fraction(1, 4))
    given = given.assuming(d)
    rate = stability(d) if given.stability is None else given.stability
    # if it is not below alpha, "one_batch" fails, and says so
    alpha1 = goal.alpha * min(_proved_share(goal, rate, given.auxiliary), Fraction(9, 10))
    found = StablePlan(d, goal, given, alpha1, _choice(goal, given, alpha1, split))
    return _decided(found) if found.certifiable else found


def _proved_share(goal: Goal, rate: Fraction, auxiliary: int) -> Fraction:
    """Return the least share of alpha that (1 - share alpha)**auxiliary <= rate proves."""
    share = -math.expm1(log_of(rate) / auxiliary) / float(goal.alpha)
    return Fraction(math.ceil(share * 10**5) + 1, 10**5)


@dataclass(frozen=True)
class ProtocolPlan(StablePlan):
    """The plan for an algorithm of the reader's own: K copies of ``auxiliary`` records each."""

    #: Whether alpha1 follows from consistency (Proposition 7); else it is stated.
    consistent: bool = True

    def _assumed(self, cert: CertificateBuilder) -> list[Step]:
        eta = self.constants.stability or 0
        claim = PROTOCOL if self.consistent else STATED
        rate = cert.step("rate", "eta", claim, eta=eta)
        if self.consistent:
            cert.step(
                "one_copy", "(1 - alpha1)**m <= eta", claim, m=self.constants.auxiliary, eta=eta,
            )  # fmt: skip
        return [rate]


@lru_cache(maxsize=64)
def protocol_plan(
    goal: Goal, n: int, eta: Fraction, error: Fraction | None, copies: int | None
) -> ProtocolPlan:
    """Return the plan for an (n, eta)-globally stable algorithm."""
    split = Fraction(1, 2)
    own = Constants(n, (copies or least_copies(goal, float(eta), goal.beta * split)[1],), (0,), eta)
    alpha1 = goal.alpha * _proved_share(goal, eta, n) if error is None else error
    if alpha1 >= goal.alpha:
        raise parameter_error(
            "GloballyStable",
            "n" if error is None else "error",
            "so large that (1 - alpha)**n < eta" if error is None else f"below alpha={goal.alpha}",
            n if error is None else error,
            "A hypothesis that is frequent is known to be good only then.",
        )
    found = ProtocolPlan(0, goal, own, alpha1, _choice(goal, own, alpha1, split), error is None)
    return _decided(found) if found.certifiable else found


@dataclass(frozen=True)
class OneConcept(Plan):
    """The plan of a class of one concept: nothing is chosen."""

    goal: Goal
    required: ClassVar[int] = 1

    def certificate(self, n: int) -> Certificate:
        """Return the certificate for n records."""
        cert = CertificateBuilder(n=n)
        cert.step("one_concept", "n >= 1", CHOICE)
        return cert.certificate(alpha=self.goal.alpha, beta=self.goal.beta, n=n)


def _rounds(goal: Goal, theta: Fraction, drawn: float, beta: Fraction) -> tuple[int, int]:
    """Return the copies and batches of one number of rounds that need the fewest records."""
    if not drawn:
        return least_copies(goal, float(theta), beta)[1], 0
    found = []
    for part in _LAMBDAS:
        batches = math.ceil(drawn / (part * float(theta)))
        rate = float(theta) - drawn / (batches + 1)
        copies = least_copies(goal, rate, beta)[1]
        found.append((copies * (batches + 1), copies, batches))
    return min(found)[1:]


def _choice(goal: Goal, own: Constants, alpha1: Fraction, split: Fraction) -> int:
    """Return the records of the choice, with what ``split`` leaves of beta."""
    known = {"epsilon": goal.epsilon, "alpha": goal.alpha, "alpha1": alpha1}
    decay: float = -_CHOSEN.log("choice_fails", **known, copies=2, choice_records=1)
    others = max(sum(own.copies) - 1, 1)
    return max(1, math.ceil((math.log(others) - log_of(goal.beta * (1 - split))) / decay))


def _decided(found: P) -> P:
    """Return a plan whose exact certificate holds at its least number of records."""
    while not found.certificate(found.required).holds:  # floats found it: they may be off by one
        own = found.constants
        copies = own.copies
        if own.stability is None:
            copies = tuple(c + 1 + c // 1000 for c in copies)
        found = replace(found, constants=replace(own, copies=copies), choice=2 * found.choice)

    # what the copies leave of beta is for the choice
    rest = found.goal.beta - Fraction(float(found.certificate(found.required)["missed"]))
    least = found
    if rest <= 0:
        return found
    for extra in (Fraction(9999, 10000), Fraction(99, 100), Fraction(9, 10)):
        split = 1 - rest * extra / found.goal.beta
        trial = replace(found, choice=_choice(found.goal, found.constants, found.alpha1, split))
        if trial.choice < least.choice and trial.certificate(trial.required).holds:
            return trial
    return least


def _counts(caller: str, name: str, given: Any) -> tuple[int, ...]:
    listed = [given] if isinstance(given, int) else given
    if not isinstance(listed, list | tuple):
        raise parameter_error(caller, f"constants[{name!r}]", "a list of integers >= 0", given)
    return tuple(check_integer(caller, f"constants[{name!r}]", c, low=0) for c in listed)


@lru_cache(maxsize=256)
def threshold(goal: Goal) -> int:
    """Return the histogram's threshold."""
    return histogram_threshold(epsilon=goal.epsilon, delta=goal.delta)


@lru_cache(maxsize=16)
def stability(d: int) -> Fraction:
    """Return (nearly) the largest theta with rho_d(theta) >= theta: rounded down.

    Constants
    ----------
    d : int >= 0
        Littlestone dimension.

    Notes
    -----
    *Source.* Paper 004, Lemma 25, whose recursion is solved instead of bounded
    (docs/learners/stable.md, "Accuracy").

    Examples
    --------
    >>> [f"{float(stability(d)):.3g}" for d in (0, 1, 2, 3, 4)]
    ['1', '0.5', '0.0885', '0.00506', '2.03e-05']
    """
    if d == 0:
        return Fraction(1)
    low, high = 0.0, 0.5

    after = _RHO.function("rho", "rho", "theta")

    def reached(theta: float) -> bool:
        rho = 1.0
        for _ in range(d):
            rho = after(rho, theta)
            if rho < theta:
                return False
        return True

    if reached(high):
        return Fraction(1, 2)
    for _ in range(600):
        middle = (low + high) / 2
        low, high = (middle, high) if reached(middle) else (low, middle)
    digits, power = f"{low:.3e}".split("e")
    return Fraction(digits) * Fraction(10) ** int(power) * Fraction(999, 1000)


def expected(d: int) -> Iterator[float]:
    """Yield the expected number of batches of 0, 1, ..., d rounds (Lemma 27)."""
    theta, drawn = float(stability(d)), 0.0
    yield drawn
    for _ in range(d):
        drawn = _EXPECTED.floats("expected", expected=drawn, theta=theta)
        yield drawn


def least_copies(goal: Goal, rate: float, beta: Fraction) -> tuple[Fraction, int]:
    """Return a good tilt l and the least number of copies with chance at most beta to be missed.

    Constants
    ----------
    goal : Goal
    rate : float in [0, 1]
        With which probability one copy submits the hypothesis.
    beta : Fraction in (0, 1)

    Notes
    -----
    The bound is that of docs/learners/stable.md, "It is listed": one Chernoff bound for the copies
    and the histogram's noise together. Floats: the certificate decides whether it holds.
    """
    tilts, known, tops = _tilts(goal)
    if not rate:
        return tilts[0], 1
    needed = (tops - log_of(beta)) / _SEARCHED.floats("fall", tilt=known["tilt"], rate=rate)
    best = int(np.argmin(needed))
    return tilts[best], math.ceil(needed[best])


@lru_cache(maxsize=64)
def _tilts(goal: Goal) -> tuple[list[Fraction], dict[str, Any], npt.NDArray[Any]]:
    """Return the tilts that are tried, and the logarithm of the bound without copies."""
    tilts = [goal.epsilon * i / 128 for i in range(1, 64)]
    tilts += [t for i in range(1, 129) if (t := Fraction(i, 16)) < tilts[-1]]
    known = {
        "epsilon": goal.epsilon, "tau": threshold(goal), "tilt": np.array(list(map(float, tilts)))
    }  # fmt: skip
    return tilts, known, _SEARCHED.log("bound", **known, rate=0.5, copies=0)
