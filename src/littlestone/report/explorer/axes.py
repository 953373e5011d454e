"""The public numbers that a reader of the explorer moves, and where each of them can stand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from littlestone.errors import parameter_error
from littlestone.learners.goal import Goal

_MANTISSAS = ("1", "1.2", "1.5", "2", "2.5", "3", "4", "5", "6", "8")


@dataclass(frozen=True)
class Axes:
    """The grid, as decimals: curves without a formula are planned at these points only.

    Examples
    --------
    >>> axes = Axes(epsilon=("1", "4"), m=("1", "8"))
    >>> axes.stops("epsilon"), axes.stops("m")
    (['1', '1.2', '1.5', '2', '2.5', '3', '4'], ['1', '2', '4', '8'])
    """

    #: Increasing; two points or more make an axis that can be interpolated. m counts the records
    #: of each user.
    epsilon: tuple[str, ...] = ("0.1", "0.3", "1", "3", "10")
    delta: tuple[str, ...] = ("1e-9", "1e-4")
    alpha: tuple[str, ...] = ("0.02", "0.05", "0.1", "0.3")
    beta: tuple[str, ...] = ("0.01", "0.1")
    m: tuple[str, ...] = ("1", "4", "16", "64")

    def __post_init__(self) -> None:
        for name, points in vars(self).items():
            values = [Fraction(point) for point in points]
            if not values or values != sorted(set(values)) or values[0] <= 0:
                raise parameter_error("Axes", name, "increasing positive decimals", points)

    def stops(self, name: str) -> list[str]:
        """Return where the slider of an axis can stand: round decimals, the grid among them."""
        points: tuple[str, ...] = getattr(self, name)
        low, high = Fraction(points[0]), Fraction(points[-1])
        found = {Fraction(point): point for point in points}
        for power in range(-12, 7):
            for mantissa in _MANTISSAS if name != "delta" else ("1",):
                value = Fraction(mantissa) * Fraction(10) ** power
                if name == "m":
                    value = Fraction(2) ** power
                if low <= value <= high and (name != "m" or value.denominator == 1):
                    found.setdefault(value, _decimal(value))
        return [found[value] for value in sorted(found)]

    def budgets(self, names: tuple[str, ...]) -> Iterator[Goal]:
        """Yield the grid over some axes, the last one fastest; the others at their first point."""
        fixed = {name: (points[0],) for name, points in vars(self).items()}
        chosen = {**fixed, **{name: getattr(self, name) for name in names}}
        for values in product(*(chosen[name] for name in names)):
            at = {name: Fraction(points[0]) for name, points in fixed.items()}
            at |= {name: Fraction(value) for name, value in zip(names, values, strict=True)}
            yield Goal(
                at["epsilon"],
                at["delta"] if "delta" in names else Fraction(0),
                at["alpha"],
                at["beta"],
                samples_per_user=int(at["m"]) if "m" in names else None,
            )


def _decimal(value: Fraction) -> str:
    """Write a decimal as a reader would type it."""
    return f"{float(value):.12g}".replace("e-0", "e-")
