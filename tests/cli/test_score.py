"""score, check, dims and audit statistical: what they say and refuse."""

import itertools
import json
import warnings
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from flint import arb
from report.checker import embedded

import littlestone as ls
from littlestone.classes import littlestone_dimension, load
from littlestone.data import Sample
from littlestone.data.targets import TargetSample
from littlestone.errors import NotPrivateWarning
from littlestone.learners import sklearn_base
from littlestone.learners.release import Release
from littlestone.learners.running import score_all
from littlestone.privacy import Ledger, hockey_stick, tightest_epsilon
from littlestone.source import ExactSource, SecureSource, SeededSource

# -- ``littlestone score``: what it costs, says and refuses ----------------------------------------

FIT = "fit data.parquet --x age --y adult --epsilon 8 --class thresholds(1,99) --no-evaluate"


@pytest.fixture
def models(run, folder):
    assert run(f"{FIT} --out good.json").code == 0
    rows = (
        "fit data.parquet --schema schema.toml --y adult --epsilon 8 --class rules(max_literals=1)"
    )
    assert run(f"{rows} --no-evaluate --out rule.json").code == 0


def test_a_model_is_scored_on_a_table(run, models):
    run("ledger create b.db --epsilon 1")
    done = run("score good.json data.csv --epsilon 1/2 --ledger b.db --json")
    assert done.code == 0, done.err
    assert done.json["guarantee"]["epsilon_exact"] == "1/2"
    assert done.json["n"] == 800
    assert done.json["evaluation"]["held_out"] is False, "data.csv is what was learned from"
    assert done.json["quality"]["error"]["high"] < 0.2
    assert str(Ledger("b.db").spent().epsilon) == "1/2"
    said = run("score good.json data.csv --epsilon 1/2 --record r.json")
    record = json.loads(Path("r.json").read_text())
    assert record["deployment"]["basic"]["name"].startswith("evaluation of ")
    assert record["deployment"]["basic"]["data_product_type"] == "Summary statistics"
    assert run("check-record r.json --json").json == {"ok": True, "wrong": []}
    assert "800 records, as many as those of the fit" in said.out
    assert "has a lower error rate than always predicting" in said.out
    assert run("score good.json data.csv --epsilon 1/2 --seed 3").out.count("NOT PRIVATE") == 1
    assert run("score good.json data.csv --epsilon 2 --ledger b.db").code == 4


def test_training_records_are_not_called_held_out(run, models):
    """The table of the fit: nothing about new records, and a warning; for another n, as stated."""
    said = run("score good.json data.parquet --epsilon 1/2")
    assert "held out" not in said.out
    assert "held-out" not in said.out
    assert "new records" not in said.out
    assert "Certified" not in said.out
    assert "as many records as the table that the model was learned from" in said.err
    pq.write_table(pq.read_table("data.parquet").slice(1), "others.parquet")
    said = run("score good.json others.parquet --epsilon 1/2")
    assert "799 records, assumed to be new to the model, with" in said.out
    assert (
        "on new records, with 95% confidence, if the model was not learned from these" in said.out
    )
    assert said.err == ""
    assert run("score good.json others.parquet --epsilon 1/2 --json").json["evaluation"]["held_out"]
    table = pq.read_table("data.parquet").rename_columns(["age", "grown", "city", "person"])
    pq.write_table(table, "named.parquet")
    said = run("score good.json named.parquet --y grown --epsilon 1/2")
    assert "assumed to be new to the model" in said.out, "other columns"


def test_a_large_epsilon_is_said(run, models):
    said = run("score good.json data.csv --epsilon 21 --json")
    assert said.json["guarantee"]["epsilon"] == 21
    assert "epsilon 21 is above 20" in said.err
    assert "above 20" not in run("score good.json data.csv --epsilon 20").err


def release_of(above):
    made = ls.GenericLearner(ls.Thresholds(1, 2), epsilon=1, random_state=above)
    return made.fit([1, 2], [0, 1]).release_


@pytest.mark.full
def test_one_record_is_protected():
    """All data sets of one record: the whole evaluation is epsilon-private."""
    release = release_of(0)
    laws = []
    for x, y in ((1, 0), (2, 1), (1, 1), (2, 0)):
        sample = Sample.of([x], [y])
        laws.append(
            ExactSource().law(
                lambda s, sample=sample: (
                    score_all([(release, sample)], s, epsilon=1)[0].evaluation.counts
                )
            )
        )
    pairs = [(p.outcomes, q.outcomes) for p in laws for q in laws if p is not q]
    assert all(bool(hockey_stick(p, q, Fraction(1)) <= arb(2) ** -100) for p, q in pairs)
    assert max(tightest_epsilon(p, q, 0) for p, q in pairs) > 0.9


def test_nothing_is_drawn_where_the_sample_does_not_fit():
    with pytest.raises(ls.errors.LittlestoneError):
        score_all([(release_of(0), Sample.of(["a"], [0]))], SecureSource(), epsilon=1)
    with pytest.raises(ls.errors.DataError, match="no rows"):
        score_all([(release_of(0), Sample.of([], []))], SecureSource(), epsilon=1)


def test_score_warns_once_in_a_process():
    made = ls.GenericLearner(ls.Thresholds(1, 9), epsilon=4, random_state=0)
    made.fit([2, 8] * 100, [0, 1] * 100)
    sklearn_base._warn_once.cache_clear()
    with pytest.warns(NotPrivateWarning, match="spend a part of epsilon"):
        made.score([2, 8], [0, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert made.score([2, 8], [0, 1]) == 1


def test_a_model_says_its_own_columns(run, models):
    release = Release.read("good.json")
    found, other = score_all(
        [(release, Sample.of([20, 3] * 50, [1, 0] * 50))] * 2, SeededSource(0), epsilon=20
    )
    assert found.evaluation.epsilon == other.evaluation.epsilon == 10
    assert found.certificate is None
    assert found.hypothesis == release.hypothesis


@pytest.mark.first(1)
@pytest.mark.parametrize("how", ["--model scorecard", "--model rule --samples-per-user 2"])
def test_models_of_users_are_scored_by_users(run, folder, how):
    """Each user pays, for all records, and one of them is looked at; their number stays secret."""
    fit = "fit data.parquet --schema schema.toml --y adult --user person --epsilon 8"
    assert run(f"{fit} {how} --out m.json").code == 0
    run("ledger create u.db --epsilon 3 --neighbours user-replace")
    done = run("score m.json data.csv --epsilon 3 --ledger u.db --json --record r.json")
    assert done.code == 0, done.err
    assert done.json["guarantee"]["neighbours"] == "user-replace"
    assert done.json["n"] == 200, "users"
    assert done.json["quality"]["error"]["value"] < 0.3
    assert Ledger("u.db").spent().epsilon == 3
    record = json.loads(Path("r.json").read_text())
    assert record["deployment"]["privacy_loss"]["privacy_unit"] == "User"
    assert run("check-record r.json --json").json == {"ok": True, "wrong": []}
    said = run("score m.json data.csv --epsilon 3").out
    assert "200 records, one of each user, as many as those of the fit" in said
    assert "800" not in said + done.out
    (folder / "other.csv").write_text("city,age,adult,who\n" + "Bonn,44,1,ann\nRome,3,0,bob\n" * 9)
    other = run("score m.json other.csv --epsilon 3 --user who")
    assert "2 records, one of each user, assumed to be new to the model" in other.out
    assert run("score m.json other.csv --epsilon 3").code == 2, "no column person"


def test_users_are_for_models_that_protect_them(run, models):
    assert "left out" in run("score rule.json data.csv --epsilon 1 --user person").err


TWO = ls.Schema.from_dict({"age": {"bins": [5]}})


@pytest.mark.more
def test_a_score_of_users_loses_what_it_says_whatever_a_user_has():
    """The exact law of the histogram of users with one record, or two; all neighbours."""
    made = ls.Scorecard(TWO, epsilon=1, rounds=1, random_state=0)
    release = made.fit([[3], [9]] * 20, [0, 1] * 20, groups=list(range(20)) * 2).release_
    users = [((2, 0),), ((3, 1),), ((2, 0), (3, 1))]

    def law(of):
        points, codes, names = zip(
            *((own[0], own[1], user) for user, records in enumerate(of) for own in records),
            strict=True,
        )  # fmt: skip
        sample = TargetSample.of(np.array(points)[:, None], codes, names)

        def score(source):
            (found,) = score_all([(release, sample)], source, epsilon=1)
            return found.evaluation.counts

        return ExactSource().law(score).outcomes

    pairs = list(itertools.permutations([law([own]) for own in users], 2))
    assert all(bool(hockey_stick(p, q, Fraction(1)) <= arb(2) ** -100) for p, q in pairs)
    assert max(tightest_epsilon(p, q, 0) for p, q in pairs) > 0.9


# -- Commands that write pages: where, when, and what they refuse ----------------------------------

PLAN = "plan --class thresholds(1,99) --epsilon 1 --alpha 0.1 --beta 0.05"


def test_the_report_has_what_is_printed_as_json(run, folder):
    done = run(f"{PLAN} --report page.html --json")
    assert done.code == 0
    assert embedded((folder / "page.html").read_text()) == done.json


def test_stream_report(run, folder):
    line = "--class thresholds(1,99) --epsilon 1 --delta 1e-6 --horizon 900 --x age --y adult"
    assert run(f"stream data.csv --state s {line} --out o.csv --quiet").code == 0
    done = run("stream --state s --report page.html --export p.json")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert embedded((folder / "page.html").read_text()) == json.loads(
        (folder / "p.json").read_text()
    )


# -- ``littlestone check``: the noise beforehand, the report, refusals -----------------------------

LINE = "check data.csv --schema schema.toml --y adult --epsilon 1"


def test_a_report_is_printed(run):
    done = run(f"{LINE} --seed 1")
    assert done.code == 0
    for part in ("city", "age", "adult", "NOT PRIVATE (seeded)", "of 800 records"):
        assert part in done.out
    found = run(f"{LINE} --json").json
    assert found["n"] == 800
    assert found["guarantee"]["epsilon"] == 1
    # ages 3, 12, 16, 17 of eight are labelled 0
    band = found["balance"]["0"]
    assert band["high"] - band["low"] < 0.1
    one = run(f"{LINE} --positive yes --json --seed 2").json
    assert list(one["balance"]) == ["yes"]
    assert "not both" in run(f"{LINE} --positive yes --labels yes,no").err
    assert "Delta" not in done.out
    small = run(f"{LINE} --delta 1e-6 --seed 1").out.splitlines()
    (line,) = [line for line in small if line.startswith("Delta")]
    assert "0 was charged: with a delta, the noise would not be smaller" in line
    assert [one for one in small if one != line] == done.out.splitlines()
    unlabelled = run(f"{LINE} --labels yes,no --json --seed 2").json
    assert unlabelled["label"]["other"]["value"] > 0.9


# -- `littlestone dims`: JSON, text, witnesses, a page, refusals -----------------------------------

MATRIX = "0,0,0\n0,0,1\n0,1,1\n1,1,1\n"


@pytest.fixture
def matrix(folder):
    (folder / "matrix.csv").write_text(MATRIX)
    return np.array([[int(cell) for cell in line.split(",")] for line in MATRIX.split()])


def test_the_contract(run, matrix):
    done = run("dims --json --class", "finite(matrix.csv)")
    assert done.code == 0
    assert done.json == {"vc": 1, "littlestone": 2, "threshold": 3}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("thresholds(1, 2**1024)", {"vc": 1, "littlestone": 1024, "threshold": 2**1024}),
        ("points()", {"vc": 1, "littlestone": 1, "threshold": 1}),
        ("sparse_sets(7)", {"vc": 7, "littlestone": 7, "threshold": 7}),
        ("conjunctions(30)", {"vc": 30, "littlestone": 31, "threshold": 31}),
        ("conjunctions(30, monotone=True)", {"vc": 30, "littlestone": 30, "threshold": 31}),
        ("affine_subspaces(7, 20, 3)", {"vc": 4, "littlestone": 4, "threshold": 4}),
        ("prefixes(ipv4)", {"vc": 1, "littlestone": 32, "threshold": 33}),
        ("intervals(1, 9)", {"vc": 2, "littlestone": 5, "threshold": 9}),
    ],
)
def test_classes(run, spec, expected):
    assert run("dims --json --class", spec).json == expected


def test_rules_need_their_schema(run):
    done = run("dims --json --schema schema.toml --class", "rules(max_literals=1)")
    assert set(done.json) == {"vc", "littlestone", "threshold"}


def test_undecided_dimensions_are_bounds(run, folder):
    rng = np.random.default_rng(0)
    rows = np.unique(rng.integers(0, 2, (300, 40)), axis=0)
    (folder / "m.csv").write_text("\n".join(",".join(map(str, row)) for row in rows))
    done = run("dims --json --max-nodes 3 --class", "finite(m.csv)")
    assert done.code == 0
    lower, upper = (done.json["littlestone"][end] for end in ("lower", "upper"))
    assert 0 <= lower <= littlestone_dimension(rows) <= upper == 8
    words = run("dims --max-nodes 3 --class", "finite(m.csv)").out
    assert f"between {lower} and {upper}" in words
    large = run("dims --json --class", "intervals(1, 2**64)").json
    assert large == {"vc": 2, "littlestone": 126, "threshold": 2**64}  # closed forms


def test_a_budget_of_nothing_still_has_witnesses(run, folder):
    rows = np.unique(np.random.default_rng(0).integers(0, 2, (300, 40)), axis=0)
    (folder / "m.csv").write_text("\n".join(",".join(map(str, row)) for row in rows))
    done = run("dims --json --witness --max-nodes 0 --class", "finite(m.csv)")
    assert done.code == 0
    assert done.json["littlestone"]["upper"] == 8
    assert "log2" in done.json["littlestone"]["reason"]
    assert done.json["witness"]["shattered_tree"]["depth"] <= done.json["littlestone"]["lower"]
    steps = done.json["witness"]["threshold_sequence"]["points"]
    assert len(steps) == done.json["threshold"]["lower"] >= 1
    quiet = run("dims --json --max-nodes 0 --report p.html --class", "finite(m.csv)")
    assert (quiet.code, quiet.err) == (0, "")


def test_witnesses_are_proofs(run, matrix):
    witness = run("dims --json --witness --class", "finite(matrix.csv)").json["witness"]
    tree = witness["shattered_tree"]
    assert tree["depth"] == 2
    rows = {tuple(row) for row in matrix.tolist()}
    leaves = [load(leaf).predict(np.arange(3)) for leaf in tree["leaves"]]
    for leaf, labels in zip(leaves, product((0, 1), repeat=2), strict=True):
        assert tuple(leaf.tolist()) in rows
        assert leaf[tree["points"][0]] == labels[0]
        assert leaf[tree["points"][1 + labels[0]]] == labels[1]
    shattered = witness["shattered_set"]
    concepts = [load(h).predict(np.arange(3)) for h in shattered["concepts"]]
    assert {tuple(c[shattered["points"]].tolist()) for c in concepts} == {(0,), (1,)}
    steps = witness["threshold_sequence"]
    for i, concept in enumerate(steps["concepts"]):
        labels = load(concept).predict(np.arange(3))
        assert [labels[x] for x in steps["points"]] == [int(i <= j) for j in range(3)]


def test_witnesses_of_large_classes(run):
    witness = run("dims --json --witness --class", "thresholds(1, 2**64)").json["witness"]
    assert witness["shattered_tree"]["depth"] == 6  # the top of a tree of depth 64
    assert "closed form" in witness["shattered_set"]["missing"]
    text = run("dims --witness --class", "points(1, 3)").out
    assert "Shattered tree: levels 1 to 1; the two" in text
    assert "\nThreshold sequence: " in text


def test_the_text(run, matrix):
    lines = run("dims --class", "finite(matrix.csv)").out.split("\n")
    assert [line.split()[-1] for line in lines[:4]] == ["finite(matrix.csv)", "1", "2", "3"]


@pytest.mark.parametrize(
    ("spec", "pictures"),
    [
        ("finite(matrix.csv)", 3),
        ("thresholds(1, 2**64)", 2),
        ("points()", 2),
        ("conjunctions(2)", 2),
        ("affine_subspaces(7, 20, 3)", 0),
        ("intervals(1, 2**64)", 0),
    ],
)
def test_the_page(run, folder, matrix, spec, pictures):
    done = run("dims --report page.html --class", spec)
    assert done.code == 0
    page = (folder / "page.html").read_text()
    assert page.count("<figure") == pictures
    assert "Littlestone dimension" in page
    assert "http" not in page.replace("http-equiv", "")
