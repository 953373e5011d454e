"""Broken verifiers: content with what they should refuse."""

from __future__ import annotations

from itertools import cycle

from .mutant import mutant


@mutant(
    "verifier that forgives",
    "privacy.guarantee:_divergence",
    "test_at_zero_it_is_total_variation_exactly",
)
def what_only_one_side_can_say(original, p, q, *given):
    """Outcomes that are impossible on the other side are left out: that is where delta is."""
    return original({outcome: mass for outcome, mass in p.items() if outcome in q}, q, *given)


_TURNS = cycle((1, 0))


@mutant(
    "verifier that forgives",
    "audit.mechanism:hockey_stick",
    "audit/test_verify.py::test_delta_is_found_exactly",
)
def neighbours_in_one_order(original, *given, **options):
    """Each pair is compared one way only; divergences are not symmetric."""
    return original(*given, **options) * next(_TURNS)


@mutant(
    "verifier that forgives",
    "audit.mechanism:verify_mechanism",
    "test_outputs_of_any_kind_are_compared",
)
def the_last_pair_decides(original, run, pairs, **options):
    """Whether the claim holds is what the last pair of neighbours says."""
    return original(run, list(pairs)[-1:], **options)


@mutant(
    "verifier that forgives",
    "audit.mechanism:observed",
    "test_outputs_that_cannot_be_compared_are_refused_with_advice",
)
def outputs_by_their_repr(original, output):
    """The repr of a long array leaves out its middle, where the record is."""
    return repr(output)


@mutant(
    "verifier that forgives",
    "audit.mechanism:hockey_stick",
    "audit/test_verify.py::test_randomized_response_has_exactly_its_epsilon",
)
def a_law_compared_with_itself(original, p, q, *given, **options):
    """Nothing differs from itself: every learner is private."""
    return original(p, p, *given, **options)
