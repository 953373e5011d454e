"""How many people are enough: certificates with explicit constants, and the claims behind them.

=====================  ==========================================================================
`certificate`          Step, Certificate, the builder that computes them, `recheck`
`formulas`             formulas as text: a safe and rigorous evaluator
`arithmetic`           what they compute with: exact rationals, and balls where these end
`claims`               the registry of every statement that is relied upon
`lemmas`               which claims have lemmas that a proof kernel has checked
`exponential`          tight certificates of the exponential mechanism
`hashing`              infinite domains by hashing: what buckets and copies certify
`representations`      the representation that needs the fewest records
`uniform`              by uniform convergence: for candidate sets of huge size, small VC dimension
`papers`               two learners' sizes with the constants of the papers' proofs
`statements`           numbered bounds of the papers, as calculators
`reference`            without privacy: the planner's yardstick
`search`               numerical search for good public parameters, and for the least n
`tails`                binomial tails in floats, and confidence limits of a measured probability
=====================  ==========================================================================

The proofs: ``docs/certificates.md``.
"""

from littlestone.bounds.certificate import (
    Certificate,
    CertificateBuilder,
    Reference,
    Step,
    Unit,
    recheck,
)
from littlestone.bounds.claims import Claim, claim, claims, register, register_claim
from littlestone.bounds.exponential import agnostic, agnostic_from, realizable, realizable_from
from littlestone.bounds.formulas import FormulaError
from littlestone.bounds.hashing import POINTS, HashedRepresentation, HashFamily, sparse_sets
from littlestone.bounds.papers import alon22_lemma29, lwy24_theorem34
from littlestone.bounds.reference import consistent, consistent_vc, erm, erm_vc, uniform_vc
from littlestone.bounds.representations import (
    best_hashing,
    best_representation,
    points_representation,
)
from littlestone.bounds.search import least_n
from littlestone.bounds.statements import PaperBound, PaperStatement, paper_bound, paper_bounds
from littlestone.bounds.uniform import agnostic_vc, best_finite, realizable_vc, surrogate

__all__ = [
    "POINTS",
    "Certificate",
    "CertificateBuilder",
    "Claim",
    "FormulaError",
    "HashFamily",
    "HashedRepresentation",
    "PaperBound",
    "PaperStatement",
    "Reference",
    "Step",
    "Unit",
    "agnostic",
    "agnostic_from",
    "agnostic_vc",
    "alon22_lemma29",
    "best_finite",
    "best_hashing",
    "best_representation",
    "claim",
    "claims",
    "consistent",
    "consistent_vc",
    "erm",
    "erm_vc",
    "least_n",
    "lwy24_theorem34",
    "paper_bound",
    "paper_bounds",
    "points_representation",
    "realizable",
    "realizable_from",
    "realizable_vc",
    "recheck",
    "register",
    "register_claim",
    "sparse_sets",
    "surrogate",
    "uniform_vc",
]
