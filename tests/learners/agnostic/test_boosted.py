"""Boosting by filtering: private on all lists; the theorem against adversaries; failures."""

from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest

import littlestone as ls
import littlestone.learners.agnostic.boosted as module
from littlestone.bounds import recheck
from littlestone.bounds.tails import clopper_pearson
from littlestone.errors import ParameterError, UnsupportedError
from littlestone.learners import registry
from littlestone.learners.agnostic import Boosted, Subsample

SWITCH = ls.theory.FiniteClass([[0], [1]])
QUARTER = F(1, 4)


def boosted(rounds, block, *, concepts=SWITCH, make=Boosted, epsilon=1, name="generic", **more):
    inner = registry.make(name, concepts, epsilon=epsilon, alpha=QUARTER, **more)
    return make(inner, rounds=rounds, block=block)


@pytest.mark.first(2)
@pytest.mark.parametrize(
    ("rounds", "block", "n", "options"),
    [
        (3, 1, 3, {}),
        (1, 2, 4, {}),
        (3, 1, 4, {}),  # one record is left over
        (3, 2, 6, {}),
        (3, 1, 2, {}),  # too few records
        pytest.param(3, 1, 3, {"concepts": ls.Thresholds(1, 2)}, marks=pytest.mark.full),
    ],
)
def test_private_on_all_lists(rounds, block, n, options):
    points = [1, 2] if "concepts" in options else [0]
    result = ls.audit.verify(boosted(rounds, block, **options), points=points, n_samples=n)
    assert result.holds, result
    assert (result.ordered, result.refusals) == (True, 0)
    assert result.epsilon == 1


class Shares(Boosted):
    """All slots see the records of the first one: one record decides several examples."""

    def draw(self, sample, source):
        first = module.shuffle(sample, source)[:1]
        return super().draw(module.ordered_part(sample, np.repeat(first, sample.n)), source)


class DependsOnAll(Boosted):
    """What is kept depends on all records: nothing, where no label is 1."""

    def draw(self, sample, source):
        def scaled(rounds, after, bias, whole=module.chances):
            return whole(rounds, after, bias) if sample.ones.sum() else [F(0)] * (after + 1)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "chances", scaled)
            return super().draw(sample, source)


@pytest.mark.first(2)
@pytest.mark.parametrize(("make", "rounds", "n"), [(Shares, 1, 3), (DependsOnAll, 1, 6)])
def test_broken_variants_are_caught(make, rounds, n):
    made = boosted(rounds, 1, make=make)
    assert not ls.audit.verify(made, points=[0], n_samples=n).holds


@pytest.mark.parametrize("rounds", [1, 3, 5])
def test_chances_are_those_of_being_decided(rounds):
    """By all answers of the later rounds, each right with probability 2/3."""
    bias = F(2, 3)
    for after in range(rounds):
        decided = []
        for r in range(after + 1):
            total = F(0)
            for later in product((0, 1), repeat=rounds - after - 1):
                right = r + sum(later)
                if 2 * right < rounds < 2 * (right + 1):
                    total += bias ** sum(later) * (1 - bias) ** (len(later) - sum(later))
            decided.append(total)
        found = module.chances(rounds, after, bias)
        ratios = {kept / true for kept, true in zip(found, decided, strict=True) if true}
        assert len(ratios) <= 1
        assert [kept > 0 for kept in found] == [true > 0 for true in decided]
        assert max(found) <= 1


@pytest.mark.parametrize(("rounds", "block"), [(1, 1), (3, 2), (7, 5), (15, 20), (25, 9)])
def test_no_weak_learner_exceeds_the_bound(rounds, block):
    """Weak hypotheses chosen by an adversary, exactly at their allowance, on random laws."""
    made = boosted(rounds, block)
    steps = made.plan.terms(module.CertificateBuilder()).steps
    bound = float(steps["wrong"].value) + float(steps["slack"].value)
    rng = np.random.default_rng(rounds)
    worst = 0.0
    for trial in range(40):
        law = rng.dirichlet(np.full(30, (0.1, 1.0)[trial % 2]))
        right = np.zeros(30, dtype=int)
        for t in range(rounds):
            kept = np.array([float(c) for c in module.chances(rounds, t, 1 - QUARTER)])[right]
            weights = law * kept
            v = weights.sum()
            allowed = 0.25 / (1 - (1 - v) ** block) if v else 1.0  # of the weighted law
            order = rng.permutation(30) if trial % 3 else np.argsort(right, kind="stable")
            spent = np.cumsum(weights[order] / v) if v else np.zeros(30)
            errs = order[spent <= allowed]
            right += 1
            right[errs] -= 1
        worst = max(worst, float(law[2 * right < rounds].sum()))
    assert worst <= bound
    if rounds == 15:
        assert worst > bound / 50  # the adversary does something


def test_the_certificate_and_its_number():
    weak = registry.make("generic", ls.Thresholds(1, 99), epsilon=1, alpha=QUARTER)
    made = Boosted(weak, rounds=9, alpha=F(1, 10))
    n = made.required_samples()
    assert n == 9 * made.plan.block * made.weak.required_samples()
    certificate = made.certificate(n)
    assert certificate.holds
    assert recheck(certificate.to_dict()) == ()
    assert [made.certificate(k).holds for k in (1, n - 1, 2 * n)] == [False, False, True]
    assert made.weak.beta == made.beta / 9
    assert Boosted(weak, rounds=9).alpha < QUARTER
    promise = made.guarantee()
    assert (promise.epsilon, promise.delta, promise.claim) == (
        1,
        0,
        "boosted.privacy(exp-mech.privacy)",
    )


@pytest.mark.more
def test_majorities_err_as_rarely_as_certified():
    """A law with much weight just beside the threshold: one weak hypothesis errs more."""
    weak = ls.GenericLearner(ls.Thresholds(1, 99), epsilon=1, alpha=F(2, 5))
    made = ls.theory.BoostedPrivate(weak, rounds=9, alpha=F(3, 10))
    n = made.required_samples()
    points, shares = np.array([20, 49, 50, 51, 80]), [0.3, 0.1, 0.2, 0.1, 0.3]
    failures, rng = 0, np.random.default_rng(1)
    for seed in range(40):
        x = rng.choice(points, size=n, p=shares)
        made.set_params(random_state=seed).fit(x, x > 49)
        off = made.predict(points) != (points > 49)
        failures += float(np.dot(off, shares)) > 0.3
    assert clopper_pearson(failures, 40, 0.9999)[0] <= 0.05
    assert made.hypothesis_.key[0] == "majority"
    assert made.release_.from_dict(made.release_.to_dict()).hypothesis == made.hypothesis_


def test_mistakes_are_taught():
    weak = ls.GenericLearner(ls.Thresholds(1, 99), epsilon=1, alpha=0.25)
    for made, message in [
        (lambda: ls.theory.BoostedPrivate(weak, rounds=4), "'rounds' parameter of BoostedPrivate"),
        (lambda: ls.theory.BoostedPrivate(weak, rounds=3, alpha=0.1), "'rounds' parameter"),
        (
            lambda: ls.theory.BoostedPrivate(
                ls.GenericLearner(ls.Thresholds(1, 99), epsilon=1, alpha=0.5), rounds=3
            ),
            "'learner' parameter",
        ),
    ]:
        with pytest.raises(ParameterError, match=message):
            made().required_samples()
    part = Subsample(registry.make("generic", SWITCH, epsilon=1), F(1, 2))
    with pytest.raises(UnsupportedError, match="Boost the learner inside it"):
        Boosted(part, rounds=3)
