"""
A private median, and a quantile
================================

Half of the people earn less than which amount? The median of any ordered domain, of any size, with
a certificate for its rank that is known beforehand.
"""

# %%
# Made incomes
# ------------
# The domain is public: from 0 to a billion cents.
import matplotlib.pyplot as plt
import numpy as np

from littlestone.mechanisms import private_median

incomes = np.random.default_rng(0).lognormal(15, 0.6, size=2000).astype(int)

# %%
# Median and upper tenth
# ----------------------
# Each is a release of epsilon = 0.5. ``rank`` says between which ranks the answer should lie.
median = private_median(incomes, 0, 10**9, epsilon="0.5", random_state=1)
upper = private_median(incomes, 0, 10**9, epsilon="0.5", rank=("0.85", "0.95"), random_state=1)
print("median", int(median.value), "| upper", int(upper.value))
print(median.guarantee)

# %%
# Where they lie
# --------------
# The histogram looks at the made data; the two lines are what was released.
figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
axes.hist(incomes / 100, bins=60, color="lightgrey")
axes.axvline(int(median.value) / 100, color="C0", label="private median")
axes.axvline(int(upper.value) / 100, color="C1", label="private upper tenth")
axes.set(xlabel="income", ylabel="people")
axes.legend()
plt.show()
