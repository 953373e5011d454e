"""Released rules: a conjunction of literals over the columns of a public schema, made canonical."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from littlestone.classes.fields import Fields
from littlestone.classes.hypotheses import AlwaysZero, readable
from littlestone.data import Column, Literal
from littlestone.types import Json, Labels, Points

__all__ = ["RuleHypothesis", "conjunction"]

_NUMERIC, _TEXTUAL = (">=", "<"), ("is", "is not")
_OPS = (*_NUMERIC, *_TEXTUAL)
_MAX_LITERALS = 1_000
_MAX_COLUMN = 1_000_000
_MAX_CODE = 2**15 - 1


@readable
@dataclass(frozen=True)
class RuleHypothesis:
    """1 on the rows that satisfy all literals. Make one by `conjunction`, which simplifies.

    The literals are in canonical form (see `conjunction`), so two rules of one schema are the
    same function of the codes if and only if their keys are equal.

    Parameters
    ----------
    literals : tuple of Literal
        Empty: always 1.

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
    """Return the canonical form of a conjunction of literals of one schema.

    Parameters
    ----------
    literals : iterable of Literal
        In any order; repeated, implied and contradictory ones are welcome.

    Returns
    -------
    RuleHypothesis or AlwaysZero
        For each column, in order: at most one ``>=`` and then at most one ``<`` (the tightest),
        or one ``is``, or the ``is not`` in the order of their codes. `AlwaysZero`, if no row of
        codes satisfies all literals.

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
