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

from littlestone.classes.hypotheses import in_bounds, on_points
from littlestone.classes.listed import MOST_LABELS, ListedSpace, Listing, labels
from littlestone.classes.oracles import (
    VersionSpace,
    as_point,
    check_label,
    records,
    searching,
    version_space,
)
from littlestone.classes.points import first_difference
from littlestone.classes.sparse_sets.concept_class import SparseSets
from littlestone.combinatorics.decomposition import depth_limit
from littlestone.combinatorics.limits import NodeLimit, OutOfNodes
from littlestone.data import Sample
from littlestone.data.points import canonical_order
from littlestone.errors import parameter_error
from littlestone.types import Hypothesis, Point

Atoms = frozenset[int]

#: Deeper trees would exceed Python's stack: they count as out of budget.
_DEEPEST = 300


class AtomSearch:
    """Littlestone dimension, SOA and reducibility of unions of atoms."""

    def __init__(self, k: int, budget: NodeLimit) -> None:
        self.k, self._budget = k, budget
        self._decided: dict[tuple[Atoms, int], tuple[int, float]] = {}

    def ldim(self, atoms: Atoms) -> int:
        """Return the Littlestone dimension; -1 for no atom."""
        t = 0
        while self.at_least(atoms, t):
            t += 1
        return t - 1

    def at_least(self, atoms: Atoms, t: int) -> bool:
        """Decide whether the Littlestone dimension is at least t."""
        return self._at_least(atoms, self.k, t)

    def _at_least(self, atoms: Atoms, k: int, t: int) -> bool:
        if t <= 0:
            return t < 0 or bool(atoms)
        if not atoms:
            return False
        sides = [k - a.bit_count() for a in atoms]
        if max(sides) >= t:
            return True
        if len(atoms) == 1 or _leaves(sides, t) < 1 << t:
            return False
        does, fails = self._decided.get((atoms, k), (0, inf))
        if t <= does or t >= fails:
            return t <= does
        self._budget.spend()
        answer = self._search(atoms, k, t)
        self._decided[atoms, k] = (max(does, t), fails) if answer else (does, min(fails, t))
        return answer

    def _search(self, atoms: Atoms, k: int, t: int) -> bool:
        growing = frozenset(a for a in atoms if a.bit_count() < k)
        if self._at_least(growing, k - 1, t - 1):
            return True
        for one, zero in sides(atoms):
            few, many = sorted((one, zero), key=len)
            if self._at_least(few, k, t - 1) and self._at_least(many, k, t - 1):
                return True
        return False

    def split(self, atoms: Atoms) -> int | None:
        """Return a seen point (a bit) that splits the dimension best; None: ask a new point."""
        t = self.ldim(atoms)
        if any(self.k - a.bit_count() >= t for a in atoms):
            return None
        growing = frozenset(a for a in atoms if a.bit_count() < self.k)
        if self._at_least(growing, self.k - 1, t - 1):
            return None
        for bit in splitting(atoms):
            one = frozenset(a for a in atoms if a & bit)
            if self.at_least(one, t - 1) and self.at_least(atoms - one, t - 1):
                return bit
        raise AssertionError("the dimension has a reason")

    def soa(self, atoms: Atoms) -> int:
        """Return the SOA on the seen points as one integer; it is 0 on all others."""
        t, everywhere, somewhere = self.ldim(atoms), -1, 0
        for a in atoms:
            everywhere, somewhere = everywhere & a, somewhere | a
        labels = everywhere & somewhere
        for bit in splitting(atoms):
            if not self.at_least(frozenset(a for a in atoms if not a & bit), t):
                labels |= bit
        return labels

    def reducibility(self, atoms: Atoms, cap: float) -> float:
        """Return the least number of SOA answers that lower the dimension, at most cap, or inf."""
        t, labels = self.ldim(atoms), self.soa(atoms)
        if t <= 0:
            return inf
        keeps = [frozenset(a for a in atoms if (a ^ labels) & bit == 0) for bit in splitting(atoms)]
        frontier, size = {atoms}, 0
        while size < cap and frontier:
            size += 1
            reached: set[Atoms] = set()
            for part in frontier:
                for keep in keeps:
                    rest = part & keep
                    if rest == part or rest in reached:
                        continue
                    self._budget.spend()
                    if not self.at_least(rest, t):
                        return size
                    reached.add(rest)
            frontier = reached
        return inf


class AtomDecomposition:
    """(p, d)-decompositions of unions of atoms; see `littlestone.combinatorics.decomposition`."""

    def __init__(self, search: AtomSearch, budget: NodeLimit, p: int, d: int) -> None:
        self._search, self._budget, self._p, self._d = search, budget, p, d
        self._known: dict[tuple[int, int | None, Atoms], tuple[int, float]] = {}

    def dimension(self, atoms: Atoms) -> int:
        """Return DDim; -1 for no atom."""
        if not atoms:
            return -1
        return next(
            t
            for t in range(self._search.ldim(atoms) + 1)  # with t = LDim it sits: Claim 4.1
            if self._sits(atoms, 0, t, None)
        )

    def essential(self, atoms: Atoms) -> list[int]:
        """Return the SOA, on the seen points, of each essential hypothesis."""
        if not atoms:
            return []
        t = self.dimension(atoms)
        if t == 0:  # every leaf of every optimal tree is a single set
            return sorted(atoms)
        candidates = self._leaves(atoms, 0, t)
        return sorted(f for f in candidates if not self._sits(atoms, 0, t, f))

    def _leaves(self, atoms: Atoms, depth: int, t: int) -> set[int]:
        """Return the SOAs of the leaves of dimension t of one optimal tree."""
        s = self._search.ldim(atoms)
        if s <= t and depth <= depth_limit(self._p, self._d, s):
            # Below a leaf of smaller dimension, or a reduction, no leaf has dimension t.
            return {self._search.soa(atoms)} if s == t and self._irreducible(atoms, t) else set()
        for one, zero in sides(atoms):
            if all(self._sits(side, depth + 1, t, None) for side in (one, zero)):
                return self._leaves(one, depth + 1, t) | self._leaves(zero, depth + 1, t)
        raise AssertionError("the class sits here")

    def _irreducible(self, atoms: Atoms, t: int) -> bool:
        return self._search.reducibility(atoms, self._p * 2 ** (self._d - t)) == inf

    def _sits(self, atoms: Atoms, depth: int, t: int, avoid: int | None) -> bool:
        does, fails = self._known.get((t, avoid, atoms), (-1, inf))
        if depth <= does or depth >= fails:
            return depth <= does
        answer = self._decide(atoms, depth, t, avoid)
        known = (max(does, depth), fails) if answer else (does, min(fails, depth))
        self._known[t, avoid, atoms] = known
        return answer

    def _decide(self, atoms: Atoms, depth: int, t: int, avoid: int | None) -> bool:
        s = self._search.ldim(atoms)
        if depth > depth_limit(self._p, self._d, s - 1):
            return False
        if s <= t and depth <= depth_limit(self._p, self._d, s):
            avoided = s == t and avoid is not None and self._search.soa(atoms) == avoid
            if not (avoided and self._irreducible(atoms, t)):
                return True
        if any(self._search.k - a.bit_count() > t for a in atoms):
            return False  # an atom is never split: it ends in a leaf of its own dimension
        if depth >= _DEEPEST:
            raise OutOfNodes
        self._budget.spend()
        for one, zero in sides(atoms):
            if self._sits(one, depth + 1, t, avoid) and self._sits(zero, depth + 1, t, avoid):
                return True
        return False


def splitting(atoms: Iterable[int]) -> list[int]:
    """Return the points, as bits, that some atoms hold and others do not."""
    every, some = -1, 0
    for a in atoms:
        every, some = every & a, some | a
    rest, out = some & ~every, []
    while rest:
        out.append(rest & -rest)
        rest &= rest - 1
    return out


def sides(atoms: Atoms) -> list[tuple[Atoms, Atoms]]:
    """Return the distinct splits by seen points, the most balanced ones first."""
    found: dict[Atoms, Atoms] = {}
    for bit in splitting(atoms):
        one = frozenset(a for a in atoms if a & bit)
        found[one] = atoms - one
    return sorted(found.items(), key=lambda split: -min(map(len, split)))


def _leaves(sides: list[int], t: int) -> int:
    """Bound the leaves of a complete tree of depth t that a union of atoms can shatter.

    A class of Littlestone dimension w realises at most ``C(t, 0) + ... + C(t, w)`` of them.
    """
    counts = [sum(comb(t, i) for i in range(w + 1)) for w in range(max(sides) + 1)]
    return sum(counts[w] for w in sides)


def low_error_atoms(
    gains: list[int], limit: int, errors: int, tolerance: int, budget: NodeLimit
) -> list[tuple[int, ...]]:
    """Return all sets of at most ``limit`` items whose gains bring the errors down far enough.

    Examples
    --------
    >>> low_error_atoms([3, 1, -1], 2, 4, 1, NodeLimit(None))
    [(0,), (0, 1)]
    """
    found: list[tuple[int, ...]] = []
    prefix = [0]
    for gain in gains:
        prefix.append(prefix[-1] + max(gain, 0))

    def extend(start: int, chosen: tuple[int, ...], wrong: int) -> None:
        budget.spend()
        if wrong <= tolerance:
            found.append(chosen)
        left = limit - len(chosen)
        for i in range(start, len(gains) if left else start):
            best = prefix[min(i + left, len(gains))] - prefix[i]
            if wrong - (best if gains[i] > 0 else gains[i]) > tolerance:
                break  # neither this item nor a later one helps
            extend(i + 1, (*chosen, i), wrong - gains[i])

    extend(0, (), errors)
    return found


T = TypeVar("T")


@dataclass(frozen=True)
class SparseSpace(VersionSpace):
    """A union of atoms on the points seen so far.

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
        """Return the sets of low error: a search over the sampled points that helps or harms."""
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
                limit = self.concept_class.k - len(atom)
                for chosen in low_error_atoms(gains, limit, wrong, tolerance, budget):
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
        labels = self._ask("The Littlestone dimension", lambda s: s.soa(self._encoded))
        return on_points(self._points(labels))

    def distinguish(self, h: Hypothesis, g: Hypothesis) -> Point | None:
        """Return a point of one of two sets but not of the other."""
        return first_difference(h, g)

    def reducibility(self, cap: int | None = None) -> float:
        """Return infinity for one atom of an endless domain; else search the points seen."""
        most = inf if cap is None else cap
        if self._endless <= 0:
            return inf
        spare = self.free - self._endless  # number of new points that may get 0 without any effect
        if len(self.atoms) == 1:
            least = spare + 1 if spare > 0 else None
        else:
            # Among at most ``spare`` answers, those at new points are wasted.
            least = self._ask(
                "The reducibility", lambda s: s.reducibility(self._encoded, min(most, spare))
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
        return self._decompose(p, d, lambda tree: tree.dimension(self._encoded))

    def essential(self, p: int, d: int) -> Sequence[Hypothesis]:
        """Return all essential hypotheses: sets of points seen, or single sets of the space."""
        dimension = self._checked_dim("essential", p, d)
        if dimension < 0:
            return ()
        if dimension == 0 or (len(self.atoms) == 1 and self._stays(dimension, p, d)):
            return (self.soa(),)
        if not self._roomy(p, d):
            return self._listed("essential hypotheses").essential(p, d)
        found = self._decompose(p, d, lambda tree: tree.essential(self._encoded))
        return tuple(on_points(self._points(labels)) for labels in found)

    def splitting_point(self) -> Point | None:
        """Return a new point, or one seen where only that splits the dimension."""
        dimension = self.littlestone_dim()
        if dimension <= 0:
            return None
        if self.free < self._endless:
            return self._listed("the Littlestone dimension").splitting_point()
        bit = self._ask("The Littlestone dimension", lambda s: s.split(self._encoded))
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
    def _encoded(self) -> Atoms:
        bit = {x: 1 << i for i, x in enumerate(self._order)}
        return frozenset(sum(bit[x] for x in a) for a in self.atoms)

    @cached_property
    def _endless(self) -> int:
        """The Littlestone dimension if there were infinitely many new points."""
        return self._ask("The Littlestone dimension", lambda search: search.ldim(self._encoded))

    def _ask(self, what: str, question: Callable[[AtomSearch], T]) -> T:
        with searching(self.max_nodes, what, self._bounds) as budget:
            return question(AtomSearch(self.concept_class.k, budget))

    def _decompose(self, p: int, d: int, question: Callable[[AtomDecomposition], T]) -> T:
        what, most = "The decomposition dimension", self._endless
        with searching(self.max_nodes, what, lambda: (0, most)) as budget:
            search = AtomSearch(self.concept_class.k, budget)
            return question(AtomDecomposition(search, budget, p, d))

    def _bounds(self) -> tuple[int, int]:
        sides = [self.concept_class.k - len(a) for a in self.atoms]
        lower = max(sides, default=-1)
        # L(V or W) <= L(V) + L(W) + 1, atom by atom
        return int(min(lower, self.free)), sum(sides) + len(sides) - 1

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
            raise self._unknown(
                what, "too many points for a list, and too few for the closed form, are unseen."
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


@version_space.register
def _(concept_class: SparseSets, max_nodes: int | None) -> VersionSpace:
    return SparseSpace.of(concept_class, max_nodes)
