"""What the certificates say, against exact probabilities; golden numbers; extreme parameters."""

import math
from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest

import littlestone as ls
from littlestone.bounds import CertificateBuilder, recheck
from littlestone.classes import closures
from littlestone.data import Sample
from littlestone.learners.base import Goal
from littlestone.learners.littlestone import Littlestone, closed_within
from littlestone.learners.littlestone_plans import VOTES, ClosedPlan, VoteMargin

from .small import learner

BUDGET = Goal(F(1), F(1, 10**6), F(1, 10), F(1, 20))

#: Records asked for at epsilon 1, delta 1e-6, alpha 0.1, beta 0.05.
GOLDEN = [
    (ls.Points(), "auto", 1606),
    (ls.SparseSets(3), "auto", 7614),
    (ls.theory.AffineSubspaces(7, 20, 2), "auto", 8880),
]


def planned(cls, method):
    numbers = {"epsilon": BUDGET.epsilon, "delta": BUDGET.delta}
    return Littlestone(cls, **numbers, alpha=BUDGET.alpha, beta=BUDGET.beta, method=method).plan


@pytest.mark.parametrize(("cls", "method", "needed"), GOLDEN, ids=str)
def test_records_that_are_needed(cls, method, needed):
    found = planned(cls, method)
    assert found.required == needed
    certificate = found.certificate(needed)
    assert certificate.holds
    assert certificate.status == "explicit"
    assert recheck(certificate.to_dict()) == ()
    assert not found.certificate(needed - 1).holds
    assert not found.certificate(1).holds
    assert all(found.certificate(needed + k).holds for k in (1, 77, needed, 10**9))


# --- the vote margin ---


def exact_failure(teachers, rate, hidden, joint):
    """E[(bottom + bad) / (bottom + bad + good)] for one good and one bad hypothesis."""
    total = 0.0
    for outcome in product(joint, repeat=teachers):
        chance = math.prod(joint[o] for o in outcome)
        bad, good = (sum(o[i] for o in outcome) for i in (0, 1))
        weights = [math.exp(hidden), *(math.exp(rate * v) * (v > 0) for v in (bad, good))]
        total += chance * (1 - weights[2] / sum(weights))
    return total


@pytest.mark.parametrize("miss", [F(0), F(1, 10), F(1, 3)])
@pytest.mark.parametrize("wrong", [F(1, 20), F(1, 4)])
def test_the_gate_bounds_the_exact_failure_for_every_coupling(miss, wrong):
    budget = Goal(F(6), F(1, 10), F(1, 10), F(1, 2))
    rate, cap = 3.0, 1
    seen = 0
    for teachers, votes, power in product((3, 5), (1, 2, 3), (F(1), F(1, 2))):
        cert = CertificateBuilder()
        steps = {
            name: cert.step(name, "v", VOTES, v=value)
            for name, value in (("miss", miss), ("wrong", wrong), ("records", F(teachers)))
        }
        bound = VoteMargin(teachers, votes, power).failure(
            cert, budget, chunk=1, cap=cap, bad=1, **steps
        ).value  # fmt: skip
        hidden = rate + math.log(cap / float(budget.delta))
        most = min(miss, wrong)
        least = max(F(0), miss + wrong - 1)
        for apart in (least, (least + most) / 2, most):
            joint = {
                (1, 0): float(apart),
                (1, 1): float(wrong - apart),
                (0, 0): float(miss - apart),
                (0, 1): float(1 - wrong - miss + apart),
            }
            exact = exact_failure(teachers, rate, hidden, joint)
            assert exact <= bound + 1e-12
            seen = max(seen, exact / bound)
    assert seen > 0.2  # not vacuous


# --- closures -----------------------------------------------------------------------------------


def listing_probabilities(system, weights, chunk, tolerance):
    """For each closed set the exact chance that a teacher lists it; all labels are 1."""
    points = [p for p in weights if p != "elsewhere"]
    names = [*points, "elsewhere"]
    chances: dict[object, float] = {}
    for counts in product(range(chunk + 1), repeat=len(names)):
        if sum(counts) == chunk:
            chance = math.factorial(chunk)
            for name, count in zip(names, counts, strict=True):
                chance *= weights[name] ** count / math.factorial(count)
            positives = [p for p, c in zip(points, counts[:-1], strict=True) for _ in range(c)]
            data = Sample.of(
                [*positives, *["z"] * counts[-1]], [1] * len(positives) + [0] * counts[-1]
            )
            for closed in closed_within(system, data, tolerance, 10**6):
                chances[closed] = chances.get(closed, 0.0) + chance
    return chances


@pytest.mark.more
def test_some_good_set_is_listed_as_often_as_promised():
    """All distributions of a grid over two points and the rest, for sets of two points."""
    system, chunk = closures(ls.SparseSets(2)), 9
    made = ClosedPlan.of(Goal(F(4), F(1, 10), F(1, 2), F(1, 5)), system, chunk, None)
    cert = CertificateBuilder(m=chunk, c=made.tolerances[0])
    promised = 1 - float(made._miss(cert).value)
    assert 0.35 < promised < 1
    worst = 1.0
    for a, b in product(np.linspace(0, 1, 13), repeat=2):
        if a + b <= 1:
            weights = {"a": a, "b": b, "elsewhere": 1 - a - b}
            chances = listing_probabilities(system, weights, chunk, made.tolerances[0])
            error = {
                h: sum(weights[p] for p in "ab" if not h.predict(np.array([p], dtype=object))[0])
                for h in chances
            }
            good = [c for h, c in chances.items() if error[h] <= float(made.levels[-1])]
            worst = min(worst, max(good, default=0.0))
    assert worst >= promised - 1e-9
    assert worst < promised + 0.35  # nearly reached


# --- interleaving -------------------------------------------------------------------------------


@pytest.mark.first(1)
@pytest.mark.parametrize(
    "cls", [ls.SparseSets(1), ls.theory.AffineSubspaces(5, 9, 1), ls.theory.Conjunctions(2)]
)
def test_extreme_public_parameters(cls):
    for options in (
        {"epsilon": 1e6},
        {"delta": "1e-400"},
        {"delta": 0.999},
        {"alpha": 0.99, "beta": 0.99},
        {"beta": "1e-30"},
    ):
        made = learner(cls, **{"epsilon": 1, "delta": "1e-6", "alpha": "0.2", **options})
        needed = made.required_samples()
        assert made.certificate(needed).holds
        assert not made.certificate(1).holds or needed == 1
    with pytest.raises(ls.errors.UnsupportedError, match="Raise epsilon"):
        learner(cls, epsilon=1e-9).required_samples()


@pytest.mark.parametrize("cls", [ls.SparseSets(2), ls.theory.Conjunctions(2)], ids=str)
def test_what_cannot_be_certified_is_refused_or_does_not_hold(cls):
    with pytest.raises(ls.errors.UnsupportedError, match="Raise epsilon"):
        learner(cls, alpha="1e-7").required_samples()
    for options in ({"chunk": 10**9}, {"chunk": 4, "tolerances": (10**9,)}):
        made = learner(cls, **options)
        assert not any(made.certificate(n).holds for n in (1, 10**9, 10**40))


def test_one_concept_needs_no_records():
    made = learner(ls.SparseSets(0))
    assert made.required_samples() == 1
    assert made.certificate(1).holds
    assert made.draw(Sample.of(["a"], [1]), None).describe() == "always 0"


def test_own_settings_change_no_promise_that_does_not_hold():
    made = learner(ls.SparseSets(2), chunk=3, tolerances=(2,))
    assert not made.certificate(10**6).holds
    assert made.required_samples() == learner(ls.SparseSets(2)).required_samples()
