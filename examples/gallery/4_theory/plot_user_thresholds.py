"""
Thresholds of users: medians and choices
========================================

Algorithm 1 of paper 002: each user holds several records, and a whole user is protected. An
interval that holds the best threshold is halved, T times, by a median and a choice of three.
"""

# %%
import numpy as np

import littlestone as ls

learner = ls.papers.PrivateThreshold(
    ls.Thresholds(1, 2**20), epsilon=1, samples_per_user=16, beta=0.1, random_state=0
)
print(f"{learner.required_samples():,} users are certified:", learner.to_learner().guarantee())

# %%
# Fewer users
# -----------
# The certificate is for the worst distribution. Here 1,000 users have 16 uniform points each, and
# one label in five is wrong. Dashed: the threshold that made the labels.
rng, best, found = np.random.default_rng(0), 400_000, []
for run in range(20):
    X = rng.integers(1, 2**20, size=16_000)
    y = (best < X) ^ (rng.random(16_000) < 0.2)
    users = np.repeat(np.arange(1000), 16)
    learner.set_params(random_state=run).fit(X, y.astype(int), groups=users)
    found.append(learner.hypothesis_.above)

# %%
import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(6, 3), layout="constrained")
axes.plot(found, range(20), "o")
axes.axvline(best, linestyle="dashed", color="gray")
axes.set(xlim=(1, 2**20), xlabel="released threshold", ylabel="run")
plt.show()
