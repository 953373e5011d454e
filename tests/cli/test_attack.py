"""``littlestone audit attack``, as a user would call it."""

import pytest

MINE = """\
from littlestone.classes import ThresholdHypothesis

def smallest_positive(sample):
    return ThresholdHypothesis(int(sample.points[sample.ones > 0].min()) - 1, 1, 2**20)

def constant(sample):
    return ThresholdHypothesis(5, 1, 2**20)

number = 5
"""
BASE = "audit attack --class thresholds(1,2**20) --epsilon 1"
LINE = f"{BASE} --places 24 --subsets 4"


@pytest.fixture
def mine(folder):
    (folder / "mine.py").write_text(MINE)


@pytest.mark.usefixtures("mine")
def test_a_function_that_shows_a_record_is_refuted(run):
    done = run(f"{LINE} --learner mine.py:smallest_positive --runs 1 --trials 300 --json")
    assert done.code == 1
    assert done.json["refuted"]
    assert done.json["found"] == done.json["trials"] == 300
    assert 1 < done.json["epsilon"] <= 2.5  # ln of the number of places, less what is unsure
    told = run(f"{LINE} --learner mine.py:smallest_positive --runs 1 --trials 300")
    assert told.code == 1
    assert "REFUTED: mine.py:smallest_positive on thresholds(1, 1048576)" in told.out
    loose = run(f"{LINE} --learner mine.py:smallest_positive --runs 1 --trials 300 --delta 0.99")
    assert loose.code == 0  # a delta that allows nearly everything is not refuted by this


@pytest.mark.usefixtures("mine")
def test_what_shows_nothing_is_not_refuted(run):
    done = run(f"{LINE} --learner mine.py:constant --runs 1 --trials 300 --json")
    assert (done.code, done.json["refuted"], done.json["epsilon"]) == (0, False, 0)


def test_a_private_learner_is_not_refuted(run):
    done = run(f"{LINE} --learner generic --runs 10 --trials 100")
    assert done.code == 0
    assert "not refuted: generic on thresholds(1, 1048576) claims epsilon 1" in done.out


@pytest.mark.usefixtures("mine")
@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("--learner generic --n 3", "must be even"),
        ("--learner generic --places 4", "integer >= 5"),
        ("--learner users", "protects users"),
        ("--learner generic --delta 1e-6", "purely epsilon-private"),
        ("--learner mine.py:number", "the name of a function"),
        ("--learner none.py:rule", "a file that can be read"),
    ],
)
def test_what_is_refused(run, wrong, said):
    done = run(f"{BASE} {wrong}")
    assert done.code == 2
    assert said in done.err
    assert done.out == ""


def test_only_thresholds_are_attacked(run):
    done = run("audit attack --class points(1,99) --learner generic --epsilon 1")
    assert done.code == 2
    assert "must be thresholds" in done.err
