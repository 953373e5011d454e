"""Version spaces of sparse sets: what they are on the points seen so far, and free beyond.

After positives P and negatives N over an infinite domain, one atom is left (see `atoms`): its
Littlestone dimension is ``k - |P|``, the SOA is 1 on P, and no number of SOA answers lowers the
dimension. Low error leaves a union of atoms. A bounded domain behaves in the same way as long as it
has more unseen points than the dimension: along a path of a shattered tree of depth L at most L new
points are asked, and new points can replace each other. Below that, it is listed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, combinations, count
from math import comb, inf
from typing import Any, TypeVar

from littlestone.classes.oracles import VersionSpace, as_point, check_label, records
from littlestone.classes.point_sets import in_bounds, on_points
from littlestone.classes.sparse_sets import SparseSets
from littlestone.classes.version_spaces.atoms import (
    AtomDecomposition,
    Atoms,
    AtomSearch,
    low_error_atoms,
)
from littlestone.classes.version_spaces.listed import MOST_LABELS, ListedSpace, Listing, labels
from littlestone.classes.version_spaces.points import first_difference
from littlestone.classes.version_spaces.searching import searching
from littlestone.data import Sample
from littlestone.data.points import canonical_order
from littlestone.errors import UnsupportedError, parameter_error
from littlestone.types import Hypothesis, Point

__all__ = ["SparseSpace"]

T = TypeVar("T")


@dataclass(frozen=True)
class SparseSpace(VersionSpace):
    """A union of atoms on the points seen so far.

    Attributes
    ----------
    seen : frozenset of points
    atoms : frozenset of frozensets of points
        What the sets of this space can be on ``seen``.

    Examples
    --------
    >>> space = SparseSets(3).version_space().restrict("oslo", 1).restrict("rome", 0)
    >>> space.littlestone_dim(), space.soa(), space.reducibility()
    (2, PointHypothesis(point='oslo'), inf)
    """

    concept_class: SparseSets
    seen: frozenset[Point]
    atoms: frozenset[frozenset[Point]]
    max_nodes: int | None = field(compare=False, repr=False)

    @classmethod
    def of(cls, concept_class: SparseSets, max_nodes: int | None) -> SparseSpace:
        """Return the space of all sets."""
        return cls(concept_class, frozenset(), frozenset([frozenset()]), max_nodes)

    @property
    def is_empty(self) -> bool:
        """Whether no set is left."""
        return not self.atoms

    @property
    def free(self) -> int | float:
        """Number of points never seen."""
        return self.concept_class.n_points - len(self.seen)

    def restrict(self, point: Any, label: int) -> SparseSpace:
        """Return the sets that hold a point (label 1), or do not."""
        point, label = as_point(point), check_label(label)
        if not in_bounds(point, self.concept_class.bounds):
            return self._with(self.seen, () if label else self.atoms)
        if point in self.seen:
            kept = [a for a in self.atoms if (point in a) == label]
        elif label:
            kept = [a | {point} for a in self.atoms if len(a) < self.concept_class.k]
        else:
            kept = list(self.atoms)
        return self._with(self.seen | {point}, kept)

    def within_error(self, sample: Sample, tolerance: int) -> SparseSpace:
        """Return the sets of low error: a search over the sampled points that helps or harms.

        Raises
        ------
        SearchLimitError
            With bounds of the number of atoms.
        """
        counts = records(sample, tolerance)
        ends = self.concept_class.bounds
        inside = [(x, zeros, ones) for x, zeros, ones in counts if in_bounds(x, ends)]
        always = counts.outside + sum(ones for x, _, ones in counts if not in_bounds(x, ends))
        old = {x: (zeros, ones) for x, zeros, ones in inside if x in self.seen}
        new = [(ones - zeros, x) for x, zeros, ones in inside if x not in self.seen]
        new.sort(key=lambda item: (-item[0], canonical_order(item[1])))
        gains = [gain for gain, _ in new]
        start = always + sum(ones for x, _, ones in inside if x not in self.seen)
        found: list[frozenset[Point]] = []
        most = sum(comb(len(new), r) for r in range(min(self.concept_class.k, len(new)) + 1))
        bounds = (0, len(self.atoms) * most)
        with searching(self.max_nodes, "The number of atoms", lambda: bounds) as budget:
            for atom in sorted(self.atoms, key=lambda a: sorted(map(canonical_order, a))):
                wrong = start + sum(c[0] if x in atom else c[1] for x, c in old.items())
                room = self.concept_class.k - len(atom)
                for chosen in low_error_atoms(gains, room, wrong, tolerance, budget):
                    found.append(atom.union(new[i][1] for i in chosen))
        return self._with(self.seen.union(x for x, _, _ in inside), found)

    def littlestone_dim(self) -> int:
        """Return the Littlestone dimension: ``k - |P|`` for one atom, by search for several."""
        endless = self._endless
        if self.free >= endless:
            return endless
        return self._listed("the Littlestone dimension").littlestone_dim()

    def soa(self) -> Hypothesis:
        """Return the set of the points on which the SOA says 1."""
        if self.free <= self._endless:
            return self._listed("the SOA").soa()
        labels = self._ask("The Littlestone dimension", lambda s: s.soa(self._coded))
        return on_points(self._points(labels))

    def distinguish(self, h: Hypothesis, g: Hypothesis) -> Point | None:
        """Return a point of one of two sets but not of the other."""
        return first_difference(h, g)

    def reducibility(self, cap: int | None = None) -> float:
        """Return infinity for one atom of an endless domain; else search the points seen."""
        most = inf if cap is None else cap
        if self._endless <= 0:
            return inf
        spare = self.free - self._endless  # so many new points may get 0 without any effect
        if len(self.atoms) == 1:
            least = spare + 1 if spare > 0 else None
        else:
            # Among at most ``spare`` answers, those at new points are wasted.
            least = self._ask(
                "The reducibility", lambda s: s.reducibility(self._coded, min(most, spare))
            )
            if least == inf and spare < most:
                least = None
        if least is None:
            return self._listed("the reducibility").reducibility(cap)
        return least if least <= most else inf

    def decomposition_dim(self, p: int, d: int) -> int:
        """Return the decomposition dimension: questions at new points never help."""
        dimension = self._checked_dim("decomposition_dim", p, d)
        if dimension <= 0 or (len(self.atoms) == 1 and self._stays(dimension, p, d)):
            return dimension
        if not self._roomy(p, d):
            return self._listed("decompositions").decomposition_dim(p, d)
        return self._decompose(p, d, lambda tree: tree.dimension(self._coded))

    def essential(self, p: int, d: int) -> Sequence[Hypothesis]:
        """Return all essential hypotheses: sets of points seen, or single sets of the space."""
        dimension = self._checked_dim("essential", p, d)
        if dimension < 0:
            return ()
        if dimension == 0 or (len(self.atoms) == 1 and self._stays(dimension, p, d)):
            return (self.soa(),)
        if not self._roomy(p, d):
            return self._listed("essential hypotheses").essential(p, d)
        found = self._decompose(p, d, lambda tree: tree.essential(self._coded))
        return tuple(on_points(self._points(labels)) for labels in found)

    def splitting_point(self) -> Point | None:
        """Return a new point, or one seen where only that splits the dimension."""
        dimension = self.littlestone_dim()
        if dimension <= 0:
            return None
        if self.free < self._endless:
            return self._listed("the Littlestone dimension").splitting_point()
        bit = self._ask("The Littlestone dimension", lambda s: s.split(self._coded))
        return self._new(1)[0] if bit is None else self._points(bit)[0]

    def member(self) -> Hypothesis:
        """Return the first atom, without other points."""
        if not self.atoms:
            raise parameter_error("VersionSpace.member", "self", "a nonempty space", "an empty one")
        atoms = sorted(self.atoms, key=lambda a: (len(a), sorted(map(canonical_order, a))))
        return on_points(atoms[0])

    # -- inside -------------------------------------------------------------------------------

    @cached_property
    def _order(self) -> list[Point]:
        """The seen points that some atom holds, in canonical order: bit i is point i."""
        return sorted(frozenset(chain.from_iterable(self.atoms)), key=canonical_order)

    @cached_property
    def _coded(self) -> Atoms:
        bit = {x: 1 << i for i, x in enumerate(self._order)}
        return frozenset(sum(bit[x] for x in a) for a in self.atoms)

    @cached_property
    def _endless(self) -> int:
        """The Littlestone dimension if there were infinitely many new points."""
        return self._ask("The Littlestone dimension", lambda search: search.ldim(self._coded))

    def _ask(self, what: str, question: Callable[[AtomSearch], T]) -> T:
        with searching(self.max_nodes, what, self._bounds) as budget:
            return question(AtomSearch(self.concept_class.k, budget))

    def _decompose(self, p: int, d: int, question: Callable[[AtomDecomposition], T]) -> T:
        what, most = "The decomposition dimension", self._endless
        with searching(self.max_nodes, what, lambda: (0, most)) as budget:
            search = AtomSearch(self.concept_class.k, budget)
            return question(AtomDecomposition(search, budget, p, d))

    def _bounds(self) -> tuple[int, int]:
        rooms = [self.concept_class.k - len(a) for a in self.atoms]
        lower = max(rooms, default=-1)
        # L(V or W) <= L(V) + L(W) + 1, atom by atom
        return int(min(lower, self.free)), sum(rooms) + len(rooms) - 1

    def _roomy(self, p: int, d: int) -> bool:
        """Say whether no path of a decomposition can use up the new points."""
        return self.free >= p << d + 2 and self.free > self._endless + (p << d + 2)

    def _points(self, bits: int) -> list[Point]:
        return [x for i, x in enumerate(self._order) if bits >> i & 1]

    def _new(self, most: int) -> list[Point]:
        """Return the first points of the domain that were never seen."""
        bounds = self.concept_class.bounds
        points: Iterable[int] = count() if bounds is None else range(bounds[0], bounds[1] + 1)
        out: list[Point] = []
        for x in points:
            if len(out) == most:
                break
            if x not in self.seen:
                out.append(x)
        return out

    def _with(self, seen: frozenset[Point], atoms: Iterable[frozenset[Point]]) -> SparseSpace:
        return SparseSpace(self.concept_class, seen, frozenset(atoms), self.max_nodes)

    def _listed(self, what: str) -> ListedSpace:
        k, free = self.concept_class.k, self.free
        sets = sum(
            comb(int(free), r) for a in self.atoms for r in range(min(k - len(a), int(free)) + 1)
        ) if free < inf else inf  # fmt: skip
        if sets * (len(self.seen) + free) > MOST_LABELS:
            raise UnsupportedError(
                f"{what[0].upper()}{what[1:]} of this version space of {self.concept_class.spec}: "
                "too few points are left unseen for the closed form, and too many for a list."
            )
        new = self._new(int(free))
        points = sorted([*self.seen, *new], key=canonical_order)
        concepts = [
            on_points(a.union(more))
            for a in self.atoms
            for r in range(min(k - len(a), len(new)) + 1)
            for more in combinations(new, r)
        ]
        matrix = labels(self.concept_class, concepts, points)
        listed = Listing(self.concept_class, points, matrix, on_points, self.max_nodes)
        return ListedSpace.of(listed)
