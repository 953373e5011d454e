"""
Teachers vote, stage by stage
=============================

Theorem 3 of paper 003 (DP-ERM): each teacher lists the essential hypotheses of those concepts that
make few errors on its records. The stages allow fewer and fewer errors, and at one of them all
teachers share a hypothesis.
"""

# %%
from fractions import Fraction

import numpy as np

import littlestone as ls
from littlestone.data import Sample
from littlestone.papers import lyu

learner = ls.papers.Theorem3(
    ls.Points(), epsilon=1, delta=1e-6, beta=0.1, k=187, chunk=140, tolerances=(11, 0),
    agreeing=0.7, share=0.45, lost=0.136,
)  # fmt: skip
print(f"{learner.required_samples():,} records are certified.")

# %%
# What the teachers list
# ----------------------
# 120 teachers with 40 records each; the target is the point 0. This picture shows what stays
# secret: a release is one hypothesis.
algorithm = lyu.Theorem3(
    ls.Points(), Fraction(1), Fraction(1, 10**6), k=120, chunk=40, tolerances=(2, 0)
)
rng = np.random.default_rng(0)
votes = []
for stage in (1, 2):
    counts = dict.fromkeys(["always 0", "the target", "others"], 0)
    for _ in range(120):
        x = rng.choice(10, size=40, p=[0.1, *[0.1] * 9])
        for h in algorithm.listed(Sample.of(x, (x == 0).astype(int)), stage, 40):
            ones = h.predict(np.arange(10))
            kind = "always 0" if not ones.any() else "the target" if ones[0] else "others"
            counts[kind] += 1
    votes.append(counts)
    print(f"stage {stage}:", counts)

# %%
import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(6, 3.5), layout="constrained")
for stage, counts in enumerate(votes):
    places = [x + 0.4 * stage for x in range(3)]
    axes.bar(places, counts.values(), 0.4, label=f"stage {stage + 1}")
axes.axhline(60, linestyle="dashed", color="gray")
axes.set_xticks([x + 0.2 for x in range(3)], votes[0])
axes.set(ylabel="teachers")
axes.legend()
plt.show()
