"""The page of a release: its first screen, accuracy, words."""

from __future__ import annotations

import base64
import math
import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import littlestone as ls
from littlestone.bounds import agnostic, realizable
from littlestone.classes import (
    BoostedTreeClass,
    LinearClass,
    ScorecardClass,
    ThresholdHypothesis,
    TreeEnsemble,
    conjunction,
)
from littlestone.classes.decision_trees import Node, TreeHypothesis
from littlestone.data import Sample, Schema
from littlestone.data.histogram import Groups
from littlestone.data.targets import Count, Periods, Quantity, TargetSample
from littlestone.evaluation import Evaluation, ScoreHistogram
from littlestone.evaluation.histogram import Grouped
from littlestone.learners.boosting import Boosting, Values
from littlestone.learners.linear.learner import Linear
from littlestone.learners.release import Release
from littlestone.learners.running import run
from littlestone.privacy import Guarantee, Neighbours, Part
from littlestone.report import page
from littlestone.report.evaluated import (
    calibration,
    evaluation_facts,
    hidden_words,
    labels_in_set,
    roc,
)
from littlestone.report.first import first_screen, sentence, tripod
from littlestone.report.html import amount, beliefs, integer, odds_factor, percent
from littlestone.report.targets import Shown, effects, noise_ranges
from littlestone.source import SeededSource

from .checker import Checker, embedded, plain

# -- The page: self-contained, accessible, escaped, and a function of the release only -------------

HOSTILE = "</script><script>alert('1')</script><img src=x onerror=alert(1)>&\"\u2028"


def threshold_release(**changes):
    release = Release(
        learner="generic",
        concept_class=ls.Thresholds(1, 99),
        hypothesis=ThresholdHypothesis(17, 1, 99),
        parts=(Part("learning", Guarantee(1, claim="exp-mech.privacy")),),
        certificate=realizable(100, epsilon=1, alpha=0.1, beta=0.05, n=5000),
        n=5000,
        required=186,
        columns={"x": ["age"], "y": "adult", "positive": "1"},
    )
    return replace(release, **changes)


def hostile_release():
    schema = Schema.from_dict({HOSTILE: {"categories": [HOSTILE, "b"]}, "age": {"bins": [30]}})
    rule = conjunction([schema.literals()[0], schema.literals()[4]])
    return threshold_release(
        concept_class=ls.Rules(schema, max_literals=2),
        hypothesis=rule,
        columns={"x": list(schema.names), "y": HOSTILE, "positive": HOSTILE},
    )


@pytest.mark.parametrize(
    "release", [threshold_release(), hostile_release()], ids=["plain", "hostile"]
)
def test_the_page_is_self_contained_and_well_formed(release):
    html = page(release)
    plain(html)
    assert {"main", "header", "footer", "figure", "table", "caption", "details"} <= set(
        Checker(html).tags
    )


@pytest.mark.parametrize(
    "release", [threshold_release(), hostile_release()], ids=["plain", "hostile"]
)
def test_the_release_is_inside_and_reads_back(release):
    html = page(release)
    assert Release.from_dict(embedded(html)) == release
    (link,) = [v for _, _, v in Checker(html).links]
    assert base64.b64decode(link.partition("base64,")[2]).decode() == release.to_json()
    assert page(Release.from_dict(embedded(html))) == html


def test_what_it_says():
    text = Checker(page(threshold_release())).text
    for part in (
        "1 if x > 17, otherwise 0",
        "x is age; label 1: adult is 1",
        "This model predicts whether adult is 1 from “age”. It was learned from 5,000 records with "
        "differential privacy.",
        "The model was not evaluated, so it is not known whether a constant prediction would be as "
        "accurate.",
        "5,000",
        "186",
        "2.72 times",
        "50% 26.8% 73.2%",
        "The certificate holds.",
        "an error rate on new records of at most 10%",
        "with probability at least 95%",
        "exp-mech.tight.realizable",
        "records are drawn independently",
        "littlestone predict model.json",
        "McSherry, Talwar",
    ):
        assert part in text, part
    assert "NOT PRIVATE" not in text


def test_the_derivation_shows_every_step():
    release = threshold_release()
    text = Checker(page(release)).text
    for step in release.certificate.steps:
        assert step.formula in text
        assert step.source in text


def test_the_agnostic_certificate_speaks_of_the_best():
    certificate = agnostic(100, epsilon=1, alpha=0.1, beta=0.05, n=5000)
    text = Checker(page(threshold_release(certificate=certificate))).text
    assert "10 percentage points above that of the best" in text


def test_a_seeded_release_says_so_first_and_last():
    seeded = Guarantee(1, claim="exp-mech.privacy", seeded=True)
    html = page(threshold_release(parts=(Part("learning", seeded),)))
    text = Checker(html).text
    assert text.index("NOT PRIVATE (seeded)") < text.index("The rule")
    assert text.count("NOT PRIVATE (seeded)") == 4, "also in the picture, and its description"
    assert "A private rule" not in html
    assert "Learned with differential privacy" not in html


def test_too_few_records_are_said_plainly():
    certificate = realizable(100, epsilon=1, alpha=0.1, beta=0.05, n=10)
    text = Checker(page(threshold_release(certificate=certificate, n=10))).text
    assert "The certificate does not hold" in text


def test_delta_and_users_change_the_words():
    guarantee = Guarantee(1, Fraction(1, 10**6), Neighbours.USER_REPLACE, "exp-mech.privacy")
    text = Checker(page(threshold_release(parts=(Part("learning", guarantee),)))).text
    assert "2.72· p + 1e-06" in text
    assert "What privacy means for one user" in text
    assert "How sure they can be" not in text  # a statement about odds needs delta = 0
    assert "with several records" not in text


def test_an_evaluation_is_shown_with_its_intervals():
    counts = ((3000, 20), (40, 1940))
    told = ScoreHistogram((0, 1), counts, 5000, Fraction(1, 2), Fraction(1, 4))
    text = Checker(page(threshold_release(evaluation=told))).text
    assert re.search(r"1\.2% \(95% CI [01]\.\d+% to 1\.\d+%\)", text)
    assert "with epsilon 0.5" in text
    assert "The rule has a lower error rate than always predicting 0." in text


def test_a_release_without_column_names():
    html = page(threshold_release(columns=None))
    assert "Label column" not in html
    Checker(html)


def test_an_unregistered_claim_is_named():
    html = page(threshold_release(parts=(Part("learning", Guarantee(1, claim="somebody.else")),)))
    assert "somebody.else" in Checker(html).text


def test_the_page_is_a_function_of_the_release(monkeypatch, tmp_path):
    before = page(threshold_release())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    assert page(threshold_release()) == before
    assert str(tmp_path) not in before


# -- The first screen: what was learned from whom, how good, against what, at what epsilon ---------

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
        " from “age at admission”, “a laboratory value with a long name”, “ward” and “nothing”. It "
        "was learned from 3,200 records."
    )
    start = "This model predicts the"
    assert said["boosted"] == f"{start} probability that died is yes{from_}"
    assert said["several"] == f"{start} “pain” (none, some or much){from_}"
    assert said["quantity"] == f"{start} expected “quantity”{from_}"
    assert said["count"] == f"{start} expected count of “count”{from_}"
    free = "probability that “relapse” has not occurred by the end of each period"
    assert said["time"] == f"{start} {free} (the last ends at “days” = 365){from_}"


def test_the_verdict_is_about_a_plain_rule(releases):
    verdicts = {kind: first_screen(own)["verdict"] for kind, own in releases.items()}
    assert verdicts["boosted"].startswith("The model has a lower error rate (")
    assert "than always predicting 1 (" in verdicts["boosted"]
    assert verdicts["quantity"] == (
        "The model is better than predicting one constant for everyone, judged by its R2."
    )
    assert verdicts["time"] == "The model ranks risks better than chance."
    unknown = replace(releases["boosted"], evaluation=None)
    assert first_screen(unknown)["good"] is None
    assert "it is not known" in first_screen(unknown)["verdict"]
    # where hardly anybody has the label, its yes or no is that of a constant
    points, score = rows(4000)
    sample = Sample.of(points, (score > 19.4).astype(np.int8).tolist())
    learner = Boosting(ScorecardClass(SCHEMA, 60), epsilon=4, delta="1e-6")
    rare = run(learner, sample, SeededSource(0), columns=ABOUT, holdout="0.3", evaluate=4)
    assert rare.quality.better is not True
    said = first_screen(rare)["verdict"]
    assert "It is not clear that the labels it predicts have a lower error rate than" in said


@pytest.mark.parametrize("names", [(0, 1), ("a", "b", "c")])
@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("width", [0, 1, 3])
def test_the_words_of_a_prediction_set_are_its_rule(names, depth, width):
    rng = np.random.default_rng(width)
    splits = SCHEMA.literals()

    def tree(left):
        if not left:
            return int(rng.integers(len(names)))
        return Node(splits[rng.integers(len(splits))], tree(left - 1), tree(left - 1))

    trees = tuple(TreeHypothesis.of(tree(depth), names) for _ in range(12))
    model = TreeEnsemble(trees, Fraction(1, 2), (0,) * len(names), names, width=width)
    words, points, unit = labels_in_set(model, width), rows(500)[0], 1
    scores = model.votes(points)
    if model.additive:
        base, card = model.summed()
        unit = model.unit(base, card)
    if len(names) > 2:
        most = int(re.search(r"at most (\d+)", words)[1])
        assert ("points fewer" in words or "point fewer" in words) == model.additive
        sets = (scores.max(axis=1, keepdims=True) - scores) // unit <= most
    else:
        low, high = map(int, re.search(r"(-?\d+) to (-?\d+), otherwise", words).groups())
        margin = model.margin(points)
        score = (margin - int(base[0])) // unit if model.additive else margin
        both = (low <= score) & (score <= high)
        sets = both[:, None] | (scores == scores.max(axis=1, keepdims=True))
    assert (sets == model.sets(points)).all()


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
            assert figure == f"{found.value:.3f}"
            assert line.startswith(f"95% CI {found.low:.3f} to {found.high:.3f}; ")


def test_a_certified_excess_is_not_called_an_error():
    tiles = [first_screen(threshold_release())["tiles"][0]]
    for n in (5000, 10):
        certificate = agnostic(100, epsilon=1, alpha=0.1, beta=0.05, n=n)
        tiles.append(first_screen(threshold_release(certificate=certificate))["tiles"][0])
    assert tiles == [
        ("Certified error rate", "10%", "186 records needed"),
        ("Certified excess error rate", "10%",
         "over the best concept of the class; 186 records needed"),
        ("Accuracy", "not certified", "186 records needed"),
    ]  # fmt: skip


def test_what_is_not_evaluated_is_not_filled_in(releases):
    own = replace(releases["boosted"], evaluation=None)
    items = dict(tripod(own, []))
    assert len(items) == 27
    assert items["17 Ethical approval"] == "to be completed by the authors"
    assert items["16 Training versus evaluation"] == "not evaluated"
    assert "AUROC" not in items["23 Model performance"]
    assert "4,000 records" in items["10 Sample size"]
    assert ("odds" in items["12 Analytical methods"]) == own.guarantee.pure


def test_first_the_page_is_a_function_of_the_release(releases):
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
    before, _, after = page(own).partition("no larger than noise and sampling alone could produce")
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
@pytest.mark.parametrize("kind", ["boosted", "several", "quantity", "time"])
def test_the_calculator_says_nothing_before_each_column_is_chosen(
    browser, tmp_path, releases, kind
):
    """By the keyboard alone; "missing" is the first choice, and a choice can be taken back."""
    path, own = tmp_path / "p.html", releases[kind]
    page(own, path)
    browser.show(path)
    said = "document.getElementById('calculated').parentElement.innerText"
    shown = "getComputedStyle(document.getElementById('survival') ?? document.body).display"
    n = browser.run("document.querySelectorAll('#calculator select').length")
    browser.run("document.querySelector('#calculator select').focus()")
    for _ in range(n):
        assert browser.run(said).endswith(": choose a value for each column")
        assert not re.search("[0-9]", browser.run(said))
        assert (browser.run(shown) == "none") == (kind == "time")
        browser.press("ArrowDown")
        browser.press("Tab")
    text = browser.run(said)
    if kind == "boosted":
        chance = own.hypothesis.probability(np.ones((1, 4), dtype=np.int16))[0]
        assert text == f"Died: {100 * chance:.1f}%"
    assert bool(re.search("[0-9]", text)) == (kind != "time")
    assert browser.run(shown) != "none"
    browser.press("Shift+Tab")
    browser.press("Home")
    assert "choose a value" in browser.run(said)
    assert browser.run("Object.keys(document.getElementById('calculated').dataset)") == []
    assert browser.complaints == []


# -- ROC, calibration and confusion matrix on pages: what the released counts say, and no more -----

SHOWN_SCHEMA = ls.Schema.from_dict({"age": {"bins": [30]}})
COUNTS = ((600, 0, 200), (50, 0, 150))  # of the margins -1, 0, 1
HISTOGRAM = ScoreHistogram((-1, 0, 1), COUNTS, 1000, Fraction(1), Fraction(1, 2))


def places(drawn, kind):
    """Return the points of the paths of a kind, as shares of the square."""
    paths = [path for own, path in drawn["paths"] if own == kind]
    found = [re.findall(r"[ML]([0-9.]+) ([0-9.]+)", path) for path in paths]
    return [(float(x) / 100, 1 - float(y) / 100) for points in found for x, y in points]


def test_the_curve_and_the_points_are_those_of_the_counts():
    # above the cuts: nothing, 1, 0 and 1, everything
    rates = [rate for point in places(roc(Evaluation(HISTOGRAM)), "curve") for rate in point]
    assert rates == pytest.approx([0, 0, 0.25, 0.75, 0.25, 0.75, 1, 1], abs=1e-3)
    shown = calibration(Evaluation(HISTOGRAM, (-1, 0, 1), (0.1, 0.3, 0.8)), "ill is 1")
    found = places(shown, "dot")
    assert found[0] == pytest.approx((0.1, 50 / 650), abs=1e-3)
    assert found[-1] == pytest.approx((0.8, 150 / 350), abs=1e-3)
    assert shown["y_name"] == "observed: ill is 1"


@pytest.mark.parametrize("number", [1, 9])
def test_the_band_covers_the_curve_of_all_records(number):
    """At each cut, over noise and sampling, in a share of tables that is not below 95 %.

    Also where counts are sums of those of eight groups, and of the records that are in none.
    """
    sites = ls.Schema.from_dict({"site": {"categories": list("abcdefgh")}})
    eight = Groups.parse("test", sites, None)
    rng, n, share = np.random.default_rng(5), 2000, np.array([[0.5, 0.3, 0.15, 0.05],
                                                              [0.1, 0.2, 0.3, 0.4]])  # fmt: skip
    true = [np.append(0, np.cumsum(row[::-1])) for row in share]
    inside = []
    for _ in range(300):
        ones = rng.binomial(n, 0.2)
        exact = np.stack([rng.multinomial(n - ones, share[0]), rng.multinomial(ones, share[1])])
        noise = rng.geometric(1 - np.exp(-0.5), (2, number, 2, 4))
        each = noise[0] - noise[1]
        each[0] += exact  # in which group records are has no part in the sums
        released = Grouped(eight, tuple(tuple(map(tuple, own)) for own in each.tolist()))
        groups = released if number > 1 else None
        histogram = ScoreHistogram(
            (-3, -1, 1, 3), released.total, n, Fraction(1), Fraction(1, 2), groups=groups
        )
        found = Evaluation(histogram)
        upper, lower = (np.array(side).T for side in found.roc_band())
        inside.append(
            (upper[0] <= true[0]) & (true[0] <= lower[0])
            & (lower[1] <= true[1]) & (true[1] <= upper[1])
        )  # fmt: skip
    # 95 % of 300 is 285; fewer than 276 of them have a chance below 1 %
    assert np.sum(inside, axis=0).min() >= 276
    wide = [u[1] - low[1] for u, low in zip(*found.roc_band(), strict=True)]
    assert np.mean(wide[1:4]) < 0.25 * np.sqrt(number)


def test_pages_have_them_only_where_an_evaluation_was_released():
    tree = TreeHypothesis.of(Node(SHOWN_SCHEMA.literals()[0], 1, 0))
    sums = TreeEnsemble((tree,), Fraction(1, 2))
    evaluated = Release(
        learner="boosting", concept_class=ScorecardClass(SHOWN_SCHEMA, 1), hypothesis=sums, n=1000,
        parts=(Part("learning", Guarantee(1, claim="boosting.round")),), certificate=None,
        required=None,
        evaluation=replace(HISTOGRAM, scores=(-1, 1), counts=((600, 200), (50, 150))),
        columns={"x": ["age"], "y": "ill", "positive": "1"},
    )  # fmt: skip
    text = Checker(page(evaluated)).text
    for said in (
        "ROC curve: AUROC 0.750",
        "Calibration: error",
        "600 (75%) 200 (25%)",
        "50 (25%) 150 (75%)",
    ):
        assert said in text
    assert (
        "At this threshold, 75% (±3) of the records with label 1 are predicted as 1 "
        "(sensitivity), and 75% (±1) of the records with label 0 are predicted as 0 (specificity)"
    ) in text
    text = Checker(page(replace(evaluated, evaluation=None))).text
    assert not {"ROC:", "Calibration", "Confusion"} & set(text.split())
    loud = replace(evaluated.evaluation, rate=Fraction(1, 40))
    text = Checker(page(replace(evaluated, evaluation=loud))).text
    assert "600 (75%) 200 (25%)" in text
    assert "sensitivity)" not in text


def test_the_noise_of_a_printed_count_is_said(releases):
    """Nearly all counts of noisy copies lie as near to the exact ones as the page says."""
    release = releases["boosted"]
    histogram = replace(release.evaluation, rate=Fraction(1, 2))
    said = page(replace(release, evaluation=histogram))
    far = int(re.search("noise of each count is about ±([0-9]+)", said)[1])
    rng, exact = np.random.default_rng(3), np.full(np.shape(histogram.counts), 200)
    given, near = np.bincount(release.answers), []
    for _ in range(500):
        noise = np.subtract(*rng.geometric(1 - np.exp(-0.5), (2, *exact.shape)))
        counts = tuple(map(tuple, (exact + noise).tolist()))
        noisy = Evaluation(replace(histogram, counts=counts, n=int(exact.sum())))
        near.append(abs(noisy.printed_confusion(release.answers) - 200 * given) <= far)
    assert np.mean(near, axis=0).min() >= 0.95
    assert np.mean(near, axis=0).min() < 0.999


@pytest.mark.parametrize("kind", ["boosted", "quantity", "time"])
def test_what_noise_hides_is_said_in_a_sentence(releases, kind):
    facts = evaluation_facts(releases[kind])
    assert hidden_words(facts) == ""
    hidden = [(name, "hidden by noise") for name, _ in facts if name in ("AUROC", "R2")]
    hidden += [("Calibration error", "hidden by noise"), ("Error rate", "hidden by noise")]
    said = hidden_words([*hidden, ("", "hidden by noise")])
    assert hidden_words([("R2, errors truncated at 2", "hidden by noise")]).endswith("what R2 is.")
    assert said.endswith("how well calibrated the probabilities are or what the error rate is.")
    assert ("how well the model ranks risks, " in said) == (kind == "boosted")
    assert ("what R2 is, " in said) == (kind == "quantity")


def test_the_page_says_that_calibration_is_hidden(releases):
    release = releases["boosted"]
    assert "The noise is too large to say" not in page(release)
    loud = replace(release.evaluation, rate=Fraction(1, 1000))
    said = "how well the model ranks risks or how well calibrated the probabilities are."
    assert said in page(replace(release, evaluation=loud))


def test_no_curve_is_drawn_where_the_noise_hides_its_area():
    one_label = ScoreHistogram((-1, 0, 1), ((1, -2, 0), (650, 0, 351)), 1000, 1, Fraction(1, 2))
    evaluation = Evaluation(one_label)
    assert evaluation.auroc() is None
    assert roc(evaluation) is None


def test_no_calibration_error_is_said_where_the_noise_hides_it():
    as_found = Evaluation(HISTOGRAM, (-1, 0, 1), (50 / 650, 0.5, 150 / 350))
    assert calibration(as_found, "1")["title"] == "Calibration"
    away = calibration(Evaluation(HISTOGRAM, (-1, 0, 1), (0.5, 0.6, 0.9)), "1")
    assert away["title"].startswith("Calibration: error 0.4")


# -- Numbers in words, against exact arithmetic ----------------------------------------------------


@given(st.integers(-(2**70), 2**70) | st.integers(-(2**3000), 2**3000))
def test_an_integer_is_exact_or_says_that_it_is_not(value):
    shown = integer(value)
    assert len(shown) < 24
    if shown.startswith("≈ "):
        mantissa, exponent = shown[2:].split("e")
        digits = str(abs(value))
        assert int(exponent) == len(digits) - 1
        assert abs(float(mantissa)) == pytest.approx(int(digits[:6]) / 10**5, abs=0.01)
        assert (value < 0) == mantissa.startswith("-")
    else:
        assert eval(shown.replace(",", "")) == value


@pytest.mark.parametrize("power", [64, 1024, 2**16])
@pytest.mark.parametrize("rest", [-999, -1, 0, 1, 7])
def test_neighbours_of_powers_are_exact(power, rest):
    shown = integer(2**power + rest)
    assert eval(shown) == 2**power + rest


def test_an_integer_beyond_pythons_digit_limit():
    assert integer(3**20_000) == "≈ 2.66e9542"


@given(st.fractions(Fraction(1, 100), 12))
def test_odds_factor_is_rounded_up(epsilon):
    assert float(odds_factor(epsilon)) >= math.exp(epsilon) * (1 - 1e-12)
    assert float(odds_factor(epsilon)) <= math.exp(epsilon) * 1.1


@given(st.fractions(Fraction(1, 1000), 40))
def test_beliefs_are_rounded_outward(epsilon):
    factor = math.exp(epsilon)
    for (_, low, high), before in zip(beliefs(epsilon), (0.01, 0.1, 0.5, 0.9), strict=True):
        odds = before / (1 - before)
        least, most = odds / factor / (1 + odds / factor), odds * factor / (1 + odds * factor)
        if "than" not in low:
            assert float(low[:-1]) / 100 <= least + 1e-12
        if "than" not in high:
            assert float(high[:-1]) / 100 >= most - 1e-12


def test_beliefs_at_extreme_epsilons():
    assert beliefs(Fraction(10**6))[0][2] == "more than 99.99%"
    assert beliefs(Fraction(10**6))[3][1] == "less than 0.01%"
    assert beliefs(Fraction(1, 10**300))[2][2] == "50%"


def test_percent_is_never_rounded_to_certainty():
    assert percent(0) == "0%"
    assert percent(1) == "100%"
    assert percent(0.999999) == "more than 99.99%"
    assert percent(0.0051) == "0.51%"


def test_amounts():
    assert amount(Fraction(1, 3)) == "0.333333"
    assert amount(Fraction(6, 3)) == "2"
    assert amount(float("inf")) == "∞"
    assert amount("1.5e400") == "1.5e400"
    assert amount([True, 2]) == "yes, 2"
