"""The statements of Lyu 2025, section 4, as tests, with the repairs they need.

Repairs: classes and leaves are non-empty and p >= 1; Fact 4 needs p >= n. Where a repair is
needed, the literal statement's counterexample is here too.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from littlestone.combinatorics import Kernel

from .brute import universe
from .classes import points, sparse_sets

N = 4
ALL = 1 << 2**N


#: One process, so that the tables of all classes on 4 points are made once.
pytestmark = pytest.mark.xdist_group("all classes on four points")


@cache
def kernel():
    return Kernel(universe(N).matrix(ALL - 1), max_nodes=None)


@cache
def ldims():
    return np.array([kernel().ldim(v) for v in range(ALL)])


@cache
def reds():
    return np.array([kernel().reducibility(v) for v in range(ALL)])


@cache
def soas():
    return np.array([kernel().soa(v) for v in range(ALL)])


@cache
def ddims(p, d):
    """DDim of every class on 4 points; -1 where LDim > d."""
    return np.array([kernel().ddim(v, p, d) if n <= d else -1 for v, n in enumerate(ldims())])


def over_subclasses(values, join):
    """For every class, join the values of all its subclasses."""
    out = values.copy()
    for f in range(2**N):
        view = out.reshape(-1, 2, 1 << f)
        view[:, 1] = join(view[:, 1], view[:, 0])
    return out


# -- Claim 4.1 and Lemma 4.1 ------------------------------------------------------------------


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_lemma_4_1_no_valid_tree_has_too_many_leaves(p, d):
    """All valid trees of all classes on 3 points (and of some on 4), not only optimal ones."""
    for n, step in ((3, 1), (4, 131)):
        u = universe(n)
        for v in range(1, 1 << 2**n, step):
            if u.ldim(v) <= d:
                assert 1 <= u.most_leaves(v, 0, p, d) <= p**d * 2 ** (d * d)


# -- Lemma 4.2 --------------------------------------------------------------------------------


def soas_of_irreducible_subclasses(k):
    """For every class H, the SOAs of its k-irreducible subclasses, as a class."""
    own = np.where(reds() > k, 1 << soas(), 0)
    own[0] = 0
    return over_subclasses(own, np.bitwise_or)


@pytest.mark.more
@pytest.mark.parametrize("d", [0, 1, 2, 3, 4])
def test_lemma_4_2_soas_of_irreducible_subclasses_keep_the_dimension(d):
    """With (d + 1)-irreducible as stated; on 4 points even with d-irreducible, but not less."""
    at_most_d = ldims() <= d
    for k in (d + 1, max(d, 1)):
        hat = soas_of_irreducible_subclasses(k)
        assert (ldims()[hat[at_most_d]] <= d).all()
    if d in (2, 3):
        hat = soas_of_irreducible_subclasses(d - 1)
        assert (ldims()[hat[at_most_d]] > d).any()


# -- Lemma 4.3 and Corollary 4.1 --------------------------------------------------------------


@pytest.mark.more
@pytest.mark.parametrize(("p", "d"), [(1, 1), (1, 2)])
def test_lemma_4_3_part_1_on_all_pairs_of_classes_on_4_points(p, d):
    """DDim_{2p,d}(G) <= DDim_{p,d}(H) for every G within H; and with the same p."""
    single, double = ddims(p, d), ddims(2 * p, d)
    small = ldims() <= d
    assert (over_subclasses(double, np.maximum)[small] <= single[small]).all()
    assert (over_subclasses(single, np.maximum)[small] <= single[small]).all()


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("d", [1, 2])
def test_lemma_4_3_part_2_for_arbitrary_optimal_trees_on_3_points(p, d):
    """Any SOA of any optimal (2p, d)-tree of G is in every optimal (p, d)-tree of H."""
    u = universe(3)
    compared = 0
    for h in u.classes():
        if u.ldim(h) > d:
            continue
        t, essential = u.essential(h, p, d)
        for g in range(1, h + 1):
            if g & ~h == 0:
                s, trees = u.decompositions(g, 2 * p, d)
                assert s <= t
                if s == t:
                    assert frozenset().union(*trees) <= essential
                    compared += t > 0
    assert compared > 0 or d == 2 or p == 2


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(("n", "k", "p"), [(12, 1, 2), (10, 2, 1), (14, 2, 1)])
def test_lemma_4_3_on_sparse_sets(seed, n, k, p):
    """Subclasses G within H of at most k of n points: both parts, with DDim > 0."""
    rng = np.random.default_rng(seed)
    kernel = Kernel(sparse_sets(n, k), max_nodes=None)
    keep = rng.random(kernel.matrix.n_hypotheses)
    g, h = (sum(1 << int(i) for i in np.flatnonzero(keep < share)) for share in (0.75, 0.95))
    small, large = kernel.ddim(g, 2 * p, k), kernel.ddim(h, p, k)
    assert small <= large
    if small == large:
        leaves = kernel.decomposition(g, 2 * p, k).leaves
        found = {
            kernel.soa(leaf.hypotheses) for leaf in leaves if kernel.ldim(leaf.hypotheses) == small
        }
        assert found <= set(kernel.essential(h, p, k))


@pytest.mark.first(2)
@pytest.mark.parametrize(("p", "d"), [(1, 1), (2, 1), (1, 2)])
def test_corollary_4_1_on_every_class_on_4_points(p, d):
    single, double = ddims(p, d), ddims(2 * p, d)
    essential = [  # as classes: row f is function f
        sum(1 << f for f in kernel().essential(v, p, d)) if n <= d else 0
        for v, n in enumerate(ldims())
    ]
    pairs = 0
    for v in range(1, ALL):
        if ldims()[v] > d:
            continue
        assert essential[v].bit_count() <= p**d * 2 ** (d * d)  # item 1
        if single[v] == double[v]:
            assert essential[v]  # item 3
        if single[v] == 0:
            assert essential[v] == v  # item 4
        for f in range(2**N):  # item 2; dropping one hypothesis suffices, DDim being monotone
            g = v & ~(1 << f)
            if g != v and g and single[g] == single[v]:
                assert not essential[g] & ~essential[v]
                pairs += single[v] > 0
    assert pairs >= 80


# -- Fact 4 -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("n_points", "k", "p"), [(9, 1, 3), (20, 1, 4), (12, 2, 2), (6, 2, 2)])
@pytest.mark.parametrize("seed", range(3))
def test_fact_4_examples_that_contradict_f_make_it_inessential(n_points, k, p, seed):
    rng = np.random.default_rng(seed)
    kernel = Kernel(sparse_sets(n_points, k), max_nodes=None)
    checked = 0
    for _ in range(12):
        keep = rng.random(kernel.matrix.n_hypotheses) < 0.9
        h = sum(1 << int(i) for i in np.flatnonzero(keep))
        n = int(rng.integers(k, p + 1))  # p >= n >= d
        chosen = rng.integers(0, n_points, n)
        target = kernel.matrix.array[rng.integers(1, kernel.matrix.n_hypotheses)]
        chosen[0] = rng.choice(np.flatnonzero(target))  # the first example is positive
        labels = target[chosen] ^ (rng.random(n) < 0.1)
        zeros, ones = (
            np.bincount(chosen[labels == 0], minlength=n_points),
            np.bincount(chosen[labels == 1], minlength=n_points),
        )
        g = h & kernel.within_error(zeros, ones, n // 10)
        for f in kernel.essential(h, p, k) if g else ():
            errors = int((kernel.labels(f)[chosen] != labels).sum())
            if 8 * errors >= n:
                assert f not in kernel.essential(g, p, k)
                checked += 1
    assert checked > 0


def test_fact_4_needs_p_at_least_n():
    """35 negatives and 5 positives: 0 errs on 1/8, the 5 points on 1/10, yet 0 stays essential."""
    kernel = Kernel(points(12), max_nodes=None)
    zeros, ones = np.zeros(12, dtype=int), np.zeros(12, dtype=int)
    ones[:5], zeros[5:] = 1, 5
    g = kernel.within_error(zeros, ones, 4)
    assert kernel.members(g).tolist() == [1, 2, 3, 4, 5]
    assert kernel.errors(zeros, ones)[0] == 5
    for p in (2, 3):
        assert 0 in kernel.essential(None, p, 1)
        assert 0 in kernel.essential(g, p, 1)
    assert 0 not in kernel.essential(g, 40, 1)


# -- Certificates -----------------------------------------------------------------------------


@pytest.mark.more
def test_reducibility_certificate_and_its_sharpness():
    """red >= D(L - 1) + 2 forces DDim = L and the SOA alone; with + 1 it would be false."""
    u = universe(4)
    certified = refuted = 0
    for p, d in ((1, 1), (2, 1), (1, 2)):
        for v in u.classes():
            top = u.ldim(v)
            if 1 <= top <= d:
                limit = p * (2 ** (d - top + 1) - 1)
                answer = u.essential(v, p, d)
                promised = answer == (top, {u.soa(v)})
                if u.reducibility(v) >= limit + 2:
                    assert promised
                    certified += 1
                elif u.reducibility(v) == limit + 1:
                    refuted += not promised
    assert certified > 0
    assert refuted > 0


@pytest.mark.more
def test_few_columns_degenerate():
    """p >= min(columns, hypotheses - 1), d >= 1: DDim = 0. Tight for LDim = d = 1."""
    u = universe(4)
    for v in range(1, ALL, 7):
        q = len(Kernel(u.matrix(v)).matrix.live)
        enough = min(q, v.bit_count() - 1)
        ldim = u.ldim(v)
        d = max(1, ldim)
        if enough:
            assert u.decompositions(v, enough, d)[0] == 0
            if ldim == 1 and enough > 1:
                assert u.decompositions(v, enough - 1, 1)[0] == 1
