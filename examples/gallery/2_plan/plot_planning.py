"""
How many people are enough?
===========================

Certificates are known before any data exist. So people needed can be drawn as curves over
epsilon, for each learner, and compared with what no learner can beat.
"""

# %%
import matplotlib.pyplot as plt

import littlestone as ls

# %%
# Over epsilon
# ------------
# Rules of at most two conditions over the census columns. Left the price of privacy; right it is
# free.
schema = ls.Schema.from_toml("../../adult/schema.toml")
rules = ls.Rules(schema, max_literals=2)
epsilons = ["0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1", "2"]
figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
for alpha in ("0.2", "0.1", "0.05"):
    people = [
        ls.AgnosticLearner(rules, epsilon=epsilon, alpha=alpha).required_samples()
        for epsilon in epsilons
    ]
    axes.loglog(
        [float(epsilon) for epsilon in epsilons], people, marker="o", label=f"alpha = {alpha}"
    )
axes.set(xlabel="epsilon", ylabel="people needed", title="Rules of two conditions, beta = 0.05")
axes.legend()
plt.show()

# %%
# Over the domain
# ---------------
# Thresholds over N values: pure learners pay ln N, ``vc1`` with a delta hardly anything.
bits = [4, 8, 16, 32, 64, 128, 256, 512]
figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
for name, make in {
    "generic": lambda c: ls.GenericLearner(c, epsilon=1),
    "vc1, delta = 1e-6": lambda c: ls.VC1Learner(c, epsilon=1, delta=1e-6),
}.items():
    people = [make(ls.Thresholds(1, 2**b)).required_samples() for b in bits]
    axes.loglog(bits, people, marker="o", base=2, label=name)
axes.set(xlabel="bits of the domain", ylabel="people needed", title="Thresholds, epsilon = 1")
axes.legend()
plt.show()

# %%
# Side by side
# ------------
# ``ls.plan`` compares all learners and knows lower bounds.
plans = ls.plan(ls.Thresholds(1, 2**64), epsilon=1, delta=1e-6, alpha=0.1, beta=0.05)
print("chosen:", plans.chosen.learner, plans.chosen.n)
for bound in plans.lower_bounds:
    if bound.n is not None:
        print(f"{bound.holds_for}, {bound.setting}: no fewer than {bound.n} [{bound.claim}]")
