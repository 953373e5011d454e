"""Statistical audits and attacks: right where epsilon is known, and ours stand them."""

from __future__ import annotations

import csv
import importlib.util
import json
import math
import pickle
import random
import sys
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from littlestone.audit import lower_bound
from littlestone.audit.statistical import Raised, at_least, battery, hashable
from littlestone.classes import ThresholdHypothesis, Thresholds
from littlestone.data import Sample
from littlestone.errors import ParameterError
from littlestone.learners import registry
from littlestone.mechanisms import exponential_mechanism, private_count
from littlestone.source import Explicit, ReplaySource, SecureSource

# -- The statistical audit: right on mechanisms whose epsilon is known -----------------------------

SOURCE = SecureSource()


def selection(epsilon):
    return lambda scores: exponential_mechanism(
        Explicit(np.array(scores)), epsilon=epsilon, source=SOURCE
    )


#: One candidate gains what nine others lose: near the worst that a record can do.
UP, DOWN = [1] + [0] * 9, [0] + [1] * 9


def true_epsilon(epsilon):
    gain = math.exp(epsilon / 2)
    return math.log((gain / (gain + 9)) / (1 / (1 + 9 * gain)))


@pytest.mark.parametrize(
    ("epsilon", "trials"),
    [
        pytest.param(2, 24_000, marks=pytest.mark.more),
        *(
            pytest.param(*pair, marks=pytest.mark.full)
            for pair in ((0.5, 600_000), (1, 150_000), (4, 40_000))
        ),
    ],
)
def test_finds_four_fifths_of_the_exponential_mechanism(epsilon, trials):
    bound = lower_bound(selection(epsilon), UP, DOWN, delta=0, trials=trials)
    assert 0.8 * true_epsilon(epsilon) <= bound <= true_epsilon(epsilon)


@pytest.mark.more
def test_never_exceeds_the_claim_in_fifty_audits():
    mechanism = selection(3)
    bounds = [lower_bound(mechanism, UP, DOWN, delta=0, trials=600) for _ in range(50)]
    assert max(bounds) <= true_epsilon(3)
    assert sum(bounds) / 50 > 0.5  # and they are not trivial


def test_delta_is_taken_off():
    def leaky(bit):  # shows the bit one time in ten, else nothing
        return bit if random.random() < 0.1 else None

    assert lower_bound(leaky, 0, 1, delta=0.11, trials=8_000) == 0
    assert lower_bound(leaky, 0, 1, delta=0, trials=8_000) > 3


def test_real_outputs_are_cut_at_quantiles():
    def laplace(value):  # on a grid: the last bits of floats say more
        return round(value + random.expovariate(1) - random.expovariate(1), 3)

    bound = lower_bound(laplace, 0, 1, delta=0, trials=40_000)
    assert 0.8 <= bound <= 1
    assert bound.event.startswith("output in [")


def test_direction_and_evidence():
    bound = lower_bound(lambda x: bool(x) and random.random() < 0.5, 0, 1, delta=0, trials=800)
    assert bound.swapped  # only the second side ever says True
    assert bound.hits[1] == 0
    assert bound.measured == 600
    assert pickle.loads(pickle.dumps(bound)).to_dict() == bound.to_dict()


@pytest.mark.parametrize(
    "wrong",
    [
        {"delta": 1.5},
        {"delta": 0, "trials": 3},
        {"delta": 0, "confidence": 1},
        {"delta": 0, "key": 3},
    ],
)
def test_bad_parameters_are_refused_before_anything_runs(wrong):
    def never(_):
        raise AssertionError

    with pytest.raises(ParameterError):
        lower_bound(never, 0, 1, **{"trials": 100, **wrong})


# -- Statistics of outputs, rho and tables of audits: mechanisms with known laws ------


def coin(p):
    return random.random() < p


def response(bit):
    return bit ^ coin(0.25)


def test_the_battery():
    found = battery(hashable({"a": np.array([0.75, math.nan]), "b": b"\x01"}))
    assert found["keys(output)"] == ("'a'", "'b'")
    assert found["output['a'][0]"] == 0.75
    assert found["lowest bit of output['a'][0]"] == -2
    assert found["output['a'][1]"] == "nan"
    assert found["len(output['b'])"] == 1
    assert battery(12.0)["lowest bit of output"] == 2
    assert battery(Raised("ValueError", "x"))["type(output)"] == "ValueError"


@pytest.mark.first(3)
@pytest.mark.parametrize(
    ("leak", "statistic"),
    [
        (lambda bit: [random.random()] * (1 + bit), "len("),
        (lambda bit: random.choice([[1, 2], [1.0, 2.0]][bit]), "type(output)"),
        (lambda bit: {"abc"[bit]: random.random()}, "keys(output)"),
        (lambda bit: {"a": (random.random(), bit)}, "output['a'][1]"),
        (lambda bit: bit + random.expovariate(1) - random.expovariate(1), "lowest bit of output"),
        (lambda bit: [random.random(), 10 * bit + random.random()], "output[1]"),
    ],
)
def test_each_statistic_finds_its_leak(leak, statistic):
    bound = lower_bound(leak, 1, 0, delta=0, trials=4_000)
    assert bound > 2
    assert statistic in bound.event


@pytest.mark.more
def test_a_weighted_sum_finds_what_no_entry_shows():
    def noisy(bit):  # each of 16 entries is private at .5, all together are not at 4
        return [
            round(bit / 2 + random.expovariate(1) - random.expovariate(1), 2) for _ in range(16)
        ]

    bound = lower_bound(noisy, 1, 0, delta=0, trials=8_000)
    assert 1.5 < bound <= 8
    assert "weighted sum" in bound.event


def test_rho_of_a_coin():
    # the largest divergence over its order, of coins with 3/4 and 1/4
    rho = max(
        math.log((0.75**a * 0.25 ** (1 - a)) + (0.25**a * 0.75 ** (1 - a))) / (a * (a - 1))
        for a in np.linspace(1.001, 50, 5_000)
    )
    assert float(at_least("rho", 0.75, 0.25, 0)) == pytest.approx(rho, rel=1e-3)
    bound = lower_bound(response, 1, 0, delta=0, trials=20_000, measure="rho")
    assert 0.8 * rho < bound <= rho
    assert repr(bound).startswith("LowerBound(rho >= ")


def test_rho_of_a_gaussian_is_not_exceeded():
    def gaussian(mean):
        return round(random.gauss(mean, 1), 2)

    bound = lower_bound(gaussian, 1, 0, delta=0, trials=20_000, measure="rho")
    assert 0.2 < bound <= 0.5


def test_rho_has_no_delta():
    with pytest.raises(ParameterError, match="rho"):
        lower_bound(response, 0, 1, delta=0.1, trials=80, measure="rho")


# -- the published table of audits of other libraries: what it claims of itself --------------------


FOLDER = Path(__file__).parents[2] / "examples" / "field_audit"
ROWS = json.loads((FOLDER / "results.json").read_text())


@pytest.fixture(scope="module")
def program():
    sys.path.append(str(FOLDER))
    spec = importlib.util.spec_from_file_location("field_audit_run", FOLDER / "run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_claims_are_refuted_and_no_control_is(program):
    assert program.judged(ROWS) == ([], [])
    alarm, silent = ({**ROWS[0], "control": c, "claim": x} for c, x in ((True, -1), (False, 99)))
    assert program.judged([*ROWS[1:], alarm]) == ([alarm], [])
    assert program.judged([*ROWS[1:], silent]) == ([], [silent])
    refuted = [row for row in ROWS if not row["control"]]
    others = [row for row in ROWS if row["control"] and row["library"] != "littlestone"]
    assert len(refuted) >= 18
    assert len({row["library"] for row in refuted}) >= 6
    assert len(others) >= 20
    assert {row["library"] for row in others} <= {row["library"] for row in refuted}
    assert all(row["seconds"] < 180 for row in ROWS)


def test_each_environment_is_in_the_table(program):
    assert {row["environment"] for row in ROWS} == set(program.environments())


def test_the_page_shows_the_table(program):
    with program.TABLE.open(newline="") as file:
        assert list(csv.reader(file)) == [list(row) for row in program.table(ROWS)]


# -- Published attacks on floating-point noise: they break a float control and find nothing in our
# Precision (Mironov 2012; Haney et al. 2022): the last bits of a noisy double show what the noise
# was added to. Reordering (Casacuberta et al. 2022): a sum of doubles depends on their order, so
# one record can move it by more than the sensitivity that exact arithmetic has. Our release path
# draws integers with exact weights; no float is drawn, and sums are sums of integers.


def float_count(bits):
    """The textbook mechanism: count + Laplace(1), in doubles."""
    noise = -math.log(1 - random.random()) * random.choice((-1, 1))
    return float(sum(bits)) + noise


def our_count(bits):
    estimate = private_count(sum(bits), len(bits), epsilon=1, source=SOURCE, beta=0.05)
    return estimate.value


def fine(value):
    """Whether a released number has digits finer than 2**-53."""
    return not (float(value) * 2**53).is_integer()


def test_precision_attack_breaks_the_float_control():
    bound = lower_bound(float_count, [0], [1], delta=0, trials=20_000, key=fine)
    assert bound > 4  # claimed: 1


@pytest.mark.more
def test_precision_attack_finds_nothing_in_our_count():
    assert lower_bound(our_count, [0], [1], delta=0, trials=4_000, key=fine) == 0
    assert lower_bound(our_count, [0], [1], delta=0, trials=4_000) <= 1
    assert {type(our_count([0, 1])) for _ in range(50)} == {int}


#: One large value makes the running sum coarse; what is added after it is rounded away.
FLOATS_ROWS = [2.0**53, *[1.0] * 6]


def test_reordering_moves_a_float_sum_but_no_count_of_ours():
    float_sums = {sum(order) for order in {*permutations(FLOATS_ROWS)}}
    assert max(float_sums) - min(float_sums) > 1  # a single record of size 1 could move it by 1
    points, labels = [5, 3, 5, 9, 1, 3, 7], [1, 0, 1, 1, 0, 0, 1]
    rows = list(zip(points, labels, strict=True))
    learner = registry.make("agnostic", Thresholds(1, 9), epsilon=1)
    shown = set()
    for order in list(permutations(rows))[:: 5040 // 24]:
        sample = Sample.of(*map(list, zip(*order, strict=True)))
        source = ReplaySource([0] * 10)
        learner.draw(sample, source)
        shown.add(repr(source.presented))
    assert len(shown) == 1  # all that the source was shown, whatever the order of the records


# -- The attack of paper 004, Section 4: too accurate learners are found out, private ones are not

SCRIPT = Path(__file__).parents[2] / "examples" / "attack" / "attack.py"
spec = importlib.util.spec_from_file_location("attack", SCRIPT)
attack = sys.modules["attack"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(attack)

DOMAIN = 2**30
CLASS = Thresholds(1, DOMAIN)


def below_smallest_positive(sample):
    """Not private: a consistent threshold, right at a record."""
    return threshold(int(sample.points[sample.ones > 0].min()) - 1)


def threshold(u):
    return ThresholdHypothesis(u, 1, DOMAIN)


def private(epsilon):
    learner = registry.make("generic", CLASS, epsilon=epsilon)
    return lambda sample: learner.draw(sample, SOURCE)


EVEN = range(1, DOMAIN, DOMAIN // 1024)


@pytest.fixture(scope="module")
def exposed():
    return attack.homogeneous_set(below_smallest_positive, EVEN, n_samples=6, runs=1, subsets=16)


def test_a_deterministic_learner_is_homogeneous_everywhere(exposed):
    assert exposed.points == tuple(EVEN)
    assert exposed.p == (0, 0, 0, 0, 1, 1, 1)
    assert exposed.deviation == 0
    assert exposed.gap >= 1 / (4 * 6)  # Claim 22
    assert exposed.jump == 4


def test_the_family_moves_one_record(exposed):
    samples = exposed.family()
    assert len(samples) == len(EVEN) - 5  # every place between the others
    assert len(set(samples[0]) & set(samples[-1])) == 5
    for sample in samples:
        assert [y for _, y in sample] == [0, 0, 0, 1, 1, 1]


def test_the_record_is_found_and_epsilon_grows_with_the_domain(exposed):
    result = attack.identify(below_smallest_positive, exposed, delta=0, trials=200)
    assert result.found == 200
    assert result.places == len(exposed.family()) // 2 + len(exposed.family()) % 2
    assert result.epsilon > 0.9 * math.log(result.places)
    smaller = attack.homogeneous_set(
        below_smallest_positive, EVEN[::16], n_samples=6, runs=1, subsets=16
    )
    less = attack.identify(below_smallest_positive, smaller, delta=0, trials=200)
    assert less.epsilon < result.epsilon - 2


@pytest.mark.parametrize("copies", [1, pytest.param(5, marks=pytest.mark.more)])
def test_a_private_learner_is_never_over_its_claim(copies):
    quiet = private(1)
    found = attack.homogeneous_set(
        quiet, EVEN[::64], n_samples=6, runs=20, subsets=4, tolerance=1.0
    )
    result = attack.identify(quiet, found, delta=0, trials=150, copies=copies)
    assert result.epsilon <= 1


# -- The table of membership attacks: limits of the theorem, which no attack on ours exceeds -------

TABLE = Path(__file__).parents[2] / "docs" / "membership.csv"


def test_attacks_stay_below_the_limit_and_work_without_privacy():
    with TABLE.open(encoding="utf-8", newline="") as file:
        _, (*_, limit, at_1, at_10), *attacks = csv.reader(file)
    assert float(limit) == pytest.approx(math.tanh(1 / 2), abs=1e-3)
    assert (float(at_1), float(at_10)) == pytest.approx((0.01 * math.e, 0.1 * math.e), abs=1e-3)
    ours = [row for row in attacks if row[0].startswith("ours")]
    control = [row for row in attacks if row not in ours]
    assert len(ours) == len(control) == 2
    for row in ours:
        largest, *rates = map(float, row[3:])
        assert largest < float(limit)
        assert rates[0] < float(at_1)
        assert rates[1] < float(at_10)
    assert max(float(row[3]) for row in control) > 4 * max(float(row[3]) for row in ours)


# -- Variants of the sparse vector technique: the gallery page says what the literature says -------

PAGE = Path(__file__).parents[2] / "examples" / "gallery" / "3_audit" / "plot_sparse_vector.py"
# the definitions of the page, without what it computes and draws
exec(PAGE.read_text().partition("# %%\n# What the verifier says")[0], names := {})
#: Lyu, Su and Li 2017, Figure 2 (which are private), and the least epsilons of these inputs,
#: computed apart from this page (to two digits).
KNOWN = {
    "1, Lyu-Su-Li, c = 1": (True, 1.79),
    "1, Lyu-Su-Li, c = 2": (True, 2.00),
    "2, Dwork-Roth, c = 2": (True, 1.79),
    "3, Roth, c = 1": (False, 2.08),
    "4, Lee-Clifton, c = 2": (False, 3.57),
    "5, Stoddard and others": (False, float("inf")),
    "6, Chen and others": (False, 1.58),
}


def test_all_are_known():
    assert set(names["FORMS"]) == set(KNOWN)
    assert {name: form[3] for name, form in names["FORMS"].items()} == {
        name: private for name, (private, _) in KNOWN.items()
    }


@pytest.mark.first(1)
@pytest.mark.parametrize("name", KNOWN)
def test_verdicts_are_those_of_the_literature(name):
    found, (private, least) = names["verified"](name), KNOWN[name]
    assert found.holds == private
    assert found.tightest_epsilon == pytest.approx(least, abs=0.005)


@pytest.mark.more
def test_what_fails_for_more_queries_may_hold_for_fewer():
    assert names["verified"]("6, Chen and others", 2).holds
    assert not names["verified"]("4, Lee-Clifton, c = 2", 2).holds


def test_a_noise_that_is_at_least_a_number_has_that_law():
    # by hand: rate 1, at least -1: masses 1/2, 1, 1/2, 1/4, ... over 5/2; values cut to [-4, 4]
    from littlestone.source import ExactSource

    law = ExactSource().law(lambda source: names["number"](0, -1, 1, source))
    masses = {value: float(mass) for value, mass in law.outcomes.items()}
    assert masses == pytest.approx({-1: 0.2, 0: 0.4, 1: 0.2, 2: 0.1, 3: 0.05, 4: 0.05})
