"""
Three labels
============

Not every question is answered yes or no. The list of labels is public, as the bins are: it must not
be read off the records. The data are made.
"""

# %%
# Made records
# ------------
# A few cells say something else than the three labels. They are records all the same: every tree
# gets them wrong.
from pathlib import Path

import numpy as np
import pyarrow as pa

import littlestone as ls

rng = np.random.default_rng(0)
n = 12_000
age, fever = rng.integers(18, 95, n), rng.normal(37.2, 0.9, n).round(1)
ward = np.where(fever >= 38.5, "infection", np.where(age >= 65, "geriatrics", "general"))
ward[rng.random(n) < 0.1] = "general"
ward[:40] = "unknown"
table = pa.table({"age": age, "fever": fever, "ward": ward})
schema = ls.Schema.from_dict(
    {"age": {"bins": [30, 40, 50, 65, 80]}, "fever": {"bins": [36.5, 37.5, 38, 38.5, 39]}}
)

# %%
# How many records?
# -----------------
# The certificate counts the trees, and three labels make more of them than two.
labels = ["general", "geriatrics", "infection"]
for listed in (None, labels):
    trees = ls.DecisionTrees(schema, depth=2, labels=listed)
    print(len(trees.labels), "labels:", ls.AgnosticLearner(trees, epsilon=1).required_samples())

# %%
# Learn, and see the confusion matrix
# ---------------------------------------
# A tenth of epsilon is spent on the counts: one row for each label, and one for other cells.
learner = ls.AgnosticLearner(trees, epsilon=1, evaluate=0.1, random_state=0)
learner.fit(table, y="ward")
print(learner.hypothesis_.export_text())
for name, row in zip(
    [*labels, "other"], learner.evaluation_.confusion_matrix(learner.release_.answers), strict=True
):
    print(name, dict(zip(labels, map(round, row), strict=True)))

# %%
# The tree
# --------
_ = Path("labels.html").write_text(ls.plot(learner))
print(learner.predict([[70, 37.0], [30, 39.2]]))

# %%
# A mistake that costs more
# -------------------------
# To miss an infection is five times as bad as any other mistake.
costs = {"general": 1, "geriatrics": 1, "infection": 5}
careful = ls.AgnosticLearner(trees, epsilon=1, costs=costs, random_state=0).fit(table, y="ward")
print(careful.hypothesis_.describe())
