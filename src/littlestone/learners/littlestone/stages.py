"""Plans for any class with oracles: lists of essential hypotheses (003, Theorem 3).

Stage by stage, above-threshold asks whether some hypothesis has many votes; if so, a sparse draw
among that stage's lists ends the run.

*Tolerances* (`Levels`) are numbers at which the low-error classes of good teachers interleave (003,
section 5, repaired): counts 0 = c_(d+1) < b_d < c_d < ... < b_1 < c_1 < floor(m alpha). A teacher
is good if, for every concept h and j = 1, ..., d,

    at most c_(j+1) errors on its m records  =>  error at most b_j/m  =>  at most c_j errors there,

and every SOA it may list with at most c_1 errors has error at most alpha. Then a concept that one
good teacher allows at stage j + 1 is allowed by every good teacher at stage j. By a ghost sample
each arrow fails with probability at most 2 growth(vc, 2m) e**(-D(x, y)), with

    D(x, y) = x ln(2x/(x+y)) + y ln(2y/(x+y)):

of x + y errors on two samples, at most x fall on one of them (Hoeffding 1963). The paper takes the
tolerances (1 - 1/(2d))**j alpha; these ones need a smaller m.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Self

from littlestone.bounds import Bound, CertificateBuilder
from littlestone.bounds.search import least_n, log_of
from littlestone.learners.base import Goal
from littlestone.learners.littlestone.claims import ESSENTIAL, PROPER, STAGES
from littlestone.learners.littlestone.plans import least_teachers
from littlestone.mechanisms.above_threshold import AboveThreshold

if TYPE_CHECKING:
    from littlestone.bounds import Certificate, Step

_TERMS = 50  # of one sum


@dataclass(frozen=True)
class Levels:
    """Records of a teacher and its tolerances."""

    d: int
    vc: int
    chunk: int
    counts: tuple[int, ...]

    @property
    def tolerances(self) -> tuple[int, ...]:
        """c_1 > ... > c_(d+1) = 0: one for each stage."""
        return self.counts[::2][::-1]

    @classmethod
    def least(cls, d: int, vc: int, alpha: Fraction, bad: float) -> Levels:
        """Return the smallest chunk with which a teacher is bad with probability at most ``bad``.

        Examples
        --------
        >>> from fractions import Fraction
        >>> Levels.least(1, 1, Fraction(1, 10), 0.1)
        Levels(d=1, vc=1, chunk=1250, counts=(0, 18, 59))
        """

        def fits(chunk: int) -> bool:
            top = math.floor(chunk * alpha)
            counts, allowed = cls._chain(d, vc, chunk, bad, top)
            log_growth = _log_growth(d, 2 * chunk) - _log_growth(vc, 2 * chunk)
            return counts[-1] < top and distance(counts[-1], top) >= allowed + log_growth

        chunk = least_n(fits, low=2 * d + 1)
        return cls(d, vc, chunk, cls._chain(d, vc, chunk, bad, chunk)[0])

    @staticmethod
    def _chain(d: int, vc: int, chunk: int, bad: float, most: int) -> tuple[tuple[int, ...], float]:
        """Return the least counts, as far as they stay below ``most``, and the distance between."""
        allowed = math.log(2 * (2 * d + 1) / bad) + _log_growth(vc, 2 * chunk) + 1e-9
        counts = [0]
        while len(counts) <= 2 * d and counts[-1] < most:
            far = _least_far(counts[-1], allowed)
            counts.append(far if len(counts) % 2 else far - 1)
        return tuple(counts), allowed

    def bad(self, cert: CertificateBuilder, alpha: Fraction) -> Step:
        """Write down the probability that a teacher is bad."""
        cert = cert.where(m=self.chunk, alpha=alpha)
        arrows: dict[str, Step] = {}
        pairs = list(zip(self.counts[:-1], self.counts[1:], strict=True))
        for i, (low, high) in enumerate(pairs):
            # even: c => b; odd: b => c, which fails at c + 1 errors
            arrows[f"x{i}"] = self._arrow(cert, f"arrow_{i}", self.vc, low, high + i % 2)
        cert.step("top", "floor(m*alpha)", ESSENTIAL)
        cert.step("low_error", "top >= last + 1", ESSENTIAL, last=self.counts[-1])
        arrows["last"] = self._arrow(
            cert, "arrow_last", self.d, self.counts[-1], math.floor(self.chunk * alpha)
        )
        names, groups = list(arrows), arrows
        if len(names) > _TERMS:  # a sum of very many terms would be nested too deeply
            groups = {}
            for i in range(0, len(names), _TERMS):
                some = {name: arrows[name] for name in names[i : i + _TERMS]}
                sum_of = " + ".join(some)
                groups[f"s{i}"] = cert.step(f"arrows_from_{i}", sum_of, ESSENTIAL, **some)
        return cert.step("bad_teacher", f"min(1, {' + '.join(groups)})", ESSENTIAL, **groups)

    def _arrow(self, cert: CertificateBuilder, name: str, vc: int, low: int, high: int) -> Step:
        known = {"vc": vc, "y": max(high, 1)}
        if low == 0:
            decay = "exp(-y*log(2))"
        else:
            decay = "exp(-x*log(2*x/(x + y)) - y*log(2*y/(x + y)))"
            known["x"] = low
        return cert.step(name, f"2*growth(vc, 2*m)*{decay}", ESSENTIAL, **known)


def distance(x: int, y: float) -> float:
    """Return D(x, y): minus ln of the chance that x + y errors fall so unevenly, or worse.

    Examples
    --------
    >>> round(distance(0, 10), 3), distance(4, 4)
    (6.931, 0.0)
    """
    total = x + y
    return sum(part * math.log(2 * part / total) for part in (x, y) if part)


def _least_far(x: int, allowed: float) -> int:
    """Return the least y > x with distance(x, y) >= allowed.

    Newton's method comes near: the distance is convex in y, with derivative ln(2y/(x+y)).
    """
    y = x + 2 * math.sqrt(allowed * x) + 2 * allowed  # beyond, or nearly
    for _ in range(50):
        step = (distance(x, y) - allowed) / math.log(2 * y / (x + y))
        y -= step
        if abs(step) < 0.25:
            break
    near = max(math.ceil(y), x + 1)
    while distance(x, near) < allowed:
        near += 1
    while near > x + 1 and distance(x, near - 1) >= allowed:
        near -= 1
    return near


def _log_growth(d: int, n: int) -> float:
    terms, term = [0.0], 0.0
    for i in range(min(d, n)):
        term += math.log((n - i) / (i + 1))
        terms.append(term)
    top = max(terms)
    return top + math.log(sum(math.exp(t - top) for t in terms))


_STAGES = Bound((
    ("few_bad", "bad_teacher <= slack", STAGES),
    ("too_few", "exp(-t*(slack*log(slack/bad_teacher) + "
     "(1 - slack)*log((1 - slack)/(1 - bad_teacher))))", STAGES),
    ("test_errs", "2*exp(-own*(offset + 1))/(1 + exp(-own))"
     " + stages*exp(-each*(margin - offset + 1))/(1 + exp(-each))", STAGES),
    ("votes", "t*(1 - slack) - 1 - 2*margin", STAGES),
    ("some_votes", "votes >= 1", STAGES),
    ("bottom", "cap/delta*exp(rate*(1 - votes))", STAGES),
    ("scattered", "cap*max(1, exp(rate - 1)/rate)", ESSENTIAL),
    ("wrongly", "min(1, scattered*exp(rate*(slack*t - votes)))", STAGES),
    ("enough", "too_few + test_errs + bottom/(1 + bottom) + wrongly <= beta", STAGES),
))  # fmt: skip
#: A factor for what bad teachers may list, all of them together.
_SCATTERED = Bound(tuple(line for line in _STAGES.lines if line[0] == "scattered"))

_BAD = (0.3, 0.2, 0.1, 0.05, 0.02, 0.01)


@dataclass(frozen=True)
class Oracles:
    """The public numbers of a class that a plan for essential hypotheses starts from."""

    d: int
    vc: int
    size: int | float
    p: int = 1


@dataclass(frozen=True)
class StagesPlan:
    """Above-threshold over the stages, then one draw: the paper's Theorem 3."""

    goal: Goal
    oracles: Oracles
    levels: Levels | None
    chunk: int
    tolerances: tuple[int, ...]
    share: Fraction = Fraction(2, 5)
    slack: Fraction = Fraction(1, 4)
    margin: int = 0
    offset: int = 0
    teachers: int | None = None

    method = "stages"

    @classmethod
    def of(
        cls,
        goal: Goal,
        oracles: Oracles,
        chunk: int | None,
        tolerances: tuple[int, ...] | None,
    ) -> Self:
        """Return the plan that needs the fewest records; given settings are kept, uncertified."""
        if chunk is not None or tolerances is not None:
            free = tolerances or tuple(range(oracles.d, -1, -1))
            return cls(goal, oracles, None, chunk or 1, free)
        plans = [cls._with(goal, oracles, bad) for bad in _BAD]
        best = min(plans, key=lambda plan: plan.guess)
        if best.teachers is None:
            return best
        return replace(best, teachers=least_teachers(best, best.teachers))

    def p(self, stage: int) -> int:
        """Return p_j of stage j = 1, 2, ...: 2**j times a public cap of a teacher's records.

        The paper's is 2**j n d.
        """
        return int(max(self.chunk, self.oracles.d + 1, self.oracles.p) << stage)

    def longest(self, stage: int) -> int:
        """Return the length of the longest list of a stage (Lemma 4.1)."""
        d, size = self.oracles.d, self.oracles.size
        leaves = int(self.p(stage) ** d << d * d)
        return leaves if size == math.inf else min(leaves, int(size))

    @property
    def test(self) -> AboveThreshold:
        """The test between the stages."""
        return AboveThreshold(epsilon=self.goal.epsilon * self.share, limit=1)

    @property
    def draw_epsilon(self) -> Fraction:
        """What is left for the draw."""
        return self.goal.epsilon * (1 - self.share)

    @cached_property
    def cap(self) -> int:
        """Length of the longest list of any stage."""
        return self.longest(len(self.tolerances))

    @property
    def guess(self) -> float:
        """Number of records by floats."""
        return self.teachers * self.chunk if self.teachers else math.inf

    @property
    def required(self) -> int | None:
        """The least n from which on the certificate always holds, if any."""
        return self.teachers * self.chunk if self.teachers else None

    def threshold(self, teachers: int) -> int:
        """Return the public number of votes that the test asks for."""
        return max(1, math.floor(teachers * (1 - self.slack)) - self.margin)

    @classmethod
    def _with(cls, goal: Goal, oracles: Oracles, bad: float) -> Self:
        levels = Levels.least(oracles.d, oracles.vc, goal.alpha, bad)
        best = cls(goal, oracles, levels, levels.chunk, levels.tolerances)
        really = float(levels.bad(CertificateBuilder(), goal.alpha).value)
        for share in (Fraction(k, 10) for k in range(3, 6)):
            for slack in (Fraction(k, 20) for k in range(1, 10)):
                if slack <= 1.2 * bad:
                    continue
                found = replace(best, share=share, slack=slack)._sized(really)
                if found.guess < best.guess:
                    best = found
        return best

    def _sized(self, bad: float) -> Self:
        """Return the margin with which the fewest teachers suffice, by the certificate's sum."""
        margin = _margin(self.goal.epsilon * self.share, len(self.tolerances), self.goal.beta / 4)
        best = self._least(bad, margin)  # it is wrong with beta/4: not far from the best one
        steps, at = (-32, 32, -8, 8, -3, 3, -2, 2, -1, 1), 0
        while at < len(steps):
            found = self._least(bad, best.margin + steps[at])
            best, at = (found, 0) if found.guess < best.guess else (best, at + 1)
        return best

    def _least(self, bad: float, margin: int) -> Self:
        """Return the least number of teachers with a margin, by floats."""
        slack, rate = float(self.slack), float(self.draw_epsilon) / 2
        offset, failure = self._best_offset(max(margin, 0))
        left = float(self.goal.beta) * (1 - 1e-9) - failure
        log_cap = log_of(self.cap)
        hidden = rate + log_cap - log_of(self.goal.delta)
        many = log_cap + max(0.0, rate - 1 - math.log(rate))
        decay = slack * math.log(slack / bad) + (1 - slack) * math.log((1 - slack) / (1 - bad))
        if margin < 0 or left <= 0:
            return self

        def enough(t: int) -> bool:
            votes = t * (1 - slack) - 1 - 2 * margin
            bottom = 1 / (1 + math.exp(min(rate * votes - hidden, 700.0)))
            wrongly = math.exp(min(many + rate * (slack * t - votes), 0.0))
            return votes >= 1 and math.exp(-t * decay) + bottom + wrongly <= left

        fewest = math.ceil((2 + 2 * margin) / (1 - slack))
        if fewest * self.chunk > 1e15 or not enough(10**15 // self.chunk):
            return self
        teachers = least_n(enough, fewest)
        return replace(self, teachers=teachers, margin=margin, offset=offset)

    def _best_offset(self, margin: int) -> tuple[int, float]:
        """Return the best part of a margin for the threshold's noise, and the failure then."""
        test = self.test
        assert test.offset_rate is not None
        own, each, stages = float(test.offset_rate), float(test.rate), len(self.tolerances)

        def chance(b: int) -> float:
            far = 2 * math.exp(-own * (b + 1)) / (1 + math.exp(-own))
            return far + stages * math.exp(-each * (margin - b + 1)) / (1 + math.exp(-each))

        # where the derivatives of the two terms are equal
        ratio = 2 * own * (1 + math.exp(-each)) / (stages * each * (1 + math.exp(-own)))
        even = (math.log(ratio) - own + each * (margin + 1)) / (own + each)
        near = {min(max(math.floor(even) + step, 0), margin) for step in (0, 1)}
        best = min(sorted(near), key=chance)
        return best, chance(best)

    def _known(self) -> dict[str, Any]:
        """Return the inputs of the bound but for what is searched for."""
        assert self.test.offset_rate is not None
        return {
            "slack": self.slack, "cap": self.cap, "delta": self.goal.delta,
            "rate": self.draw_epsilon / 2, "own": self.test.offset_rate, "each": self.test.rate,
            "stages": len(self.tolerances),
        }  # fmt: skip

    def certificate(self, n: int) -> Certificate:
        """Return the certificate for n records."""
        goal = self.goal
        cert = CertificateBuilder(n=n, m=self.chunk, alpha=goal.alpha, beta=goal.beta)
        cert.step("records", "n", ESSENTIAL)
        if self.levels is None or self.teachers is None:
            return _uncertified(cert, goal, n)
        _teacher(cert, self, self.levels)
        teachers = cert.step("teachers", "floor(records/m)", STAGES)
        _STAGES.write(cert, **self._known(), t=teachers, margin=self.margin, offset=self.offset)
        return cert.certificate(alpha=goal.alpha, beta=goal.beta, n=n)


@lru_cache(maxsize=256)
def _margin(test_epsilon: Fraction, stages: int, beta: Fraction) -> int:
    return AboveThreshold(epsilon=test_epsilon, limit=1).error_bound(queries=stages, beta=beta)


def _teacher(cert: CertificateBuilder, plan: StagesPlan, levels: Levels) -> Step:
    """Write down what a good teacher is, and how rarely one is bad."""
    cert.step(
        "listed_fit", "p >= max(m, d + 1)", ESSENTIAL,
        p=plan.p(1) // 2, m=plan.chunk, d=plan.oracles.d,
    )  # fmt: skip
    if plan.oracles.p > 1:
        cert.step("proper", "p >= points", PROPER, p=plan.p(1) // 2, points=plan.oracles.p)
    return levels.bad(cert, plan.goal.alpha)


def _uncertified(cert: CertificateBuilder, goal: Goal, n: int) -> Certificate:
    cert.step("certified", "beta <= 0", ESSENTIAL)
    return cert.certificate(alpha=goal.alpha, beta=goal.beta, n=n)
