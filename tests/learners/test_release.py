"""Publishing a hypothesis with a private evaluation of it: the pair, verified exactly."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from flint import arb

import littlestone as ls
from littlestone.data import Sample
from littlestone.data.stored import Unread
from littlestone.errors import DataError, ParameterError, UnsupportedError
from littlestone.evaluation import release_histogram
from littlestone.learners import registry
from littlestone.learners.running import Shares, promise, run, shares_of
from littlestone.learners.select import compare, goal_of
from littlestone.privacy import hockey_stick, tightest_epsilon
from littlestone.report import page
from littlestone.source import ExactSource, SecureSource, SeededSource

HALF = Fraction(1, 2)


def generic(cls, epsilon=1):
    return registry.make("generic", cls, epsilon=epsilon)


def sample_of(data):
    return Sample.of([x for x, _ in data], [label for _, label in data])


def laws(cls, points, n, extra, see=None):
    """Return the exact law of everything published, for each data set (an ordered list)."""
    algorithm = generic(cls)
    cached, found = {}, {}
    for data in product([(x, y) for x in points for y in (0, 1)], repeat=n):
        counts = tuple(sorted(data))
        if counts not in cached:
            sample = sample_of(counts)

            def once(source, sample=sample):
                release = run(algorithm, sample, source, evaluate=extra)
                return see(release) if see else (release.hypothesis.key, release.evaluation.counts)

            cached[counts] = ExactSource().law(once)
        found[data] = cached[counts]
    return found


def neighbours(found):
    for left in found:
        for right in found:
            if sum(a != b for a, b in zip(left, right, strict=True)) == 1:
                yield found[left], found[right]


def cell_law(count, n, epsilon):
    """Return the exact law of one cell of an evaluation."""
    law = ExactSource().law(
        lambda source: release_histogram(
            [0], [[count], [0]], n=n, epsilon=epsilon, source=source
        ).counts[0][0]
    )
    return {value: float(p.mid()) for value, p in law.outcomes.items()}


def left_by(learner, evaluate):
    """Return the learner with what an evaluation leaves."""
    return shares_of(learner, evaluate=evaluate).learner(learner)


def worst_loss(n, extra):
    """Return the largest loss of (hypothesis, histogram) over all data sets and their neighbours.

    Given the hypothesis, the cells are independent, and a replaced record changes two by one: the
    loss of an outcome is that of the hypothesis plus that of the two cells.
    """
    own = left_by(generic(ls.Thresholds(1, 2)), extra)
    cells = [cell_law(count, n, extra) for count in range(n + 1)]
    of_cells = {
        (a, b): max(math.log(cells[a][v] / cells[b][v]) for v in cells[a])
        for a in range(n + 1)
        for b in (a - 1, a + 1)
        if 0 <= b <= n
    }
    kinds = [(x, y) for x in (1, 2) for y in (0, 1)]
    laws = {}
    for data in product(kinds, repeat=n):
        sample = sample_of(data)
        law = ExactSource().law(lambda source, sample=sample: own.draw(sample, source))
        laws[data] = {h: float(p.mid()) for h, p in law.outcomes.items()}
    worst = 0.0
    for data, law in laws.items():
        for i, kind in product(range(n), kinds):
            other = (*data[:i], kind, *data[i + 1 :])
            for h, p in law.items():
                cell = {k: (k[1], int(h.predict(np.array([k[0]]))[0])) for k in kinds}
                loss = math.log(p / laws[other][h])
                if cell[data[i]] != cell[kind]:
                    down = sum(cell[k] == cell[data[i]] for k in data)
                    up = sum(cell[k] == cell[kind] for k in data)
                    loss += of_cells[down, down - 1] + of_cells[up, up + 1]
                worst = max(worst, loss)
    return worst


@pytest.mark.first(2)
@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("extra", [Fraction(1, 10), HALF, Fraction(9, 10)], ids=str)
def test_the_pair_is_private_with_the_learners_epsilon(extra, n):
    claimed = promise(generic(ls.Thresholds(1, 2)), evaluate=extra)
    assert (claimed.epsilon, claimed.delta) == (1, 0)
    assert 0.6 < worst_loss(n, extra) <= 1


def test_the_learner_must_leave_its_part(monkeypatch):
    """If it spends all of epsilon the claim is false: the test above can fail."""
    monkeypatch.setattr(Shares, "learner", lambda shares, learner: learner)
    assert worst_loss(2, HALF) > 1.1


def test_a_release_is_the_hypothesis_and_the_histogram_of_its_labels():
    """What `worst_loss` takes apart is what `run` draws: with one seed they are the same."""
    data, learner = sample_of([(1, 0), (2, 1), (2, 0)] * 9), generic(ls.Thresholds(1, 2))
    for seed in range(5):
        source = SeededSource(seed)
        made = left_by(learner, HALF).draw(data, source)
        cells = np.zeros((2, 2), dtype=int)
        for x, y in [(1, 0), (2, 1), (2, 0)] * 9:
            cells[y, int(made.predict(np.array([x]))[0])] += 1
        told = release_histogram([0, 1], cells, n=27, epsilon=HALF, source=source)
        release = run(learner, data, SeededSource(seed), evaluate=HALF)
        assert (release.hypothesis, release.evaluation) == (made, told)


@pytest.mark.full
def test_everything_that_is_seen_of_a_release_is_private():
    see = lambda r: (r.to_json(), repr(r), page(r))  # noqa: E731
    found = laws(ls.Thresholds(1, 1), [1], 1, HALF, see=see)
    alone = laws(ls.Thresholds(1, 1), [1], 1, HALF)
    for p, q in neighbours(found):
        assert tightest_epsilon(p.outcomes, q.outcomes, 0) <= 1
        assert bool(hockey_stick(p.outcomes, q.outcomes, 1) <= arb(2) ** -100)
    # and it holds nothing beside the two released values
    for data, law in found.items():
        assert len(law.outcomes) == len(alone[data].outcomes)
        assert law.slack == 0


def test_the_evaluation_is_of_the_released_hypothesis():
    data = Sample.of([1, 1, 2, 2, 2], [0, 1, 1, 1, 0])
    data = Sample.binary(data.points, data.zeros, data.ones, (3, 2))
    algorithm = generic(ls.Thresholds(1, 2), epsilon=1001)
    release = run(algorithm, data, SecureSource(), evaluate=1000)  # hardly any noise
    labels = release.hypothesis.predict(data.points)
    wrong = sum(int(data.zeros[i] if label else data.ones[i]) for i, label in enumerate(labels))
    # outside the domain every concept says 0
    assert release.quality.error.value == pytest.approx((wrong + 2) / 10)
    assert release.quality.baseline.value == pytest.approx(0.5)


def test_a_release_without_evaluation_is_the_algorithms():
    algorithm = generic(ls.Thresholds(1, 9))
    data = Sample.of([2, 8] * 200, [0, 1] * 200)
    release = run(algorithm, data, SeededSource(1), columns={"x": ["a"], "y": "b"})
    assert release.hypothesis == algorithm.draw(data, SeededSource(1))
    assert release.guarantee == algorithm.guarantee(seeded=True)
    assert release.evaluation is None
    assert release.quality is None
    assert (release.n, release.required) == (400, algorithm.required_samples())
    assert release.certificate == algorithm.certificate(400)
    assert release.columns == {"x": ["a"], "y": "b"}


@pytest.mark.first(3)
@pytest.mark.parametrize("name", ["generic", "agnostic", "vc1", "users"])
def test_what_is_left_is_a_learner_of_a_smaller_epsilon(name):
    own = {"delta": "1e-6"} if name == "vc1" else {}
    own |= {"samples_per_user": 4} if name == "users" else {}
    whole = registry.make(name, ls.Thresholds(1, 9), epsilon=2, **own)
    left = registry.make(name, ls.Thresholds(1, 9), epsilon="1.8", **own)
    assert left_by(whole, "0.2") == left
    assert left_by(whole, None) is whole
    goal = goal_of("t", epsilon=2, delta=own.get("delta"), alpha="0.1", beta="0.05",
                   samples_per_user=own.get("samples_per_user"), evaluate="0.2")  # fmt: skip
    (planned,) = [
        c for c in compare(ls.Thresholds(1, 9), goal, adapt=False)
        if c.learner == name and not c.options
    ]  # fmt: skip
    assert planned.n == left.required_samples() >= whole.required_samples()
    assert planned.guarantee.epsilon == 2


def test_zcdp_of_what_is_left_and_of_the_histogram_add_up():
    learner = generic(ls.Thresholds(1, 9))
    assert shares_of(learner, evaluate=HALF).loss(learner).rho == HALF**2 / 8 + HALF**2 / 2
    assert shares_of(learner, evaluate=HALF, holdout=HALF).loss(learner) is None


def test_learners_on_drawn_records_and_what_they_leave():
    """A secret part leaves some of its amplified epsilon."""
    inner = ls.GenericLearner(ls.Thresholds(1, 9), epsilon=1)
    part = ls.theory.Subsampled(inner, rate=HALF).fit([1, 2], [0, 1], evaluate="0.1")
    assert part.guarantee_.epsilon == part.to_learner().epsilon < 1


def test_estimators_say_what_was_evaluated():
    made = ls.GenericLearner(ls.Thresholds(1, 9), epsilon=4, random_state=0)
    made.fit([2, 8] * 200, [0, 1] * 200, evaluate=2)
    assert made.guarantee_.epsilon == 4
    assert made.release_.quality.better is True
    assert made.release_.quality.constant is None
    assert made.evaluation_.accuracy().value > 0.9
    with pytest.raises(UnsupportedError, match="no evaluation"):
        _ = made.fit([2, 8], [0, 1]).evaluation_


@pytest.mark.parametrize("evaluate", [0, -1, "nan", "x", float("inf"), 1, 2])
def test_a_wrong_share_is_refused_before_anything_is_drawn(evaluate):
    class Untouched:
        seeded = False

    with pytest.raises(ParameterError, match="evaluate"):
        run(generic(ls.Thresholds(1, 9)), Sample.of([1], [0]), Untouched(), evaluate=evaluate)


def test_an_empty_sample_is_refused_before_anything_is_drawn():
    class Untouched:
        seeded = False

    with pytest.raises(DataError, match="no rows"):
        run(generic(ls.Thresholds(1, 9)), Sample.of([], []), Untouched())


SECRET = "31337"


@pytest.mark.parametrize(
    "sample",
    [
        Sample.of([SECRET, "b"], [0, 1]),
        Sample.of([SECRET, 3], [0, 1]),
        ls.data.UserSample.of([1, 2], [0, 1], [1, 2]),
    ],
    ids=["texts", "mixed", "users"],
)
@pytest.mark.parametrize("name", ["generic", "vc1", "littlestone"])
def test_a_sample_that_cannot_be_read_is_refused_before_it_is_paid(sample, name, tmp_path):
    ledger = ls.Ledger(tmp_path / "budget.db", epsilon=10, delta="1e-5")
    extra = {} if name == "generic" else {"delta": "1e-6"}
    learner = registry.make(name, ls.Thresholds(1, 9), epsilon=1, **extra)
    with pytest.raises(ls.errors.LittlestoneError) as refused:
        run(learner, sample, SecureSource(), ledger=ledger)
    assert SECRET not in str(refused.value)
    assert refused.value.__cause__ is None
    assert ledger.spent()[0] == 0


def test_a_table_that_cannot_be_counted_for_the_evaluation_is_not_paid(tmp_path):
    """The learner looks at extremes only; the evaluation counts all, before it is paid."""

    def count():
        raise DataError

    sample = Unread(100, count, extremes=Sample.of([2, 8] * 50, [0, 1] * 50).extremes)
    ledger = ls.Ledger(tmp_path / "budget.db", epsilon=2, delta="1e-5")
    learner = registry.make("vc1", ls.Thresholds(1, 9), epsilon=1, delta="1e-6")
    with pytest.raises(DataError):
        run(learner, sample, SecureSource(), ledger=ledger, evaluate="1/10")
    assert ledger.spent()[0] == 0
    assert run(learner, sample, SecureSource(), ledger=ledger).n == 100


def test_a_date_that_is_not_asked_for_does_not_hinder_an_export():
    schema = ls.Schema.from_dict(
        {"day": {"type": "date", "bins": ["2020-07-01"]}, "age": {"bins": [30]}}
    )
    table = {"age": [20, 40] * 100, "day": ["2020-01-01", "2021-01-01"] * 100, "ill": [0, 1] * 100}
    written = {}
    for name in ("age", "day"):
        halves = table | {other: ["", ""] * 100 for other in {"age", "day"} - {name}}
        learner = ls.AgnosticLearner(ls.Rules(schema, 1), epsilon=9, random_state=0)
        written[name] = learner.fit(halves, y="ill").release_
    module = {}
    exec(written["age"].export("python"), module)
    assert [module["label"]({"age": cell}) for cell in (20, 40)] == [0, 1]
    assert '"age"' in written["age"].export("sql")
    with pytest.raises(ls.errors.UnsupportedError, match=r"over dates \(day\)"):
        written["day"].export("sql")
