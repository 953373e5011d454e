"""Bugs at the door: bits that are rounded, reused or known."""

from __future__ import annotations

from littlestone.audit.controls.control import Control

__all__ = ["IN_SOURCES"]

IN_SOURCES: tuple[Control, ...] = (
    Control(
        "hopeless outcomes are impossible",
        "float underflow",
        "A weight far below the best becomes zero, as in a softmax of floats.",
        "source.weights",
        "                    out.append(tiny)",
        "                    out.append(zero)",
        "hopeless outcomes",
    ),
    Control(
        "a coin rounded to 64 bits",
        "float rounding",
        "Draws that are too close to call are called.",
        "source.weights",
        "else (int(low), int(high))",
        "else (int(low), int(low))",
        ("thresholds of coins", "exponential_mechanism"),
    ),
    Control(
        "a coin in double precision",
        "float rounding",
        "The cumulative weights go through a double.",
        "source.weights",
        "scaled = [c / total * 2**64 for c in accumulate(balls)]",
        "scaled = [arb(float(c / total)) * 2**64 for c in accumulate(balls)]",
        ("thresholds of coins", "exponential_mechanism"),
    ),
    Control(
        "uniform by remainder",
        "biased draw",
        "value % m instead of drawing anew: small results are likelier.",
        "source.door",
        "            if value < m:\n                return value",
        "            if value >= 0:\n                return value % m",
        "uniform integers",
    ),
    Control(
        "a permutation by public coins",
        "secret made public",
        "Who is in which chunk is known to whoever knows the seed of the hash functions.",
        "source.door",
        "        return self._order(n)[:first]",
        "        return self.public_rng().permutation(n)[:first]",
        "secret bits",
    ),
    Control(
        "a shuffle that is not uniform",
        "biased draw",
        "The keys of the sort have two bits: the order of a file shines through.",
        "source.door",
        '            order = np.argsort(keys, kind="stable")\n            ranked = keys[order]',
        '            order = np.argsort(keys >> np.uint64(62), kind="stable")\n'
        "            ranked = keys",
        "uniform orders",
    ),
    Control(
        "entropy that serves twice",
        "randomness reused",
        "The position in the buffer does not move.",
        "source.secure",
        "            self._position = end\n",
        "            self._position = max(0, end - k)\n",
        "entropy serves once",
    ),
    Control(
        "a child that inherits its parent's entropy",
        "randomness reused",
        "After a fork both processes draw the same bytes.",
        "source.secure",
        "os.register_at_fork(after_in_child=_forget_all)",
        "os.register_at_fork(after_in_parent=lambda: None)",
        "entropy serves once",
    ),
    Control(
        "seed 0 if none is given",
        "randomness not random",
        "A default that makes examples reproducible, and releases too.",
        "learners.shell",
        "            return SecureSource()",
        "            return SeededSource(0)",
        "seeds are named",
    ),
    Control(
        "a seeded release that says nothing",
        "randomness not random",
        "The guarantee of a reproducible release reads like that of a private one.",
        "privacy.guarantee",
        'return f"{text}: {NOT_PRIVATE}" if self.seeded else text',
        "return text",
        "seeds are named",
    ),
)
