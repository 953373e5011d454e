"""The public rules for one cell; the example data set; changed files are noticed."""

from __future__ import annotations

import datetime as dt
import io
import math
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.console import Console

from littlestone.cli import terminal
from littlestone.data import OUTSIDE, IntegerDomain, RowDomain, Sample, Schema, read_points
from littlestone.data.cells import (
    MAX_DIGITS,
    MAX_LENGTH,
    Match,
    check_labels,
    digits,
    number,
    spellings,
    text,
    user_name,
)
from littlestone.data.containers import watched
from littlestone.errors import ParameterError

from .counted import SCALARS

# -- The public rules for one cell: total, deterministic, exact, and the same for equal values -----

NUMERALS = st.from_regex(r"\A ?[+-]?[0-9]{0,25}\.?[0-9]{0,25}([eE][+-]?[0-9]{1,3})?[ \t]?\Z")


@given(SCALARS)
def test_text_is_total_and_deterministic(raw):
    written = text(raw)
    assert written is None or (isinstance(written, str) and written)
    assert text(raw) == written


class Evil:
    """An object whose own methods all raise."""

    def _raise(self, *args):
        raise RuntimeError("Jane Roe")

    __str__ = __repr__ = __eq__ = __hash__ = __bool__ = __float__ = __int__ = __len__ = _raise
    __class__ = property(_raise)


class EvilInt(int):
    __int__ = __index__ = bit_length = __eq__ = Evil._raise
    __hash__ = int.__hash__


class EvilFloat(float):
    __float__ = is_integer = __repr__ = Evil._raise


class EvilText(str):
    __slots__ = ()
    strip = encode = isascii = __len__ = __str__ = Evil._raise


class EvilZone(dt.tzinfo):
    utcoffset = dst = tzname = Evil._raise


ANYTHING = st.one_of(
    SCALARS,
    st.text(st.characters(exclude_categories=())),  # with surrogates
    st.timedeltas(),
    st.times(),
    st.complex_numbers(),
    st.integers(-(2**63), 2**63 - 1).map(lambda v: np.timedelta64(v, "us")),
    st.builds(np.datetime64, st.integers(-(2**63), 2**63 - 1), st.sampled_from(["Y", "s", "us"])),
    st.builds(pd.Timedelta, st.integers(0, 9)),
    st.builds(pd.Period, st.just("2020")),
    st.builds(np.longdouble, st.integers()),
    st.builds(np.str_, st.text()),
    st.builds(memoryview, st.binary()),
    st.builds(Evil),
    st.builds(EvilInt, st.integers()),
    st.builds(EvilFloat, st.floats()),
    st.builds(EvilText, st.text()),
    st.builds(lambda: dt.datetime(2020, 1, 1, tzinfo=EvilZone())),
    st.from_type(type),
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(ANYTHING)
def test_every_object_is_a_cell(raw):
    written = text(raw)
    assert written is None or (type(written) is str and 0 < len(written) <= MAX_LENGTH)
    assert pa.array([written], pa.large_string()).to_pylist() == [written]
    assert user_name(raw) == (written if written is None else user_name(written))
    assert Match(1)(raw) in (False, True)
    assert IntegerDomain(0, 9).cell(raw) in (OUTSIDE, *range(10))


def test_a_long_text_is_missing():
    longest = "a" * MAX_LENGTH
    assert text(f" {longest} ") == longest
    assert text(longest.encode()) == longest
    for long in (longest + "a", (longest + "a").encode(), "9" * 10**6, 10**MAX_LENGTH):
        assert text(long) is None
    domain = IntegerDomain(0, 10**70_000)  # its own bound is longer
    assert domain.cell("1" + "0" * 70_000) == 10**70_000
    assert domain.cell("2" + "0" * 70_000) is OUTSIDE


@given(st.one_of(st.text(), NUMERALS))
def test_number_is_total_and_deterministic(cell):
    value = number(cell)
    assert value is None or type(value) in (int, float)
    again = number(cell)
    assert value == again or (math.isnan(value) and math.isnan(again))


@given(NUMERALS)
def test_number_is_what_the_text_says(cell):
    """Compare with exact rational arithmetic."""
    try:
        exact = Fraction(cell.strip(" \t\n\r\v\f"))
    except ValueError:
        exact = None
    value = number(cell)
    if exact is None:
        assert value is None
    elif exact.denominator == 1:
        assert type(value) is int
        assert value == exact
    else:
        assert type(value) is float
        assert value == float(cell)


@given(
    st.one_of(
        st.integers(), st.floats(allow_nan=False), st.booleans(), st.decimals(allow_nan=False)
    )
)
def test_a_number_survives_being_written(raw):
    value = number(text(raw))
    assert value == raw or value == float(raw)


@given(st.integers(-(10**18), 10**18))
def test_equal_numbers_are_written_equally(n):
    forms = {text(n), text(Decimal(n)), text(np.int64(n)), text(Fraction(n)), text(f" {n}\t")}
    if float(n) == n:
        forms |= {text(float(n)), text(np.float64(n)), text(Decimal(n).scaleb(3).scaleb(-3))}
    assert forms == {str(n)}


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_decimal_and_its_equal_float_are_written_equally(x):
    assert text(Decimal(x)) == text(x)


@pytest.mark.parametrize(
    ("raw", "written"),
    [
        (None, None),
        (float("nan"), None),
        (Decimal("NaN"), None),
        (Decimal("sNaN"), None),
        (pd.NA, None),
        (pd.NaT, None),
        (np.datetime64("NaT"), None),
        ("", None),
        (" \t", None),
        ("\u00a0", "\u00a0"),  # only ASCII white space is stripped
        (True, "true"),
        (np.False_, "false"),
        (-0.0, "0"),
        (1e23, str(int(1e23))),
        (float("-inf"), "-inf"),
        (Decimal("1.50"), "1.5"),
        (Decimal("1E+999999999"), "inf"),
        (Fraction(1, 4), "0.25"),
        (Fraction(10**400, 3), "inf"),
        (Fraction(-(10**400), 3), "-inf"),
        (b" \xffa", "\ufffda"),
        (dt.date(2020, 1, 2), "2020-01-02"),
        (dt.datetime(2020, 1, 2, 3, 4, 5, 500_000), "2020-01-02 03:04:05.5"),
        (np.datetime64("2020-01-02T03:04:05.500000000"), "2020-01-02 03:04:05.5"),
        (pd.Timestamp("2020-01-02 03:04:05.5"), "2020-01-02 03:04:05.5"),
        (dt.time(3, 4), "03:04:00"),
        (dt.timedelta(5), None),
        (np.timedelta64(5, "s"), None),
        (np.datetime64(2**62, "s"), None),
        (np.datetime64("2020"), "2020"),
        ("a\ud800", "a" + "\ufffd" * 3),  # as the same bytes in a file
        ([1], None),
        ({}, None),
        (object(), None),
        (1j, None),
    ],
)
def test_text(raw, written):
    assert text(raw) == written


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("007", 7),
        ("-0", 0),
        ("5.", 5),
        (".5", 0.5),
        ("1e3", 1000),
        ("12e-1", 1.2),
        ("120e-1", 12),
        ("True", 1),
        ("FALSE", 0),
        ("-Infinity", -math.inf),
        ("9" * 30, 10**30 - 1),
        ("9007199254740993", 2**53 + 1),  # no detour through a double
        ("9007199254740993.0", 2**53 + 1),
        ("2.00000000000000000000001", 2.0),  # a float: not exactly whole
        ("1e-400", 0.0),
    ],
)
def test_number(cell, value):
    found = number(cell)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    "cell", ["", "-", ".", "e5", "1 2", "1,000", "0x10", "1_0", "１２", "1e", "--1"]
)
def test_no_number(cell):
    assert number(cell) is None


@pytest.mark.parametrize(
    "cell",
    ["9" * 10**6, "0." + "0" * 10**6 + "1", "1e" + "9" * 10**6, "1e-" + "9" * 10**6, "1e999999999"],
)
def test_huge_texts_do_not_hold_up_the_reading(cell):
    assert number(cell) in (math.inf, 0.0)
    assert Match(1)(cell) is False


@pytest.mark.parametrize("n", [10**4000 - 1, 10**4000, -(10**12_001) + 7, 2**60_000], ids=hex)
def test_integers_beyond_pythons_guard_survive(n):
    assert number(digits(n)) == n
    assert number(digits(n), max_digits=10) == (math.inf if n > 0 else -math.inf)


def test_integers_beyond_all_domains_are_infinite():
    assert digits(10 ** (MAX_DIGITS + 10)) == "inf"
    assert digits(-(10 ** (MAX_DIGITS + 10))) == "-inf"


ONES = ["1", 1, 1.0, True, np.int8(1), Decimal("1.00"), " 1.0 ", "1e0", "true", "TRUE", b"1", "Yes"]


@pytest.mark.parametrize("positive", [1, "1", True, "true", 1.0, "1.0"])
def test_all_forms_of_the_positive_label_are_one_label(positive):
    match = Match(positive)
    assert all(match(raw) for raw in ONES)
    assert not any(
        match(raw) for raw in (0, "0", "", None, "no", "yess", 2, float("nan"), "1 1", [1])
    )


def test_no_is_the_other_label():
    assert Match(0)("No")
    assert Match("false")("no")
    assert not Match(2)("yes")


def test_a_textual_label_matches_exactly():
    assert not any(Match("yes")(raw) for raw in (1, "1", "true", "Yes"))
    match = Match(">50K")
    assert match(" >50K ")
    assert not any(match(raw) for raw in (">50K.", "<=50K", ">50k", None, 1))


def test_a_label_may_have_several_spellings():
    """The place of a list is that of any of its spellings, and no cell may have two places."""
    cells = ["no", "No", "ja", " Ja ", "JA", "1", "yes", True, 0, None, "ja|Ja", "['ja', 'Ja']"]
    for spelt in (["ja", "Ja", 1], ("Ja", "1", "ja", "ja")):
        alone = [any(Match(each)(cell) for each in spelt) for cell in cells]
        assert [Match(spelt)(cell) for cell in cells] == alone
        places = [0 if cell in ("no", "No", 0) else 1 if one else 2
                  for cell, one in zip(cells, alone, strict=True)]  # fmt: skip
        assert [Match(["no", "No", 0], spelt).place(cell) for cell in cells] == places
    for labels in ([["a", "b"], "b"], ["a", ["b", "a"]], [["yes"], ["b", 1]], [[]], [["a", ""]]):
        with pytest.raises(ValueError):
            Match(*labels)
    assert [Match(label).numeric for label in ([1, "2"], [1, "a"])] == [True, False]


@pytest.mark.parametrize("nothing", [None, "", float("nan"), "nan", []])
def test_nothing_equals_a_missing_label(nothing):
    with pytest.raises(ValueError):
        Match(nothing)


@given(SCALARS, SCALARS)
def test_the_label_rule_is_total(positive, raw):
    try:
        match = Match(positive)
    except ValueError:
        return
    assert all(match(spelling) for spelling in spellings(positive))
    assert match(raw) in (True, False)


@given(st.permutations([1, "1", 1.0, True, "yes", "Yes ", 0, "no", "No", "a", "A", 2, "2.0"]),
       st.integers(1, 4))  # fmt: skip
def test_no_cell_equals_two_labels(cells, size):
    labels = cells[:size]
    ones = [{i for i, label in enumerate(labels) if Match(label)(cell)} for cell in cells]
    if all(len(places) <= 1 for places in ones):
        match = Match(*labels)
        assert [match.place(cell) for cell in cells] == [min(p, default=size) for p in ones]
    else:
        with pytest.raises(ValueError, match="unlike the other labels"):
            Match(*labels)


@pytest.mark.parametrize(("first", "second"), [(1, "1.0"), (1, "yes"), ("yes", 1), ("a", "a ")])
def test_labels_that_a_cell_may_both_equal_are_refused(first, second):
    """Before the table is opened: there is none."""
    where = {"x": "x", "y": "y", "domain": IntegerDomain(1, 9)}
    for name, rule in {
        "labels": {"labels": ("b", first, second)},
        "negative": {"positive": first, "negative": second, "strict": True},
    }.items():
        with pytest.raises(ParameterError, match=f"'{name}' parameter .* unlike the other labels"):
            Sample.read("no such file.csv", **where, **rule)
    with pytest.raises(ParameterError, match=r"parameter of fit .* different labels"):
        check_labels("fit", [first, second])


@given(SCALARS)
def test_user_names_are_total(raw):
    name = user_name(raw)
    assert name is None or str(name) == text(raw)


# -- The example data set: complete, read without anything odd, and what its public schema can say

ADULT = Path(__file__).parents[2] / "examples" / "adult"


def test_the_file_is_the_published_data_set():
    table = pq.read_table(ADULT / "adult.parquet")
    assert table.num_rows == 48_842
    split = np.array(table["split"].to_pylist())
    label = table["over_50k"].to_numpy()
    assert ((split == "train").sum(), (split == "test").sum()) == (32_561, 16_281)
    # Class distribution as printed in the data set's own documentation: 23.93 % over 50K.
    assert round(100 * label.mean(), 2) == 23.93
    assert (ADULT / "adult.parquet").stat().st_size < 300_000


@pytest.mark.more
def test_the_best_rule_of_two_literals():
    """Brute force over all conjunctions of at most two literals, on raw columns."""
    schema = Schema.from_toml(ADULT / "schema.toml")
    frame = pq.read_table(ADULT / "adult.parquet").to_pandas()
    label = frame["over_50k"].to_numpy()
    literals = schema.literals()
    assert len(literals) == 260
    holds = []
    for literal in literals:
        column = schema.columns[literal.column]
        values = frame[column.name].to_numpy()
        if column.numeric:
            edge = column.edges[literal.code - column.FIRST - 1]
            holds.append(values >= edge if literal.op == ">=" else values < edge)
        else:
            same = values == column.categories[literal.code - column.FIRST]
            holds.append(same if literal.op == "is" else ~same)
    true = np.array([np.ones(len(label), bool), *holds], dtype=np.float32)
    gain = (true * (2.0 * label - 1).astype(np.float32)) @ true.T  # hits minus false alarms
    i, j = np.unravel_index(np.argmax(gain), gain.shape)
    accuracy = (gain[i, j] + (label == 0).sum()) / len(label)
    texts = ["(true)", *(literal.text for literal in literals)]
    assert {texts[i], texts[j]} == {"marital_status is Married-civ-spouse", "education_num >= 12"}
    assert round(float(accuracy), 4) == 0.8205

    # The library's own counts give the same figure.
    sample = Sample.read(ADULT / "adult.parquet", y="over_50k", domain=RowDomain(schema))
    assert sample.n == 48_842
    assert sample.outside == (0, 0)
    assert not (sample.points == 1).any()  # no cell is "other"
    chosen = [literal for literal in literals if literal.text in (texts[i], texts[j])]
    predicted = np.logical_and(
        *(lit.accepts(schema.n_codes[lit.column])[sample.points[:, lit.column]] for lit in chosen)
    )
    correct = sample.ones[predicted].sum() + sample.zeros[~predicted].sum()
    assert correct / sample.n == accuracy


def test_a_data_frame_of_the_example_passes_strictly():
    schema = Schema.from_toml(ADULT / "schema.toml")
    frame = pq.read_table(ADULT / "adult.parquet").to_pandas().head(500)
    strict = Sample.from_arrays(frame, frame["over_50k"], RowDomain(schema))
    read = Sample.read(frame, y="over_50k", domain=RowDomain(schema), strict=True)
    assert (strict.points == read.points).all()
    assert (strict.ones == read.ones).all()


# -- The share of rows that were read: of a public total, and said to terminals only ---------------


@pytest.fixture
def file(tmp_path):
    """Doubles, which Arrow reads in batches, in two parts."""
    (tmp_path / "t").mkdir()
    for name in "ab":
        table = pa.table({"x": [float(i) for i in range(150_000)], "y": [0] * 150_000})
        pq.write_table(table, tmp_path / "t" / f"{name}.parquet", row_group_size=30_000)
    return tmp_path / "t"


def test_shares_rise_to_the_whole(file):
    domain = IntegerDomain(0, 9)
    for read in (
        lambda: Sample.read(file, x="x", y="y", domain=domain),
        lambda: read_points(file, x="x", domain=domain),
    ):
        shares = []
        with watched(shares.append):
            read()
        assert shares == sorted(set(shares))
        assert len(shares) > 2
        assert shares[-1] == 1
        read()
        assert shares[-1] == 1  # nobody watches any more


def test_shares_do_not_depend_on_the_cells(file, tmp_path):
    """Nor on how the file is cut, which some writers do by bytes."""
    said = []
    for cells, cut in (
        ([1.0] * 200_000, 200_000),
        ([float(i % 99) for i in range(200_000)], 7_000),
    ):
        pq.write_table(pa.table({"x": cells, "y": cells}), tmp_path / "u.parquet", cut)
        said.append([])
        with watched(said[-1].append):
            Sample.read(tmp_path / "u.parquet", x="x", y="y", domain=IntegerDomain(0, 9))
    assert said[0] == said[1] == [i / 100 for i in range(1, 101)]


@pytest.mark.parametrize("is_terminal", [True, False])
def test_only_a_terminal_is_told(file, monkeypatch, is_terminal):
    heard = io.StringIO()

    def console(**_):
        return Console(file=heard, force_terminal=is_terminal, width=80)

    monkeypatch.setattr(terminal, "Console", console)
    with terminal.reading("Counting records"):
        Sample.read(file, x="x", y="y", domain=IntegerDomain(0, 9))
    assert ("Counting records" in heard.getvalue()) == is_terminal
    assert ("100%" in heard.getvalue()) == is_terminal
