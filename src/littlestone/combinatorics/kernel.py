"""One object that answers every question about one explicit class, and remembers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt

from littlestone.combinatorics.decomposition import (
    DecompositionSearch,
    DecompositionTree,
    ReductionSearch,
)
from littlestone.combinatorics.dimensions import (
    LittlestoneSearch,
    ThresholdSearch,
    VCSearch,
)
from littlestone.combinatorics.matrix import (
    DEFAULT_MAX_NODES,
    BitMatrix,
    MistakeTree,
    NodeLimit,
    OutOfNodes,
    ShatteredSet,
    ThresholdSequence,
    members_of,
)
from littlestone.errors import ParameterError, SearchLimitError, check_integer, parameter_error

Counts = npt.NDArray[np.int64]

_BLOCK = 8192


class Kernel:
    """Exact combinatorics of one finite class and of its version spaces.

    A set of hypotheses (a version space) is an integer with bit h set for row h; `full` is the
    whole class. A labelling of all points is an integer with bit x set for label 1. All methods
    share what was found before, so ask one kernel all questions.

    Notes
    -----
    Whether a question exceeds its budget depends on what this kernel was asked before, since
    answers are cached. Code in which even a refusal must depend on one part of the data only
    asks a `fresh` kernel for each part.

    Examples
    --------
    >>> kernel = Kernel([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]])
    >>> kernel.ldim(), kernel.vc_dim(), kernel.threshold_dim()
    (2, 1, 3)
    >>> rest = kernel.restrict(kernel.full, point=1, label=1)
    >>> kernel.members(rest), kernel.labels(kernel.soa(rest))
    (array([2, 3]), array([1, 1, 1], dtype=int8))
    """

    def __init__(
        self, matrix: npt.ArrayLike | BitMatrix, *, max_nodes: int | None = DEFAULT_MAX_NODES
    ) -> None:
        if max_nodes is not None:
            check_integer("Kernel", "max_nodes", max_nodes, low=0)
        self.matrix = BitMatrix.from_array(matrix, caller="Kernel")
        self._budget = NodeLimit(max_nodes)
        self._search = LittlestoneSearch(self.matrix, self._budget)
        self._vc = VCSearch(self.matrix, self._budget)
        self._thresholds = ThresholdSearch(self.matrix, self._budget)
        self._reductions = ReductionSearch(self.matrix, self._search, self._budget)
        self._decompositions: dict[tuple[int, int], DecompositionSearch] = {}

    def fresh(self) -> Kernel:
        """Return a kernel of the same class that remembers nothing."""
        return Kernel(self.matrix, max_nodes=self._budget.limit)

    @property
    def nodes(self) -> int:
        """Search nodes of the last question."""
        return self._budget.used

    # -- version spaces: nothing here searches ------------------------------------------------

    @property
    def full(self) -> int:
        """The set of all hypotheses."""
        return self.matrix.full

    def members(self, hypotheses: int) -> npt.NDArray[np.int64]:
        """Return the rows of a set, ascending."""
        return members_of(self.matrix.check_set(hypotheses, "Kernel.members"))

    def restrict(self, hypotheses: int, point: int, label: int) -> int:
        """Return the hypotheses of a set that give a point a label."""
        v = self.matrix.check_set(hypotheses, "Kernel.restrict")
        column = self.matrix.columns[self.matrix.check_point(point, "Kernel.restrict")]
        if label not in (0, 1):
            raise parameter_error("Kernel.restrict", "label", "0 or 1", label)
        return v & column if label else v & ~column

    def errors(self, zeros: npt.ArrayLike, ones: npt.ArrayLike) -> Counts:
        """Count the errors of every hypothesis on labelled records."""
        negative, positive = self._counts("zeros", zeros), self._counts("ones", ones)
        difference = negative - positive  # a 1 is wrong on the zeros instead of on the ones
        touched = np.flatnonzero(difference)
        difference = difference[touched]
        wrong = np.empty(self.matrix.n_hypotheses, dtype=difference.dtype)
        for start in range(0, len(wrong), _BLOCK):  # in pieces: int64 takes eight times the memory
            rows = self.matrix.array[start : start + _BLOCK]
            wrong[start : start + _BLOCK] = rows[:, touched].astype(wrong.dtype) @ difference
        return np.asarray(wrong + int(positive.sum()))

    def within_error(self, zeros: npt.ArrayLike, ones: npt.ArrayLike, tolerance: int) -> int:
        """Return the hypotheses with at most ``tolerance`` errors on labelled records."""
        most = check_integer("Kernel.within_error", "tolerance", tolerance)
        good = self.errors(zeros, ones) <= most
        return int.from_bytes(np.packbits(good, bitorder="little").tobytes(), "little")

    def labels(self, labelling: int) -> npt.NDArray[np.int8]:
        """Return a labelling of all points as an array."""
        out = np.zeros(self.matrix.n_points, dtype=np.int8)
        out[members_of(labelling)] = 1
        return out

    # -- dimensions and witnesses -------------------------------------------------------------

    def ldim(self, hypotheses: int | None = None) -> int:
        """Return the Littlestone dimension of a set (of all hypotheses by default)."""
        v = self._set(hypotheses, "Kernel.ldim")
        with self._asking("The Littlestone dimension", lambda: self._search.bounds(v)):
            return self._search.ldim(v)

    def mistake_tree(self, hypotheses: int | None = None) -> MistakeTree:
        """Return a shattered tree of greatest depth: a witness of `ldim`."""
        v = self._nonempty(hypotheses, "Kernel.mistake_tree")
        with self._asking("The Littlestone dimension", lambda: self._search.bounds(v)):
            return self._search.tree(v, self._search.ldim(v))

    def soa(self, hypotheses: int | None = None) -> int:
        """Return the standard optimal algorithm's labelling of all points.

        The label is 0 where restricting to label 0 keeps the Littlestone dimension, else 1; so
        where both labels lower it, the label is 1.
        """
        v = self._set(hypotheses, "Kernel.soa")
        with self._asking("The Littlestone dimension", lambda: self._search.bounds(v)):
            return self._reductions.soa(v)

    def vc_dim(self, hypotheses: int | None = None) -> int:
        """Return the VC dimension of a set (all hypotheses by default; -1 for the empty set)."""
        v = self._set(hypotheses, "Kernel.vc_dim")
        with self._asking("The VC dimension", lambda: self._vc.bounds(v)):
            return self._vc.dimension(v)

    def shattered_set(self, hypotheses: int | None = None) -> ShatteredSet:
        """Return a largest shattered set of points: a witness of `vc_dim`."""
        v = self._nonempty(hypotheses, "Kernel.shattered_set")
        with self._asking("The VC dimension", lambda: self._vc.bounds(v)):
            return self._vc.witness(v)

    def threshold_dim(self, hypotheses: int | None = None) -> int:
        """Return how many thresholds a set contains, in the sense of Alon et al., section 3.2."""
        v = self._set(hypotheses, "Kernel.threshold_dim")
        with self._asking("The threshold dimension", lambda: self._threshold_bounds(v)):
            return self._thresholds.dimension(v, self._most_thresholds(v))

    def threshold_sequence(self, hypotheses: int | None = None) -> ThresholdSequence:
        """Return a longest sequence of thresholds: a witness of `threshold_dim`."""
        v = self._nonempty(hypotheses, "Kernel.threshold_sequence")
        with self._asking("The threshold dimension", lambda: self._threshold_bounds(v)):
            return self._thresholds.witness(v, self._most_thresholds(v))

    def best_known(self) -> tuple[ShatteredSet, MistakeTree, ThresholdSequence]:
        """Return witnesses of the lower bounds found so far for a nonempty class."""
        v = self._nonempty(None, "Kernel.best_known")
        lower = self._search.bounds(v)[0]
        with self._asking("The Littlestone dimension", lambda: self._search.bounds(v)):
            tree = self._search.tree(v, lower)
        return self._vc.best_known(v), tree, self._thresholds.best_known(v)

    # -- irreducibility and decompositions ----------------------------------------------------

    def reducibility(self, hypotheses: int | None = None, cap: int | None = None) -> float:
        """Return the least number of SOA answers that lower the Littlestone dimension."""
        points = self.reduction(hypotheses, cap)
        return float("inf") if points is None else len(points)

    def reduction(
        self, hypotheses: int | None = None, cap: int | None = None
    ) -> tuple[int, ...] | None:
        """Return fewest points whose SOA answers lower the dimension (`reducibility`)."""
        v = self._set(hypotheses, "Kernel.reducibility")
        if cap is not None:
            check_integer("Kernel.reducibility", "cap", cap, low=0)
        with self._asking("The reducibility", lambda: self._reductions.bounds(v)):
            most = self._reductions.bounds(v)[1]  # asking every column isolates one hypothesis
            return self._reductions.shortest(v, most if cap is None else min(cap, most))

    def ddim(self, hypotheses: int | None, p: int, d: int) -> int:
        """Return the (p, d)-decomposition dimension of a set.

        References
        ----------
        Lyu 2025, Definition 4.2.
        """
        v = self._set(hypotheses, "Kernel.ddim")
        with self._decomposing(v, p, d, "Kernel.ddim") as search:
            return search.dimension(v)

    def decomposition(self, hypotheses: int | None, p: int, d: int) -> DecompositionTree:
        """Return an optimal (p, d)-decomposition tree of a non-empty set: a witness of `ddim`."""
        v = self._nonempty(hypotheses, "Kernel.decomposition")
        with self._decomposing(v, p, d, "Kernel.decomposition") as search:
            return search.tree(v)

    def essential(self, hypotheses: int | None, p: int, d: int) -> tuple[int, ...]:
        """Return all (p, d)-essential hypotheses of a set, exactly.

        References
        ----------
        Lyu 2025, Definition 4.3.
        """
        v = self._set(hypotheses, "Kernel.essential")
        with self._decomposing(v, p, d, "Kernel.essential") as search:
            return search.essential(v)

    # -- inside -------------------------------------------------------------------------------

    def _set(self, hypotheses: int | None, caller: str) -> int:
        return self.full if hypotheses is None else self.matrix.check_set(hypotheses, caller)

    def _nonempty(self, hypotheses: int | None, caller: str) -> int:
        v = self._set(hypotheses, caller)
        if not v:
            raise parameter_error(caller, "hypotheses", "a non-empty set of hypotheses", 0)
        return v

    def _counts(self, name: str, counts: npt.ArrayLike) -> Counts:
        array, shape = np.asarray(counts), (self.matrix.n_points,)
        if array.shape != shape or array.dtype.kind not in "iu":
            raise ParameterError(
                f"The {name!r} parameter of Kernel.errors must be one integer count for each of "
                f"the {self.matrix.n_points} points."
            )
        fits = sum(map(abs, array.tolist())) < 2**62  # so that sums of both fit; else exact, too
        return array.astype(np.int64 if fits else object)

    def _most_thresholds(self, v: int) -> int:
        lower, upper = self._thresholds.bounds(v)
        return upper if lower == upper else min(upper, 2 ** (self._search.ldim(v) + 1) - 1)

    def _threshold_bounds(self, v: int) -> tuple[int, int]:
        lower, upper = self._thresholds.bounds(v)
        return lower, min(upper, 2 ** (self._search.bounds(v)[1] + 1) - 1)

    @contextmanager
    def _asking(self, what: str, bounds: Callable[[], tuple[float, float]]) -> Iterator[None]:
        """Give one question its own budget; turn its end into the public error."""
        self._budget.used = 0
        try:
            yield
        except OutOfNodes:
            lower, upper = bounds()
            raise SearchLimitError(lower, upper, self._budget.used, what) from None

    @contextmanager
    def _decomposing(self, v: int, p: int, d: int, caller: str) -> Iterator[DecompositionSearch]:
        check_integer(caller, "p", p, low=1)
        check_integer(caller, "d", d, low=0)
        search = self._decompositions.get((p, d))
        if search is None:
            search = self._decompositions[p, d] = DecompositionSearch(
                self.matrix, self._search, self._reductions, self._budget, p=p, d=d
            )
        with self._asking("The decomposition dimension", lambda: search.bounds(v)):
            if self._search.ldim(v) > d:
                raise parameter_error(caller, "d", "at least the Littlestone dimension", d)
            yield search
