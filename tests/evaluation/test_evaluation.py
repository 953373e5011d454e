"""Evaluations of labels: exact laws, what is held out, bands."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from fractions import Fraction as F
from itertools import combinations_with_replacement, permutations

import numpy as np
import pytest
import scipy.stats
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from littlestone.audit import verify_mechanism
from littlestone.bounds.tails import clopper_pearson
from littlestone.classes import TreeEnsemble, TreeHypothesis
from littlestone.classes.boosted_trees.coefficients import CodePoints
from littlestone.data import Sample
from littlestone.data.targets import Count, TargetSample
from littlestone.errors import ParameterError, UnsupportedError
from littlestone.evaluation import (
    Evaluation,
    ScoreHistogram,
    noise_reach,
    quality,
    release_histogram,
)
from littlestone.evaluation.histogram import (
    held_out_by_rule,
    held_out_rows,
    histogram_rate,
    merged_scores,
)
from littlestone.evaluation.measures import balanced_accuracy, in_words
from littlestone.learners.release import scores_of
from littlestone.mechanisms.estimate import truncated
from littlestone.privacy import Neighbours
from littlestone.source import ExactSource, SeededSource

# -- The released histogram: its law, its noise's reach, and what follows from it, by definition ---

SCORES = tuple(range(-6, 7, 2))


def data(n=3000, seed=0, labels=2):
    """Return scores and labels of records."""
    rng = np.random.default_rng(seed)
    label = rng.integers(0, labels, n)
    score = np.clip(np.round(rng.normal(2.0 * label - 1, 2.2, n) / 2).astype(int) * 2, -6, 6)
    return score, label


def counted(score, label, labels=2):
    counts = np.zeros((labels, len(SCORES)), dtype=np.int64)
    np.add.at(counts, (label, (score + 6) // 2), 1)
    return counts


def exact(score, label, **more):
    """Return an evaluation without any noise to speak of."""
    counts = tuple(map(tuple, counted(score, label).tolist()))
    return Evaluation(ScoreHistogram(SCORES, counts, len(score), Fraction(1), Fraction(50), **more))


def cell_law(count, n, epsilon):
    law = ExactSource().law(
        lambda source: release_histogram(
            [0], [[count], [0]], n=n, epsilon=epsilon, source=source
        ).counts[0][0]
    )
    return {value: float(p.mid()) for value, p in law.outcomes.items()}


@pytest.mark.first(2)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_cell_has_the_law_of_limited_geometric_noise(n):
    rate = Fraction(1, 3)
    p = math.exp(-rate)
    for count in range(n + 1):
        law = cell_law(count, n, 2 * rate)
        assert set(law) == set(range(-n, 2 * n + 1))
        for value, chance in law.items():
            z = value - count
            beyond = p ** abs(z) / (1 + p)  # Pr[Z >= |z|], of one side
            truth = beyond if value in (-n, 2 * n) else (1 - p) / (1 + p) * p ** abs(z)
            assert chance == pytest.approx(truth, rel=1e-12)


@pytest.mark.first(1)
@pytest.mark.parametrize("neighbours", [Neighbours.REPLACE_ONE, Neighbours.ADD_REMOVE])
def test_the_loss_of_neighbours_is_epsilon(neighbours):
    """Replacing a record moves two cells, adding one moves one; the loss is attained."""
    epsilon, n = Fraction(4, 5), 3
    rate = histogram_rate(epsilon, neighbours=neighbours)
    laws = [cell_law(count, n, 2 * rate) for count in range(n + 1)]
    step = max(abs(math.log(laws[a][v] / laws[a + 1][v])) for a in range(n) for v in laws[0])
    cells = 1 if neighbours is Neighbours.ADD_REMOVE else 2
    assert cells * step == pytest.approx(float(epsilon))


def test_every_cell_gets_noise_also_empty_ones():
    counts = np.zeros((3, 50), dtype=np.int64)
    released = release_histogram(range(50), counts, n=10**6, epsilon="1/10", source=SeededSource(0))
    assert released.rate == Fraction(1, 20)
    assert all(len(set(row)) > 10 for row in released.counts)


@pytest.mark.first(3)
@pytest.mark.parametrize(
    ("rate", "cells", "beta"), [("2", 1, 0.05), ("1/2", 3, 0.05), ("3", 9, 1e-4), ("1/20", 40, 0.1)]
)
def test_reach_against_convolution(rate, cells, beta):
    """The reach is the least one, by direct convolution of the law of one noise."""
    rate = Fraction(rate)
    p, far = math.exp(-rate), int(60 / rate) + 1
    z = np.arange(-far, far + 1)
    one = (1 - p) / (1 + p) * p ** np.abs(z).astype(float)
    law = one
    for _ in range(cells - 1):
        law = np.convolve(law, one)
    total = np.arange(len(law)) - len(law) // 2
    beyond = [law[np.abs(total) > a].sum() for a in range(int(noise_reach(rate, cells, beta)) + 1)]
    reach = int(noise_reach(rate, cells, beta))
    assert beyond[reach] <= beta
    assert reach == 1 or beyond[reach - 1] > beta


def test_tiny_tails_are_bounded():
    assert noise_reach(Fraction(1, 2), 10, 1e-12) > noise_reach(Fraction(1, 2), 10, 1e-8)


def test_measures_without_noise_are_those_of_the_records():
    score, label = data()
    evaluation = exact(score, label)
    scores = evaluation.histogram.scores
    for cut in (scores[0] - 1, *scores):
        answers = [int(one > cut) for one in scores]
        share = evaluation.share_right(answers).value
        assert share == pytest.approx(((score > cut) == label).mean())
        balanced = balanced_accuracy_score(label, score > cut)
        counts = evaluation.confusion_matrix(answers)
        assert balanced_accuracy(counts) == pytest.approx(balanced)
    assert evaluation.accuracy().value == pytest.approx(((score > 0) == label).mean())
    assert evaluation.balanced_accuracy() == pytest.approx(
        balanced_accuracy_score(label, score > 0)
    )
    assert evaluation.auroc().value == pytest.approx(roc_auc_score(label, score))
    (a, b), (c, _) = evaluation.confusion()
    assert a + b == (label == 0).sum()
    assert c == ((label == 1) & (score <= 0)).sum()
    curve = evaluation.roc()
    assert curve[0] == (0, 0)
    assert curve[-1] == (1, 1)
    area = sum((x1 - x0) * (y0 + y1) / 2 for (x0, y0), (x1, y1) in itertools.pairwise(curve))
    assert area == pytest.approx(roc_auc_score(label, score))


def test_calibration_without_noise():
    score, label = data(20_000)
    evaluation = exact(score, label)
    honest = [label[score == s].mean() for s in SCORES]
    assert evaluation.calibration_error(honest) is None
    assert evaluation.calibration_error([min(p + 0.1, 1) for p in honest]) > 0.05
    for part in evaluation.calibration(honest):
        assert part.low == part.high
        assert part.found.value == pytest.approx(honest[SCORES.index(part.low)])


@pytest.mark.parametrize("line", [(0.0, 1.0), (0.4, 0.7), (-0.2, 1.3)])
def test_recalibration_of_many_records_finds_the_line_that_bent_the_log_odds(line):
    score, label = data(200_000)
    honest = np.array([label[score == s].mean() for s in SCORES])
    bent = (np.log(honest / (1 - honest)) - line[0]) / line[1]
    found = exact(score, label).recalibrated(1 / (1 + np.exp(-bent)))
    assert found == pytest.approx(honest, abs=0.003)


def test_recalibration_of_nothing_but_noise_changes_little():
    given = np.linspace(0.05, 0.95, len(SCORES))
    moved = []
    for seed in range(50):
        released = release_histogram(
            SCORES, np.zeros((2, len(SCORES)), dtype=int), n=9, epsilon=1, source=SeededSource(seed)
        )
        moved.append(np.abs(Evaluation(released).recalibrated(given) - given).max())
    assert np.mean(moved) < 0.03


def test_recalibration_rises_and_stays_inside():
    score, label = data(4000)
    for seed in range(20):
        released = release_histogram(
            SCORES, counted(score, label), n=4000, epsilon="1/5", source=SeededSource(seed)
        )
        curve = Evaluation(released).recalibrated(np.linspace(0.05, 0.95, len(SCORES)))
        assert all(0 <= a <= b <= 1 for a, b in itertools.pairwise(curve))
        rarer = [min(p, 1 - p) for p in curve]
        assert [float(f"{p:.4g}") for p in rarer] == pytest.approx(rarer, rel=1e-9)


def test_a_proportion_that_may_be_anything_is_said_to_be_hidden():
    found = Evaluation(
        ScoreHistogram((0, 1), ((4, 900), (-700, 3)), 300, Fraction(1, 999), Fraction(1, 999))
    )
    band = found.share_right([0, 1])
    assert (band.low, band.high) == (0, 1)
    assert in_words(band) == "hidden by noise"
    assert "accuracy           hidden by noise" in found.summary()


def test_three_labels():
    rng = np.random.default_rng(0)
    label, answer = rng.integers(0, 3, 900), rng.integers(0, 3, 900)
    counts = np.zeros((3, 3), dtype=np.int64)
    np.add.at(counts, (label, answer), 1)
    histogram = ScoreHistogram((0, 1, 2), tuple(map(tuple, counts.tolist())), 900, Fraction(1),
                               Fraction(50))  # fmt: skip
    evaluation = Evaluation(histogram)
    assert evaluation.share_right([0, 1, 2]).value == pytest.approx((label == answer).mean())
    assert evaluation.confusion_matrix([0, 1, 2]) == tuple(map(tuple, counts.astype(float)))
    with pytest.raises(UnsupportedError, match="two labels"):
        evaluation.auroc()
    with pytest.raises(ParameterError, match="one label"):
        evaluation.share_right([0, 1])


def coverage(inside):
    """Fail if a coverage of 95 % is refuted (Clopper-Pearson at one in a million)."""
    _, high = clopper_pearson(sum(inside), len(inside), 1 - 1e-6)
    assert high >= 0.95


@pytest.mark.more
@pytest.mark.parametrize("epsilon", ["1/20", "1"])
def test_bands_cover_the_records(epsilon):
    """400 releases: accuracy, AUROC and each calibration bin, of the same records."""
    score, label = data(2500)
    counts = counted(score, label)
    right, area = ((score > 0) == label).mean(), roc_auc_score(label, score)
    inside = {"accuracy": [], "auroc": [], "bins": []}
    for seed in range(400):
        evaluation = Evaluation(
            release_histogram(SCORES, counts, n=2500, epsilon=epsilon, source=SeededSource(seed))
        )
        bands = {"accuracy": (evaluation.accuracy(), right), "auroc": (evaluation.auroc(), area)}
        for name, (band, truth) in bands.items():
            assert band.covers == "own records"
            inside[name].append(band.low <= truth <= band.high)
        last = evaluation.calibration([0.5] * len(SCORES))[-1]
        there = (score >= last.low) & (score <= last.high)
        inside["bins"].append(last.found.low <= label[there].mean() <= last.found.high)
    for found in inside.values():
        coverage(found)


@pytest.mark.more
def test_bands_and_certificates_of_held_out_records_cover_new_ones():
    """400 held-out samples of one distribution."""
    everything = data(200_000, seed=9)
    error = ((everything[0] > 0) != everything[1]).mean()
    area = roc_auc_score(everything[1], everything[0])
    of_area, of_error = [], []
    for seed in range(400):
        score, label = data(1200, seed=100 + seed)
        released = release_histogram(
            SCORES, counted(score, label), n=1200, epsilon=1, source=SeededSource(seed),
            held_out=True,
        )  # fmt: skip
        band = Evaluation(released).auroc()
        assert band.covers == "new records"
        of_area.append(band.low - 0.001 <= area <= band.high + 0.001)
        of_error.append(error <= Evaluation(released).certificate("0.05") + 0.001)
    coverage(of_area)
    coverage(of_error)


def test_a_balanced_accuracy_is_said_where_the_noise_leaves_every_label():
    """By brute force: two noises of rate 1/2 sum to 9 or more, up or down, in 5% of cases / 2."""
    p = math.exp(-0.5)
    one = {z: (1 - p) / (1 + p) * p ** abs(z) for z in range(-80, 81)}
    beyond = {
        reach: sum(one[a] * one[b] for a in one for b in one if abs(a + b) > reach)
        for reach in range(5, 20)
    }
    reach = min(a for a, chance in beyond.items() if chance <= 0.025)
    for ones, said in ((reach, False), (reach + 1, True)):
        counts = ((600, 300), (1, ones - 1))
        histogram = ScoreHistogram((0, 1), counts, 900 + ones, Fraction(1), Fraction(1, 2))
        found = quality(histogram, [0, 1]).balanced_accuracy
        assert (found is not None) is said
        if found is not None:
            assert found == pytest.approx((600 / 900 + (ones - 1) / ones) / 2)
        assert quality(histogram, [0, 0], constant=0).balanced_accuracy is None


def test_a_certificate_needs_held_out_records():
    evaluation = exact(*data())
    with pytest.raises(UnsupportedError, match="holdout"):
        evaluation.certificate("0.05")
    held_out = exact(*data(), held_out=True)
    answers = held_out.answers()
    assert held_out.error_certificate(answers, "0.05") == held_out.certificate("0.05")


def test_json_is_read_back_and_checked():
    released = release_histogram(
        SCORES, counted(*data()), n=3000, epsilon=1, source=SeededSource(1), held_out=True
    )
    document = released.to_dict()
    assert ScoreHistogram.from_dict(document) == released
    for wrong in (
        {"counts": [[1]]}, {"scores": [3, 2]}, {"epsilon": "0"}, {"rate": "x"}, {"held_out": 1},
        {"n": -1}, {"n": True}, {"counts": 7}, {"scores": []},
    ):  # fmt: skip
        with pytest.raises(ParameterError, match="ScoreHistogram"):
            ScoreHistogram.from_dict(document | wrong)
    with pytest.raises(ParameterError):
        ScoreHistogram.from_dict([])


def test_wrong_counts_are_the_callers_mistake():
    with pytest.raises(ValueError, match="shape"):
        release_histogram([0, 1], [[1]], n=1, epsilon=1, source=SeededSource(0))


# -- margins in few cells --------------------------------------------------------------------------


MARGINS = range(-60, 61, 2)


def margins(n, seed=0, steep=1.0, shift=0.0):
    """Return places among `MARGINS`, labels, and the probabilities that they were drawn with."""
    rng = np.random.default_rng(seed)
    place = np.clip(np.round(rng.normal(30, 9, n)), 0, 60).astype(int)
    chances = 1 / (1 + np.exp(-steep * np.array(MARGINS) / 12 - shift))
    return place, (rng.random(n) < chances[place]).astype(int), chances


def merged(place, label, epsilon, seed=0, share=0.5, held_out=True):
    cells = merged_scores(MARGINS, share, 100, 1)  # the fewest
    counts = np.zeros((2, len(cells)), dtype=np.int64)
    np.add.at(counts, (label, np.searchsorted(cells, np.array(MARGINS)[place])), 1)
    return release_histogram(
        cells, counts, n=len(place), epsilon=epsilon, source=SeededSource(seed), held_out=held_out
    )


@pytest.mark.parametrize(
    ("share", "most", "n"),
    [(0.5, 8, 100), (0.08, 8, 100), (0.07, 12, 100), (0.95, 12, 100), (0.4, 12, 400),
     (0.5, 32, 10**9)],
)  # fmt: skip
def test_cells_have_equal_widths_and_one_ends_with_0(share, most, n):
    for first, last in itertools.product(range(-40, 5), range(-4, 41, 3)):
        if first > last:
            continue
        scores = range(first, last + 1, 2)
        cells = merged_scores(scores, share, n, 1)
        assert len(cells) <= most
        assert cells[-1] == scores[-1]
        assert len({score > 0 for score in scores}) == 1 or max(c for c in cells if c <= 0) == max(
            score for score in scores if score <= 0
        )
        widths = np.diff(cells)
        assert len(set(widths[:-1])) <= 1
        assert len(widths) == 0 or widths[-1] <= widths[0]


@pytest.mark.more
def test_a_record_is_in_one_cell_of_merged_margins():
    """Exact: all pairs of one record of two labels in three cells."""

    def run(data, source):
        (label, cell), counts = data, np.zeros((2, 2), dtype=np.int64)
        counts[label, cell] += 1
        return release_histogram([0, 5], counts, n=1, epsilon=1, source=source).counts

    records = list(itertools.product((0, 1), (0, 1)))
    every = list(itertools.combinations(records, 2))
    assert verify_mechanism(run, every, epsilon=1).holds
    assert not verify_mechanism(run, every[:1], epsilon=Fraction(9, 10)).holds


def test_ties_in_cells_are_mended_by_the_probabilities():
    """Without noise, beside all margins: halves hide order, probabilities know most of it."""
    place, label, chances = margins(200_000, steep=2.0)
    histogram = merged(place, label, 10**4)
    truth = roc_auc_score(label, place)
    halves = Evaluation(histogram).auroc().value
    mended = Evaluation(histogram, MARGINS, chances).auroc().value
    assert abs(mended - truth) < 0.004 < truth - halves
    curve = Evaluation(histogram, MARGINS, chances).roc()
    area = sum((x1 - x0) * (y0 + y1) / 2 for (x0, y0), (x1, y1) in itertools.pairwise(curve))
    assert area == pytest.approx(mended, abs=1e-6)


def test_accuracy_of_merged_margins_is_that_of_all():
    place, label, chances = margins(5000)
    evaluation = Evaluation(merged(place, label, 10**4), MARGINS, chances)
    right = ((np.array(MARGINS)[place] > 0) == label).mean()
    assert evaluation.accuracy().value == pytest.approx(right)


def test_nothing_is_said_where_noise_hides_a_label_or_everything():
    place, label, chances = margins(1000)
    nobody = np.zeros_like(label)
    empty = [Evaluation(merged(place, nobody, "1/2", s), MARGINS, chances) for s in range(300)]
    shown = sum(own.auroc() is not None for own in empty)
    assert scipy.stats.beta.ppf(0.001, shown, 301 - shown) < 0.025  # by chance, 1 in 40
    assert shown <= 15
    hidden = [Evaluation(merged(place, label, "1/200", s), MARGINS, chances) for s in range(30)]
    for own in hidden:
        band = own.auroc()
        assert band is None or (band.low, band.high) != (0, 1)
    assert sum(own.auroc() is None for own in hidden) > 20


def test_the_noise_has_no_part_in_the_calibration_error():
    """Honest probabilities err by nothing, and by .03 where noise counts; wrong ones as they do."""
    found = {}
    for name, shift in (("honest", 0.0), ("wrong", 0.8)):
        place, label, chances = margins(1000, seed=3)
        given = 1 / (1 + np.exp(-np.log(chances / (1 - chances)) - shift))
        found[name] = [
            Evaluation(merged(place, label, 1, seed), MARGINS, given).calibration_error() or 0
            for seed in range(60)
        ]
        exact_ = Evaluation(merged(place, label, 10**4), MARGINS, given)
        bins = exact_.calibration()
        plain = sum(b.records * abs(b.predicted - b.found.value) for b in bins) / 1000
        if name == "wrong":
            assert np.mean(found[name]) == pytest.approx(plain, abs=0.02)
    assert np.mean(found["honest"]) < 0.02


def test_recalibration_of_merged_margins_finds_the_line():
    place, label, chances = margins(200_000, steep=1.3, shift=0.4)
    given = 1 / (1 + np.exp(-np.array(MARGINS) / 12))
    found = Evaluation(merged(place, label, 10**4), MARGINS, given).recalibrated()
    often = np.bincount(place, minlength=61) > 500
    assert np.abs(np.array(found) - chances)[often].max() < 0.03


@pytest.mark.parametrize(
    ("start", "codes"),
    [
        ((0, -26), None),
        ((0, 0), CodePoints((0, -6580), (), 256, None)),  # trees beside points of columns
        ((0, 0), CodePoints((0, -6), ((0, ((0, 0), (0, -30))), (1, ((0, -10), (0, 0)))), 1, None)),
    ],
)
def test_where_label_1_is_rare_there_are_more_cells(start, codes):
    """Whatever says it: votes to begin with, a base, or points that all codes have on average."""
    trees = tuple(TreeHypothesis(i % 2) for i in range(60))
    model = TreeEnsemble(trees, Fraction(53, 500), start, code_points=codes)
    assert model.start_share == pytest.approx(1 / (1 + math.exp(26 * 0.106)), abs=0.004)
    assert len(scores_of(model, 2, 100, 1)) == len(merged_scores(model.margins, 0.05, 100, 1)) > 8
    even = TreeEnsemble(trees, Fraction(53, 500), (0, 0))
    assert even.start_share == 0.5
    assert len(scores_of(even, 2, 100, 1)) <= 8 < len(scores_of(even, 2, 1000, 1))
    assert len(scores_of(even, 2, 1000, 1, groups=True)) <= 8


@pytest.mark.parametrize(("labels", "unlisted"), [(2, 0), (3, 0), (3, 1)])
def test_the_printed_confusion_matrix_adds_up_and_has_the_share_that_is_said(labels, unlisted):
    rng = np.random.default_rng(labels + unlisted)
    counts = rng.integers(-5, 9, (labels + unlisted, labels)) + 20 * np.eye(
        labels + unlisted, labels, dtype=int
    )
    histogram = ScoreHistogram(
        tuple(range(labels)), tuple(map(tuple, counts.tolist())), 300, Fraction(1), Fraction(1, 2),
        unlisted=bool(unlisted),
    )  # fmt: skip
    evaluation, answers = Evaluation(histogram), list(range(labels))
    found = np.array(evaluation.printed_confusion(answers))
    rounded = found.size / 2
    assert found.sum() == pytest.approx(300, abs=rounded)
    share = evaluation.share_right(answers).value
    assert np.trace(found[:labels]) == pytest.approx(300 * share, abs=rounded)
    if not unlisted:
        by_hand = np.mean([found[y, y] / found[y].sum() for y in range(labels)])
        assert quality(histogram, answers).balanced_accuracy == pytest.approx(by_hand)


# -- What is held out: how many by a public rule, which by a secret permutation --------------------

#: Points whose order is not that of their labels: what is near in one is not in the other.
KINDS = ((0, 0), (5, 1), (9, 0))


class Shuffling:
    """A source that draws each permutation, so that an exact law has all of them."""

    def __init__(self, source):
        self.source = source

    def __getattr__(self, name):
        return getattr(self.source, name)

    def permutation(self, n, first=None):
        every = list(permutations(range(n)))
        return np.array(every[self.source.below(len(every))])[:first]


def noisy(ones, n, source):
    """A number of n records at epsilon 1."""
    return min(max(ones + truncated(F(1), n, source), 0), n)


def both_parts(data, source):
    """Release the number of ones of the held-out record, and of the others, at epsilon 1 each."""
    points, labels = zip(*data, strict=True)
    held, rest = Sample.of(points, labels).split(Shuffling(source), 1)
    return noisy(held.positives, 1, source), noisy(rest.positives, rest.n, source)


def neighbours(n):
    found = []
    for data in combinations_with_replacement(KINDS, n):
        for new in KINDS:
            other = tuple(sorted((*data[1:], new)))
            found += [(data, other)] if other != data else []
    return found


@pytest.mark.parametrize("n", [2, pytest.param(3, marks=pytest.mark.more)])
def test_no_unit_pays_twice(n):
    """Both parts together cost what one of them does: the law over all permutations."""
    assert verify_mechanism(both_parts, neighbours(n), epsilon=1).holds
    assert not verify_mechanism(both_parts, neighbours(2)[:1], epsilon=F(2, 5)).holds


def test_users_are_held_out_whole():
    names, points = list("aabbbcdd"), [1, 2, 3, 4, 5, 6, 7, 8]
    persons = TargetSample.of([[2]] * 8, Count(9).codes(np.array(points)), names)
    seen = set()
    for seed in range(40):
        held, rest = persons.split(SeededSource(seed), 1)
        assert (held.n, rest.n) == (1, 3)
        of_held, of_rest = frozenset(held.code.tolist()), set(rest.code.tolist())
        assert of_held in ({1, 2}, {3, 4, 5}, {6}, {7, 8})
        assert of_held | of_rest == set(points)
        assert set(rest.user.tolist()) == {0, 1, 2}
        seen.add(of_held)
    assert len(seen) == 4


def test_rows_are_held_out_by_a_permutation_of_them_all():
    masks = [tuple(held_out_rows(4, 2, SeededSource(seed))) for seed in range(200)]
    assert all(sum(mask) == 2 for mask in masks)
    assert len(set(masks)) == 6


def test_how_many_is_a_rule_in_public_numbers():
    for n in (1, 2, 499, 500, 1_999, 3_333, 5_000, 9_999, 10_000, 10**5, 10**7):
        for epsilon in ("1/10", "1/2", "1", "4"):
            size, found = n * F(epsilon), held_out_by_rule(n, epsilon)
            share = min(max(1000 / size, F(1, 10)), F(3, 10))
            wanted = 0 if size < 500 or n < 2 else min(int(share * n), 20_000)
            assert found.units == wanted
            assert found.units < n
            assert (found.enough - 1) * F(epsilon) < 500 <= found.enough * F(epsilon)
    assert "5,000 users" in held_out_by_rule(100, "1/10").words("users")
    for wrong in ({"n": 0, "epsilon": 1}, {"n": 9, "epsilon": 0}):
        with pytest.raises(ParameterError):
            held_out_by_rule(**wrong)
