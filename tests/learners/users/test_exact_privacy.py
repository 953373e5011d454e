"""Exact verification of user-level learners; their scores by hand."""

from dataclasses import replace
from fractions import Fraction
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import littlestone as ls
from littlestone.classes import (
    Conjunctions,
    FiniteClass,
    Intervals,
    Points,
    Prefixes,
    Rules,
    SparseSets,
    Thresholds,
    TreePaths,
)
from littlestone.data import Schema, UserSample
from littlestone.errors import UnsupportedError
from littlestone.learners.users import UserAgnostic
from littlestone.learners.users import learner as clipped
from littlestone.learners.users.learner import ClippedPlan
from littlestone.learners.users.scores import (
    ListedErrors,
    ThresholdErrors,
    errors_by_user,
    listing,
    sweepable,
)
from littlestone.report import page
from littlestone.source import ExactSource, SeededSource, exp, public_generator

from .small import bundles, users_of, worst_excess

# -- Exact verification: all users, also without records and with too many -----------------------

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
    assert ls.audit.verify(learner, points=[1], n_samples=2).holds
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
        parts = (users.points, users.user, users.point, users.code, users.count, users.keys)
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


# -- The sweeps against a count by hand: for each hypothesis, each user, each record ---------------


def by_hand(hypothesis, users, t):
    """Users with more than t mistakes, one record after the other."""
    wrong = np.zeros(users.n_users, dtype=int)
    labels = hypothesis.predict(users.points) if len(users.points) else []
    for user, point, label, count in zip(
        users.user, users.point, users.code, users.count, strict=True
    ):
        said = labels[point] if point >= 0 else 0
        wrong[user] += int(count) * (said != label)
    return int((wrong > t).sum())


def made(rng, n_users, points, most, *, outside=False):
    """Return random users with 0 to ``most`` records on these points."""
    names, xs, ys = [], [], []
    for user in range(n_users):
        for _ in range(rng.integers(0, most + 1)):
            names.append(user)
            xs.append(points[rng.integers(len(points))])
            ys.append(int(rng.integers(2)))
    if not names:
        names, xs, ys = [0], [points[0]], [1]
    users = UserSample.of(names, xs, ys)
    point, user = users.point.copy(), users.user
    if outside and len(point):  # the lowest point of each user becomes one outside the domain
        point[users.starts[:-1]] = -1
    # users without any record
    more = np.arange(2, dtype=np.uint64)
    keys = np.concatenate([users.keys, more])
    return UserSample(users.points, user, point, users.code, users.count, keys)


def check(concept_class, users, m, hypotheses=None):
    sweep = errors_by_user(concept_class, users, m)
    listed = list(concept_class.concepts()) if hypotheses is None else hypotheses
    for t in (0, m - 1, 1, m, m + 2, 0):
        counts = [by_hand(h, users, t) for h in listed]
        assert sweep.least(t) == min(counts)
        weights = {}
        for h, c in zip(listed, counts, strict=True):
            weights[h.key] = weights.get(h.key, 0) + exp(Fraction(-c, 2))
        law = ExactSource(Fraction(1, 2**80)).law(
            lambda source, t=t: sweep.draw(t, Fraction(1, 2), source).key
        )
        total = sum(weights.values(), exp(0, 0))
        assert set(law.outcomes) == set(weights)
        for key, probability in law.outcomes.items():
            assert (
                abs(float(probability) - float(weights[key].enclose(99) / total.enclose(99)))
                < 1e-12
            )


@pytest.mark.first(4)
@pytest.mark.parametrize("outside", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_thresholds(seed, outside):
    rng = public_generator(seed)
    users = made(rng, 7, [2, 3, 5, 8, 9], 4, outside=outside)
    check(Thresholds(1, 10), users, 4)
    check(Thresholds(3, 8), users, 4)  # points beyond the domain are outside
    check(Thresholds(20, 22), users, 4)


@pytest.mark.parametrize("seed", range(3))
def test_points_in_a_line(seed):
    users = made(public_generator(seed), 6, [1, 4, 5, 7], 3, outside=bool(seed % 2))
    check(Points(1, 7), users, 3)
    check(Points(4, 6), users, 3)


@pytest.mark.parametrize("seed", range(3))
def test_paths(seed):
    taxonomy = TreePaths({"a": None, "b": "a", "c": "a", "d": "b", "e": "b", "f": None})
    users = made(public_generator(seed), 6, ["a", "b", "d", "f", "elsewhere"], 3)
    check(taxonomy, users, 3)
    codes = Prefixes("01", 3)
    points = codes.domain.array(["0", "01", "011", "1", "110"]).tolist()
    check(codes, made(public_generator(seed), 6, points, 3), 3)


def test_huge_domains():
    users = UserSample.of(["a", "a", "b"], [5, 2**200, 2**1000], [0, 1, 1])
    for concept_class in (Thresholds(1, 2**1024), Points(1, 2**1024), Prefixes("ipv6")):
        sweep = errors_by_user(concept_class, users, 2)
        assert sweep.size == concept_class.size
        assert sweep.draw(0, Fraction(200), SeededSource(1)) is not None
    runs = ThresholdErrors(1, 2**1024, users).scores(0)
    assert sum(runs.lengths) == 2**1024 + 1
    assert runs.starts.tolist() == [0, 5, 2**200, 2**1000]
    assert runs.scores.tolist() == [1, 0, 1, 2]


@pytest.mark.parametrize("seed", range(3))
def test_hashed_points(seed):
    drawn = Points().representation(0.5, 0.3).drawn(SeededSource(seed))
    users = made(public_generator(seed), 6, ["x", "y", 3, (1, 2)], 3, outside=bool(seed % 2))
    hypotheses = list(drawn.hypotheses())
    check(drawn, users, 3, hypotheses)
    bounded = Points(1, 2**70).hashed(2, 3).drawn(SeededSource(seed))
    users = made(public_generator(seed), 6, [1, 2, 2**69, 2**80], 3)
    check(bounded, users, 3, list(bounded.hypotheses()))


@pytest.mark.parametrize("seed", range(3))
def test_listed_classes(seed):
    rng = public_generator(seed)
    table = np.unique(rng.integers(0, 2, size=(9, 5)), axis=0)
    users = made(rng, 9, [0, 1, 2, 4, 77], 5, outside=bool(seed % 2))
    check(FiniteClass(table), users, 5)
    check(Intervals(0, 4), users, 5)
    check(SparseSets(2, 0, 4), users, 5)
    rows = rng.integers(0, 2, size=(8, 2))
    check(Conjunctions(2), made(rng, 5, [tuple(map(int, row)) for row in rows], 3), 3)


@pytest.mark.parametrize("most", [1, 2, 3])
def test_rules(most):
    schema = Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn", "Ulm"]}})
    rules = Rules(schema, most)
    rng = public_generator(most)
    rows = np.stack([rng.integers(0, 5, 40), rng.integers(0, 4, 40)], axis=1)
    users = UserSample.of(rng.integers(0, 9, 40).tolist(), rows, rng.integers(0, 2, 40))
    hypotheses = [rules.hypothesis(i) for i in range(rules.size)]
    expected = np.array([h.predict(users.points) for h in hypotheses])
    assert (rules.accepted(0, rules.size, users.points) == expected).all()
    assert (rules.accepted(3, 9, users.points) == expected[3:9]).all()
    sweep = errors_by_user(rules, users, 12)
    for t in (0, 1, 3, 11):
        assert sweep.scores(t).tolist() == [by_hand(h, users, t) for h in hypotheses]


@pytest.mark.parametrize("seed", range(4))
def test_points_that_no_record_has_are_not_asked(seed):
    """They stay in a sample that was split or cut."""
    rng = public_generator(seed)
    table = FiniteClass(np.unique(rng.integers(0, 2, size=(9, 40)), axis=0))
    some = made(rng, 6, [3, 4, 17], 3, outside=seed < 2)
    if seed == 3:
        some = some.groups_at(some.point > 99)  # no record at all
    point = np.where(some.point < 0, -1, some.points[some.point])
    users = UserSample(np.arange(40), some.user, point, some.code, some.count, some.keys)
    whole, asked = listing(table), []

    def labels(start, stop, points):
        asked.append(points.tolist())
        return whole.labels(start, stop, points)

    sweep = ListedErrors(replace(whole, labels=labels), users, 3)
    for t in range(3):
        assert sweep.scores(t).tolist() == [by_hand(h, users, t) for h in table.concepts()]
    assert set(*asked) <= {0, 3, 4, 17}


def test_many_hypotheses_many_users_and_large_counts():
    """More than one word of hypotheses, more than one block of users, counts of several bits."""
    rng = public_generator(5)
    table = np.unique(rng.integers(0, 2, size=(300, 12)), axis=0)
    sizes = np.concatenate([rng.integers(1, 6, 700), rng.integers(30, 90, 9)])
    names = np.repeat(np.arange(len(sizes)), sizes)
    points, labels = rng.integers(0, 12, len(names)), rng.integers(0, 2, len(names))
    users = UserSample.of(names.tolist(), points, labels)
    sweep = ListedErrors(listing(FiniteClass(table)), users, 90)
    wrong = np.zeros((len(table), len(sizes)), dtype=int)
    np.add.at(wrong.T, names, (table[:, points] != labels).T)
    for t in (0, 1, 2, 7, 40, 89, 90):
        assert (sweep.scores(t) == (wrong > t).sum(axis=1)).all()


def test_a_class_that_cannot_be_streamed_says_so():
    users = UserSample.of([1], [3], [1])
    with pytest.raises(UnsupportedError, match="more than 2\\*\\*20 candidates"):
        errors_by_user(Intervals(1, 2**40), users, 2)
    assert not sweepable(Intervals(1, 2**40))
    assert all(sweepable(c) for c in (Intervals(1, 9), Points(1, 2**99), Prefixes("ipv6")))
    assert not sweepable(Points())


def test_the_least_epsilon_still_answers():
    learner = UserAgnostic(
        Thresholds(1, 2**20), epsilon="1/16", alpha=0.1, beta=0.05, samples_per_user=2,
        method="user-level",
    )  # fmt: skip
    users = UserSample.of([1, 2, 3], [5, 6, 7], [0, 1, 1])
    assert learner.draw(users, SeededSource(1)).low == 1


@pytest.mark.first(5)
@pytest.mark.parametrize("width", [1, 2, 3, 9])
@pytest.mark.parametrize(
    "concepts",
    [Thresholds(1, 6), Points(1, 6), FiniteClass(np.tri(7, 7, k=-1, dtype=int))],
    ids=str,
)
def test_clipped_mistakes_are_sums_over_users(concepts, width):
    """min(max(mistakes - t, 0), width), added up user by user."""
    rng = np.random.default_rng(width)
    for _ in range(10):
        users = made(rng, 5, [1, 2, 4, 6], 6)
        errors = errors_by_user(concepts.representation(), users, 6)
        for t in range(4):
            by_user = [
                sum(by_hand(concept, users, i) for i in range(t, min(t + width, 6)))
                for concept in concepts.concepts()
            ]
            assert errors.least(t, width=width) == min(by_user)
            scores = errors.scores(t, width=width)
            if not isinstance(scores, np.ndarray):
                scores = [scores.at(i) for i in range(errors.first, errors.end)]
            assert sorted(int(score) for score in scores) == sorted(by_user)


@given(data=st.data())
@settings(max_examples=settings.default.max_examples // 3)
def test_replacing_one_user_changes_each_score_by_at_most_one(data):
    record = st.tuples(st.integers(1, 6), st.integers(0, 1))
    people = data.draw(st.lists(st.lists(record, min_size=1, max_size=3), min_size=2, max_size=5))
    other = [*people[:-1], data.draw(st.lists(record, min_size=1, max_size=3))]

    def sample(all_records):
        flat = [(i, x, y) for i, one in enumerate(all_records) for x, y in one]
        return UserSample.of(*(list(column) for column in zip(*flat, strict=True)))

    before, after = (ThresholdErrors(1, 6, sample(some)) for some in (people, other))
    for t in range(3):
        for u in range(7):
            assert abs(before.scores(t).at(u) - after.scores(t).at(u)) <= 1


@pytest.mark.parametrize("seed", range(5))
def test_the_surrogate_is_the_error_within_the_class_when_s_is_zero(seed):
    """min over c of users(c, > t) + users who see c and h differ = users(h, > t); not for s = 1."""
    rng = public_generator(seed)
    table = np.unique(rng.integers(0, 2, size=(6, 4)), axis=0)
    users = made(rng, 8, [0, 1, 2, 3], 3)
    sweep = ListedErrors(listing(FiniteClass(table)), users, 3)
    between = np.zeros((len(table), len(table)), dtype=int)
    for c in range(len(table)):
        for h in range(len(table)):
            differ = np.zeros(users.n_users, int)
            at = users.points[users.point]
            np.add.at(differ, users.user, users.count * (table[c] != table[h])[at])
            between[c, h] = (differ > 0).sum()
    for t in range(3):
        errors = sweep.scores(t)
        assert ((errors[:, None] + between).min(axis=0) == errors).all()
