"""
A rule for incomes in a census
==============================

Who earns more than 50,000 dollars a year? One rule of at most two conditions is learned from the
Adult census table, drawn privately among 33,932 rules, and shown with its guarantee.
"""

# %%
# The table and its public schema
# -------------------------------
# The schema says which columns are read, where bins begin and which categories there are. A
# person wrote it from the documentation of the census; nothing in it was computed from the
# records.
from pathlib import Path

import pyarrow.parquet as pq

import littlestone as ls

adult = Path("../../adult")
schema = ls.Schema.from_toml(adult / "schema.toml")
table = pq.read_table(adult / "adult.parquet")
print(table.num_rows, "people;", len(schema), "columns;", len(schema.literals()), "conditions")

# %%
# Learn
# -----
# ``epsilon=1`` is the whole privacy cost.
learner = ls.AgnosticLearner(ls.Rules(schema, max_literals=2), epsilon=1, random_state=0)
learner.fit(table, y="over_50k")
print(learner.hypothesis_.describe())
print(learner.guarantee_)

# %%
# The rule as a picture
# ---------------------
_ = Path("rule.html").write_text(ls.plot(learner))

# %%
# How good is it?
# ---------------
# To count mistakes on private records would be a second release. This table is public, so here it
# is free. The best of all these rules, which no private learner may look up, has an accuracy of
# 0.8205.
right = (learner.predict(table) == table["over_50k"].to_numpy()).mean()
print(f"accuracy {right:.4f}")
print("people needed for the certificate:", learner.required_samples())
