"""
One plane, many flights
=======================

From how many minutes of delay at departure on should one expect to arrive late? A plane has up to
575 flights, so protecting single flights would protect no plane. Here everything that one plane
did counts as one.
"""

# %%
from pathlib import Path

import littlestone as ls

flights = Path("../../users/flights.parquet")
delays = ls.Thresholds(-60, 1439)
learner = ls.UserAgnosticLearner(delays, epsilon=1, samples_per_user=16, random_state=0)
print("planes needed:", learner.required_samples())

# %%
# Learn
# -----
# Of each plane 16 flights are read, by a public random choice.
learner.fit(flights, x="dep_delay", y="late", user="plane")
print(learner.hypothesis_.describe())
print(learner.guarantee_)
_ = Path("threshold.html").write_text(ls.plot(learner))

# %%
# More records of each user need fewer users
# ------------------------------------------
import matplotlib.pyplot as plt

records = [1, 2, 4, 16, 64]
users = [
    ls.UserAgnosticLearner(delays, epsilon=1, samples_per_user=m).required_samples()
    for m in records
]
figure, axes = plt.subplots(figsize=(5.5, 4), layout="constrained")
axes.loglog(records, users, marker="o")
axes.set(
    xlabel="records of each user", ylabel="users needed", title="epsilon 1, alpha 0.1, beta 0.05"
)
plt.show()
