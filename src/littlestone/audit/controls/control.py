"""What a control is: a privacy bug that somebody might write, and who has to notice it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Control"]


@dataclass(frozen=True)
class Control:
    """One line that somebody might write, and the check that has to notice it.

    Attributes
    ----------
    name : str
    cause : str
        The root cause, in two or three words; several controls may share one.
    story : str
        What leaks, and where such a bug was seen.
    module : str
        Where the line is, below ``littlestone``.
    old, new : str
        The line as it is (it occurs once), and as it is written in the control.
    catcher : str
        Who has to notice: a name in `littlestone.audit.controls.catchers`.
    """

    name: str
    cause: str
    story: str
    module: str
    old: str
    new: str
    catcher: str
