"""The language of certificates: values against mpmath, and everything else refused."""

from fractions import Fraction

import mpmath
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from littlestone.bounds.formulas import FormulaError, decode, encode, evaluate
from littlestone.privacy.guarantee import lower, upper

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
