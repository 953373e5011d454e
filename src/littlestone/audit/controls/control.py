"""What a control is: a privacy bug that somebody might write, and who has to notice it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ANY", "Control"]

#: As a catcher: try all of them until one notices.
ANY = "any"


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
    catcher : str or tuple of str
        Who has to notice: names in `littlestone.audit.controls.catchers.CATCHERS`, tried one after
        the other; or `ANY`: the whole battery, until one of it notices.
    """

    name: str
    cause: str
    story: str
    module: str
    old: str
    new: str
    catcher: str | tuple[str, ...] = ANY

    @property
    def catchers(self) -> tuple[str, ...]:
        """The names of the catchers (or `ANY` alone)."""
        return (self.catcher,) if isinstance(self.catcher, str) else self.catcher
