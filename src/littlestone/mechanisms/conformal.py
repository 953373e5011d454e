r"""Private split-conformal quantiles: a bound that holds for a share of new units.

Units that nothing was learned from have *scores*, the codes 0, ..., cells - 1 of a public scale:
how far a prediction was off. N(v) is how many of the m scores are at most v. A code v is drawn with
weight ``e**(epsilon u / 2)``, where u = -max(r - N(v), N(v - 1) - r, 0) and r is a public rank.

*Privacy.* Replacing a score moves each N by at most 1, so u by at most 1: epsilon-DP.

*Claim conformal.marginal.* A code with N(v - 1) <= r <= N(v) has u = 0, and there is one, as
N(cells - 1) = m >= r. The others with N(v) <= r - t have weights of at most e**(-epsilon t / 2),
so for the drawn q ``Pr[N(q) <= r - t] <= p(t) = 1/(1 + e**(epsilon t / 2)/(cells - 1))``, whatever
the m scores are. Let T be independent of everything, with Pr[T >= t] = p(t). Given the m scores,
N(q) is stochastically at least r - T, and q is at least the N(q)-th smallest score, so q covers a
new unit at least as likely as the (r - T)-th smallest does. That one does, if the m + 1 units are
exchangeable, with probability (r - T)/(m + 1) or more for each T; together (r - E[T])/(m + 1), and
E[T], the sum of p(t), is at most the integral of p from 0, ``(2/epsilon) ln(cells)``. []

*Claim conformal.training.* Except with probability beta, N(q) >= k = r - t + 1 for t =
``ceil((2/epsilon) ln(cells/beta))``. For independent units, a share of at least c of all new ones
has scores up to the k-th smallest, unless m trials with success probability c have k successes or
more: except with probability beta' together with c, and beta more for the draw. []
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from littlestone.bounds import Bound, Certificate, CertificateBuilder, Claim, Unit, register
from littlestone.bounds.tails import lower_limit
from littlestone.errors import (
    InfeasibleError,
    ParameterError,
    check_fraction,
    check_integer,
    check_probability,
    parameter_error,
)
from littlestone.safe_io import read_exact
from littlestone.source import Explicit, Source
from littlestone.types import Json

MARGINAL = register(
    Claim(
        "conformal.marginal",
        "Vovk, Gammerman, Shafer; private ranks: littlestone (own proof)",
        "2005; docs/mechanisms.md",
        "A bound drawn by the exponential mechanism over cells public codes at the rank r of m "
        "scores is epsilon-DP, and at least the score of a new exchangeable unit with probability "
        "(r - 2 ln(cells)/epsilon)/(m + 1) or more.",
    )
)
TRAINING = register(
    Claim(
        "conformal.training",
        "Vovk; private ranks: littlestone (own proof)",
        "2012; docs/mechanisms.md",
        "Given the m independent scores, such a bound is at least the scores of a share c of all "
        "new units, except with probability beta + Pr[Bin(m, c) >= k], k = r + 1 - ceil(2 "
        "ln(cells/beta)/epsilon).",
    )
)

#: The rank at which the bound is drawn, and that so many units are enough.
RANK = Bound(
    (
        ("slack", "2*log(cells)/epsilon", MARGINAL.id),
        ("rank", "ceil((1 - missed)*(n + 1) + slack)", MARGINAL.id),
        ("enough", "rank <= n", MARGINAL.id),
        ("covered", "(rank - slack)/(n + 1)", MARGINAL.id),
        ("nominal", "covered >= 1 - missed", MARGINAL.id),
    )
)
#: A share that is covered given the sample, except with probability beta, a tenth for the draw.
SHARE = Bound(
    (
        ("drawn", "beta/10", TRAINING.id),
        ("kept", "max(0, rank + 1 - ceil(2*log(cells/drawn)/epsilon))", TRAINING.id),
        ("below", "binomial_above(n, share, max(0, kept - 1))", TRAINING.id),
        ("certain", "below <= (beta - drawn)*min(1, kept)", TRAINING.id),
    )
)

LEAST = Fraction(1, 1000)  # of alpha
_RISK = Fraction(1, 20)  # of the share that is certain given the sample


@dataclass(frozen=True)
class Conformal:
    """A private split-conformal bound of m scores, from public numbers alone.

    ``alpha``: the share of new units that may be missed; ``cells``: how many codes scores have.
    `InfeasibleError` if m units are too few, with the number that is needed.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> plan = Conformal.of(m=1000, cells=256, alpha="1/10", epsilon=1)
    >>> plan.rank, round(plan.share("1/20"), 3)
    (912, 0.873)
    >>> plan.draw([10] * 100, SeededSource(0))
    Traceback (most recent call last):
    ValueError: counts must be of 256 codes and sum to 1000.
    >>> plan.draw([10] * 96 + [1] * 40 + [0] * 120, SeededSource(0))  # 900 are below 90
    91
    >>> Conformal.least(cells=256, alpha="1/10", epsilon=1)
    120
    """

    m: int
    cells: int
    alpha: Fraction
    epsilon: Fraction
    unit: Unit = "records"

    @classmethod
    def of(
        cls, *, m: int, cells: int, alpha: Any, epsilon: Any, caller: str = "Conformal", **more: Any
    ) -> Self:
        """Check the parameters, and that there are enough units."""
        made = cls(
            check_integer(caller, "m", m, low=1),
            check_integer(caller, "cells", cells, low=2),
            check_probability(caller, "alpha", alpha),
            check_fraction(caller, "epsilon", epsilon),
            **more,
        )
        if made.alpha < LEAST:
            raise parameter_error(caller, "alpha", f"at least {LEAST}", alpha)
        if made.rank > made.m:
            needed = cls.least(cells=cells, alpha=alpha, epsilon=epsilon)
            raise InfeasibleError(
                f"Intervals, or sets, for {float(1 - made.alpha):.4g} of new {made.unit} at "
                f"epsilon {float(made.epsilon):.4g} need {needed:,} held-out {made.unit}, not "
                f"{m:,}: hold out a larger share, ask for a lower level, or spend more.",
                n_needed=needed,
            )
        return made

    @classmethod
    def least(cls, *, cells: int, alpha: Any, epsilon: Any) -> int:
        """Return the least number of units from which on there are enough."""
        given = {"cells": cells, "missed": Fraction(alpha), "epsilon": Fraction(epsilon)}
        return RANK.least(100, **given)

    @cached_property
    def rank(self) -> int:
        """At which rank the bound is drawn."""
        return int(self._written().steps["rank"].value)

    def _written(self, **more: Any) -> CertificateBuilder:
        known: dict[str, Any] = {"missed": self.alpha, "epsilon": self.epsilon, **more}
        cert = CertificateBuilder(**known, cells=self.cells, n=self.m)
        RANK.write(cert)
        return cert

    def share(self, beta: Any = _RISK) -> float:
        """Return a share of new units that is covered, except with probability beta."""
        exact = Fraction(check_probability("share", "beta", beta))
        kept = self.rank + 1 - math.ceil(2 * math.log(self.cells * 10 / exact) / self.epsilon)
        if kept < 1:
            return 0.0
        return max(0.0, float(lower_limit(kept, self.m, float(exact * 9 / 10))) - 1e-9)

    def certificate(self, beta: Any = _RISK) -> Certificate:
        """Return why it holds: of one new unit; of a share of all, except with probability beta."""
        exact = Fraction(check_probability("certificate", "beta", beta))
        cert = self._written(beta=exact)
        share = Fraction(self.share(exact))
        SHARE.write(cert.where(share=share))
        return cert.certificate(alpha=1 - share, beta=exact, n=self.m, unit=self.unit)

    def to_dict(self) -> Json:
        """Return plain JSON, with the certificate: of one unit, and of a share of all."""
        numbers = {"m": self.m, "cells": self.cells, "unit": self.unit}
        exact = {"alpha": str(self.alpha), "epsilon": str(self.epsilon)}
        return {**numbers, **exact, "certificate": self.certificate().to_dict()}

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Read it back; it may be untrusted. The certificate is computed again."""
        try:
            alpha, epsilon = read_exact(data["alpha"]), read_exact(data["epsilon"])
            m, cells, unit = data["m"], data["cells"], data["unit"]
            if type(m) is int and type(cells) is int and unit in ("records", "users"):
                return cls.of(m=m, cells=cells, alpha=alpha, epsilon=epsilon, unit=unit)
        except (KeyError, TypeError, ValueError, InfeasibleError):
            pass
        raise ParameterError(
            "An interval must have the entries of `Conformal.to_dict`, of enough units."
        )

    def draw(self, counts: npt.ArrayLike, source: Source) -> int:
        """Draw the bound; ``counts`` says how many units have each score.

        Notes
        -----
        *Guarantee.* epsilon-DP, replacing one unit, for every input.
        """
        own = np.asarray(counts, dtype=np.int64)
        if own.shape != (self.cells,) or own.sum() != self.m:
            raise ValueError(f"counts must be of {self.cells} codes and sum to {self.m}.")
        upto = np.cumsum(own)
        missed = np.maximum(self.rank - upto, upto - own - self.rank)
        return Explicit(-np.maximum(missed, 0)).draw(self.epsilon / 2, source)
