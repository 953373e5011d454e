"""The CSV parser against a reference that follows the rules line by line, in plain Python."""

from __future__ import annotations

import csv
import gzip
import io
import os
import threading

import pyarrow as pa
import pytest
from hypothesis import example, given
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
from littlestone.data.cells import CsvFormat
from littlestone.data.lines import CsvColumns, header, names_in, numbered
from littlestone.data.proposal import standard
from littlestone.errors import DataError, ParameterError


def reference(line: bytes, width: int) -> tuple[list[str], bool]:
    """Return the cells of one line, and whether it is ragged."""
    meant = line.count(b'"') % 2 == 0
    cells, cell, inside = [], b"", False
    for byte in (bytes([b]) for b in line):
        inside ^= byte == b'"' and meant
        if byte == b"," and not inside:
            cells.append(cell)
            cell = b""
        else:
            cell += byte
    cells.append(cell)
    plain = []
    for cell in cells:
        bare = cell.strip()
        quoted = meant and len(bare) >= 2 and bare[:1] == bare[-1:] == b'"'
        plain.append(bare[1:-1].replace(b'""', b'"') if quoted else cell)
    ragged = len(cells) != width or not meant
    padded = [*plain, *[b""] * (width - len(plain))][:width]
    return [c.decode("utf-8", "replace") for c in padded], ragged


def parse(path, width=3):
    stream = CsvColumns([path], CsvFormat(), width, range(width))
    rows = pa.Table.from_batches(stream.batches(), stream.schema).to_pydict()
    return [list(row) for row in zip(*rows.values(), strict=True)], stream.ragged


BODY = st.lists(
    st.sampled_from([b"a", b"1", b",", b'"', b" ", b"\n", b"\r", b"\xff", "é".encode()])
)


@given(BODY.map(b"".join), st.sampled_from([1, 2, 7, 1 << 20]))
@example(b"1,2,3\n4,5,6\n\n7,8,9\n\n", 4)
@example(b'"1,2,3\n4,5,6\n', 1 << 20)
def test_every_line_is_a_record_whatever_it_holds(tmp_path_factory, body, block):
    path = tmp_path_factory.getbasetemp() / "fuzz.csv"
    path.write_bytes(b"x,y,z\n" + body)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "_BLOCK", block)
        rows, ragged = parse(path)
    if not body.endswith(b"\n"):
        body += b"\n" if body else b""
    expected = [reference(line.removesuffix(b"\r"), 3) for line in body.split(b"\n")[:-1]]
    assert rows == [cells for cells, _ in expected]
    assert ragged == any(odd for _, odd in expected)


CELL = st.text(st.characters(exclude_characters="\r\n\0", exclude_categories=["Cs"]), max_size=8)


@given(st.lists(st.tuples(CELL, CELL, CELL), max_size=6))
def test_what_a_writer_writes_is_read_back(tmp_path_factory, rows):
    """Against Python's own csv module, for tables without line breaks in cells."""
    text = io.StringIO()
    csv.writer(text).writerows([("x", "y", "z"), *rows])
    path = tmp_path_factory.getbasetemp() / "written.csv"
    path.write_bytes(text.getvalue().encode())
    assert parse(path) == ([list(row) for row in rows], False)


def test_compressed_with_byte_order_mark_and_quoted_names(tmp_path):
    path = tmp_path / "table.csv.gz"
    path.write_bytes(gzip.compress(b'\xef\xbb\xbf"x, really", y \r\n"1,5",2\r\n'))
    assert header(path, CsvFormat()) == ["x, really", "y"]
    assert parse(path, 2) == ([["1,5", "2"]], False)


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
    assert parse(path, 2)[0] == [["1", "2"], ["9" * 10_000, "3"], ["4", "5"]]


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
    cells = [table.frame([name], "test").collect().row(0)[0] for name in names]
    assert cells == ["1", "2", "3", "4"]


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
    assert parse(path) == ([["1", "a, b", "c"], ["q", "  2", "3"]], False)


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
