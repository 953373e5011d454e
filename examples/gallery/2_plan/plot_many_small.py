"""
Many small releases
===================

Pure epsilons add up. With a delta, many small releases cost less than their sum: the library
compares several theorems of composition and takes the best.
"""

# %%
import matplotlib.pyplot as plt

from littlestone.privacy import BoundedRange, compose

numbers = [1, 2, 5, 10, 20, 50, 100, 200, 500]
losses = {k: [BoundedRange("0.05")] * k for k in numbers}
summed = [0.05 * k for k in numbers]
composed = [float(compose(losses[k], delta=1e-6)[0]) for k in numbers]

# %%
# One exponential mechanism of epsilon = 0.05, repeated
# -----------------------------------------------------
figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
axes.loglog(numbers, summed, marker="o", label="sum, delta = 0")
axes.loglog(numbers, composed, marker="o", label="composed, delta = 1e-6")
axes.set(xlabel="releases", ylabel="epsilon of all together")
axes.legend()
plt.show()
for k, a, b in zip(numbers, summed, composed, strict=True):
    print(f"{k:4} releases: sum {a:6.2f}, composed {b:6.2f}")
