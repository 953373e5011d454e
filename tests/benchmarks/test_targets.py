"""The comparison of quantities, counts and times: tables, rivals' measures, the page."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

ROOT = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def bench(monkeypatch):
    """The scripts, imported as ``python benchmarks/targets/run.py`` does."""
    for folder in ("comparison", "targets"):
        monkeypatch.syspath_prepend(ROOT / folder)
    import fits
    import measures
    import run
    import tables

    return SimpleNamespace(fits=fits, measures=measures, run=run, tables=tables)


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
    for path in (ROOT / "targets").glob("*"):
        if path.is_file():
            assert "://" not in path.read_text(encoding="utf-8"), path.name


def test_the_page_is_what_the_kept_fits_say(bench, tmp_path):
    page = ROOT.parent / "docs" / "targets.md"
    (tmp_path / "targets.md").write_text(page.read_text("utf-8"), "utf-8")
    bench.fits.restore(tmp_path, bench.run.WORKERS, ROOT / "targets" / "results.csv")
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
