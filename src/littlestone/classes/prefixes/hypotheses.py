"""Upward closed sets of prefixes as canonical hypotheses: what the SOA says on prefix trees.

Such a set holds, with a prefix, all its own prefixes. It is written as a routing table: each entry
(prefix, reach) says that extensions of the prefix are in the set up to a number of digits, and the
entry of the longest prefix decides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from littlestone.classes.encoding import Fields
from littlestone.classes.hypotheses import AlwaysZero, readable
from littlestone.classes.prefixes.forest import Notation, PrefixForest, notation
from littlestone.errors import ParameterError, parameter_error
from littlestone.types import Json, Labels, Points


@readable
@dataclass(frozen=True)
class PrefixHypothesis:
    """1 on a prefix and on all its own prefixes: on every network that contains a network.

    Examples
    --------
    >>> from littlestone.classes.prefixes.forest import IPV4
    >>> hypothesis = PrefixHypothesis(IPV4.parse("10.1.0.0/16"), IPV4)
    >>> networks = [IPV4.parse(n) for n in ("10.0.0.0/8", "10.1.2.3", "11.0.0.0/8")]
    >>> hypothesis.predict(np.array(networks)).tolist(), hypothesis.describe()
    ([1, 0, 0], '1 on the networks that contain 10.1.0.0/16, otherwise 0')
    """

    prefix: int
    notation: Notation

    TYPE = "prefix path"

    @property
    def key(self) -> Hashable:
        """Canonical identity."""
        return (self.TYPE, self.notation.alphabet, self.notation.length, self.prefix)

    @cached_property
    def _path(self) -> list[int]:
        bits = self.notation.bits
        digits = (self.prefix.bit_length() - 1) // bits
        return [self.prefix >> bits * k for k in range(digits, -1, -1)]

    def predict(self, points: Points) -> Labels:
        """Label each point; a point is a prefix as an integer."""
        if points.dtype == object:
            path = set(self._path)
            return np.array([point in path for point in points], dtype=np.int8)
        small = [prefix for prefix in self._path if prefix < 2**62]
        return np.isin(points, np.array(small, dtype=np.int64)).astype(np.int8)

    def describe(self) -> str:
        """Say the hypothesis in words."""
        written = self.notation.write(self.prefix)
        if self.notation.version:
            return f"1 on the networks that contain {written}, otherwise 0"
        return f"1 on the beginnings of {written!r} (itself included), otherwise 0"

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {
            "type": self.TYPE,
            "alphabet": self.notation.alphabet,
            "length": self.notation.length,
            "prefix": self.notation.write(self.prefix),
        }

    @classmethod
    def from_dict(cls, data: Any) -> PrefixHypothesis:
        """Read it back."""
        fields = Fields(data, ("alphabet", "length", "prefix"))
        try:
            how = notation("JSON", fields.text("alphabet", 100_000), fields.integer("length", 1))
        except ParameterError:
            raise fields.refuse("alphabet", "'ipv4', 'ipv6' or the characters of codes") from None
        prefix = how.parse(fields.text("prefix", 100_000))
        if prefix is None or prefix not in PrefixForest(how):
            raise fields.refuse("prefix", how.rule)
        return cls(prefix, how)


_MAX_ENTRIES = 1_000_000

Table = Mapping[int, int]

#: A node's canonical form: its reach, and the forms of the children that differ from it.
Form = tuple[int, tuple[tuple[int, Any], ...]]


@readable
@dataclass(frozen=True)
class PrefixSetHypothesis:
    """1 on an upward closed set of prefixes. Make one by `prefix_set`.

    Examples
    --------
    >>> from littlestone.classes.prefixes.forest import IPV4
    >>> h = prefix_set(IPV4, {1: 2, IPV4.parse("10.0.0.0/8"): 9})
    Traceback (most recent call last):
    ...
    littlestone.errors.ParameterError: The 'table' parameter of prefix_set must be upward closed.
    Got an entry below a prefix that is left out.
    >>> h = prefix_set(IPV4, {1: 2, IPV4.parse("10.0.0.0/2"): 9})
    >>> h.predict(np.array([IPV4.parse("10.0.0.0/8"), IPV4.parse("192.0.0.0/3")])).tolist()
    [1, 0]
    """

    notation: Notation
    table: tuple[tuple[int, int], ...]

    TYPE = "prefix_set"

    @property
    def key(self) -> Hashable:
        """Canonical identity."""
        return (self.TYPE, self.notation.alphabet, self.notation.length, self.table)

    @cached_property
    def _reach(self) -> dict[int, int]:
        return dict(self.table)

    def holds(self, prefix: int) -> bool:
        """Return whether a prefix is in the set."""
        digits = (prefix.bit_length() - 1) // self.notation.bits
        at = prefix
        while at not in self._reach:
            at >>= self.notation.bits
        return digits <= self._reach[at]

    def predict(self, points: Points) -> Labels:
        """Label each point."""
        forest = PrefixForest(self.notation)
        listed = points.tolist()
        return np.array([p in forest and self.holds(p) for p in listed], dtype=np.int8)

    def describe(self) -> str:
        """Say the hypothesis in words."""
        written = [
            f"{self.notation.write(p) or 'nothing'} up to {reach} digits"
            for p, reach in self.table[:8]
        ]
        more = f" and {len(self.table) - 8} more entries" if len(self.table) > 8 else ""
        how = "the longest of these beginnings decides"
        return f"1 on what begins with {', '.join(written)}{more} ({how}), otherwise 0"

    def to_dict(self) -> Json:
        """Return plain JSON."""
        table = [[self.notation.write(p), reach] for p, reach in self.table]
        alphabet, length = self.notation.alphabet, self.notation.length
        return {"type": self.TYPE, "alphabet": alphabet, "length": length, "table": table}

    @classmethod
    def from_dict(cls, data: Any) -> PrefixSetHypothesis:
        """Read it back; only the canonical form is accepted."""
        fields = Fields(data, ("alphabet", "length", "table"))
        try:
            how = notation("JSON", fields.text("alphabet", 100_000), fields.integer("length", 1))
        except ParameterError:
            raise fields.refuse("alphabet", "'ipv4', 'ipv6' or the characters of codes") from None
        table = []
        for entry in fields.items("table", _MAX_ENTRIES):
            if not isinstance(entry, list) or [type(part) for part in entry] != [str, int]:
                raise fields.refuse("table", "a list of pairs (prefix, number)")
            prefix = how.parse(entry[0])
            if prefix is None:
                raise fields.refuse("table", f"a list of pairs, the first one {how.rule}")
            table.append((prefix, entry[1]))
        try:
            made = prefix_set(how, dict(table))
        except ParameterError:
            made = AlwaysZero()
        if not isinstance(made, cls) or made.table != tuple(table):
            raise fields.refuse("table", "in canonical form")
        return made


def prefix_set(how: Notation, table: Table) -> PrefixSetHypothesis | PrefixHypothesis | AlwaysZero:
    """Return the canonical hypothesis of a routing table; a single path is a concept.

    Examples
    --------
    >>> from littlestone.classes.prefixes.forest import Notation
    >>> codes = Notation("ab", 3)
    >>> prefix_set(codes, {1: 0, codes.parse("a"): 1}).describe()
    "1 on the beginnings of 'a' (itself included), otherwise 0"
    >>> prefix_set(codes, {1: -1})
    AlwaysZero()
    """
    if 1 not in table:
        raise parameter_error("prefix_set", "table", "with an entry for the empty prefix", "none")
    children: dict[int, list[int]] = {}
    for prefix in table:
        below = prefix
        while below > 1:
            above = below >> how.bits
            known = children.setdefault(above, [])
            if below in known:
                break
            known.append(below)
            below = above
    form = _Forms(how, table, children).of(1, 0, table[1])
    if form == (-1, ()):
        return AlwaysZero()
    path = _path(form)
    if path is not None:
        return PrefixHypothesis(path, how)
    out: dict[int, int] = {}
    _flatten(1, form, out)
    return PrefixSetHypothesis(how, tuple(sorted(out.items())))


class _Forms:
    """Canonical forms of the nodes of a routing table."""

    def __init__(self, how: Notation, table: Table, children: dict[int, list[int]]) -> None:
        self._how, self._table, self._children = how, table, children

    def of(self, v: int, digits: int, reach: int) -> Form:
        """Return the form of what is in the set at and below a node; above it, reach holds."""
        how = self._how
        reach = max(min(self._table.get(v, reach), how.length), digits - 1)
        forms = {c: self.of(c, digits + 1, reach) for c in self._children.get(v, ())}
        nothing: Form = (digits, ())  # a child that is not in the set itself
        if reach < digits:
            if any(form != nothing for form in forms.values()):
                raise ParameterError(
                    "The 'table' parameter of prefix_set must be upward closed. Got an entry below "
                    "a prefix that is left out."
                )
            return (digits - 1, ())
        # The most common reach of the children (of a tie, the smallest) needs no entries.
        counts = Counter(form[0] for form in forms.values() if not form[1])
        counts[reach] += how.base - len(forms)
        most = max(counts.values())
        usual = min(r for r, count in counts.items() if count == most)
        odd = {c: form for c, form in forms.items() if form != (usual, ())}
        if usual != reach and len(forms) < how.base:
            others = (v << how.bits | digit for digit in range(how.base))
            odd |= {c: (reach, ()) for c in others if c not in forms}
        return (usual, tuple(sorted(odd.items())))


def _path(form: Form) -> int | None:
    """Return the prefix whose path this is, or None."""
    v, digits = 1, 0
    while form != (digits, ()):
        if form[0] != digits or len(form[1]) != 1:
            return None
        (v, form), digits = form[1][0], digits + 1
    return v


def _flatten(v: int, form: Form, out: dict[int, int]) -> None:
    out[v] = form[0]
    for child, below in form[1]:
        _flatten(child, below, out)
