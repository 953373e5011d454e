"""The verifier: right where the loss is known, hard to deceive; mechanisms of one's own."""

from __future__ import annotations

import importlib
import inspect
import logging
import math
import random
import sys
import warnings
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import littlestone as ls
from littlestone.audit import lower_bound, replace_one, verified, verify_mechanism
from littlestone.audit.mechanism import observed
from littlestone.audit.statistical import Raised
from littlestone.bounds import realizable
from littlestone.classes import PointHypothesis, ThresholdHypothesis
from littlestone.errors import ParameterError, StateError
from littlestone.learners.base import Learner, Plan
from littlestone.source import (
    ExactSource,
    ExplicitWeights,
    HiddenStateError,
    ReplaySource,
    SeededSource,
    as_weights,
    exp,
)

# -- The verifier itself: right about mechanisms whose loss is known, and hard to deceive ----------


@dataclass(frozen=True)
class ToyPlan(Plan):
    """The certificate of a finite class."""

    epsilon: Fraction
    alpha: Fraction
    beta: Fraction

    def certificate(self, n):
        return realizable(4, epsilon=self.epsilon, alpha=self.alpha, beta=self.beta, n=n)

    @property
    def required(self):
        return self.certificate(None).n


@dataclass(frozen=True)
class Toy(Learner):
    """A learner made of one function; its claim is a parameter."""

    run: object
    epsilon: Fraction = Fraction(1)
    delta: Fraction = Fraction(0)

    name = estimator = "toy"
    claim = "toy"
    pure, agnostic = False, False
    concept_class = ls.Thresholds(0, 1)
    alpha, beta = Fraction(1, 10), Fraction(1, 20)

    def make_plan(self):
        return ToyPlan(self.epsilon, self.alpha, self.beta)

    def draw(self, sample, source):
        return self.run(sample, source)


def said(bit):
    return ThresholdHypothesis(bit, 0, 1)


def response(epsilon):
    """Randomized response to "is some label 1?"."""

    def run(sample, source):
        truth = int(sample.positives > 0)
        return said(truth ^ source.choose(ExplicitWeights(exp(epsilon), 1)))

    return run


@pytest.mark.parametrize("epsilon", [Fraction(1, 4), Fraction(1), Fraction(3)])
def test_randomized_response_has_exactly_its_epsilon(epsilon):
    result = ls.audit.verify(Toy(response(epsilon), epsilon), points=[0, 1], n_samples=2)
    assert result.holds
    assert math.isclose(result.tightest_epsilon, epsilon, rel_tol=1e-12)
    less = Fraction(99, 100) * epsilon
    caught = ls.audit.verify(Toy(response(epsilon), less), points=[0, 1], n_samples=2)
    assert not caught.holds
    # the hockey-stick divergence of randomized response, by hand
    p = math.exp(epsilon) / (1 + math.exp(epsilon))
    assert math.isclose(caught.worst_delta, p - math.exp(less) * (1 - p), rel_tol=1e-9)


def test_delta_is_found_exactly():
    """Names the truth with probability 1/1000, else says nothing: (0, 1/1000), nothing less."""

    def leak(sample, source):
        if source.choose(ExplicitWeights(1, 999)) == 0:
            return said(int(sample.positives > 0))
        return said(-1)

    claim = Fraction(1, 1000)
    assert ls.audit.verify(Toy(leak, Fraction(1), claim), points=[0], n_samples=2).holds
    caught = ls.audit.verify(Toy(leak, Fraction(1), claim * 99 / 100), points=[0], n_samples=2)
    assert not caught.holds
    assert math.isclose(caught.worst_delta, 1e-3, rel_tol=1e-12)


def test_sizes_against_brute_force():
    kinds = list(product([0, 1], [0, 1]))
    lists = list(product(kinds, repeat=3))
    pairs = sum(
        sum(a != b for a, b in zip(left, right, strict=True)) == 1
        for left in lists
        for right in lists
    )
    result = ls.audit.verify(Toy(response(1)), points=[0, 1, 1], n_samples=3)
    assert (result.datasets, result.pairs) == (len(lists), pairs)
    wider = ls.audit.verify(Toy(response(1)), points=[0, 1], n_samples=2, outside=True)
    assert wider.datasets == 36


@pytest.mark.more
def test_loops_without_a_bound_leave_slack():
    def forever(sample, source):
        while source.choose(ExplicitWeights(1, 1)):
            pass
        return said(0)

    result = ls.audit.verify(Toy(forever), points=[0], n_samples=1)
    assert result.holds
    # Equal laws as far as they were followed. Each is cut at 2**-80, the right one e times that.
    assert 2**-80 <= result.worst_delta < 2**-79
    assert 2**-79 < result.slack < 2**-78


def test_a_view_that_leaks_is_caught():
    """An observer, a message and an attribute are outputs like the hypothesis."""

    def constant(sample, source):
        return said(0)

    assert ls.audit.verify(Toy(constant), points=[0, 1], n_samples=2).holds
    seen = []

    def remembers(sample, source):
        seen.append(sample.positives)
        return said(0)

    caught = ls.audit.verify(
        Toy(remembers), points=[0], n_samples=2, observers=[lambda release: f"page {seen[-1]}"]
    )
    assert not caught.holds

    caught = ls.audit.verify(Toy(speaks), points=[0], n_samples=2)
    assert caught.refusals == 3
    assert "3 data sets may be refused" in str(caught)


def test_public_coins_must_not_depend_on_the_data():
    def public(sample, source):
        return said(int(source.public_rng().integers(2)))

    result = ls.audit.verify(Toy(public), points=[0], n_samples=1, public_seeds=range(4))
    assert result.holds

    def chosen_by_data(sample, source):
        rng = source.public_rng()
        draws = rng.integers(2, size=8)
        return said(int(draws[sample.positives]))

    caught = ls.audit.verify(Toy(chosen_by_data), points=[0], n_samples=2, public_seeds=range(4))
    assert not caught.holds


@pytest.mark.parametrize("kind", ["weights", "outputs"])
def test_hidden_state_is_refused(kind):
    calls = []

    def stateful(sample, source):
        calls.append(0)
        if kind == "weights":
            return said(source.choose(ExplicitWeights(1, len(calls))))
        source.choose(ExplicitWeights(1, 1))
        return said(len(calls))

    with pytest.raises(HiddenStateError):
        ls.audit.verify(Toy(stateful), points=[0], n_samples=1)


def test_output_distribution_is_a_law():
    learner = ls.AgnosticLearner(ls.Intervals(1, 3), epsilon=2.0)
    law = ls.audit.output_distribution(learner, [1, 2, 3], [0, 1, 0])
    assert len(law) == 7
    assert sum(low for low, _ in law.values()) <= 1 <= sum(high for _, high in law.values())
    points = np.array([1, 2, 3])
    best = max(law, key=lambda h: law[h])
    assert best.predict(points).tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("learner", "arguments", "words"),
    [
        (ls.GenericLearner(ls.Thresholds(0, 1), epsilon=1), {"points": []}, "'points'"),
        (ls.GenericLearner(ls.Thresholds(0, 1), epsilon=1), {"n_samples": 0}, "'n_samples'"),
        ("learner", {}, "'learner'"),
        # before anything is computed
        (ls.AgnosticLearner(ls.Thresholds(1, 3), epsilon="1e30"), {}, "at most 100,000"),
    ],
)
def test_bad_arguments(learner, arguments, words):
    with pytest.raises(ParameterError, match=words):
        ls.audit.verify(learner, **{"points": [0], **arguments})


def remembering():
    class Remembers(Toy):
        """Answers every data set as it answered the first one."""

        def draw(self, sample, source):
            if "first" not in vars(self):
                object.__setattr__(self, "first", sample.positives)
            return said(min(self.first, 1))

    return Remembers(None)


def speaks(sample, source):
    raise ls.errors.DataError(f"There are {sample.positives} positives.")


def crashes(sample, source):
    return said(1 // sample.positives)


def carries(sample, source):
    """Equal keys, but the words differ."""
    hypothesis = PointHypothesis(0)
    object.__setattr__(hypothesis, "describe", lambda: f"{sample.positives}")
    return hypothesis


def printing(sample, source):
    print(f"{sample.positives} positives")
    return said(0)


def warning(sample, source):
    warnings.warn(f"{sample.positives} positives", stacklevel=1)
    return said(0)


def logging_it(sample, source):
    logging.getLogger("toy").warning("%s positives", sample.positives)
    return said(0)


def chained(sample, source):
    try:
        raise KeyError(sample.positives)
    except KeyError:
        raise ValueError("refused")  # noqa: B904


def noted(sample, source):
    refusal = ValueError("refused")
    refusal.add_note(f"{sample.positives} positives")
    raise refusal


def attached(sample, source):
    refusal = ValueError("refused")
    refusal.data = sample
    raise refusal


def smuggled(sample, source):
    hypothesis = PointHypothesis(0)
    object.__setattr__(hypothesis, "sample", sample)
    return hypothesis


LEAKS = (printing, warning, logging_it, speaks, crashes, chained, noted, attached, carries)


@pytest.mark.parametrize("leak", [*LEAKS, smuggled, remembering], ids=lambda leak: leak.__name__)
def test_leaks_beside_the_hypothesis_are_caught(leak, capsys):
    toy = leak() if leak is remembering else Toy(leak)
    assert not ls.audit.verify(toy, points=[0], n_samples=2).holds
    assert capsys.readouterr().out == ""


@pytest.mark.first(1)
@pytest.mark.parametrize("epsilon", [20, 40, 200])
def test_large_epsilons_are_not_cut(epsilon):
    learner = ls.GenericLearner(ls.Thresholds(1, 2), epsilon=epsilon)
    assert ls.audit.verify(learner, points=[1, 2], n_samples=3).holds


@pytest.mark.full  # a minute; boosted trees are verified with their evaluation in group more
def test_an_evaluation_is_verified_with_the_hypothesis():
    learner = ls.GenericLearner(ls.Thresholds(1, 2), epsilon=1)
    result = ls.audit.verify(learner, points=[1], n_samples=1, evaluate="1/2")
    assert result.holds
    assert result.epsilon == 1
    assert result.tightest_epsilon > 0.7


def test_a_learner_that_refuses_everything_is_not_verified():
    def refuses(sample, source):
        raise ls.errors.DataError("No.")

    with pytest.raises(ls.errors.UnsupportedError, match="nothing to verify"):
        ls.audit.verify(Toy(refuses), points=[0], n_samples=2)


# -- Mechanisms of one's own: plain weights, outputs and data sets of any kind, tests by decorator

PAIRS = list(replace_one([0, 1], 2))
LN3 = Fraction("1.0987")  # a little more than ln 3 = 1.09861...


def own_response(bits, source, weights=(3, 1)):
    return tuple(bit ^ source.choose(weights) for bit in bits)


def forgetful(bits, source):
    """Randomizes the first bit only."""
    return (bits[0] ^ source.choose([3, 1]), *bits[1:])


@pytest.mark.parametrize(
    "weights",
    [[3, 1], (3, 1), [0.75, 0.25], ["0.75", "1/4"], [Fraction(3), 1], [exp(0, times=3), 1]],
    ids=str,
)
def test_weights_may_be_plain_numbers(weights):
    law = ExactSource().law(lambda source: source.choose(weights)).outcomes
    assert {key: float(chance) for key, chance in law.items()} == {0: 0.75, 1: 0.25}
    assert SeededSource(3).choose(weights) in (0, 1)
    assert ReplaySource([1]).choose(weights) == 1
    result = verify_mechanism(lambda b, s: own_response(b, s, weights), PAIRS, epsilon=LN3)
    assert result.holds
    assert abs(result.tightest_epsilon - math.log(3)) < 1e-12


def test_a_float_is_the_decimal_that_it_is_written_as():
    assert as_weights([0.1, 0.2]).weights == (Fraction(1, 10), Fraction(1, 5))


@pytest.mark.parametrize("weights", [[], [0, 0], [1, -1], [1, math.inf], [1, None], [1, "a"]])
def test_weights_that_are_none_are_refused_without_being_shown(weights):
    for source in (SeededSource(0), ReplaySource([0])):
        with pytest.raises(ParameterError, match="numbers in") as refused:
            source.choose(weights)
        assert "-1" not in str(refused.value)


@pytest.mark.parametrize(
    "wrap",
    [
        list,
        np.array,
        lambda bits: {"bits": list(bits)},
        lambda bits: ({bits[0]}, [np.array([bits[1:]])]),
        lambda bits: [math.nan, *bits],
    ],
)
def test_outputs_of_any_kind_are_compared(wrap):
    for run, holds in ((own_response, True), (forgetful, False)):
        result = verify_mechanism(
            lambda bits, source, run=run: wrap(run(bits, source)), PAIRS, epsilon=LN3
        )
        assert result.holds is holds
        assert result.paths == (16 if holds else 8)


def test_data_sets_may_be_lists_and_arrays():
    for kind in (list, np.array, lambda bits: {"bits": bits}):
        pairs = [(kind(one), kind(other)) for one, other in PAIRS]
        read = (lambda data: data["bits"]) if isinstance(pairs[0][0], dict) else list
        result = verify_mechanism(lambda d, s, f=read: own_response(f(d), s), pairs, epsilon=LN3)
        assert (result.holds, result.datasets, result.pairs) == (True, 4, 8)


def test_outputs_that_look_different_are_different():
    looks = [1, "1", [1], (1,), (1, 2), [1, 2], [2, 1], {1}, {1: 2}, {"a": 1, "b": 2},
             {"b": 2, "a": 1}, np.array(1), np.array([1]), np.array([[1]]), np.array([1.0]),
             np.array([1], dtype=np.int8), [[1], 2], [1, [2]], None]  # fmt: skip
    assert len({observed(look) for look in looks}) == len(looks)
    long = np.zeros(3000)
    other = long.copy()
    other[1500] = 1
    assert repr(long) == repr(other)
    assert observed(long) != observed(other)


def test_outputs_that_cannot_be_compared_are_refused_with_advice():
    class Odd:
        __hash__ = None

    for output in (Odd(), [Odd()], bytearray(b"a")):
        with pytest.raises(ParameterError, match="Return what can be observed"):
            verify_mechanism(lambda bits, source, o=output: o, PAIRS, epsilon=1)


@pytest.mark.parametrize("run", [lambda b, s: b.sum(), lambda b, s: b + 1], ids=["attr", "type"])
def test_a_mechanism_that_cannot_read_tuples_is_told_that_it_gets_them(run):
    with pytest.raises(ParameterError, match="passed as tuples of records") as caught:
        verify_mechanism(run, PAIRS, epsilon=1)
    assert isinstance(caught.value.__cause__, AttributeError | TypeError)
    assert str(caught.value.__cause__) in str(caught.value)
    with pytest.raises(type(caught.value.__cause__)):  # other data sets are the caller's own
        verify_mechanism(run, [(["a"], ["b"])], epsilon=1)
    with pytest.raises(ZeroDivisionError):
        verify_mechanism(lambda b, s: 1 // 0, PAIRS, epsilon=1)


def test_the_decorator_makes_tests():
    @verified(PAIRS, epsilon=LN3)
    def test_right(bits, source):
        """The right one."""
        return list(own_response(bits, source))

    @verified(iter(PAIRS), epsilon=LN3, delta="1/100")
    def test_wrong(bits, source):
        return list(forgetful(bits, source))

    assert (test_right.__name__, test_right.__doc__) == ("test_right", "The right one.")
    assert not inspect.signature(test_right).parameters  # pytest would ask for fixtures
    assert test_right() is None
    for _ in range(2):  # also with pairs that are an iterator
        with pytest.raises(AssertionError, match=r"FAILS.*worst pair"):
            test_wrong()


def test_a_result_in_words():
    said = str(verify_mechanism(forgetful, PAIRS, epsilon=1))
    assert said.startswith(
        "FAILS: 4 data sets, 8 neighbour pairs, 8 sequences of draws; claim: epsilon 1, delta 0"
    )
    assert "worst pair ((0, 0), (0, 1))" in said


# --- by sampling --------------------------------------------------------------------------------


@pytest.mark.first(1)
@pytest.mark.parametrize("shape", [(3,), (1, 3)])
def test_arrays_of_numbers_are_told_apart_by_an_entry(shape):
    """Laplace noise of scale 1/2 on three sums of which one moves by 1: epsilon is 2."""
    rng = np.random.default_rng(7)

    def noisy(sums):
        return (np.array(sums) + rng.laplace(scale=0.5, size=3)).reshape(shape)

    bound = lower_bound(noisy, [0, 5, 0], [0, 6, 0], delta=0, trials=4000)
    assert 1.2 < bound <= 2
    assert bound.event.startswith("output[1] in")


def test_arrays_of_a_few_values_are_compared_as_they_are():
    rng = np.random.default_rng(7)

    def noisy(bits):
        return np.array(bits) ^ (rng.random(2) < 0.25)

    bound = lower_bound(noisy, [0, 0], [0, 1], delta=0, trials=4000)
    assert 0.8 < bound <= math.log(3)
    assert bound.event.startswith("output in {(")


# -- Mechanisms in another interpreter: plain values, exceptions, a time limit ---------------------

SCRIPT = """
import random, sys, time
print("libraries may print while they are loaded")
def response(bit):
    print("and while they run")
    return bit ^ (random.random() < 0.25)
def echo(value):
    return value
def arguments(_):
    return sys.argv[1:]
def refuse(_):
    raise ValueError("odd")
def panic(_):
    raise BaseException("panic")
def sleep(_):
    time.sleep(60)
def die(_):
    print("last words", file=sys.stderr, flush=True)
    import os
    os._exit(3)
"""


sys.path.append(str(Path(__file__).parents[2] / "examples" / "field_audit"))
Worker = importlib.import_module("worker").Worker


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "box.py"
    path.write_text(SCRIPT)
    return path


@pytest.fixture
def worker(script):
    with Worker(sys.executable, script, "one", seconds=30) as started:
        yield started


def test_values_come_back(worker):
    echo = worker.mechanism("echo")
    for value in (None, True, 2**80, -0.0, 0.1, "text", b"\x00\xff", (1, (2.5, None)), {1: (2,)}):
        assert repr(echo(value)) == repr(value)
    assert repr(echo(float("nan"))) == "nan"
    assert echo([1, [2]]) == (1, (2,))
    assert worker.mechanism("arguments")(0) == ("one",)
    assert list(worker.call("echo", 3, times=4)) == [3] * 4


def test_exceptions_are_outputs(worker):
    assert worker.mechanism("refuse")(0) == Raised("ValueError", "odd")
    assert worker.mechanism("panic")(0) == Raised("BaseException", "panic")
    assert worker.mechanism("echo")(1) == 1  # it goes on


def test_versions_are_noted(worker):
    assert worker.versions["numpy"].count(".") >= 1


def test_a_run_that_takes_too_long_ends_the_worker(script):
    worker = Worker(sys.executable, script, seconds=5)
    worker._seconds = 0.2
    with pytest.raises(StateError, match=r"did not answer in 0\.2 seconds"):
        worker.mechanism("sleep")(0)
    with pytest.raises(StateError, match="closed"):
        worker.mechanism("echo")(0)


def test_a_worker_that_dies_says_its_last_words(worker):
    with pytest.raises(StateError, match="last words"):
        worker.mechanism("die")(0)


def test_a_script_that_cannot_be_loaded(tmp_path):
    path = tmp_path / "broken.py"
    path.write_text("import nowhere_to_be_found")
    with pytest.raises(StateError, match="nowhere_to_be_found"):
        Worker(sys.executable, path)


def test_a_black_box_is_audited(worker):
    bound = lower_bound(worker.mechanism("response"), 0, 1, delta=0, trials=8_000)
    assert 0.8 <= bound <= 1.0987  # ln 3
    assert lower_bound(worker.mechanism("refuse"), 0, 1, delta=0, trials=80) == 0


def test_local_and_remote_runs_see_the_same_exceptions():
    def odd(bit):
        if bit and random.random() < 0.5:
            raise KeyError("odd")
        return 0

    bound = lower_bound(odd, 1, 0, delta=0, trials=400)
    assert bound > 2
    assert "KeyError" in bound.event
