"""Positive controls: privacy bugs put into this library on purpose, and who notices each."""

from littlestone.audit.controls.control import Control
from littlestone.audit.controls.in_mechanisms import IN_MECHANISMS
from littlestone.audit.controls.score import Score, Tried, try_controls

__all__ = ["CONTROLS", "Control", "Score", "Tried", "try_controls"]

CONTROLS: tuple[Control, ...] = (*IN_MECHANISMS,)
