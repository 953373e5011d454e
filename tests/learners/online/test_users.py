"""Streams of users: the contributions that count, exact privacy of a user, what it costs."""

from fractions import Fraction as F
from itertools import combinations

import numpy as np
import pytest

import littlestone as ls
from littlestone.audit.mechanism import verify_mechanism
from littlestone.data import OUTSIDE
from littlestone.errors import ParameterError
from littlestone.learners.online.algorithm import OnlineAlgorithm, always
from littlestone.learners.online.plan import OnlinePlan, Phase, StreamGoal, plan_online
from littlestone.privacy import Neighbours

KINDS = [(1, 0), (1, 1), (2, 1)]
USERS = ("a", "b", "a")


def algorithm(k):
    """Return an algorithm whose records cost 3 / k each: 2 / k for the tests, 1 / k for a draw."""
    goal = StreamGoal(F(3), F(0), 3, F(1, 20), k)
    plan = OnlinePlan(goal, F(2, k), (Phase(1, 1, 1, F(1, k)),))
    return OnlineAlgorithm(ls.Thresholds(1, 2), plan)


def transcripts(machine, most):
    def run(stream, source):
        state = machine.start(always(source))
        for user, record in zip(USERS, stream, strict=True):
            x, y = record if state.admit(user, most) else (OUTSIDE, 0)
            machine.step(state, x, y, always(source))
        return tuple((time, h.key) for time, h in state.published)

    return run


def pairs():
    """Yield streams that differ in all records of one user, of whom "a" has two."""
    for middle in KINDS:
        ends = [(x, z) for x in KINDS for z in KINDS]
        yield from (((a, middle, c), (b, middle, d)) for (a, c), (b, d) in combinations(ends, 2))
    for a, c in [(x, z) for x in KINDS for z in KINDS]:
        yield from (((a, x, c), (a, z, c)) for x, z in combinations(KINDS, 2))


def verified(k, most):
    return verify_mechanism(
        transcripts(algorithm(k), most),
        list(pairs()),
        epsilon=3,
        delta=0,
        cut=F(1, 2**18),
        follow=0,
    )


@pytest.mark.more
@pytest.mark.parametrize("k", [1, 2])
def test_a_user_is_protected_by_bounded_contributions(k):
    result = verified(k, k)
    assert result.holds
    assert result.tightest_epsilon > 1


@pytest.mark.more
def test_contributions_that_are_not_bounded_are_caught():
    """Each record at full price, and two of one user count."""
    assert not verified(1, 2).holds


def test_what_a_record_may_cost():
    goal = StreamGoal(F(1), F(1, 10**6), 1000, F(1, 20), 5)
    e, d = goal.per_record
    assert e == F(1, 5)
    # group privacy, by adding up: d + e**e d + ... for five records
    assert sum(float(d) * np.exp(0.2 * i) for i in range(5)) == pytest.approx(1e-6, rel=1e-6)
    assert sum(float(d) * np.exp(0.2 * i) for i in range(5)) <= 1e-6
    huge = StreamGoal(F(10**6), F(1, 10**6), 1000, F(1, 20), 5).per_record
    assert huge[0] == 2 * 10**5
    assert huge[1] >= 0


def test_streams_of_users_from_records_to_the_guarantee():
    options = {"epsilon": 8, "delta": 1e-6, "horizon": 20_000, "random_state": 3}
    x = np.random.default_rng(0).integers(1, 100, 20_000)
    y = (x > 30).astype(np.int8)
    users = [f"u{i % 6_000}" for i in range(20_000)]
    many = ls.OnlineLearner(ls.Thresholds(1, 99), **options, records_per_user=2)
    many.learn_many(x, y, users=users)
    one = ls.OnlineLearner(ls.Thresholds(1, 99), **options, records_per_user=2)
    for record in zip(x.tolist(), y.tolist(), users, strict=True):
        one.learn_one(*record)
    assert many.state_ == one.state_
    assert sum(many.state_.contributions.values()) == 12_000
    assert many.guarantee_.neighbours is Neighbours.USER_REPLACE
    assert (many.guarantee_.epsilon, many.plan.test_epsilon < 4) == (8, True)
    with pytest.raises(ParameterError, match="exactly if it protects users"):
        many.learn_one(5, 1)
    with pytest.raises(ParameterError, match="exactly if it protects users"):
        many.observe(5)
    with pytest.raises(ParameterError, match="exactly if it protects users"):
        ls.OnlineLearner(ls.Thresholds(1, 99), **options).learn_one(5, 1, user="u")
    with pytest.raises(ParameterError, match="one text for each record"):
        many.learn_many([5], [1], users=[7])


def test_a_durable_stream_remembers_what_users_contributed(tmp_path):
    def learner():
        return ls.OnlineLearner(
            ls.Thresholds(1, 9), epsilon=1, delta=0, horizon=100, records_per_user=1,
            random_state=1, state=tmp_path / "s",
        )  # fmt: skip

    first = learner()
    first.learn_one(5, 1, user="canary")
    first.close()
    again = learner()
    before = again.state_.buffer
    again.learn_one(5, 1 - again.predict_one(5), user="canary")
    assert again.state_.buffer == before
    assert again.state_.time == 2
    again.close()
    assert b"canary" not in (tmp_path / "s" / "public.db").read_bytes()
    assert plan_online(
        ls.Thresholds(1, 9), epsilon=1, delta=0, horizon=100, records_per_user=1
    ).goal.per_record == (1, 0)


def test_no_name_of_a_user_is_refused(tmp_path):
    """A name that SQLite cannot keep as a text is a user like others, in memory and on the disk."""
    names = ["a", "\ud800", "b\0c", "b", "\ud800", "\\ud800", "null", "\ud800"]
    asked = {"epsilon": 1, "delta": 1e-6, "horizon": 1000, "records_per_user": 2}
    durable = ls.OnlineLearner(ls.Thresholds(1, 99), **asked, state=tmp_path / "s")
    memory = ls.OnlineLearner(ls.Thresholds(1, 99), **asked)
    for name in names:
        durable.learn_one(5, 0, user=name)
        memory.learn_one(5, 0, user=name)
    durable.close()
    assert durable.state_.contributions == memory.state_.contributions
    assert durable.state_.contributions["\ud800"] == 2
    durable.close()
