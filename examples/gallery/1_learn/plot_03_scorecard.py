"""
A scorecard that a clerk can add up
===================================

Points for each bin of each column; the sum says the risk. A scorecard is a sum of private trees
of depth 1.
"""

# %%
from pathlib import Path

import pyarrow.parquet as pq

import littlestone as ls

# %%
# A short schema makes a short card
# ---------------------------------
# Few columns and few bins, all written by hand.
schema = ls.Schema.from_dict(
    {
        "age": {"bins": [30, 40]},
        "education_num": {"bins": [10, 13]},
        "marital_status": {"categories": ["Married-civ-spouse"]},
        "capital_gain": {"bins": [5000]},
        "hours_per_week": {"bins": [35, 45]},
    }
)
table = pq.read_table(Path("../../adult/adult.parquet"))

# %%
# Learn
# -----
# All 16 trees together cost epsilon = 1.
card = ls.Scorecard(schema, epsilon=1, delta=1e-6, rounds=16, step=0.4, random_state=0)
card.fit(table, y="over_50k")

# %%
# The card
# --------
# Add up the points of a person's cells. ``predict_proba`` knows the probability that belongs to
# each sum.
import matplotlib.pyplot as plt

cells = [
    (cell, points)
    for column in card.points_.values()
    for cell, points in column.items()
    if not cell.endswith(("is missing", "is other"))
]
figure, axes = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
bars = axes.barh([cell for cell, _ in cells], [points for _, points in cells], color="#0b6e99")
axes.bar_label(bars, padding=3)
axes.invert_yaxis()
axes.spines[["top", "right", "bottom"]].set_visible(False)
axes.set(xticks=[])
figure.suptitle("Points towards an income above 50,000 dollars a year", fontsize=11)
plt.show()

# %%
# The trees behind it
# -------------------
# The effect of each column on the log-odds, and the trees that were drawn most often.
_ = Path("scorecard.html").write_text(ls.plot(card))

# %%
# How well the points rank people
# -------------------------------
# The table is public, so we may look. On private records take ``evaluate=``, as in the next
# example.
from sklearn.metrics import roc_auc_score

risk = card.predict_proba(table)[:, 1]
print(f"AUROC {roc_auc_score(table['over_50k'].to_numpy(), risk):.3f}")
