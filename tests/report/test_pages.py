"""Pages of sums of trees, quantities, plans, audits and streams."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from itertools import product

import checker
import numpy as np
import pytest

import littlestone as ls
from littlestone.audit import verify
from littlestone.classes import (
    BoostedTreeClass,
    ScorecardClass,
    TreeEnsemble,
    TreeSum,
    dimensions,
)
from littlestone.classes.boosted_trees.export import PARTS
from littlestone.classes.decision_trees import Node, TreeHypothesis
from littlestone.data import Sample
from littlestone.data.targets import Count, Periods, Quantity, TargetSample
from littlestone.errors import ParameterError, UnsupportedError
from littlestone.evaluation import QuantityEvaluation
from littlestone.learners.boosting import Boosting, Values
from littlestone.learners.online.algorithm import OnlineAlgorithm
from littlestone.learners.online.journal import open_stream, read_public
from littlestone.learners.online.plan import plan_online
from littlestone.learners.registry import LEARNERS
from littlestone.learners.release import Release
from littlestone.learners.running import run
from littlestone.privacy import Guarantee, Part
from littlestone.report import Setting, page, plot
from littlestone.report.evaluated import drawn
from littlestone.report.html import integer
from littlestone.report.targets import Shown, calculator, effects, panel, scorecard
from littlestone.source import SeededSource

from .checker import embedded, plain, texts

# -- Pages of plans, audits, dimensions and streams: well formed, escaped, public ------------------

AGES = ls.Thresholds(1, 99)


@pytest.fixture(scope="module")
def plans():
    return ls.plan(AGES, epsilon=1, delta="1e-6", alpha="0.1", beta="0.05")


def test_the_page_of_a_plan(plans):
    html = page(plans)
    text = plain(html)
    assert f"Collect {plans.chosen.n:,} records" in text
    for c in plans:
        assert f"{c.learner}: {integer(c.n)} records" in text
        for step in c.certificate.steps:
            assert step.formula in text
    for bound in plans.lower_bounds:
        assert bound.claim in text
    assert embedded(html) == json.loads(json.dumps(plans.to_dict()))
    assert checker.check_all(embedded(html))
    assert not any(checker.check_all(embedded(html)).values())


@pytest.mark.more
def test_the_page_of_a_plan_for_users():
    text = plain(page(ls.plan(ls.Thresholds(1, 3), epsilon=1, samples_per_user=2)))
    assert "How many users are needed to learn" in text
    assert "group privacy" in text


def test_the_page_of_dimensions():
    found = dimensions(AGES)
    html = page(found, concept_class=AGES)
    assert "Littlestone dimension" in plain(html)
    assert embedded(html) == {"class": AGES.spec, **found.to_dict()}


# -- streams ---------------------------------------------------------------------------------


def stream(folder, labels, *, seed=None, group=700):
    plan = plan_online(AGES, epsilon=2, delta="1e-6", horizon=4000)
    about = {"x": ["age"], "y": "adult", "positive": "1", "parameters": "practical"}
    durable = open_stream(
        folder, OnlineAlgorithm(AGES, plan), seed=seed, ledger=None, durability="kill", about=about
    )
    x = np.arange(len(labels)) * 31 % 99 + 1
    for i in range(0, len(labels), group):
        durable.answer(
            x[i : i + group], np.ones(len(x[i : i + group]), bool), labels[i : i + group]
        )
    durable.acknowledge()
    durable.close()
    return read_public(folder)


def test_the_page_of_a_stream(tmp_path):
    x = np.arange(4000) * 31 % 99 + 1
    public = stream(tmp_path / "s", (x > 40).astype(np.int8), seed=1)
    assert len(public["published"]) > 1
    html = page(public)
    text = plain(html)
    assert embedded(html) == public
    assert "NOT PRIVATE (seeded)" in text
    assert "4,000 rows" in text
    assert "For such a short stream, no bound on mistakes is proved" in text
    assert "Omega(d): at least 3 [littlestone.soa]" in text
    for each in public["published"]:
        assert f"1 if x > {each['hypothesis']['above']}" in text
    private = stream(tmp_path / "p", (x > 40).astype(np.int8))
    assert "NOT PRIVATE" not in page(private)


def test_the_page_of_a_stream_is_a_function_of_the_public_record(tmp_path):
    """It opens no file, so the private part cannot play a part; what is missing is refused."""
    public = stream(tmp_path / "s", np.zeros(700, np.int8))
    html = page(public)
    for file in (tmp_path / "s").iterdir():
        file.unlink()
    assert page(json.loads(json.dumps(public))) == html
    for name in ("stream", "guarantee", "published", "rows"):
        with pytest.raises(ParameterError):
            page({k: v for k, v in public.items() if k != name})
    with pytest.raises(UnsupportedError):
        page({"format": "something else"})


def test_proved_mistakes_are_said():
    public = {
        "format": "littlestone-stream-1",
        "stream": {"class": AGES.to_dict(), "epsilon": "1", "delta": "1/1000000",
                   "horizon": 10**6, "beta": "1/20"},
        "about": {"x": ["age"], "y": "adult", "positive": "1", "constants": "theory"},
        "guarantee": Guarantee(1, Fraction(1, 10**6), claim="online.privacy").to_dict(),
        "planned_batches": 5, "rows": 10, "batches": 0, "stopped": False,
        "published": [],
    }  # fmt: skip
    text = plain(page(public))
    assert "at most 6,354 mistakes among 1,000,000 adaptively chosen records" in text
    assert "No rule is published yet" in text


# -- the page is something that an observer sees ------------------------------------------------

#: Small enough for all paths: a learner of each kind.
KINDS = {
    "generic": ({}, {}),
    "agnostic": ({}, {}),
    "vc1": ({"delta": "0.2"}, {}),
    "users": ({"samples_per_user": 1}, {"records_per_user": 1}),
    "littlestone": ({"delta": "0.2"}, {}),
    "agnostic:vc1": ({"delta": "0.2"}, {}),
}


@pytest.mark.first(3)
@pytest.mark.parametrize("name", KINDS)
def test_the_page_is_as_private_as_the_release(name):
    more, size = KINDS[name]
    assert name in LEARNERS
    concepts = ls.Points(1, 1) if name == "littlestone" else ls.Thresholds(1, 1)
    learner = ls.learners.registry.make(name, concepts, epsilon=2, alpha="0.4", beta="0.4", **more)
    seen = []

    def observer(release):
        seen.append(page(release))
        return seen[-1]

    found = verify(learner, points=[1], n_samples=2, observers=[observer], **size)
    assert found.holds
    assert len(set(seen)) > 1  # different outputs have different pages


def test_a_page_that_shows_more_is_caught():
    learner = ls.GenericLearner(ls.Thresholds(1, 2), epsilon=1.0)
    learned = []
    algorithm = learner.to_learner()
    draw = type(algorithm).draw

    class Telling(type(algorithm)):
        def draw(self, sample, source):
            learned.append(int(sample.ones.sum()))
            return draw(self, sample, source)

    telling = Telling(**vars(algorithm))
    leaky = verify(
        telling, points=[1, 2], n_samples=2,
        observers=[lambda release: page(release).replace("</main>", f"{learned[-1]}</main>")],
    )  # fmt: skip
    assert not leaky.holds


# -- Pages of quantities, counts and times: functions of the release, in the user's units ----------

SCHEMA = ls.Schema.from_dict({
    "age": {"bins": [30, 60]}, "<city>": {"categories": ["<Bonn>", "Rome"]},
})  # fmt: skip
TARGETS_KINDS = {
    "quantity": (Quantity(0, 200, 200), [20, 80, 120, 180], {}),
    "quantile": (Quantity(0, 200, 200), [20, 80, 120, 180], {"loss": "quantile", "quantile": 0.9}),
    "count": (Count(30), [1, 4, 9, 16], {}),
    "time": (Periods((12, 24)), [1, 4, 5, 8], {}),
}


def release(kind, concepts=BoostedTreeClass, **more):
    target, codes, parameters = TARGETS_KINDS[kind]
    rows = np.array([[2, 2], [3, 1], [4, 2], [4, 3]] * 100, dtype=np.int16)
    sample = TargetSample.of(rows, codes * 100)
    made = concepts(SCHEMA, rounds=12, target=target)
    columns = {"x": ["age", "<city>"], "y": "<y>", **({"event": "e"} if kind == "time" else {})}
    learner = Values(made, epsilon=8, **parameters)
    return run(learner, sample, SeededSource(0), columns=columns, **more)


@pytest.mark.parametrize("kind", TARGETS_KINDS)
def test_the_page_is_a_function_of_the_release_and_says_the_target(kind):
    made = release(kind, evaluate=1)
    html = page(made)
    assert html == page(Release.from_dict(made.to_dict()))
    for text in ("<city>", "<Bonn>", "<y>", "label 1", "Label"):
        assert text not in html
    heading = {"quantile": "the 0.9 quantile of &lt;y&gt;", "time": "&lt;y&gt; until e"}
    assert (
        f"Private boosted trees: {heading.get(kind, '&lt;y&gt;')}".replace(
            "Private b", "B"
        ).replace("trees:", "trees (not private):")
        in html
    )
    said = {"quantile": "Pinball loss", "time": "Concordance"}.get(kind, "Mean absolute error")
    assert said in html
    assert html.count("Event-free, by risk") == (0 if kind != "time" else 1)
    groups = re.findall(r'class="curve (\w+)"', html)
    assert groups == (["low", "middle", "high"] if kind == "time" else [])
    assert "--evaluate" not in html
    assert {"age", "<city>", "Event-free, by risk"} & set(texts(plot(made)))


@pytest.mark.first(1)
@pytest.mark.parametrize("kind", ["quantity", "quantile", "count"])
def test_what_was_observed_is_drawn_where_enough_was_counted(kind):
    """Points and fans are where `predicted_observed` says; of less the page says so."""
    few, made = release(kind, evaluate=1), release(kind, evaluate=5)
    assert "Observed values by prediction" not in page(few)
    assert "not reported: at epsilon 1, it needs 2,000 records" in page(few)
    assert "Observed values by prediction" in page(made)
    bins = QuantityEvaluation(made.evaluation).predicted_observed
    figures = drawn(made)["curves"]
    assert len(figures) == (2 if kind == "quantile" else 1)
    places = [
        [(float(x), 100 - float(y)) for x, y in re.findall(r'"dot" d="M(\S+) (\S+)h0"', one)]
        for one in figures
    ]
    assert [len(own) for own in places] == ([0, len(bins)] if kind == "quantile" else [len(bins)])
    for points in places:
        assert [x for x, _ in points] == sorted(x for x, _ in points)
    if kind == "quantile":
        assert [y for _, y in places[1]] == pytest.approx(
            [100 * own.below.value for own in bins], abs=0.1
        )
    else:  # equal distances are equal differences
        (y, *ys), (first, *means) = [y for _, y in places[0]], [own.observed.value for own in bins]
        scale = {
            round((other - y) / (mean - first), 1) for other, mean in zip(ys, means, strict=True)
        }
        assert len(scale) <= 1
    assert made.to_dict()["quality"]["predicted_observed"] == [own.to_dict() for own in bins]


def test_what_cells_of_a_scorecard_do_are_its_effects():
    """Of a sum by columns within the range, means differ as the effects of cells do."""
    made = release("quantity", ScorecardClass)
    shown, effects = Shown(made.hypothesis, SCHEMA), made.hypothesis.effects(SCHEMA)
    everywhere = made.hypothesis.predict(np.array(list(product(range(1, 5), range(1, 4)))))
    assert 0 < everywhere.min() < everywhere.max() < 200
    assert [column.name for column, _ in shown.columns] == ["age", "<city>"]
    for column, means in shown.columns:
        own = [effects[column.name][column.describe(code)] for code in range(1, column.n_codes)]
        assert np.ptp(np.array(means[1:]) - own) < 1e-9


def test_rows_have_the_cells_of_each_column_equally_often():
    rows = Shown(release("count").hypothesis, SCHEMA).rows
    for column, n_codes in enumerate(SCHEMA.n_codes):
        counts = np.bincount(rows[:, column], minlength=n_codes)
        assert counts[:2].sum() == 0
        assert np.ptp(counts[2:]) <= 1


def calculated(browser, row, name):
    """Return what the calculator of a page says of a row of codes."""
    return json.loads(
        browser.run(
            "(() => { for (const field of document.querySelectorAll('#calculator select')) {"
            f" field.value = {list(row)}[field.name];"
            " field.dispatchEvent(new Event('change')); }"
            f" return document.getElementById('calculated').dataset.{name}; }})()"
        )
    )


@pytest.mark.browser
@pytest.mark.parametrize("kind", TARGETS_KINDS)
def test_the_calculator_says_the_prediction_of_each_row(browser, tmp_path, kind):
    made = release(kind)
    page(made, tmp_path / "p.html")
    browser.show(tmp_path / "p.html")
    for row in product(range(1, 5), range(1, 4)):
        said = calculated(browser, row, "value")
        points = np.array([row])
        exact = made.hypothesis.survival if kind == "time" else made.hypothesis.predict
        assert np.allclose(said, exact(points)[0], rtol=1e-12)
    assert browser.complaints == []


@pytest.mark.browser
@pytest.mark.parametrize("kind", ["quantity", "count"])
def test_the_calculator_says_the_interval_of_each_row(browser, tmp_path, kind):
    made = release(kind, interval=0.9, holdout=0.5, evaluate=4)
    html = page(made, tmp_path / "p.html")
    assert "cover a new record" in html
    browser.show(tmp_path / "p.html")
    for row in product(range(1, 5), range(1, 4)):
        said = calculated(browser, row, "interval")
        assert np.allclose(said, made.hypothesis.interval(np.array([row]))[0])
    assert browser.complaints == []


@pytest.mark.browser
@pytest.mark.parametrize("kind", ["quantity", "quantile", "time"])
@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_sticks_out(browser, tmp_path, kind, width):
    page(release(kind, evaluate=5), tmp_path / "p.html")
    browser.show(tmp_path / "p.html", width=width)
    assert browser.overflow() == []


# -- Figures and pages of sums of trees: functions of the release, with what it says in them -------

SUMS_SCHEMA = ls.Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["<Bonn>"]}})
CARD, TREES = ScorecardClass(SUMS_SCHEMA, 9), BoostedTreeClass(SUMS_SCHEMA, 2, 4)
NAMED = ["<low>", "mid", "high"]


def sums_release(concepts, **more):
    points = np.array([[2, 2], [3, 1], [4, 2], [4, 1]] * 300, dtype=np.int16)
    sample = Sample.of(points, [0, 0, 1, 1] * 300)
    return run(Boosting(concepts, epsilon=4), sample, SeededSource(2), **more)


def words(html):
    return " ".join(texts(html))


def test_effects_are_in_the_figure():
    scored = sums_release(ScorecardClass(SUMS_SCHEMA, 9))
    text = words(plot(scored))
    for name, own in scored.hypothesis.effects(SUMS_SCHEMA)[1].items():
        assert name in text
        for value in own.values():
            assert f"{round(100 * value) / 100:+.2f}" in text
    assert "< 60" in text  # cells of equal effects are together


def test_frequent_trees_are_drawn_and_the_rest_is_counted():
    literals = SUMS_SCHEMA.literals()
    trees = [TreeHypothesis.of(Node(s, a, 1 - a)) for s in literals[:5] for a in (0, 1)]
    many = TreeEnsemble((*trees, trees[3], trees[3]), Fraction(1, 2))
    text = words(plot(many, Setting()))  # of an unknown schema
    assert text.count("drawn 3 times") == 1
    assert "drawn once" in text
    distinct = len(set(trees))
    assert distinct > 8
    assert f"and {distinct - 8} other trees" in text
    assert "+1: label 1" in words(plot(TreeEnsemble((TreeHypothesis.of(1),), Fraction(1))))
    assert "always -1: label 0" in words(plot(TreeEnsemble((), Fraction(1))))


@pytest.mark.parametrize("concepts", [CARD, TREES])
@pytest.mark.parametrize("more", [{}, {"evaluate": 1}, {"evaluate": 4, "holdout": "0.3"}])
def test_the_page_says_what_was_spent_and_measured(concepts, more):
    released = sums_release(concepts, **more)
    html = page(released)
    assert html == page(Release.from_dict(released.to_dict()))
    for what, part in released.spent.items():
        assert what in html
        assert part in html
    assert ("AUROC" in html) == bool(more)
    assert ("on new records, with 95% confidence" in html) == ("holdout" in more)
    assert ("The model was not evaluated, so it is not known" in html) == (not more)
    assert ("The scorecard" in html) == (concepts.depth == 1)
    assert "records needed" not in html.lower()
    assert "<Bonn>" not in html


def several(concepts, **more):
    rows = np.array([[2, 2], [3, 1], [4, 2], [4, 1]] * 300, dtype=np.int16)
    sample = Sample.of(rows, [0, 1, 2, 3] * 300, labels=3)
    return run(Boosting(concepts, epsilon=6), sample, SeededSource(2), **more)


@pytest.mark.parametrize("kind", [ScorecardClass, BoostedTreeClass])
def test_several_labels_stand_beside_each_other(kind):
    labels = NAMED
    drawn = several(kind(SUMS_SCHEMA, rounds=9, labels=labels), evaluate=1)
    text = words(plot(drawn))
    for label in labels:
        assert label in text
    for name in drawn.hypothesis.effects(SUMS_SCHEMA)["mid"]:
        assert name in text
    assert "log odds of each label" in text
    html = page(drawn)
    assert "<low>" not in html
    assert "unlisted label" in html
    assert ("to begin with" in html) == (kind is ScorecardClass)
    if kind is ScorecardClass:
        every = np.array([[a, b] for a in range(5) for b in range(3)])
        card = scorecard(drawn.hypothesis, SUMS_SCHEMA)
        start, *columns = card["columns"]
        base = np.array([int(text) for text, *_ in start["cells"][0]["bars"]])
        points = base + added(columns, every, len(labels))
        votes = drawn.hypothesis.votes(every)
        unit = max(1, round(np.ptp(votes[0]) / max(np.ptp(points[0]), 1)))
        differences = votes - votes[:, :1]
        assert (unit * (points - points[:, :1]) == differences).all()


def added(columns, rows, labels=1):
    """Add up the points that a table shows for rows of codes, by its words."""
    total = np.zeros((len(rows), labels), dtype=int)
    for column in columns:
        at = SUMS_SCHEMA.names.index(column["name"])
        for cell in column["cells"]:
            for code in range(SUMS_SCHEMA.n_codes[at]):
                if within(at, code, cell["words"]):
                    total[rows[:, at] == code] += [int(text) for text, *_ in cell["bars"]]
    return total


def within(at, code, words):
    """Say whether a code is among those that words of a table name."""
    if at == 1:  # the city
        return code == 2 if words == "<Bonn>" else code < 2
    ranges = {
        "any number": (2, 3, 4), "< 30": (2,), "< 60": (2, 3), ">= 30": (3, 4), ">= 60": (4,),
        "30 to < 60": (3,), "missing or other": (0, 1),
    }  # fmt: skip
    return code in ranges[words]


@pytest.mark.parametrize("seed", range(6))
def test_the_points_of_a_card_give_the_probability(seed):
    """Merged groups, a folded start and a common unit: the same predictions for every row."""
    rng = np.random.default_rng(seed)
    splits = SUMS_SCHEMA.literals()
    drawn = [(splits[i], int(label)) for i, label in rng.integers(0, (5, 2), (9, 2))]
    trees = [TreeHypothesis.of(Node(split, label, 1 - label)) for split, label in drawn]
    sums = TreeEnsemble((*trees, TreeHypothesis.of(1)), Fraction(1, 3), (0, seed))
    every = np.array([[a, b] for a in range(5) for b in range(3)])
    card = scorecard(sums, SUMS_SCHEMA)
    told = {}
    for text, chance in card["sums"]:
        first, _, last = text.partition("–")
        told |= dict.fromkeys(range(int(first), int(last or first) + 1), chance)
    for total, chance in zip(
        added(card["columns"], every)[:, 0], sums.probability(every), strict=True
    ):
        digits = 0 if 0.01 <= chance <= 0.99 else 1
        assert told[total] == f"{100 * chance:.{digits}f}%"
    least = [
        min(int(text) for cell in column["cells"] for text, *_ in cell["bars"])
        for column in card["columns"]
    ]
    assert set(least) <= {0}


def test_trees_that_cancel_are_no_column():
    split = SUMS_SCHEMA.literals()[0]
    pair = tuple(TreeHypothesis.of(Node(split, label, 1 - label)) for label in (0, 1))
    assert scorecard(TreeEnsemble(pair, Fraction(1)), SUMS_SCHEMA)["columns"] == []


@pytest.mark.parametrize(
    ("by", "named"),
    [
        ({"by": "quarter"}, ["1", "2", "3", "4"]),
        ({"by": "weekday"}, ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]),
        ({"by": "month", "bins": [4, 5]}, ["Jan to Mar", "Apr", "May to Dec"]),
        ({"by": "hour", "bins": [6, 18]}, ["0 to 5", "6 to 17", "18 to 23"]),
        ({"by": "year", "bins": [2023, 2024]}, ["< 2023", "2023", ">= 2024"]),
    ],
)
def test_bins_of_parts_of_dates_have_names(by, named):
    schema = ls.Schema.from_dict({"in": {"type": "date", **by}})
    column, title = schema["in"], f"in ({by['by']})"
    codes = range(2, column.n_codes)
    assert [column.within([code]) for code in codes] == named
    trees = tuple(
        TreeHypothesis.of(Node(test, 1, 0)) for test in schema.literals() if test.op == ">="
    )
    sums = TreeEnsemble(trees, Fraction(1))
    for bars in (effects(sums, schema), scorecard(sums, schema)):
        (shown,) = bars["columns"]
        assert (shown["name"], shown["of"]) == (title, "in")
        assert {cell["words"] for cell in shown["cells"]} >= set(named)
    ((_, field, options),) = calculator(sums, schema, "ill")["fields"]
    assert (field, [text for _, text in options][-len(named) :]) == (title, named)
    if by["by"] == "quarter":
        assert trees[0].describe().startswith("if quarter of in >= 2, ")
    shown = Shown(TreeSum(trees, (PARTS,) * len(trees), (PARTS,), Count(9)), schema)
    chart = panel(shown, *shown.columns[0])
    assert (chart["title"], chart["x"][-1][0]) == (title, named[-1])


@pytest.mark.browser
@pytest.mark.parametrize(
    ("make", "concepts"),
    [(sums_release, CARD), (sums_release, TREES)]
    + [
        (several, kind(SUMS_SCHEMA, rounds=9, labels=NAMED))
        for kind in (ScorecardClass, BoostedTreeClass)
    ],
)
def test_the_calculator_says_the_probability_of_each_row(browser, tmp_path, make, concepts):
    released = make(concepts)
    browser.show(page(released, tmp_path / "p.html") and tmp_path / "p.html")
    for a in range(1, 5):
        for b in range(1, 3):
            told, text = browser.run(
                "(() => { for (const field of document.querySelectorAll('#calculator select')) {"
                f" field.value = [{a}, {b}][field.name];"
                " field.dispatchEvent(new Event('change')); }"
                " const answer = document.getElementById('calculated');"
                " return [JSON.parse(answer.dataset.probability), answer.textContent]; })()"
            )
            row = np.array([[a, b]])
            chances = released.hypothesis.probability(row)[0]
            assert told == pytest.approx(chances.tolist(), rel=1e-12)
            if make is several:
                assert text.startswith(NAMED[released.hypothesis.predict(row)[0]])
    assert browser.complaints == []


@pytest.mark.browser
def test_a_card_of_twelve_columns_fits_on_three_screens(browser, tmp_path):
    """Of 720 pixels, at a width of 1,280; and nothing is wider than a phone."""
    columns = {f"a column {i}": {"bins": [10, 20, 30, 40, 50]} for i in range(12)}
    wide = ls.Schema.from_dict(columns)
    rows = np.random.default_rng(1).integers(2, 8, (3000, 12)).astype(np.int16)
    sample = Sample.of(rows, (rows[:, :4].sum(axis=1) > 18).astype(np.int8))
    learner = Boosting(ScorecardClass(wide, 60), epsilon=1, delta="1e-6")
    found = run(learner, sample, SeededSource(2), evaluate="1/10")
    paid = Part("learning", replace(found.guarantee, seeded=False))
    found = replace(found, parts=(paid,))  # without its banner
    path = tmp_path / "p.html"
    browser.show(page(found, path) and path, width=1280)
    assert browser.run("document.documentElement.scrollHeight") <= 3 * 720
    for name in ("ROC curve: AUROC", "Calibration: error", "predicted 1"):
        assert name in page(found)
    browser.show(path, width=390)
    assert browser.overflow() == []


def test_many_columns_and_labels_are_drawn_in_part():
    wide = ls.Schema.from_dict({f"c{i}": {"bins": [0]} for i in range(15)})
    names = ("a", "b", "c", "d")
    trees = tuple(
        TreeHypothesis.of(Node(s, i % 4, (i + 1) % 4), names)
        for i, s in enumerate(wide.literals()[::2])
    )
    drawn = TreeEnsemble(trees, Fraction(1, 2), (0,) * 4, names)
    text = words(plot(drawn, Setting(domain=ls.data.RowDomain(wide))))
    assert "3 columns of smaller effect are left out" in text
    assert "always a" in words(plot(TreeEnsemble((), Fraction(1), (0,) * 4, names)))
