"""The papers' numbers beside a plan are those of the formulas, at the class's own parameters."""

import math

import littlestone as ls
from littlestone.classes import FiniteClass


def test_rows_are_the_formulas():
    plans = ls.plan(ls.Thresholds(1, 99), epsilon=1, alpha="0.1", beta="0.05")
    rows = {row.name: row for row in plans.papers}
    # Li, Wang, Ye, Lemma 3.1, worked out by hand with a VC dimension of 1
    assert rows["lwy24.lemma3.1"].value == str(math.ceil(576 / 0.01 * (4 + math.log(8 / 0.05))))
    assert rows["yan25v2.thm4.upper"].value == str(2**7)  # Littlestone dimension 6
    needed = {c.learner: c.n for c in plans}
    assert rows["alon22.lemma29"].ours == needed["generic"] < int(rows["alon22.lemma29"].value)
    assert rows["lwy24.thm3.4"].ours == needed["agnostic"] < int(rows["lwy24.thm3.4"].value)


def test_only_what_is_known_is_stated():
    endless = {row.name for row in ls.plan(ls.Points(), epsilon=1).papers}
    assert "lwy24.lemma3.1" in endless
    assert not {"alon22.lemma29", "lwy24.lemma2.6", "lwy24.lemma4.3"} & endless
    users = ls.plan(ls.Thresholds(1, 99), epsilon=1, samples_per_user=4)
    assert "lwy24.lemma4.3" in {row.name for row in users.papers}
    unknown = ls.plan(FiniteClass([[0, 1], [1, 0], [1, 1]]), epsilon=1)
    assert all("ldim" not in row.states for row in unknown.papers)
