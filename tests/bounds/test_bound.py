"""A bound's floats are the values of its steps; the least n is least."""

import math
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlestone.bounds import Bound, CertificateBuilder, least_n
from littlestone.bounds.certificate import CERTIFICATES, Log
from littlestone.bounds.representations import DECAYS, LAYERS, OFF
from littlestone.errors import ParameterError

GOAL = {"epsilon": F(1, 3), "alpha": F(1, 10), "beta": F(1, 20)}
NEAR = {"alpha1": F(1, 90), "beta1": F(1, 100)}
CUT = {"cut": F(1, 30), "collision": F(1, 100), "copies": 3, "n": 700}
SHARES = {name: F(1, 6) for name in ("share_deviation", "share_best", "share_release", "share_near",
                                     "share_spread", "share_hashing")}  # fmt: skip
BOUNDS = {
    "realizable": (CERTIFICATES["realizable"], {}),
    "agnostic": (CERTIFICATES["losses"], {}),
    "realizable_from": (CERTIFICATES["realizable-from"], NEAR),
    "agnostic_from": (CERTIFICATES["losses-from"], NEAR),
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
