"""Warnings before anything is drawn: fits that add up, and promises that are empty."""

from __future__ import annotations

import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.metrics import log_loss, make_scorer
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score

import littlestone as ls
from littlestone.data import Sample
from littlestone.errors import NotPrivateWarning
from littlestone.learners import base as cautions
from littlestone.learners import sklearn_base
from littlestone.privacy import Guarantee, Ledger, Neighbours

X, Y = np.array([2, 3, 7, 8] * 30), np.array([0, 0, 1, 1] * 30)
ADD_UP = "no ledger pays for it"


@pytest.fixture(autouse=True)
def _fresh(monkeypatch):
    """Count fits as in a new process."""
    monkeypatch.setattr(cautions, "_unpaid", cautions._Unpaid())


def learner(**changed):
    return ls.GenericLearner(ls.Thresholds(1, 9), **{"epsilon": 1} | changed)


def said(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [
        str(one.message)
        for one in caught
        if one.category is NotPrivateWarning and "score is exact" not in str(one.message)
    ]


def test_the_second_fit_of_a_process_warns_and_no_other():
    made = learner()
    assert said(lambda: made.fit(X, Y)) == []
    (message,) = said(lambda: clone(made).fit(X[:50], Y[:50]))
    assert ADD_UP in message
    assert "sum of their epsilons" in message
    assert said(lambda: made.fit(X, Y)) == []


def test_a_grid_search_says_it_once():
    search = GridSearchCV(learner(), {"epsilon": [1, 2]}, cv=KFold(3))
    (message,) = said(lambda: search.fit(X, Y))
    assert ADD_UP in message


@pytest.mark.parametrize(
    "scoring", ["accuracy", "roc_auc", make_scorer(log_loss, response_method="predict_proba")]
)
def test_what_scores_by_any_measure_says_that_it_is_exact(scoring, tmp_path):
    """Also where a ledger pays for the fits, so that their sum needs no warning."""
    schema = ls.Schema.from_dict({"age": {"bins": [5]}})
    made = ls.Scorecard(schema, epsilon=1, rounds=2)
    paid = {"ledger": Ledger(tmp_path / "b.db", epsilon=9)}
    X, y = np.array([[3], [8]] * 60), np.array([0, 1] * 60)
    sklearn_base._warn_once.cache_clear()
    with sklearn.config_context(enable_metadata_routing=True):
        asked = made.set_fit_request(ledger=True)
        with pytest.warns(NotPrivateWarning, match="^score is exact, not private") as caught:
            cross_val_score(asked, X, y, cv=KFold(2), scoring=scoring, params=paid)
    assert len({str(each.message) for each in caught}) == 1
    made.fit(X, y, ledger=paid["ledger"])
    sklearn_base._warn_once.cache_clear()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made.predict(X), made.predict_proba(X), made.decision_function(X)


def test_the_warning_is_about_the_line_that_fits():
    learner().fit(X, Y)
    with pytest.warns(NotPrivateWarning, match=ADD_UP) as caught:
        learner().fit(X, Y)
    assert caught[0].filename == __file__


def test_where_it_is_an_error_nothing_is_learned_and_it_is_said_again():
    made = learner().fit(X, Y)
    before = made.hypothesis_
    for _ in range(2):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(NotPrivateWarning):
                made.fit(X, Y)
        assert made.hypothesis_ is before


def test_fits_in_a_ledger_are_charged_and_say_nothing(tmp_path):
    paid_by = Ledger(tmp_path / "budget.db", epsilon=20)
    for _ in range(3):
        assert said(lambda: learner().fit(X, Y, ledger=paid_by)) == []
    search = GridSearchCV(learner(), {"epsilon": [1, 2]}, cv=KFold(3))
    assert said(lambda: search.fit(X, Y, ledger=paid_by)) == []
    assert paid_by.spent().epsilon == 3 + 3 * (1 + 2) + search.best_params_["epsilon"]
    # one more fit is the first one outside of a ledger
    assert said(lambda: learner().fit(X, Y)) == []


def test_seeded_fits_say_not_private_anyway():
    for _ in range(3):
        assert said(lambda: learner(random_state=0).fit(X, Y)) == []
    assert "NOT PRIVATE" in str(learner(random_state=0).fit(X, Y).guarantee_)


def test_fits_that_were_refused_are_not_counted():
    for _ in range(3):
        with pytest.raises(ls.errors.LittlestoneError):
            learner(epsilon=-1).fit(X, Y)
        with pytest.raises(ls.errors.LittlestoneError):
            learner().fit(X, Y * 7)
    assert said(lambda: learner().fit(X, Y)) == []


def test_threads_are_counted_together():
    found = []
    barrier = threading.Barrier(4)

    def one():
        made = learner()
        barrier.wait()
        made.fit(X, Y)

    def all_of_them():
        threads = [threading.Thread(target=one) for _ in range(4)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]

    found = said(all_of_them)
    assert found, "three of four are not the first"
    assert all(ADD_UP in message for message in found)


PROGRAM = """
import numpy as np
import littlestone as ls
from sklearn.model_selection import cross_val_score, KFold
from joblib import parallel_backend
if __name__ == "__main__":
    X, y = np.array([2, 3, 7, 8] * 30), np.array([0, 0, 1, 1] * 30)
    made = ls.GenericLearner(ls.Thresholds(1, 9), epsilon=1)
    with parallel_backend({backend!r}, n_jobs=2):
        cross_val_score(made, X, y, cv=KFold(2))
"""


@pytest.mark.more
@pytest.mark.parametrize("backend", ["loky", "multiprocessing", "threading"])
def test_fits_of_other_processes_are_not_the_first(backend):
    """Two workers fit once each: none of them sees the other, and both were started by one."""
    program = PROGRAM.replace("{backend!r}", repr(backend))
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert ADD_UP in done.stderr


# ---------------------------------------------------------------- empty promises
def vc1(**changed):
    return ls.VC1Learner(ls.Thresholds(1, 9), **{"epsilon": 1, "delta": "1e-6"} | changed)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: learner(epsilon=20), []),
        (lambda: learner(epsilon="20.001"), ["epsilon 20.001 is above 20"]),
        (lambda: learner(epsilon=1e300), ["epsilon 1e+300 is above 20"]),
        (vc1, []),
        (lambda: vc1(delta="0.5"), ["delta 0.5 is at least 1/n"]),
        (lambda: vc1(delta="0.5", epsilon=30), ["epsilon 30 is above 20", "delta 0.5"]),
    ],
)
def test_empty_promises_are_warned_of(make, words):
    found = said(lambda: make().fit(X, Y))
    assert len(found) == len(words)
    assert all(word in message for word, message in zip(words, found, strict=True))


def test_delta_is_compared_with_exactly_1_over_n():
    n = 3
    for delta, warned in (("1/3", True), ("333333/1000000", False)):
        made = vc1(delta=delta, random_state=0)
        found = said(lambda made=made: made.fit(X[:n], Y[:n]))
        assert bool(found) == warned


def test_they_are_said_before_anything_is_drawn_or_paid(tmp_path):
    paid_by = Ledger(tmp_path / "budget.db", epsilon=100, delta=0.9)
    made = vc1(delta="0.5")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(NotPrivateWarning, match="delta"):
            made.fit(X, Y, ledger=paid_by)
    assert paid_by.history() == ()
    assert not hasattr(made, "release_")


def test_a_secret_n_is_not_compared():
    made = learner(neighbours=Neighbours.ADD_REMOVE)
    assert said(lambda: made.fit(Sample.of([1], [0]))) == []
    assert cautions.weaknesses(Guarantee(1, "0.5"), None) == []


@pytest.mark.parametrize(
    ("changed", "word"),
    [({}, None), ({"epsilon": 30}, "epsilon 30"), ({"delta": "0.01"}, "at least 1/n")],
)
def test_streams_are_warned_of_once_before_they_begin(changed, word):
    given = {"epsilon": 1, "delta": "1e-6", "horizon": 100} | changed
    made = ls.OnlineLearner(ls.Thresholds(1, 9), **given)
    found = said(lambda: (made.predict_one(3), made.learn_one(3, 1), made.predict_one(4)))
    assert len(found) == (word is not None)
    assert word is None or word in found[0]


def test_searches_are_not_silent():
    assert said(lambda: cross_val_score(learner(), X, Y, cv=KFold(3))) != []
