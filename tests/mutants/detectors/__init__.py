"""Checks that must notice a broken variant: lines of the verification table, and special inputs.

A detector takes nothing and returns None if all is well, or what it saw.

=============  ===================================================================
`base`         what a detector is
`mechanisms`   special inputs: popular candidates, long lists, order, hashes
`learners`     special data sets: shuffled parts, secret parts, shown pages
`votes`        one record changes one list; searches that are given up are not heard
`parts`        the shuffle enumerated; secret parts and second parts
`public`       what is said beside a value; cases that look clear
`labels`       several labels: releases with evaluations, costs
`data`         one cell of a table changes one record, for every rule of reading
`privacy`      guarantees are never flattering; a ledger never overspends
`accounting`   what is said of a mechanism, against mechanisms of that kind
`ledgers`      all that a ledger pays for, run in the worst mechanisms there are
`streams`      above-threshold tests of streams, and what lies on the disk
`users`        one user changes that user's records only; epsilons add up
`verifier`     it says what is known in closed form, and refuses what is false
`source`       bits become outcomes exactly; no bit serves twice
`corners`      what seldom comes up: public requests, wide counts, long paths, quiet streams
=============  ===================================================================
"""

from audit.table import CASES

from .accounting import OF_ACCOUNTING
from .base import NOTICED, Detector, of_case
from .corners import OF_CORNERS
from .data import OF_DATA
from .labels import OF_LABELS
from .learners import OF_LEARNERS
from .ledgers import OF_LEDGERS
from .mechanisms import OF_MECHANISMS
from .parts import OF_PARTS
from .privacy import OF_PRIVACY
from .public import OF_PUBLIC
from .source import OF_SOURCE
from .streams import OF_STREAMS
from .users import OF_USERS
from .verifier import OF_VERIFIER

__all__ = ["DETECTORS", "NOTICED", "OWN", "Detector"]

#: Every check that is not a line of the verification table.
OWN: dict[str, Detector] = {
    **OF_SOURCE,
    **OF_MECHANISMS,
    **OF_LEARNERS,
    **OF_LABELS,
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

DETECTORS: dict[str, Detector] = {case.name: of_case(case) for case in CASES} | OWN
