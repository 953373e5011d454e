"""Bugs in the budget's ledger: what is paid, when, and for what."""

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
)
