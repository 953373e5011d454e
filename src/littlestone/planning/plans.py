"""The plan: every learner of the registry for one class, side by side, before any data exist."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial
from math import ceil, inf, log
from typing import TYPE_CHECKING, Any, Literal

from littlestone import bounds
from littlestone.bounds import CertificateBuilder, FormulaError, least_n
from littlestone.bounds.certificate import log_of, near_zero
from littlestone.classes import Points, Thresholds, check_class
from littlestone.classes.dimensions import littlestone_dimension, vc_dimension
from littlestone.errors import (
    InfeasibleError,
    LittlestoneError,
    UnsupportedError,
    check_fraction,
    check_integer,
    check_probability,
    counted,
    parameter_error,
)
from littlestone.learners.base import Goal, feasible
from littlestone.learners.online.algorithm import LowerBound as StreamLowerBound
from littlestone.learners.online.algorithm import MistakeBound
from littlestone.learners.online.algorithm import lower_bounds as stream_lower_bounds
from littlestone.learners.online.estimator import OnlineLearner
from littlestone.learners.online.plan import StreamGoal
from littlestone.learners.select import (
    ALL_RECORDS,
    Candidate,
    check_planned,
    compare,
    fewest,
    goal_of,
    replan,
)
from littlestone.notebooks import Card, Table
from littlestone.safe_io import OMITTED, Plain, plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from littlestone.bounds import Certificate, Step, Unit
    from littlestone.classes import ConceptClass
    from littlestone.types import Json


# -- How many records *any* learner needs: what no better algorithm can beat.
#
# Explicit bounds (docs/planning.md) come with their proofs, below; those of the papers are
# orders, whose constants are unknown: they are shown, and never as a number of records.
#
# *Two concepts.* Of three concepts two agree on any given point x0, and they differ on another
# one, x1. Let x1 have mass p > alpha, x0 the rest; a mistake on x1 is a failure. Draw points, and
# label them by the first concept (S) or the second (S'). They differ in K ~ Bin(n, p) records.
# Let E: "the output labels x1 like the first concept". By group privacy P(E|S') >=
# e^{-epsilon K}P(E|S) - delta/(e^epsilon-1). Take expectations: the left side is at most beta;
# E[e^{-epsilon K}P(E|S)] >= E e^{-epsilon K} - E[1 - P(E|S)] >= (1 - p(1-e^{-epsilon}))^n - beta.
# So (1 - p(1-e^{-epsilon}))^n <= 2 beta + delta/(e^epsilon-1), for every p > alpha. With users of
# m records, replace alpha by 1-(1-alpha)^m: the probability that a user has x1 at all.
#
# *VC dimension, realizable.* Of d shattered points let one have mass 1-p, the others p/(d-1)
# each, p = 4 alpha. Label these at random. A point that is not in the sample is wrong with
# probability 1/2; so the expected mass of wrong light points is at least (p/2)(1 - np/(d-1)), and
# at most alpha + beta p. Solve for n.
#
# *Two labels.* Where two concepts differ, put one point, labelled 1 with probability (1 +- g)/2, g
# > alpha: the wrong label is a failure. Average a learner over the order of the records, and with
# its mirror image: it answers 0 with probability u_k, k the number of ones, u_{n-k} = 1 - u_k.
# Privacy says u_{k+1} >= e^{-epsilon}(u_k - delta), and so from the middle on no u_k is smaller
# than that above; for k > n/2 the weight of u_k is positive, as Pr[K = k] >= Pr[K = n-k]. Let g ->
# alpha. V_n falls in n: records can be ignored.
#
# *Packing.* k laws agree but for mass q of their own, and their sets G_j of good outputs are
# disjoint: for thresholds 0 on one point and 1 on the next one, more than alpha each; for points 1
# on one. All else is a 0 elsewhere. Law j differs from the common one in M records, so Pr_j[G_j] <=
# E min(1, e^{epsilon M} p_j), p_j that of the common one; sum p_j <= 1, and the right side is
# concave.
#
# *Agnostic.* One point as above: by Bretagnolle and Huber the two failure probabilities sum up to
# at least 1/2 e^{-n kl}, with kl = g ln((1+g)/(1-g)) = 2g artanh g; so 2 beta >= 1/2 e^{-n kl}; let
# g -> alpha. For d shattered points with mass 1/d and random signs, the same for each point, with
# divergence n kl/d, gives an expected excess of at least (g/4)e^{-n kl/d}; it is at most alpha +
# beta g.
#
# *Littlestone dimension, pure.* Take a shattered tree of depth d, and one half of it below its root
# x0: all its concepts agree on x0. For a path y below it let x0 have mass 1-p and the d-1 points of
# the path the rest, labelled by y. Let S0 be n copies of (x0, .), and G_y the hypotheses of error
# at most alpha on that distribution: they are wrong on at most a share alpha/p of the path. A
# sample of y differs from S0 in K ~ Bin(n, p) records, so P(G_y|S0) >= E[e^{-epsilon K}g], g the
# success probability given the sample. By Jensen, weighted by g, that is at least
# (1-beta)e^{-epsilon n p/(1-beta)}. But for a random path, one fixed hypothesis is right on each
# next point with probability 1/2, so the average of P(G_y|S0) over y is at most
# e^{-(d-1)KL(alpha/p||1/2)}. With users, replace the last p by 1-(1-p)^m.


_ANY, _APPROXIMATE = "any learner", "(epsilon, delta)-DP learners"
_PURE, _PROPER = "epsilon-DP learners", "proper epsilon-DP learners"
#: Terms of a sum; with more, a bound is left out, or cut where it stays one.
_TERMS = 2_000
#: Nodes of a search for a dimension; planning is quick.
_NODES = 20_000


@dataclass(frozen=True)
class LowerBound(Plain):
    """One statement that no learner of its kind can beat."""

    claim: str  # identifier of the claim (`littlestone.bounds.claim`)
    n: int | None  # records or users that are needed; None where the constant is unknown
    unit: Unit
    holds_for: str  # which learners it speaks of
    setting: str  # ``"realizable"`` bounds hold for agnostic learners, too
    formula: str
    #: Value of the leading term where only the order is known (such as log* of the dimension).
    order: int | None = field(default=None, metadata=OMITTED)
    #: The computation, to be repeated by ``tools/checker.py``.
    step: Step | None = field(default=None, metadata=OMITTED)

    @property
    def status(self) -> str:
        """``"explicit"`` or ``"order-only"``."""
        return "order-only" if self.n is None else "explicit"

    def to_dict(self) -> Json:
        """Return plain JSON."""
        constant = "unknown" if self.n is None else "explicit"
        return super().to_dict() | {"status": self.status, "constant": constant}


def log_star(x: int) -> int:
    """Return how often the binary logarithm must be applied until at most 1 is left.

    Examples
    --------
    >>> [log_star(x) for x in (1, 2, 4, 16, 65536, 2**65536)]
    [0, 1, 2, 3, 4, 5]
    """
    count = 0
    while x > 1:
        # ceil(log2 x) is 1 exactly where log2 x is at most 1; towers are not skipped by rounding up
        x, count = (x - 1).bit_length(), count + 1
    return count


def lower_bounds(concept_class: ConceptClass, budget: Goal, *, agnostic: bool) -> list[LowerBound]:
    """Return all lower bounds that apply to a class and a budget.

    ``agnostic``: also those that hold for agnostic learners only.
    """
    if concept_class.lists_labels:
        return []
    case = _Case(concept_class, budget)
    found = [*case.realizable()]
    if agnostic:
        found += case.agnostic()
    return sorted(found, key=lambda bound: bound.n is None)


class _Case:
    """One class and one budget."""

    def __init__(self, concept_class: ConceptClass, budget: Goal) -> None:
        self.concepts, self.budget = concept_class, budget
        self.m = budget.samples_per_user
        self.unit: Unit = "records" if self.m is None else "users"
        self.vc = _asked(lambda: vc_dimension(concept_class, max_nodes=_NODES))
        self.ldim = _asked(lambda: littlestone_dimension(concept_class, max_nodes=_NODES))
        self.known = CertificateBuilder(
            alpha=budget.alpha, beta=budget.beta, epsilon=budget.epsilon,
            delta=budget.delta or Fraction(0), m=self.m or 1, vc_dim=self.vc or 0, d=self.ldim or 0,
        )  # fmt: skip

    def realizable(self) -> Iterator[LowerBound]:
        leak = bool(self.budget.delta)
        if self.concepts.size >= 3:  # two of three concepts agree on any given point
            fail = "2*beta + delta/(exp(epsilon) - 1)" if leak else "2*beta"
            touched = self._touched("alpha")
            formula = f"ceil(log(max(1, 1/({fail})))/-log(1 - {touched}*(1 - exp(-epsilon))))"
            yield self._bound("lower.two-concepts", _APPROXIMATE if leak else _PURE, formula)
        if self.vc is not None and self.vc >= 2 and self.budget.alpha <= Fraction(1, 4):
            formula = self._per_user("(vc_dim - 1)*max(0, 1 - 4*beta)/(8*alpha)")
            yield self._bound("lower.vc.realizable", _ANY, formula)
        if self.ldim is not None and not leak and self.ldim >= 2:
            yield from self._littlestone()
        if isinstance(self.concepts, Thresholds | Points) and not leak and self.m is None:
            found = _computed(self._packing)
            if found is not None:
                yield found
        if isinstance(self.concepts, Thresholds) and leak:
            points = self.concepts.size - 1
            yield self._lower("alon22.thm1", _APPROXIMATE, "log*(points)", order=log_star(points))
        elif self.ldim is not None and leak and self.ldim >= 1:
            yield self._lower("alon22.thm2", _APPROXIMATE, "log*(d)", order=log_star(self.ldim))

    def agnostic(self) -> Iterator[LowerBound]:
        claim, alpha = "lower.vc.agnostic", self.budget.alpha
        two = self.concepts.size >= 2 and self.m is None
        if two and (found := _computed(self._two_labels)) is not None:
            yield found
        else:
            formula = self._per_user("log(max(1, 1/(4*beta)))/(2*alpha*atanh(alpha))")
            yield self._bound(claim, _ANY, formula, setting="agnostic")
        biases = [g for k in range(2, 40) if (g := alpha * k / 2) < 1]
        if self.vc and biases:
            formula = self._per_user(
                "vc_dim*log(max(1, bias/(4*(alpha + beta*bias))))/(2*bias*atanh(bias))"
            )
            yield self._best(claim, _ANY, formula, "agnostic", bias=biases)
        if not self.budget.delta and self.m is None:
            formula = "RepD/(alpha epsilon) + VC/alpha**2"
            yield self._lower("lwy24.table1.item", _PURE, formula, "agnostic")
        elif not self.budget.delta:
            formula = (
                "RepD/(min(1, m alpha) epsilon) + VC/(sqrt(m) alpha epsilon) + VC/(m alpha**2)"
            )
            yield self._lower("lwy24.table1.user", _PURE, formula, "agnostic")

    def _two_labels(self) -> LowerBound:
        """Sum the test's failures u(d), d = ones less zeros, over its halves: u(-d) = 1 - u(d).

        u falls by e**-epsilon and delta with each further one, from its value at d = 0 or 1.
        """
        epsilon, delta = self.budget.epsilon, self.budget.delta or Fraction(0)
        leak = "delta/(exp(epsilon) - 1)" if delta else "0"
        fail = f"max(0, (first + {leak})*exp(-epsilon*i) - {leak})"
        failure = (
            "(walk(n, 1, alpha, -1) + walk(n, 1, alpha, 0))/2 + sum(i, 0, top, "
            f"{fail}*(walk(n, 1, alpha, odd + 2*i) - walk(n, 1, alpha, odd + 2*i - 1)"
            " - walk(n, 1, alpha, -odd - 2*i) + walk(n, 1, alpha, -odd - 2*i - 1)))"
        )

        def step(n: int, more: str = " >= beta") -> Step:
            first = "(1 - delta)/(1 + exp(epsilon))" if n % 2 else "1/2"
            top = min(n // 2, ceil(20 / epsilon), _TERMS)  # what is left out is positive
            formula = failure.replace("first", first) + more
            return self._step("lower.two-labels", formula, n=n, odd=n % 2, top=top)

        def height(n: int) -> float:
            return log(max(float(step(n, "").value), 1e-300)) - log_of(self.budget.beta)

        guess = near_zero(height, ceil(1 / self.budget.alpha**2))
        n = least_n(lambda n: not step(n).value, guess)
        last, holds_for = step(n - 1), _APPROXIMATE if delta else _PURE  # one record is too few
        return self._lower("lower.two-labels", holds_for, last.formula, "agnostic", n=n, step=last)

    def _packing(self) -> LowerBound | None:
        size, alpha, epsilon = self.concepts.size, self.budget.alpha, self.budget.epsilon
        mass = 2 * alpha if isinstance(self.concepts, Thresholds) else alpha
        laws = int(size) - 2 if isinstance(size, int) else 0
        if laws < 2 or mass >= Fraction(1, 2):
            return None
        most = ceil(Fraction(log_of(laws)) / epsilon)
        gain = "min(1, exp(epsilon*(m + 1))/laws) - min(1, exp(epsilon*m)/laws)"
        # more than m of n have the mass if at most n - m - 1 have not
        more = "walk(n, 1, 1 - 2*mass, n - 2*m - 2)"
        formula = f"1/laws + sum(m, 0, top, ({gain})*{more}) <= 1 - beta"

        def step(n: int) -> Step:
            top = min(most, n) - 1
            return self._step("lower.packing", formula, n=n, laws=laws, mass=mass, top=top)

        if most > _TERMS:
            return None
        n = least_n(lambda n: not step(n).value, ceil(most / (2 * mass)))
        last = step(n - 1)
        return self._lower("lower.packing", _PROPER, last.formula, n=n, step=last)

    def _step(self, claim: str, formula: str, **own: int | Fraction) -> Step:
        self.known.steps.clear()
        return self.known.step("too_few", formula, claim, **own)

    def _littlestone(self) -> Iterator[LowerBound]:
        """Take the best mass p of the points that distinguish concepts."""
        tried = (21, 24, 28, 32, 36, 40, 48, 56, 64, 80)
        masses = [p for k in tried if (p := self.budget.alpha * k / 10) <= 1]
        formula = (
            "ceil(max(0, (1 - beta)*((d - 1)*(log(2) + alpha/p*log(alpha/p) + "
            "(1 - alpha/p)*log(1 - alpha/p)) + log(1 - beta))/"
            f"(epsilon*{self._touched('p')})))"
        )
        if masses:
            yield self._best("lower.littlestone.pure", _PURE, formula, "realizable", p=masses)

    def _touched(self, mass: str) -> str:
        """Return the chance that a record, or a user, has a point of some mass."""
        return mass if self.m is None else f"(1 - (1 - {mass})**m)"

    def _per_user(self, records: str) -> str:
        """Without privacy n users with m records are n m records."""
        return f"ceil({records})" if self.m is None else f"ceil(({records})/m)"

    def _best(
        self, claim: str, holds_for: str, formula: str, setting: str, **tried: list[Fraction]
    ) -> LowerBound:
        """Return the largest bound of all values of one number."""
        ((name, values),) = tried.items()
        made = (self._bound(claim, holds_for, formula, setting, **{name: x}) for x in values)
        return max(made, key=lambda bound: bound.n or 0)

    def _bound(
        self, claim: str, holds_for: str, formula: str, setting: str = "realizable", **own: Fraction
    ) -> LowerBound:
        self.known.steps.clear()
        step = self.known.step("least", formula, claim, **own)
        return self._lower(claim, holds_for, formula, setting, n=int(step.value), step=step)

    def _lower(
        self, claim: str, holds_for: str, formula: str, setting: str = "realizable",
        n: int | None = None, **more: Any,
    ) -> LowerBound:  # fmt: skip
        return LowerBound(claim, n, self.unit, holds_for, setting, formula, **more)


def _computed(bound: Callable[[], LowerBound | None]) -> LowerBound | None:
    """Return a bound; none, where a walk of more than 10**9 records would have to be summed."""
    try:
        return bound()
    except FormulaError:
        return None


def _asked(question: Any) -> int | None:
    """Return a dimension, if it is known soon."""
    try:
        found = question()
    except LittlestoneError:
        return None
    return None if found == inf else int(found)


@dataclass(frozen=True)
class StreamPlan(Plain):
    """How many mistakes a stream costs."""

    horizon: int
    bound: MistakeBound | None  # of `OnlineLearner` with its defaults; None if it does not run
    #: Expected mistakes of every private learner on some stream.
    lower_bounds: tuple[StreamLowerBound, ...]
    problem: str = field(default="", metadata=OMITTED)  # why it does not run


def plan_stream(concept_class: ConceptClass, budget: Goal, horizon: int) -> StreamPlan:
    """Return what is proved about the mistakes in a stream of this length.

    ``budget``: its alpha is not read: a stream has no target but few mistakes.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.classes import Points
    >>> from littlestone.learners.base import Goal
    >>> budget = Goal(Fraction(1), Fraction(1, 10**6), Fraction(1, 10), Fraction(1, 20))
    >>> found = plan_stream(Points(), budget, 10**6)
    >>> print(found.bound)
    at most 116 mistakes among 1,000,000 adaptively chosen records, with ...
    >>> print(found.lower_bounds[0])
    Omega(d): at least 0.5 [littlestone.soa]
    """
    learner = OnlineLearner(
        concept_class,
        epsilon=budget.epsilon,
        delta=budget.delta,
        horizon=horizon,
        beta=budget.beta,
        records_per_user=budget.samples_per_user,
    )
    ok, why, next_step = feasible(learner)
    goal = StreamGoal(budget.epsilon, budget.delta, horizon, budget.beta, budget.samples_per_user)
    lower = stream_lower_bounds(goal, concept_class)
    if not ok:
        return StreamPlan(horizon, None, lower, f"{why} {next_step}".strip())
    return StreamPlan(horizon, learner.mistake_bound(), lower)


_HEAD = ("learner", "needs", "setting", "status")


@dataclass(frozen=True, repr=False)
class Plans:
    """What all learners need for one class and one budget; printed as a table."""

    concept_class: ConceptClass
    budget: Goal
    agnostic: bool  # whether only certificates for any labels count
    #: All learners, also those that cannot learn the class, with the reason.
    candidates: tuple[Candidate, ...]
    horizon: int | None = None  # of a stream, if one is planned for too: see `stream`

    def __iter__(self) -> Iterator[Candidate]:
        """Iterate over the learners that count, in the order of the registry."""
        return (c for c in self.candidates if c.n is not None and (c.agnostic or not self.agnostic))

    @property
    def chosen(self) -> Candidate | None:
        """What ``fit`` takes by itself: the fewest records, certified for any labels."""
        return fewest([c for c in self if c.agnostic and c.reads is None])

    @property
    def cheaper(self) -> Candidate | None:
        """The candidate that needs least of all, if that is another one."""
        least = fewest(list(self))
        chosen = self.chosen
        if least is None or (chosen is not None and least.n == chosen.n):
            return None
        return least

    @property
    def why(self) -> str:
        """Say why that one is chosen."""
        chosen = self.chosen
        if chosen is None:
            return (
                "fit selects none of them by itself: no learner here is certified for any labels."
            )
        mine = getattr(chosen.algorithm, "plan", None)
        method = getattr(mine, "method", None)
        rivals = [
            c
            for c in self
            if c.agnostic
            and c.reads is None
            and c is not chosen
            and (method is None or c.options.get("method") != method)
        ]
        what = f"Of the learners that are certified for any labels, {chosen.learner!r}"
        if not rivals:
            return f"{what} is the only one planned for this class with these parameters."
        second = fewest(rivals)
        assert second is not None
        if second.learner == chosen.learner:  # users: its methods are compared
            what += f" (method {method!r})"
        named = second.options.get("method", second.learner)
        return f"{what} needs the fewest {chosen.unit}; {named!r} is next ({second.n:,})."

    @cached_property
    def lower_bounds(self) -> list[LowerBound]:
        """What no learner can beat; see `littlestone.planning.lower_bounds`."""
        return lower_bounds(self.concept_class, self.budget, agnostic=True)

    @cached_property
    def stream(self) -> StreamPlan | None:
        """The mistakes in a stream of ``horizon`` records, with the same budget."""
        if self.horizon is None:
            return None
        return plan_stream(self.concept_class, self.budget, self.horizon)

    @cached_property
    def non_private(self) -> dict[str, Certificate]:
        """What suffices without privacy, ``"realizable"`` and ``"agnostic"``, in records."""
        found: dict[str, Certificate] = {}
        size = self.concept_class.size
        numbers: dict[str, Any] = {"alpha": self.budget.alpha, "beta": self.budget.beta}
        try:
            dim: int | None = self.concept_class.vc_dim
        except LittlestoneError:
            dim = None
        erm = partial(bounds.erm, structure=self.concept_class.structure)
        for setting, finite, by_dim in (
            ("realizable", bounds.consistent, bounds.consistent_vc),
            ("agnostic", erm, bounds.erm_vc),
        ):
            ways = [finite(size, **numbers)] if isinstance(size, int) else []
            ways += [by_dim(dim, **numbers)] if dim is not None else []
            # a private learner is one without privacy, too
            mine = fewest(
                [c for c in self if c.unit == "records" and setting in ("realizable", _setting(c))]
            )
            if mine is not None and mine.certificate is not None:
                ways.append(mine.certificate)
            if ways:
                found[setting] = min(ways, key=lambda certificate: certificate.n)
        return found

    def to_dict(self) -> Json:
        """Return plain JSON, every number with its certificate."""
        chosen, cheaper = self.chosen, self.cheaper
        return {
            "class": self.concept_class.spec,
            "asked": plain(asked(self.budget)),
            "plans": [_row(c, self.budget) for c in self.candidates],
            "chosen": None if chosen is None else chosen.learner,
            "why": self.why,
            "cheaper": None if cheaper is None else cheaper.learner,
            "non_private": {k: c.to_dict() for k, c in self.non_private.items()},
            "lower_bounds": [bound.to_dict() for bound in self.lower_bounds],
            **({} if self.stream is None else {"stream": self.stream.to_dict()}),
        }

    def __repr__(self) -> str:
        rows = [_HEAD, *self._rows()]
        widths = [max(len(row[i]) for row in rows) for i in range(4)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
        return "\n".join([f"Needed to learn {self.concept_class.spec}", *lines, self.why])

    def _repr_html_(self) -> str:
        title = f"Needed to learn {self.concept_class.spec}"
        asked_for = ", ".join(f"{name} {value}" for name, value in asked(self.budget).items())
        lines = [("Required", asked_for), ("Choice", self.why)]
        return Card(title, lines, Table(_HEAD, tuple(self._rows()))).html()

    def _rows(self) -> list[tuple[str, str, str, str]]:
        """Return a row of texts for each learner."""
        rows: list[tuple[str, str, str, str]] = []
        for c in self.candidates:
            mark = " (chosen)" if c is self.chosen else ""
            name = f"{c.shown}{mark}"
            if c.n is None:
                status = "not planned" if c.dominated else "not feasible"
                rows.append((name, "-", "-", "needs delta" if c.needs_delta else status))
            else:
                certificate = c.certificate
                status = "" if certificate is None else certificate.status
                rows.append((name, counted(c.n, c.unit), _setting(c), status))
        return rows


def plan(
    concept_class: Any,
    *,
    epsilon: Any,
    delta: Any = None,
    alpha: Any = "0.1",
    beta: Any = "0.05",
    samples_per_user: Any = None,
    agnostic: bool = False,
    horizon: Any = None,
    evaluate: Any = None,
) -> Plans:
    """Compare all learners for a class: how many records or users each one needs.

    Parameters
    ----------
    concept_class : ConceptClass
    epsilon : number in (0, inf)
        Privacy loss that is allowed.
    delta : number in (0, 1), optional
        What is allowed besides epsilon; without it only pure learners count.
    alpha, beta : number in (0, 1)
        (Excess) error, and the probability of exceeding it.
    samples_per_user : int >= 1, optional
        Protect users, each with at most this number of records.
    agnostic : bool, default False
        Leave out learners that promise nothing for data that no concept explains.
    horizon : int >= 1, optional
        Also say how many mistakes a stream of so many records costs (`Plans.stream`).
    evaluate : number in (0, epsilon), optional
        The part of epsilon that a private evaluation takes; the learners get what it leaves.

    Returns
    -------
    Plans
        Its repr is a table; `Plans.to_dict` holds every certificate.

    Raises
    ------
    ParameterError
    UnsupportedError
        If no learner can promise this, with all reasons.

    Notes
    -----
    Reads no data, and depends on public parameters only. Cost: a second or two for any class; the
    learners' own planning is all there is.

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> plans = plan(Thresholds(1, 2**20), epsilon=1, delta=1e-6)
    >>> plans.chosen.learner, plans.chosen.n, plans.cheaper.learner, plans.cheaper.n
    ('agnostic', 852, 'generic', 420)
    >>> [bound.n for bound in plans.lower_bounds if bound.claim == "lower.two-concepts"]
    [36]
    """
    budget = goal_of(
        "plan",
        epsilon=epsilon,
        delta=delta,
        alpha=alpha,
        beta=beta,
        samples_per_user=samples_per_user,
        evaluate=evaluate,
    )
    concepts = check_class("plan", concept_class)
    if horizon is not None:
        check_integer("plan", "horizon", horizon, low=1)
    check_planned(concepts, budget)
    plans = Plans(concepts, budget, agnostic, tuple(compare(concepts, budget)), horizon)
    if fewest(list(plans)) is None:
        reasons = "; ".join(
            f"{c.learner}: {c.problem or 'realizable only'}" for c in plans.candidates
        )
        raise UnsupportedError(
            f"No learner can guarantee this for {concepts.spec}. {reasons}{_streamed(plans.stream)}"
        )
    return plans


def _streamed(found: StreamPlan | None) -> str:
    """Say what is known of streams, where no learner promises anything."""
    if found is None:
        return ""
    mistakes = found.bound or found.problem.rstrip(".")
    least = ", ".join(map(str, found.lower_bounds))
    return (
        f" In a stream of {found.horizon:,} records: {mistakes}. Every private learner makes, in "
        f"expectation on some stream: {least}."
    )


def asked(budget: Goal) -> Json:
    """Return the exact numbers of a budget that are not 0."""
    names = ("epsilon", "delta", "alpha", "beta", "samples_per_user")
    numbers = {name: getattr(budget, name) for name in names if getattr(budget, name)}
    if budget.evaluation:
        numbers["evaluate"] = budget.evaluation * budget.epsilon
    return numbers


def _setting(candidate: Candidate) -> str:
    return "agnostic" if candidate.agnostic else "realizable"


def _row(candidate: Candidate, budget: Goal) -> Json:
    """Return one learner's plan, or why there is none."""
    out: Json = {"learner": candidate.learner}
    if candidate.options:
        out["options"] = candidate.options
    if candidate.n is None or candidate.guarantee is None:
        status = "not planned" if candidate.dominated else "not feasible"
        out |= {"status": status, "reason": str(candidate.problem)}
        return out | {"needs": "--delta"} if candidate.needs_delta else out
    certificate = candidate.certificate
    assert certificate is not None
    out |= {
        "n": candidate.n,
        "unit": candidate.unit,
        "setting": _setting(candidate),
        "status": certificate.status,
        "guarantee": candidate.guarantee.to_dict(),
        "certificate": certificate.to_dict(),
    }
    if candidate.reads is not None:
        out["reads"] = candidate.reads
        if candidate.reads == ALL_RECORDS:
            m = budget.samples_per_user
            out |= {
                "reads": f"{counted(m or 1, 'records')} of each user",
                "epsilon_of_a_record": f"epsilon/{m}",
            }
    return out


#: Number of digits of the decimals among which values are searched.
_DIGITS = 3
_SMALLEST = {"epsilon": -6, "alpha": -6}  # powers of ten
_LARGEST = {"epsilon": 3, "alpha": -1}


@dataclass(frozen=True)
class Solution:
    """The least epsilon, or alpha, that n records or users allow."""

    candidate: Candidate  # the learner that attains it, with its certificate
    what: str  # ``"epsilon"`` or ``"alpha"``
    value: Fraction  # a decimal of three digits; the next smaller one does not do
    n: int  # what was given

    def to_dict(self) -> Json:
        """Return plain JSON."""
        certificate = self.candidate.certificate
        return {
            "learner": self.candidate.learner,
            "setting": "agnostic" if self.candidate.agnostic else "realizable",
            "solve": self.what,
            "value": float(self.value),
            "n": self.n,
            "unit": self.candidate.unit,
            "required": self.candidate.n,
            "certificate": None if certificate is None else certificate.to_dict(),
        }


def solve(
    concept_class: Any,
    what: Literal["epsilon", "alpha"],
    n: int,
    *,
    evaluate: Any = None,
    **asked: Any,
) -> list[Solution]:
    """Return, for each learner, the least epsilon or alpha that n records or users certify.

    ``what``: what is searched for; the other one is among ``asked``, what `plan` takes; ``n``:
    number of records, or of users with ``samples_per_user``; ``evaluate``: the *share* of epsilon
    that a private evaluation takes.

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> best, *_ = solve(Thresholds(1, 2**20), "epsilon", 1000, alpha="0.1")
    >>> best.candidate.learner, float(best.value)
    ('generic', 0.36...)
    """
    if what not in ("epsilon", "alpha"):
        raise parameter_error("solve", "what", "'epsilon' or 'alpha'", what)
    n = check_integer("solve", "n", n, low=1)
    if what in asked:
        hint = f"It is computed for {n} records: leave it out."
        raise parameter_error("solve", what, "left out", asked[what], hint)
    easiest = Fraction(10) ** (_LARGEST[what] + 1) * Fraction(999, 1000)
    # First with the largest value: who cannot learn with that cannot learn at all.
    asked[what] = easiest
    if evaluate is not None:
        share = check_probability("solve", "evaluate", evaluate)
        asked["evaluate"] = share * check_fraction("solve", "epsilon", asked["epsilon"])
    plans = plan(concept_class, **asked)
    found: list[Solution] = []
    for candidate in plans:
        made = _least(candidate, concept_class, plans.budget, what, n)
        if made is not None:
            found.append(Solution(made[0], what, made[1], n))
    if not found:
        least = min(c.n or 0 for c in plans)
        unit = next(iter(plans)).unit
        raise InfeasibleError(
            f"{n:,} {unit} are too few for every learner of {concept_class.spec}, however large "
            f"{what} is; {least:,} are needed at {what} {float(easiest):,g}.",
            n_needed=least,
        )
    return sorted(found, key=lambda solution: (solution.value, solution.candidate.n or 0))


def _least(
    candidate: Candidate, concept_class: Any, budget: Goal, what: str, n: int
) -> tuple[Candidate, Fraction] | None:
    """Bisect on the decimals of three digits, in their order."""

    def at(i: int) -> Candidate | None:
        found = replan(candidate, concept_class, replace(budget, **{what: decimal(i)}))  # type: ignore[arg-type]
        return found if found.n is not None and found.n <= n else None

    def decimal(i: int) -> Fraction:
        power, digits = divmod(i, 9 * 10 ** (_DIGITS - 1))
        mantissa = Fraction(digits + 10 ** (_DIGITS - 1), 10 ** (_DIGITS - 1))
        return mantissa * Fraction(f"1e{power + _SMALLEST[what]}")

    last = (_LARGEST[what] - _SMALLEST[what] + 1) * 9 * 10 ** (_DIGITS - 1) - 1
    if at(last) is None:
        return None
    least = bisect_left(range(last), True, key=lambda i: at(i) is not None)
    best = at(least)
    assert best is not None
    return best, decimal(least)
