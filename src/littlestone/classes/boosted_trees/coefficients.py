"""Numbers that a sum of trees carries beside its trees: points of codes, scores, coefficients.

Points of the codes of a column may have to rise, or to fall, along its bins; the scores of periods
begin at a life table; and a regression that an analyst named has intervals.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from littlestone.classes.boosted_trees.export import PARTS
from littlestone.classes.hypotheses import Fields
from littlestone.data import Column
from littlestone.errors import parameter_error
from littlestone.types import Json, Points

if TYPE_CHECKING:
    from littlestone.classes.boosted_trees.ensemble import TreeEnsemble
    from littlestone.data import Literal, Schema

Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


# -- Points of codes: votes that a row has before any tree, added up column by column.


_MOST = 10**9  # points of a code, in files
_MOST_CODES, _LARGEST = 32_000, 1_024
#: Most votes to begin with.
FURTHEST = 10**6


@dataclass(frozen=True)
class CodePoints:
    """Votes of each label to begin with: a base, and points for the answers of columns.

    A cell that is missing and one that is *other* have the same points, which are the first; those
    of bins or categories follow. The points of a row are added up, limited to ``-limit .. limit``,
    added to the base, and rounded to ``grain`` votes: all in integers.

    Examples
    --------
    >>> points = CodePoints((0, 300), ((0, ((0, 0), (0, -700), (0, 1500))),), 256, 1024, 2)
    >>> points.votes(np.array([[0], [1], [2], [3]])).tolist()
    [[0, 0, 0, 0], [2, 2, -2, 6]]
    >>> points.least, points.most
    ((0, -2), (0, 6))
    """

    base: tuple[int, ...]  # of each label
    #: Of each column that matters: its number, and the points of its answers by label.
    columns: tuple[tuple[int, tuple[tuple[int, ...], ...]], ...]
    unit: int  # points of one vote
    limit: int | None  # of the sum; None: there is none
    grain: int = 1  # votes are multiples of it

    TYPE = "code_points"

    def votes(self, points: Points) -> Ints:
        """Return the votes of each label (rows) at each row of codes (columns)."""
        total = np.zeros((len(self.base), len(points)), dtype=np.int64)
        for column, answers in self.columns:
            total += np.array(answers, dtype=np.int64).T[
                :, self.answers(points[:, column], len(answers))
            ]
        return self._rounded(total)

    @staticmethod
    def answers(codes: Points, most: int) -> Ints:
        """Return the places of the points of codes."""
        return np.clip(codes.astype(np.int64) - Column.OTHER, 0, most - 1)

    def _rounded(self, total: Ints) -> Ints:
        if self.limit is not None:
            total = np.clip(total, -self.limit, self.limit)
        each = self.grain * self.unit
        base = np.array(self.base, dtype=np.int64)[:, None]
        votes: Ints = self.grain * ((2 * (base + total) + each) // (2 * each))
        return votes

    @property
    def least(self) -> tuple[int, ...]:
        """The least votes that any row could have of each label."""
        return self._extreme(np.min)

    @property
    def most(self) -> tuple[int, ...]:
        """The most votes that any row could have of each label."""
        return self._extreme(np.max)

    def _extreme(self, end: Any) -> tuple[int, ...]:
        total = np.zeros((len(self.base), 1), dtype=np.int64)
        for _, answers in self.columns:
            total[:, 0] += end(np.array(answers, dtype=np.int64), axis=0)
        return tuple(self._rounded(total)[:, 0].tolist())

    @property
    def additive(self) -> bool:
        """Whether votes are the base and the points of a row, neither limited nor rounded."""
        every = [self.base, *(points for _, rows in self.columns for points in rows)]
        whole = all(votes % self.grain == 0 for points in every for votes in points)
        return self.unit == 1 and self.limit is None and whole

    def by_code(self, at: int) -> Ints:
        """Return the points of each code (rows) of the column at this place, by label."""
        answers = np.array(self.columns[at][1], dtype=np.int64)
        return np.concatenate([answers[:1], answers])

    def tests(self, column: int, schema: Schema) -> list[Literal]:
        """Return the tests of the answers of a column: the first that holds says which.

        That of place p is the last but p - 1; place 0 is where none holds.
        """
        tests = schema.columns[column].literals(column)
        splits = [split for split in tests if split.op in (">=", "is")]
        below = [split for split in tests if split.op == "<"][:1]
        return [*reversed(splits), *below]

    def asked(self, schema: Schema) -> list[Literal]:
        """Return the tests of all columns with points."""
        return [test for column, _ in self.columns for test in self.tests(column, schema)]

    def check(self, schema: Schema) -> None:
        """Refuse a schema that is not that of the points."""
        for column, answers in self.columns:
            if column >= len(schema) or len(answers) != schema.n_codes[column] - Column.OTHER:
                raise parameter_error(
                    "export", "schema", "the schema of the model", schema,
                    f"It has other answers in column {column}.",
                )  # fmt: skip

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {
            "type": self.TYPE,
            "base": list(self.base),
            "columns": [
                [column, [list(points) for points in rows]] for column, rows in self.columns
            ],
            "unit": self.unit,
            "limit": self.limit,
            "grain": self.grain,
        }

    @classmethod
    def read(cls, data: Any, labels: int) -> Self:
        """Read it back; it may be untrusted."""
        fields = Fields(data, ("base", "columns", "unit", "limit", "grain"))
        columns: dict[int, tuple[tuple[int, ...], ...]] = {}
        for entry in fields.items("columns", _MOST_CODES):
            if not isinstance(entry, list) or len(entry) != 2 or not _whole(entry[:1], 1):
                raise fields.refuse("columns", "pairs of a column and points")
            rows = entry[1] if isinstance(entry[1], list) else []
            proper = 0 < len(rows) <= _MOST_CODES and all(_whole(row, labels) for row in rows)
            if not proper or not 0 <= entry[0] < _MOST_CODES or entry[0] in columns:
                raise fields.refuse("columns", "columns with an integer for each answer and label")
            columns[entry[0]] = tuple(map(tuple, rows))
        base, limit = fields.items("base", labels), fields.any("limit")
        if not _whole(base, labels):
            raise fields.refuse("base", "an integer for each label")
        if limit is not None:
            limit = fields.integer("limit", low=0, high=_MOST)
        unit, grain = (fields.integer(name, low=1, high=_LARGEST) for name in ("unit", "grain"))
        points = cls(tuple(base), tuple(columns.items()), unit, limit, grain)
        if max(map(abs, points.least + points.most)) > FURTHEST:
            raise fields.refuse("columns", f"points of at most {FURTHEST} votes together")
        return points


def _whole(values: Any, size: int) -> bool:
    """Return whether this is a list of so many integers that are not too large."""
    integers = values if isinstance(values, list) else []
    return len(integers) == size and all(type(v) is int and abs(v) <= _MOST for v in integers)


# -- Points that only rise, or only fall, along the bins of a column: those nearest to the released
# ones in order (isotonic regression by pooling neighbours, all bins alike): a function of what was
# released, which costs nothing.


def in_order(ensemble: TreeEnsemble, schema: Schema) -> TreeEnsemble:
    """Return a scorecard of the labels 0 and 1 whose columns are in the order of the schema.

    What is missing or other keeps its points. Without such columns it is as it was.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.classes import TreeEnsemble
    >>> from littlestone.data import Schema
    >>> age = {"bins": [20, 30, 40, 50], "monotone": "increasing"}
    >>> points = ((0, 4), (0, 0), (0, 2), (0, 0), (0, 8), (0, 6))
    >>> points = CodePoints((0, 0), ((0, points),), 1, None, 2)
    >>> card = TreeEnsemble((), Fraction(1, 10), code_points=points)
    >>> found = in_order(card, Schema.from_dict({"age": age}))
    >>> [own[1] for own in found.code_points.columns[0][1]]
    [4, 0, 2, 2, 8, 8]
    """
    if not schema.ordered:
        return ensemble
    card = ensemble.as_points(schema)
    assert card.code_points is not None
    columns = []
    for column, rows in card.code_points.columns:
        monotone, answers = schema.columns[column].monotone, np.array(rows)[:, 1]
        if monotone is not None:
            answers[1:] = _even(_isotonic(answers[1:], 1 if monotone == "increasing" else -1))
        columns.append((column, tuple((0, int(p)) for p in answers)))
    return replace(card, code_points=replace(card.code_points, columns=tuple(columns)))


def _isotonic(values: Ints, sign: int) -> Doubles:
    """Return the nearest numbers, by squares, that rise (or fall): pool adjacent violators."""
    blocks: list[tuple[int, int]] = []  # sums, and how many
    for value in (sign * values).tolist():
        block = (value, 1)
        while blocks and blocks[-1][0] * block[1] >= block[0] * blocks[-1][1]:
            total, size = blocks.pop()
            block = total + block[0], size + block[1]
        blocks.append(block)
    return sign * np.concatenate([np.full(size, total / size) for total, size in blocks])


def _even(values: Doubles) -> Ints:
    """Return the nearest even numbers: in the order of the values."""
    return 2 * np.floor(values / 2 + 0.5).astype(np.int64)


# -- A life table from noisy counts: scores of periods to begin with, and how far they move.


_FURTHEST = 7 * PARTS  # of log-odds to begin with
_SUREST = 0.98  # the largest hazard of a period
_NARROWEST = 1e-6  # in mean widths: narrower periods count as so wide
#: Random walks of logarithms, by the deviations of the first and of each further step: of hazards
#: per unit of time, whose further steps are one of these; and of what trees add, which lower mean
#: hazards period after period, since those at low risk remain.
_FIRST, _STEPS, _OF_TREES = 3.0, (0.2, 0.4, 0.8), (0.1, 0.1)
_LEARNED = 0.3  # how far the logarithm of a hazard that trees have learned is off: a deviation
_HALVED = 40  # halved steps of Gauss and Newton


def hazard_odds(scores: Doubles) -> Doubles:
    """Return the odds of the event: what the capped loss fits (`link`, for a cap of 1/2).

    They are ``2 sigma(s)`` for a score s below 0, and else ``1 / (2 sigma(-s))``.
    """
    odds: Doubles = np.minimum(1, 2 / (1 + np.exp(-scores))) * np.maximum(
        1, (1 + np.exp(scores)) / 2
    )
    return odds


def hazard_score(odds: float) -> float:
    """Return the score at which the odds of the event are these.

    Examples
    --------
    >>> [round(float(hazard_odds(np.array(hazard_score(odds)))), 6) for odds in (0.01, 1, 5)]
    [0.01, 1.0, 5.0]
    """
    return math.log(odds / (2 - odds)) if odds <= 1 else math.log(2 * odds - 1)


@dataclass(frozen=True)
class LifeTable:
    """What noisy counts say about each period: events, how many are at risk, and in all."""

    events: tuple[float, ...]
    risks: tuple[float, ...]
    known: float
    deviation: float  # of the noise of each count
    ends: tuple[Fraction, ...]  # of the periods

    @classmethod
    def of(
        cls, counts: list[Fraction], n: int, deviation: float, ends: tuple[Fraction, ...]
    ) -> LifeTable:
        """Return it from counts by twice the periods at risk, plus 1 with an event.

        At risk are those that leave later, and all less those that left before: both sums are
        noisy, and weigh by their variances.
        """
        cells = np.array([float(count) for count in counts]).reshape(-1, 2)
        total = float(cells.sum())
        if abs(total - n) <= 3 * deviation * math.sqrt(cells.size):
            total = float(n)  # public, if no time is unknown
        left = cells[1:].sum(axis=1)
        place = np.arange(len(left))
        later, before = np.cumsum(left[::-1])[::-1], np.cumsum(left) - left
        earlier = total - cells[0].sum() - before
        of_later, of_earlier = 2.0 * (len(left) - place), 2.0 * (place + 1)
        risks = (later * of_earlier + earlier * of_later) / (of_later + of_earlier)
        events = cells[1:, 1]
        risks = np.maximum(risks, events)
        return cls(tuple(events.tolist()), tuple(risks.tolist()), total, deviation, ends)

    @cached_property
    def hazards(self) -> tuple[Doubles, Doubles]:
        """The hazard of each period, and the variance of its logarithm.

        Of a random walk that noisy numbers of events are observed of: where noise is larger than
        what is counted, neighbours say it. Of its steps' deviations the one is taken under which
        the noisy numbers are likeliest (their density by Laplace's approximation): smooth hazards
        are smoothed more. None is further from its count than one deviation of the noise, for
        walks do not jump (limited translation: Efron and Morris 1972).

        Examples
        --------
        >>> life = LifeTable((100.0, 0.0), (1000.0, 20.0), 1000.0, 10.0, (Fraction(1), Fraction(2)))
        >>> hazards, variances = life.hazards
        >>> hazards.round(3).tolist(), variances.round(2).tolist()
        ([0.1, 0.1], [0.01, 0.05])
        """
        walks = [self._smoothed(_precision(len(self.events), _FIRST, step)) for step in _STEPS]
        _, hazards, variances = max(walks, key=lambda walk: walk[0])
        return hazards, variances

    def _smoothed(self, prior: Doubles) -> tuple[float, Doubles, Doubles]:
        """Return the log density of what was counted, hazards, and variances of logarithms."""
        events, place = np.array(self.events), np.arange(len(self.events))
        # as shares of their mean, in which no end is too large, and none too near to the next
        ends, mean = (Fraction(0), *map(Fraction, self.ends)), Fraction(self.ends[-1]) / len(events)
        widths = np.array([float((end - start) / mean) for start, end in pairwise(ends)])
        widths = np.maximum(widths, _NARROWEST)
        # of those at risk: variances in those of a count, as in `of`
        doubt = 2 * (len(events) - place) * (place + 1) / (len(events) + 1)
        risks = np.maximum(self.risks, max(2 * self.deviation, 1))
        share = (events.sum() + 1) * widths / (risks @ widths + 2 * widths.mean())
        walk = np.zeros(len(events))
        for _ in range(_HALVED):
            hazard = np.minimum(share * np.exp(walk), _SUREST)
            expected = risks * hazard
            noise = self.deviation**2 * (1 + hazard**2 * doubt)
            known = prior + np.diag(expected**2 / noise)
            lacking = np.clip(events / expected - 1, -2, 2)
            step = np.linalg.solve(known, (known - prior) @ lacking - prior @ walk)
            walk = np.clip(walk + step / 2, -9, 3)
        misses = float(((events - expected) ** 2 / noise).sum() + walk @ prior @ walk)
        volumes = np.linalg.slogdet(prior)[1] - np.linalg.slogdet(known)[1] - np.log(noise).sum()
        near = np.clip(expected, events - np.sqrt(noise), events + np.sqrt(noise))
        hazard = np.minimum(near / risks, _SUREST)
        return (float(volumes) - misses) / 2, hazard, np.diag(np.linalg.inv(known))

    @property
    def start(self) -> tuple[int, ...]:
        """The score of the event in each period, in parts."""
        scores = (round(PARTS * _score(hazard)) for hazard in self.hazards[0].tolist())
        return tuple(max(-_FURTHEST, min(_FURTHEST, score)) for score in scores)

    def moves(self, falls: list[float], deviation: float) -> list[int]:
        """Return how far the scores of each period move so that mean hazards are those counted.

        ``falls`` is by how much the mean survival falls in each period, times the number of
        persons, with noise of a deviation. What trees added to the hazards that were counted is a
        random walk that it is observed of. Trees have seen the records, too: where counts are
        noisy, the hazard is between both.
        """
        counted, variance = self.hazards
        prior, walk = _precision(len(falls), *_OF_TREES), np.zeros(len(falls))
        for _ in range(_HALVED):
            hazard = np.minimum(counted * np.exp(walk), _SUREST)
            still = np.cumprod(np.concatenate([[1.0], 1 - hazard]))[:-1]
            expected = max(self.known, 1.0) * still * hazard
            # its derivative: who falls earlier is not there later
            moved = np.diag(expected) - np.tril(np.outer(expected, hazard / (1 - hazard)), -1)
            seen = moved.T / deviation**2
            lacking = seen @ (np.array(falls) - expected)
            step = np.linalg.solve(prior + seen @ moved, lacking - prior @ walk)
            walk = np.clip(walk + step / 2, -3, 3)
        learned = np.minimum(counted * np.exp(walk), _SUREST)
        weight = _LEARNED**2 / (_LEARNED**2 + variance)
        wanted = learned * (counted / learned) ** weight
        pairs = zip(learned.tolist(), wanted.tolist(), strict=True)
        return [round(PARTS * (_score(new) - _score(old))) for old, new in pairs]


def _score(hazard: float) -> float:
    return hazard_score(hazard / (1 - hazard))


def _precision(size: int, first: float, step: float) -> Doubles:
    """Return the inverse covariance of a random walk from 0 with these deviations.

    Examples
    --------
    >>> _precision(2, 1.0, 0.5).tolist()
    [[5.0, -4.0], [-4.0, 4.0]]
    """
    steps = np.eye(size) - np.eye(size, k=-1)
    scale = np.array([first] + [step] * (size - 1))
    inverse: Doubles = steps.T @ np.diag(scale**-2.0) @ steps
    return inverse


# -- Coefficients of a regression that an analyst named, with intervals.


_MOST_TERMS = 2_000  # terms, in files
_LONGEST = 1_000  # of a text, in files


@dataclass(frozen=True)
class Coefficients:
    """A released logistic regression: log-odds of each term, the intercept first.

    Attributes
    ----------
    terms, units, references : tuple of str
        What a term is, what it is worth one of, and what it is compared with.
    values : tuple of float
        Log-odds.
    deviations : tuple of float
        Standard errors, of sampling and noise together; none where `printed` is false.
    printed : bool
        Whether the noise let intervals be given.

    Examples
    --------
    >>> terms = ("intercept", "age")
    >>> one = Coefficients(terms, ("", "20"), ("", "50"), (-1.0, 0.5), (0.1, 0.2), True)
    >>> one.intervals(0.95).round(2).tolist()
    [[-1.2, -0.8], [0.11, 0.89]]
    """

    terms: tuple[str, ...]
    units: tuple[str, ...]
    references: tuple[str, ...]
    values: tuple[float, ...]
    deviations: tuple[float, ...]
    printed: bool

    TYPE = "coefficients"

    def intervals(self, level: float) -> npt.NDArray[np.float64]:
        """Return the two ends of the interval of each term (rows); NaN where none is given."""
        middle = np.array(self.values)[:, None]
        if not self.printed:
            return np.full((len(self.values), 2), np.nan)
        far = NormalDist().inv_cdf((1 + level) / 2) * np.array(self.deviations)
        ends: npt.NDArray[np.float64] = middle + np.stack([-far, far], axis=1)
        return ends

    def to_dict(self) -> Json:
        """Return plain JSON."""
        named = ("terms", "units", "references", "values", "deviations")
        lists = {name: list(getattr(self, name)) for name in named}
        return {"type": self.TYPE, "printed": self.printed} | lists

    @classmethod
    def read(cls, data: Any) -> Self:
        """Read it back; it may be untrusted."""
        texts, numbers = ("terms", "units", "references"), ("values", "deviations")
        fields = Fields(data, (*texts, *numbers, "printed"))
        columns = {name: tuple(fields.items(name, _MOST_TERMS)) for name in (*texts, *numbers)}
        printed, size = fields.flag("printed"), len(columns["terms"])
        written = all(
            isinstance(text, str) and len(text) <= _LONGEST
            for name in texts
            for text in columns[name]
        )
        finite = all(
            type(value) in (int, float) and math.isfinite(value)
            for name in numbers
            for value in columns[name]
        )
        sizes = {name: size if printed or name != "deviations" else 0 for name in columns}
        fits = all(len(columns[name]) == sizes[name] for name in columns)
        if not (written and finite and fits and size):
            raise fields.refuse("terms", "texts and numbers, as many of each")
        return cls(**columns, printed=printed)
