"""No promise that fit would break, or that a lower bound excludes."""

import random
from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scenarios import scenarios
from scipy.optimize import linprog
from scipy.stats import binom

import littlestone as ls
from littlestone.classes import (
    CLASSES,
    BoostedTreeClass,
    LinearClass,
    ScorecardClass,
)
from littlestone.data import Sample, UserSample
from littlestone.errors import LittlestoneError, UnsupportedError
from littlestone.learners import registry, select
from littlestone.learners.base import Goal, feasible
from littlestone.learners.online.algorithm import mistake_bound
from littlestone.learners.online.plan import plan_online
from littlestone.learners.running import run
from littlestone.planning import plan
from littlestone.planning.plans import lower_bounds, plan_stream
from littlestone.source import SeededSource, public_generator

from .forms import CLASSES as FORMED
from .forms import FORMS, called, planned

# -- No promise that fit would break: random classes of every kind, random public numbers ----------
# Whatever `ls.plan` chooses then fits on a public sample of the size that it names; whatever has
# no number is refused before any record is read, with the reason that the plan gives. The same
# online.

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
    "intervals": lambda rng: ls.Intervals(*bounds(rng, 1, 2, 9, 200, 2**16, 2**64, 2**1024)),
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
    codes = concepts.domain.schema.n_codes
    rows = np.stack([generator.integers(k, size=n * (m or 1)) for k in codes], axis=1)
    labels = generator.integers(2, size=n * (m or 1))
    sample = Sample.of(rows, labels)
    if m is None:
        return sample
    place = {tuple(row): i for i, row in enumerate(sample.points.tolist())}
    points = np.array([place[tuple(row)] for row in rows.tolist()], dtype=np.int64)
    users = np.repeat(np.arange(n, dtype=np.int64), m)
    ones, keys = np.ones(n * m, dtype=np.int64), np.arange(n, dtype=np.uint64)
    return UserSample(sample.points, users, points, labels, ones, keys).merged()


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


# -- No plan promises what a lower bound excludes: random numbers, every class, every learner ------

PLACES = st.integers(0, 100)
ASKED = st.fixed_dictionaries(
    {
        "epsilon": st.builds(lambda i: F(f"{0.02 * 500 ** (i / 100):.3g}"), PLACES),
        "delta": st.none() | st.builds(lambda i: F(f"{1e-15 * 10 ** (i * 0.14):.3g}"), PLACES),
        "alpha": st.builds(lambda i: F(f"{0.01 * 90 ** (i / 100):.3g}"), PLACES),
        "beta": st.builds(lambda i: F(f"{1e-5 * 9e4 ** (i / 100):.3g}"), PLACES),
        "samples_per_user": st.none() | st.sampled_from([1, 2, 5, 16]),
    }
)
EVERY = [
    *FORMED,
    ls.Thresholds(1, 2**65536),
    ls.SparseSets(5),
    ls.theory.AffineSubspaces(7, 20, 2),
]


def lower_check(concepts, asked):
    """Compare every bound with every learner of its kind and setting; return how many pairs."""
    try:
        plans = plan(concepts, **asked)
    except UnsupportedError:
        return 0
    compared = 0
    for bound in plans.lower_bounds:
        for found in plans:
            if bound.n is None or (bound.setting == "agnostic" and not found.agnostic):
                continue
            if "pure" in bound.holds_for and found.guarantee.delta:
                continue
            if "proper" in bound.holds_for and found.learner not in ("generic", "agnostic"):
                continue
            assert bound.unit == found.unit
            assert bound.n <= found.n, (concepts.spec, asked, bound.claim, found.learner)
            compared += 1
    for setting, free in plans.non_private.items():
        # bounds that hold without privacy
        for bound in plans.lower_bounds:
            if bound.claim.startswith("lower.vc") and bound.setting == setting:
                assert plans.budget.samples_per_user or bound.n <= free.n, (bound.claim, asked)
    return compared


@pytest.mark.more
@pytest.mark.parametrize("concepts", EVERY, ids=lambda concepts: concepts.spec)
@settings(max_examples=settings.default.max_examples // 20)
@given(ASKED)
def test_no_plan_is_below_a_lower_bound(concepts, asked):
    lower_check(concepts, asked)


@pytest.mark.full
@settings(max_examples=600)
@given(st.sampled_from(EVERY), ASKED)
def test_no_plan_is_below_a_lower_bound_often(concepts, asked):
    lower_check(concepts, asked)


@pytest.mark.more
def test_the_bounds_are_about_something():
    """With usual numbers most learners of a class meet a bound of their kind and setting."""
    asked = {"epsilon": 1, "delta": "1e-6", "alpha": "0.1", "beta": "0.05"}
    *others, subspaces = EVERY
    assert min(lower_check(concepts, asked) for concepts in others) >= 4
    assert lower_check(subspaces, asked) == 2  # too many to list: one learner, and it is realizable


def failure_of_the_best_test(n, alpha, epsilon, delta):
    """The least failure of a private test of the sign of a bias, by a linear program over u_k."""
    law = binom.pmf(np.arange(n + 1), n, (1 + alpha) / 2)
    rows, limits = [], []
    for k in range(n):
        for one, other in ((k, k + 1), (k + 1, k)):
            for sign in (1, -1):  # of the answer 0, and of the answer 1 = 1 - u
                row, limit = np.zeros(n + 1), delta
                row[one], row[other] = sign, -sign * np.exp(epsilon)
                rows.append(row)
                limits.append(limit if sign == 1 else limit + np.exp(epsilon) - 1)
    # the mean of both signs: u_k and 1 - u_{n-k}
    weights = (law - law[::-1]) / 2
    found = linprog(weights, rows, limits, bounds=[(0, 1)] * (n + 1), method="highs")
    return float(found.fun) + 0.5


@pytest.mark.parametrize("delta", [0, 1e-3])
@pytest.mark.parametrize(("alpha", "epsilon"), [(0.1, 1.0), (0.3, 0.5), (0.5, 2.0)])
def test_two_labels_by_a_linear_program(alpha, epsilon, delta):
    for beta in (0.2, 0.35, 0.45):
        goal = Goal(F(str(epsilon)), F(str(delta)), F(str(alpha)), F(str(beta)))
        bound, = (b for b in lower_bounds(ls.Points(), goal, agnostic=True)
                  if b.claim == "lower.two-labels")  # fmt: skip
        if bound.n > 60:
            continue
        assert failure_of_the_best_test(bound.n, alpha, epsilon, delta) <= beta + 1e-7
        if bound.n > 1:
            assert failure_of_the_best_test(bound.n - 1, alpha, epsilon, delta) > beta - 1e-7


@pytest.mark.parametrize(
    ("concepts", "mass", "epsilon", "n"),
    [(ls.Thresholds(1, 10**6), 0.2, "1", 97), (ls.Points(1, 300), 0.1, "1/10", 642)],
)
def test_packing_by_its_definition(concepts, mass, epsilon, n):
    goal = Goal(F(epsilon), F(0), F(1, 10), F(1, 20))
    bound, = (b for b in lower_bounds(concepts, goal, agnostic=True)
              if b.claim == "lower.packing")  # fmt: skip
    assert bound.n == n

    def success(n):
        m = np.arange(n + 1)
        gain = np.minimum(1, np.exp(np.minimum(float(F(epsilon)) * m, 50)) / (concepts.size - 2))
        return float(binom.pmf(m, n, mass) @ gain)

    assert success(n - 1) < 0.95 <= success(n)


def test_plan_says_what_two_labels_need():
    plans = plan(ls.Thresholds(1, 10**6), epsilon=1, alpha="0.1", beta="0.05")
    assert plans.chosen.n <= 860
    assert max(b.n for b in plans.lower_bounds if b.n and b.setting == "agnostic") == 277


@pytest.mark.parametrize("alpha", ["1e-12", "1e-9"])
def test_where_a_walk_is_too_long_a_closed_bound_is_said(alpha):
    """Nothing refuses a plan half-way: the walks of 10**18 records are not summed."""
    plans = ls.plan(ls.Thresholds(1, 99), epsilon=1, alpha=alpha, beta="1e-12")
    known = {bound.claim: bound for bound in plans.lower_bounds if bound.n is not None}
    assert "lower.two-labels" not in known
    assert known["lower.vc.agnostic"].n > 10**15
    assert plans.chosen.n > known["lower.vc.agnostic"].n


# -- n never grows with what is allowed: every learner in every form, on classes of every kind -----
# An example is a chain: one number grows from step to step, the others stay as they were drawn.
# What is certified stays certified, and needs no more records (or users) than before.

#: Least and largest value.
RANGES = {
    "epsilon": (F(1, 50), F(8)),
    "delta": (F(1, 10**15), F(1, 20)),
    "alpha": (F(1, 50), F(9, 10)),
    "beta": (F(1, 10**4), F(9, 10)),
}
CHAINS = st.tuples(
    st.sampled_from(FORMED),
    st.sampled_from(sorted(RANGES)),
    st.fixed_dictionaries(dict.fromkeys(RANGES, PLACES)),
    st.sampled_from([1, 2, 16]),
    st.lists(PLACES, min_size=2, max_size=3, unique=True).map(sorted),
)


def at(what, place):
    """Return a value of a range, on a logarithmic scale."""
    low, high = RANGES[what]
    return F(f"{float(low * F(float(high / low) ** (place / 100))):.4g}")


def grows_check(form, chain):
    concepts, what, places, m, steps = chain
    budget = Goal(*(at(name, places[name]) for name in RANGES), samples_per_user=m)
    before = None
    for step in steps:
        n = planned(form, concepts, replace(budget, **{what: at(what, step)})).n
        if before is not None:
            assert n is not None, (form, concepts.spec, what, step)
            # users' windows are whole numbers of mistakes, found by a search
            slack = 1 + F(1, 50) * (form[1].get("method") == "user-level")
            assert n <= before * slack, (form, concepts.spec, what, step, before, n)
        before = before if n is None else n


@pytest.mark.first(3)
@pytest.mark.parametrize("form", FORMS, ids=called)
@settings(max_examples=settings.default.max_examples // 20)
@given(CHAINS)
def test_no_learner_needs_more_for_less(form, chain):
    grows_check(form, chain)


@pytest.mark.full
@settings(max_examples=600)
@given(st.sampled_from(FORMS), CHAINS)
def test_no_learner_needs_more_for_less_often(form, chain):
    grows_check(form, chain)


@pytest.mark.more
def test_each_form_suits_some_of_these_classes():
    """So the tests above are about all of them."""
    easy = Goal(F(4), F(1, 100), F(9, 20), F(9, 20), samples_per_user=4)
    for form in FORMS:
        assert any(planned(form, concepts, easy).n is not None for concepts in FORMED), form
    certified = {name for name, entry in registry.LEARNERS.items() if entry.certified}
    assert {form[0] for form in FORMS} == certified
    assert set(registry.names()) - certified == {"boosting", "values", "linear"}


STREAMS = st.tuples(
    st.sampled_from(
        [ls.Thresholds(1, 99), ls.Points(), ls.theory.FiniteClass([[0, 0], [0, 1], [1, 1]])]
    ),
    st.sampled_from(["epsilon", "delta", "beta"]),
    st.fixed_dictionaries(dict.fromkeys(["epsilon", "delta", "beta"], PLACES)),
    st.integers(4, 9),
    st.lists(PLACES, min_size=2, max_size=3, unique=True).map(sorted),
)


@settings(max_examples=settings.default.max_examples // 20)
@given(STREAMS)
def test_streams_are_promised_no_more_mistakes_for_more_budget(stream):
    concepts, what, places, digits, steps = stream
    before = None
    for step in steps:
        budget = {name: at(name, place) for name, place in {**places, what: step}.items()}
        plan = plan_online(concepts, **budget, horizon=10**digits, constants="theory")
        mistakes = mistake_bound(plan, concepts).mistakes
        assert before is None or mistakes <= before, (concepts.spec, what, step, before, mistakes)
        before = mistakes
