"""Domains and dates: cells are converted totally, Python arrays strictly."""

from __future__ import annotations

import datetime as dt
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import littlestone as ls
from littlestone.data import (
    OUTSIDE,
    AnyDomain,
    Column,
    IntegerDomain,
    RowDomain,
    Sample,
    Schema,
    TextDomain,
    UserSample,
)
from littlestone.data import stored as places
from littlestone.data.domains import check_points, distinct
from littlestone.data.stored import Places, first_places
from littlestone.errors import DataError, ParameterError
from littlestone.source import ExactSource, ReplaySource, SeededSource, public_generator

from .counted import SCALARS

# -- Domains: cells are converted totally, Python arrays strictly, refusals name no value ----------

ROWS = Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn", "Rome"]}})
DOMAINS = [
    IntegerDomain(1, 99),
    IntegerDomain(-5, 2**1024),
    TextDomain(),
    AnyDomain(),
    RowDomain(ROWS),
]


@pytest.mark.parametrize("domain", DOMAINS, ids=repr)
@given(SCALARS)
def test_cells_are_total_and_deterministic(domain, raw):
    point = domain.cell(raw)
    assert point is OUTSIDE or hash(point) == hash(domain.cell(raw))
    assert domain.cell(raw) == point


@given(st.integers(-150, 150), st.sampled_from(["{}", " {} ", "{}.0", "{}e0", "+{}", "0{}"]))
def test_integers_in_any_writing(n, form):
    written = form.format(n)
    expected = n if -99 <= n <= 99 and not (n < 0 and form[0] in "+0") else OUTSIDE
    assert IntegerDomain(-99, 99).cell(written) == expected


@pytest.mark.parametrize(
    "odd",
    [2.5, "2.5", "x", '5"', "", None, float("nan"), float("inf"), "9" * 50, 100, -1, [3], b"\xff"],
)
def test_odd_cells_are_outside(odd):
    assert IntegerDomain(0, 99).cell(odd) is OUTSIDE


def test_integers_of_any_size():
    domain = IntegerDomain(-(2**60_000), 2**60_000)  # more digits than Python converts by itself
    assert domain.cell(2**60_000) == 2**60_000
    assert domain.cell(2**60_000 + 1) is OUTSIDE
    assert domain.cell("1" + "0" * 10_000) == 10**10_000
    assert domain.cell("1" + "0" * 10**6) is OUTSIDE
    assert repr(domain) == "IntegerDomain(-2**60000, 2**60000)"
    assert IntegerDomain(0, 2**64 - 1).rule == "an integer in [0, 2**64 - 1]"
    assert IntegerDomain(0, 10**30).rule == "an integer in [0, 10000000...(31 digits)]"


def test_layout_follows_from_the_public_bounds():
    assert IntegerDomain(0, 9).array([1, 2]).dtype == np.int64
    assert IntegerDomain(0, 2**64).array([1, 2]).dtype == object
    big = IntegerDomain(0, 2**64).array(np.array([2**63, 5], dtype=np.uint64))
    assert big.tolist() == [2**63, 5]


@pytest.mark.parametrize("low_high", [(2, 1), (0.5, 1), (True, 2), (0, 10**500_000)])
def test_bounds_are_checked(low_high):
    with pytest.raises(ParameterError, match="IntegerDomain"):
        IntegerDomain(*low_high)


@pytest.mark.parametrize(
    "X",
    [
        [5, 7],
        [[5], [7]],
        np.array([5, 7]),
        np.array([[5], [7]]),
        np.array([5.0, 7.0]),
        np.array(["5", " 7 "]),
        np.array([5, 7], dtype=np.uint64),
        np.array([5, 7], dtype=object),
        pd.Series([5, 7]),
        pd.DataFrame({"a": [5, 7]}),
        pl.Series([5, 7]),
        (5, 7.0),
    ],
    ids=lambda X: type(X).__name__,
)
def test_arrays_of_integers(X):
    points = IntegerDomain(1, 9).array(X, caller="fit")
    assert points.dtype == np.int64
    assert points.tolist() == [5, 7]


SECRET = 31337


@pytest.mark.parametrize(
    ("domain", "X", "rule"),
    [
        (IntegerDomain(1, 99), np.array([3, SECRET]), r"an integer in \[1, 99\]"),
        (IntegerDomain(1, 99), [3, f"x{SECRET}"], r"an integer in \[1, 99\]"),
        (IntegerDomain(1, 2**80), [3, SECRET + 0.5], r"2\*\*80"),
        (TextDomain(), ["a", None], "a text"),
        (AnyDomain(), [[SECRET, SECRET]], "A point must be"),
        (AnyDomain(), [float("nan")], "A point must be"),
    ],
)
def test_refusals_name_column_and_rule_only(domain, X, rule):
    with pytest.raises(DataError, match=rule) as refused:
        domain.array(X, caller="fit")
    error = refused.value
    assert str(SECRET) not in str(error)
    assert error.__cause__ is None
    assert error.__context__ is None


@pytest.mark.parametrize("X", [np.zeros((2, 2), int), np.zeros((1, 1, 1), int), 3])
def test_one_column_is_needed(X):
    with pytest.raises(ParameterError, match="one column"):
        IntegerDomain(0, 9).array(X, caller="fit")


def test_texts():
    assert TextDomain().array(np.array([" a", "b "])).tolist() == ["a", "b"]
    assert TextDomain().cell(3.0) == "3"
    assert TextDomain().cell("") is OUTSIDE


def test_any_hashable_keeps_one_form_of_equal_points():
    points = AnyDomain().array([("a", 1.0), ("a", True), None, b"x", np.str_("t"), 2**80])
    assert points.tolist() == [("a", 1), ("a", 1), None, b"x", "t", 2**80]
    assert AnyDomain().array([1, True, 1.0, np.int8(1)]).dtype == np.int64
    assert AnyDomain().array([["a"], ["b"]]).tolist() == ["a", "b"]
    assert AnyDomain().array(np.array([[3], [4]])).tolist() == [3, 4]
    assert AnyDomain().cell(3) == TextDomain().cell(3.0) == "3"


ROW_TABLES = [
    np.array([[44, "Bonn"], [None, "Rome"]], dtype=object),
    [[44.0, "Bonn"], [float("nan"), "Rome"]],
    pd.DataFrame({"city": ["Bonn", "Rome"], "more": [1, 2], "age": [44, None]}),
    pl.DataFrame({"city": ["Bonn", "Rome"], "age": [44, None]}),
]


@pytest.mark.parametrize("X", ROW_TABLES, ids=lambda X: type(X).__module__)
def test_rows(X):
    codes = RowDomain(ROWS).array(X, caller="fit")
    assert codes.dtype == np.int16
    assert codes.tolist() == [[3, 2], [0, 3]]


def test_a_row_is_a_mapping_or_a_sequence():
    domain = RowDomain(ROWS)
    assert domain.cell({"age": "x", "city": " Rome"}) == (1, 3)
    assert domain.cell(["61"]) == (4, 0)
    assert domain.cell(np.array([1.5, 2])) == (2, 1)
    assert domain.cell("Rome") is OUTSIDE
    with pytest.raises(ParameterError, match="2 columns"):
        domain.array(np.zeros((4, 3)), caller="fit")
    with pytest.raises(ParameterError, match="2-D"):
        domain.array(np.zeros(4), caller="fit")


def test_rows_of_any_width():
    domain = RowDomain(Schema.every_column([0.0]))
    codes = domain.array(np.array([[-1.5, 0.0, np.nan], [np.inf, -np.inf, 3.0]]), caller="fit")
    assert codes.tolist() == [[2, 3, 0], [3, 2, 3]]


def test_domains_are_values():
    assert IntegerDomain(1, 2) == IntegerDomain(1, 2) != IntegerDomain(1, 3)
    assert TextDomain() == TextDomain() != AnyDomain()
    assert RowDomain(ROWS) == RowDomain(Schema.from_dict(ROWS.to_dict()))
    assert len({IntegerDomain(1, 2), IntegerDomain(1, 2), TextDomain(), RowDomain(ROWS)}) == 3
    assert "age, city" in repr(RowDomain(ROWS))
    assert repr(OUTSIDE) == "OUTSIDE"


TYPED = Schema.from_dict(
    {"c": {"categories": ["3", "7", "true", "9007199254740993"]}, "b": {"bins": [2, 4]}}
)
ODD = (None, "a", 2.5, float("nan"), True, 3, 3.0, 2**53 + 1, 10**30, "3")


@pytest.mark.parametrize("usual", [3, 3.0, True, 2**53 + 1, "7"], ids=repr)
def test_one_odd_cell_changes_no_other_record(usual):
    """Replacing one record moves one row of codes, whatever types its cells have."""
    rows = [[usual, 3]] * 5
    alone = [RowDomain(TYPED).array([row]).tolist()[0] for row in rows]
    for odd in ODD:
        for record in ([odd, 3], [usual, odd], [odd, odd]):
            found = RowDomain(TYPED).array([*rows, record]).tolist()
            assert found[:5] == alone
            assert found[5] == RowDomain(TYPED).array([record]).tolist()[0]
            learner = ls.AgnosticLearner(ls.Rules(TYPED, 1), epsilon=1)
            read = learner._read_rows([*rows, record], reset=True)
            assert RowDomain(TYPED).array(read).tolist() == found


def test_the_check_notices_that_a_common_type_retypes_all_cells():
    long = 2**53 + 1
    common = np.asarray([[long], [None]], dtype=None), np.asarray([[long], [0.5]], dtype=None)
    schema = Schema.from_dict({"c": {"categories": [str(long)]}})
    assert len({tuple(RowDomain(schema).array(rows)[0]) for rows in common}) == 2


@pytest.mark.parametrize(
    ("domain", "points"),
    [
        (IntegerDomain(1, 9), np.array(["a", 3], dtype=object)),
        (TextDomain(), np.array([3, 4])),
        (TextDomain(), np.array(["a", 3], dtype=object)),
        (RowDomain(TYPED), np.array([[99, 0]])),
        (RowDomain(TYPED), np.array([0, 1])),
        (RowDomain(TYPED), np.array([[0, 1, 2]])),
    ],
)
def test_points_of_another_layout_are_refused(domain, points):
    with pytest.raises(DataError, match="fit"):
        check_points(domain, points, caller="fit")


@pytest.mark.parametrize(
    ("domain", "X"),
    [
        (IntegerDomain(1, 9), [3, 4]),
        (IntegerDomain(1, 2**80), [3, 2**79]),
        (TextDomain(), ["a", "b"]),
        (AnyDomain(), ["a", 3]),
        (RowDomain(TYPED), [["3", 1], [None, None]]),
    ],
)
def test_points_that_a_domain_stores_pass(domain, X):
    check_points(domain, domain.array(X, caller="fit"), caller="fit")


# -- the short ways of sorting points and groups give what the long ways give ----------------------


@pytest.mark.parametrize("bits", [1, 20, 40, 55, 58, 61])
@pytest.mark.parametrize("low", [0, -5, 2**40, -(2**61)])
def test_distinct_integers(bits, low):
    rng = public_generator(bits)
    for size in (1, 2, 50, 2000):
        values = low + rng.integers(0, 2**bits, size)
        values = np.concatenate([values, values[: size // 2]])
        keys, where = distinct(values)
        expected, at = np.unique(values, return_inverse=True)
        assert keys.tolist() == expected.tolist()
        assert where.tolist() == at.tolist()


@pytest.mark.parametrize("most", [1, 3])
@pytest.mark.parametrize("width", [4, 2**61])
def test_merge(most, width):
    rng = public_generator(most)
    for size in (1, 5, 300):
        user, label = rng.integers(0, 9, size), rng.integers(0, 2, size)
        point, count = rng.integers(-1, width, size), rng.integers(1, most + 1, size)
        expected = Counter()
        for one in zip(user.tolist(), point.tolist(), label.tolist(), count.tolist(), strict=True):
            expected[one[:3]] += one[3]
        names = np.arange(9, dtype=np.uint64)
        merged = UserSample(np.arange(1), user, point, label, count, names).merged()
        keys = (merged.user, merged.point, merged.code)
        found = list(zip(*(key.tolist() for key in keys), strict=True))
        assert found == sorted(expected)
        assert merged.count.tolist() == [expected[key] for key in found]


def test_a_user_may_have_no_records():
    one = UserSample.of(["a", "c"], [3, 4], [1, 1])
    keys = np.concatenate([one.keys, one.keys[:1] + np.uint64(1)])
    three = UserSample(one.points, np.array([0, 2]), one.point, one.code, one.count, keys)
    assert three.records.tolist() == [1, 0, 1]
    assert three.bound_contributions(1, salt=3).records.tolist() == [1, 0, 1]


# -- the first places of a permutation: those of the permutation itself, for the same bits ---------


def listed(found, n):
    return np.flatnonzero(np.diff(found.before(np.arange(n + 1)))).tolist()


@pytest.mark.first(3)
@pytest.mark.parametrize("n", [1, 2, 64, 65, 130])
@pytest.mark.parametrize("room", [1, 40, 1 << 25])
def test_equal_seeds_find_equal_places(n, room, monkeypatch):
    """Also where keys are sorted a few at a time, and drawn in several pieces."""
    monkeypatch.setattr(places, "_PIECE", 128)
    for first in sorted({1, n // 3 or 1, n}):
        one, other = SeededSource(n), SeededSource(n)
        found = Places(places._smallest(one.random_bytes, n, first, room))
        assert listed(found, n) == sorted(other.permutation(n)[:first].tolist())
        assert one.below(2**60) == other.below(2**60)


@pytest.mark.parametrize("room", [1, 1 << 25])
def test_equal_keys_are_drawn_anew(room):
    """Anywhere: also behind the places that are asked for."""
    rounds = iter([[5, 2**63, 2**63, 1], [3, 3, 2**40, 9], [7, 2**50, 1, 2**60]])

    def draw(k):
        return np.array(next(rounds), dtype=np.uint64).tobytes()

    assert places._smallest(draw, 4, 2, room) is None
    assert places._smallest(draw, 4, 2, room) is None
    assert listed(Places(places._smallest(draw, 4, 2, room)), 4) == [0, 2]


def test_other_sources_say_the_permutation():
    source = ReplaySource([])
    assert listed(first_places(source, 70, 66), 70) == list(range(66))
    assert source.presented == [("permutation", 70)]
    law = ExactSource().law(lambda s: tuple(listed(first_places(s, 3, 2), 3)))
    assert list(law.outcomes) == [(0, 1)]


def test_every_set_is_equally_likely():
    """Six pairs of four places, 6,000 times: chi-squared with 5 degrees, far in the tail."""
    source, counts = SeededSource(5), {}
    for _ in range(6000):
        pair = tuple(listed(first_places(source, 4, 2), 4))
        counts[pair] = counts.get(pair, 0) + 1
    assert len(counts) == 6
    assert sum((c - 1000) ** 2 / 1000 for c in counts.values()) < 25


def test_what_stands_before_is_counted():
    chosen = np.array([0, 63, 64, 127, 128, 191])
    found = Places.of(chosen, 192)
    ends = np.arange(193)
    assert found.before(ends).tolist() == [int((chosen < end).sum()) for end in ends]


# -- Domains of more than 62 bits: numbers that are converted at once, and one by one, agree -------

LONG_DOMAINS = [
    IntegerDomain(0, 2**64 - 1),
    IntegerDomain(-(2**63), 9),
    IntegerDomain(2**62, 2**80),
]


def test_arrays():
    domain = LONG_DOMAINS[0]
    x = np.array([2**64 - 1, 5, 2**64 - 1, 0], dtype=np.uint64)
    sample = Sample.from_arrays(x, [1, 0, 1, 0], domain)
    assert sample.points.tolist() == [0, 5, 2**64 - 1]
    assert [type(point) for point in sample.points.tolist()] == [int] * 3
    assert sample.ones.tolist() == [0, 0, 2]
    with pytest.raises(DataError, match="integer in"):
        Sample.from_arrays(np.array([-1]), [0], domain)
    with pytest.raises(DataError, match="integer in"):
        Sample.from_arrays(x, [0] * 4, IntegerDomain(0, 2**63))


@pytest.mark.parametrize(
    "points",
    [[2**63, 3, 2**63], [2**64, 3, 3], [-1, 2**63], [True, 2**63, 1], ["a", 2**63], [5, 5]],
)
def test_distinct_objects(points):
    held = np.empty(len(points), dtype=object)
    held[:] = points
    keys, where = distinct(held)
    assert keys[where].tolist() == points
    assert len(set(keys.tolist())) == len(keys) == len(set(points))


# -- Columns of dates, against Python's own datetime; every engine reads them alike ----------------

MOMENTS = st.datetimes(dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59))
CUTS = [dt.datetime(1970, 1, 1), dt.datetime(2020, 2, 29, 12), dt.datetime(2021, 1, 1)]
#: What each part of a moment is, by the standard library.
PART = {
    "year": lambda m: m.year,
    "quarter": lambda m: -(-m.month // 3),
    "month": lambda m: m.month,
    "weekday": lambda m: m.isocalendar().weekday,
    "hour": lambda m: m.hour,
}
BINS = {"year": [1970, 2020], "month": [4, 11]}


def columns():
    for by in PART:
        yield by, Column.dates("d", BINS.get(by), by=by)
    yield "date", Column.dates("d", [str(cut) for cut in CUTS])


def expected(by, column, moment):
    if by == "date":
        return 2 + sum(moment >= cut for cut in CUTS)
    edges = (
        BINS.get(by) or {"quarter": range(2, 5), "weekday": range(2, 8), "hour": range(1, 24)}[by]
    )
    return 2 + sum(PART[by](moment) >= edge for edge in edges)


@given(MOMENTS)
def test_codes_are_those_of_the_standard_library(moment):
    moment = moment.replace(microsecond=0)
    for by, column in columns():
        code = expected(by, column, moment)
        for written in (moment, moment.isoformat(), f" {moment} ", f"{moment}.25", f"{moment}Z"):
            assert column.code(written) == code
        form = "%H h %M:%S, %d/%m/%Y"
        bins = None if by in ("quarter", "weekday", "hour") else column.to_dict()["bins"]
        told = Column.dates("d", bins, by=by, form=form)
        assert told.code(f"{moment:%H h %M:%S, %d/%m/}{moment.year:04}") == code


@given(st.text("0123456789-: TZ.+", max_size=20))
def test_what_is_no_date_is_other(cell):
    column = Column.dates("d", ["2020-01-01"])
    try:
        moment = dt.datetime.fromisoformat(cell.strip())
    except ValueError:
        moment = None
    if column.code(cell) > 1:
        assert moment is not None
    elif not cell.strip():
        assert column.code(cell) == 0
    elif moment is not None:  # the standard library reads more forms: weeks, 20200101
        assert not column.calendar._pattern.fullmatch(cell.strip()) or moment.year == 0


@pytest.mark.parametrize("cell", ["2021-02-29", "2020-13-01", "0000-01-01", "20200101", 5, "x"])
def test_odd_cells(cell):
    assert Column.dates("d", ["2020-01-01"]).code(cell) == Column.OTHER
    assert Column.dates("d", by="hour").code("2020-01-01") == Column.OTHER


def test_cuts_out_of_order_are_named_as_dates():
    for cuts in (["2021-01-01", "2020-01-01"], ["2020-01-01", "2020-01-01"]):
        with pytest.raises(ParameterError, match="each later than the one before") as caught:
            Column.dates("admitted", cuts)
        assert "2020-01-01" in str(caught.value)
        assert "637" not in str(caught.value)  # seconds since the year 1


def test_a_schema_describes_them_and_is_written_back(tmp_path):
    path = tmp_path / "s.toml"
    path.write_text(
        '[d]\ntype = "date"\nbins = [2020-01-01, "2020-06-01 12:30"]\nformat = "%d.%m.%Y"\n'
        'missing = ["?"]\n[e]\ntype = "date"\nby = "month"\n'
        '[f]\ntype = "date"\nby = "year"\nintegers = [1990, 1993]\n'
    )
    schema = Schema.from_toml(path)
    assert [lit.text for lit in schema["d"].literals(0)] == [
        *("d >= 2020-01-01", "d < 2020-01-01", "d >= 2020-06-01 12:30", "d < 2020-06-01 12:30")
    ]
    assert schema["d"].code("?") == 0
    assert schema["e"].describe(schema["e"].code("2020-05-17")) == "month of e is May"
    assert schema["f"].to_dict()["bins"] == [1991, 1992, 1993]
    path.write_text(schema.to_toml())
    assert Schema.from_toml(path) == schema == Schema.from_list(schema.to_list())


@pytest.mark.parametrize(
    "entry",
    [
        *(
            {"type": "day", "bins": ["2020-01-01"]},
            {"type": "date"},
            {"type": "date", "by": "year"},
        ),
        *({"type": "date", "bins": ["31.1.2020"]}, {"type": "date", "by": "week"}),
        *({"type": "date", "by": "month", "bins": [13]}, {"type": "date", "by": ["month"]}),
        *({"type": "date", "by": "month", "format": "%B %Y"}, {"by": "month"}),
        *({"type": "date", "bins": ["2020-01-01"], "format": "%d.%m"}, {"type": "date", "bins": 3}),
        *({"type": "date", "bins": ["2021-01-01", "2020-01-01"]},),
        *({"type": "date", "categories": ["2020-01-01"]},),
    ],
)
def test_what_describes_no_dates(entry):
    with pytest.raises(ParameterError):
        Schema.from_dict({"d": entry})
