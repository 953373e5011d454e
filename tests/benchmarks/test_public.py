"""Failures of learners at public points, on the laws of the benchmark: no more than certified."""

import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

from littlestone.bounds.tails import clopper_pearson

FILE = Path(__file__).parents[2] / "benchmarks" / "public.py"
with pytest.MonkeyPatch.context() as patched:
    patched.syspath_prepend(FILE.parent)
    PUBLIC = SimpleNamespace(**runpy.run_path(str(FILE)))


@pytest.mark.first(1)
@pytest.mark.parametrize("agnostic", [True, False])
@pytest.mark.parametrize(
    "case", sorted(PUBLIC.CASES, key=lambda c: c.name == "intervals"), ids=lambda c: c.name
)
def test_one_release(case, agnostic):
    n = PUBLIC.certified(case, "1/10", agnostic=agnostic)
    assert PUBLIC.failures(case, n, 1, "1/10", agnostic=agnostic) == 0


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            case,
            id=case.name,
            marks=pytest.mark.full if case.name.startswith("rules") else pytest.mark.more,
        )
        for case in PUBLIC.CASES
    ],
)
def test_failures_at_the_certified_number_and_at_an_eighth(case):
    n = PUBLIC.certified(case, "1/10", agnostic=True)
    bad = PUBLIC.failures(case, n, 80, "1/10", agnostic=True)
    assert clopper_pearson(bad, 80)[1] < 0.05
    assert PUBLIC.failures(case, n // 8, 40, "1/10", agnostic=True) > 0
