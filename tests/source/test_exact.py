"""ExactSource: laws of small programs against hand computation; hidden state is caught."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction as F
from itertools import count, product

import numpy as np
import pytest
from flint import arb, ctx, fmpq

from littlestone.source import (
    ExactSource,
    ExplicitWeights,
    HiddenStateError,
    LevelWeights,
    ReplaySource,
    Source,
    ball,
    exp,
)


def assert_law(law, expected: dict) -> None:
    assert set(law.outcomes) == set(expected)
    for outcome, chance in expected.items():
        with ctx.workprec(300):
            exact = arb(fmpq(*F(chance).as_integer_ratio()))
            assert abs(law.outcomes[outcome] - exact) < 2.0**-150, outcome
        assert float(law.outcomes[outcome].rad()) < 2.0**-150


def test_no_draws():
    law = ExactSource().law(lambda source: "always")
    assert_law(law, {"always": 1})
    assert law.paths == 1
    assert law.slack.is_zero()


def test_two_dice():
    law = ExactSource().law(lambda source: source.below(6) + source.below(6))
    ways = Counter(a + b for a, b in product(range(6), repeat=2))
    assert_law(law, {total: F(n, 36) for total, n in ways.items()})
    assert law.paths == 36


def test_draws_that_depend_on_draws():
    def run(source: Source) -> tuple[int, ...]:
        first = source.choose(ExplicitWeights(1, 2))
        return (first, source.below(3)) if first else (first,)

    assert_law(ExactSource().law(run), {(0,): F(1, 3), **{(1, i): F(2, 9) for i in range(3)}})


def test_exponential_weights(truth):
    law = ExactSource().law(lambda s: s.choose(LevelWeights([1, 3], [2, 0], F(1, 2))))
    cumulative = truth.cumulative([truth.exp(1), truth.decimal(3)])
    assert truth.contains(law.outcomes[0], cumulative[0])


def test_impossible_outcomes_make_no_path():
    law = ExactSource().law(lambda s: s.choose(ExplicitWeights(0, 1, 0, 1)))
    assert_law(law, {1: F(1, 2), 3: F(1, 2)})
    assert law.paths == 2


def test_an_unbounded_loop_is_cut_and_the_rest_is_slack():
    def geometric(source: Source) -> int:
        return next(i for i in count() if source.choose(ExplicitWeights(1, 1)))

    law = ExactSource(cut=F(1, 2**20), follow=0).law(geometric)
    assert_law(law, {i: F(1, 2 ** (i + 1)) for i in range(20)})
    assert law.slack.contains(ball(F(1, 2**20)))
    assert law.paths == 22, "20 outputs; at depth 21 both ways are below the cut"


def test_a_cut_cannot_be_swallowed_by_the_run():
    def stubborn(source: Source) -> str:
        try:
            while source.choose(ExplicitWeights(1, 1)):
                pass
        except Exception:
            return "swallowed"
        return "done"

    law = ExactSource(cut=F(1, 2**10)).law(stubborn)
    assert set(law.outcomes) == {"done"}


@pytest.mark.parametrize("cut", [F(1, 2**80), F(1, 50), F(1, 3)])
def test_a_law_sums_to_one(cut):
    def run(source: Source) -> int:
        total = 0
        for _ in range(4):
            total += source.choose(LevelWeights([1, 2, 1], [0, 1, 5], F(1, 3))) * (
                1 + source.below(2)
            )
        return total

    law = ExactSource(cut=cut, follow=0).law(run)
    assert (sum(law.outcomes.values(), arb(0)) + law.slack).contains(1)
    assert law.slack.is_zero() == (cut == F(1, 2**80))


def test_unlikely_single_draws_are_followed():
    law = ExactSource().law(lambda s: s.choose(ExplicitWeights(1, exp(-200))))
    assert set(law.outcomes) == {0, 1}
    assert law.slack.is_zero()


def test_hash_order_is_caught():
    toggle = []

    def run(source: Source) -> int:
        toggle.append(None)
        members = [1, 2] if len(toggle) % 2 else [2, 1]  # the order of a hash table
        return source.choose(ExplicitWeights(*members)) + source.below(2)

    with pytest.raises(HiddenStateError, match="hash"):
        ExactSource().law(run)


def test_an_ordinary_generator_is_caught():
    generator = random.Random(0)

    def run(source: Source) -> int:
        return source.choose(ExplicitWeights(1, generator.randrange(1, 10**6))) + source.choose(
            ExplicitWeights(1, 1)
        )

    with pytest.raises(HiddenStateError, match="different weights"):
        ExactSource().law(run)


def test_another_kind_of_draw_is_caught():
    runs = count()
    with pytest.raises(HiddenStateError):
        ExactSource().law(lambda s: s.below(2) if next(runs) else s.choose(ExplicitWeights(1, 1)))


def test_a_run_that_ends_early_is_caught():
    runs = count()

    def run(source: Source) -> int:
        source.below(2)
        return source.below(3) if next(runs) < 2 else 0

    with pytest.raises(HiddenStateError, match="ended early"):
        ExactSource().law(run)


def test_public_coins_are_the_same_on_every_path_and_differ_between_seeds():
    def run(source: Source) -> tuple[int, int, int]:
        first = int(source.public_rng().integers(2**60))
        second = int(source.public_rng().integers(2**60))
        return source.below(2), first, second

    laws = [ExactSource(public_seed=seed).law(run) for seed in (0, 0, 1)]
    coins = [{outcome[1:] for outcome in law.outcomes} for law in laws]
    assert [len(c) for c in coins] == [1, 1, 1]
    assert coins[0] == coins[1] != coins[2]
    ((first, second),) = coins[0]
    assert first != second


def test_shuffling_is_by_position():
    law = ExactSource().law(lambda s: tuple(s.permutation(4).tolist()))
    assert_law(law, {(0, 1, 2, 3): 1})


def test_uniform_choices_too_large_to_enumerate_are_refused():
    with pytest.raises(ValueError, match="smaller domain"):
        ExactSource().law(lambda s: s.below(2**20 + 1))


def test_errors_of_the_run_pass_through():
    with pytest.raises(ZeroDivisionError):
        ExactSource().law(lambda s: 1 // s.below(2))


def test_replay_answers_records_and_refuses():
    source = ReplaySource([1, 0, 3])
    assert source.choose(ExplicitWeights(1, exp(1))) == 1
    assert source.choose(LevelWeights([1, 1], [0, 1], F(1))) == 0
    assert source.below(4) == 3
    assert source.permutation(3).tolist() == [0, 1, 2]
    assert source.public_rng().integers(100) == np.random.default_rng(0).integers(100)
    assert len(source.presented) == 4
    assert source.presented[2:] == [("below", 4), ("permutation", 3)]
    with pytest.raises(RuntimeError, match="no answers left"):
        source.below(2)
    with pytest.raises(RuntimeError, match="one of 2 outcomes"):
        ReplaySource([2]).below(2)


def test_replay_tells_equal_weights_from_unequal():
    def shown(weights):
        source = ReplaySource([0])
        source.choose(weights)
        return source.presented

    assert shown(ExplicitWeights(exp(1), 1)) == shown(ExplicitWeights(exp(1), F(2, 2)))
    assert shown(ExplicitWeights(exp(1), 1)) != shown(ExplicitWeights(exp(1), 1 + F(1, 10**20)))
    assert shown(LevelWeights([2, 1], [0, -3], F(1))) == shown(LevelWeights([2, 1], [5, 2], F(1)))
    assert shown(LevelWeights([2, 1], [0, -3], F(1))) != shown(LevelWeights([2, 1], [0, -4], F(1)))


def test_weights_that_differ_at_the_precision_of_a_release_are_caught():
    class TwoFaced:
        def __len__(self) -> int:
            return 2

        def enclose(self, bits: int) -> list[arb]:
            return [arb(1), arb(1)] if bits > 150 else [arb(1), arb(3)]

    with pytest.raises(HiddenStateError, match="two precisions"):
        ExactSource().law(lambda s: s.choose(TwoFaced()))
    coin = ExplicitWeights(1, 1)
    coin._thresholds = ((2**62, 2**62 + 1),)
    with pytest.raises(HiddenStateError, match="two precisions"):
        ExactSource().law(lambda s: s.choose(coin))
