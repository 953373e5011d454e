"""The lines that `littlestone fit` prints about a release."""

from dataclasses import replace

import pytest

import littlestone as ls
from littlestone.classes import ThresholdHypothesis
from littlestone.learners import registry
from littlestone.learners.running import run
from littlestone.report import page
from littlestone.report.evaluated import beside_constants, plain
from littlestone.source import SeededSource


def test_the_interval_around_an_error_covers_a_clamped_one():
    """At 0 % with the interval [0 %, 15 %], plus or minus half of it would promise too much."""
    learner = registry.make("agnostic", ls.Thresholds(1, 9), epsilon=3)
    sample = ls.data.Sample.of([2, 8] * 10, [0, 1] * 10)
    release = run(learner, sample, SeededSource(0), evaluate=1)
    counts = ((10, 0), (0, 10))
    release = replace(release, evaluation=replace(release.evaluation, counts=counts))
    found = release.quality
    assert found.error.value == 0
    high = f"{100 * found.error.high:.2f}".rstrip("0")
    assert f"0% (0% to {high}% at 95%" in plain(release)


def said_of(counts, hypothesis, alpha="0.1"):
    """Return what is printed where an evaluation found these counts."""
    learner = registry.make("agnostic", ls.Thresholds(1, 9), epsilon=2, alpha=alpha)
    n = sum(map(sum, counts))
    sample = ls.data.Sample.of([2, 8] * (n // 2), [0, 1] * (n // 2))
    release = run(learner, sample, SeededSource(0), evaluate=1)
    made = replace(release.evaluation, counts=counts, n=n)
    release = replace(release, evaluation=made, hypothesis=hypothesis)
    assert beside_constants(release) in page(release)
    return plain(release)


ABOVE_4, ALWAYS_0 = ThresholdHypothesis(4, 1, 9), ThresholdHypothesis(9, 1, 9)


def test_a_rare_label_that_is_never_answered_is_not_called_learned():
    """Nine in ten are 0: a certificate for alpha = 0.1 holds of always answering 0."""
    said = said_of(((3600, 0), (400, 0)), ALWAYS_0)
    assert "holds (" in said
    assert "The rule is a constant: it always predicts 0." in said
    assert "does not imply that it is better than always predicting 0" in said


@pytest.mark.parametrize(
    ("counts", "words", "trivial"),
    [
        (
            ((3000, 600), (100, 300)),
            "does not have a lower error rate than always predicting 0",
            True,
        ),
        (
            ((3590, 10), (20, 380)),
            "has a lower error rate than always predicting 0",
            True,
        ),  # 10 % <= alpha
        (((1990, 10), (20, 1980)), "has a lower error rate than always predicting 0", False),
        (
            ((10, 1990), (1980, 20)),
            "does not have a lower error rate than always predicting 0",
            True,
        ),
        (((1000, 1000), (999, 1001)), "is not clear that the rule has a lower error rate", False),
    ],
)
def test_a_rule_is_compared_with_the_best_constant(counts, words, trivial):
    said = said_of(counts, ABOVE_4)
    assert words in said
    assert ("A constant also seems to satisfy it" in said) is trivial


def test_without_an_evaluation_only_a_constant_is_known_to_be_one():
    learner = registry.make("agnostic", ls.Thresholds(1, 9), epsilon=2)
    release = run(learner, ls.data.Sample.of([2, 8] * 2000, [0, 1] * 2000), SeededSource(0))
    assert beside_constants(release) == ""
    release = replace(release, hypothesis=ALWAYS_0)
    assert "always predicting 0" in beside_constants(release)
    assert "always predicting 0" in plain(release)


def test_what_an_epsilon_means_is_said_of_all_of_it():
    """Where columns were learned from the same records, both cost."""
    table = {"age": [25, 70, 45, 65] * 2500, "ill": [0, 1, 0, 1] * 2500}
    release = ls.fit(table, y="ill", epsilon=1, random_state=0).release_
    parts = [replace(p, guarantee=replace(p.guarantee, seeded=False)) for p in release.parts]
    said = plain(replace(release, parts=tuple(parts))).splitlines()
    (line,) = (i for i, words in enumerate(said) if "the odds of any statement" in words)
    assert "by a factor of at most 2.72" in said[line]
    assert said[line - 1].startswith("Guarantee: pure 1-differential")
