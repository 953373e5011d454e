"""Conjunctions of literals over n bits: the class, and version spaces by smallest hitting sets."""

from littlestone.classes.conjunctions.concept_class import (
    ConjunctionHypothesis,
    Conjunctions,
    subcube,
)
from littlestone.classes.conjunctions.version_space import ConjunctionSpace

__all__ = ["ConjunctionHypothesis", "ConjunctionSpace", "Conjunctions", "subcube"]
