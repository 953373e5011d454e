"""The table of exact verifications: complete, true, and about something."""

from __future__ import annotations

import inspect

import pytest

from littlestone import mechanisms
from littlestone.audit.table import CASES, LEARNERS, MECHANISMS
from littlestone.cli.summary import plain
from littlestone.learners import registry
from littlestone.report import page

SMALL = [case for case in CASES if not case.full]
LONG = [case for case in CASES if case.full]


def test_every_learner_has_a_case():
    verified = {case.name.split(" on ")[0] for case in LEARNERS if not case.full}
    assert {*registry.LEARNERS, "online"} <= verified


def test_every_public_mechanism_has_a_case():
    """A mechanism is what draws from a source, or starts something that does."""
    drawing = {
        name
        for name in mechanisms.__all__
        if callable(thing := getattr(mechanisms, name))
        and {"source", "random_state"} & set(inspect.signature(thing).parameters)
        and not inspect.isclass(thing)
    } | {"AboveThreshold"}
    assert len(drawing) == 8
    verified = {case.name.split(",")[0].split(" over ")[0] for case in MECHANISMS if not case.full}
    assert drawing <= verified


def test_names_are_different():
    assert len({case.name for case in CASES}) == len(CASES)


def check(case, observers=()):
    row = case.row(observers)
    assert row.result.holds, row
    assert row.says_something, row
    assert row.to_dict()["holds"] is True


@pytest.mark.parametrize("case", SMALL, ids=lambda case: case.name)
def test_small_cases_hold(case):
    check(case)


@pytest.mark.full
@pytest.mark.parametrize("case", LONG, ids=lambda case: case.name)
def test_long_cases_hold(case):
    check(case)


@pytest.mark.full
@pytest.mark.parametrize("case", SMALL, ids=lambda case: case.name)
def test_small_cases_hold_with_their_pages(case):
    check(case, [page, plain])
