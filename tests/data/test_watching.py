"""The share of rows that were read: of a public total, and said to terminals only."""

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rich.console import Console

from littlestone.cli import terminal
from littlestone.data import IntegerDomain, Sample, read_points
from littlestone.data.containers import watched


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
