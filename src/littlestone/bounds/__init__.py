"""How many people are enough: certificates with explicit constants, and the claims behind them.

=====================  ==========================================================================
`certificate`          Step, Certificate, the builder that computes them, `recheck`; a bound,
                       written once: steps of a certificate, and floats for searches; those of
                       ``certificates.toml``; numerical search, the least n
`formulas`             formulas as text: a safe and rigorous evaluator
`claims`               the registry of every statement that is relied upon; which have lemmas that a
                       proof kernel has checked; numbered bounds of the papers, as calculators
`exponential`          tight certificates of the exponential mechanism; by uniform convergence, for
                       huge candidate sets; sharper agnostic ones: no union over thresholds, points,
                       intervals; for comparison: without privacy, and the papers' sizes
`representations`      infinite domains by hashing; the representation that needs the fewest
                       records; public points in the place of a domain
`tails`                binomial tails in floats, and confidence limits of a measured probability;
                       tails of sums of signs, enclosed
=====================  ==========================================================================

The proofs: ``docs/certificates.md``.
"""

from littlestone.bounds.certificate import (
    Bound,
    Certificate,
    CertificateBuilder,
    Reference,
    Step,
    Unit,
    least_n,
    recheck,
)
from littlestone.bounds.claims import (
    Claim,
    PaperBound,
    PaperStatement,
    claim,
    claims,
    paper_bound,
    paper_bounds,
    register,
)
from littlestone.bounds.exponential import (
    Atoms,
    Line,
    Ranges,
    Structure,
    agnostic,
    agnostic_from,
    agnostic_vc,
    alon22_lemma29,
    best_finite,
    consistent,
    consistent_vc,
    erm,
    erm_vc,
    losses,
    lwy24_theorem34,
    realizable,
    realizable_from,
    realizable_vc,
    yan25_theorem11,
)
from littlestone.bounds.formulas import FormulaError
from littlestone.bounds.representations import (
    POINTS,
    HashedRepresentation,
    HashFamily,
    best_hashing,
    sparse_sets,
)

__all__ = [
    "POINTS",
    "Atoms",
    "Bound",
    "Certificate",
    "CertificateBuilder",
    "Claim",
    "FormulaError",
    "HashFamily",
    "HashedRepresentation",
    "Line",
    "PaperBound",
    "PaperStatement",
    "Ranges",
    "Reference",
    "Step",
    "Structure",
    "Unit",
    "agnostic",
    "agnostic_from",
    "agnostic_vc",
    "alon22_lemma29",
    "best_finite",
    "best_hashing",
    "claim",
    "claims",
    "consistent",
    "consistent_vc",
    "erm",
    "erm_vc",
    "least_n",
    "losses",
    "lwy24_theorem34",
    "paper_bound",
    "paper_bounds",
    "realizable",
    "realizable_from",
    "realizable_vc",
    "recheck",
    "register",
    "sparse_sets",
    "yan25_theorem11",
]
