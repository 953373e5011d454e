"""Plans: what is planned is what is fitted, checked independently."""

import ast
import copy
import json
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction as F
from itertools import islice, product
from math import ceil
from pathlib import Path

import checker
import numpy as np
import pytest
from checker import CheckError, check, check_all
from hypothesis import given
from hypothesis import strategies as st
from scenarios import scenarios

import littlestone as ls
from littlestone.bounds import realizable, recheck
from littlestone.bounds.formulas import evaluate
from littlestone.bounds.tails import lower_limit
from littlestone.data.targets import Count, Quantity
from littlestone.errors import InfeasibleError, ParameterError, UnsupportedError
from littlestone.learners import registry, select
from littlestone.learners.base import Goal
from littlestone.learners.boosting.values import bounds_of
from littlestone.learners.select import ALL_RECORDS, ONE_RECORD, replan
from littlestone.mechanisms import Conformal
from littlestone.planning import lower_bounds, plan, solve
from littlestone.planning.plans import log_star
from littlestone.source import SeededSource, public_generator

from .forms import CLASSES as FITS_CLASSES
from .forms import FORMS, called, planned

# -- Plans: monotone, checked, met by fits; lower bounds below everything --------------------------

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


def test_agnostic_only():
    fork = ls.theory.FiniteClass([[0, 0, 0], [1, 1, 0], [1, 0, 1]])
    assert all(c.agnostic for c in plan(fork, **ASKED, agnostic=True))


def test_agnostic_forms_are_chosen_where_they_win():
    far = plan(ls.Thresholds(0, 2**65536), **ASKED)
    assert far.chosen.learner == "agnostic:vc1"
    assert far.chosen.n == 56_915
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


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: plan(ls.Points(), epsilon=0), "'epsilon' parameter of plan"),
        (lambda: plan("points()", epsilon=1), "concept class"),
        (lambda: plan(ls.Points(), epsilon=1, samples_per_user=0), "'samples_per_user'"),
    ],
)
def test_mistakes_are_taught(wrong, words):
    with pytest.raises(ParameterError, match=words):
        wrong()


def test_a_class_that_no_learner_can_plan_says_why():
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


# -- The independent checker agrees with the maker of certificates, and depends on nothing of it ---

FILE = Path(checker.__file__)

NAMES = {"x": F(3, 7), "k": F(5), "n": F(40)}
LEAVES = st.sampled_from(["x", "k", "n", "0.25", "3", "1/3", "2**10"])


def formulas(inner):
    one = st.sampled_from(["exp({})", "sqrt(2 + ({})**2)", "cosh({})", "log(2 + ({})**2)",
                           "tanh({})", "-({})", "ceil(({}) + 1/7)", "sinh({})"])  # fmt: skip
    two = st.sampled_from(["({}) + ({})", "({}) - ({})", "({}) * ({})", "({}) / (1 + ({})**2)",
                           "min({}, {})", "max({}, {})"])  # fmt: skip
    return st.one_of(
        st.builds(lambda f, a: f.format(a), one, inner),
        st.builds(lambda f, a, b: f.format(a, b), two, inner, inner),
    )


@given(st.recursive(LEAVES, formulas, max_leaves=4))
def test_both_evaluators_agree(formula):
    try:
        theirs = evaluate(formula, NAMES)
        value = float(theirs if isinstance(theirs, F) else theirs.mid())
    except Exception:  # not a number, or beyond a float
        return
    if not 1e-200 < abs(value) < 1e200:
        return
    inputs = {name: str(x) for name, x in NAMES.items()}
    step = {"name": "s", "formula": formula, "inputs": inputs, "value": value}
    try:
        found = check({"steps": [step]})
    except CheckError:  # exp(exp(1000)) and the like: refused, never guessed
        found = [] if "exp(" in formula or "cosh(" in formula or "sinh(" in formula else ["?"]
    assert found == []


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("growth(2, 10)", 56),
        ("binomial_above(10, 1/2, 4)", 0.623046875),
        ("comb(7, 3)", 35),
        ("atanh(1/2)", 0.5493061443340549),
        ("floor(-1/2)", -1),
        ("2 >= 1 and 1 <= 2", True),
        ("-2**2", -4),
        ("2**-1", 0.5),
        ("0xff + 1", 256),
    ],
)
def test_language(formula, value):
    step = {"name": "s", "formula": formula, "inputs": {}, "value": value}
    assert check({"steps": [step]}) == []
    step["value"] = (not value) if isinstance(value, bool) else value + 1
    assert check({"steps": [step]}) != []


@pytest.mark.parametrize(
    "formula",
    ["", "x", "1 +", "(1", "open(1)", "1; 2", "__import__(1)", "1 if 1 else 2", "f(", "1 2"],
)
def test_what_is_no_formula_is_refused(formula):
    with pytest.raises(CheckError):
        check({"steps": [{"name": "s", "formula": formula, "inputs": {}, "value": 1}]})


def test_heads_references_and_verdicts():
    good = realizable(2**20, epsilon=1, alpha=0.1, beta=0.05, n=420).to_dict()
    assert check(good) == []
    assert check({**good, "holds": False}) == ["the verdict: the steps give True"]
    assert check({**good, "alpha_exact": "1/5"})
    broken = json.loads(json.dumps(good))
    broken["steps"][1]["inputs"]["decay"] = "@later"
    with pytest.raises(CheckError, match="no earlier step"):
        check(broken)


def test_it_stands_alone(tmp_path):
    """Only the standard library is imported; a copy runs by itself."""
    tree = ast.parse(FILE.read_text())
    imported = {
        name.split(".")[0]
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert imported <= sys.stdlib_module_names
    copy = tmp_path / "checker.py"
    copy.write_bytes(FILE.read_bytes())
    certificate = realizable(2**64, epsilon=1, alpha=0.1, beta=0.05)
    (tmp_path / "good.json").write_text(json.dumps({"certificate": certificate.to_dict()}))
    forged = certificate.to_dict()
    forged["steps"][1]["value"] = 7
    (tmp_path / "bad.json").write_text(json.dumps({"certificate": forged}))
    for name, code in (("good", 0), ("bad", 1)):
        done = subprocess.run(
            [sys.executable, "-I", str(copy), str(tmp_path / f"{name}.json")],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == code, done.stderr
    assert "all steps agree" not in done.stdout


def test_places():
    inner = {"steps": []}
    assert check_all([{"a": inner}, {"b": [inner]}]) == {"[0].a": [], "[1].b[0]": []}


# -- What is planned is what is fitted: the same learner, and its error is as small as promised ----

FITS_ASKED = {"epsilon": 1, "delta": "1e-6", "alpha": "0.2", "beta": "0.1"}
AUTO = [
    ls.Thresholds(1, 2**20),
    ls.Thresholds(1, 2**4096),
    ls.theory.FiniteClass([[0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 1, 0]]),
    ls.Points(),
    ls.theory.Conjunctions(5),
]


@pytest.mark.parametrize(
    ("concepts", "delta", "m"),
    [
        *product(AUTO, (None, "1e-6"), (None,)),
        *(pytest.param(AUTO[0], "1e-6", m, marks=pytest.mark.more) for m in (1, 4, 16)),
    ],
    ids=str,
)
def test_auto_takes_exactly_what_is_chosen(concepts, delta, m):
    asked = {**FITS_ASKED, "delta": delta, "samples_per_user": m}
    chosen = plan(concepts, **asked).chosen
    taken = select.make("auto", concepts, **asked)
    assert taken == chosen.algorithm
    assert taken.required_samples() == chosen.n
    assert taken.guarantee() == chosen.guarantee


# --- the theorem: at the planned n, an error above alpha has probability at most beta -----------

M = 4
#: Generous, so that what the slowest learners need can be drawn many times.
BUDGET = Goal(F(2), F(1, 10**4), F(3, 10), F(1, 5), samples_per_user=M)
#: One record of each user: the same algorithm on the same records as without users.
ENTIRE = [form for form in FORMS if form[2] != ONE_RECORD]


def records(form, found):
    """Return how many records are drawn for one run."""
    of_users = registry.LEARNERS[form[0]].unit == "users" or form[2] == ALL_RECORDS
    return found.n * (M if of_users else 1)


def able(form, most, start=0):
    """Yield the classes that a form can learn from so many records, beginning with one of them."""
    for concepts in FITS_CLASSES[start:] + FITS_CLASSES[:start]:
        found = planned(form, concepts, BUDGET)
        if found.n is not None and records(form, found) <= most:
            yield concepts, found


def failures(form, found, scenario, place, runs):
    """Count the runs whose error exceeds alpha at the planned size."""
    failed = 0
    for run in range(runs):
        generator = public_generator(place, run)
        if registry.LEARNERS[form[0]].unit == "users":
            sample = scenario.draw_users(found.n, M, generator)
        else:
            sample = scenario.draw(records(form, found), generator)
        hypothesis = found.algorithm.draw(sample, SeededSource(run))
        failed += scenario.excess(hypothesis) > BUDGET.alpha
    return failed


def refuted(failed, runs, risk=1e-4):
    """Whether a failure probability of at most beta is excluded (Clopper-Pearson)."""
    return lower_limit(failed, runs, risk) > BUDGET.beta


def fits_check(form, classes, work, most_runs):
    """Fit again and again on every distribution of every class: the worst cases, whose one
    decision weighs slightly more than alpha, and the typical ones.
    """
    all_failed = all_runs = 0
    for concepts, found in classes:
        runs = min(most_runs, max(work // records(form, found), 5))
        noise = 0.1 if found.agnostic else 0.0
        for place, scenario in enumerate(scenarios(concepts, BUDGET.alpha, noise=noise)):
            failed = failures(form, found, scenario, place, runs)
            assert not refuted(failed, runs), (form, concepts.spec, scenario.name, failed, runs)
            all_failed, all_runs = all_failed + failed, all_runs + runs
    # if each fails with probability beta at most, then so do all together
    assert all_runs
    assert not refuted(all_failed, all_runs), (form, all_failed, all_runs)


@pytest.mark.first(1)
@pytest.mark.parametrize("form", ENTIRE, ids=called)
def test_fits_at_the_planned_size_meet_alpha(form):
    start = 5 * ENTIRE.index(form) % len(FITS_CLASSES)  # other classes for other forms
    runs = 8 if registry.LEARNERS[form[0]].unit == "users" else 25  # of users a draw takes seconds
    fits_check(form, islice(able(form, 40_000, start), 2), 20_000, runs)


@pytest.mark.full
@pytest.mark.parametrize("form", ENTIRE, ids=called)
def test_fits_at_the_planned_size_meet_alpha_often(form):
    fits_check(form, able(form, 250_000), 300_000, 100)


@pytest.mark.more
def test_one_record_of_each_user_is_the_same_algorithm():
    for name, options, reads in FORMS:
        if reads == ONE_RECORD:
            for concepts in FITS_CLASSES[:3]:
                users = planned((name, options, reads), concepts, BUDGET)
                plain = planned((name, options, None), concepts, BUDGET)
                assert (users.algorithm, users.n) == (plain.algorithm, plain.n)


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("name", "concepts"),
    [
        ("generic", ls.Thresholds(1, 99)),
        ("vc1", ls.Thresholds(1, 99)),
        ("littlestone", ls.SparseSets(2)),
    ],
)
def test_a_third_of_the_planned_records_is_noticed(name, concepts):
    """The power of this test."""
    form = (name, {}, None)
    found = planned(form, concepts, BUDGET)
    fewer = replace(found, n=found.n // 3)
    worst = scenarios(concepts, BUDGET.alpha)[0]
    assert refuted(failures(form, fewer, worst, 0, 100), 100)
    assert not refuted(failures(form, found, worst, 0, 100), 100)


# -- What intervals and sets need is known before a fit, which refuses less ------------------------

WIDTHS_SCHEMA = ls.Schema.from_dict({"age": {"bins": [30]}})


def fitted(n, target, **given):
    how = {"epsilon": 2, "rounds": 2, "interval": 0.8, "random_state": 0} | given
    X, y = [[25], [70]] * (n // 2) + [[25]] * (n % 2), [0, 1] * (n // 2) + [0] * (n % 2)
    if target is None:
        return ls.Scorecard(WIDTHS_SCHEMA, **how).fit(X, y)
    loss = "poisson" if isinstance(target, Count) else "huber"
    return ls.ScorecardRegressor(WIDTHS_SCHEMA, **how, high=target.high, loss=loss).fit(X, y)


@pytest.mark.first(2)
@pytest.mark.parametrize(
    "target", [None, Quantity(0, 9), Count(9)], ids=["label", "quantity", "count"]
)
@pytest.mark.parametrize(
    "more", [{}, {"holdout": F(1, 3), "evaluate": F(1, 2)}], ids=["plain", "more"]
)
def test_the_least_number_is_that_of_fit(target, more):
    """With as many as are needed fit draws intervals; with one less it refuses."""
    cells, epsilon = len(bounds_of(target)), 2 - more.get("evaluate", F(0))
    m = Conformal.least(cells=cells, alpha="0.2", epsilon=epsilon)
    needed = ceil(m / more.get("holdout", F(1, 5)))
    made = fitted(needed, target, **more).release_.interval
    assert made == Conformal.of(m=m, cells=cells, alpha="0.2", epsilon=epsilon)
    with pytest.raises(InfeasibleError, match="held-out records") as problem:
        fitted(needed - 1, target, **more)
    assert problem.value.n_needed == m
