"""The scikit-learn shells: records come with users; errors say what to do."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

import littlestone as ls
from littlestone.errors import DataError, ParameterError
from littlestone.learners import registry, select
from littlestone.learners.release import Release
from littlestone.learners.running import run
from littlestone.report import page
from littlestone.source import SeededSource

THRESHOLDS = ls.Thresholds(1, 99)
X = [10, 70, 20, 90] * 100
Y = [0, 1, 0, 1] * 100
USERS = [i // 4 for i in range(400)]
BOTH = ["auto", "user-level"]


def made(method="auto", **more):
    given = {"epsilon": 8.0, "samples_per_user": 4, "random_state": 0, "method": method}
    return ls.UserAgnosticLearner(THRESHOLDS, **(given | more))


@pytest.mark.parametrize("method", BOTH)
def test_fit_and_predict(method):
    fitted = made(method).fit(X, Y, groups=USERS)
    assert set(fitted.predict([1, 50, 99]).tolist()) <= {0, 1}
    assert fitted.guarantee_.neighbours.unit == "user"
    assert fitted.certificate_.unit == "users"
    assert fitted.certificate_.n == 100
    assert fitted.certificate(fitted.required_samples()).holds
    assert clone(fitted).get_params() == fitted.get_params()
    names = np.array([f"u{i}" for i in USERS])
    again = made(method).fit(np.array(X)[:, None], np.array(Y), groups=names)
    assert again.hypothesis_ is not None


def test_learns_what_it_can():
    agnostic = made().fit(X, Y, groups=USERS)
    assert agnostic.predict([10, 20, 70, 90]).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("method", BOTH)
def test_nothing_private_stays_behind(method):
    fitted = made(method).fit(X, Y, groups=[f"secret{u}" for u in USERS])
    carried = {name for name in vars(fitted) if name.endswith("_") or name.startswith("_")}
    assert carried == {
        "release_",
        "hypothesis_",
        "guarantee_",
        "certificate_",
        "classes_",
        "n_features_in_",
    }
    assert b"secret" not in pickle.dumps(fitted)


@pytest.mark.parametrize("method", BOTH)
@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (None, "groups=users"),
        ([float(u) for u in USERS], "floats"),
        (np.array(USERS) / 2, "floats"),
        ([None, *USERS[1:]], "named"),
        (["", *USERS[1:]], "named"),
        ([[u, u] for u in USERS], "one user for each record"),
        (USERS[1:], "groups"),
    ],
    ids=["none", "floats", "array of floats", "missing", "empty", "two columns", "too few"],
)
def test_bad_users(method, groups, message):
    estimator = made(method)
    with pytest.raises((DataError, ParameterError), match=message):
        estimator.fit(X, Y, groups=groups)
    assert not hasattr(estimator, "hypothesis_")
    assert "_groups" not in vars(estimator)


def test_too_few_users_and_unknown_methods():
    few = made(epsilon=1.0).fit(X[:4], Y[:4], groups=[1, 1, 2, 2])
    assert not few.certificate_.holds
    assert few.required_samples() > 2
    with pytest.raises(ParameterError, match="'method' parameter"):
        made(method="magic").required_samples()
    with pytest.raises(ParameterError, match="'n' parameter"):
        made().certificate(0)
    with pytest.raises(DataError, match="public classes"):
        made().fit(X, ["no"] * 400, groups=USERS)


def test_registry():
    with pytest.raises(ParameterError, match="samples_per_user"):
        registry.make("users", THRESHOLDS, epsilon=1)
    with pytest.raises(ParameterError, match="samples_per_user"):
        registry.make("agnostic", THRESHOLDS, epsilon=1, samples_per_user=4)
    with pytest.raises(ParameterError, match="delta"):
        registry.make("users", THRESHOLDS, epsilon=1, delta=1e-6, samples_per_user=4)
    assert select.make("auto", THRESHOLDS, epsilon=1).unit == "records"
    users = select.make("auto", THRESHOLDS, epsilon=1, samples_per_user=4)
    assert (users.unit, users.name) == ("users", "users")


def test_a_release_speaks_of_users():
    users = ls.data.UserSample.of(USERS, X, Y)
    learner = registry.make("users", THRESHOLDS, epsilon=8, samples_per_user=4)
    release = run(learner, users, SeededSource(0), evaluate=4)
    assert release.n == 100
    assert release.guarantee.epsilon == 8
    assert release.guarantee.neighbours.unit == "user"
    assert release.evaluation.n == 100
    assert release.quality.error.low <= 0.05
    again = Release.from_dict(release.to_dict())
    assert again.to_json() == release.to_json()
    assert "100 users" in page(release)
    assert "One record is protected" not in page(release)
