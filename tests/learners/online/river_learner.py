"""The online learner as one of river's classifiers: nothing but the base class is added."""

from river import base

import littlestone as ls


class RiverLearner(ls.OnlineLearner, base.Classifier):
    """River asks for a docstring."""

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
