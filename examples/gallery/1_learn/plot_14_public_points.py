"""
Raw numbers and public rows
===========================

Rules need bins, and bins must not be read off the private records. A public table of a few hundred
people says where they should be, and what they cost is certified. The data are made.
"""

# %%
# Four hundred people who agreed
# ------------------------------
# Their blood values are public, and carry no labels. The other table is private.
from pathlib import Path

import numpy as np

import littlestone as ls

rng = np.random.default_rng(0)
NAMES = ["pressure", "sugar", "iron"]


def people(n, years=0.0):
    age = rng.normal(55 + years, 12, n)
    return np.stack([90 + age + rng.normal(0, 9, n), 60 + age + rng.normal(0, 12, n),
                     rng.gamma(4, 25, n)], axis=1)  # fmt: skip


def ill(values):
    risk = (values[:, 0] >= 147.31) & (values[:, 1] >= 117.9)
    return np.where(rng.random(len(values)) < 0.1, ~risk, risk).astype(int)


def table(values):
    return dict(zip(NAMES, values.T, strict=True))


schema = ls.Schema.from_public(table(people(400)), bins=401)
print([len(column.edges) for column in schema])
print(schema.binning_error(2))

# %%
# A rule of two comparisons
# -------------------------
# The certificate is about the best rule of two comparisons with *any* numbers, on new people.
private = people(6000)
labels = ill(private)
rules = ls.AgnosticLearner(ls.Rules(schema, max_literals=2), epsilon=1, random_state=0)
print(rules.required_samples())
rules.fit(private, labels)
print(rules.hypothesis_.describe())
print(rules.certificate_)
_ = Path("rule.html").write_text(ls.plot(rules))

# %%
# On new people the error is near that of the best rule, 0.1.
fresh = people(50_000)
print(f"error {np.mean(rules.predict(fresh) != ill(fresh)):.3f}")

# %%
# A public table from elsewhere
# -----------------------------
# These are 400 children. The release is exactly as private, and the certificate says what it said:
# it *assumes* that the public rows are of the same population. Here that is wrong.
elsewhere = ls.Schema.from_public(table(people(400, years=-45)), bins=401)
wrong = ls.AgnosticLearner(ls.Rules(elsewhere, max_literals=2), epsilon=1, random_state=0)
wrong.fit(private, labels)
print(wrong.hypothesis_.describe())
print(f"error {np.mean(wrong.predict(fresh) != ill(fresh)):.3f}")

# %%
# Say what is known instead. No group is more than twice as frequent in the private population as
# among the public rows, but for one person in a hundred: then more records are needed, and the
# certificate is conditional. Where nothing is known, it is about the best rule over these bins.
for shift in ((1, 0), (2, "0.01"), None):
    rules.set_params(shift=shift)
    needed = rules.required_samples()
    print(shift, f"{needed:,} records, {rules.certificate(needed).status}")
