"""
A learner, verified exactly
===========================

The output law of a learner on *every* data set of three records over three points, compared for
all neighbours. This is the program that releases, not a model of it.
"""

# %%
import matplotlib.pyplot as plt

import littlestone as ls

learner = ls.GenericLearner(ls.Thresholds(1, 3), epsilon=1)
found = ls.audit.verify(learner, points=[1, 2, 3], n_samples=3)
print(found)

# %%
# Two laws
# --------
# The probabilities of each threshold on two neighbouring data sets, exactly. Each pair of bars
# differs by at most the factor e.
laws = [
    ls.audit.output_distribution(learner, [1, 2, 3], labels) for labels in ([0, 0, 1], [1, 0, 1])
]
outputs = sorted({output for law in laws for output in law}, key=lambda output: output.describe())
figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
for shift, law, name in zip((-0.2, 0.2), laws, ("labels 0 0 1", "labels 1 0 1"), strict=True):
    heights = [law[output][0] for output in outputs]
    axes.bar([i + shift for i in range(len(outputs))], heights, width=0.4, label=name)
axes.set_xticks(range(len(outputs)), [output.describe().split(",")[0] for output in outputs])
axes.set(ylabel="probability")
axes.legend()
plt.show()
