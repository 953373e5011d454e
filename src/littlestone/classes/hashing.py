"""Public hash functions of points, with a collision probability that is known exactly.

A point is encoded injectively as 64-bit words (`values.words`), these as one field element (a
polynomial hash), and this as a bucket (multiply, add, scale)::

    F(x) = w_1 * s**(L-1) + ... + w_L        s uniform in GF(2**64)
    h(x) = floor(buckets * (a * F(x) + b) / 2**64)      a, b uniform

*Collisions.* If F(x) != F(y), then (a F(x) + b, a F(y) + b) is uniform on all pairs (it is the
unique solution of two linear equations), so Pr[h(x) = h(y)] is the sum of the squared bucket
shares, at least 1/buckets and less than 1/buckets + buckets/2**128. For different x and y, F(x) -
F(y) is a nonzero polynomial in s of degree less than the number L of words, so Pr[F(x) = F(y)] <
L/2**64; for integers within 64 bits it is 0 (L = 2, and the leading words agree).

The coins are public and drawn without the data; privacy holds for all of their values.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, product
from math import exp
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from littlestone.bounds import HashFamily
from littlestone.bounds.bound import least_n, log_of
from littlestone.classes.base import HypothesisSet, Mapped, Representation
from littlestone.classes.finite import FiniteClass
from littlestone.classes.hypotheses import (
    AlwaysZero,
    Fields,
    TableHypothesis,
    bounds_to_dict,
    json_integer,
    number,
    on_points,
    readable,
    words,
)
from littlestone.classes.trees import ROOT, ListedForest, MatrixTree, VC1Tree, make_tree
from littlestone.data.domains import canonical, object_points
from littlestone.errors import UnsupportedError, check_integer, parameter_error
from littlestone.source import Choice, Explicit, LeveledChoice, Source
from littlestone.types import Hypothesis, Json, Labels, Points

if TYPE_CHECKING:
    from littlestone.classes.base import ConceptClass
    from littlestone.data import Sample


WIDTH = 64

_TAIL = 0b11011  # x**4 + x**3 + x + 1

Words = npt.NDArray[np.uint64]


class Multiplier:
    """Multiplication by a constant, by eight table look-ups for each element.

    Examples
    --------
    >>> Multiplier(2)(np.array([1, 3, 2**63], dtype=np.uint64)).tolist()
    [2, 6, 27]
    """

    def __init__(self, constant: int, width: int = WIDTH) -> None:
        powers = [constant]  # constant * x**i, for the bit i of the other factor
        for _ in range(width - 1):
            power = powers[-1] << 1
            powers.append(power ^ ((1 << width) | _TAIL) if power >> width else power)
        of_bytes = np.array(powers, dtype=np.uint64).reshape(-1, 8)
        self._tables: Words = np.zeros((width // 8, 256), dtype=np.uint64)
        for i in range(8):
            step = 1 << i
            self._tables[:, step : 2 * step] = self._tables[:, :step] ^ of_bytes[:, i, None]

    def __call__(self, elements: Any) -> Words:
        """Return the products."""
        values = np.asarray(elements, dtype=np.uint64)
        out = np.zeros_like(values)
        for i, table in enumerate(self._tables):
            byte = (values >> np.uint64(8 * i)).astype(np.uint8)
            out ^= table[byte]
        return out


MAX_BUCKETS = 2**32 - 1

#: Points are shorter than this many words (32 GiB), so Pr[F(x) = F(y)] < 2**-32.
MAX_WORDS = 2**32

_LONG = 64  # words, from which on few points are joined by halves


def collision(buckets: int, width: int = WIDTH) -> Fraction:
    """Return the sum of the squared bucket shares: Pr[h(x) = h(y)] given F(x) != F(y).

    Examples
    --------
    >>> collision(4), collision(3) > Fraction(1, 3), float(collision(3))
    (Fraction(1, 4), True, 0.3333333333333333)
    """
    share, larger = divmod(2**width, buckets)  # ``larger`` buckets hold one element more
    return Fraction(larger * (share + 1) ** 2 + (buckets - larger) * share**2, 4**width)


def point_collision(buckets: int) -> Fraction:
    """Return a bound on Pr[h(x) = h(y)] for two different points of any length.

    Examples
    --------
    >>> point_collision(4) == Fraction(1, 4) + Fraction(1, 2**32)
    True
    """
    return collision(buckets) + Fraction(MAX_WORDS, 2**64)


@dataclass(frozen=True)
class HashFunction:
    """A function from points to buckets, described by its public coins.

    Examples
    --------
    >>> h = HashFunction(3, 5, 7, buckets=10)
    >>> h(np.array([1, 2, 1])).tolist() == h(np.array([1, 2, 1], dtype=object)).tolist()
    True
    """

    key: int
    multiplier: int
    addend: int
    buckets: int

    @classmethod
    def drawn(cls, rng: np.random.Generator, buckets: int) -> HashFunction:
        """Draw the coins; ``rng`` is public."""
        s, a, b = (int(c) for c in rng.integers(0, 2**64, size=3, dtype=np.uint64))
        return cls(s, a, b, buckets)

    def __call__(self, points: Points) -> npt.NDArray[np.int64]:
        """Return the bucket of each point, in [0, buckets)."""
        element = self._times(fingerprints(points, self._step)) ^ np.uint64(self.addend)
        # floor(buckets * element / 2**64), exactly, in two halves
        count, half = np.uint64(self.buckets), np.uint64(32)
        low = ((element & np.uint64(2**32 - 1)) * count) >> half
        return (((element >> half) * count + low) >> half).astype(np.int64)

    @property
    def _step(self) -> Multiplier:
        return _tables(self.key)

    @property
    def _times(self) -> Multiplier:
        return _tables(self.multiplier)

    def to_dict(self) -> Json:
        """Return plain JSON."""
        coins = {k: json_integer(getattr(self, k)) for k in ("key", "multiplier", "addend")}
        return {"type": "multiply-add", **coins, "buckets": self.buckets}

    @classmethod
    def from_dict(cls, data: Any) -> HashFunction:
        """Read it back."""
        coins = ("key", "multiplier", "addend")
        fields = Fields(data, (*coins, "buckets"))
        if fields.type != "multiply-add":
            raise fields.refuse("type", "'multiply-add'")
        s, a, b = (fields.integer(c, low=0, high=2**64 - 1) for c in coins)
        return cls(s, a, b, fields.integer("buckets", low=1, high=MAX_BUCKETS))


@lru_cache(maxsize=256)
def _tables(constant: int) -> Multiplier:
    """Keep the tables here, not on the function: what an object carries is released with it."""
    return Multiplier(constant)


def fingerprints(points: Points, step: Multiplier) -> Words:
    """Return F(x) of each point, vectorised over points with equally many words."""
    if points.ndim == 1 and points.dtype != object:
        values = points.astype(np.int64, copy=False).view(np.uint64)
        head = np.full(1, words(0)[0], dtype=np.uint64)
        return _polynomial([head, values], step)
    rows = map(tuple, points.tolist()) if points.ndim == 2 else iter(points)
    encoded = [words(canonical(p)) for p in rows]
    out = np.zeros(len(encoded), dtype=np.uint64)
    lengths = np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded))
    for length in np.unique(lengths):
        where = np.flatnonzero(lengths == length)
        table = np.array([encoded[i] for i in where], dtype=np.uint64)
        long = length > _LONG and len(where) < length
        out[where] = _by_halves(table, step) if long else _polynomial(list(table.T), step)
    return out


def _polynomial(columns: list[Words], step: Multiplier) -> Words:
    """Horner's rule."""
    total = columns[0]
    for column in columns[1:]:
        total = step(total) ^ column
    return total


def _by_halves(table: Words, step: Multiplier) -> Words:
    """Return the same polynomials, for few long points: neighbours join, with s, s**2, s**4, ..."""
    rows, length = table.shape
    padded = np.zeros((rows, 1 << (length - 1).bit_length()), dtype=np.uint64)
    padded[:, padded.shape[1] - length :] = table  # leading zeros change no polynomial
    while padded.shape[1] > 1:
        padded = step(padded[:, 0::2]) ^ padded[:, 1::2]
        step = _tables(int(step(step(1))))
    return padded[:, 0]


def inside_bounds(points: Points, bounds: tuple[int, int] | None) -> npt.NDArray[np.bool_]:
    """Return which points lie between public bounds: all where there are none."""
    if bounds is None:
        return np.ones(len(points), dtype=bool)
    return np.asarray((points >= bounds[0]) & (points <= bounds[1]), dtype=bool)


def domain_of(bounds: tuple[int, int] | None) -> str:
    """Say the bounds behind a description."""
    return "" if bounds is None else f" (x from {number(bounds[0])} to {number(bounds[1])})"


@readable
@dataclass(frozen=True)
class HashHypothesis:
    """1 on all points whose public hash falls into one bucket.

    Examples
    --------
    >>> h = HashHypothesis(HashFunction(3, 5, 7, buckets=2), 1)
    >>> h.describe()
    '1 if the public hash of x falls into bucket 1 of 0..1, otherwise 0'
    """

    function: HashFunction
    bucket: int
    bounds: tuple[int, int] | None = None

    TYPE = "hash"

    @property
    def key(self) -> Hashable:
        """Canonical identity (different coins may give equal functions on a finite domain)."""
        f = self.function
        coins = (f.key, f.multiplier, f.addend, f.buckets)
        return (self.TYPE, *coins, self.bucket, self.bounds)

    def predict(self, points: Points) -> Labels:
        """Label each point."""
        one: npt.NDArray[np.bool_] = self.function(points) == self.bucket
        one &= inside_bounds(points, self.bounds)
        return one.astype(np.int8)

    def describe(self) -> str:
        """Say the hypothesis in words."""
        last = self.function.buckets - 1
        return (
            f"1 if the public hash of x falls into bucket {self.bucket} of 0..{last}, "
            f"otherwise 0{domain_of(self.bounds)}"
        )

    def to_dict(self) -> Json:
        """Return plain JSON; the coins are in it, so everyone can compute the hypothesis."""
        out: Json = {"type": self.TYPE, "hash": self.function.to_dict(), "bucket": self.bucket}
        return out | bounds_to_dict(self.bounds)

    @classmethod
    def from_dict(cls, data: Any) -> HashHypothesis:
        """Read it back."""
        fields, bounds = Fields.bounded(data, "hash", "bucket")
        function = HashFunction.from_dict(fields.any("hash"))
        bucket = fields.integer("bucket", low=0, high=function.buckets - 1)
        return cls(function, bucket, bounds)


_MOST_COPIES = 64


class Hashed(Representation):
    """A representation by ``copies`` independent public hash functions of the domain.

    One copy has an expected disagreement of at most ``collision``, so it misses alpha with
    probability at most collision/alpha (Markov), and all of them with probability at most
    (collision/alpha)**copies <= beta.
    """

    concept_class: Any
    proper = False

    #: The most buckets of all copies together: scores are stored one by one.
    most: ClassVar[int] = 10_000_000

    def __init__(
        self,
        concept_class: Any,
        alpha: Fraction,
        beta: Fraction,
        copies: int,
        buckets: int,
        *,
        family: HashFamily | None = None,
    ) -> None:
        caller = type(self).__name__
        self.concept_class = concept_class
        self.alpha, self.beta = alpha, beta
        self.copies = check_integer(caller, "copies", copies, low=1)
        self.buckets = check_integer(caller, "buckets", buckets, low=1)
        family = family or concept_class.hashing
        self.size = self.copies * family.candidates(self.buckets) + family.shared
        self.collision = family.collision(self.buckets)
        if self.copies * self.buckets > self.most:
            rule = f"at most {self.most} in all copies"
            raise parameter_error(caller, "buckets", rule, self.buckets, "Raise alpha or beta.")
        if (self.collision / alpha) ** self.copies > beta:
            raise parameter_error(
                caller, "buckets", "large enough to reach beta", self.buckets,
                f"{caller}.smallest(concept_class, alpha, beta) finds copies and buckets.",
            )  # fmt: skip

    @classmethod
    def smallest(cls, concept_class: Any, alpha: Fraction, beta: Fraction) -> Self:
        """Return the representation of the smallest size that reaches alpha and beta."""
        copies, buckets = cls.fewest(concept_class.hashing, alpha, beta)
        return cls(concept_class, alpha, beta, copies, buckets)

    @classmethod
    def fewest(cls, family: HashFamily, alpha: Fraction, beta: Fraction) -> tuple[int, int]:
        """Return the copies and buckets with the fewest candidates that reach alpha and beta."""
        options: list[tuple[int, int, int]] = []
        least = fewest_buckets(family, alpha, Fraction(1), 1, cls.most) or 1  # of any copies
        for t in range(1, _MOST_COPIES + 1):
            if options and t * family.candidates(least) > min(options)[0]:
                break
            found = fewest_buckets(family, alpha, beta, t, cls.most // t)
            if found is not None:
                options.append((t * family.candidates(found), t, found))
        if not options:
            raise parameter_error(
                cls.__name__, "alpha", "larger for this class and beta", float(alpha),
                f"More than {cls.most} buckets would be needed.",
            )  # fmt: skip
        return min(options)[1:]

    def functions(self, source: Source) -> tuple[HashFunction, ...]:
        """Draw the hash functions with public coins."""
        rng = source.public_rng()
        return tuple(HashFunction.drawn(rng, self.buckets) for _ in range(self.copies))


def fewest_buckets(
    family: HashFamily, alpha: Fraction, beta: Fraction, copies: int, most: int
) -> int | None:
    """Return the least number of buckets with (collision / alpha)**copies <= beta, if any."""
    if not family.collision(1):  # nothing collides
        return 1
    log_beta = log_of(beta)

    def reached(buckets: int) -> bool:
        ratio = family.collision(buckets) / alpha
        # exact powers are long numbers; where logarithms are not close, they decide
        difference = copies * log_of(ratio) - log_beta
        if abs(difference) > 1e-9 * (1 - log_beta):
            return difference < 0
        return bool(ratio**copies <= beta)

    # a collision is about one part that falls as 1 / buckets, and one that stays
    falls, stays = _parts(family, most)
    slack = float(alpha) * exp(log_beta / copies) - stays
    near = int(min(falls / slack, most)) if slack > 0 else most
    if not reached(most):
        return None
    return least_n(lambda buckets: reached(min(buckets, most)), max(near, 1))


@lru_cache(maxsize=64)
def _parts(family: HashFamily, most: int) -> tuple[float, float]:
    first, last = float(family.collision(1)), float(family.collision(most))
    falls = (first - last) / (1 - 1 / most)
    return falls, first - falls


class HashedPoints(Hashed):
    r"""Points over any domain: all points that share a bucket of a random public hash.

    H is the constant 0 and, for each of ``copies`` independent hash functions, one hypothesis for
    each bucket: ``size = copies * buckets + 1``. For the concept of a point x, the hypothesis of
    x's bucket is wrong on the other points of that bucket: an expected disagreement of at most
    ``collision``, the bound on Pr[h(x) = h(y)] for different points shorter than 2**32 words.

    Notes
    -----
    Parameters, attributes and errors: see `Hashed`. Source: Li, Wang, Ye 2024, Definition 2.3; the
    construction is the point functions' (Beimel, Nissim, Stemmer 2013) with exact constants. The
    size does not depend on the domain.

    Examples
    --------
    >>> from littlestone.classes import Points
    >>> hashed = Points().representation(alpha=0.1, beta=0.05)
    >>> hashed.copies, hashed.buckets, hashed.size
    (3, 28, 85)
    """

    most = 50_000_000

    def drawn(self, source: Source) -> HypothesisSet:
        """Draw the hash functions with public coins."""
        return HashedPointSet(self.functions(source), self.concept_class.bounds)


#: Buckets are the candidates of one copy; all copies share the constant 0.
HASHED_POINTS = HashFamily(candidates=lambda buckets: buckets, collision=point_collision)


@dataclass(frozen=True)
class HashedPointSet(HypothesisSet):
    """What `HashedPoints` draws: the constant 0, then the buckets of each hash function."""

    functions: tuple[HashFunction, ...]
    bounds: tuple[int, int] | None

    proper = False

    @property
    def size(self) -> int:  # type: ignore[override]
        """Number of hypotheses."""
        return len(self.functions) * self.functions[0].buckets + 1

    def candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Errors of a bucket B: all positives, less those in B, plus the negatives in B."""
        points, zeros, ones, positives = self._inside(sample)
        weights = zeros - ones
        scores = [np.zeros(1, dtype=np.int64)]
        for function in self.functions:
            total = np.zeros(function.buckets, dtype=np.int64)
            if len(points):
                np.add.at(total, function(points), weights)
            scores.append(-total)
        return self._choice(np.concatenate(scores) - positives)

    def surrogate_candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Score by q, in closed form.

        For a bucket B with n_B records: the concept 0 gives positives + n_B; the concept of a
        point y in B gives positives - ones_y + zeros_y (errors) + n_B - n_y (disagreements) =
        positives + n_B - 2 ones_y; that of a point y not in B gives positives + n_B + 2 zeros_y.
        So q(B) = positives + n_B - 2 max over y in B of ones_y, and q(0) = positives.
        """
        points, zeros, ones, positives = self._inside(sample)
        scores = [np.zeros(1, dtype=np.int64)]
        for function in self.functions:
            records = np.zeros(function.buckets, dtype=np.int64)
            best = np.zeros(function.buckets, dtype=np.int64)
            if len(points):
                bucket = function(points)
                np.add.at(records, bucket, zeros + ones)
                np.maximum.at(best, bucket, ones)
            scores.append(2 * best - records)
        return self._choice(np.concatenate(scores) - positives)

    def _choice(self, scores: npt.NDArray[np.int64]) -> Choice[Hypothesis]:
        return Mapped(Explicit(scores), self.hypothesis)

    def hypothesis(self, index: int) -> Hypothesis:
        """Return hypothesis number 0, ..., size - 1."""
        if index == 0:
            return AlwaysZero()
        copy, bucket = divmod(index - 1, self.functions[0].buckets)
        return HashHypothesis(self.functions[copy], bucket, self.bounds)

    def hypotheses(self) -> Iterator[Hypothesis]:
        """Yield them by number."""
        return map(self.hypothesis, range(self.size))

    def _inside(
        self, sample: Sample
    ) -> tuple[npt.NDArray[np.generic], npt.NDArray[np.int64], npt.NDArray[np.int64], int]:
        """Return the points in the domain with their counts, and the number of positives."""
        kept = sample if self.bounds is None else sample.within(*self.bounds)
        return kept.points, kept.zeros, kept.ones, sample.positives

    def to_dict(self) -> Json:
        """Return plain JSON."""
        out: Json = {"type": "hashed points", "hashes": [f.to_dict() for f in self.functions]}
        return out | bounds_to_dict(self.bounds) | {"size": self.size}


# -- Classes of VC dimension 1: hash the choices at the branchings of the tree, keep the depth.
#
# A concept is the path from a node up to the root of the class's tree (`make_tree`). Walking down
# to a node x, there is a choice only below *branching* nodes, those with several children. Hash
# each child of a branching node to one of R values; the choices on the way to x become a word
# sigma(x) of at most b letters, b the largest number of branching nodes on a path. The hypothesis
# (s, l), for a word s and a depth l, accepts x if and only if
#
#     depth(x) <= l   and   sigma(x) is a prefix of s.
#
# *It represents.* For the concept of a node z take s = sigma(z) and l = depth(z). Every x on z's
#   path
# is accepted. Another x of depth at most l leaves the path at some branching node of it, by a
#   child
# that is not z's; it is accepted only if these two children have one hash, with probability at
#   most
# ``collision``. So the expected disagreement is at most ``collision``, for every distribution; by
# Markov's inequality each of ``copies`` independent copies misses alpha with probability at most
# collision / alpha.
#
# *Its size.* h depths times 1 + R + ... + R**b words for each copy, and the empty path once.
#   Without
# branchings (thresholds) that is the class itself; a star (points) has h = b = 1 and is hashed as
# `HashedPoints` does it. A factor h is unavoidable in general (Feldman, Xiao 2014).


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
