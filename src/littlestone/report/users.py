"""User-level errors of thresholds, beside the errors of single records: a public simulation."""

from __future__ import annotations

from collections.abc import Sequence

from littlestone.learners.users.simulation import UserLevelCurve
from littlestone.report.pictures import Setting, drawer
from littlestone.report.strips import MARGIN, WIDTH
from littlestone.report.words import integer
from littlestone.svg import Element, picture, wrap

__all__ = ["curve_picture"]

_LEFT, _TOP, _HEIGHT = 44.0, 54.0, 150.0


@drawer(UserLevelCurve)
def curve_picture(curve: UserLevelCurve, setting: Setting) -> str:
    """Draw both curves over the thresholds: the steeper one separates better.

    Parameters
    ----------
    curve : UserLevelCurve
    setting : Setting

    Returns
    -------
    str
        SVG.

    Examples
    --------
    >>> from littlestone.learners.users.simulation import simulate_thresholds
    >>> "more than" in curve_picture(simulate_thresholds(n_users=50), Setting())
    True
    """
    body = Element("g")
    caption = (
        f"Simulated: {integer(curve.n_users)} users with {integer(curve.samples_per_user)} records"
    )
    body.add("text", caption, x=MARGIN, y=26, class_="ls-strong")
    low, high = curve.thresholds[0], curve.thresholds[-1]
    across = WIDTH - MARGIN - _LEFT

    def place(u: int, share: float) -> tuple[float, float]:
        return _LEFT + across * (u - low) / (high - low), _TOP + _HEIGHT * (1 - share)

    for share in (0.0, 0.5, 1.0):
        y = place(low, share)[1]
        body.add("line", x1=_LEFT, x2=WIDTH - MARGIN, y1=y, y2=y, class_="ls-axis", opacity=0.4)
        text = f"{share:.0%}"
        body.add("text", text, x=_LEFT - 6, y=y + 4, text_anchor="end", class_="ls-dim ls-small")
    x, bottom = place(curve.above, 0)
    body.add("line", x1=x, x2=x, y1=_TOP, y2=bottom, class_="ls-axis", stroke_dasharray="2 4")
    _line(body, [place(*p) for p in zip(curve.thresholds, curve.errors, strict=True)], "5 4")
    _line(body, [place(*p) for p in zip(curve.thresholds, curve.shares, strict=True)], "")
    for u, anchor in ((low, "start"), (curve.above, "middle"), (high, "end")):
        body.add(
            "text",
            integer(u),
            x=place(u, 0)[0],
            y=bottom + 16,
            text_anchor=anchor,
            class_="ls-dim ls-small",
        )
    y = bottom + 22
    words = (
        f"Solid: users with more than {integer(curve.t)} mistakes. Dashed: wrong records. Across: "
        f"the threshold; labels were made with {integer(curve.above)}, and noise."
    )
    for line in wrap(words, WIDTH - 2 * MARGIN):
        y += 17
        body.add("text", line, x=MARGIN, y=y, class_="ls-dim")
    title = "User-level errors of thresholds"
    return picture(body, width=WIDTH, height=y + 10, title=title, desc=f"{caption}. {words}")


def _line(body: Element, places: Sequence[tuple[float, float]], dashes: str) -> None:
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    style = {"stroke_dasharray": dashes} if dashes else {}
    body.add(
        "polyline", points=points, fill="none", stroke="var(--ls-one)", stroke_width=2, **style
    )
