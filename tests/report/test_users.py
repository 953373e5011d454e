"""The picture of user-level errors: of a public simulation, the same each time."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

import littlestone as ls
from littlestone.errors import ParameterError
from littlestone.learners.users.binomials import tail
from littlestone.learners.users.simulation import simulate_thresholds


def test_the_picture():
    curve = simulate_thresholds(n_users=300)
    svg = ls.plot(curve)
    assert svg == ls.plot(simulate_thresholds(n_users=300))
    root = ET.fromstring(svg)
    lines = root.findall(".//{*}polyline")
    assert len(lines) == 2
    assert "more than 15 mistakes" in "".join(root.itertext())


def test_the_curves_are_what_theory_says():
    curve = simulate_thresholds(n_users=3000, samples_per_user=16)
    u = np.array(curve.thresholds)
    error = 0.2 + 0.6 * np.abs(u - curve.above) / 1000
    assert np.abs(np.array(curve.errors) - error).max() < 0.01
    assert np.abs(np.array(curve.shares) - tail(16, error, curve.t)).max() < 0.05


@pytest.mark.parametrize("wrong", [{"n_users": 0}, {"samples_per_user": 1.5}, {"noise": 1}])
def test_bad_parameters(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        simulate_thresholds(**wrong)
