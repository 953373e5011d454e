"""Bad input: one clear message, the right exit code, nothing drawn, spent or written."""

import json
import os
import shlex

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import littlestone as ls
from littlestone.cli.main import _EXAMPLES
from littlestone.errors import ParameterError
from littlestone.safe_io import write_text
from littlestone.source import SecureSource, SeededSource

from .conftest import ROWS

#: Words of Python that no message has, unless it is asked for, and cells that none repeats.
UNSAID = ("Traceback", "TypeError", "samples_per_user", "records_per_user", "strict=True", "secret")
UNSAID += ("Learner ", "DecisionTrees", "['", "parameter of propose")


@pytest.fixture(autouse=True)
def nothing_is_drawn(monkeypatch):
    def drawn(*_, **__):
        raise AssertionError("something was drawn")

    for source in (SecureSource, SeededSource):
        for method in ("choose", "below", "permutation"):
            monkeypatch.setattr(source, method, drawn)


def refused(done, *parts, code=2):
    assert done.code == code, done
    assert done.err.startswith("littlestone: ")
    assert done.err.count("\n") == 1
    for part in parts:
        assert part in done.err, done.err
    said = done.out + done.err
    assert not [word for word in UNSAID if word in said and word not in "".join(parts)], said
    assert done.out == "" or "error" in done.json


#: Files that a careless user may name, beside data.csv, data.parquet and schema.toml.
FILES = {
    "bad.toml": "age = 3",
    "noise.parquet": "PAR1 secret-name nonsense",
    "table.xls": "x",
    "empty.csv": "age,city,adult\n",
    "none.csv": "",
    "table.txt": "age;adult\n1;1\n",
    "unsorted.toml": "[age]\nbins = [3, 1]\n",
    "age.toml": "[age]\nbins = [20, 30, 40]\n",
    "open.csv": "age,adult\n" + "5,0\n50,1\n" * 50,
    "one.csv": "age,city,adult\n1,Bonn,0\n",
    "t.csv": "age,city,cost,visits,months,died,ill,who\n" + "20,Bonn,4.5,1,3,0,1,7\n" * 9,
}
#: Texts of matrices, and what is said of each.
MATRICES = {
    "0,2\n1,0\n": "0 and 1",
    "0,1\n0,1\n": "without equal rows",
    "": "at least one row",
    "\n\n": "at least one row",
    "0,1\n0\n": "same length",
    "a,b\n": "0 and 1",
    "0;1\n": "one digit",
}


@pytest.fixture(scope="module")
def model():
    card = ls.Scorecard(ls.Schema.from_dict({"age": {"bins": [18]}}), epsilon=1, rounds=1,
                        random_state=0)  # fmt: skip
    return card.fit(ROWS, "adult").release_.to_dict()


@pytest.fixture
def files(folder, model):
    for name, text in FILES.items():
        (folder / name).write_text(text)
    for i, text in enumerate(MATRICES):
        (folder / f"matrix{i}.csv").write_text(text)
    pq.write_table(pa.table({"day": pa.array([1], pa.date32())}), "dates.parquet")
    (folder / "latin.csv").write_bytes("größe,y\n1,1\n".encode("latin-1"))
    (folder / "model.json").write_text(json.dumps(model))
    (folder / "changed.json").write_text(json.dumps(model | {"hypothesis": None}))
    ls.Ledger("b.db", epsilon=100, delta="1e-3")
    ls.Ledger("small.db", epsilon="1/2")
    (folder / "full").mkdir()
    (folder / "full").chmod(0o755)
    (folder / "own").mkdir(mode=0o700)
    (folder / "link").symlink_to("own")
    (folder / "nowhere").symlink_to("absent")
    return folder


def contents(folder):
    return {path: path.is_file() and path.read_bytes() for path in folder.rglob("*")}


FIT = "fit data.csv --y adult --epsilon 1"
ROWS_OF = f"{FIT} --schema schema.toml"
LINE = f"{FIT} --x age --class thresholds(1,99)"
TREES = f"{ROWS_OF} --class"
MODEL = f"{FIT} --ledger b.db"
LABELS = "fit data.csv --y city --epsilon 4 --schema age.toml --class decision_trees(depth=1)"
LISTED = f"{LABELS} --labels Bonn,Rome,Oslo"
VALUE = "fit t.csv --schema age.toml --epsilon 4"
QUANTITY = f"{VALUE} --y cost --target quantity"
TIME = f"{VALUE} --time months --event died --periods 20,40"
USERS = f"{LINE} --user person --samples-per-user 3"
PAPER = "fit data.csv --x city --y adult --class points() --epsilon 1 --delta 1e-6 --learner"
THEOREM_3 = f"{PAPER} lyu.theorem3 --set"
PUBLIC = f"{FIT} --public open.csv"
PLAN = "plan --beta 0.05 --class thresholds(1,99)"
OF_ROWS = "plan --schema schema.toml --alpha 0.1 --beta 0.05"
AUDIT = "audit exact --epsilon 1 --n 2 --class thresholds(1,3)"
OF_USERS = f"{AUDIT} --points 1 --learner users"
CHECK = "check data.csv --schema schema.toml --y adult"
SCORE = "score model.json data.csv --epsilon 1"
TERMS = "--class thresholds(1,99) --epsilon 8 --delta 1e-6 --horizon 900 --state s"
STREAM = f"stream data.csv --x age --y adult {TERMS}"
#: By command, lines that are refused with exit code 2, and what is said.
LINES = {
    "fit": {
        "fit": "fit",
        "fit data.csv --epsilon 1": "--y adult",
        "fit data.csv --y adult": "--epsilon 1",
        "fit nowhere.csv --y adult --epsilon 1": "a file that exists",
        "fit nowhere.csv --y adult --epsilon 1 --ledger b.db": "a file that exists",
        "fit empty.csv --y adult --x age --class points(1,9) --epsilon 1 --ledger b.db": "no rows",
        "fit data.xlsx --y adult --epsilon 1": "data.xlsx",
        "fit data.csv --y adul --epsilon 1": "adul",
        "fit data.csv --y adult --epsilon many": "1 is a common choice",
        "fit data.csv --y adult --epsilon 1e400": "at most 1.79769e+308",
        "fit data.csv --y adult --epsilon 1e-400": "at least 1e-300",
        "fit table.txt --y adult --x age --class points(1,9) --epsilon 1": '--csv "sep=;"',
        "fit data.csv --x age --y age --class thresholds(1,99) --epsilon 1": "is among the pred",
        "fit data.csv --schema schema.toml --y age --model rule --epsilon 1": "is among the pred",
        "fit dates.parquet --y day --target quantity --high 9 --epsilon 1": "a column of numbers",
        "fit nowhere.csv --y adult --epsilon 1 --bounds age=120:0": "'--bounds' option of fit must "
        "be of the form age=0:120",
        "fit nowhere.csv --y adult --epsilon 1 --weights person": "a record would count w times",
        f"{FIT} --delta 2": "--delta",
        f"{FIT} --csv sep=;,sepp=2": "sep",
        f"{FIT} --bounds age=0:9,age=0:8": "once for each column",
        f"{FIT} --bounds agee=0:120": "agee",
        f"{FIT} --seed many": "littlestone fit --help",
        f"{FIT} --schema nowhere.toml": "could not be read",
        f"{FIT} --schema data.csv": "schema",
        f"{FIT} --schema unsorted.toml": "'bins' parameter of column 'age'",
        f"{FIT} --class points": "Name it with --x",
        f"{FIT} --class rules(max_literals=2)": "--schema",
        f"{FIT} --class auto": "decision_trees",
        f"{TREES} desicion_trees(depth=2)": "decision_trees",
        f"{TREES} decision_trees(depth=5)": "parameter of decision_trees must be 1, 2, 3 or 4",
        f"{TREES} boosted_trees(depth=2) --costs 0=1,1=5": "'--costs' option",
        f"{TREES} rules --labels 1": "'--labels' option of fit must be 2 to 100 labels",
        f"{TREES} rules --labels 1,1.0": "that differ as cells",
        f"{TREES} rules --learner vc1": "'--delta' option of fit",
        f"{ROWS_OF} --x agee": "agee",
        f"{ROWS_OF} --out nowhere/m.json": "create it first",
        f"{ROWS_OF} --out data.csv": "a file that is not read",
        f"{ROWS_OF} --ledger nowhere.db": "Create the ledger first: littlestone ledger create",
        f"{ROWS_OF} --evaluate 2": "--evaluate",
        f"{ROWS_OF} --evaluate 0.1 --no-evaluate": "not both",
        f"{ROWS_OF} --holdout 2": "--holdout",
        f"{ROWS_OF} --holdout 20%": "5% is 0.05",
        f"{ROWS_OF} --labels a,b --positive a": "not both",
        f"{ROWS_OF} --negative no": "--strict",
        f"{ROWS_OF} --seed -1": "--seed",
        f"{ROWS_OF} --require-certificate": "--model rule",
        f"{ROWS_OF} --strict --positive yes --negative no --model tree": "adult",
        f"{FIT} --x age --class points(1,9) --strict": "without --strict",
        f"{LINE} --costs 1=9": "for the label 1 and the other",
        f"{LINE} --costs yes=9,no=1": "for the label 1 and the other",
        f"{LINE} --costs 0=1,1=9,2=1": "for the label 1 and the other",
        f"{LINE} --costs 0=1,1=x": "'--costs'",
        f"{LINE} --costs balanced": "for the label 1 and the other",
        f"{LINE} --learner vc1 --delta 1e-6 --costs 0=1,1=9": "costs",
        f"{LINE} --evaluate 5/2": "Got '5/2'.",
        f"{LINE} --record r.json --seed 1": "seeded",
        f"{LINE} --record r.json --out r.json": "record",
        f"{LINE} --learner generic --set k=2": "algorithms of the papers",
        f"{LINE} --ledger b.db --seed 1": "seeded",
        f"{LINE} --ledger b.db --out b.db": "would lose the record",
        f"{LINE} --alpha 0": "'--alpha' option of fit must be",
        f"{LINE} --ledger b.db --strict --positive 7 --negative 8": "adult",
    },
    "fit of models": {
        f"{MODEL} --model forest": "scorecard",
        f"{MODEL} --models rule": "--model",
        f"{MODEL} --model tree --class points()": "--class or --model",
        f"{MODEL} --model tree --costs 0=1,1=x": "'--costs'",
        f"{MODEL} --model rule --beta 1.5": "'--beta' option of fit",
        f"{MODEL} --learner vc1": "--class",
        f"{MODEL} --agnostic": "--class",
        f"{MODEL} --costs 0=1,1=9": "--model tree",
        f"{MODEL} --require-certificate": "--schema",
        f"{MODEL} --labels a,b,c --model rule": "use the model tree",
        f"{MODEL} --holdout 0.2 --evaluate 1": "at most 0.98",
        f"{MODEL} --holdout 0.2 --no-evaluate": "--no-evaluate",
        f"{MODEL} --holdout 1e-9": "at least one of",
        f"{MODEL} --x agee": "agee",
        f"{MODEL} --strict": "--schema",
        f"{TREES} scorecard --evaluate 1": "smaller than epsilon",
        f"{TREES} scorecard --evaluate 2 --holdout 0.2": "at most epsilon",
        f"{TREES} scorecard --holdout 0.2 --no-evaluate": "needs evaluate",
        f"{TREES} scorecard --require-certificate": "no certificate before data",
        f"{TREES} scorecard --learner agnostic": "learner 'boosting'",
        f"{TREES} scorecard --user adult": "two roles",
        f"{TREES} scorecard --user person --samples-per-user 3": "all records of a user",
        f"{TREES} scorecard(rounds=2000)": "parameter of Scorecard must be at most",
        f"{FIT} --x age --class thresholds(1,9) --learner boosting": "boosted_trees",
        "fit one.csv --y adult --epsilon 1 --schema schema.toml --class scorecard --holdout "
        "0.2": "at least one of 1 record, and not all. Got 1/5. Without it",
    },
    "fit of labels": {
        f"{LISTED} --positive Rome": "not both",
        f"{LISTED} --negative Rome": "not both",
        f"{LISTED} --learner vc1 --delta 1e-6": "VC1Learner learns the labels 0 and 1",
        f"{LISTED} --costs Bonn=1,Rome=2": "each label of --labels",
        f"{LISTED} --user person": "--user",
        f"{LABELS} --labels Bonn,Oslo,Ulm --strict": "one of the public labels",
        LISTED.replace("decision_trees(depth=1)", "rules(max_literals=1)"): "scorecard take any",
        f"{LABELS} --labels a": "2 to 100 labels",
        f"{LABELS} --labels a,a": "different labels, separated by commas",
        f"{LABELS} --labels 1,yes": "that differ as cells",
        f"{LABELS} --labels a,No,0": "that differ as cells",
    },
    "fit of quantities, counts and times": {
        QUANTITY: "--high",
        f"{VALUE} --y cost --high 3": "--target",
        f"{QUANTITY} --high 300 --labels a,b": "--labels",
        f"{QUANTITY} --high 300 --periods 3": "--periods",
        f"{QUANTITY} --high 300 --class rules(1)": "scorecard",
        f"{QUANTITY} --high 300 --positive 1": "--positive",
        f"{QUANTITY} --high -5": "'--low' option of fit must be below",
        f"{VALUE} --y visits --target count --high 20 --loss huber": "--loss",
        f"{VALUE} --y age --target quantity --high 3": "age",
        f"{VALUE} --time months --periods 3": "--event",
        f"{VALUE} --time age --event age --periods 9": "two columns",
        f"{TIME} --y cost": "--time",
        f"{TIME} --interval 90%": "--interval",
        VALUE: "--y",
        f"{VALUE} --y ill --class scorecard --user who --samples-per-user 3": "all",
        f"{VALUE} --y ill --model tree --interval 90%": "scorecards",
        f"{VALUE} --y ill --interval 90": "in (0, 1)",
    },
    "fit of users": {
        f"{ROWS_OF} --model rule --user person": "for example 16",
        f"{ROWS_OF} --model boosted --user person --samples-per-user 2": "rule",
        f"{LINE} --user person": "for example 16",
        f"{LINE} --samples-per-user 3": "the column that names them",
        f"{LINE} --user person --samples-per-user 0": "must be an integer >= 1",
        f"{LINE} --user person --samples-per-user 2.5": "must be an integer >= 1. Got '2.5'",
        f"{LINE} --user person --samples-per-user many": "must be an integer >= 1. Got 'many'",
        f"{LINE} --user nobody --samples-per-user 3": "no column 'nobody'",
        f"{LINE} --learner users": "How many records of each user are read",
        f"{USERS} --learner generic": "It is for: users",
        f"{USERS} --delta 1e-6 --learner users": "pure epsilon-DP",
        f"{USERS} --costs 0=1,1=9": "--costs cannot be combined with the protection of users",
    },
    "fit of papers and public points": {
        f"{THEOREM_3} epsilon=9": "Privacy is computed",
        f"{THEOREM_3} speed=9": "Its parameters: k, chunk",
        f"{THEOREM_3} k": "of the form chunk=40",
        f"{THEOREM_3} k=two": "cannot read 'two'",
        f"{THEOREM_3} k=2 --set k=3": "once for each name",
        f"{PAPER} lyu.theorem4": "The names are: yan.algorithm1",
        f"{PAPER} alon.soa": "use it from Python",
        f"{PAPER} lyu.algorithm3": "littlestone.papers.DPOL",
        f"{FIT} --bins 9": "'--bins' option of fit needs --public",
        f"{FIT} --public data.csv": "must not be the table of the records",
        f"{PUBLIC} --shift 1,0": "is for a --class",
        f"{PUBLIC} --bounds age=0:9": "left out with a schema",
        f"{PUBLIC} --x nothing": "nothing",
        f"{PUBLIC} --require-certificate": "--model rule or tree",
        f"{LINE} --bins 9": "needs --public",
        f"{LINE} --shift 1,0": "needs --public",
        f"{LINE} --public open.csv --schema schema.toml": "not both",
        f"{LINE} --public data.csv": "must not be the table of the records",
        f"{LINE} --public open.csv --shift 0,0": "and 0 <= tau < 1. Got ['0', '0']",
        f"{LINE} --public open.csv --bins 9": "for rules",
        f"{PUBLIC} --class thresholds(1,99) --x nothing": "no column",
    },
    "plan": {
        "plan --epsilon 1 --alpha 0.1 --beta 0.05": "--class",
        "plan --clas x": "Did you mean --class?",
        f"{PLAN} --alpha 0.1 --epsilon 0": "'--epsilon'",
        f"{PLAN} --epsilon 1 --alpha 1": "'--alpha'",
        f"{PLAN} --epsilon 1 --alpha 0.1 --delta 1": "'--delta'",
        f"{PLAN} --epsilon 1 --alpha 0.1 --samples-per-user 0": "'--samples-per-user'",
        f"{PLAN} --epsilon 1": "plan needs --alpha",
        f"{PLAN} --epsilon 1 --alpha 0.1 --n 7": "--solve",
        f"{PLAN} --epsilon 1 --alpha 0.1 --report none/page.html": "folder does not exist",
        f"{PLAN} --solve epsilon --alpha 0.1": "plan needs --n",
        f"{PLAN} --solve beta --n 5 --epsilon 1 --alpha 0.1": "for --solve. Choose",
        f"{PLAN} --solve epsilon --n 5 --epsilon 1 --alpha 0.1": "leave it out",
        f"{PLAN} --solve alpha --n 9 --epsilon 1 --horizon 9": "'--horizon' option of plan",
        f"{PLAN} --solve alpha --n 9 --epsilon 1 --report p.html": "'--report' option of plan",
        "plan --class points() --epsilon 1 --alpha 0.1 --beta x": "'--beta'",
        "plan --class pints() --epsilon 1 --alpha 0.1 --beta 0.05": "points()",
        "plan --class rules(max_literals=1) --epsilon 1 --alpha 0.1 --beta 0.05": "schema new",
        "plan --model boosted --epsilon 1": "rehearse TWIN",
        "plan --model tree --epsilon 1": "--class",
        f"{OF_ROWS} --class scorecard --epsilon 1": "holdout",
        f"{OF_ROWS} --class boosted_trees(depth=2) --epsilon 1": "10,000 or 100,000 records, "
        "with 95% confidence",
        f"{OF_ROWS} --class scorecard --solve epsilon --n 9": "have no error bound before data",
    },
    "audit": {
        f"{AUDIT} --learner generic --points 7": "'--points'",
        f"{AUDIT} --learner generic --points 1,,2": "'--points'",
        f"{AUDIT} --learner generic --points ''": "'--points'",
        f"{AUDIT} --learner generic --points x": "'--points'",
        f"{AUDIT} --learner generic --points 1 --samples-per-user 2": "It is for: users",
        f"{AUDIT} --learner generic --points 1 --records-per-user 2": "protects records",
        OF_USERS: "must be given",
        f"{OF_USERS} --samples-per-user 0": "--samples-per-user",
        f"{OF_USERS} --samples-per-user 1 --records-per-user none": "--records-per-user",
        f"{OF_USERS} --samples-per-user 1 --method best": "'--method'",
    },
    "check and score": {
        f"{CHECK} --epsilon 1 --ledger b.db --epsilon 1/200": "--epsilon",
        "check data.csv --schema schema.toml --epsilon 1 --ledger b.db": "--y",
        "check --schema schema.toml --epsilon 1 --y adult": "check needs DATA",
        f"{CHECK} --epsilon 1 --seed -1": "'--seed' option of check",
        f"{CHECK} --epsilon 1 --labels yes,yes": "different labels, separated by commas",
        "check data.csv --schema schema.toml --y sick --epsilon 1 --ledger b.db": "sick",
        "score model.json data.csv --epsilon 0": "'--epsilon'",
        "score model.json empty.csv --epsilon 1": "has no rows",
        "score nowhere.json data.csv --epsilon 1": "nowhere.json",
        f"{SCORE} --y none": "no column 'none'",
        f"{SCORE} --seed -1": "'--seed'",
        f"{SCORE} --record r.json --seed 1": "seeded",
        f"{SCORE} --user person": "left out",
    },
    "models and schemas": {
        "fitt data.csv": 'Did you mean "fit"?',
        "predict": "model.json",
        "predict nowhere.json data.csv": "could not be read",
        "predict data.csv data.csv": "model",
        "predict model.json data.csv --out p.xlsx": "a CSV or Parquet file",
        "predict model.json data.csv --key none": "none",
        "report nowhere.json --out p.html": "could not be read",
        "export nowhere.json": "could not be read",
        "export changed.json": "write it again with",
        "export model.json --to xml": "one of sql, python, r, json",
        "export nowhere.json --to json --table t": "left out, or --to sql",
        "export nowhere.json --to json --dialect sqlite": "left out, or --to sql",
        "check-record nowhere.json": "nowhere.json",
        "ledger create c.db": "--epsilon",
        "ledger show data.csv": "If it is a budget ledger",
        f"ledger show {'y' * 5000}/b.db": "",
        f"ledger create {'y' * 300}/{'z' * 300} --epsilon 1": "",
        "schema new nowhere.csv": "nowhere.csv",
        "schema new nothing.csv": "a file that exists",
        "schema new data.csv": "--header-is-public",
        "schema new --y adult": "",
        "schema new --codebook nowhere.csv": "nowhere.csv",
        "schema new data.parquet --out data.parquet": "a file that is not read",
        "schema new latin.csv --header-is-public": '--csv "encoding=latin-1"',
        "schema propose data.csv --epsilon 1 --kinds age --out s.toml": "of the form age=whole",
        "schema propose data.csv --epsilon 1 --out s.toml": "--header-is-public",
    },
    "stream": {
        "stream data.csv --state s": "needs --class",
        "stream data.csv --state s --class thresholds(1,99)": "needs --epsilon",
        "stream --state missing --report page.html": "does not exist",
        "stream --state missing --status": "does not exist",
        f"stream --state {'x' * 5000} --status": "",
        f"stream --state {'x' * 5000} --export p.json": "",
        f"stream --state {'x' * 5000} --report p.html": "",
        f"stream no.csv --x age --y adult {TERMS}": "must be a CSV file",
        f"stream data.csv --x height --y adult {TERMS}": "The file 'data.csv' given to stream has "
        "no column 'height'",
        f"stream data.csv --x age --y nothing {TERMS}": "nothing",
        f"stream data.csv --x age --y age {TERMS}": "is among the predictors",
        f"{STREAM} --user person --records-per-user 0": "'--records-per-user' option",
        f"{STREAM} --out data.csv": "not read",
        f"{STREAM} --out no/p.csv": "folder does not exist",
        f"{STREAM} --out one.csv": "a new file",
        f"{STREAM} --group 0": "group",
        f"{STREAM} --negative 0": "for --strict",
        f"{STREAM} --strict --positive 2": "negative",
        f"{STREAM} --strict --positive 1 --negative yes": "unlike the other labels",
        f"{STREAM} --positive nan": "positive",
        f"{STREAM} --json": "needs --status",
        f"{STREAM} --ledger b.db --seed 3": "seeded",
        STREAM.replace("1e-6", "2"): "delta",
        f"{STREAM[:-1]}one.csv": "must be a folder",
        f"{STREAM[:-1]}link": "must be a folder, not a link",
        f"{STREAM[:-1]}nowhere": "must be a folder, not a link",
        f"{STREAM[:-1]}full": "must belong to you alone",
        f"{STREAM[:-1]}one.csv/s": "could not be created",
        f"{STREAM[:-1]}no/s": "could not be created",
        f"{STREAM[:-1]}{'x' * 5000}": "could not be created",
        **{
            f"stream {data} --x x --y y {TERMS}": lesson
            for data, lesson in {
                "rows.parquet": "must be a file of CSV lines",
                "data.parquet": "read_parquet('data.parquet').to_csv('data.csv', index=False)",
                "rows.csv.gz": "gzip -dc rows.csv.gz |",
                "rows.xlsx": "read_excel('rows.xlsx', dtype=str)",
                "postgresql://ann:secret@localhost/db?table=t": "Its rows have no order",
            }.items()
        },
    },
    "dims": {
        **{f"dims --class finite(matrix{i}.csv)": said for i, said in enumerate(MATRICES.values())},
        "dims --class real_thresholds(0,1)": "infinite",
        "dims --class halfspaces(2)": "infinite",
        "dims --class thresholds(0.0,1.0)": "cannot read",
        "dims --class finite(absent.csv)": "could not be read",
        "dims --class affine_subspaces(4,2,1)": "a prime",
        "dims --class nothing(1)": "There is no class",
        "dims --class rules(max_literals=1)": "--schema",
        "dims --max-nodes -1 --class points()": "max-nodes",
        "dims --report no/p.html --class points()": "folder does not exist",
        "dims --report age.toml --schema age.toml --class rules(max_literals=1)": "overwritten",
    },
}
#: Lines that are refused with another exit code: 3, a certificate or bound; 4, the budget.
OTHERS = {
    f"{LINE} --require-certificate --alpha 0.001": (3, "there are 800"),
    f"{LINE} --ledger b.db --require-certificate --alpha 1e-6": (3, "certificate"),
    f"{ROWS_OF} --model rule --require-certificate --alpha 0.001": (3, "certificate"),
    f"{ROWS_OF} --model rule --ledger small.db": (4, "needs epsilon 1"),
    "fit nowhere.csv --x age --y adult --class thresholds(1,99) --epsilon 1 --ledger small.db": (
        4, "needs epsilon 1",
    ),
    f"{CHECK} --epsilon 1/200 --ledger b.db": (3, "records"),
    f"{CHECK} --epsilon 2 --ledger small.db": (4, "needs epsilon 2"),
    f"{PLAN} --solve epsilon --n 3 --alpha 0.1": (3, "records"),
    "schema propose one.csv --epsilon 1 --out l.toml --header-is-public": (3, "from 1 record"),
}  # fmt: skip


@pytest.mark.parametrize("command", LINES)
def test_a_refusal_teaches_and_changes_nothing(command, files, run):
    before = contents(files)
    for line, words in LINES[command].items():
        refused(run("", *shlex.split(line)), words)
        assert contents(files) == before, line


def test_what_is_not_enough_changes_nothing(files, run):
    before = contents(files)
    for line, (code, words) in OTHERS.items():
        refused(run(line), words, code=code)
        assert contents(files) == before, line


GOOD = {
    "data": "data.parquet",
    "--x": "age",
    "--y": "adult",
    "--class": "thresholds(1, 99)",
    "--epsilon": "1",
    "--out": "m.json",
    "--report": "p.html",
}
RULES = {"--class": "rules(max_literals=1)", "--schema": "schema.toml"}
#: What is changed of a good call, and what the message has.
CHANGES = [
    *(
        ({"--epsilon": e}, "'--epsilon'", "a number in (0, inf)")
        for e in ["0", "-1", "nan", "inf", "one"]
    ),
    ({"--epsilon": ""}, "'--epsilon'", "a number in (0, inf)"),
    *(({"--alpha": value}, "'--alpha'", "(0, 1)") for value in ["0", "1", "nan", "2", "x"]),
    *(({"--beta": value}, "'--beta'", "(0, 1)") for value in ["0", "1", "nan", "2", "x"]),
    *(({"--delta": value}, "'--delta'", "(0, 1)") for value in ["2", "1", "nan"]),
    *(({"--evaluate": value}, "'--evaluate'") for value in ["0", "nan", "-1"]),
    ({"--delta": "1e-6", "--learner": "generic"}, "delta", "leave delta out"),
    ({"--seed": "-1"}, "'--seed'"),
    ({"--seed": "x"}, "--seed"),
    ({"--x": "agee"}, "no column 'agee'", "Did you mean 'age'?"),
    ({"--y": "adlt"}, "no column 'adlt'", "Did you mean 'adult'?", "The table given to fit has"),
    ({"--x": None}, "'--x'", "--x"),
    ({"--x": "age,city"}, "one column", "['age', 'city']"),
    ({"--x": "age,,city"}, "separated by commas"),
    ({"--class": "treshold(1, 9)"}, "Did you mean thresholds(1, 99)?"),
    ({"--class": "nonsense"}, "thresholds(1, 99)"),
    ({"--class": "thresholds(9, 1)"}, "low"),
    ({"--class": "finite(absent.csv)"}, "absent.csv"),
    ({"--class": "rules(max_literals=1)"}, "--schema"),
    ({"--schema": "schema.toml"}, "Leave out --schema", "decision_trees"),
    (RULES | {"--x": "agee"}, "no column 'agee'", "Did you mean 'age'?"),
    (RULES | {"--schema": "none.toml"}, "none.toml"),
    (RULES | {"--schema": "bad.toml"}, "age"),
    ({"--learner": "agnostik"}, "Did you mean 'agnostic'?"),
    ({"data": "none.parquet"}, "argument of fit must", "none.parquet"),
    ({"data": "noise.parquet"}, "noise.parquet"),
    ({"data": "table.xls"}, "table.xls"),
    ({"data": "."}, "DATA argument"),
    ({"data": "empty.csv"}, "no rows"),
    ({"data": "none.csv"}, "none.csv"),
    ({"--strict": True, "--positive": "yes"}, "--negative"),
    ({"--negative": "0"}, "--strict"),
    ({"--out": "no/such/m.json"}, "'--out'", "folder does not exist"),
    ({"--report": "no/such/p.html"}, "'--report'", "folder does not exist"),
    ({"--out": "."}, "'--out'", "is a folder"),
    ({"--out": "both", "--report": "./both"}, "'--report'", "a file other than"),
    ({"--out": "./data.parquet"}, "'--out'", "would be overwritten"),
    ({"--epsilonn": "1"}, "--epsilonn"),
    ({"data": "--x"}, ""),
]


def fit(run, changes):
    options = GOOD | changes
    line = ["fit", options.pop("data")]
    for flag, value in options.items():
        if value is not None:
            line += [flag] if value is True else [flag, value]
    return run("", *line)


def test_changes_of_a_good_call(run, files):
    before = contents(files)
    for changes, *parts in CHANGES:
        refused(fit(run, changes), *parts)
        assert contents(files) == before, changes


def test_strict_refuses_cells_outside_of_domain_and_labels(run, folder):
    text = (folder / "data.csv").read_text()
    for cell in ("100", "0", "2.5", "abc-secret", ""):
        (folder / "odd.csv").write_text(text.replace("\n60,", f"\n{cell},", 1))
        done = fit(run, {"data": "odd.csv", "--strict": True})
        refused(done, "'age'", "an integer in [1, 99]")
        assert "secret" not in done.err
        assert "2.5" not in done.err
    for cell in ("2", "maybe", ""):
        (folder / "odd.csv").write_text(text.replace("\n60,1,", f"\n60,{cell},", 1))
        done = fit(run, {"data": "odd.csv", "--strict": True})
        refused(done, "'adult'")
        assert "maybe" not in done.err


def test_write_protected_folders_and_files(run, folder, monkeypatch):
    (folder / "kept.json").write_text("kept")
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write everywhere
    refused(fit(run, {}), "'--out'", "Its folder is write-protected")
    refused(fit(run, {"--out": "kept.json"}), "'--out'", "It is write-protected")
    assert (folder / "kept.json").read_text() == "kept"


def test_a_disk_that_fills_up_keeps_the_old_file(folder, monkeypatch):
    (folder / "kept.json").write_text("kept")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ParameterError, match="No space left"):
        write_text("kept.json", "new")
    assert (folder / "kept.json").read_text() == "kept"
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]


#: A line that lacks something, and the example that is shown.
LESSONS = {
    "dims": 'dims needs --class, for example --class "thresholds(1, 99)".',
    "fit": "fit needs DATA, for example people.csv.",
    "fit data.csv --x age --epsilon 1": "fit needs --y, for example --y adult: the column of "
    "labels. For times, use --time and --event.",
    "plan --class points()": "plan needs --epsilon, for example --epsilon 1.",
    "predict m.json": "predict needs DATA, for example people.csv.",
    "report m.json": "report needs --out, for example --out page.html.",
    "schema propose t.csv --epsilon 1": "schema propose needs --out, for example --out "
    "schema.toml.",
    "audit exact": 'audit exact needs --class, for example --class "thresholds(1, 99)".',
}


def test_what_is_missing_is_shown_by_an_example(run, folder):
    for line, lesson in LESSONS.items():
        done = run(line)
        refused(done)
        command = lesson.split(" needs ")[0]
        assert done.err == f"littlestone: {lesson} See littlestone {command} --help.\n"


def test_every_required_parameter_has_an_example(run):
    for command in ("fit", "predict", "report", "dims"):
        lines = run(f"{command} --help").out.splitlines()
        required = [line.split()[2] for line in lines if line.startswith("│ *")]
        assert required
        assert set(required) <= set(_EXAMPLES)


def test_errors_as_json(run, folder):
    done = fit(run, {"--epsilon": "0", "--json": True})
    refused(done)
    assert done.json["error"]["kind"] == "ParameterError"
    assert done.json["error"]["exit_code"] == 2
    assert "'--epsilon'" in done.json["error"]["message"]
    usage = fit(run, {"--epsilonn": "0", "--json": True})
    assert usage.json["error"]["kind"] == "UsageError"
    assert usage.code == 2


def test_a_defect_shows_its_type_only(run, folder, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("row 17: Jane Roe")

    monkeypatch.setattr("littlestone.learners.running.run", broken)
    done = fit(run, {})
    refused(done, "RuntimeError", code=1)
    assert "Jane" not in done.err
