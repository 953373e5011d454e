"""Plans: monotone, checked, met by fits; lower bounds below everything."""

import copy
import json
from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pytest
from checker import check_all

import littlestone as ls
from littlestone.bounds import recheck
from littlestone.errors import InfeasibleError, ParameterError, UnsupportedError
from littlestone.learners import registry, select
from littlestone.learners.base import Goal
from littlestone.learners.select import ALL_RECORDS, replan
from littlestone.planning import lower_bounds, plan, solve
from littlestone.planning.plans import log_star

SCHEMA = ls.Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn", "Rome"]}})
#: Every class of the table in DESIGN.
CLASSES = [
    ls.theory.FiniteClass([[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0]]),
    ls.Points(),
    ls.Intervals(1, 99),
    ls.theory.TreePaths({"a": None, "b": "a", "c": "a", "d": "b"}),
    ls.Thresholds(1, 2**1024),
    ls.SparseSets(3),
    ls.Prefixes("ipv4"),
    ls.theory.Conjunctions(8),
    ls.theory.AffineSubspaces(3, 4, 2),
    ls.Rules(SCHEMA, 2),
]
ASKED = {"epsilon": 1, "delta": 1e-6, "alpha": "0.1", "beta": "0.05"}


@pytest.mark.first(1)
@pytest.mark.parametrize("concepts", CLASSES, ids=lambda c: c.spec)
def test_each_class_has_a_plan_whose_numbers_can_be_computed_again(concepts):
    plans = plan(concepts, **ASKED)
    document = json.loads(json.dumps(plans.to_dict()))
    assert not any(check_all(document).values())
    for row in document["plans"]:
        if "n" in row:
            assert row["certificate"]["holds"]
            assert recheck(row["certificate"]) == ()
            assert row["certificate"]["n"] == row["n"]
    assert plans.chosen is not None
    assert document["chosen"] == select.auto(concepts, **ASKED).name
    assert repr(plans).startswith(f"Needed to learn {concepts.spec}")
    bounds = {b.setting: b.n for b in plans.lower_bounds if b.n is not None}
    needed = {c.agnostic: c.n for c in plans}
    assert bounds["agnostic"] <= needed[True]
    assert all(b.n <= min(c.n for c in plans) for b in plans.lower_bounds
               if b.n is not None and b.setting == "realizable")  # fmt: skip
    assert document["non_private"]["agnostic"]["n"] <= needed[True]


@pytest.mark.more
def test_users_beside_group_privacy_and_one_record_of_each():
    plans = plan(ls.Thresholds(1, 2**20), **ASKED, samples_per_user=16)
    found = {(c.learner, c.reads == ALL_RECORDS): c for c in plans}
    assert plans.chosen.learner == "users"
    assert {c.unit for c in plans} == {"users"}
    assert found["agnostic", False].n == 852
    assert found["agnostic", True].n < found["agnostic", False].n
    routes = {c.options["method"]: c.n for c in plans if c.options.get("method")}
    assert routes["one-record"] == found["agnostic", False].n
    assert routes["group-privacy"] == found["agnostic", True].n
    assert plans.chosen.n == min(routes.values())
    for c in plans:
        assert c.guarantee.neighbours.value == "user-replace"
        assert c.guarantee.epsilon == 1
        assert c.guarantee.delta <= F(1, 10**6)
    shared = found["vc1", True].algorithm
    assert shared.epsilon == F(1, 16)
    # group privacy, in floats: delta of sixteen records is that of one times their geometric sum
    one = float(shared.guarantee().delta)
    assert one * (np.expm1(1) / np.expm1(1 / 16)) <= 1e-6 * (1 + 1e-12)
    document = json.loads(json.dumps(plans.to_dict()))
    assert not any(check_all(document).values())


def test_proper_output_and_agnostic_only():
    fork = ls.theory.FiniteClass([[0, 0, 0], [1, 1, 0], [1, 0, 1]])
    proper = [c for c in plan(fork, **ASKED) if c.options.get("proper")]
    improper = {c.learner: c.n for c in plan(fork, **ASKED) if not c.options}
    assert [c.learner for c in proper]
    assert all(c.n > improper[c.learner] for c in proper)
    assert all(c.agnostic for c in plan(fork, **ASKED, agnostic=True))


def test_agnostic_forms_are_chosen_where_they_win():
    far = plan(ls.Thresholds(0, 2**65536), **ASKED)
    assert far.chosen.learner == "agnostic:vc1"
    assert far.chosen.n == 58_921
    near = plan(ls.Thresholds(0, 2**20), **ASKED)
    forms = [c for c in near.candidates if c.learner == "agnostic:vc1"]
    assert forms[0].dominated
    mine = registry.make("agnostic:vc1", ls.Thresholds(0, 2**20), **ASKED)
    assert mine.required_samples() > near.chosen.n  # what is said of those that were not planned


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("top", "what", "rest"),
    [(99, "epsilon", {"alpha": "0.2"}), (2**20, "alpha", {"epsilon": 1}),
     (2**20, "epsilon", {"alpha": "0.1"})],
)  # fmt: skip
def test_solutions_are_the_least_of_three_digits(top, what, rest):
    concepts = ls.Thresholds(1, top)
    for solution in solve(concepts, what, 3000, **rest):
        numbers = {"epsilon": F(1), "alpha": F(rest.get("alpha", 0))}
        budget = Goal(delta=None, beta=F(1, 20), **{**numbers, what: solution.value})
        assert replan(solution.candidate, concepts, budget).n <= 3000
        step = F(f"{float(solution.value):.2e}"[-4:].replace("e", "1e")) / 100
        less = replace(budget, **{what: solution.value - step})
        assert replan(solution.candidate, concepts, less).n > 3000


def test_no_epsilon_is_enough_for_two_records():
    with pytest.raises(InfeasibleError) as caught:
        solve(ls.Thresholds(1, 99), "epsilon", 2, alpha="0.1")
    assert caught.value.n_needed > 2


def test_mistakes_are_taught():
    with pytest.raises(ParameterError, match="'epsilon' parameter of plan"):
        plan(ls.Points(), epsilon=0)
    with pytest.raises(ParameterError, match="concept class"):
        plan("points()", epsilon=1)
    with pytest.raises(ParameterError, match="'samples_per_user'"):
        plan(ls.Points(), epsilon=1, samples_per_user=0)
    with pytest.raises(UnsupportedError, match="generic: "):
        plan(_Odd(1, 9), epsilon=1)


class _Odd(ls.Thresholds):
    """A class for which nothing can be planned."""

    @property
    def size(self):
        return float("inf")


def test_iterated_logarithms():
    assert [log_star(x) for x in (0, 1, 2, 3, 4, 5, 16, 17, 65536, 65537, 2**65536)] == [
        0, 0, 1, 2, 2, 3, 3, 4, 4, 5, 5]  # fmt: skip


# --- lower bounds against brute force ---------------------------------------------------------


def test_two_concepts_bound_by_the_best_private_learner():
    """Two points, two concepts that differ on one: the best private test is randomized response.

    With n records, K of them on the deciding point, no (epsilon, 0)-private learner can fail less
    than e**(-epsilon K)/(1 + e**(-epsilon K)) on average; below the bound that exceeds beta.
    """
    from math import comb, exp

    for epsilon, alpha, beta in [(1.0, 0.1, 0.05), (0.5, 0.2, 0.1), (2.0, 0.05, 0.01)]:
        budget = Goal(F(str(epsilon)), None, F(str(alpha)), F(str(beta)))
        bound = next(
            b for b in lower_bounds(ls.Thresholds(1, 9), budget, agnostic=False)
            if b.claim == "lower.two-concepts"
        )  # fmt: skip
        n = bound.n - 1
        fails = sum(
            comb(n, k) * alpha**k * (1 - alpha) ** (n - k) * exp(-epsilon * k)
            / (1 + exp(-epsilon * k))
            for k in range(n + 1)
        )  # fmt: skip
        assert fails > beta


def test_bounds_without_privacy_by_exact_bayes_errors():
    """A coin of bias (1 + alpha)/2 or (1 - alpha)/2: the best guess fails more than beta."""
    from scipy.stats import binom

    budget = Goal(F(50), None, F(1, 10), F(1, 20))  # privacy costs nothing
    found = [b.n for b in lower_bounds(ls.Points(), budget, agnostic=True)
             if b.claim == "lower.two-labels"]  # fmt: skip
    assert found == [269]
    for n, more in ((268, True), (269, False)):
        wrong = binom.cdf((n - 1) // 2, n, 0.55) + (n % 2 == 0) * binom.pmf(n // 2, n, 0.55) / 2
        assert (wrong > 0.05) == more


def test_forged_plans_are_noticed_by_the_checker():
    document = plan(ls.Thresholds(1, 2**20), **ASKED).to_dict()
    row = next(r for r in document["plans"] if r["learner"] == "vc1")
    place = f"plans[{document['plans'].index(row)}].certificate"
    for i, step in enumerate(row["certificate"]["steps"]):
        forged = copy.deepcopy(document)
        target = forged["plans"][document["plans"].index(row)]["certificate"]["steps"][i]
        target["value"] = not step["value"] if isinstance(step["value"], bool) else 3
        assert check_all(forged)[place], step["name"]
