"""
The 73 % guess: what epsilon means
==================================

Someone who knows all other records guesses which of two values yours has. How often is the guess
right?
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

epsilon = np.linspace(0, 5, 200)
guess = np.exp(epsilon) / (np.exp(epsilon) + 1)
figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
axes.plot(epsilon, 100 * guess)
for x in (0.1, 0.5, 1, 2, 3):
    y = 100 * np.exp(x) / (np.exp(x) + 1)
    axes.plot(x, y, "o", color="C0")
    axes.annotate(f"{y:.0f} %", (x, y), xytext=(6, -12), textcoords="offset points")
axes.axhline(50, color="grey", linestyle=":")
axes.set(xlabel="epsilon", ylabel="guesses that are right, at most (%)", ylim=(45, 101))
plt.show()

# %%
# It is attained
# --------------
# Randomized response answers truly with probability e^epsilon / (e^epsilon + 1). The exact
# verification finds that epsilon = 1 holds, and that nothing smaller does.
from littlestone.audit import replace_one, verify_mechanism
from littlestone.source import exp


def response(answers, source):
    return answers[0] ^ source.choose([exp(1), 1])


print(verify_mechanism(response, replace_one([0, 1], 1), epsilon=1))

# %%
# The same number, estimated
# --------------------------
# 20,000 people answer by that mechanism; the guess is what they said.
from littlestone.source import SeededSource

source = SeededSource(0)
right = np.mean([response([1], source) == 1 for _ in range(20_000)])
print(f"{100 * right:.1f} % of the guesses were right")
