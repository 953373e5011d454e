"""Exact verification: all users, also without records and with too many; broken controls."""

from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pytest

import littlestone as ls
from littlestone.data import UserSample
from littlestone.learners.users import UserAgnostic
from littlestone.learners.users import learner as clipped
from littlestone.learners.users.learner import ClippedPlan, bound_contributions
from littlestone.report import page
from littlestone.source import ExactSource, public_generator

from .small import bundles, users_of, worst_excess

ROUNDING = F(1, 2**100)
NUMBERS = {"epsilon": 1, "alpha": 0.3, "beta": 0.2}
TWO, THREE = ls.Thresholds(1, 2), ls.Thresholds(1, 3)
METHODS = ["one-record", "group-privacy", "user-level"]


def agnostic(cls, m, method="auto", **more):
    return UserAgnostic(cls, samples_per_user=m, method=method, **(NUMBERS | more))


# --- everything observable ---------------------------------------------------------------------


@pytest.mark.more
@pytest.mark.parametrize("method", ["one-record", "user-level"])
def test_two_users_none_one_or_too_many_records(method):
    """m = 1: users without records, with one, and with two of which one is cut by their name."""
    learner = agnostic(TWO, 1, method)
    result = ls.audit.verify(
        learner, points=[1, 2], n_samples=2, records_per_user=2, names=2, public_seeds=(0,)
    )
    assert result.holds
    assert (result.unit, result.n_samples, result.datasets) == ("users", 2, 25**2)
    assert 0.2 < result.tightest_epsilon <= 1
    assert "worst_pair" in result.to_dict()


@pytest.mark.full
def test_the_whole_release_with_an_evaluation_and_the_page():
    learner = agnostic(TWO, 2, "group-privacy")
    result = ls.audit.verify(
        learner,
        points=[1],
        n_samples=1,
        records_per_user=2,
        observers=[page],
        evaluate=F(1, 2),
        public_seeds=(0,),
    )
    assert result.holds
    assert result.epsilon == 1
    assert result.tightest_epsilon > F(1, 2)  # the learner alone has no more


@pytest.mark.more
def test_estimators_are_verified_too():
    learner = ls.UserAgnosticLearner(ls.Thresholds(1, 1), epsilon=1, samples_per_user=1)
    assert ls.audit.verify(learner, points=[1], n_samples=2, outside=True).holds
    with pytest.raises(ls.errors.ParameterError, match="protects records"):
        ls.audit.verify(
            ls.GenericLearner(TWO, epsilon=1), points=[1, 2], n_samples=1, records_per_user=1
        )


# --- the laws, in full: two points and three users, three points and two users -------------------


def run_with(learner):
    return lambda users, source: learner.draw(users, source).key


@pytest.fixture
def streamed_once(monkeypatch):
    """Sweep each data set once, not once for every path of draws."""
    known, sweep = {}, clipped.errors_by_user

    def errors_by_user(hypotheses, users, m):
        parts = (users.points, users.user, users.point, users.label, users.count, users.keys)
        key = tuple(part.tobytes() for part in parts)
        if key not in known:
            known[key] = sweep(hypotheses, users, m)
        return known[key]

    monkeypatch.setattr(clipped, "errors_by_user", errors_by_user)


def windows(cls, m, width, starts, epsilon=F(1), level=F(1, 2), lag=1):
    """Return clipped errors with these windows, whatever the plan would take."""
    search = epsilon / 2 if len(starts) > 1 else F(0)
    return ClippedPlan(
        cls.representation(), m, starts, width, level, search, epsilon - search, F(3, 10), F(1, 5),
        lag=lag,
    )  # fmt: skip


def way_of(cls, kind):
    """Return a mechanism of this kind that would be worst, whichever the plan would take."""
    if kind == "group-privacy":
        return agnostic(cls, 2, "group-privacy").plan.chosen
    return windows(
        cls, 2, *{"width 1": (1, (0, 1)), "width 2": (2, (0, 1)), "one": (2, (0,))}[kind]
    )


KINDS = ["group-privacy", "width 1", "width 2", "one"]


@pytest.mark.more
@pytest.mark.usefixtures("streamed_once")
@pytest.mark.parametrize(
    ("cls", "points", "n", "laws"),
    [
        pytest.param(TWO, (1, 2), 3, 680, marks=pytest.mark.full, id="three users, two points"),
        pytest.param(THREE, (1, 2, 3), 2, 406, id="two users, three points"),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_in_full(cls, points, n, laws, kind):
    way = way_of(cls, kind)
    run = lambda users, source: way.choose(users, source).key  # noqa: E731
    worst, computed = worst_excess(run, bundles(points, 2), n, F(1))
    assert computed == laws
    assert worst <= ROUNDING


@pytest.mark.first(1)
@pytest.mark.usefixtures("streamed_once")
@pytest.mark.parametrize(
    ("width", "starts", "lag"),
    [(1, (0, 1, 2), 1), (1, (0, 1, 2), 2), (2, (0, 1), 1), (3, (0, 2), 1)],
)
def test_the_window_and_the_hypothesis_together(width, starts, lag):
    """The start is told, too: its half of epsilon and that of the choice add up."""
    plan = windows(TWO, 3, width, starts, lag=lag)

    def run(users, source):
        errors = clipped.errors_by_user(plan.representation.drawn(source), users, 3)
        t = plan.locate(errors, users.n_users, source)
        return t, replace(plan, starts=(t,)).choose(users, source).key

    held = bundles((1,), 3)
    assert worst_excess(run, held, 2, F(1))[0] <= ROUNDING
    assert worst_excess(run, held, 2, F(1, 2))[0] > F(1, 1000)


@pytest.mark.first(2)
@pytest.mark.usefixtures("streamed_once")
@pytest.mark.parametrize(("width", "lag"), [(1, 1), (2, 1), (3, 1), (1, 2), (2, 2)])
def test_the_window_alone_costs_its_part(width, lag):
    plan = windows(TWO, 3, width, (0, 1, 2), epsilon=F(4), lag=lag)
    run = lambda users, source: plan.locate(  # noqa: E731
        clipped.errors_by_user(plan.representation.drawn(source), users, 3), users.n_users, source
    )
    held = bundles((1,), 3)
    assert worst_excess(run, held, 2, F(2))[0] <= ROUNDING
    assert worst_excess(run, held, 2, F(1))[0] > F(1, 100)


def test_names_of_users_do_not_matter_unless_they_have_too_many():
    data = [((1, 0), (2, 1)), ((2, 0),)]
    learner = agnostic(TWO, 2, "group-privacy")
    laws = [
        ExactSource().law(lambda source, names=names: learner.draw(users_of(data, names), source))
        for names in ([5, 9], [77, 3])
    ]
    assert {h.key: str(p) for h, p in laws[0].outcomes.items()} == {
        h.key: str(p) for h, p in laws[1].outcomes.items()
    }


# --- broken controls ----------------------------------------------------------------------------


def caught(run, most=2, n=2, names=None, points=(1, 2)):
    worst, _ = worst_excess(run, bundles(points, most), n, F(1), names)
    return worst > F(1, 1000)


@pytest.mark.more
def test_control_sensitivity_of_one_record():
    """epsilon instead of epsilon/m: protects a record, not a user."""
    way = agnostic(TWO, 2, "group-privacy").plan.chosen
    broken = replace(way, inner=replace(way.inner, epsilon=2 * way.inner.epsilon))
    assert caught(lambda users, source: broken.choose(users, source).key)


@pytest.mark.more
@pytest.mark.parametrize(
    ("starts", "change", "lag"),
    [
        ((0, 1), {"epsilon_search": F(4)}, 1),
        ((0, 1, 2), {"epsilon_search": F(4)}, 2),
        ((0, 1), {"epsilon_choice": F(4)}, 1),
        ((0,), {"width": 1}, 1),
    ],
    ids=str,
)
def test_control_clipped_errors(starts, change, lag):
    """Too much for the window or the choice; the rate of another width than what is clipped."""
    sound = windows(TWO, 2, 2, starts, lag=lag)

    def broken(users, source):
        errors = clipped.errors_by_user(sound.representation, users, 2)
        loud = replace(sound, **change)
        t = loud.locate(errors, users.n_users, source)
        rate = loud.epsilon_choice / (2 * loud.width)
        return t, errors.draw(t, rate, source, width=sound.width).key

    assert caught(broken)


@pytest.mark.more
def test_control_no_bound():
    """Users with three records under m = 1."""
    way = agnostic(TWO, 1, "group-privacy").plan.chosen
    assert caught(lambda users, source: way.choose(users, source).key, most=6, points=(1,))
    worst, _ = worst_excess(
        lambda users, source: way.choose(bound_contributions(users, 1, source), source).key,
        bundles((1,), 6),
        2,
        F(1),
        names=(8, 8),
    )
    assert worst <= ROUNDING


@pytest.mark.more
def test_control_one_stream_of_public_coins_for_all_users():
    """A user with too many records uses up coins, and all later users are cut otherwise."""

    def cut_in_order(users, most, seed):
        rng = public_generator(seed)
        kept = []
        for i in range(users.n_users):
            one = users.of_user(i)
            rows = [
                (x, y)
                for x, z, o in zip(one.points.tolist(), one.zeros, one.ones, strict=True)
                for y, c in ((0, z), (1, o))
                for _ in range(int(c))
            ]
            if len(rows) > most:
                rows = [rows[j] for j in rng.permutation(len(rows))[:most]]
            kept.append(tuple(rows))
        return users_of(kept)

    way = agnostic(TWO, 1, "group-privacy").plan.chosen

    def broken(seed):
        return lambda users, source: way.choose(cut_in_order(users, 1, seed), source).key

    def sound(seed):
        return lambda users, source: way.choose(users.bound_contributions(1, salt=seed), source).key

    assert any(caught_in_order(broken(seed)) for seed in range(30))
    assert not any(caught_in_order(sound(seed)) for seed in range(30))


def caught_in_order(run):
    """Neighbours that replace one of several users, in a fixed order."""
    from littlestone.privacy import hockey_stick
    from littlestone.privacy.guarantee import upper

    full = ((1, 0), (1, 1))
    rest = [((1, 0), (1, 0), (1, 1)), full, ((1, 0), (1, 1), (1, 1))] * 6 + [((1, 1),)] * 10
    laws = [
        ExactSource().law(lambda source, first=first: run(users_of([first, *rest]), source))
        for first in ((), full)
    ]
    p, q = (law.outcomes for law in laws)
    return max(upper(hockey_stick(p, q, F(1))), upper(hockey_stick(q, p, F(1)))) > ROUNDING


@pytest.mark.more
def test_privacy_does_not_depend_on_alpha_and_beta():
    for alpha, beta in ((0.9, 0.9), (0.05, 1e-6)):
        for method in METHODS:
            learner = agnostic(TWO, 2, method, alpha=alpha, beta=beta)
            worst, _ = worst_excess(run_with(learner), bundles((1,), 1), 2, learner.epsilon)
            assert worst <= ROUNDING


@pytest.mark.more
def test_empty_users_and_a_single_user():
    for method in METHODS:
        learner = agnostic(TWO, 3, method)
        for data in ([()], [(), ()], [((1, 1),) * 9]):
            users = users_of(data)
            law = ExactSource().law(lambda source, u=users, a=learner: a.draw(u, source))
            assert sum(float(p) for p in law.outcomes.values()) == pytest.approx(1)
    assert UserSample.of([], np.zeros(0, np.int64), []).n_users == 0
