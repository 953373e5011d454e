"""What linear models and `auto` were set on: the page says what was kept."""

from __future__ import annotations

import csv
import re
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
    said = re.search(r"On (\d+) tables on which", page)
    assert said is not None
    assert len(tables) == int(said[1])
    assert tables <= {name for name, *_ in script.TABLES}

    def ahead(setting, low, high, rule=lambda *_: True):
        return script.ahead_of(lines, setting, low, high, rule)

    now = script.RULES["below 100 a column, 1,000 (now)"]
    taken = {
        (line["table"], line["epsilon"])
        for line in lines
        if now(int(line["columns"]), int(line["n"]) * float(line["epsilon"]))
    }
    cells = [line for line in lines if (line["table"], line["epsilon"]) in taken]
    auroc, loss = script.ahead_of(cells, "now", 0, script.MOST)
    assert 0.0075 <= auroc.mean() <= 0.015  # "about .01"
    assert loss.mean() < 0
    assert -0.015 <= ahead("now", 4_000, script.MOST)[0].mean() <= -0.005  # "by as much"
    for low, high in zip(script.RANGES, script.RANGES[1:], strict=False):
        before = ahead("before", low, high)[0].mean()
        assert 0.005 <= ahead("noise times .5", low, high)[0].mean() - before <= 0.055
        for setting in script.SETTINGS:
            if "noise" not in setting:
                assert ahead(setting, low, high)[0].mean() - before < 0.0045, (setting, low)


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
