"""What detectors are made of."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from fractions import Fraction
from typing import Any

from audit.table import Case

from littlestone.audit.mechanism import verify_mechanism
from littlestone.data.sample import OrderedSample
from littlestone.source import HiddenStateError, Source

__all__ = ["NOTICED", "Detector", "Records", "learned", "of_case", "verified"]

#: Takes nothing; returns None if all is well, or what it saw.
Detector = Callable[[], str | None]

#: A list of records, each a point with its label.
Records = Sequence[tuple[Any, int]]

#: Raised by a detector that noticed something; every other error is a broken mutant.
NOTICED = (HiddenStateError,)


def of_case(case: Case) -> Detector:
    """Return the detector that a line of the table is: the claim holds, and says something."""

    def run() -> str | None:
        row = case.row()
        result = row.result
        if not result.holds:
            claim = float(result.delta)
            return f"worst delta {result.worst_delta:.3g}, claimed {claim:.3g}"
        if getattr(result, "refusals", 0):
            return "refuses some data sets"
        return None if row.says_something else "nothing depends on the data any more"

    return run


def verified(
    run: Callable[[Any, Source], Hashable],
    pairs: Any,
    *,
    epsilon: Any = 1,
    delta: Any = 0,
    cut: Fraction | None = None,
) -> str | None:
    """Verify a claim on chosen pairs; paths less likely than a given cut are not followed."""
    options: dict[str, Any] = {} if cut is None else {"cut": cut, "follow": 0}
    result = verify_mechanism(run, pairs, epsilon=epsilon, delta=delta, **options)
    return None if result.holds else f"worst delta {result.worst_delta:.3g}"


def learned(
    algorithm: Any, pairs: Iterable[tuple[Records, Records]], *, cut: Fraction | None = None
) -> str | None:
    """Verify what a learner promises on chosen pairs of lists, which may be long.

    A refusal is an outcome too. Records are shuffled in the order of the list.
    """

    def run(data: Records, source: Source) -> Hashable:
        sample = OrderedSample.listed([x for x, _ in data], [y for _, y in data])
        try:
            key: Hashable = algorithm.draw(sample, source).key
        except HiddenStateError:
            raise
        except Exception as refusal:
            return "refused", type(refusal).__name__, str(refusal)
        return "released", key

    lists = [(tuple(one), tuple(other)) for one, other in pairs]
    assert all(sum(a != b for a, b in zip(*pair, strict=True)) == 1 for pair in lists)
    promised = algorithm.guarantee()
    return verified(run, lists, epsilon=promised.epsilon, delta=promised.delta, cut=cut)
