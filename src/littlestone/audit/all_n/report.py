"""What is known of the privacy of a learner for every n: steps, and what they rest on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from littlestone.bounds.lemmas import UNCHECKED, Checked
from littlestone.notebooks import Card, Table, rows_of

Status = Literal["enumerated", "proved", "tested", "assumed"]


@dataclass(frozen=True)
class Step:
    """One step of the chain.

    Attributes
    ----------
    name : str
    status : {"enumerated", "proved", "tested", "assumed"}
    holds : bool
    detail : str
        What was computed, or what is assumed.
    lemma : str
        The theorem of ``proofs/``, as ``file.theorem``, if it is proved.
    """

    name: str
    status: Status
    holds: bool
    detail: str
    lemma: str = ""


@dataclass(frozen=True, repr=False)
class AllN:
    """What is known about the privacy of a learner for every n; see `all_n`.

    Attributes
    ----------
    learner, concept_class : str
    route : {"sums over records", "candidates beside bottom", "lemmas", "enumerated"}
        "enumerated": no lemma; small data sets only, as `littlestone.audit.verify` does.
    steps : tuple of Step
    """

    learner: str
    concept_class: str
    route: str
    steps: tuple[Step, ...]

    @property
    def holds(self) -> bool:
        """Whether no step failed."""
        return all(step.holds for step in self.steps)

    @property
    def lemmas(self) -> tuple[str, ...]:
        """The theorems that the chain rests on."""
        return tuple(dict.fromkeys(step.lemma for step in self.steps if step.lemma))

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON."""
        return {
            "learner": self.learner,
            "concept_class": self.concept_class,
            "route": self.route,
            "holds": self.holds,
            "lemmas": list(self.lemmas),
            "steps": [vars(step) for step in self.steps],
        }

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        rows = rows_of(
            (step.name, step.status if step.holds else "FAILS", step.detail, step.lemma)
            for step in self.steps
        )
        return Card(self._head, [], Table(("step", "known by", "what", "lemma"), rows)).html()

    @property
    def _head(self) -> str:
        verdict = "ENUMERATED ONLY" if self.route == "enumerated" else "HOLDS"
        verdict = verdict if self.holds else "FAILS"
        return f"{verdict}: {self.learner} on {self.concept_class}, by {self.route}"

    def __str__(self) -> str:
        lines = [
            f"  {'' if step.holds else 'FAILS: '}{step.status:<10} {step.name}: {step.detail}"
            + f" ({step.lemma})" * bool(step.lemma)
            for step in self.steps
        ]
        return "\n".join([self._head, *lines])


def by_lemmas(name: str, spec: str, known: Mapping[str, Checked | None]) -> AllN:
    """Return what lemmas say, where nothing else is computed.

    Examples
    --------
    >>> from littlestone.bounds.lemmas import LEMMAS
    >>> print(by_lemmas("votes", "any", {"dp.sum": LEMMAS["dp.sum"], "own": None}))
    ENUMERATED ONLY: votes on any, by enumerated
      proved     dp.sum: for every n (compose.compose_pure)
      proved     dp.sum: for every n (compose.compose_dp)
      proved     dp.sum: for every n (sums.rounds_pure)
      assumed    own: no lemma of proofs/
    """
    steps: list[Step] = []
    for claim, checked in known.items():
        lemmas = () if checked is None else checked.lemmas
        steps += [Step(claim, "proved", True, "for every n", lemma) for lemma in lemmas]
        left = checked.leaves_out if checked else UNCHECKED.get(claim, "no lemma of proofs/")
        steps += [Step(claim, "assumed", True, left)] * bool(left)
    complete = bool(known) and None not in known.values()
    return AllN(name, spec, "lemmas" if complete else "enumerated", tuple(steps))
