"""Agnostic streams: exact laws of transcripts, regret against three adversaries, durable state."""

from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest

import littlestone as ls
from littlestone.bounds import recheck
from littlestone.cli.main import main
from littlestone.errors import ParameterError, UnsupportedError
from littlestone.learners.online.algorithm import Hedge, algorithm_of, always, numbered
from littlestone.learners.online.journal import open_stream
from littlestone.learners.online.plan import OnlinePlan, Phase, StreamGoal
from littlestone.learners.online.state import OnlineState
from littlestone.source import ExactSource

from .transcripts import Streams

KINDS = [(x, y) for x in (1, 2) for y in (0, 1)]
LINE = ls.Thresholds(1, 2)


def algorithm(batch, draws, concepts=LINE, kind=Hedge):
    """An algorithm of some draws that cost epsilon 1 together."""
    goal = StreamGoal(F(1), F(0), batch * (draws + 1), F(1, 20))
    plan = OnlinePlan(goal, F(0), (Phase(draws, 1, batch, F(1, draws)),), method="batches")
    return kind(concepts, plan)


@pytest.mark.parametrize(
    ("batch", "draws"), [(1, 2), (2, 1), pytest.param(2, 2, marks=pytest.mark.more)]
)
def test_transcripts_of_all_streams(batch, draws):
    streams = Streams(algorithm(batch, draws), KINDS, batch * (draws + 1))
    assert streams.worst(F(1)) == 0
    assert streams.worst(F(1, 2)) > F(1, 1000)


def test_adversaries_who_read_what_is_published():
    streams = Streams(algorithm(1, 2), [(1, 0), (1, 1), (2, 1)], 3)
    assert streams.most_adaptive(F(1)) <= streams.lost
    assert streams.most_adaptive(F(1, 2)) > F(1, 1000)


def test_the_law_is_that_of_exponential_weights():
    """By hand: after (1, 0) and (2, 1) the thresholds 0, 1, 2 have 1, 0 and 1 errors."""
    made = algorithm(2, 1)

    def run(source):
        state = made.start(always(source))
        for x, y in [(1, 0), (2, 1)]:
            made.step(state, x, y, always(source))
        return state.hypothesis.above

    law = ExactSource().law(run).outcomes
    weights = np.exp([-0.5, 0, -0.5])
    assert [float(law[u].mid()) for u in (0, 1, 2)] == pytest.approx(weights / weights.sum())


class CountsTwice(Hedge):
    def _train(self, state, sources):
        state.buffer = [*state.buffer, *state.buffer]
        return super()._train(state, sources)


class KeepsDrawing(Hedge):
    def _train(self, state, sources):
        state.batches = 0
        return super()._train(state, sources)


@pytest.mark.parametrize(
    ("kind", "length"), [(CountsTwice, 3), pytest.param(KeepsDrawing, 4, marks=pytest.mark.more)]
)
def test_broken_variants_are_noticed(kind, length):
    streams = Streams(algorithm(1, 2, kind=kind), [(1, 0), (1, 1), (2, 1)], length)
    assert streams.worst(F(1)) > F(1, 1000)


def test_many_are_one_by_one():
    rng = np.random.default_rng(0)
    x, y = rng.integers(-1, 30, 500), rng.integers(0, 2, 500)
    made = [
        ls.OnlineLearner(
            ls.Thresholds(1, 20), agnostic=True, epsilon=1, horizon=400, random_state=1
        )
        for _ in range(2)
    ]
    for a, b in zip(x.tolist(), y.tolist(), strict=True):
        made[0].learn_one(a, b)
    for part in np.array_split(np.arange(500), 7):
        made[1].learn_many(x[part], y[part])
    assert made[0].published_ == made[1].published_
    assert len(made[0].published_) == made[0].plan.batches + 1
    assert made[0].stopped_


# -- regret ----------------------------------------------------------------------------------------

HORIZON, CONCEPTS = 6_000, 100


def learner(**options):
    given = {"epsilon": 1, "delta": 1e-6, "horizon": HORIZON, "random_state": 0} | options
    return ls.OnlineLearner(ls.Thresholds(1, CONCEPTS - 1), agnostic=True, **given)


def noisy(rng, history):
    """A concept with three labels in ten turned, fixed beforehand."""
    x = rng.integers(1, CONCEPTS)
    return x, int((x > 40) != (rng.random() < 0.3))


def contradicting(rng, history):
    """What was published for the batch before is wrong; it may be right now."""
    above = history[-2][1].above if len(history) > 1 else 50
    x = int(np.clip(above + rng.integers(0, 2), 1, CONCEPTS - 1))
    return x, int(x <= above)


def turning(rng, history):
    """The best concept changes half-way."""
    x = rng.integers(1, CONCEPTS)
    return x, int(x > (20 if history[-1][0] < HORIZON / 2 else 80))


@pytest.mark.more
@pytest.mark.parametrize("adversary", [contradicting, noisy, turning])
def test_regret_is_below_the_bound(adversary):
    rng, made = np.random.default_rng(1), learner()
    bound = made.regret_bound()
    mistakes, errors = 0, np.zeros(CONCEPTS)
    thresholds = np.arange(CONCEPTS)
    for _ in range(HORIZON):
        x, y = adversary(rng, made.published_[-2:])
        mistakes += made.predict_one(x) != y
        errors += (x > thresholds) != y
        made.learn_one(x, y)
    assert mistakes - errors.min() < bound.expected < bound.mistakes


@pytest.mark.parametrize(
    ("size", "pure", "delta"),
    [(10, 20_761, 4_512), (1000, 43_184, 10_283), (10**6, 68_535, 17_296)],
)
def test_published_sizes(size, pure, delta):
    """Theirs is zCDP by the plain conversion; the library composes at least as well."""
    budget = {"agnostic": True, "epsilon": 1, "horizon": 10**6}
    line = ls.Thresholds(1, size - 1)
    found = ls.OnlineLearner(line, **budget).regret_bound()
    assert found.expected == pytest.approx(pure, rel=0.01)
    assert recheck(found.certificate.to_dict()) == ()
    assert found.holds
    best = ls.OnlineLearner(line, **budget, delta=1e-6).regret_bound()
    assert 0.9 * delta < best.expected < 1.01 * delta


def test_privacy_that_costs_nothing():
    """With a large epsilon the rate is that without privacy, in batches of one."""
    found = ls.OnlineLearner(ls.Thresholds(1, 9), agnostic=True, epsilon=10**6, horizon=10**4)
    assert found.plan.phases[0].limit == 1
    assert found.regret_bound().expected == pytest.approx(np.sqrt(10**4 * np.log(10) / 2), rel=0.01)


# -- what other streams do ------------------------------------------------------------------------


def test_a_state_goes_on_in_memory_and_on_disk(tmp_path):
    rng = np.random.default_rng(2)
    x, y = rng.integers(1, 30, 600), rng.integers(0, 2, 600)
    whole = learner(horizon=500)
    whole.learn_many(x, y)
    first = learner(horizon=500)
    first.learn_many(x[:333], y[:333])
    kept = OnlineState.from_json(first.state_.public(), first.state_.private())
    second = learner(horizon=500, state=kept)
    second.learn_many(x[333:], y[333:])
    assert second.published_ == whole.published_
    for part in (slice(0, 333), slice(333, 600)):
        durable = learner(horizon=500, state=tmp_path / "s")
        durable.learn_many(x[part], y[part])
        durable.close()
    algorithm_ = algorithm_of(whole.concept_class, whole.plan)
    stream = open_stream(tmp_path / "s", algorithm_, seed=0)
    assert tuple(stream.state.published) == whole.published_
    assert stream.state.stopped
    stream.close()
    with pytest.raises(ParameterError, match="begun with"):
        open_stream(tmp_path / "s", algorithm_, seed=1)


def test_command_line(tmp_path, capsys):
    rng = np.random.default_rng(3)
    rows = "".join(
        f"{x},{int(x > 9) ^ int(rng.random() < 0.2)}\n" for x in rng.integers(1, 20, 300)
    )
    for name, text in (("a.csv", rows[:600]), ("b.csv", rows[600:])):
        (tmp_path / name).write_text("x,y\n" + text[: text.rindex("\n") + 1])
    state = str(tmp_path / "state")
    begin = ["--class", "thresholds(1, 20)", "--epsilon", "1", "--horizon", "300", "--agnostic"]
    assert main(["stream", str(tmp_path / "a.csv"), "--state", state, *begin, "--seed", "1"]) == 0
    again = ["stream", str(tmp_path / "b.csv"), "--state", state, "--resume", "new-rows"]
    assert main([*again, "--seed", "1"]) == 0
    assert main(["stream", "--state", state, "--report", str(tmp_path / "p.html")]) == 0
    assert "more than the best concept makes" in (tmp_path / "p.html").read_text()
    capsys.readouterr()


def test_refusals():
    goal = {"agnostic": True, "epsilon": 1, "horizon": 100}
    with pytest.raises(UnsupportedError, match="finite class"):
        _ = ls.OnlineLearner(ls.Points(), **goal).plan
    with pytest.raises(ParameterError, match="adversary"):
        _ = ls.OnlineLearner(LINE, **goal, adversary="adaptive").plan
    with pytest.raises(UnsupportedError, match="regret_bound"):
        ls.OnlineLearner(LINE, **goal).mistake_bound()
    with pytest.raises(UnsupportedError, match="agnostic=True"):
        ls.OnlineLearner(LINE, epsilon=1, horizon=100).regret_bound()
    one = ls.OnlineLearner(LINE, **(goal | {"horizon": 1}))
    assert (one.stopped_, one.regret_bound().holds) == (True, False)


def test_records_outside_the_domain_count():
    """They are labelled 0 by every concept, so nothing follows from them."""
    made = algorithm(1, 2)
    laws = []
    for record in product([99], (0, 1)):

        def run(source, record=record):
            state = made.start(always(source))
            made.step_many(
                state, np.array([1]), np.array([False]), np.array([record[1]]), always(source)
            )
            return state.hypothesis.above

        laws.append(ExactSource().law(run).outcomes)
    assert [float(p.mid()) for p in laws[0].values()] == pytest.approx([1 / 3] * 3)
    assert numbered(1)(2).seeded
