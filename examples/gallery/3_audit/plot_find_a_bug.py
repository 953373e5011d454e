"""
Find a bug in another library
=============================

A statistical audit runs any callable on two neighbours and proves a lower bound on its epsilon,
with stated confidence. Here: the Laplace mechanism with a sensitivity that is too small by half,
as in several published bugs.
"""

# %%
# The mechanism, correct and not
# ------------------------------
# A mean of ages between 0 and 100. Replacing one of n people moves the sum by up to 100.
import matplotlib.pyplot as plt
import numpy as np

from littlestone.audit import lower_bound

rng = np.random.default_rng(0)
data = [0, 30, 60]
neighbour = [100, 30, 60]


def noisy_sum(ages, sensitivity):  # rounded: the last bits of a float would say more
    return round(sum(ages) + rng.laplace(scale=sensitivity / 1.0), 1)  # claims epsilon = 1


# %%
# What is proved
# --------------
# Each bound holds with confidence 0.9999: a value above 1 refutes the claim of epsilon = 1.
bounds = {}
for sensitivity in (100, 75, 50, 25):
    bounds[sensitivity] = float(
        lower_bound(
            lambda ages, s=sensitivity: noisy_sum(ages, s), data, neighbour, delta=0, trials=20_000
        )
    )
    print(f"sensitivity {sensitivity}: epsilon is at least {bounds[sensitivity]:.2f}")

# %%
figure, axes = plt.subplots(figsize=(5.5, 3.6), layout="constrained")
axes.bar([str(s) for s in bounds], list(bounds.values()), label="proved, at least")
axes.plot(
    [str(s) for s in bounds], [100 / s for s in bounds], "o", color="C1", label="true epsilon"
)
axes.axhline(1, color="C3", linestyle="--", label="claimed")
axes.set(xlabel="sensitivity that the program uses (100 is right)", ylabel="epsilon")
axes.legend()
plt.show()

# %%
# Real bugs of published libraries are found in the same way by
# ``python examples/neighbours/run.py``, which installs each library in an environment of its own;
# :doc:`the page on audits </audit>` lists what was found.
