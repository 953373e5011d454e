"""
Teachers are trained again while a stream runs
==============================================

Algorithm 3 of paper 003 publishes a hypothesis, and after some mistakes trains all teachers again
(Algorithm 4, JointTrain). Each mistake goes to one teacher, by a public coin of its time.
"""

# %%
from fractions import Fraction

import numpy as np

import littlestone as ls
from littlestone.papers import DPOL
from littlestone.source import SeededSource

algorithm = DPOL(
    ls.Points(), epsilon_update=Fraction(1, 5), epsilon_agreed=Fraction(1, 5),
    epsilon_sparse=Fraction(3, 10), delta=Fraction(1, 10**6), delta_sparse=Fraction(1, 10**8),
    k=150, U=600, K_budget=2, draws=1, cap=16,
)  # fmt: skip
print(algorithm.guarantee())

# %%
# A stream
# --------
# Half of the records are at the target. Until the first update the rule is "always 0"; how many
# mistakes that takes is what privacy costs here: the printed numbers, O() being 1, are too small
# to learn anything, so 150 teachers share 600 mistakes. Without privacy there would be one.
source, rng = SeededSource(0), np.random.default_rng(0)
state, wrong = algorithm.start(source), []
for _ in range(2000):
    x = int(rng.integers(2))
    h = algorithm.step(state, x, int(x == 0), source)
    wrong.append(int(h.predict(np.array([x]))[0]) != int(x == 0))
print(sum(wrong), "mistakes;", state.published.describe(), "at stage", state.j_star)

# %%
import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(6, 3.5), layout="constrained")
axes.plot(np.cumsum(wrong))
axes.set(xlabel="records", ylabel="mistakes")
plt.show()
