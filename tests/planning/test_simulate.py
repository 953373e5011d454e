"""Measured plans: reproducible, resumable, and never above what is certified."""

import json
from fractions import Fraction as F
from types import SimpleNamespace

import numpy as np
import pytest

import littlestone as ls
from littlestone.classes import AlwaysZero
from littlestone.data import Sample
from littlestone.errors import ParameterError, UnsupportedError
from littlestone.learners.select import ALL_RECORDS, ONE_RECORD
from littlestone.planning import plan, simulate
from littlestone.planning.scenarios import scenarios
from littlestone.source import SeededSource, public_generator

SCHEMA = ls.Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn", "Rome"]}})
TERNARY = ls.theory.TreePaths({f"n{i}": None if not i else f"n{(i - 1) // 3}" for i in range(9000)})
FLAT = ls.theory.TreePaths({f"n{i}": None for i in range(5000)})
EASY = {"epsilon": 2, "alpha": "0.2", "beta": "0.2"}


@pytest.mark.first(9)
@pytest.mark.parametrize(
    "concepts",
    [ls.Thresholds(1, 99), ls.Thresholds(5, 5), ls.Thresholds(0, 2**200), ls.Points(),
     ls.Points(1, 5),
     ls.SparseSets(3), ls.Intervals(1, 50), ls.theory.Conjunctions(3),
     ls.theory.FiniteClass([[0, 1], [1, 0]]), ls.theory.Conjunctions(1),
     ls.theory.Conjunctions(3, monotone=True), ls.theory.Conjunctions(12),
     ls.theory.FiniteClass([[0], [1]]), ls.theory.FiniteClass([[1, 0]]),
     ls.theory.TreePaths({"a": None, "b": "a"}), ls.theory.TreePaths({"a": None}), TERNARY, FLAT,
     ls.Prefixes("ab", 1), ls.Prefixes("012", 4), ls.Prefixes("ipv4"), ls.Prefixes("ipv6"),
     ls.Prefixes("0123456789", 500), ls.theory.AffineSubspaces(2, 2, 1),
     ls.theory.AffineSubspaces(7, 20, 2), ls.Rules(SCHEMA, 2), ls.DecisionTrees(SCHEMA, 2)],
    ids=lambda c: c.spec,
)  # fmt: skip
def test_scenarios_are_distributions_with_a_concept(concepts):
    for scenario in scenarios(concepts, F(1, 10), noise=0.1):
        assert scenario.mass.sum() == pytest.approx(1)
        assert (scenario.mass >= 0).all()
        sample = scenario.draw(500, public_generator(1))
        assert sample.n == 500
        assert scenario.kind in ("worst-case", "typical")
        if concepts.size < 10_000:  # the target is a concept: no error above itself
            assert min(scenario.excess(c) for c in concepts.concepts()) == 0


@pytest.mark.parametrize("concepts", [TERNARY, ls.Prefixes("ipv6")], ids=lambda c: c.spec)
def test_the_worst_path_is_missed_by_all_but_one(concepts):
    worst, typical = scenarios(concepts, F(1, 10))
    forest = concepts.forest
    deepest = max(worst.points.tolist(), key=forest.depth)
    assert forest.depth(deepest) == forest.height
    drawn = concepts.candidates(worst.draw(10**6, public_generator(0))).draw(F(1), SeededSource(1))
    assert worst.excess(drawn) == 0
    near = concepts.candidates(typical.draw(10**6, public_generator(0))).draw(F(1), SeededSource(1))
    assert typical.excess(near) == 0
    assert worst.excess(AlwaysZero()) > 0.1  # and the path that ends just above the deepest node:
    above = concepts.domain.store([forest.ancestor(deepest, forest.height - 1)])
    nearly = Sample.of(np.append(above, worst.points), [1, *(v != deepest for v in worst.points)])
    shorter = concepts.candidates(nearly).draw(F(100), SeededSource(1))
    assert worst.excess(shorter) > 0.1


def test_levels_of_a_taxonomy_are_mixed():
    typical = scenarios(ls.Prefixes("ipv4"), F(1, 10))[1]
    depths = {ls.Prefixes("ipv4").forest.depth(v) for v in typical.points.tolist()}
    assert len(depths) > 25
    assert typical.mass[typical.labels == 1].sum() == pytest.approx(0.5)


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


@pytest.mark.more
def test_processes_give_the_same(tmp_path):
    plans = plan(ls.theory.FiniteClass([[0, 0], [0, 1], [1, 0]]), **EASY)
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


def test_every_way_of_a_plan_is_measured():
    plans = plan(ls.Thresholds(1, 9), epsilon=4, delta="0.01", alpha="0.3", beta="0.3",
                 samples_per_user=4)  # fmt: skip
    found = simulate(plans, runs=8, workers=1, learners=["agnostic", "vc1", "users"])
    ways = {(f.learner, f.reads) for f in found}
    wanted = {(c.learner, c.reads) for c in plans if c.learner in ("agnostic", "vc1", "users")}
    assert ways == wanted
    assert {f.reads for f in found} == {None, ONE_RECORD, ALL_RECORDS}
    certified = {(c.learner, c.reads): c.n for c in plans if not c.options}
    for f in found:
        assert f.certified == certified[f.learner, f.reads]
        assert 1 <= f.n <= f.certified


def test_proper_learners_are_measured_beside_the_others():
    fork = ls.theory.FiniteClass([[0, 0, 0], [1, 1, 0], [1, 0, 1]])
    plans = plan(fork, epsilon=4, delta="0.01", alpha="0.3", beta="0.3")
    listed = [(c.learner, bool(c.options)) for c in plans if c.learner == "vc1"]
    assert listed == [("vc1", False), ("vc1", True)]
    found = simulate(plans, runs=8, workers=1, learners=["vc1"])
    assert [f.options for f in found] == [{}, {}, {"proper": True}, {"proper": True}]
    assert [f.certified for f in found[::2]] == [c.n for c in plans if c.learner == "vc1"]


def test_a_class_too_large_to_be_scored_has_no_plan_by_scores():
    with pytest.raises(UnsupportedError, match="No learner can promise this"):
        plan(ls.theory.Conjunctions(20), epsilon=1, delta="1e-6", alpha="0.2", beta="0.2")
    with pytest.raises(UnsupportedError, match="n may be at most 14"):
        ls.AgnosticLearner(ls.theory.Conjunctions(20), epsilon=1).required_samples()


def test_mistakes_are_taught(tmp_path):
    plans = plan(ls.Thresholds(1, 9), **EASY)
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(ParameterError, match="no measured plans"):
        simulate(plans, file=tmp_path / "other.json")
    with pytest.raises(ParameterError, match="'runs'"):
        simulate(plans, runs=0)
    strange = SimpleNamespace(spec="strange(1)", size=2**20, check_binary=lambda what: None)
    with pytest.raises(UnsupportedError, match="synthetic"):  # of a kind that nobody knows
        scenarios(strange, F(1, 10))
