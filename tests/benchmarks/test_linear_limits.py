"""What limits linear models where records are few: the page says what was kept."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from littlestone.data import Schema

ROOT = Path(__file__).parents[2]


@pytest.fixture
def script(monkeypatch):
    """The script, imported as ``python benchmarks/linear_limits.py`` does."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    import linear_limits

    return linear_limits


def test_the_page_says_what_was_kept(script):
    with script.KEPT.open(encoding="utf-8", newline="") as file:
        ahead = {
            line["setting"]: float(line["ahead"])
            for line in csv.DictReader(file)
            if line["range"] == "200 to 2000"
        }
    assert ahead.keys() == script.SETTINGS.keys()
    page = " ".join((ROOT / "docs" / "linear.md").read_text("utf-8").split())

    def said(setting):
        return f"{ahead[setting]:.3f}".replace("0.", ".")

    assert f"Without noise the AUROC is higher by {said('no noise')}," in page
    assert f"with half of the noise by {said('half the noise')}," in page
    assert f"with columns scaled by their true effects by {said('true scales')}." in page
    unknown = ("no noise", "half", "exact", "true", "one sum", "together, exact")
    tried = [name for name in ahead if not name.startswith(unknown)]
    best = max(tried, key=lambda name: ahead[name])
    assert f"Of the private rules that were tried, the best gains {said(best)}." in page


@pytest.mark.more
def test_the_rule_now_is_that_of_the_other_script(script):
    """Scores of test rows are those of ``auto_rule.py``, up to single precision."""
    import auto_rule

    rng = np.random.default_rng(0)
    columns = {"a": {"bins": [1, 2, 3]}, "b": {"bins": [1]}, "c": {"categories": ["x", "y", "z"]}}
    schema = Schema.from_dict(columns)
    codes = np.column_stack([rng.integers(2, high, 900) for high in (6, 4, 5)])
    labels = (codes.sum(axis=1) + rng.normal(size=900) > 9).astype(np.int8)
    now = auto_rule.Setting(two=2 / 3)
    tables = auto_rule.features(schema, now)
    train, test = (codes[:600], labels[:600]), codes[600:]
    other = auto_rule.fitted(tables, train, test, "1", now, 3)
    split = script.Split(tables, 1.0, train, test)
    scores = split.tested @ script.fitted(split, "1", script.NOW, 3)
    assert np.corrcoef(scores, other)[0, 1] > 1 - 1e-6
