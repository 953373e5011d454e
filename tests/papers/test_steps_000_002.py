"""Each printed step stands on the page, in the printed order, and none is missing."""

import inspect
import io
import re
import tokenize

import pytest

from littlestone.papers import li_wang_ye, yan

NUMBERED = {
    yan.MakeTree: "1. 2. 3. (a) i. 4.",
    yan.OPTPrivateLearner: "1. 2. 3. (a) 4. 5. 6. (a) i. (b) 7. 8. 9.",
    yan.MakeSubTree: "1. 2. 3. (a) (b) 4.",
    yan.ProperLearner: "1. 2. 3. 4. 5. 6. 7. (a) (b) (c) i. ii. (d) i. ii. 8. 9. 10.",
}
WRITTEN = {
    li_wang_ye.PrivateMinError: ("locate", "l, r = ", "for ", "epsilon'", "mid = (l + r) / 2",
                                 "decide", "branch", "return l"),
    li_wang_ye.PrivateThreshold: ("draw", "l, r = low - 1, high", "for ", "if l == r", "break",
                                  "mid = ", "epsilon'", "v_mid, v_l, v_r", "return f_mid",
                                  "return f_l"),
}  # fmt: skip


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


@pytest.mark.parametrize("algorithm", WRITTEN, ids=lambda one: one.__name__)
def test_written_steps(algorithm):
    method, *steps = WRITTEN[algorithm]
    source, at = inspect.getsource(getattr(algorithm, method)), 0
    for step in steps:
        at = source.find(step, at)
        assert at >= 0, step
