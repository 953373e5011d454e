"""
The representation dimension as a game
======================================

Definition 2.3 of paper 002: one player draws s hypotheses, the other one a concept and a
distribution on which all of them are bad. The dimension is the logarithm of the least s with which
the second player wins at most once in four times; for a few points both sides are solved exactly.
"""

# %%
from itertools import product

import littlestone as ls

CLASSES = {
    "all functions on 2 points": list(product((0, 1), repeat=2)),
    "thresholds on 3 points": [[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]],
    "3 points and 0": [[int(i == x) for x in range(3)] for i in range(4)],
}
game = ls.papers.RepD()
sizes = {name: game(concepts) for name, concepts in CLASSES.items()}
print(sizes)

# %%
# A strategy that proves it
# -------------------------
# Sets of three of the four functions on two points, and how often each is drawn.
value = game.value(CLASSES["all functions on 2 points"], 3)
print(value.low, "=", value.high, {H: str(w) for H, w in value.sets.items()})

# %%
# More hypotheses, fewer losses
# -----------------------------
import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(6, 3.5), layout="constrained")
for name, concepts in CLASSES.items():
    s = range(1, sizes[name] + 1)
    axes.plot(s, [game.value(concepts, each).high for each in s], marker="o", label=name)
axes.axhline(1 / 4, linestyle="dashed", color="gray")
axes.set(xlabel="s", ylabel="value of the game", xticks=range(1, 5))
axes.legend()
plt.show()
