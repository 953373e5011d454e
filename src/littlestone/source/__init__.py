"""The door: the only room in which randomness is made.

Every random decision of every mechanism is a draw from a finite distribution with exactly known
weights, made through a `Source`. So the code that releases (`SecureSource`) is the code whose
output law is computed exactly and verified (`ExactSource`).

==================  ==============================================================
`sampler`           how a finite distribution becomes a draw, exactly
`weights`, `reals`  what is shown at the door, and the exact reals it is made of
`candidates`        choosing by level: a score, then a member with that score
`secure`, `seeded`  releases; experiments, which are not private
`exact`, `replay`   all paths of draws, for verification; given answers, for tests
`public`            public coins, and other libraries' generators
==================  ==============================================================

The page: ``docs/source.md``.
"""

from littlestone.source.candidates import Choice, Explicit, Segments
from littlestone.source.exact import ExactSource, HiddenStateError, Law
from littlestone.source.public import public_generator, public_salt, reseed
from littlestone.source.reals import Exp, as_exp, ball, exp
from littlestone.source.replay import ReplaySource
from littlestone.source.sampler import BitSource, Source, shown
from littlestone.source.secure import SecureSource
from littlestone.source.seeded import SeededSource
from littlestone.source.weights import ExplicitWeights, LevelWeights, Weights, probabilities

__all__ = [
    "BitSource",
    "Choice",
    "ExactSource",
    "Exp",
    "Explicit",
    "ExplicitWeights",
    "HiddenStateError",
    "Law",
    "LevelWeights",
    "ReplaySource",
    "SecureSource",
    "SeededSource",
    "Segments",
    "Source",
    "Weights",
    "as_exp",
    "ball",
    "exp",
    "probabilities",
    "public_generator",
    "public_salt",
    "reseed",
    "shown",
]
