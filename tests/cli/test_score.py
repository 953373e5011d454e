"""``littlestone score`` and ``compare``: what they cost, say and refuse."""

import itertools
import json
import warnings
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow.parquet as pq
import pytest
from flint import arb

import littlestone as ls
from littlestone.data import Sample
from littlestone.data.targets import TargetSample
from littlestone.errors import NotPrivateWarning
from littlestone.evaluation import Band
from littlestone.learners import sklearn_base
from littlestone.learners.release import Release
from littlestone.learners.running import score_all
from littlestone.privacy import Ledger, hockey_stick, tightest_epsilon
from littlestone.source import ExactSource, SecureSource, SeededSource

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
    assert "as many records as the one that was learned from" in said.err
    pq.write_table(pq.read_table("data.parquet").slice(1), "others.parquet")
    said = run("score good.json others.parquet --epsilon 1/2")
    assert "799 records that you state were held out" in said.out
    assert "on new records, if these were held out, except" in said.out
    assert said.err == ""
    assert run("score good.json others.parquet --epsilon 1/2 --json").json["evaluation"]["held_out"]
    table = pq.read_table("data.parquet").rename_columns(["age", "grown", "city", "person"])
    pq.write_table(table, "named.parquet")
    said = run("score good.json named.parquet --y grown --epsilon 1/2")
    assert "that you state were held out" in said.out, "other columns"
    assert "as many records" in run("compare data.csv good.json rule.json --epsilon 1").err


def test_a_large_epsilon_is_said(run, models):
    said = run("score good.json data.csv --epsilon 21 --json")
    assert said.json["guarantee"]["epsilon"] == 21
    assert "epsilon 21 is above 20" in said.err
    assert "above 20" not in run("score good.json data.csv --epsilon 20").err


def test_models_are_compared_and_share_epsilon(run, models):
    done = run("compare data.csv good.json rule.json --epsilon 1 --json")
    assert done.code == 0, done.err
    assert [row["model"] for row in done.json["models"]] == ["good.json", "rule.json"]
    for row in done.json["models"]:
        assert row["guarantee"]["epsilon"] == 1
        assert row["evaluation"]["epsilon"] == "1/2"
    said = run("compare data.csv good.json rule.json --epsilon 1").out
    assert "good.json" in said
    assert "has a lower error rate" in said or "One model is best" in said


def test_the_best_of_intervals_that_are_not_equally_wide(run, monkeypatch):
    """A model of many leaves has a wide interval: its error may be less than all others."""

    def scored(*bands):
        found = [
            SimpleNamespace(
                quality=SimpleNamespace(error=Band(*band, "noise", 0.05)), guarantee="(1, 0)"
            )
            for band in bands
        ]
        monkeypatch.setattr("littlestone.cli.predict._scored", lambda *_: found)
        models = " ".join(f"{i}.json" for i in range(len(bands)))
        return run(f"compare t.csv {models} --epsilon 1").out

    first, second = (0.1, 0.08, 0.12), (0.2, 0.18, 0.22)
    assert "One model is best" in scored(first, second)
    assert "One model is best" not in scored(first, second, (0.3, 0.05, 0.55))


@pytest.mark.first(3)
@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("score good.json data.csv --epsilon 0", "'--epsilon'"),
        ("score good.json data.csv --epsilon 1 --y none", "no column 'none'"),
        ("score none.json data.csv --epsilon 1", "none.json"),
        ("score good.json data.csv --epsilon 1 --seed -1", "'--seed'"),
        ("score good.json data.csv --epsilon 1 --record r.json --seed 1", "seeded"),
        ("compare data.csv good.json --epsilon 1", "at least two models"),
    ],
)
def test_refusals(run, models, line, why):
    done = run(line)
    assert done.code == 2
    assert why in done.err


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
    assert "2 records, one of each user, that you state were held out" in other.out
    assert run("score m.json other.csv --epsilon 3").code == 2, "no column person"


def test_users_and_records_are_not_mixed(run, models):
    fit = "fit data.parquet --schema schema.toml --y adult --user person --epsilon 8"
    run(f"{fit} --model scorecard --out m.json")
    mixed = run("compare data.csv rule.json m.json --epsilon 1")
    assert (mixed.code, mixed.out) == (2, "")
    assert "records and users" in mixed.err
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
