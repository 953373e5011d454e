"""Claims name lemmas that are in the snapshot; golden vectors of Coq are those of the library."""

import importlib
import json
import pkgutil
import re
import subprocess
from fractions import Fraction as F
from pathlib import Path

import pytest

import littlestone
from littlestone.bounds import claim
from littlestone.bounds.claims import LEMMAS, UNCHECKED, claims
from littlestone.mechanisms import sparse_select_lists
from littlestone.source import Explicit, SeededSource, exp

PROOFS = Path(__file__).parents[2] / "proofs"
SNAPSHOT, GOLDEN = (
    json.loads((PROOFS / f"{name}.json").read_text(encoding="utf-8"))
    for name in ("snapshot", "golden")
)
#: The only file with axioms: the classical ones of MathComp-Analysis.
CLASSICAL = ("propositional_extensionality", "functional_extensionality_dep", "constructive_")


PACKAGES = (
    "evaluation",
    "learners",
    "mechanisms",
    "papers",
    "privacy",
)  # they register claims of privacy


#: What is needed for privacy, or holds without it: no mechanism's privacy rests on these.
ABOUT = {
    "conformal.marginal",  # coverage
    "alon22.thm1",
    "alon22.thm2",
    "clnss24.points",
    "littlestone.soa",
    "lower.littlestone.pure",
    "lower.packing",
    "lower.two-labels",
    "lower.two-concepts",
    "lwy24.table1.item",
    "lwy24.table1.user",
}


def import_rooms():
    for module in pkgutil.walk_packages(littlestone.__path__, "littlestone."):
        if module.name.split(".")[1] in PACKAGES:
            importlib.import_module(module.name)


def test_every_claim_of_privacy_names_its_lemmas_or_says_that_it_has_none():
    import_rooms()
    words = re.compile(r"-DP\b|[Pp]riva|\bpure\b|zCDP|bounded range|Rényi")
    private = {c.id for c in claims() if words.search(c.statement)} - ABOUT
    assert private <= set(LEMMAS) | set(UNCHECKED)
    assert not set(LEMMAS) & set(UNCHECKED)
    for identifier in UNCHECKED:
        assert claim(identifier).statement
    assert len(set(LEMMAS) & private) > len(UNCHECKED)


def test_every_named_lemma_is_in_the_snapshot_and_assumes_nothing():
    import_rooms()
    for identifier, checked in LEMMAS.items():
        assert claim(identifier).statement
        assert checked.lemmas
        for name in checked.lemmas:
            assert name in SNAPSHOT["theorems"], name
    for name, found in SNAPSHOT["theorems"].items():
        if name.startswith("reals."):
            axioms = [line for line in found["assumptions"].split("\n")[1:] if line[0] != " "]
            assert len(axioms) == 3
            assert all(any(word in line for word in CLASSICAL) for line in axioms)
        else:
            assert found["assumptions"] == "Closed under the global context", name


def test_the_snapshot_is_of_these_files():
    """A theorem that is added, renamed or taken away shows without Coq, too."""
    stated = {
        f"{path.stem}.{line.split()[1]}"
        for path in (PROOFS / "theories").glob("*.v")
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.startswith("Theorem ")
    }
    assert stated == set(SNAPSHOT["theorems"])


class Seen(SeededSource):
    """Keeps the weights that are presented."""

    def choose(self, weights):
        self.weights = weights
        return super().choose(weights)


@pytest.mark.parametrize("case", GOLDEN["levels"], ids=lambda case: str(case["scores"]))
def test_levels_of_scores(case):
    source = Seen(0)
    Explicit(case["scores"]).draw(F(1, 2), source)
    weights = source.weights
    assert weights.bottom is None
    presented = [[int(c), int(s)] for c, s in zip(weights.counts, weights.scores, strict=True)]
    assert presented == case["levels"]


@pytest.mark.parametrize("case", GOLDEN["sparse_levels"], ids=lambda case: str(case["lists"]))
def test_levels_of_lists_beside_bottom(case):
    source, delta = Seen(0), F(1, 10)
    sparse_select_lists(case["lists"], cap=2, epsilon=1, delta=delta, source=source, default=None)
    weights = source.weights
    if case["levels"]:
        assert weights.bottom == exp(F(1, 2), times=2 / delta)
    presented = [[int(c), int(s)] for c, s in zip(weights.counts, weights.scores, strict=True)]
    assert presented == case["levels"]


@pytest.mark.proofs
def test_the_kernel_accepts_the_lemmas_and_refuses_false_variants():
    done = subprocess.run(
        ["make", "-C", str(PROOFS), "mutants"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
