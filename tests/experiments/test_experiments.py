"""Experiments run, and their committed results say what the page says of them."""

import csv
import importlib
import math
import re
import runpy
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import littlestone as ls
from littlestone.data import Sample
from littlestone.learners.exponential import Agnostic
from littlestone.source import Explicit, SeededSource

ROOT = Path(__file__).parents[2]
SCRIPTS, RESULTS = ROOT / "experiments", ROOT / "docs" / "experiments"
NAMES = ["table1", "users_needed", "depth", "stability", "mistakes", "dp_erm", "references"]
COLUMNS = ["figure", "series", "kind", "x", "y", "low", "high", "claim"]


@pytest.fixture(autouse=True)
def _on_the_path(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPTS))


def table(path):
    """Return the lines of a CSV file."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def above(rows):
    """Return all pairs of a certificate and a measurement of the same thing."""
    measured = {}
    for r in rows:
        if r["kind"] == "measured":
            # the mistakes of several streams lie under one certificate
            series = re.sub(r", (uniform|hard) points$", "", r["series"])
            measured.setdefault((r["figure"], series, r["x"]), []).append(float(r["y"]))
    return [
        (float(r["y"]), y)
        for r in rows
        if r["kind"] == "certified"
        for y in measured.get((r["figure"], r["series"], r["x"]), [])
    ]


@pytest.mark.more
@pytest.mark.parametrize("name", NAMES)
def test_script_runs_quickly(name, tmp_path, monkeypatch, capsys):
    """As a program, into another folder: files, columns, certificates above."""
    monkeypatch.setattr("sys.argv", [name, "--quick", "--folder", str(tmp_path)])
    runpy.run_path(str(SCRIPTS / f"{name}.py"), run_name="__main__")
    said = capsys.readouterr()
    rows = table(tmp_path / f"{name}.csv")
    assert list(rows[0]) == COLUMNS
    assert {r["kind"] for r in rows} <= {"certified", "measured", "bound"}
    assert len(said.err.splitlines()) == len(rows) + 1  # progress, and nothing else
    assert said.out == ""
    for r in rows:
        assert r["claim"] or r["kind"] == "measured"
        assert math.isfinite(float(r["y"]))
    assert all(certified >= measured for certified, measured in above(rows))
    figures = {r["figure"] for r in rows}
    assert {p.stem for p in tmp_path.glob("*.svg")} == figures
    for path in tmp_path.glob("*.svg"):
        assert 'role="img"' in path.read_text(encoding="utf-8")
    same = {r["figure"] for r in table(RESULTS / f"{name}.csv")}
    assert figures <= same


@pytest.mark.parametrize("name", NAMES)
def test_committed_certificates_lie_above_what_was_measured(name):
    rows = table(RESULTS / f"{name}.csv")
    pairs = above(rows)
    if name == "stability":  # the other way round: a lower bound of a frequency
        theta = {r["figure"]: max(float(b["y"]) for b in rows if b["figure"] == r["figure"]
                 and b["kind"] == "bound") for r in rows}  # fmt: skip
        best = [r for r in rows if r["series"].endswith("best k")]
        assert len(best) >= 20
        assert all(float(r["high"]) >= theta[r["figure"]] for r in best)
    else:
        assert len(pairs) >= 5
        assert all(certified >= measured for certified, measured in pairs)
    importlib.import_module(name)  # rooms register their claims
    known = {claim.id for claim in ls.bounds.claims()}
    for r in rows:
        if r["kind"] == "certified":
            assert set(r["claim"].split()) <= known, r["claim"]


@pytest.mark.parametrize("name", NAMES)
def test_committed_slopes_are_those_of_the_committed_numbers(name):
    """Recomputed from the CSV by another library function; and as theory says."""

    module = importlib.import_module(name)
    series = importlib.import_module("series")
    rows = series.read(RESULTS / f"{name}.csv")
    slopes = list(series.fits_of(rows, module.FITS))
    assert len(slopes) == len(module.FITS)
    shown = table(RESULTS / f"{name}-fits.csv")
    assert [series.written(s.slope) for s in slopes] == [r["slope"] for r in shown]
    for s in slopes:
        assert s.agrees, s
        points = [(r.x, r.y) for r in rows if (r.figure, r.series, r.kind)
                  == (s.figure, s.series, s.kind) and s.x_from <= r.x <= s.x_to]  # fmt: skip
        xs, ys = (np.array(v, dtype=float) for v in zip(*points, strict=True))
        xs = xs if s.law == "linear" else np.log(xs)
        ys = np.log(ys) if s.law == "log-log" else ys
        assert np.polyfit(xs, ys, 1)[0] == pytest.approx(s.slope, rel=1e-3, abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_committed_figures_are_drawn_from_the_committed_numbers(name, tmp_path):

    module, series = (importlib.import_module(n) for n in (name, "series"))
    rows = series.read(RESULTS / f"{name}.csv")
    slopes = list(series.fits_of(rows, module.FITS))
    for figure in module.FIGURES:
        text = (RESULTS / f"{figure.name}.svg").read_text(encoding="utf-8")
        assert text == series.drawn(figure, rows, slopes) + "\n"


def test_the_page_shows_every_figure():
    text = (RESULTS.parent / "experiments.md").read_text(encoding="utf-8")
    for path in RESULTS.glob("*.svg"):
        assert f"experiments/{path.name})" in text


def test_measured_failures_of_table_1_are_those_of_the_learner():
    """The closed form given counts, against the learner's own draws."""
    import table1

    hard = table1.family(0.1)[1]
    assert hard.kinds.sum() == pytest.approx(1)
    counts = np.array([[150, 120, 145, 130, 30, 25]])
    behind = np.stack([counts[:, 0] - counts[:, 1], counts[:, 2] - counts[:, 3]], axis=1)
    chance = table1.lost(0.5, 2**10, behind)[0]
    low, high = 2**9 - 1, 2**9
    points = np.repeat([low, low, high, high, 1, 1], counts[0])
    labels = np.repeat([0, 1, 1, 0, 0, 1], counts[0])
    learner = Agnostic(ls.Thresholds(1, 2**10), epsilon=1, alpha=0.1, beta=0.05)
    sample = Sample.of(points, labels)
    runs = 400
    bad = sum(learner.draw(sample, SeededSource(seed)).above != low for seed in range(runs))
    assert abs(bad / runs - chance) < 4 * math.sqrt(chance * (1 - chance) / runs) + 0.01
    assert 0.1 < chance < 0.9


@pytest.mark.more
def test_runs_of_the_users_experiment_are_those_of_the_plan():
    """Three thresholds: explicit chances given three scores, against the plan's own draws."""
    import table1
    import users_needed as users

    class Scores:
        """The clipped errors of three hypotheses."""

        def __init__(self, held):
            self.held = held

        def scores(self, t, width):
            return np.clip(self.held - t, 0, width).sum(axis=1)

        def least(self, t, *, width=1):
            return int(self.scores(t, width).min())

        def draw(self, t, rate, source, *, width=1):
            return Explicit(-self.scores(t, width)).draw(rate, source)

    hard, n, runs = table1.family(0.1)[1], 12, 400
    plan = users.learner(1, "1", "0.1", 16, "user-level").plan.chosen
    rng, bad = np.random.default_rng(0), 0
    for seed in range(runs):
        errors, source = Scores(users.mistakes(hard, 16, n, rng)), SeededSource(seed)
        t = plan.locate(errors, n, source)
        rate = plan.epsilon_choice / (2 * plan.width)
        bad += errors.draw(t, rate, source, width=plan.width) != 1
    chance = np.mean([users.failed(plan, hard, 1, n, rng) for _ in range(4 * runs)])
    assert abs(bad / runs - chance) < 4 * math.sqrt(chance * (1 - chance) / runs)
    assert 0.2 < chance < 0.7


def test_fit_and_least():
    import series

    slope, low, high = series.fit([1, 2, 4, 8], [3, 5, 9, 17], "linear")
    assert (slope, low, high) == pytest.approx((2, 2, 2))
    assert series.fit([1, 10, 100], [0, 1, 2], "log-x")[0] == pytest.approx(1 / math.log(10))
    noisy = series.fit([1, 2, 3, 4], [1, 2.2, 2.9, 4.1], "linear")
    assert noisy[1] < 1 < noisy[2]
    assert series.least(lambda n: 1 / n, 4, 0.01, precision=0) == 100


@pytest.mark.more
@pytest.mark.parametrize("row", ["alon.generic", "alon.lemma15", "lwy.theorem4.6"])
def test_what_the_papers_need_in_simulation(row):
    """The worst distribution fails as often as the table says; with less some fail too often."""
    needs = importlib.import_module("papers_needed")
    one = next(each for each in needs.needed() if each.row == row)
    learner, law = needs.within_goal(one, one.simulated_with), needs.laws_of(one)[one.worst]
    assert needs.failures(learner, law, one.simulated) == one.failures
    less = round(one.simulated / 2 ** (1 / 4))
    assert any(needs.failures(learner, each, less) > 12 for each in needs.laws_of(one).values())


def test_rehearsals_agree_with_private_halves():
    """The share of cells within the band of sampling is not below 90 %, as far as they can say."""
    rows = table(RESULTS / "rehearsal_twins.csv")
    for row in rows:
        error, reach = float(row["error"]), float(row["reach"])
        assert error == pytest.approx(float(row["rehearsed"]) - float(row["private"]), abs=2e-4)
        assert int(row["agrees"]) == (abs(error) <= reach)
    assert len({row["table"] for row in rows}) == 9
    assert sum(int(row["agrees"]) for row in rows) >= 0.9 * len(rows)


def test_an_aim_is_reached_as_often_as_said_on_average_over_splits():
    """Of one split by luck: halves differ. With half as many records the aim is missed."""
    rows = table(RESULTS / "rehearsal_splits.csv")
    assert [int(row["split"]) for row in rows] == list(range(1, 13))
    differ = [float(row["private"]) - float(row["rehearsed"]) for row in rows]
    reach = 1.96 * np.std(differ, ddof=1) / np.sqrt(len(rows))
    assert abs(np.mean(differ)) <= reach
    halves = np.sqrt(2 * np.mean([float(row["half"]) ** 2 for row in rows]))
    assert np.std(differ, ddof=1) <= halves * np.sqrt(stats.chi2.ppf(0.999, 11) / 11)
    reached = sum(int(row["reached"]) for row in rows) / sum(int(r["private fits"]) for r in rows)
    assert reached >= 0.8 - 0.15
    aims = {(row["table"], row["records"]): row for row in table(RESULTS / "rehearsal_aims.csv")}
    for (name, records), row in aims.items():
        share = int(row["reached of 40"]) / 40
        if int(records) < int(row["needed"]):
            assert share < float(row["chance"])
        elif name != "survival":  # by luck, see above
            assert share >= float(row["chance"]) - 0.15


@pytest.mark.more
@pytest.mark.parametrize("seed", range(10))
def test_rows_of_splits_are_what_they_say(seed):
    """Ten made-up splits: the share that reaches what four of five runs do is that of the law."""
    twins = importlib.import_module("rehearsal_twins")
    rng = np.random.default_rng(seed)
    guess, truth = rng.normal(0.7, 0.01, 2000), rng.normal(0.7, 0.01, 2000)
    row = twins.compared("t", seed, 9, 0.01, guess, truth.tolist())
    assert int(row["reached"]) / 2000 == pytest.approx(0.8, abs=0.05)
    assert float(row["deviation"]) == pytest.approx(0.01, rel=0.1)


def test_bands_of_auroc_hold_and_are_narrow():
    """As many as may fail by chance, in every cell; noise and sampling, rare labels included."""
    rows = table(RESULTS / "evaluations.csv")
    assert len({row["table"] for row in rows}) == 6
    assert {int(row["n"]) for row in rows} == {2_000, 5_000, 15_000}
    assert len(rows) == 18
    for row in rows:
        inside, of = int(row["inside"]), int(row["evaluations"])
        assert of >= 100
        limit = 1.0 if inside == of else stats.beta.ppf(0.999, inside + 1, of - inside)
        assert limit == pytest.approx(float(row["upper_limit"]), abs=1e-4)
        assert limit >= 0.95, row
        if int(row["n"]) >= 5_000 and float(row["share"]) > 0.1:
            assert float(row["half_width"]) <= (0.06 if int(row["n"]) == 5_000 else 0.045)


def test_bands_of_groups_hold_where_they_are_shown():
    rows = [row for row in table(RESULTS / "evaluations-groups.csv") if int(row["shown"])]
    assert {row["figure"] for row in rows} == {"error", "auroc", "calibration", "positive"}
    assert min(float(row["upper_limit"]) for row in rows) >= 0.95
    assert max(float(row["width"]) for row in rows) < 0.2


def test_what_is_left_open_of_ties_is_enough_at_every_size():
    """On generated tables, by the rule of the script."""
    rows, open_ = table(RESULTS / "bands_chosen.csv"), {}
    for n in {row["n"] for row in rows}:
        for unsure in {row["unsure"] for row in rows}:
            own = [r for r in rows if (r["n"], r["unsure"]) == (n, unsure) and int(r["bands"])]
            pairs = [(int(row["inside"]), int(row["bands"])) for row in own]
            right = sum(i for i, _ in pairs) >= 0.95 * sum(of for _, of in pairs)
            right &= all(i == of or stats.beta.ppf(0.999, i + 1, of - i) >= 0.95 for i, of in pairs)
            open_[int(n), unsure] = right
    assert all(open_[n, "rule"] for n in (2_000, 5_000, 20_000, 100_000))


def test_effects_of_columns_that_say_nothing_are_folded():
    """At most one in twenty columns of each kind is shown, by the limits of the package."""
    rows = table(RESULTS / "effects_chosen.csv")
    kinds = {row["predicted"] for row in rows}
    assert {kind.partition(",")[0] for kind in kinds} == {"labels", "quantity", "count", "time"}
    for kind in kinds:
        shown = [int(row["shown"]) for row in rows if row["predicted"] == kind]
        assert len(shown) >= 30
        assert sum(shown) <= 0.05 * len(shown)
