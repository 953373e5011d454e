"""Linear models, and the rule of `auto`: what was set, and what limits them, is what was kept."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from littlestone.classes import LinearClass
from littlestone.data import Sample, Schema
from littlestone.learners.linear import Linear, auto_takes
from littlestone.source import SeededSource

from .conftest import ROOT, lines_of, words_of

# -- The rule of `auto`, and settings of linear models ---------------------------------------------


@pytest.fixture
def auto(script):
    return script("auto_rule")


def test_the_page_says_what_was_kept_of_settings(auto):
    page, lines = words_of("linear.md"), lines_of(auto.KEPT)
    tables = {line["table"] for line in lines}
    said = re.search(r"On the (\d+) tables with which", page)
    assert said is not None
    assert len(tables) == int(said[1])
    assert tables <= {name for name, *_ in auto.TABLES}

    now = auto.RULES["below 100 a column, 1,000 (now)"]
    auroc, _ = auto.ahead_of(lines, "now", 200, 2_000, now)
    assert f"exceeds that of boosted trees by {auroc.mean():.3f}".replace("0.", ".") in page
    for low, high in pairwise(auto.RANGES):
        before = auto.ahead_of(lines, "before", low, high)[0].mean()
        half = auto.ahead_of(lines, "noise times .5", low, high)[0].mean()
        assert 0.0075 <= half - before <= 0.055
        for setting in auto.SETTINGS:
            if not setting.startswith("noise"):
                gain = auto.ahead_of(lines, setting, low, high)[0].mean() - before
                assert gain < 0.005, (setting, low)


def test_the_rule_of_auto_is_level_with_the_best_that_was_tried(auto):
    lines = lines_of(auto.KEPT)
    means = {
        name: auto.ahead_of(lines, "now", 0, auto.MOST, rule)[0].mean()
        for name, rule in auto.RULES.items()
    }
    now = means["below 100 a column, 1,000 (now)"]
    assert now > max(means.values()) - 0.001
    assert now > means["below 6,000 (before)"]


@pytest.mark.more
def test_the_rule_that_was_tried_is_that_of_the_library(auto):
    """Where there is much to learn, both rank test rows alike."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(9_000, 8))
    y = (x[:, 0] - x[:, 1] + rng.logistic(size=len(x)) > 0).astype(int)
    edges = {f"x{j}": {"bins": [-1, 0, 1] if j else [0]} for j in range(8)}
    schema = Schema.from_dict(edges)
    codes = schema.encode(list(x.T))
    train, test = (codes[:6_000], y[:6_000]), codes[6_000:]
    own = auto.SETTINGS["now"]
    odds = auto.fitted(auto.features(schema, own), train, test, "1", own, 0)
    model = Linear(LinearClass(schema), epsilon=1, delta=auto.DELTA).draw(
        Sample.of(*train), SeededSource(0)
    )
    chances = model.probability(test)
    areas = [auto.roc_auc_score(y[6_000:], scores) for scores in (odds, chances)]
    assert abs(areas[0] - areas[1]) < 0.01
    losses = [auto.log_loss(y[6_000:], p) for p in (1 / (1 + np.exp(-odds)), chances)]
    assert abs(losses[0] - losses[1]) < 0.01


# -- Beside boosted trees --------------------------------------------------------------------------


@pytest.fixture
def linear(script):
    return script("linear")


def cells_of(path):
    return {(line["table"], line["epsilon"], line["family"]): line for line in lines_of(path)}


@pytest.mark.parametrize(("file", "least"), [("KEPT", 6), ("UNSEEN", 10)])
def test_auto_is_one_of_the_families_in_every_cell(linear, file, least):
    cells = cells_of(getattr(linear, file))
    tables = {(table, epsilon) for table, epsilon, _ in cells}
    assert len({table for table, _ in tables}) >= least
    for table, epsilon in tables:
        auto = cells[table, epsilon, "auto"]
        columns, n = int(auto["columns"]), int(auto["n"])
        takes = auto_takes(columns, n, Fraction(epsilon), linear.DELTA)
        assert auto["auroc"] == cells[table, epsilon, "linear" if takes else "boosted"]["auroc"]


def test_the_page_says_what_the_cells_of_unseen_tables_say(linear):
    cells = cells_of(linear.UNSEEN)
    page = (ROOT / "docs" / "comparison.md").read_text("utf-8")
    assert len(cells) == 10 * len(linear.EPSILONS) * 4
    for low, high, title in (
        (0, 200, "below 200"), (200, 2_000, "200 to 2,000"), (2_000, 8_000, "2,000 to 8,000")
    ):  # fmt: skip
        ahead = {
            name: [
                float(line[name]) - float(cells[table, epsilon, "auto before"][name])
                for (table, epsilon, family), line in cells.items()
                if family == "auto" and low <= int(line["n"]) * float(epsilon) < high
            ]
            for name in ("auroc", "log_loss")
        }
        (line,) = (one for one in page.splitlines() if one.startswith(f"| {title} |"))
        found = [float(one.split(" (")[0]) for one in line.split("|")[3:6:2]]
        assert int(line.split("|")[2]) == len(ahead["auroc"])
        assert found == [round(np.mean(ahead[name]), 3) for name in ("auroc", "log_loss")]
        worst, best = map(float, line.split("|")[4].split(","))
        assert [worst, best] == [round(end(ahead["auroc"]), 3) for end in (min, max)]


def test_where_records_are_few_auto_is_ahead_on_the_mean(linear):
    """By .025 at n epsilon of 200 to 2,000, on these tables."""
    lines = lines_of(linear.KEPT)
    before = {(x["table"], x["epsilon"]): x for x in lines if x["family"] == "auto before"}
    ahead = [
        float(x["auroc"]) - float(before[x["table"], x["epsilon"]]["auroc"])
        for x in lines
        if x["family"] == "auto" and 200 <= int(x["n"]) * float(x["epsilon"]) < 2_000
    ]
    assert len(ahead) >= 15
    assert np.mean(ahead) >= 0.025


def test_generated_tables_are_what_they_say(linear):
    for problem in linear.offline():
        assert len(problem.schema) >= 8
        assert problem.codes.shape == (len(problem.labels), len(problem.schema))
        assert 0.03 < problem.labels.mean() < 0.65


def test_of_rare_labels_the_page_says_what_was_kept(script):
    rare_labels = script("rare_labels")
    lines = lines_of(rare_labels.KEPT)
    page = (ROOT / "docs" / "linear.md").read_text("utf-8")
    text = " ".join(page[page.index("*A rare label*") : page.index("## One round")].split())
    assert len(lines) == len(rare_labels.TABLES) == 4
    for family in ("linear", "boosted", "logistic", "best setting"):
        values = [float(line[family]) for line in lines]
        assert f".{min(values) * 100:.0f} to .{max(values) * 100:.0f}" in text, family
    problem, score = rare_labels.generated(*rare_labels.TABLES[0])
    assert abs(problem.labels.mean() - rare_labels.SHARE) < 0.005
    test = np.random.default_rng(0).permutation(len(score))[: 3 * len(score) // 10]
    assert roc_auc_score(problem.labels[test], score[test]) == pytest.approx(
        float(lines[0]["true"]), abs=6e-4
    )


def test_without_privacy_linear_models_and_trees_are_level():
    lines = lines_of("unseen_limits.csv")
    assert len(lines) == 10
    assert all(abs(float(line["logistic"]) - float(line["trees"])) < 0.01 for line in lines)
    assert "logistic regression and boosting are level on all ten" in words_of("comparison.md")


# -- What limits them where records are few --------------------------------------------------------


@pytest.fixture
def limits(script):
    return script("linear_limits")


def test_the_page_says_what_was_kept_of_limits(limits):
    ahead = {
        line["setting"]: float(line["ahead"])
        for line in lines_of(limits.KEPT)
        if line["range"] == "200 to 2000"
    }
    assert ahead.keys() == limits.SETTINGS.keys()
    page = words_of("linear.md")

    def said(setting):
        return f"{ahead[setting]:.3f}".replace("0.", ".")

    assert f"would be higher by {said('no noise')} without noise," in page
    assert f"by {said('half the noise')} with half the noise," in page
    assert f"by {said('true scales')} with columns scaled by their true effects." in page
    exact = f"or {said('together, exact accounting')} with exact accounting"
    unknown = ("no noise", "half", "exact", "true", "one sum", "together, exact")
    tried = [name for name in ahead if not name.startswith(unknown)]
    best = max(tried, key=lambda name: ahead[name])
    assert f"released privately, the best would gain {said(best)}, {exact}" in page


@pytest.mark.more
def test_the_rule_now_is_that_of_the_other_script(limits, script):
    """Scores of test rows are those of ``auto_rule.py``, up to single precision."""
    auto_rule = script("auto_rule")
    rng = np.random.default_rng(0)
    columns = {"a": {"bins": [1, 2, 3]}, "b": {"bins": [1]}, "c": {"categories": ["x", "y", "z"]}}
    schema = Schema.from_dict(columns)
    codes = np.column_stack([rng.integers(2, high, 900) for high in (6, 4, 5)])
    labels = (codes.sum(axis=1) + rng.normal(size=900) > 9).astype(np.int8)
    now = auto_rule.Setting(two=2 / 3)
    tables = auto_rule.features(schema, now)
    train, test = (codes[:600], labels[:600]), codes[600:]
    other = auto_rule.fitted(tables, train, test, "1", now, 3)
    split = limits.Split(tables, 1.0, train, test)
    scores = split.tested @ limits.fitted(split, "1", limits.NOW, 3)
    assert np.corrcoef(scores, other)[0, 1] > 1 - 1e-6
