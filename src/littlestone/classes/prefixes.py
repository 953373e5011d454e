"""Paths of prefixes: networks of addresses, codes of a hierarchy."""

from __future__ import annotations

import ipaddress
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from littlestone.classes.base import (
    gains_of,
    span_runs,
)
from littlestone.classes.hypotheses import AlwaysZero, Fields, readable
from littlestone.classes.spec import written
from littlestone.classes.tree_paths import Paths
from littlestone.classes.trees import ROOT, Forest, Node, no_concept
from littlestone.data import OUTSIDE, Outside, Sample
from littlestone.data.cells import text
from littlestone.data.domains import SMALL, OneColumn
from littlestone.errors import ParameterError, check_integer, parameter_error
from littlestone.source import ScoreRuns
from littlestone.types import Hypothesis, Json, Labels, Point, Points

# -- The forest of all prefixes of fixed-length strings: networks of addresses, codes of a
# hierarchy.
#
# A prefix is one integer: a leading 1 and then its digits, each in as many bits as the largest
# digit needs. The empty prefix is 1; for bits this is the numbering of a binary heap. So parent,
# depth and comparison are shifts, for IPv6 as for four letters.


Ints = npt.NDArray[np.int64]

_MAX_BITS = 1 << 16  # of one whole string


@dataclass(frozen=True)
class Notation:
    """How prefixes are written: networks of addresses, or the first characters of a code.

    Examples
    --------
    >>> IPV4.write(IPV4.parse("10.1.2.3/8")), IPV4.write(IPV4.parse("10.1.2.3"))
    ('10.0.0.0/8', '10.1.2.3/32')
    >>> codes = Notation("0123456789", 5)
    >>> codes.write(codes.parse("311")), codes.parse("31x") is None
    ('311', True)
    """

    alphabet: str
    length: int

    @property
    def version(self) -> int:
        """4 or 6 for addresses; 0 for strings."""
        return {"ipv4": 4, "ipv6": 6}.get(self.alphabet, 0)

    @cached_property
    def base(self) -> int:
        """Number of different digits."""
        return 2 if self.version else len(self.alphabet)

    @cached_property
    def bits(self) -> int:
        """Number of bits of one digit."""
        return (self.base - 1).bit_length()

    @property
    def rule(self) -> str:
        """Say what a cell must be."""
        if self.version:
            example = "10.0.0.0/8" if self.version == 4 else "2001:db8::/32"
            return f"an IPv{self.version} address or network, such as {example}"
        return f"a text of at most {self.length} characters among {self.alphabet!r}"

    @property
    def spec(self) -> str:
        """The arguments in the text of a class."""
        return self.alphabet if self.version else f"{self.alphabet}, {self.length}"

    @cached_property
    def _digit(self) -> dict[str, int]:
        return {letter: i for i, letter in enumerate(self.alphabet)}

    def parse(self, written: str) -> int | None:
        """Return the prefix that a text writes, or None.

        An address without ``/`` is the longest prefix; bits behind the prefix are dropped
        (``10.1.2.3/8`` is ``10.0.0.0/8``).
        """
        if self.version:
            return self._parse_network(written)
        if len(written) > self.length:
            return None
        prefix = 1
        for letter in written:
            digit = self._digit.get(letter)
            if digit is None:
                return None
            prefix = prefix << self.bits | digit
        return prefix

    def _parse_network(self, written: str) -> int | None:
        address, slash, tail = written.partition("/")
        bits = self.length
        if slash:
            if not (tail.isascii() and tail.isdigit() and len(tail) <= 3 and int(tail) <= bits):
                return None
            bits = int(tail)
        if len(address) > 60 or "%" in address:  # an interface is no part of an address
            return None
        kind = ipaddress.IPv4Address if self.version == 4 else ipaddress.IPv6Address
        try:
            value = int(kind(address))
        except ValueError:
            return None
        return 1 << bits | value >> (self.length - bits)

    def write(self, prefix: int) -> str:
        """Return the canonical text of a prefix."""
        digits = (prefix.bit_length() - 1) // self.bits
        if self.version:
            kind = ipaddress.IPv4Address if self.version == 4 else ipaddress.IPv6Address
            return f"{kind((prefix - (1 << digits)) << (self.length - digits))}/{digits}"
        mask = (1 << self.bits) - 1
        places = range((digits - 1) * self.bits, -1, -self.bits)
        return "".join(self.alphabet[prefix >> place & mask] for place in places)


IPV4 = Notation("ipv4", 32)

IPV6 = Notation("ipv6", 128)


def notation(caller: str, alphabet: Any, length: Any) -> Notation:
    """Check the public parameters of a notation."""
    known = {"ipv4": IPV4, "ipv6": IPV6}.get(alphabet) if isinstance(alphabet, str) else None
    if known is not None:
        if length is not None and length != known.length:
            hint = f"Addresses have {known.length} bits; leave it out."
            raise parameter_error(caller, "length", "left out for addresses", length, hint)
        return known
    constraint = "'ipv4', 'ipv6', or a text of at least two different characters"
    if not isinstance(alphabet, str) or not len(set(alphabet)) == len(alphabet) >= 2:
        raise parameter_error(caller, "alphabet", constraint, alphabet, "Try '0123456789'.")
    if any(c.isspace() or c in ",()/\"'" or not c.isprintable() for c in alphabet):
        constraint = "of printable characters other than space , ( ) / and quotes"
        raise parameter_error(caller, "alphabet", constraint, alphabet)
    hint = "It is the number of characters of the longest code."
    written = Notation(alphabet, check_integer(caller, "length", length, low=1, hint=hint))
    if written.bits * written.length > _MAX_BITS:
        raise parameter_error(caller, "length", f"at most {_MAX_BITS // written.bits}", length)
    return written


class PrefixForest(Forest):
    """All prefixes of the strings of a notation; the empty prefix is the one top node.

    Examples
    --------
    >>> forest = PrefixForest(IPV6)
    >>> site = IPV6.parse("2001:db8:17::/48")
    >>> forest.depth(site), IPV6.write(forest.ancestor(site, 33)), forest.height
    (49, '2001:db8::/32', 129)
    """

    def __init__(self, notation: Notation) -> None:
        self.notation = notation
        base, length = notation.base, notation.length
        self._bits = notation.bits
        #: Number of prefixes at or below one, by its number of digits.
        self._below = [(base ** (length - k + 1) - 1) // (base - 1) for k in range(length + 1)]
        self.size: int = self._below[0]
        self.height = length + 1
        #: Whether both the prefixes and their ranks are stored in 64 bits.
        self.small = self.size < SMALL and self._bits * length < SMALL.bit_length() - 1

    def __contains__(self, node: object) -> bool:
        if not isinstance(node, int) or node < 1:
            return False
        digits, rest = divmod(node.bit_length() - 1, self._bits)
        return not rest and digits < self.height and self._digits_are_in_alphabet(node, digits)

    def _digits_are_in_alphabet(self, node: int, digits: int) -> bool:
        base = self.notation.base
        return base == 1 << self._bits or all(d < base for d in self._digits(node, digits))

    def _digits(self, node: int, digits: int) -> list[int]:
        mask = (1 << self._bits) - 1
        return [node >> (digits - k) * self._bits & mask for k in range(1, digits + 1)]

    def depth(self, node: Any) -> int:
        """Return the number of digits plus 1: the empty prefix has depth 1."""
        return 0 if node is ROOT else (int(node).bit_length() - 1) // self._bits + 1

    def ancestor(self, node: Any, depth: int) -> Node:
        """Return the prefix of ``depth - 1`` digits."""
        return int(node) >> (self.depth(node) - depth) * self._bits if depth else ROOT

    def meet(self, x: Any, y: Any) -> int:
        """Return one more than the number of common leading digits; 0 with `ROOT`."""
        depth = min(self.depth(x), self.depth(y))
        if not depth:
            return 0
        a: Any = self.ancestor(x, depth)
        b: Any = self.ancestor(y, depth)
        return depth - -(-int(a ^ b).bit_length() // self._bits)

    def children(self, node: Any) -> Iterator[Node]:
        """Yield the prefixes that are longer by one digit, in the order of the alphabet."""
        if node is ROOT:
            yield 1
        elif self.depth(node) < self.height:
            yield from (node << self._bits | digit for digit in range(self.notation.base))

    def child_count(self, node: Node) -> int:
        """Return the number of digits, 0 for whole strings, 1 for `ROOT`."""
        if node is ROOT:
            return 1
        return self.notation.base if self.depth(node) < self.height else 0

    def order(self, node: Any) -> int:
        """Return the rank in preorder; -1 for `ROOT`."""
        return -1 if node is ROOT else self.span(node)[0]

    def eccentricity(self, node: Node) -> int:
        """Return the distance to a whole string that shares no digit with the prefix."""
        return self.height if node is ROOT else self.height + self.depth(node) - 2

    def span(self, node: int) -> tuple[int, int]:
        """Return the rank of a prefix in preorder, and the rank after its last descendant.

        In preorder, a prefix comes just before everything below it, so these are one interval.

        Examples
        --------
        >>> PrefixForest(IPV4).span(IPV4.parse("0.0.0.0/31"))
        (31, 34)
        """
        digits = self.depth(node) - 1
        below = self._below
        if self._bits == 1:  # the sum over the digits in closed form
            value = node - (1 << digits)
            rank = digits + (value << (self.height - digits)) - value.bit_count()
        else:
            places = enumerate(self._digits(node, digits), 1)
            rank = digits + sum(digit * below[k] for k, digit in places)
        return rank, rank + below[digits]

    def at_rank(self, rank: int) -> int:
        """Return the prefix at a rank in preorder."""
        node, digits = 1, 0
        while rank:
            digits += 1
            digit, rank = divmod(rank - 1, self._below[digits])
            node = node << self._bits | digit
        return node

    # Many prefixes at once, where numbers and ranks are stored in 64 bits:

    def keys(self, points: Points) -> Ints:
        """Return the ranks of prefixes in preorder.

        Examples
        --------
        >>> forest = PrefixForest(Notation("ab", 2))
        >>> forest.keys(np.array([1, 2, 7])), forest.ends(np.array([0, 1, 6]))
        (array([0, 1, 6]), array([7, 4, 7]))
        """
        digits = np.zeros(len(points), dtype=np.int64)
        for length in range(1, self.height):
            digits += points >= np.int64(1) << (self._bits * length)
        if self._bits == 1:  # the sum over the digits in closed form
            value = points - (np.int64(1) << digits)
            ranks: Ints = digits + (value << (self.height - digits)) - np.bitwise_count(value)
            return ranks
        ranks = digits.copy()
        for k in range(1, self.height):
            shift = np.maximum((digits - k) * self._bits, 0)
            digit = (points >> shift) & ((1 << self._bits) - 1)
            ranks += np.where(k <= digits, digit * self._below[k], 0)
        return ranks

    def points(self, keys: Ints) -> Points:
        """Return the prefixes at ranks."""
        return self._named(keys)[0]

    def ends(self, keys: Ints) -> Ints:
        """Return the ranks after the last descendant of the prefixes at ranks."""
        return keys + np.array(self._below, dtype=np.int64)[self._named(keys)[1]]

    def _named(self, keys: Ints) -> tuple[Ints, Ints]:
        """Return prefixes and their numbers of digits."""
        nodes, digits, left = np.ones_like(keys), np.zeros_like(keys), keys
        for k in range(1, self.height):
            further = left > 0
            digit, rest = np.divmod(left - 1, self._below[k])
            nodes = np.where(further, nodes << self._bits | digit, nodes)
            digits += further
            left = np.where(further, rest, 0)
        return nodes, digits


def spans(forest: PrefixForest, points: Points) -> tuple[list[int], list[int]]:
    """Return the spans of many prefixes; in 64-bit arithmetic where ranks are that small."""
    if forest.small and points.dtype == np.int64:
        ranks = forest.keys(points)
        return ranks.tolist(), forest.ends(ranks).tolist()
    both = [forest.span(node) for node in points.tolist()]
    return [rank for rank, _ in both], [end for _, end in both]


@readable
@dataclass(frozen=True)
class PrefixHypothesis(Hypothesis):
    """1 on a prefix and on all its own prefixes: on every network that contains a network.

    Examples
    --------
    >>> from littlestone.classes.prefixes import IPV4
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


# -- Paths of all prefixes of addresses or codes; nothing is listed.


class PrefixDomain(OneColumn):
    """Networks or beginnings of codes, written as texts; anything else is outside.

    Examples
    --------
    >>> from littlestone.classes.prefixes import IPV4
    >>> domain = PrefixDomain(IPV4)
    >>> [domain.cell(raw) for raw in ("128.0.0.0/1", "0.0.0.0/0", "localhost")]
    [3, 1, OUTSIDE]
    """

    def __init__(self, notation: Notation) -> None:
        self.notation = notation
        self.rule = notation.rule

    def cell(self, raw: object) -> Point | Outside:
        """Convert one cell; total and deterministic. An empty cell is missing, and outside."""
        written = text(raw)
        prefix = None if written is None else self.notation.parse(written)
        return OUTSIDE if prefix is None else prefix

    def store(self, points: Sequence[Any]) -> Points:
        """Return points in this domain's layout: int64 where all prefixes fit."""
        if self.notation.bits * self.notation.length < 62:
            return np.array(points, dtype=np.int64)
        return super().store(points)

    @cached_property
    def line(self) -> PrefixForest | None:
        """The prefixes in preorder, where ranks are stored in 64 bits."""
        forest = PrefixForest(self.notation)
        return forest if forest.small else None

    def _identity(self) -> Hashable:
        return self.notation

    def __repr__(self) -> str:
        return f"PrefixDomain({self.notation.spec})"


@written("prefixes(ipv4)")
class Prefixes(Paths):
    """Paths of all prefixes of addresses or codes; nothing is listed.

    A point is a prefix: a network (``10.0.0.0/8``; an address is the smallest network), or the
    first characters of a code. The concept of v is 1 on the prefixes of v: the networks that
    contain v.

    Parameters
    ----------
    alphabet : str
        ``"ipv4"``, ``"ipv6"``, or the characters of the codes, such as ``"0123456789"``.
    length : int, optional
        Length of the longest code; not for addresses.

    Raises
    ------
    ParameterError

    Guarantee
    ---------
    ``candidates(sample).draw(rate, source)`` has exactly the exponential mechanism's law.

    Notes
    -----
    VC dimension 1. Cost of a draw: O(k log k) for k distinct points of the sample (10,000 IPv6
    networks: about 0.1 s, among 2**129 concepts). In Python, a point is the integer of
    `littlestone.classes.prefixes.Notation`; tables and ``domain.array`` take texts.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.data import Sample
    >>> from littlestone.source import SeededSource
    >>> networks = Prefixes("ipv4")
    >>> networks.size == 2**33, networks.tree().height
    (True, 32)
    >>> seen = networks.domain.array(["10.0.0.0/8", "10.1.0.0/16", "10.1.2.0/24", "11.0.0.0/8"])
    >>> data = Sample.of(seen, [1, 1, 0, 0])
    >>> found = networks.candidates(data).draw(Fraction(50), SeededSource(0))
    >>> found.predict(seen).tolist()
    [1, 1, 0, 0]
    """

    name = "prefixes"

    def __init__(self, alphabet: str, length: int | None = None) -> None:
        self.notation = notation("Prefixes", alphabet, length)
        self._forest = PrefixForest(self.notation)

    @classmethod
    def from_spec(cls, inside: str) -> Prefixes:
        """Read the arguments of a spec: ``ipv4``, or ``0123456789, 5``.

        Examples
        --------
        >>> Prefixes.from_spec("0123456789, 5")
        Prefixes(0123456789, 5)
        """
        alphabet, comma, length = (part.strip() for part in inside.partition(","))
        if comma and not (length.isascii() and length.isdigit() and len(length) < 10):
            raise parameter_error("prefixes", "length", "an integer >= 1", length[:20])
        return cls(alphabet.strip("'\""), int(length) if comma else None)

    streams = True

    def _streamed(self, sample: Sample) -> Iterator[ScoreRuns]:
        """Yield the runs in pieces: a prefix gains for itself and what is below it."""
        if sample.in_memory:
            return super()._streamed(sample)
        pieces = (
            (ranks, self._forest.ends(ranks), gains)
            for ranks, gains in gains_of(sample, self._forest)
        )
        return span_runs(pieces, 0, self.size, -sample.positives)

    @property
    def forest(self) -> PrefixForest:
        """All prefixes."""
        return self._forest

    @property
    def spec(self) -> str:
        """The text of the class."""
        return f"prefixes({self.notation.spec})"

    @property
    def domain(self) -> PrefixDomain:
        """All prefixes, written as texts."""
        return PrefixDomain(self.notation)

    def spans(self, points: Points) -> tuple[list[int], list[int], Any]:
        """Return [rank, end) of the points that are nodes, and which ones are."""
        inside = np.array([point in self._forest for point in points.tolist()], dtype=bool)
        return *spans(self._forest, points[inside]), inside

    def at_rank(self, rank: int) -> Node:
        """Return the node of a rank."""
        return self._forest.at_rank(rank)

    def concept(self, node: Any) -> Hypothesis:
        """Return the concept of the path to a node."""
        return AlwaysZero() if node is ROOT else PrefixHypothesis(node, self.notation)

    def _centre(self) -> Node:
        return 1  # the empty prefix: all strings are equally far

    def _end(self, concept: Hypothesis) -> Node:
        if not isinstance(concept, PrefixHypothesis) or concept.notation != self.notation:
            raise no_concept(self.spec)
        return concept.prefix

    def domain_points(self) -> Iterator[Point]:
        """Return all prefixes, in preorder."""
        return map(self._forest.at_rank, range(self._forest.size))

    def littlestone_bounds(self) -> tuple[int, int]:
        """Return the length of a whole code, twice."""
        return self.notation.length, self.notation.length

    def to_dict(self) -> Json:
        """Return plain JSON."""
        alphabet, length = self.notation.alphabet, self.notation.length
        return {"type": self.name, "alphabet": alphabet, "length": length}

    @classmethod
    def from_dict(cls, data: Any) -> Prefixes:
        """Read it back."""
        fields = Fields(data, ("alphabet", "length"))
        return cls(fields.text("alphabet", 100_000), fields.integer("length", low=1))
