"""
A class of VC dimension 1 is a tree
===================================

If no two points are shattered, every concept is a path of a tree. The example of paper 001,
section 1.3.2: seven points, eight concepts.
"""

# %%
from pathlib import Path

import littlestone as ls
from littlestone.classes import TableHypothesis, make_tree

sets = ["1", "2", "3", "14", "15", "156", "157", ""]
example = ls.theory.FiniteClass([[int(str(x) in ones) for x in range(1, 8)] for ones in sets])
tree = make_tree(example, f=TableHypothesis("0000000"))
_ = Path("tree.html").write_text(ls.plot(tree))

# %%
# Proper paths
# ------------
print({f"x{x + 1}": tree.depth(x) for x in range(7)})
print("VC dimension", ls.theory.vc_dimension(example))

# %%
# Nothing is listed
# -----------------
# The tree of all IPv6 networks has 2\ :sup:`129` - 1 nodes, and is never built.
print(ls.Prefixes("ipv6").tree().height)
