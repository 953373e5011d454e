"""``littlestone audit exact``: verify a learner on all small data sets."""

from __future__ import annotations

import json as jsonlib
from typing import TYPE_CHECKING, Any

from littlestone.cli.options import ClassSpec, Flag, open_class, open_learner
from littlestone.errors import check_integer, parameter_error

if TYPE_CHECKING:
    from littlestone.audit.verify import Verification
    from littlestone.classes import ConceptClass

__all__ = ["exact"]


def exact(
    *,
    concept_class: ClassSpec,
    learner: str,
    epsilon: str,
    points: str,
    n: int = 3,
    delta: str | None = None,
    alpha: str = "0.1",
    beta: str = "0.05",
    schema: str | None = None,
    outside: Flag = False,
    report: str | None = None,
    json: Flag = False,
) -> int:
    """Verify privacy exactly: all data sets over a few points, all neighbours, all outputs.

    Compared is everything that somebody can see: the hypothesis, the model file, the page, the
    printed text. Exit 0 if the claim holds, 1 if it does not.

    Parameters
    ----------
    concept_class:
        What can be learned, for example "thresholds(1, 3)".
    learner:
        The algorithm: generic, agnostic or vc1.
    epsilon:
        Privacy loss that is claimed.
    points:
        The points that records may have, separated by commas (rows of a schema: cells separated
        by commas, rows by semicolons). All labelings are tried.
    n:
        Number of records of each data set.
    delta:
        Only for learners that are not pure.
    alpha:
        Error that the certificate is asked to promise (privacy does not depend on it).
    beta:
        Probability with which the certificate may fail.
    schema:
        TOML file with the public columns, for classes over rows.
    outside:
        Also try records whose point lies outside the domain.
    report:
        Write a page (HTML) here; an existing file is replaced.
    json:
        Print the result as one JSON object.
    """
    from littlestone.audit import verify
    from littlestone.cli.files import check_inputs_kept, check_outputs, write
    from littlestone.cli.summary import plain
    from littlestone.cli.terminal import note, working
    from littlestone.report import page

    check_outputs("audit", report=report)
    check_inputs_kept("audit", [schema], report=report)
    concepts, _ = open_class(concept_class, schema)
    algorithm = open_learner(
        "audit", learner, concepts, epsilon=epsilon, delta=delta, alpha=alpha, beta=beta
    )
    places = _points(points, concepts)
    check_integer("audit", "n", n, low=1)
    with working("Enumerating all data sets and all paths"):
        result: Verification = verify(
            algorithm,
            points=places,
            n_samples=n,
            outside=outside,
            observers=[page, plain],
        )
    if report is not None:
        write(report, page(result))
    if json:
        print(jsonlib.dumps(result.to_dict(), sort_keys=True))
    else:
        note(str(result))
    return 0 if result.holds else 1


def _points(text: str, concepts: ConceptClass) -> list[Any]:
    from littlestone.data import OUTSIDE, RowDomain

    domain = concepts.domain
    rows = isinstance(domain, RowDomain)
    written = [part.strip() for part in text.split(";" if rows else ",")]
    raw = [[cell.strip() for cell in part.split(",")] for part in written] if rows else written
    places = [domain.cell(cell) for cell in raw]
    if not all(written) or any(place is OUTSIDE for place in places):
        hint = "Separate points by commas (rows by semicolons); --outside tries all others."
        raise parameter_error("audit", "points", f"points of {concepts.spec}", text, hint)
    return list(dict.fromkeys(places))
