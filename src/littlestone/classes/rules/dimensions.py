"""Dimensions of rules from the literals of each column: bounds on both sides, with witnesses.

Columns are independent: a row may have any code in each. So points are made code by code, and no
matrix of rules and rows is written out. The docstrings of the bounds are their proofs.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import comb
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from littlestone.source import public_generator

if TYPE_CHECKING:
    from littlestone.data import Column, Literal, Schema

Row = tuple[int, ...]

#: Work of the search for a shattered set of one size: intersections of sets.
_WORK = 2 * 10**8
#: Its most steps, and how many may change nothing before it begins again.
_STEPS, _PATIENCE = 2000, 400


class Found(NamedTuple):
    """Rows, and for each subset of them (or each place of a sequence) its literals.

    None in the place of literals is the rule that never accepts.
    """

    rows: list[Row]
    rules: list[tuple[Literal, ...] | None]


def kinds(schema: Schema) -> Iterator[tuple[Column, list[Literal], bool]]:
    """Yield the columns with literals, and whether they have categories, at least two."""
    for i, column in enumerate(schema):
        literals = column.literals(i)
        if literals:
            yield column, literals, literals[0].op == "is" and len(literals) > 2


# -- the VC dimension ---------------------------------------------------------------------------


def vc_at_most(schema: Schema, most: int, size: int) -> int:
    """Return the largest number of rows of which all subsets may be accepted, by two counts.

    On s rows, m edges give at most ``2 min(m, s - 1)`` sets of rows, and M categories ``2 min(M,
    s)``; a rule is an intersection of at most ``most`` of them, or nothing, or everything. And if
    it rejects just k + 1 rows (k = ``most``), then one of its literals rejects 2 to k + 1 of these
    and no other row: m edges give at most 2 k such literals, M categories ``s // 2`` by "is not"
    and ``s // (s - k - 1)`` by "is"; each serves at most C(s - 2, k - 1) of the C(s, k + 1)
    subsets. And for each row some literal rejects just this one; the edges of a column do so for
    two rows at most.
    """

    def possible(s: int) -> bool:
        total = few = alone = 0
        for _, literals, _ in kinds(schema):
            values = len(literals) // 2
            if literals[0].op == "is":
                total += 2 * min(values, s)
                few += min(values, s // 2) + min(values, s // max(s - most - 1, 1))
                alone += s
            else:
                total += 2 * min(values, s - 1)
                few += min(2 * values, 2 * most)
                alone += 2
        accepted = 2 + sum(comb(total, j) for j in range(1, most + 1))
        pairs = s <= most + 1 or few * comb(s - 2, most - 1) >= comb(s, most + 1)
        return 2**s <= min(size, accepted) and pairs and s <= alone

    s = 0
    while possible(s + 1):
        s += 1
    return s


def mistakes_at_most(schema: Schema, most: int, size: int) -> int:
    """Return a bound of the Littlestone dimension: the mistakes of one learner.

    It predicts 0 until a row has label 1. Of all literals except "is not", one for each edge and
    one for each column with categories accepts this row. An expert takes i of these and j columns,
    i + j at most ``most``; whenever it wrongly predicts 1, it adds "is not" the row's category in
    its next column. The right expert always contains the target, so it is wrong at most j times.
    Halving over the experts and the positions of their errors makes q mistakes only if ``2**q`` is
    at most the number of both.
    """
    edges, categories = _edges(schema)

    def ways(q: int) -> int:
        total = 0
        for j in range(most + 1):
            taken = sum(comb(edges, i) for i in range(most - j + 1))
            total += taken * categories**j * sum(comb(q, i) for i in range(j + 1))
        return total

    q = 0
    while 2 ** (q + 1) <= ways(q + 1):
        q += 1
    return min(1 + q, size.bit_length() - 1)


def _edges(schema: Schema) -> tuple[int, int]:
    """Return how many literals other than "not" accept one row, and the columns with "not"."""
    edges = categories = 0
    for _, literals, several in kinds(schema):
        categories += several
        edges += 1 if several or literals[0].op == "is" else len(literals) // 2
    return edges, categories


@lru_cache(maxsize=16)
def shattered_rows(schema: Schema, most: int, upper: int) -> Found:
    """Return rows of which the rules accept every subset: as many as a local search finds.

    Codes are changed at random (with public coins) while the number of accepted subsets does not
    fall. The witness is checked by its making: each subset has literals that accept just it.
    """
    accepts = [
        np.array([lit.accepts(column.n_codes) for lit in literals])
        for column, literals, _ in kinds(schema)
    ]
    best = Found([()], [])
    for s in range(upper + 1):
        codes = _searched(accepts, s, most) if s else [np.zeros(0, dtype=np.int64)] * len(accepts)
        if codes is None:
            break
        best = _explained(schema, accepts, codes, most, s)
    return best


def _searched(accepts: list[Any], s: int, most: int) -> list[npt.NDArray[np.int64]] | None:
    """Return codes, column by column, of s rows that are shattered."""
    generator, spent, stuck, current = public_generator(s), 0, _PATIENCE + 1, 0
    codes: list[npt.NDArray[np.int64]] = []
    for _ in range(_STEPS):
        if spent > _WORK:
            return None
        if stuck > _PATIENCE:
            codes = [generator.integers(a.shape[1], size=s) for a in accepts]
            current, work = _accepted(accepts, codes, most)
            spent, stuck = spent + work, 0
        if current == 1 << s:
            return codes
        column = int(generator.integers(len(accepts)))
        before = codes[column].copy()
        rows = generator.integers(s, size=generator.integers(1, 3))
        codes[column][rows] = generator.integers(accepts[column].shape[1], size=len(rows))
        now, work = _accepted(accepts, codes, most)
        spent, stuck = spent + work, 0 if now > current else stuck + 1
        if now < current:
            codes[column] = before
        else:
            current = now
    return None


def _masks(accepts: list[Any], codes: list[Any]) -> Any:
    """Return the set of rows that each literal accepts, as an integer; those of all columns."""
    weights = 1 << np.arange(len(codes[0]), dtype=np.int64)
    return np.concatenate([a[:, c] @ weights for a, c in zip(accepts, codes, strict=True)])


def _accepted(accepts: list[Any], codes: list[Any], most: int) -> tuple[int, int]:
    """Return how many subsets of rows are accepted, and the work that it took to count."""
    everything = (1 << len(codes[0])) - 1
    single = np.unique(np.append(_masks(accepts, codes), everything))
    found, work = single, len(single)
    for _ in range(most - 1):
        work += len(found) * len(single)
        found = np.unique(np.bitwise_and.outer(found, single))
        if len(found) > everything:
            break
    return len(np.union1d(found, [0])), work


def _explained(schema: Schema, accepts: list[Any], codes: list[Any], most: int, s: int) -> Found:
    """Return the rows, and literals for each subset, in the order of the subsets as integers."""
    literals = [lit for _, column, _ in kinds(schema) for lit in column]
    single = dict(zip(_masks(accepts, codes).tolist(), literals, strict=True)) if s else {}
    found: dict[int, tuple[Literal, ...]] = {(1 << s) - 1: ()}
    for _ in range(most):
        for mask, used in list(found.items()):
            for other, literal in single.items():
                found.setdefault(mask & other, (*used, literal))
    code_of = {lits[0].column: c for (_, lits, _), c in zip(kinds(schema), codes, strict=True)}
    rows = [
        tuple(int(code_of[j][i]) if j in code_of else 0 for j in range(len(list(schema))))
        for i in range(s)
    ]
    return Found(rows, [found.get(mask) for mask in range(1 << s)])


# -- the threshold dimension --------------------------------------------------------------------


def thresholds_at_most(schema: Schema, most: int) -> int:
    """Return a bound of the threshold dimension.

    Every rule except the first has a literal that accepts the last row and, of the rows from the
    one before its own position on, rejects only that one. These literals differ, and so do the
    codes of the rows that they reject: at most m for m edges, M for M categories.

    Another bound: the first row is rejected by one of B literals that accept the last row (an edge
    each; "is" and "is not" of each of C columns), the remaining rows by another one, and so on; in
    each step only "is not" is new, and not in a column with "is".
    """
    codes = sum(len(literals) // 2 for _, literals, _ in kinds(schema))
    edges, categories = _edges(schema)
    ways = edges + categories
    # after "is" what is left has this category, so "not" is no use in its column
    new = categories + sum(categories * (ways - 1) * ways**j for j in range(most - 1))
    return 1 + min(codes, int(edges + new))


@lru_cache(maxsize=16)
def threshold_rows(schema: Schema, most: int) -> Found:
    """Return a threshold sequence: rule i accepts the rows from i on, and no other one.

    Long steps reject all rows so far by one literal: "not" a first category of each column, then
    the edges, then the last category of each column. After each one, up to ``most - 1`` further
    rows are rejected one by one, by a category that no other row has.
    """
    columns = list(kinds(schema))
    columns.sort(key=lambda kind: -len(kind[1]))  # many categories: open first, closed last
    at = {lits[0].column: _first(lits) for _, lits, _ in columns}  # codes of the next row
    width = len(list(schema))
    opened = [lits for _, lits, several in columns if several]
    steps: list[tuple[Literal, int | None]] = []  # a long literal, and the code after it
    steps += [(_named(lits, "is not", 0), 1) for lits in opened]  # 1: any other value
    for _, lits, several in columns:
        if lits[0].op == ">=":
            steps += [(lit, lit.code) for lit in lits if lit.op == ">="]
        elif not several:
            steps.append((_named(lits, "is not", 0), 1))
    steps += [(_named(lits, "is", -1), _named(lits, "is", -1).code) for lits in reversed(opened)]
    spare: dict[int, list[Literal]] = {}
    rows: list[Row] = []
    rules: list[tuple[Literal, ...]] = [()]
    for literal, code in steps:
        rows.append(tuple(at.get(j, 0) for j in range(width)))
        rules.append((literal,))
        assert code is not None
        at[literal.column] = code
        several = literal.op != ">=" and any(lits[0].column == literal.column for lits in opened)
        if several and literal.op == "is not":  # other categories of this column are free now
            listed = next(lits for lits in opened if lits[0].column == literal.column)
            spare[literal.column] = [lit for lit in listed if lit.op == "is not"][1:-1]
        elif several:
            spare.pop(literal.column)
        for _ in range(most - 1):
            free = next((j for j in spare if spare[j]), None)
            if free is None:
                break
            single = spare[free].pop()
            rows.append(tuple((at | {free: single.code}).get(j, 0) for j in range(width)))
            rules.append((*rules[-1], single))
    rows.append(tuple(at.get(j, 0) for j in range(width)))
    return Found(rows, list(rules))


def _first(literals: list[Literal]) -> int:
    """Return the code of the first row: below all edges, or the first category."""
    lowest = min(lit.code for lit in literals)
    return lowest - 1 if literals[0].op == ">=" else lowest


def _named(literals: list[Literal], op: str, place: int) -> Literal:
    return [lit for lit in literals if lit.op == op][place]
