"""The private learner of classes of VC dimension 1 (Yan 2025), improper and proper.

==============  ================================================================================
`algorithm`     `VC1`: learn, guarantee, certificate
`estimators`    `VC1Learner`, the scikit-learn shell
`planner`       everything that public parameters decide; `methods` shares the budget
`dealing`       the few records of a threshold learner that can be extreme in their chunk
`parts`         from records to one path for each chunk
`one_shot`      one draw over the nodes of the paths
`two_step`      a median depth, then a node of that depth
`proper`        proper output: `leaves`, or Algorithm 4 (`descent`), on `counts` of a second part
`search`        numerical search for public constants
`papers`        the paper's own size, for comparison
`claims`        what is asserted
==============  ================================================================================

Statements and proofs: ``docs/learners/vc1.md``.
"""

from littlestone.learners.vc1.algorithm import VC1

__all__ = ["VC1"]
