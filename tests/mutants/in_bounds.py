"""Broken certificates: what is promised of accuracy is not true."""

from __future__ import annotations

from dataclasses import replace

from .mutant import mutant

_TESTS = "bounds/test_excess.py"
_LAWS = "test_no_bad_concept_looks_good_more_often"
_AGAIN = f"{_TESTS}::test_another_computation"


@mutant("certificate too small", "bounds.exponential:_lazy", _LAWS)
def a_walk_that_is_stopped_without_the_factor_two(original, *given):
    """After it is stopped a walk ends below with probability one half only, not one."""
    form = original(*given)
    return replace(form, chance=form.chance.replace("2*walk", "1*walk"))


@mutant("certificate too small", "bounds.exponential:worst_at_most", _AGAIN)
def floats_of_random_signs_at_half(original, *given):
    """The search is for half of what the certificate says."""
    return original(*given) / 2


@mutant("certificate too small", "bounds.exponential:forms", _AGAIN)
def random_signs_with_factor_two(original, *given):
    """That the other signs come out well, too, costs a factor two; it is forgotten."""
    for form in original(*given):
        yield replace(form, chance=form.chance.replace("4*worst", "2*worst"))


@mutant(
    "certificate too small",
    "bounds.exponential:forms",
    "test_intervals_by_cells_say_what_is_stated",
)
def runs_of_intervals_with_factor_one(original, *given):
    """A walk that often rests is below as rarely as one of signs."""
    for form in original(*given):
        yield replace(form, chance=form.chance.replace("+ 2*(parts", "+ 1*(parts"))


@mutant("certificate too small", "bounds.exponential:_PSI", _AGAIN, kind="value")
def the_weight_of_bad_candidates_at_the_wrong_end(original):
    """Between k and k + 1 errors the weight is that of k + 1."""
    return original.replace("step*{i}", "step*({i} + 1)")
