"""The law of one draw, by group: what is presented to the source, and what each answer names."""

from __future__ import annotations

from fractions import Fraction

from littlestone.source import as_weights

from . import reference

CLOSE = Fraction(1, 2**60)


class End(Exception):
    """There are no answers left."""


class Answers:
    """A source of given answers, which keeps what it was asked."""

    seeded = True

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), []

    def choose(self, weights):
        self.asked.append(as_weights(weights))
        return self._next()

    def below(self, m):
        self.asked.append(m)
        return self._next()

    def _next(self):
        if not self.answers:
            raise End
        return self.answers.pop(0)


def asked(draw, *answers):
    """What comes after these answers."""
    source = Answers(*answers)
    try:
        draw(source)
    except End:
        return source.asked[-1]
    raise AssertionError("the draw is over")


def drawn(draw, *answers):
    """The outcome of these answers."""
    source = Answers(*answers)
    found = draw(source)
    assert not source.answers, "some answer was not asked for"
    return found


def exact(ball):
    """The middle of a ball of small radius."""
    assert ball.is_zero() or ball.rel_accuracy_bits() > 100
    man, exponent = ball.mid().man_exp()
    return Fraction(int(man)) * Fraction(2) ** int(exponent)


def check_weights(weights, expected):
    """Compare what is presented with exact weights, up to one factor."""
    found = [exact(ball) for ball in weights.enclose(192)]
    assert len(found) == len(expected), "another number of outcomes is presented"
    total, sums = sum(found), sum(expected)
    for one, other in zip(found, expected, strict=True):
        assert abs(one * sums - other * total) <= CLOSE * other * total, "another weight"


def check_line(draw, runs, rate, number=int, ordered=True):
    """Compare a draw by level with runs of candidates, in the order of the line.

    Parameters
    ----------
    draw : callable
        Takes a source.
    runs : list of (first, last, score)
    rate : Fraction
    number : callable
        The number of a candidate that was drawn.
    ordered : bool
        Whether the candidates of a level come in the order of the line; otherwise each is one of
        them, and they differ.
    """
    by_level = reference.levels(runs)
    check_weights(
        asked(draw),
        [reference.count(found) * reference.power(rate, score) for score, found in by_level],
    )
    for level, (_, found) in enumerate(by_level):
        assert asked(draw, level) == reference.count(found), "candidates are lost"
        places = reference.edges(found)
        names = [number(drawn(draw, level, place)) for place in places]
        if ordered:
            assert names == [reference.at(found, place) for place in places], "another candidate"
        else:
            assert len(set(names)) == len(names)
            assert all(any(a <= name <= b for a, b in found) for name in names)


def check_nodes(draw, nodes, bottom, rate):
    """Compare a draw among listed candidates (name, score), and bottom before them."""
    by_score = {}
    for name, score in nodes:
        by_score.setdefault(score, []).append(name)
    scores = sorted(by_score)
    check_weights(
        asked(draw), [bottom, *(len(by_score[s]) * reference.power(rate, s) for s in scores)]
    )
    assert drawn(draw, 0) is None
    for level, score in enumerate(scores, 1):
        names = sorted(by_score[score])
        assert asked(draw, level) == len(names), "candidates are lost"
        if len(names) <= 40:
            assert sorted(drawn(draw, level, i) for i in range(len(names))) == names
        else:
            places = (0, 1, len(names) // 2, len(names) - 1)
            assert {drawn(draw, level, i) for i in places} <= set(names)


def check_choice(choice, rate):
    """Compare a `LeveledChoice` that some learner made with sums of Python's integers."""
    scores = [int(score) for score in choice.scores]
    counts = [1] * len(scores) if choice.counts is None else [int(c) for c in choice.counts]
    assert choice.size == sum(counts)
    weights, skipped = choice.weights(rate), int(choice.bottom is not None)
    by_level = {}
    for group, (score, n) in enumerate(zip(scores, counts, strict=True)):
        if n:
            by_level.setdefault(score, []).append((group, n))
    assert weights.scores.tolist() == sorted(by_level)
    for level, score in enumerate(sorted(by_level)):
        groups = by_level[score]
        assert weights.counts.tolist()[level] == sum(n for _, n in groups)
        before = 0
        for group, n in groups[:2] + groups[-2:]:
            before = sum(m for g, m in groups if g < group)
            for place in {0, n // 2, n - 1}:
                assert choice.named(level + skipped, before + place) == (group, place)
                assert choice.answers(group, place) == (level + skipped, before + place)
