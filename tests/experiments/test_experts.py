"""Expert advice without privacy: against all experts one by one, and its regret."""

import importlib
import math
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest

from littlestone.classes import FiniteClass, Points, Thresholds
from littlestone.errors import UnsupportedError
from littlestone.learners.online.algorithm import SOAPredictor

SCRIPTS = Path(__file__).parents[2] / "experiments"


@pytest.fixture
def predictor(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return importlib.import_module("experts").ExpertsPredictor


def by_hand(concept_class, stream, rate):
    """Return the probabilities of 1, by all experts, one by one: sets of at most d times."""
    horizon = len(stream)
    d = SOAPredictor(concept_class).mistake_bound()
    experts = [set(times) for i in range(d + 1) for times in combinations(range(horizon), i)]
    spaces = [concept_class.version_space() for _ in experts]
    weights, out = [1.0] * len(experts), []
    for t, (x, y) in enumerate(stream):
        said = []
        for i, times in enumerate(experts):
            label = int(spaces[i].soa().predict(np.array([x]))[0])
            if t in times:
                label = 1 - label
                rest = spaces[i].restrict(x, label)
                spaces[i] = spaces[i] if rest.is_empty else rest
            said.append(label)
        out.append(sum(w for w, label in zip(weights, said, strict=True) if label) / sum(weights))
        weights = [
            w * math.exp(-rate * (label != y)) for w, label in zip(weights, said, strict=True)
        ]
    return out, len(experts)


@pytest.mark.parametrize(
    "concept_class",
    [FiniteClass([[0, 0], [0, 1], [1, 1]]), Thresholds(0, 1), Points(0, 1)],
    ids=str,
)
def test_experts_are_all_sets_of_times_and_their_regret_is_bounded(predictor, concept_class):
    """All streams of three records over two points."""
    concepts = [h.predict(np.arange(2)).tolist() for h in concept_class.concepts()]
    for stream in product(list(product((0, 1), (0, 1))), repeat=3):
        found = predictor(concept_class, horizon=3)
        shown = []
        for x, y in stream:
            shown.append(found.predict_proba_one(x)[True])
            found.learn_one(x, y)
        d = SOAPredictor(concept_class).mistake_bound()
        n = sum(math.comb(3, i) for i in range(d + 1))
        wanted, experts = by_hand(concept_class, stream, math.sqrt(8 * math.log(n) / 3))
        assert experts == n
        assert shown == pytest.approx(wanted, rel=1e-9)
        mistakes = sum(abs(y - p) for (_, y), p in zip(stream, shown, strict=True))
        best = min(sum(c[x] != y for x, y in stream) for c in concepts)
        assert found.regret_bound() == pytest.approx(math.sqrt(3 * math.log(n) / 2))
        assert mistakes <= best + found.regret_bound() + 1e-9


def test_experts_end_with_their_horizon(predictor):
    found = predictor(Points(), horizon=1)
    found.learn_one("a", 1)
    with pytest.raises(UnsupportedError, match="as long as its horizon"):
        found.learn_one("a", 1)
    assert found.predict_one(float("nan")) == 0


def test_halving_makes_log2_mistakes_on_all_sequences(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPTS))
    halving = importlib.import_module("experts").HalvingPredictor
    matrix = [[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]]
    for concept, order in product(matrix, product(range(3), repeat=3)):
        found, wrong = halving(FiniteClass(matrix)), 0
        for x in order:
            wrong += int(found.hypothesis_.predict(np.array([x]))[0]) != concept[x]
            found.learn_one(x, concept[x])
        assert wrong <= 2
