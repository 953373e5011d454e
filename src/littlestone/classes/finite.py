"""Finite classes, given as a matrix: rows are concepts, columns are the points 0 .. m - 1."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, singledispatch
from itertools import accumulate, islice, pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from flint import arb, ctx

from littlestone.classes.base import (
    LISTABLE,
    ConceptClass,
    HypothesisSet,
    Mapped,
    Representation,
    VersionSpace,
    as_point,
    check_label,
    records,
    version_space,
)
from littlestone.classes.hypotheses import Fields, MajorityHypothesis, TableHypothesis
from littlestone.classes.spec import written
from littlestone.classes.trees import MatrixTree, no_concept
from littlestone.combinatorics import BitMatrix, Kernel
from littlestone.data import IntegerDomain, Sample
from littlestone.data.cells import check_labels
from littlestone.errors import ParameterError, UnsupportedError, check_probability, parameter_error
from littlestone.safe_io import read_text
from littlestone.source import Choice, Explicit, Source, ball
from littlestone.types import Hypothesis, Json, Point, Points
from littlestone.types import Points as Batch

# -- Dichotomies of a few points, each with the errors of its best concept on other records.
#
# A *dichotomy* of points is a labelling of them by some concept. There are at most Sauer-Shelah
# many of them, however large the class; each one here costs what its best concept costs on a
# second sample. The reduction from agnostic to realizable learning draws one by the exponential
# mechanism, so an answer is a `Choice`, drawn by level or by factors, never listed when there are
# many.


#: A label for each point, in their order.
Labelling = npt.NDArray[np.uint8]

#: A class without a closed form is listed up to this size.
_LISTED = 1 << 16


def check_dichotomies(concept_class: ConceptClass) -> None:
    """Refuse a class whose dichotomies cannot be drawn."""
    by_list = best_dichotomies.dispatch(object)
    closed = best_dichotomies.dispatch(type(concept_class)) is not by_list
    if not closed and concept_class.size > _LISTED:
        raise UnsupportedError(
            f"The dichotomies of {concept_class.spec} are not known in closed form, and there are "
            "more than 2**16 concepts to list. Affine subspaces have papers.Corollary4; for "
            "smaller classes the 'agnostic' learner needs no dichotomies."
        )


def dichotomies(concept_class: ConceptClass, points: Batch, sample: Sample) -> Choice[Labelling]:
    """Return the dichotomies of points, scored by minus the errors of their best concepts.

    Notes
    -----
    Cost, for k points and r points of the sample: O((k + r) log(k + r)) for thresholds, points,
    paths; O(k + r) balls for each item of a sparse set and for intervals; a row of k + r labels
    for each concept of other classes.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.classes import Thresholds
    >>> from littlestone.source import SeededSource
    >>> second = Sample.of([2, 6, 6], [0, 1, 1])
    >>> found = dichotomies(Thresholds(1, 9), np.array([3, 7]), second)
    >>> found.size, found.draw(Fraction(50), SeededSource(0))
    (3, array([0, 1], dtype=uint8))
    """
    check_dichotomies(concept_class)
    return best_dichotomies(concept_class, points, sample)


@singledispatch
def best_dichotomies(concept_class: Any, points: Batch, sample: Sample) -> Choice[Labelling]:
    """Return the dichotomies; see `dichotomies`. The folder of a class registers its own way.

    Here: list the class, one row of labels for each concept.
    """
    blocks: dict[bytes, int] = {}
    for concept in concept_class.concepts():
        seen = np.asarray(concept.predict(points) if len(points) else [], np.uint8).tobytes()
        cost = concept_class.errors(concept, sample)
        blocks[seen] = min(cost, blocks.get(seen, cost))
    rows = sorted(blocks)
    return ListedDichotomies(
        [blocks[row] for row in rows], lambda i: np.frombuffer(rows[i], dtype=np.uint8)
    )


class ListedDichotomies:
    """Dichotomies with explicit costs."""

    def __init__(self, costs: Sequence[int], labels: Callable[[int], Labelling]) -> None:
        self._scores, self._labels = -np.asarray(costs, dtype=np.int64), labels

    @property
    def size(self) -> int:
        """Number of dichotomies."""
        return int(self._scores.size)

    def draw(self, rate: Fraction, source: Source) -> Labelling:
        """Return one, with weight ``e**(rate * score)``."""
        return self._labels(Explicit(self._scores).draw(rate, source))


class SetDichotomies:
    """All sets of r <= most items, of score (sum of their gains) + ``rest[most - r]``."""

    def __init__(
        self, gains: Sequence[int], rest: Sequence[int], where: Sequence[int], width: int
    ) -> None:
        self._gains, self._rest = list(gains), list(rest)
        self._where, self._width = list(where), width

    @property
    def size(self) -> int:
        """Number of dichotomies."""
        top = min(len(self._rest) - 1, len(self._gains))
        terms = accumulate(
            range(top), lambda c, r: c * (len(self._gains) - r) // (r + 1), initial=1
        )
        return sum(terms)

    def draw(self, rate: Fraction, source: Source) -> Labelling:
        """Return one, with weight ``e**(rate * score)``."""
        most, law = len(self._rest) - 1, SubsetLaw(self._gains, len(self._rest) - 1, rate)

        def sizes() -> list[arb]:
            sums = enumerate(law.sums())
            return [total * ball(rate * self._rest[most - r]).exp() for r, total in sums]

        chosen = law.draw(source.choose(Computed(law.top + 1, sizes)), source)
        return scattered(self._width, [self._where[i] for i in chosen], 1)


class RunDichotomies:
    """All runs i < j of sorted points, of score ``most[i] - least[j]``, and the empty one."""

    def __init__(
        self,
        most: Sequence[int],
        least: Sequence[int],
        empty: int,
        order: Sequence[int],
        width: int,
    ) -> None:
        self._most, self._least, self._empty = most, least, empty
        self._order, self._width = order, width

    @property
    def size(self) -> int:
        """Number of dichotomies."""
        return len(self._order) * (len(self._order) + 1) // 2 + 1

    def draw(self, rate: Fraction, source: Source) -> Labelling:
        """Return one, with weight ``e**(rate * score)``."""

        def ends() -> list[arb]:
            lefts = accumulate(ball(rate * gain).exp() for gain in self._most)
            return [ball(-rate * self._empty).exp()] + [
                left * ball(-rate * cost).exp()
                for left, cost in zip(lefts, self._least[1:])  # noqa: B905
            ]

        j = source.choose(Computed(len(self._order) + 1, ends))
        i = Explicit(self._most[:j]).draw(rate, source) if j else 0
        return scattered(self._width, self._order[i:j], 1)


class Computed:
    """Weights that are computed at the precision that is set."""

    def __init__(
        self, length: int, weights: Callable[[], list[arb]], items: int | None = None
    ) -> None:
        self._length, self._weights = length, weights
        self._more = 4 * max(length, items or 0).bit_length() + 16  # bits that rounding may take

    def __len__(self) -> int:
        return self._length

    def enclose(self, bits: int) -> list[arb]:
        """Return the enclosures."""
        with ctx.workprec(bits + self._more):
            return self._weights()


class SubsetLaw:
    """All sets of at most ``most`` items with a gain each: weight ``e**(rate * sum of gains)``.

    The weights of all r-subsets add up to an elementary symmetric polynomial, which a sum of
    positive numbers gives row by row: O(items * most) enclosures for each precision.
    """

    def __init__(self, gains: Sequence[int], most: int, rate: Fraction) -> None:
        self.gains, self._rate = list(gains), Fraction(rate)
        #: The size of the largest sets.
        self.top = min(most, len(self.gains))
        self._known: tuple[int, list[list[arb]], list[arb]] = (0, [], [])

    def sums(self) -> list[arb]:
        """Return the weight of all sets of each size."""
        return self._table()[0][-1]

    def draw(self, r: int, source: Source) -> list[int]:
        """Draw a set of this size: the last item, then the one before it, ..."""
        chosen, end = list[int](), len(self.gains)
        for left in range(r, 0, -1):

            def last(end: int = end, left: int = left) -> list[arb]:
                sums, factors = self._table()
                return [sums[i][left - 1] * factors[i] for i in range(end)]

            end = source.choose(Computed(end, last, len(self.gains)))
            chosen.append(end)
        return chosen[::-1]

    def _table(self) -> tuple[list[list[arb]], list[arb]]:
        """Return S[i][r], the total weight of the r-subsets of the first i items; and factors."""
        if self._known[0] != ctx.prec:  # the last precision is asked for again
            powers = {gain: ball(self._rate * gain).exp() for gain in set(self.gains)}
            factors = [powers[gain] for gain in self.gains]
            sums = [[arb(1)] + [arb(0)] * self.top]
            for factor in factors:
                shifted = zip(sums[-1][1:], sums[-1], strict=False)
                sums.append([arb(1)] + [same + less * factor for same, less in shifted])
            self._known = (ctx.prec, sums, factors)
        return self._known[1:]


def scattered(width: int, where: Sequence[int], labels: Any) -> Labelling:
    """Return zeros, with some labels at some places."""
    out = np.zeros(width, dtype=np.uint8)
    out[list(where)] = labels
    return out


def points_inside(points: Batch, low: int, high: int) -> tuple[list[int], list[int]]:
    """Return the indices of the points in the domain, increasing by value, and the runs' edges."""
    listed = points.tolist()
    order = sorted((i for i, x in enumerate(listed) if low <= x <= high), key=listed.__getitem__)
    return order, [low - 1, *(listed[i] for i in order), high + 1]


def extremes(
    edges: Sequence[int], second: Sequence[int], weights: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Return, for each run [edge, next edge), the most and the least sum of weights up to it.

    G(t) is the sum of the weights of all points <= t of the second sample.
    """
    passed = list(accumulate(weights, initial=0))
    most, least = [], []
    for start, end in pairwise(edges):
        part = passed[bisect_right(second, start) : bisect_right(second, end - 1) + 1]
        most.append(max(part))
        least.append(min(part))
    return most, least


def best_gap(edges: Sequence[int], second: Sequence[int], weights: Sequence[int]) -> int:
    """Return the least (at most 0) sum of consecutive weights strictly between two edges."""
    best = 0
    for start, end in pairwise(edges):
        running = 0
        for i in range(bisect_right(second, start), bisect_right(second, end - 1)):
            running = min(running, 0) + weights[i]
            best = min(best, running)
    return best


# -- Version spaces of small classes: rows of a matrix, answered by `littlestone.combinatorics`.


#: Most entries of the matrix of a class that is listed (64 MB).
MOST_LABELS = 1 << 26


Namer = Callable[[tuple[Point, ...]], Hypothesis]


class Listing:
    """A class, or a part of it, as a matrix whose columns are all points of the domain."""

    def __init__(
        self,
        concept_class: ConceptClass,
        points: Sequence[Point],
        matrix: npt.ArrayLike | BitMatrix,
        name: Namer,
        max_nodes: int | None,
    ) -> None:
        self.concept_class, self.points, self.name = concept_class, tuple(points), name
        self.kernel = Kernel(matrix, max_nodes=max_nodes)
        self.index = {point: i for i, point in enumerate(self.points)}

    def fresh(self) -> Listing:
        """Return a listing whose kernel remembers nothing."""
        other = Listing.__new__(Listing)
        other.__dict__.update(self.__dict__)
        other.kernel = self.kernel.fresh()
        return other

    def hypothesis(self, labelling: int) -> Hypothesis:
        """Return a labelling of all points as a hypothesis."""
        return self.name(tuple(p for i, p in enumerate(self.points) if labelling >> i & 1))


class ListedSpace(VersionSpace):
    """A set of rows of a listing.

    Examples
    --------
    >>> from littlestone.classes import Intervals
    >>> ages = Intervals(1, 9).version_space()
    >>> ages.littlestone_dim(), ages.restrict(4, 1).restrict(6, 0).littlestone_dim()
    (5, 3)
    """

    def __init__(self, listed: Listing, rows: int) -> None:
        self.concept_class = listed.concept_class
        self.listed, self.rows = listed, rows

    @classmethod
    def of(cls, listed: Listing) -> ListedSpace:
        """Return the space of all rows."""
        return cls(listed, listed.kernel.full)

    def fresh(self) -> ListedSpace:
        """Return the same space with a kernel that remembers nothing."""
        return ListedSpace(self.listed.fresh(), self.rows)

    def restrict(self, point: Any, label: int) -> ListedSpace:
        """Return the rows with this label in the point's column."""
        column = self.listed.index.get(as_point(point))
        if column is None:
            return ListedSpace(self.listed, 0 if check_label(label) else self.rows)
        rows = self.listed.kernel.restrict(self.rows, column, check_label(label))
        return ListedSpace(self.listed, rows)

    @property
    def is_empty(self) -> bool:
        """Whether no row is left."""
        return not self.rows

    def littlestone_dim(self) -> int:
        """Return the Littlestone dimension, by exact search."""
        return self.listed.kernel.ldim(self.rows)

    def soa(self) -> Hypothesis:
        """Return the SOA's prediction, by exact search."""
        return self.listed.hypothesis(self.listed.kernel.soa(self.rows))

    def within_error(self, sample: Sample, tolerance: int) -> ListedSpace:
        """Return the rows with at most ``tolerance`` errors: one matrix product."""
        counts, always = records(sample, tolerance)
        shape = (2, len(self.listed.points))
        seen = np.zeros(shape, dtype=np.int64)
        for point, zeros, ones in counts:
            column = self.listed.index.get(point)
            if column is None:  # not in the domain: everybody says 0
                always += ones
            else:
                seen[:, column] += (zeros, ones)
        if always > tolerance:
            return ListedSpace(self.listed, 0)
        good = self.listed.kernel.within_error(seen[0], seen[1], tolerance - always)
        return ListedSpace(self.listed, self.rows & good)

    def reducibility(self, cap: int | None = None) -> float:
        """Return the reducibility, by exact search."""
        return self.listed.kernel.reducibility(self.rows, cap)

    def decomposition_dim(self, p: int, d: int) -> int:
        """Return the decomposition dimension, by exact search."""
        return self.listed.kernel.ddim(self.rows, p, d)

    def essential(self, p: int, d: int) -> tuple[Hypothesis, ...]:
        """Return all essential hypotheses, by exact search."""
        return tuple(map(self.listed.hypothesis, self.listed.kernel.essential(self.rows, p, d)))

    def splitting_point(self) -> Point | None:
        """Return the root of a shattered tree."""
        if self.littlestone_dim() <= 0:
            return None
        return self.listed.points[self.listed.kernel.mistake_tree(self.rows).points[0]]

    def _first(self) -> Hypothesis:
        """Return the first row."""
        row = (self.rows & -self.rows).bit_length() - 1
        return self.listed.hypothesis(self.listed.kernel.matrix.rows[row])

    def _identity(self) -> tuple[object, ...]:
        matrix = self.listed.kernel.matrix
        members = self.listed.kernel.members(self.rows).tolist()
        return (self.concept_class, frozenset(matrix.rows[row] for row in members))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ListedSpace):
            return NotImplemented
        if self.listed is other.listed:
            return self.rows == other.rows
        return self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash((self.concept_class, self.rows.bit_count()))

    def __repr__(self) -> str:
        return f"ListedSpace({self.concept_class!r}, {self.rows.bit_count()} concepts)"


@singledispatch
def listing(concept_class: ConceptClass, max_nodes: int | None) -> Listing:
    """List a class, if it is small."""
    points = _listable_points(concept_class)
    concepts = list(concept_class.concepts())
    rows = labels(concept_class, concepts, points)
    packed = [row.tobytes() for row in rows]
    by_row: dict[bytes, Hypothesis] = {}
    for key, concept in zip(packed, concepts, strict=True):
        by_row.setdefault(key, concept)  # rules of different form may be one function
    first = {key: i for i, key in reversed(list(enumerate(packed)))}
    index = {point: i for i, point in enumerate(points)}

    def name(ones: tuple[Point, ...]) -> Hypothesis:
        row = np.zeros(len(points), dtype=np.int8)
        row[[index[point] for point in ones]] = 1
        return by_row.get(row.tobytes()) or concept_class.improper(ones)

    return Listing(concept_class, points, rows[sorted(first.values())], name, max_nodes)


def check_listable(concept_class: ConceptClass) -> int:
    """Return the number of points of a class that can be listed, without listing it.

    Examples
    --------
    >>> from littlestone.classes import Intervals
    >>> check_listable(Intervals(1, 99))
    99
    """
    return len(_listable_points(concept_class))


def labels(
    concept_class: ConceptClass, concepts: Iterable[Hypothesis], points: Sequence[Point]
) -> npt.NDArray[np.int8]:
    """Return the labels of concepts on points as a matrix."""
    array = concept_class.domain.store(points)
    return np.array([concept.predict(array) for concept in concepts], dtype=np.int8)


def batch(concept_class: ConceptClass, points: Sequence[Point]) -> Points:
    """Return points as the array that hypotheses of the class read."""
    return concept_class.domain.store(points)


def _listable_points(concept_class: ConceptClass) -> list[Point]:
    """Return all points of the domain, or refuse a class that is too large to be listed."""
    concept_class.check_binary("A list of all concepts")
    size = concept_class.size
    most = int(MOST_LABELS // size) if size <= MOST_LABELS else 0
    points = concept_class.domain_points() or ()
    found = list(points if concept_class.is_listed else islice(points, most + 1))
    if not found or (len(found) > most and not concept_class.is_listed):
        raise UnsupportedError(
            f"The class {concept_class.spec} is too large to be listed (more than 2**26 labels, or "
            "2**12 decision trees), and no closed form for its version spaces is known. Use a "
            "smaller domain."
        )
    return found


@version_space.register
def _(concept_class: ConceptClass, max_nodes: int | None) -> VersionSpace:
    return ListedSpace.of(listing(concept_class, max_nodes))


Bits = npt.NDArray[np.uint8]

_LARGEST = 2**28  # bytes of a file

_MOST_LABELS = 10  # one digit for each code

_MAX_ROWS = 20_000_000

#: Nodes of a search for the VC dimension, times rows.
_WORK = 150_000_000

_BLOCK = 1 << 22  # entries of the matrix that are scored at once (32 MB as int64)


@written("finite(matrix.csv)")
class FiniteClass(ConceptClass):
    """Any finite set of concepts on the points 0, 1, ..., m - 1.

    Parameters
    ----------
    matrix : array-like of 0 and 1, shape (concepts, points)
        Public. Row i is a concept, ``matrix[i, x]`` its label of the point x. No two rows may be
        equal: a class is a set, and a repeated concept would silently be twice as likely.
    name : str, optional
        What ``spec`` shows, for example the file that the matrix came from.
    labels : sequence of up to 10 texts or integers, optional
        Public: then the matrix holds their codes 0, 1, 2, ..., in this order.

    Raises
    ------
    ParameterError
        If the matrix is empty, not of 0 and 1 (not of codes), or has two equal rows.

    Guarantee
    ---------
    ``candidates(sample).draw(rate, source)`` has exactly the exponential mechanism's law.

    Notes
    -----
    Cost of a draw: one product of the matrix (columns of the sample's points) with a vector of
    counts, in exact 64-bit integers. A point that is not a column is outside, and labelled 0.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.source import SeededSource
    >>> parity = FiniteClass([[0, 0], [0, 1], [1, 0]])
    >>> parity.size, parity.vc_dim
    (3, 1)
    >>> data = Sample.of([0, 1], [1, 0])
    >>> parity.candidates(data).draw(Fraction(50), SeededSource(0)).describe()
    '1 on the points 0, otherwise 0 (points 0 to 1)'
    """

    name = "finite"
    is_listed = True

    def __init__(self, matrix: npt.ArrayLike, name: str | None = None, labels: Any = None) -> None:
        if labels is not None:
            self.labels = check_labels("FiniteClass", labels)
        if len(self.labels) > _MOST_LABELS:
            raise parameter_error(
                "FiniteClass", "labels", f"at most {_MOST_LABELS} labels", len(self.labels)
            )
        self.matrix = _checked(matrix, len(self.labels))
        self.source_name = name

    @classmethod
    def from_csv(cls, path: str | Path, labels: Any = None) -> FiniteClass:
        """Read a matrix from a CSV file of 0 and 1 (codes) without a header; rows are concepts.

        Raises
        ------
        ParameterError
            If the file cannot be read, or does not hold a matrix of 0 and 1.
        """
        text = read_text(path, "matrix file", largest=_LARGEST, bom=True)
        rows = [line.replace(" ", "") for line in text.splitlines() if line.strip()]
        matrix = _parse(rows, ",", f"The matrix file {str(path)!r}")
        return cls(matrix, name=str(path), labels=labels)

    @property
    def spec(self) -> str:
        """The text of the class."""
        rows, columns = self.matrix.shape
        return f"finite({self.source_name or f'{rows} concepts on {columns} points'})"

    @property
    def domain(self) -> IntegerDomain:
        """The column numbers."""
        return IntegerDomain(0, self.matrix.shape[1] - 1)

    @property
    def size(self) -> int:
        """Number of concepts."""
        return int(self.matrix.shape[0])

    @cached_property
    def vc_dim(self) -> int:
        """The VC dimension, by exact search (once).

        Raises
        ------
        SearchLimitError
            If the search is too long; it carries the bounds that were reached.
        UnsupportedError
            If the class lists labels of its own.
        """
        self.check_binary("The VC dimension")
        return Kernel(self.matrix, max_nodes=_WORK // self.size).vc_dim()

    def littlestone_bounds(self) -> tuple[int, float]:
        """Return what the number of concepts allows: here the VC dimension is a search, too."""
        self.check_binary("The Littlestone dimension of a class")
        return 0, self.size.bit_length() - 1

    def candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Return all rows, scored by minus their errors; see `ConceptClass.candidates`."""
        if not sample.unlisted:
            self.check_binary("A sample with the labels 0 and 1")
        return Mapped(Explicit(-self._costs(sample)), self.hypothesis)

    def _costs(self, sample: Sample) -> npt.NDArray[np.int64]:
        """Return what each row costs; outside the columns it answers the first label."""
        points, columns = sample.points, self.matrix.shape[1]
        inside = np.asarray((points >= 0) & (points < columns), dtype=bool)
        used, prices = points[inside].astype(np.int64), sample.answer_costs
        more = (prices[1:] - prices[0])[:, inside]  # than the first label
        if 2 * len(used) >= columns:  # most columns: no need to pick them out
            dense = np.zeros((len(more), columns), dtype=np.int64)
            dense[:, used] = more
            used, more = np.arange(columns), dense
        out = np.full(self.size, sample.outside_cost + int(prices[0].sum()))
        step = max(1, _BLOCK // max(1, len(used)))
        for start in range(0, self.size, step):
            block = self.matrix[start : start + step]
            part = block if len(used) == columns else block[:, used]
            for code, costs in enumerate(more, 1):
                out[start : start + step] += (part == code).astype(np.int64) @ costs
        return out

    def hypothesis(self, row: int) -> TableHypothesis:
        """Return the concept of a row."""
        table = (self.matrix[row] + ord("0")).tobytes().decode("ascii")
        return TableHypothesis(table, self.labels)

    def _concepts(self) -> Iterator[Hypothesis]:
        return map(self.hypothesis, range(self.size))

    @cached_property
    def _digest(self) -> str:
        return hashlib.sha256(_packed(self.matrix, len(self.labels)).tobytes()).hexdigest()

    def _identity(self) -> Hashable:
        return (self.matrix.shape, self._digest, self.labels)

    def tree(self, f: Hypothesis | None = None) -> MatrixTree:
        """Return the tree of the class, if it has VC dimension at most 1; see `MatrixTree`."""
        self.check_binary("The tree of a class of VC dimension 1")
        if f is None:
            return MatrixTree(self.matrix)
        labels = f.labels.encode("ascii") if isinstance(f, TableHypothesis) else b""
        row = np.frombuffer(labels, dtype=np.uint8) - np.uint8(ord("0"))
        if len(row) == self.matrix.shape[1]:
            rows = np.flatnonzero((self.matrix == row).all(axis=1))
            if len(rows):
                return MatrixTree(self.matrix, f=int(rows[0]))
        raise no_concept(self.spec)

    def domain_points(self) -> range:
        """Return the columns."""
        return range(self.matrix.shape[1])

    def improper(self, ones: tuple[Point, ...]) -> TableHypothesis:
        """Return the table that is 1 on some columns."""
        labels = np.zeros(self.matrix.shape[1], dtype=np.uint8)
        labels[np.array(ones, dtype=np.intp)] = 1
        return TableHypothesis((labels + ord("0")).tobytes().decode("ascii"))

    def to_dict(self) -> Json:
        """Return plain JSON: the rows as texts of 0 and 1 (of codes)."""
        rows = [self.hypothesis(i).labels for i in range(self.size)]
        out: Json = {"type": self.name, "rows": rows}
        if self.lists_labels:
            out["labels"] = list(self.labels)
        return out if self.source_name is None else out | {"name": self.source_name}

    @classmethod
    def from_dict(cls, data: Any) -> FiniteClass:
        """Read it back."""
        fields = Fields(data, ("rows",), ("name", "labels"))
        rows = fields.items("rows", _MAX_ROWS)
        if not all(isinstance(row, str) for row in rows):
            raise fields.refuse("rows", "a list of texts of 0 and 1")
        matrix = _parse(rows, "", "The 'rows' entry of a JSON 'finite'")
        labels = fields.any("labels") if "labels" in fields else None
        return cls(matrix, name=fields.text("name") if "name" in fields else None, labels=labels)


def _parse(rows: list[str], separator: str, what: str) -> Bits:
    """Return rows of text as a matrix."""
    width = len(rows[0]) if rows else 0
    joined = "".join(rows)
    if not rows or any(len(row) != width for row in rows) or not joined.isascii():
        raise ParameterError(f"{what} must have at least one row of 0 and 1, all the same length.")
    table = np.frombuffer(joined.encode("ascii"), dtype=np.uint8).reshape(len(rows), width)
    if separator:
        if np.any(table[:, 1::2] != ord(separator)):
            raise ParameterError(f"{what} must have one digit, 0 or 1, between commas.")
        table = table[:, ::2]
    return table - np.uint8(ord("0"))  # anything else than 0 and 1 is refused with the matrix


def _packed(matrix: Bits, labels: int) -> Bits:
    """Return the rows as bytes: eight labels in one, if there are two."""
    return np.packbits(matrix, axis=1) if labels == 2 else matrix


def _checked(matrix: npt.ArrayLike, labels: int) -> Bits:
    """Return a matrix of 0 and 1, or of codes, with different rows, or refuse it."""
    hint = "Rows are concepts, columns are points, for example [[0, 0], [0, 1]]."
    try:
        table = np.asarray(matrix)
    except ValueError:
        raise parameter_error(
            "FiniteClass", "matrix", "a matrix with rows of equal length", type(matrix).__name__,
            hint,
        ) from None  # fmt: skip
    if table.ndim != 2 or 0 in table.shape:
        raise parameter_error(
            "FiniteClass", "matrix", "two-dimensional, with at least one row and one column",
            table.shape, hint,
        )  # fmt: skip
    if table.dtype.kind not in "biuf" or not bool(np.isin(table, np.arange(labels)).all()):
        only = "of 0 and 1 only" if labels == 2 else f"of codes from 0 to {labels - 1} only"
        raise parameter_error("FiniteClass", "matrix", only, "other entries", hint)
    bits: Bits = np.ascontiguousarray(table, dtype=np.uint8)
    if bits is matrix:
        bits = bits.copy()  # ours alone: it must not change under its digest
    packed = _packed(bits, labels)
    rows = packed.view(np.dtype((np.void, packed.shape[1]))).reshape(-1)
    _, first, where = np.unique(rows, return_index=True, return_inverse=True)
    if len(first) < len(bits):
        repeated = int(np.flatnonzero(first[where.reshape(-1)] != np.arange(len(bits)))[0])
        original = int(first[where.reshape(-1)[repeated]])
        raise parameter_error(
            "FiniteClass", "matrix", "without equal rows", f"row {repeated} equal to {original}",
            "A class is a set of concepts: numpy.unique(matrix, axis=0) removes repetitions.",
        )  # fmt: skip
    bits.setflags(write=False)
    return bits


@listing.register
def _(concept_class: FiniteClass, max_nodes: int | None) -> Listing:
    concept_class.check_binary("A list of all concepts")
    points, matrix = concept_class.domain_points(), concept_class.matrix
    return Listing(concept_class, points, matrix, concept_class.improper, max_nodes)


@best_dichotomies.register
def _(concept_class: FiniteClass, points: Batch, sample: Sample) -> Choice[Labelling]:
    matrix, width = concept_class.matrix, concept_class.matrix.shape[1]
    inside = [i for i, x in enumerate(points.tolist()) if 0 <= x < width]
    cost = concept_class._costs(sample)
    columns = points[inside].astype(np.int64)
    seen, where = np.unique(matrix[:, columns], axis=0, return_inverse=True)
    least = np.full(len(seen), np.iinfo(np.int64).max)
    np.minimum.at(least, where.ravel(), cost)
    return ListedDichotomies(least.tolist(), lambda i: scattered(len(points), inside, seen[i]))


# -- Boosting a representation (Li, Wang, Ye 2024, Lemma 2.4): from (1/4, 1/4) to any alpha, beta.
#
# Draw T independent hypothesis sets H_1, ..., H_T, each the union of t draws of a (1/4,
# 1/4)-representation, and release majorities of one hypothesis from each. With
#
#     T odd,  (sqrt(3)/2)**T <= alpha,      4**-t <= beta/T,
#
# for every concept c and distribution D, with probability at least 1 - beta some majority
# disagrees with c with probability at most alpha.
#
# *Proof* (AdaBoost with a fixed step). Let D_1 = D. As H_i does not depend on H_1, ..., H_{i-1},
# nor on anything made of them, with probability at least 1 - 4**-t some h_i in H_i disagrees with c
# with probability e <= 1/4 under D_i. Let D_{i+1} multiply the weight of the points on which h_i is
# wrong by sqrt(3), and that of the others by 1/sqrt(3). The total weight is multiplied by e sqrt(3)
# + (1-e)/sqrt(3) <= sqrt(3)/2. A point on which the majority is wrong has at least as many errors
# as correct labels, so its weight never falls below D; hence D(errors of the majority) <=
# (sqrt(3)/2)**T.
#
# The paper states an order of the size and prints no construction. The size here is (t *
# size)**T: direct constructions, whose size grows by ln(1/alpha) only, are far smaller wherever
# they are known.


_QUARTER = Fraction(1, 4)


class Boosted(Representation):
    """The boosted representation of Lemma 2.4.

    Notes
    -----
    Source: Li, Wang, Ye 2024, Lemma 2.4; proof: module docstring.

    Examples
    --------
    >>> from littlestone.classes import Points
    >>> base = Points().representation(0.25, 0.25)
    >>> boosted = Boosted(base, "0.1", "0.05")
    >>> boosted.rounds, boosted.copies, len(str(boosted.size))
    (17, 5, 34)
    >>> Points().representation("0.1", "0.05").size  # the direct construction
    85
    """

    proper = False

    def __init__(self, base: Representation, alpha: Any, beta: Any) -> None:
        self.alpha = check_probability("Boosted", "alpha", alpha)
        self.beta = check_probability("Boosted", "beta", beta)
        if max(base.alpha, base.beta) > _QUARTER:
            raise parameter_error(
                "Boosted", "base", "a representation with alpha and beta at most 1/4",
                f"alpha = {base.alpha}, beta = {base.beta}",
                "concept_class.representation(0.25, 0.25) is one.",
            )  # fmt: skip
        self.base, self.concept_class = base, base.concept_class
        self.rounds = 1
        while Fraction(3, 4) ** self.rounds > self.alpha**2:
            self.rounds += 2
        self.copies = 1
        while Fraction(1, 4**self.copies) > self.beta / self.rounds:
            self.copies += 1
        self.size = (self.copies * base.size) ** self.rounds

    def drawn(self, source: Source) -> MajoritySet:
        """Draw all rounds with public coins."""
        return MajoritySet(
            tuple(
                tuple(self.base.drawn(source) for _ in range(self.copies))
                for _ in range(self.rounds)
            )
        )


@dataclass(frozen=True, eq=False)
class MajoritySet(HypothesisSet):
    """All majorities of one hypothesis from each round; a round is a union of hypothesis sets."""

    rounds: tuple[tuple[HypothesisSet, ...], ...]

    proper = False

    @property
    def size(self) -> int:  # type: ignore[override]
        """Number of choices of one hypothesis from each round."""
        out = 1
        for one in self.rounds:
            out *= sum(drawn.size for drawn in one)
        return out

    def listed(self) -> list[list[Hypothesis]]:
        """Return the hypotheses of each round."""
        return [[h for drawn in one for h in drawn.hypotheses()] for one in self.rounds]

    def hypotheses(self) -> Iterator[Hypothesis]:
        """Yield the majorities, the last round fastest."""
        return map(MajorityHypothesis, product(*self.listed()))

    def candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Score each majority by minus its errors."""
        if self.size > LISTABLE:
            raise UnsupportedError(
                "There are more than 2**20 majorities, so they cannot be scored one by one. Use "
                "the class's own representation(alpha, beta)."
            )
        rounds = self.listed()
        said = [np.array([h.predict(sample.points) for h in one], dtype=np.int64) for one in rounds]
        sizes = [len(one) for one in rounds]
        gains = sample.ones.astype(np.int64) - sample.zeros
        scores = np.empty(self.size, dtype=np.int64)
        for i in range(self.size):
            chosen = np.unravel_index(i, sizes)
            votes = sum(labels[k] for labels, k in zip(said, chosen, strict=True))
            scores[i] = gains[2 * votes > len(rounds)].sum() - sample.positives

        def make(index: int) -> Hypothesis:
            chosen = np.unravel_index(index, sizes)
            return MajorityHypothesis(tuple(h[k] for h, k in zip(rounds, chosen, strict=True)))

        return Mapped(Explicit(scores), make)

    def to_dict(self) -> Json:
        """Return plain JSON."""
        rounds = [[drawn.to_dict() for drawn in one] for one in self.rounds]
        return {"type": "majorities", "rounds": rounds, "size": self.size}
