"""Certificates: everything in them is computed again; forgeries are noticed."""

import contextlib
import copy
import json
from fractions import Fraction

import pytest

from littlestone import bounds
from littlestone.bounds import (
    Certificate,
    CertificateBuilder,
    Claim,
    FormulaError,
    Reference,
    claim,
    claims,
    recheck,
    register,
)
from littlestone.errors import ParameterError

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
    "representation": lambda n=None: bounds.best_representation(lambda a, b: int(9 / a / b), **PAR),
}  # fmt: skip


@pytest.mark.parametrize("name", ALL)
def test_round_trip_and_recheck(name):
    certificate = ALL[name]()
    assert certificate.holds
    data = json.loads(json.dumps(certificate.to_dict()))
    assert Certificate.from_dict(data) == certificate
    assert recheck(data) == () == recheck(certificate)
    assert f"from {certificate.n:,} records: holds" in str(certificate)


@pytest.mark.parametrize("name", [name for name in ALL if name != "representation"])
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
