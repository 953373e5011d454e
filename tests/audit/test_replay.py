"""Losses on neighbours of a table: compared with brute force, exceeded by broken variants."""

import json
import math
from dataclasses import dataclass
from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest

from littlestone.audit import output_distribution, replay, verify
from littlestone.audit.neighbours import (
    Search,
    UnitSearch,
    replaced,
    replaced_unit,
)
from littlestone.audit.runs import SECRET
from littlestone.classes import (
    BoostedTreeClass,
    DecisionTrees,
    FiniteClass,
    Points,
    Rules,
    Thresholds,
)
from littlestone.cli.main import main
from littlestone.data import OUTSIDE, RowDomain, Sample, Schema
from littlestone.data.sample import OrderedSample
from littlestone.data.targets import Count, Periods, Quantity, TargetSample, UserSample
from littlestone.errors import LittlestoneError, ParameterError, UnsupportedError
from littlestone.learners import registry
from littlestone.learners.boosting import Boosting, Values
from littlestone.learners.boosting import losses as units
from littlestone.learners.exponential import Generic
from littlestone.learners.users.learner import UserAgnostic
from littlestone.mechanisms.estimate import coin_of
from littlestone.source import ExactSource, SeededSource

CITIES = Schema.from_dict({"city": {"categories": ["Bonn", "Rome"]}, "age": {"bins": [30, 60]}})


def table(n=200, seed=0):
    rng = np.random.default_rng(seed)
    points = rng.integers(1, 10, n)
    return Sample.of(points, (points > 4) ^ (rng.random(n) < 0.1))


def rows(n=150, seed=0):
    rng = np.random.default_rng(seed)
    cells = np.stack([rng.integers(0, 4, n), rng.integers(0, 5, n)], axis=1)
    return Sample.of(cells, (cells[:, 0] > 1) ^ (rng.random(n) < 0.2))


def pairs_of(sample, domain, count):
    search = Search(domain, sample, SeededSource(0))
    found = []
    for _ in range(count):
        found.append(search.next())
        search.heard(found[-1], F(0))
    return found


def brute_force(sample, pair, low=1, high=9):
    """The largest loss of the exponential mechanism over thresholds, from errors counted here."""

    def law(records):
        wrong = [
            sum((low <= x <= high and x > u) != y for x, y in records)
            for u in range(low - 1, high + 1)
        ]
        weights = [math.exp(-w / 2) for w in wrong]
        return [w / sum(weights) for w in weights]

    records = [
        (int(x), y)
        for i, x in enumerate(sample.points)
        for y, count in ((0, sample.zeros[i]), (1, sample.ones[i]))
        for _ in range(count)
    ]
    (x, y), (z, w) = ((-5 if p is OUTSIDE else p, label) for p, label in pair)
    other = list(records)
    other.remove((x, y))
    other.append((z, w))
    return max(abs(math.log(p / q)) for p, q in zip(law(records), law(other), strict=True))


def test_all_outcomes_are_those_of_brute_force():
    learner, sample = Generic(Thresholds(1, 9), epsilon=1), table(12)
    worst = 0.0
    for n in (1, 5, 30):
        found = replay(learner, sample, pairs=n)
        assert worst <= found.outcomes <= 1 + 1e-9
        worst = found.outcomes
    tried = pairs_of(sample, Thresholds(1, 9).domain, 1)
    assert replay(learner, sample, pairs=1).outcomes == pytest.approx(
        max(brute_force(sample, pair) for pair in tried), abs=1e-9
    )
    assert found.holds
    assert found.transcript <= found.outcomes


def test_the_transcript_is_the_ratio_of_two_laws():
    X, y = [1, 3, 3, 6], [0, 1, 0, 1]
    sample = Sample.of(X, y)
    learner = Generic(Thresholds(1, 6), epsilon=1)
    found = replay(learner, sample, pairs=1)
    ((old, new),) = pairs_of(sample, Thresholds(1, 6).domain, 1)
    i = list(zip(X, y, strict=True)).index(old)
    X2, y2 = [*X[:i], *X[i + 1 :], new[0]], [*y[:i], *y[i + 1 :], new[1]]
    released = learner.draw(sample, SeededSource(0))
    p, q = (output_distribution(learner, *data)[released][0] for data in ((X, y), (X2, y2)))
    assert found.transcript == pytest.approx(abs(math.log(p / q)), abs=1e-9)


@pytest.mark.parametrize(
    "concepts", [Rules(CITIES, max_literals=1), DecisionTrees(CITIES, 1), DecisionTrees(CITIES, 2)]
)
def test_rules_and_trees_attain_their_epsilon_and_no_more(concepts):
    found = replay(registry.make("agnostic", concepts, epsilon=1), rows(), pairs=25)
    assert found.holds
    assert 0.9 < found.outcomes < 1 + 1e-6
    assert 0 < found.transcript <= found.outcomes


def test_boosted_trees_round_by_round():
    learner = Boosting(BoostedTreeClass(CITIES, 2, 4), epsilon=2)
    found = replay(learner, rows(), pairs=12)
    assert found.holds
    assert len(found.draws) == 4
    assert all(0 < loss <= budget + 1e-6 for loss, budget in found.draws)
    assert found.draws[0][0] > 0.9 * found.draws[0][1]  # later rounds have other weights
    assert found.outcomes is None


TARGETS = {
    "labels": (None, {}),
    "means": (Quantity(0, 50, 50), {}),
    "medians": (Quantity(0, 50, 50), {"loss": "absolute"}),
    "quantiles": (Quantity(0, 50, 50), {"loss": "quantile", "quantile": F(9, 10)}),
    "counts": (Count(9), {}),
    "times": (Periods((1, 2)), {}),
}


def boosted(name, unit, depth=1):
    """Return a learner of a target, with a table; users have three records each."""
    target, how = TARGETS[name]
    concepts = BoostedTreeClass(CITIES, depth, 3, target=target)
    if name == "labels":
        learner = Boosting(concepts, epsilon=3, unit=unit)
        if unit == "records":
            return learner, rows(20)
    else:
        learner = Values(concepts, epsilon=3, unit=unit, **how)
    rng = np.random.default_rng(0)
    cells = np.stack([rng.integers(0, 4, 60), rng.integers(0, 5, 60)], axis=1)
    codes = rng.integers(0, 2 if target is None else target.size, 60)
    users = [i // 3 for i in range(60)] if unit == "users" else None
    return learner, TargetSample.of(cells, codes, users)


EACH = [("labels", "records"), ("means", "users")]
EACH += [each for each in product(TARGETS, ("records", "users")) if each not in EACH]


def first_neighbour(learner, sample):
    """Return the neighbour that replay looks at first."""
    if isinstance(sample, Sample):
        ((old, new),) = pairs_of(sample, learner.concept_class.domain, 1)
        return replaced(sample, old, new)
    search = UnitSearch(
        learner.concept_class, sample, 1 + (sample.user is not None), SeededSource(0)
    )
    return replaced_unit(sample, *search.next())


@pytest.mark.first(2)
@pytest.mark.parametrize(("name", "unit"), EACH)
def test_all_trees_of_a_round_are_those_of_its_enumerated_law(name, unit):
    learner, sample = boosted(name, unit)
    found = replay(learner, sample, pairs=1)
    start, loss = learner.start(sample, SeededSource(0))  # released
    laws, trees, steered = [], [], SeededSource(0)
    for records in (sample, first_neighbour(learner, sample)):
        laws.append([])
        moved = learner.at(records, start, loss)
        for place in range(3):
            weighted, rate = learner.round(moved, place)
            law = ExactSource(bits=200).law(lambda s, w=weighted, r=rate: learner.tree(w, r, s).key)
            laws[-1].append({h: float(p.mid()) for h, p in law.outcomes.items()})
            if records is sample:
                trees.append(learner.tree(weighted, rate, steered))
            moved.add(trees[place], place)
    for (loss, _), one, other in zip(found.draws, *laws, strict=True):
        assert one.keys() == other.keys()
        most = max(abs(math.log(one[h] / other[h])) for h in one)
        assert most > 0
        assert loss == pytest.approx(most, abs=1e-9)


@pytest.mark.more
@pytest.mark.parametrize(("name", "unit"), EACH[1:])
def test_boosting_of_units_keeps_its_budgets(name, unit, monkeypatch):
    learner, sample = boosted(name, unit, depth=2)
    found = replay(learner, sample, pairs=9)
    assert found.holds
    assert all(budget / 9 < loss <= budget for loss, budget in found.draws)
    if unit == "users":
        monkeypatch.setattr(units, "clipped", lambda costs, *_: costs)
        assert not replay(learner, sample, pairs=30).holds


def test_a_replaced_unit_is_as_a_table_that_was_counted_so():
    cells, codes, users = [[2, 2], [3, 3], [2, 2], [2, 2]], [4, 1, 4, 0], [0, 1, 0, 2]
    for named in (users, None):
        sample = TargetSample.of(cells, codes, named)
        gone = [2, 0] if named else [3]  # the records of user 0; of records, the first of a group
        rest = [i for i in range(4) if i not in gone]
        for new in ([((3, 3), 7)], [((1, 4), -1)], [((1, 4), 2)] * 2)[: 3 if named else 2]:
            other = replaced_unit(sample, 0, new)
            wanted = TargetSample.of(
                [cells[i] for i in rest] + [list(x) for x, _ in new],
                [codes[i] for i in rest] + [y for _, y in new],
                [users[i] for i in rest] + [0] * len(new) if named else None,
            )
            for part in ("points", "point", "code", "count", "user", "n"):
                assert np.array_equal(getattr(other, part), getattr(wanted, part)), part
    assert replaced_unit(TargetSample.of(cells, codes, users), 0, ()).n == 3


def test_lists_of_teachers_are_those_of_the_enumerated_law():
    learner = registry.make("littlestone", Points(1, 5), epsilon=4, delta=F(1, 10))
    X, y = [2, 2, 3, 4], [1, 1, 0, 1]
    sample = Sample.of(X, y)
    found = replay(learner, sample, pairs=1)
    assert pairs_of(sample, Points(1, 5).domain, 1) == [((2, 1), (2, 0))]
    laws = [
        {h: float(chance[0]) for h, chance in output_distribution(learner, X, labels).items()}
        for labels in (y, [0, *y[1:]])
    ]
    first, second = ([law.get(h, 0.0) for h in set().union(*laws)] for law in laws)
    factor = math.exp(4)
    divergence = max(
        sum(max(p - factor * q, 0.0) for p, q in zip(*pair, strict=True))
        for pair in ((first, second), (second, first))
    )
    shared = [abs(math.log(p / q)) for p, q in zip(first, second, strict=True) if p and q]
    assert found.holds
    assert found.worst_delta == pytest.approx(divergence, rel=1e-6)
    assert divergence > 0
    assert found.outcomes == pytest.approx(max(shared), abs=1e-6)


def users(n, each, seed=0):
    rng = np.random.default_rng(seed)
    points = rng.integers(1, 10, n * each)
    labels = (points > 4) ^ (rng.random(n * each) < 0.2)
    return UserSample.of(np.repeat(np.arange(n), each).tolist(), points, labels)


def of_users(method, **numbers):
    return registry.make("users", Thresholds(1, 9), samples_per_user=2, method=method, **numbers)


@pytest.mark.first(1)
@pytest.mark.parametrize("method", ["one-record", "group-privacy", "user-level"])
def test_users_attain_their_epsilon_and_no_more(method):
    found = replay(of_users(method, epsilon=1), users(20, 2), pairs=40)
    assert found.holds
    assert 0.9 < found.outcomes < 1 + 1e-6
    assert "20 users" in str(found)


def test_the_loss_of_a_user_is_that_of_its_enumerated_law():
    learner, table = of_users("user-level", epsilon=2), users(6, 2)
    found = replay(learner, table, pairs=1)
    pair = UnitSearch(Thresholds(1, 9), table, 2, SeededSource(0)).next()
    one, other = (
        ExactSource(bits=200).law(lambda source, t=t: learner.draw(t, source).key).outcomes
        for t in (table, replaced_unit(table, *pair))
    )
    assert one.keys() == other.keys()
    losses = [abs(math.log(float(p.mid()) / float(other[h].mid()))) for h, p in one.items()]
    assert max(losses) > 0
    assert found.outcomes == pytest.approx(max(losses), abs=1e-9)


def test_a_replaced_user_is_as_a_table_that_was_counted_so():
    named, points, labels = ["a", "b", "a", "c"], [3, 5, 3, 7], [0, 1, 1, 1]
    table = UserSample.of(named, points, labels)
    for records in ([], [(7, 1), (7, 1), (2, 0)], [(5, 1)]):
        other = replaced_unit(table, 0, records)
        rest = [(u, x, y) for u, x, y in zip(named, points, labels, strict=True) if u != "a"]
        rest += [("a", x, y) for x, y in records]
        if records:
            wanted = UserSample.of(*(list(column) for column in zip(*rest, strict=True)))
            for name in ("points", "user", "point", "code", "count", "keys"):
                assert getattr(other, name).tolist() == getattr(wanted, name).tolist()
        else:
            assert other.records.tolist() == [0, 1, 1]
    assert replaced_unit(table, 1, [(OUTSIDE, 1)]).point.tolist() == [0, 0, -1, 1]


@dataclass(frozen=True)
class Unbounded(UserAgnostic):
    """All records of a user count."""

    def draw(self, sample, source):
        return self.plan.chosen.choose(sample, source)


def test_users_whose_records_all_count_exceed():
    broken = Unbounded(Thresholds(1, 9), epsilon=1, samples_per_user=2, method="group-privacy")
    assert not replay(broken, users(20, 9), pairs=40).holds


def test_what_draws_nothing_is_refused():
    with pytest.raises(UnsupportedError, match="no draw"):
        replay(registry.make("littlestone", FiniteClass([[0]]), epsilon=1, delta="1e-6"), table(9))


def one_shot(**numbers):
    thresholds = FiniteClass([[int(x >= u) for x in range(9)] for u in range(10)])
    return registry.make("vc1", thresholds, **{"epsilon": 4, "delta": F(1, 100)} | numbers)


def realizable(n=30):
    points = np.arange(n) % 9
    return Sample.of(points, points > 3)


def test_vc1_beside_bottom():
    found = replay(one_shot(), realizable(), pairs=40)
    assert found.holds
    assert 0 < found.worst_delta <= 0.01
    assert found.transcript < 4
    few = replay(one_shot(epsilon=1, delta=F(1, 20)), realizable(2), pairs=40)
    assert few.holds
    assert few.worst_delta > 0.025  # half of the claim would be exceeded


@dataclass(frozen=True)
class Loud(Generic):
    """Half of the noise."""

    def rate(self, sensitivity):
        return 2 * super().rate(sensitivity)


@dataclass(frozen=True)
class Often(Generic):
    """What occurs more than twenty times counts three times."""

    def draw(self, sample, source):
        zeros, ones = (c * (1 + 2 * (c > 20)) for c in (sample.zeros, sample.ones))
        return super().draw(Sample.binary(sample.points, zeros, ones, sample.outside), source)


@pytest.mark.first(1)
@pytest.mark.parametrize("broken", [Loud, Often])
def test_broken_learners_exceed_their_claim(broken):
    learner = broken(Thresholds(1, 9), epsilon=1)
    points = np.repeat([3, 6, 7], [21, 20, 10])  # 21 of one kind: on the edge
    found = replay(learner, Sample.of(points, points > 4), pairs=30)
    assert not found.holds
    assert found.outcomes > 1.5
    assert str(found).startswith("EXCEEDED")
    if broken is Often:
        assert verify(learner, points=[3, 6], n_samples=3).holds  # few records do not show it


def test_a_broken_bottom_and_a_broken_round_exceed(monkeypatch):
    from littlestone.mechanisms import median as module

    honest = module.entering_bottom
    monkeypatch.setattr(
        module,
        "entering_bottom",
        lambda *, delta, **rest: honest(delta=min(40 * delta, F(1, 2)), **rest),
    )
    found = replay(one_shot(epsilon=1, delta=F(1, 20)), realizable(2), pairs=40)
    assert not found.holds
    assert found.worst_delta > 0.05
    honest_round = Boosting.round

    def loud(self, *args, **kwargs):
        weighted, rate = honest_round(self, *args, **kwargs)
        return weighted, 6 * rate

    monkeypatch.setattr(Boosting, "round", loud)
    assert not replay(Boosting(BoostedTreeClass(CITIES, 1, 2), epsilon=8), rows(40), pairs=30).holds


def test_it_is_marked_secret():
    found = replay(Generic(Thresholds(1, 9), epsilon=1), table(9), pairs=2)
    assert found.to_dict()["secret"] == SECRET
    assert "SECRET" in str(found)
    assert SECRET in repr(found)


def test_a_replacement_is_one():
    sample = table(40)
    for pair in pairs_of(sample, Thresholds(1, 9).domain, 60):
        (x, y), (z, w) = pair
        other = replaced(sample, *pair)
        assert other.n == sample.n
        assert sorted(other.points.tolist()) == other.points.tolist()
        assert (other.zeros + other.ones > 0).all()
        if pair[0] != pair[1]:
            back = replaced(other, (z, w), (x, y))
            for name in ("points", "zeros", "ones"):
                assert np.array_equal(getattr(back, name), getattr(sample, name))
            assert back.outside == sample.outside
    wide = rows()
    for pair in pairs_of(wide, RowDomain(CITIES), 30):
        other = replaced(wide, *pair)
        assert list(map(tuple, other.points)) == sorted(map(tuple, other.points))


def test_a_list_keeps_its_places():
    points, labels = [3, OUTSIDE, 5, 3, 9], [0, 1, 1, 1, 0]
    listed = OrderedSample.listed(points, labels)
    for i in range(5):
        for new in ((4, 1), (3, 0), (OUTSIDE, 0), (9, 0)):
            other = replaced(listed, (points[i], labels[i]), new)
            changed = [*zip(points, labels, strict=True)]
            changed[i] = new
            truth = OrderedSample.listed(*map(list, zip(*changed, strict=True)))
            assert np.array_equal(other.points, truth.points)
            assert np.array_equal(other.kinds, truth.kinds)
            assert other.outside == truth.outside


def test_the_command(tmp_path, capsys):
    data = tmp_path / "t.csv"
    data.write_text("x,y\n" + "".join(f"{i % 9 + 1},{int(i % 9 > 4)}\n" for i in range(30)))
    line = f"audit replay --data {data} --x x --y y --learner generic --epsilon 1 --pairs 3"
    assert main([*line.split(), "--class", "thresholds(1, 9)"]) == 0
    said = capsys.readouterr()
    assert "SECRET" in said.out + said.err
    assert main([*line.split(), "--class", "thresholds(1, 9)", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["secret"] == SECRET


class Flipped(Generic):
    """A coin whose sides have no names decides."""

    def draw(self, sample, source):
        return self.concept_class.concepts()[source.choose(coin_of(self.epsilon, sample.positives))]


def test_refusals_teach():
    with pytest.raises(ParameterError, match="a Sample with records"):
        replay(Generic(Thresholds(1, 9), epsilon=1), [1, 2])
    users = registry.make("users", Thresholds(1, 9), epsilon=1, samples_per_user=1)
    with pytest.raises(ParameterError, match="a UserSample with records"):
        replay(users, table(5))
    with pytest.raises(ParameterError, match="a TargetSample with records"):
        replay(boosted("means", "records")[0], table(5))
    with pytest.raises(LittlestoneError, match="no names that tables share"):
        replay(Flipped(Thresholds(1, 9), epsilon=1), table(5), pairs=2)
    assert issubclass(UnsupportedError, LittlestoneError)
