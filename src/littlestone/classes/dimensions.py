"""Dimensions of concept classes, and what else a theorist asks of a whole class.

Structured classes answer in closed form, at any size; small ones by exact search on their matrix.
Each function also takes a matrix of 0 and 1 in place of a class: rows are concepts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from littlestone.classes.base import MAX_EXPONENT, ConceptClass, VersionSpace
from littlestone.classes.finite import FiniteClass, ListedSpace, Listing, check_listable, listing
from littlestone.classes.hypotheses import to_json
from littlestone.combinatorics.matrix import (
    DEFAULT_MAX_NODES,
    MistakeTree,
    ShatteredSet,
    ThresholdSequence,
)
from littlestone.errors import (
    SearchLimitError,
    UnsupportedError,
    check_integer,
    parameter_error,
)
from littlestone.types import Hypothesis, Json, Point

# -- shattered trees of points and concepts: proofs of a Littlestone dimension --------------------


#: A tree of depth t has 2**t leaves, which are written out.
DEEPEST = 16


@dataclass(frozen=True)
class ShatteredTree:
    """A complete binary tree of points whose every path is the behaviour of a concept.

    Examples
    --------
    >>> from littlestone.classes import Thresholds, littlestone_dimension, shattered_tree
    >>> tree = shattered_tree(Thresholds(1, 7))
    >>> tree.depth == littlestone_dimension(Thresholds(1, 7)), tree.points, tree.holds()
    (True, (4, 6, 2, 7, 5, 3, 1), True)
    >>> [(x, y) for x, y in tree.path(5)], tree.leaves[5].above
    ([(4, 1), (2, 0), (3, 1)], 2)
    """

    concept_class: ConceptClass
    depth: int
    points: tuple[Point, ...]
    leaves: tuple[Hypothesis, ...]

    def path(self, leaf: int) -> list[tuple[Point, int]]:
        """Return the (point, label) pairs from the root to leaf number ``leaf``."""
        node, out = 0, []
        for level in reversed(range(self.depth)):
            label = leaf >> level & 1
            out.append((self.points[node], label))
            node = 2 * node + 1 + label
        return out

    def holds(self, matrix: npt.ArrayLike | None = None) -> bool:
        """Check the definition: each leaf labels the points of its path as the path says."""
        if len(self.points) != 2**self.depth - 1 or len(self.leaves) != 2**self.depth:
            return False
        for number, leaf in enumerate(self.leaves):
            path = self.path(number)
            labels = [label for _, label in path]
            points = self.concept_class.domain.store([point for point, _ in path])
            if path and leaf.predict(points).tolist() != labels:
                return False
        if matrix is None:
            return True
        rows = {tuple(row) for row in np.asarray(matrix).astype(int).tolist()}
        columns = np.arange(np.asarray(matrix).shape[1])
        return all(tuple(leaf.predict(columns).tolist()) in rows for leaf in self.leaves)

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {
            "type": "shattered_tree",
            "class": self.concept_class.spec,
            "depth": self.depth,
            "points": [to_json(point) for point in self.points],
            "leaves": [leaf.to_dict() for leaf in self.leaves],
        }


def grow(space: VersionSpace, depth: int | None = None) -> ShatteredTree:
    """Return a tree that a nonempty version space shatters."""
    dimension = space.littlestone_dim()
    if dimension < 0:
        raise parameter_error("shattered_tree", "space", "a nonempty version space", "an empty one")
    if depth is None:
        depth = dimension
    elif check_integer("shattered_tree", "depth", depth, low=0) > dimension:
        hint = f"It is {dimension}."
        raise parameter_error(
            "shattered_tree", "depth", "at most the Littlestone dimension", depth, hint
        )
    if depth > DEEPEST:
        raise UnsupportedError(
            f"A shattered tree of depth {depth} has 2**{depth} leaves, too many to write out. Ask "
            f"for a smaller one: depth=4 (at most {DEEPEST})."
        )
    points: list[Any] = [None] * (2**depth - 1)
    leaves: list[Hypothesis] = []
    if isinstance(space, ListedSpace):
        _copy(space, depth, points, leaves)
    else:
        _grow(space, depth, 0, points, leaves)
    return ShatteredTree(space.concept_class, depth, tuple(points), tuple(leaves))


def _grow(
    space: VersionSpace, depth: int, node: int, points: list[Any], leaves: list[Hypothesis]
) -> None:
    """Fill in one subtree, from left to right."""
    if not depth:
        leaves.append(space.member())
        return
    points[node] = space.splitting_point()
    for label in (0, 1):
        _grow(space.restrict(points[node], label), depth - 1, 2 * node + 1 + label, points, leaves)


def _copy(space: ListedSpace, depth: int, points: list[Any], leaves: list[Hypothesis]) -> None:
    """Take the top of the kernel's tree, which is built in one search."""
    listed = space.listed
    tree = listed.kernel.mistake_tree(space.rows)
    points[:] = [listed.points[column] for column in tree.points[: 2**depth - 1]]
    rows = tree.leaves[:: 2 ** (tree.depth - depth)]
    leaves += [listed.hypothesis(listed.kernel.matrix.rows[row]) for row in rows]


#: Levels of the tree that witnesses a bound.
_LEVELS = 8


@dataclass(frozen=True)
class Bounds:
    """A dimension that was not decided: it lies in [lower, upper]."""

    lower: float
    upper: float
    reason: str = field(default="", compare=False)
    witness: Callable[[], Json] | None = field(default=None, compare=False, repr=False)

    def to_dict(self) -> Json:
        """Return plain JSON, without the witness."""
        ends: Json = {"lower": _plain(self.lower), "upper": _plain(self.upper)}
        return ends | {"reason": self.reason} if self.reason else ends

    def __str__(self) -> str:
        return f"between {_plain(self.lower)} and {_plain(self.upper)}"


@dataclass(frozen=True)
class Dimensions:
    """The three dimensions of a class."""

    vc: float | Bounds
    littlestone: float | Bounds
    threshold: float | Bounds

    def to_dict(self) -> Json:
        """Return plain JSON; what is undecided is ``{"lower": ..., "upper": ...}``."""
        return {
            name: value.to_dict() if isinstance(value, Bounds) else _plain(value)
            for name, value in vars(self).items()
        }


def is_closed(concept_class: ConceptClass) -> bool:
    """Say whether all three dimensions are known in closed form.

    Examples
    --------
    >>> from littlestone.classes import FiniteClass, Thresholds
    >>> is_closed(Thresholds(1, 99)), is_closed(FiniteClass([[0, 1]]))
    (True, False)
    """
    bounds = (concept_class.littlestone_bounds(), concept_class.threshold_bounds())
    return concept_class.vc_exact and all(lower == upper for lower, upper in bounds)


def vc_dimension(concept_class: Any, *, max_nodes: int | None = DEFAULT_MAX_NODES) -> int:
    """Return the VC dimension: the size of a largest shattered set of points.

    Parameters
    ----------
    concept_class : ConceptClass or matrix
    max_nodes : int or None
        NodeLimit of an exact search, in nodes.

    Returns
    -------
    int

    Raises
    ------
    SearchLimitError
        With the bounds reached.
    UnsupportedError
        If the class is large and its dimension has no closed form.

    Examples
    --------
    >>> from littlestone.classes import AffineSubspaces
    >>> vc_dimension(AffineSubspaces(7, 20, 2)), vc_dimension([[0, 0], [0, 1], [1, 1]])
    (3, 1)
    """
    concepts = _class("vc_dimension", concept_class, max_nodes)
    if concepts.vc_exact and not concepts.is_listed:
        return concepts.vc_dim
    return listing(concepts, max_nodes).kernel.vc_dim()


def littlestone_dimension(concept_class: Any, *, max_nodes: int | None = DEFAULT_MAX_NODES) -> int:
    """Return the Littlestone dimension: the mistakes of the best online learner.

    Parameters
    ----------
    concept_class, max_nodes
        As for `vc_dimension`.

    Returns
    -------
    int

    Raises
    ------
    SearchLimitError
        With the bounds reached.
    UnsupportedError
        If the class is large and its dimension has no closed form.

    References
    ----------
    Alon et al. 2022, section 3.2.

    Examples
    --------
    >>> from littlestone.classes import Conjunctions, Prefixes, Thresholds
    >>> littlestone_dimension(Thresholds(1, 2**1024)), littlestone_dimension(Prefixes("ipv6"))
    (1024, 128)
    >>> littlestone_dimension(Conjunctions(8)), littlestone_dimension([[0, 1], [1, 0]])
    (9, 1)
    """
    concepts = _class("littlestone_dimension", concept_class, max_nodes)
    lower, upper = concepts.littlestone_bounds()
    return lower if lower == upper else concepts.version_space(max_nodes).littlestone_dim()


def threshold_dimension(concept_class: Any, *, max_nodes: int | None = DEFAULT_MAX_NODES) -> int:
    """Return the largest k with k concepts and k points, ``h_i(x_j) = 1`` exactly if ``i <= j``.

    Parameters
    ----------
    concept_class, max_nodes
        As for `vc_dimension`.

    Returns
    -------
    int

    Raises
    ------
    SearchLimitError
        With the bounds reached.
    UnsupportedError
        If the class is large and its dimension has no closed form.

    References
    ----------
    Alon et al. 2022, section 3.2. Closed forms: docs/oracles.md.

    Examples
    --------
    >>> from littlestone.classes import Points, Thresholds
    >>> threshold_dimension(Thresholds(1, 99)), threshold_dimension(Points())
    (99, 1)
    """
    concepts = _class("threshold_dimension", concept_class, max_nodes)
    lower, upper = concepts.threshold_bounds()
    return lower if lower == upper else listing(concepts, max_nodes).kernel.threshold_dim()


def dimensions(
    concept_class: Any,
    *,
    max_nodes: int | None = DEFAULT_MAX_NODES,
) -> Dimensions:
    """Return all three dimensions; what the budget does not decide has bounds.

    Parameters
    ----------
    concept_class, max_nodes
        As for `vc_dimension`; each dimension has a budget of its own.

    Returns
    -------
    Dimensions

    Examples
    --------
    >>> from littlestone.classes import Intervals, SparseSets
    >>> dimensions(SparseSets(5)).to_dict(), dimensions(Intervals(1, 2**64)).littlestone
    ({'vc': 5, 'littlestone': 5, 'threshold': 5}, 126)
    """
    concepts = _class("dimensions", concept_class, max_nodes)
    listed = None
    if not is_closed(concepts):
        with suppress(UnsupportedError):  # too large to be listed
            listed = listing(concepts, max_nodes)
    return _explained(_decided(concepts, listed), concepts, listed)


def shattered_tree(
    concept_class: Any, depth: int | None = None, *, max_nodes: int | None = DEFAULT_MAX_NODES
) -> ShatteredTree:
    """Return a shattered tree of points and concepts: a proof of the Littlestone dimension.

    Parameters
    ----------
    concept_class, max_nodes
        As for `vc_dimension`.
    depth : int, optional
        Default: the Littlestone dimension. Less gives the top of a tree.

    Returns
    -------
    ShatteredTree
        ``tree.holds()`` checks it by the definition.

    Raises
    ------
    SearchLimitError, UnsupportedError
        As for `littlestone_dimension`, and if the tree has more than 2**16 leaves.

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> tree = shattered_tree(Thresholds(1, 2**1024), depth=3)
    >>> tree.points[0] == 2**1023, tree.holds()
    (True, True)
    """
    concepts = _class("shattered_tree", concept_class, max_nodes)
    return grow(concepts.version_space(max_nodes), depth)


def soa(
    concept_class: Any,
    *,
    rule: Literal["lyu", "argmax"] = "lyu",
    max_nodes: int | None = DEFAULT_MAX_NODES,
) -> Hypothesis:
    """Return the first prediction of the standard optimal algorithm, as a hypothesis.

    Parameters
    ----------
    concept_class, max_nodes
        As for `vc_dimension`.
    rule : {"lyu", "argmax"}, default "lyu"
        Where both labels lower the dimension, 003 ("lyu") says 1, and 004 ("argmax") the label
        that keeps more of it, 1 if both keep as much. "argmax" asks at each point of a listed
        domain.

    Returns
    -------
    Hypothesis
        Canonical; not always a concept.

    Raises
    ------
    SearchLimitError, UnsupportedError
        As for `littlestone_dimension`.

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> soa(Thresholds(1, 6)).describe(), soa([[1, 0], [0, 1]]).describe()
    ('1 if x > 3, otherwise 0 (x from 1 to 6)', 'always 1 (points 0 to 1)')
    """
    known = _class("soa", concept_class, max_nodes)
    space = known.version_space(max_nodes)
    if rule not in ("lyu", "argmax"):
        raise parameter_error("soa", "rule", '"lyu" or "argmax"', rule)
    if rule == "lyu":
        return space.soa()
    check_listable(known)

    def label(x: Point) -> bool:
        zero, one = (space.restrict(x, b).littlestone_dim() for b in (0, 1))
        return one >= zero

    return known.improper(tuple(x for x in known.domain_points() or () if label(x)))


def decomposition_dimension(
    concept_class: Any, p: int, d: int, *, max_nodes: int | None = DEFAULT_MAX_NODES
) -> int:
    """Return the (p, d)-decomposition dimension.

    Parameters
    ----------
    concept_class, max_nodes
        As for `vc_dimension`.
    p : int >= 1
    d : int
        At least the Littlestone dimension.

    Returns
    -------
    int

    Raises
    ------
    SearchLimitError, UnsupportedError
        As for `littlestone_dimension`.

    References
    ----------
    Lyu 2025, Definition 4.2.

    Examples
    --------
    >>> from littlestone.classes import Points, Thresholds
    >>> decomposition_dimension(Points(), 1000, 1), decomposition_dimension(Thresholds(1, 99), 2, 6)
    (1, 0)
    """
    concepts = _class("decomposition_dimension", concept_class, max_nodes)
    return concepts.version_space(max_nodes).decomposition_dim(p, d)


def essential_hypotheses(
    concept_class: Any, p: int, d: int, *, max_nodes: int | None = DEFAULT_MAX_NODES
) -> Sequence[Hypothesis]:
    """Return all (p, d)-essential hypotheses: in every optimal decomposition, some leaf's SOA.

    Parameters
    ----------
    concept_class, p, d, max_nodes
        As for `decomposition_dimension`.

    Returns
    -------
    sequence of Hypothesis
        Complete, in a fixed order; possibly empty. They need not be concepts.

    Raises
    ------
    SearchLimitError, UnsupportedError
        As for `littlestone_dimension`.

    References
    ----------
    Lyu 2025, Definition 4.3.

    Examples
    --------
    >>> from littlestone.classes import SparseSets
    >>> essential_hypotheses(SparseSets(3), 10**6, 3)
    (AlwaysZero(),)
    """
    concepts = _class("essential_hypotheses", concept_class, max_nodes)
    return concepts.version_space(max_nodes).essential(p, d)


Ends = tuple[float, float]  # a lower and an upper bound


def _answer(question: Callable[[], int], known: Ends) -> Ends:
    """Return an answer twice, or bounds of it: those reached, and those known before."""
    try:
        value = question()
        return value, value
    except SearchLimitError as end:
        return max(known[0], end.lower), min(known[1], end.upper)


def _power(exponent: float) -> float:
    return 2 ** (int(exponent) + 1) if exponent < MAX_EXPONENT else inf


def _log2(value: float) -> float:
    return int(value).bit_length() - 1 if value < inf else inf


def _decided(concepts: ConceptClass, listed: Listing | None) -> Dimensions:
    """Ask for each dimension; bound what is not decided by the others.

    Of the VC dimension, the Littlestone dimension L and the threshold dimension T the first is at
    most L and at most T, ``floor(log2(T)) <= L`` and ``floor(log2(L + 1)) <= T`` (Alon et al.,
    Theorem 10).
    """
    most = inf if concepts.is_listed else concepts.vc_dim
    vc: Ends = (most if concepts.vc_exact and most < inf else 0), most
    middle: Ends = concepts.littlestone_bounds()
    steps: Ends = concepts.threshold_bounds()
    if listed is not None:
        vc = _answer(listed.kernel.vc_dim, vc)
        steps = _answer(listed.kernel.threshold_dim, steps)
        middle = _answer(listed.kernel.ldim, middle)
    low, high = max(middle[0], vc[0], _log2(steps[0])), min(middle[1], _power(steps[1]) - 2)
    steps = max(steps[0], vc[0], _log2(low + 1)), min(steps[1], _power(high) - 1)
    vc = vc[0], min(vc[1], high, steps[1])
    each = (vc, (low, high), steps)
    return Dimensions(*(Bounds(*ends) if ends[0] < ends[1] else ends[0] for ends in each))


def _explained(found: Dimensions, concepts: ConceptClass, listed: Listing | None) -> Dimensions:
    """Add the reasons of the upper bounds and, for a listed class, the witnesses so far."""
    if not any(isinstance(value, Bounds) for value in vars(found).values()):
        return found
    count = concepts.size if listed is None else listed.kernel.matrix.n_hypotheses
    most = count.bit_length() - 1 if isinstance(count, int) else inf
    most_l, most_t = (
        value.upper if isinstance(value, Bounds) else value
        for value in (found.littlestone, found.threshold)
    )
    counted = "log2 of the number of concepts"
    by_l = f"a Littlestone dimension of at most {_plain(most_l)}"
    by_t = f"a threshold dimension of at most {_plain(most_t)}"
    reasons = {  # the last of equal ones counts
        "vc": {most_t: by_t, most_l: by_l, most: counted},
        "littlestone": {_power(most_t) - 2: by_t, most: counted},
        "threshold": {_power(most_l) - 1: by_l},
    }
    witnesses: dict[str, Callable[[], Json]] = {}
    if listed is not None:
        with suppress(SearchLimitError):
            vc, tree, steps = listed.kernel.best_known()
            witnesses = {
                "vc": partial(as_json, listed, vc),
                "littlestone": partial(as_json, listed, tree),
                "threshold": partial(as_json, listed, steps),
            }
    out: dict[str, float | Bounds] = dict(vars(found))
    for name, value in vars(found).items():
        if isinstance(value, Bounds):
            other = "the search refuted one more, or the class has a bound of its own"
            if name == "threshold":
                other = "the number of different concepts or points"
            reason = reasons[name].get(value.upper, other)
            out[name] = replace(value, reason=reason, witness=witnesses.get(name))
    return Dimensions(**out)


def as_json(listed: Listing, found: ShatteredSet | MistakeTree | ThresholdSequence) -> Json:
    """Return a witness of a listed class as plain JSON."""
    rows = listed.kernel.matrix.rows
    if isinstance(found, MistakeTree):
        depth = min(found.depth, _LEVELS)
        columns, leaves = found.points[: 2**depth - 1], found.leaves[:: 2 ** (found.depth - depth)]
        places = tuple(listed.points[column] for column in columns)
        ends = tuple(listed.hypothesis(rows[row]) for row in leaves)
        return ShatteredTree(listed.concept_class, depth, places, ends).to_dict()
    points = [to_json(listed.points[column]) for column in found.points]
    concepts = [listed.hypothesis(rows[row]).to_dict() for row in found.hypotheses]
    return {"points": points, "concepts": concepts}


def _class(caller: str, concept_class: Any, max_nodes: int | None) -> ConceptClass:
    """Return a class; a matrix is a finite class."""
    if max_nodes is not None:
        check_integer(caller, "max_nodes", max_nodes, low=0)
    if not isinstance(concept_class, ConceptClass):
        return FiniteClass(concept_class)
    concept_class.check_binary(caller)
    return concept_class


def _plain(value: float) -> int | str:
    return "inf" if value == float("inf") else int(value)
