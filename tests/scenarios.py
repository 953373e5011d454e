"""Public synthetic distributions on which learners are measured: nothing here comes from data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatch
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from littlestone.classes import (
    AffineSubspaces,
    ConceptClass,
    Conjunctions,
    DecisionTrees,
    FiniteClass,
    Intervals,
    Points,
    Prefixes,
    Rules,
    SparseSets,
    Thresholds,
    TreePaths,
)
from littlestone.classes import finite as listed
from littlestone.classes.trees import ROOT
from littlestone.data import Sample, UserSample
from littlestone.data.stored import Encoded, OnLine, Stored
from littlestone.errors import LittlestoneError, UnsupportedError
from littlestone.source import SeededSource, public_generator

if TYPE_CHECKING:
    from littlestone.types import Hypothesis


_BEYOND = 1.02  # a mistake of this many alpha is a failure


@dataclass(frozen=True, eq=False)
class Scenario:
    """A distribution of labelled points with finite support, and the best concept on it."""

    name: str  # what it looks like, in words
    kind: str  # ``"worst-case"`` or ``"typical"``
    points: npt.NDArray[Any]  # distinct, in canonical order
    mass: npt.NDArray[np.float64]  # probability of each point
    labels: npt.NDArray[np.int64]  # those of the target concept
    noise: float = 0.0  # probability with which a label is flipped

    def draw(self, n: int, generator: np.random.Generator) -> Sample:
        """Return n independent labelled records; the cost does not depend on n."""
        counts = generator.multinomial(n, self.mass)
        flips = generator.binomial(counts, self.noise)
        ones = np.where(self.labels == 1, counts - flips, flips).astype(np.int64)
        kept = counts > 0
        return Sample.binary(self.points[kept], (counts - ones)[kept], ones[kept])

    def draw_users(self, n_users: int, m: int, generator: np.random.Generator) -> UserSample:
        """Return the records of users who have m independent records each."""
        point = generator.choice(len(self.points), size=n_users * m, p=self.mass)
        label = self.labels[point] ^ (generator.random(n_users * m) < self.noise)
        user = np.repeat(np.arange(n_users, dtype=np.int64), m)
        names = np.arange(n_users, dtype=np.uint64)
        ones = np.ones(n_users * m, dtype=np.int64)
        return UserSample(self.points, user, point.astype(np.int64), label, ones, names).merged()

    def excess(self, hypothesis: Hypothesis) -> float:
        """Return the error above the target's, exactly (up to floats)."""
        wrong = np.asarray(hypothesis.predict(self.points)) != self.labels
        return float(self.mass[wrong].sum() * (1 - 2 * self.noise))


def scenarios(
    concept_class: ConceptClass, alpha: Fraction, *, noise: float = 0.0
) -> list[Scenario]:
    """Return distributions to measure learners of a class on.

    ``alpha``: the error that is asked for: the worst cases put slightly more on one decision;
    ``noise``: labels are flipped so often: for agnostic learners.
    """
    concept_class.check_binary("A distribution to measure on")
    # a mistake must exceed alpha after the noise has hidden a part of it.
    share = min(_BEYOND * float(alpha) / (1 - 2 * noise), 0.5)
    return [
        Scenario(name, kind, *_sorted(points, mass, labels), noise)
        for name, kind, points, mass, labels in shapes(concept_class, share)
    ]


def _sorted(
    points: Sequence[Any], mass: Sequence[float], labels: Sequence[int]
) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Return the three in the canonical order of points."""
    sample = Sample.of(points, np.zeros(len(points), dtype=np.int64))
    given: Sequence[Any] = np.asarray(points).tolist() if hasattr(points, "ndim") else points
    where = {point: i for i, point in enumerate(_keys(given))}
    order = [where[point] for point in _keys(sample.points.tolist())]
    weights = np.asarray(mass, dtype=np.float64)[order]
    return sample.points, weights / weights.sum(), np.asarray(labels, dtype=np.int64)[order]


def _keys(points: Sequence[Any]) -> list[Any]:
    return [tuple(point) if isinstance(point, list) else point for point in points]


# -- the shapes of synthetic distributions, class by class: points, masses, a target's labels -----

_SUPPORT = 4096  # points of a distribution
_LISTED = 1 << 12  # concepts of a class that is listed

#: Name, kind, points, mass of each point, label of each point.
Shape = tuple[str, str, Any, Sequence[float], Sequence[int]]


@singledispatch
def shapes(concept_class: Any, share: float) -> list[Shape]:
    """Return the shapes for a class: of a kind that is known here, or small enough to be listed.

    ``share``: mass of the one decision that a worst case turns on.
    """
    too_large = UnsupportedError(
        f"No synthetic distributions are known for {concept_class.spec}, and it is too large to "
        "be listed. Measure a smaller class of the same kind."
    )
    if concept_class.size > _LISTED:
        raise too_large
    try:
        found = listed.listing(concept_class, None)
    except LittlestoneError:
        raise too_large from None
    batch = listed.batch(concept_class, found.points)
    rows = [concept.predict(batch) for concept in concept_class.concepts()]
    return _of_matrix(found.points, np.array(rows, dtype=np.uint8), share)


@shapes.register
def _(concept_class: FiniteClass, share: float) -> list[Shape]:
    return _of_matrix(range(concept_class.matrix.shape[1]), concept_class.matrix, share)


def _of_matrix(points: Sequence[Any], matrix: Any, share: float) -> list[Shape]:
    """Take the worst point for some concept, and the uniform distribution."""
    target = matrix[len(matrix) // 2]
    # the point at which most concepts disagree with the target, and one at which fewest do
    differ = (matrix != target).sum(axis=0)
    hard, easy = int(np.argmax(differ)), int(np.argmin(differ))
    mass = np.zeros(len(points))
    mass[easy] += 1 - share
    mass[hard] += share
    uniform = np.full(len(points), 1 / len(points))
    return [
        ("one point decides", "worst-case", points, mass.tolist(), target.tolist()),
        ("all points alike", "typical", points, uniform.tolist(), target.tolist()),
    ]


@shapes.register
def _(concept_class: Thresholds, share: float) -> list[Shape]:
    low, high = concept_class.low, concept_class.high
    out: list[Shape] = []
    if high > low:  # every threshold but one or two is wrong on the second point
        pair = ([low, low + 1], [1 - share, share], [0, 1])
        out.append(("two neighbouring points", "worst-case", *pair))
    steps = min(high - low + 1, _SUPPORT)
    grid = [low + (high - low) * i // max(steps - 1, 1) for i in range(steps)]
    labels = [int(i >= steps // 2) for i in range(steps)]
    out.append(("an even grid, cut in the middle", "typical", grid, [1 / steps] * steps, labels))
    return out


@shapes.register
def _(concept_class: Points, share: float) -> list[Shape]:
    return _spread(concept_class.bounds, 1, share)


@shapes.register
def _(concept_class: SparseSets, share: float) -> list[Shape]:
    return _spread(concept_class.bounds, concept_class.k, share)


@shapes.register
def _(concept_class: Intervals, share: float) -> list[Shape]:
    low, high = concept_class.low, concept_class.high
    steps = min(high - low + 1, _SUPPORT)
    grid = [low + (high - low) * i // max(steps - 1, 1) for i in range(steps)]
    middle = steps // 2
    mass = [(1 - share) / max(steps - 1, 1)] * steps
    mass[middle] = share if steps > 1 else 1.0
    inside = [int(steps // 4 <= i < 3 * steps // 4) for i in range(steps)]
    return [
        (
            "one point in a wide domain",
            "worst-case",
            grid,
            mass,
            [int(i == middle) for i in range(steps)],
        ),
        ("an even grid, its middle half", "typical", grid, [1 / steps] * steps, inside),
    ]


@shapes.register
def _(concept_class: AffineSubspaces, share: float) -> list[Shape]:
    """Take all vectors (x, ..., x, 0, ..., 0, 1): they lack zero, a likely default."""
    q, n, dim = concept_class.q, concept_class.n, concept_class.dim
    generator = public_generator(0)
    free = generator.integers(q, size=(_SUPPORT // 4, dim))
    corners = np.eye(dim + 1, dim, k=-1, dtype=np.int64)  # zero, and a one at each free place
    inside = np.unique(np.concatenate([corners, free]), axis=0)
    behind = np.eye(
        1, n - dim, k=n - dim - 1, dtype=np.int64
    )  # nothing, if the subspace is everything
    inside = np.hstack([inside, behind.repeat(len(inside), axis=0)])
    spanning = np.hstack([corners, behind.repeat(len(corners), axis=0)])
    outside = np.unique(generator.integers(q, size=(_SUPPORT // 4, n)), axis=0)
    outside = outside[(outside[:, dim:] != behind).any(axis=1)]
    codes = concept_class.domain.array

    def shape(name: str, kind: str, on: Any, weight: float) -> Shape:
        weight = weight if len(outside) else 1.0
        points = codes(np.concatenate([on, outside]), caller="scenarios")
        mass = [weight / len(on)] * len(on) + [(1 - weight) / max(len(outside), 1)] * len(outside)
        return name, kind, points, mass, [1] * len(on) + [0] * len(outside)

    return [
        shape("few points that span an affine subspace", "worst-case", spanning, share),
        shape("half on an affine subspace, half elsewhere", "typical", inside, 0.5),
    ]


@shapes.register(TreePaths)
@shapes.register(Prefixes)
def _(concept_class: TreePaths | Prefixes, share: float) -> list[Shape]:
    """Take the path to a deepest node, and nodes of all levels off it; the tree is not listed."""
    forest, generator = concept_class.forest, public_generator(0)
    deepest = _deepest(concept_class)
    height = forest.depth(deepest)
    steps = min(height, _SUPPORT // 2)
    path = [
        forest.ancestor(deepest, 1 + (height - 1) * i // max(steps - 1, 1)) for i in range(steps)
    ]
    aside = []
    for node in _nodes(concept_class, _SUPPORT // 4, generator):
        above = forest.ancestor(node, int(generator.integers(1, forest.depth(node) + 1)))
        if not forest.precedes(deepest, above):  # that would be on the path
            aside.append(above)
    aside = list(dict.fromkeys(aside))
    out: list[Shape] = []
    # Nearly every path has the top node, one only has the bottom: everything else is wrong there.
    easy = ([path[0]], [1]) if height > 1 else (aside[:1], [0])
    if easy[0]:
        pair = concept_class.domain.store([*easy[0], deepest])
        out.append(("the ends of a path", "worst-case", pair, [1 - share, share], [*easy[1], 1]))
    points = concept_class.domain.store([*path, *aside])
    on = 0.5 if aside else 1.0
    mass = [on / len(path)] * len(path) + [(1 - on) / max(len(aside), 1)] * len(aside)
    labels = [1] * len(path) + [0] * len(aside)
    out.append(("half on a path, half elsewhere", "typical", points, mass, labels))
    return out


def _deepest(concept_class: TreePaths | Prefixes) -> Any:
    """Return a node of the largest depth: of all strings, one in the middle."""
    if isinstance(concept_class, TreePaths):
        return concept_class.forest.node(int(np.argmax(concept_class.forest.depths)))
    node: Any = ROOT
    for level in range(concept_class.forest.height):
        digits = list(concept_class.forest.children(node))
        node = digits[level % len(digits)]
    return node


def _nodes(concept_class: TreePaths | Prefixes, k: int, generator: np.random.Generator) -> Any:
    """Yield k nodes, each one of all alike (nearly so, where there are very many)."""
    size = int(concept_class.forest.size)
    for _ in range(k):
        rank = int.from_bytes(generator.bytes(size.bit_length() // 8 + 8)) % size
        if isinstance(concept_class, TreePaths):
            yield concept_class.forest.node(rank)
        else:
            yield concept_class.forest.at_rank(rank)


@shapes.register
def _(concept_class: Conjunctions, share: float) -> list[Shape]:
    """Take a conjunction of all bits (if monotone, of none), and one of two bits."""
    n = concept_class.n
    ends = np.array([[0] * n, [1] * n])
    # Of monotone ones, all are 1 at the top, and only the empty one at the bottom; of the others,
    # hardly any is 1 at a given vector.
    hard = 0 if concept_class.monotone else 1
    mass = [share, 1 - share] if concept_class.monotone else [1 - share, share]
    labels = [1, 1] if concept_class.monotone else [0, 1]
    rows = np.unique(public_generator(0).integers(2, size=(_SUPPORT // 4, n)), axis=0)
    both = rows[:, : min(n, 2)].all(axis=1).astype(int).tolist()
    array = concept_class.domain.array
    alike = [1 / len(rows)] * len(rows)
    name = f"the vector of {'ones' if hard else 'zeros'} decides"
    return [
        (name, "worst-case", array(ends, caller="scenarios"), mass, labels),
        ("random bits, two of them decide", "typical", array(rows, "scenarios"), alike, both),
    ]


@shapes.register(Rules)
@shapes.register(DecisionTrees)
def _(concept_class: Rules | DecisionTrees, share: float) -> list[Shape]:
    """Take random rows, and of a few random concepts the one that is most nearly half true."""
    schema = concept_class.domain.schema
    generator = public_generator(0)
    columns = [generator.integers(n, size=_SUPPORT // 4) for n in schema.n_codes]
    rows = np.unique(np.stack(columns, axis=1), axis=0)
    candidates = concept_class.candidates(Sample.of(rows[:0], np.zeros(0, dtype=np.int64)))
    source = SeededSource(0)
    drawn = [np.asarray(candidates.draw(Fraction(1), source).predict(rows)) for _ in range(20)]
    labels = min(drawn, key=lambda found: abs(float(found.mean()) - 0.5)).astype(int)
    out: list[Shape] = []
    if 0 < labels.sum() < len(labels):
        pair = [int(np.argmin(labels)), int(np.argmax(labels))]
        two = (rows[pair], [1 - share, share], [0, 1])
        out.append(("two rows", "worst-case", *two))
    alike = [1 / len(rows)] * len(rows)
    out.append(("random rows, a random concept", "typical", rows, alike, labels.tolist()))
    return out


def _spread(bounds: tuple[int, int] | None, k: int, share: float) -> list[Shape]:
    """Few heavy points that matter among many light ones."""
    low, high = bounds or (0, 10**9)
    steps = min(high - low + 1, _SUPPORT)
    grid = [low + (high - low) * i // max(steps - 1, 1) for i in range(steps)]
    k = min(k, steps)
    labels = [int(i < k) for i in range(steps)]
    out: list[Shape] = []
    for name, kind, heavy in (
        ("barely heavy points among many", "worst-case", min(share, 0.5)),
        ("heavy points among many", "typical", 0.5),
    ):
        mass = [
            heavy / max(k, 1) if i < k else (1 - heavy) / max(steps - k, 1) for i in range(steps)
        ]
        out.append((name, kind, grid, mass, labels))
    return out


def keep_stored(sample: Sample, layout: OnLine | Encoded, kind: type[Stored] = Stored) -> Stored:
    """Store a sample that is in memory."""
    label, at = np.nonzero(sample.counts)
    words = [word[at] for word in layout.words(sample.points)]
    columns = [*words, label.astype(np.int64), sample.counts[label, at]]
    batch = pa.record_batch(columns, names=[*layout.names, "label", "n"])
    return kind.keep(layout, batch.schema, [batch], sample.costs, np.array(sample.outside))
