"""Paths of a taxonomy or of prefixes: the released path from the top down; all else is 0."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from littlestone.classes.trees import PathHypothesis, PrefixHypothesis
from littlestone.report.layers import Branch, layers
from littlestone.report.pictures import Setting, drawer
from littlestone.report.words import integer

__all__ = ["path_picture"]

_SHOWN = 5  # nodes of a long path: the first two and the last three


@drawer(PathHypothesis)
def _path(hypothesis: PathHypothesis, setting: Setting) -> str:
    return path_picture(hypothesis.path, setting, hypothesis.describe())


@drawer(PrefixHypothesis)
def _prefix(hypothesis: PrefixHypothesis, setting: Setting) -> str:
    write, bits = hypothesis.notation.write, hypothesis.notation.bits
    digits = (hypothesis.prefix.bit_length() - 1) // bits
    names = [write(hypothesis.prefix >> bits * k) or "(empty)" for k in range(digits, -1, -1)]
    return path_picture(names, setting, hypothesis.describe())


def path_picture(names: Sequence[str], setting: Setting, words: str) -> str:
    """Draw a path of a tree: label 1 on it, and beside each of its nodes the rest, label 0.

    Parameters
    ----------
    names : sequence of str
        From the top down.
    setting : Setting
    words : str
        The alternative text.

    Returns
    -------
    str
        SVG.

    Examples
    --------
    >>> svg = path_picture(["animal", "dog"], Setting(), "1 on dog and animal")
    >>> "animal" in svg, svg.count("all others")
    (True, 1)
    """
    left_out = len(names) - _SHOWN
    kept: list[Branch] = [Branch(name, "inner", 1) for name in names]
    if left_out > 1:
        between = Branch(f"… {integer(left_out)} more", "inner", 1)
        kept = [*kept[:2], between, *kept[-(_SHOWN - 2) :]]
    for above, below in pairwise(kept):
        above.children = [below, Branch("all others", "leaf", 0)]
    kept[-1].children = [Branch("everything below", "leaf", 0)]
    note = f"1: {setting.positive}; 0: {setting.negative}"
    return layers(kept[0], title="A path of a tree", desc=words, note=note)
