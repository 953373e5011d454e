"""River's own checks, on a learner that says it is a river classifier."""

import numpy as np
import pytest

import littlestone as ls

#: Checks that copy a learner in the middle of a stream: two copies would spend its budget twice.
COPIES = {"check_pickling", "check_no_state_aliasing_with_input"}


@pytest.mark.more
@pytest.mark.filterwarnings("ignore")
def test_river_checks():
    from river import checks

    from .river_learner import RiverLearner

    model = RiverLearner(**next(RiverLearner._unit_test_params()))
    assert not model._unit_test_skips()
    for check in checks.yield_checks(model):
        if check.__name__ in COPIES:
            with pytest.raises(TypeError, match="twice"):
                check(model.clone())
        else:
            check(model.clone())


def test_a_stream_of_dicts_is_learned():
    model = ls.OnlineLearner(
        ls.Thresholds(0, 100), epsilon=4, delta=1e-6, horizon=4_000, feature="x", random_state=1
    )
    rng = np.random.default_rng(0)
    wrong = 0
    for value in rng.integers(0, 101, 4_000).tolist():
        x = {"x": value, "noise": 1}
        wrong += model.predict_one(x) != (value > 40)
        model.learn_one(x, value > 40)
    assert wrong < 400
    assert model.predict_one({"noise": 3}) == 0
