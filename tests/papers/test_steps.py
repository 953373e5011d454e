"""The numbered steps stand in the source in the printed order, and none is missing."""

from __future__ import annotations

import inspect
import io
import re
import tokenize

import pytest

from littlestone.papers import alon, li_wang_ye, lyu, yan

#: Steps that are comments at the ends of lines: of each part of the source, in order.
PAGES = {
    "002 Algorithm 1": ([li_wang_ye.PrivateThreshold.draw], range(1, 11)),  # as counted there
    "002 Algorithm 2": ([li_wang_ye.PrivateMinError.locate], range(1, 8)),
    "003 Algorithm 1": ([lyu.PrivateSparseSample.drawn], range(2, 5)),
    "003 Algorithm 2": ([lyu.Run], [2, 3, 4, 5, 6, 7, 9, 11]),  # 8, 10, 12: else, end
    "003 Algorithm 3": ([lyu.DPOL.start, lyu.DPOL.step], range(2, 26)),
    "003 Algorithm 4": ([lyu.JointTrain.__call__, lyu.JointTrain.define_class], range(2, 20)),
    "004 G": ([alon.G.printed, alon.G.draw, alon.G.run], range(1, 4)),
    "004 M": ([alon.M.draw], range(1, 5)),
}
#: 000 and 001 number steps within steps.
NUMBERED = {
    yan.MakeTree: "1. 2. 3. (a) i. 4.",
    yan.OPTPrivateLearner: "1. 2. 3. (a) 4. 5. 6. (a) i. (b) 7. 8. 9.",
    yan.MakeSubTree: "1. 2. 3. (a) (b) 4.",
    yan.ProperLearner: "1. 2. 3. 4. 5. 6. 7. (a) (b) (c) i. ii. (d) i. ii. 8. 9. 10.",
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


def comments(algorithm):
    source = io.StringIO(inspect.getsource(algorithm)).readline
    return " ".join(
        token.string[1:]
        for token in tokenize.generate_tokens(source)
        if token.type == tokenize.COMMENT and "noqa" not in token.string
    )


@pytest.mark.parametrize("algorithm", NUMBERED, ids=lambda one: one.__name__)
def test_numbered_steps(algorithm):
    found = re.findall(r"(?:(?<=\s)|(?<=^))(\d{1,2}\.|\([a-d]\)|i{1,2}\.)(?=[\s,;]|$)",
                       comments(algorithm))  # fmt: skip
    assert " ".join(found) == NUMBERED[algorithm]
