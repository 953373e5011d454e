"""Votes of teachers, stage by stage: of a simulation on made records, never of private ones."""

from __future__ import annotations

from littlestone.learners.littlestone.simulation import Simulation
from littlestone.report.pictures import Setting, drawer
from littlestone.report.strips import MARGIN
from littlestone.report.words import integer
from littlestone.svg import Element, clip, picture

__all__ = ["votes_picture"]

_WIDTH = 640.0
_BAR = 200.0
_LINE = 24.0
_TEXT = _WIDTH - 2 * MARGIN - _BAR - 48


@drawer(Simulation)
def _simulation(shown: Simulation, setting: Setting) -> str:
    return votes_picture(shown)


def votes_picture(shown: Simulation) -> str:
    """Draw the votes for the best hypotheses of each stage, and mark the one that was drawn.

    Parameters
    ----------
    shown : Simulation

    Returns
    -------
    str
        SVG.
    """
    body = Element("g")
    y = 20.0
    records = "one record each" if shown.chunk == 1 else f"{integer(shown.chunk)} records each"
    body.add("text", f"{integer(shown.teachers)} teachers, {records}", x=MARGIN, y=y,
             class_="ls-strong")  # fmt: skip
    for line in (f"Simulation: {shown.words}",):
        y += 20
        body.add("text", clip(line, _WIDTH - 2 * MARGIN, 12), x=MARGIN, y=y,
                 class_="ls-dim ls-small")  # fmt: skip
    at = MARGIN + _BAR * (shown.threshold or 0) / shown.teachers
    for number, stage in enumerate(shown.stages, 1):
        y += 30
        errors = "no error" if not stage.tolerance else f"at most {integer(stage.tolerance)} errors"
        name = f"Stage {number}: lists of hypotheses with {errors}"
        body.add("text", name, x=MARGIN, y=y, class_="ls-strong ls-dim")
        top = y + 8
        for hypothesis, votes in stage.votes:
            y += _LINE
            chosen = hypothesis == shown.chosen
            body.add(
                "rect", x=MARGIN, y=y - 14, width=max(_BAR * votes / shown.teachers, 1), height=18,
                rx=3, class_="ls-one" if chosen else "ls-zero",
            )  # fmt: skip
            body.add("text", integer(votes), x=MARGIN + _BAR + 8, y=y, class_="ls-small")
            words = clip(hypothesis.describe(), _TEXT, 14)
            style = {"class_": "ls-strong"} if chosen else {}
            body.add("text", words, x=MARGIN + _BAR + 48, y=y, **style)
        if stage.others:
            y += _LINE
            more = f"and {integer(stage.others)} more"
            body.add("text", more, x=MARGIN + _BAR + 48, y=y, class_="ls-dim ls-small")
        if not stage.votes:
            y += _LINE
            body.add("text", "all lists are empty", x=MARGIN, y=y, class_="ls-dim")
        if shown.threshold is not None and stage.votes:
            body.add("path", d=f"M{at:.1f} {top:.1f}V{y + 8:.1f}", class_="ls-axis")
    y += 34
    body.add("text", clip(f"Drawn: {shown.chosen.describe()}", _WIDTH - 2 * MARGIN, 14 * 1.12),
             x=MARGIN, y=y, class_="ls-strong")  # fmt: skip
    y += 20
    note = "votes are secret: this is made data"
    if shown.threshold is not None:
        note = f"line: the test asks for {integer(shown.threshold)} votes, noisily; {note}"
    body.add("text", note, x=MARGIN, y=y, class_="ls-dim ls-small")
    desc = f"Votes of {shown.teachers} teachers on made records. Drawn: {shown.chosen.describe()}"
    return picture(body, width=_WIDTH, height=y + 14, title="Teachers' votes", desc=desc)
