"""Version spaces of prefix trees of any size: a top node, less some subtrees.

A concept is the path to a prefix v. Positive examples leave the v at or below the longest one,
``top``; a negative example removes its subtree. Write L(v, R) for the Littlestone dimension of what
is left at or below v after the subtrees of R are removed. A tree from which nothing is removed has
L equal to its height (at least two digits: ask for a child). Otherwise let m1 >= m2 be the two
largest dimensions of children of v; asking for a node below v leaves at most m1 for label 1, so L
is m1 or m1 + 1:

* m1 = m2: L = m1 + 1, ask for one of the two children;
* m1 > m2: the nodes below v with dimension m1 lie on one path (two that do not would give m1 + 1).
  Let x be the lowest one. It is the best question, since it leaves the most for label 0:
  L = m1 + 1 exactly if L(v, R + x) >= m1.

The SOA at y is 1 if removing y's subtree lowers the dimension. Untouched subtrees beside each other
are alike, so it is computed once for each, and written as a `PrefixSetHypothesis`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import islice
from math import inf
from typing import Any

from littlestone.classes.hypotheses import AlwaysZero
from littlestone.classes.listed import MOST_LABELS, ListedSpace, listing
from littlestone.classes.oracles import (
    VersionSpace,
    as_point,
    check_label,
    searching,
    version_space,
)
from littlestone.classes.prefixes.concept_class import Prefixes
from littlestone.classes.prefixes.hypotheses import (
    PrefixHypothesis,
    PrefixSetHypothesis,
    prefix_set,
)
from littlestone.classes.trees import ROOT
from littlestone.combinatorics.limits import NodeLimit
from littlestone.errors import UnsupportedError, parameter_error
from littlestone.types import Hypothesis, Point

#: Longer codes would exceed Python's stack.
_LONGEST = 200

Removed = frozenset[Any]


@dataclass(frozen=True)
class PrefixSpace(VersionSpace):
    """The paths to a node and to what is below it, less some subtrees.

    Examples
    --------
    >>> networks = Prefixes("ipv4")
    >>> space = networks.version_space()
    >>> site, part = (networks.domain.cell(n) for n in ("10.0.0.0/8", "10.1.0.0/16"))
    >>> space.littlestone_dim(), space.restrict(site, 1).restrict(part, 0).littlestone_dim()
    (32, 23)
    """

    concept_class: Prefixes
    top: Any
    removed: Removed
    max_nodes: int | None = field(compare=False, repr=False)

    @classmethod
    def of(cls, concept_class: Prefixes, max_nodes: int | None) -> PrefixSpace:
        """Return the space of all paths."""
        return cls(concept_class, ROOT, frozenset(), max_nodes)

    @property
    def is_empty(self) -> bool:
        """Whether no path is left."""
        return self.top in self.removed

    def restrict(self, point: Any, label: int) -> PrefixSpace:
        """Return the paths through a prefix (label 1), or past it."""
        x: Any = as_point(point)
        label, forest = check_label(label), self.concept_class.forest
        if x in forest and not self.is_empty and not forest.precedes(self.top, x):
            left = forest.precedes(x, self.top) and not any(
                forest.precedes(x, r) for r in self.removed
            )
            if left and label:
                below = frozenset(r for r in self.removed if forest.precedes(r, x))
                return replace(self, top=x, removed=below)
            if left:
                kept = frozenset(r for r in self.removed if not forest.precedes(r, x))
                return replace(self, removed=kept | {x})
            return self._nothing() if label else self  # no path that is left goes through x
        holds = x in forest  # at or above the top: then all paths hold it; otherwise none does
        return self if self.is_empty or holds == bool(label) else self._nothing()

    def littlestone_dim(self) -> int:
        """Return the Littlestone dimension; -1 if empty."""
        if self.is_empty:
            return -1
        dimension: int = self._ask(lambda search: search.dim(self.top, self.removed))
        return dimension

    def soa(self) -> Hypothesis:
        """Return the upward closed set of prefixes on which the SOA says 1."""
        if self.is_empty:
            return AlwaysZero()
        table = self._ask(lambda search: search.soa(self.top, self.removed))
        return prefix_set(self.concept_class.notation, table)

    def distinguish(self, h: Hypothesis, g: Hypothesis) -> Point | None:
        """Return a prefix that only one of two upward closed sets holds."""
        return _difference(self.concept_class, h, g)

    def reducibility(self, cap: int | None = None) -> float:
        """Return the reducibility, from the list of a small tree."""
        if self.littlestone_dim() <= 0:
            return inf
        return self._listed("the reducibility").reducibility(cap)

    def splitting_point(self) -> int | None:
        """Return the node x of the module's docstring, or a child of two of equal dimension."""
        if self.littlestone_dim() <= 0:
            return None
        asked: int = self._ask(lambda search: search.question(self.top, self.removed))
        return asked

    def member(self) -> Hypothesis:
        """Return the path to the top node."""
        if self.is_empty:
            raise parameter_error("VersionSpace.member", "self", "a nonempty space", "an empty one")
        return self.concept_class.concept(self.top)

    def _nothing(self) -> PrefixSpace:
        return replace(self, top=ROOT, removed=frozenset([ROOT]))

    def _ask(self, question: Any) -> Any:
        length = self.concept_class.notation.length
        if length > _LONGEST and self.removed:
            raise UnsupportedError(
                f"Version spaces of {self.concept_class.spec} are searched for codes of at most "
                f"{_LONGEST} characters. Use shorter codes."
            )
        height = length - self.concept_class.forest.depth(self.top) + 1
        with searching(self.max_nodes, "The Littlestone dimension", lambda: (0, height)) as budget:
            return question(_Search(self.concept_class, budget))

    def _listed(self, what: str) -> VersionSpace:
        concepts = self.concept_class
        if concepts.size**2 > MOST_LABELS:
            raise self._unknown(what, "the class is too large to be listed. Use shorter codes.")
        space: VersionSpace = ListedSpace.of(listing(concepts, self.max_nodes))
        if self.top is not ROOT:
            space = space.restrict(self.top, 1)
        for node in self.removed:
            space = space.restrict(node, 0) if node is not ROOT else space.restrict((), 1)
        return space


class _Search:
    """Dimensions of trees less subtrees, cached; a node is one question about one of them."""

    def __init__(self, concept_class: Prefixes, budget: NodeLimit) -> None:
        self._forest = concept_class.forest
        self._length = concept_class.notation.length
        self._budget = budget
        self._known: dict[tuple[Any, Removed], tuple[int, int]] = {}
        self._grouped: dict[tuple[Any, Removed], dict[Any, Removed]] = {}
        self._lows: dict[tuple[Any, Removed, int], int] = {}

    def dim(self, v: Any, removed: Removed) -> int:
        """Return L(v, removed); nothing at or above v is removed."""
        if not removed:
            return self._height(v)
        k = self._bounds(v, removed)[0]
        while self.at_least(v, removed, k + 1):
            k += 1
        return k

    def at_least(self, v: Any, removed: Removed, k: int) -> bool:
        """Decide whether L(v, removed) is at least k."""
        if not removed:
            return self._height(v) >= k
        lower, upper = self._bounds(v, removed)
        if k <= lower or k > upper:
            return k <= lower
        self._budget.spend()
        answer = self._decide(v, removed, k)
        lower, upper = self._known[v, removed]
        known = (max(lower, k), upper) if answer else (lower, min(upper, k - 1))
        self._known[v, removed] = known
        return answer

    def question(self, v: Any, removed: Removed) -> int:
        """Return a node whose two labels both keep the dimension minus 1; the dimension is > 0."""
        k = self.dim(v, removed)
        able = self._able(v, removed, k - 1)
        child = able[0]
        if len(able) > 1:
            return int(child)
        below = self._below(child, removed)
        if self.at_least(child, below, k):  # a question there keeps v's path for label 0
            return self.question(child, below)
        return self._lowest(child, below, k - 1)

    def soa(self, top: Any, removed: Removed) -> dict[int, int]:
        """Return the routing table of the prefixes whose subtrees the dimension needs."""
        path: list[Any] = [] if top is ROOT else list(self._forest.path(top))
        table: dict[int, int] = {1: -1} | {node: digits for digits, node in enumerate(path)}
        whole = self.dim(top, removed)
        todo: list[Any] = [top]
        while todo:
            v = todo.pop()
            groups = self._groups(v, removed)
            if v is not ROOT:
                table[v] = self._forest.depth(v) - 1
            for child, below in groups.items():
                table[child] = self._forest.depth(child) - 2
                if child not in below and self._needs(top, removed, child, whole):
                    todo.append(child)
            untouched = (c for c in self._forest.children(v) if c not in groups)
            node: Any = next(untouched, None)
            if node is not None:
                reach = self._forest.depth(node) - 2
                while node is not None and self._needs(top, removed, node, whole):
                    reach, node = reach + 1, next(self._forest.children(node), None)
                table[1 if v is ROOT else v] = reach
        return table

    def _needs(self, top: Any, removed: Removed, y: int, whole: int) -> bool:
        rest = frozenset(r for r in removed if not self._forest.precedes(r, y)) | {y}
        return not self.at_least(top, rest, whole)

    def _decide(self, v: Any, removed: Removed, k: int) -> bool:
        able = self._able(v, removed, k - 1)
        if len(able) != 1:
            return len(able) > 1
        child, below = able[0], self._below(able[0], removed)
        if self.at_least(child, below, k):
            return True
        lowest = self._lowest(child, below, k - 1)
        rest = frozenset(r for r in removed if not self._forest.precedes(r, lowest)) | {lowest}
        return self.at_least(v, rest, k - 1)

    def _able(self, v: Any, removed: Removed, k: int) -> list[Any]:
        """Return at most two children of dimension at least k, untouched ones first."""
        groups = self._groups(v, removed)
        if len(groups) < self._forest.child_count(v):
            untouched = (c for c in self._forest.children(v) if c not in groups)
            able = [c for c in islice(untouched, 2) if self._height(c) >= k]
        else:
            able = []
        for c, below in sorted(groups.items()):
            if len(able) < 2 and c not in below and self.at_least(c, below, k):
                able.append(c)
        return able

    def _bounds(self, v: Any, removed: Removed) -> tuple[int, int]:
        """Return what is known: at first, by untouched children and by the number of paths."""
        known = self._known.get((v, removed))
        if known is None:
            groups = self._groups(v, removed)
            untouched = self._forest.child_count(v) - len(groups)
            lower = self._height(v) - 2 + min(untouched, 2) if untouched else 0
            paths = self._paths(v) - sum(map(self._paths, removed))
            known = max(lower, 0), min(self._height(v), paths.bit_length() - 1)
            self._known[v, removed] = known
        return known

    def _paths(self, v: Any) -> int:
        """Return the number of paths that end at or below a node."""
        if v is ROOT:
            return self._forest.size + 1
        first, end = self._forest.span(v)
        return end - first

    def _lowest(self, v: Any, removed: Removed, k: int) -> int:
        """Return the lowest node of dimension k at or below v, where such nodes are one path."""
        path: list[tuple[Any, Removed, int]] = []
        while removed and (v, removed, k) not in self._lows:
            path.append((v, removed, k))
            able = self._able(v, removed, k)
            if not able:
                break
            v, removed = able[0], self._below(able[0], removed)
        known = self._lows.get((v, removed, k))
        found = int(v) if removed else self._down(v, self._height(v) - k)
        found = found if known is None else known
        self._lows.update(dict.fromkeys(path, found))
        return found

    def _down(self, v: Any, levels: int) -> int:
        """Return the first node k levels below an untouched one (0, if k is its height)."""
        for _ in range(levels):
            v = next(self._forest.children(v))
        return int(v)

    def _below(self, v: Any, removed: Removed) -> Removed:
        above = self._forest.parent(v)
        return self._groups(above, removed).get(v, frozenset()) - {v}

    def _groups(self, v: Any, removed: Removed) -> dict[Any, Removed]:
        """Return the removed nodes below v by child."""
        known = self._grouped.get((v, removed))
        if known is None:
            depth = self._forest.depth(v)
            groups: dict[Any, set[Any]] = {}
            for r in removed:
                if self._forest.depth(r) > depth and self._forest.precedes(r, v):
                    groups.setdefault(self._forest.ancestor(r, depth + 1), set()).add(r)
            known = self._grouped[v, removed] = {c: frozenset(s) for c, s in groups.items()}
        return known

    def _height(self, v: Any) -> int:
        """Return L of an untouched tree; above the empty prefix hangs only the constant 0."""
        return self._length - max(self._forest.depth(v) - 1, 0)


def _difference(concept_class: Prefixes, h: Hypothesis, g: Hypothesis) -> int | None:
    """Return a prefix that only one of two upward closed sets holds, or None."""
    tables: list[dict[int, int]] = []
    for hypothesis in (h, g):
        match hypothesis:
            case AlwaysZero():
                tables.append({1: -1})
            case PrefixHypothesis():
                path: Any = concept_class.forest.path(hypothesis.prefix)
                tables.append({node: digits for digits, node in enumerate(path)})
            case PrefixSetHypothesis():
                tables.append(dict(hypothesis.table))
            case _:
                raise UnsupportedError(f"Only sets of prefixes differ in {concept_class.spec}.")
    bits, length = concept_class.notation.bits, concept_class.notation.length
    listed = set(tables[0]) | set(tables[1])
    for prefix in sorted(listed):
        # Two sets differ at a listed prefix, or below it where no entry follows.
        nodes: list[Any] = [prefix, *concept_class.forest.children(prefix)]
        for v in nodes:
            if v != prefix and v in listed:
                continue
            reach = [_reach(table, v, bits) for table in tables]
            digits = concept_class.forest.depth(v) - 1
            if v == prefix:
                if (digits <= reach[0]) != (digits <= reach[1]):
                    return int(v)
            elif min(max(r, digits - 1) for r in reach) != max(max(r, digits - 1) for r in reach):
                wanted = min(max(r, digits - 1) for r in reach) + 1
                if wanted <= length:
                    return int(v) << (wanted - digits) * bits
    return None


def _reach(table: dict[int, int], v: int, bits: int) -> int:
    while v not in table:
        v >>= bits
    return table[v]


@version_space.register
def _(concept_class: Prefixes, max_nodes: int | None) -> VersionSpace:
    return PrefixSpace.of(concept_class, max_nodes)
