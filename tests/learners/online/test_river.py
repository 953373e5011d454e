"""River's own checks, on a learner that says it is a river classifier."""

import numpy as np
import pytest
from river import base, checks, datasets

import littlestone as ls


class RiverLearner(ls.OnlineLearner, base.Classifier):
    """The online learner, for river's pipelines.

    Nothing but the base class is added.
    """

    def __init__(self, concept_class, epsilon, delta, horizon, feature=None, random_state=None):
        super().__init__(
            concept_class,
            epsilon=epsilon,
            delta=delta,
            horizon=horizon,
            feature=feature,
            random_state=random_state,
        )

    @classmethod
    def _unit_test_params(cls):
        yield {
            "concept_class": ls.Points(0, 2),
            "epsilon": 1.0,
            "delta": 1e-6,
            "horizon": 1_000,
            "feature": "long_url",
            "random_state": 7,
        }


MODELS = [RiverLearner(**params) for params in RiverLearner._unit_test_params()]
CHECKS = [(m, c) for m in MODELS for c in checks.yield_checks(m)]


@pytest.mark.parametrize(
    ("model", "check"), CHECKS, ids=[f"{c.__name__}-{i}" for i, (_, c) in enumerate(CHECKS)]
)
@pytest.mark.filterwarnings("ignore")
def test_river_check(model, check):
    if check.__name__ not in model._unit_test_skips():
        check(model.clone())


def test_a_river_stream_is_learned():
    model = RiverLearner(
        ls.Thresholds(0, 100), epsilon=4, delta=1e-6, horizon=20_000, feature="x", random_state=1
    )
    rng = np.random.default_rng(0)
    wrong = 0
    for value in rng.integers(0, 101, 20_000).tolist():
        x = {"x": value, "noise": 1}
        wrong += model.predict_one(x) != (value > 40)
        model.learn_one(x, value > 40)
    assert wrong < 2_000
    assert model.predict_one({"noise": 3}) == 0
    assert len(list(datasets.Phishing().take(3))) == 3
