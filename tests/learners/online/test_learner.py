"""The online learner: equal draws by every call, state, late labels, certificates, odd streams."""

import copy
import os
import pickle
from fractions import Fraction as F

import numpy as np
import pytest

import littlestone as ls
from littlestone.bounds import recheck
from littlestone.classes import (
    AffineSubspaces,
    Conjunctions,
    FiniteClass,
    Intervals,
    Points,
    Rules,
    SparseSets,
    Thresholds,
)
from littlestone.classes import load as load_hypothesis
from littlestone.data import Schema
from littlestone.errors import LittlestoneError, ParameterError, StateError, UnsupportedError
from littlestone.learners.base import feasible
from littlestone.learners.online.algorithm import (
    OnlineAlgorithm,
    mistake_bound,
    numbered,
)
from littlestone.learners.online.plan import plan_online
from littlestone.learners.online.state import OnlineState, VoteHypothesis, majority
from littlestone.privacy import compose


def learner(concept_class=None, **changes):
    options = {"epsilon": 1, "delta": 1e-6, "horizon": 20_000, "random_state": 3}
    return ls.OnlineLearner(concept_class or Thresholds(1, 2**32), **(options | changes))


def stream(n, seed=0, end=2**32, target=1_234_567_890):
    x = np.random.default_rng(seed).integers(1, end, n)
    return x, (x > target).astype(np.int8)


# -- one law, many interfaces -------------------------------------------------------------------


def test_one_by_one_and_many_at_once_make_the_same_draws():
    x, y = stream(12_000)
    x[::1000] = -5  # outside the domain
    one, many, parts = learner(), learner(), learner()
    for a, b in zip(x.tolist(), y.tolist(), strict=True):
        one.learn_one(a, b)
    many.learn_many(x, y)
    for i in range(0, len(x), 77):
        parts.partial_fit(x[i : i + 77].reshape(-1, 1), y[i : i + 77], classes=[0, 1])
    assert one.state_ == many.state_ == parts.state_
    assert len(one.published_) > 1
    assert np.array_equal(one.predict(x), [one.predict_one(a) for a in x.tolist()])


def test_labels_that_come_late_take_part_when_they_come():
    x, y = stream(3_000)
    now, late = learner(), learner()
    now.learn_many(x, y)
    tickets = [late.observe(a) for a in x.tolist()]
    for ticket, label in zip(tickets, y.tolist(), strict=True):
        late.reveal(ticket, label)
    assert now.published_ == late.published_
    with pytest.raises(ParameterError, match="not yet revealed"):
        late.reveal(tickets[0], 1)


# -- privacy is composed exactly ----------------------------------------------------------------


@pytest.mark.parametrize("constants", ["practical", "theory"])
@pytest.mark.parametrize(
    ("concept_class", "delta"),
    [(Thresholds(1, 2**16), 1e-6), (Thresholds(1, 2**16), 0), (Points(), 1e-6)],
)
def test_the_parts_cost_what_is_claimed(concept_class, delta, constants):
    plan = plan_online(
        concept_class, epsilon=F(1, 2), delta=delta, horizon=10**5, constants=constants
    )
    counts = [(phase.draw_epsilon, phase.batches * phase.draws) for phase in plan.phases]
    draws = sum(n for _, n in counts)
    assert (plan.method, len(counts)) == {
        ("Thresholds", "practical"): ("exponential", 2),
        ("Thresholds", "theory"): ("exponential", 1),
    }.get((type(concept_class).__name__, constants), ("closure", 1))
    if draws <= 64 or not delta:
        epsilon, _ = compose(plan.losses(), delta=plan.goal.delta)
    else:  # the same Rényi divergences, without the slow route of dominating pairs
        from littlestone.privacy import Approximate, Concentrated, Pure

        losses = {
            Pure(plan.test_epsilon): 1,
            Concentrated(sum(n * e**2 / 8 for e, n in counts)): 1,
            Approximate(F(0), draws * plan.leak): 1,
        }
        epsilon, _ = compose(losses, delta=plan.goal.delta)
    assert F(9, 10) * plan.goal.epsilon <= epsilon <= plan.goal.epsilon
    guarantee = OnlineAlgorithm(concept_class, plan).guarantee()
    assert (guarantee.epsilon, guarantee.delta) == (F(1, 2), plan.goal.delta)


@pytest.mark.first(3)
@pytest.mark.parametrize("epsilon", [1e-9, 1e6])
@pytest.mark.parametrize("delta", [0, "1e-300", 0.999])
@pytest.mark.parametrize("constants", ["practical", "theory"])
def test_extreme_budgets(epsilon, delta, constants):
    found = learner(Thresholds(1, 9), epsilon=epsilon, delta=delta, constants=constants, horizon=50)
    for t in range(50):
        found.learn_one(1 + t % 9, t % 9 > 4)
    assert recheck(found.mistake_bound().certificate.to_dict()) == ()


def test_public_arguments_are_checked():
    for changes in (
        {"epsilon": 0}, {"delta": 1}, {"horizon": 0}, {"beta": 0}, {"constants": "best"},
        {"random_state": -1},
    ):  # fmt: skip
        with pytest.raises(LittlestoneError):
            _ = learner(**changes).hypothesis_
    with pytest.raises(ParameterError, match="positive for points"):
        _ = learner(Points(), delta=0).hypothesis_
    with pytest.raises(ValueError, match="must be 0 or 1"):
        learner().learn_one(3, "yes")
    with pytest.raises(ParameterError, match="as long as X"):
        learner().learn_many([1, 2], [1])
    assert "NOT PRIVATE" in repr(learner())
    assert "NOT PRIVATE" in str(learner().guarantee_)


@pytest.mark.parametrize("seed", [None, 3])
def test_a_forked_learner_does_not_spend_the_budget_again(seed):
    """The child may read what is published, and begin a stream of its own; nothing more."""
    numbers = {"epsilon": 1, "delta": 1e-6, "horizon": 100, "random_state": seed}
    learner = ls.OnlineLearner(ls.Thresholds(1, 9), **numbers)
    learner.learn_one(5, 1)
    kept = OnlineState.from_json(learner.state_.public(), learner.state_.private())
    waiting = ls.OnlineLearner(ls.Thresholds(1, 9), **numbers, state=kept)  # not yet used
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        said = ""
        try:
            attempts = {
                "one": lambda: learner.learn_one(5, 1),
                "many": lambda: learner.learn_many([5], [1]),
                "observe": lambda: learner.observe(5),
                "waiting": lambda: waiting.learn_one(5, 1),
                "state": lambda: ls.OnlineLearner(
                    ls.Thresholds(1, 9), **numbers, state=learner.state_
                ).learn_one(5, 1),
            }
            for name, attempt in attempts.items():
                try:
                    attempt()
                except StateError:
                    said += f"{name} "
            said += str(learner.predict_one(5) in (0, 1))
        finally:
            os.write(write, said.encode())
            os._exit(0)
    os.close(write)
    said = os.read(read, 4096).decode()
    os.close(read)
    os.waitpid(child, 0)
    assert said == ("one many observe waiting state True" if seed is None else "state True")
    waiting.learn_one(5, 1)
    learner.learn_one(5, 1)  # the parent goes on
    assert learner.state_.time == 2


def test_a_private_learner_is_not_copied_once_it_has_begun():
    private = learner(random_state=None)
    copy.deepcopy(private)
    private.learn_one(5, 1)
    for attempt in (copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="twice"):
            attempt(private)
        with pytest.raises(TypeError, match="twice"):
            attempt(OnlineState.from_json(private.state_.public(), private.state_.private()))


# -- learning -----------------------------------------------------------------------------------


def test_few_mistakes_on_thresholds():
    x, y = stream(100_000)
    found = learner(horizon=100_000)
    found.learn_many(x, y)
    wrong = int((found.predict(x) != y).sum())
    assert wrong < 1_000


@pytest.mark.first(2)
@pytest.mark.parametrize(
    ("concept_class", "points", "target"),
    [
        (Points(), ["oslo", "rome", "bonn"], {"rome"}),
        (SparseSets(3), ["oslo", "rome", "bonn", "kyiv"], {"rome", "kyiv"}),
        (Intervals(1, 20), list(range(1, 21)), set(range(5, 12))),
        (Conjunctions(3), [tuple(map(int, f"{i:03b}")) for i in range(8)], {(1, 0, 1), (1, 1, 1)}),
        (FiniteClass([[0, 1, 1], [1, 0, 1], [1, 1, 0]]), [0, 1, 2], {0, 2}),
    ],
)
def test_other_classes(concept_class, points, target):
    found = learner(concept_class, epsilon=8, horizon=10_000)
    for t in range(10_000):
        x = points[t * 7 % len(points)]
        found.learn_one(x, x in target)
    assert [found.predict_one(x) for x in points] == [int(x in target) for x in points]
    assert load_hypothesis(found.hypothesis_.to_dict()) == found.hypothesis_
    assert found.predict(points).tolist() == [int(x in target) for x in points]
    assert set(found.predict_proba_one(points[0])) == {False, True}


# -- certificates -------------------------------------------------------------------------------


@pytest.mark.parametrize("concept_class", [Thresholds(1, 99), Points()])
def test_certificates_recompute_and_grow_with_the_logarithm_of_the_horizon(concept_class):
    found = []
    for horizon in (1, 10**14, 10**28):
        plan = plan_online(
            concept_class, epsilon=1, delta=1e-6, horizon=horizon, constants="theory"
        )
        bound = mistake_bound(plan, concept_class)
        assert recheck(bound.certificate.to_dict()) == ()
        assert bound.mistakes <= horizon
        found.append(bound)
    assert not found[0].holds
    assert found[1].holds
    assert found[2].holds
    assert found[2].mistakes < 3 * found[1].mistakes
    soa = concept_class.version_space().littlestone_dim()
    ours = mistake_bound(plan, concept_class).mistakes
    assert soa < ours < float(concept_class.size) * plan.phases[-1].limit


def test_what_is_proved_of_practical_plans():
    """Their bound is at most 60 % larger."""
    ages = Thresholds(1, 1023)
    options = {"epsilon": 1, "delta": 1e-6, "horizon": 40_000}
    practical, theory = (
        mistake_bound(plan_online(ages, **options, constants=constants), ages)
        for constants in ("practical", "theory")
    )
    assert practical.holds
    assert practical.adaptive
    assert theory.mistakes < practical.mistakes < 1.6 * theory.mistakes < 20_000
    fixed = mistake_bound(plan_online(ages, **options, adversary="oblivious"), ages)
    assert fixed.mistakes <= practical.mistakes
    assert not fixed.adaptive
    assert recheck(practical.certificate.to_dict()) == ()


@pytest.mark.parametrize(
    ("concept_class", "changes", "ok"),
    [
        (Thresholds(1, 2**32), {}, True),
        (AffineSubspaces(7, 20, 2), {}, True),
        (Points(), {"delta": 0}, False),
        (Conjunctions(40), {}, False),
        (Thresholds(1, 9), {"horizon": 0}, False),
        ("no class", {}, False),
    ],
    ids=str,
)
def test_plan_bound_and_stream_agree_on_what_can_run(concept_class, changes, ok):
    found = learner(concept_class, **changes)
    assert feasible(found).ok is ok
    calls = [lambda: found.plan, found.mistake_bound, lambda: found.hypothesis_,
             lambda: found.predict_one(1), lambda: found.learn_one(1, 1)]  # fmt: skip
    if ok:
        assert found.plan == found.algorithm().plan
        assert found.mistake_bound().certificate.n == found.horizon
        return
    for call in calls:
        with pytest.raises(LittlestoneError) as refused:
            call()
        _, why, next_step = feasible(found)
        assert f"{why} {next_step}".strip() == str(refused.value)
    assert feasible(learner(), 0).why == "There are no records."


@pytest.mark.first(4)
@pytest.mark.parametrize(
    ("concept_class", "least"),
    [(Points(), 300), (SparseSets(2), 700), (SparseSets(3), 1_500),
     (AffineSubspaces(7, 20, 2), 9_000), (Points(1, 2**64), 300)],
    ids=str,
)  # fmt: skip
def test_closures_are_certified_from_short_streams_on(concept_class, least):
    options = {"epsilon": 1, "delta": 1e-6}
    for horizon in (least, 10**9):
        plan = plan_online(concept_class, **options, horizon=horizon)
        bound = mistake_bound(plan, concept_class)
        assert plan.method == "closure"
        assert bound.holds
        assert bound.adaptive
        assert recheck(bound.certificate.to_dict()) == ()
    assert not mistake_bound(
        plan_online(concept_class, **options, horizon=least // 4), concept_class
    ).holds


def mistakes(algorithm, x, y, seed):
    """The times of all mistakes on a public stream, and the last state."""
    sources = numbered(seed)
    state, wrong, done = algorithm.start(sources), [], 0
    inside = np.ones(len(y), dtype=bool)
    while done < len(y):
        hypothesis = state.hypothesis
        n = algorithm.step_many(
            state, x[done:], inside[done:], y[done:], sources, until_published=True
        )
        part = slice(done, done + n)
        wrong.append(np.flatnonzero(hypothesis.predict(x[part]) != y[part]) + done)
        done += n
    return np.concatenate(wrong), state


def contradicted(algorithm, points, seed):
    """The times of all mistakes against an adversary who keeps the most concepts."""
    left = np.array([concept.predict(points) for concept in algorithm.concept_class.concepts()])
    sources, n = numbered(seed), algorithm.plan.goal.horizon
    state, wrong = algorithm.start(sources), []
    while state.time < n:
        answers = 1 - state.hypothesis.predict(points)
        explain = (left == answers).sum(axis=0)
        best = int(explain.argmax())
        if not explain[best]:  # the published hypothesis is right wherever a concept is left
            break
        left = left[left[:, best] == answers[best]]
        version = state.version
        while state.version == version and state.time < n:
            wrong.append(state.time)
            algorithm.step(state, points[best].item(), int(answers[best]), sources)
    return wrong


@pytest.mark.more
def test_a_flat_is_learned_from_a_stream():
    flats, rng = AffineSubspaces(7, 20, 2), np.random.default_rng(3)
    plan = plan_online(flats, epsilon=1, delta=1e-6, horizon=10**5)
    offset, basis = rng.integers(0, 7, 20), rng.integers(0, 7, (2, 20))
    x = rng.integers(0, 7, (10**5, 20))
    inside = rng.random(10**5) < 0.3
    x[inside] = (offset + rng.integers(0, 7, (inside.sum(), 2)) @ basis) % 7
    wrong, state = mistakes(OnlineAlgorithm(flats, plan), x, inside.astype(np.int8), 3)
    bound = mistake_bound(plan, flats)
    assert bound.holds
    assert len(state.published) == 4
    assert wrong[-1] < 40_000  # and none after that
    assert len(wrong) <= bound.mistakes <= 10**4


@pytest.mark.more
def test_the_adversary_who_keeps_the_most_concepts():
    """thresholds(1, 1023), 40,000 records: version 0.1.0 made 40,000 mistakes by default."""
    ages = Thresholds(1, 1023)
    options = {"epsilon": 1, "delta": 1e-6, "horizon": 40_000}
    for constants in ("practical", "theory"):
        plan = plan_online(ages, **options, constants=constants)
        wrong = contradicted(OnlineAlgorithm(ages, plan), np.arange(1, 1024), 5)
        bound = mistake_bound(plan, ages)
        assert 3_000 < len(wrong) <= 6_000
        assert wrong[-1] < 10_000  # then it has no answer any more
        assert bound.holds
        assert bound.adaptive
        assert len(wrong) <= bound.mistakes <= 20_000


@pytest.mark.more
def test_a_learner_that_is_always_refuted_says_that_its_budget_is_spent():
    """Labels that nothing explains: whatever it predicts is wrong."""
    found = learner(Thresholds(1, 9), horizon=30_000)
    while not found.stopped_:
        found.learn_one(5, 1 - found.predict_one(5))
    assert found.state_.public()["stopped"]
    assert found.state_.batches == found.plan.batches
    before = found.hypothesis_
    found.learn_one(5, 1 - found.predict_one(5))
    assert found.hypothesis_ == before


@pytest.mark.first(1)
@pytest.mark.parametrize("seed", range(3))
def test_mistakes_stay_below_the_certificate_on_a_hard_oblivious_stream(seed):
    """Each block shows one point only, ever nearer to the target: no block teaches the next."""
    plan = plan_online(
        Thresholds(1, 1023), epsilon=1, delta=1e-6, horizon=10**5, constants="theory"
    )
    bound = mistake_bound(plan, Thresholds(1, 1023))
    rng = np.random.default_rng(seed)
    target, x = 700, []
    for j in range(1, 11):
        near = np.clip(target + rng.choice([-1, 1]) * 1023 // 2**j, 1, 1023)
        x += [int(near)] * 10**4
    x = np.array(x)
    y = (x > target).astype(np.int8)
    wrong, _ = mistakes(OnlineAlgorithm(Thresholds(1, 1023), plan), x, y, seed)
    assert bound.holds
    assert len(wrong) <= bound.mistakes


@pytest.mark.more
def test_the_bound_fails_as_rarely_as_stated():
    """No failure in 60 runs: with 95 % confidence the probability is below 0.05 (Clopper-Pearson).

    The stream shows, one after the other, the points that tell the remaining thresholds apart.
    """
    concept_class, n = Thresholds(1, 3), 4_000
    plan = plan_online(concept_class, epsilon=1, delta=1e-6, horizon=n, constants="theory")
    bound = mistake_bound(plan, concept_class)
    assert bound.holds
    assert bound.beta > 1 - 0.05 ** (1 / 60)
    algorithm = OnlineAlgorithm(concept_class, plan)
    for seed in range(60):
        target = seed % 4
        x = np.repeat(np.array([2, 1 if target < 2 else 3]), n // 2)
        wrong, _ = mistakes(algorithm, x, (x > target).astype(np.int8), seed)
        assert len(wrong) <= bound.mistakes


# -- votes --------------------------------------------------------------------------------------


def test_votes_are_the_majority_in_every_form():
    rng = np.random.default_rng(0)
    for concept_class, points in (
        (Thresholds(1, 6), np.arange(0, 8)),
        (Points(1, 4), np.arange(1, 5)),
        (SparseSets(2, 1, 4), np.arange(1, 5)),
        (Intervals(1, 5), np.arange(1, 6)),
        (FiniteClass(np.unique(rng.integers(0, 2, (9, 4)), axis=0)), np.arange(4)),
    ):
        concepts = list(concept_class.concepts())
        for n in (1, 2, 3, 5, 8):
            drawn = [concepts[i] for i in rng.integers(len(concepts), size=n)]
            ones = sum(h.predict(points).astype(int) for h in drawn)
            vote = majority(drawn)
            assert vote.predict(points).tolist() == (2 * ones > n).astype(int).tolist()
            assert load_hypothesis(vote.to_dict()) == vote
            assert vote == majority(drawn[::-1])
    with pytest.raises(ParameterError):
        VoteHypothesis(())
    bad = {"type": "vote", "votes": [[{"type": "never"}, 0], [{"type": "never"}, 1]]}
    with pytest.raises(ParameterError):
        load_hypothesis(bad)


ODD = [float("inf"), (float("-inf"), "a"), 10**5000, (10**5000, (-(10**5000),)), "\ud800"]


@pytest.mark.parametrize("x", ODD, ids=range(len(ODD)))
@pytest.mark.parametrize("concept_class", [Points(), SparseSets(2)], ids=str)
def test_no_point_makes_a_stream_fail(concept_class, x):
    private = learner(concept_class, epsilon=50, delta=0.5, horizon=4)
    for other in ["a", 3] * 30:
        for point in (x, other):
            private.learn_one(point, 1 - private.predict_one(point))
    assert private.state_.batches > 0


@pytest.mark.parametrize("x", [None, "x", 5, np.array(5)], ids=["none", "text", "number", "array"])
def test_streams_in_which_every_row_is_odd(x):
    schema = Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Ulm"]}})
    rules = Rules(schema)
    one = learner(rules, epsilon=50, delta=0, horizon=4)
    many = learner(rules, epsilon=50, delta=0, horizon=4)
    for _ in range(30):
        one.learn_one(x, 1)
    many.learn_many([x] * 30, [1] * 30)  # all outside: no array of rows shows how wide rows are
    assert one.state_ == many.state_
    assert many.predict([x] * 3).tolist() == [0] * 3


def test_a_state_continues_only_with_what_it_was_begun_with():
    begun = learner(Thresholds(1, 9), epsilon=50, horizon=9)
    begun.learn_many([1, 9] * 30, [1, 0] * 30)

    def kept():
        return OnlineState.from_json(begun.state_.public(), begun.state_.private())

    for change in ({"epsilon": 1}, {"delta": 0.1}, {"random_state": None}, {"random_state": 4}):
        options = {"epsilon": 50, "horizon": 9} | change
        with pytest.raises(ParameterError, match="begun with the same class"):
            _ = learner(Thresholds(1, 9), state=kept(), **options).guarantee_
    with pytest.raises(ParameterError, match="begun with the same class"):
        _ = learner(Thresholds(1, 8), state=kept(), epsilon=50, horizon=9).guarantee_
    again = learner(Thresholds(1, 9), state=kept(), epsilon=50, horizon=9)
    assert again.published_ == begun.published_


def test_one_learner_has_a_state():
    options = {"epsilon": 50, "horizon": 9}
    begun = learner(Thresholds(1, 9), **options)
    begun.learn_many([1, 9] * 30, [1, 0] * 30)
    kept = OnlineState.from_json(begun.state_.public(), begun.state_.private())
    with pytest.raises(StateError, match="spend the budget of its stream twice"):
        _ = learner(Thresholds(1, 9), state=begun.state_, **options).guarantee_
    first = learner(Thresholds(1, 9), state=kept, **options)
    second = learner(Thresholds(1, 9), state=kept, **options)
    first.learn_one(1, 1)
    with pytest.raises(StateError, match="already used by a learner"):
        second.learn_one(1, 1)
    first.learn_one(1, 1)
    assert first.state_.time == 62


@pytest.mark.parametrize("how", ["learn_one", "learn_many", "reveal"])
def test_a_record_that_was_interrupted_is_the_last_one(how, monkeypatch):
    found = learner(Thresholds(1, 9), random_state=None)
    found.learn_many([1, 9] * 30, [1, 0] * 30)
    ticket = found.observe(5)
    published, batches = found.published_, found.state_.batches

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("littlestone.learners.online.algorithm.draw_silence", stop)
    wrong = 1 - found.predict_one(5)
    calls = {
        "learn_one": lambda: found.learn_one(5, wrong),
        "learn_many": lambda: found.learn_many([5], [wrong]),
        "reveal": lambda: found.reveal(ticket, wrong),
    }
    with pytest.raises(KeyboardInterrupt):
        calls[how]()
    monkeypatch.undo()
    found.learn_many([5] * 300, [wrong] * 300)  # nothing is drawn any more
    assert found.stopped_
    assert found.state_.buffer == found.state_.epochs == []
    assert (found.published_, found.state_.batches) == (published, batches)


def test_columns_of_data_frames_are_points():
    import pandas as pd
    import polars as pl

    x, y = [1, 9] * 30, [0, 1] * 30
    want = learner(Thresholds(1, 9), epsilon=50, horizon=9)
    want.learn_many(x, y)
    for table in (pd.Series(x, dtype=object), pd.DataFrame({"x": x}), pl.Series(x)):
        found = learner(Thresholds(1, 9), epsilon=50, horizon=9)
        found.learn_many(table, y)
        assert found.state_ == want.state_
    rules = Rules(Schema.from_dict({"age": {"bins": [30, 60]}}))
    rows = {"age": [20, 70] * 30}
    states = []
    for table in (pd.DataFrame(rows), pl.DataFrame(rows)):
        found = learner(rules, epsilon=50, delta=0, horizon=4)
        found.learn_many(table, y)
        states.append(found.state_)
    assert states[0] == states[1]


def test_a_state_shows_only_what_is_public():
    found = learner(Points(), delta=0.01)
    for i in range(50):
        found.learn_one(f"zq{i}", 1)
    found.observe("zqpending")
    state = found.state_
    assert len(state.buffer) + sum(map(len, state.epochs)) > 0
    public = {"time", "published", "batches", "stopped", "tickets", "terms"}
    shown = {name for name in vars(state) if f"{name}=" in repr(state)}
    assert shown == public
    assert "zqpending" not in repr(state)


@pytest.mark.more
def test_a_stream_that_nothing_explains_ends_politely():
    rng = np.random.default_rng(5)
    found = learner(Thresholds(1, 50), horizon=40_000)
    found.learn_many(rng.integers(1, 51, 40_000), rng.integers(0, 2, 40_000))
    assert found.stopped_
    assert found.state_.buffer == found.state_.epochs == []
    last = found.hypothesis_
    found.learn_many(rng.integers(1, 51, 1_000), rng.integers(0, 2, 1_000))
    assert found.hypothesis_ == last
    assert found.predict_one(7) in (0, 1)
    assert found.state_.time == 41_000
    contradictions = learner(Points(), horizon=10_000)
    for t in range(10_000):
        contradictions.learn_one("a", t % 2)
    assert len(contradictions.published_) >= 1


def test_what_cannot_work_is_refused_before_the_first_record():
    with pytest.raises(UnsupportedError, match=r"conjunctions\(40\)"):
        _ = learner(Conjunctions(40)).hypothesis_
    assert not feasible(learner(SparseSets(2000))).ok
    with pytest.raises(UnsupportedError, match=r"conjunctions\(40\)"):
        plan_online(Conjunctions(40), epsilon=1, delta=1e-6, horizon=10**6)


def test_what_a_learner_shows_is_a_function_of_what_it_published():
    """All properties and the public part of the state, after 0, 1 and 3 mistakes."""
    names = [n for n in dir(ls.OnlineLearner) if isinstance(getattr(ls.OnlineLearner, n), property)]
    shown = []
    for wrong in (0, 1, 3):
        made = ls.OnlineLearner(Thresholds(1, 9), epsilon=1, delta=0, horizon=20, random_state=1)
        made.learn_many([0] * 4, [1] * wrong + [0] * (4 - wrong))  # outside: 1 is a mistake
        own = {name: repr(getattr(made, name)) for name in names}
        shown.append(own | {"public": str(made.state_.public()), "repr": repr(made)})
    assert shown[0] == shown[1] == shown[2]
