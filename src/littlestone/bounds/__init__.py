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

from littlestone.bounds.certificate import Bound as Bound
from littlestone.bounds.certificate import Certificate as Certificate
from littlestone.bounds.certificate import CertificateBuilder as CertificateBuilder
from littlestone.bounds.certificate import Reference as Reference
from littlestone.bounds.certificate import Step as Step
from littlestone.bounds.certificate import Unit as Unit
from littlestone.bounds.certificate import least_n as least_n
from littlestone.bounds.certificate import recheck as recheck
from littlestone.bounds.claims import Claim as Claim
from littlestone.bounds.claims import PaperBound as PaperBound
from littlestone.bounds.claims import PaperStatement as PaperStatement
from littlestone.bounds.claims import claim as claim
from littlestone.bounds.claims import claims as claims
from littlestone.bounds.claims import paper_bound as paper_bound
from littlestone.bounds.claims import paper_bounds as paper_bounds
from littlestone.bounds.claims import register as register
from littlestone.bounds.exponential import Atoms as Atoms
from littlestone.bounds.exponential import Line as Line
from littlestone.bounds.exponential import Ranges as Ranges
from littlestone.bounds.exponential import Structure as Structure
from littlestone.bounds.exponential import agnostic as agnostic
from littlestone.bounds.exponential import agnostic_from as agnostic_from
from littlestone.bounds.exponential import agnostic_vc as agnostic_vc
from littlestone.bounds.exponential import alon22_lemma29 as alon22_lemma29
from littlestone.bounds.exponential import best_finite as best_finite
from littlestone.bounds.exponential import consistent as consistent
from littlestone.bounds.exponential import consistent_vc as consistent_vc
from littlestone.bounds.exponential import erm as erm
from littlestone.bounds.exponential import erm_vc as erm_vc
from littlestone.bounds.exponential import losses as losses
from littlestone.bounds.exponential import lwy24_theorem34 as lwy24_theorem34
from littlestone.bounds.exponential import realizable as realizable
from littlestone.bounds.exponential import realizable_from as realizable_from
from littlestone.bounds.exponential import realizable_vc as realizable_vc
from littlestone.bounds.exponential import yan25_theorem11 as yan25_theorem11
from littlestone.bounds.formulas import FormulaError as FormulaError
from littlestone.bounds.representations import POINTS as POINTS
from littlestone.bounds.representations import HashedRepresentation as HashedRepresentation
from littlestone.bounds.representations import HashFamily as HashFamily
from littlestone.bounds.representations import best_hashing as best_hashing
from littlestone.bounds.representations import sparse_sets as sparse_sets
