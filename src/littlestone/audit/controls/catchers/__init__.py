"""Who notices a bug: lines of the table of exact verifications, and checks of what no law shows.

A catcher takes nothing and returns None if all is well, or what it saw.

=============  ===================================================================
`base`         what a catcher is
`mechanisms`   special inputs: popular candidates, long lists, order, hashes
`learners`     special data sets: dealt parts, secret parts, shown pages
`votes`        one record changes one list; searches that are given up are not heard
`parts`        the deal enumerated; secret parts and second parts
`public`       what is said beside a value; cases that look clear
`data`         one cell of a table changes one record, for every rule of reading
`privacy`      guarantees are never flattering; a ledger never overspends
`accounting`   what is said of a mechanism, against mechanisms of that kind
`ledgers`      all that a ledger pays for, run in the worst mechanisms there are
`streams`      alarms and councils of streams, and what lies on the disk
`users`        one user changes that user's records only; epsilons add up
`verifier`     it says what is known in closed form, and complains
`source`       bits become outcomes exactly; no bit serves twice
`corners`      what seldom comes up: public requests, wide counts, long ways, quiet streams
=============  ===================================================================
"""

from littlestone.audit.controls.catchers.accounting import OF_ACCOUNTING
from littlestone.audit.controls.catchers.base import NOTICED, Catcher, of_case
from littlestone.audit.controls.catchers.corners import OF_CORNERS
from littlestone.audit.controls.catchers.data import OF_DATA
from littlestone.audit.controls.catchers.learners import OF_LEARNERS
from littlestone.audit.controls.catchers.ledgers import OF_LEDGERS
from littlestone.audit.controls.catchers.mechanisms import OF_MECHANISMS
from littlestone.audit.controls.catchers.parts import OF_PARTS
from littlestone.audit.controls.catchers.privacy import OF_PRIVACY
from littlestone.audit.controls.catchers.public import OF_PUBLIC
from littlestone.audit.controls.catchers.source import OF_SOURCE
from littlestone.audit.controls.catchers.streams import OF_STREAMS
from littlestone.audit.controls.catchers.users import OF_USERS
from littlestone.audit.controls.catchers.verifier import OF_VERIFIER
from littlestone.audit.controls.catchers.votes import OF_VOTES
from littlestone.audit.table import CASES

__all__ = ["BATTERY", "CATCHERS", "NOTICED", "Catcher"]

#: Every check that is not in the table.
_OWN: dict[str, Catcher] = {
    **OF_SOURCE,
    **OF_MECHANISMS,
    **OF_LEARNERS,
    **OF_VOTES,
    **OF_PARTS,
    **OF_PUBLIC,
    **OF_PRIVACY,
    **OF_DATA,
    **OF_STREAMS,
    **OF_USERS,
    **OF_LEDGERS,
    **OF_ACCOUNTING,
    **OF_VERIFIER,
    **OF_CORNERS,
}

CATCHERS: dict[str, Catcher] = {case.name: of_case(case) for case in CASES} | _OWN

#: What is tried, one after the other, for a control that names no catcher.
BATTERY: tuple[str, ...] = (*_OWN, *(case.name for case in CASES if not case.full))
