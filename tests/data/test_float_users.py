"""Users are named by integers or texts: floats are refused by type, in tables as in arrays."""

import io

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import littlestone as ls
from littlestone.data.read import read
from littlestone.errors import DataError

LINE = ls.Thresholds(1, 9)
WHERE = {"user": "who", "x": "x", "y": "y", "domain": LINE.domain}
#: 40 users whose names a float cannot tell apart, and one who is not named.
LONG = [2**53 + i for i in range(40)]
CSV = "who,x,y\n" + "".join(f"{who},3,1\n" for who in LONG)
INFERRED = pd.read_csv(io.StringIO(CSV + ",3,1\n"))


def test_the_frame_of_the_example():
    """One missing name, and pandas makes floats of all others."""
    assert pd.read_csv(io.StringIO(CSV)).who.dtype == "int64"
    assert INFERRED.who.dtype == "float64"
    assert INFERRED.who.nunique() < 40


@pytest.mark.parametrize(
    "table",
    [
        INFERRED,
        INFERRED.astype({"who": "float32"}),
        INFERRED.astype({"who": "Float64"}),
        pl.from_pandas(INFERRED),
        pl.from_pandas(INFERRED).lazy(),
        pa.Table.from_pandas(INFERRED),
        pa.Table.from_pandas(INFERRED.assign(who=np.float16(1))),
        duckdb.from_arrow(pa.Table.from_pandas(INFERRED)),
        {name: column.to_numpy() for name, column in INFERRED.items()},
        INFERRED.to_records(index=False),
    ],
    ids=["pandas", "short", "nullable", "polars", "lazy", "Arrow", "half", "DuckDB", "dict", "rec"],
)
def test_floats_are_refused(table):
    learner = ls.UserAgnosticLearner(LINE, epsilon=1, samples_per_user=2)
    for call in (
        lambda: ls.data.UserSample.read(table, **WHERE),
        lambda: read(table, **WHERE, need="batches", large=1),
        lambda: learner.fit(table, "y", x="x", user="who"),
    ):
        with pytest.raises(DataError, match=r"column 'who' given to .* floats") as refused:
            call()
        assert "Int64" in str(refused.value)
        assert str(2**53) not in str(refused.value)
    with pytest.raises(DataError) as array:
        learner.fit(INFERRED.x, INFERRED.y, groups=INFERRED.who)
    words = "must be integers or texts. They are floats"
    assert str(array.value).partition(words)[2] == str(refused.value).partition(words)[2]


@pytest.mark.parametrize("kind", ["Int64", str, "int64[pyarrow]"])
def test_the_next_step_keeps_users_apart(kind):
    frame = pd.read_csv(io.StringIO(CSV + ",3,1\n"), dtype={"who": kind})
    assert ls.data.UserSample.read(frame, **WHERE).n_users == 41
    assert ls.data.UserSample.read(pl.from_pandas(frame), **WHERE).n_users == 41


def test_each_cell_of_python_objects_is_read_alone(tmp_path):
    """Of these nothing was inferred: 7, 7.0 and "7" name one user."""
    table = {"who": [7, 7.0, "7", None, 8], "x": [1] * 5, "y": [0] * 5}
    assert ls.data.UserSample.read(table, **WHERE).n_users == 3
    (tmp_path / "t.csv").write_text("who,x,y\n7,1,0\n 7,1,0\n8,1,0\n,1,0\n")
    assert ls.data.UserSample.read(tmp_path / "t.csv", **WHERE).n_users == 3
    assert np.isnan(INFERRED.who).sum() == 1
