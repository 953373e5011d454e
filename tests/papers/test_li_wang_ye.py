"""The page of 002 against a second writing of the text, exact law by exact law."""

import random
from dataclasses import replace
from fractions import Fraction as F
from itertools import combinations, product

import numpy as np
import pytest

import littlestone as ls
from littlestone.bounds import recheck
from littlestone.classes import FiniteClass, MajorityHypothesis, PointHypothesis
from littlestone.data import Sample, UserSample
from littlestone.errors import UnsupportedError
from littlestone.papers import li_wang_ye as page
from littlestone.papers import li_wang_ye_records as first_page
from littlestone.privacy import hockey_stick
from littlestone.privacy.guarantee import upper
from littlestone.source import ExactSource

from . import reference_lwy as text
from .test_yan import SEEDS, check

ADDED = page.ADDED
NUMBERS = {"alpha": F(1, 10), "beta": F(1, 10), "delta": F(0), "n": 1}


def random_matrix(rng):
    points = rng.randint(3, 5)
    rows = list(product((0, 1), repeat=points))
    return sorted(rng.sample(rows, rng.randint(3, 8)))


def number_in(matrix):
    """Return which row a hypothesis is."""
    rows, domain = [tuple(row) for row in matrix], np.arange(len(matrix[0]))
    return lambda h: rows.index(tuple(h.predict(domain).tolist()))


def functions(matrix):
    return [lambda x, row=row: row[x] if 0 <= x < len(row) else 0 for row in matrix]


def random_users(rng, points, n=2, most=2):
    kinds = list(product(points, (0, 1)))
    return [tuple(rng.choice(kinds) for _ in range(rng.randint(0, most))) for _ in range(n)]


def sample_of(users):
    """Users by number, also those without records."""
    rows = [(i, x, y) for i, user in enumerate(users) for x, y in user]
    found = UserSample.of([i for i, _, _ in rows], [x for _, x, _ in rows], [y for *_, y in rows])
    present = sorted({i for i, _, _ in rows})
    keys = np.arange(len(users), dtype=np.uint64)
    order = {i: k for k, i in enumerate(present)}
    assert found.user.tolist() == sorted(found.user.tolist())
    back = np.array([present[k] for k in range(len(order))], dtype=np.int64)
    return replace(found, user=back[found.user] if len(back) else found.user, keys=keys)


def exact(run):
    return ExactSource().law(run)


# -- Theorem 3.4 ----------------------------------------------------------------------------------


def drawn_hypotheses(representation):
    """H under the public coins of `ExactSource`."""
    found = []
    exact(lambda source: found.append(list(representation.drawn(source).hypotheses())) or 0)
    return found[0]


def record_theorem34(concept_class, epsilon):
    return first_page.Theorem34(concept_class, F(epsilon), alpha=F(9, 10), beta=F(9, 10))


@pytest.mark.first(3, 15)
@pytest.mark.parametrize("seed", SEEDS)
def test_theorem_34_of_listed_classes(seed):
    rng = random.Random(seed)
    matrix = random_matrix(rng)
    A, H = record_theorem34(FiniteClass(matrix), F(rng.randint(1, 8), 2)), functions(matrix)
    for _ in range(6):
        kinds = list(product(range(len(matrix[0])), (0, 1)))
        records = [rng.choice(kinds) for _ in range(rng.randint(2, 4))]
        scores = {i: text.q_of_records(h, H, records) for i, h in enumerate(H)}
        wanted = text.exponential(scores, A.epsilon, sensitivity=2)
        sample = Sample.of(*zip(*records, strict=True))
        check(exact(lambda source, S=sample: A.draw(S, source)), wanted, number_in(matrix))


@pytest.mark.first(0, 6)
@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("seed", range(20))
def test_theorem_34_of_infinite_classes(seed, k):
    """Sets of at most k points of any domain, by a hashed representation outside the class."""
    rng = random.Random(seed)
    concept_class = ls.Points() if k == 1 else ls.SparseSets(k)
    A = record_theorem34(concept_class, 2)
    A = replace(A, alpha=F(99, 100), beta=F(99, 100))
    H = drawn_hypotheses(A.representation)
    points = rng.sample(range(1000), 4)
    records = [(rng.choice(points), rng.randint(0, 1)) for _ in range(rng.randint(2, 5))]
    subsets = [set(s) for i in range(k + 1) for s in combinations(points, i)]
    concepts = [lambda x, s=s: int(x in s) for s in subsets]
    labels = [dict(zip(points, h.predict(np.array(points)).tolist(), strict=True)) for h in H]
    scores = {
        i: text.q_of_records(row.__getitem__, concepts, records) for i, row in enumerate(labels)
    }
    sample = Sample.of(*zip(*records, strict=True))
    rows = np.array([h.predict(sample.points) for h in H], dtype=np.int64)
    assert first_page.surrogate(concept_class, rows, sample).tolist() == list(scores.values())
    if k == 1:
        wanted = {}
        for i, chance in text.exponential(scores, A.epsilon, sensitivity=2).items():
            wanted[H[i]] = wanted.get(H[i], 0) + chance
        check(exact(lambda source: A.draw(sample, source)), wanted)


def test_theorem_34_is_certified():
    for concept_class, most in ((ls.Points(), 2500), (ls.Thresholds(1, 2**20), 3300)):
        A = first_page.Theorem34.printed(concept_class, epsilon=F(1), **NUMBERS)
        n = A.required_samples()
        assert n <= most
        cert = A.failure(n).certificate(alpha=A.alpha, beta=A.beta, n=n)
        assert cert.holds
        assert not recheck(cert.to_dict())
        assert A.guarantee().epsilon == 1


# -- Definition 2.3 and Lemma 2.4 -----------------------------------------------------------------


@pytest.mark.more
@pytest.mark.parametrize(
    ("concepts", "values"),
    [
        (list(product((0, 1), repeat=2)), ["3/4", "1/2", "1/4"]),
        ([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]], None),
        ([[int(i == x) for x in range(3)] for i in range(4)], None),
        ([[int(i == x) for x in range(4)] for i in range(5)], ["3/4", "1/2", "1/4"]),
        ([[int(x >= u) for x in range(4)] for u in range(5)], ["4/5", "3/5", "2/5", "1/5"]),
    ],
)
def test_values_of_the_game_are_exact(concepts, values):
    dimension = first_page.RepD()(concepts)
    found = [first_page.RepD().value(concepts, s) for s in range(1, dimension + 1)]
    assert all(value.low == value.high for value in found)
    if values:
        assert [str(value.high) for value in found] == values
    for s, value in enumerate(found, 1):
        check_strategies(concepts, s, value)
    assert found[-1].high <= F(1, 4)
    assert all(value.low > F(1, 4) for value in found[:-1])


def check_strategies(concepts, s, value, alpha=F(1, 4)):
    """Both bounds from the definition: P against every D of a grid, Q against every H."""
    m = len(concepts[0])
    hypotheses = list(product((0, 1), repeat=m))

    def far(c, h, D):
        return sum(d for d, a, b in zip(D, c, h, strict=True) if a != b) > alpha

    sets = {tuple(tuple(h >> x & 1 for x in range(m)) for h in H): w for H, w in value.sets.items()}
    assert sum(sets.values()) == sum(value.foes.values()) == 1
    steps = 12
    for cuts in product(range(steps + 1), repeat=m - 1):
        if sum(cuts) <= steps:
            D = [F(k, steps) for k in (*cuts, steps - sum(cuts))]
            for c in concepts:
                lost = sum(w for H, w in sets.items() if all(far(c, h, D) for h in H))
                assert lost <= value.high
    saved = {
        h: {foe for foe in value.foes if not far(concepts[foe[0]], h, foe[1])} for h in hypotheses
    }
    for H in combinations(hypotheses, s):
        left = value.foes.keys() - set().union(*(saved[h] for h in H))
        assert sum(value.foes[foe] for foe in left) >= value.low


def nearest(rounds, concept, points, weights):
    """The majority that the proof builds: the best of each round, by weights of D * 3**wrong."""
    truth, weights, chosen = concept.predict(points), list(weights), []
    for hypotheses in rounds:
        wrong = [h.predict(points) != truth for h in hypotheses]
        costs = [sum(w for w, off in zip(weights, row, strict=True) if off) for row in wrong]
        best = min(range(len(hypotheses)), key=costs.__getitem__)
        chosen.append(hypotheses[best])
        weights = [3 * w if off else w for w, off in zip(weights, wrong[best], strict=True)]
    return MajorityHypothesis(tuple(chosen))


@pytest.mark.more
def test_lemma_24_on_1000_concepts_and_distributions():
    """The boosted representation of points has a near majority about as often as it says."""
    base = ls.Points(0, 5).representation(F(1, 4), F(1, 4))
    boosted = first_page.Lemma24()(base, F(49, 100), F(1, 2))
    assert boosted.size <= 2**20
    rng, bad = np.random.default_rng(0), 0
    for seed in range(1000):
        found = []
        ExactSource(public_seed=seed).law(
            lambda source, found=found: found.append(boosted.drawn(source).listed()) or 0
        )
        weights = [F(int(w), 1000) for w in 1 + rng.integers(0, 1000, size=6)]
        concept = PointHypothesis(int(rng.integers(0, 6)))
        h = nearest(found[0], concept, np.arange(6), weights)
        wrong = h.predict(np.arange(6)) != concept.predict(np.arange(6))
        bad += sum(w for w, off in zip(weights, wrong, strict=True) if off) > F(49, 100) * sum(
            weights
        )
    assert bad <= 560  # 1/2, and four standard deviations


# -- users ----------------------------------------------------------------------------------------


@pytest.mark.more
def test_t_separates_best():
    for m, p, gap in product((1, 2, 5, 16), (F(0), F(1, 4), F(2, 5)), (F(1, 16), F(1, 4))):
        one = page.PrivateCompare(ls.Thresholds(1, 3), m, p, gap, F(1))
        t = text.best_t(m, p, p + gap)
        best = text.tail(m, p + gap, t) - text.tail(m, p, t)
        assert text.tail(m, p + gap, one.t) - text.tail(m, p, one.t) == best
        found, least = text.best_t_within(m, p, p + gap, F(1, 10))
        mine = page._separating(m, p, p + gap, F(1, 10))
        assert least(mine) == least(found)


@pytest.mark.first(3, 15)
@pytest.mark.parametrize("seed", SEEDS)
def test_private_compare_and_algorithm_2(seed):
    rng = random.Random(seed)
    matrix = random_matrix(rng)
    H, m = functions(matrix), 2
    relation = rng.choice([page.REPLACED, ADDED])
    A = page.PrivateMinError(
        FiniteClass(matrix), m, F(rng.randint(1, 6)), F(1, 10), F(1), 2, neighbours=relation
    )
    one = A.compare[F(1, 4)]
    for _ in range(4):
        users = random_users(rng, range(len(matrix[0])))
        sample = sample_of(users)
        wanted = text.compare(
            H, users, m, one.midpoint, one.gap, one.epsilon, added=relation is ADDED
        )
        check(exact(lambda source, S=sample: one.draw(S, source)), wanted)
        wanted = text.min_error(H, users, m, 2, F(1), A.epsilon, added=relation is ADDED)
        check(exact(lambda source, S=sample: A.draw(S, source)), wanted)


def test_a_comparison_with_nothing_to_compare():
    """From midpoint + gap = 1 on, 0 is right whatever the error, and is answered."""
    users = sample_of([((1, 0), (2, 0))] * 2)
    for middle, gap in ((F(1, 2), F(1, 2)), (F(3, 4), F(1, 2))):
        one = page.PrivateCompare(FiniteClass([[1, 1, 1]]), 2, middle, gap, F(50))
        check(exact(lambda source, A=one: A.draw(users, source)), {0: 1})


def test_users_of_too_many_records():
    """Of a user with more than m records m are read, by public coins."""
    users = sample_of([((1, 1),) * 7, ((2, 0), (2, 1), (3, 1))])
    A = page.Theorem46(ls.Thresholds(1, 3), F(4), F(1, 5), F(1, 2), 2, 1)
    held = []
    exact(lambda source: held.append(page.some_of_each(users, 2, source)) or 0)
    assert held[0].records.tolist() == [2, 2]
    laws = [exact(lambda source, S=S: A.draw(S, source)).outcomes for S in (users, held[0])]
    assert all(laws[0][h].overlaps(laws[1][h]) for h in laws[0])


@pytest.mark.first(1, 15)
@pytest.mark.parametrize("seed", SEEDS)
def test_theorem_46_of_listed_classes(seed):
    rng = random.Random(seed)
    matrix = random_matrix(rng)
    H, m = functions(matrix), 2
    relation = rng.choice([page.REPLACED, ADDED])
    A = page.Theorem46(
        FiniteClass(matrix), F(rng.randint(1, 6)), F(1, 5), F(1, 2), m, 2, neighbours=relation
    )
    for _ in range(4):
        users = random_users(rng, range(len(matrix[0])))
        wanted = text.theorem46(H, H, users, m, 2, A.epsilon, A.alpha, added=relation is ADDED)
        sample = sample_of(users)
        check(exact(lambda source, S=sample: A.draw(S, source)), wanted, number_in(matrix))


@pytest.mark.first(0, 1)
@pytest.mark.parametrize("seed", range(4))
def test_theorem_46_with_q_outside_the_class(seed):
    rng, m = random.Random(seed), 2
    A = page.Theorem46(ls.Points(), F(4), F(99, 100), F(99, 100), m, 1)
    H = drawn_hypotheses(A.representation)
    points = rng.sample(range(1000), 3)
    users = random_users(rng, points)
    concepts = [lambda x, s=s: int(x in s) for s in [(), *((p,) for p in points)]]
    rows = [dict(zip(points, h.predict(np.array(points)).tolist(), strict=True)) for h in H]
    law = text.theorem46(
        [row.__getitem__ for row in rows], concepts, users, m, 1, A.epsilon, A.alpha
    )
    wanted = {}
    for i, chance in law.items():
        wanted[H[i]] = wanted.get(H[i], 0) + chance
    check(exact(lambda source: A.draw(sample_of(users), source)), wanted)
    assert A.failure(1) is None


def record_threshold(rng, high, relation, steps):
    A = page.PrivateThreshold(
        ls.Thresholds(1, high), F(rng.randint(2, 12)), F(9, 10), F(1, 2), 2,
        steps=steps, neighbours=relation,
    )  # fmt: skip
    assert A.guarantee().epsilon == A.epsilon
    return A


@pytest.mark.first(0, 10)
@pytest.mark.parametrize("seed", SEEDS)
def test_lemma_51_and_algorithm_1(seed):
    rng, high = random.Random(seed), 3 + seed % 3
    steps = 1 + (seed % 6 == 3)
    relation = rng.choice([page.REPLACED, ADDED])
    A = record_threshold(rng, high, relation, steps)
    losses = [median.epsilon for median in A.medians]
    for _ in range(3):
        users = random_users(rng, range(1, high + 1))
        sample = sample_of(users)
        l, r = sorted(rng.choices(range(high + 1), k=2))  # noqa: E741
        median = A.medians[-1]
        wanted = text.interval_median(
            users, 2, median.mass, A.theta, median.epsilon, l, r, relation is ADDED
        )
        law = exact(lambda source, S=sample, at=(l, r), one=median: one.draw(S, *at, source))
        check(law, wanted)
        wanted = text.private_threshold(
            users, 2, 1, high, (A.search.T, A.search.epsilon), losses, A.epsilon_choice, A.theta,
            A.excess, relation is ADDED,
        )  # fmt: skip
        law = exact(lambda source, S=sample: A.draw(S, source))
        check(law, wanted, lambda h, w=high: int((h.predict(np.arange(1, w + 1)) == 0).sum()))


def bundles(points, most):
    kinds = list(product(points, (0, 1)))
    return [b for size in range(most + 1) for b in combinations(kinds, size)]


@pytest.mark.more
@pytest.mark.parametrize("relation", [page.REPLACED, ADDED])
@pytest.mark.parametrize("kind", ["choice", "thresholds"])
def test_users_are_private_on_all_small_data(kind, relation):
    """Two users of at most one record each of two points: all data sets, all neighbours."""
    held = bundles((1, 2), 1)
    if kind == "choice":
        A = page.Theorem46(ls.Thresholds(1, 2), F(2), F(1, 5), F(1, 2), 2, 2, neighbours=relation)
    else:
        A = page.PrivateThreshold(
            ls.Thresholds(1, 2), F(2), F(9, 10), F(1, 2), 2, steps=1, neighbours=relation
        )

    def law_of(data):
        sample = sample_of(data)
        return exact(lambda source: A.draw(sample, source)).outcomes

    sizes = (1, 2) if relation is ADDED else (2,)
    laws = {data: law_of(data) for n in sizes for data in product(held, repeat=n)}
    pairs = []
    for data, law in laws.items():
        if relation is ADDED:
            near = [data[:i] + data[i + 1 :] for i in range(len(data)) if len(data) > 1]
            pairs += [(law, laws[other]) for other in near] + [(laws[o], law) for o in near]
        else:
            near = [(*data[:i], new, *data[i + 1 :]) for i in (0, 1) for new in held]
            pairs += [(law, laws[other]) for other in near]
    assert max(upper(hockey_stick(a, b, A.epsilon)) for a, b in pairs) < 1e-25
    assert A.guarantee().neighbours is relation


def certified(A, n):
    cert = A.failure(n).certificate(alpha=A.alpha, beta=A.beta, n=n, unit="users")
    assert not recheck(cert.to_dict())
    return cert.holds


@pytest.mark.more
def test_algorithm_1_is_certified_for_6200_users():
    A = page.PrivateThreshold.printed(
        ls.Thresholds(1, 2**20), epsilon=F(1), samples_per_user=16, **NUMBERS
    )
    assert certified(A, 6200)
    assert not certified(A, 6000)
    assert certified(replace(A, beta=F(1, 20)), 6400)
    assert replace(A, steps=2).failure(10**6) is None  # (2/3)**2 is more than alpha


@pytest.mark.more
def test_theorem_46_is_certified():
    A = page.Theorem46.printed(
        ls.Thresholds(1, 2**20), epsilon=F(1), samples_per_user=16, **NUMBERS
    )
    n = A.required_samples()
    assert n <= 1400
    assert certified(A, n)


def test_m_of_a_choice_of_three_is_never_exceeded():
    """M(power) bounds E e**(power rate loss) of every choice of three, on a grid."""
    for power in (F(1, 4), F(1, 2), F(9, 10)):
        y, bound = page._moment(power)
        assert y ** float(power) + 2 * float(power) * float(y) <= 1 - float(power)
        for a, b in product(np.linspace(0, 1, 101), repeat=2):
            moment = 1 + a ** (1 - float(power)) + b ** (1 - float(power))
            assert moment / (1 + a + b) <= float(bound) * (1 + 1e-9)


def test_refusals():
    with pytest.raises(UnsupportedError, match="thresholds"):
        page.PrivateThreshold.printed(ls.Points(), epsilon=F(1), samples_per_user=2, **NUMBERS)
    many = page.Theorem46(ls.SparseSets(4), F(4), F(1, 2), F(1, 2), 50, 1)
    users = UserSample.of(list(range(100)), list(range(100)), [1] * 100)
    with pytest.raises(UnsupportedError, match="patterns"):
        exact(lambda source: many.draw(users, source))
