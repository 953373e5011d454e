"""Which lemmas a proof kernel has checked for a claim, and what they leave out.

The lemmas are those of ``proofs/`` (Coq). Of a claim with lemmas this may be said: *the privacy of
the law is machine-checked; that the program has this law is tested.* Every claim of privacy is in
`LEMMAS`, or in `UNCHECKED` with the reason, which a test checks.
"""

from __future__ import annotations

from dataclasses import dataclass


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
    "alon.lemma28.privacy": Checked(("histogram.histogram_dp",), "the ratios of geometric noise"),
    "alon.theorem30.privacy": Checked(
        ("histogram.histogram_dp", "exp_mech.exp_mech_pure", "deal.dealt_dp"),
        "that a copy is a function of its own records; the ratios of geometric noise",
    ),
    "count.truncated": Checked(
        ("noise.counts_pure", "compose.post_function"), "that the constants of the noise exist"
    ),
    "lyu.algorithm1.privacy": Checked(("sparse.sparse_lists_dp",), "lists that are drawn"),
    "above-threshold.classic": Checked(
        (
            "threshold.threshold_any",
            "threshold.threshold_monotone",
            "threshold.threshold_shift",
            "noise.sparse_vector_any",
            "stream.interleaved_any",
            "stream.alarms_any",
            "stream.stream_dp",
        ),
        "that the sums over noises exist",
    ),
    "boosting.round": Checked(
        ("sums.boosting_pure", "tree_draw.drawE", "additive.additive_range", "noise.counts_pure"),
        "with a delta, composition by zero-concentrated privacy",
    ),
    "boosting.units": Checked(
        ("sums.boosting_pure", "tree_draw.drawE", "additive.additive_range"),
        "that what a unit adds is scaled to at most the largest weight, by itself alone",
    ),
    "counts.privacy": Checked(
        ("noise.counts_pure", "sums.rounds_pure"), "Gaussian noise; items that cannot be listed"
    ),
    "dp.parallel": Checked(("deal.dealt_dp",)),
    "dp.replace": Checked(("histogram.dp_trans",)),
    "dp.sum": Checked(("compose.compose_pure", "compose.compose_dp", "sums.rounds_pure")),
    "error-sums": Checked(
        ("noise.counts_pure", "compose.post_function"), "that a unit adds integers up to a bound"
    ),
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
    "lyu.theorem3.privacy": Checked(
        ("threshold.threshold_any", "sparse.sparse_lists_dp"), "their composition by stages"
    ),
    "lwy.privacy": Checked(
        ("sums.users_pure", "exp_mech.exp_mech_pure", "leveled.leveledE"),
        "the search for the least error; a random cut; users added or removed",
    ),
    "median.exponential": Checked(("exp_mech.exp_mech_pure",), "that rank margins move by 1"),
    "median.paths": _PATHS,
    "median.tree": _PATHS,
    "online.privacy": Checked(
        (
            "stream.stream_tests_dp",
            "range.exp_mech_range",
            "sparse.sparse_lists_dp",
            "compose.compose_dp",
        ),
        "that the draws satisfy the premise, beyond their composition by sums; that the sums over "
        "noises exist",
    ),
    "online.test": Checked(
        ("noise.mistake_test_pure", "stream.stream_tests_pure", "stream.replies_pure"),
        "that the sum over noises exists",
    ),
    "public.privacy": Checked(("exp_mech.exp_mech_pure",), "that the candidates are public"),
    "score-histogram": Checked(
        ("noise.counts_pure", "compose.post_function"), "that the constants of the noise exist"
    ),
    "subsampling.without-replacement": Checked(("subsample.sampled_pure",), "a positive delta"),
    "users.privacy": Checked(("sums.users_pure", "leveled.leveledE"), "a random cut"),
    "vc1.privacy": Checked(
        ("deal.dealt_dp", "exp_mech.exp_mech_pure", "entering.entering_dp"),
        "that a chunk forces one path; proper output",
    ),
    "yan.choosing": Checked(("sparse.sparse_lists_dp",), "that the quality is k-bounded"),
    "yan.privacy": Checked(
        ("deal.dealt_dp", "exp_mech.exp_mech_pure", "sparse.sparse_lists_dp"),
        "that a chunk forces one path; the median of the log* order; the rounds of proper output",
    ),
}
_RENYI = "Rényi divergences are not modelled"
#: Claims of privacy without a checked lemma, and why: proved on paper, their laws enumerated.
UNCHECKED = {
    "alon.corollary4.privacy": "labelling by dichotomies, of which a record changes the number",
    "alon.lemma15.privacy": "draws with replacement: how often a record is drawn is binomial",
    "alon.section2.4.privacy": "disjoint parts, each filtered by what earlier ones released",
    "clip.rank": "public weights beside scores that all move to the same side",
    "boosting.start": _RENYI,
    "agnostic.two-sample.privacy": "labelling by dichotomies, of which a record changes the number",
    "charged-tests.renyi": _RENYI,
    "cks20.prop12": _RENYI,
    "cr21.bounded-range": _RENYI,
    "filter.sum": "budgets that are chosen adaptively; those of the lemmas are fixed",
    "filter.zcdp": _RENYI,
    "kov15.thm3.3": "products of dominating pairs are not modelled",
    "linear.moments": _RENYI,
    "linear.round": _RENYI,
    "mironov17.prop3": _RENYI,
    "yan.median": "a reconstruction; its recursion is not modelled",
}
