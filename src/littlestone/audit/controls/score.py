"""Try controls, and count who was caught."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from littlestone.audit.controls.control import ANY, Control
from littlestone.audit.controls.injection import Answer, Verdict, try_changes

__all__ = ["Score", "Tried", "try_controls"]


@dataclass(frozen=True)
class Tried:
    """What became of one control.

    Attributes
    ----------
    control : Control
    verdict : {"holds", "caught", "broken"}
        "holds": the bug went unnoticed. "broken": the control itself does not work (any more).
    who : str
        The catcher that noticed.
    why : str
        What it saw.
    """

    control: Control
    verdict: Verdict
    who: str
    why: str

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON."""
        about = self.control
        return {
            "name": about.name,
            "cause": about.cause,
            "module": f"littlestone.{about.module}",
            "catcher": self.who,
            "verdict": self.verdict,
            "why": self.why,
        }


@dataclass(frozen=True)
class Score:
    """How many controls were caught, and whether their catchers pass without the bugs.

    Attributes
    ----------
    tried : tuple of Tried
    clean : dict of str to str
        Each catcher on the library as it is: "holds", or what is wrong.
    """

    tried: tuple[Tried, ...]
    clean: dict[str, str]

    @property
    def caught(self) -> int:
        """Number of controls that were caught."""
        return sum(each.verdict == "caught" for each in self.tried)

    @property
    def total(self) -> int:
        """Number of controls."""
        return len(self.tried)

    @property
    def holds(self) -> bool:
        """Whether every bug was caught, and nothing else."""
        return self.caught == self.total and all(v == "holds" for v in self.clean.values())

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON."""
        return {
            "caught": self.caught,
            "total": self.total,
            "causes": len({each.control.cause for each in self.tried}),
            "clean": self.clean,
            "controls": [each.to_dict() for each in self.tried],
        }


def try_controls(
    controls: Iterable[Control],
    *,
    workers: int = 2,
    check_clean: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> Score:
    """Put each bug in, one process each, and run its catcher; run each catcher without a bug too.

    Parameters
    ----------
    controls : iterable of Control
    workers : int, default 2
        Processes at a time.
    check_clean : bool, default True
        Also run every catcher that is named on the library as it is.
    progress : callable, optional
        Called with (done, in all).

    Returns
    -------
    Score
    """
    controls = list(controls)
    used = dict.fromkeys(name for control in controls for name in control.catchers if name != ANY)
    jobs = [(f"littlestone.{c.module}", c.old, c.new, *c.catchers) for c in controls]
    clean_jobs = [("littlestone", "", "", name) for name in used] if check_clean else []
    jobs += clean_jobs
    found: dict[int, Answer] = {}
    for number, answer in try_changes(jobs, workers=workers):
        found[number] = answer
        if progress is not None:
            progress(len(found), len(jobs))
    answers = [found[number] for number in range(len(jobs))]
    tried = tuple(
        Tried(control, *answer) for control, answer in zip(controls, answers, strict=False)
    )
    clean = {
        job[3]: verdict if verdict == "holds" else f"{verdict}: {why}"
        for job, (verdict, _, why) in zip(clean_jobs, answers[len(controls) :], strict=True)
    }
    return Score(tried, clean)
