"""The numbered steps stand in the source in the printed order, and none is missing."""

from __future__ import annotations

import inspect
import re

import pytest

from littlestone.papers import alon, lyu

#: Steps that are comments at the ends of lines: of each part of the source, in order.
PAGES = {
    "003 Algorithm 1": ([lyu.PrivateSparseSample.drawn], range(2, 5)),
    "003 Algorithm 2": ([lyu.Run], [2, 3, 4, 5, 6, 7, 9, 11]),  # 8, 10, 12: else, end
    "003 Algorithm 3": ([lyu.DPOL.start, lyu.DPOL.step], range(2, 26)),
    "003 Algorithm 4": ([lyu.JointTrain.__call__, lyu.JointTrain.define_class], range(2, 20)),
    "004 M": ([alon.M.draw], range(1, 5)),
}


@pytest.mark.parametrize("name", PAGES)
def test_steps(name):
    parts, steps = PAGES[name]
    source = "".join(inspect.getsource(part) for part in parts)
    comments = re.findall(r"#\s+(\d+(?:, \d+)*)(?::.*)?$", source, re.M)
    found = [int(x) for comment in comments for x in comment.split(", ")]
    assert found == list(steps)


def test_letters_of_the_tournament():
    source = inspect.getsource(alon.Tournament)
    marks = re.findall(r"\((i{1,3}|iv|v)\)", inspect.getsource(alon.Tournament.run))
    assert marks == ["i", "ii", "iii", "iv", "v"]
    assert "# (*)" in source
    soa = inspect.getsource(alon.SOA)
    assert re.findall(r"\((i{1,3}|iv|v)\)", soa) == ["i", "ii", "iii", "iv", "v"]
