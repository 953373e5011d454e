"""No promise that fit would break: random classes of every kind, random public numbers.

Whatever `ls.plan` chooses then fits on a public sample of the size that it names; whatever has no
number is refused before any record is read, with the reason that the plan gives. The same online.
"""

import random
from fractions import Fraction as F

import numpy as np
import pytest
from scenarios import scenarios

import littlestone as ls
from littlestone.classes import (
    CLASSES,
    BoostedTreeClass,
    LinearClass,
    ScorecardClass,
    at_public_points,
)
from littlestone.data import Sample, UserSample
from littlestone.data.targets import merge
from littlestone.errors import LittlestoneError, UnsupportedError
from littlestone.learners import registry, select
from littlestone.learners.base import feasible
from littlestone.learners.running import run
from littlestone.planning.plans import plan_stream
from littlestone.source import SeededSource, public_generator

MOST = 10**6  # records of a fit; more are asked of `feasible` only
RECORDS = 200  # of a stream, or of a fit that is refused


def schema(rng):
    columns = {}
    for i in range(rng.randint(1, 5)):
        k = rng.choice([1, 2, 3, 6])
        kind = rng.choice([{"bins": list(range(k))}, {"categories": [f"c{j}" for j in range(k)]}])
        columns[f"x{i}"] = kind
    return ls.Schema.from_dict(columns)


def taxonomy(rng):
    n = rng.choice([1, 2, 5, 30, 300])
    deep = rng.choice([1, 3, n])
    return {str(i): None if i == 0 else str(rng.randint(max(0, i - deep), i - 1)) for i in range(n)}


def bounds(rng, *sizes):
    low = rng.choice([0, 1, -7, 2**70])
    return low, low + rng.choice(sizes) - 1


PLANE = ls.theory.HalfPlanes((0, 0), (99, 99))


def places(rng):
    return [(rng.randrange(100), rng.randrange(100)) for _ in range(rng.choice([1, 40]))]


KINDS = {
    "affine_subspaces": lambda rng: ls.theory.AffineSubspaces(
        rng.choice([2, 3, 7]), n := rng.choice([1, 2, 4, 8, 20]), rng.randint(0, min(n, 3))
    ),
    "boosted_trees": lambda rng: BoostedTreeClass(schema(rng), rng.randint(1, 3)),
    "conjunctions": lambda rng: ls.theory.Conjunctions(
        rng.choice([1, 2, 5, 9, 14, 40, 200]), monotone=rng.random() < 0.5
    ),
    "decision_trees": lambda rng: ls.DecisionTrees(schema(rng), rng.randint(1, 3)),
    "finite": lambda rng: ls.theory.FiniteClass(
        np.unique(
            public_generator(rng.randrange(99)).integers(
                2, size=(rng.choice([1, 2, 9, 40]), rng.choice([1, 3, 8]))
            ),
            axis=0,
        )
    ),
    "half_planes": lambda rng: rng.choice([PLANE, at_public_points(PLANE, places(rng))]),
    "intervals": lambda rng: ls.Intervals(*bounds(rng, 1, 2, 9, 200, 2**16, 2**64, 2**1024)),
    "leaf_paths": lambda rng: ls.theory.LeafPaths(KINDS[rng.choice(TREES)](rng)),
    "points": lambda rng: rng.choice([ls.Points(), ls.Points(*bounds(rng, 1, 2, 99, 2**64))]),
    "prefixes": lambda rng: ls.Prefixes(
        *rng.choice([("ipv4",), ("ipv6",), ("01", 3), ("0123456789", 5)])
    ),
    "rules": lambda rng: ls.Rules(schema(rng), rng.randint(1, 3)),
    "scorecard": lambda rng: ScorecardClass(schema(rng)),
    "linear": lambda rng: LinearClass(schema(rng)),
    "sparse_sets": lambda rng: ls.SparseSets(
        rng.randint(1, 5), *rng.choice([(), bounds(rng, 5, 40, 2**64)])
    ),
    "thresholds": lambda rng: ls.Thresholds(*bounds(rng, 1, 2, 99, 2**64, 2**4096)),
    "tree_paths": lambda rng: ls.theory.TreePaths(taxonomy(rng)),
}


TREES = ["points", "prefixes", "tree_paths"]


def setting(case):
    """Return a class and what is asked of it: both public, both drawn from the number of a case."""
    rng = random.Random(case)
    kind = list(KINDS)[case % len(KINDS)]
    while True:
        try:
            concepts = KINDS[kind](rng)
            break
        except LittlestoneError:  # such a class does not exist: a schema without any choice
            continue
    epsilon = F(rng.choice(["0.01", "0.1", "0.5", "1", "2", "7", "40"]))
    asked = {
        "epsilon": epsilon,
        "delta": rng.choice([None, "1e-6", "1e-9", "1e-3", "0.2"]),
        "alpha": rng.choice(["0.01", "0.05", "0.1", "0.25", "0.6"]),
        "beta": rng.choice(["0.001", "0.05", "0.2", "0.7"]),
        "samples_per_user": rng.choice([None, None, None, 1, 2, 5]),
        "evaluate": rng.choice([None, None, epsilon / 10, epsilon * F(9, 10)]),
    }
    return concepts, asked, rng.choice([50, 10**4, 10**6])


def public_records(concepts, n, m, case):
    """Return n records (of n users with m each) that are drawn from public coins."""
    generator = public_generator(case)
    try:
        found = scenarios(concepts, F(1, 10), noise=0.1)
    except UnsupportedError:
        found = []
    if found:
        chosen = found[case % len(found)]
        return chosen.draw(n, generator) if m is None else chosen.draw_users(n, m, generator)
    codes = [100, 100] if concepts.name == "half_planes" else concepts.domain.schema.n_codes
    rows = np.stack([generator.integers(k, size=n * (m or 1)) for k in codes], axis=1)
    labels = generator.integers(2, size=n * (m or 1))
    sample = Sample.of(rows, labels)
    if m is None:
        return sample
    place = {tuple(row): i for i, row in enumerate(sample.points.tolist())}
    points = np.array([place[tuple(row)] for row in rows.tolist()], dtype=np.int64)
    users = np.repeat(np.arange(n, dtype=np.int64), m)
    groups = merge(users, points, labels.astype(np.int8), np.ones(n * m, dtype=np.int64))
    return UserSample(sample.points, *groups, np.arange(n, dtype=np.uint64))


def check_chosen(concepts, asked, plans, case):
    """What is chosen is what fit takes, and it fits."""
    chosen = plans.chosen
    if chosen is None:
        return
    assert feasible(chosen.algorithm, chosen.n) == (True, "", "")
    m = asked["samples_per_user"]
    if chosen.n * (m or 1) > MOST:
        return
    learner = select.make("auto", concepts, **asked)
    sample = public_records(concepts, chosen.n, m, case)
    release = run(learner, sample, SeededSource(case), evaluate=asked["evaluate"])
    assert release.certificate.holds
    predicted = release.hypothesis.predict(sample.points)
    assert set(np.unique(predicted).tolist()) <= {0, 1}


def made_and_run(name, concepts, given, sample, case):
    run(registry.make(name, concepts, **given), sample, SeededSource(case))


def check_refused(concepts, asked, candidates, case):
    """What has no number refuses to fit, and says why in the words of the plan."""
    m = asked["samples_per_user"]
    for candidate in candidates:
        assert (candidate.n is None) == (candidate.problem is not None)
        if candidate.problem is None:
            assert feasible(candidate.algorithm, candidate.n).ok
        if candidate.problem is None or candidate.dominated or candidate.reads is not None:
            continue
        entry = registry.LEARNERS[candidate.learner]
        if not entry.certified:
            continue
        extra = {} if m is None or entry.unit == "records" else {"samples_per_user": m}
        sample = public_records(concepts, RECORDS, m if entry.unit == "users" else None, case)
        given = {
            "epsilon": asked["epsilon"] - (asked["evaluate"] or 0),
            "delta": None if entry.pure else asked["delta"],
            "alpha": asked["alpha"],
            "beta": asked["beta"],
        } | (candidate.options | extra)
        with pytest.raises(LittlestoneError) as refusal:
            made_and_run(candidate.learner, concepts, given, sample, case)
        assert str(refusal.value) == str(candidate.problem) != ""


def check_stream(concepts, asked, horizon, case):
    """The plan of a stream has a bound exactly if `OnlineLearner` takes its first record."""
    goal = select.goal_of("plan", **{**asked, "evaluate": None})
    found = plan_stream(concepts, goal, horizon)
    learner = ls.OnlineLearner(
        concepts,
        epsilon=asked["epsilon"],
        delta=asked["delta"] or 0,
        horizon=horizon,
        beta=asked["beta"],
        records_per_user=asked["samples_per_user"],
        random_state=case,
    )
    sample = public_records(concepts, RECORDS, None, case)
    points = np.repeat(sample.points, sample.zeros + sample.ones, axis=0)
    counts = np.stack([sample.zeros, sample.ones], axis=1).ravel()
    labels = np.repeat(np.tile([0, 1], len(sample.zeros)), counts)
    order = public_generator(case).permutation(len(points))
    m = asked["samples_per_user"]
    users = None if m is None else [str(i // m) for i in range(len(points))]
    rows = [points[i].tolist() if points.ndim > 1 else points[i] for i in order]
    if found.bound is None:
        with pytest.raises(LittlestoneError) as refusal:
            learner.learn_one(rows[0], int(labels[order[0]]), *([] if users is None else ["a"]))
        assert found.problem in str(refusal.value) or str(refusal.value) in found.problem
        return
    few = 10  # one by one; the others at once
    for i, row in enumerate(rows[:few]):
        learner.predict_one(row)
        learner.learn_one(row, int(labels[order[i]]), *([] if users is None else [users[i]]))
    rest = sample.points[:0] if few >= len(rows) else points[order[few:]]
    learner.learn_many(rest, labels[order[few:]], None if users is None else users[few:])


def check(case):
    concepts, asked, horizon = setting(case)
    try:
        plans = ls.plan(concepts, **asked)
        candidates = plans.candidates
    except UnsupportedError:
        plans = None
        goal = select.goal_of("plan", **asked)
        candidates = tuple(select.compare(concepts, goal))
        assert select.fewest(candidates) is None
    if plans is not None:
        check_chosen(concepts, asked, plans, case)
    check_refused(concepts, asked, candidates, case)
    check_stream(concepts, asked, horizon, case)


def test_every_class_is_here():
    """Every one of the library: other tests add classes of their own."""
    ours = {
        kind.name
        for kind in vars(ls.classes).values()
        if isinstance(kind, type) and getattr(kind, "name", None) in CLASSES
    }
    assert set(KINDS) == ours


@pytest.mark.first(0, 15)
@pytest.mark.parametrize("case", range(300))
def test_what_is_planned_is_what_fit_does(case):
    check(case)
