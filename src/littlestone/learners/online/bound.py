"""How many mistakes: certificates with explicit constants, lower bounds, and older bounds.

*Lower bounds.* *Omega(d)*: on a random path of a shattered tree every learner is wrong with
probability 1/2 at each of d steps, so d/2 expected mistakes. *Omega(1/epsilon)*: let two
concepts differ at x, and let a_t, b_t be the probabilities of an error at time t on the streams
(x, 0), (x, 0), ... and (x, 1), (x, 1), .... They differ in t records before time t, so by group
privacy b_t >= e^(-t epsilon) (1 - a_t) - delta (1 - e^(-t epsilon))/(e^epsilon - 1), hence a_t
+ b_t >= e^(-t epsilon) - delta (1 - e^(-t epsilon))/(e^epsilon - 1). One of the two streams
costs half the sum of these.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from littlestone.bounds import Certificate, CertificateBuilder, Step
from littlestone.classes.dimensions import littlestone_dimension
from littlestone.errors import LittlestoneError
from littlestone.learners.online.samplers import growth, vote_events

if TYPE_CHECKING:
    from littlestone.classes import ConceptClass
    from littlestone.learners.online.budget import OnlinePlan, StreamGoal
    from littlestone.types import Json


EPOCHS = "online.epochs"
EXPONENTIAL = "online.exponential"
OBLIVIOUS = "online.exponential.oblivious"
CLOSURE = "online.closure"
LYU = "lyu25.thm1"
REGRET = "online.regret"
SOA = "littlestone.soa"
TWO_CONCEPTS = "online.lower.two-concepts"
LOG_HORIZON = "clnss24.points"


@dataclass(frozen=True)
class MistakeBound:
    """An upper bound on the mistakes in a stream, except with a small probability.

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> from littlestone.learners.online.plan import plan_online
    >>> ages = Thresholds(1, 99)
    >>> plan = plan_online(ages, epsilon=1, delta=1e-6, horizon=10**6, constants="theory")
    >>> print(mistake_bound(plan, ages))
    at most 6,354 mistakes among 1,000,000 adaptive records except with probability 0.05: holds
    """

    mistakes: int  # never more than the horizon (which proves nothing: then ``holds`` is False)
    horizon: int  # length of the stream
    beta: Fraction
    #: Whether records may be chosen by a reader of what is published; otherwise the stream was
    #: fixed beforehand. Either way some concept explains the records of each time so far.
    adaptive: bool
    #: With ``alpha = mistakes / horizon`` and ``n = horizon``; `littlestone.bounds.recheck`
    #: computes it again.
    certificate: Certificate

    @property
    def holds(self) -> bool:
        """Whether it is proved, and less than the horizon."""
        return self.certificate.holds

    def __str__(self) -> str:
        return (
            f"at most {self.mistakes:,} mistakes among {self.horizon:,} "
            f"{'adaptive' if self.adaptive else 'oblivious'} records except with probability "
            f"{float(self.beta):.6g}: {'holds' if self.holds else 'not proved'}"
        )

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {
            "mistakes": self.mistakes,
            "horizon": self.horizon,
            "beta": float(self.beta),
            "adaptive": self.adaptive,
            "holds": self.holds,
            "certificate": self.certificate.to_dict(),
        }


@dataclass(frozen=True)
class RegretBound(MistakeBound):
    """An upper bound on the mistakes above those of the best concept, in all of the stream.

    ``expected``: of the expected number; ``mistakes``: except with probability ``beta``.

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> from littlestone.learners.online.budget import StreamGoal
    >>> from littlestone.learners.online.plan import plan_hedge
    >>> goal = StreamGoal(Fraction(1), Fraction(1, 10**6), 10**6, Fraction(1, 20))
    >>> ages = Thresholds(1, 999)
    >>> print(regret_bound(plan_hedge(ages, goal), ages))
    at most 9,570 expected mistakes more than the best concept makes, among 1,000,000 records
    """

    expected: int

    def __str__(self) -> str:
        return (
            f"at most {self.expected:,} expected mistakes more than the best concept makes, among "
            f"{self.horizon:,} records"
        )


def regret_bound(plan: OnlinePlan, concept_class: ConceptClass) -> RegretBound:
    """Return what is proved about the mistakes above those of the best concept."""
    goal, (phase,) = plan.goal, plan.phases
    cert = CertificateBuilder(
        n=goal.horizon, beta=goal.beta, size=int(concept_class.size), b=phase.limit,
        rate=phase.rate,
    )  # fmt: skip
    expected = cert.step("expected", "log(size)/rate + rate*b*n/8", REGRET)
    cert.step("regret", "expected + sqrt(n*b*log(1/beta)/2)", REGRET)
    at_most = cert.step("at_most", "min(ceil(regret), n)", REGRET)
    cert.step("enough", "n >= at_most + 1", REGRET)
    mistakes = int(at_most.value)
    alpha = Fraction(mistakes, goal.horizon)
    certificate = cert.certificate(alpha=alpha, beta=goal.beta, n=goal.horizon)
    return RegretBound(
        mistakes, goal.horizon, goal.beta, True, certificate, math.ceil(float(expected.value))
    )


def mistake_bound(plan: OnlinePlan, concept_class: ConceptClass) -> MistakeBound:
    """Return what is proved about the number of mistakes, for one plan."""
    if plan.method == "batches":
        return regret_bound(plan, concept_class)
    cert = CertificateBuilder(
        n=plan.goal.horizon, beta=plan.goal.beta, test=plan.test_epsilon, batches=plan.batches
    )
    _epochs(cert)
    if plan.method == "exponential":
        claim, total = EXPONENTIAL, _exponential(plan, concept_class, cert)
    else:
        claim, total = CLOSURE, _closure(plan, concept_class, cert)
    total = cert.step("mistakes", "total", claim, total=total)
    mistakes = min(int(total.value), plan.goal.horizon)
    alpha = Fraction(mistakes, plan.goal.horizon)
    cert.step(
        "fewer_than_records", "mistakes + 1 <= n and mistakes <= alpha * n", claim, alpha=alpha,
    )  # fmt: skip
    certificate = cert.certificate(alpha=alpha, beta=plan.goal.beta, n=plan.goal.horizon)
    adaptive = plan.adversary == "adaptive"
    return MistakeBound(mistakes, plan.goal.horizon, plan.goal.beta, adaptive, certificate)


def compare(plan: OnlinePlan, concept_class: ConceptClass) -> dict[str, float]:
    """Return our bound and others for the same class, horizon and budget."""
    d = concept_class.version_space().littlestone_dim()
    longest = plan.phases[-1].limit
    log_delta = math.log(1 / max(float(plan.goal.delta), 1e-300))
    return {
        "soa": d,
        "ours": mistake_bound(plan, concept_class).mistakes,
        "naive": float(concept_class.size) * longest,
        "lyu_order": d**9.5 * math.log(plan.goal.horizon) * log_delta / float(plan.goal.epsilon),
        "golowich_livni_order": 2.0 ** (2**d) if d < 10 else math.inf,
    }


@dataclass(frozen=True)
class LowerBound:
    """What no private online learner of a class can do better."""

    mistakes: float | None  # expected mistakes, at least; None where no constant is known
    order: str
    why: str  # the registered claim

    def __str__(self) -> str:
        known = "constant unknown" if self.mistakes is None else f"at least {self.mistakes:,.3g}"
        return f"{self.order}: {known} [{self.why}]"

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {
            "order": self.order,
            "mistakes": self.mistakes,
            "constant": "unknown" if self.mistakes is None else "explicit",
            "claim": self.why,
        }


def lower_bounds(goal: StreamGoal, concept_class: ConceptClass) -> tuple[LowerBound, ...]:
    """Return lower bounds on the expected mistakes on some realizable stream of the horizon.

    Examples
    --------
    >>> from littlestone.classes import SparseSets
    >>> from littlestone.learners.online.budget import StreamGoal
    >>> goal = StreamGoal(Fraction(1, 4), Fraction(1, 10**6), 10**4, Fraction(1, 20))
    >>> for each in lower_bounds(goal, SparseSets(2)):
    ...     print(each)
    Omega(d): at least 1 [littlestone.soa]
    Omega(1/epsilon): at least 2.26 [online.lower.two-concepts]
    Omega(log T): constant unknown [clnss24.points]
    """
    horizon, found = goal.horizon, []
    try:
        d = littlestone_dimension(concept_class, max_nodes=_NODES)
        found.append(LowerBound(min(d, horizon) / 2, "Omega(d)", SOA))
    except LittlestoneError:  # not found soon: planning is quick
        d = int(concept_class.size > 1)
        found.append(LowerBound(None, "Omega(d)", SOA))
    if d >= 1:
        e, delta = (float(min(x, Fraction(700))) for x in goal.per_record)
        total, t = 0.0, 0
        while t < horizon:  # decreasing: the first term that is nothing ends the sum
            term = math.exp(-t * e) - delta * -math.expm1(-t * e) / math.expm1(e)
            if term <= 0 or (total + term == total):
                break
            total, t = total + term, t + 1
            if t == _TERMS:
                break
        found.append(LowerBound(total / 2, "Omega(1/epsilon)", TWO_CONCEPTS))
    if growth(concept_class) is not None and d >= 1:  # holds all single points of its domain
        found.append(LowerBound(None, "Omega(log T)", LOG_HORIZON))
    return tuple(found)


_TERMS = 100_000
_NODES = 20_000  # of a search for a dimension


def _epochs(cert: CertificateBuilder) -> None:
    """Write by how many mistakes tests may fire early, and late."""
    cert.step("records", "n", EPOCHS)
    formula = "max(ceil(log(4 * records / beta / (1 + exp(-test))) / test), 1)"
    cert.step("early", formula, EPOCHS)
    cert.step("late", "ceil(log(4 * (batches + 1) / beta) / test)", EPOCHS)


def _epoch(cert: CertificateBuilder, limit: int, name: str = "") -> tuple[Step, Step]:
    """Return how many mistakes an epoch with this limit has, at least and at most."""
    least = cert.step(f"least{name}", "limit + 1 - early", EPOCHS, limit=limit)
    longest = cert.step(f"longest{name}", "limit - 1 + late", EPOCHS, limit=limit)
    return least, longest


def _exponential(plan: OnlinePlan, concept_class: ConceptClass, cert: CertificateBuilder) -> Step:
    *quick, phase = plan.phases
    why = EXPONENTIAL
    _epoch(cert, phase.limit)
    cert = cert.where(draws=phase.draws, batches=phase.batches, share=plan.share, rate=phase.rate)
    cert.step("not_empty", "least >= 1", EPOCHS)
    ways = vote_events(concept_class, plan.share)
    if plan.adversary == "oblivious" and plan.goal.horizon < ways:
        ways, why = Fraction(plan.goal.horizon), OBLIVIOUS
    # more than half of the draws, an odd number, must err
    cert.step("wrong", "binomial_above(draws, share, half)", why, half=(phase.draws - 1) // 2)
    failure = cert.step("vote_failure", "events * (batches + 1) * wrong", why, events=ways)
    cert.step("votes", "failure <= beta / 2 and odd >= 1", why,
              failure=failure, odd=phase.draws % 2)  # fmt: skip
    cert.step("decay", "-log(1 - share * (1 - exp(-rate * max(least, 1))))", why)
    cert.step("updates", "floor(log(size) / decay)", why, size=int(concept_class.size))
    # the last vote of a quick phase is trusted by nobody: one more epoch, and one more update
    more = int(bool(quick))
    cert.step("budget", "updates + more <= batches", why, more=more)
    total = cert.step("certified", "(updates + 1 + more) * longest", why, more=more)
    for each in quick:
        _, most = _epoch(cert, each.limit, "_quick")
        total = cert.step(
            "quick", "total + batches * longest", why,
            total=total, batches=each.batches, longest=most,
        )  # fmt: skip
    return total


def _closure(plan: OnlinePlan, concept_class: ConceptClass, cert: CertificateBuilder) -> Step:
    grown = growth(concept_class)
    assert grown is not None
    steps = max(len(grown.widths), 1)
    cert = cert.where(steps=steps, leak=plan.leak)
    cert.step(
        "score", "1 + ceil(log((1 - beta / (2 * steps)) / (beta / (2 * steps)) / leak) / rate)",
        CLOSURE, rate=plan.phases[0].rate,
    )  # fmt: skip
    total = cert.step("start", "0 * steps", CLOSURE)
    for i, (width, phase) in enumerate(zip(grown.widths, plan.phases, strict=False)):
        least, longest = _epoch(cert, phase.limit, f"_{i}")
        cert.step(
            f"agree_{i}", "least >= width * (score - 1) + 1", CLOSURE,
            least=least, width=width,
        )  # fmt: skip
        total = cert.step(f"total_{i}", "total + longest", CLOSURE, total=total, longest=longest)
    cert.step("budget", "steps <= batches", CLOSURE, steps=len(grown.widths))
    return total
