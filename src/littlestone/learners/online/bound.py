"""How many mistakes: certificates with explicit constants, and older bounds beside them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from littlestone.bounds import Certificate, CertificateBuilder, Step
from littlestone.learners.online.claims import BALLOT, EPOCHS, TEACHERS
from littlestone.learners.online.teachers_plan import EXPOSED, SHARE, SURE, error_levels

if TYPE_CHECKING:
    from littlestone.classes import ConceptClass
    from littlestone.learners.online.plan import OnlinePlan
    from littlestone.types import Json

__all__ = ["MistakeBound", "compare", "mistake_bound"]


@dataclass(frozen=True)
class MistakeBound:
    """At most so many mistakes in a stream, except with a small probability.

    Attributes
    ----------
    mistakes : int
        Never more than the horizon (which proves nothing: then ``holds`` is False).
    horizon : int
        Length of the stream.
    beta : Fraction
    certificate : Certificate
        With ``alpha = mistakes / horizon`` and ``n = horizon``; `littlestone.bounds.recheck`
        computes it again.

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> from littlestone.learners.online.choose import plan_online
    >>> ages = Thresholds(1, 99)
    >>> plan = plan_online(ages, epsilon=1, delta=1e-6, horizon=10**6, parameters="theory")
    >>> print(mistake_bound(plan, ages))
    at most 11,115 mistakes among 1,000,000 except with probability 0.05: holds
    """

    mistakes: int
    horizon: int
    beta: Fraction
    certificate: Certificate

    @property
    def holds(self) -> bool:
        """Whether it is proved, and less than the horizon."""
        return self.certificate.holds

    def __str__(self) -> str:
        return (
            f"at most {self.mistakes:,} mistakes among {self.horizon:,} except with probability "
            f"{float(self.beta):.6g}: {'holds' if self.holds else 'not proved'}"
        )

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {
            "mistakes": self.mistakes,
            "horizon": self.horizon,
            "beta": float(self.beta),
            "holds": self.holds,
            "certificate": self.certificate.to_dict(),
        }


def mistake_bound(plan: OnlinePlan, concept_class: ConceptClass) -> MistakeBound:
    """Return what is proved about the number of mistakes, for one plan.

    Parameters
    ----------
    plan : OnlinePlan
    concept_class : ConceptClass

    Returns
    -------
    MistakeBound
        For every realizable stream of the planned horizon that was fixed beforehand.
    """
    cert = CertificateBuilder()
    epochs = _Epochs.of(plan, cert)
    ballot = plan.n_teachers is None
    rounds = _ballot(plan, concept_class, epochs) if ballot else _teachers(plan, epochs)
    claim = BALLOT if ballot else TEACHERS
    total = cert.step("mistakes", "rounds * longest", claim, rounds=rounds, longest=epochs.longest)
    mistakes = min(int(total.value), plan.goal.horizon)
    alpha = Fraction(mistakes, plan.goal.horizon)
    cert.step(
        "fewer_than_records", "mistakes + 1 <= n and mistakes <= alpha * n", claim,
        mistakes=total, n=plan.goal.horizon, alpha=alpha,
    )  # fmt: skip
    certificate = cert.certificate(alpha=alpha, beta=plan.goal.beta, n=plan.goal.horizon)
    return MistakeBound(mistakes, plan.goal.horizon, plan.goal.beta, certificate)


def compare(plan: OnlinePlan, concept_class: ConceptClass) -> dict[str, float]:
    """Return our bound and others for the same class, horizon and budget.

    Returns
    -------
    dict
        ``soa``: without privacy. ``ours``. ``naive``: the same learner if each epoch is only known
        to refute the one hypothesis it published (the 2**O(d**2) argument of 003, Section 2).
        ``lyu_order``: d**9.5 log(T) log(1/delta) / epsilon with constant 1 and without its other
        logarithms (003, Theorem 1). ``golowich_livni_order``: 2**(2**d), constant 1 (the bound
        that 003 improves). The last two are orders, not bounds.
    """
    d = concept_class.version_space().littlestone_dim()
    size = plan.most if plan.n_teachers is not None else concept_class.size
    longest = mistake_bound(plan, concept_class).certificate["longest"]
    log_delta = math.log(1 / max(float(plan.goal.delta), 1e-300))
    return {
        "soa": d,
        "ours": mistake_bound(plan, concept_class).mistakes,
        "naive": float(size) * float(longest),
        "lyu_order": d**9.5 * math.log(plan.goal.horizon) * log_delta / float(plan.goal.epsilon),
        "golowich_livni_order": 2.0 ** (2**d) if d < 10 else math.inf,
    }


@dataclass(frozen=True)
class _Epochs:
    """How many mistakes an epoch has: at least and at most."""

    cert: CertificateBuilder
    least: Step
    longest: Step

    @classmethod
    def of(cls, plan: OnlinePlan, cert: CertificateBuilder) -> _Epochs:
        records = cert.step("records", "n", EPOCHS, n=plan.goal.horizon)
        least = cert.step(
            "least", "limit + 1 - ceil(log(4 * records / beta) / alarm)", EPOCHS,
            limit=plan.limit, records=records, beta=plan.goal.beta, alarm=plan.alarm_epsilon,
        )  # fmt: skip
        cert.step("not_empty", "least >= 1", EPOCHS, least=least)
        longest = cert.step(
            "longest", "limit - 1 + ceil(log(4 * (batches + 1) / beta) / alarm)", EPOCHS,
            limit=plan.limit, batches=plan.batches, beta=plan.goal.beta, alarm=plan.alarm_epsilon,
        )  # fmt: skip
        return cls(cert, least, longest)


def _ballot(plan: OnlinePlan, concept_class: ConceptClass, epochs: _Epochs) -> Step:
    cert = epochs.cert
    vote = cert.step("vote", "-log(4 * share * (1 - share)) / 2", BALLOT, share=plan.share)
    failure = cert.step(
        "vote_failure", "n * (batches + 1) * exp(-draws * vote)", BALLOT,
        n=plan.goal.horizon, batches=plan.batches, draws=plan.draws, vote=vote,
    )  # fmt: skip
    cert.step("votes", "failure <= beta / 2", BALLOT, failure=failure, beta=plan.goal.beta)
    decay = cert.step(
        "decay", "-log(1 - share * (1 - exp(-rate * max(least, 1))))", BALLOT,
        share=plan.share, rate=plan.rate, least=epochs.least,
    )  # fmt: skip
    updates = cert.step(
        "updates", "floor(log(size) / decay)", BALLOT, size=int(concept_class.size), decay=decay
    )
    cert.step("budget", "updates <= batches", BALLOT, updates=updates, batches=plan.batches)
    return cert.step("rounds", "updates + 1", BALLOT, updates=updates)


_KL = "a * log(a / b) + (1 - a) * log((1 - a) / (1 - b))"


def _teachers(plan: OnlinePlan, epochs: _Epochs) -> Step:
    cert, top = epochs.cert, len(plan.stages) - 1
    assert plan.n_teachers is not None
    k = plan.n_teachers
    # bottom against what all teachers list
    bottom = cert.step(
        "bottom", "rate + log(most / leak)", TEACHERS,
        rate=plan.rate, most=plan.most, leak=plan.leak,
    )  # fmt: skip
    cert.step(
        "agreement", "rate * k - bottom >= log(1 / sure - 1)", TEACHERS,
        rate=plan.rate, k=k, bottom=bottom, sure=SURE,
    )  # fmt: skip
    # votes, and bottoms counted as a test
    draws, few = plan.draws, plan.bottoms
    wrong = cert.step("vote", _KL, TEACHERS, a=Fraction(draws - few, 2 * draws), b=SHARE)
    passed = cert.step("passed", _KL, TEACHERS, a=Fraction(few + 1, draws), b=SURE)
    failed = cert.step(
        "failed", _KL if few else "log(1 / b) + 0 * a", TEACHERS,
        a=Fraction(few, draws), b=Fraction(1, 2),
    )  # fmt: skip
    votes = cert.step(
        "vote_failure",
        "n * (batches + 1) * exp(-draws * vote) + batches * (exp(-draws * passed) + "
        "exp(-draws * failed))", TEACHERS,
        n=plan.goal.horizon, batches=plan.batches, draws=draws, vote=wrong, passed=passed,
        failed=failed,
    )  # fmt: skip
    cert.step("votes", "failure <= beta / 4", TEACHERS, failure=votes, beta=plan.goal.beta)
    _told_apart(plan, epochs, top)
    weight = cert.step(
        "weight", "log(k * most) + rate * k - bottom", TEACHERS,
        k=k, most=plan.most, rate=plan.rate, bottom=bottom,
    )  # fmt: skip
    decay = cert.step(
        "decay", "-log(1 - (share - exposed) / (1 - exposed))", TEACHERS,
        share=SHARE, exposed=EXPOSED,
    )  # fmt: skip
    passes = cert.step("passes", "2 + floor(weight / decay)", TEACHERS, weight=weight, decay=decay)
    cert.step(
        "budget", "(top + 1) * passes + top <= batches", TEACHERS,
        top=top, passes=passes, batches=plan.batches,
    )  # fmt: skip
    return cert.step("rounds", "(top + 1) * passes", TEACHERS, top=top, passes=passes)


def _told_apart(plan: OnlinePlan, epochs: _Epochs, top: int) -> None:
    """Add the steps of concentration: teachers see the errors of the whole epoch."""
    cert, levels = epochs.cert, error_levels(top)
    tolerances = [stage.tolerance for stage in plan.stages]
    as_planned = all(
        t == levels[2 * j + 1] and stage.dimension == top - j
        for j, (t, stage) in enumerate(zip(tolerances, plan.stages, strict=True))
    )
    names = {}
    for i, (high, low) in enumerate(pairwise(levels)):
        seen, true = (low, high) if i % 2 == 0 else (high, low)
        formula = f"1 - exp(-({_KL}))" if seen else "b + 0 * a"
        names[f"tell_{i}"] = cert.step(f"tell_{i}", formula, TEACHERS, a=seen, b=true)
    tell = cert.step(
        "tell", f"{'min' if len(names) > 1 else 'max'}({', '.join(names)}, tell_0)",
        TEACHERS, **names,
    )  # fmt: skip
    assert plan.n_teachers is not None
    missed = cert.step(
        "teacher_failure",
        "2 * k * batches * (2 * top + 1) * growth(d, longest) * exp(-least / k * tell) + "
        "k * batches * exp(-(longest / k) * (2 * log(2) - 1))", TEACHERS,
        k=plan.n_teachers, batches=plan.batches, top=top, d=plan.dimension,
        longest=epochs.longest, least=epochs.least, tell=tell,
    )  # fmt: skip
    cert.step("teachers", "failure <= beta / 4", TEACHERS, failure=missed, beta=plan.goal.beta)
    cert.step(
        "cap", "cap >= 2 * longest / k and cap >= d + 1", TEACHERS,
        cap=plan.cap, longest=epochs.longest, k=plan.n_teachers, d=plan.dimension,
    )  # fmt: skip
    cert.step("error_levels", "planned >= 1", TEACHERS, planned=int(as_planned))
