r"""Classes of VC dimension 1: hash the choices at the branchings of the tree, keep the depth.

A concept is the path from a node up to the root of the class's tree (`make_tree`). Walking down to
a node x, there is a choice only below *branching* nodes, those with several children. Hash each
child of a branching node to one of R values; the choices on the way to x become a word sigma(x) of
at most b letters, b the largest number of branching nodes on a path. The hypothesis (s, l), for a
word s and a depth l, accepts x if and only if

    depth(x) <= l   and   sigma(x) is a prefix of s.

*It represents.* For the concept of a node z take s = sigma(z) and l = depth(z). Every x on z's path
is accepted. Another x of depth at most l leaves the path at some branching node of it, by a child
that is not z's; it is accepted only if these two children have one hash, with probability at most
``collision``. So the expected disagreement is at most ``collision``, for every distribution; by
Markov's inequality each of ``copies`` independent copies misses alpha with probability at most
collision / alpha.

*Its size.* h depths times 1 + R + ... + R**b words for each copy, and the empty path once. Without
branchings (thresholds) that is the class itself; a star (points) has h = b = 1 and is hashed as
`HashedPoints` does it. A factor h is unavoidable in general (Feldman, Xiao 2014).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, product
from typing import TYPE_CHECKING

import numpy as np

from littlestone.bounds import HashFamily
from littlestone.classes.base import HypothesisSet
from littlestone.classes.finite import FiniteClass
from littlestone.classes.hashing import HASHED_POINTS, Hashed, HashFunction
from littlestone.classes.hypotheses import AlwaysZero, TableHypothesis, on_points
from littlestone.classes.trees import ROOT, ListedForest, make_tree
from littlestone.classes.trees.matrix import MatrixTree
from littlestone.classes.trees.tree import VC1Tree
from littlestone.data.points import object_points
from littlestone.errors import UnsupportedError
from littlestone.source import Choice, LeveledChoice, Source
from littlestone.types import Hypothesis, Json

if TYPE_CHECKING:
    from littlestone.classes.base import ConceptClass
    from littlestone.data import Sample


Word = tuple[int, ...]

_LARGEST_TREE = 1_000_000  # its nodes are walked through


class HashedTree(Hashed):
    """A class of VC dimension 1 whose tree is written out: hashed words, and depths.

    Notes
    -----
    Source: Li, Wang, Ye 2024, Definition 2.3; construction and proof: module docstring.

    Examples
    --------
    A thousand families of ten: a tree with 11,001 concepts, and far fewer hypotheses.

    >>> from littlestone.classes import TreePaths
    >>> parents = {f"f{i}": None for i in range(1000)}
    >>> parents |= {f"f{i} {j}": f"f{i}" for i in range(1000) for j in range(10)}
    >>> r = HashedTree.smallest(TreePaths(parents), Fraction(1, 4), Fraction(1, 4))
    >>> r.height, r.branchings, r.copies, r.buckets, r.size
    (2, 2, 3, 7, 343)
    """

    def __init__(
        self,
        concept_class: ConceptClass,
        alpha: Fraction,
        beta: Fraction,
        copies: int,
        buckets: int,
    ) -> None:
        self._shape = _shape(concept_class)
        self.height, self.branchings = self._shape.height, self._shape.branchings
        super().__init__(concept_class, alpha, beta, copies, buckets, family=self._shape.family)

    @classmethod
    def smallest(cls, concept_class: ConceptClass, alpha: Fraction, beta: Fraction) -> HashedTree:
        """Return the representation of the smallest size that reaches alpha and beta."""
        copies, buckets = cls.fewest(_shape(concept_class).family, alpha, beta)
        return cls(concept_class, alpha, beta, copies, buckets)

    def drawn(self, source: Source) -> HashedTreeSet:
        """Draw the hash functions with public coins."""
        unhashed = (HashFunction(0, 0, 0, self.buckets),) * self.copies
        functions = self.functions(source) if self.branchings else unhashed
        return HashedTreeSet(self._shape, functions, self.buckets)


def words_up_to(most: int, letters: int) -> int:
    """Return the number of words of at most ``most`` letters (0 for most = -1)."""
    return sum(letters**i for i in range(most + 1))


@dataclass(frozen=True, eq=False)
class _Shape:
    """The tree of a class, with the choices that lead to each node.

    ``choices[i]`` are the children of branching nodes on the way to node i, as numbers of nodes.
    """

    forest: ListedForest
    choices: list[Word]
    tree: VC1Tree
    accepting: Callable[[Sequence[int]], Hypothesis]

    @property
    def height(self) -> int:
        return self.forest.height

    @property
    def branchings(self) -> int:
        return max(map(len, self.choices), default=0)

    @property
    def family(self) -> HashFamily:
        """How the tree is hashed; without branchings nothing collides."""
        height, most = self.height, self.branchings
        collision = HASHED_POINTS.collision if most else lambda _: Fraction(0)
        return HashFamily(lambda r: height * words_up_to(most, r), collision)


def _shape(concept_class: ConceptClass) -> _Shape:
    """Return the tree of a class, written out."""
    tree: VC1Tree
    forest: ListedForest
    accepting: Callable[[Sequence[int]], Hypothesis]
    if isinstance(concept_class, FiniteClass):
        tree = make_tree(concept_class)
        assert isinstance(tree, MatrixTree)
        forest, accepting = tree, _flipped(concept_class, tree)
    else:
        listed = getattr(concept_class, "forest", None)
        if not isinstance(listed, ListedForest):
            raise UnsupportedError(
                f"{concept_class.spec} has no tree that is written out. Classes that have one: "
                "tree_paths, and finite classes of VC dimension 1."
            )
        forest, tree = listed, make_tree(concept_class, f=AlwaysZero())

        def accepting(accepted: Sequence[int]) -> Hypothesis:
            return on_points(forest.node(i) for i in accepted)

    if forest.size > _LARGEST_TREE:
        raise UnsupportedError(f"The tree of {concept_class.spec} has more than 10**6 nodes.")
    parents = forest.parents.tolist()
    n_children = np.bincount(np.array(parents, dtype=np.int64) + 1, minlength=len(parents) + 1)
    choices: list[Word] = []
    for node, parent in enumerate(parents):
        above = choices[parent] if parent >= 0 else ()
        choices.append((*above, node) if n_children[parent + 1] > 1 else above)
    return _Shape(forest, choices, tree, accepting)


def _flipped(finite: FiniteClass, tree: MatrixTree) -> Callable[[Sequence[int]], Hypothesis]:
    """Return how a row of labels is made: f, flipped on the columns of the accepted nodes."""
    columns = range(finite.matrix.shape[1])
    nodes = [tree.quotient(x) for x in columns]
    number = [-1 if node is None else tree.index(node) for node in nodes]

    def accepting(accepted: Sequence[int]) -> Hypothesis:
        chosen = set(accepted)
        return TableHypothesis("".join(str(tree.f(x) ^ (number[x] in chosen)) for x in columns))

    return accepting


@dataclass(frozen=True)
class _Run:
    """Hypotheses of equal scores: depths from ``depth`` on, and words that begin alike.

    The words are ``prefix`` itself, and ``prefix`` with a letter that is not ``known`` and any
    rest; there are ``longer`` rests.
    """

    score: int
    copy: int = 0
    depth: int = 0
    n_depths: int = 1
    prefix: Word = ()
    known: frozenset[int] = frozenset()
    n_words: int = 1
    longer: int = 0


@dataclass(frozen=True, eq=False)
class HashedTreeSet(HypothesisSet):
    """What `HashedTree` draws: f itself, then (copy, depth, word)."""

    _tree: _Shape
    functions: tuple[HashFunction, ...]
    buckets: int

    proper = False

    @property
    def size(self) -> int:  # type: ignore[override]
        """Number of hypotheses."""
        words = words_up_to(self._tree.branchings, self.buckets)
        return len(self.functions) * self._tree.height * words + 1

    def words(self, copy: int) -> list[Word]:
        """Return sigma(x) of each node x, for one hash function."""
        names = object_points(self._tree.forest.nodes)
        letter = self.functions[copy](names).tolist() if len(names) else []
        return [tuple(letter[child] for child in choice) for choice in self._tree.choices]

    def hypothesis(self, copy: int, depth: int, word: Word) -> Hypothesis:
        """Return the hypothesis (word, depth) of a copy."""
        accepted = [
            node
            for node, sigma in enumerate(self.words(copy))
            if self._tree.forest.depths[node] <= depth and word[: len(sigma)] == sigma
        ]
        return self._tree.accepting(accepted)

    def hypotheses(self) -> Iterator[Hypothesis]:
        """Yield f, then copy by copy the depths, and for each the words by length."""
        yield self._tree.accepting([])
        lengths = range(self._tree.branchings + 1)
        for copy in range(len(self.functions)):
            for depth in range(1, self._tree.height + 1):
                for length in lengths:
                    for word in product(range(self.buckets), repeat=length):
                        yield self.hypothesis(copy, depth, word)

    def candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Score by minus the errors, without a list: words that the sample cannot distinguish."""
        tree = self._tree.tree
        base, nodes = -sample.outside_cost, list[tuple[int, int]]()
        columns = (sample.points.tolist(), sample.zeros.tolist(), sample.ones.tolist())
        for point, zeros, ones in zip(*columns, strict=True):
            flipped = tree.f(point)
            base -= zeros if flipped else ones  # the errors of f
            node = tree.quotient(point)
            if node is not None and node is not ROOT:
                gain = zeros - ones if flipped else ones - zeros
                nodes.append((self._tree.forest.index(node), gain))
        runs = [_Run(base)]
        for copy in range(len(self.functions)):
            runs += self._runs(copy, nodes, base)

        def make(index: int, place: int) -> Hypothesis:
            run = runs[index]
            if not run.depth:
                return self._tree.accepting([])
            depth, rank = divmod(place, run.n_words)
            return self.hypothesis(run.copy, run.depth + depth, self._word(run, rank))

        lengths = [run.n_depths * run.n_words for run in runs]
        return LeveledChoice([run.score for run in runs], lengths, make)

    def surrogate_candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Refuse: `candidates` scores by the direct error."""
        raise UnsupportedError(
            "Hashed trees are scored by their direct error (sensitivity 1), which needs fewer "
            "records than the surrogate: use candidates(sample)."
        )

    def _runs(self, copy: int, nodes: list[tuple[int, int]], base: int) -> Iterator[_Run]:
        """Yield runs of equal scores: words by their longest prefix in the sample, then depths."""
        sigma, depths = self.words(copy), self._tree.forest.depths
        gains: dict[Word, list[tuple[int, int]]] = {}
        letters: dict[Word, set[int]] = {(): set()}
        for node, gain in nodes:
            word = sigma[node]
            gains.setdefault(word, []).append((int(depths[node]), gain))
            for i in range(len(word)):
                letters.setdefault(word[: i + 1], set())
                letters[word[:i]].add(word[i])
        for prefix, known in letters.items():
            longer = words_up_to(self._tree.branchings - len(prefix) - 1, self.buckets)
            n_words = 1 + (self.buckets - len(known)) * longer
            along = (gains.get(prefix[:i], []) for i in range(len(prefix) + 1))
            passed = sorted(event for events in along for event in events)
            starts = [1, *(depth for depth, _ in passed), self._tree.height + 1]
            totals = accumulate((gain for _, gain in passed), initial=base)
            for start, end, score in zip(starts, starts[1:], totals, strict=False):
                if start < end:
                    run = (copy, start, end - start, prefix, frozenset(known), n_words, longer)
                    yield _Run(score, *run)

    def _word(self, run: _Run, rank: int) -> Word:
        """Return a word of a run: its prefix, or that and what the sample has not."""
        if not rank:
            return run.prefix
        index, rank = divmod(rank - 1, run.longer)
        letter = [a for a in range(self.buckets) if a not in run.known][index]
        length = 0
        while rank >= self.buckets**length:
            rank -= self.buckets**length
            length += 1
        rest = [rank // self.buckets**i % self.buckets for i in range(length)]
        return (*run.prefix, letter, *rest)

    def to_dict(self) -> Json:
        """Return plain JSON."""
        hashes = [function.to_dict() for function in self.functions]
        return {"type": "hashed tree", "hashes": hashes, "size": self.size}
