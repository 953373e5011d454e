"""Coefficients of a regression that an analyst named, with intervals, as a model carries them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from littlestone.classes.hypotheses import Fields
from littlestone.types import Json

_MOST = 2_000  # terms, in files
_LONGEST = 1_000  # of a text, in files


@dataclass(frozen=True)
class Coefficients:
    """A released logistic regression: log-odds of each term, the intercept first.

    Attributes
    ----------
    terms, units, references : tuple of str
        What a term is, what it is worth one of, and what it is compared with.
    values : tuple of float
        Log-odds.
    deviations : tuple of float
        Standard errors, of sampling and noise together; none where `printed` is false.
    printed : bool
        Whether the noise let intervals be given.

    Examples
    --------
    >>> terms = ("intercept", "age")
    >>> one = Coefficients(terms, ("", "20"), ("", "50"), (-1.0, 0.5), (0.1, 0.2), True)
    >>> one.intervals(0.95).round(2).tolist()
    [[-1.2, -0.8], [0.11, 0.89]]
    """

    terms: tuple[str, ...]
    units: tuple[str, ...]
    references: tuple[str, ...]
    values: tuple[float, ...]
    deviations: tuple[float, ...]
    printed: bool

    TYPE = "coefficients"

    def intervals(self, level: float) -> npt.NDArray[np.float64]:
        """Return the two ends of the interval of each term (rows); NaN where none is given."""
        middle = np.array(self.values)[:, None]
        if not self.printed:
            return np.full((len(self.values), 2), np.nan)
        far = NormalDist().inv_cdf((1 + level) / 2) * np.array(self.deviations)
        found: npt.NDArray[np.float64] = middle + np.stack([-far, far], axis=1)
        return found

    def to_dict(self) -> Json:
        """Return plain JSON."""
        named = ("terms", "units", "references", "values", "deviations")
        lists = {name: list(getattr(self, name)) for name in named}
        return {"type": self.TYPE, "printed": self.printed} | lists

    @classmethod
    def read(cls, data: Any) -> Self:
        """Read it back; it may be untrusted."""
        texts, numbers = ("terms", "units", "references"), ("values", "deviations")
        fields = Fields(data, (*texts, *numbers, "printed"))
        found = {name: tuple(fields.items(name, _MOST)) for name in (*texts, *numbers)}
        printed, size = fields.any("printed"), len(found["terms"])
        written = all(
            isinstance(text, str) and len(text) <= _LONGEST
            for name in texts
            for text in found[name]
        )
        finite = all(
            type(value) in (int, float) and math.isfinite(value)
            for name in numbers
            for value in found[name]
        )
        sizes = {name: size if printed or name != "deviations" else 0 for name in found}
        fits = all(len(found[name]) == sizes[name] for name in found)
        if type(printed) is not bool or not (written and finite and fits and size):
            raise fields.refuse("terms", "texts and numbers, as many of each")
        return cls(**found, printed=printed)
