"""Declared formats of files, against Python's own codecs and csv module, cell by cell."""

from __future__ import annotations

import csv
import gzip
import io
import re

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlestone.data import (
    IntegerDomain,
    RowDomain,
    Sample,
    Schema,
    lines,
    read_points,
    read_table,
)
from littlestone.data.cells import CsvFormat, conversion
from littlestone.data.lines import CsvColumns, header
from littlestone.errors import DataError, ParameterError

ENCODINGS = ["utf-8", "utf-16", "utf-16-le", "utf-16-be", "iso8859-1", "cp1252", "iso8859-15"]
WHITE = " \t\n\r\v\f"


def reference(line: str, form: CsvFormat, width: int) -> list[str]:
    """Return the cells of one line, by the rules and one character at a time."""
    meant = form.quote is not None and line.count(form.quote) % 2 == 0
    cells, cell, inside = [], "", False
    for letter in line:
        inside ^= meant and letter == form.quote
        if letter == form.separator and not inside:
            cells.append(cell)
            cell = ""
        else:
            cell += letter
    cells.append(cell)
    wrapped = [meant and len(c) >= 2 and c[0] == c[-1] == form.quote for c in cells]
    plain = [
        c[1:-1].replace(2 * form.quote, form.quote) if w else c
        for c, w in zip(cells, wrapped, strict=True)
    ]
    return [*plain, *[""] * (width - len(plain))][:width]


def with_a_point(cell: str) -> str:
    """Exchange the decimal signs of what is a number with one of them."""
    signed = r"[+-]?([0-9]+{0}[0-9]*|{0}[0-9]+)([eE][+-]?[0-9]+)?"
    inner = cell.strip(WHITE)
    if re.fullmatch(signed.format(","), inner):
        return cell.replace(",", ".")
    if re.fullmatch(signed.format(r"\."), inner):
        return cell.replace(".", ",")
    return cell


def parse(path, form, width, numbers=()):
    stream = CsvColumns([path], form, width, range(width), numbers)
    rows = pa.Table.from_batches(stream.batches(), stream.schema).to_pydict()
    return [list(row) for row in zip(*rows.values(), strict=True)]


FORMS = st.builds(
    CsvFormat,
    separator=st.sampled_from(";\t|,"),
    decimal=st.sampled_from(["point", "comma"]),
    encoding=st.sampled_from(ENCODINGS),
    quote=st.sampled_from(['"', "'", None]),
)
LETTERS = st.sampled_from([*"a15,.;\t|\"' \n\r-e€éÿ\x85\u0a0d", "1,5", "2.5e3", ".5", '""'])


@given(FORMS, st.lists(LETTERS).map("".join), st.binary(max_size=3), st.sampled_from([1, 2, 7, 99]))
def test_cells_are_those_of_pythons_codecs(tmp_path_factory, form, body, odd, block):
    """Random cells in every encoding, with bytes that it has not, read in blocks of any size."""
    path = tmp_path_factory.getbasetemp() / "formats.csv"
    names = form.separator.join(["x", "y", "z"]) + "\n"
    if form.encoding.startswith("utf-16"):
        odd = b""  # half a unit would be no file of units
    start, *units = (part.encode(form.encoding, "replace") for part in (names, body))
    mark = 2 if form.encoding == "utf-16" else 0
    written = start + odd + b"".join(unit[mark:] for unit in units)
    path.write_bytes(written)
    text = written.decode(form.encoding, "replace").removeprefix("\ufeff").partition("\n")[2]
    if not text.endswith("\n"):
        text += "\n" if text else ""
    expected = [reference(line.removesuffix("\r"), form, 3) for line in text.split("\n")[:-1]]
    if form.decimal == "comma":
        expected = [[a, with_a_point(b), c] for a, b, c in expected]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "_BLOCK", block)
        assert header(path, form) == ["x", "y", "z"]
        assert parse(path, form, 3, numbers={1}) == expected


CELL = st.text(st.characters(exclude_characters="\r\0", exclude_categories=["Cs"]), max_size=8)


@given(
    st.lists(st.tuples(CELL, CELL), max_size=6),
    st.sampled_from([1, 3, 20, 1 << 20]),
    st.sampled_from(["utf-8", "utf-16"]),
    st.booleans(),
)
def test_line_breaks_inside_quotes_are_those_of_a_writer(
    tmp_path_factory, rows, block, encoding, packed
):
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows([("x\nname", "y"), *rows])
    path = tmp_path_factory.getbasetemp() / ("quoted.csv.gz" if packed else "quoted.csv")
    raw = text.getvalue().encode(encoding)
    path.write_bytes(gzip.compress(raw) if packed else raw)
    form = CsvFormat(quoted_line_breaks=True, encoding=encoding)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "_BLOCK", block)
        assert header(path, form) == ["x\nname", "y"]
        assert parse(path, form, 2) == [list(row) for row in rows]


def test_one_unclosed_quote_swallows_records_only_where_that_was_declared(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('x,y\n"1,1\n2,1\n3,1\n')
    declared = "quoted-line-breaks=yes"
    assert Sample.read(path, x="x", y="y", domain=IntegerDomain(1, 9)).n == 3
    assert Sample.read(path, x="x", y="y", domain=IntegerDomain(1, 9), csv=declared).n == 1
    with pytest.raises(DataError, match="even number of quotes"):
        Sample.read(
            path, x="x", y="y", domain=IntegerDomain(1, 9), csv=declared, strict=True, negative=0
        )


@given(
    st.sampled_from(ENCODINGS),
    st.lists(st.binary(max_size=6).map(lambda b: b.replace(b"\n", b"")), min_size=2, max_size=5),
    st.binary(max_size=6).map(lambda b: b.replace(b"\n", b"")),
    st.data(),
)
def test_one_line_changes_its_own_record_only(tmp_path_factory, encoding, rows, other, data):
    """Any line in place of another: the other records are read as before."""
    place = data.draw(st.integers(0, len(rows) - 1))
    path = tmp_path_factory.getbasetemp() / "neighbours.csv"
    big = encoding.endswith("be")
    wide = encoding.startswith("utf-16")

    def unit(line):
        """Write each byte as one unit: in UTF-16 halves of surrogate pairs, too."""
        if not wide:
            return line
        order = "big" if big else "little"
        return b"".join((byte + 0xD780).to_bytes(2, order) for byte in line)

    line_feed = "\n".encode("utf-16-be" if big else "utf-16-le" if wide else "ascii")
    found = []
    for table in (rows, [*rows[:place], other, *rows[place + 1 :]]):
        start = "x;y".encode(encoding) + line_feed
        path.write_bytes(start + b"".join(unit(line) + line_feed for line in table))
        found.append(parse(path, CsvFormat(separator=";", encoding=encoding), 2))
    before, after = found
    assert len(before) == len(after) == len(rows)
    assert all(before[i] == after[i] for i in range(len(rows)) if i != place)


SCHEMA = {
    "csv": {"sep": ";", "decimal": "comma", "encoding": "latin-1"},
    "größe": {"bins": [1.5, 2]},
    "ort": {"categories": ["Köln", "1,5"]},
}
ROWS = "größe;ort;krank\n1,5;Köln;1\n1.5;1,5;1,0\n2;Bonn;nein\n-1,0e0;;1\n"


def test_decimal_commas_are_for_numbers_and_a_schema_declares_them(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(ROWS.encode("latin-1"))
    schema = Schema.from_dict(SCHEMA)
    sample = Sample.read(path, y="krank", domain=RowDomain(schema))
    rows = dict(zip(map(tuple, sample.points.tolist()), sample.ones.tolist(), strict=True))
    # codes: 0 missing, 1 other; a number with a point is none, a text keeps its comma
    assert rows == {(3, 2): 1, (1, 3): 1, (4, 1): 0, (2, 0): 1}
    assert read_points(path, domain=RowDomain(schema))[0].tolist() == [
        [3, 2],
        [1, 3],
        [4, 1],
        [2, 0],
    ]
    assert Schema.from_dict(schema.to_dict()) == schema
    toml = tmp_path / "s.toml"
    toml.write_text(schema.to_toml())
    assert Schema.from_toml(toml).csv == schema.csv
    declared = "sep=;, decimal=comma, encoding=latin-1"
    plain = Schema.from_dict({k: v for k, v in SCHEMA.items() if k != "csv"})
    again = Sample.read(path, y="krank", domain=RowDomain(plain), csv=declared)
    assert again.points.tolist() == sample.points.tolist()
    assert again.ones.tolist() == sample.ones.tolist()


def test_a_column_may_be_called_csv():
    schema = Schema.from_dict({"csv": {"bins": [1]}})
    assert (schema.names, schema.csv) == (("csv",), None)
    with pytest.raises(ParameterError, match="besides the table"):
        Schema.from_dict({"csv": {"sep": ";"}})
    with pytest.raises(ParameterError, match="keys among sep"):
        Schema.from_dict({"csv": {"separator": ";"}, "x": {"bins": [1]}})


@pytest.mark.parametrize(
    "declared",
    [
        *("sep", "sep=", "sep=;;", 'sep="', "sep=é", "sep=;, sep=,", "colour=red", "decimal=."),
        *("encoding=utf-7", "encoding=shift-jis", "encoding=cp037", "encoding=nothing", "quote=ab"),
        *("quote=;, sep=;", "quote=none, quoted-line-breaks=yes", "quoted-line-breaks=perhaps"),
        *("header=secret", 3, {"sep": 3}),
    ],
)
def test_what_is_no_format(declared, tmp_path):
    (tmp_path / "t.csv").write_text("x\n1")
    with pytest.raises(ParameterError):
        read_table(tmp_path / "t.csv", csv=declared)


@given(FORMS, st.booleans(), st.booleans())
def test_a_format_is_read_back(form, breaks, public):
    form = CsvFormat(
        form.separator, form.decimal, form.encoding, form.quote,
        quoted_line_breaks=breaks and form.quote is not None, header_is_public=public,
    )  # fmt: skip
    assert CsvFormat.parse(str(form)) == CsvFormat.parse(form.to_dict()) == CsvFormat.parse(form)


def test_folders_are_tables_of_one_kind(tmp_path):
    for kind in ("csv", "parquet", "mixed", "empty", "unequal"):
        (tmp_path / kind).mkdir()
    for part in (0, 1):
        frame = pd.DataFrame({"x": [part + 1, 3], "y": [part, 1]})
        frame.to_csv(tmp_path / "csv" / f"{part}.csv.gz", index=False)
        pq.write_table(pa.Table.from_pandas(frame), tmp_path / "parquet" / f"{part}.parquet")
        frame.to_csv(tmp_path / "unequal" / f"{part}.csv", index=False, header=["x", f"y{part}"])
    (tmp_path / "csv" / "_SUCCESS").write_text("")
    (tmp_path / "mixed" / "a.csv").write_text("x\n1")
    (tmp_path / "mixed" / "b.parquet").write_text("")
    for table in ("csv", "csv/*.csv.gz", "parquet"):
        sample = Sample.read(tmp_path / table, x="x", y="y", domain=IntegerDomain(1, 9))
        assert sample.points.tolist() == [1, 2, 3]
        assert (sample.zeros.tolist(), sample.ones.tolist()) == ([1, 0, 0], [0, 1, 2])
    for table, words in (("mixed", "the same ending"), ("empty", "holds files")):
        with pytest.raises(ParameterError, match=words):
            read_table(tmp_path / table)
    with pytest.raises(DataError, match="equal first lines"):
        read_table(tmp_path / "unequal")


def test_other_names_and_other_programs(tmp_path):
    (tmp_path / "t.txt").write_text("x;y\n1;1\n")
    assert read_table(tmp_path / "t.txt", csv="sep=;").names == ("x", "y")
    with pytest.raises(ParameterError, match='csv="sep=;"'):
        read_table(tmp_path / "t.txt")
    pq.write_table(pa.table({"x": [1]}), tmp_path / "t.parquet")
    for table in (tmp_path / "t.parquet", pa.table({"x": [1]})):
        with pytest.raises(ParameterError, match="the format of a CSV file"):
            read_table(table, csv="sep=;")
    for kind in (".xlsx", ".ods", ".sas7bdat", ".dta", ".sav", ".feather", ".jsonl", ".zip", ".db"):
        (tmp_path / f"t{kind}").write_text("")
        with pytest.raises(ParameterError, match="Convert it first: "):
            read_table(tmp_path / f"t{kind}", csv="sep=;")


def test_the_commands_that_convert_do(tmp_path, monkeypatch):
    """What pandas writes without another program, it converts; texts stay what they are."""
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({"x": ["007", "2"], "y": ["a", "1.0"]})
    frame.to_feather("t.feather")
    frame.to_stata("t.dta", write_index=False)
    frame.to_json("t.jsonl", orient="records", lines=True)
    for kind in (".feather", ".dta", ".jsonl"):
        command = conversion(tmp_path / f"t{kind}")
        exec(re.fullmatch(r'python -c "(.*)"', command)[1], {})
        assert pq.read_table(tmp_path / "t.parquet").to_pydict() == frame.to_dict("list")


def test_a_header_that_does_not_fit_is_not_repeated(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("Jane Roe,17,1\nJohn Doe,44,0\n")
    schema = RowDomain(Schema.from_dict({"age": {"bins": [30]}, "city": {"categories": ["Bonn"]}}))
    with pytest.raises(ParameterError) as caught:
        Sample.read(path, y="ill", domain=schema)
    said = str(caught.value)
    assert "no columns 'age', 'city', 'ill'" in said
    assert not any(word in said for word in ("Jane", "Roe", "17"))
    path.write_text("Age,city,ill\n17,Bonn,1\n")
    with pytest.raises(ParameterError, match=r"mean 'Age' for 'age'.*Its first line: 'Age'"):
        Sample.read(path, y="ill", domain=schema, csv="header=public")
