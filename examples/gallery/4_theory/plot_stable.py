"""
A globally stable learner, made private
=======================================

Paper 004: Algorithm G outputs one hypothesis with constant probability, whatever records it gets;
learner M runs many copies, and releases what a stable histogram lists.
"""

# %%
from collections import Counter

import numpy as np

import littlestone as ls
from littlestone.papers import G, SOA
from littlestone.source import SeededSource

learner = ls.papers.M(
    ls.Points(), epsilon=1, delta=1e-6, beta=0.1, auxiliary=8, assigned=(65, 208),
    batches=(0, 2), n_prime=2084,
)  # fmt: skip
print(f"{learner.required_samples():,} records are certified.")

# %%
# 300 copies of G
# ---------------
# The target is the point 0, and has a tenth of the mass. A copy of no rounds sees it among its
# eight examples or not; one of a round gets the point where two samples disagree, and a label.
rng, names = np.random.default_rng(0), Counter()
copy = G(SOA(ls.Points().version_space(), "lyu"), d=1, n=8, N=16)
for run in range(300):
    x = rng.integers(10, size=24)
    h = copy.draw([(int(point), int(point == 0)) for point in x], SeededSource(run))
    names["fail" if h is None else h.describe()] += 1
print(names.most_common(3))

# %%
# The others are so rare that a noisy count of copies hides them.
import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(6.5, 3.5), layout="constrained")
often = names.most_common(8)
axes.barh([name for name, _ in often], [count for _, count in often])
axes.invert_yaxis()
axes.set(xlabel="copies of 300")
plt.show()
