"""
An accurate learner shows one of its records
============================================

Section 4 of paper 004: if the votes of a learner of thresholds depend only on how many records lie
below a point, they jump somewhere. One record hidden in that gap is found by binary search.
"""

# %%
import numpy as np

import littlestone as ls
from littlestone.papers import Attack


def first_one(S):
    """Without privacy: 1 from the first positive record on."""
    return lambda x: float(x >= min(a for a, y in S if y))


attack = Attack.homogeneous(first_one, range(1, 33), m=4)
print("votes by place:", attack.p, "jump at record", attack.jump)

# %%
# The search finds every place
# ----------------------------
# Samples of the family differ in one record only.
places = [attack.locate(first_one(S)) for S in attack.family()]
print(places == list(attack.places), len(places), "places")

# %%
# What a private learner leaves
# -----------------------------
# The exponential mechanism has such a gap, too, but a lower and a smoother one: what the search
# finds of it, and the epsilon that this proves, `littlestone.audit` counts.
learner = ls.papers.GenericLearner(ls.Thresholds(1, 32), epsilon=4).to_learner()


def votes(S):
    """Return the exact chance that the learner labels a point 1."""
    errors = np.array([sum(int(x > u) != y for x, y in S) for u in range(33)])
    law = np.exp(-float(learner.epsilon) / 2 * errors)
    return np.cumsum(law / law.sum())


import matplotlib.pyplot as plt

S, points = attack.family()[len(places) // 2], np.arange(1, 33)
figure, axes = plt.subplots(figsize=(6, 3.5), layout="constrained")
axes.step(points, [first_one(S)(x) for x in points], where="mid", label="first positive")
axes.step(points, votes(S)[:32], where="mid", label="exponential mechanism")
for x, y in S:
    axes.plot(x, 1.05 if y else -0.05, "k|")
axes.set(xlabel="point", ylabel="Pr[label 1]")
axes.legend()
plt.show()
