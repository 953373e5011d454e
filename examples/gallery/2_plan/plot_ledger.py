"""
A budget for a year
===================

One ledger for one set of records. Every release is charged before it is drawn; what the budget
does not allow is refused, and nothing is drawn.
"""

# %%
import tempfile
from pathlib import Path

import littlestone as ls
from littlestone.errors import BudgetError

folder = tempfile.TemporaryDirectory()
ledger = ls.Ledger(Path(folder.name) / "clinic.db", epsilon=1, data="clinic, 2026")
ages, ill = [20, 40, 60, 80] * 500, [0, 0, 1, 1] * 500
learner = ls.AgnosticLearner(ls.Thresholds(1, 99), epsilon="0.3")

# %%
# Release until it is refused
# ---------------------------
spent = [0.0]
for month in ("January", "April", "July", "October"):
    try:
        learner.fit(ages, ill, ledger=ledger)
        print(f"{month}: {learner.hypothesis_.describe()}; {ledger.remaining()} left")
    except BudgetError as refused:
        print(f"{month}: refused. {str(refused)[:90]}")
    spent.append(float(ledger.spent().epsilon))

# %%
# Over the year
# -------------
import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(5.5, 3.4), layout="constrained")
axes.step(range(5), spent, where="post", marker="o")
axes.axhline(1, color="C3", linestyle="--", label="budget")
axes.set(xlabel="releases asked for", ylabel="epsilon spent", ylim=(0, 1.1), xticks=range(5))
axes.legend(loc="lower right")
plt.show()
folder.cleanup()
