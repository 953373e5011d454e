"""The table of membership attacks: limits of the theorem, which no attack on ours exceeds."""

import csv
import math
from pathlib import Path

import pytest

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
