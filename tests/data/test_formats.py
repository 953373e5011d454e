"""Files and databases: declared formats, lines of CSV, URLs."""

from __future__ import annotations

import csv
import gzip
import io
import os
import re
import threading

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import littlestone as ls
from littlestone.cli.main import main
from littlestone.data import (
    IntegerDomain,
    RowDomain,
    Sample,
    Schema,
    counting,
    lines,
    read,
    read_points,
    read_table,
)
from littlestone.data.cells import CsvFormat, conversion
from littlestone.data.containers import connect
from littlestone.data.lines import CsvColumns, header, names_in, numbered
from littlestone.data.proposal import standard
from littlestone.errors import DataError, LittlestoneError, ParameterError
from littlestone.evaluation.measures import check

# -- Declared formats of files, against Python's own codecs and csv module, cell by cell -----------

ENCODINGS = ["utf-8", "utf-16", "utf-16-le", "utf-16-be", "iso8859-1", "cp1252", "iso8859-15"]
WHITE = " \t\n\r\v\f"


def reference(line: str, form: CsvFormat, width: int) -> tuple[list[str], bool]:
    """Return the cells of one line, by the rules and one character at a time; if it is ragged."""
    meant = form.quote is not None and line.count(form.quote) % 2 == 0
    cells, cell, inside = [], "", False
    for letter in line:
        inside ^= meant and letter == form.quote
        if letter == (form.separator or ",") and not inside:
            cells.append(cell)
            cell = ""
        else:
            cell += letter
    cells.append(cell)
    for place, cell in enumerate(cells):
        bare = cell.strip(WHITE)
        if meant and len(bare) >= 2 and bare[0] == bare[-1] == form.quote:
            cells[place] = bare[1:-1].replace(2 * form.quote, form.quote)
    ragged = len(cells) != width or (form.quote is not None and not meant)
    return [*cells, *[""] * (width - len(cells))][:width], ragged


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
    return [list(row) for row in zip(*rows.values(), strict=True)], stream.ragged


FORMS = st.builds(
    CsvFormat,
    separator=st.sampled_from(";\t|,"),
    decimal=st.sampled_from(["point", "comma"]),
    encoding=st.sampled_from(ENCODINGS),
    quote=st.sampled_from(['"', "'", None]),
)
LETTERS = st.sampled_from([*"a15,.;\t|\"' \n\r-e€éÿ\x85\u0a0d", "1,5", "2.5e3", ".5", '""'])


@given(FORMS, st.lists(LETTERS).map("".join), st.binary(max_size=3), st.sampled_from([1, 2, 7, 99]))
@example(CsvFormat(), "1,2,3\n4,5,6\n\n7,8,9\n\n", b"", 4)
@example(CsvFormat(), '"1,2,3\n4,5,6\n', b"", 1 << 20)
@example(CsvFormat(), 'a"\r\n,,1', b'\xff\n,"', 2)
def test_cells_are_those_of_pythons_codecs(tmp_path_factory, form, body, odd, block):
    """Random cells in every encoding, with bytes that it has not, read in blocks of any size."""
    path = tmp_path_factory.getbasetemp() / "formats.csv"
    names = (form.separator or ",").join(["x", "y", "z"]) + "\n"
    if form.encoding.startswith("utf-16"):
        odd = b""  # half a unit would be no file of units
    start, *units = (part.encode(form.encoding, "replace") for part in (names, body))
    mark = 2 if form.encoding == "utf-16" else 0
    written = start + odd + b"".join(unit[mark:] for unit in units)
    path.write_bytes(written)
    text = written.decode(form.encoding, "replace").removeprefix("\ufeff").partition("\n")[2]
    if not text.endswith("\n"):
        text += "\n" if text else ""
    known = [reference(line.removesuffix("\r"), form, 3) for line in text.split("\n")[:-1]]
    expected = [cells for cells, _ in known]
    if form.decimal == "comma":
        expected = [[a, with_a_point(b), c] for a, b, c in expected]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "_BLOCK", block)
        assert header(path, form) == ["x", "y", "z"]
        assert parse(path, form, 3, numbers={1}) == (expected, any(odd for _, odd in known))


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
        assert parse(path, form, 2)[0] == [list(row) for row in rows]


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
        found.append(parse(path, CsvFormat(separator=";", encoding=encoding), 2)[0])
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


# -- The CSV parser against a reference that follows the rules line by line, in plain Python -------


def csv_parse(path, width=3):
    return parse(path, CsvFormat(), width)


CSV_CELL = st.text(
    st.characters(exclude_characters="\r\n\0", exclude_categories=["Cs"]), max_size=8
)


@given(st.lists(st.tuples(CSV_CELL, CSV_CELL, CSV_CELL), max_size=6))
def test_what_a_writer_writes_is_read_back(tmp_path_factory, rows):
    """Against Python's own csv module, for tables without line breaks in cells."""
    text = io.StringIO()
    csv.writer(text).writerows([("x", "y", "z"), *rows])
    path = tmp_path_factory.getbasetemp() / "written.csv"
    path.write_bytes(text.getvalue().encode())
    assert csv_parse(path) == ([list(row) for row in rows], False)


def test_compressed_with_byte_order_mark_and_quoted_names(tmp_path):
    path = tmp_path / "table.csv.gz"
    path.write_bytes(gzip.compress(b'\xef\xbb\xbf"x, really", y \r\n"1,5",2\r\n'))
    assert header(path, CsvFormat()) == ["x, really", "y"]
    assert csv_parse(path, 2) == ([["1,5", "2"]], False)


def test_some_columns_only(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(b"x,y,z\n1,2,3\n4\n,,6,7")
    stream = CsvColumns([path], CsvFormat(), 3, [2, 0])
    table = pa.Table.from_batches(stream.batches())
    assert table.to_pylist() == [
        {"c0": "3", "c1": "1"},
        {"c0": "", "c1": "4"},
        {"c0": "6", "c1": ""},
    ]
    assert stream.ragged


@pytest.mark.parametrize("start", [b"", b"\n1,2\n"])
def test_the_first_line_must_name_the_columns(tmp_path, start):
    path = tmp_path / "table.csv"
    path.write_bytes(start)
    with pytest.raises(DataError, match="first line"):
        header(path, CsvFormat())


def test_a_line_longer_than_many_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "_BLOCK", 100)
    path = tmp_path / "table.csv"
    path.write_bytes(b"x,y\n1,2\n" + b"9" * 10_000 + b",3\n4,5")
    assert csv_parse(path, 2)[0] == [["1", "2"], ["9" * 10_000, "3"], ["4", "5"]]


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("a,b,a,a", ["a", "b", "a.1", "a.2"]),
        ("a,a.1,a,a.1", ["a", "a.1", "a.2", "a.1.1"]),
        ("a,a,b,a.1", ["a", "a.2", "b", "a.1"]),
        ("a,a,a,a.1", ["a", "a.2", "a.3", "a.1"]),
        ("a,,a,", ["a", "", "a.1", ".1"]),
    ],
)
def test_a_name_that_occurs_again_gets_a_number(tmp_path, line, names):
    assert numbered(names_in(line.encode(), CsvFormat(), "The file")) == names
    (tmp_path / "t.csv").write_text(f"{line}\n1,2,3,4\n")
    table = read_table(tmp_path / "t.csv")
    (piece,) = table.pieces(names, "test")
    assert list(piece.to_pylist()[0].values()) == ["1", "2", "3", "4"]


@pytest.mark.parametrize(
    ("start", "cause"),
    [
        (gzip.compress(b"x,y\n", mtime=0), "compressed by gzip"),
        (b"PK\x03\x04", "a zip archive"),
        (b"PAR1", "a Parquet file"),
        (b"sep=;\nx;y\n", "for Excel"),
        (b'"sep=,"\nx,y\n', "for Excel"),
        (b"x,y\r1,2\r", "carriage returns only"),
    ],
)
def test_what_is_no_such_csv_says_the_cause(tmp_path, start, cause):
    (tmp_path / "t.csv").write_bytes(start)
    with pytest.raises(DataError, match=cause):
        read_table(tmp_path / "t.csv")


def test_blanks_around_quotes_do_not_count(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(b'x, "y" ,z\n1, "a, b" ,\t"c"\n"q" ,  2,3\n')
    assert header(path, CsvFormat()) == ["x", "y", "z"]
    assert csv_parse(path) == ([["1", "a, b", "c"], ["q", "  2", "3"]], False)


def test_a_label_that_is_named_twice_is_refused(tmp_path):
    """The second one would be a column to learn from: a copy of the label."""
    (tmp_path / "t.csv").write_text("age,ill,ill\n40,1,1\n30,0,0\n")
    schema = Schema.from_dict({"age": {"bins": [35]}})
    with pytest.raises(ParameterError, match="names the column 'ill' twice"):
        Sample.read(tmp_path / "t.csv", y="ill", domain=RowDomain(schema))
    with pytest.raises(ParameterError, match="names the column 'ill' twice"):
        standard(tmp_path / "t.csv", y="ill")


def test_names_with_blanks_around_them_are_found(tmp_path):
    schema = Schema.from_dict({"age ": {"bins": [35]}})
    (tmp_path / "t.csv").write_text("age , ill\n40,1\n30,0\n")
    frame = pa.table({" age": [40, 30]})
    for table in (tmp_path / "t.csv", frame, {"age": [40, 30]}):
        assert read_points(table, domain=RowDomain(schema))[0].tolist() == [[3], [2]]
    assert RowDomain(schema).array(frame).tolist() == [[3], [2]]


def test_what_comes_through_a_pipe_is_read_again(tmp_path):
    """A fit opens its table several times; a pipe gives its content once."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=("age,ill\n40,1\n30,0\n",))
    writer.start()
    for _ in range(2):
        assert read_table(pipe).names == ("age", "ill")
        assert read_points(pipe, x="age", domain=IntegerDomain(1, 99))[0].tolist() == [40, 30]
    writer.join()


# -- Databases by URL, and what is refused; PostgreSQL and the bridges are in the group postgres ---


def duckdb_file(path):
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE t AS SELECT range x, (range > 5)::INT y FROM range(10)")
        connection.execute('CREATE SCHEMA "s s"; CREATE TABLE "s s"."t""" AS FROM t WHERE x > 1')
    return f"duckdb:///{path}?table=t"


def test_duckdb_files(tmp_path):
    url = duckdb_file(tmp_path / "t.duckdb")
    domain, where = IntegerDomain(1, 20), {"x": "x", "y": "y"}
    assert Sample.read(url, domain=domain, **where).n == 10
    assert read_table(url).names == ("x", "y")
    other = url.replace("table=t", "table=t%22&schema=s+s")
    assert Sample.read(other, domain=domain, **where).n == 8
    found = read.read(url, domain=domain, large=1, need="batches", **where)
    assert found.points.tolist() == [*range(1, 10)]
    found = read.read(url, domain=domain, most=2, need="extremes", **where)
    assert found.extremes(2).outside == (1, 0)
    model = ls.GenericLearner(ls.Thresholds(1, 20), epsilon=50, random_state=1)
    assert model.fit(url, x="x", y="y").hypothesis_.above == 5
    assert model.predict(url).tolist() == [0] * 6 + [1] * 4


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ann:s3cret@localhost/db",  # no table
        "postgresql://ann:s3cret@localhost:x/db?table",
        "mysql://ann:s3cret@localhost/db?table=t",
        "duckdb://ann:s3cret@localhost/db?table=t",
        "duckdb:///t.duckdb?table=t&password=s3cret",
        "sqlite:///s3cret.sqlite?table=t",
        "://s3cret?table=t",
        "postgresql://[s3cret/db?table=t",
    ],
)
def test_urls_that_are_none_are_not_repeated(url):
    for ask in (
        read_table,
        lambda u: ls.GenericLearner(ls.Thresholds(1, 9), epsilon=1).fit(u, x="x", y="y"),
    ):
        with pytest.raises(ParameterError, match="must be a URL such as") as refused:
            ask(url)
        assert "s3cret" not in str(refused.value)
        assert refused.value.__cause__ is None


def test_a_declared_csv_format_is_refused_for_a_database(tmp_path):
    url = duckdb_file(tmp_path / "t.duckdb")
    for form in ("sep=;", {"decimal": "comma"}):
        with pytest.raises(ParameterError, match=r"given with a CSV file\. Got 'a database'"):
            read_table(url, csv=form)
    assert read_table(url, declared=CsvFormat(separator=";")).names  # as for Parquet files


def test_files_that_cannot_be_opened(tmp_path):
    with pytest.raises(ParameterError, match="relative, after four absolute"):
        read_table(f"duckdb:///{tmp_path}/none?table=t")
    url = duckdb_file(tmp_path / "t.duckdb")
    (tmp_path / "broken").write_text("no database")
    with pytest.raises(DataError, match="cannot be opened, or has no such table") as refused:
        read_table(f"duckdb:///{tmp_path}/broken?table=t")
    assert refused.value.__context__ is None
    with pytest.raises(DataError, match="no such table"):
        read_table(url.replace("table=t", "table=u"))


def test_nothing_is_written(tmp_path):
    url = duckdb_file(tmp_path / "t.duckdb")
    before = ((tmp_path / "t.duckdb").read_bytes(), sorted(p.name for p in tmp_path.iterdir()))
    list(read_table(url).pieces(["x"], "test"))
    after = ((tmp_path / "t.duckdb").read_bytes(), sorted(p.name for p in tmp_path.iterdir()))
    assert after == before


def test_an_engine_whose_disk_is_full_charges_nothing(tmp_path):
    """The place for what is spilled is too small: an error, and nothing is released."""
    ledger = ls.Ledger(tmp_path / "budget.db", epsilon=1)
    rng = np.random.default_rng(0)
    table = {"x": rng.integers(1, 2**40, 3 * 10**6), "y": rng.integers(0, 2, 3 * 10**6)}
    model, engine = ls.AgnosticLearner(ls.Thresholds(1, 2**40), epsilon=1), connect()
    engine.execute("SET memory_limit = '40MB'; SET max_temp_directory_size = '1MB'")
    try:
        with pytest.raises(DataError, match="free space") as refused:
            model.fit(table, x="x", y="y", ledger=ledger)
    finally:
        engine.execute("SET memory_limit = '2GB'; RESET max_temp_directory_size")
    assert refused.value.__context__ is None
    assert ledger.remaining().epsilon == 1
    assert not hasattr(model, "release_")


def test_a_table_that_changes_between_two_readings_is_refused():
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT range x, (range > 50)::INT y FROM range(100)")
    names = {"x": "x", "y": "y", "domain": IntegerDomain(0, 99)}
    for again in (lambda s: s.points, lambda s: s.extremes(1000)):
        sample = read.read(connection.table("t"), most=2, need="extremes", **names)
        connection.execute("INSERT INTO t VALUES (7, 0)")
        with pytest.raises(DataError, match="changed between two readings"):
            again(sample)


def test_a_table_that_changes_between_its_columns_charges_nothing(tmp_path, monkeypatch):
    """A proposal and a check ask for one column after the other."""
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT range x, range % 7 AS z, 1 AS y FROM range(9000)")
    ledger = ls.Ledger(tmp_path / "budget.db", epsilon=20)

    def changing(*given):
        connection.execute("INSERT INTO t VALUES (7, 0, 1)")

    monkeypatch.setattr(counting, "check_rows", changing)
    table = connection.table("t")
    schema = ls.Schema.from_dict({"x": {"bins": [5]}, "z": {"bins": [3]}})
    with pytest.raises(DataError, match="changed between two readings"):
        ls.data.propose(table, epsilon=8, ledger=ledger)
    with pytest.raises(DataError, match="changed between two readings"):
        check(table, schema, y="y", epsilon=8, ledger=ledger)
    assert ledger.spent().epsilon == 0


def test_extras_that_are_not_installed_are_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "psycopg", None)
    with pytest.raises(LittlestoneError, match="littlestone\\[databases\\]"):
        read_table("postgresql://ann:s3cret@localhost/db?table=t")


def test_a_database_that_is_read_is_not_overwritten(tmp_path, capsys):
    url = duckdb_file(tmp_path / "t.duckdb")
    before = (tmp_path / "t.duckdb").read_bytes()
    ask = ["--x", "x", "--y", "y", "--class", "thresholds(1, 20)", "--epsilon", "1"]
    assert main(["fit", url, *ask, "--out", str(tmp_path / "t.duckdb")]) == 2
    assert "would be overwritten" in capsys.readouterr().err
    assert (tmp_path / "t.duckdb").read_bytes() == before
    assert main(["fit", url, *ask, "--out", str(tmp_path / "model.json")]) == 0
