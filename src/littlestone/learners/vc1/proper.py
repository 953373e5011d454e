"""Proper output: from an improper node of the tree down to a proper one, by a second part.

*In one draw* (`Leaves`): the exponential mechanism over the leaves of T_good. Not in the paper. It
needs the logarithm of the number of leaves, where Algorithm 4 needs a power of 1/alpha; on every
tree whose leaves can be listed, it needs fewer records.

*Algorithm 4* (`Descent`): child by child. Repairs (docs/learners/vc1.md): weights and values are
those of the second part only; a node with too many children is not tested, because some child is
light for sure; the descent ends at a leaf; what the rounds cost together is calibrated, instead of
Theorem 13's substitution, which overspends.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from littlestone.bounds.bound import Bound
from littlestone.bounds.search import least_n, log_of
from littlestone.classes.base import LISTABLE
from littlestone.classes.leaf_paths import LeafTree
from littlestone.classes.trees import ROOT, Node, PathsTree, VC1Tree
from littlestone.data import Sample
from littlestone.errors import InfeasibleError
from littlestone.learners.vc1.claims import DESCENT, LEAVES
from littlestone.mechanisms import exponential_mechanism
from littlestone.privacy import BoundedRange, Loss, Pure, compose
from littlestone.source import Explicit, ExplicitWeights, exp

if TYPE_CHECKING:
    from littlestone.bounds import CertificateBuilder, Step
    from littlestone.source import Source


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


class Below:
    """Weights and values of the nodes of T_good, on one sample (Definitions 18 and 19).

    ``top``: x_good; improper; ``negatives``: records of the *second* part with label 0, by node.

    Notes
    -----
    Only nodes above records are stored; all others have weight 0, and a leaf of value 0 below.
    Replacing one record changes each weight, and each value, by at most 1.
    """

    def __init__(self, tree: VC1Tree, top: Node, negatives: Counter[Node]) -> None:
        self.tree, self.own = tree, negatives
        self.weights: Counter[Node] = Counter()
        self._touched: dict[Node, list[Node]] = {}
        start = tree.depth(top)
        for node, count in negatives.items():
            if not count or node == top or not tree.precedes(node, top):
                continue
            path = [tree.ancestor(node, depth) for depth in range(start + 1, tree.depth(node) + 1)]
            if any(tree.is_proper(above) for above in path[:-1]):
                continue  # cut off by Algorithm 3
            for above, here in zip([top, *path], path, strict=False):
                if here not in self.weights:
                    self._touched.setdefault(above, []).append(here)
                self.weights[here] += count
        self._least = self._least_values()

    def weight(self, node: Node) -> int:
        """Return w(x): negatives at a node or below it."""
        return self.weights[node]

    def least(self, node: Node) -> int:
        """Return the least number of negatives on a path from a node down to a leaf, both included.

        Added to the value of the parent it is the least value v of a leaf below.
        """
        return self._least.get(node, 0)

    def _least_values(self) -> dict[Node, int]:
        tree, least = self.tree, dict[Node, int]()
        for node in sorted(self.weights, key=tree.depth, reverse=True):
            least[node] = self.own[node]
            if not tree.is_proper(node):
                touched = self._touched.get(node, [])
                if tree.child_count(node) <= len(touched):  # else some child has no negatives
                    least[node] += min(least[child] for child in touched)
        return least


def first_children(tree: VC1Tree, node: Node, count: int) -> list[Node]:
    """Return the first children of a node, in public order; there may be infinitely many."""
    return list(islice(tree.children(node), count))


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

    name = "leaves"

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


#: A test costs a quarter of what a choice costs: choices are what needs records.
TEST_SHARE = Fraction(1, 4)
#: Beyond these the sum of all losses is about what they cost together.
_LARGE, _TINY = 50, Fraction(1, 10**60)
_GRAIN = Fraction(1, 10**6)
#: More rounds are not planned: they would need more records than is practical.
_MOST_ROUNDS = 10**4
#: How the failure probability is shared: tests, choices, what the sample hides.
_SHARES = (Fraction(1, 10), Fraction(6, 10), Fraction(3, 10))


_DESCENT = Bound((
    ("tests", "2*rounds*exp(-test*(noise + 1))/(1 + exp(-test))", DESCENT),
    ("choices", "rounds**2*exp(-rate*(slip + 1))", DESCENT),
    ("threshold", "ceil((records + 1)/(rounds + 1)) - 1 + noise", DESCENT),
    ("observed",
     "(rounds*slip + max(threshold + noise, floor(records/(rounds + 1))))/max(records, 1)",
     DESCENT),
    ("hidden", "(log(growth(1, 2*records)) + log(4/hides))/max(records, 1)", "vc.relative"),
    ("small_enough", "observed + 2*sqrt(observed*hidden) + 4*hidden <= gap", "vc.relative"),
    ("second_failure", "tests + choices + hides", DESCENT),
))  # fmt: skip


@dataclass(frozen=True)
class Descent:
    """Steps 4 to 8 of 001, Algorithm 4: in rounds, a test "is some child light?", then a choice.

    Notes
    -----
    *Guarantee.* (epsilon, delta)-DP in the second part, for every node to start from, when
    ``choice`` is at most `round_budget`: weights and values move by at most 1.

    *Accuracy.* Claim ``vc1.proper.descent``.
    """

    choice: Fraction  # epsilon of each exponential mechanism; each test costs a quarter of it
    #: Most rounds, T. Also the most children that are tested: a node with more of them has one of
    #: weight below 1/T of all.
    rounds: int
    gap: Fraction  # error allowed beyond that of the node from which it starts
    beta: Fraction
    noise: int  # of a test, that the certificate allows for; it shifts the test's threshold
    slip: int  # mistakes that the certificate allows each choice to add
    enough: int  # records from which on the certificate holds: as floats found it,
    extra: int = 0  # and some more

    name = "descent"

    @classmethod
    def plan(
        cls,
        epsilon: Fraction,
        delta: Fraction,
        gap: Fraction,
        beta: Fraction,
        *,
        rough: bool = False,
    ) -> Descent:
        """Return the number of rounds that needs the fewest records; rough: not calibrated."""
        few = math.ceil(1 / gap)
        if few > _MOST_ROUNDS:
            raise InfeasibleError(
                f"Algorithm 4 needs more than {_MOST_ROUNDS:,} rounds for so small an alpha, and "
                "more than 10**12 records. Allow a larger alpha, or use an improper learner.",
                n_needed=10**12,
            )
        grid = sorted({max(2, math.ceil(few * factor)) for factor in (1.1, 1.3, 1.6, 2, 2.5, 3)})
        roughly = [cls._made(_about(epsilon, delta, T), T, gap, beta) for T in grid]
        best = min(roughly, key=lambda plan: plan.required)
        if rough:
            return best
        rounds = best.rounds
        return cls._made(round_budget(epsilon, delta, rounds), rounds, gap, beta)

    @classmethod
    def _made(cls, choice: Fraction, rounds: int, gap: Fraction, beta: Fraction) -> Descent:
        test, slips = float(choice * TEST_SHARE), float(choice) / 2
        tests, choices, _ = (float(beta * share) for share in _SHARES)
        noise = math.ceil(math.log(2 * rounds / (tests * (1 + math.exp(-test)))) / test)
        slip = math.ceil(math.log(rounds**2 / choices) / slips)
        enough = _DESCENT.function(
            "small_enough", "records", rounds=rounds, noise=noise, slip=slip, gap=gap,
            hides=beta * _SHARES[2],
        )  # fmt: skip
        return cls(choice, rounds, gap, beta, noise, slip, least_n(enough, 2))

    @property
    def required(self) -> int:
        """Records from which on the certificate holds."""
        return self.enough + self.extra

    def threshold(self, n: int) -> int:
        """Return the test's threshold for n records in the second part."""
        return -(-(n + 1) // (self.rounds + 1)) - 1 + self.noise

    def go_down(self, node: Node, tree: VC1Tree, sample: Sample, source: Source) -> Node:
        """Return a proper node below an improper one (001, Algorithm 4, steps 4 to 8)."""
        below = Below(tree, node, node_counts(tree, sample)[0])  # steps 4 and 5
        threshold, flag = self.threshold(sample.n), node  # step 6: the paper's x_flag
        for _ in range(self.rounds):  # step 7
            children = first_children(tree, flag, self.rounds + 1)  # step (a)
            weights = [below.weight(child) for child in children]
            light = len(children) > self.rounds  # public; then step (c) for sure
            if not light:  # step (b): w_min with noise, against the threshold
                coin = light_coin(min(weights) - threshold, self.choice * TEST_SHARE)
                light = bool(source.choose(coin))
            # minus the quality: w(x) in step (c), the least v of a leaf below x in step (d)
            costs = weights if light else [below.least(child) for child in children]
            candidates = Explicit(-np.array(costs, dtype=np.int64))
            drawn = exponential_mechanism(candidates, epsilon=self.choice, source=source)
            flag = children[drawn]  # x_new
            if light or tree.is_proper(flag):  # step (c) ii; a leaf of T_good has no children
                break
        while not tree.is_proper(flag):  # step 8: any leaf, by public order
            flag = next(tree.children(flag))
        return flag

    def failure(self, cert: CertificateBuilder, records: Step) -> Step:
        """Write the chance of adding more than ``gap`` to the error into a certificate."""
        return _DESCENT.write(
            cert, records=records, rounds=self.rounds, noise=self.noise, slip=self.slip,
            gap=self.gap, hides=self.beta * _SHARES[2], test=self.choice * TEST_SHARE,
            rate=self.choice / 2,
        )  # fmt: skip


def light_coin(above: int, epsilon: Fraction) -> ExplicitWeights:
    """Return the coin "count + noise <= threshold", with two-sided geometric noise.

    Algorithm 4, step 7(b), where the noise is Laplace.

    ``above``: count minus threshold; the count is private, of sensitivity 1.

    Examples
    --------
    >>> light_coin(0, Fraction(1)).weights
    (1*e**(-1), 1)
    """
    one = exp(0)
    if above <= 0:  # Pr[Z > k] = a**(k + 1) / (1 + a)
        tail = exp(epsilon * (above - 1))
        return ExplicitWeights(tail, one + exp(-epsilon) - tail)
    tail = exp(-epsilon * above)
    return ExplicitWeights(one + exp(-epsilon) - tail, tail)


@lru_cache(maxsize=256)
def round_budget(epsilon: Fraction, delta: Fraction, rounds: int) -> Fraction:
    """Return the epsilon that each of T choices may cost, beside T tests at a quarter of it.

    By the best route of `littlestone.privacy.compose`; within half a percent of the largest one.

    Examples
    --------
    >>> float(round_budget(Fraction(1), Fraction(1, 10**6), 20))
    0.0885...
    """
    test = TEST_SHARE

    def fits(choice: Fraction) -> bool:
        losses: dict[Loss, int] = {BoundedRange(choice): rounds, Pure(choice * test): rounds}
        return compose(losses, delta=delta)[0] <= epsilon

    basic = epsilon / (rounds * (1 + test))  # always fits
    about = _about(epsilon, delta, rounds)
    if epsilon > _LARGE or (delta < _TINY and about <= basic * (1 + _GRAIN)):
        return _rounded(basic, down=True)
    # go up from the zCDP estimate in ever smaller steps
    low = max(basic, about * Fraction(4, 5))
    if not fits(low):
        low = basic
    high = 2 * low
    while high - low > low / 200:
        middle = (low + high) / 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return _rounded(low, down=True)


def _about(epsilon: Fraction, delta: Fraction, rounds: int) -> Fraction:
    """Return about what `round_budget` will, by zCDP."""
    spare = -log_of(delta)
    rho = (math.sqrt(spare + float(epsilon)) - math.sqrt(spare)) ** 2
    by_zcdp = math.sqrt(rho / (rounds * (1 / 8 + float(TEST_SHARE) ** 2 / 2)))
    by_sum = float(epsilon) / (rounds * (1 + float(TEST_SHARE)))
    return _rounded(Fraction(max(by_zcdp, by_sum)))


def _rounded(x: Fraction, *, down: bool = False) -> Fraction:
    """Return a number near x of few digits: nine decimals, and at least nine figures."""
    scale = 10 ** max(9, 9 + math.ceil(-log_of(x) / math.log(10)))
    return Fraction(math.floor(x * scale) if down else round(x * scale), scale)


Down = Literal["auto", "leaves", "descent"]


class ProperSelection(Protocol):
    """A private choice of a proper node below an improper one."""

    @property
    def name(self) -> str:
        """``"leaves"`` or ``"descent"``."""

    @property
    def required(self) -> int:
        """The least number of records of the second part with which it is certified."""

    def go_down(self, node: Node, tree: VC1Tree, sample: Sample, source: Source) -> Node:
        """Return a proper node; private in the sample for every node."""

    def failure(self, cert: CertificateBuilder, records: Step) -> Step:
        """Write the chance of adding more than the gap to the error into a certificate."""


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


@lru_cache(maxsize=1024)
def plan_proper_selection(
    leaves: int | float,
    epsilon: Fraction,
    delta: Fraction,
    *,
    gap: Fraction,
    beta: Fraction,
    down: Down,
    rough: bool = False,
) -> ProperSelection:
    """Return the method that needs fewer records, or the requested one.

    A rough one is only good for comparing numbers of records: its budget is not calibrated.
    """
    ways: list[ProperSelection] = []
    if down != "descent" and isinstance(leaves, int):
        ways.append(Leaves(epsilon, gap, beta, leaves))
    if down == "descent" or not ways:
        ways.append(Descent.plan(epsilon, delta, gap, beta, rough=rough))
    return min(ways, key=lambda way: way.required)
