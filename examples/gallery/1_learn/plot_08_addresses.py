"""
Which network does the attack come from?
========================================

1,000 operators each blocked one IPv4 network and saw whether an attack stopped. It did if and
only if the network contains the attacker. There are 2\\ :sup:`33` concepts; none is listed. The
data are made, from ranges that are set aside for documentation.
"""

# %%
from pathlib import Path

import littlestone as ls

blocks = Path("../../networks/blocks.csv")
networks = ls.Prefixes("ipv4")
print(networks.size == 2**33, networks.tree().height)

# %%
# Two learners
# ------------
# The exponential mechanism needs no delta, ``vc1`` does. Both return a path of prefixes: the
# networks that contain one address. What the records do not tell stays open: the path ends where
# the evidence ends.
for learner in (
    ls.AgnosticLearner(networks, epsilon=1, random_state=0),
    ls.VC1Learner(networks, epsilon=1, delta=1e-6, random_state=0),
):
    learner.fit(blocks, x="network", y="stopped")
    print(type(learner).__name__, learner.hypothesis_.describe())
    _ = Path(f"{type(learner).__name__}.html").write_text(ls.plot(learner))
