"""Measured plans: reproducible, resumable, and never above what is certified."""

import json
from fractions import Fraction as F

import pytest

import littlestone as ls
from littlestone.errors import ParameterError, UnsupportedError
from littlestone.planning import plan, simulate
from littlestone.planning.scenarios import scenarios
from littlestone.source import public_generator

SCHEMA = ls.Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn", "Rome"]}})
EASY = {"epsilon": 2, "alpha": "0.2", "beta": "0.2"}


@pytest.mark.parametrize(
    "concepts",
    [ls.Thresholds(1, 99), ls.Thresholds(5, 5), ls.Thresholds(0, 2**200), ls.Points(),
     ls.Points(1, 5),
     ls.SparseSets(3), ls.Intervals(1, 50), ls.Conjunctions(3), ls.FiniteClass([[0, 1], [1, 0]]),
     ls.TreePaths({"a": None, "b": "a"}), ls.AffineSubspaces(2, 2, 1),
     ls.AffineSubspaces(7, 20, 2), ls.Rules(SCHEMA, 2), ls.DecisionTrees(SCHEMA, 2)],
    ids=lambda c: c.spec,
)  # fmt: skip
def test_scenarios_are_distributions_with_a_concept(concepts):
    for scenario in scenarios(concepts, F(1, 10), noise=0.1):
        assert scenario.mass.sum() == pytest.approx(1)
        assert (scenario.mass >= 0).all()
        sample = scenario.draw(500, public_generator(1))
        assert sample.n == 500
        assert scenario.kind in ("worst-case", "typical")
        if concepts.size < 2000:  # the target is a concept: no error above itself
            assert min(scenario.excess(c) for c in concepts.concepts()) == 0


def test_worst_cases_are_worse_and_nothing_is_measured_twice(tmp_path):
    plans = plan(ls.Thresholds(1, 200), **EASY)
    steps = []
    file = tmp_path / "measured.json"
    first = simulate(plans, learners=["generic"], workers=1, file=file,
                     progress=lambda done, total: steps.append((done, total)))  # fmt: skip
    assert steps == [(0, 2), (1, 2), (2, 2)]
    worst, typical = first
    assert (worst.kind, typical.kind) == ("worst-case", "typical")
    assert typical.n < worst.n <= worst.certified
    for found in first:
        assert found.low <= found.failures / found.runs <= found.high
    # an interrupted run: one result is lost, the other one is kept
    document = json.loads(file.read_text())
    lost = next(iter(document["measured"]))
    del document["measured"][lost]
    file.write_text(json.dumps(document))
    steps.clear()
    again = simulate(plans, learners=["generic"], workers=1, file=file,
                     progress=lambda done, total: steps.append((done, total)))  # fmt: skip
    assert steps == [(1, 2), (2, 2)]
    assert again == first
    assert simulate(plans, learners=["generic"], workers=1) == first


def test_processes_give_the_same(tmp_path):
    plans = plan(ls.FiniteClass([[0, 0], [0, 1], [1, 0]]), **EASY)
    assert simulate(plans, runs=10, workers=2) == simulate(plans, runs=10, workers=1)


def test_users_are_measured_and_resumed(tmp_path):
    plans = plan(ls.Thresholds(1, 9), epsilon=4, alpha="0.3", beta="0.3", samples_per_user=4)
    file = tmp_path / "users.json"
    first = simulate(plans, runs=8, workers=1, learners=["users"], file=file)
    assert {found.learner for found in first} == {"users"}
    assert all(1 <= found.n <= found.certified for found in first)
    calls = []
    again = simulate(plans, runs=8, workers=1, learners=["users"], file=file,
                     progress=lambda done, total: calls.append((done, total)))  # fmt: skip
    assert again == first
    assert calls == [(2, 2)]


def test_users_have_as_many_records_as_planned():
    scenario = scenarios(ls.Thresholds(1, 9), F(1, 10), noise=0.1)[0]
    users = scenario.draw_users(50, 3, public_generator(1))
    assert users.n_users == 50
    assert [users.of_user(i).n for i in range(50)] == [3] * 50


def test_mistakes_are_taught(tmp_path):
    plans = plan(ls.Thresholds(1, 9), **EASY)
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(ParameterError, match="no measured plans"):
        simulate(plans, file=tmp_path / "other.json")
    with pytest.raises(ParameterError, match="'runs'"):
        simulate(plans, runs=0)
    with pytest.raises(UnsupportedError, match="synthetic"):
        simulate(plan(ls.Prefixes("ipv6"), **EASY))
