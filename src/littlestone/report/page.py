"""`page`: one self-contained HTML page about an object; here, about a release.

The page of a release is a pure function of the `Release`: no clock, no path, no environment; so it
is exactly as private as the release, and `littlestone.audit.verify` compares its text among the
outputs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from markupsafe import Markup

from littlestone import __version__
from littlestone.bounds import claim
from littlestone.errors import UnsupportedError
from littlestone.learners.registry import LEARNERS
from littlestone.learners.release import Release
from littlestone.report.html import (
    claim_names,
    claims,
    data_link,
    json_in_html,
    promise_words,
    render,
    steps_of,
)
from littlestone.report.pictures import draw, outcomes
from littlestone.report.words import integer, percent

if TYPE_CHECKING:
    from littlestone.bounds import Certificate
    from littlestone.types import Json

__all__ = ["accuracy_asked", "meaning", "page", "pager", "release_page"]


Pager = Callable[..., str]
P = TypeVar("P", bound=Pager)
_PAGERS: dict[type, Pager] = {}


def pager(*types: type) -> Callable[[P], P]:
    """Register the decorated function as the way to make a page of objects of these types."""

    def register(function: P) -> P:
        _PAGERS.update(dict.fromkeys(types, function))
        return function

    return register


def page(obj: Any, **more: Any) -> str:
    """Return a self-contained HTML page: what was found, what is promised, and why.

    Parameters
    ----------
    obj : Release, Plans, Dimensions, Verification, Score or public document of a stream
        Also rows of the table of verifications, as a sequence.
    **more
        What this kind of page shows besides: ``measured`` with `Plans`, ``concept_class`` and
        ``pictures`` with `Dimensions`.

    Returns
    -------
    str
        HTML that loads nothing, for light and dark, screen, phone and paper. The object itself is
        inside, as JSON.

    Raises
    ------
    UnsupportedError
        If no room has said what a page of such an object is.

    Notes
    -----
    *Guarantee.* Post-processing of the object: costs no privacy.

    Examples
    --------
    >>> import littlestone as ls
    >>> page(ls.plan(ls.Thresholds(1, 99), epsilon=1))[:15]
    '<!doctype html>'
    """
    for kind in type(obj).__mro__:
        if kind in _PAGERS:
            return _PAGERS[kind](obj, **more)
    known = ", ".join(sorted(kind.__name__ for kind in _PAGERS))
    raise UnsupportedError(
        f"page makes no page of an object of type {type(obj).__name__}; it does of: {known}."
    )


@pager(Release)
def release_page(release: Release) -> str:
    """Return the page of a fit: the rule, what is promised, and why.

    It is a pure function of the release.
    """
    guarantee, certificate = release.guarantee, release.certificate
    return render(
        "page",
        title=f"littlestone: {release.concept_class.spec}",
        g=promise_words(guarantee),
        unit=certificate.unit,
        words=release.hypothesis.describe(),
        meaning=meaning(release),
        picture=Markup(draw(release)),  # noqa: S704 - escaped by littlestone.svg
        n=integer(release.n),
        required=integer(release.required),
        asked=accuracy_asked(certificate),
        beta=percent(certificate.beta),
        holds=certificate.holds,
        status=certificate.status,
        assumptions=certificate.assumptions,
        steps=steps_of(certificate),
        error=_error(release.error),
        reads=_reads(release),
        model_link=data_link(release.to_json()),
        provenance=_provenance(release),
        claims=claims([*claim_names(guarantee.claim), *certificate.claims]),
        embedded=json_in_html(release.to_json()),
    )


def accuracy_asked(certificate: Certificate) -> str:
    """Say what alpha bounds, in words.

    A certificate for the agnostic case bounds the error above the best of the class.
    """
    alpha = percent(certificate.alpha)
    if certifies_agnostic(certificate):
        points = alpha.removesuffix("%")
        return (
            f"on new records, an error at most {points} percentage points above that of the best "
            "function of the class"
        )
    return f"on new records, an error of at most {alpha}"


def meaning(release: Release) -> str:
    """Say what x, 1 and 0 stand for, in the public names of what was read; or nothing."""
    columns = release.columns or {}
    if not columns.get("y"):
        return ""
    positive, negative = outcomes(release)
    x = columns.get("x") or []
    named = f"x is {x[0]}; " if len(x) == 1 else ""
    return f"{named}1 means: {positive}; 0 means: {negative}"


def certifies_agnostic(certificate: Certificate) -> bool:
    """Return whether a certificate is about the error above that of the best concept."""
    if any(claim(name).makes_true for name in certificate.claims):
        return True  # an agnostic form: its learner's claims are about records that it labelled
    return not any("realizable" in text for text in (*certificate.claims, *certificate.assumptions))


def _error(error: Json | None) -> Json | None:
    if error is None:
        return None
    return {
        "rate": percent(error["rate"], 2),
        "low": percent(error["rate_low"], 2, rounded=math.floor),
        "high": percent(error["rate_high"], 2, rounded=math.ceil),
        "epsilon": error["epsilon"],
        "confidence": "95%",
    }


def _reads(release: Release) -> str:
    names = (release.columns or {}).get("x")
    if not names:
        return "it reads the column that it was learned from"
    if len(names) == 1:
        return f"it reads the column “{names[0]}”"
    return f"it reads the {len(names)} columns of its schema by their names"


def _provenance(release: Release) -> list[tuple[str, str]]:
    guarantee = release.guarantee
    columns = release.columns or {}
    rows = [
        ("Learner", release.learner),
        ("Concept class", release.concept_class.spec),
        ("Guarantee", str(guarantee)),
        ("Neighbours", guarantee.neighbours.words),
        (release.certificate.unit.capitalize(), integer(release.n)),
    ]
    if release.learner in LEARNERS:
        rows.insert(1, ("How", LEARNERS[release.learner].summary))
    if columns.get("x"):
        rows.append(("Columns read", ", ".join(columns["x"])))
    if columns.get("y"):
        rows.append(("Label column", f"{columns['y']} (1 means: {columns.get('positive')})"))
    if columns.get("user"):
        each = columns.get("samples_per_user")
        rows.append(("User column", f"{columns['user']} (at most {each} records of each are read)"))
    rows.append(("Software", f"littlestone {__version__}"))
    return rows
