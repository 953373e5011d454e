"""
Boosted trees, with ROC and calibration from one release
========================================================

A fifth of the records is kept aside in secret. One noisy histogram of their scores is released;
accuracy, the ROC curve and the calibration follow from it, with bands, at no further cost.
"""

# %%
from pathlib import Path

import matplotlib.pyplot as plt
import pyarrow.parquet as pq

import littlestone as ls

adult = Path("../../adult")
schema = ls.Schema.from_toml(adult / "schema.toml")
table = pq.read_table(adult / "adult.parquet")

# %%
# Learn and evaluate in one fit
# -----------------------------
# No record is used for both, so both together cost epsilon = 1.
trees = ls.BoostedTrees(
    schema, depth=2, epsilon=1, delta=1e-6, rounds=25, evaluate=1, holdout=0.2, random_state=0
)
trees.fit(table, y="over_50k")
print(trees.guarantee_)
found = trees.evaluation_
for name, band in {"accuracy": found.accuracy(), "AUROC": found.auroc()}.items():
    print(f"{name} {band.value:.3f} ({band.low:.3f} to {band.high:.3f}, {band.covers})")

# %%
# ROC
# ---
false_positive, true_positive = zip(*found.roc(), strict=True)
figure, axes = plt.subplots(figsize=(4.5, 4.5), layout="constrained")
axes.plot(false_positive, true_positive)
axes.plot([0, 1], [0, 1], color="grey", linestyle=":")
axes.set(
    xlabel="false positive rate", ylabel="true positive rate", title="ROC of the held-out records"
)
plt.show()

# %%
# Calibration
# -----------
# Each bin holds so many records that the noise is small against their number; the bars cover new
# records.
bins = found.calibration(trees.hypothesis_.probabilities)
figure, axes = plt.subplots(figsize=(4.5, 4.5), layout="constrained")
axes.plot([0, 1], [0, 1], color="grey", linestyle=":")
axes.errorbar(
    [b.predicted for b in bins],
    [b.found.value for b in bins],
    yerr=[
        [max(b.found.value - b.found.low, 0) for b in bins],
        [max(b.found.high - b.found.value, 0) for b in bins],
    ],
    fmt="o",
)
axes.set(xlabel="predicted probability", ylabel="share of label 1", title="Calibration")
plt.show()
