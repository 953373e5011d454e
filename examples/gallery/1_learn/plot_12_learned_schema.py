"""
A schema learned from the records
=================================

Nobody knows the table: what its columns hold is learned from the records, for a part of the
budget. The class then depends on the records, so no certificate of accuracy holds.
"""

# %%
# What is in there?
# -----------------
# The types of the columns are declared; bins and categories cost epsilon = 0.2. One record has a
# cell in every column, so the parts of the columns add up.
from pathlib import Path

import pyarrow.parquet as pq

import littlestone as ls

adult = Path("../../adult")
table = pq.read_table(adult / "adult.parquet")
schema = ls.data.propose(table, y="over_50k", epsilon=0.2, delta=1e-6, random_state=0)
print(schema.to_toml())

# %%
# A tree over it
# --------------
# It costs epsilon = 1 more. The schema by hand, from the documentation of the data, is free.
truth = table["over_50k"].to_numpy()
for name, columns in (
    ("by hand", ls.Schema.from_toml(adult / "schema.toml")),
    ("learned", schema),
):
    tree = ls.AgnosticLearner(ls.DecisionTrees(columns, depth=2), epsilon=1, random_state=0)
    tree.fit(table, y="over_50k")
    print(f"{name}: accuracy {(tree.predict(table) == truth).mean():.4f}")
_ = Path("tree.html").write_text(ls.plot(tree))

# %%
# What is promised
# ----------------
# For a record that both have seen the costs add up.
print(tree.release_.guarantee)
print(tree.certificate_)
