"""The lines that `littlestone fit` prints about a release."""

from dataclasses import replace

import littlestone as ls
from littlestone.cli.summary import plain
from littlestone.learners import registry
from littlestone.learners.release import run
from littlestone.source import SeededSource


def test_the_interval_around_an_error_covers_a_clamped_one():
    """At 5 % with the interval [0 %, 20 %], plus or minus 10 % would promise too much."""
    learner = registry.make("agnostic", ls.Thresholds(1, 9), epsilon=1)
    sample = ls.Sample.of([2, 8] * 10, [0, 1] * 10)
    release = run(learner, sample, SeededSource(0), estimate_error=1)
    error = {**release.error, "rate": 0.05, "rate_low": 0.0, "rate_high": 0.2}
    assert "about 5% wrong on these records (± 15% at 95%)" in plain(replace(release, error=error))
