"""Bugs in accounts: what a ledger is paid, when, and what mechanisms say of themselves."""

from __future__ import annotations

from littlestone.audit.controls.control import Control

__all__ = ["IN_LEDGERS"]

_LEARN = "    hypothesis = algorithm.learn(sample, source)\n"
_PAY = (
    "        if ledger is not None:\n"
    '            what = f"{owner} on {algorithm.concept_class.spec}"\n'
    "            ledger.charge(guarantee, loss=loss, what=what)\n"
)
_DRAW = "        self.hypothesis_ = algorithm.learn(sample, source)\n"
_BEGIN = "        with self._opened() as store, store.transaction() as sql:\n"
_KNOWN = (
    "            known = [] if token is None else events(sql.execute, token=token)\n"
    "            if known:\n"
    "                if (known[0].loss, known[0].claim) != (loss, claim):\n"
    '                    hint = "It names another release already."\n'
    '                    raise parameter_error("Ledger", "token", "a new name", token, hint)\n'
    "                return known[0]\n"
)
_SUM = "            spent, count = self._total(sql.execute)\n"
_ALLOW = "            self._allow(spent, price)\n"

IN_LEDGERS: tuple[Control, ...] = (
    Control(
        "a failed fit is refunded",
        "budget not counted",
        "The charge is taken back if the fit raises: whether it raises may depend on the draw, so"
        " whoever repeats it draws until the answer suits.",
        "learners.publish",
        _LEARN,
        "    try:\n"
        "        hypothesis = algorithm.learn(sample, source)\n"
        "    except BaseException:\n"
        "        if ledger is not None:\n"
        "            with ledger._opened() as store, store.transaction() as sql:\n"
        '                last = "SELECT max(number) FROM events"\n'
        '                sql.execute(f"DELETE FROM events WHERE number = ({last})")\n'
        "        raise\n",
        "paid stays paid",
    ),
    Control(
        "look first, and then write",
        "check and charge apart",
        "What is left is looked up in one transaction, and the charge is written in another: two"
        " programs look, and both pay with the same rest.",
        "privacy.ledger",
        _BEGIN + _KNOWN + _SUM + _ALLOW,
        "        self.check(promise, loss=loss)\n" + _BEGIN + _KNOWN + _SUM,
        "two at one ledger",
    ),
    Control(
        "a fit draws, and then pays",
        "order of payment",
        "The ledger is only asked before; when it is to pay, the hypothesis is drawn already.",
        "learners.shell",
        _PAY + _DRAW,
        _DRAW + _PAY,
        "nothing drawn unpaid",
    ),
    Control(
        "a token pays for anything",
        "budget not counted",
        "A release with a known token is taken for the same release, whatever it promises now.",
        "privacy.ledger",
        "if (known[0].loss, known[0].claim) != (loss, claim):",
        "if known[0].claim != claim:",
        "one token, one release",
    ),
    Control(
        "a choice sold at a quarter",
        "wrong theorem",
        "The range is taken for twice the epsilon of a choice, as if scores moved both ways twice.",
        "privacy.filters",
        "return min(loss.eta**2 / 8, loss.eta), Fraction(0)",
        "return min((loss.eta / 2) ** 2 / 8, loss.eta), Fraction(0)",
        "prices of choices",
    ),
    Control(
        "prices with small denominators",
        "rounding",
        "A price is replaced by the nearest short fraction, which may be less; of something small"
        " it is nothing.",
        "privacy.filters",
        "return x if rest == 1 else round_up(x)",
        "return x if rest == 1 else x.limit_denominator(_KEPT)",
        "prices are enough",
    ),
    Control(
        "half the Rényi divergence of a choice",
        "wrong theorem",
        "eta**2/16 instead of eta**2/8: many choices seem to cost less than they do.",
        "privacy.losses",
        "return ball(order * self.eta**2 / 8)",
        "return ball(order * self.eta**2 / 16)",
        "descriptions of losses",
    ),
    Control(
        "the profile of a choice, halved",
        "wrong theorem",
        "As if only one of the two outcomes told something.",
        "privacy.losses",
        "inside = (1 - (-e / 2).exp() * t.sqrt()) ** 2 / (1 - (-e).exp()) if",
        "inside = (1 - (-e / 2).exp() * t.sqrt()) ** 2 / 2 / (1 - (-e).exp()) if",
        "descriptions of losses",
    ),
    Control(
        "the first charge pays for all",
        "composition forgotten",
        "A test with several charged answers is described as if it halted at the first.",
        "privacy.losses",
        "return self.charges * cost / ball(order - 1)",
        "return cost / ball(order - 1)",
        "charged tests",
    ),
    Control(
        "the cheaper side of a charged answer",
        "wrong theorem",
        "Only one of the two directions is bounded: the answer may also be the rarer one.",
        "privacy.losses",
        "cost = (a / (1 - b)).log().max((b / (1 - a)).log())",
        "cost = (a / (1 - b)).log().min((b / (1 - a)).log())",
        "charged tests",
    ),
    Control(
        "leaks beside the whole delta",
        "composition of deltas",
        "What the parts leak is not taken from the delta at which the rest is converted.",
        "privacy.compose",
        "spare = (total - leak) / (1 - leak)",
        "spare = total",
        "parts together",
    ),
    Control(
        "a learner that undersells its choice",
        "wrong theorem",
        "The learner's own zCDP is half of what it is; only a zCDP ledger ever looks at it.",
        "learners.exponential.algorithm",
        "return Concentrated(self.epsilon**2 / 8)",
        "return Concentrated(self.epsilon**2 / 16)",
        "learners in zCDP",
    ),
    Control(
        "a count sold as a choice",
        "wrong theorem",
        "The noisy count of mistakes is added to a learner's zCDP at epsilon**2/8, but is no choice"
        " of bounded range.",
        "learners.algorithm",
        '"estimate_error", estimate_error) ** 2 / 2)',
        '"estimate_error", estimate_error) ** 2 / 8)',
        "learners in zCDP",
    ),
)
