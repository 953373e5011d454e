"""Rules: conjunctions of at most k literals over the bins and categories of a public schema."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from littlestone.bounds.public import PublicPoints
from littlestone.classes.base import Mapped, SchemaClass, Witnessed
from littlestone.classes.decision_trees import Node, Tree, TreeHypothesis
from littlestone.classes.dimensions import ShatteredTree
from littlestone.classes.encoding import Fields
from littlestone.classes.hypotheses import AlwaysZero, readable
from littlestone.classes.rules.dimensions import (
    Found,
    mistakes_at_most,
    shattered_rows,
    threshold_rows,
    thresholds_at_most,
    vc_at_most,
)
from littlestone.classes.rules.enumeration import Enumeration
from littlestone.classes.spec import written
from littlestone.data import Column, Literal, Sample, Schema
from littlestone.data.code_tables import fit_memory
from littlestone.errors import check_integer, parameter_error
from littlestone.source import Choice, Explicit
from littlestone.types import Hypothesis, Json, Labels, Points

_NUMERIC, _TEXTUAL = (">=", "<"), ("is", "is not")

_OPS = (*_NUMERIC, *_TEXTUAL)

_MAX_LITERALS = 1_000

_MAX_COLUMN = 1_000_000

_MAX_CODE = 2**15 - 1

#: Levels of a shattered tree that are written out.
_SHOWN = 8


@readable
@dataclass(frozen=True)
class RuleHypothesis:
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
    def vc_dim(self) -> int:
        """An upper bound of the VC dimension: log2 of the number of candidates."""
        return self.size.bit_length() - 1

    def littlestone_bounds(self) -> tuple[int, float]:
        """Return a bound by halving, and log2 of the number of candidates.

        Shuffle the columns to ``max_literals`` groups, and take one literal of each group: a ``>=``
        of a numeric column, one ``is not`` of each other column, or none. A row with the largest
        code (or another category) in a column satisfies all of its literals; and a row can satisfy
        any number of the literals of one group that are left. So group by group, with all literals
        of the other groups satisfied, each question halves: floor(log2(literals + 1)) mistakes
        each. A numeric column may be in two groups, by the ``>=`` of its lower edges and the ``<``
        of the upper ones: below the middle it satisfies all of these, above it all of those.
        """
        counts = sorted((
            sum(lit.op == ">=" for lit in column.literals(i)) or min(1, len(column.literals(i)))
            for i, column in enumerate(self.schema)
        ), reverse=True) if self.schema.bound else []  # fmt: skip
        lower = self._halved(counts, [0] * self.max_literals)
        if self.max_literals > 1 and counts:
            two = [counts[0] - counts[0] // 2, counts[0] // 2, *[0] * (self.max_literals - 2)]
            lower = max(lower, self._halved(counts[1:], two))
        return lower, self.size.bit_length() - 1

    def witnessed(self) -> dict[str, Witnessed]:
        """Return bounds from the literals of each column (`dimensions`), with witnesses."""
        if self.size <= 2:  # there is no literal
            return {}
        schema, most = self.schema, self.max_literals
        high = mistakes_at_most(schema, most, self.size)
        upper = min(vc_at_most(schema, most, self.size), high)
        rows = shattered_rows(schema, most, upper)
        steps = threshold_rows(schema, most)
        depth = len(rows.rows)
        low, _ = self.littlestone_bounds()

        def tree() -> Json:  # ask for one row after the other
            count = min(depth, _SHOWN)
            places = [rows.rows[level] for level in range(count) for _ in range(1 << level)]
            leaves = [
                self._rule(rows.rules[sum((leaf >> count - 1 - i & 1) << i for i in range(count))])
                for leaf in range(1 << count)
            ]
            return ShatteredTree(self, count, tuple(places), tuple(leaves)).to_dict()

        return {
            "vc": Witnessed(depth, upper, partial(self._json, rows)),
            "littlestone": Witnessed(max(low, depth), high, tree),
            "threshold": Witnessed(
                len(steps.rows), thresholds_at_most(schema, most), partial(self._json, steps)
            ),
        }

    def _rule(self, literals: tuple[Literal, ...] | None) -> Hypothesis:
        return AlwaysZero() if literals is None else conjunction(literals)

    def _json(self, found: Found) -> Json:
        rules = [self._rule(literals).to_dict() for literals in found.rules]
        return {"points": [list(row) for row in found.rows], "concepts": rules}

    def _halved(self, counts: list[int], groups: list[int]) -> int:
        """Return the mistakes of `littlestone_bounds`, with so many literals in the groups."""
        for count in counts:
            groups[groups.index(min(groups))] += count
        return sum((group + 1).bit_length() - 1 for group in groups)

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
