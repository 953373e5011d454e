"""Draws at the edges of 64 bits, each compared with its reference: a case is a domain and records.

`KINDS` has one check for each class, mechanism and way to count users; `LEARNERS` one whole fit for
each learner. Both take a `Case`, which `spots` and `case_of` make of a few small integers, so that
a property test and a program of random fits choose in the same way.
"""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from fractions import Fraction
from math import comb
from typing import NamedTuple

import numpy as np
from scenarios import keep_stored

import littlestone as ls
from littlestone.classes import AlwaysZero
from littlestone.data import Sample, UserSample
from littlestone.data.domains import Itself
from littlestone.data.sample import Batch
from littlestone.data.stored import OnLine, Stored, StoredUsers
from littlestone.learners.users.scores import BlockErrors, ThresholdErrors, point_errors
from littlestone.mechanisms.median import (
    Chain,
    Ordered,
    RankExponential,
    RankWindow,
    TreeEM,
    one_shot_path,
)
from littlestone.papers.li_wang_ye import IntervalMedian
from littlestone.source import LeveledChoice, StreamedRuns

from . import reference
from .laws import asked, check_choice, check_line, check_nodes, check_weights, drawn

POWERS = (7, 8, 15, 16, 31, 32, 52, 53, 62, 63, 64, 65, 66, 127, 128, 4096)
SHAPES = ("from one", "from zero", "both sides", "around", "below", "far")
RATES = (Fraction(1, 2), Fraction(1), Fraction(1, 10))


class Case(NamedTuple):
    """Records (x, y) in the integers from low to high."""

    low: int
    high: int
    records: list[tuple[int, int]]
    rate: Fraction
    power: int

    @property
    def xs(self):
        return [x for x, _ in self.records]

    @property
    def size(self):
        return self.high - self.low + 1

    def moved(self, by):
        """The same records, elsewhere."""
        records = [(x + by, y) for x, y in self.records]
        return self._replace(low=self.low + by, high=self.high + by, records=records)


def domain_of(power, shape):
    """A domain at the edge of so many bits."""
    edge = 2**power
    return {
        "from one": (1, edge),
        "from zero": (0, edge - 1),
        "both sides": (-edge, edge),
        "around": (edge - 5, edge + 5),
        "below": (-edge - 1, edge // 2),
        "far": (edge, 2 * edge + 1),
    }[shape]


def spots(low, high):
    """Where the records of a domain lie: its ends, its centre, and edges of words."""
    middle = (low + high) // 2
    near = [low, low + 1, high - 1, high, middle - 1, middle, middle + 1]
    near += [sign * 2**k + d for k in POWERS for d in (-1, 0, 1) for sign in (1, -1)]
    return sorted({x for x in near if low <= x <= high})


def case_of(power, shape, picks, rate):
    """A case; picks are pairs of a large integer, which chooses a spot, and a label."""
    low, high = domain_of(power, shape)
    found = spots(low, high)
    # half of them at the ends and around the centre, where the largest groups begin
    core = [low, high, (low + high) // 2, (low + high) // 2 + 1]
    records = [
        ((found if i % 2 else core)[i // 2 % len(found if i % 2 else core)], y) for i, y in picks
    ]
    return Case(low, high, records, rate, power)


# -- samples ---------------------------------------------------------------------------------------


def in_memory(case, cls):
    return ls.data.Sample.of(
        cls.domain.store([x for x, _ in case.records]), [y for _, y in case.records]
    )


class TwoAtATime(Stored):
    """A stored sample that comes in batches of two points."""

    def batches(self, line=None):
        for points, counts in super().batches(line):
            for i in range(0, len(points), 2):
                yield Batch(points[i : i + 2], counts[:, i : i + 2])


def streamed(records, line=None):
    """The same records, two points at a time from the disk."""
    points, labels = zip(*records, strict=True) if records else ((), ())
    plain = Sample.of(np.array(points, dtype=np.int64), np.array(labels, dtype=np.int64))
    sample = keep_stored(plain, OnLine(Itself(2**62)), TwoAtATime)
    if line is not None:
        sample.__dict__["layout"] = OnLine(line)
    return sample


def samples(case, cls):
    """In memory, and streamed where the domain is."""
    yield in_memory(case, cls)
    if cls.domain.line is not None:
        yield streamed(case.records)


# -- classes ---------------------------------------------------------------------------------------


def thresholds(case):
    cls = ls.Thresholds(case.low, case.high)
    runs = reference.thresholds(case.low, case.high, case.records)
    for sample in samples(case, cls):
        choice = cls.candidates(sample)
        assert choice.size == case.size + 1
        check_line(lambda s, c=choice: c.draw(case.rate, s), runs, case.rate, lambda h: h.above)


def points(case):
    cls = ls.Points(case.low, case.high)
    runs = reference.points(case.low, case.high, case.records)

    def number(h):
        return case.low - 1 if isinstance(h, AlwaysZero) else h.point

    for sample in samples(case, cls):
        choice = cls.candidates(sample)
        check_line(lambda s, c=choice: c.draw(case.rate, s), runs, case.rate, number)


def intervals(case):
    cls, low, high, rate = ls.Intervals(case.low, case.high), case.low, case.high, case.rate
    xs = sorted(set(case.xs))
    before = [x - y for x, y in zip(xs, [low - 1, *xs], strict=False)]
    after = [y - x for x, y in zip(xs, [*xs[1:], high + 1], strict=False)]
    score = reference.interval_score
    gaps = [b - a - 1 for a, b in zip([low - 1, *xs], [*xs, high + 1], strict=True)]
    pointless = 1 + sum(gap * (gap + 1) // 2 for gap in gaps)
    ending = [
        n
        * sum(
            m * reference.power(rate, score((a, b), case.records))
            for m, a in zip(before, xs, strict=True)
            if a <= b
        )
        for n, b in zip(after, xs, strict=True)
    ]
    expected = [pointless * reference.power(rate, score(None, case.records)), *ending]
    for sample in samples(case, cls):
        choice = cls.candidates(sample)

        def draw(source, choice=choice):
            return choice.draw(rate, source)

        check_weights(asked(draw), expected)
        assert asked(draw, 0) == pointless
        for number in sorted({0, 1 % pointless, pointless // 2, pointless - 1}):
            h = drawn(draw, 0, number)
            pair = None if isinstance(h, AlwaysZero) else (h.first, h.last)
            assert reference.pair_number(low, xs, pair) == number
            assert pair is None or (low <= pair[0] <= pair[1] <= high)
            assert pair is None or not any(pair[0] <= x <= pair[1] for x in xs)
        for j in {1, len(xs)} if xs else ():
            assert asked(draw, j) == after[j - 1]
            for place in {0, after[j - 1] - 1}:
                lefts = [
                    (x - m + 1, x, score((x, xs[j - 1]), case.records))
                    for x, m in zip(xs[:j], before, strict=False)
                ]

                def left(source, j=j, place=place):
                    source.answers[:0] = [j, place]
                    found = draw(source)
                    assert found.last == xs[j - 1] + place
                    del source.asked[:2]
                    return found.first

                check_line(left, lefts, rate)


def sparse(case):
    """At most two points: how many of the sample, how many others, and which."""
    cls = ls.SparseSets(2, case.low, case.high)
    choice = cls.candidates(in_memory(case, cls))
    xs = sorted(set(case.xs))
    free = case.size - len(xs)
    gain = {x: sum(2 * y - 1 for z, y in case.records if z == x) for x in xs}
    e = [reference.power(case.rate, gain[x]) for x in xs]
    sums = [1, sum(e), sum(a * b for i, a in enumerate(e) for b in e[:i])]
    cells = [
        (r, others)
        for r in range(min(2, len(xs), case.size) + 1)
        for others in range(min(2 - r, free) + 1)
    ]

    def draw(source):
        return choice.draw(case.rate, source)

    assert choice.size == sum(comb(case.size, r) for r in range(3))
    check_weights(asked(draw), [sums[r] * comb(free, others) for r, others in cells])
    for i, (r, others) in enumerate(cells):
        total = comb(free, others)
        assert asked(draw, i) == total
        found = set()
        for rank in sorted({0, total // 2, total - 1}):
            h = drawn(draw, i, rank, *reversed(range(r)))
            names = getattr(h, "points", [h.point] if hasattr(h, "point") else [])
            assert len(set(names)) == r + others
            assert all(case.low <= x <= case.high for x in names)
            assert sum(x in gain for x in names) == r
            found.add(frozenset(names))
        assert len(found) == len({0, total // 2, total - 1})


def prefixes(case):
    """Codes of as many bits as the edge has; networks of 128 are among them."""
    length = min(case.power, 160)
    for alphabet in ("01", "abc"):
        bits, base = (1, 2) if alphabet == "01" else (2, 3)
        records = []
        for x, y in case.records:
            digits = [x >> i & 1 for i in range(length)]
            records.append((digits[: length - abs(x) % 3], y))
        cls = ls.Prefixes(alphabet, length)

        def code(digits, bits=bits):
            found = 1
            for digit in digits:
                found = found << bits | digit
            return found

        coded = cls.domain.store([code(v) for v, _ in records])
        known = [ls.data.Sample.of(coded, [y for _, y in records])]
        if cls.domain.line is not None:
            keyed = zip(cls.domain.line.keys(coded).tolist(), [y for _, y in records], strict=True)
            known.append(streamed(list(keyed), cls.domain.line))
        runs = reference.prefixes(base, length, records)
        nodes = reference.subtree(base, length)

        def number(h, bits=bits, base=base, nodes=nodes):
            if isinstance(h, AlwaysZero):
                return nodes
            size = (h.prefix.bit_length() - 1) // bits
            mask = (1 << bits) - 1
            digits = [h.prefix >> bits * i & mask for i in reversed(range(size))]
            return reference.rank_of(base, length, digits)

        for sample in known:
            choice = cls.candidates(sample)
            check_line(lambda s, c=choice: c.draw(case.rate, s), runs, case.rate, number)


# -- mechanisms ------------------------------------------------------------------------------------

MIDDLE = (Fraction(1, 3), Fraction(2, 3))
DELTA = Fraction(1, 10**6)


def medians(case):
    """The exponential mechanism on ranks; all runs, or a few at a time. Some values lie outside."""
    window = RankWindow.of(MIDDLE)
    values = Ordered.read([*case.xs, case.low - 1, case.high + 2**64], case.low, case.high)
    offsets = [*(x - case.low for x in case.xs), 0, case.size - 1]
    runs = reference.ranks(case.size, offsets, MIDDLE)
    mechanism = RankExponential(case.size, window, 2 * case.rate)
    check_line(lambda s: mechanism.draw(values, s), runs, case.rate)
    pieces = StreamedRuns(lambda: mechanism.pieces(values, most=2), case.size)
    check_line(lambda s: pieces.draw(case.rate, s), runs, case.rate)


def trees(case):
    """The exponential mechanism on the nodes of a tree."""
    window = RankWindow.of(MIDDLE)
    height = (case.size - 1).bit_length()
    values = Ordered.read(case.xs, case.low, case.high)
    mechanism = TreeEM(height, window, 2 * case.rate, DELTA)
    nodes = reference.tree_nodes(height, [x - case.low for x in case.xs], MIDDLE)
    nodes = [(min(z, case.size - 1), score) for z, score in nodes]
    bottom = height * reference.power(case.rate, 1) * (1 - DELTA) / DELTA
    check_nodes(lambda s: mechanism.draw(values, s), nodes, bottom, case.rate)


def paths(case):
    """One draw over the nodes of a chain, with bottom."""
    ends, depth, rate = [x - case.low for x in case.xs], case.size - 1, case.rate
    for reserve in (0, 1):
        runs = reference.chain(ends, reserve)

        def draw(source, reserve=reserve):
            return one_shot_path(
                ends, Chain(), max_depth=depth, epsilon=2 * rate, delta=DELTA,
                source=source, reserve=reserve,
            )  # fmt: skip

        by_level = reference.levels(runs)
        bottom = depth * reference.power(rate, 1) * (1 - DELTA) / DELTA
        check_weights(
            asked(draw),
            [bottom, *(reference.count(r) * reference.power(rate, s) for s, r in by_level)],
        )
        assert drawn(draw, 0) is None
        for level, (_, found) in enumerate(by_level, 1):
            assert asked(draw, level) == reference.count(found)
            names = [drawn(draw, level, place) for place in reference.edges(found)]
            assert len(set(names)) == len(names)
            assert all(any(a <= name <= b for a, b in found) for name in names)


# -- users -----------------------------------------------------------------------------------------


def _users(case):
    """Three users, the first of whom has every other record."""
    who = [0 if i % 2 else 1 + i // 2 % 2 for i in range(len(case.records))]
    lists = [[r for r, u in zip(case.records, who, strict=True) if u == i] for i in range(3)]
    domain = ls.Thresholds(case.low, case.high).domain
    present = [i for i in range(3) if lists[i]]

    def sample(chosen):
        flat = [(i, x, y) for i in chosen for x, y in lists[i]]
        columns = list(zip(*flat, strict=True)) or [[], [], []]
        return UserSample.of(list(columns[0]), domain.store(list(columns[1])), list(columns[2]))

    whole = sample(present)
    blocks = [sample([i]) for i in present] or [whole]
    return [lists[i] for i in present], whole, StoredUsers(whole.keys, lambda: iter(blocks))


def users(case):
    """Clipped errors of thresholds and points, users together or in blocks; a user's median."""
    low, high, rate = case.low, case.high, case.rate
    lists, whole, streamed_users = _users(case)

    def errors(block):
        return ThresholdErrors(low, high, block)

    for t, width in ((0, 1), (1, 2)):
        runs = reference.clipped(low, high, lists, t, width)
        for made in (errors(whole), BlockErrors(streamed_users, errors)):
            check_line(
                lambda s, e=made, t=t, w=width: e.draw(t, rate, s, width=w),
                runs, -rate, lambda h: h.above,
            )  # fmt: skip
        runs = reference.clipped_points(low, high, lists, t, width)

        def number(h):
            return high + 1 if isinstance(h, AlwaysZero) else h.point

        of_points = point_errors((low, high), whole)
        check_line(
            lambda s, e=of_points, t=t, w=width: e.draw(t, rate, s, width=w), runs, -rate, number
        )
    median = IntervalMedian(3, Fraction(1, 2), 2 * rate)
    middle = (low + high) // 2
    for a, b in ((low, high), (middle, high), (low, middle)):
        for some in (whole, streamed_users):
            runs = reference.user_medians(a, b, lists, median.s)
            check_line(lambda s, u=some, a=a, b=b: median.draw(u, a, b, s), runs, -rate)


KINDS = {
    kind.__name__: kind
    for kind in (
        thresholds,
        points,
        intervals,
        sparse,
        prefixes,
        medians,
        trees,
        paths,
        users,
    )
}


# -- learners --------------------------------------------------------------------------------------


@contextmanager
def watched():
    """Compare every draw by level that is made inside with sums of Python's integers."""
    original = LeveledChoice.draw

    def draw(self, rate, source):
        check_choice(self, rate)
        return original(self, rate, source)

    LeveledChoice.draw = draw
    try:
        yield
    finally:
        LeveledChoice.draw = original


def _fit(make):
    def fitted(case, cls, seed):
        model = make(cls, seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit([[x] for x in case.xs], [y for _, y in case.records])
        return model.predict([[x] for x in case.xs]).tolist()

    return fitted


def _users_fit(method):
    def fitted(case, cls, seed):
        model = ls.UserAgnosticLearner(
            cls, epsilon=1, samples_per_user=2, method=method, alpha=0.4, random_state=seed
        )
        groups = [f"u{i % 4}" for i in range(len(case.records))]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit([[x] for x in case.xs], [y for _, y in case.records], groups=groups)
        return model.predict([[x] for x in case.xs]).tolist()

    return fitted


def _online(case, cls, seed):
    model = ls.OnlineLearner(cls, epsilon=1, delta=1e-6, horizon=1000, random_state=seed)
    for x, y in case.records:
        model.learn_one(x, y)
    return model.predict([[x] for x in case.xs]).tolist()


BOTH = {"epsilon": 1, "delta": 1e-6}
#: For each learner: its classes, and a fit that returns predictions.
LEARNERS = {
    "generic": ("tips", _fit(lambda c, s: ls.GenericLearner(c, epsilon=1, random_state=s))),
    "agnostic": ("tips", _fit(lambda c, s: ls.AgnosticLearner(c, epsilon=1, random_state=s))),
    "vc1": ("tp", _fit(lambda c, s: ls.VC1Learner(c, **BOTH, random_state=s))),
    "littlestone": (
        "p", _fit(lambda c, s: ls.theory.LittlestoneLearner(c, **BOTH, random_state=s)),
    ),
    "two samples": (
        "tip",
        _fit(
            lambda c, s: ls.theory.AgnosticFromRealizable(
                ls.GenericLearner(c, epsilon=1), epsilon=1, random_state=s
            )
        ),
    ),
    **{
        f"users {method}": ("tp", _users_fit(method))
        for method in ("one-record", "group-privacy", "user-level")
    },
    "online": ("tip", _online),
}  # fmt: skip
CLASSES = {
    "t": ls.Thresholds,
    "i": ls.Intervals,
    "p": ls.Points,
    "s": lambda low, high: ls.SparseSets(2, low, high),
}


def learner(name, case, seed=0):
    """Fit a learner here and elsewhere: nothing but the names of the points may differ.

    Points and sets of points may be represented by hashing, which knows them by their names.
    """
    if not case.records:
        return  # refused: there must be a record
    letters, fit = LEARNERS[name]
    for letter in letters:
        with watched():
            here = fit(case, CLASSES[letter](case.low, case.high), seed)
            for by in (-case.low, 2**64 - case.high) if letter in "ti" else ():
                there = case.moved(by)
                assert fit(there, CLASSES[letter](there.low, there.high), seed) == here
