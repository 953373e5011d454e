"""One question about one matrix: thin functions over `Kernel`.

All take the matrix (array-like of shape (n_hypotheses, n_points), zeros and ones, distinct rows),
``max_nodes`` and ``backend`` as `Kernel` does, and raise `ParameterError` for bad input and
`SearchLimitError` with bounds when the search would be too long.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from littlestone.combinatorics.budget import DEFAULT_MAX_NODES
from littlestone.combinatorics.decomposition import DecompositionTree
from littlestone.combinatorics.kernel import Backend, Kernel
from littlestone.combinatorics.witness import MistakeTree, ShatteredSet, ThresholdSequence

__all__ = [
    "decomposition_dim",
    "decomposition_tree",
    "essential_hypotheses",
    "littlestone_dim",
    "mistake_tree",
    "reducibility",
    "shattered_set",
    "soa_labels",
    "threshold_dim",
    "threshold_sequence",
    "vc_dim",
]


def littlestone_dim(
    matrix: npt.ArrayLike, *, max_nodes: int | None = DEFAULT_MAX_NODES, backend: Backend = "auto"
) -> int:
    """Return the Littlestone dimension: the mistakes of the best online learner.

    Parameters
    ----------
    matrix : array-like of shape (n_hypotheses, n_points)
        Zeros and ones, distinct rows.
    max_nodes : int or None, default=1_000_000
        Budget of the search, in nodes.
    backend : {"auto", "python", "numba"}, default="auto"
        The same answers and node counts, at different speeds.

    Returns
    -------
    int

    Raises
    ------
    SearchLimitError
        With the bounds reached.
    ParameterError
        Bad input.

    References
    ----------
    Alon et al. 2022, section 3.2.

    Examples
    --------
    >>> littlestone_dim([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]])
    2
    """
    return Kernel(matrix, max_nodes=max_nodes, backend=backend).ldim()


def mistake_tree(
    matrix: npt.ArrayLike, *, max_nodes: int | None = DEFAULT_MAX_NODES, backend: Backend = "auto"
) -> MistakeTree:
    """Return a shattered tree of greatest depth: a proof of the lower bound.

    Parameters
    ----------
    matrix, max_nodes, backend
        As in `littlestone_dim`.

    Returns
    -------
    MistakeTree

    Examples
    --------
    >>> mistake_tree([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]])
    MistakeTree(depth=2, points=(1, 2, 0), leaves=(0, 1, 2, 3))
    """
    return Kernel(matrix, max_nodes=max_nodes, backend=backend).mistake_tree()


def vc_dim(matrix: npt.ArrayLike, *, max_nodes: int | None = DEFAULT_MAX_NODES) -> int:
    """Return the VC dimension: the size of a largest shattered set of points.

    Parameters
    ----------
    matrix, max_nodes
        As in `littlestone_dim`.

    Returns
    -------
    int

    Examples
    --------
    >>> vc_dim([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]])
    1
    """
    return Kernel(matrix, max_nodes=max_nodes, backend="python").vc_dim()


def shattered_set(
    matrix: npt.ArrayLike, *, max_nodes: int | None = DEFAULT_MAX_NODES
) -> ShatteredSet:
    """Return a largest shattered set of points: a proof of the lower bound.

    Parameters
    ----------
    matrix, max_nodes
        As in `littlestone_dim`.

    Returns
    -------
    ShatteredSet

    Examples
    --------
    >>> shattered_set([[0, 0], [0, 1], [1, 0], [1, 1]])
    ShatteredSet(points=(0, 1), hypotheses=(0, 2, 1, 3))
    """
    return Kernel(matrix, max_nodes=max_nodes, backend="python").shattered_set()


def threshold_dim(
    matrix: npt.ArrayLike, *, max_nodes: int | None = DEFAULT_MAX_NODES, backend: Backend = "auto"
) -> int:
    """Return the greatest k with k thresholds: ``h_i(x_j) = 1`` exactly when ``i <= j``.

    Parameters
    ----------
    matrix, max_nodes, backend
        As in `littlestone_dim`.

    Returns
    -------
    int

    Notes
    -----
    Theorem 10 bounds it by the Littlestone dimension L: below ``2**(L + 1)``.

    References
    ----------
    Alon et al. 2022, section 3.2.

    Examples
    --------
    >>> threshold_dim([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]])
    3
    """
    return Kernel(matrix, max_nodes=max_nodes, backend=backend).threshold_dim()


def threshold_sequence(
    matrix: npt.ArrayLike, *, max_nodes: int | None = DEFAULT_MAX_NODES, backend: Backend = "auto"
) -> ThresholdSequence:
    """Return a longest sequence of thresholds: a proof of the lower bound.

    Parameters
    ----------
    matrix, max_nodes, backend
        As in `littlestone_dim`.

    Returns
    -------
    ThresholdSequence

    Examples
    --------
    >>> threshold_sequence([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]])
    ThresholdSequence(hypotheses=(3, 2, 1), points=(0, 1, 2))
    """
    return Kernel(matrix, max_nodes=max_nodes, backend=backend).threshold_sequence()


def soa_labels(
    matrix: npt.ArrayLike, *, max_nodes: int | None = DEFAULT_MAX_NODES, backend: Backend = "auto"
) -> npt.NDArray[np.int8]:
    """Return what the standard optimal algorithm predicts at every point.

    The label is 0 where restricting to label 0 keeps the Littlestone dimension, else 1: when both
    labels lower it, the label is 1.

    Parameters
    ----------
    matrix, max_nodes, backend
        As in `littlestone_dim`.

    Returns
    -------
    int8 ndarray, length n_points

    References
    ----------
    Lyu 2025, section 4.

    Examples
    --------
    >>> soa_labels([[1, 0], [0, 1]])
    array([1, 1], dtype=int8)
    """
    kernel = Kernel(matrix, max_nodes=max_nodes, backend=backend)
    return kernel.labels(kernel.soa())


def reducibility(
    matrix: npt.ArrayLike,
    *,
    cap: int | None = None,
    max_nodes: int | None = DEFAULT_MAX_NODES,
    backend: Backend = "auto",
) -> float:
    """Return red(H), the least number of SOA answers that lower the Littlestone dimension.

    The class is k-irreducible exactly when this is more than k.

    Parameters
    ----------
    matrix, max_nodes, backend
        As in `littlestone_dim`.
    cap : int or None
        Look no further; more than ``cap`` counts as ``math.inf``.

    Returns
    -------
    int or math.inf

    References
    ----------
    Lyu 2025, Definition 4.1.

    Examples
    --------
    >>> reducibility([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    3
    """
    return Kernel(matrix, max_nodes=max_nodes, backend=backend).reducibility(cap=cap)


def decomposition_dim(
    matrix: npt.ArrayLike,
    p: int,
    d: int,
    *,
    max_nodes: int | None = DEFAULT_MAX_NODES,
    backend: Backend = "auto",
) -> int:
    """Return the (p, d)-decomposition dimension.

    Parameters
    ----------
    matrix, max_nodes, backend
        As in `littlestone_dim`.
    p : int
        At least 1.
    d : int
        At least the Littlestone dimension.

    Returns
    -------
    int

    References
    ----------
    Lyu 2025, Definition 4.2.

    Examples
    --------
    >>> points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> decomposition_dim(points, p=1, d=1), decomposition_dim(points, p=3, d=1)
    (1, 0)
    """
    return Kernel(matrix, max_nodes=max_nodes, backend=backend).ddim(None, p, d)


def decomposition_tree(
    matrix: npt.ArrayLike,
    p: int,
    d: int,
    *,
    max_nodes: int | None = DEFAULT_MAX_NODES,
    backend: Backend = "auto",
) -> DecompositionTree:
    """Return an optimal (p, d)-decomposition: a proof of the upper bound.

    Parameters
    ----------
    matrix, p, d, max_nodes, backend
        As in `decomposition_dim`.

    Returns
    -------
    DecompositionTree

    Examples
    --------
    >>> decomposition_tree([[0, 0], [1, 0], [0, 1]], p=2, d=1).degree
    0
    """
    return Kernel(matrix, max_nodes=max_nodes, backend=backend).decomposition(None, p, d)


def essential_hypotheses(
    matrix: npt.ArrayLike,
    p: int,
    d: int,
    *,
    max_nodes: int | None = DEFAULT_MAX_NODES,
    backend: Backend = "auto",
) -> npt.NDArray[np.int8]:
    """Return all (p, d)-essential hypotheses: in every optimal decomposition, some leaf's SOA.

    Parameters
    ----------
    matrix, p, d, max_nodes, backend
        As in `decomposition_dim`.

    Returns
    -------
    int8 ndarray of shape (n_essential, n_points)
        Complete and in a canonical order; possibly without rows. Rows need not be hypotheses of
        the class.

    References
    ----------
    Lyu 2025, Definition 4.3.

    Examples
    --------
    >>> points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> essential_hypotheses(points, p=1, d=1)
    array([[0, 0, 0]], dtype=int8)
    """
    kernel = Kernel(matrix, max_nodes=max_nodes, backend=backend)
    found = [kernel.labels(labelling) for labelling in kernel.essential(None, p, d)]
    return np.array(found, dtype=np.int8).reshape(-1, kernel.matrix.n_points)
