"""Mechanisms in another interpreter: plain values, exceptions, a time limit."""

import random
import sys

import pytest

from littlestone.audit import Worker, lower_bound
from littlestone.audit.answer import Raised
from littlestone.errors import ParameterError, StateError

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


def test_one_process_answers_one_at_a_time(worker):
    with pytest.raises(ParameterError, match="Worker"):
        lower_bound(worker.mechanism("echo"), 0, 1, delta=0, trials=80, workers=2)


def test_local_and_remote_runs_see_the_same_exceptions():
    def odd(bit):
        if bit and random.random() < 0.5:
            raise KeyError("odd")
        return 0

    bound = lower_bound(odd, 1, 0, delta=0, trials=400)
    assert bound > 2
    assert "KeyError" in bound.event
