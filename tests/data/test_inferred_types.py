"""One record makes a program infer another type of a column: nothing but what is paid for differs.

The programs that infer are real ones: pandas, polars, Arrow and DuckDB read two CSV files that
differ in one cell, and give the column two types.
"""

import json
from fractions import Fraction
from itertools import product

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pytest

import littlestone as ls
from littlestone.data.draft import draft
from littlestone.data.tables import read_table

N = 900
READERS = {
    "pandas": pd.read_csv,
    "pandas, nullable": lambda path: pd.read_csv(path).convert_dtypes(),
    "pandas, Arrow": lambda path: pd.read_csv(path, dtype_backend="pyarrow"),
    "polars": lambda path: pl.read_csv(path, infer_schema_length=None),
    "polars, lazy": lambda path: pl.scan_csv(path, infer_schema_length=None),
    "Arrow": pyarrow.csv.read_csv,
    "DuckDB": lambda path: duckdb.read_csv(str(path), sample_size=-1),
}
#: What stands in the last record in the place of 41.
ODD = {"text": "x", "fraction": "41.5", "missing": "", "long": str(2**70), "truth": "true"}


#: Where a missing cell leaves the type as it is.
SAME = {(reader, "missing") for reader in READERS if reader != "pandas"}


@pytest.fixture
def tables(tmp_path):
    """Return the paths of two CSV files: 41 in the last record, or something odd."""

    def write(name, cell):
        ages = [17 + i % 60 for i in range(N - 1)]
        rows = "".join(f"{age},{int(age > 40)}\n" for age in ages)
        (tmp_path / name).write_text(f"age,ill\n{rows}{cell},1\n")
        return tmp_path / name

    return lambda odd: (write("a.csv", "41"), write("b.csv", odd))


def types(table):
    """Return how a program calls the types of its columns."""
    if isinstance(table, pa.Table):
        return [str(kind) for kind in table.schema.types]
    if isinstance(table, pl.LazyFrame):
        return [str(kind) for kind in table.collect_schema().values()]
    return [str(kind) for kind in table.dtypes]


def outcome(run):
    """Return what a call shows: its result, or its refusal."""
    try:
        return run()
    except Exception as refused:
        return type(refused).__name__, str(refused)


def proposed(table, tmp_path, delta):
    """Return what a proposal shows besides the columns, which are paid for."""
    path = tmp_path / "b.db"
    path.unlink(missing_ok=True)
    ledger = ls.Ledger(path, epsilon=100, delta=1e-3)
    found = ls.data.propose(table, y="ill", epsilon=90, delta=delta, digits=1, ledger=ledger)
    told = found.proposal
    (event,) = ledger.history()
    paid = event.what, event.cost, event.leak, str(ledger.spent())
    return str(found.guarantee), told.n, told.declared, paid


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("reader", "odd"),
    [case for case in product(READERS, ODD) if case != ("pandas, Arrow", "long")],  # reads it not
)
def test_nothing_shows_an_inferred_type(reader, odd, tables, tmp_path):
    one, other = map(READERS[reader], tables(ODD[odd]))
    if (reader, odd) not in SAME:
        assert types(one) != types(other)  # else nothing is tested
    assert draft(one, label="ill") == draft(other, label="ill")
    schema = ls.Schema.from_dict({"age": {"bins": [40]}})
    for show in (
        lambda table: proposed(table, tmp_path, 1e-6),
        lambda table: outcome(lambda: ls.data.propose(table, columns=["age"], epsilon="1/900")),
        lambda table: released(ls.Rules(schema, 1), table),
        lambda table: released(ls.Thresholds(17, 76), table, x="age"),
        lambda table: released(ls.Points(), table, x="age"),
    ):
        assert show(one) == show(other)


def released(concepts, table, **x):
    """Return what a fit shows besides the hypothesis and the evaluation, which are paid for."""
    made = ls.AgnosticLearner(concepts, epsilon=9) if concepts.size else None
    if made is None:
        made = ls.theory.StableLearner(concepts, epsilon=9, delta=1e-3)

    def run():
        found = made.fit(table, "ill", evaluate=1, **x).release_.to_dict()
        for paid in ("hypothesis", "evaluation", "quality"):
            found.pop(paid)
        return json.dumps(found), made.n_features_in_, made.feature_names_in_.tolist()

    return outcome(run)


@pytest.mark.more
def test_a_proposal_of_a_frame_reads_each_cell_as_of_a_csv_file(tables):
    """Whatever type was inferred, an open column is described from the same cells."""
    for path in tables("x"):
        options = {"y": "ill", "epsilon": 9, "delta": 1e-6, "random_state": 0}
        by_path = ls.data.propose(path, header_is_public=True, **options)
        for reader, read in READERS.items():
            assert ls.data.propose(read(path), **options) == by_path, reader


@pytest.mark.more
def test_what_declares_types(tmp_path):
    """Parquet files and databases declare; frames, relations and CSV files do only by kinds."""
    frame = pd.DataFrame({"age": np.arange(900) % 60, "city": ["Bonn", "Rome"] * 450})
    frame.to_parquet(tmp_path / "t.parquet")
    frame.to_csv(tmp_path / "t.csv", index=False)
    with duckdb.connect(str(tmp_path / "d.duckdb")) as base:
        base.register("frame", frame)
        base.execute("create table t as select * from frame")
    files = [tmp_path / "t.parquet", f"duckdb:///{tmp_path}/d.duckdb?table=t"]
    memory = [frame, pl.from_pandas(frame), pa.Table.from_pandas(frame), dict(frame)]
    memory += [pl.from_pandas(frame).lazy(), duckdb.from_arrow(pa.Table.from_pandas(frame))]
    options = {"epsilon": 9, "delta": 1e-6, "header_is_public": True, "random_state": 0}
    for table in files:
        assert read_table(table).declared
        found = ls.data.propose(table, **options)
        assert found.proposal.declared == ("age",)
        assert ls.data.propose(table, kinds={"age": "open"}, **options).proposal.declared == ()
        learner = ls.AgnosticLearner(ls.Rules(found, 1), epsilon=9, random_state=0)
        page = ls.page(learner.fit(frame.assign(ill=1), "ill"))
        assert "treated as public" in page
        assert "that inference is not private" in page
    for table in [*memory, tmp_path / "t.csv"]:
        assert not read_table(table).declared
        assert ls.data.propose(table, **options).proposal.declared == ()
        said = ls.data.propose(table, kinds={"age": "whole"}, **options)
        assert said == found  # as the file declares it
        assert said.proposal == found.proposal


def test_what_is_said_to_be_numbers_costs_what_numbers_cost():
    table = {"age": ["44", "x", None, "17"] * 500, "city": ["Bonn", "Rome"] * 1000}
    options = {"epsilon": 9, "kinds": {"age": "whole", "city": "text"}, "random_state": 0}
    found = ls.data.propose(table, delta=1e-6, **options)
    assert found.proposal.declared == ("age", "city")
    assert found["age"].numeric
    assert found["city"].categories == ("Bonn", "Rome")
    pure = ls.data.propose(table, **options)  # texts without a delta cost nothing
    assert pure.proposal.left_out == ("city",)
    assert pure.guarantee.epsilon == Fraction(9)
