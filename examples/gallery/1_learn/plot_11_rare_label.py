"""
A rare label: say what mistakes cost
====================================

One record in eleven has the label 1. A rule with few mistakes then says 0 for everybody. Public
costs change what is minimized: to miss a 1 is ten times as bad as a false alarm. The data are
made.
"""

# %%
# Made records
# ------------
import matplotlib.pyplot as plt
import numpy as np
import pyarrow as pa

import littlestone as ls

rng = np.random.default_rng(0)
n = 20_000
age, pulse = rng.integers(20, 95, n), rng.integers(50, 120, n)
ill = rng.random(n) < 0.45 / (1 + np.exp(-(age - 75) / 6 - (pulse - 95) / 10))
table = pa.table({"age": age, "pulse": pulse, "ill": ill.astype(int)})
schema = ls.Schema.from_dict(
    {"age": {"bins": [30, 40, 50, 60, 70, 80]}, "pulse": {"bins": [60, 70, 80, 90, 100, 110]}}
)
print(f"{100 * ill.mean():.1f} % have the label 1")

# %%
# Without costs, and with
# -----------------------
# Costs are public: they are chosen before anybody looks at the records. The privacy is the same.
rules = ls.Rules(schema, max_literals=2)
for costs in (None, {0: 1, 1: 10}):
    learner = ls.AgnosticLearner(rules, epsilon=1, costs=costs, random_state=0)
    learner.fit(table, y="ill")
    print(costs, "->", learner.hypothesis_.describe())

# %%
# More than one ratio
# -------------------
# How many of the ill are found, and how many alarms are right? The data are made, so we may
# count; on private records each of these fits would cost its epsilon.
ratios, found, right = [1, 2, 3, 5, 10, 20], [], []
for ratio in ratios:
    learner = ls.AgnosticLearner(rules, epsilon=1, costs={0: 1, 1: ratio}, random_state=0)
    alarm = learner.fit(table, y="ill").predict(table) == 1
    found.append(100 * (alarm & ill).sum() / ill.sum())
    right.append(100 * (alarm & ill).sum() / max(alarm.sum(), 1))

figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
axes.plot(ratios, found, "o-", label="of the ill, found")
axes.plot(ratios, right, "o-", label="of the alarms, right")
axes.set(xlabel="cost of missing a 1 (a false alarm costs 1)", ylabel="%", ylim=(-3, 103))
axes.set_xscale("log", base=2)
axes.set_xticks(ratios, ratios)
axes.legend()
plt.show()
