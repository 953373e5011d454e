"""
Verify a mechanism of your own
==============================

A mechanism is a function of the data and of a *source*. The same function releases, and is
verified: along every path of its draws, with exact weights, on all small data sets and all
neighbours.
"""

# %%
# Randomized response
# -------------------
# Three people answer yes or no; each answer is turned with probability 1/4.
from littlestone.audit import replace_one, verify_mechanism


def response(answers, source):
    return [answer ^ source.choose([3, 1]) for answer in answers]


pairs = list(replace_one([0, 1], 3))
found = verify_mechanism(response, pairs, epsilon="1.1")
print(found)

# %%
# A wrong one
# -----------
# It throws the coin once for all people. Whether two people agree can be read off its output.


def one_coin(answers, source):
    coin = source.choose([3, 1])
    return [answer ^ coin for answer in answers]


print(verify_mechanism(one_coin, pairs, epsilon="1.1"))

# %%
# What the coin must be
# ---------------------
# Turn answers with probability t: the verifier finds the least epsilon, ln((1 - t) / t).
from fractions import Fraction
from math import log

import matplotlib.pyplot as plt

turned = [Fraction(k, 40) for k in range(2, 20, 2)]
least = []
for t in turned:

    def turn(answers, source, t=t):
        return answers[0] ^ source.choose([1 - t, t])

    verified = verify_mechanism(turn, replace_one([0, 1], 1), epsilon=4)
    least.append(float(verified.tightest_epsilon))

figure, axes = plt.subplots(figsize=(5.5, 3.8), layout="constrained")
axes.plot([float(t) for t in turned], least, "o", label="found by the verifier")
grid = [k / 400 for k in range(18, 200)]
axes.plot(grid, [log((1 - t) / t) for t in grid], label="ln((1 - t) / t)")
axes.set(xlabel="probability t that an answer is turned", ylabel="least epsilon")
axes.legend()
plt.show()

# %%
# To release, run the same function with the operating system's randomness.
from littlestone.source import SecureSource

print(len(response([1, 0, 1], SecureSource())), "answers were released")
