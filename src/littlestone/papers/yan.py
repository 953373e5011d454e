"""Yan 2025 (000: first version, 001: second one): classes of VC dimension 1, as it is printed.

=====================  ========================================================================
`MakeTree`             Algorithm 1, of a class that is written out
`PrivateMedian`        Theorem 6 (001: 9), the log* recursion of Cohen, Lyu, Nelson, Sarlos and
                       Stemmer, which the paper cites: a reconstruction
`ChoosingMechanism`    Lemma 1
`OPTPrivateLearner`    Algorithm 2, with any number of chunks and any private median; with
                       `PrivateMedian` it is Theorems 1, 8 and 11
`MakeSubTree`          001, Algorithm 3, of trees of any size: no leaf is listed
`ProperLearner`        001, Algorithm 4, on any tree
=====================  ========================================================================

Numbers in comments are the printed steps. d(x) is `VC1Tree.depth`, and x ⪯ y is
`VC1Tree.precedes`: y is x or above it. Errata are numbered in docs/errata.csv (docs/papers.md).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from littlestone.bounds import CertificateBuilder, Step, least_n
from littlestone.classes import make_tree
from littlestone.classes.trees import ROOT
from littlestone.data.sample import part, shuffle, sizes
from littlestone.errors import check_integer
from littlestone.mechanisms import exponential_mechanism, score_needed, sparse_select
from littlestone.mechanisms.estimate import coin_of
from littlestone.mechanisms.median import (
    Ordered,
    RankExponential,
    RankWindow,
    TreeEM,
    Trie,
    bit_length,
    branchings,
)
from littlestone.mechanisms.select import Order, canonical_key, entering_bottom
from littlestone.papers.adaptor import BOUNDS, Certified, on_page
from littlestone.privacy import BoundedRange, Guarantee, Loss, Pure, largest_scale
from littlestone.source import Exp, Explicit, LeveledChoice

if TYPE_CHECKING:
    from littlestone.classes import ConceptClass
    from littlestone.classes.trees import Node, VC1Tree
    from littlestone.data import Sample
    from littlestone.data.sample import Kinds
    from littlestone.learners.base import Goal
    from littlestone.source import Source
    from littlestone.types import Hypothesis


PRIVACY = "yan.privacy"
CHOOSING = "yan.choosing"
MEDIAN = "yan.median"
IMPROPER = "yan.algorithm2"
PROPER = "yan.algorithm4"


@on_page("yan.algorithm1", "Algorithm 1", "construction",
         "MakeTree: points of a class of VC dimension 1 form a tree")  # fmt: skip
@dataclass(frozen=True)
class MakeTree:
    """Algorithm 1: the tree of a class of VC dimension 1 that is written out.

    For classes that cannot be written out: `littlestone.classes.make_tree`.

    Examples
    --------
    >>> MakeTree(f=0)([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 0, 1]])
    {0: None, 2: None, 1: 0}
    """

    f: int = 0  # number of the selected concept

    def __call__(self, concepts: Sequence[Sequence[int]]) -> dict[int, int | None]:
        """Return the parent of each node, None for the root; of equal points the first is one."""
        # 1. select f, construct C_f
        C_f = [[y ^ z for y, z in zip(c, concepts[self.f], strict=True)] for c in concepts]
        columns = list(zip(*C_f, strict=True))
        # Assumptions 1 and 2: equal points are merged, constant ones (not concepts, erratum 11) go
        X = [x for x, column in enumerate(columns) if any(column) and columns.index(column) == x]

        def below(x: int, y: int) -> bool:  # x ≺ y (Definition 13)
            return x != y and all(b >= a for a, b in zip(columns[x], columns[y], strict=True))

        tops = [x for x in X if not any(below(x, y) for y in X)]
        T: dict[int, int | None] = dict.fromkeys(tops)  # 2. the root, and what is just below it
        leaves = tops
        while leaves:  # 3. "if" in print (erratum 11)
            new_leaves: list[int] = []  # (a) for each leaf l of L:
            for leaf in leaves:  # i. all x ≺ l with nothing between
                for x in X:
                    if below(x, leaf) and not any(below(x, y) and below(y, leaf) for y in X):
                        T[x] = leaf
                        new_leaves.append(x)
            leaves = new_leaves
        return T  # 4.


# -- Theorem 6 (001: 9): PrivateMedian ------------------------------------------------------------


class Thresholds(NamedTuple):
    """The numbers of one level of `PrivateMedian`: functions of its parameters and of n."""

    trim: int  # records cut off at either end (step 1)
    least: int  # balance of a node that the heavy branch may choose
    bottom: Exp  # its weight there
    theta: int  # of the test for a balanced node (step 2)
    drop: int  # the deepest records are dropped (step 3); one more than a calm tree's balance
    stable: int  # of the release of a node (step 5)
    rest: int  # records that are handed to the next level


# DLap(e) is two-sided geometric noise, Pr[Z >= k] = exp(-e k) / (1 + exp(-e)) for k >= 1. The
# balance of a node is the smaller of its children's weights. One level trims both ends (1) and
# tests whether the largest balance gamma + DLap(e_t) reaches theta (2). If so, it draws a node of
# balance at least f by Lemma 1 of docs/median.md (*heavy branch*). If not (*path branch*), it
# walks from the root to the heavier child, notes at which depth each record leaves that path,
# drops the d deepest records (3), finds an interior point q of these depths (4, the next level,
# at e_r), takes the fullest node of depth q, with c1 records, unless c1 + DLap(e_s) < G + 1 + k_s
# (5), and chooses between its leaves by A's score (6, at e_c).
#
# Let kd(e, p) be the least k >= 1 with Pr[Z >= k] <= p. G = theta - 1 + kd(e_t, delta/2); k_s =
# kd(e_s, delta/2); d = max(G + 1, G + k_s + kd(e_s, beta/8) - 1); e_t : e_s : e_c : e_r = 1 : 1 :
# 1 : 2. Privacy needs **d >= G + 1** and does not depend on theta.
#
# **Theorem** (claim `yan.median`). *PrivateMedian is (epsilon, delta)-DP, epsilon = e_t + e_s +
# e_c + e_r, and at the certified n fails with probability at most beta.*
#
# *Why.* Each balance moves by at most 1. A node that is a candidate of one data set only has
# balance f and lies on the replaced record's path, and off-path children are disjoint: at most k
# = min(h, m/f - 1) nodes, so Lemma 1 gives the heavy branch (e_s + e_c + e_r, delta/2). If gamma
# > G in one of two neighbours, the path branch has probability at most delta/2. Otherwise, below
# the node at depth j where their two paths separate, each path has at most G + 1 records, and
# step 3 drops them: what remains is min(depth, j), *one* function of a record for both. Two nodes
# of one depth with more than G records would have a common ancestor of balance above G; so if the
# fullest node changes, c1 <= G + 1, and it is released with probability at most delta/2. The
# failures of steps 5, 6, 4 and of the test have shares beta/8, beta/4, beta/2 and beta/8.


@on_page("yan.theorem6", "Theorem 6 (001: 9)", "mechanism",
         "PrivateMedian: an alpha-median of an ordered domain, order log*")  # fmt: skip
@dataclass(frozen=True)
class PrivateMedian:
    """Theorem 6 (001: Theorem 9): an alpha-median of {0, ..., size - 1}, of order log* size.

    Each level replaces the domain by the depths 0, ..., log2(size) of a binary tree over it: follow
    the heavier child from the root, and note at which depth each record leaves. ``levels`` of them,
    then `RankExponential` or `TreeEM` on what is left, whichever needs fewer records.

    The cited paper gives no constants, so steps and thresholds are ours (see the comment). Privacy
    is by basic composition; ``beta`` is the failure that thresholds are made for, and no privacy
    depends on it.

    Examples
    --------
    >>> median = PrivateMedian(2**64, epsilon=Fraction(1), delta=Fraction(1, 10**6))
    >>> print(median.guarantee())
    (1, 1e-06)-differential privacy, replace-one [yan.median]
    """

    size: int
    epsilon: Fraction
    delta: Fraction
    beta: Fraction = Fraction(1, 20)
    alpha: Fraction = Fraction(1, 3)
    levels: int = 1

    def guarantee(self) -> Guarantee:
        """Return what is promised when one value is replaced."""
        return Guarantee(self.epsilon, self.delta, claim=MEDIAN)

    @property
    def height(self) -> int:
        """Of the binary tree over the domain."""
        return (self.size - 1).bit_length()

    @property
    def window(self) -> RankWindow:
        """The ranks of an alpha-median (Definition 11)."""
        return RankWindow(Fraction(1, 2) - self.alpha, Fraction(1, 2) + self.alpha)

    @property
    def each(self) -> Fraction:
        """Epsilon of the test, of the stable release, and of the last choice; the rest is left."""
        return self.epsilon / 5

    @property
    def heavy(self) -> Fraction:
        """Epsilon of the heavy branch: what the path branch may spend."""
        return 4 * self.each

    @cached_property
    def inner(self) -> PrivateMedian | RankExponential | TreeEM:
        """The mechanism on the depths: an interior point."""
        size, beta = self.height + 1, self.beta / 2
        epsilon, delta = 2 * self.each, self.delta / 2
        if self.levels > 1:
            return PrivateMedian(size, epsilon, delta, beta, Fraction(1, 2), self.levels - 1)
        interior = RankWindow(Fraction(0), Fraction(1))
        exponential = RankExponential(size, interior, epsilon)
        tree = TreeEM((size - 1).bit_length(), interior, epsilon, delta)
        return exponential if exponential.least_n(beta) <= tree.least_n(beta) else tree

    @lru_cache(maxsize=64)  # noqa: B019 - a handful of n
    def thresholds(self, n: int) -> Thresholds:
        """Return the thresholds for n records: those of the certificate."""
        cert = CertificateBuilder()
        self.level(cert, n, 0)
        at: dict[str, Any] = {
            name: cert.steps[f"{name}_0"].value for name, *_ in BOUNDS["yan.theorem6"].lines
        }
        bottom = entering_bottom(
            entering=at["entering"], score=at["least"], rate=self.heavy / 2, delta=self.delta / 2
        )
        return Thresholds(
            at["trim"], at["least"], bottom, at["theta"], at["drop"], at["calm"] + 1 + at["leak"],
            at["rest"],
        )  # fmt: skip

    def draw(self, values: Ordered | Sequence[int], source: Source) -> int | None:
        """Return a point of the domain, or None, a public default."""
        if not isinstance(values, Ordered):
            values = Ordered.of(values, self.size)
        if self.size == 1:
            return 0
        return self.run(values, self.thresholds(values.n), source)

    def run(self, values: Ordered, at: Thresholds, source: Source) -> int | None:
        """Run one level with given thresholds."""
        if at.rest < 1:
            return None  # public: too few records for any to reach the next level
        # 1. trim: an interior point of the middle is a median with ranks to spare
        middle = values.trimmed(at.trim, at.trim)
        trie = branchings(middle.points, self.height)
        # 2. is there a node both of whose children hold many records?
        inside = middle.ends[: len(trie.heights)]
        balance: npt.NDArray[np.int64] = np.minimum(
            inside - middle.before[trie.first], middle.ends[trie.last] - inside
        )
        if source.choose(coin_of(self.each, int(balance.max(initial=0)) - at.theta)):
            # then one of them, by its balance: what lies between its children is interior
            some = np.flatnonzero(balance >= at.least)
            choice = LeveledChoice(balance[some], None, lambda i, _: int(some[i]), at.bottom)
            gap = choice.draw(self.heavy / 2, source)
            if gap is None:
                return None
            first, last = _leaves(int(middle.points[gap]), int(trie.heights[gap]))
            return min((first + last) // 2, self.size - 1)
        # 3. at which depth each record leaves the heavy path; the deepest ones are dropped
        leaf = middle.points[_heavy_leaf(middle, trie)]
        depths = Ordered.of(
            np.repeat(
                self.height - bit_length(middle.points ^ leaf),
                np.diff(middle.ends, prepend=0),
            ),
            self.height + 1,
        ).trimmed(0, at.drop)
        q = self.inner.draw(depths, source)  # 4. an interior depth: the next level
        if q is None:
            return None
        # 5. the fullest node of that depth (the leftmost of several), if it is stably so
        nodes = middle.points >> (self.height - q)
        starts = np.flatnonzero(np.append(True, nodes[1:] != nodes[:-1]))
        weights = np.add.reduceat(np.diff(middle.ends, prepend=0), starts)
        best = int(np.argmax(weights))
        if not source.choose(coin_of(self.each, int(weights[best]) - at.stable)):
            return None
        # 6. its first leaf, its middle, its last leaf: one of them is interior
        first, last = _leaves(int(middle.points[starts[best]]), self.height - q)
        z = [min(leaf, self.size - 1) for leaf in (first, (first + last) // 2, last)]
        need, n = self.window.needs(values.n)[0], values.n
        rank = [min(_at_most(values, x), n - _at_most(values, x - 1)) - need for x in z]
        return z[Explicit(rank).draw(self.each / 2, source)]

    def failure(self, n: int) -> CertificateBuilder:
        """Return the certificate that n records give an alpha-median except with chance beta."""
        cert = CertificateBuilder(n=n)
        self.write(cert, n)
        cert.step("enough", "beta >= median", MEDIAN, beta=self.beta)
        return cert

    def required_samples(self) -> int:
        """Return the least n with which it is certified."""
        return least_n(lambda n: self.failure(n).holds)

    def write(self, cert: CertificateBuilder, records: int | Step, level: int = 0) -> Step:
        """Write its failure, the step "median"; conditions on the way are steps, too."""
        rest = self.level(cert, records, level)
        inner, share = self.inner, self.beta / 2
        if isinstance(inner, PrivateMedian):
            inner.write(cert, rest, level + 1)
        else:
            odds = inner.write(cert, rest)
            cert.step("interior", "m >= 1 and share >= (1 - share)*odds", MEDIAN, m=rest,
                      share=share, odds=odds)  # fmt: skip
        return rest if level else cert.step("median", "share", MEDIAN, share=self.beta)

    def level(self, cert: CertificateBuilder, records: int | Step, level: int) -> Step:
        """Write the thresholds of one level; return how many records the next one gets."""
        return BOUNDS["yan.theorem6"].write(
            cert, suffix=f"_{level}", records=records, low=self.window.low, share=self.beta,
            each=self.each, half=self.delta / 2, height=self.height, heavy=self.heavy,
        )  # fmt: skip


def _heavy_leaf(middle: Ordered, trie: Trie) -> int:
    """Return the point at the end of the path to the heavier child (the left one if equal)."""
    low, high = 0, len(middle.ends) - 1
    while low < high:
        gap = low + int(np.argmax(trie.heights[low:high]))
        left = middle.ends[gap] - middle.before[low]
        low, high = (low, gap) if left >= middle.ends[high] - middle.ends[gap] else (gap + 1, high)
    return low


def _leaves(point: int, height: int) -> tuple[int, int]:
    """Return the first and the last leaf of the node of this height over a point."""
    first = point >> height << height
    return first, first + (1 << height) - 1


def _at_most(values: Ordered, z: int) -> int:
    """Return how many records are at most z."""
    at = bisect_right(values.points, z)
    return int(values.ends[at - 1]) if at else 0


# -- Lemma 1 --------------------------------------------------------------------------------------


@on_page("yan.lemma1", "Lemma 1", "mechanism",
         "choosing mechanism: the best solution, if one record affects few")  # fmt: skip
@dataclass(frozen=True)
class ChoosingMechanism:
    """Lemma 1: a solution of high quality, for a k-bounded quality function.

    *Deviations.* One exponential mechanism beside a bottom of the least private weight, in the
    place of a noisy test and a choice; k-bounded is about added records, and here one is replaced
    (erratum 3).

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> choose = ChoosingMechanism(Fraction(1), Fraction(1, 10**6))
    >>> choose.draw({"x": 80, "y": 1}, SeededSource(0)), choose.needed(Fraction(1, 100))
    ('x', 38)
    """

    epsilon: Fraction
    delta: Fraction
    k: int = 1

    def guarantee(self) -> Guarantee:
        """Return what is promised when one record is replaced."""
        return Guarantee(self.epsilon, self.delta, claim=CHOOSING)

    def needed(self, beta: Fraction) -> int:
        """Return the quality with which nothing is chosen with chance at most beta."""
        return score_needed(k=self.k, epsilon=self.epsilon, delta=self.delta, beta=beta)

    def draw(self, quality: Mapping[Any, int], source: Source, order: Order = canonical_key) -> Any:
        """Return a solution, or None; those of quality 0 may be left out."""
        return sparse_select(
            quality, k=self.k, epsilon=self.epsilon, delta=self.delta, source=source,
            default=None, order=order,
        )  # fmt: skip


# -- Algorithm 2 ----------------------------------------------------------------------------------

Median = Literal["log*", "tree", "exponential"]


@on_page("yan.algorithm2", "Algorithm 2", "learner",
         "OPTPrivateLearner: any class of VC dimension 1, order log*")  # fmt: skip
@dataclass(frozen=True)
class OPTPrivateLearner(Certified):
    """Algorithm 2: chunks vote for a node of the tree of the class; (2 epsilon, 2 delta)-DP.

    Theorems 1 (both), 8 (000) and 11 (001) with ``median="log*"``, which is `PrivateMedian`;
    "tree" (`TreeEM`) needs fewer records on every domain that fits into a computer, "exponential"
    on small trees.

    *Deviations.* B_i is the path up from the deepest positive point of a chunk, nothing if that
    path does not fit it: read literally every point is forced where no concept fits, and one record
    moves all q_j (erratum 1). z = 0, and nothing chosen, mean f (erratum 2). Constants of Lemmas 1
    and 7, and of Theorem 6, are ours.

    Examples
    --------
    >>> import littlestone as ls
    >>> budget = {"epsilon": Fraction(1), "delta": Fraction(1, 10**6)}
    >>> A = OPTPrivateLearner.printed(
    ...     ls.Thresholds(1, 2**20), **budget, alpha=Fraction(1, 10), beta=Fraction(1, 10), n=1)
    >>> print(A.guarantee(), A.t, A.required_samples())
    (1, 1e-06)-differential privacy, replace-one [yan.privacy] 1281 23058
    """

    concept_class: ConceptClass
    epsilon: Fraction  # of the median, and of the choosing mechanism
    delta: Fraction
    alpha: Fraction
    beta: Fraction
    chunks: int | None = None  # t; None: as many as median and choosing mechanism ask for
    median: Median = "log*"

    @classmethod
    def for_goal(cls, concept_class: ConceptClass, goal: Goal, n: int) -> Self:
        """Return it as Theorem 11 does: epsilon/2 and delta/2 in the place of both."""
        return cls(concept_class, goal.epsilon / 2, goal.delta / 2, goal.alpha, goal.beta)

    def guarantee(self) -> Guarantee:
        """Return the sum of the median and of the choosing mechanism (Theorem 10)."""
        return Guarantee(2 * self.epsilon, self.delta + self.private_median.delta, claim=PRIVACY)

    @cached_property
    def tree(self) -> VC1Tree:
        """The tree of Algorithm 1, under a public concept f in its centre."""
        return make_tree(self.concept_class)

    @cached_property
    def private_median(self) -> PrivateMedian | TreeEM | RankExponential:
        """The private 1/3-median of the depths 0, ..., height."""
        size, epsilon, third = self.tree.height + 1, self.epsilon, Fraction(1, 3)
        if self.median == "log*":
            return PrivateMedian(size, epsilon, self.delta, self.beta / 3, third)
        window = RankWindow(Fraction(1, 2) - third, Fraction(1, 2) + third)
        if self.median == "tree":
            return TreeEM((size - 1).bit_length(), window, epsilon, self.delta)
        return RankExponential(size, window, epsilon)

    @property
    def choosing(self) -> ChoosingMechanism:
        """The choosing mechanism of step 7."""
        return ChoosingMechanism(self.epsilon, self.delta)

    @cached_property
    def t(self) -> int:
        """The number of chunks."""
        if self.chunks is not None:
            return check_integer(type(self).__name__, "chunks", self.chunks, low=1)
        median, share = self.private_median, self.beta / 3
        most = median.required_samples() if isinstance(median, PrivateMedian) else (
            median.least_n(share)
        )  # fmt: skip
        return max(most, 6 * self.choosing.needed(share) - 5)

    def node(self, sample: Sample, source: Source, order: Kinds | None = None) -> Node:
        """Return x_good, or `ROOT`; of some records only, if these are given in shuffled order."""
        tree = self.tree  # 1. Algorithm 1; labels are transferred by f where they are read
        order = shuffle(sample, source) if order is None else order  # 2. S_1, ..., S_t
        y: list[Node] = []
        start = 0
        for size in sizes(len(order), self.t):  # 3. (a) the deepest point of B_i
            y.append(tree.deterministic(part(sample, order[start : start + size])))
            start += size
        d = [tree.depth(end) for end in y]
        z = self.private_median.draw(Ordered.of(d, tree.height + 1), source)  # 4.
        if not z:
            return ROOT  # f
        # 5. P = {x: d(x) = z}, q = 0; 6. for each i, (a) if y_i >= z, i. for x_j in B_i: q_j += 1
        # (one x_j, the ancestor of y_i of depth z), (b) otherwise nothing
        q = Counter(tree.ancestor(y_i, z) for y_i, d_i in zip(y, d, strict=True) if d_i >= z)
        x_good = self.choosing.draw(q, source, order=tree.order)  # 7.
        return ROOT if x_good is None else x_good

    def draw(self, sample: Sample, source: Source) -> Hypothesis:
        """Return f, flipped on the path of x_good."""
        return self.tree.hypothesis(self.node(sample, source))  # 8. I_good, 9. h_good

    def failure(self, n: int) -> CertificateBuilder | None:
        """Return the certificate: bad chunks, the median, and nothing chosen.

        None if so few chunks are asked for that the last two fail too often, whatever n is.
        """
        cert = CertificateBuilder(n=n, beta=self.beta)
        improper = self.write(cert, cert.step("records", "n", IMPROPER))
        if self.chunks is not None and not self.enough_chunks:
            return None
        cert.step("enough", "improper <= beta", IMPROPER, improper=improper)
        return cert

    @cached_property
    def enough_chunks(self) -> bool:
        """Return whether t chunks are enough for records without end."""
        cert = CertificateBuilder()
        self.write(cert, cert.step("records", "t*10**9", IMPROPER, t=self.t))
        cert.step("enough", "improper <= beta", IMPROPER, beta=self.beta)
        return cert.holds

    def write(self, cert: CertificateBuilder, records: Step) -> Step:
        """Write the chance of error above alpha into a certificate."""
        median = self.private_median
        if not self.tree.height:  # one concept
            return cert.step("improper", "0", IMPROPER)
        if isinstance(median, PrivateMedian):
            median.write(cert, self.t)
        else:
            cert.step("median", "odds/(1 + odds)", IMPROPER, odds=median.write(cert, self.t))
        return BOUNDS["yan.algorithm2"].write(
            cert, t=self.t, records=records, error=self.alpha, rate=self.epsilon / 2,
            delta=self.delta,
        )  # fmt: skip


# -- 001, Algorithms 3 and 4 ----------------------------------------------------------------------


@on_page("yan.algorithm3", "Algorithm 3", "construction",
         "MakeSubTree: the tree below a node, up to the first proper ones",
         paper="001")  # fmt: skip
@dataclass(frozen=True)
class MakeSubTree:
    """001, Algorithm 3: T_good, what is below x_good, cut off below the first proper nodes.

    Examples
    --------
    >>> from littlestone.classes.trees import MatrixTree
    >>> tree = MatrixTree([[0, 0, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 1, 1]], f=0)
    >>> T_good = MakeSubTree(tree, 0)
    >>> list(T_good.children(0)), list(T_good.leaves(0))  # 3 is below 2, which is proper
    ([2, 1], [2, 1])
    """

    tree: VC1Tree
    x_good: Node

    def children(self, x: Node) -> Iterator[Node]:
        """Yield the children of a node of T_good, in public order."""
        # 1. a proper x_good is all of T_good; 2. only what is below x_good is ever asked for;
        # 3. (a), (b) nothing below a proper node; 4. what is left
        return iter(()) if self.tree.is_proper(x) else self.tree.children(x)

    def leaves(self, x: Node) -> Iterator[Node]:
        """Yield L(x), the leaves of T_x (Definition 20)."""
        if self.tree.is_proper(x):
            yield x
        for child in self.children(x):
            yield from self.leaves(child)

    def weights(self, S: Sample) -> tuple[Counter[Node], dict[Node, int]]:
        """Return w(x) (Definition 18) and min v(x') over L(x), less v above x (Definition 19).

        Of the nodes above a record with label 0 (after relabelling by f); others have zeros.
        Records count as often as they are there (erratum 10).
        """
        tree = self.tree
        zeros: Counter[Node] = Counter()
        for x, zero, one in zip(S.points.tolist(), S.zeros.tolist(), S.ones.tolist(), strict=True):
            node = tree.quotient(x)
            if node is not None:
                zeros[node] += one if tree.f(x) else zero
        w: Counter[Node] = Counter()
        touched: dict[Node, list[Node]] = {}
        for node, count in zeros.items():
            if not count or node == self.x_good or not tree.precedes(node, self.x_good):
                continue
            depths = range(tree.depth(self.x_good), tree.depth(node) + 1)
            path = [tree.ancestor(node, depth) for depth in depths]
            if any(tree.is_proper(x) for x in path[:-1]):
                continue  # removed by Algorithm 3
            for above, x in pairwise(path):
                if x not in w:
                    touched.setdefault(above, []).append(x)
                w[x] += count
        v: dict[Node, int] = {}
        for x in sorted(w, key=tree.depth, reverse=True):
            below = touched.get(x, [])
            full = not tree.is_proper(x) and tree.child_count(x) <= len(below)
            v[x] = zeros[x] + (min(v[y] for y in below) if full else 0)
        return w, v


@on_page("yan.algorithm4", "Algorithm 4", "learner",
         "ProperLearner: a concept of any class of VC dimension 1", paper="001")  # fmt: skip
@dataclass(frozen=True)
class ProperLearner(Certified):
    """001, Algorithm 4: from x_good down to a proper node, child by child, on a second part.

    alpha and beta are shared out: 3/5 of alpha to Algorithm 2, and a = alpha/5 is the alpha of
    steps 7 (T = 2/a) and 7(c) (``a |S_2|``), of which all that is below x_good costs 2a.

    *Deviations.* Weights and values are of S_2 alone (erratum 6). A node with more than T children
    is not tested: some child is light for sure, and the first T + 1 are enough (erratum 7). The
    loop ends at a leaf (erratum 8). What the rounds cost together is composed exactly, over no more
    rounds than the tree is deep; Theorem 13's substitution spends 2.8 epsilon (errata 4, 5).

    Examples
    --------
    >>> import littlestone as ls
    >>> budget = {"epsilon": Fraction(1), "delta": Fraction(1, 10**6)}
    >>> leaves = ls.theory.FiniteClass([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]])
    >>> A = ProperLearner.printed(
    ...     leaves, **budget, alpha=Fraction(1, 10), beta=Fraction(1, 10), n=1)
    >>> A.T, A.rounds, round(float(A.each), 3)
    (100, 1, 0.668)
    """

    concept_class: ConceptClass
    epsilon: Fraction  # of the median, and of the choosing mechanism, of Algorithm 2
    delta: Fraction
    epsilon_rounds: Fraction  # of steps 7(b) to 7(d) together
    delta_rounds: Fraction
    alpha: Fraction
    beta: Fraction
    chunks: int | None = None  # of Algorithm 2
    median: Median = "log*"

    @classmethod
    def for_goal(cls, concept_class: ConceptClass, goal: Goal, n: int) -> Self:
        """Return it for a whole budget: S_1 and S_2 are disjoint, so each may spend all of it."""
        epsilon, delta = goal.epsilon, goal.delta
        return cls(concept_class, epsilon / 2, delta / 2, epsilon, delta, goal.alpha, goal.beta)

    def guarantee(self) -> Guarantee:
        """Return the maximum over both parts of the records."""
        first = self.improper.guarantee()
        return Guarantee(
            max(first.epsilon, self.epsilon_rounds), max(first.delta, self.delta_rounds),
            claim=PRIVACY,
        )  # fmt: skip

    @cached_property
    def improper(self) -> OPTPrivateLearner:
        """Algorithm 2, for 3/5 of alpha and half of beta."""
        return OPTPrivateLearner(
            self.concept_class, self.epsilon, self.delta, self.alpha * 3 / 5, self.beta / 2,
            self.chunks, self.median,
        )  # fmt: skip

    @property
    def a(self) -> Fraction:
        """The alpha of steps 7 and 7(c)."""
        return self.alpha / 5

    @property
    def T(self) -> int:  # noqa: N802 - the paper's symbol
        """The number of rounds."""
        return math.ceil(2 / self.a)

    @property
    def rounds(self) -> int:
        """The most rounds that can be run: T, or fewer in a shallow tree."""
        return min(self.T, max(self.improper.tree.height - 1, 1))

    @property
    def each(self) -> Fraction:
        """Epsilon of each choice; each test costs half of it."""
        return _each(self.epsilon_rounds, self.delta_rounds, self.rounds)

    @cached_property
    def needed(self) -> tuple[int, int]:
        """Records that both parts need, with as many chunks as are printed: they share so."""
        first = replace(self.improper, chunks=None).required_samples()
        if not self.improper.tree.height:
            return 1, 0
        return first or 1, self.second()

    @lru_cache(maxsize=64)  # noqa: B019 - equal learners ask again and again
    def second(self) -> int:
        """Return the records of the second part that fail with probability at most beta/2."""

        def enough(m: int) -> bool:
            cert = CertificateBuilder(share=self.beta / 2)
            self.below(cert, m)
            cert.step("enough", "proper <= share", PROPER)
            return cert.holds

        return least_n(enough, 100)

    def below(self, cert: CertificateBuilder, m: int | Step) -> Step:
        """Write the failure of the second part, of m records."""
        return BOUNDS["yan.algorithm4"].write(
            cert, a=self.a, T=self.T, rounds=self.rounds, rate=self.each / 2,
            concepts=self.concepts, m=m, cut=int(self.rounds >= self.T),
        )  # fmt: skip

    @property
    def concepts(self) -> int:
        """How many leaves there are at most."""
        size = self.concept_class.size
        return 2**64 if isinstance(size, float) else size

    def first(self, n: int) -> int:
        """Return ``|S_1|`` for n records."""
        first, second = self.needed
        return n * first // (first + second)

    def draw(self, sample: Sample, source: Source) -> Hypothesis:
        """Return a concept."""
        tree = self.improper.tree
        order, N_1 = shuffle(sample, source), self.first(sample.n)
        S_1, S_2 = order[:N_1], part(sample, order[N_1:])  # 1.
        x_good = self.improper.node(sample, source, S_1)  # 2.
        return tree.concept(self.descend(x_good, S_2, source))  # 9, 10: its concept

    def descend(self, x_good: Node, S_2: Sample, source: Source) -> Node:
        """Run steps 3 to 8: return a proper node, x_good or below it."""
        tree, T = self.improper.tree, self.T
        if tree.is_proper(x_good):  # 3.
            return x_good
        T_good = MakeSubTree(tree, x_good)
        w, v = T_good.weights(S_2)  # 4., 5.
        threshold, x_flag = math.ceil(self.a * S_2.n), x_good  # 6.
        for _ in range(T):  # 7.
            X = list(islice(T_good.children(x_flag), T + 1))  # (a)
            if not X:
                break  # a leaf

            def chosen(cost: list[int], X: list[Node] = X) -> Node:
                q = Explicit(-np.array(cost, dtype=np.int64))
                return X[exponential_mechanism(q, epsilon=self.each, source=source)]

            light = len(X) > T
            if not light:  # (b) w_min, with noise: is it at most the threshold?
                w_min = min(w[x] for x in X)
                light = bool(source.choose(coin_of(self.each / 2, threshold - w_min)))
            if light:  # (c)
                x_flag = chosen([w[x] for x in X])  # i.
                break  # ii.
            x_flag = chosen([v.get(x, 0) for x in X])  # (d) i. the least v in L(x), ii.
        return next(T_good.leaves(x_flag))  # 8. any leaf; 9., 10. are in `draw`

    def failure(self, n: int) -> CertificateBuilder | None:
        """Return the certificate of both parts; None for infinitely many concepts."""
        if isinstance(self.concept_class.size, float):
            return None
        if self.chunks is not None and not self.improper.enough_chunks:
            return None
        cert = CertificateBuilder(beta=self.beta)
        cert.step("records", "n", PROPER, n=n)
        first, second = self.needed
        one = cert.step("first", "floor(records*one/(one + two))", PROPER, one=first, two=second)
        parts: dict[str, Step | int] = {"improper": self.improper.write(cert, one), "proper": 0}
        if second:
            rest = cert.step("rest", "records - first", PROPER)
            parts["proper"] = self.below(cert, rest)
        cert.step("enough", "improper + proper <= beta", PROPER, **parts)
        return cert


@lru_cache(maxsize=64)
def _each(epsilon: Fraction, delta: Fraction, rounds: int) -> Fraction:
    """Return what a choice may cost beside a test at half of it, so many times."""

    def losses(choice: Fraction) -> dict[Loss, int]:
        return {BoundedRange(choice): rounds, Pure(choice / 2): rounds}

    sum_of_all = epsilon / (rounds * Fraction(3, 2))
    return largest_scale(losses, epsilon=epsilon, delta=delta, low=sum_of_all)[0]
