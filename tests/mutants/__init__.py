"""Broken variants of the library as code, each with the detectors that must notice it.

================================  ======================================================
`mutant`                          what a mutant is, and how it is planted
`runner`                          one mutant in a process of its own
`in_mechanisms`, `in_learners`    mutants, package by package; `in_linear`: linear models
`in_papers`                       the papers, as they are printed
`in_parts`, `in_streams`          parts and votes; streams and users
`in_data`, `in_sources`           reading; the sampler
`in_bounds`                       certificates of accuracy
`in_labels`                       several labels, their costs and evaluations
`in_releases`, `in_ledgers`       what is published, and budgets; what is paid, and when
`in_verifier`                     the verifier itself
`blind_mutants_1`                 by a person who had not seen the tests
`blind_mutants_2`                 by another one, after the first one's were caught
`tried`                           a test of the suite as a detector
``detectors/``                    the checks that must notice what no test of the suite does
================================  ======================================================
"""

from . import (  # noqa: F401 - each registers its mutants
    blind_mutants_1,
    blind_mutants_2,
    in_bounds,
    in_data,
    in_labels,
    in_learners,
    in_ledgers,
    in_linear,
    in_mechanisms,
    in_papers,
    in_parts,
    in_releases,
    in_sources,
    in_streams,
    in_verifier,
)
from .detectors import DETECTORS, NOTICED, OWN
from .mutant import MUTANTS, NoTarget, planted
from .tried import tried

__all__ = ["DETECTORS", "MUTANTS", "NOTICED", "OWN", "NoTarget", "planted", "tried"]
