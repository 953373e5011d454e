"""Certificates: bounds, formulas and claims are computed again; forgeries are noticed."""

from __future__ import annotations

import contextlib
import copy
import importlib
import json
import math
import pkgutil
from fractions import Fraction
from fractions import Fraction as F

import mpmath
import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

import littlestone
from littlestone import bounds
from littlestone.bounds import (
    Bound,
    Certificate,
    CertificateBuilder,
    Claim,
    FormulaError,
    Reference,
    claim,
    claims,
    least_n,
    recheck,
    register,
)
from littlestone.bounds.certificate import CERTIFICATES, Log
from littlestone.bounds.formulas import decode, encode, evaluate
from littlestone.bounds.representations import DECAYS, LAYERS, OFF
from littlestone.classes import FiniteClass, TableHypothesis
from littlestone.errors import ParameterError
from littlestone.learners.online.state import ExponentialSampler
from littlestone.privacy.guarantee import lower, upper
from littlestone.source import ExactSource, public_generator

# -- Certificates: everything in them is computed again; forgeries are noticed ---------------------

PAR = {"epsilon": 1, "alpha": 0.1, "beta": 0.05}
FREE = {"alpha": 0.1, "beta": 0.05}
NEAR = {"alpha1": "1/200", "beta1": "1/60"}


def points(n=None):
    found = bounds.best_hashing(bounds.POINTS, **PAR)
    return found.certificate(n or found.required_samples())


ALL = {
    "realizable": lambda n=None: bounds.realizable(2**1024 + 1, **PAR, n=n),
    "agnostic": lambda n=None: bounds.agnostic(40_000, **PAR, n=n),
    "realizable_from": lambda n=None: bounds.realizable_from(3**500, **PAR, **NEAR, n=n),
    "agnostic_from": lambda n=None: bounds.agnostic_from(999, **PAR, alpha1=0.01, beta1=0.01, n=n),
    "agnostic_vc": lambda n=None: bounds.agnostic_vc(2**65536 + 1, 1, **PAR, n=n),
    "realizable_vc": lambda n=None: bounds.realizable_vc(2**65536 + 1, 1, **PAR, n=n),
    "alon22_lemma29": lambda n=None: bounds.alon22_lemma29(2**20, **PAR, n=n),
    "lwy24_theorem34": lambda n=None: bounds.lwy24_theorem34(2**20, 1, **PAR, n=n),
    "consistent": lambda n=None: bounds.consistent(2**20, **FREE, n=n),
    "erm": lambda n=None: bounds.erm(2**20, **FREE, n=n),
    "consistent_vc": lambda n=None: bounds.consistent_vc(3, **FREE, n=n),
    "erm_vc": lambda n=None: bounds.erm_vc(3, **FREE, n=n),
    "points": lambda n=None: points(n),
}  # fmt: skip


@pytest.mark.parametrize("name", ALL)
def test_round_trip_and_recheck(name):
    certificate = ALL[name]()
    assert certificate.holds
    data = json.loads(json.dumps(certificate.to_dict()))
    assert Certificate.from_dict(data) == certificate
    assert recheck(data) == () == recheck(certificate)
    assert f"from {certificate.n:,} records: holds" in str(certificate)


@pytest.mark.parametrize("name", ALL)
def test_least(name):
    """n holds, n-1 does not, and 2n and 10n still do."""
    n = ALL[name]().n
    assert ALL[name](n).holds
    assert not ALL[name](n - 1).holds
    assert ALL[name](2 * n).holds
    assert ALL[name](10 * n).holds


def test_every_forged_number_is_noticed():
    honest = ALL["points"]().to_dict()
    for i, step in enumerate(honest["steps"]):
        forged = copy.deepcopy(honest)
        value = step["value"]
        forged["steps"][i]["value"] = (not value) if isinstance(value, bool) else value * 0.999
        assert recheck(forged), step["name"]
        for name, given_input in step["inputs"].items():
            if not str(given_input).startswith("@") and step["value"] is not True:
                forged = copy.deepcopy(honest)
                forged["steps"][i]["inputs"][name] = "7/13"
                with contextlib.suppress(FormulaError):  # not even a formula: noticed as well
                    assert recheck(forged) or float(step["value"]) == 1, (step["name"], name)


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("n", 100, "its n is not the certificate's"),
        ("alpha_exact", "1/100", "its alpha is not the certificate's"),
        ("beta_exact", "1/100", "its beta is not the certificate's"),
        ("holds", False, "holds: the steps give True"),
        ("status", "reconstruction", "status: the steps give explicit"),
        ("claims", [], "claims: the steps give"),
        ("assumptions", [], "assumptions: the steps give"),
        ("steps", [], "holds: the steps give False"),
    ],
)
def test_forged_heads_are_noticed(key, value, words):
    forged = ALL["realizable"]().to_dict() | {key: value}
    assert any(words in problem for problem in recheck(forged))


def test_a_certificate_must_mention_n():
    cert = CertificateBuilder()
    cert.step("easy", "1 >= 0", "dp.sum")
    empty = cert.certificate(alpha=Fraction(1, 10), beta=Fraction(1, 10), n=5)
    assert empty.holds
    assert recheck(empty) == ("no step mentions n",)


def test_references_point_backwards():
    data = ALL["realizable"]().to_dict()
    data["steps"].reverse()
    with pytest.raises(FormulaError, match="does not come before"):
        recheck(data)
    with pytest.raises(FormulaError, match="does not come before"):
        CertificateBuilder().step("a", "b", "dp.sum", b=Reference("b"))


def test_names_are_inputs_then_known_numbers_then_steps():
    cert = CertificateBuilder(a=2)
    cert.step("b", "a + 1", "dp.sum")
    assert cert.step("of_a_step", "a*b", "dp.sum").value == 6
    assert cert.step("given", "a*b", "dp.sum", a=5).value == 15
    inner = cert.where(b=7)
    assert inner.step("of_a_number", "a*b", "dp.sum").value == 14
    assert cert.step("outside", "a*b + of_a_number", "dp.sum").value == 20
    assert cert.steps["outside"].inputs == {
        "a": 2, "b": Reference("b"), "of_a_number": Reference("of_a_number")
    }  # fmt: skip
    with pytest.raises(FormulaError, match="unknown name 'c'"):
        cert.step("d", "c", "dp.sum")


def test_a_file_must_write_its_inputs_out():
    """What `recheck` reads is all there is: no name is looked up among the steps."""
    cert = CertificateBuilder()
    cert.step("a", "1", "dp.sum")
    cert.step("b", "a + 1", "dp.sum")
    data = cert.certificate(alpha=Fraction(1, 10), beta=Fraction(1, 10), n=5).to_dict()
    assert recheck(data) == ()
    data["steps"][1]["inputs"] = {}
    with pytest.raises(FormulaError, match="unknown name 'a'"):
        recheck(data)


def test_unregistered_sources_and_repeated_names_are_refused():
    cert = CertificateBuilder()
    with pytest.raises(ParameterError, match="registered claim"):
        cert.step("a", "1", "my.own.idea")
    cert.step("a", "1", "dp.sum")
    with pytest.raises(ParameterError, match="new"):
        cert.step("a", "2", "dp.sum")


def test_status_is_that_of_the_weakest_claim():
    assert ALL["realizable"]().status == "explicit"
    assert ALL["consistent_vc"]().status == "explicit"  # imported, with its constant
    assert ALL["lwy24_theorem34"]().status == "reconstruction"
    register(Claim("test.order", "nobody", "0", "n = O(d).", (), "order-only"))
    cert = CertificateBuilder()
    cert.step("guess", "17", "test.order")
    unknown = cert.certificate(alpha=Fraction(1, 10), beta=Fraction(1, 10), n=5)
    assert not unknown.holds  # a constant that is unknown certifies nothing
    assert unknown.status == "order-only"
    assert "does not hold (order-only)" in str(unknown)


def test_values_for_readers():
    cert = CertificateBuilder()
    assert cert.step("int", "2**80", "dp.sum").value == 2**80
    assert cert.step("float", "1/3", "dp.sum").value == 1 / 3
    assert cert.step("huge", "exp(1000)", "dp.sum").value.startswith("~1.97007111401705e+434")
    assert cert.step("large", "2**3000/3", "dp.sum").value.startswith("~4.1")
    data = cert.certificate(alpha=Fraction(1, 10), beta=Fraction(1, 10), n=5).to_dict()
    assert Certificate.from_dict(json.loads(json.dumps(data))).steps == tuple(cert.steps.values())
    assert recheck(data) == ()
    assert ALL["realizable"]()["enough"] is True
    with pytest.raises(KeyError):
        ALL["realizable"]()["nothing"]


def test_registry():
    assert [c.id for c in claims()] == sorted(c.id for c in claims())
    for one in claims():
        assert claim(one.id) is one
        assert json.loads(json.dumps(one.to_dict()))["statement"] == one.statement
        assert register(one) is one
    with pytest.raises(ParameterError, match="new identifier"):
        register(Claim("dp.sum", "me", "0", "Adds up to nothing."))
    with pytest.raises(ParameterError, match="registered claim"):
        claim("nothing")


# -- A bound's floats are the values of its steps; the least n is least ----------------------------

GOAL = {"epsilon": F(1, 3), "alpha": F(1, 10), "beta": F(1, 20)}
BOUND_NEAR = {"alpha1": F(1, 90), "beta1": F(1, 100)}
CUT = {"cut": F(1, 30), "collision": F(1, 100), "copies": 3, "n": 700}
SHARES = {name: F(1, 6) for name in ("share_deviation", "share_best", "share_release", "share_near",
                                     "share_spread", "share_hashing")}  # fmt: skip
BOUNDS = {
    "realizable": (CERTIFICATES["realizable"], {}),
    "agnostic": (CERTIFICATES["losses"], {}),
    "realizable_from": (CERTIFICATES["realizable-from"], BOUND_NEAR),
    "agnostic_from": (CERTIFICATES["losses-from"], BOUND_NEAR),
    "consistent": (CERTIFICATES["consistent"], {}),
    "erm": (CERTIFICATES["erm"], {}),
    "alon": (CERTIFICATES["alon22.lemma29"], {}),
    "layers": (LAYERS[0], CUT),
    "agnostic layers": (LAYERS[1], CUT),
    "decays": (DECAYS[0], CUT),
    "agnostic decays": (DECAYS[1], CUT),
    "off": (OFF, CUT),
}
for vc_dim in (0, 1, 7, 300):
    known = {"vc_dim": vc_dim, "n": 250_000}
    BOUNDS |= {
        f"growth {vc_dim}": (CERTIFICATES["growth"], known | {"share": F(1, 9), "ghosts": 500}),
        f"realizable sums {vc_dim}": (CERTIFICATES["realizable-vc"], known | SHARES),
        f"consistent_vc {vc_dim}": (CERTIFICATES["consistent-vc"], known),
        f"lwy {vc_dim}": (CERTIFICATES["lwy24.theorem34"], known),
    }


def values(bound, inputs):
    """Yield each line with its step's value."""
    cert = CertificateBuilder(**inputs)
    bound.write(cert)
    for name, step in cert.steps.items():
        yield name, step.value


@pytest.mark.parametrize("size", [2, 40_000, 2**5000])
@pytest.mark.parametrize("name", BOUNDS)
def test_floats_are_those_of_the_steps(name, size):
    bound, own = BOUNDS[name]
    inputs = GOAL | own | {"size": size}
    for line, exact in values(bound, inputs):
        if isinstance(exact, bool):
            assert bool(bound.floats(line, **inputs)) == exact
        elif isinstance(exact, str):  # beyond floats
            mantissa, _, power = exact[1:].partition("e")
            expected = math.log(float(mantissa)) + int(power) * math.log(10)
            assert bound.log(line, **inputs) == pytest.approx(expected, rel=1e-9)
        else:
            found = bound.floats(line, **inputs)
            assert found == pytest.approx(exact, rel=1e-8, abs=1e-300)
            if exact > 0:
                assert bound.log(line, **inputs) == pytest.approx(math.log(exact), abs=1e-6)


MADE = Bound((
    ("power", "(1 - p)**n", "dp.sum"),
    ("odds", "(bottom + depth*exp(rate*even))*exp(-rate*votes)", "dp.sum"),
    ("rare", "odds/(1 + odds) + power", "dp.sum"),
    ("tail", "binomial_above(9, p, 2)", "dp.sum"),
    ("both", "rare <= 1 and tail >= 1/2", "dp.sum"),
))  # fmt: skip


@pytest.mark.parametrize("p", [F(1, 1000), F(1, 3)])
@pytest.mark.parametrize("n", [1, 10**6])
def test_powers_and_odds(p, n):
    inputs = {"p": p, "n": n, "bottom": 10**9, "depth": 2**2000, "rate": F(1, 2), "even": 30}
    inputs["votes"] = 2900
    for line, exact in values(MADE, inputs):
        assert MADE.floats(line, **inputs) == pytest.approx(exact, rel=1e-9, abs=1e-300)


def test_arrays_are_elementwise():
    p, votes = np.array([0.001, 0.3])[:, None], np.array([10.0, 3000.0])[None]
    inputs = {"n": 50, "bottom": 1e9, "depth": 2**2000, "rate": 0.5, "even": 30}
    found = MADE.floats("rare", p=p, votes=votes, **inputs)
    for i in range(2):
        for j in range(2):
            one = MADE.floats("rare", p=p[i, 0], votes=votes[0, j], **inputs)
            assert found[i, j] == pytest.approx(one, rel=1e-12)
    least = Bound((("least", "min(1, p, exp(-votes))", "dp.sum"),))
    assert least.floats("least", p=p, votes=votes).shape == (2, 2)


def test_functions_of_some_inputs():
    failure = CERTIFICATES["growth"].function(
        "failure", "n", size=Log(5000 * math.log(2)), vc_dim=1, share=F(1, 9), ghosts=500, **GOAL
    )
    inputs = GOAL | {"size": 2**5000, "vc_dim": 1, "share": F(1, 9), "ghosts": 500}
    for n in (1.0, 1e5, 1e9):
        assert failure(n).log == pytest.approx(CERTIFICATES["growth"].log("failure", n=n, **inputs))


def test_tiny_inputs_are_known_by_their_logarithms():
    tiny = {"epsilon": F(1, 10**200), "alpha": F(1, 10), "beta": F(1, 10**200), "size": 2**5000}
    for bound in (CERTIFICATES["realizable"], CERTIFICATES["losses"]):
        for line, exact in values(bound, tiny):
            if isinstance(exact, int):
                assert bound.log(line, **tiny) == pytest.approx(math.log(exact), rel=1e-9)
            else:
                assert bound.floats(line, **tiny) == pytest.approx(exact, rel=1e-9)


def test_a_certificate_names_its_steps_with_a_suffix():
    cert = CertificateBuilder(epsilon=F(1), alpha=F(1, 10), n=10, size=5)
    for j, cut in enumerate((F(1, 30), F(1, 20)), 1):
        LAYERS[0].write(cert, suffix=f"_{j}", cut=cut)
    assert list(cert.steps) == ["tilt_1", "fail_1", "tilt_2", "fail_2"]
    assert cert.steps["fail_2"].inputs["tilt"].step == "tilt_2"


@given(st.integers(1, 10**6), st.integers(1, 10**6), st.integers(1, 1000))
def test_the_least_n_does_not_depend_on_the_guess(answer, guess, step):
    assert least_n(lambda n: n >= answer, guess, step=step) == answer


@given(st.integers(-5, 10**6), st.integers(-5, 10**6))
def test_the_least_n_from_a_number_on(low, answer):
    assert least_n(lambda n: n >= answer, low=low) == max(low, answer)


def test_no_n_at_all_is_refused():
    with pytest.raises(ParameterError, match=r"No number up to 1e\+03 .* 1 is a common epsilon"):
        least_n(lambda n: False, most=1000)
    assert least_n(lambda n: n >= 1000, most=1000) == 1000


# -- The language of certificates: values against mpmath, and everything else refused --------------

NAMES = {"a": Fraction(1, 10), "n": Fraction(37), "size": Fraction(2**1024 + 1)}


@pytest.mark.parametrize(
    ("formula", "truth"),
    [
        ("log(size/a)", lambda: mpmath.log((mpmath.mpf(2) ** 1024 + 1) * 10)),
        ("exp(-n) + sqrt(a)", lambda: mpmath.exp(-37) + mpmath.sqrt(mpmath.mpf(1) / 10)),
        ("cosh(a) - a*sinh(a)", lambda: mpmath.cosh(0.1) - mpmath.sinh(0.1) / 10),
        ("atanh(a) + tanh(n)", lambda: mpmath.atanh(0.1) + mpmath.tanh(37)),
        ("n**a", lambda: mpmath.mpf(37) ** 0.1),
        ("sqrt(2)**2", lambda: mpmath.mpf(2)),
        ("log(growth(3, n))", lambda: mpmath.log(1 + 37 + 666 + 7770)),
        ("growth(5, 3)", lambda: mpmath.mpf(8)),
        ("binomial_above(20, a, 3)", lambda: 1 - sum(
            mpmath.binomial(20, i) * mpmath.mpf("0.1") ** i * mpmath.mpf("0.9") ** (20 - i)
            for i in range(4))),
        ("min(exp(1), 3, n)", lambda: mpmath.e),
        ("max(exp(1), a)", lambda: mpmath.e),
        ("0.9**100000", lambda: mpmath.mpf("0.9") ** 100000),
    ],
)  # fmt: skip
def test_values(formula, truth):
    value = evaluate(formula, NAMES)
    value = value if isinstance(value, arb) else arb(value.numerator) / value.denominator
    with mpmath.workdps(40):
        expected = truth()
        assert float(value.mid()) == pytest.approx(float(expected), rel=1e-14)
    assert value.rel_accuracy_bits() > 100


@pytest.mark.parametrize(
    ("formula", "exact"),
    [
        ("1/3 + 1/6", Fraction(1, 2)),
        ("0.1 + 0.2", Fraction(3, 10)),
        ("-a * n", Fraction(-37, 10)),
        ("2**10 - 2**-1", Fraction(2047, 2)),
        ("ceil(7/2) + floor(-7/2)", 0),
        ("ceil(log(20)/log(2))", 5),
        ("floor(exp(3))", 20),
        ("log(1) + exp(0) + sqrt(0) + cosh(0) + sinh(0) + atanh(0)", 2),
        ("comb(10, 3)", 120),
        ("binomial_above(3, a, 5)", 0),
        ("ceil(size / 2)", 2**1023 + 1),
        ("max(1, 2, a) - min(3, a)", Fraction(19, 10)),
    ],
)
def test_exact_values(formula, exact):
    assert evaluate(formula, NAMES) == exact


@pytest.mark.parametrize(
    ("formula", "truth"),
    [
        ("n >= 37", True),
        ("n <= 36", False),
        ("exp(a) >= 1 + a", True),
        ("exp(a) <= 1 + a", False),
        ("n >= 1 and n <= 100", True),
        ("n >= 1 and exp(1) >= 3", False),
        # Decided only with thousands of bits:
        ("exp(2**-3000) >= 1 + 2**-3000", True),
        # Equal, which no precision decides: False is the careful answer.
        ("exp(1)*exp(-1) >= 1", False),
    ],
)
def test_comparisons(formula, truth):
    assert evaluate(formula, NAMES) is truth


def test_undecided_ceilings_ask_for_more():
    assert evaluate("ceil(5*exp(1)*exp(-1))", {}) == 6


@pytest.mark.parametrize(
    "formula",
    [
        "__import__('os')", "a.real", "[1]", "lambda: 1", "n if n else a", "(1, 2)", "'a'", "True",
        "1j", "None", "unknown", "log()", "log(1, 2)", "log(x=1)", "eval(1)", "n % 2", "n // 2",
        "~n", "+n", "n < 1", "n == 1", "1 <= n <= 2", "n >= 1 or n >= 2", "not n", "a and n",
        "(n >= 1) + 1", "1/0", "log(0 - 1)", "log(-1)", "sqrt(-1)", "atanh(2)", "ceil(log(0))",
        "growth(1/2, 3)", "comb(3, -1)", "binomial_above(2**30, a, 1)", "", "1 +", "n; n", "f'{n}'",
        "(" * 300 + ")" * 300,
    ],
)  # fmt: skip
def test_refusals(formula):
    with pytest.raises(FormulaError):
        evaluate(formula, NAMES)


def test_huge_powers_are_enclosed_not_computed():
    value = evaluate("log(2**(2**60))", {})
    assert lower(value) <= 2**60 * Fraction(mpmath.nstr(mpmath.log(2), 17)) * (
        1 + Fraction(1, 10**15)
    )
    with pytest.raises(FormulaError):
        decode("2**(2**60)")


@given(st.fractions() | st.integers(-(2**300), 2**300))
def test_json_numbers_round_trip(x):
    assert decode(encode(x)) == x


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (2**65536 + 1, "2**65536 + 1"),
        (2**65536 - 1, "2**65536 - 1"),
        (2**65536, "2**65536"),
        (2**53, "9007199254740992"),
        (-5, -5),
        (Fraction(-1, 3), "-1/3"),
    ],
    ids=lambda x: x if isinstance(x, str) else "x",
)
def test_huge_integers_stay_short(x, text):
    assert encode(x) == text
    assert decode(text) == x


def test_other_huge_integers_are_hexadecimal():
    x = 3**4000
    assert encode(x).startswith("0x")
    assert decode(encode(x)) == x
    assert decode(encode(-x)) == -x


@pytest.mark.parametrize("bad", [1.5, None, True, "exp(1)", "1 >= 0", [1], "x" * 2_000_000])
def test_inputs_must_be_exact(bad):
    with pytest.raises(FormulaError):
        decode(bad)


@given(st.fractions(min_value=Fraction(1, 1000), max_value=100))
def test_balls_contain_the_truth(x):
    value = evaluate("exp(log(x))", {"x": x})
    if isinstance(value, arb):
        assert lower(value) <= x <= upper(value)
    else:
        assert value == x


# -- Registered claims: what promises privacy assumes nothing about records; inequalities are true

#: About records, not about public choices: nothing that a privacy claim may assume.
OF_RECORDS = ("realizable", "oblivious", "independent draw", "one distribution", "common path")


def all_claims():
    for module in pkgutil.walk_packages(littlestone.__path__, "littlestone."):
        if "." in module.name and not module.name.endswith(("__main__", ".fast")):
            importlib.import_module(module.name)
    return claims()


def test_privacy_claims_assume_nothing_about_the_records():
    private = [
        claim
        for claim in all_claims()
        if claim.id.endswith("privacy") or "DP" in claim.statement.replace("DP-ERM", "")
    ]
    assert len(private) >= 20
    for one in private:
        assert not [a for a in one.assumptions if any(word in a for word in OF_RECORDS)], one.id


def test_an_epoch_of_mistakes_removes_the_weight_that_online_exponential_says():
    """At each mistake a share s of the sampler's law errs: weights of any class, any rate."""
    rng = public_generator(4)
    seen = 0.0
    for _ in range(200):
        size, m, points = (int(rng.integers(low, high)) for low, high in ((2, 9), (1, 7), (2, 5)))
        matrix = np.unique(rng.integers(0, 2, (size, points)), axis=0)
        rate = float(rng.random() * 3)
        x, y = rng.integers(0, points, m), rng.integers(0, 2, m)
        before = rng.random(len(matrix)) ** 3
        wrong = matrix[:, x] != y
        s = float((before @ wrong / before.sum()).min())
        after = before * np.exp(-rate * wrong.sum(axis=1))
        bound = (1 - s * (1 - np.exp(-rate * m))) * before.sum()
        assert after.sum() <= bound * (1 + 1e-12)
        seen = max(seen, after.sum() / bound)
    assert seen > 0.99  # one mistake, for example: then it is an equation


def test_the_sampler_draws_by_these_weights():
    """The law of the code is e**(-rate errors), so the inequality above is about it."""
    concepts, rate = FiniteClass([[0, 0], [0, 1], [1, 1]]), Fraction(1, 2)
    records = [[(0, 0, 1), (1, 1, 1)], [(2, 1, 1)]]  # the concepts err 3, 1 and 0 times
    sampler = ExponentialSampler(concepts, rate)

    def draw(source):
        now = TableHypothesis("00")
        return sampler.draw(records, 1, source, now=now)[0].labels

    law = ExactSource().law(draw)
    weights = {"00": np.exp(-1.5), "01": np.exp(-0.5), "11": 1.0}
    total = sum(weights.values())
    for labels, weight in weights.items():
        assert float(law.outcomes[labels]) == pytest.approx(weight / total, rel=1e-12)
