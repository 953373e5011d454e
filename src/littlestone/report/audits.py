"""Pages of audits: exact verifications, one or a table of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from littlestone.audit.mechanism import MechanismVerification
from littlestone.audit.table import Row
from littlestone.audit.verify import Verification
from littlestone.errors import UnsupportedError
from littlestone.report.html import json_in_html, render
from littlestone.report.page import pager
from littlestone.report.words import amount, integer

if TYPE_CHECKING:
    from littlestone.types import Json

__all__ = ["table_page", "verification_page"]


@pager(Verification, MechanismVerification)
def verification_page(result: Verification | MechanismVerification) -> str:
    """Return the page of one exact verification: the verdict first, then what was enumerated."""
    facts = _facts(result)
    what = (
        f"{result.learner} on {result.concept_class}"
        if isinstance(result, Verification)
        else "a mechanism"
    )
    return render(
        "audit",
        title=f"littlestone: exact verification of {what}",
        kicker="Exact verification",
        heading=what,
        holds=result.holds,
        verdict=_verdict(result),
        facts=facts,
        pair=_pair(result),
        rows=[],
        embedded=_embedded(result.to_dict()),
    )


@pager(list, tuple)
def table_page(rows: Sequence[Any]) -> str:
    """Return the page of a table of verifications.

    Parameters
    ----------
    rows : sequence of Row
        Of `littlestone.audit.table`, finished.
    """
    if not rows or not all(isinstance(row, Row) for row in rows):
        raise UnsupportedError("page makes a page of a sequence of finished rows of the table.")
    good = sum(row.result.holds and row.says_something for row in rows)
    verdict = f"{integer(good)} of {integer(len(rows))} verifications hold."
    return render(
        "audit",
        title="littlestone: exact verifications",
        kicker="Exact verification",
        heading="Every mechanism and every learner",
        holds=good == len(rows),
        verdict=verdict,
        facts=[],
        pair=None,
        rows=[_row(row) for row in rows],
        embedded=_embedded({"rows": [row.to_dict() for row in rows]}),
    )


def _verdict(result: Verification | MechanismVerification) -> str:
    claim = f"({amount(result.epsilon)}, {amount(result.delta)})"
    if result.holds:
        return (
            f"The claim {claim} holds for every pair of neighbours that was enumerated, and every "
            "output, exactly: nothing was sampled."
        )
    return f"The claim {claim} does NOT hold: the worst pair of neighbours is below."


def _facts(result: Verification | MechanismVerification) -> list[tuple[str, str]]:
    rows = [("Claim", f"ε = {amount(result.epsilon)}, δ = {amount(result.delta)}")]
    if isinstance(result, Verification):
        data = "ordered lists" if result.ordered else "data sets"
        rows += [
            ("Learner", result.learner),
            ("Concept class", result.concept_class),
            (f"{result.unit.capitalize()} of each data set", integer(result.n_samples)),
            (data.capitalize(), integer(result.datasets)),
            ("Output laws computed", integer(result.laws)),
        ]
    else:
        rows.append(("Data sets", integer(result.datasets)))
    rows += [
        ("Pairs of neighbours", integer(result.pairs)),
        ("Paths of draws", integer(result.paths)),
        ("Worst delta found", f"{result.worst_delta:.3g}"),
        ("Tightest epsilon", f"{_least(result):.6g}"),
        ("Cut off (slack)", f"{result.slack:.3g}"),
    ]
    if isinstance(result, Verification) and result.refusals:
        rows.append(("Data sets that may be refused", integer(result.refusals)))
    return rows


def _pair(result: Verification | MechanismVerification) -> Sequence[str] | None:
    if result.worst_pair is None:
        return None
    if isinstance(result, Verification):
        return [json.dumps(side) for side in result.to_dict()["worst_pair"]]
    return [repr(side) for side in result.worst_pair]


def _least(result: Any) -> float:
    """Return the tightest epsilon; rounding upwards leaves a trace of a float where it is 0."""
    found = float(result.tightest_epsilon)
    return found if found > 1e-300 else 0.0


def _row(row: Row) -> Json:
    result = row.result
    return {
        "name": row.name,
        "kind": row.kind,
        "domain": row.domain,
        "claim": [f"ε {amount(result.epsilon)}", f"δ {amount(result.delta)}"],
        "epsilon": f"{_least(result):.4g}",
        "delta": f"{result.worst_delta:.2g}",
        "pairs": integer(result.pairs),
        "holds": result.holds,
        "mute": not row.says_something,
    }


def _embedded(document: Json) -> Any:
    return json_in_html(json.dumps(document, sort_keys=True, default=str))
