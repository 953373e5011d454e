"""
Littlestone trees and the standard optimal algorithm
====================================================

The Littlestone dimension of a class is the depth of a tree of questions on whose every path some
concept answers. Dimensions come with such witnesses, exactly.
"""

# %%
from pathlib import Path

import littlestone as ls

# %%
# A tree for thresholds
# ---------------------
# Seven values, eight concepts: three questions can be answered in all eight ways.
thresholds = ls.Thresholds(1, 7)
print(ls.theory.dimensions(thresholds))
_ = Path("tree.html").write_text(ls.plot(ls.theory.shattered_tree(thresholds)))

# %%
# The standard optimal algorithm
# ------------------------------
# It predicts the label that keeps the larger dimension, and is never wrong more often than the
# dimension says.
predictor = ls.theory.SOAPredictor(ls.Thresholds(1, 2**20))
print("mistakes at most:", predictor.mistake_bound())

# %%
# Dimensions of some classes
# --------------------------
import matplotlib.pyplot as plt

classes = [
    ls.Thresholds(1, 15),
    ls.Intervals(1, 9),
    ls.Points(1, 15),
    ls.SparseSets(2, 1, 9),
    ls.theory.Conjunctions(3),
]
found = [ls.theory.dimensions(concept_class) for concept_class in classes]
figure, axes = plt.subplots(figsize=(6.5, 3.8), layout="constrained")
for i, kind in enumerate(("vc", "littlestone", "threshold")):
    axes.bar(
        [x + 0.27 * (i - 1) for x in range(5)], [getattr(d, kind) for d in found], 0.27, label=kind
    )
axes.set_xticks(range(5), [c.spec for c in classes], rotation=15)
axes.legend()
plt.show()
