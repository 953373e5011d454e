"""Evaluations as they are shown: short tables, doubts about the column that is predicted."""

from dataclasses import replace
from fractions import Fraction as F
from functools import lru_cache

import numpy as np
import pytest

import littlestone as ls
from littlestone.cli.main import main
from littlestone.evaluation import (
    Between,
    ErrorSums,
    Evaluation,
    QuantityEvaluation,
    ScoreHistogram,
    SurvivalEvaluation,
)
from littlestone.evaluation.quantities import last_seen, parts_of_epsilon
from littlestone.report.evaluated import evaluation_facts, proposal_facts, spent_facts

SCHEMA = ls.Schema.from_dict({"age": {"bins": [30, 60]}})
TABLE = {"age": [25, 70] * 500, "ill": [0, 1] * 500, "cost": [1.0, 9.0] * 500}
TABLE |= {"time": [30, 5, 15, 5] * 250, "died": [0, 1] * 500, "few": [0, *[1] * 24] * 40}
TABLE |= {"price": ["$1"] * 1000}
TARGETS = {
    "labels": {"y": "ill"},
    "quantity": {"y": "cost", "target": "quantity", "high": 10},
    "time": {"time": "time", "event": "died", "periods": [10, 20]},
}


def fitted(seed=0, **how):
    return ls.fit(TABLE, epsilon=4, schema=SCHEMA, random_state=seed, **how)


@lru_cache
def of(target, seed=0):
    return fitted(seed, **TARGETS[target])


@pytest.mark.first(1)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.filterwarnings("ignore::littlestone.errors.NotPrivateWarning")
def test_an_evaluation_is_a_short_table_that_says_when_it_is_not_private(target):
    made = of(target)
    evaluation = made.evaluation_
    shown = str(evaluation)
    assert shown == repr(evaluation) == evaluation.summary()
    assert "NOT PRIVATE (seeded)" in shown
    assert "0x" not in shown
    assert 3 < shown.count("\n") + 1 <= 14
    frame = evaluation.to_frame().set_index("figure")
    assert list(frame.columns) == ["value", "low", "high"]
    for name, figure in evaluation.figures.items():
        if isinstance(figure, Between):
            assert tuple(frame.loc[name])[1:] == (figure.low, figure.high)
        elif figure is not None:
            assert frame.loc[name, "value"] == getattr(figure, "value", figure)
    if target != "labels":
        assert next(iter(evaluation.figures)) in str(made)
    if target == "labels":
        assert "NOT PRIVATE" not in str(of(target, None).evaluation_)


def test_of_three_labels_the_accuracy_is_shown():
    histogram = ScoreHistogram((0, 1, 2), ((90, 5, 5), (0, 99, 1), (8, 0, 92)), 300, F(1), F(1, 2))
    (name,), (band,) = zip(*Evaluation(histogram).figures.items(), strict=True)
    assert (name, round(band.value, 2)) == ("accuracy", 0.94)


def test_where_no_cell_is_a_number_nothing_is_said_of_errors_but_a_doubt(tmp_path, capsys):
    how = {"target": "quantity", "high": 100}
    with pytest.warns(UserWarning, match=r"hides whether any record has a number.*\$12"):
        made = fitted(y="price", **how)
    found = made.evaluation_.bands
    assert found.pop("with_target").low == 0
    assert set(found.values()) == {None}
    (tmp_path / "t.csv").write_text("age,price\n" + "25,$1\n70,$9\n" * 500)
    (tmp_path / "s.toml").write_text(SCHEMA.to_toml())
    asked = ["fit", str(tmp_path / "t.csv"), "--y", "price", "--target", "quantity", "--high"]
    asked += ["100", "--epsilon", "4", "--schema", str(tmp_path / "s.toml"), "--seed", "0"]
    assert main(asked) == 0
    shown = capsys.readouterr().out
    assert shown.index("Doubt") < shown.index("Rule ") < shown.index("hidden by noise")


def test_noise_alone_turns_no_band_around():
    """Also where the noisy counts contradict each other; no error is beyond the public range."""
    edges = tuple(F(2) ** i for i in range(-3, 4))
    rng, epsilon, n = np.random.default_rng(0), F(1, 10), 5000
    for _ in range(200):
        noise = np.rint(rng.laplace(0, 80, 8)).astype(int)
        sizes = (*noise[:-1].tolist(), n + int(noise[-1]))
        place = last_seen(sizes, parts_of_epsilon(epsilon, n)[0], 1)
        sums = tuple(abs(int(x)) for x in rng.laplace(0, 60_000, 4))
        found = QuantityEvaluation(
            ErrorSums(sums, sizes, edges, n, epsilon, 100, 1, F(4), edges[place], F(8))
        )
        for band in (found.median, found.ninth_decile):
            assert band.low <= band.value <= band.high
        for mean in (found.mae, found.rmse):
            assert mean.low <= getattr(mean, "value", mean.low) <= mean.high <= max(8, mean.low)


def rmse(errors, squares):
    """Return the RMSE of 5,000 units at epsilon .1, of two noisy sums in hundredths of a reach."""
    edges = tuple(F(2) ** i for i in range(-3, 4))
    sums, sizes = (errors, squares, 60_000, 30_000), (4000, 990, 0, 0, 0, 0, 10, 0)
    return QuantityEvaluation(
        ErrorSums(sums, sizes, edges, 5000, F(1, 10), 100, 1, F(4), F(8), F(8))
    ).rmse


@pytest.mark.parametrize("squares", [-3000, 0, 2000])
def test_a_root_mean_square_is_projected_on_its_band(squares):
    """Large mean errors raise the estimate and the lower end, and neither widens the band."""
    first, *others = [rmse(errors, squares) for errors in (0, 60_000, 80_000, 105_000)]
    for larger in others:
        assert larger.high == pytest.approx(first.high)
        assert larger.low <= larger.value <= larger.high
    assert max(each.value for each in others) == pytest.approx(first.high)
    contradicting = rmse(150_000, squares)
    assert contradicting.low == pytest.approx(first.high)
    assert contradicting.value == contradicting.high < 2.4  # 8 * .3, the mean error


def survival(events, others):
    """Return what is said of two bins of risk and two periods, without noise to speak of."""
    histogram = ScoreHistogram((0, 9), (*others, *events), 4000, F(99), F(50))
    return SurvivalEvaluation(histogram, np.full((2, 2), 0.1), (12.0, 24.0))


@pytest.mark.parametrize(
    ("events", "others", "words"),
    [
        (((100, 300), (100, 200)), ((50, 50), (50, 50), (1900, 1200)), ""),
        (((300, 100), (200, 100)), ((50, 50), (50, 50), (1200, 1900)), "below 0.5"),
        (((900, 1000), (900, 1010)), ((10, 9), (10, 9), (80, 72)), "nearly all records have"),
        (((0, 1), (0, 0)), ((0, 0), (0, 0), (1999, 2000)), ""),
        (((1000, 1000), (1000, 1000)), ((0, 0), (0, 0), (0, 0)), ""),  # nothing is censored
    ],
)
def test_events_that_are_coded_otherwise_are_doubted(events, others, words):
    found = survival(events, others)
    assert words in found.doubt
    assert bool(words) == bool(found.doubt)
    assert ("--event-is" in found.doubt) == bool(words)


def test_a_fit_of_times_says_its_doubt():
    with pytest.warns(
        UserWarning,
        match=r"Nearly all records have the event\. Check the code.*event_is=",
    ):
        fitted(time="time", event="few", periods=[10, 40])


def test_periods_have_two_ends():
    facts = [text for _, text in evaluation_facts(of("time").release_)]
    assert any(text.startswith("0 to 10: ") for text in facts)
    assert any(text.startswith("10 to 20: ") for text in facts)
    assert not [text for text in facts if "until" in text]


def test_the_width_of_an_interval_is_not_said_of_each_tree():
    made = fitted(y="cost", target="quantity", high=10, interval=0.8)
    width = made.hypothesis_.width * made.hypothesis_.parts[1]
    assert f"prediction intervals extend {width:.4g} either side" in str(made)
    assert "each ±" not in str(made)


def test_where_label_and_probability_part_is_said():
    """Recalibrated probabilities may cross .5 elsewhere than the sum crosses 0."""
    schema = ls.Schema.from_dict({"age": {"bins": [30, 60]}})
    made = ls.Scorecard(schema, epsilon=8, evaluate=4, rounds=6, random_state=0)
    release = made.fit([[20], [45], [70]] * 200, [0, 0, 1] * 200).release_
    model = release.hypothesis
    side = np.array(model.margins) > 0
    for curve, said in [
        (np.where(side, 0.8, 0.2), ""),
        (np.where(side, 0.8, 0.6), "0.600"),
        (np.where(side, 0.4, 0.2), "0.400"),
    ]:
        shown = dict(evaluation_facts(replace(release, hypothesis=model.with_curve(curve))))
        words = f"at {said} the label that the rule predicts is not the more probable one"
        assert words in shown["Probability"] if said else "Probability" not in shown


def test_each_part_of_a_document_is_listed_once():
    """With a first count, held-out records and trees; the trees are those of learning."""
    release = of("labels").release_
    names = [name for name, _ in proposal_facts(release.parts, release.proposal)]
    assert names == [part.what.capitalize() for part in release.parts]
    assert len(names) == 3
    inside = [name for name, _ in spent_facts(release)]
    assert inside
    assert all(name.startswith("Learning: ") and "evaluation" not in name for name in inside)
