"""
A decision tree among ninety million
====================================

The exponential mechanism over *all* trees of depth 2 or 3, drawn exactly. The larger class needs
more people for its certificate, and may hold a better tree.
"""

# %%
from pathlib import Path

import pyarrow.parquet as pq

import littlestone as ls

adult = Path("../../adult")
schema = ls.Schema.from_toml(adult / "schema.toml")
table = pq.read_table(adult / "adult.parquet")
truth = table["over_50k"].to_numpy()

# %%
# Depth 2
# -------
tree = ls.AgnosticLearner(ls.DecisionTrees(schema, depth=2), epsilon=1, random_state=0)
tree.fit(table, y="over_50k")
accuracy = (tree.predict(table) == truth).mean()
print(f"{float(tree.concept_class.size):.1e} trees; accuracy {accuracy:.4f}")
_ = Path("tree.html").write_text(ls.plot(tree))

# %%
# What the depth costs
# --------------------
# ``required_samples`` reads no data: people needed for an error at most 0.1 above that of the
# best tree.
for depth in (1, 2, 3):
    trees = ls.AgnosticLearner(ls.DecisionTrees(schema, depth=depth), epsilon=1)
    size, people = float(trees.concept_class.size), trees.required_samples()
    print(f"depth {depth}: {size:.0e} trees, {people:,} people")
