"""Variants of the sparse vector technique: the gallery page says what the literature says."""

from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "examples" / "gallery" / "3_audit" / "plot_sparse_vector.py"
# the definitions of the page, without what it computes and draws
exec(PAGE.read_text().partition("# %%\n# What the verifier says")[0], names := {})
#: Lyu, Su and Li 2017, Figure 2 (which are private), and the least epsilons of these inputs,
#: computed apart from this page (to two digits).
KNOWN = {
    "1, Lyu-Su-Li, c = 1": (True, 1.79),
    "1, Lyu-Su-Li, c = 2": (True, 2.00),
    "2, Dwork-Roth, c = 2": (True, 1.79),
    "3, Roth, c = 1": (False, 2.08),
    "4, Lee-Clifton, c = 2": (False, 3.57),
    "5, Stoddard and others": (False, float("inf")),
    "6, Chen and others": (False, 1.58),
}


def test_all_are_known():
    assert set(names["FORMS"]) == set(KNOWN)
    assert {name: form[3] for name, form in names["FORMS"].items()} == {
        name: private for name, (private, _) in KNOWN.items()
    }


@pytest.mark.first(1)
@pytest.mark.parametrize("name", KNOWN)
def test_verdicts_are_those_of_the_literature(name):
    found, (private, least) = names["verified"](name), KNOWN[name]
    assert found.holds == private
    assert found.tightest_epsilon == pytest.approx(least, abs=0.005)


@pytest.mark.more
def test_what_fails_for_more_queries_may_hold_for_fewer():
    assert names["verified"]("6, Chen and others", 2).holds
    assert not names["verified"]("4, Lee-Clifton, c = 2", 2).holds


def test_a_noise_that_is_at_least_a_number_has_that_law():
    # by hand: rate 1, at least -1: masses 1/2, 1, 1/2, 1/4, ... over 5/2; values cut to [-4, 4]
    from littlestone.source import ExactSource

    law = ExactSource().law(lambda source: names["number"](0, -1, 1, source))
    masses = {value: float(mass) for value, mass in law.outcomes.items()}
    assert masses == pytest.approx({-1: 0.2, 0: 0.4, 1: 0.2, 2: 0.1, 3: 0.05, 4: 0.05})
