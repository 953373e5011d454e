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

from littlestone.source.leveled import Choice as Choice
from littlestone.source.leveled import Explicit as Explicit
from littlestone.source.leveled import Integers as Integers
from littlestone.source.leveled import LeveledChoice as LeveledChoice
from littlestone.source.leveled import LevelWeights as LevelWeights
from littlestone.source.leveled import PairPart as PairPart
from littlestone.source.leveled import PairWeights as PairWeights
from littlestone.source.leveled import ScoreRuns as ScoreRuns
from littlestone.source.leveled import StreamedRuns as StreamedRuns
from littlestone.source.leveled import exact_integers as exact_integers
from littlestone.source.leveled import pair_balls as pair_balls
from littlestone.source.sources import BitSource as BitSource
from littlestone.source.sources import ExactSource as ExactSource
from littlestone.source.sources import Exp as Exp
from littlestone.source.sources import ExplicitWeights as ExplicitWeights
from littlestone.source.sources import HiddenStateError as HiddenStateError
from littlestone.source.sources import Law as Law
from littlestone.source.sources import Presented as Presented
from littlestone.source.sources import ReplaySource as ReplaySource
from littlestone.source.sources import SecureSource as SecureSource
from littlestone.source.sources import SeededSource as SeededSource
from littlestone.source.sources import Source as Source
from littlestone.source.sources import TabulatedWeights as TabulatedWeights
from littlestone.source.sources import Weights as Weights
from littlestone.source.sources import as_exp as as_exp
from littlestone.source.sources import as_weights as as_weights
from littlestone.source.sources import ball as ball
from littlestone.source.sources import choose_several as choose_several
from littlestone.source.sources import exp as exp
from littlestone.source.sources import flip_several as flip_several
from littlestone.source.sources import presented as presented
from littlestone.source.sources import probabilities as probabilities
from littlestone.source.sources import public_generator as public_generator
from littlestone.source.sources import public_salt as public_salt
from littlestone.source.sources import source_of as source_of
