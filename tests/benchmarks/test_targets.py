"""Quantities, counts, times, and tables outside: rivals' measures, and pages of what was kept."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from .conftest import BENCHMARKS, ROOT, lines_of


@pytest.fixture
def bench(script):
    """The scripts, imported as ``python benchmarks/targets/run.py`` does."""
    names = ("fits", "measures", "run", "tables")
    return SimpleNamespace(**{name: script(name, "comparison", "targets") for name in names})


def test_tables_of_every_kind(bench):
    kinds = Counter(data.kind for data in bench.tables.DATA)
    assert kinds["quantity"] >= 8
    assert kinds["count"] >= 4
    assert kinds["time"] >= 5
    assert kinds["user"] >= 3
    for data in bench.tables.DATA:
        assert data.package.count("==") == 1
        assert len(data.sha256) == 64
        assert data.y not in data.schema.names
    for path in (BENCHMARKS / "targets").glob("*"):
        if path.is_file():
            assert "://" not in path.read_text(encoding="utf-8"), path.name


def test_the_page_is_what_the_kept_fits_say(bench, tmp_path):
    page = ROOT / "docs" / "targets.md"
    (tmp_path / "targets.md").write_text(page.read_text("utf-8"), "utf-8")
    bench.fits.restore(tmp_path, bench.run.WORKERS, BENCHMARKS / "targets" / "results.csv")
    runs = bench.fits.load([tmp_path / f"{name}.jsonl" for name in bench.run.WORKERS])
    assert {run["key"][0] for run in runs} == set(bench.tables.TABLES)
    bench.run.write(runs, tmp_path)
    tables = [f"targets/{kind}.csv" for kind in ("quantity", "user", "count", "time")]
    for name in ("targets.md", *tables):
        assert (tmp_path / name).read_text("utf-8") == (page.parent / name).read_text("utf-8"), name


def test_measures(bench):
    """Against scikit-learn, and concordance by hand."""
    from sklearn.metrics import d2_tweedie_score, r2_score

    rng = np.random.default_rng(0)
    y, found = rng.poisson(3, 200).astype(float), rng.uniform(1, 5, 200)
    known = {"y": y, "event": y > 0, "mean": y.mean(), "most": 9.0}
    scores = bench.measures.scores
    assert scores({"kind": "user"} | known, found)["score"] == pytest.approx(r2_score(y, found))
    expected = d2_tweedie_score(y, found, power=1)
    assert scores({"kind": "count"} | known, found)["score"] == pytest.approx(expected)
    time, event = np.array([1.0, 2, 3, 99]), np.array([True, True, False, True])
    times = {"kind": "time", "y": time, "event": event, "mean": 0, "most": 9.0}
    assert scores(times, np.array([3, 1, 2, 1]))["score"] == pytest.approx(3.5 / 5)


def test_a_fifth_of_the_units_is_for_testing(bench):
    arrays = object.__new__(bench.measures.Arrays)
    arrays.user = np.repeat(np.arange(50), 3)
    test = arrays.test(0)
    assert len(np.unique(arrays.user[test])) == 10
    assert not set(arrays.user[test]) & set(arrays.user[~test])
    assert arrays.once(~test).sum() == 40


# -- `auto` beside every single family, on tables outside ------------------------------------------


@pytest.fixture
def outside(script):
    """The script, imported as ``python benchmarks/outside.py`` does."""
    return script("outside", "comparison", "targets")


def test_five_tables_that_nothing_else_uses(outside):
    tables = {(each.package, each.path) for each in outside.OUTSIDE}
    assert len(tables) == 5
    others = {(each.package, path) for each in outside.TABLES.values() for path in each.files}
    assert not tables & others
    for each in (*outside.OUTSIDE, *outside.OF_USERS):
        assert len(each.sha256) == 64
        assert not {each.y, each.user} & set(each.schema.names)


def test_the_page_of_tables_outside_is_what_was_kept(outside):
    said = (ROOT / "docs" / "models.csv").read_text("utf-8")
    assert said == outside.page(lines_of(outside.KEPT))


def test_auto_is_compared_on_the_same_seeds_and_kind_of_privacy(outside):
    found = {
        ("t", 3000, "1", seed, family): value + seed / 100
        for family, value in (
            ("boosted", 0.7), ("scorecard", 0.75), ("tree", 0.6),
            ("boosted, pure", 0.66), ("scorecard, pure", 0.5),
        )
        for seed in range(3)
    }  # fmt: skip
    found["t", 3000, "1", 9, "tree"] = 0.1  # nothing to compare it with
    lines = {(line["delta"], line["family"]): line for line in outside.beside(found)}
    ahead = {key: float(line["ahead"]) for key, line in lines.items()}
    assert ahead == pytest.approx(
        {
            ("1e-6", "boosted"): 0, ("1e-6", "scorecard"): -0.05, ("1e-6", "tree"): 0.1,
            ("", "boosted"): 0, ("", "scorecard"): 0.16, ("", "tree"): 0.06,
        }
    )  # fmt: skip
    said = "\n".join(outside.standing(list(lines.values())))
    assert "behind on t at 1: scorecard, -0.0500 (0.0000, 3 seeds)" in said


def test_users_are_on_one_side(outside):
    users = np.repeat(np.arange(50), 3)
    problem = outside.Problem("t", None, np.zeros((150, 1)), np.zeros(150), users, None)
    train, test = problem.split(0)
    assert not set(users[train]) & set(users[test])
    assert (problem.n, len(train) + len(test)) == (35, 150)
