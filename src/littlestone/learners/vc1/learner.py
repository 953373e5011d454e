"""The private learner of a class of VC dimension 1: Yan's Algorithms 2 to 4, repaired.

The numbers are the steps of Algorithm 2 (OPTPrivateLearner), in papers 000 and 001 alike:

1. Build the tree of the class under a public concept f (Algorithm 1); relabel records by f.
2. Shuffle the records to chunks (one record each, as long as there are not very many).
3. Each chunk forces one path, whatever its records are (`chunks`).
4-7. Choose a node by the paths: in one draw, or of thresholds by a median depth (`choosers`).
8-9. Release f, flipped on the path of that node.

For proper output (001, Algorithm 4, ProperLearner) a second part of the records leads from an
improper node down to a proper one (`proper`). The plan decides tree, method, parts and their sizes
from public parameters. Statements and proofs: ``docs/learners/vc1.md``.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from littlestone.bounds import Certificate, CertificateBuilder
from littlestone.bounds.bound import Bound, log_of
from littlestone.classes import ConceptClass, ThresholdHypothesis, Thresholds
from littlestone.classes.base import LISTABLE
from littlestone.classes.leaf_paths import LeafTree
from littlestone.classes.trees import ROOT, Node, PathsTree, VC1Tree, make_tree
from littlestone.data import Sample
from littlestone.data.sample import part, shuffle
from littlestone.errors import InfeasibleError, UnsupportedError
from littlestone.learners.base import (
    CLASS,
    DELTA,
    DELTA_TEXT,
    FLAG,
    PROPER,
    ClassLearner,
    Plan,
    declared,
    maybe,
    one_of,
    share,
    verified_plan,
    whole,
)
from littlestone.learners.vc1.choosers import (
    CHUNKS,
    MOST,
    ChainMedian,
    Chooser,
    Median,
    OneShot,
    TreeGoal,
    chunk_ends,
    extreme_ends,
    first_look,
    is_chain,
    shuffled_extremes,
)
from littlestone.mechanisms import exponential_mechanism
from littlestone.source import Explicit

if TYPE_CHECKING:
    from littlestone.bounds import Step
    from littlestone.source import Source
    from littlestone.types import Hypothesis

PRIVACY = "vc1.privacy"


Method = Literal["auto", "one-shot", "median-exponential", "median-tree"]
METHODS: tuple[Method, ...] = ("one-shot", "median-exponential", "median-tree")

#: More records than this (and than are required) share chunks: the cost of a draw stays bounded.
MOST_CHUNKS = 8192

#: Shares of alpha and beta for the first of two parts that are tried.
_ALPHAS = [Fraction(k, 20) for k in (2, 4, 6, 8, 10, 12, 14, 16, 17, 18)]
_BETAS = [Fraction(k, 10) for k in (3, 5, 7, 8, 9)]


@dataclass(frozen=True)
class VC1Plan(Plan):
    """The plan of a VC-1 learner: every number of it but n."""

    tree: VC1Tree
    #: None for a tree of a single vertex: there is one concept, and nothing to choose.
    chooser: Chooser | None
    #: How an improper node is left, if the output must be proper and some node is improper.
    down: Leaves | None
    alpha: Fraction
    beta: Fraction
    chunks: int | None = None  # the user's number of chunks; None takes the best one

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
        cert = CertificateBuilder(beta=self.beta)
        records = cert.step("records", "n", CHUNKS, n=n)
        if self.chooser is None:
            cert.step("one_concept", "records >= 1", CHUNKS)
            return cert.certificate(alpha=self.alpha, beta=self.beta, n=n)
        if self.down is None:
            first = self.chooser.failure(cert, records, self.chunk_count(n))
            cert.step("enough", "failure <= beta", CHUNKS, failure=first)
            return cert.certificate(alpha=self.alpha, beta=self.beta, n=n)
        second = cert.step(
            "second_part",
            "floor(records*down/(first + down))",
            CHUNKS,
            down=self.down.required,
            first=self.chooser.required,
        )
        rest = cert.step("first_part", "records - second", CHUNKS, second=second)
        first = self.chooser.failure(cert, rest, self.chunk_count(self.parts(n)[0]))
        below = self.down.failure(cert, second)
        cert.step("enough", "first + below <= beta", CHUNKS, first=first, below=below)
        return cert.certificate(alpha=self.alpha, beta=self.beta, n=n)


@dataclass(frozen=True)
class VC1(ClassLearner[VC1Plan]):
    """The learner behind `VC1Learner`: OPTPrivateLearner, and ProperLearner (001, Algorithms 2, 4).

    (epsilon, delta), replace-one, n public, for every input.
    """

    concept_class: ConceptClass = declared(
        CLASS,
        "Public, of VC dimension at most 1: `Thresholds`, `Points`, `TreePaths`, `Prefixes`, or a "
        "`FiniteClass`.",
        kw_only=False,
    )
    delta: Fraction = declared(share(DELTA), DELTA_TEXT)
    proper: bool = declared(
        FLAG,
        "Whether the hypothesis must be a concept of the class. It always is for the structured "
        "classes; for a `FiniteClass` it may need more records.",
        default=False,
        option=PROPER,
    )
    method: Method = declared(
        one_of("auto", *METHODS),
        '``"auto"`` takes the one whose certificate needs the fewest records; the medians are for '
        "`Thresholds`.",
        default="auto",
    )
    chunks: int | None = declared(
        maybe(whole(1)), "Number of parts of the records; None takes the best one.", default=None
    )

    name = "vc1"
    estimator = "VC1Learner"
    summary = "paths of the tree of a class of VC dimension 1; for huge domains"
    claim = PRIVACY
    pure = False
    agnostic = False

    def make_plan(self) -> VC1Plan:
        """Return the plan that needs the fewest records, of the methods that the user allows."""
        epsilon, delta, alpha, beta = self.epsilon, self.delta, self.alpha, self.beta
        tree = public_tree(self.concept_class)
        if self.method.startswith("median-") and not isinstance(self.concept_class, Thresholds):
            raise UnsupportedError(
                f"method={self.method!r} is for thresholds, whose tree is one path, and not for "
                f"{self.concept_class.spec}. Use method='auto', or a median and a choice as in "
                "Algorithm 2: --learner yan.algorithm2, littlestone.papers.OPTPrivateLearner "
                "(see: littlestone papers)."
            )
        if not tree.height:
            return VC1Plan(tree, None, None, alpha, beta, self.chunks)
        leaves = most_leaves(tree) if self.proper else 0
        if not leaves:  # improper output, or output that is proper already
            chosen, own = _best(self.concept_class, (epsilon, delta, alpha, beta), self.method)
            found = verified_plan(VC1Plan(own, chosen, None, alpha, beta), _larger)
            return replace(found, chunks=self.chunks)
        if not isinstance(leaves, int):
            raise UnsupportedError(
                f"The tree of {self.concept_class.spec} has more leaves than the {LISTABLE:,} that "
                "proper output draws from. Learn improperly, or use Algorithm 4: --learner "
                "yan.algorithm4, littlestone.papers.ProperLearner (see: littlestone papers)."
            )

        def split(a: Fraction, b: Fraction) -> VC1Plan:
            below = Leaves(epsilon, alpha - alpha * a, beta - beta * b, leaves)
            numbers = (epsilon, delta, alpha * a, beta * b)
            chosen, own = _best(self.concept_class, numbers, self.method)
            return VC1Plan(own, chosen, below, alpha, beta)

        sizes = ((split(a, b).required, a, b) for a in _ALPHAS for b in _BETAS)
        _, a, b = min(sizes)
        return replace(verified_plan(split(a, b), _larger), chunks=self.chunks)

    def shuffles(self, n: int) -> bool:
        """Return whether n records are split into parts of several records.

        If not, every record is its own chunk, and the output is a function of the counts alone.
        """
        return self.plan.down is not None or self.plan.chunk_count(n) != n

    def draw(self, sample: Sample, source: Source) -> Hypothesis:
        """Draw the hypothesis; a pure function of the sample and the draws."""
        plan, n = self.plan, sample.n  # Algorithm 2, step 1: ``plan.tree``, of public parameters
        if plan.chooser is None:
            return plan.tree.hypothesis(ROOT)
        if self._by_tails and not sample.ordered:  # steps 2 and 3 at once
            assert isinstance(plan.tree, PathsTree)
            extremes = shuffled_extremes(sample, plan.chunk_count(n), source)
            return plan.tree.hypothesis(self._choose(extreme_ends(extremes, plan.tree), source))
        shuffled = shuffle(sample, source)  # step 2; for proper output also Algorithm 4, step 1
        first, _ = plan.parts(n)  # records of S_1; the others are S_2
        ends = chunk_ends(plan.tree, sample, shuffled[:first], plan.chunk_count(first))  # step 3
        node = self._choose(ends, source)  # steps 4 to 7
        # Algorithm 4: its step 3, then 4 to 8, or what replaces them, on S_2
        if plan.down is not None and not plan.tree.is_proper(node) and node is not ROOT:
            node = plan.down.go_down(node, plan.tree, part(sample, shuffled[first:]), source)
        return plan.tree.hypothesis(node)  # steps 8 and 9; Algorithm 4: 9 and 10

    @property
    def extremes(self) -> int | None:
        """How many of the outermost records are looked at, if these are all that matters."""
        return first_look(self.plan.chunk_count(2**62)) if self._by_tails else None

    @property
    def _by_tails(self) -> bool:
        """Whether only the outermost records of each chunk matter: thresholds, improper."""
        return self.plan.down is None and is_chain(self.plan.tree)

    def _choose(self, ends: Sequence[Node], source: Source) -> Node:
        """Return the node of steps 4 to 7; bottom becomes f itself."""
        chooser = self.plan.chooser
        assert chooser is not None
        node = chooser.choose(ends, self.plan.tree, source)
        return ROOT if node is None else node


@lru_cache(maxsize=64)
def public_tree(concept_class: ConceptClass, straight: bool = False) -> VC1Tree:
    """Return the tree of a class; for thresholds also as one path, rooted at its end."""
    if straight and isinstance(concept_class, Thresholds):
        low, high = concept_class.low, concept_class.high
        return make_tree(concept_class, ThresholdHypothesis(high, low, high))
    return make_tree(concept_class)


def _larger(plan: VC1Plan, more: int) -> VC1Plan:
    """Return the plan with more records in each of its parts."""
    chooser: Any = plan.chooser
    plan = replace(plan, chooser=replace(chooser, required=chooser.required + more))
    if plan.down is not None:
        below: Any = plan.down
        plan = replace(plan, down=replace(below, extra=below.extra + more))
    return plan


@lru_cache(maxsize=4096)
def _best(
    concept_class: ConceptClass,
    numbers: tuple[Fraction, Fraction, Fraction, Fraction],
    method: Method,
) -> tuple[Chooser, VC1Tree]:
    """Return the chooser that needs the fewest records, and the tree that it chooses in."""
    found: list[tuple[Chooser, VC1Tree]] = []
    chain = isinstance(concept_class, Thresholds)
    if method in ("auto", "one-shot"):
        tree = public_tree(concept_class)
        found.append((OneShot.plan(TreeGoal(*numbers, depth=tree.height)), tree))
    medians: tuple[Median, ...] = ("exponential", "tree")
    for median in medians if chain else ():
        if method in ("auto", f"median-{median}"):
            path = public_tree(concept_class, straight=True)
            long = TreeGoal(*numbers, depth=path.height)
            found.append((ChainMedian.plan(long, median), path))
    best = min(found, key=lambda pair: pair[0].required)
    if best[0].required > MOST:
        raise InfeasibleError(
            f"Learning {concept_class.spec} with this epsilon, delta, alpha and beta needs more "
            f"than {MOST:,} records, the limit of certificates. Allow a larger epsilon, delta, "
            "alpha or beta" + (", or use method='auto'." if chain and method != "auto" else "."),
            n_needed=MOST + 1,
        )
    return best


# -- Proper output: from an improper node of the tree down to a proper one, by a second part -------
#
# The exponential mechanism over the leaves of T_good (`Leaves`). Not in the paper: Algorithm 4 is
# `littlestone.papers.yan.ProperLearner`. It needs the logarithm of the number of leaves, where that
# needs a power of 1/alpha; on every tree whose leaves can be listed, it needs fewer records.


LEAVES = "vc1.proper.leaves"


# *Proof of `vc1.proper.leaves`* (Lemma 3 of docs/learners/vc1.md). Let q be the leaf on the way
# to c, and p another one. Let P be the probability of records with label 0 between x and p, and R
# that of points of I at q or above it, up to where the ways to p and q separate. err(p) = err(q)
# + P + R and err(q) <= a. On the second part, mistakes(p) - mistakes(q) counts just these
# records; p is drawn with probability at most e^(-l (mistakes(p) - mistakes(q))), whose
# expectation is at most (1 - (P+R)(1 - e^(-l)))^m. If err(p) > alpha, P + R > alpha - a. Union
# over p. QED


def node_counts(tree: VC1Tree, sample: Sample) -> tuple[Counter[Node], Counter[Node]]:
    """Return how many records each node has with label 0 and with label 1, relabelled by f.

    Records at constant points are wrong (or right) for every node alike, and left out.
    """
    negatives: Counter[Node] = Counter()
    positives: Counter[Node] = Counter()
    counts = zip(sample.points.tolist(), sample.zeros.tolist(), sample.ones.tolist(), strict=True)
    for point, zeros, ones in counts:
        node = tree.quotient(point)
        if node is None:
            continue
        if tree.f(point):
            zeros, ones = ones, zeros  # noqa: PLW2901 - relabelling (Definition 14)
        negatives[node] += zeros
        positives[node] += ones
    return negatives, positives


def leaves_below(tree: VC1Tree, node: Node) -> Iterator[Node]:
    """Yield the leaves of T_good (Algorithm 3): the first proper nodes below an improper one.

    In the public order of the tree. Nothing below a leaf is walked.
    """
    waiting = [tree.children(node)]
    while waiting:
        child = next(waiting[-1], None)
        if child is None:
            waiting.pop()
        elif tree.is_proper(child):
            yield child
        else:
            waiting.append(tree.children(child))


_LEAVES = Bound((
    ("second_failure", "min(1, (leaves - 1)*(1 - gap*(1 - exp(-rate)))**records)", LEAVES),
))  # fmt: skip


@dataclass(frozen=True)
class Leaves:
    """The exponential mechanism over the first proper nodes, scored by their mistakes.

    Notes
    -----
    *Guarantee.* Pure epsilon-DP in the second part, for every node to start from: mistakes are
    counts that one record moves by at most 1.

    *Accuracy.* Claim ``vc1.proper.leaves``.
    """

    epsilon: Fraction
    gap: Fraction  # error allowed beyond that of the node from which it starts
    beta: Fraction
    leaves: int  # public bound on the number of leaves below any improper node
    extra: int = 0  # records more than a float computation asks for

    @property
    def required(self) -> int:
        """Records from which on the certificate holds."""
        one: float = _LEAVES.log(
            "second_failure", leaves=2, gap=self.gap, rate=self.epsilon / 2, records=1
        )
        return max(1, math.ceil((log_of(self.beta) - log_of(self.leaves - 1)) / one)) + self.extra

    def go_down(self, node: Node, tree: VC1Tree, sample: Sample, source: Source) -> Node:
        """Return a proper node below an improper one."""
        negatives, positives = node_counts(tree, sample)
        leaves: list[Node] = []
        scores: list[int] = []
        for leaf, path in _with_paths(tree, node):
            leaves.append(leaf)
            # minus its mistakes, up to what all leaves have in common
            scores.append(sum(positives[at] - negatives[at] for at in path))
        candidates = Explicit(np.array(scores, dtype=np.int64))
        return leaves[exponential_mechanism(candidates, epsilon=self.epsilon, source=source)]

    def failure(self, cert: CertificateBuilder, records: Step) -> Step:
        """Write the chance of adding more than ``gap`` to the error into a certificate."""
        return _LEAVES.write(
            cert, leaves=self.leaves, gap=self.gap, rate=self.epsilon / 2, records=records
        )


def _with_paths(tree: VC1Tree, top: Node) -> Iterator[tuple[Node, list[Node]]]:
    """Yield each leaf with the nodes from below ``top`` down to it."""
    start = tree.depth(top)
    for leaf in leaves_below(tree, top):
        steps = range(start + 1, tree.depth(leaf) + 1)
        yield leaf, [tree.ancestor(leaf, depth) for depth in steps]


def most_leaves(tree: VC1Tree) -> int | float:
    """Return the largest number of first proper nodes below an improper node.

    0 if every node is proper, so that improper output does not exist; infinite if the tree cannot
    be walked.

    Examples
    --------
    >>> from littlestone.classes.trees import MatrixTree
    >>> most_leaves(MatrixTree([[0, 0, 0], [1, 1, 0], [1, 0, 1]], f=0))
    2
    """
    if isinstance(tree, LeafTree):
        return tree.n_below if tree.n_below <= LISTABLE else math.inf
    if isinstance(tree, PathsTree):
        return 0
    if not isinstance(tree.size, int):
        return math.inf
    most, walked = 0, list(tree.children(ROOT))
    for node in walked:  # grows while it is walked: all nodes, parents first
        walked += tree.children(node)
    leaves: dict[Node, int] = {}
    for node in reversed(walked):
        if tree.is_proper(node):
            leaves[node] = 1
        else:
            leaves[node] = sum(leaves[child] for child in tree.children(node))
            most = max(most, leaves[node])
    return most
