"""A table of audits whose bounds all hold together, with controls in it."""

from __future__ import annotations

from dataclasses import dataclass

from littlestone.audit.statistical import LowerBound
from littlestone.errors import StateError, check_integer, check_probability, parameter_error


@dataclass(frozen=True)
class Row:
    """One audit: a claim (epsilon or rho), the bound, and whether the claim is known to be true."""

    name: str
    claim: float
    bound: LowerBound
    control: bool

    @property
    def above(self) -> bool:
        """Whether the claim is refuted."""
        return self.bound > self.claim


class Family:
    """Audits that are judged together: with the confidence, none of the bounds is wrong.

    Parameters
    ----------
    at_most : int >= 1
        The number of audits, or more: it is fixed before the first, so that a table can grow.
    confidence : float in (0, 1), default 0.99
        Of all bounds together.

    Attributes
    ----------
    each : float
        The confidence that each audit needs: the risk is shared evenly.
    rows : list of Row

    Examples
    --------
    >>> family = Family(at_most=100)
    >>> family.each
    0.9999
    """

    def __init__(self, *, at_most: int, confidence: float = 0.99) -> None:
        self.at_most = check_integer("Family", "at_most", at_most, low=1)
        risk = (1 - check_probability("Family", "confidence", confidence)) / self.at_most
        self.each, self.rows = float(1 - risk), list[Row]()

    def add(self, name: str, bound: LowerBound, *, claim: float, control: bool) -> Row:
        """Add one audit.

        Raises
        ------
        ParameterError
            If its confidence is too small, or the table is full.
        """
        if bound.confidence < self.each:
            hint = "Use confidence=family.each."
            raise parameter_error("Family", "bound", "at that confidence", bound, hint)
        if len(self.rows) == self.at_most:
            raise parameter_error("Family", "at_most", "as many as the audits", self.at_most)
        row = Row(name, claim, bound, control)
        self.rows.append(row)
        return row

    def judge(self) -> tuple[list[Row], list[Row]]:
        """Return the rows that are not as known: controls above their claim, others below it.

        Raises
        ------
        StateError
            If there is no control: then nothing shows that an audit can stay silent.
        """
        if not any(row.control for row in self.rows):
            raise StateError(
                "A table of audits without controls is not judged. Add mechanisms that are known "
                "to be right, with control=True."
            )
        wrong = [row for row in self.rows if row.control == row.above]
        return [row for row in wrong if row.control], [row for row in wrong if not row.control]
