"""Mechanisms of one's own: plain weights, outputs and data sets of any kind, tests by decorator."""

from __future__ import annotations

import inspect
import math
from fractions import Fraction

import numpy as np
import pytest

from littlestone.audit import lower_bound, replace_one, verified, verify_mechanism
from littlestone.audit.mechanism import observed
from littlestone.errors import ParameterError
from littlestone.source import ExactSource, ReplaySource, SeededSource, as_weights, exp

PAIRS = list(replace_one([0, 1], 2))
LN3 = Fraction("1.0987")  # a little more than ln 3 = 1.09861...


def response(bits, source, weights=(3, 1)):
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
    result = verify_mechanism(lambda b, s: response(b, s, weights), PAIRS, epsilon=LN3)
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
    for run, holds in ((response, True), (forgetful, False)):
        result = verify_mechanism(
            lambda bits, source, run=run: wrap(run(bits, source)), PAIRS, epsilon=LN3
        )
        assert result.holds is holds
        assert result.paths == (16 if holds else 8)


def test_data_sets_may_be_lists_and_arrays():
    for kind in (list, np.array, lambda bits: {"bits": bits}):
        pairs = [(kind(one), kind(other)) for one, other in PAIRS]
        read = (lambda data: data["bits"]) if isinstance(pairs[0][0], dict) else list
        result = verify_mechanism(lambda d, s, f=read: response(f(d), s), pairs, epsilon=LN3)
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
        return list(response(bits, source))

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
    assert said.startswith("FAILS: 4 data sets, 8 neighbour pairs, 8 paths; claim (1, 0)")
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


@pytest.mark.more
def test_arrays_of_numbers_are_told_apart_by_their_sum():
    """Each of ten entries moves by 1/10: only together they tell."""
    rng = np.random.default_rng(7)

    def noisy(shift):
        return rng.normal(size=10) + shift

    bound = lower_bound(noisy, 0.0, 1.0, delta=0, trials=4000)
    assert bound > 3  # one entry alone: below 1
    assert "sum" in bound.event.partition(" in ")[0]


def test_arrays_of_a_few_values_are_compared_as_they_are():
    rng = np.random.default_rng(7)

    def noisy(bits):
        return np.array(bits) ^ (rng.random(2) < 0.25)

    bound = lower_bound(noisy, [0, 0], [0, 1], delta=0, trials=4000)
    assert 0.8 < bound <= math.log(3)
    assert bound.event.startswith("output in {(")
