"""The first screen: what was learned from whom, how good, against what, at what epsilon."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import littlestone as ls
from littlestone.classes import BoostedTreeClass, LinearClass, ScorecardClass
from littlestone.data import Sample
from littlestone.data.targets import Count, Periods, Quantity, TargetSample
from littlestone.learners.boosting import Boosting, Values
from littlestone.learners.linear.learner import Linear
from littlestone.learners.release import Release
from littlestone.learners.running import run
from littlestone.report import page
from littlestone.report.first import first_screen, sentence, tripod
from littlestone.report.targets import Shown, effects, noise_ranges
from littlestone.source import SeededSource

from .checker import Checker

COLUMNS = {
    "age at admission": {"bins": [30, 40, 50, 60, 70, 80]},
    "a laboratory value with a long name": {"bins": [100000, 200000, 400000, 1000000]},
    "ward": {"categories": ["surgery", "internal medicine", "paediatrics"]},
    "nothing": {"bins": [1, 2, 3]},
}
SCHEMA = ls.Schema.from_dict(COLUMNS)
ABOUT = {"x": list(COLUMNS), "y": "died", "positive": "yes"}


def rows(n, seed=0):
    rng = np.random.default_rng(seed)
    found = np.stack([rng.integers(2, codes, n) for codes in SCHEMA.n_codes], axis=1)
    return found.astype(np.int16), rng.random(n) * 8 + found[:, 0] + found[:, 1]


def release(kind, n=4000, **more):
    """Return a release of each kind: what is predicted rises with the first two columns."""
    points, score = rows(n)
    more = {"columns": ABOUT, "holdout": "0.2", "evaluate": 2} | more
    if kind in ("quantity", "count", "time"):
        target = {"quantity": Quantity(0, 20, 200), "count": Count(30)}.get(kind)
        target = target or Periods((7, 30, 90, 180, 365))
        most = {"quantity": 200, "count": 30, "time": 10}[kind]
        codes = np.clip(score / 22 * most, 0, most - 1).astype(np.int64)
        if kind == "time":
            codes = 9 - codes
        made = BoostedTreeClass(SCHEMA, rounds=12, target=target)
        columns = {"x": list(COLUMNS), "y": "days" if kind == "time" else kind}
        columns |= {"event": "relapse"} if kind == "time" else {}
        sample = TargetSample.of(points, codes.tolist())
        learner = Values(made, epsilon=2)
        return run(learner, sample, SeededSource(0), **more | {"columns": columns})
    if kind == "several":
        labels = ["none", "some", "much"]
        y = np.digitize(score, [8, 14])
        sample = Sample.of(points, y.tolist(), labels=3)
        learner = Boosting(BoostedTreeClass(SCHEMA, 2, 12, labels), epsilon=2, delta="1e-6")
        return run(learner, sample, SeededSource(0), **more | {"columns": {**ABOUT, "y": "pain"}})
    sample = Sample.of(points, (score > 12).astype(np.int8).tolist())
    if kind == "linear":
        learner = Linear(LinearClass(SCHEMA), epsilon=2, delta="1e-6")
    else:
        made = {"boosted": BoostedTreeClass(SCHEMA, 2, 24), "scorecard": ScorecardClass(SCHEMA, 40)}
        learner = Boosting(made[kind], epsilon=2, delta="1e-6")
    return run(learner, sample, SeededSource(0), **more)


KINDS = ("boosted", "scorecard", "linear", "several", "quantity", "count", "time")


@pytest.fixture(scope="module")
def releases():
    """Return a release of each kind."""
    return {kind: release(kind) for kind in KINDS}


def test_the_sentence_says_what_from_whom_in_the_names_of_the_table(releases):
    said = {kind: sentence(own) for kind, own in releases.items()}
    from_ = (
        ", from “age at admission”, “a laboratory value with a long name”, “ward” and “nothing”: "
        "learned from 4,000 records."
    )
    assert said["boosted"] == f"The probability that died is yes{from_}"
    assert said["several"] == f"Which “pain” (none, some or much){from_}"
    assert said["quantity"] == f"The expected “quantity”{from_}"
    assert said["count"] == f"The expected count “count”{from_}"
    assert said["time"] == (
        f"The probability of “relapse” within each period up to 365 (“days”){from_}"
    )


def test_the_verdict_is_about_a_plain_rule(releases):
    verdicts = {kind: first_screen(own)["verdict"] for kind, own in releases.items()}
    assert verdicts["boosted"].startswith(
        "Better than the trivial rule: it has a lower error rate ("
    )
    assert "than always predicting “yes” (" in verdicts["boosted"]
    assert verdicts["quantity"] == "Better than predicting one constant for everyone, by R2."
    assert verdicts["time"] == "It ranks risks better than chance."
    unknown = replace(releases["boosted"], evaluation=None)
    assert first_screen(unknown)["good"] is None
    assert "it is not known" in first_screen(unknown)["verdict"]
    # where hardly anybody has the label, its yes or no is that of a constant
    points, score = rows(4000)
    sample = Sample.of(points, (score > 19.4).astype(np.int8).tolist())
    learner = Boosting(ScorecardClass(SCHEMA, 60), epsilon=4, delta="1e-6")
    rare = run(learner, sample, SeededSource(0), columns=ABOUT, holdout="0.3", evaluate=4)
    assert rare.quality.better is not True
    assert "is not shown to do better than never predicting" in first_screen(rare)["verdict"]


def test_tiles_are_figures_of_the_release(releases):
    for kind, own in releases.items():
        tiles = {name: (figure, line) for name, figure, line in first_screen(own)["tiles"]}
        assert tiles["Records"] == ("4,000", "800 of them held out for the evaluation")
        assert tiles["Privacy loss ε"][0] == "2"
        assert "right at most 88.1%" in tiles["Privacy loss ε"][1]
        band = {
            "boosted": lambda measured: measured.auroc(),
            "quantity": lambda measured: measured.r2,
            "time": lambda measured: measured.concordance,
        }.get(kind)
        if band is not None:
            found, name = band(own.measured), {"boosted": "AUROC", "time": "Concordance"}
            figure, line = tiles[name.get(kind, "R2")]
            assert figure == f"{found.value:.2f}"
            assert line.startswith(f"{found.low:.2f} to {found.high:.2f} at 95%; ")


def test_what_is_not_evaluated_is_not_filled_in(releases):
    own = replace(releases["boosted"], evaluation=None)
    items = dict(tripod(own, []))
    assert len(items) == 27
    assert items["17 Ethical approval"] == "to be completed by the authors"
    assert items["16 Training versus evaluation"] == "not evaluated"
    assert "AUROC" not in items["23 Model performance"]
    assert "4,000 records" in items["10 Sample size"]


def test_the_page_is_a_function_of_the_release(releases):
    for kind in ("linear", "several", "quantity"):
        html = page(releases[kind])
        assert html == page(Release.from_dict(releases[kind].to_dict()))
        assert Checker(html).tags.count("h1") == 1


@pytest.mark.parametrize("kind", ["scorecard", "linear", "boosted"])
def test_what_noise_alone_makes_is_folded_and_what_matters_is_not(releases, kind):
    own = releases[kind]
    model, noise = own.hypothesis, noise_ranges(own)
    ranges = {column["name"]: column["range"] for column in effects(model, SCHEMA)["columns"]}
    assert ranges["age at admission"] > noise["age at admission"]
    assert ranges.get("nothing", 0) <= noise["nothing"]
    before, _, after = page(own).partition("no larger than noise alone would produce")
    assert "<caption>age at admission</caption>" in before
    assert "<caption>age at admission</caption>" not in after
    assert "<caption>nothing</caption>" not in before


def test_a_file_that_says_nonsense_of_its_spending_has_a_page(releases):
    for own, spent in ((releases["boosted"], "zCDP x"), (releases["boosted"], "zCDP 0")):
        assert page(replace(own, spent={"counts of columns": spent}))
    assert page(replace(releases["linear"], n=10**1000, evaluation=None))


@pytest.mark.more
@pytest.mark.parametrize("kind", ["scorecard", "linear", "boosted"])
def test_columns_that_say_nothing_are_folded_nearly_always(kind):
    """Of labels that are coins, at most a tenth of the columns is not folded."""
    shown = []
    for seed in range(25):
        points, _ = rows(1500, seed)
        y = np.random.default_rng(seed).random(1500) < 0.3
        sample = Sample.of(points, y.astype(np.int8).tolist())
        learner = (
            Linear(LinearClass(SCHEMA), epsilon=1, delta="1e-6")
            if kind == "linear"
            else Boosting(
                ScorecardClass(SCHEMA) if kind == "scorecard" else BoostedTreeClass(SCHEMA, 2),
                epsilon=1, delta="1e-6",
            )
        )  # fmt: skip
        own = run(learner, sample, SeededSource(seed))
        noise, drawn = noise_ranges(own), effects(own.hypothesis, SCHEMA)
        shown += [column["range"] > noise[column["name"]] for column in drawn["columns"]]
    assert np.sum(shown) <= 10  # of up to 100


@pytest.mark.more
@pytest.mark.parametrize("kind", ["quantity", "count", "time"])
def test_columns_that_say_nothing_of_a_number_are_folded_nearly_always(kind):
    shown = []
    target = {"quantity": Quantity(0, 20, 200), "count": Count(30)}.get(kind)
    made = BoostedTreeClass(SCHEMA, rounds=12, target=target or Periods((7, 30, 90, 180, 365)))
    for seed in range(10):
        points, _ = rows(1500, seed)
        rng = np.random.default_rng([7, seed])
        codes = {"quantity": rng.integers(60, 140, 1500), "count": rng.poisson(3, 1500)}
        y = codes.get(kind, rng.integers(0, 10, 1500))
        sample = TargetSample.of(points, y.clip(0, made.target.size - 1).tolist())
        own = run(Values(made, epsilon=1), sample, SeededSource(seed))
        noise, asked = noise_ranges(own), Shown(own.hypothesis, SCHEMA).asked
        drawn = own.hypothesis.effects(asked)
        shown += [np.ptp([*drawn[name].values()]) > noise[name] for name in drawn if name in noise]
    assert np.sum(shown) <= 4  # of up to 40
    assert len(shown) > 20


# -- in a browser ------------------------------------------------------------------------------

_TOUCHING = """
[...document.querySelectorAll('.ls-plot')].flatMap(plot =>
  ['x', 'y', 'end'].flatMap(kind => {
    const boxes = [...plot.querySelectorAll('small.' + kind)].map(e => e.getBoundingClientRect());
    return boxes.flatMap((a, i) => boxes.slice(i + 1).filter(b =>
      a.left < b.right && b.left < a.right && a.top + 1 < b.bottom && b.top + 1 < a.bottom));
  }))
.concat([...document.querySelectorAll('.ls-bars .axis .bar')].flatMap(bar => {
    const boxes = [...bar.querySelectorAll('small')].map(e => {
      const range = document.createRange(); range.selectNodeContents(e);
      return range.getBoundingClientRect(); });
    return boxes.flatMap((a, i) => boxes.slice(i + 1).filter(b =>
      a.width && b.width && a.left < b.right && b.left < a.right));
  })).length
"""


@pytest.mark.browser
@pytest.mark.parametrize("kind", KINDS)
def test_the_first_screen_says_all_and_nothing_overlaps(browser, tmp_path, releases, kind):
    """At both sizes, light and dark: summary above the fold, ticks apart, nothing sticks out."""
    paid = tuple(
        replace(part, guarantee=replace(part.guarantee, seeded=False))
        for part in releases[kind].parts
    )
    path = tmp_path / "p.html"
    page(replace(releases[kind], parts=paid), path)  # without the banner of a seed
    for width, height, dark in ((1280, 800, False), (390, 844, True)):
        browser.show(path, width=width, height=height, dark=dark)
        assert browser.run("document.querySelector('#first').getBoundingClientRect().bottom") <= (
            height
        )
        assert browser.run("[...document.querySelectorAll('#first dd')].length") >= 6
        browser.run("document.querySelectorAll('details').forEach(e => { e.open = true; })")
        assert browser.run(_TOUCHING) == 0
        assert browser.run("document.documentElement.scrollWidth") <= width
        inside = "[...document.querySelectorAll('.scroll')].every(e => e.clientWidth <= innerWidth)"
        assert browser.run(inside)
        assert browser.complaints == []


@pytest.mark.browser
def test_the_calculator_starts_at_missing(browser, tmp_path, releases):
    path = tmp_path / "p.html"
    page(releases["boosted"], path)
    browser.show(path)
    first = (
        "[...document.querySelectorAll('#calculator select')].map(e => e.selectedOptions[0].text)"
    )
    assert set(browser.run(first)) <= {"missing", "missing or other"}
    own = releases["boosted"].hypothesis.probability(np.ones((1, 4), dtype=np.int16))[0]
    said = browser.run("document.getElementById('calculated').parentElement.textContent")
    assert said == f"Died: {100 * own:.1f}%"
