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
from littlestone.cli.main import main

rng = np.random.default_rng(0)


def hospital(n):
    age, stay = rng.integers(18, 95, n), rng.integers(1, 20, n)
    again = rng.random(n) < 0.1 + 0.35 * (age >= 65) + 0.3 * (stay >= 7)
    ward = rng.choice(["cardiology", "surgery", "internal"], n)
    return pa.table({"age": age, "ward": ward, "stay": stay, "again": again.astype(int)})


folder = tempfile.TemporaryDirectory()
public, private = Path(folder.name) / "public.csv", Path(folder.name) / "private.csv"
pyarrow.csv.write_csv(hospital(1000), public)
pyarrow.csv.write_csv(hospital(5000), private)

# %%
# Write the schema
# ----------------
# On the command line: ``littlestone schema new private.csv --header-is-public --like public.csv
# --y again``. Of the private table only the names of the columns are read.
schema = Path(folder.name) / "schema.toml"
command = ["schema", "new", str(private), "--header-is-public", "--like", str(public)]
main([*command, "--y", "again", "--out", str(schema)])
print(schema.read_text())

# %%
# Learn with it
# -------------
# The release costs epsilon = 1; a schema that is made of public things costs nothing.
rules = ls.Rules(ls.Schema.from_toml(schema), max_literals=2)
learner = ls.AgnosticLearner(rules, epsilon=1, random_state=0).fit(private, y="again")
print(learner.hypothesis_.describe())
_ = Path("rule.html").write_text(ls.plot(learner))
folder.cleanup()
