"""User-level errors by the library's sweep and by window functions of an engine: the same runs."""

import importlib.util
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from littlestone.classes import Thresholds
from littlestone.data import UserSample
from littlestone.data.containers import connect
from littlestone.learners.users.scores import errors_by_user
from littlestone.source import public_generator

ROOT = Path(__file__).parents[2] / "benchmarks"


def script(name):
    """Import one benchmark by its path."""
    spec = importlib.util.spec_from_file_location(name, ROOT / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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
        steps = connect().execute(script("users").WINDOWS.format(path=path, t=t)).fetchnumpy()
        runs = sweep.scores(t)
        assert runs.starts[1:].tolist() == steps["x"].tolist()
        assert np.diff(runs.scores).tolist() == [int(step) for step in steps["step"]]


def test_users_needed_are_measured(monkeypatch):
    """The distribution is what the script says: only the threshold a is good, by 0.12."""
    module = script("user_level")
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
