"""A label of texts: which one is meant is asked, or it is said that perhaps nobody has it."""

from pathlib import Path

import duckdb
import pandas as pd
import pytest

import littlestone as ls
from littlestone.learners.release import Release

TABLE = pd.DataFrame(
    {"age": [20, 40, 60] * 400, "adult": ["no", "yes", "maybe"] * 400, "ill": [0, 0, 1] * 400}
)
LINE = "--x age --class thresholds(1,99) --epsilon 1"


@pytest.fixture
def tables(run, folder):
    TABLE.to_parquet("t.parquet")
    TABLE.to_csv("t.csv", index=False)
    with duckdb.connect("t.duckdb") as base:
        base.register("frame", TABLE)
        base.execute("create table t as select * from frame")
    return run


@pytest.mark.more
@pytest.mark.parametrize("table", ["t.parquet", "duckdb:///t.duckdb?table=t"])
def test_texts_that_are_declared_need_a_label_before_anything_is_spent(table, tables):
    assert tables("ledger create b.db --epsilon 2").code == 0
    done = tables(f"fit {table} --y adult {LINE} --ledger b.db --out m.json")
    assert done.code == 2
    assert "'adult' as texts" in done.err
    assert "--positive" in done.err
    assert "--labels" in done.err
    assert not any(word in done.err for word in ("maybe", "1,200"))
    assert '"epsilon": 0' in tables("ledger show b.db --json").out.replace(".0", "")
    given = tables(f"fit {table} --y adult {LINE} --positive yes --ledger b.db --out m.json")
    assert given.code == 0
    assert tables(f"fit {table} --y ill {LINE} --ledger b.db").code == 0  # numbers need none


def test_where_nobody_has_the_label_that_is_said_first(tables):
    done = tables(f"fit t.csv --y adult {LINE} --out m.json --positive never --seed 1")
    first = done.out.split()
    assert first[:7] == ["Doubt", "the", "noise", "hides", "whether", "any", "record"]
    assert "'never'" in done.out.partition("Rule")[0]
    assert Release.read("m.json").columns["positive"] == "never"
    scored = tables("score m.json t.csv --epsilon 1 --seed 1").out
    assert scored.split()[:7] == first[:7]
    other = tables("score m.json t.csv --epsilon 1 --seed 1 --positive nobody").out
    assert "label 'nobody'" in other


def test_two_listed_labels_mean_what_they_mean_in_python(tables):
    """Of two the second is positive, and every other cell is the first."""
    Path("s.toml").write_text("[age]\nbins = [30, 50]\n")
    asked = "--schema s.toml --labels no,yes --epsilon 8 --seed 1 --model tree --out m.json"
    assert tables(f"fit t.csv --y adult {asked}").code == 0
    made = ls.fit(
        "t.csv", y="adult", labels=["no", "yes"], epsilon=8, model="tree", random_state=1,
        schema=ls.Schema.from_toml("s.toml"),
    )  # fmt: skip
    assert Release.read("m.json").to_dict() == made.release_.to_dict()
    strict = tables(f"fit t.csv --y adult --strict {asked}")
    assert strict.code == 2
    assert "adult" in strict.err
    same = tables(f"fit t.csv --y ill {LINE} --strict --positive 0")
    assert "'--negative' option of fit" in same.err or "give --negative" in same.err


def test_where_some_have_it_nothing_is_said(tables):
    done = tables(f"fit t.csv --y adult {LINE} --positive yes --out m.json --seed 1")
    assert done.out.split()[0] == "Rule"
    assert tables("score m.json t.csv --epsilon 1 --seed 1").out.split()[0] == "Rule"


def test_listed_labels_that_nobody_has_are_named(tables):
    Path("s.toml").write_text("[age]\nbins = [20]\n")
    line = "fit t.csv --y adult --schema s.toml --labels never,yes,no"
    done = tables(f"{line} --model tree --epsilon 8 --seed 1")
    said = done.out.partition("Rule")[0].partition("labels occur: ")[2]
    assert said.startswith("'never'.")
    assert "outside the list" in " ".join(said.split())
