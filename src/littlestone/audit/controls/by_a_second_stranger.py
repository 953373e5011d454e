"""Bugs by a second person who has not seen the tests."""

from __future__ import annotations

from littlestone.audit.controls.control import Control

__all__ = ["BY_A_SECOND_STRANGER"]

BY_A_SECOND_STRANGER: tuple[Control, ...] = (
    Control(
        "the asked threshold instead of the private one",
        "threshold replaced",
        "Who asks for items that occur at least three times gets a histogram cut at three: one"
        " name is kept that delta would have hidden.",
        "mechanisms.histogram",
        'return rate, max(_threshold(rate, delta), check_integer(owner, "at_least", at_least))',
        'return rate, check_integer(owner, "at_least", at_least) or _threshold(rate, delta)',
    ),
    Control(
        "coins remembered by the plan",
        "randomness reused",
        "Coins are remembered for all tests of a plan: a coin holds the offset of the test that"
        " made it, and a later test that gets the same value answers with the earlier test's"
        " offset.",
        "mechanisms.above_threshold",
        "self._coins: dict[int, ExplicitWeights] = {}",
        'self._coins: dict[int, ExplicitWeights] = plan.__dict__.setdefault("_coins", {})',
    ),
    Control(
        "shares rounded to nearest",
        "rounding",
        "A budget that is split on a grid is rounded to the nearest grid point: together the"
        " shares are more than the budget.",
        "privacy.guarantee",
        "return tuple(exact * (part * grid // whole) / grid for part in parts)",
        "return tuple(exact * Fraction(round(part * grid / whole), grid) for part in parts)",
    ),
    Control(
        "random bytes in a ring",
        "randomness reused",
        "The buffer of random bytes is read as a ring: once it has been read exactly to its"
        " end, the same bytes are handed out again.",
        "source.secure",
        "self._position = end",
        "self._position = end % _BUFFER",
    ),
    Control(
        "places in increasing order",
        "dealing by position",
        "Few places among many come sorted instead of in random order: the outermost records of"
        " a list get the lowest places, and one record that is replaced moves the others to"
        " other chunks.",
        "source.door",
        "found = found[np.sort(np.unique(found, return_index=True)[1])]  # in order of arrival",
        "found = np.unique(found)",
    ),
    Control(
        "the deepest chunk ends the median's domain",
        "candidates from the data",
        "The median depth is drawn among the depths up to the deepest chunk's, not up to the"
        " tree's: one record in a deep place brings many candidates with it, which take the mass"
        " from all others.",
        "learners.vc1.choosers",
        "t, size = len(depths), self.budget.depth + 1",
        "t, size = len(depths), max(depths) + 1",
    ),
    Control(
        "down until a leaf",
        "more rounds than paid",
        "The way down goes on until it stands on a leaf: each round tests the same records"
        " again, and only the planned rounds were composed.",
        "learners.vc1.proper",
        "for _ in range(self.rounds):",
        "while not tree.is_proper(flag):",
    ),
    Control(
        "nobody in the interval",
        "data-dependent branch",
        "The search for a threshold stops where the interval holds no record: then its lower"
        " end is certain, and one user with a record there makes others possible.",
        "learners.users.threshold",
        "if low == high:",
        "if low == high or not ((users.points >= low) & (users.points <= high)).any():",
    ),
    Control(
        "integers as narrow as needed before",
        "overflow",
        "How wide the counts of mistakes are stored is decided by the counts before each event:"
        " a count that reaches 128 there wraps around, unless somebody else has more, and all"
        " such users turn with that one.",
        "learners.users.lines",
        "small = _narrowest(max(int(before.max(initial=0)), int(after.max(initial=0))))",
        "small = _narrowest(int(before.max(initial=0)))",
    ),
    Control(
        "mistakes as they were counted",
        "private value published",
        "The estimate of a stream's mistakes adds those that were collected, which nobody may"
        " know.",
        "learners.online.estimator",
        "updates * plan.limit, updates * max(least, 0),",
        "sum(map(len, state.epochs)) + len(state.buffer), updates * max(least, 0),",
    ),
    Control(
        "a copy that has published as much",
        "state rolled back",
        "An old copy of a stream's state is continued if no hypothesis was published since: the"
        " time until the alarm is drawn again for records whose silence is known already.",
        "learners.online.public_record",
        'if now is not None and now["time"] > state.time:',
        "if now is not None and len(shown) > len(wanted):",
    ),
    Control(
        "a rich user cut by number",
        "cut depends on others",
        "The records of a user who has very many are drawn by the user's number, which is the"
        " rank of the name: a user with another name renumbers this one, and other records are"
        " kept.",
        "data.users",
        "int(self.keys[user]))",
        "int(user))",
    ),
    Control(
        "last batch of one, first of the next",
        "parts overlap",
        "A copy begins with the records that the copy before it ended with: one record has two"
        " votes in the histogram.",
        "learners.stable.learner",
        "at += size",
        "at += size - own.auxiliary",
    ),
    Control(
        "swapped with itself",
        "sampling",
        "The place that is moved to the drawn one is not looked up: it may have been drawn"
        " already, and is then in the part twice.",
        "learners.agnostic.records",
        "moved[j] = moved.get(i, i)",
        "moved[j] = i",
    ),
    Control(
        "any split that looks the same",
        "support from the data",
        "Of the splits that part the records alike the first one is taken: whether the others"
        " are possible says whether they part these records alike.",
        "classes.decision_trees.sampler",
        "split = int(members[source.below(len(members))])",
        "split = int(members[0])",
    ),
)
