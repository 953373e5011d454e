"""The papers' own numbers for a class and a budget, beside what this library certifies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from littlestone import bounds
from littlestone.bounds.statements import paper_bound, paper_bounds
from littlestone.errors import LittlestoneError

if TYPE_CHECKING:
    from littlestone.classes import ConceptClass
    from littlestone.learners.goal import Goal
    from littlestone.learners.select import Candidate
    from littlestone.types import Json


#: What a statement must be about, to be one of the class.
_OF_THE_CLASS = {"vc_dim", "ldim", "size"}
#: Statements of which a learner here is the counterpart.
_OURS = {"alon22.lemma29": "generic", "lwy24.thm3.4": "agnostic"}


@dataclass(frozen=True)
class PaperRow:
    """One number of a paper."""

    #: The statement, its quantity, ``"enough"``, ``"at most"`` or ``"at least"``, and the number.
    name: str
    states: str
    side: str
    value: str
    ours: int | None = None  # what the learner here that does the same needs

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return dict(vars(self))


def paper_rows(
    concept_class: ConceptClass, budget: Goal, candidates: Sequence[Candidate]
) -> list[PaperRow]:
    """Return all explicit statements about a class whose parameters are known.

    ``candidates``: the plans of the learners, for the numbers beside.

    Examples
    --------
    >>> import littlestone as ls
    >>> rows = ls.plan(ls.Thresholds(1, 99), epsilon=1).papers
    >>> [(row.name, row.value, row.ours) for row in rows if row.ours]
    [('alon22.lemma29', '6471', 190), ('lwy24.thm3.4', '1582500', 1511)]
    """
    known = _known(concept_class, budget)
    ours = {c.learner: c.n for c in candidates if c.reads is None and not c.options}
    out: list[PaperRow] = []
    for one in paper_bounds():
        if one.explicit and one.ranges.keys() <= known.keys() and _OF_THE_CLASS & set(one.ranges):
            try:
                found = paper_bound(one.name, **{name: known[name] for name in one.ranges})
            except LittlestoneError:  # out of the ranges of the formula
                continue
            exact = isinstance(found.value, int) or found.value == int(found.value)
            value = str(int(found.value)) if exact else f"{float(found.value):.4g}"
            out.append(PaperRow(one.name, one.states, one.side, value))
    size = known.get("size")
    if size is None or budget.samples_per_user is not None:
        return out
    numbers: dict[str, Any] = {
        "epsilon": budget.left, "alpha": budget.alpha, "beta": budget.beta,
    }  # fmt: skip
    of_proofs = [("alon22.lemma29", bounds.alon22_lemma29(size, **numbers).n)]
    if "vc_dim" in known:
        cert = bounds.lwy24_theorem34(size, known["vc_dim"], **numbers)
        of_proofs.append(("lwy24.thm3.4", cert.n))
    states = {one.name: one.states for one in paper_bounds()}
    for name, n in of_proofs:
        what = states[name].partition(":")[0] + ", constants of the proof"
        out.append(PaperRow(name, what, "enough", str(n), ours.get(_OURS[name])))
    return out


def _known(concept_class: ConceptClass, budget: Goal) -> dict[str, Any]:
    """Return the parameters of statements that the class and the budget settle."""
    known: dict[str, Any] = {
        "epsilon": budget.left, "alpha": budget.alpha, "beta": budget.beta, "sensitivity": 1,
    }  # fmt: skip
    if budget.delta:
        known["delta"] = budget.delta
    if budget.samples_per_user is not None:
        known["m"] = budget.samples_per_user
    if isinstance(concept_class.size, int):
        known["size"] = concept_class.size
    if concept_class.vc_exact:
        known["vc_dim"] = concept_class.vc_dim
    low, high = concept_class.littlestone_bounds()
    if low == high:
        known["ldim"] = low
    return known
