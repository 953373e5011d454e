"""Every broken variant is noticed by its detectors, and the library as it is by none.

``pytest -m mutants`` tries all, ``pytest -m more`` whether each can be planted. Counted by root
cause: ``docs/appendix/mutants.csv``.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from pathlib import Path

import pytest

from littlestone.mechanisms import select

from .detectors import DETECTORS, OWN
from .mutant import MUTANTS, Mutant, NoTarget, patched, planted
from .runner import try_all
from .tried import TESTS, placed

TABLE = Path(__file__).parents[2] / "docs" / "appendix" / "mutants.csv"


@pytest.mark.mutants
def test_every_mutant_is_caught():
    jobs = [(mutant.name, *mutant.detectors) for mutant in MUTANTS.values()]
    answers = try_all(jobs, workers=2)
    assert [(jobs[number], *answer) for number, answer in answers if answer[0] != "caught"] == []


@pytest.mark.mutants
@pytest.mark.parametrize("name", sorted(OWN))
def test_detectors_hold_without_a_mutant(name):
    assert DETECTORS[name]() is None


@pytest.mark.more
def test_every_target_exists():
    """All mutants can be planted, and leave nothing behind."""
    before = [(caller, name, found) for caller in owners() for name, found in vars(caller).items()]
    for mutant in MUTANTS.values():
        with planted(mutant):
            pass
    assert [
        (caller, name) for caller, name, found in before if vars(caller)[name] is not found
    ] == []


def owners():
    """Return the modules of the library, and their classes."""
    modules = [m for name, m in sys.modules.items() if name.partition(".")[0] == "littlestone"]
    return modules + [x for m in modules for x in vars(m).values() if isinstance(x, type)]


def test_mutants_name_detectors():
    for mutant in MUTANTS.values():
        assert mutant.detectors, mutant.name
        for detector in set(mutant.detectors) - DETECTORS.keys():
            path, _, test = placed(detector).partition("::")
            text = (TESTS / path).read_text(encoding="utf-8")
            assert f"def {test.partition('[')[0]}(" in text, (mutant.name, detector)


def test_the_page_counts_root_causes():
    """None is lost unnoticed: the page has the number of each."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = {row["root cause"]: int(row["caught"]) for row in csv.DictReader(file)}
    assert rows == Counter(mutant.cause for mutant in MUTANTS.values())


def test_one_mutant_is_planted_and_removed():
    intact = select.selection_rate(1)
    with planted(MUTANTS["half the noise of a selection"]):
        assert select.selection_rate(1) == 2 * intact
    assert select.selection_rate(1) == intact


@pytest.mark.parametrize(
    "target", ["mechanisms.select:nothing", "mechanisms.geometric:no.such", "no.module:here"]
)
def test_a_target_that_does_not_exist_is_an_error(target):
    with pytest.raises(NoTarget, match=target), patched(target, lambda *_: 0):
        pass


def test_what_is_no_bug_is_not_caught():
    """A change without consequences holds; one that cannot be planted, or raises, is broken."""
    target = "mechanisms.select:selection_rate"
    for name, place, broken in (
        ("harmless", target, lambda original, *given, **rest: original(*given, **rest)),
        ("no target", "mechanisms.select:nothing", lambda original: original),
        ("raises", target, lambda original, *given, **rest: 1 / 0),
    ):
        MUTANTS[name] = Mutant(name, "none", "Nothing.", (place,), broken, ())
    try:
        from . import runner

        package = sys.modules[__package__]
        answers = [
            runner._answer(package, name, "repeated votes", "exponential_mechanism")[0]
            for name in ("harmless", "no target", "raises")
        ]
    finally:
        for name in ("harmless", "no target", "raises"):
            del MUTANTS[name]
    assert answers == ["holds", "broken", "broken"]
