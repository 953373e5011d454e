"""Bugs in the verifier: it would be content with what it should refuse."""

from __future__ import annotations

from littlestone.audit.controls.control import Control

__all__ = ["IN_VERIFIER"]

IN_VERIFIER: tuple[Control, ...] = (
    Control(
        "what only one side can say",
        "verifier that forgives",
        "Outcomes that are impossible on the other side are left out: that is where delta is.",
        "privacy.divergence",
        "excess = mass if other is None else",
        "excess = zero if other is None else",
        "known divergences",
    ),
    Control(
        "neighbours in one order",
        "verifier that forgives",
        "Each pair is compared one way only; divergences are not symmetric.",
        "audit.mechanism",
        "for left, right in ((one, other), (other, one)):",
        "for left, right in ((one, other),):",
        "known failures",
    ),
    Control(
        "the last pair decides",
        "verifier that forgives",
        "Whether the claim holds is what the last pair of neighbours says.",
        "audit.mechanism",
        "holds &= found <=",
        "holds = found <=",
        "known failures",
    ),
    Control(
        "a law compared with itself",
        "verifier that forgives",
        "Nothing differs from itself: every learner is private.",
        "audit.verify",
        "p, q = laws[left], laws[right]",
        "p, q = laws[left], laws[left]",
        "known failures of learners",
    ),
)
