"""Draw docs/learners/users-curve.svg: what many records of each user do to the error curve.

Run::

    python benchmarks/user_curve.py

No data: x is uniform on 1..1000, labelled by the threshold 500 but for one label in five. The error
of the threshold u is e(u) = 0.2 + 0.6 |u - 500| / 1000, and a user with m records makes more than t
mistakes with probability Pr[Bin(m, e(u)) > t]; t separates errors of 0.2 and 0.3 best. The deeper
the valley, the fewer users it takes to find it.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.stats import binom

from littlestone.svg import Element, picture

OUT = Path(__file__).parents[1] / "docs" / "learners" / "users-curve.svg"
WIDTH, HEIGHT, LEFT, TOP, RIGHT = 360.0, 250.0, 44.0, 16.0, 60.0
BEST, LEVEL, EXCESS = 500, 0.2, 0.1


def error(u: np.ndarray) -> np.ndarray:
    """Return the error of each threshold."""
    return LEVEL + 0.6 * np.abs(u - BEST) / 1000


def separating(m: int) -> int:
    """Return the t that tells the best error from one that is larger by 0.1."""
    t = np.arange(m)
    gap = binom.sf(t, m, LEVEL + EXCESS) - binom.sf(t, m, LEVEL)
    return int(t[np.argmax(gap)])


def curve(m: int) -> tuple[np.ndarray, np.ndarray]:
    """Return thresholds, and the share of users with more than t mistakes."""
    u = np.arange(0, 1001, 10)
    return u, binom.sf(separating(m), m, error(u))


def draw() -> str:
    """Return the picture."""
    body = Element("g")
    bottom = HEIGHT - 40

    def at(u: float, share: float) -> str:
        x = LEFT + u / 1000 * (WIDTH - LEFT - RIGHT)
        return f"{x:.1f} {bottom - share * (bottom - TOP):.1f}"

    body.add("path", d=f"M{at(0, 1)}L{at(0, 0)}L{at(1000, 0)}", class_="ls-axis")
    for share in (0.0, 0.5, 1.0):
        y = bottom - share * (bottom - TOP) + 4
        body.add("text", f"{share:.0%}", x=LEFT - 6, y=y, class_="ls-small", text_anchor="end")
    for u, name in ((0, "0"), (BEST, "500"), (1000, "1000")):
        x, y = at(u, 0).split()
        body.add("text", name, x=x, y=float(y) + 16, class_="ls-small", text_anchor="middle")
    x, y = at(500, 0).split()
    body.add("text", "threshold", x=x, y=float(y) + 33, class_="ls-dim", text_anchor="middle")
    for m, width, dash, below in ((1, 1.2, "2 3", 4), (16, 1.6, "6 3", 16), (64, 2.4, "none", 2)):
        u, share = curve(m)
        line = "M" + "L".join(at(*point) for point in zip(u, share, strict=True))
        body.add(
            "path",
            d=line,
            fill="none",
            stroke="var(--ls-one)",
            stroke_width=width,
            stroke_dasharray=dash,
        )
        x, y = at(1000, float(share[-1])).split()
        body.add("text", f"m = {m}", x=float(x) + 5, y=float(y) + below, class_="ls-small")
    said = ", ".join(
        f"m = {m}: {binom.sf(t, m, LEVEL):.0%} at the best threshold, "
        f"{binom.sf(t, m, LEVEL + EXCESS):.0%} where the error is 0.1 larger"
        for m in (1, 16, 64)
        for t in [separating(m)]
    )
    return picture(
        body,
        width=WIDTH,
        height=HEIGHT,
        title="Share of users with more than t mistakes, for each threshold",
        desc=f"Curves with a valley at 500, the deeper the more records each user has. {said}.",
    )


def main() -> None:
    """Write the picture."""
    OUT.write_text(draw() + "\n", encoding="utf-8")
    for m in (1, 16, 64):
        t = separating(m)
        low, high = binom.sf(t, m, LEVEL), binom.sf(t, m, LEVEL + EXCESS)
        print(f"m = {m}, t = {t}: {low:.3f} -> {high:.3f}")


if __name__ == "__main__":
    main()
