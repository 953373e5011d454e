"""Benchmarks that run, at small sizes: their ways agree, and fail no more often than certified."""

from __future__ import annotations

import runpy
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from littlestone.bounds.tails import clopper_pearson
from littlestone.classes import Thresholds
from littlestone.data import UserSample
from littlestone.data.containers import connect
from littlestone.learners.users.scores import errors_by_user
from littlestone.source import public_generator

from .conftest import BENCHMARKS


def run(name):
    """Return what a script defines."""
    with pytest.MonkeyPatch.context() as patched:
        patched.syspath_prepend(BENCHMARKS)
        return SimpleNamespace(**runpy.run_path(str(BENCHMARKS / f"{name}.py")))


# -- Counting --------------------------------------------------------------------------------------


def test_all_ways_of_the_benchmark_agree(tmp_path):
    counts = run("counts")
    for csv in (False, True):
        counts.make(tmp_path, 5000, csv=csv)
    parquet, csv_path = str(tmp_path / "table.parquet"), str(tmp_path / "table.csv")
    found = {vars(counts)[way](parquet) for way in ("sql", "sql_users", "read", "read_users")}
    found |= {counts.read(csv_path), counts.read_users(csv_path)}
    assert len(found) == 1
    assert found.pop()[0] == 5000


@pytest.mark.more
def test_the_benchmark_of_large_tables_runs(tmp_path):
    """At a size that is streamed, with as many points as rows, and few points; its ways agree."""
    scale = run("scale")
    for random, distinct in ((False, 1 << 20), (True, 10)):
        scale.make(tmp_path, 1 << 20, distinct, random=random)
        parts = f"{tmp_path}/part-*.parquet"
        assert scale.group_by(parts) == scale.release(parts) == 1 << 20


# -- Learners at public points, on the laws of the benchmark ---------------------------------------


PUBLIC = run("public")


@pytest.mark.first(1)
@pytest.mark.parametrize("agnostic", [True, False])
@pytest.mark.parametrize(
    "case", sorted(PUBLIC.CASES, key=lambda c: c.name == "intervals"), ids=lambda c: c.name
)
def test_one_release(case, agnostic):
    n = PUBLIC.certified(case, "1/10", agnostic=agnostic)
    assert PUBLIC.failures(case, n, 1, "1/10", agnostic=agnostic) == 0


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            case,
            id=case.name,
            marks=pytest.mark.full if case.name.startswith("rules") else pytest.mark.more,
        )
        for case in PUBLIC.CASES
    ],
)
def test_failures_at_the_certified_number_and_at_an_eighth(case):
    n = PUBLIC.certified(case, "1/10", agnostic=True)
    bad = PUBLIC.failures(case, n, 80, "1/10", agnostic=True)
    assert clopper_pearson(bad, 80)[1] < 0.05
    assert PUBLIC.failures(case, n // 8, 40, "1/10", agnostic=True) > 0


# -- Users: errors by the library's sweep and by window functions of an engine ---------------------


@pytest.mark.parametrize("seed", range(3))
def test_window_functions_give_the_same_runs(tmp_path, seed):
    """Ties between users, repeated records, users of different sizes."""
    rng = public_generator(seed)
    n = 400
    table = {
        "user": rng.integers(0, 60, n),
        "x": rng.integers(1, 30, n),
        "y": rng.integers(0, 2, n),
    }
    path = tmp_path / "records.parquet"
    pq.write_table(pa.table(table), path)
    thresholds = Thresholds(1, 30)
    users = UserSample.read(path, user="user", x="x", y="y", domain=thresholds.domain)
    sweep = errors_by_user(thresholds, users, 20)
    for t in (0, 1, 3, 8):
        steps = connect().execute(run("users").WINDOWS.format(path=path, t=t)).fetchnumpy()
        runs = sweep.scores(t)
        assert runs.starts[1:].tolist() == steps["x"].tolist()
        assert np.diff(runs.scores).tolist() == [int(step) for step in steps["step"]]


def test_users_needed_are_measured():
    """The distribution is what the script says: only the threshold a is good, by 0.12."""
    module = run("user_level")
    rng = public_generator(1)
    users = module.draw(rng, 4_000, 3)
    assert users.n_users == 4_000
    assert (users.records == 3).all()
    thresholds = Thresholds(module.LOW, module.HIGH)
    runs = errors_by_user(thresholds, module.draw(rng, 40_000, 1), 1).scores(0)
    rates = runs.scores / 40_000  # always 1; between the far point and a; a; above a
    assert len(rates) == 4
    assert np.allclose(rates - rates.min(), [0.12, 0.12, 0, 0.12], atol=0.02)
    assert abs(rates.min() - 0.38) < 0.02
    assert runs.at(module.A) == runs.scores.min()
    assert module.slope([400, 200, 100, 50]) == pytest.approx(-0.5)
    found = module.needed(lambda users, seed: module.A if users.n_users >= 100 else 0, 2, 20)
    assert 100 <= found <= 110
