"""Columns, a fit over them and its evaluation as one law: all tables of one record, exactly."""

from __future__ import annotations

import math
from fractions import Fraction as F

import numpy as np
import pytest

import littlestone as ls
from littlestone.classes import ScorecardClass
from littlestone.data import Sample, proposal
from littlestone.data.histogram import Cell
from littlestone.data.proposal import plan, tally
from littlestone.learners import release as releases
from littlestone.learners import running
from littlestone.learners.boosting import learner as boosting
from littlestone.learners.fit import asked_of
from littlestone.learners.running import _histogram
from littlestone.mechanisms import estimate
from littlestone.source import ExactSource, SeededSource

from ..exact_noise import table_gaussian

EPSILON, DELTA = 12, F(1, 4)
CELLS, LABELS = (None, "0", "1"), ("no", "yes")
LOW, HIGH = Cell(0, 1, 0), Cell(1, 2, 0)


@pytest.fixture
def tiny(monkeypatch):
    """Two cells of numbers, no parts, one tree, one cell of margins, and noise in one draw."""
    for module in (running, releases):
        monkeypatch.setattr(module, "scores_of", lambda model, *_, **__: (max(model.margins),))
    monkeypatch.setattr(proposal, "grid", lambda *, whole: (LOW, HIGH))
    monkeypatch.setattr(proposal, "_DEVIATIONS", 0)
    monkeypatch.setattr(Cell, "parts", lambda cell, *, whole: [])
    monkeypatch.setattr(boosting, "default_rounds", lambda *given, pure: 1)
    monkeypatch.setattr(estimate, "discrete_gaussian", table_gaussian(3))


def decided():
    """Return what the front door decides: the columns' zCDP, the learner, the shares."""
    asked = asked_of(
        "fit",
        {"y": "ill", "labels": list(LABELS), "epsilon": EPSILON, "delta": DELTA, "evaluate": "1",
         "model": "scorecard"},
    )  # fmt: skip
    for seed in range(20):  # until a column is found
        try:
            return asked.plan({"a": ["1"], "ill": ["yes"]}, SeededSource(seed))
        except ls.errors.StoppedError:
            continue
    raise AssertionError("no column was found")


def law_of(record, planned, kept):
    """Return the exact law of columns, trees and histogram on a table of one record."""
    rho, leak = planned.shares.zcdp
    asked = plan([("a", "open")], epsilon=1, delta=DELTA, rho=rho, bins=4, named=())
    assert asked.leak == leak
    cell, label = record

    def columns(source):
        (found,) = proposal.describe(asked, [tally([cell], [1])], 1, source)
        return found

    def learned(column, source):
        schema = ls.Schema((column,))
        learner = planned.shares.learner(
            boosting.replace(planned.learner, concept_class=ScorecardClass(schema))
        )
        sample = Sample.of(schema.encode([np.array([cell], dtype=object)]), [label])
        model = learner.draw(sample, source)
        found = _histogram(model, sample, source, planned.shares.evaluation, held_out=False)
        return model.describe(), found.counts

    law = {}
    if cell not in kept:  # whatever the label
        kept[cell] = ExactSource().law(columns).outcomes
    for column, chance in kept[cell].items():
        if column is None:  # what it cost stays spent, and the program says so
            law[None] = float(chance.mid())
            continue
        if (column, record) not in kept:
            after = ExactSource().law(lambda source, column=column: learned(column, source))
            kept[column, record] = after.outcomes
        for outcome, share in kept[column, record].items():
            law[column, outcome] = float((chance * share).mid())
    assert sum(law.values()) == pytest.approx(1)
    return law


def worst(planned):
    """Return the largest hockey-stick divergence of neighbouring tables at epsilon."""
    records, kept = [(cell, label) for cell in CELLS for label in (0, 1)], {}
    laws = [law_of(record, planned, kept) for record in records]
    factor = math.exp(EPSILON)
    return max(
        sum(max(0.0, p - factor * other.get(outcome, 0.0)) for outcome, p in one.items())
        for one in laws
        for other in laws
    )


@pytest.mark.more
def test_columns_fit_and_evaluation_are_one_private_law(tiny):
    planned = decided()
    assert planned.learner.columns == planned.shares.zcdp[0]
    assert planned.learner.delta + planned.shares.zcdp[1] == DELTA
    assert worst(planned) <= DELTA


def noiseless_columns(patch):
    patch.setattr(proposal, "noisy_counts", lambda counts, noise, source: [9 * c for c in counts])


@pytest.mark.more
def test_columns_without_noise_are_noticed(tiny, monkeypatch):
    planned = decided()
    noiseless_columns(monkeypatch)
    assert worst(planned) > DELTA
