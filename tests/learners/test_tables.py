"""Python and the command line meet: tables, samples, model files, pages."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import littlestone as ls
from littlestone.cli.main import main
from littlestone.errors import DataError, ParameterError

LINE = ls.Thresholds(1, 9)
FRAME = pd.DataFrame(
    {
        "dose": [1, 5, 7, 9, None, 200] * 50,
        "ill": [0, 0, 1, 1, 1, 0] * 50,
        "who": np.arange(300) // 3,
        "city": ["a", "b", "unseen", None, "a", "b"] * 50,
    }
)
SCHEMA = {"dose": {"bins": [3, 6]}, "city": {"categories": ["a", "b"]}}
TOML = '[dose]\nbins = [3, 6]\n[city]\ncategories = ["a", "b"]\n'
TABLES = {
    "pandas": lambda folder: FRAME,
    "polars": lambda folder: pl.from_pandas(FRAME),
    "lazy": lambda folder: pl.from_pandas(FRAME).lazy(),
    "arrow": lambda folder: pa.Table.from_pandas(FRAME),
    "path": lambda folder: folder / "data.csv",
    "text": lambda folder: str(folder / "data.csv"),
    "glob": lambda folder: str(folder / "part-*.parquet"),
    "relation": lambda folder: pytest.importorskip("duckdb").from_arrow(
        pa.Table.from_pandas(FRAME)
    ),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("data.csv", index=False)
    FRAME[:100].to_parquet("part-1.parquet")
    FRAME[100:].to_parquet("part-2.parquet")
    (tmp_path / "schema.toml").write_text(TOML)
    return tmp_path


def by_command(line):
    assert main(f"fit data.csv --y ill --epsilon 1 --seed 5 --out m.json {line}".split()) == 0
    with open("m.json", encoding="utf-8") as file:
        return file.read()


@pytest.mark.first(3)
@pytest.mark.parametrize("kind", TABLES)
def test_every_table_gives_what_the_command_line_writes(kind, folder):
    made = ls.GenericLearner(LINE, epsilon=1, random_state=5)
    made.fit(TABLES[kind](folder), y="ill", x="dose").save("e.json")
    written = by_command("--x dose --class thresholds(1,9) --learner generic --no-evaluate")
    assert (folder / "e.json").read_text() == written
    assert made.release_.to_json() + "\n" == written


def test_rows_and_an_evaluation(folder):
    rules = ls.Rules(ls.Schema.from_dict(SCHEMA), 1)
    made = ls.AgnosticLearner(rules, epsilon=1, random_state=5)
    made.fit(FRAME, "ill", evaluate="1/2").save("e.json")
    line = "--schema schema.toml --class rules(max_literals=1) --learner agnostic"
    written = by_command(f"{line} --evaluate 1/2")
    assert (folder / "e.json").read_text() == written
    assert json.loads(written)["guarantee"]["epsilon"] == 1
    assert made.n_features_in_ == 2


def test_users(folder):
    made = ls.UserAgnosticLearner(LINE, epsilon=1, samples_per_user=2, random_state=5)
    made.fit(FRAME, "ill", x="dose", user="who").save("e.json")
    line = "--x dose --class thresholds(1,9) --learner users --user who --samples-per-user 2"
    assert (folder / "e.json").read_text() == by_command(f"{line} --no-evaluate")
    with pytest.raises(ParameterError, match="give user="):
        made.fit(FRAME, "ill", x="dose")
    with pytest.raises(ParameterError, match="protects records"):
        ls.GenericLearner(LINE, epsilon=1).fit(FRAME, "ill", x="dose", user="who")
    with pytest.raises(ParameterError, match="protects records"):
        ls.GenericLearner(LINE, epsilon=1).fit([1], [0], groups=[1])


def test_a_sample_is_taken_as_it_is():
    sample = ls.data.Sample.read(FRAME, x="dose", y="ill", domain=LINE.domain)
    made = ls.GenericLearner(LINE, epsilon=1, random_state=5)
    same = made.fit(FRAME, y="ill", x="dose").hypothesis_
    assert made.fit(sample).hypothesis_ == same
    assert made.release_.n == 300
    with pytest.raises(ParameterError, match="give fit a Sample"):
        made.fit(sample, [0] * 300)
    users = ls.UserAgnosticLearner(LINE, epsilon=1, samples_per_user=2)
    with pytest.raises(ParameterError, match="give fit a UserSample"):
        users.fit(sample)


def test_what_is_not_said_is_asked_for():
    made = ls.GenericLearner(LINE, epsilon=1)
    with pytest.raises(ParameterError, match="the column of points"):
        made.fit(FRAME, "ill")
    every = ls.Rules(ls.Schema.every_column([0.0]), 1)
    with pytest.raises(ParameterError, match="columns have names"):
        ls.GenericLearner(every, epsilon=1).fit(FRAME, "ill")
    with pytest.raises(ParameterError, match="iil"):
        made.fit(FRAME, "iil", x="dose")
    assert not hasattr(made, "release_")


def test_predictions_by_column_names(folder):
    made = ls.GenericLearner(LINE, epsilon=9, classes=("no", "yes"), random_state=5)
    table = FRAME.assign(ill=FRAME.ill.map({0: "no", 1: "yes"}))
    made.fit(table, "ill", x="dose").save("e.json")
    shuffled = FRAME[["who", "dose"]][:6]
    assert made.predict(shuffled).tolist() == ["no", "no", "yes", "yes", "no", "no"]
    release = ls.load("e.json")
    assert release == made.release_
    assert release.predict(shuffled).tolist() == ["no", "no", "yes", "yes", "no", "no"]
    again = release.predict(shuffled.rename(columns={"dose": "x"}), x="x")
    assert again.tolist().count("yes") == 2
    assert release.predict([1, 9]).tolist() == ["no", "yes"]
    lazy = pl.from_pandas(shuffled).lazy()  # and no warning of its library
    assert release.predict(lazy).tolist() == ["no", "no", "yes", "yes", "no", "no"]
    assert main(["predict", "e.json", "data.csv", "--out", "p.csv"]) == 0
    assert (folder / "p.csv").read_text().split()[1:7] == ["no", "no", "yes", "yes", "no", "no"]


def test_cells_of_a_schema_are_never_refused_in_arrays():
    """Missing and unseen cells have public codes, as in a table."""
    rules = ls.Rules(ls.Schema.from_dict(SCHEMA), 1)
    made = ls.AgnosticLearner(rules, epsilon=1, random_state=5)
    rows = [[None if np.isnan(d) else d, c] for d, c in FRAME[["dose", "city"]].values.tolist()]
    by_table = made.fit(FRAME, "ill").hypothesis_
    assert made.fit(FRAME[["dose", "city"]], FRAME.ill).hypothesis_ == by_table
    assert made.fit(rows, FRAME.ill).hypothesis_ == by_table
    assert made.predict([[float("nan"), "never seen"], [7, "a"]]).shape == (2,)
    with pytest.raises(DataError, match="public classes"):
        made.fit(rows, [2] * 300)


def test_pages_and_pictures_of_estimators(folder):
    made = ls.GenericLearner(LINE, epsilon=1, random_state=5).fit(FRAME, "ill", x="dose")
    text = ls.page(made, "page.html")
    assert text == (folder / "page.html").read_text() == ls.page(made.release_)
    assert ls.plot(made) == ls.plot(made.release_)
    assert "NOT PRIVATE" in ls.plot(made)


def test_the_public_surface():
    assert len(ls.__all__) <= 30
    for name in ls.__all__:
        assert getattr(ls, name) is not None
    assert {"audit", "theory"} <= set(ls.__all__)
