r"""Private split-conformal quantiles: a bound that holds for a share of new units.

Units that nothing was learned from have *scores*, the codes 0, ..., cells - 1 of a public scale:
how far a prediction was off. N(v) is how many of the m scores are at most v. A code v is drawn with
weight ``e**(epsilon u / 2)``, where u = -max(r - N(v), N(v - 1) - r, 0) and r is a public rank.

*Privacy.* Replacing a score moves each N by at most 1, so u by at most 1: epsilon-DP.

*Claim conformal.marginal.* A code with N(v - 1) <= r <= N(v) has u = 0, and there is one, as
N(cells - 1) = m >= r. So for the drawn q, with t = ceil((2/epsilon) ln(cells/beta)),
``Pr[N(q) <= r - t] <= cells e**(-epsilon t / 2) <= beta``: except with probability beta, q is at
least the k-th smallest score, k = r - t + 1. That holds given all m scores, and the draw does not
depend on a new unit; if the m + 1 units are exchangeable, the new score is at most the k-th
smallest of the others with probability k/(m + 1) or more. So ``Pr[new score <= q] >= (1 - beta)
k/(m + 1)``. []

*Claim conformal.training.* For independent units, a share of at least c of all new ones has scores
up to the k-th smallest, unless m trials with success probability c have k successes or more: except
with probability beta' together with c, and beta more for the draw. []
"""

from __future__ import annotations

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
        "A bound drawn by the exponential mechanism over cells public codes at the rank "
        "k + t - 1, t = ceil(2 ln(cells/beta)/epsilon), of m scores is epsilon-DP, and at least "
        "the score of a new exchangeable unit with probability (1 - beta) k/(m + 1) or more.",
    )
)
TRAINING = register(
    Claim(
        "conformal.training",
        "Vovk; private ranks: littlestone (own proof)",
        "2012; docs/mechanisms.md",
        "Given the m independent scores, such a bound is at least the scores of a share c of all "
        "new units, except with probability beta + Pr[Bin(m, c) >= k].",
    )
)

_ID = MARGINAL.id
_SLACK = ("slack", "ceil(2*log(cells/beta)/epsilon)", _ID)
#: The rank at which the bound is drawn, and that so many units are enough.
RANK = Bound(
    (
        _SLACK,
        ("rank", "ceil((1 - alpha)*(n + 1)/(1 - beta)) + slack - 1", _ID),
        ("enough", "rank <= n", _ID),
        ("covered", "(1 - beta)*(rank - slack + 1)/(n + 1)", _ID),
        ("nominal", "covered >= 1 - alpha", _ID),
    )
)
#: A share that is covered given the sample, except with probability beta + risk.
SHARE = Bound((("certain", "binomial_above(n, share, rank - slack) <= risk", TRAINING.id),))

#: Public list: what the draw may miss; the one with the smallest rank is taken.
_LEAST = Fraction(1, 1000)  # of alpha
_RISK = Fraction(1, 20)  # of the share that is certain given the sample
_BETAS = tuple(Fraction(1, 10 * 2**k) for k in range(1, 14))


@dataclass(frozen=True)
class Conformal:
    """A private split-conformal bound of m scores, from public numbers alone.

    ``alpha``: the share of new units that may be missed; ``cells``: how many codes scores have.
    `InfeasibleError` if m units are too few, with the number that is needed.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> plan = Conformal.of(m=1000, cells=256, alpha="1/10", epsilon=1)
    >>> plan.rank, plan.slack, round(plan.share("1/20"), 3)
    (926, 23, 0.887)
    >>> plan.draw([10] * 100, SeededSource(0))
    Traceback (most recent call last):
    ValueError: counts must be of 256 codes and sum to 1000.
    >>> plan.draw([10] * 96 + [1] * 40 + [0] * 120, SeededSource(0))  # 900 are below 90
    92
    >>> Conformal.least(cells=256, alpha="1/10", epsilon=1)
    225
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
        if made.alpha < _LEAST:
            raise parameter_error(caller, "alpha", f"at least {_LEAST}", alpha)
        if made.rank > made.m:
            needed = cls.least(cells=cells, alpha=alpha, epsilon=epsilon)
            raise InfeasibleError(
                f"Intervals for {float(1 - made.alpha):.4g} of new {made.unit} at epsilon "
                f"{float(made.epsilon):.4g} need {needed:,} held-out {made.unit}, not {m:,}: hold "
                "out a larger share, ask for a lower level, or spend more.",
                n_needed=needed,
            )
        return made

    @classmethod
    def least(cls, *, cells: int, alpha: Any, epsilon: Any) -> int:
        """Return the least number of units from which on there are enough."""
        share = Fraction(alpha)
        given = {"cells": cells, "alpha": share, "epsilon": Fraction(epsilon)}
        return min(RANK.least(100, **given, beta=beta) for beta in _BETAS if beta < share)

    @cached_property
    def _found(self) -> tuple[int, int, Fraction]:
        """The least rank, its slack, and beta."""
        found = []
        for beta in _BETAS:
            if beta < self.alpha:
                steps = self._at(beta).steps
                found.append((int(steps["rank"].value), int(steps["slack"].value), beta))
        return min(found)

    def _at(self, beta: Fraction) -> CertificateBuilder:
        known: dict[str, Any] = {"alpha": self.alpha, "beta": beta, "epsilon": self.epsilon}
        cert = CertificateBuilder(**known, cells=self.cells, n=self.m)
        RANK.write(cert)
        return cert

    @property
    def beta(self) -> Fraction:
        """What the draw may miss."""
        return self._found[2]

    @property
    def rank(self) -> int:
        """At which rank the bound is drawn."""
        return self._found[0]

    @property
    def slack(self) -> int:
        """How many ranks the draw may miss, and one more."""
        return self._found[1]

    def share(self, risk: Any) -> float:
        """Return a share of new units that is covered, except with probability beta + risk."""
        kept = self.rank - self.slack + 1
        limit = float(lower_limit(kept, self.m, float(check_probability("share", "risk", risk))))
        return max(0.0, limit - 1e-9)

    def certificate(self, risk: Any = None) -> Certificate:
        """Return why it holds: for one new unit, or with ``risk`` for a share of them."""
        cert = self._at(self.beta)
        if risk is not None:
            exact = Fraction(check_probability("certificate", "risk", risk))
            SHARE.write(cert.where(share=Fraction(self.share(risk)), risk=exact))
        return cert.certificate(alpha=self.alpha, beta=self.beta, n=self.m, unit=self.unit)

    def to_dict(self) -> Json:
        """Return plain JSON, with the certificate: of one unit, and of a share of all."""
        numbers = {"m": self.m, "cells": self.cells, "unit": self.unit}
        exact = {"alpha": str(self.alpha), "epsilon": str(self.epsilon)}
        return {**numbers, **exact, "certificate": self.certificate(_RISK).to_dict()}

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
