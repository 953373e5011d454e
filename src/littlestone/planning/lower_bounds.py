"""How many records *any* learner needs: what no better algorithm can beat.

Explicit bounds (docs/planning.md) come with their proofs, below; those of the papers are orders,
whose constants are unknown: they are shown, and never as a number of records.

*Two concepts.* Of three concepts two agree on any given point x0, and they differ on another
one, x1. Let x1 have mass p > alpha, x0 the rest; a mistake on x1 is a failure. Draw points, and
label them by the first concept (S) or the second (S'). They differ in K ~ Bin(n, p) records.
Let E: "the output labels x1 like the first concept". By group privacy P(E|S') >=
e^{-epsilon K}P(E|S) - delta/(e^epsilon-1). Take expectations: the left side is at most beta;
E[e^{-epsilon K}P(E|S)] >= E e^{-epsilon K} - E[1 - P(E|S)] >= (1 - p(1-e^{-epsilon}))^n - beta.
So (1 - p(1-e^{-epsilon}))^n <= 2 beta + delta/(e^epsilon-1), for every p > alpha. With users of
m records, replace alpha by 1-(1-alpha)^m: the probability that a user has x1 at all.

*VC dimension, realizable.* Of d shattered points let one have mass 1-p, the others p/(d-1)
each, p = 4 alpha. Label these at random. A point that is not in the sample is wrong with
probability 1/2; so the expected mass of wrong light points is at least (p/2)(1 - np/(d-1)), and
at most alpha + beta p. Solve for n.

*Two labels.* Where two concepts differ, put one point, labelled 1 with probability (1 +- g)/2, g >
alpha: the wrong label is a failure. Average a learner over the order of the records, and with
its mirror image: it answers 0 with probability u_k, k the number of ones, u_{n-k} = 1 - u_k.
Privacy says u_{k+1} >= e^{-epsilon}(u_k - delta), and so from the middle on no u_k is smaller
than that above; for k > n/2 the weight of u_k is positive, as Pr[K = k] >= Pr[K = n-k]. Let g
-> alpha. V_n falls in n: records can be ignored.

*Packing.* k laws agree but for mass q of their own, and their sets G_j of good outputs are
disjoint: for thresholds 0 on one point and 1 on the next one, more than alpha each; for points
1 on one. All else is a 0 elsewhere. Law j differs from the common one in M records, so
Pr_j[G_j] <= E min(1, e^{epsilon M} p_j), p_j that of the common one; sum p_j <= 1, and the right
side is concave.

*Agnostic.* One point as above: by Bretagnolle and Huber the two failure probabilities sum up to
at least 1/2 e^{-n kl}, with kl = g ln((1+g)/(1-g)) = 2g artanh g; so 2 beta >= 1/2 e^{-n kl}; let
g -> alpha. For d shattered points with mass 1/d and random signs, the same for each point, with
divergence n kl/d, gives an expected excess of at least (g/4)e^{-n kl/d}; it is at most alpha +
beta g.

*Littlestone dimension, pure.* Take a shattered tree of depth d, and one half of it below its
root x0: all its concepts agree on x0. For a path y below it let x0 have mass 1-p and the d-1
points of the path the rest, labelled by y. Let S0 be n copies of (x0, .), and G_y the hypotheses
of error at most alpha on that distribution: they are wrong on at most a share alpha/p of the
path. A sample of y differs from S0 in K ~ Bin(n, p) records, so P(G_y|S0) >= E[e^{-epsilon K}g],
g the success probability given the sample. By Jensen, weighted by g, that is at least
(1-beta)e^{-epsilon n p/(1-beta)}. But for a random path, one fixed hypothesis is right on each
next point with probability 1/2, so the average of P(G_y|S0) over y is at most
e^{-(d-1)KL(alpha/p||1/2)}. With users, replace the last p by 1-(1-p)^m.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, inf, log
from typing import TYPE_CHECKING, Any

from littlestone import bounds
from littlestone.bounds import CertificateBuilder, FormulaError, least_n
from littlestone.bounds.bound import log_of, near_zero
from littlestone.bounds.claims import paper_bound, paper_bounds
from littlestone.classes import Points, Thresholds
from littlestone.classes.dimensions import littlestone_dimension, vc_dimension
from littlestone.errors import LittlestoneError
from littlestone.safe_io import OMITTED, Plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from littlestone.bounds import Step, Unit
    from littlestone.classes import ConceptClass
    from littlestone.learners.base import Goal
    from littlestone.learners.select import Candidate
    from littlestone.types import Json


_ANY, _PURE, _APPROXIMATE = "any learner", "pure private learners", "approximately private learners"
_PROPER = "pure private proper learners"
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
            yield self._order("alon22.thm1", _APPROXIMATE, "log*(points)", log_star(points))
        elif self.ldim is not None and leak and self.ldim >= 1:
            yield self._order("alon22.thm2", _APPROXIMATE, "log*(d)", log_star(self.ldim))

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
            yield self._order("lwy24.table1.item", _PURE, formula, None, setting="agnostic")
        elif not self.budget.delta:
            formula = (
                "RepD/(min(1, m alpha) epsilon) + VC/(sqrt(m) alpha epsilon) + VC/(m alpha**2)"
            )
            yield self._order("lwy24.table1.user", _PURE, formula, None, setting="agnostic")

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
        holds_for = _APPROXIMATE if delta else _PURE
        return self._known("lower.two-labels", holds_for, "agnostic", n, step)

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
        return self._known("lower.packing", _PROPER, "realizable", n, step)

    def _step(self, claim: str, formula: str, **own: int | Fraction) -> Step:
        self.known.steps.clear()
        return self.known.step("too_few", formula, claim, **own)

    def _known(
        self, claim: str, holds_for: str, setting: str, n: int, step: Callable[[int], Step]
    ) -> LowerBound:
        """Return a bound whose step says that one record less is too few."""
        last = step(n - 1)
        return LowerBound(claim, n, self.unit, holds_for, setting, last.formula, step=last)

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
        return LowerBound(claim, int(step.value), self.unit, holds_for, setting, formula, step=step)

    def _order(
        self,
        claim: str,
        holds_for: str,
        formula: str,
        order: int | None,
        *,
        setting: str = "realizable",
    ) -> LowerBound:
        return LowerBound(claim, None, self.unit, holds_for, setting, formula, order=order)


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


# -- what the papers state -------------------------------------------------------------------------

#: What a statement must be about, to be one of the class.
_OF_THE_CLASS = {"vc_dim", "ldim", "size"}
#: Statements of which a learner here is the counterpart.
_OURS = {"alon22.lemma29": "generic", "lwy24.thm3.4": "agnostic"}


@dataclass(frozen=True)
class PaperRow(Plain):
    """One number of a paper."""

    #: The statement, its quantity, ``"enough"``, ``"at most"`` or ``"at least"``, and the number.
    name: str
    states: str
    side: str
    value: str
    ours: int | None = None  # what the learner here that does the same needs


def paper_rows(
    concept_class: ConceptClass, budget: Goal, candidates: Sequence[Candidate]
) -> list[PaperRow]:
    """Return all explicit statements about a class whose parameters are known.

    ``candidates``: the plans of the learners, for the numbers beside.

    Examples
    --------
    >>> import littlestone as ls
    >>> rows = ls.plan(ls.Thresholds(1, 99), epsilon=1).papers
    >>> [(row.name, row.value, row.ours) for row in rows if row.ours]
    [('alon22.lemma29', '6471', 190), ('lwy24.thm3.4', '1582500', 560)]
    """
    known = _known(concept_class, budget)
    ours = {c.learner: c.n for c in candidates if c.reads is None and not c.options}
    out: list[PaperRow] = []
    for one in paper_bounds():
        if one.explicit and one.ranges.keys() <= known.keys() and _OF_THE_CLASS & set(one.ranges):
            try:
                found = paper_bound(one.name, **{name: known[name] for name in one.ranges})
            except LittlestoneError:  # out of the ranges of the formula
                continue
            exact = isinstance(found.value, int) or found.value == int(found.value)
            value = str(int(found.value)) if exact else f"{float(found.value):.4g}"
            out.append(PaperRow(one.name, one.states, one.side, value))
    size = known.get("size")
    if size is None or budget.samples_per_user is not None:
        return out
    numbers: dict[str, Any] = {
        "epsilon": budget.left, "alpha": budget.alpha, "beta": budget.beta,
    }  # fmt: skip
    of_proofs = [("alon22.lemma29", bounds.alon22_lemma29(size, **numbers).n)]
    if "vc_dim" in known:
        cert = bounds.lwy24_theorem34(size, known["vc_dim"], **numbers)
        of_proofs.append(("lwy24.thm3.4", cert.n))
    states = {one.name: one.states for one in paper_bounds()}
    for name, n in of_proofs:
        what = states[name].partition(":")[0] + ", constants of the proof"
        out.append(PaperRow(name, what, "enough", str(n), ours.get(_OURS[name])))
    return out


def _known(concept_class: ConceptClass, budget: Goal) -> dict[str, Any]:
    """Return the parameters of statements that the class and the budget settle."""
    known: dict[str, Any] = {
        "epsilon": budget.left, "alpha": budget.alpha, "beta": budget.beta, "sensitivity": 1,
    }  # fmt: skip
    if budget.delta:
        known["delta"] = budget.delta
    if budget.samples_per_user is not None:
        known["m"] = budget.samples_per_user
    if isinstance(concept_class.size, int):
        known["size"] = concept_class.size
    if concept_class.vc_exact:
        known["vc_dim"] = concept_class.vc_dim
    low, high = concept_class.littlestone_bounds()
    if low == high:
        known["ldim"] = low
    return known
