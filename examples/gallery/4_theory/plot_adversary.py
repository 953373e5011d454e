"""
An adaptive adversary against an online learner
===============================================

The adversary reads every published rule, and answers with the record that contradicts it and
leaves the most concepts. A private learner must not follow at once; how many mistakes does that
cost, and what is proved?
"""

# %%
from pathlib import Path

import numpy as np

import littlestone as ls
from littlestone.learners.online.algorithm import OnlineAlgorithm
from littlestone.learners.online.plan import plan_online
from littlestone.learners.online.algorithm import contradict

ages = ls.Thresholds(1, 99)
plan = plan_online(ages, epsilon=1, delta=1e-6, horizon=40_000)
run = contradict(OnlineAlgorithm(ages, plan), np.arange(1, 100), seed=1)
print(f"{len(run.mistakes):,} mistakes in {run.n:,} records; {len(run.published)} published rules")
print(run.bound)

# %%
# Mistakes over time
# ------------------
_ = Path("mistakes.html").write_text(ls.plot(run))

# %%
# Without privacy
# ---------------
# The standard optimal algorithm changes its mind at each mistake: against the same kind of
# adversary it is wrong as often as the Littlestone dimension says.
print(ls.theory.SOAPredictor(ages).mistake_bound(), "mistakes")
