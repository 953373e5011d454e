"""Conjunctions of a few literals over the columns of a public schema."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb, prod
from typing import Any

import numpy as np
import numpy.typing as npt

from littlestone.bounds import Line, Ranges, Structure
from littlestone.bounds.representations import PublicPoints
from littlestone.classes.base import Mapped, SchemaClass
from littlestone.classes.decision_trees import Node, Tree, TreeHypothesis
from littlestone.classes.hypotheses import AlwaysZero, Fields, readable
from littlestone.classes.spec import written
from littlestone.data import Column, Literal, Sample, Schema
from littlestone.data.sample import CodeTables, fit_memory
from littlestone.errors import check_integer, parameter_error
from littlestone.source import Choice, Explicit
from littlestone.types import Hypothesis, Json, Labels, Points

__all__ = ["RuleHypothesis", "Rules", "conjunction"]


# -- All sets of at most k literals of a schema: their order, and a total over the rows of each.
#
# The sets are grouped in *blocks*: which columns occur, and how many literals of each. The total
# of a set over the rows it accepts is read off a contingency table: the weights of the rows are
# first summed up by the codes of the block's columns (one pass over the rows), and then the table
# is contracted, column by column, with the 0/1 matrix that says which codes each choice of
# literals accepts. So a million rows are visited once for each set of at most k *columns* (91
# pairs of 14), not for each of 10**5 sets of literals; a database could count the tables as well.
#
# Where columns are many and have few literals each, all pairs of columns are counted by one
# product of literal-by-row matrices instead.
#
# Codes that all literals of a column treat alike are one *atom*; tables are then not much larger
# than the blocks themselves. All sums are of integers below 2**53 in size (there are fewer
# records than that), so float64 matrix products are exact.


Floats = npt.NDArray[np.float64]

_CHUNK = 1 << 22  # entries of an acceptance matrix that are built at once: 32 MB


class _ColumnLiterals:
    """The literals of one column, its atoms, and which atoms each literal accepts."""

    def __init__(self, column: Column, position: int) -> None:
        self.literals = column.literals(position)
        accepts = np.array([lit.accepts(column.n_codes) for lit in self.literals])
        patterns, atom = np.unique(accepts, axis=1, return_inverse=True)
        self.atom = atom.reshape(-1).astype(np.uint16)  # of each code
        self.accepts: npt.NDArray[np.bool_] = patterns  # literals by atoms
        self.n_atoms = patterns.shape[1]

    def of_atoms(self, table: Floats, axis: int) -> Floats:
        """Replace an axis of codes by one of atoms, summing up."""
        same = np.arange(self.n_atoms)[:, None] == self.atom
        return np.moveaxis(np.tensordot(same.astype(np.float64), table, axes=(1, axis)), 0, axis)

    def contract(self, table: Floats, axis: int, taken: int) -> Floats:
        """Replace an axis of atoms by one of all sets of ``taken`` literals, summing up."""
        members = _combinations(len(self.literals), taken)
        rest = np.moveaxis(table, axis, 0)
        matrix = rest.reshape(self.n_atoms, -1)
        out = np.empty((len(members), matrix.shape[1]))
        step = max(1, _CHUNK // self.n_atoms)
        for start in range(0, len(members), step):
            chosen = members[start : start + step]
            accepted = self.accepts[chosen].all(axis=1)
            out[start : start + step] = accepted.astype(np.float64) @ matrix
        return np.moveaxis(out.reshape(len(members), *rest.shape[1:]), 0, axis)


@dataclass(frozen=True)
class _Block:
    """All sets with ``taken[i]`` literals of the column ``columns[i]``."""

    columns: tuple[int, ...]
    taken: tuple[int, ...]
    start: int
    shape: tuple[int, ...]


class Enumeration:
    """The sets of at most ``most`` literals: by size, then by columns, then by literals.

    Examples
    --------
    >>> schema = Schema.from_dict({"age": {"bins": [30]}, "city": {"categories": ["Bonn"]}})
    >>> sets = Enumeration(schema, 2)
    >>> [[lit.text for lit in sets.literals(i)] for i in (0, 1, 5, 6)]
    [[], ['age >= 30'], ['age >= 30', 'age < 30'], ['city is Bonn', 'city is not Bonn']]
    """

    def __init__(self, schema: Schema, most: int) -> None:
        self._schema = schema
        self._n_literals = [len(c.literals(j)) for j, c in enumerate(schema)]
        self._most = most = min(most, sum(self._n_literals))  # there are no larger sets
        self.size = sum(comb(sum(self._n_literals), i) for i in range(most + 1))
        self._columns: list[_ColumnLiterals] | None = None
        self._blocks: list[_Block] | None = None

    @property
    def columns(self) -> list[_ColumnLiterals]:
        """The columns with their literals, computed once."""
        if self._columns is None:
            self._columns = [_ColumnLiterals(c, j) for j, c in enumerate(self._schema)]
        return self._columns

    @property
    def blocks(self) -> list[_Block]:
        """The blocks in their public order, computed once."""
        if self._blocks is None:
            self._blocks = list(self._make_blocks())
        return self._blocks

    def _make_blocks(self) -> Iterator[_Block]:
        start = 0
        for size in range(self._most + 1):
            for n_columns in range(min(size, 1), min(size, len(self._schema)) + 1):
                for columns in combinations(range(len(self._schema)), n_columns):
                    for taken in _compositions(size, n_columns):
                        counts = zip(columns, taken, strict=True)
                        shape = tuple(comb(self._n_literals[c], t) for c, t in counts)
                        if prod(shape):
                            yield _Block(columns, taken, start, shape)
                            start += prod(shape)

    def literals(self, index: int) -> list[Literal]:
        """Return the literals of the set with this number."""
        at = bisect_right(self.blocks, index, key=lambda block: block.start) - 1
        block = self.blocks[at]
        if not block.columns:
            return []
        ranks = np.unravel_index(index - block.start, block.shape)
        out: list[Literal] = []
        for column, taken, rank in zip(block.columns, block.taken, ranks, strict=True):
            literals = self.columns[column].literals
            out += [literals[i] for i in _unrank(len(literals), taken, int(rank))]
        return out

    def accepted(self, start: int, stop: int, rows: Points) -> npt.NDArray[np.bool_]:
        """Return which rows satisfy the sets start .. stop - 1, of shape (stop - start, rows)."""
        out = np.ones((stop - start, len(rows)), dtype=bool)
        for block in self.blocks:
            first, last = max(start, block.start), min(stop, block.start + prod(block.shape))
            if first >= last or not block.columns:
                continue
            ranks = np.unravel_index(np.arange(first, last) - block.start, block.shape)
            for c, taken, rank in zip(block.columns, block.taken, ranks, strict=True):
                column = self.columns[c]
                satisfied = column.accepts[:, column.atom[rows[:, c]]]
                members = _combinations(len(column.literals), taken)[rank]
                for i in range(taken):
                    out[first - start : last - start] &= satisfied[members[:, i]]
        return out

    def totals(
        self, rows: Points, weights: npt.NDArray[np.int64], spare: int = 0
    ) -> npt.NDArray[np.int64]:
        """Return the total weight of the rows that satisfy each set, after ``spare`` zeros."""
        out = np.zeros(spare + self.size, dtype=np.int64)
        if not len(rows):
            return out
        atoms = [c.atom[rows[:, j]] for j, c in enumerate(self.columns)]
        exact = weights.astype(np.float64)
        products = self._products(atoms, exact) if self._narrow(len(rows)) else None
        self._contract(out, spare, lambda columns: self._table(columns, atoms, exact), products)
        return out

    def from_tables(self, tables: CodeTables, spare: int = 0) -> npt.NDArray[np.int64]:
        """Return what `totals` says of what answer 0 costs minus what answer 1 costs."""
        out = np.zeros(spare + self.size, dtype=np.int64)

        def table(columns: tuple[int, ...]) -> Floats:
            ones, zeros = tables.sums[columns]  # what the answers 0 and 1 cost
            found = ones - zeros
            for axis, j in enumerate(columns):
                found = self.columns[j].of_atoms(found, axis)
            return np.asarray(found)

        self._contract(out, spare, table)
        return out

    def _contract(
        self,
        out: npt.NDArray[np.int64],
        spare: int,
        table_of: Callable[[tuple[int, ...]], Floats],
        products: Floats | None = None,
    ) -> None:
        """Fill in the totals of all blocks, from the sums by the atoms of their columns."""
        first = np.concatenate([[0], np.cumsum(self._n_literals)])  # literal of each column
        known: tuple[tuple[int, ...], Floats] | None = None
        for block in self.blocks:
            if products is not None and block.taken == (1, 1):
                a, b = block.columns
                pairs = products[first[a] : first[a + 1], first[b] : first[b + 1]]
                out[spare + block.start : spare + block.start + pairs.size] = pairs.reshape(-1)
                continue
            # blocks of one set of columns follow each other: count their table once
            if known is None or known[0] != block.columns:
                known = block.columns, table_of(block.columns)
            table = known[1]
            for axis, (column, taken) in enumerate(zip(block.columns, block.taken, strict=True)):
                table = self.columns[column].contract(table, axis, taken)
            start = spare + block.start
            out[start : start + table.size] = table.reshape(-1)  # integers, exactly

    def _narrow(self, n_rows: int) -> bool:
        """Say whether one matrix product is cheaper than a table for each pair of columns."""
        n_literals, n_columns = sum(self._n_literals), len(self._n_literals)
        tables = comb(n_columns, 2) * (8e-9 * n_rows + 1e-4)  # seconds, roughly
        return self._most > 1 and 1e-10 * n_literals**2 * n_rows < tables

    def _products(self, atoms: list[npt.NDArray[np.uint16]], weights: Floats) -> Floats:
        """Return the total weight of the rows that satisfy each pair of literals."""
        n_literals = sum(self._n_literals)
        out = np.zeros((n_literals, n_literals))
        step = max(64, _CHUNK // 8 // n_literals)
        for start in range(0, len(weights), step):
            part = slice(start, start + step)
            satisfied = np.concatenate(
                [c.accepts[:, atom[part]] for c, atom in zip(self.columns, atoms, strict=True)]
            ).astype(np.float64)
            out += (satisfied * weights[part]) @ satisfied.T
        return out

    def _table(
        self, columns: tuple[int, ...], atoms: list[npt.NDArray[np.uint16]], weights: Floats
    ) -> Floats:
        """Sum up the weights by the atoms of some columns."""
        shape = tuple(self.columns[c].n_atoms for c in columns)
        cell = np.zeros(len(weights), dtype=np.intp)
        for column, atoms_here in zip(columns, shape, strict=True):
            cell = cell * atoms_here + atoms[column]
        return np.bincount(cell, weights=weights, minlength=prod(shape)).reshape(shape)


def _compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Yield all ways to write ``total`` as an ordered sum of ``parts`` positive integers."""
    if parts == 0:
        if total == 0:
            yield ()
        return
    for first in range(1, total - parts + 2):
        for rest in _compositions(total - first, parts - 1):
            yield (first, *rest)


def _combinations(n: int, taken: int) -> npt.NDArray[np.uint16]:
    """Return all ``taken``-subsets of range(n), one in each row, in lexicographic order."""
    if taken == 1:
        return np.arange(n, dtype=np.uint16)[:, None]
    parts = []
    for first in range(n - taken + 1):
        rest = _combinations(n - first - 1, taken - 1) + np.uint16(first + 1)
        parts.append(np.column_stack([np.full(len(rest), first, dtype=np.uint16), rest]))
    return np.concatenate(parts)


def _unrank(n: int, taken: int, rank: int) -> list[int]:
    """Return row ``rank`` of `_combinations` without building it."""
    out, first = [], 0
    while taken:
        below = comb(n - first - 1, taken - 1)  # subsets that begin with ``first``
        if rank < below:
            out.append(first)
            taken -= 1
        else:
            rank -= below
        first += 1
    return out


# -- Rules: conjunctions of at most k literals over the bins and categories of a public schema.


_NUMERIC, _TEXTUAL = (">=", "<"), ("is", "is not")

_OPS = (*_NUMERIC, *_TEXTUAL)

_MAX_LITERALS = 1_000

_MAX_COLUMN = 1_000_000

_MAX_CODE = 2**15 - 1


@readable
@dataclass(frozen=True)
class RuleHypothesis(Hypothesis):
    """1 on the rows that satisfy all literals. Make one by `conjunction`, which simplifies.

    The literals are in canonical form (see `conjunction`), so two rules of one schema are the
    same function of the codes if and only if their keys are equal.

    Examples
    --------
    >>> from littlestone.data import Schema
    >>> schema = Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn"]}})
    >>> rule = conjunction([schema.literals()[0], schema.literals()[4]])
    >>> rule.describe()
    '1 if age >= 30 and city is Bonn, otherwise 0'
    >>> rule.predict(np.array([[3, 2], [3, 1], [0, 2]])).tolist()  # 0 is missing, 1 is other
    [1, 0, 0]
    """

    literals: tuple[Literal, ...]

    TYPE = "rule"

    def exported(self, schema: Schema) -> TreeHypothesis:
        """Return it as a tree."""
        return self.tree(schema)

    @property
    def key(self) -> Hashable:
        """Canonical identity: columns, tests and codes (not the wording)."""
        return (self.TYPE, *((lit.column, lit.op, lit.code) for lit in self.literals))

    def predict(self, points: Points) -> Labels:
        """Label each row of codes."""
        one = np.ones(len(points), dtype=bool)
        for lit in self.literals if len(points) else ():
            codes = points[:, lit.column]
            match lit.op:
                case ">=":
                    one &= codes >= lit.code
                case "<":
                    one &= (codes >= Column.FIRST) & (codes < lit.code)
                case "is":
                    one &= codes == lit.code
                case _:
                    one &= codes != lit.code
        return one.astype(np.int8)

    def tree(self, schema: Schema) -> TreeHypothesis:
        """Return the same function as a tree.

        Examples
        --------
        >>> from littlestone.data import Schema
        >>> schema = Schema.from_dict({"city": {"categories": ["Bonn"]}})
        >>> conjunction([schema.literals()[1]]).tree(schema).describe()
        'if city is Bonn, then 0, otherwise 1'
        """
        positive = {(lit.column, lit.code): lit for lit in schema.literals() if lit.op == "is"}
        tree: Tree = 1
        for lit in reversed(self.literals):
            if lit.op == "is not":
                tree = Node(positive[lit.column, lit.code], 0, tree)
            else:
                tree = Node(lit, tree, 0)
        return TreeHypothesis.of(tree)

    def describe(self) -> str:
        """Say the rule in words."""
        if not self.literals:
            return "always 1"
        return f"1 if {' and '.join(lit.text for lit in self.literals)}, otherwise 0"

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {"type": self.TYPE, "literals": [_to_dict(lit) for lit in self.literals]}

    @classmethod
    def from_dict(cls, data: Any) -> RuleHypothesis:
        """Read it back; only the canonical form is accepted."""
        fields = Fields(data, ("literals",))
        literals = tuple(_from_dict(d) for d in fields.items("literals", _MAX_LITERALS))
        kinds: dict[int, bool] = {}
        for lit in literals:
            if kinds.setdefault(lit.column, lit.op in _NUMERIC) != (lit.op in _NUMERIC):
                raise fields.refuse("literals", "of one kind (numbers or texts) for each column")
        rule = conjunction(literals)
        if not isinstance(rule, cls) or rule.literals != literals:
            raise fields.refuse("literals", "a list without repetition, in canonical order")
        return rule


def conjunction(literals: Iterable[Literal]) -> RuleHypothesis | AlwaysZero:
    """Return the canonical form of a conjunction of literals of one schema, in any order.

    For each column: at most one ``>=`` and then one ``<`` (the tightest), or one ``is``, or the
    ``is not`` in the order of their codes; `AlwaysZero`, if no row of codes satisfies all.

    Notes
    -----
    Canonical: the codes that one column accepts are a range of bins, one category, or all codes
    (*missing* and *other* included) but some categories; these are different sets in different
    forms, and a product of nonempty sets determines its factors.

    Examples
    --------
    >>> from littlestone.data import Schema
    >>> at30, below30, at60, below60 = Schema.from_dict({"age": {"bins": [30, 60]}}).literals()
    >>> conjunction([below60, at30, at30]).describe(), conjunction([at60, at30]).describe()
    ('1 if age >= 30 and age < 60, otherwise 0', '1 if age >= 60, otherwise 0')
    >>> conjunction([at60, below30])
    AlwaysZero()
    """
    columns: dict[int, list[Literal]] = {}
    for lit in literals:
        columns.setdefault(lit.column, []).append(lit)
    kept: list[Literal] = []
    for column in sorted(columns):
        tightest = _tightest(columns[column])
        if tightest is None:
            return AlwaysZero()
        kept += tightest
    return RuleHypothesis(tuple(kept))


def _tightest(literals: list[Literal]) -> list[Literal] | None:
    """Return the canonical literals of one column, or None if they contradict each other."""
    by_op = {op: {lit.code: lit for lit in literals if lit.op == op} for op in _OPS}
    lows, highs, equal, unequal = (by_op[op] for op in _OPS)
    if lows or highs:
        kept = [lows[max(lows)]] if lows else []
        if highs:
            kept.append(highs[min(highs)])
        return None if lows and highs and max(lows) >= min(highs) else kept
    if equal:
        contradiction = len(equal) > 1 or set(equal) & set(unequal)
        return None if contradiction else list(equal.values())
    return [unequal[code] for code in sorted(unequal)]


def _to_dict(lit: Literal) -> Json:
    return {
        "type": "literal", "column": lit.column, "op": lit.op, "code": lit.code, "text": lit.text,
    }  # fmt: skip


def _from_dict(data: Any) -> Literal:
    fields = Fields(data, ("column", "op", "code", "text"))
    op = fields.text("op", 10)
    if fields.type != "literal" or op not in _OPS:
        raise fields.refuse("op", f"one of {', '.join(_OPS)}")
    # The first bin has no edge below it, so no edge has its code.
    first = Column.FIRST + (op in _NUMERIC)
    return Literal(
        fields.integer("column", low=0, high=_MAX_COLUMN),
        op,
        fields.integer("code", low=first, high=_MAX_CODE),
        fields.text("text"),
    )


#: Scores take 8 bytes for each candidate.
MAX_SIZE = 50_000_000


@written("rules(max_literals=2)")
class Rules(SchemaClass):
    """Rules such as "age >= 30 and education is Bachelors".

    The candidates are, in this public order: never; always; and every set of at most
    ``max_literals`` literals of the schema (``>=`` and ``<`` for each edge, ``is`` and ``is not``
    for each category; a cell that is missing or other satisfies only ``is not``). Different sets
    may be the same function ("age >= 30 and age >= 40" is "age >= 40"): each one counts, in
    ``size``, in the certificates and in the weights; a released rule is canonical.

    Parameters
    ----------
    schema : Schema
        Public columns, bins and categories. With `Schema.every_column`, `bind` the number of
        columns before use (the estimators do).
    max_literals : int >= 1, default 2

    Raises
    ------
    ParameterError
        If there would be more than 5 * 10**7 candidates.

    Guarantee
    ---------
    ``candidates(sample).draw(rate, source)`` has exactly the exponential mechanism's law over the
    candidates.

    Notes
    -----
    Scores come from contingency tables of at most ``max_literals`` columns (`enumeration`): one
    pass over the distinct rows for each set of columns, whatever the number of bins. Memory: 8
    bytes for each candidate, and the codes of the rows. ``vc_dim`` is the upper bound log2(size).

    Examples
    --------
    >>> import numpy as np
    >>> from fractions import Fraction
    >>> from littlestone.source import SeededSource
    >>> schema = Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn"]}})
    >>> rules = Rules(schema)
    >>> rules.size  # never, always, 6 literals, 15 pairs
    23
    >>> rows = np.array([[2, 2], [3, 2], [4, 1]])  # codes: age < 30 in Bonn, 30 to 59 in Bonn, ...
    >>> data = Sample.of(rows, [0, 1, 0])
    >>> rules.candidates(data).draw(Fraction(50), SeededSource(1)).predict(rows).tolist()
    [0, 1, 0]
    """

    name = "rules"
    vc_exact = False

    def __init__(self, schema: Schema, max_literals: int = 2) -> None:
        super().__init__(schema)
        self.max_literals = check_integer("Rules", "max_literals", max_literals, low=1)
        if schema.bound and self.size > MAX_SIZE:
            raise parameter_error(
                "Rules", "max_literals", f"small enough for at most {MAX_SIZE} candidates",
                self.max_literals, f"There would be {self.size}. Use fewer bins or categories.",
            )  # fmt: skip

    @cached_property
    def _enumeration(self) -> Enumeration:
        return Enumeration(self.bound, self.max_literals)

    @property
    def public(self) -> PublicPoints | None:
        """How near its rules are to those with literals of any numbers, if the bins are public."""
        return None if self.schema.public is None else self.schema.public.of(self.max_literals)

    @property
    def uses_marginals(self) -> bool:
        """Whether the counts of sets of columns are enough, and not too many."""
        return fit_memory(self.schema, self.max_literals)

    @property
    def size(self) -> int:
        """Number of candidates: never, and all sets of at most ``max_literals`` literals."""
        return 1 + self._enumeration.size

    @property
    def structure(self) -> Structure:
        """Of one column of numbers: cuts in both orientations, or intervals, over its bins."""
        columns = list(self.bound)
        if len(columns) != 1 or columns[0].edges is None:
            return None
        return Line(chains_from_best=4) if self.max_literals == 1 else Ranges()

    @property
    def vc_dim(self) -> int:
        """An upper bound of the VC dimension: log2 of the number of candidates."""
        return self.size.bit_length() - 1

    def candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Return all candidates, scored by minus their errors; see `ConceptClass.candidates`."""
        if sample.in_memory:
            scores = self._enumeration.totals(sample.points, sample.ones - sample.zeros, spare=1)
        else:
            tables = sample.tables(self.schema.n_codes, self.max_literals)
            scores = self._enumeration.from_tables(tables, spare=1)
        # Accepting a row changes the errors by zeros - ones; scores[0] is `AlwaysZero`.
        scores -= sample.positives
        return Mapped(Explicit(scores), self.hypothesis)

    def accepted(self, start: int, stop: int, rows: Points) -> npt.NDArray[np.bool_]:
        """Return how the candidates number start, ..., stop - 1 label rows of codes.

        Returns
        -------
        bool array of shape (stop - start, n)
        """
        never = int(start == 0)  # candidate 0; the sets of literals follow
        accepted = self._enumeration.accepted(max(start - 1, 0), max(stop - 1, 0), rows)
        return np.concatenate([np.zeros((never, len(rows)), dtype=bool), accepted])

    def hypothesis(self, index: int) -> Hypothesis:
        """Return a rule; with 0 the one that never accepts."""
        return conjunction(self._enumeration.literals(index - 1)) if index else AlwaysZero()

    def _concepts(self) -> Iterator[Hypothesis]:
        seen: set[Hashable] = set()
        for hypothesis in map(self.hypothesis, range(self.size)):
            if hypothesis.key not in seen:
                seen.add(hypothesis.key)
                yield hypothesis
