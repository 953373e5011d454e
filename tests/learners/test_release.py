"""Publishing a hypothesis with a private count of its mistakes: the pair, verified exactly."""

from fractions import Fraction
from itertools import product

import pytest
from flint import arb

import littlestone as ls
from littlestone.data import Sample
from littlestone.errors import ParameterError
from littlestone.learners import registry
from littlestone.learners.release import promise, run
from littlestone.privacy import Guarantee, Neighbours, hockey_stick, tightest_epsilon
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
                release = run(algorithm, sample, source, estimate_error=extra)
                return see(release) if see else (release.hypothesis.key, release.error["value"])

            cached[counts] = ExactSource().law(once)
        found[data] = cached[counts]
    return found


def neighbours(found):
    for left in found:
        for right in found:
            if sum(a != b for a, b in zip(left, right, strict=True)) == 1:
                yield found[left], found[right]


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("extra", [HALF, 2], ids=str)
def test_the_pair_is_private_with_the_sum(extra, n):
    cls = ls.Thresholds(1, 2)
    claimed = promise(generic(cls), estimate_error=extra)
    assert claimed.epsilon == 1 + extra
    assert claimed.delta == 0
    found = laws(cls, [1, 2], n, extra)
    pairs = list(neighbours(found))
    assert len(found) == 4**n
    assert len(pairs) == 4**n * n * 3
    worst = max(tightest_epsilon(p.outcomes, q.outcomes, 0) for p, q in pairs)
    assert worst <= float(claimed.epsilon)
    assert all(law.slack == 0 for law in found.values())
    assert all(
        bool(hockey_stick(p.outcomes, q.outcomes, claimed.epsilon) <= arb(2) ** -100)
        for p, q in pairs
    )


def test_the_sum_is_needed():
    """Without the count's share the claim is false: the test above can fail."""
    found = laws(ls.Thresholds(1, 2), [1, 2], 2, 2)
    worst = max(tightest_epsilon(p.outcomes, q.outcomes, 0) for p, q in neighbours(found))
    assert worst > 1.5


def test_everything_that_is_seen_of_a_release_is_private():
    found = laws(
        ls.Thresholds(1, 2), [1, 2], 2, HALF, see=lambda r: (r.to_json(), repr(r), page(r))
    )
    plain = laws(ls.Thresholds(1, 2), [1, 2], 2, HALF)
    for p, q in neighbours(found):
        assert tightest_epsilon(p.outcomes, q.outcomes, 0) <= 1.5
    # and it holds nothing beside the two released values
    for data, law in found.items():
        assert len(law.outcomes) == len(plain[data].outcomes)


def test_the_count_is_of_the_released_hypothesis():
    data = Sample.of([1, 1, 2, 2, 2], [0, 1, 1, 1, 0])
    data = Sample(data.points, data.zeros, data.ones, (3, 2))
    algorithm = generic(ls.Thresholds(1, 2))
    release = run(algorithm, data, SecureSource(), estimate_error=1000)  # hardly any noise
    labels = release.hypothesis.predict(data.points)
    wrong = sum(int(data.zeros[i] if label else data.ones[i]) for i, label in enumerate(labels))
    assert release.error["value"] == wrong + 2  # outside the domain every concept says 0
    assert release.error["rate"] == pytest.approx((wrong + 2) / 10)


def test_a_release_without_estimate_is_the_algorithms():
    algorithm = generic(ls.Thresholds(1, 9))
    data = Sample.of([2, 8] * 200, [0, 1] * 200)
    release = run(algorithm, data, SeededSource(1), columns={"x": ["a"], "y": "b"})
    assert release.hypothesis == algorithm.learn(data, SeededSource(1))
    assert release.guarantee == algorithm.guarantee(seeded=True)
    assert release.error is None
    assert (release.n, release.required) == (400, algorithm.required_samples())
    assert release.certificate == algorithm.certificate(400)
    assert release.columns == {"x": ["a"], "y": "b"}


def test_composition_keeps_delta_neighbours_and_seed():
    class Algorithm:
        def guarantee(self, *, seeded=False):
            return Guarantee(1, "1e-6", Neighbours.USER_REPLACE, "exp-mech.privacy", seeded)

    composed = promise(Algorithm(), estimate_error="0.25", seeded=True)
    assert composed.epsilon == Fraction(5, 4)
    assert composed.delta == Fraction(1, 10**6)
    assert composed.neighbours is Neighbours.USER_REPLACE
    assert composed.seeded


@pytest.mark.parametrize("estimate_error", [0, -1, "nan", "x", float("inf")])
def test_a_wrong_share_is_refused_before_anything_is_drawn(estimate_error):
    class Untouched:
        seeded = False

    with pytest.raises(ParameterError, match="estimate_error"):
        run(
            generic(ls.Thresholds(1, 9)),
            Sample.of([1], [0]),
            Untouched(),
            estimate_error=estimate_error,
        )


def test_an_empty_sample_is_refused_before_anything_is_drawn():
    class Untouched:
        seeded = False

    with pytest.raises(ParameterError, match="no records"):
        run(generic(ls.Thresholds(1, 9)), Sample.of([], []), Untouched())


SECRET = "31337"


@pytest.mark.parametrize(
    "sample",
    [
        Sample.of([SECRET, "b"], [0, 1]),
        Sample.of([SECRET, 3], [0, 1]),
        ls.UserSample.of([1, 2], [0, 1], [1, 2]),
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
