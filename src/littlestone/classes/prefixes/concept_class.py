"""Paths of all prefixes of addresses or codes; nothing is listed."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from littlestone.classes.base import gains_of, span_runs
from littlestone.classes.encoding import Fields
from littlestone.classes.hypotheses import AlwaysZero, on_points
from littlestone.classes.prefixes.forest import Notation, PrefixForest, notation, spans
from littlestone.classes.prefixes.hypotheses import PrefixHypothesis, prefix_set
from littlestone.classes.spec import written
from littlestone.classes.tree_paths import Paths
from littlestone.classes.trees.forest import ROOT, Node
from littlestone.classes.trees.tree import no_concept
from littlestone.data import OUTSIDE, Outside, Sample, TextDomain
from littlestone.data.cells import text
from littlestone.errors import parameter_error
from littlestone.source import ScoreRuns
from littlestone.types import Hypothesis, Json, Point, Points


class PrefixDomain(TextDomain):
    """Networks or beginnings of codes, written as texts; anything else is outside.

    Examples
    --------
    >>> from littlestone.classes.prefixes.forest import IPV4
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
    def line(self) -> PrefixForest | None:  # type: ignore[override]
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

    def improper(self, ones: tuple[Point, ...]) -> Hypothesis:
        """Return prefixes that are closed upwards as one `PrefixSetHypothesis`."""
        closed: set[Any] = set(ones)
        if not all(self._forest.parent(v) in closed for v in closed if v != 1):
            return on_points(ones)
        table = {1: -1}
        for v in closed:  # each is in the set itself, but not what lies below it
            table[v] = self._forest.depth(v) - 1
        return prefix_set(self.notation, table)

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
