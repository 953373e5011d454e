"""Positive controls: privacy bugs put into this library on purpose, and who notices each.

==============================  ======================================================
`control`                       what a control is
`injection`                     one bug, in a process of its own
`score`                         trying all, and counting who was caught
`in_mechanisms`, `in_learners`  bugs, room by room
`in_parts`, `in_streams`        parts and votes; streams and users
`in_data`, `in_sources`         reading; the door
`in_releases`, `in_ledgers`     what is published, and budgets; what is paid, and when
`in_verifier`                   the verifier itself
`by_a_stranger`                 bugs by somebody who had not seen the tests
`by_a_second_stranger`          bugs by another one, after the first one's were caught
``catchers/``                   who notices
==============================  ======================================================
"""

from littlestone.audit.controls.by_a_second_stranger import BY_A_SECOND_STRANGER
from littlestone.audit.controls.by_a_stranger import BY_A_STRANGER
from littlestone.audit.controls.control import ANY, Control
from littlestone.audit.controls.in_data import IN_DATA
from littlestone.audit.controls.in_learners import IN_LEARNERS
from littlestone.audit.controls.in_ledgers import IN_LEDGERS
from littlestone.audit.controls.in_mechanisms import IN_MECHANISMS
from littlestone.audit.controls.in_parts import IN_PARTS
from littlestone.audit.controls.in_releases import IN_RELEASES
from littlestone.audit.controls.in_sources import IN_SOURCES
from littlestone.audit.controls.in_streams import IN_STREAMS
from littlestone.audit.controls.in_verifier import IN_VERIFIER
from littlestone.audit.controls.score import Score, Tried, try_controls

__all__ = ["ANY", "CONTROLS", "Control", "Score", "Tried", "try_controls"]

CONTROLS: tuple[Control, ...] = (
    *IN_MECHANISMS,
    *IN_LEARNERS,
    *IN_PARTS,
    *IN_DATA,
    *IN_RELEASES,
    *IN_SOURCES,
    *IN_STREAMS,
    *IN_LEDGERS,
    *IN_VERIFIER,
    *BY_A_STRANGER,
    *BY_A_SECOND_STRANGER,
)
