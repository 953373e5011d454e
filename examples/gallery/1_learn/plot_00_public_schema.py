"""
A schema from a public table
============================

A schema must not be read off the private records. Last year's open data, or another hospital's
public table, may be read: its quantiles become bins, its texts categories. The data are made.
"""

# %%
# Two tables with the same columns
# --------------------------------
# One is public, the other one is not.
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

import littlestone as ls

rng = np.random.default_rng(0)


def hospital(n):
    age, stay = rng.integers(18, 95, n), rng.integers(1, 20, n)
    again = rng.random(n) < 0.1 + 0.35 * (age >= 65) + 0.3 * (stay >= 7)
    ward = rng.choice(["cardiology", "surgery", "internal"], n)
    return pa.table({"age": age, "ward": ward, "stay": stay, "again": again.astype(int)})


folder = tempfile.TemporaryDirectory()
public, private = Path(folder.name) / "public.csv", Path(folder.name) / "private.csv"
pyarrow.csv.write_csv(hospital(3000), public)
pyarrow.csv.write_csv(hospital(5000), private)

# %%
# Write the schema
# ----------------
# Of every 151 public values of a column one becomes an edge, and each text that occurs as often is
# a category. On the command line: ``littlestone fit private.csv --public public.csv --bins 20 --y
# again``.
schema = ls.Schema.from_public(public, bins=20, columns=["age", "ward", "stay"])
print(schema.to_toml())

# %%
# Learn with it
# -------------
# The release costs epsilon = 1; a schema that is made of public things costs nothing.
rules = ls.Rules(schema, max_literals=2)
learner = ls.AgnosticLearner(rules, epsilon=1, alpha=0.2, random_state=0).fit(private, y="again")
print(learner.hypothesis_.describe())
_ = Path("rule.html").write_text(ls.plot(learner))
folder.cleanup()
