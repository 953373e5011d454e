"""The picture of votes: of made data only, with the drawn hypothesis marked."""

from xml.etree import ElementTree

import littlestone as ls
from littlestone.classes import PointHypothesis
from littlestone.learners.littlestone import Littlestone
from littlestone.learners.littlestone.simulation import simulate

BUDGET = {"epsilon": 1, "delta": "1e-6", "alpha": "0.1", "beta": "0.05"}
TOWNS = ["rome", "oslo", *(f"town {i}" for i in range(18))]


def shown(**options):
    made = Littlestone(ls.Points(), **BUDGET, **options)
    return simulate(made, PointHypothesis("rome"), TOWNS, 6000, seed=2)


def test_stages_and_votes_are_drawn():
    staged = shown(method="stages", chunk=60, tolerances=(3, 0))
    assert staged.teachers == 100
    assert staged.threshold == 75
    assert [len(stage.votes) for stage in staged.stages] == [2, 2]
    assert sum(votes for _, votes in staged.stages[1].votes) == 100
    picture = ls.draw(staged)
    ElementTree.fromstring(picture)
    assert picture.count('class="ls-one"') >= 1
    for part in ("made records", "Stage 2", "line: the test asks for 75 votes", "Drawn: 1 if x"):
        assert part in picture


def test_one_draw_has_no_line():
    picture = ls.draw(shown())
    assert "line: the test" not in picture
    assert "made data" in picture


def test_the_same_public_numbers_give_the_same_simulation():
    assert shown() == shown()
