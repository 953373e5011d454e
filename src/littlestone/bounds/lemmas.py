"""Which lemmas a proof kernel has checked for a claim, and what they leave out.

The lemmas are those of ``proofs/`` (Coq). Of a claim with lemmas this may be said: *the privacy of
the law is machine-checked; that the program has this law is tested.* A claim that is not listed
has no checked lemma.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["LEMMAS", "NEVER_MODELLED", "Checked"]


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

_PATHS = Checked(("sparse.sparse_dp_tight",), "that a record's candidates are one path")
#: Claim to lemmas.
LEMMAS = {
    "dp.sum": Checked(("compose.compose_pure", "compose.compose_dp", "sums.rounds_pure")),
    "exp-mech.privacy": Checked(
        (
            "exp_mech.exp_mech_pure",
            "range.exp_mech_range",
            "sensitivity.exp_errors_pure",
            "leveled.leveledE",
            "reals.exp_errors_real",
        )
    ),
    "littlestone.privacy": Checked(
        ("sparse.sparse_lists_dp",), "dealing; that a list is a function of one teacher's records"
    ),
    "littlestone.stages.privacy": Checked(
        ("threshold.threshold_any", "sparse.sparse_lists_dp"), "their composition by stages"
    ),
    "median.exponential": Checked(("exp_mech.exp_mech_pure",), "that rank margins move by 1"),
    "median.paths": _PATHS,
    "median.tree": _PATHS,
    "online.test": Checked(
        ("noise.mistake_test_pure",), "that the sum over noises exists; many tests"
    ),
    "subsampling.without-replacement": Checked(("subsample.sampled_pure",), "a positive delta"),
    "users.privacy": Checked(
        ("sums.users_pure", "leveled.leveledE"), "the search for the least error; a random cut"
    ),
    "vc1.privacy": Checked(
        ("deal.dealt_pure", "sparse.sparse_dp_tight"), "that a chunk forces one path; proper output"
    ),
}
