"""The papers' statements, tried: exact laws, all small classes; and the lemmas of Coq."""

from __future__ import annotations

import importlib
import json
import math
import pkgutil
import re
import subprocess
from fractions import Fraction as F
from itertools import combinations, product
from math import log2
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import littlestone
import littlestone as ls
from littlestone.bounds import claim
from littlestone.bounds.claims import LEMMAS, UNCHECKED, claims
from littlestone.classes.trees import MatrixTree
from littlestone.mechanisms import sparse_select_lists
from littlestone.source import Explicit, SeededSource, exp, public_generator

# -- The papers' statements, tried: exact laws, all small classes, all colorings; and misprints ----


def bound(name, **parameters):
    return ls.theory.paper_bound(name, **parameters).value


# ---------------------------------------------------------------- medians (000, 001: Fact 1)
def is_median(value, numbers, alpha):
    """Definition 12 of 000, 11 of 001."""
    least = min(sum(x <= value for x in numbers), sum(x >= value for x in numbers))
    return least >= (F(1, 2) - alpha) * len(numbers)


def test_every_number_is_a_half_median_and_a_0_median_exists():
    """Fact 1 says nothing as printed; with 0 in the place of 1/2 it does, and it is true."""
    for size in range(1, 6):
        for numbers in product(range(4), repeat=size):
            assert all(is_median(value, numbers, F(1, 2)) for value in (-7, 9)), "vacuous"
            assert not any(is_median(value, numbers, F(0)) for value in (-7, 9))
            assert is_median(sorted(numbers)[(size - 1) // 2], numbers, F(0))


# ---------------------------------------------------------------- generalization
def share_of_failures(atoms, mass, n, alpha, seen, seed, runs=200):
    """Return how often sets of atoms of mass above alpha are seen on a share <= ``seen``.

    The class is all sets of these atoms, each of the same mass: the least counted j of them are
    the empirically lightest set of that size.
    """
    rng = public_generator(seed)
    heavy = next(j for j in range(1, atoms + 1) if j * mass > alpha)
    law = [*[mass] * atoms, 1 - atoms * mass]
    counts = np.sort(rng.multinomial(n, law, size=runs)[:, :atoms], axis=1)
    return float((counts[:, :heavy].sum(axis=1) <= seen * n).mean())


@pytest.mark.parametrize("name", ["yan25v1.thm2", "yan25v2.thm3"])
@pytest.mark.parametrize("atoms", [1, 4, 12])
def test_pairs_at_a_small_empirical_distance_are_close(name, atoms):
    """At the bound no pair is far apart; at a record for each unit of mass, many runs fail."""
    alpha, beta = 0.1, 0.05
    n, mass = bound(name, vc_dim=atoms, alpha=alpha, beta=beta), 0.101 / math.ceil(atoms / 2)
    if atoms == 1:
        mass = 0.101
    assert share_of_failures(atoms, mass, n, alpha, alpha / 10, seed=1) <= beta
    assert share_of_failures(atoms, mass, 10, alpha, alpha / 10, seed=1) > beta


@pytest.mark.first(1)
@pytest.mark.parametrize("atoms", [1, 4, 12])
def test_lemma_4_4_of_002(atoms):
    """Users of m records: seen by a user means among its records (s = 0), which has this chance."""
    alpha, beta, m = 0.1, 0.05, 3
    users = bound("lwy24.lemma4.4", vc_dim=atoms, alpha=alpha, beta=beta, m=m)
    rng = public_generator(4)
    heavy = max(1, atoms // 2)
    mass = (1 - (1 - 0.102) ** (1 / m)) / heavy  # `heavy` atoms are seen by 10.2% of the users

    def failures(n, runs=60):
        failed = 0
        for _ in range(runs):
            which = rng.choice(atoms + 1, size=(n, m), p=[*[mass] * atoms, 1 - atoms * mass])
            seen = np.array([(which == atom).any(axis=1) for atom in range(atoms)])
            lightest = np.argsort(seen.sum(axis=1))[:heavy]
            failed += seen[lightest].any(axis=0).mean() <= alpha / 2
        return failed / runs

    assert failures(users) <= beta
    assert failures(12) > beta


def test_lemma_4_2_of_002_for_exact_binomials():
    """For one hypothesis (dimension 0), and for disjoint ones (dimension 1) by a union bound."""
    below = 0
    for n, gamma, xi, p in product((50, 400, 3000), (0.1, 0.5, 0.9), (0.02, 0.1, 0.3), (0.1, 0.5)):
        seen = math.ceil((p - xi) / (1 + gamma) * n) - 1  # the most for p > (1+gamma) seen/n + xi
        chance = float(stats.binom.cdf(seen, n, p))
        own = bound("lwy24.lemma4.2", vc_dim=0, gamma=gamma, xi=xi, n=n)
        several = bound("lwy24.lemma4.2", vc_dim=1, gamma=gamma, xi=xi, n=n)
        assert chance <= own
        assert min(1, int(1 / p) * chance) <= several
        below += own < 1
    assert below > 10, "numbers above 1 say nothing"


@pytest.mark.parametrize("n", [10, 60, 400, 3000])
def test_claim_1_of_001_for_exact_binomials(n):
    for alpha in (0.01, 0.05, 0.2, 0.5):
        more = float(stats.binom.sf(math.floor(2 * alpha * n), n, alpha))
        assert more <= bound("yan25v2.claim1", alpha=alpha, n=n)


def test_claim_2_of_001_has_its_sign_reversed():
    """The mass on the path is at most alpha: few points are likely, many are not."""
    alpha, n = 0.1, 300
    printed = bound("yan25v2.claim1", alpha=alpha, n=n)  # the same right side
    assert stats.binom.cdf(2 * alpha * n, n, alpha) > 0.99 > printed, "as printed"
    assert stats.binom.sf(2 * alpha * n, n, alpha) <= printed, "as meant"


# ---------------------------------------------------------------- Chernoff bounds (003)
def test_proposition_1_of_003_needs_its_factor_2():
    assert stats.binom.pmf([0, 1], 1, 0.5).sum() == 1  # |X - 1/2| > 1/4, always
    assert bound("lyu25.prop1", delta=0.5, mean=0.5) < 1
    below = 0
    for n, p, delta in product((1, 5, 40, 300), (0.02, 0.3, 0.5, 0.9), (0.1, 0.5, 0.9)):
        mean, counts = n * p, np.arange(n + 1)
        off = np.abs(counts - mean) > delta * mean + 1e-9
        chance = float(stats.binom.pmf(counts, n, p)[off].sum())
        doubled = 2 * bound("lyu25.prop1", delta=delta, mean=mean)
        assert chance <= doubled
        below += doubled < 1
    assert below > 10


def test_proposition_2_of_003_for_exact_hypergeometric_laws():
    below = 0
    for total, n, share, delta in product(
        (20, 200), (0.2, 0.5, 1), (0.1, 0.5, 0.9), (0.1, 0.5, 0.9)
    ):
        drawn, ones = int(n * total), int(share * total)
        counts = np.arange(drawn + 1)
        off = np.abs(counts / drawn - share) > delta * share + 1e-9
        chance = float(stats.hypergeom.pmf(counts, total, ones, drawn)[off].sum())
        most = bound("lyu25.prop2", delta=delta, n=drawn, p=share)
        assert chance <= most
        below += most < 1
    assert below > 10


# ---------------------------------------------------------------- all small classes
def vc_of(rows, points):
    """Return the VC dimension of rows, as bits, by the definition; -1 if there are none."""
    best = -1
    for size in range(points + 1):
        for chosen in combinations(range(points), size):
            seen = {tuple(row >> x & 1 for x in chosen) for row in rows}
            if len(seen) == 2**size:
                best = size
    return best


def test_lemma_3_3_of_002_on_all_pairs_of_classes_of_three_points():
    """The union has at most d1 + d2 + 1, which is what is known of it here; and it is attained."""
    (note,) = (one.note for one in ls.theory.paper_bounds() if one.name == "lwy24.lemma3.3")
    assert "d1 + d2 + 1" in note
    dims = [vc_of([r for r in range(8) if mask >> r & 1], 3) for mask in range(256)]
    table = np.array(dims)
    masks = np.arange(1, 256)
    union = table[masks[:, None] | masks[None, :]]
    most = table[masks][:, None] + table[masks][None, :] + 1
    assert (union <= most).all()
    assert (union == most).any()


def test_definition_17_of_001_has_its_order_reversed():
    """A concept is what lies above a node: {y | x <= y}; as printed no chain has a proper node."""
    rows = [[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]]  # thresholds: 0 <= 1 <= 2 by Definition 13
    below = {(x, y) for x, y in product(range(3), repeat=2) if all(r[y] or not r[x] for r in rows)}
    assert below == {(x, y) for x, y in product(range(3), repeat=2) if x <= y}
    concepts = {frozenset(x for x in range(3) if row[x]) for row in rows}
    for x in range(3):
        assert frozenset(y for y in range(3) if (x, y) in below) in concepts, "as meant"
    assert frozenset({0}) not in concepts, "as printed, {y | y <= x}, the least node is improper"
    tree = MatrixTree(rows, f=0)
    assert all(tree.is_proper(node) for node in range(3))


# ---------------------------------------------------------------- tolerances (003: Claim 6.3)
def test_claim_6_3_of_003_with_either_tolerance():
    """What interleaves: the next tolerance, seen by another teacher, is within this one."""
    for d in range(1, 60):
        seen = 1 + F(1, 5 * d)
        for step in (1 - F(1, d), 1 - F(1, 5 * d)):  # Algorithm 4, and the proof of Claim 6.3
            assert step * seen <= 1
    assert 1 - F(1, 1) == 0, "at d = 1 Algorithm 4 has no tolerance at all"


# ---------------------------------------------------------------- Ramsey (004)
#: Least size of a universe in which every coloring has a homogeneous set of size k: published
#: (Radziszowski, Small Ramsey Numbers, Electronic Journal of Combinatorics, DS1).
RAMSEY = {(3, 2): 6, (4, 2): 18, (3, 3): 17}


def has_triangle(edges, size):
    """Whether a coloring of pairs, as bits, has a triangle of one color."""
    place = {pair: i for i, pair in enumerate(combinations(range(size), 2))}
    sides = (
        [place[pair] for pair in combinations(three, 2)] for three in combinations(range(size), 3)
    )
    same = np.zeros(len(edges), dtype=bool)
    for a, b, c in sides:
        same |= ((edges >> a ^ edges >> b) | (edges >> a ^ edges >> c)) & 1 == 0
    return same


def test_theorem_19_of_004_against_published_numbers_and_all_colorings():
    assert not has_triangle(np.arange(2**10), 5).all()
    assert has_triangle(np.arange(2**15), 6).all()
    for (k, q), least in RAMSEY.items():
        assert 2 ** bound("alon22.thm19", k=k, q=q) >= least  # twr_2(x) = 2**x
    for k in range(3, 40):
        assert bound("alon22.thm19", k=k, q=2) >= k / 2, "Erdos: more than 2**(k/2) are needed"


@pytest.mark.parametrize("bits", [407_523, 10**6])
def test_lemma_17_of_004_is_theorem_19_at_its_colors(bits):
    """The points that it promises are those for which Theorem 19 needs a domain of 2**bits."""
    points, q = bound("alon22.lemma17", m=1, size=2**bits), 101**2
    assert points >= 1
    assert points * bound("alon22.thm19", k=3, q=q) / 3 == pytest.approx(bits, rel=1e-9)


# ---------------------------------------------------------------- the attack (004: Lemmas 18, 21)
def of_the_proof(m, log, constant):
    """Return the proof's T and D, and D delta for delta = 1/(constant m**2 log m)."""
    steps = 1000 * m**2 * log(m) ** 2 - 1
    copies = 100 * m**2 * log(steps)
    return steps, copies, copies / (constant * m**2 * log(m))


@pytest.mark.parametrize("log", [math.log, log2])
def test_lemma_21_of_004_does_not_hold_with_the_printed_delta(log):
    """Its proof needs 2/3 - D delta >= 1/2; D delta > 1/5 for every m. The calculator says so."""
    for m in [*range(2, 3000), *(10**k for k in range(4, 140, 7))]:
        steps, copies, leak = of_the_proof(m, log, 1000)
        assert leak > 1 / 5
        assert 2 / 3 - leak < 1 / 2
        *_, mended = of_the_proof(m, log, 10_000)
        assert 2 / 3 - mended >= 1 / 2
        # the other two steps of the proof
        assert 1 - 1 / steps >= 2 / 3
        assert (steps - 1) * math.log(2) > 0.1 * copies


def test_the_calculator_says_that_lemma_21_is_not_proved():
    printed = ls.theory.paper_bound("alon22.lemma18.delta", m=2)
    assert printed.value == pytest.approx(4000)
    assert "Not enough for its proof" in str(printed)
    assert "10000 in the place of 1000" in str(printed)
    assert "Not proved with the printed delta" in str(ls.theory.paper_bound("alon22.lemma21", m=2))


# -- Claims name lemmas that are in the snapshot; golden vectors of Coq are those of the library ---

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
