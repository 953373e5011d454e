"""Wrong command lines: each ends with one line that says what to do, exit code 2 or 3."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import littlestone as ls

from .conftest import ROWS

FIT = "fit data.csv --y adult --epsilon 1"
LINE = "fit data.csv --y adult --x age --class points(1,9) --epsilon 1"
TREES = "fit data.csv --schema schema.toml --y adult --epsilon 1 --class"
STREAM = "stream data.csv --state s --y adult --class thresholds(1,99) --epsilon 8 --delta 1e-6"
STREAM += " --horizon 9"
PLAN = "--schema schema.toml --alpha 0.1 --beta 0.05"
#: Words of Python that no message has.
PYTHON = ("Traceback", "TypeError", "samples_per_user", "records_per_user", "strict=True")
PYTHON += ("Learner ", "DecisionTrees", "['")
#: Wrong lines, and what is said.
CALLS = {
    "fitt data.csv": "fit",
    "fit": "fit",
    "fit data.csv --epsilon 1": "--y adult",
    "fit data.csv --y adult": "--epsilon 1",
    "fit nowhere.csv --y adult --epsilon 1": "a file that exists",
    "fit data.xlsx --y adult --epsilon 1": "data.xlsx",
    "fit data.csv --y adul --epsilon 1": "adul",
    "fit data.csv --y adult --epsilon many": "1 is a common choice",
    "fit data.csv --y adult --epsilon -1": "--epsilon",
    f"{FIT} --delta 2": "--delta",
    f"{FIT} --model forest": "scorecard",
    f"{FIT} --models rule": "--model",
    f"{FIT} --model rule --class points()": "--class or --model",
    f"{FIT} --class points": "Name it with --x",
    f"{FIT} --class rules(max_literals=2)": "--schema",
    f"{FIT} --class auto": "decision_trees",
    f"{FIT} --class desicion_trees(depth=2) --schema schema.toml": "decision_trees",
    f"{FIT} --schema nowhere.toml": "could not be read",
    f"{FIT} --schema data.csv": "schema",
    f"{FIT} --schema schema.toml --x agee": "agee",
    f"{FIT} --schema schema.toml --out nowhere/m.json": "create it first",
    f"{FIT} --schema schema.toml --out data.csv": "a file that is not read",
    f"{FIT} --schema schema.toml --ledger nowhere.db": "Create the budget ledger first",
    f"{FIT} --schema schema.toml --evaluate 2": "--evaluate",
    f"{FIT} --schema schema.toml --evaluate 0.1 --no-evaluate": "not both",
    f"{FIT} --schema schema.toml --holdout 2": "--holdout",
    f"{FIT} --schema schema.toml --labels a": "2 to 100 labels",
    f"{FIT} --schema schema.toml --labels a,b --positive a": "not both",
    f"{FIT} --schema schema.toml --negative no": "--strict",
    f"{FIT} --schema schema.toml --model rule --user person": "for example 16",
    f"{FIT} --schema schema.toml --model boosted --user person --samples-per-user 2": "rule",
    f"{FIT} --schema schema.toml --seed -1": "--seed",
    f"{FIT} --csv sep=;,sepp=2": "sep",
    f"{FIT} --bounds age=0:9,age=0:8": "once for each column",
    f"{FIT} --seed many": "littlestone fit --help",
    f"{FIT} --schema unsorted.toml": "'bins' parameter of column 'age'",
    f"{FIT} --schema schema.toml --holdout 20%": "5% is 0.05",
    f"{FIT} --target quantity --high -5": "'--low' option of fit must be below",
    f"{FIT} --schema schema.toml --class scorecard --user adult": "two roles",
    "fit data.csv --time age --event age --epsilon 1 --periods 9": "two columns",
    "fit dates.parquet --y day --target quantity --high 9 --epsilon 1": "a column of numbers",
    "score model.json empty.csv --epsilon 1": "has no rows",
    "predict": "model.json",
    "predict nowhere.json data.csv": "could not be read",
    "predict data.csv data.csv": "model",
    "predict model.json data.csv --out p.xlsx": "a CSV or Parquet file",
    "report nowhere.json --out p.html": "could not be read",
    "export nowhere.json --to json --table t": "left out, or --to sql",
    "export nowhere.json --to json --dialect sqlite": "left out, or --to sql",
    "export changed.json": "write it again with",
    "export nowhere.json": "could not be read",
    "score nowhere.json data.csv --epsilon 1": "could not be read",
    "plan --class scorecard --schema schema.toml --epsilon 1 --alpha 0.1 --beta 0.05": "holdout",
    "ledger create b.db": "--epsilon",
    "ledger show data.csv": "If it is a budget ledger",
    "schema new nowhere.csv": "nowhere.csv",
    "schema propose data.csv --epsilon 1 --kinds age --out s.toml": "like age=whole",
    "schema propose data.csv --epsilon 1 --out s.toml": "--header-is-public",
    f"{LINE} --samples-per-user 0 --user person": "'--samples-per-user' option",
    f"{LINE} --strict": "without --strict",
    f"{LINE} --subsample 1/2 --user person --samples-per-user 1": "draws records, not users",
    f"{STREAM} --x height": "The file 'data.csv' given to stream has no column 'height'",
    f"{STREAM} --x age --user person --records-per-user 0": "'--records-per-user' option",
    "check data.csv --schema schema.toml --y adult --epsilon 1 --labels yes,yes": "different "
    "labels, separated by commas",
    f"plan --class boosted_trees(depth=2) --epsilon 1 {PLAN}": "10,000 or 100,000 records, it "
    "certifies an error of at most about",
    f"plan --class scorecard --solve epsilon --n 9 {PLAN}": "has no error bound before data",
    f"{TREES} boosted_trees(depth=2) --costs 0=1,1=5": "'--costs' option",
    f"{TREES} decision_trees(depth=1) --subsample 1/2 --delta 0.9": "Got 9/10",
    f"{TREES} decision_trees(depth=5)": "parameter of decision_trees must be 1, 2, 3 or 4",
    f"{TREES} rules --labels 1": "'--labels' option of fit must be 2 to 100 labels",
    f"{TREES} rules --labels 1,1.0": "that differ as cells",
    f"{TREES} rules --learner vc1": "'--delta' option of fit",
    "schema new latin.csv --header-is-public": '--csv "encoding=latin-1"',
    "schema new nothing.csv": "a file that exists",
    "fit table.txt --y adult --x age --class points(1,9) --epsilon 1": '--csv "sep=;"',
}


@pytest.fixture
def odd(folder):
    """Files that a careless user may name."""
    schema = ls.Schema.from_dict({"age": {"bins": [18]}})
    card = ls.Scorecard(schema, epsilon=1, rounds=1, random_state=0)
    model = card.fit(ROWS, "adult").release_.to_dict()
    (folder / "unsorted.toml").write_text("[age]\nbins = [3, 1]\n")
    (folder / "empty.csv").write_text("age,city,adult\n")
    pq.write_table(pa.table({"day": pa.array([1], pa.date32())}), "dates.parquet")
    (folder / "model.json").write_text(json.dumps(model))
    (folder / "changed.json").write_text(json.dumps(model | {"hypothesis": None}))
    (folder / "latin.csv").write_bytes("größe,y\n1,1\n".encode("latin-1"))
    (folder / "table.txt").write_text("age;adult\n1;1\n")


@pytest.mark.usefixtures("odd")
def test_the_refusal_teaches(run, folder):
    before = sorted(folder.iterdir())
    for line, words in CALLS.items():
        done = run(line)
        assert done.code in (2, 3), (line, done)
        assert words in done.err, (line, done.err)
        assert not any(word in done.out + done.err for word in PYTHON), (line, done.err)
        assert sorted(folder.iterdir()) == before, line


def test_no_command_is_a_question(run):
    done = run("")
    assert done.code == 0
    assert "--help" in done.out
