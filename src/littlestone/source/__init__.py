"""The sources of randomness: the only package in which randomness is made.

Every random decision of every mechanism is a draw from a finite distribution with exactly known
weights, made through a `Source`. So the code that releases (`SecureSource`) is the code whose
output law is computed exactly and verified (`ExactSource`).

=========  =======================================================================================
`sources`  for releases; for experiments, which are not private; given answers;
           all paths of draws, for verification; public coins; weights, and the
           exact reals they are made of; how a finite distribution becomes a draw
`leveled`  the exponential mechanism by level: a score, then a member with it; the
           same over runs that are streamed, and over pairs of ends (intervals)
=========  =======================================================================================

The pages: ``docs/source.md``, ``docs/leveled-choice.md``.
"""

from littlestone.source.leveled import (
    Choice,
    Explicit,
    Integers,
    LeveledChoice,
    LevelWeights,
    PairPart,
    PairWeights,
    ScoreRuns,
    StreamedRuns,
    exact_integers,
    pair_balls,
)
from littlestone.source.sources import (
    BitSource,
    ExactSource,
    Exp,
    ExplicitWeights,
    HiddenStateError,
    Law,
    Presented,
    ReplaySource,
    SecureSource,
    SeededSource,
    Source,
    TabulatedWeights,
    Weights,
    as_exp,
    as_weights,
    ball,
    choose_several,
    exp,
    flip_several,
    presented,
    probabilities,
    public_generator,
    public_salt,
    source_of,
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
    "choose_several",
    "exact_integers",
    "exp",
    "flip_several",
    "pair_balls",
    "presented",
    "probabilities",
    "public_generator",
    "public_salt",
    "source_of",
]
