"""Small settings for exact verification."""

import littlestone as ls
from littlestone.learners.littlestone import Littlestone


def learner(cls, kind=Littlestone, **options):
    """An algorithm with public settings that make every vote count."""
    given = {"epsilon": 1, "delta": "1/20", "alpha": "0.3", "beta": "0.2"}
    return kind(cls, **{**given, **options})


def check(algorithm, points, n, **options):
    return ls.audit.verify(algorithm, points=points, n_samples=n, **options)
