"""The papers' bounds: each against the formula that its paper prints, worked out here by hand."""

from __future__ import annotations

import csv
import importlib
import math
import re
from decimal import Decimal, getcontext
from fractions import Fraction
from itertools import product
from math import ceil, e, exp, log, log2, sqrt
from pathlib import Path

import pytest
from scipy import stats

import littlestone as ls
from littlestone.errors import ParameterError, UnsupportedError

PAGE = Path(__file__).parents[2] / "docs" / "paper-bounds.md"
D = 1e-6
TENTH, HALF = Fraction(1, 10), Fraction(1, 2)

#: Statement: the paper's text, parameters, and its value at them. Exact numbers are written as
#: integers or fractions, the others as floats.
PRINTED = {
    "yan25v1.thm2": (
        "m >= 48/alpha (10 VC log(48e/alpha) + log(5/beta))",
        {"vc_dim": 1, "alpha": 0.1, "beta": 0.05},
        ceil(480 * (10 * log(480 * e) + log(100))),
    ),
    "yan25v1.thm3.lower": ("ceil(log d_L) <= TD; the floor here", {"ldim": 9}, 3),
    "yan25v1.thm3.upper": ("TD <= 2^(d_L + 1)", {"ldim": 9}, 1024),
    "yan25v1.lemma1": (
        "max q - 16/epsilon log(4kn/(beta epsilon delta))",
        {"epsilon": 1, "delta": D, "beta": 0.05, "k": 1, "n": 1000},
        16 * log(4000 / (0.05 * D)),
    ),
    "yan25v1.thm7.epsilon": ("(2 epsilon, 2 delta)-private", {"epsilon": 0.5}, 1),
    "yan25v1.thm7.delta": ("(2 epsilon, 2 delta)-private", {"delta": 0.05}, TENTH),
    "yan25v1.lemma7": ("with probability 1 - beta t", {"chunks": 5, "beta": 0.02}, TENTH),
    "yan25v1.cor2": ("With probability 1 - (t+2) beta", {"chunks": 3, "beta": 0.02}, TENTH),
    "yan25v2.thm7": (
        "epsilon' = sqrt(2k ln(1/delta')) epsilon",
        {"epsilon": 0.1, "k": 8, "delta_prime": D},
        sqrt(16 * log(1e6)) / 10,
    ),
    "yan25v2.thm12": (
        "sqrt(2T ln(1/delta')) 2 epsilon",
        {"epsilon": 0.1, "steps": 8, "delta_prime": D},
        sqrt(16 * log(1e6)) / 5,
    ),
    "yan25v2.claim1": ("e^(-alpha N/3) < beta", {"alpha": 0.1, "n": 60}, exp(-2)),
    "lwy24.lemma2.5": (
        "|r| <= ln(1/beta) Delta/epsilon",
        {"epsilon": 0.5, "sensitivity": 1, "beta": 0.05},
        2 * log(20),
    ),
    "lwy24.lemma2.6": (
        "min q + 2 Delta/epsilon ln(|H|/beta)",
        {"epsilon": 0.5, "sensitivity": 0.01, "beta": 0.05, "size": 1000},
        0.04 * log(20_000),
    ),
    "lwy24.lemma3.1": (
        "n >= 576/alpha^2 (4 VC(C) + ln(8/beta))",
        {"vc_dim": 5, "alpha": 0.1, "beta": 0.05},
        1_444_331,
    ),
    "lwy24.lemma3.2": (
        "n >= 96/alpha (2 VC(C) ln(384/alpha) + ln(4/beta))",
        {"vc_dim": 5, "alpha": 0.1, "beta": 0.05},
        83_438,
    ),
    "lwy24.lemma4.1.lower": (
        "K = min(m|p-q|, sqrt(m)|p-q|/sqrt(p(1-p)), 1); K/700 <= d_TV",
        {"m": 4, "p": 0.5, "q": 0.6},
        0.4 / 700,
    ),
    "lwy24.lemma4.1.upper": ("d_TV <= K", {"m": 25, "p": 0.5, "q": 0.45}, 0.5),
    "lwy24.lemma4.2": (
        "4 Pi_C(2n) exp(-gamma xi n/(4(gamma+1)))",
        {"vc_dim": 1, "gamma": 0.5, "xi": 0.2, "n": 600},
        4 * 1201 * exp(-10),
    ),
    "lwy24.lemma4.3": (
        "n >= 64/alpha^2 (VC ln(128m/alpha^2) + ln(8/beta))",
        {"vc_dim": 1, "alpha": 0.1, "beta": 0.05, "m": 10},
        ceil(6400 * (log(128_000) + log(160))),
    ),
    "lwy24.lemma4.4": (
        "n >= 96/alpha (2 VC ln(384m/alpha) + ln(4/beta))",
        {"vc_dim": 1, "alpha": 0.1, "beta": 0.05, "m": 10},
        ceil(960 * (2 * log(38_400) + log(80))),
    ),
    "lwy24.lemmaA.2": ("Pi_C(n) <= (en/d)^d", {"vc_dim": 2, "n": 6}, 9 * e**2),
    "lwy24.corD.1": ("... + m alpha/4200 <= ...", {"m": 5, "alpha": 0.2}, Fraction(1, 4200)),
    "lyu25.prop1": ("exp(-delta^2 mu/3)", {"delta": 0.5, "mean": 24}, exp(-2)),
    "lyu25.prop2": ("2 exp(-delta^2 t E/3)", {"delta": 0.5, "n": 48, "p": 0.5}, 2 * exp(-2)),
    "lyu25.lemma3.1": (
        "B >= 10 log(L/delta)/epsilon",
        {"size": 100, "epsilon": 0.5, "delta": D},
        20 * log(1e8),
    ),
    "lyu25.lemma4.1": ("leaves: p^d 2^(d^2)", {"ldim": 3, "p": 10}, 512_000),
    "lyu25.cor4.1": ("at most p^d 2^(d^2)", {"ldim": 2, "p": 5}, 400),
    "alon22.thm3.stability": ("eta = 1/(d+1) 2^(2^(d+2)+1)", {"ldim": 1}, Fraction(1, 1024)),
    "alon22.prop7": ("loss_D(h) <= ln(1/eta)/n", {"eta": 0.1, "n": 30}, log(10) / 30),
    "alon22.thm10.1": ("contains floor(log d) thresholds", {"ldim": 1024}, 10),
    "alon22.thm10.2": ("Ldim H >= floor(log d)", {"thresholds": 1023}, 9),
    "alon22.lemma13.epsilon": ("(k epsilon, k delta)", {"k": 5, "epsilon": 0.1}, HALF),
    "alon22.lemma13.delta": ("(k epsilon, k delta)", {"k": 5, "delta": 0.02}, TENTH),
    "alon22.lemma15": ("sample complexity 9m", {"m": 11}, 99),
    "alon22.lemma17": (
        "log^(m)(n)/(3 (10^2 m + 1)^(m+1) (m+1) log(10^2 m + 1))",
        {"m": 2, "size": 2**256},
        8 / (3 * 201**3 * 3 * log2(201)),
    ),
    "alon22.lemma18.delta": ("delta <= 1/(10^3 m^2 log m)", {"m": 4}, 32_000.0),
    "alon22.thm19": ("N >= twr_t(3 s q log q)", {"k": 5, "q": 4}, 120.0),
    "alon22.lemma20": ("r - 1/(10m), r + 1/(10m)", {"m": 7}, Fraction(1, 70)),
    "alon22.lemma21": ("n <= 2^(10^3 m^2 log^2 m)", {"m": 4}, 64_000.0),
    "alon22.claim22": ("p_i - p_(i-1) >= 1/(4m)", {"m": 7}, Fraction(1, 28)),
    "alon22.thm23.records": (
        "m = 2^(2^(d+2)+1) 4^(d+1) ceil(2^(d+2)/alpha)",
        {"ldim": 1, "alpha": 0.3},
        512 * 16 * 27,
    ),
    "alon22.thm23.stability": ("1/((d+1) 2^(2^(d+1)))", {"ldim": 2}, Fraction(1, 768)),
    "alon22.lemma25": (">= 2^(-2^(d+2))", {"ldim": 1}, Fraction(1, 256)),
    "alon22.lemma26": ("loss_D(f) <= 2^(d+2)/n", {"ldim": 3, "n": 64}, HALF),
    "alon22.lemma27": ("E[M_k] <= 4^(k+1) n", {"k": 2, "n": 10}, 640),
}
#: The second version repeats these of the first.
REPEATED = {"thm2": "thm3", "thm3.lower": "thm4.lower", "thm3.upper": "thm4.upper"}
REPEATED |= {"lemma1": "lemma1", "lemma7": "lemma7", "cor2": "cor2"}
REPEATED |= {"thm7.epsilon": "thm10.epsilon", "thm7.delta": "thm10.delta"}
PRINTED |= {f"yan25v2.{new}": PRINTED[f"yan25v1.{old}"] for old, new in REPEATED.items()}

EXPLICIT = {one.name: one for one in ls.theory.paper_bounds() if one.explicit}
ORDERS = {one.name: one for one in ls.theory.paper_bounds() if not one.explicit}


def test_every_statement_with_constants_is_worked_out_here():
    assert PRINTED.keys() == EXPLICIT.keys()


@pytest.mark.parametrize("name", PRINTED)
def test_values_are_those_that_the_papers_print(name):
    text, parameters, expected = PRINTED[name]
    value = ls.theory.paper_bound(name, **parameters).value
    if isinstance(expected, float):
        assert value == pytest.approx(expected, rel=1e-12), text
    else:
        assert value == expected, text


@pytest.mark.parametrize("name", ORDERS)
def test_orders_are_refused_with_what_is_known(name):
    with pytest.raises(UnsupportedError, match="no explicit constant in the paper") as refused:
        ls.theory.paper_bound(name)
    assert ORDERS[name].states in str(refused.value)
    assert ORDERS[name].note in str(refused.value)


def test_notes_name_what_exists():
    for one in ls.theory.paper_bounds():
        for dotted in re.findall(r"\blittlestone(?:\.\w+)+", one.note):
            module, _, name = dotted.rpartition(".")
            assert callable(getattr(importlib.import_module(module), name)), dotted
        for page in re.findall(r"docs/[\w/-]+\.md", one.note):
            assert (PAGE.parents[1] / page).is_file(), page
        for learner in re.findall(r"\w+Learner", one.note):
            assert any(hasattr(named, learner) for named in (ls, ls.theory)), learner
        for other in re.findall(r"\balon22\.\w+(?:\.\w+)?", one.note.rstrip(".")):
            assert other in EXPLICIT, other


def test_floats_are_rounded_to_the_safe_side():
    getcontext().prec = 60
    for n in range(1, 60):
        true = Fraction(Decimal(10).ln()) / n
        value = ls.theory.paper_bound("alon22.prop7", eta=0.1, n=n).value
        assert true <= Fraction(value) < true * (1 + Fraction(1, 2**51))
    for m in range(1, 40):
        true = Fraction(Decimal(m).sqrt()) * Fraction(1, 10) / 700  # p(1-p) = 1/4
        true = min(2 * true, Fraction(m, 7000), Fraction(1, 700))
        value = Fraction(ls.theory.paper_bound("lwy24.lemma4.1.lower", m=m, p=0.5, q=0.6).value)
        assert true * (1 - Fraction(1, 2**50)) < value <= true * (1 + Fraction(1, 10**50))


def test_lemma_4_1_holds_for_exact_binomials():
    for m, p, q in product((1, 3, 10, 40), (0.01, 0.2, 0.5, 0.9), (0.02, 0.25, 0.6)):
        law = [stats.binom.pmf(range(m + 1), m, one) for one in (p, q)]
        apart = abs(law[0] - law[1]).sum() / 2
        low, high = (
            ls.theory.paper_bound(f"lwy24.lemma4.1.{side}", m=m, p=p, q=q).value
            for side in ("lower", "upper")
        )
        assert low <= apart <= high + 1e-12


def test_beyond_floats_values_are_integers_on_the_safe_side():
    value = ls.theory.paper_bound("lwy24.lemmaA.2", vc_dim=1000, n=10**4).value
    assert isinstance(value, int)
    assert math.log(value) == pytest.approx(1000 * (1 + math.log(10)), rel=1e-12)
    largest = ls.theory.paper_bound("alon22.thm23.records", ldim=11, alpha="1e-9").value
    assert str(largest)  # Python writes at most 4,300 digits


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("yan25v3.thm1", {}, "paper_bounds"),
        ("alon22.lemma15", {}, "are: m"),
        ("alon22.lemma15", {"m": 5, "n": 2}, "are: m"),
        ("alon22.lemma15", {"m": 1.5}, "an integer >= 1"),
        ("alon22.prop7", {"eta": 1, "n": 5}, r"a number in \(0, 1\)"),
        ("yan25v1.lemma1", {"epsilon": 2, "delta": D, "beta": 0.1, "k": 1, "n": 9}, r"\(0, 2\)"),
        ("alon22.thm23.records", {"ldim": 12, "alpha": 0.1}, "from 1 to 11"),
        ("lwy24.lemmaA.2", {"vc_dim": 5, "n": 4}, "stated for n >= vc_dim only"),
        ("lwy24.corD.1", {"m": 11, "alpha": 0.1}, "stated for m <= 1/alpha only"),
    ],
)
def test_parameters_are_refused_by_name(name, parameters, message):
    with pytest.raises(ParameterError, match=message):
        ls.theory.paper_bound(name, **parameters)


def test_the_page_lists_every_statement():
    text = PAGE.read_text(encoding="utf-8")
    assert f"{len(EXPLICIT)} have constants and can be computed; {len(ORDERS)} are orders" in text
    with PAGE.with_suffix(".csv").open(encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file)
    rows = [(name.strip("`"), shown) for name, _, shown in rows]
    assert [name for name, _ in rows] == [one.name for one in ls.theory.paper_bounds()]
    for name, shown in rows:
        one = EXPLICIT.get(name)
        assert shown.startswith(f"{one.side}: `{one.formula}`" if one else "an order"), name
