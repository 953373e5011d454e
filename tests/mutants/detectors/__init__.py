"""Checks that must notice a broken variant: lines of the verification table, and special inputs.

A detector takes nothing and returns None if all is well, or what it saw.

=============  ===================================================================
`base`         what a detector is
`mechanisms`   special inputs: long lists, order, what is said beside a value
`parts`        secret parts and second parts, shuffled or amplified; long lists
`labels`       several labels: releases with evaluations, costs
`data`         one cell of a table changes one record; labels are public
`ledgers`      all that a ledger pays for, run in the worst mechanisms there are
`streams`      above-threshold tests of streams, each of which is paid
`source`       bits become outcomes exactly; seeds are named
`corners`      what seldom comes up: wide counts, rich users, shares of epsilon
=============  ===================================================================
"""

from audit.table import CASES

from .base import NOTICED, Detector, of_case
from .corners import OF_CORNERS
from .data import OF_DATA
from .labels import OF_LABELS
from .ledgers import OF_LEDGERS
from .mechanisms import OF_MECHANISMS
from .parts import OF_PARTS
from .source import OF_SOURCE
from .streams import OF_STREAMS

__all__ = ["DETECTORS", "NOTICED", "OWN", "Detector"]

#: Every check that is not a line of the verification table.
OWN: dict[str, Detector] = {
    **OF_SOURCE,
    **OF_MECHANISMS,
    **OF_LABELS,
    **OF_PARTS,
    **OF_DATA,
    **OF_STREAMS,
    **OF_LEDGERS,
    **OF_CORNERS,
}

DETECTORS: dict[str, Detector] = {case.name: of_case(case) for case in CASES} | OWN
