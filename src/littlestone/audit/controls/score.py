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

    Without a bug, as many processes as there are workers share the catchers; where one is not
    content, those of its process are run again, one process each.

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
    shares = _shares(list(used), workers) if check_clean else []
    jobs = [(f"littlestone.{c.module}", c.old, c.new, *c.catchers) for c in controls]
    jobs += [_without_a_bug(*share) for share in shares]
    found: dict[int, Answer] = {}
    for number, answer in try_changes(jobs, workers=workers):
        found[number] = answer
        if progress is not None:
            progress(len(found), len(jobs))
    tried = tuple(Tried(control, *found[number]) for number, control in enumerate(controls))
    content: list[str] = []
    again: list[str] = []
    for number, share in enumerate(shares, len(controls)):
        (content if found[number][0] == "holds" else again).extend(share)
    jobs = [_without_a_bug(name) for name in again]
    alone = dict(try_changes(jobs, workers=workers)) if again else {}
    clean = dict.fromkeys(content, "holds")
    for number, name in enumerate(again):
        verdict, _, why = alone[number]
        clean[name] = verdict if verdict == "holds" else f"{verdict}: {why}"
    return Score(tried, {name: clean[name] for name in used if name in clean})


def _shares(names: list[str], workers: int) -> list[list[str]]:
    """Deal catchers to workers."""
    return [share for i in range(workers) if (share := names[i::workers])]


def _without_a_bug(*catchers: str) -> tuple[str, ...]:
    return ("littlestone", "", "", *catchers)
