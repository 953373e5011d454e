"""littlestone: its own mechanisms, audited by the same command."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

from declared import audits, right, run  # noqa: F401 - called from outside

import littlestone as ls
from littlestone.data import Sample
from littlestone.evaluation import release_histogram
from littlestone.learners import registry
from littlestone.mechanisms import private_count
from littlestone.source import SecureSource

source = SecureSource()
learner = registry.make("agnostic", ls.Thresholds(1, 9), epsilon=1)


def count(ones):
    """Return a private count."""
    return private_count(ones, 10, epsilon=1, source=source, beta=0.05).value


def learned(labels):
    """Return a threshold."""
    return learner.draw(Sample.of([3, 3, 5, 5], labels), source).key


def histogram(counts):
    """Return the released counts."""
    return release_histogram([0, 1], counts, n=4, epsilon=1, source=source).counts


right("private_count", count, 5, 6, claim=1.0, trials=4_000)
right("AgnosticLearner", learned, [0, 0, 1, 1], [0, 0, 1, 0], claim=1.0, trials=4_000)
right("release_histogram", histogram, [[1, 1], [1, 1]], [[2, 1], [1, 0]], claim=1.0, trials=4_000)
