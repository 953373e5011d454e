"""The exponential mechanism over a class: generic (realizable) and agnostic learning.

Paper 004, Lemma 29 (GenericLearner) and paper 002, Theorem 3.4 (agnostic learning with a
surrogate score) are one mechanism with two certificates:

1. sample a finite hypothesis set H from a probabilistic representation of the class, with public
   coins (Theorem 3.4, step 1; for a class that can be enumerated, H is the class itself);
2. release h in H with probability proportional to ``exp(-epsilon * errors(h) / 2)``, where
   ``errors`` is the integer number of records that h gets wrong (step 2).

Deviation from Theorem 3.4: its score is q(z, h) = min over c of err(c) + dis(c, h). When H is a
subset of the class, q equals the empirical error (take c = h; the triangle inequality gives the
rest), whose sensitivity is 1 instead of 2. Otherwise the direct error over H has the better
certificate unless ln|H| is far larger than the VC dimension (docs/learners/exponential.md), so
``score="auto"`` takes whichever certificate needs fewer records.
"""
