"""
A blocklist without a list of links
===================================

8,000 users report one link each, and whether it was bad. Most links were opened by one user only,
so the links themselves are secrets, and nobody may list the candidates. What few users know stays
hidden. The data are made.
"""

# %%
from pathlib import Path

import littlestone as ls

reports = Path("../../blocklist/reports.csv")
learner = ls.theory.LittlestoneLearner(ls.SparseSets(3), epsilon=1, delta=1e-6, random_state=7)
print("users needed:", learner.required_samples())

# %%
# Learn
# -----
# The strings that are released were reported by many.
learner.fit(reports, x="link", y="bad")
print(learner.hypothesis_.describe())
print(learner.guarantee_)
_ = Path("blocklist.html").write_text(ls.plot(learner))

# %%
# The list is private
# -------------------
# The number of different links is itself secret; for this made table we may count.
import pyarrow.csv

links = pyarrow.csv.read_csv(reports)["link"].value_counts()
once = sum(entry["counts"].as_py() == 1 for entry in links)
print(len(links), "different links;", once, "of them reported by one user only")
