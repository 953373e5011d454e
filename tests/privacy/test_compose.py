"""Guarantees, their exact comparison and composition."""

import itertools
import json
import math
import random
from decimal import Decimal
from fractions import Fraction

import mpmath
import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from littlestone.errors import ParameterError
from littlestone.privacy import (
    Approximate,
    BoundedRange,
    ChargedTests,
    Concentrated,
    Guarantee,
    Loss,
    Neighbours,
    Pure,
    compose,
    hockey_stick,
    parallel,
    routes,
    tightest_epsilon,
    zcdp_to_dp,
)
from littlestone.privacy.compose import compose_on_grid
from littlestone.privacy.guarantee import check_nonnegative, float_up, lower, round_up, upper
from littlestone.source import ExactSource, ExplicitWeights, ball, exp

# -- Composition, against brute-force binomials, exact products of real laws, and dp-accounting ----


def by_name(losses, delta):
    return {route.name: float(route.epsilon) for route in routes(losses, delta=delta)}


def kov_delta(epsilon, count, x):
    """Least delta at x of `count` randomized responses: the binomial sum, in 60 digits."""
    with mpmath.workdps(60):
        e, x = mpmath.mpf(epsilon), mpmath.mpf(x)
        total = mpmath.mpf(0)
        for losses in range(count + 1):  # number of answers with loss +epsilon
            loss = (2 * losses - count) * e
            mass = mpmath.binomial(count, losses) * mpmath.exp(losses * e)
            total += max(0, 1 - mpmath.exp(x - loss)) * mass / (1 + mpmath.exp(e)) ** count
        return total


# ---------------------------------------------------------------- pure mechanisms


@pytest.mark.parametrize(("epsilon", "count"), [("0.1", 100), ("1", 20), ("0.3", 7), ("2", 3)])
@pytest.mark.parametrize("delta", [1e-3, 1e-6, 1e-12])
def test_equal_pure_losses_compose_optimally(epsilon, count, delta):
    found = by_name({Pure(epsilon): count}, delta)["grid"]
    assert kov_delta(epsilon, count, found * (1 + 1e-13)) <= delta  # valid
    assert found == 0 or kov_delta(epsilon, count, found * (1 - 1e-9)) > delta  # and least


def test_unequal_commensurable_losses_compose_optimally():
    epsilons = [Fraction(1, 10)] * 3 + [Fraction(1, 4)] * 2 + [Fraction(1, 3)] * 2
    x = Fraction(7, 10)
    truth = 0.0
    for signs in itertools.product((1, -1), repeat=len(epsilons)):
        loss = sum(s * e for s, e in zip(signs, epsilons, strict=True))
        mass = math.prod(
            (math.exp(e) if s > 0 else 1) / (1 + math.exp(e))
            for s, e in zip(signs, epsilons, strict=True)
        )
        truth += mass * max(0.0, 1 - math.exp(x - loss))
    composed = compose_on_grid([(Pure(e), epsilons.count(e)) for e in set(epsilons)])
    assert float(composed.delta(x)) == pytest.approx(truth, rel=1e-10)
    assert composed.delta(x).rad() < arb(2) ** -200


@pytest.mark.more
def test_incommensurable_losses_are_close_to_a_finer_grid():
    losses = [(Pure("0.123456789"), 30), (Pure("0.0314159"), 50)]
    coarse, fine = (
        compose_on_grid(losses, fine=fine).epsilon(Fraction(1, 10**6)) for fine in (2**12, 2**14)
    )
    assert fine <= coarse <= fine * Fraction(1001, 1000)


@pytest.mark.more
@pytest.mark.parametrize(("epsilon", "count"), [(0.1, 100), (0.5, 30)])
def test_pure_against_dp_accounting(epsilon, count):
    from dp_accounting.pld import common
    from dp_accounting.pld import privacy_loss_distribution as pld

    one = pld.from_privacy_parameters(
        common.DifferentialPrivacyParameters(epsilon, 0), value_discretization_interval=1e-3
    )
    theirs = one.self_compose(count).get_epsilon_for_delta(1e-6)
    assert by_name({Pure(epsilon): count}, 1e-6)["grid"] == pytest.approx(theirs, rel=2e-3)


@pytest.mark.more
def test_pure_covers_laplace():
    from dp_accounting.pld import privacy_loss_distribution as pld

    one = pld.from_laplace_mechanism(parameter=4, value_discretization_interval=1e-3)
    laplace = one.self_compose(10).get_epsilon_for_delta(1e-6)
    assert laplace - 1e-2 <= float(compose({Pure(0.25): 10}, delta=1e-6)[0])


# ---------------------------------------------------------------- bounded range


def test_published_figures():
    """Figures computed apart from this library: eta=.1, 100 times, delta=1e-6."""
    found = by_name({BoundedRange(0.1): 100}, 1e-6)
    assert found["renyi"] == pytest.approx(2.419, abs=5e-4)
    assert 2.59 < found["grid"] <= 2.6175
    rr = by_name({Pure(0.1): 100}, 1e-6)
    assert rr["grid"] == pytest.approx(4.775, abs=5e-4)
    # 100 times epsilon=1: the formula printed in Yan (second version), Theorem 7, gives 52.57.
    assert by_name({Pure(1): 100}, 1e-6)["grid"] == pytest.approx(83.53, abs=5e-3)
    # 100 times epsilon=1, delta=1e-5.
    assert by_name({Pure(1): 100}, 1e-5)["grid"] == pytest.approx(79.84, abs=1e-2)


@pytest.mark.more
@pytest.mark.parametrize(("eta", "count"), [(0.1, 100), (1.0, 3), (0.5, 10)])
def test_bounded_range_against_dp_accounting(eta, count):
    from dp_accounting.pld import privacy_loss_distribution as pld

    def cdf(x):
        if x < -eta:
            return 0.0
        return 1.0 if x >= eta else 1 - (1 - math.exp((x - eta) / 2)) / (1 - math.exp(-eta))

    one = pld.create_from_cdf(cdf, value_discretization_interval=eta / 500)
    theirs = one.self_compose(count).get_epsilon_for_delta(1e-6)
    ours = by_name({BoundedRange(eta): count}, 1e-6)["grid"]
    assert 0.99 * theirs <= ours <= theirs * (1 + 1e-4)  # theirs rounds every loss up


def exponential_mechanism(scores, rate):
    weights = [math.exp(rate * score) for score in scores]
    return [w / sum(weights) for w in weights]


@pytest.mark.more
def test_bounded_range_covers_real_exponential_mechanisms():
    """Products of exponential mechanisms, worst over all neighbouring scores, by enumeration."""
    rate, x = 0.4, 0.9
    worst = dict.fromkeys((1, 2, 3), 0.0)
    for before in itertools.product(range(3), repeat=3):
        for change in itertools.product((-1, 0, 1), repeat=3):
            after = [b + c for b, c in zip(before, change, strict=True)]
            p, q = exponential_mechanism(before, rate), exponential_mechanism(after, rate)
            for count in worst:
                delta = sum(
                    max(
                        0.0,
                        math.prod(p[i] for i in run) - math.exp(x) * math.prod(q[i] for i in run),
                    )
                    for run in itertools.combinations_with_replacement(range(3), count)
                    for _ in range(
                        math.factorial(count)
                        // math.prod(math.factorial(run.count(i)) for i in range(3))
                    )
                )
                worst[count] = max(worst[count], delta)
    assert worst[1] == 0
    assert worst[3] > 1e-3  # the test has teeth
    for count in (2, 3):
        composed = compose_on_grid([(BoundedRange(2 * rate), count)])
        assert worst[count] <= float(composed.delta(Fraction("0.9")))
        assert float(compose({BoundedRange(2 * rate): count}, delta=worst[count])[0]) >= x


# ---------------------------------------------------------------- Rényi


def test_zcdp_conversions():
    tight = float(zcdp_to_dp(0.125, 1e-6))
    assert tight < 0.125 + 2 * math.sqrt(0.125 * math.log(1e6))  # Bun and Steinke 2016
    # Proposition 12 evaluated the other way round: the least delta at that epsilon.
    best = min(
        math.exp((a - 1) * (0.125 * a - tight)) / (a - 1) * (1 - 1 / a) ** a
        for a in (1 + i / 1000 for i in range(1, 60_000))
    )
    assert best == pytest.approx(1e-6, rel=1e-4)
    assert zcdp_to_dp(0, 1e-6) == 0


def test_gaussian_is_covered():
    """A Gaussian with sensitivity 1 and sigma is exactly 1/(2 sigma**2)-zCDP.

    Four with sigma = 2 are one with sigma = 1, whose delta has a closed form.
    """

    def delta(epsilon):
        return mpmath.ncdf(0.5 - epsilon) - mpmath.exp(epsilon) * mpmath.ncdf(-0.5 - epsilon)

    ours = float(compose({Concentrated("1/8"): 4}, delta=1e-6)[0])
    assert delta(ours) <= 1e-6 <= delta(ours / 1.1)


def test_charged_tests_cover_their_exact_worst_case():
    """One charged outcome among at most T randomized responses: all transcripts, exactly."""
    epsilon, charges, length, delta = 0.4, 1, 6, 1e-4
    e = math.exp(epsilon)
    claimed = float(compose([ChargedTests(epsilon, charges)], delta=delta)[0])
    # Adversary: every test is a randomized response of either orientation.
    worst = 0.0
    for sides in itertools.product((e / (1 + e), 1 / (1 + e)), repeat=length):
        for x in (claimed,):
            divergence, p, q = 0.0, 1.0, 1.0
            for a in sides:  # probability of the charged label under the first, second law
                b = 1 - a
                divergence += max(0.0, p * a - math.exp(x) * q * b)
                p, q = p * b, q * a
            worst = max(worst, divergence + max(0.0, p - math.exp(x) * q))
    assert worst <= delta
    assert ChargedTests(epsilon, 0).renyi(Fraction(3, 2)) == 0
    assert not ChargedTests(epsilon, 1).renyi(Fraction(3)).is_finite()


# ---------------------------------------------------------------- mixtures, leaks, refusals


def test_leaks_are_paid_first():
    parts = [Approximate(0.2, 1e-7), BoundedRange(0.3), Approximate(0, 1e-8)]
    exact = Fraction(11, 10**8)
    assert compose(parts, delta=exact) == (Fraction(1, 2), exact)
    assert compose(parts, delta=1e-6)[0] < Fraction(1, 2)
    with pytest.raises(ParameterError, match=r"at least 1\.1e-07, the sum of the parts' deltas"):
        compose(parts, delta=1e-7)


def test_one_sparse_selection_has_its_exact_profile():
    """delta + (1-delta) * delta_BR at the composed epsilon is the total delta."""
    leak, total = 1e-7, 1e-6
    epsilon, _ = compose([BoundedRange(1), Approximate(0, leak)], delta=total)
    profile = (1 - math.exp((float(epsilon) - 1) / 2)) ** 2 / (1 - math.exp(-1))
    assert leak + (1 - leak) * profile == pytest.approx(total, rel=1e-2)
    assert leak + (1 - leak) * profile <= total


def test_pure_sum_is_exact():
    assert compose([Pure("1/3"), Pure("1/6"), BoundedRange("1/2")]) == (1, 0)
    assert compose([]) == (0, 0)
    assert compose([], delta=1e-6) == (0, Fraction(1, 10**6))
    assert compose({Pure(1): 0}) == (0, 0)


def test_mixture_of_pure_and_concentrated():
    found = by_name([Pure(0.1), Concentrated(0.1)], 1e-6)
    assert found["sum + renyi"] == pytest.approx(0.1 + float(zcdp_to_dp(0.1, 1e-6)))
    assert found["renyi"] < found["sum + renyi"]
    assert "sum" not in found


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (lambda: compose([Pure(1)], delta=1), "'delta'"),
        (lambda: compose([Pure(1)], delta=-0.1), "'delta'"),
        (lambda: compose({Pure(1): -1}), "integer"),
        (lambda: compose({Pure(1): 1.5}), "integer"),
        (lambda: compose([Pure(1), Concentrated(1)]), "cannot be composed without delta"),
        (lambda: compose([Pure(1), ChargedTests(0.1, 2)]), "cannot be composed without delta"),
        (lambda: compose([Loss()], delta=1e-6), "share one description"),
        (lambda: Pure(-1), "'epsilon'"),
        (lambda: BoundedRange("x"), "'eta'"),
        (lambda: Approximate(1, 2), "'delta'"),
        (lambda: Guarantee(1, "0/0"), "'delta' parameter of Guarantee"),
        (lambda: Guarantee(1, 1), "delta = 1 guarantees nothing"),
        (lambda: ChargedTests(1, -1), "'charges'"),
        (lambda: zcdp_to_dp(1, 0), "'delta'"),
        (parallel, "one or more"),
        (
            lambda: parallel(Guarantee(1), Guarantee(1, neighbours=Neighbours.USER_REPLACE)),
            "one neighbouring relation",
        ),
        (lambda: hockey_stick({}, {}, -1), "hockey_stick"),
        (lambda: tightest_epsilon({}, {}, -1), "tightest_epsilon"),
    ],
)
def test_refusals(bad, words):
    with pytest.raises(ParameterError, match=words):
        bad()


def test_a_large_delta_leaves_nothing_to_pay():
    assert compose([Pure(0.1)], delta=0.5) == (0, Fraction(1, 2))
    assert compose([Pure(0), BoundedRange(0)], delta=0.5)[0] == 0


def test_a_loss_of_ones_own():
    """A new mechanism brings the descriptions it can prove; this one, two of the three."""

    class Own(Loss):
        reach = Fraction(1)

        def profile(self, t):
            return BoundedRange(1).profile(t)

    own, known = compose([Own()], delta=1e-3), compose([BoundedRange(1)], delta=1e-3)
    assert own == known
    assert {route.name for route in routes([Own(), Pure(1)], delta=1e-3)} == {"sum", "grid"}


def test_too_many_for_the_grid_leaves_the_other_routes():
    found = by_name({Pure(0.001): 10**6}, 1e-9)
    assert set(found) == {"sum", "renyi"}


decimals = st.decimals("0.01", "0.8", places=2).map(str)
parts = st.lists(
    st.one_of(decimals.map(Pure), decimals.map(BoundedRange), st.just(Approximate("0.05", 1e-9))),
    min_size=1,
    max_size=5,
)


@pytest.mark.more
@settings(max_examples=settings.default.max_examples // 20)
@given(parts, st.sampled_from([1e-8, 1e-5, 1e-2]))
def test_composition_is_monotone(losses, delta):
    epsilon, total = compose(losses, delta=delta)
    assert total == Fraction(str(delta)) or float(total) == delta
    assert epsilon <= sum(loss.reach for loss in losses)
    for i, _ in enumerate(losses):  # dropping a member never costs more
        fewer = compose(losses[:i] + losses[i + 1 :], delta=delta)[0]
        assert fewer <= epsilon * Fraction(1001, 1000) + Fraction(1, 10**12)
    assert compose(losses, delta=delta * 2)[0] <= epsilon * Fraction(1001, 1000)


@settings(max_examples=settings.default.max_examples // 10)
@given(parts, st.sampled_from([Fraction(0), Fraction(1, 5), Fraction(1, 2)]))
def test_finer_grids_are_tighter(losses, x):
    """A finer grid never claims more."""
    composed = compose_on_grid([(loss, 1) for loss in losses])
    coarse = compose_on_grid([(loss, 1) for loss in losses], fine=200)
    if composed is not None and coarse is not None:
        assert float(composed.delta(x)) <= float(coarse.delta(x)) + 1e-12


# -- Guarantees: exact numbers, words, JSON, parallel parts, split budgets -------------------------

positive = st.fractions(min_value=Fraction(1, 10**9), max_value=10**6, max_denominator=10**12)


def test_what_was_typed_is_kept_exactly():
    assert Guarantee(0.1, 1e-6) == Guarantee("1/10", "1e-6")
    assert Guarantee(0.1).epsilon == Fraction(1, 10)


def test_words():
    assert str(Guarantee(1)) == "pure 1-differential privacy, replace-one"
    assert repr(Guarantee(1)) == "<Guarantee: pure 1-differential privacy, replace-one>"
    third = str(Guarantee("1/3", 1e-6, Neighbours.USER_REPLACE, "a.b"))
    assert third == "(0.333334, 1e-06)-differential privacy, user-replace [a.b]"
    for neighbours in Neighbours:
        assert neighbours.unit in ("record", "user")
        assert neighbours.unit in neighbours.words


@pytest.mark.parametrize("show", [str, repr])
def test_seeded_says_so(show):
    assert "NOT PRIVATE (seeded)" in show(Guarantee(1, seeded=True))
    assert "NOT PRIVATE" not in show(Guarantee(1))


def test_pure_is_delta_zero():
    assert Guarantee(1).pure
    assert Guarantee(1).loss == Pure(1)
    assert not Guarantee(1, 1e-9).pure
    assert Guarantee(1, 1e-9).loss == Approximate(1, 1e-9)


@given(positive, st.fractions(min_value=0, max_value=Fraction(999, 1000)), st.booleans())
def test_json_round_trip(epsilon, delta, seeded):
    before = Guarantee(epsilon, delta, Neighbours.ADD_REMOVE, "x", seeded)
    data = json.loads(json.dumps(before.to_dict()))
    assert Guarantee.from_dict(data) == before
    assert Fraction(data["epsilon"]) >= epsilon
    assert Fraction(data["delta"]) >= delta


@pytest.mark.parametrize(
    "epsilon",
    [-1, float("inf"), float("nan"), True, False, "1/0", "0/0", "1e999999999", "0" * 10**6, "one"],
    ids=range(10),
)
def test_an_epsilon_that_is_none_is_refused(epsilon):
    with pytest.raises(ParameterError, match=r"The 'epsilon' parameter of Guarantee must be a num"):
        Guarantee(epsilon=epsilon)


def test_parallel_is_the_maximum():
    both = parallel(Guarantee(1, claim="a"), Guarantee(2, 1e-9, claim="b", seeded=True))
    assert (both.epsilon, both.delta, both.seeded) == (2, Fraction(1, 10**9), True)
    assert both.claim == "dp.parallel(a, b)"


@given(positive, st.integers(1, 20))
def test_rounding_never_flatters(x, digits):
    rounded = round_up(x, digits)
    assert x <= rounded <= x * (1 + Fraction(1, 10 ** (digits - 1)))
    up = float_up(x)
    assert Fraction(up) >= x
    assert up <= float(x) * (1 + 2**-51)


def test_rounding_at_the_ends():
    assert round_up(Fraction(0)) == 0
    assert round_up(Fraction(10) ** 500 + 1, 3) == Fraction(101, 100) * Fraction(10) ** 500
    assert float_up(10**400) == float("inf")
    assert float_up(-(10**400)) == float("-inf")
    assert check_nonnegative("f", "x", "0") == 0


# ---------------------------------------------------------------------- other neighbours


def stick(p, q, factor):
    return sum(max(a - factor * b, 0) for a, b in zip(p, q, strict=True))


def test_add_remove_holds_under_replace_one_by_brute_force():
    """Laws with one record, without it, with another one: all that the two steps allow."""
    rng = random.Random(7)
    tightest = 0
    for _ in range(3000):
        epsilon = Fraction(rng.choice([0, 1, 2, 5]), 4)
        laws = []
        for _ in range(3):
            weights = [rng.choice([0, 0, 1, 2, 3, 8, 20]) for _ in range(3)] + [1]
            laws.append([Fraction(w, sum(weights)) for w in weights])
        p, middle, q = laws
        factor = Decimal(float(epsilon)).exp()
        factor = Fraction(factor)  # to 28 digits
        steps = [(p, middle), (middle, p), (middle, q), (q, middle)]
        delta = max(stick(a, b, factor) for a, b in steps)
        if delta >= Fraction(1, 100) * 99 or (1 + factor) * delta >= 1:
            continue
        stated = Guarantee(epsilon, delta, Neighbours.ADD_REMOVE).under(Neighbours.REPLACE_ONE)
        assert stated.epsilon == 2 * epsilon
        assert 0 <= stated.delta - (1 + factor) * delta <= stated.delta / 10**12
        leak = max(stick(p, q, factor**2), stick(q, p, factor**2))
        assert leak <= stated.delta
        tightest = max(tightest, leak / stated.delta if delta else 0)
    assert tightest > Fraction(1, 2)


def test_the_leak_under_replace_one_is_attained():
    delta, factor = Fraction(1, 1000), Fraction(Decimal(1).exp())
    p, middle, q = ([x, 1 - x] for x in ((1 + factor) * delta, delta, Fraction(0)))
    for a, b in ((p, middle), (middle, p), (middle, q), (q, middle)):
        assert stick(a, b, factor) <= delta
    stated = Guarantee(1, delta, Neighbours.ADD_REMOVE).under(Neighbours.REPLACE_ONE)
    assert stick(p, q, factor**2) > stated.delta * (1 - Fraction(1, 10**12))


def test_what_follows_from_nothing_is_refused():
    relations = list(Neighbours)
    for have in relations:
        for want in relations:
            one = Guarantee(1, neighbours=have, claim="c", seeded=True)
            if have is want:
                assert one.under(want) is one
            elif (have, want) == (Neighbours.ADD_REMOVE, Neighbours.REPLACE_ONE):
                assert str(one.under(want)).endswith("[dp.replace(c)]: NOT PRIVATE (seeded)")
            else:
                with pytest.raises(ParameterError, match="implies nothing"):
                    one.under(want)
    huge = Guarantee(Fraction(10**30), neighbours="add-remove").under(Neighbours.REPLACE_ONE)
    assert huge == Guarantee(2 * Fraction(10**30), claim="dp.replace")
    with pytest.raises(ParameterError, match="delta"):
        Guarantee(3, "0.1", Neighbours.ADD_REMOVE).under(Neighbours.REPLACE_ONE)


# -- The exact comparison of two laws, against plain fractions -------------------------------------

counts = st.lists(st.integers(0, 20), min_size=4, max_size=4).filter(any)


def law(weights):
    with ctx.workprec(256):
        return {i: ball(Fraction(w, sum(weights))) for i, w in enumerate(weights) if w}


def brute_force(p, q, factor):
    """Largest p(E) - factor * q(E) over all events, in fractions."""
    size = len(p)
    a, b = [Fraction(w, sum(p)) for w in p], [Fraction(w, sum(q)) for w in q]
    return max(
        sum(a[i] for i in event) - factor * sum(b[i] for i in event)
        for r in range(size + 1)
        for event in itertools.combinations(range(size), r)
    )


@given(counts, counts)
def test_at_zero_it_is_total_variation_exactly(p, q):
    truth = brute_force(p, q, 1)
    found = hockey_stick(law(p), law(q), 0)
    assert lower(found) <= truth <= upper(found)
    assert upper(found) - lower(found) < Fraction(1, 2**200)


@given(counts, counts, st.fractions(0, 3, max_denominator=100))
def test_encloses_all_events(p, q, epsilon):
    found = hockey_stick(law(p), law(q), epsilon)
    assert float(found) == pytest.approx(float(brute_force(p, q, math.exp(epsilon))), abs=1e-12)


@settings(deadline=None)
@given(counts, counts, st.sampled_from([0, Fraction(1, 1000), Fraction(1, 10), Fraction(1, 2)]))
def test_tightest_epsilon_is_tight(p, q, delta):
    found = tightest_epsilon(law(p), law(q), delta)
    outside = sum(Fraction(w, sum(p)) for w, v in zip(p, q, strict=True) if not v)
    if outside >= delta and outside:  # a tie cannot be decided by balls: refused, which is safe
        assert not found.is_finite()
        return
    high, low = upper(found), lower(found)
    assert 0 <= high - low < Fraction(1, 10**12) * (1 + high)
    assert float(hockey_stick(law(p), law(q), high)) <= delta + 1e-15
    if low > 1e-9:
        assert float(hockey_stick(law(p), law(q), low * Fraction(999, 1000))) > delta


def test_randomized_response_from_the_door():
    """The law that ExactSource computes of a real program; epsilon found is epsilon promised."""
    coin = ExplicitWeights(exp(Fraction(1, 3)), 1)

    def answer(bit, flips):
        return lambda source: tuple(bit ^ source.choose(coin) for _ in range(flips))

    for flips in (1, 3):
        p, q = (ExactSource().law(answer(bit, flips)).outcomes for bit in (0, 1))
        assert float(tightest_epsilon(p, q)) == pytest.approx(flips / 3, abs=1e-12)
        delta = 0.05
        claimed, _ = compose([Pure("1/3")] * flips, delta=delta)
        assert upper(hockey_stick(p, q, claimed)) <= Fraction(1, 20)
        assert float(tightest_epsilon(p, q, delta)) == pytest.approx(float(claimed), abs=1e-9)


def test_wide_balls_stay_safe():
    wide = arb(0.5, 0.01)
    p, q = {0: wide, 1: wide}, {0: wide, 1: wide}
    assert upper(hockey_stick(p, q, 0)) >= Fraction(4, 100)
    assert float(tightest_epsilon(p, q).upper()) >= math.log(0.51 / 0.49)
    assert upper(tightest_epsilon(p, q, 0.001)) > 0


def test_outcomes_that_may_be_impossible():
    maybe = arb(0, 0.001)
    assert not tightest_epsilon({0: arb(1)}, {0: maybe}).is_finite()
    assert float(tightest_epsilon({0: arb(1), 1: maybe}, {0: arb(1), 1: arb(0.5)})) < 1e-8
    assert not tightest_epsilon({0: arb(1)}, {0: maybe}, 0.01).is_finite()
    assert float(tightest_epsilon({0: arb(1)}, {1: arb(1)}, 1)) == 0
