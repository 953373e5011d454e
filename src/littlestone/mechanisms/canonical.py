"""One public order of candidates, that is a function of the candidates alone.

The order in which a set or a dictionary is walked depends on hashes, on memory addresses and on
what was inserted before: on other people's records. So a mechanism never walks one: it sorts.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Collection
from fractions import Fraction
from itertools import pairwise
from typing import Any

from littlestone.errors import ParameterError, UnsupportedError

#: A public function from candidates to sort keys; different candidates have different keys.
Order = Callable[[Any], Any]


def canonical_key(item: Any) -> tuple[Any, ...]:  # noqa: PLR0911 - a line for each type
    """Return a sort key that equal items share and different items do not.

    Numbers come first, by value; then texts, bytes, tuples, frozen sets (by sorted members), None,
    and objects with a ``key`` attribute (hypotheses).

    `UnsupportedError` where items of a type have no canonical order.

    Examples
    --------
    >>> sorted(["b", 2, (1, "a"), frozenset({3}), 1], key=canonical_key)
    [1, 2, 'b', (1, 'a'), frozenset({3})]
    """
    if isinstance(item, numbers.Rational):  # True equals 1: one key
        return (0, Fraction(int(item.numerator), int(item.denominator)))
    if isinstance(item, float) and not math.isnan(item):
        return (0, Fraction(item) if math.isfinite(item) else item)
    if isinstance(item, str):
        return (1, item)
    if isinstance(item, bytes):
        return (2, item)
    if isinstance(item, tuple):
        return (3, len(item), *(canonical_key(part) for part in item))
    if isinstance(item, frozenset):
        return (4, len(item), *sorted(canonical_key(part) for part in item))
    if item is None:
        return (5,)
    if hasattr(item, "key"):
        return (6, type(item).__name__, canonical_key(item.key))
    raise UnsupportedError(
        f"Candidates of type {type(item).__name__} have no canonical order, and the order of their "
        "hashes would leak. Pass order=, a public function from candidates to distinct sort keys."
    )


def ordered(items: Collection[Any], order: Order) -> list[Any]:
    """Return different items, sorted by a public order that tells them apart.

    Examples
    --------
    >>> ordered({30, 4, 100}, order=lambda number: (len(str(number)), number))
    [4, 30, 100]
    """
    keyed = sorted(((order(item), item) for item in items), key=lambda pair: pair[0])
    if any(a[0] == b[0] for a, b in pairwise(keyed)):
        raise ParameterError(
            "The 'order' parameter must give different candidates different sort keys; otherwise "
            "their place would depend on hashes."
        )
    return [item for _, item in keyed]
