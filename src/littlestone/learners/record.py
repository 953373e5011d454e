"""The record of a release: one JSON that a machine can read, check offline, and file.

It says what was released, under which promise, what was spent on what and which statements prove
it: a function of the release and of what a ledger recorded. `littlestone.learners.check_record`
verifies it without the data. What the names are, and where they come from: ``docs/records.md``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from littlestone.bounds import claim
from littlestone.errors import ParameterError
from littlestone.privacy.guarantee import OTHERS
from littlestone.version import __version__

if TYPE_CHECKING:
    from littlestone.data.schema import Proposal
    from littlestone.learners.release import Release
    from littlestone.privacy import Guarantee
    from littlestone.types import Json

FORMAT = "littlestone-record-1"


class Finding(NamedTuple):
    """A field of a record that is wrong, and why."""

    field: str
    problem: str

    def __str__(self) -> str:
        return f"{self.field}: {self.problem}"


def record_of(release: Release) -> Json:
    """Return the record of a release."""
    parts: Json = {"deployment": deployment(release)}
    paid: dict[str, Json] = {}
    for part in release.parts:
        if part.entry is not None and part.about != OTHERS:
            paid[part.what] = {"paid": part.what, **part.entry}
    if paid:
        parts["ledger"] = list(paid.values())
    document = release.to_dict()
    also = [name for name in used(release) if name not in cited(document)]
    return filed("release", document, release.guarantee, parts, also=also)


def filed(
    kind: str, document: Json, guarantee: Guarantee, parts: Json, *, also: Sequence[str] = ()
) -> Json:
    """Return the record of a document of some kind, with hashes."""
    if guarantee.seeded:
        raise ParameterError(
            "A seeded release is not private, so it has no record. Leave out the seed (--seed, "
            "random_state)."
        )
    everything = {
        "format": FORMAT,
        "software": {"name": "littlestone", "version": __version__},
        kind: document,
        "claims": [claim(name).to_dict() for name in [*cited(document), *also]],
        **parts,
    }
    record: Json = json.loads(json.dumps(everything))  # as it will be read
    record["sha256"] = digests(record)
    return record


def deployment(release: Release) -> Json:
    """Say it in the names of the public registry of deployments."""
    guarantee = release.guarantee
    event: Json = next(
        (p.entry["event"] for p in reversed(release.parts) if p.entry is not None), {}
    )
    spec, unit = release.concept_class.spec, guarantee.neighbours.unit
    spent = "; ".join(f"{what}: {part}" for what, part in sorted((release.spent or {}).items()))
    certificate = release.certificate
    found = described(
        guarantee,
        name=f"{'evaluation of ' * release.scored}{release.learner} on {spec}",
        description=release.hypothesis.describe(),
        spec=spec,
        unprotected="none" if release.n is None else f"the number of {unit}s",
        proposal=release.proposal,
        learner=release.learner,
        justification="no certificate" if certificate is None else str(certificate),
    )
    if release.scored:
        found["basic"]["data_product_type"] = "Summary statistics"
    if event:
        found["basic"]["publication_date"] = event["day"]
    if event.get("purpose"):
        found["basic"]["intended_use"] = event["purpose"]
    if spent:
        found["accounting"]["composition"] += f" ({spent})"
    return found


def described(
    guarantee: Guarantee,
    *,
    name: str,
    description: str,
    spec: str,
    unprotected: str,
    proposal: Proposal | None,
    learner: str,
    justification: str,
    **model: str,
) -> Json:
    """Return what is said of every deployment."""
    return {
        "basic": {
            "name": name,
            "description": description,
            "data_product_type": "Machine learning model",
        },
        "dp_variant": {
            "variant_name": "Pure DP" if guarantee.pure else "Approximate DP",
            "data_domain": f"tables of labelled records; the points are those of {spec}",
            "unprotected_quantities": unprotected,
        },
        "privacy_loss": {
            "privacy_unit": guarantee.neighbours.unit.capitalize(),
            "privacy_unit_details": guarantee.neighbours.words,
            "privacy_parameters": {
                name: guarantee.to_dict()[name] for name in ("epsilon", "delta")
            },
        },
        "deployment_model": {
            "model_name": "Central",
            "release_type": "One release",
            "data_source_type": "Static",
            "access_type": "Non-interactive",
            **model,
        },
        "accounting": {"composition": guarantee.claim},
        "implementation": {
            "preprocessing_and_hyperparameter_tuning": "the columns are public"
            if proposal is None
            else f"the columns were learned from records: {proposal.guarantee}",
            "mechanisms": f"littlestone {__version__}: {learner}; every random "
            "decision is a finite draw with exact weights",
            "justification": justification,
        },
    }


def differences(field: str, given: Any, right: Any) -> Iterator[Finding]:
    """Yield the innermost fields at which two documents differ."""
    if isinstance(given, dict) and isinstance(right, dict):
        for name in given.keys() | right.keys():
            yield from differences(f"{field}.{name}", given.get(name), right.get(name))
    elif type(given) is not type(right) or given != right:
        yield Finding(field, "it does not follow from the rest of the record")


def derived(record: Json, again: Json) -> Iterator[Finding]:
    """Yield the parts of a record that are not those of the record that was made again."""
    for name in ("software", "deployment", "claims"):
        yield from differences(name, record.get(name), again[name])
    for name in record.keys() - again.keys():
        yield Finding(name, "no record has this field")


def cited(document: Json) -> list[str]:
    """Return the claims that a release rests on, each once.

    Examples
    --------
    >>> cited({"guarantee": {"claim": "dp.sum(a, b)"}, "certificate": {"claims": ["c", "a"]}})
    ['dp.sum', 'a', 'b', 'c']
    """
    composed = document["guarantee"]["claim"].replace("(", ",").replace(")", ",")
    names = [name.strip() for name in composed.split(",")]
    for part in (document, document.get("interval", {})):
        names += part.get("certificate", {}).get("claims", [])
    return list(dict.fromkeys(filter(None, names)))


#: What is spent on these rests on more than what the learner's claim says.
_MECHANISMS = {
    **dict.fromkeys(("count of label 1", "counts of labels", "life table"), ("count.truncated",)),
    **dict.fromkeys(("last factor", "predicted survival"), ("count.truncated",)),
    **dict.fromkeys(("counts", "the mean of the residuals"), ("clip.rank", "count.truncated")),
    "counts of columns": ("boosting.start",),
    "quantiles": ("exp-mech.privacy",),
    "columns": ("counts.privacy",),
    "coefficients": ("linear.moments",),
}


def used(release: Release) -> list[str]:
    """Return the claims that what was spent rests on: of mechanisms, and of the conversion.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from littlestone.privacy import Guarantee
    >>> used(SimpleNamespace(spent={"9 trees": "bounded range 1/9 each", "count of label 1":
    ...                             "epsilon 1/9"}, payment=Guarantee(1)))
    ['count.truncated']
    """
    names: list[str] = []
    for what, spent in (release.spent or {}).items():
        names += _MECHANISMS.get(what, ())
        if release.payment.delta and spent.startswith(("bounded range", "zCDP")):
            names += ["cr21.bounded-range"] if spent.startswith("bounded") else []
            names += ["cks20.prop12", "kov15.thm3.3"]
    return list(dict.fromkeys(names))


def digests(record: Json) -> dict[str, str]:
    """Return the SHA-256 of each part, so that it can be said which one was changed."""
    parts = {name: part for name, part in record.items() if name != "sha256"}
    for kind in {"release", "stream"} & parts.keys():
        parts |= {f"{kind}.{name}": part for name, part in parts.pop(kind).items()}
    return {name: hashlib.sha256(_canonical(part)).hexdigest() for name, part in parts.items()}


def _canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
