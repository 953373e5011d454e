"""Rehearsals: the code that releases, on public rows; aims; protocols."""

import json
import math
from fractions import Fraction as F

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss, r2_score, roc_auc_score

import littlestone as ls
from littlestone.costs import Costs
from littlestone.errors import InfeasibleError, ParameterError
from littlestone.learners.fit import Fit, asked_of
from littlestone.learners.task import Protocol
from littlestone.planning import rehearsal
from littlestone.planning.population import Run, Spread, Twin, auroc, populations, run_once
from littlestone.planning.rehearsal import Aim, Key, Runner, cell_of
from littlestone.source import SeededSource, public_generator

RNG = np.random.default_rng(3)
N = 400
TABLE = pd.DataFrame({
    "age": RNG.integers(18, 90, N),
    "dose": RNG.normal(size=N).round(2),
    "city": RNG.choice(["Bonn", "Rome", "Oslo"], N),
    "who": RNG.integers(0, 120, N),
})  # fmt: skip
TABLE["ill"] = (RNG.random(N) < 1 / (1 + np.exp(-(TABLE.age - 50) / 10))).astype(int)
TABLE["cost"] = (TABLE.age * 10 + 100 * RNG.random(N)).round(1)
TABLE["months"] = RNG.exponential(900 / TABLE.age).round(1)
TABLE["died"] = RNG.integers(0, 2, N)
SCHEMA = ls.Schema.from_dict({
    "age": {"bins": [30, 50, 70]}, "city": {"categories": ["Bonn", "Rome"]},
})  # fmt: skip
PUBLIC = {"y": "ill", "epsilon": 4, "schema": SCHEMA}
ASKED = {
    "labels": PUBLIC | {"delta": 1e-6},
    "learned columns": {"y": "ill", "epsilon": 30, "delta": 1e-6},
    "users": {
        "y": "cost", "epsilon": 8, "schema": SCHEMA, "target": "quantity", "high": 1000,
        "user": "who", "interval": 0.8,
    },
    "rules": PUBLIC | {"model": "rule"},
    "times": {
        "time": "months", "event": "died", "periods": 3, "high": 30, "epsilon": 8,
        "schema": SCHEMA,
    },
}  # fmt: skip


def told(name, asked=PUBLIC, **more):
    return Runner(Twin.read(TABLE, asked_of(name, asked)), asked_of(name, asked | more), 5, 1)


@pytest.mark.first(1)
@pytest.mark.parametrize("name", ASKED)
def test_it_is_the_fit_that_releases(name):
    """The same rows as a data frame, the same seed: the same release, bit for bit."""
    asked = ASKED[name]
    columns = [c for c in TABLE if c in [*SCHEMA.names, "ill"]] if "schema" not in asked else TABLE
    table = TABLE[list(columns)]
    fit = asked_of("fit", asked)
    learned, apart = Twin.read(table, fit).draw(300, public_generator(5, 0))
    source = SeededSource(7)
    release = fit.plan(learned, source).run(source)
    rows = table.iloc[learned._rows].reset_index(drop=True)
    if learned._user is not None:
        rows["who"] = learned._user
    again = ls.fit(rows, **asked, random_state=7).release_
    assert json.loads(again.to_json()) == json.loads(release.to_json())
    # of rows, or users, none is on both sides; a fifth is measured on
    key = "who" if "user" in asked else None
    units = np.arange(len(table)) if key is None else table[key].to_numpy()
    assert not set(units[learned._rows]) & set(units[apart._rows])
    assert len(set(units[apart._rows])) == len(set(units)) // 5
    four_fifths = len(set(units)) - len(set(units)) // 5
    once, _ = Twin.read(table, fit).draw(four_fifths, public_generator(5, 0))
    assert len(set(once._rows.tolist())) == len(once._rows)  # none twice while there are enough


@pytest.mark.more
def test_truth_is_that_of_scikit_learn():
    for name in ("labels", "users"):
        fit = asked_of("fit", ASKED[name])
        twin = Twin.read(TABLE, fit)
        generator = public_generator(5, 2)
        learned, apart = twin.draw(300, generator)
        source = SeededSource(int(generator.integers(2**62)))
        release = fit.plan(learned, source).run(source)
        found, rows = run_once(twin, fit, 300, 5, 2).measures, TABLE.iloc[apart._rows]
        if name == "labels":
            chance = release.predict_proba(rows)[:, 1]
            assert found["auroc"] == pytest.approx(roc_auc_score(rows.ill, chance))
            assert found["log_loss"] == pytest.approx(log_loss(rows.ill, chance))
            assert found["error"] == pytest.approx((release.predict(rows) != rows.ill).mean())
            assert found["calibration_ratio"] == pytest.approx(chance.mean() / rows.ill.mean())
        else:
            value = release.hypothesis.predict
            codes = np.stack([SCHEMA[c].codes(rows[c].tolist()) for c in SCHEMA.names], axis=1)
            low, high = release.hypothesis.interval(codes).T
            assert found["r2"] == pytest.approx(r2_score(rows.cost, value(codes)), abs=1e-3)
            inside = (rows.cost >= low) & (rows.cost <= high)
            assert found["coverage"] == pytest.approx(inside.mean(), abs=0.02)


def test_the_area_counts_ties_half():
    score, one = RNG.integers(0, 5, 60) / 4, RNG.integers(0, 2, 60).astype(bool)
    pairs = [(a > b) + (a == b) / 2 for a in score[one] for b in score[~one]]
    assert auroc(score, one, ~one) == pytest.approx(np.mean(pairs))


def fake(monkeypatch, law):
    """Replace runs by a law: of records, epsilon, number of the run."""

    def run(rows, fit, n, seed, number):
        free = fit.epsilon == rehearsal.FREE
        return Run(
            {"auroc": law(n, F(fit.epsilon), 1000 + number if free else number)}, model="boosted"
        )

    monkeypatch.setattr(rehearsal, "run_once", run)


def normal(sd, mean=0.8):
    return lambda n, epsilon, run: mean + sd * float(public_generator(run).normal())


@pytest.mark.parametrize(("sd", "least", "most"), [(0.01, 20, 20), (0.03, 25, 60), (0.5, 100, 100)])
def test_runs_go_on_until_the_mean_is_known(monkeypatch, sd, least, most):
    fake(monkeypatch, normal(sd))
    cell = cell_of(told("fit"), 500, F(1), 20)
    assert least <= cell.runs <= most
    spread = cell.measures["auroc"]
    assert spread.reach <= 0.01 or cell.runs == 100
    values = [normal(sd)(0, 0, run) for run in range(cell.runs)]
    assert spread.mean == pytest.approx(np.mean(values))
    assert spread.reach == pytest.approx(1.96 * np.std(values, ddof=1) / math.sqrt(len(values)))
    assert cell.without_privacy["auroc"].runs == 10


@pytest.mark.parametrize(
    ("chance", "runs"), [(0.99, 40), (0.5, 40), (0.8, None)], ids=["clear", "clearly not", "close"]
)
def test_a_step_ends_when_the_chance_is_clear(monkeypatch, chance, runs):
    fake(monkeypatch, lambda n, e, run: float(public_generator(run).random() < chance))
    tried = told("fit").tried(500, 500, F(1), Aim("auroc", True, 0.5), 0.8)
    assert tried.runs == runs or (runs is None and tried.runs > 40)
    low, high = tried.interval
    assert not low <= 0.8 <= high or tried.runs == 400


@pytest.mark.parametrize("truth", [60, 700, 1000, 12_345, 2_000_000])
def test_the_least_number_of_records_is_found(monkeypatch, truth):
    fake(monkeypatch, lambda n, e, run: 0.9 if n >= truth else 0.5)
    found = ls.rehearse(TABLE, **PUBLIC, n_jobs=1).needed("auroc >= .8")
    assert truth <= found.records <= 1.2 * truth
    assert (found.searched, found.enough, found.epsilon) == ("records", True, 4)


def test_the_least_epsilon_is_found(monkeypatch):
    fake(monkeypatch, lambda n, e, run: 0.9 if n * e >= 400 else 0.5)
    asked = {k: v for k, v in PUBLIC.items() if k != "epsilon"}
    found = ls.rehearse(TABLE, **asked, records=1000, n_jobs=1)
    assert F(2, 5) <= found.needed("auroc >= .8").epsilon <= F(48, 100)
    with pytest.raises(InfeasibleError, match="not reached with chance 80%"):
        found.needed("auroc >= .95")


def test_both_given_is_yes_or_no(monkeypatch):
    fake(monkeypatch, normal(0.02))
    found = ls.rehearse(TABLE, **PUBLIC, records=500, n_jobs=1)
    assert found.needed("auroc >= .7").enough
    no = found.needed("auroc >= .9")
    assert (no.enough, no.found.reached, str(no)[:3]) == (False, 0, "No:")


def test_the_share_held_out_with_which_a_release_shows_most(monkeypatch):
    """The mean less the half-width is largest: of .1, .2 and .3 here at .2, known to .001."""
    seen = []

    def run(rows, fit, n, seed, number):
        share = float(F(fit.holdout or 0))
        seen.append((fit.epsilon, fit.holdout, number))
        return Run(
            {"auroc": 0.8 - share / 5 + normal(0.001, 0)(0, 0, number)},
            width=0.06 if share < 0.15 else 0.03 - share / 100, model="boosted",
        )  # fmt: skip

    monkeypatch.setattr(rehearsal, "run_once", run)
    asked = PUBLIC | {"n_jobs": 1}
    found = ls.rehearse(TABLE, **asked, records=500, holdout=[0.1, "1/5", "0.3"])
    (said,) = [note for note in found.notes if "hold out" in note]
    assert "hold out 0.2: the release then shows AUROC >= 0.732 on average" in said
    assert "(0.1: 0.720; 0.3: 0.713)." in said
    assert found.protocol().fit["holdout"] == "1/5"
    assert [cell.to_dict()["holdout"] for cell in found.cells] == ["1/10", "1/5", "3/10"]
    assert len(seen) == len(set(seen)) == 3 * 20 + 10  # one model without privacy
    assert set(found.to_frame().variant) == {"0.1 held out", "0.2 held out", "0.3 held out"}
    assert "held out" in ls.page(found)
    close = ls.rehearse(TABLE, **asked, records=500, holdout=[0.2, 0.201])
    assert "the best differ by less than the margins" in " ".join(close.notes)
    with pytest.raises(ParameterError, match="one number with an aim"):
        found.needed("auroc >= .7")
    with pytest.raises(ParameterError, match="holdout"):
        ls.rehearse(TABLE, **asked, records=500, holdout=[0.2, 2])


def test_progress_is_shown_before_the_first_run(monkeypatch):
    fake(monkeypatch, normal(0.01))
    told_so_far = []
    found = ls.rehearse(TABLE, **PUBLIC, n_jobs=1, progress=lambda *at: told_so_far.append(at))
    found.needed("auroc >= .7")
    assert told_so_far[:2] == [(0, 40), (1, 40)]


@pytest.mark.parametrize(
    ("text", "asked", "words"),
    [
        ("auroc > .7", PUBLIC, "of the form 'auroc >= .75'"),
        ("auroc <= .7", PUBLIC, "larger is better"),
        ("log_loss >= .7", PUBLIC, "smaller is better"),
        ("r2 >= .7", PUBLIC, "of this fit: auroc, log_loss, error"),
        ("coverage >= .7", PUBLIC, "of this fit: auroc, log_loss, error"),
        ("auroc >= high", PUBLIC, "of the form"),
        ("auroc >= 1.2", PUBLIC, "can be reached"),
        ("auroc >= .7", ASKED["rules"], "of this fit: error"),
        ("auroc >= .7", PUBLIC | {"labels": ["a", "b", "c"]}, "of this fit: log_loss, error"),
        ("auroc >= .7", ASKED["times"], "of this fit: concordance"),
        ("concordance >= .7", ASKED["users"], "of this fit: r2, mae, coverage"),
    ],
)
def test_aims_that_do_not_fit_are_refused(text, asked, words):
    with pytest.raises(ParameterError, match=words):
        Aim.parse(text, asked_of("fit", asked))


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"best": 0.8}, "left out with a twin"),
        ({"runs": 1}, "runs"),
        ({"records": 0}, "records"),
        ({"records": [500, 500]}, "different numbers"),
        ({"epsilon": [1, 0]}, "epsilon"),
        ({"nonsense": 1}, "no 'nonsense'|nonsense"),
        ({"twin": None}, "best"),
        ({"twin": None, "best": 0.4, "share": 0.1}, "above 0.5"),
        ({"twin": None, "best": 0.8, "share": 0.1, "single": 0.9}, "between 0.5 and best"),
        ({"twin": None, "best": 0.8}, "share"),
        ({"twin": None, "schema": None, "best": 0.8, "share": 0.1}, "public twin"),
        ({"twin": None, "best": 0.8, "share": 0.1, "user": "who"}, "without users"),
        ({"twin": TABLE[["age", "ill"]]}, "no column 'city'"),
        ({"twin": TABLE[:5]}, "at least 10"),
    ],
)
def test_what_is_wrong_is_refused(more, words):
    with pytest.raises(ParameterError, match=words):
        ls.rehearse(**{"twin": TABLE, "records": 100, "n_jobs": 1} | PUBLIC | more)


# -- Populations that are made up.


@pytest.mark.first(1)
@pytest.mark.parametrize("kind", ["quantity", "label", "time"])
def test_a_population_is_as_good_as_guessed(kind):
    asked = {
        "label": {"y": "ill"}, "quantity": {"y": "c", "target": "quantity", "high": 9},
        "time": {"time": "m", "event": "d", "periods": 3, "high": 30},
    }[kind]  # fmt: skip
    fit = asked_of("fit", {"epsilon": 1, "schema": SCHEMA} | asked)
    share = None if kind == "quantity" else 0.2
    best = 0.3 if kind == "quantity" else 0.8
    made = populations(fit, best=best, share=share, single=0.25 if share is None else 0.75)[""]
    generator = public_generator(1)
    _, signal = made.features(20_000, generator)
    outcome = made.outcomes(signal, generator)
    if kind == "label":
        assert roc_auc_score(outcome[0], signal) == pytest.approx(best, abs=0.015)
    elif kind == "quantity":
        assert np.corrcoef(outcome[0], signal)[0, 1] ** 2 == pytest.approx(best, abs=0.02)
    else:
        time, event = outcome
        one, other = signal[:10_000], signal[10_000:]
        first = time[:10_000] < time[10_000:]
        seen = np.where(first, event[:10_000], event[10_000:]) == 1
        assert (first == (one > other))[seen].mean() == pytest.approx(best, abs=0.02)
    if share is not None:
        assert np.mean(outcome[-1]) == pytest.approx(share, abs=0.02)
    assert made.singles(0)[0] == pytest.approx(0.25 if share is None else 0.75, abs=0.05)


@pytest.mark.more
def test_of_two_guesses_two_populations_are_shown(monkeypatch):
    fake(monkeypatch, normal(0.01))
    asked = {"y": "ill", "epsilon": 1, "schema": SCHEMA, "n_jobs": 1}
    found = ls.rehearse(**asked, best=0.8, share=0.2, records=200)
    assert len({cell.population for cell in found.cells}) == 2
    assert "or outside" in " ".join(found.notes)
    assert "or outside" not in " ".join(ls.rehearse(**asked, best=0.8, share=0.2, single=0.7).notes)
    assert set(found.to_frame().columns) >= {"variant", "records", "mean", "low", "high", "free"}
    assert ls.page(found).count("<svg") == 1


@pytest.mark.more
def test_a_population_is_learned_from():
    asked = {"y": "ill", "epsilon": 20, "schema": SCHEMA, "best": 0.9, "share": 0.4}
    found = ls.rehearse(**asked, single=0.85, n_jobs=1).runners[""]
    assert run_once(found.rows, found.fit, 500, 0, 0).measures["auroc"] > 0.7


# -- Protocols.

FITS = {
    "labels": PUBLIC,
    "exact": PUBLIC | {"epsilon": 0.1, "delta": "1e-7", "evaluate": 0.05, "holdout": "1/3"},
    "names": PUBLIC | {"labels": ["no", "yes"], "csv": "sep=;, decimal=comma"},
    "three": {"y": "ill", "epsilon": 1, "labels": [0, 1, 2], "bounds": {"age": (0, 120)}},
    "users": ASKED["users"],
    "times": ASKED["times"] | {"periods": [5, 10.5], "high": None, "event_is": 2},
    "monotone": PUBLIC | {"model": "scorecard", "monotonic_cst": {"age": 1}},
}


@pytest.mark.parametrize("name", FITS)
def test_a_protocol_says_the_whole_fit(name):
    fit = asked_of("fit", FITS[name])
    plan = Protocol(fit.to_dict(), 500, ("age", "city"))
    read = Protocol.from_dict(json.loads(json.dumps(plan.to_dict())))
    assert read.sha256 == plan.sha256
    again = Fit.from_dict(read.fit)
    assert again.task == fit.task
    for field in ("shares", "family", "schema", "interval", "user", "bounds", "csv"):
        one, other = getattr(again, field), getattr(fit, field)
        if field == "bounds" and other is not None:
            one = {key: tuple(ends) for key, ends in one.items()}
        if field == "interval" and other is not None:
            one, other = F(one), F(str(other))
        assert one == other, field
    assert again.schema is None or again.schema.ordered == fit.schema.ordered


def test_costs_are_in_a_protocol():
    costs = Costs.of({0: 1, 1: 9}, caller="fit")
    fit = Fit(y="ill", epsilon=1, schema=SCHEMA, model="tree", options={"costs": costs})
    again = Fit.from_dict(json.loads(json.dumps(fit.to_dict())))
    assert again.options["costs"].to_dict() == costs.to_dict()
    with pytest.raises(ParameterError, match="--class"):
        Fit(y="x", epsilon=1, concepts=ls.Points()).to_dict()


@pytest.fixture
def written(tmp_path):
    plan = Protocol(asked_of("fit", PUBLIC).to_dict(), 500, SCHEMA.names, {"cells": []})
    path = tmp_path / "P.json"
    plan.save(path)
    return path, plan


def test_a_fit_by_protocol_names_it(written):
    path, plan = written
    made = ls.fit(TABLE, protocol=path, random_state=4)
    assert made.release_.protocol == {"sha256": plan.sha256, "records": 500}
    same = ls.fit(TABLE, **PUBLIC, random_state=4)
    assert same.hypothesis_ == made.hypothesis_
    assert f"{plan.sha256}; 400 records, planned for 500" in ls.page(made)
    again = type(made.release_).from_dict(json.loads(made.release_.to_json()))
    assert again.to_json() == made.release_.to_json()
    bad = json.loads(made.release_.to_json()) | {"protocol": {"sha256": "x", "records": 1}}
    with pytest.raises(ParameterError, match="changed"):
        type(made.release_).from_dict(bad)


@pytest.mark.more
def test_the_record_names_the_hash(written):
    path, plan = written
    release = ls.fit(TABLE, protocol=path).release_
    assert release.record()["release"]["protocol"]["sha256"] == plan.sha256


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d | {"records": 501}, "has been changed"),
        (lambda d: d | {"fit": d["fit"] | {"epsilon": "2"}}, "has been changed"),
        (lambda d: {k: v for k, v in d.items() if k != "sha256"}, "has been changed"),
        (lambda d: d | {"format": "x"}, "rehearse --out"),
        (lambda d: signed(d | {"software": {"name": "littlestone", "version": "0"}}), "version 0"),
        (lambda d: signed({k: v for k, v in d.items() if k != "fit"}), "incomplete"),
    ],
)
def test_changed_protocols_are_refused(written, change, words):
    path, plan = written
    path.write_text(json.dumps(change(plan.to_dict())))
    with pytest.raises(ParameterError, match=words):
        ls.fit(TABLE, protocol=path)


def signed(document):
    """Return a document with its right hash, computed here."""
    import hashlib

    rest = {name: value for name, value in document.items() if name != "sha256"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return rest | {"sha256": hashlib.sha256(text.encode()).hexdigest()}


@pytest.mark.parametrize(
    "more", [{"epsilon": 1}, {"y": "ill"}, {"delta": 0}, {"model": "tree"}, {"holdout": 0.2}]
)
def test_other_options_are_refused_beside_a_protocol(written, more):
    with pytest.raises(ParameterError, match="left out with a protocol"):
        ls.fit(TABLE, protocol=written[0], **more)


def test_columns_that_do_not_fit_are_refused_before_reading(written, tmp_path):
    ledger = ls.Ledger(tmp_path / "l.db", epsilon=9)
    with pytest.raises(ParameterError, match="no column 'city'"):
        ls.fit(TABLE[["age", "ill"]], protocol=written[0], ledger=ledger)
    assert not ledger.history()


# -- The command line.


@pytest.mark.first(4)
@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ("t.csv --y ill --epsilon 1,2 --records 100,200", 0, "without privacy"),
        ("t.csv --y ill --epsilon 1 --records 100 --aim auroc>=.7 --out P.json", 0, "Yes:"),
        ("t.csv --y ill --epsilon 1 --aim auroc>=.7 --json", 0, '"searched": "records"'),
        ("t.csv --y ill --epsilon 1 --aim auroc>=.9", 3, "not reached"),
        ("t.csv --y ill --epsilon 1 --records 100 --holdout .1,.2", 0, "0.1 held out"),
        ("t.csv --y ill --epsilon 1 --report p.html", 2, "needs --epsilon and --records"),
        ("t.csv --y ill --epsilon 1 --records 5,6 --aim auroc>=.7", 2, "one number with an aim"),
        ("t.csv --y ill --epsilon 1,2 --records 9 --out P.json", 2, "one number of records"),
        ("t.csv --y ill --epsilon 1 --records 9 --class scorecard", 2, "--model"),
        ("--best .8 --share .2 --epsilon 1 --records 100 --report p.html", 0, "simulated"),
    ],
)
def test_the_command_line(monkeypatch, capfd, tmp_path, line, code, words):
    from littlestone.cli.main import main

    monkeypatch.chdir(tmp_path)
    TABLE.to_csv("t.csv", index=False)
    (tmp_path / "s.toml").write_text(SCHEMA.to_toml())
    fake(monkeypatch, lambda n, e, run: 0.8)
    assert main(["rehearse", *line.split(), "--schema", "s.toml", "--jobs", "1"]) == code
    out, err = capfd.readouterr()
    assert words in out + err
    if "P.json" in line and not code:
        assert main(["fit", "t.csv", "--protocol", "P.json", "--seed", "1"]) == 0
        assert "planned for 100" in " ".join(capfd.readouterr().out.split())
        assert main(["fit", "t.csv", "--protocol", "P.json", "--epsilon", "1"]) == 2
        assert "'--epsilon' option" in capfd.readouterr().err


def test_columns_that_fit_leaves_out_by_their_names_are_not_rehearsed():
    table = TABLE[["age", "ill"]].assign(patient_id=range(N), name="x")
    asked = {"y": "ill", "epsilon": 1, "delta": 1e-6, "records": 500, "runs": 2, "n_jobs": 1}
    assert ls.rehearse(table, **asked).columns == ("age",)
    listed = ls.rehearse(table, columns=["age", "patient_id"], **asked)
    assert listed.columns == ("age", "patient_id")


@pytest.mark.more
def test_processes_find_what_one_finds():
    asked = PUBLIC | {"records": 200, "runs": 2}
    one, two = (ls.rehearse(TABLE, **asked, n_jobs=jobs).to_dict() for jobs in (1, 2))
    assert one == two


def test_what_a_run_lacks_is_left_out():
    assert Spread.of([math.nan]) is None
    assert Spread.of([1.0, math.nan, 3.0]).runs == 2
    assert Key(1, F(1), "", 0) < Key(1, F(1), "boosted", 0)
