"""MakeTree: the tree of any class of VC dimension 1 (paper 000/001, Algorithm 1)."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np

from littlestone.classes.base import ConceptClass
from littlestone.classes.finite import FiniteClass
from littlestone.classes.hypotheses import (
    AlwaysZero,
    PointHypothesis,
    TableHypothesis,
    ThresholdHypothesis,
)
from littlestone.classes.points import Points
from littlestone.classes.thresholds import Thresholds
from littlestone.classes.trees.forest import ROOT, Chain, Node, Star
from littlestone.classes.trees.matrix import MatrixTree
from littlestone.classes.trees.tree import PathsTree, VC1Tree
from littlestone.errors import UnsupportedError, parameter_error
from littlestone.types import Hypothesis

__all__ = ["HasTree", "make_tree"]


@runtime_checkable
class HasTree(Protocol):
    """A class that makes its own tree."""

    def tree(self, f: Hypothesis | None = None) -> VC1Tree:
        """Return the tree under f; by default under the f of least height."""


def make_tree(concept_class: ConceptClass, f: Hypothesis | None = None) -> VC1Tree:
    """Return the tree of a class of VC dimension at most 1.

    Parameters
    ----------
    concept_class : FiniteClass, Thresholds, Points, TreePaths or Prefixes
    f : Hypothesis, optional
        A concept of the class, the paper's f. Never take it from the data. Default: a concept for
        which the tree has the least height (the first one, in the class's public order).

    Returns
    -------
    VC1Tree

    Raises
    ------
    UnsupportedError
        If the class has VC dimension 2 or more (with two shattered points), or no tree here.
    ParameterError
        If f is no concept of the class.

    Notes
    -----
    Thresholds of any domain, points, paths of a taxonomy and of prefixes: nothing that is not
    already written out is written out. A finite class: see `MatrixTree`.

    Source: paper 001, Algorithm 1; that f may be chosen freely is step 1.

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> tree = make_tree(Thresholds(1, 2**64))
    >>> tree.height == 2**63, tree.concept(ROOT).describe()
    (True, '1 if x > 2**63, otherwise 0 (x from 1 to 2**64)')
    >>> make_tree(Thresholds(1, 99), f=ThresholdHypothesis(99, 1, 99)).height
    99
    """
    if isinstance(concept_class, HasTree):
        return concept_class.tree(f)
    if isinstance(concept_class, Thresholds):
        return _thresholds(concept_class, f)
    if isinstance(concept_class, Points):
        return _points(concept_class, f)
    if isinstance(concept_class, FiniteClass):
        return _finite(concept_class, f)
    raise UnsupportedError(
        f"{concept_class.spec} has no tree of a class of VC dimension 1. Classes that have one: "
        "thresholds, points, tree_paths, prefixes, and finite classes of VC dimension at most 1."
    )


def no_concept(spec: str) -> Exception:
    """Return the error for an f that is not in the class."""
    return parameter_error("make_tree", "f", f"a concept of {spec}", "another hypothesis")


def _thresholds(thresholds: Thresholds, f: Any) -> PathsTree:
    """Thresholds are the paths of a chain: f_u is 1 on u + 1, ..., high, and high is on top."""
    low, high = thresholds.low, thresholds.high
    chain = Chain(high, low)

    def concept(node: Any) -> ThresholdHypothesis:
        return ThresholdHypothesis(high if node is ROOT else node - 1, low, high)

    at: Node = chain.ancestor(low, chain.height // 2)
    if f is not None:
        if not isinstance(f, ThresholdHypothesis) or (f.low, f.high) != (low, high):
            raise no_concept(thresholds.spec)
        at = chain.ancestor(low, high - f.above)
    return PathsTree(chain, at, concept)


def _points(points: Points, f: Any) -> PathsTree:
    """Points are the paths of a star, and nothing is less high than the star itself."""
    domain = points.domain
    bounds = points.bounds
    if bounds is None:
        star = Star(points.size, member=lambda point: True)
    else:
        low, high = bounds
        star = Star(
            high - low + 1,
            member=lambda point: domain.cell(point) == point,
            members=lambda: iter(range(low, high + 1)),
        )
    at: Node = ROOT
    if isinstance(f, PointHypothesis) and f.point in star:
        at = f.point
    elif f is not None and not isinstance(f, AlwaysZero):
        raise no_concept(points.spec)
    return PathsTree(star, at, lambda node: AlwaysZero() if node is ROOT else PointHypothesis(node))


def _finite(finite: FiniteClass, f: Any) -> MatrixTree:
    if f is None:
        return MatrixTree(finite.matrix)
    labels = f.labels.encode("ascii") if isinstance(f, TableHypothesis) else b""
    row = np.frombuffer(labels, dtype=np.uint8) - np.uint8(ord("0"))
    if len(row) == finite.matrix.shape[1]:
        rows = np.flatnonzero((finite.matrix == row).all(axis=1))
        if len(rows):
            return MatrixTree(finite.matrix, f=int(rows[0]))
    raise no_concept(finite.spec)
