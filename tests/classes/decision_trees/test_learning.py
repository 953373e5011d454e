"""The learner over trees: exact verification, a broken control, the theorem, and the census."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import duckdb
import numpy as np
import pytest
from scipy.stats import beta as beta_law

import littlestone as ls
from littlestone.audit import verify
from littlestone.classes import DecisionTrees
from littlestone.classes.decision_trees.concept_class import Candidates
from littlestone.data import RowDomain, Sample, Schema
from littlestone.learners import registry
from littlestone.report import page
from littlestone.source import SecureSource, SeededSource

ADULT = Path(__file__).parents[3] / "examples" / "adult"
EDGE = Schema.from_dict({"age": {"bins": [30]}})
TWO = Schema.from_dict({"a": {"categories": ["x"]}, "b": {"categories": ["y"]}})
#: Census-like columns for the theorem: 9 splits.
THREE = Schema.from_dict(
    {"age": {"bins": [30, 60]}, "sex": {"categories": ["f", "m"]}, "job": {"categories": ["a"]}}
)


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("schema", "depth", "points", "n", "epsilon"),
    [
        (EDGE, 1, [(0,), (2,)], 2, "0.3"),
        (TWO, 1, [(2, 2), (2, 0), (0, 2), (0, 0)], 2, "0.3"),
        (EDGE, 1, [(0,), (2,), (3,)], 3, 1),
        (EDGE, 2, [(0,), (2,), (3,)], 1, 1),
        (TWO, 2, [(2, 2), (2, 1)], 2, 3),
    ],
    ids=["small", "two-1", "edge-1", "edge-2", "two-2"],
)
def test_exact_verification(schema, depth, points, n, epsilon):
    """All data sets over the points, all neighbours, everything observable (the page too)."""
    learner = ls.AgnosticLearner(DecisionTrees(schema, depth), epsilon=epsilon)
    observers = (page,) if depth == 1 else ()
    result = verify(learner, points=points, n_samples=n, observers=observers)
    assert result.holds, str(result)
    assert result.slack == result.refusals == 0
    assert result.datasets == (2 * len(points)) ** n
    assert result.tightest_epsilon <= float(learner.to_learner().epsilon) * (1 + 1e-9)


class Greedy(DecisionTrees):
    """A broken control: the root is the best one, without a draw; only the sides are private."""

    def candidates(self, sample):
        class Best(Candidates):
            def draw(self, rate, source):
                roots = []

                class Always:
                    seeded = True

                    def choose(self, weights):
                        if roots or not hasattr(weights, "members"):
                            return source.choose(weights)
                        roots.append(weights)
                        return max(
                            range(len(weights)),
                            key=lambda i: float(weights.enclose(64)[i].mid()),
                        )

                    def below(self, m):
                        return source.below(m)

                return super().draw(rate, Always())

        return Best(self._splits, self.depth, sample)


class Twice(DecisionTrees):
    """A broken control: leaves are drawn at twice the rate, as if they cost nothing."""

    def candidates(self, sample):
        class Doubled(Candidates):
            def draw(self, rate, source):
                return super().draw(2 * rate, source)

        return Doubled(self._splits, self.depth, sample)


@pytest.mark.first(1)
@pytest.mark.parametrize("broken", [Greedy, Twice])
def test_broken_learners_are_caught(broken):
    points = [(2, 2), (2, 0), (0, 2)]
    result = verify(ls.AgnosticLearner(broken(TWO, 1), epsilon=1), points=points, n_samples=2)
    assert result.refusals == 0
    assert not result.holds
    assert result.tightest_epsilon > 1.05


def test_the_estimator_on_a_data_frame():
    import pandas as pd

    frame = pd.DataFrame({"age": [20, 40, 70, 40] * 500, "sex": list("ffmm") * 500, "job": "a"})
    label = [0, 0, 1, 1] * 500
    learner = ls.AgnosticLearner(ls.DecisionTrees(THREE, depth=2), epsilon=1, random_state=0)
    learner.fit(frame, label)
    assert (learner.predict(frame) == label).all()
    assert "sex is" in learner.hypothesis_.describe()
    assert learner.hypothesis_.depth <= 2


@pytest.mark.more
@pytest.mark.parametrize("depth", [2, 3])
def test_the_certificate_is_met_at_the_planned_n(depth):
    """Failures among repeated fits at the planned n: at most beta, at 99% confidence.

    A hard distribution: an exclusive or under noise, so that the best tree of depth 2 is right on
    80% and every tree that misses a part of it fails.
    """
    alpha, beta, repeats = 0.2, 0.05, 200
    trees = DecisionTrees(THREE, depth)
    algorithm = registry.make("agnostic", trees, epsilon=1, alpha=alpha, beta=beta)
    n = algorithm.required_samples()
    rng = np.random.default_rng(11)
    cells = np.array(list(np.ndindex(3, 2, 3))) + np.array([2, 2, 0])
    truth = (cells[:, 0] >= 3) ^ (cells[:, 1] == 2)
    wrong = np.array([[0.8 if t else 0.2, 0.2 if t else 0.8] for t in truth])  # by answer 0, 1
    failures = 0
    for seed in range(repeats):
        where = rng.integers(0, len(cells), n)
        labels = truth[where] ^ (rng.random(n) < 0.2)
        tree = algorithm.draw(Sample.of(cells[where], labels.astype(int)), SeededSource(seed))
        error = wrong[np.arange(len(cells)), tree.predict(cells)].mean()
        failures += error > 0.2 + alpha
    upper = beta_law.ppf(0.99, failures + 1, repeats - failures)
    assert upper <= beta, (failures, n)


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("depth", "epsilon", "least"),
    [
        (2, "0.1", 0.833),
        (2, 1, 0.834),
        pytest.param(3, "0.1", 0.838, marks=pytest.mark.full),
        (3, 1, 0.843),
        pytest.param(4, 1, 0.847, marks=pytest.mark.full),
    ],
)
def test_adult_accuracy(depth, epsilon, least):
    """Trained on adult.data, tested on adult.test; the mean of ten private draws."""
    schema = Schema.from_toml(ADULT / "schema.toml")
    file = str(ADULT / "adult.parquet")
    with duckdb.connect() as connection:
        train, test = (
            Sample.read(
                connection.sql(f"SELECT * FROM '{file}' WHERE split = '{split}'"),
                y="over_50k", domain=RowDomain(schema),
            )
            for split in ("train", "test")
        )  # fmt: skip
    assert (train.n, test.n) == (32_561, 16_281)
    candidates = DecisionTrees(schema, depth).candidates(train)
    rate, source = Fraction(epsilon) / 2, SecureSource()
    errors = [ls.DecisionTrees(schema, depth).errors(candidates.draw(rate, source), test)
              for _ in range(10)]  # fmt: skip
    assert 1 - np.mean(errors) / test.n >= least


@pytest.mark.full
@pytest.mark.parametrize("depth", [2, 3, 4])
def test_adult_from_the_command_line(tmp_path, depth):
    file = tmp_path / "train.parquet"
    duckdb.execute(
        f"COPY (SELECT * EXCLUDE split FROM '{ADULT / 'adult.parquet'}' WHERE split = 'train') "
        f"TO '{file}'"
    )
    command = [sys.executable, "-m", "littlestone", "fit", str(file), "--y", "over_50k"]
    command += ["--schema", str(ADULT / "schema.toml"), "--class", f"decision_trees(depth={depth})"]
    subprocess.run([*command, "--epsilon", "1"], check=True, env={**os.environ})
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 1_500_000  # kilobytes
