"""diffprivlib issue 94: the last bits of a noisy float tell what the noise was added to.

Noise is a double, and so is the sum. Around 0 the sum 1 + noise can only be a multiple of 2**-53,
because that is how far apart doubles just below 1 lie; 0 + noise has finer digits there.
"""

import json

from diffprivlib.mechanisms import Laplace

from littlestone.audit import lower_bound

EPSILON = 1.0
mechanism = Laplace(epsilon=EPSILON, sensitivity=1)

bound = lower_bound(
    mechanism.randomise,
    0.0,
    1.0,
    delta=0,
    trials=40_000,
    key=lambda released: (float(released) * 2**53).is_integer(),
)
print(
    json.dumps(
        {
            "bug": "diffprivlib 0.6.6, issue 94",
            "claimed": EPSILON,
            "proved": float(bound),
            "trials": bound.trials,
        }
    )
)
