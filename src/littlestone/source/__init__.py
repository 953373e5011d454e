"""The sources of randomness: the only package in which randomness is made.

Every random decision of every mechanism is a draw from a finite distribution with exactly known
weights, made through a `Source`. So the code that releases (`SecureSource`) is the code whose
output law is computed exactly and verified (`ExactSource`).

==================  ==============================================================
`sampler`           how a finite distribution becomes a draw, exactly
`weights`           the weights that are presented, and the exact reals they are made of
`leveled`           the exponential mechanism by level: a score, then a member with it
`streamed`             the same over runs that are streamed, not kept in memory
`streamed_pairs`       the same over pairs of ends (intervals), streamed
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
from littlestone.source.streamed import StreamedRuns
from littlestone.source.streamed_pairs import PairPart, PairWeights, pair_balls
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
    "StreamedRuns",
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
