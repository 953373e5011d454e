"""
Which food is contaminated?
===========================

Laboratories tested pools, each of one category of a public taxonomy. A pool is positive if its
category contains the contaminated product. Who tested what is a business secret. The data are
made.
"""

# %%
# The class
# ---------
# A concept is a path: a node and everything above it.
from pathlib import Path

import littlestone as ls

foods = Path("../../taxonomy")
paths = ls.theory.TreePaths.from_csv(foods / "categories.csv")
print(paths.size, "concepts, VC dimension", paths.vc_dim)

# %%
# Learn
# -----
# The learner for classes of VC dimension 1 walks down the tree.
learner = ls.VC1Learner(paths, epsilon=1, delta=1e-6, random_state=0)
learner.fit(foods / "pools.csv", x="category", y="positive")
print(learner.hypothesis_.describe())
print(learner.guarantee_)
_ = Path("path.html").write_text(ls.plot(learner))
