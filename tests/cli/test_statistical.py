"""``littlestone audit statistical``, as a user would call it."""

import math

import pytest

from littlestone.source import Explicit


@pytest.mark.more
def test_a_learner_of_a_huge_class_keeps_its_claim(run):
    line = "audit statistical --class thresholds(1,2**40) --learner generic --epsilon 1"
    found = run(f"{line} --points 1,2**20 --n 1 --trials 200 --json")
    assert found.code == 0
    assert found.json["learner"] == "generic"
    assert 0 <= found.json["lower_bound"] <= found.json["epsilon"] == 1
    assert not found.json["refuted"]
    assert found.err == ""
    table = run(f"{line} --points 1,2**20 --n 1 --trials 50 --workers 2")
    assert table.code == 0
    assert f"1048576:0 │ {2**20}:1" in table.out or f"1048576:1 │ {2**20}:0" in table.out
    assert "not refuted: generic on thresholds(1, 1099511627776) claims epsilon 1" in table.out


def test_a_learner_with_delta(run):
    line = "audit statistical --class sparse_sets(2) --learner littlestone --epsilon 1 --delta 1e-3"
    found = run(f"{line} --points rain,sun --n 1 --trials 50 --json")
    assert (found.code, found.json["delta"], found.json["refuted"]) == (0, 0.001, False)


@pytest.mark.more
def test_a_learner_that_breaks_its_claim_is_refuted(run, monkeypatch):
    draw = Explicit.draw
    monkeypatch.setattr(Explicit, "draw", lambda self, rate, source: draw(self, 9 * rate, source))
    line = "audit statistical --class finite(m.csv) --learner generic --epsilon 1/2"
    with open("m.csv", "w") as file:
        file.write("0\n1\n")
    found = run(f"{line} --points 0 --n 1 --trials 600 --json")
    assert found.code == 1
    assert found.json["refuted"]
    assert 0.5 < found.json["lower_bound"] <= 9 / 2
    assert math.isclose(found.json["epsilon"], 0.5)
    told = run(f"{line} --points 0 --n 1 --trials 600")
    assert told.code == 1
    assert "REFUTED: generic on finite" in told.out


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("--points 0,100", "points of thresholds(1, 99)"),
        ("--points 2**2**64", "points of thresholds(1, 99)"),
        ("--points 1 --trials 0", "trials"),
        ("--points 1 --trials 7 --n 0", "'--n'"),
        ("--points 1 --workers 0", "workers"),
        ("--points 1 --confidence 2", "confidence"),
        ("--points 1 --learner users", "protects users"),
    ],
)
def test_what_is_refused(run, wrong, said):
    line = "audit statistical --class thresholds(1,99) --epsilon 1"
    learner = "" if "--learner" in wrong else "--learner generic"
    done = run(f"{line} {learner} {wrong}")
    assert done.code == 2
    assert said in done.err
    assert done.out == ""
