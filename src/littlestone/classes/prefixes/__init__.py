"""Paths of prefixes: networks of addresses, codes of a hierarchy."""

from littlestone.classes.prefixes.concept_class import Prefixes
from littlestone.classes.prefixes.forest import IPV4, IPV6, Notation, PrefixForest
from littlestone.classes.prefixes.hypotheses import (
    PrefixHypothesis,
    PrefixSetHypothesis,
    prefix_set,
)
from littlestone.classes.prefixes.version_space import PrefixSpace

__all__ = [
    "IPV4",
    "IPV6",
    "Notation",
    "PrefixForest",
    "PrefixHypothesis",
    "PrefixSetHypothesis",
    "PrefixSpace",
    "Prefixes",
    "prefix_set",
]
