"""Which lemmas a proof kernel has checked for a claim, and what they leave out.

The lemmas are those of ``proofs/`` (Coq). Of a claim with lemmas this may be said: *the privacy of
the law is machine-checked; that the program has this law is tested.* Every claim of privacy is in
`LEMMAS` or in `UNCHECKED`, which a test checks.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["LEMMAS", "NEVER_MODELLED", "UNCHECKED", "Checked"]


@dataclass(frozen=True)
class Checked:
    """Lemmas that a kernel has checked, as ``file.theorem``, and what is not in their model."""

    lemmas: tuple[str, ...]
    leaves_out: str = ""


#: Outside of every model.
NEVER_MODELLED = (
    "enclosures and lazy sampling, float filters, seeds, overflow, infinite candidate sets; that "
    "the program has the law"
)

_PATHS = Checked(("entering.entering_dp",), "that one path brings few nodes, with low scores")
#: Claim to lemmas.
LEMMAS = {
    "above-threshold.classic": Checked(
        (
            "threshold.threshold_any",
            "threshold.threshold_monotone",
            "threshold.threshold_shift",
            "noise.sparse_vector_any",
            "stream.interleaved_any",
            "stream.alarms_any",
        ),
        "that the sums over noises exist",
    ),
    "boosting.privacy": Checked(
        ("sums.boosting_pure", "tree_draw.drawE", "additive.additive_range"),
        "the count of label 1; with a delta, composition by zero-concentrated privacy",
    ),
    "dp.parallel": Checked(("deal.dealt_dp",)),
    "dp.replace": Checked(("histogram.dp_trans",)),
    "dp.sum": Checked(("compose.compose_pure", "compose.compose_dp", "sums.rounds_pure")),
    "exp-mech.privacy": Checked(
        (
            "exp_mech.exp_mech_pure",
            "range.exp_mech_range",
            "sensitivity.exp_errors_pure",
            "additive.additive_range",
            "leveled.leveledE",
            "reals.exp_errors_real",
        )
    ),
    "histogram.privacy": Checked(
        ("histogram.histogram_dp",),
        "that cut two-sided geometric noise has the ratios, and the delta of the threshold",
    ),
    "littlestone.privacy": Checked(
        ("sparse.sparse_lists_dp", "deal.dealt_dp"),
        "that a list is a function of one teacher's records",
    ),
    "littlestone.stages.privacy": Checked(
        ("threshold.threshold_any", "sparse.sparse_lists_dp"), "their composition by stages"
    ),
    "median.exponential": Checked(("exp_mech.exp_mech_pure",), "that rank margins move by 1"),
    "median.paths": _PATHS,
    "median.tree": _PATHS,
    "online.test": Checked(
        ("noise.mistake_test_pure", "stream.stream_tests_pure", "stream.replies_pure"),
        "that the sum over noises exists",
    ),
    "stable.privacy": Checked(
        ("histogram.histogram_dp", "exp_mech.exp_mech_pure", "deal.dealt_dp"),
        "that a copy is a function of its own records; the ratios of geometric noise",
    ),
    "subsampling.without-replacement": Checked(("subsample.sampled_pure",), "a positive delta"),
    "users.privacy": Checked(
        ("sums.users_pure", "leveled.leveledE"), "the search for the least error; a random cut"
    ),
    "vc1.privacy": Checked(
        ("deal.dealt_dp", "exp_mech.exp_mech_pure", "entering.entering_dp"),
        "that a chunk forces one path; proper output",
    ),
}
#: Claims of privacy that have no checked lemma: their proofs are on paper, their laws enumerated.
UNCHECKED = frozenset(
    {
        "agnostic.two-sample.privacy",
        "boosted.privacy",
        "charged-tests.renyi",
        "cks20.prop12",
        "cr21.bounded-range",
        "cuts.privacy",
        "filter.sum",
        "filter.zcdp",
        "empirical.privacy",
        "kov15.thm3.3",
        "median.tree-log",
        "mironov17.prop3",
        "online.privacy",
        "score-histogram",
    }
)
