"""What linear models and `auto` were set on: the page says what was kept."""

from __future__ import annotations

import csv
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from littlestone.classes import LinearClass
from littlestone.data import Sample, Schema
from littlestone.learners.linear import Linear
from littlestone.source import SeededSource

ROOT = Path(__file__).parents[2]


@pytest.fixture
def script(monkeypatch):
    """The script, imported as ``python benchmarks/auto_rule.py`` does."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    import auto_rule

    return auto_rule


@pytest.fixture
def lines(script):
    with script.KEPT.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_page_says_what_was_kept(script, lines):
    page = (ROOT / "docs" / "linear.md").read_text("utf-8")
    tables = {line["table"] for line in lines}
    said = re.search(r"On the (\d+) tables with which", page)
    assert said is not None
    assert len(tables) == int(said[1])
    assert tables <= {name for name, *_ in script.TABLES}

    now = script.RULES["below 100 a column, 1,000 (now)"]
    auroc, _ = script.ahead_of(lines, "now", 200, 2_000, now)
    assert f"exceeds that of boosted trees by {auroc.mean():.3f}".replace("0.", ".") in page
    for low, high in pairwise(script.RANGES):
        before = script.ahead_of(lines, "before", low, high)[0].mean()
        half = script.ahead_of(lines, "noise times .5", low, high)[0].mean()
        assert 0.0075 <= half - before <= 0.055
        for setting in script.SETTINGS:
            if not setting.startswith("noise"):
                gain = script.ahead_of(lines, setting, low, high)[0].mean() - before
                assert gain < 0.005, (setting, low)


def test_the_rule_of_auto_is_level_with_the_best_that_was_tried(script, lines):
    means = {
        name: script.ahead_of(lines, "now", 0, script.MOST, rule)[0].mean()
        for name, rule in script.RULES.items()
    }
    now = means["below 100 a column, 1,000 (now)"]
    assert now > max(means.values()) - 0.001
    assert now > means["below 6,000 (before)"]


@pytest.mark.more
def test_the_rule_that_was_tried_is_that_of_the_library(script):
    """Where there is much to learn, both rank test rows alike."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(9_000, 8))
    y = (x[:, 0] - x[:, 1] + rng.logistic(size=len(x)) > 0).astype(int)
    edges = {f"x{j}": {"bins": [-1, 0, 1] if j else [0]} for j in range(8)}
    schema = Schema.from_dict(edges)
    codes = schema.encode(list(x.T))
    train, test = (codes[:6_000], y[:6_000]), codes[6_000:]
    own = script.SETTINGS["now"]
    odds = script.fitted(script.features(schema, own), train, test, "1", own, 0)
    model = Linear(LinearClass(schema), epsilon=1, delta=script.DELTA).draw(
        Sample.of(*train), SeededSource(0)
    )
    chances = model.probability(test)
    areas = [script.roc_auc_score(y[6_000:], scores) for scores in (odds, chances)]
    assert abs(areas[0] - areas[1]) < 0.01
    losses = [script.log_loss(y[6_000:], p) for p in (1 / (1 + np.exp(-odds)), chances)]
    assert abs(losses[0] - losses[1]) < 0.01
