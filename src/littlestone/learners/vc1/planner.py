"""Everything that public parameters decide: the tree, the method, the parts, their sizes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal

from littlestone.bounds import Certificate, CertificateBuilder
from littlestone.classes import ConceptClass, ThresholdHypothesis, Thresholds
from littlestone.classes.trees import VC1Tree, make_tree
from littlestone.errors import InfeasibleError
from littlestone.learners.vc1.claims import CHUNKS
from littlestone.learners.vc1.methods import Chooser, TreeBudget
from littlestone.learners.vc1.one_shot import OneShot
from littlestone.learners.vc1.proper import Down, ProperSelection, most_leaves, way_down
from littlestone.learners.vc1.search import MOST
from littlestone.learners.vc1.two_step import TwoStep

__all__ = ["METHODS", "MOST_CHUNKS", "Method", "Plan", "plan", "plan_methods"]

Method = Literal["auto", "one-shot", "median-exponential", "median-tree"]
METHODS = ("one-shot", "median-exponential", "median-tree")

#: More records than this (and than are required) share chunks: the cost of a draw stays bounded.
MOST_CHUNKS = 8192

#: Shares of alpha and beta for the first of two parts that are tried.
_ALPHAS = [Fraction(k, 20) for k in (2, 4, 6, 8, 10, 12, 14, 16, 17, 18)]
_BETAS = [Fraction(k, 10) for k in (3, 5, 7, 8, 9)]


@dataclass(frozen=True)
class Plan:
    """How a class is learned; n is the only thing that it does not know.

    Attributes
    ----------
    tree : VC1Tree
    chooser : Chooser or None
        None for a tree of a single vertex: there is one concept, and nothing to choose.
    down : ProperSelection or None
        How an improper node is left, if the output must be proper and some node is improper.
    alpha, beta : Fraction
    chunks : int or None
        A number of chunks that somebody asked for; None takes what is best.
    """

    tree: VC1Tree
    chooser: Chooser | None
    down: ProperSelection | None
    alpha: Fraction
    beta: Fraction
    chunks: int | None = None

    @property
    def required(self) -> int:
        """The least n from which on the certificate always holds."""
        if self.chooser is None:
            return 1
        return self.chooser.required + (self.down.required if self.down else 0)

    def parts(self, n: int) -> tuple[int, int]:
        """Return how many records go to the first and to the second part."""
        second = n * self.down.required // self.required if self.down else 0
        return n - second, second

    def chunk_count(self, first: int) -> int:
        """Return the number of chunks of the first part: one for each record, up to a limit."""
        if self.chunks is not None:
            return self.chunks
        required = 1 if self.chooser is None else self.chooser.required
        return max(1, min(first, max(required, MOST_CHUNKS)))

    @lru_cache(maxsize=256)  # noqa: B019 - plans are few, and kept by `plan` anyway
    def certificate(self, n: int) -> Certificate:
        """Return the certificate for n records."""
        cert = CertificateBuilder()
        records = cert.step("records", "n", CHUNKS, n=n)
        if self.chooser is None:
            cert.step("one_concept", "records >= 1", CHUNKS, records=records)
            return cert.certificate(alpha=self.alpha, beta=self.beta, n=n)
        if self.down is None:
            first = self.chooser.failure(cert, records, self.chunk_count(n))
            cert.step("enough", "failure <= beta", CHUNKS, failure=first, beta=self.beta)
            return cert.certificate(alpha=self.alpha, beta=self.beta, n=n)
        second = cert.step(
            "second_part",
            "floor(records*down/(first + down))",
            CHUNKS,
            records=records,
            down=self.down.required,
            first=self.chooser.required,
        )
        rest = cert.step("first_part", "records - second", CHUNKS, records=records, second=second)
        first = self.chooser.failure(cert, rest, self.chunk_count(self.parts(n)[0]))
        below = self.down.failure(cert, second)
        cert.step(
            "enough", "first + below <= beta", CHUNKS, first=first, below=below, beta=self.beta
        )
        return cert.certificate(alpha=self.alpha, beta=self.beta, n=n)


@lru_cache(maxsize=64)
def public_tree(concept_class: ConceptClass, straight: bool = False) -> VC1Tree:
    """Return the tree of a class; for thresholds also as one path, rooted at its end."""
    if straight and isinstance(concept_class, Thresholds):
        low, high = concept_class.low, concept_class.high
        return make_tree(concept_class, ThresholdHypothesis(high, low, high))
    return make_tree(concept_class)


@lru_cache(maxsize=256)
def plan(
    concept_class: ConceptClass,
    epsilon: Fraction,
    delta: Fraction,
    alpha: Fraction,
    beta: Fraction,
    *,
    method: Method = "auto",
    proper: bool = False,
    down: Down = "auto",
    chunks: int | None = None,
) -> Plan:
    """Return the plan that needs the fewest records, of those that are asked for.

    Raises
    ------
    UnsupportedError
        If the class has no tree of a class of VC dimension 1.
    """
    tree = public_tree(concept_class)
    if not tree.height:
        return Plan(tree, None, None, alpha, beta, chunks)
    leaves = most_leaves(tree) if proper else 0
    if not leaves:  # improper output, or output that is proper already
        chosen, own = _best(concept_class, (epsilon, delta, alpha, beta), method)
        return _settled(Plan(own, chosen, None, alpha, beta, chunks))
    # which method is best hardly depends on the split
    middle = (epsilon, delta, alpha * Fraction(7, 10), beta * Fraction(8, 10))
    resolved: Any = _best(concept_class, middle, method)[0].name

    def split(a: Fraction, b: Fraction, *, rough: bool) -> Plan:
        rest = {"gap": alpha - alpha * a, "beta": beta - beta * b}
        below = way_down(leaves, epsilon, delta, down=down, rough=rough, **rest)
        chosen, own = _best(concept_class, (epsilon, delta, alpha * a, beta * b), resolved)
        return Plan(own, chosen, below, alpha, beta, chunks)

    found = ((split(a, b, rough=True).required, a, b) for a in _ALPHAS for b in _BETAS)
    _, a, b = min(found)
    return _settled(split(a, b, rough=False))


def _settled(found: Plan) -> Plan:
    """Return a plan whose exact certificate holds at its number of records: floats found it."""
    step = 4
    while not replace(found, chunks=None).certificate(found.required).holds:
        chooser: Any = found.chooser
        found = replace(found, chooser=replace(chooser, required=chooser.required + step // 4))
        if found.down is not None:
            below: Any = found.down
            found = replace(found, down=replace(below, extra=below.extra + step // 4))
        step = step * 5 // 4  # 1 at first: floats are hardly ever off by more
    return found


def plan_methods(
    concept_class: ConceptClass, epsilon: Fraction, delta: Fraction, alpha: Fraction, beta: Fraction
) -> dict[str, int]:
    """Return how many records each method needs, for improper output."""
    return {
        method: plan(concept_class, epsilon, delta, alpha, beta, method=method).required
        for method in METHODS
    }


@lru_cache(maxsize=4096)
def _best(
    concept_class: ConceptClass,
    numbers: tuple[Fraction, Fraction, Fraction, Fraction],
    method: Method,
) -> tuple[Chooser, VC1Tree]:
    found: list[tuple[Chooser, VC1Tree]] = []
    tree = public_tree(concept_class)
    budget = TreeBudget(*numbers, depth=tree.height)
    if method in ("auto", "one-shot"):
        found.append((OneShot.plan(budget), tree))
    medians: tuple[Literal["exponential", "tree"], ...] = ("exponential", "tree")
    for median in medians:
        if method in ("auto", f"median-{median}"):
            found.append((TwoStep.plan(budget, median), tree))
            if isinstance(concept_class, Thresholds):
                path = public_tree(concept_class, straight=True)
                long = TreeBudget(*numbers, depth=path.height)
                found.append((TwoStep.plan(long, median, straight=True), path))
    best = min(found, key=lambda pair: pair[0].required)
    if best[0].required > MOST:
        raise InfeasibleError(
            f"Learning {concept_class.spec} with epsilon, delta, alpha and beta as given needs "
            f"more than {MOST:,} records, and certificates end there. Allow a larger epsilon, "
            "delta, alpha or beta" + (", or use method='auto'." if method != "auto" else "."),
            n_needed=MOST + 1,
        )
    return best
