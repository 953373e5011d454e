"""
A model that follows a stream
=============================

A rule is published, records come, and after some mistakes a new rule is published. All that is
ever published, for as long as the stream lasts, costs epsilon = 1 once.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

import littlestone as ls

learner = ls.OnlineLearner(
    ls.Thresholds(1, 2**32), epsilon=1, delta=1e-6, horizon=100_000, random_state=1
)
points = np.random.default_rng(0).integers(1, 2**32, 100_000)
labels = points > 1_234_567_890

# %%
# Run
# ---
# ``learn_many`` is the same as one record after the other, only faster. Here we ask for the error
# of what is published after each thousand records.
errors = []
for start in range(0, 30_000, 1000):
    part = slice(start, start + 1000)
    errors.append((learner.predict(points[part]) != labels[part]).mean() if start else 0.5)
    learner.learn_many(points[part], labels[part])
print(len(learner.published_), "hypotheses were published;", learner.guarantee_)

# %%
# Errors and publications
# -----------------------
figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
axes.plot(range(0, 30_000, 1000), errors, drawstyle="steps-post")
for time, _hypothesis in learner.published_:
    axes.axvline(time, color="grey", linewidth=0.5)
axes.set(xlabel="records", ylabel="share of mistakes", title="Vertical lines: a rule is published")
plt.show()
