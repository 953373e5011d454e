"""Sets of at most k points: the class, its hashed representation, and version spaces."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import chain, combinations, count
from math import comb, inf
from typing import TYPE_CHECKING, Any, TypeVar

from flint import arb

from littlestone.bounds import Atoms
from littlestone.classes.base import (
    Closures,
    VersionSpace,
    as_point,
    check_label,
    closures,
    records,
    searching,
    version_space,
    weights_inside,
)
from littlestone.classes.finite import (
    MOST_LABELS,
    Computed,
    Labelling,
    ListedSpace,
    Listing,
    SubsetLaw,
    best_dichotomies,
    labels,
)
from littlestone.classes.hypotheses import (
    in_bounds,
    on_points,
)
from littlestone.classes.points import closed_sets, set_dichotomies
from littlestone.classes.spec import written
from littlestone.classes.thresholds import SetsOfPoints
from littlestone.combinatorics.decomposition import depth_limit
from littlestone.combinatorics.matrix import NodeLimit, OutOfNodes
from littlestone.data import Sample
from littlestone.data.domains import canonical_order
from littlestone.errors import UnsupportedError, check_integer, parameter_error
from littlestone.source import Choice, Source, ball
from littlestone.types import Hypothesis, Point
from littlestone.types import Points as Batch

if TYPE_CHECKING:
    from littlestone.bounds import Structure

# -- Sparse sets: at most k points of the domain are 1. The domain may be infinite.


MAX_POINTS = 1 << 16


@written("sparse_sets(5) or sparse_sets(5, 1, 99)")
class SparseSets(SetsOfPoints):
    """Sets of at most k points.

    Parameters
    ----------
    k : int >= 0
    low, high : int of any size, or both None
        None: every integer, text, tuple, ... may be a point; the class is infinite, and is learned
        through a `representation` (hashing). Otherwise the domain is low .. high.

    Guarantee
    ---------
    On a bounded domain, ``candidates(sample).draw(rate, source)`` has exactly the exponential
    mechanism's law over all sets.

    Notes
    -----
    VC dimension, Littlestone dimension and threshold dimension are all k (the number of points,
    if that is smaller). Cost of a draw: O(m k) for m distinct points of the sample, whatever the
    domain: the weights of all sets are elementary symmetric polynomials (`SubsetLaw`).

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> SparseSets(3).size, SparseSets(2, 1, 4).size
    (inf, 11)
    >>> data = Sample.of([7, 7, 3, 9], [1, 1, 0, 1])
    >>> SparseSets(2, 1, 99).candidates(data).draw(Fraction(50), SeededSource(0)).describe()
    '1 on the points 7, 9, otherwise 0'
    """

    name = "sparse_sets"

    def __init__(self, k: int, low: int | None = None, high: int | None = None) -> None:
        self.k = check_integer("SparseSets", "k", k, low=0)
        if self.k > MAX_POINTS:
            raise parameter_error("SparseSets", "k", f"at most {MAX_POINTS}", k)
        super().__init__(low, high)

    @property
    def n_points(self) -> int | float:
        """Number of points of the domain."""
        return math.inf if self.bounds is None else self.bounds[1] - self.bounds[0] + 1

    @property
    def structure(self) -> Structure:
        """At most k points."""
        return Atoms(self.k) if self.k else None

    @property
    def size(self) -> int | float:
        """Number of concepts."""
        if self.bounds is None:
            return math.inf if self.k else 1
        points = int(self.n_points)
        return sum(math.comb(points, i) for i in range(min(self.k, points) + 1))

    @property
    def vc_dim(self) -> int:
        """The smaller one of k and the number of points."""
        return int(min(self.k, self.n_points))

    def candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Return all sets, scored by minus their errors; see `ConceptClass.candidates`."""
        low, high = self._finite()
        points, weights, _ = weights_inside(sample, low, high)
        return _ListedCandidates(self, low, high, points, weights)

    def _concepts(self) -> Iterator[Hypothesis]:
        low, high = self._finite() if self.k else (0, 0)  # the empty set alone has no points
        sizes = (combinations(range(low, high + 1), r) for r in range(self.vc_dim + 1))
        return map(on_points, chain.from_iterable(sizes))

    def littlestone_bounds(self) -> tuple[int, int]:
        """Return the VC dimension, twice: each mistake names a point."""
        return self.vc_dim, self.vc_dim

    def threshold_bounds(self) -> tuple[int, int]:
        """Return the VC dimension, twice."""
        return self.vc_dim, self.vc_dim


class _ListedCandidates:
    """All sets of a bounded domain: sampled points by their gains, the others alike."""

    def __init__(
        self, sets: SparseSets, low: int, high: int, points: list[int], weights: list[int]
    ) -> None:
        self._k, self._low, self._points, self.size = sets.k, low, points, int(sets.size)
        self._gains = [-weight for weight in weights]
        self._free = high - low + 1 - len(points)

    def draw(self, rate: Fraction, source: Source) -> Hypothesis:
        """Return a set, with probability exactly proportional to e**(-rate * errors)."""
        law = SubsetLaw(self._gains, self._k, rate)
        cells = [
            (r, others)  # how many sampled points, and others
            for r in range(law.top + 1)
            for others in range(min(self._k - r, self._free) + 1)
        ]

        def weights() -> list[arb]:
            sums = law.sums()
            return [sums[r] * ball(math.comb(self._free, others)) for r, others in cells]

        r, others = cells[source.choose(Computed(len(cells), weights, len(self._gains)))]
        rank = source.below(math.comb(self._free, others))
        drawn = [self._points[i] for i in law.draw(r, source)]
        return on_points([*drawn, *map(self._absent, unrank(self._free, others, rank))])

    def _absent(self, index: int) -> int:
        """Return the index-th point of the domain that is not in the sample."""
        order = range(len(self._points))
        below = bisect_right(order, index, key=lambda i: self._points[i] - self._low - i)
        return self._low + index + below


def unrank(n: int, r: int, rank: int) -> list[int]:
    """Return the r-subset of range(n) with a rank in the combinatorial number system.

    Examples
    --------
    >>> [unrank(4, 2, rank) for rank in range(6)]
    [[0, 1], [0, 2], [1, 2], [0, 3], [1, 3], [2, 3]]
    """
    out = []
    while r:  # the largest element c with comb(c, r) <= rank
        low, high = r - 1, n - 1
        while low < high:
            middle = (low + high + 1) // 2
            if math.comb(middle, r) <= rank:
                low = middle
            else:
                high = middle - 1
        out.append(low)
        rank -= math.comb(low, r)
        n, r = low, r - 1
    return out[::-1]


@closures.register
def _(concept_class: SparseSets) -> Closures:
    widths = tuple(range(concept_class.vc_dim, 0, -1))
    return closed_sets(concept_class.k, concept_class.bounds, widths)


@best_dichotomies.register
def _(concept_class: SparseSets, points: Batch, sample: Sample) -> Choice[Labelling]:
    return set_dichotomies(concept_class.k, concept_class.bounds, points, sample)


# -- Version spaces of sparse sets: what they are on the points seen so far, and free beyond.
#
# After positives P and negatives N over an infinite domain, one atom is left (see `atoms`): its
# Littlestone dimension is ``k - |P|``, the SOA is 1 on P, and no number of SOA answers lowers the
# dimension. Low error leaves a union of atoms. A bounded domain behaves in the same way as long
# as it has more unseen points than the dimension: along a path of a shattered tree of depth L at
# most L new points are asked, and new points can replace each other. Below that, it is listed.


AtomSet = frozenset[int]

#: Deeper trees would exceed Python's stack: they count as out of budget.
_DEEPEST = 300


class AtomSearch:
    """Littlestone dimension, SOA and reducibility of unions of atoms."""

    def __init__(self, k: int, budget: NodeLimit) -> None:
        self.k, self._budget = k, budget
        self._decided: dict[tuple[AtomSet, int], tuple[int, float]] = {}

    def ldim(self, atoms: AtomSet) -> int:
        """Return the Littlestone dimension; -1 for no atom."""
        t = 0
        while self.at_least(atoms, t):
            t += 1
        return t - 1

    def at_least(self, atoms: AtomSet, t: int) -> bool:
        """Decide whether the Littlestone dimension is at least t."""
        return self._at_least(atoms, self.k, t)

    def _at_least(self, atoms: AtomSet, k: int, t: int) -> bool:
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

    def _search(self, atoms: AtomSet, k: int, t: int) -> bool:
        growing = frozenset(a for a in atoms if a.bit_count() < k)
        if self._at_least(growing, k - 1, t - 1):
            return True
        for one, zero in sides(atoms):
            few, many = sorted((one, zero), key=len)
            if self._at_least(few, k, t - 1) and self._at_least(many, k, t - 1):
                return True
        return False

    def split(self, atoms: AtomSet) -> int | None:
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

    def soa(self, atoms: AtomSet) -> int:
        """Return the SOA on the seen points as one integer; it is 0 on all others."""
        t, everywhere, somewhere = self.ldim(atoms), -1, 0
        for a in atoms:
            everywhere, somewhere = everywhere & a, somewhere | a
        labels = everywhere & somewhere
        for bit in splitting(atoms):
            if not self.at_least(frozenset(a for a in atoms if not a & bit), t):
                labels |= bit
        return labels

    def reducibility(self, atoms: AtomSet, cap: float) -> float:
        """Return the least number of SOA answers that lower the dimension, at most cap, or inf."""
        t, labels = self.ldim(atoms), self.soa(atoms)
        if t <= 0 or self.at_least(atoms & {labels}, t):
            return inf  # all answers together do not lower it
        keeps = [frozenset(a for a in atoms if (a ^ labels) & bit == 0) for bit in splitting(atoms)]
        frontier, size = {atoms}, 0
        while size < cap and frontier:
            size += 1
            reached: set[AtomSet] = set()
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
        self._known: dict[tuple[int, int | None, AtomSet], tuple[int, float]] = {}

    def dimension(self, atoms: AtomSet) -> int:
        """Return DDim; -1 for no atom."""
        if not atoms:
            return -1
        return next(
            t
            for t in range(self._search.ldim(atoms) + 1)  # with t = LDim it sits: Claim 4.1
            if self._sits(atoms, 0, t, None)
        )

    def essential(self, atoms: AtomSet) -> list[int]:
        """Return the SOA, on the seen points, of each essential hypothesis."""
        if not atoms:
            return []
        t = self.dimension(atoms)
        if t == 0:  # every leaf of every optimal tree is a single set
            return sorted(atoms)
        candidates = self._leaves(atoms, 0, t)
        return sorted(f for f in candidates if not self._sits(atoms, 0, t, f))

    def _leaves(self, atoms: AtomSet, depth: int, t: int) -> set[int]:
        """Return the SOAs of the leaves of dimension t of one optimal tree."""
        s = self._search.ldim(atoms)
        if s <= t and depth <= depth_limit(self._p, self._d, s):
            # Below a leaf of smaller dimension, or a reduction, no leaf has dimension t.
            return {self._search.soa(atoms)} if s == t and self._irreducible(atoms, t) else set()
        for one, zero in sides(atoms):
            if all(self._sits(side, depth + 1, t, None) for side in (one, zero)):
                return self._leaves(one, depth + 1, t) | self._leaves(zero, depth + 1, t)
        raise AssertionError("the class sits here")

    def _irreducible(self, atoms: AtomSet, t: int) -> bool:
        return self._search.reducibility(atoms, self._p * 2 ** (self._d - t)) == inf

    def _sits(self, atoms: AtomSet, depth: int, t: int, avoid: int | None) -> bool:
        does, fails = self._known.get((t, avoid, atoms), (-1, inf))
        if depth <= does or depth >= fails:
            return depth <= does
        answer = self._decide(atoms, depth, t, avoid)
        known = (max(does, depth), fails) if answer else (does, min(fails, depth))
        self._known[t, avoid, atoms] = known
        return answer

    def _decide(self, atoms: AtomSet, depth: int, t: int, avoid: int | None) -> bool:
        s = self._search.ldim(atoms)
        if depth > depth_limit(self._p, self._d, s - 1):
            return False
        if s <= t and depth <= depth_limit(self._p, self._d, s):
            avoided = s == t and avoid is not None and self._search.soa(atoms) == avoid
            if not (avoided and self._irreducible(atoms, t)):
                return True
        free_places = ((a, self._search.k - a.bit_count()) for a in atoms)
        if any(free > t or (free == t and a == avoid) for a, free in free_places):
            return False  # no seen point splits an atom: its leaf has its dimension, or its SOA
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


def sides(atoms: AtomSet) -> list[tuple[AtomSet, AtomSet]]:
    """Return the distinct splits by seen points, the most balanced ones first."""
    found: dict[AtomSet, AtomSet] = {}
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
        counts, outside = records(sample, tolerance)
        ends = self.concept_class.bounds
        inside = [(x, zeros, ones) for x, zeros, ones in counts if in_bounds(x, ends)]
        always = outside + sum(ones for x, _, ones in counts if not in_bounds(x, ends))
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
        if dimension <= 0 or self._stays(dimension, p, d):
            return dimension
        if not self._roomy(p, d):
            return self._listed("decompositions").decomposition_dim(p, d)
        return self._decompose(p, d, lambda tree: tree.dimension(self._encoded))

    def essential(self, p: int, d: int) -> Sequence[Hypothesis]:
        """Return all essential hypotheses: sets of points seen, or single sets of the space."""
        dimension = self._checked_dim("essential", p, d)
        if dimension < 0:
            return ()
        if dimension == 0 or self._stays(dimension, p, d):
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

    def _first(self) -> Hypothesis:
        """Return the first atom, without other points."""
        atoms = sorted(self.atoms, key=lambda a: (len(a), sorted(map(canonical_order, a))))
        return on_points(atoms[0])

    # -- inside -------------------------------------------------------------------------------

    @cached_property
    def _order(self) -> list[Point]:
        """The seen points that some atom holds, in canonical order: bit i is point i."""
        return sorted(frozenset(chain.from_iterable(self.atoms)), key=canonical_order)

    @cached_property
    def _encoded(self) -> AtomSet:
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

    def _stays(self, dimension: int, p: int, d: int) -> bool:
        """Say whether every tree keeps the dimension on the path of the SOA.

        Every tree follows that path for at most D(L - 1) + 1 steps. If those, and one more, do not
        lower the dimension, the path ends in a leaf of dimension L with this SOA, and no other leaf
        has that dimension: so DDim = L, and the SOA is the one essential hypothesis.
        """
        cap = depth_limit(p, d, dimension - 1) + 1
        return len(self.atoms) == 1 and self.reducibility(cap=cap) == inf

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
                f"No closed form is known of {what} of this version space of "
                f"{self.concept_class.spec}, and too many points for a list, and too few for the "
                "closed form, are unseen."
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
    return SparseSpace(concept_class, frozenset(), frozenset([frozenset()]), max_nodes)
