"""Broken accounts: what a ledger is paid, when, and what mechanisms say of themselves."""

from __future__ import annotations

from dataclasses import replace

from littlestone.errors import ParameterError, exact_value
from littlestone.privacy import BoundedRange, Concentrated
from littlestone.source import ball

from .mutant import mutant, patched

_CHARGE = "privacy.ledger:Ledger.charge"


@mutant(
    "budget not counted",
    "learners.running:run",
    "test_a_fit_that_fails_after_paying_is_not_refunded",
)
def a_failed_fit_is_refunded(original, *given, ledger=None, **options):
    """The charge is taken back if the fit raises: whether it raises may depend on the draw, so
    whoever repeats it draws until the answer suits.
    """
    try:
        return original(*given, ledger=ledger, **options)
    except BaseException:
        if ledger is not None:
            lines = ledger.path.read_bytes().splitlines(keepends=True)
            ledger.path.write_bytes(b"".join(lines[:-1]))
        raise


@mutant("check and charge apart", _CHARGE, "two at one ledger")
def look_first_and_then_write(original, self, promise, **options):
    """What is left is looked up under one lock, and the charge is written under another: two
    programs look, and both pay with the same rest.
    """
    self.check(promise, loss=options.get("loss"))
    with patched("privacy.ledger:Ledger._allow", lambda *_: None):
        return original(self, promise, **options)


@mutant("order of payment", "learners.sklearn_base:run", "test_a_fit_pays_before_it_draws")
def a_fit_draws_and_then_pays(original, *given, ledger=None, **options):
    """The ledger is only asked before; when it is to pay, the hypothesis is drawn already."""
    made = original(*given, **options)
    if ledger is not None:
        ledger.charge(made.guarantee)
    return made


@mutant("budget not counted", _CHARGE, "test_a_token_is_charged_once")
def a_token_pays_for_anything(original, self, promise, *, token=None, **options):
    """A release with a known token is taken for the same release, whatever it promises now."""
    before = self.history()
    try:
        return original(self, promise, token=token, **options)
    except ParameterError:
        if token is None or self.history() != before:
            raise
        return before[-1]


@mutant("wrong theorem", "privacy.compose:Filter.price", "test_prices")
def a_choice_sold_at_a_quarter(original, self, loss):
    """The range is taken for twice the epsilon of a choice, as if scores moved both ways twice."""
    choice = self.accounting == "zcdp" and isinstance(loss, BoundedRange)
    return original(self, BoundedRange(loss.eta / 2) if choice else loss)


@mutant("rounding", "privacy.compose:exactly", "test_numbers_stay_short_and_never_shrink")
def prices_with_small_denominators(original, x):
    """A price is replaced by the nearest short fraction, which may be less; of something small
    it is nothing.
    """
    return x if original(x) == x else x.limit_denominator(2**64)


@mutant("wrong theorem", "privacy.guarantee:BoundedRange.renyi", "test_published_figures")
def half_the_renyi_divergence_of_a_choice(original, self, order):
    """eta**2/16 instead of eta**2/8: many choices seem to cost less than they do."""
    return original(self, order) / 2


@mutant("wrong theorem", "privacy.guarantee:BoundedRange.profile", "test_published_figures")
def the_profile_of_a_choice_halved(original, self, t):
    """As if only one of the two outcomes told something."""
    return original(self, t) / 2


@mutant(
    "composition forgotten",
    "privacy.guarantee:ChargedTests.renyi",
    "test_charged_tests_cover_their_exact_worst_case",
)
def the_first_charge_pays_for_all(original, self, order):
    """A test with several charged answers is described as if it halted at the first."""
    return original(self, order) / self.charges


@mutant("wrong theorem", "privacy.guarantee:ChargedTests.renyi", "charged tests")
def the_cheaper_side_of_a_charged_answer(original, self, order):
    """Only one of the two directions is bounded: the answer may also be the rarer one."""
    one = 1 + ball(self.epsilon).exp()
    a, b = (ball(self.epsilon * q).exp() / one for q in (order, 1 - order))
    if not (a < 1 and b < 1):
        return original(self, order)
    cost = (a / (1 - b)).log().min((b / (1 - a)).log())
    return self.charges * cost / ball(order - 1)


@mutant("composition of deltas", "privacy.compose:routes", "test_pure_sum_is_exact")
def leaks_beside_the_whole_delta(original, losses, *, delta=0):
    """What the parts leak is not taken from the delta at which the rest is converted."""
    losses, total = list(losses), exact_value(delta)
    leak = sum(loss.leak for loss in losses)
    found = original(losses, delta=total * (1 - leak) + leak)
    return tuple(replace(route, delta=total) for route in found)


@mutant(
    "wrong theorem",
    "learners.exponential:Exponential.zcdp",
    "test_the_stated_rho_holds_at_every_order_and_is_nearly_attained",
)
def a_learner_that_undersells_its_choice(original, self):
    """The learner's own zCDP is half of what it is; only a zCDP ledger ever looks at it."""
    return Concentrated(original(self).rho / 2)


@mutant(
    "wrong theorem",
    "learners.running:Shares.loss",
    "test_zcdp_of_what_is_left_and_of_the_histogram_add_up",
)
def a_histogram_sold_as_a_choice(original, self, learner):
    """The noisy histogram is added to a learner's zCDP at epsilon**2/8, but is no choice of bounded
    range.
    """
    made = original(self, learner)
    if self.evaluation is None or made is None:
        return made
    return Concentrated(made.rho - self.evaluation**2 * 3 / 8)
