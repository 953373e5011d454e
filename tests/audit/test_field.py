"""Statistics of outputs, rho, early stops and tables of audits: mechanisms with known laws."""

import csv
import importlib.util
import json
import math
import random
from pathlib import Path

import numpy as np
import pytest

from littlestone.audit import Family, LowerBound, lower_bound
from littlestone.audit.answer import Raised
from littlestone.audit.statistical import at_least, battery, hashable
from littlestone.errors import ParameterError, StateError


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


def test_an_audit_stops_when_the_claim_is_refuted():
    bound = lower_bound(response, 0, 1, delta=0, trials=80_000, stop_above=0.5)
    assert 0.5 < bound <= 1.0987
    assert bound.trials == 20_000 + 60_000 // 8
    whole = lower_bound(response, 0, 1, delta=0, trials=8_000, stop_above=1.0987)
    assert whole <= 1.0987
    assert whole.trials == 8_000


@pytest.mark.more
def test_looks_keep_the_confidence():
    # at half the confidence, a bound that ignores that it looks four times is wrong too often
    wrong = sum(
        lower_bound(
            response, 0, 1, delta=0, trials=240, confidence=0.5, stop_above=math.log(3)
        ) > math.log(3)
        for _ in range(200)
    )  # fmt: skip
    assert wrong <= 100


def bound(value, confidence=0.9999):
    return LowerBound(
        value, delta=0.0, confidence=confidence, trials=8, event="", hits=(1, 0), measured=6,
        swapped=False, measure="epsilon",
    )  # fmt: skip


def test_a_table_shares_the_risk_and_needs_controls():
    family = Family(at_most=100, confidence=0.99)
    assert family.each == pytest.approx(0.9999)
    with pytest.raises(ParameterError, match="confidence"):
        family.add("too sure", bound(2, 0.99), claim=1, control=False)
    family.add("broken", bound(2), claim=1, control=False)
    with pytest.raises(StateError, match="without controls"):
        family.judge()
    family.add("right", bound(0.5), claim=1, control=True)
    assert family.judge() == ([], [])
    family.add("not reached", bound(0.5), claim=1, control=False)
    family.add("alarm", bound(1.5), claim=1, control=True)
    alarms, missed = family.judge()
    assert [row.name for row in alarms] == ["alarm"]
    assert [row.name for row in missed] == ["not reached"]


def test_a_table_does_not_grow_past_its_risk():
    family = Family(at_most=1)
    family.add("one", bound(1), claim=1, control=True)
    with pytest.raises(ParameterError, match="at_most"):
        family.add("two", bound(1), claim=1, control=True)


# -- the published table of audits of other libraries: what it claims of itself --------------------


FOLDER = Path(__file__).parents[2] / "examples" / "field_audit"
ROWS = json.loads((FOLDER / "results.json").read_text())


@pytest.fixture(scope="module")
def program():
    spec = importlib.util.spec_from_file_location("field_audit_run", FOLDER / "run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_claims_are_refuted_and_no_control_is(program):
    family = program.family(ROWS)
    assert family.judge() == ([], [])
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
