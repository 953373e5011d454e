"""The sources of randomness: the only package in which randomness is made.

Every random decision of every mechanism is a draw from a finite distribution with exactly known
weights, made through a `Source`. So the code that releases (`SecureSource`) is the code whose
output law is computed exactly and verified (`ExactSource`).

==================  ==============================================================
`sampler`           how a finite distribution becomes a draw, exactly
`weights`           the weights that are presented, and the exact reals they are made of
`leveled`           the exponential mechanism by level: a score, then a member with it
`swept`             the same over runs that are swept, not held
`swept_pairs`       the same over pairs of ends (intervals), swept
`sources`           for releases; for experiments, which are not private; given answers;
                    public coins, and other libraries' generators
`exact`             all paths of draws, for verification
==================  ==============================================================

The pages: ``docs/source.md``, ``docs/leveled-choice.md``.
"""

from littlestone.source.exact import ExactSource, HiddenStateError, Law
from littlestone.source.leveled import (
    Choice,
    Explicit,
    Integers,
    LeveledChoice,
    LevelWeights,
    ScoreRuns,
    exact_integers,
)
from littlestone.source.sampler import BitSource, Source, presented
from littlestone.source.sources import (
    ReplaySource,
    SecureSource,
    SeededSource,
    public_generator,
    public_salt,
    reseed,
    source_of,
)
from littlestone.source.swept import SweptRuns
from littlestone.source.swept_pairs import PairPart, PairWeights, pair_balls
from littlestone.source.weights import (
    Exp,
    ExplicitWeights,
    Presented,
    TabulatedWeights,
    Weights,
    as_exp,
    as_weights,
    ball,
    exp,
    probabilities,
)

__all__ = [
    "BitSource",
    "Choice",
    "ExactSource",
    "Exp",
    "Explicit",
    "ExplicitWeights",
    "HiddenStateError",
    "Integers",
    "Law",
    "LevelWeights",
    "LeveledChoice",
    "PairPart",
    "PairWeights",
    "Presented",
    "ReplaySource",
    "ScoreRuns",
    "SecureSource",
    "SeededSource",
    "Source",
    "SweptRuns",
    "TabulatedWeights",
    "Weights",
    "as_exp",
    "as_weights",
    "ball",
    "exact_integers",
    "exp",
    "pair_balls",
    "presented",
    "probabilities",
    "public_generator",
    "public_salt",
    "reseed",
    "source_of",
]
