"""BoostedPrivate: a learner of low accuracy, run on filtered records until a majority is accurate.

Paper 004, Section 2.4, says that private learners can be boosted. Here: boosting by filtering with
the weights of boost-by-majority (Freund 1995), on records that each round has for itself.

1. Shuffle the records to T rounds, and those of a round to slots of B records.
2. In round t, keep each record with a chance that depends on it, and on the hypotheses that were
   released before, alone. A slot's first kept record is its example; a slot that keeps none has a
   null record: outside of the domain, label 0.
3. Run the learner on the examples of the slots; its hypothesis is released.
4. Release the majority of the T hypotheses.

One record is in one slot of one round: no budget is divided, and no delta grows. Statements and
proofs: ``docs/learners/agnostic.md``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from littlestone.bounds import CertificateBuilder, register_claim
from littlestone.classes.hypotheses import MajorityHypothesis
from littlestone.data.sample import shuffle
from littlestone.errors import UnsupportedError, parameter_error
from littlestone.learners.agnostic.subsample import LEARNER, Wrapper, ordered_part, refuse_costs
from littlestone.learners.base import Learner, Plan, declared, maybe, nest, share, whole
from littlestone.source import ExplicitWeights

if TYPE_CHECKING:
    from littlestone.bounds import Certificate
    from littlestone.data import Sample
    from littlestone.data.sample import Kinds
    from littlestone.learners.base import Goal
    from littlestone.source import Source
    from littlestone.types import Hypothesis


BOOSTED_PRIVACY = register_claim(
    "boosted.privacy",
    "littlestone",
    "docs/learners/agnostic.md",
    "Rounds on disjoint records, each an (epsilon, delta)-DP learner on slots of which one "
    "record fills at most one, by released hypotheses and its own coins: together they are "
    "(epsilon, delta)-DP under replace-one.",
)
BOOSTED = register_claim(
    "boosted.accuracy",
    "Freund: Boosting a Weak Learning Algorithm by Majority; Alon, Bun, Livni, Malliaris, "
    "Moran (004), Section 2.4",
    "1995, 2022; proof in docs/learners/agnostic.md",
    "The majority of T hypotheses, each of error at most a < 1/2 on the examples of slots of B "
    "records, has error at most Pr[Bin(T, 1 - a) < T/2] + (1 - a) (1 - (1 - a)**(1/B)) P, P "
    "the sum over t < T of the largest probability of a value of Bin(t, 1 - a).",
)


#: More rounds are not planned: a certificate has a step for each.
MOST_ROUNDS = 301
_FAR = 10**9


def chances(rounds: int, after: int, bias: Fraction) -> list[Fraction]:
    """Return with which chance a record is kept that r = 0, 1, ..., after hypotheses label rightly.

    ``rounds``: T; ``after``: number of hypotheses that were released: this round is for the next
    one; ``bias``: how often a hypothesis is right.

    Examples
    --------
    >>> [[str(c) for c in chances(3, after, Fraction(3, 4))] for after in range(3)]
    [['2/3'], ['1', '1/3'], ['0', '1', '0']]
    """
    left, needed = rounds - after - 1, (rounds - 1) // 2

    def weight(right: int) -> Fraction:
        return math.comb(left, right) * bias**right * (1 - bias) ** (left - right)

    top = weight(_mode(left, bias))
    return [
        weight(needed - r) / top if 0 <= needed - r <= left else Fraction(0)
        for r in range(after + 1)
    ]


def _mode(coins: int, bias: Fraction) -> int:
    return min(coins, math.floor((coins + 1) * bias))


@dataclass(frozen=True)
class BoostedPlan(Plan):
    """How many records each round has."""

    goal: Goal
    learner: Learner[Any]  # with the failure probability of one round
    rounds: int  # T and B
    block: int

    @property
    def required(self) -> int:
        """The least n from which on the certificate always holds."""
        return self.rounds * self.block * self.learner.required_samples()

    def parts(self, n: int) -> tuple[int, int, int]:
        """Return the numbers of rounds, of slots of a round, and of records of a slot."""
        rounds = min(self.rounds, max(n - 1 + n % 2, 1))  # an odd number
        block = max(min(self.block, n // rounds), 1)
        return rounds, n // rounds // block, block

    def certificate(self, n: int) -> Certificate:
        """Return the certificate for n records."""
        goal, (_, slots, _) = self.goal, self.parts(n)
        cert = CertificateBuilder(n=n, alpha=goal.alpha, beta=goal.beta)
        nest(cert, self.learner.certificate(max(slots, 1)), "weak")
        cert = self.terms(cert)
        cert.step("error", "wrong + slack <= alpha", BOOSTED)
        cert.step("failures", "T*beta_weak <= beta", BOOSTED, beta_weak=self.learner.beta)
        cert.step("enough", "n >= T*B*m", BOOSTED, m=self.learner.required_samples())
        return cert.certificate(alpha=goal.alpha, beta=goal.beta, n=n)

    def terms(self, cert: CertificateBuilder) -> CertificateBuilder:
        """Write what T rounds leave wrong, and the slack; return a builder that knows T and B."""
        cert = cert.where(T=self.rounds, B=self.block, weak=self.learner.alpha)
        cert.step("wrong", "1 - binomial_above(T, 1 - weak, (T - 1)/2)", BOOSTED)
        peaks = cert.step("peaks_0", "1", BOOSTED)  # of no coins
        for coins in range(1, self.rounds):
            mode = _mode(coins, 1 - self.learner.alpha)
            peaks = cert.step(
                f"peaks_{coins}",
                "before + binomial_above(t, p, mode - 1) - binomial_above(t, p, mode)",
                BOOSTED, before=peaks, t=coins, mode=mode, p=1 - self.learner.alpha,
            )  # fmt: skip
        formula = "peaks*(1 - weak)*(1 - exp(log(1 - weak)/B))"
        cert.step("slack", formula, BOOSTED, peaks=peaks)
        return cert


@dataclass(frozen=True)
class Boosted(Wrapper[BoostedPlan]):
    """The learner behind `BoostedPrivate`."""

    estimator = "BoostedPrivate"
    summary = "a majority of hypotheses, learned one after the other from filtered records"
    claim = BOOSTED_PRIVACY
    prefix = "boosted"
    agnostic = False

    learner: Learner[Any] = declared(
        LEARNER,
        "Any learner of records with a certificate, of an alpha below 1/2. Its beta is replaced by "
        "beta/rounds.",
        kw_only=False,
    )
    rounds: int = declared(replace(whole(1), words="odd int"), "Number of hypotheses. No default.")
    alpha: Fraction = declared(
        maybe(share()),
        "Error of the majority. Default: twice the chance that most of as many coins are wrong, "
        "each with the probability of the learner's alpha.",
        default=None,
    )
    beta: Fraction = declared(
        maybe(share()), "Probability of more. Default: that of the learner.", default=None
    )
    block: int | None = declared(
        maybe(whole(1)),
        "Records of one slot; None takes the number that the certificate needs.",
        default=None,
    )

    def check(self) -> None:
        """Refuse an even number of rounds, and a learner that is no better than a coin."""
        refuse_costs(self.learner, self.estimator)
        if not self.rounds % 2 or self.rounds > MOST_ROUNDS:
            hint = "A majority of an odd number of hypotheses has no ties."
            wanted = f"odd and at most {MOST_ROUNDS}"
            raise parameter_error(self.estimator, "rounds", wanted, self.rounds, hint)
        names = {each.name for each in fields(self.learner)}  # type: ignore[arg-type]
        if "beta" not in names or self.learner.uncertified:
            raise UnsupportedError(
                f"The {self.learner.name!r} learner cannot be given another beta, so it cannot be "
                "boosted. Boost the learner inside it."
            )
        if self.learner.alpha >= Fraction(1, 2):
            hint = "Boosting needs a learner that is right more often than a coin."
            wanted = "a learner with alpha below 1/2"
            raise parameter_error(self.estimator, "learner", wanted, self.learner.alpha, hint)
        twice = Fraction(math.ceil(2 * self._wrong * 10**6), 10**6)
        own = {"alpha": min(twice, self.learner.alpha), "beta": self.learner.beta}
        for name, value in own.items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, value)

    @cached_property
    def _wrong(self) -> Fraction:
        """Chance that most of T coins, each right with probability 1 - weak, are wrong."""
        weak, T = self.learner.alpha, self.rounds
        return sum(
            (math.comb(T, k) * (1 - weak) ** k * weak ** (T - k) for k in range((T + 1) // 2)),
            Fraction(0),
        )

    @property
    def epsilon(self) -> Fraction:
        """The learner's epsilon: rounds have records of their own."""
        return self.learner.guarantee().epsilon

    @property
    def delta(self) -> Fraction:
        """The learner's delta."""
        return self.learner.guarantee().delta

    def minus_evaluation(self, evaluation: Fraction) -> Boosted:
        """Return the learner whose rounds leave this part of epsilon."""
        return replace(self, learner=self.learner.minus_evaluation(evaluation))

    @cached_property
    def weak(self) -> Learner[Any]:
        """The learner of one round."""
        return replace(self.learner, beta=self.beta / self.rounds)  # type: ignore[type-var]

    def make_plan(self) -> BoostedPlan:
        """Return the records of a slot."""
        if self.block is not None:
            return BoostedPlan(self.goal, self.weak, self.rounds, self.block)
        if self.alpha <= self._wrong:
            raise parameter_error(
                self.estimator,
                "rounds",
                f"so large that {float(self.alpha):g} can be reached (now above "
                f"{float(self._wrong):.4g})",
                self.rounds,
                "Take more rounds, or a learner with a smaller alpha.",
            )
        found = BoostedPlan(self.goal, self.weak, self.rounds, 1)
        slack = float(found.terms(CertificateBuilder()).steps["slack"].value) / float(
            self.learner.alpha
        )
        each = float(-math.log1p(-float(self.learner.alpha)))
        block = max(1, math.floor(slack * each / float(self.alpha - self._wrong)))
        while not self._reached(replace(found, block=block)):  # floats may be off by one
            block += 1
        return replace(found, block=block)

    def _reached(self, plan: BoostedPlan) -> bool:
        cert = plan.terms(CertificateBuilder())
        return bool(cert.step("error", "wrong + slack <= alpha", BOOSTED, alpha=self.alpha).value)

    def draw(self, sample: Sample, source: Source) -> Hypothesis:
        """Draw the hypothesis; a pure function of the sample and the draws."""
        rounds, slots, block = self.plan.parts(sample.n)
        shuffled = shuffle(sample, source)  # step 1
        right = np.zeros(2 * len(sample.points) + 2, dtype=np.int64)  # of each kind of record
        found: list[Hypothesis] = []
        for t in range(rounds):
            kept = chances(rounds, t, 1 - self.learner.alpha)  # step 2
            coins = [ExplicitWeights(1 - chance, chance) for chance in kept]
            first = t * slots * block
            examples = [
                _first_kept(shuffled[at : at + block], right, kept, coins, source)
                for at in range(first, first + slots * block, block)
            ]
            chosen = ordered_part(sample, np.array(examples, dtype=np.int64))
            found.append(self.weak.draw(chosen, source))  # step 3
            right += _right(found[-1], sample)
        return found[0] if rounds == 1 else MajorityHypothesis(tuple(found))  # step 4


def _first_kept(
    records: Kinds,
    right: npt.NDArray[np.int64],
    kept: list[Fraction],
    coins: list[ExplicitWeights],
    source: Source,
) -> int:
    """Return the first record of a slot that is kept; if there is none, the null record."""
    for kind in records.tolist():
        answers = int(right[kind])
        if kept[answers] == 1 or (kept[answers] and source.choose(coins[answers])):
            return int(kind)
    return len(right) - 2  # outside of the domain, label 0


def _right(hypothesis: Hypothesis, sample: Sample) -> npt.NDArray[np.int64]:
    """Return for each kind of record whether a hypothesis labels it rightly; 0 outside."""
    said = np.zeros(len(sample.points) + 1, dtype=np.int64)
    if len(sample.points):
        said[:-1] = hypothesis.predict(sample.points)
    return np.stack([1 - said, said], axis=1).ravel()
