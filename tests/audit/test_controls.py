"""Bugs that are put in on purpose: all of them can be put in, and those that are tried are caught.

All of them: ``littlestone audit controls``, or ``pytest -m full tests/audit/test_controls.py``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import littlestone
from littlestone.audit.controls import ANY, CONTROLS, Control, try_controls
from littlestone.audit.controls.by_a_second_stranger import BY_A_SECOND_STRANGER
from littlestone.audit.controls.by_a_stranger import BY_A_STRANGER
from littlestone.audit.controls.catchers import BATTERY, CATCHERS
from littlestone.audit.controls.injection import try_change
from littlestone.audit.table import CASES

HOME = Path(littlestone.__file__).parent


def test_there_are_enough_bugs_of_enough_kinds():
    assert len({control.name for control in CONTROLS}) == len(CONTROLS) >= 40
    assert len({control.cause for control in CONTROLS}) >= 25
    assert all(control.story and control.cause for control in CONTROLS)


@pytest.mark.parametrize("control", CONTROLS, ids=lambda control: control.name)
def test_every_bug_can_be_put_in(control):
    path = HOME.joinpath(*control.module.split(".")).with_suffix(".py")
    text = path.read_text(encoding="utf-8")
    assert text.count(control.old) == 1
    compile(text.replace(control.old, control.new), str(path), "exec")
    assert set(control.catchers) <= {*CATCHERS, ANY}


def test_nobody_tells_who_notices_the_bugs_of_strangers():
    theirs = (*BY_A_STRANGER, *BY_A_SECOND_STRANGER)
    assert {control.catchers for control in theirs} == {(ANY,)}


#: One of each room, with quick catchers.
SAMPLE = (
    "half the noise of a selection",
    "prints what it sees",
    "uniform by remainder",
    "amplified twice",
    "one stream of numbers cuts all users",
    "a ledger that forgets",
    "look first, and then write",
)


def test_a_sample_of_bugs_is_caught():
    """And their catchers say nothing about the library as it is."""
    score = try_controls([control for control in CONTROLS if control.name in SAMPLE])
    assert score.total == len(SAMPLE)
    assert score.holds, score.to_dict()
    assert score.to_dict()["caught"] == score.caught == len(SAMPLE)


def test_what_is_no_bug_is_not_caught():
    """Another name for a variable; a line that is not there; a module that cannot be imported."""
    module, old = "littlestone.mechanisms.select", "return exact / (step if monotone else 2 * step)"
    verdict, _, _ = try_change(module, old, old.replace("2 * step", "step * 2"), "uniform integers")
    assert verdict == "holds"
    assert try_change(module, "no such line", "", "uniform integers")[0] == "broken"
    assert try_change(module, old, "return (", "uniform integers")[0] == "broken"


def test_a_score_that_is_not_full():
    harmless = Control(
        "nothing", "none", "Changes nothing.", "mechanisms.select", "exact / (", "exact / +(",
        "uniform integers",
    )  # fmt: skip
    score = try_controls([harmless], check_clean=False)
    assert (score.caught, score.total, score.holds) == (0, 1, False)


def test_a_catcher_that_is_not_content_is_named(monkeypatch):
    def answers(jobs, *, workers):
        for number, (_, _, _, *names) in enumerate(jobs):
            yield number, ("caught", "b", "something") if "b" in names else ("holds", "", "")

    monkeypatch.setattr("littlestone.audit.controls.score.try_changes", answers)
    control = Control("a bug", "none", "A story.", "module", "old", "new", ("a", "b", "c"))
    score = try_controls([control])
    assert score.clean == {"a": "holds", "b": "caught: something", "c": "holds"}
    assert score.caught == 1
    assert not score.holds


@pytest.mark.parametrize("name", sorted(set(BATTERY) - {case.name for case in CASES}))
def test_catchers_are_content(name):
    assert CATCHERS[name]() is None


@pytest.mark.full
def test_every_bug_is_caught():
    score = try_controls(CONTROLS)
    assert [tried.control.name for tried in score.tried if tried.verdict != "caught"] == []
    assert {name: said for name, said in score.clean.items() if said != "holds"} == {}
