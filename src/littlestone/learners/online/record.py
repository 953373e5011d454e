"""The record of a stream: all that it published, and what follows from its public parameters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from littlestone.classes import load
from littlestone.classes.spec import class_from_dict
from littlestone.errors import ParameterError
from littlestone.learners.online.algorithm import OnlineAlgorithm
from littlestone.learners.online.bound import mistake_bound
from littlestone.learners.online.hedge import algorithm_of
from littlestone.learners.online.plan import plan_online
from littlestone.learners.record import Finding, derived, described, differences, filed
from littlestone.learners.release import proposal_of, stated
from littlestone.privacy import total
from littlestone.types import Json

_ASKED = ("epsilon", "delta", "horizon", "beta")
_ABOUT = {"constants": "practical", "adversary": None, "agnostic": False}


def algorithm_in(public: Any) -> OnlineAlgorithm:
    """Return the algorithm of an exported stream, planned again from its public parameters."""
    asked, about = public["stream"], public["about"]
    concepts = class_from_dict(asked["class"])
    how = {name: about.get(name, usual) for name, usual in _ABOUT.items()}
    how["records_per_user"] = asked.get("records_per_user")
    plan = plan_online(concepts, **{name: asked[name] for name in _ASKED}, **how)
    return algorithm_of(concepts, plan)


def stream_record(public: Json) -> Json:
    """Return the record of what a stream has published so far, as `read_public` returns it."""
    if not public["published"]:
        raise ParameterError("This stream has published nothing yet, so it has no record.")
    algorithm = algorithm_in(public)
    parts = algorithm.parts(seeded=public["guarantee"]["seeded"])
    guarantee = total(parts)
    concepts = algorithm.concept_class
    bound = mistake_bound(algorithm.plan, concepts)
    document = {**public, "certificate": bound.certificate.to_dict()}
    deployment = described(
        guarantee,
        name=f"online learner on {concepts.spec}",
        description=load(public["published"][-1]["hypothesis"]).describe(),
        spec=concepts.spec,
        unprotected="the number of rows",
        proposal=proposal_of(concepts),
        learner="online",
        justification=str(bound),
        release_type="Many releases",
        data_source_type="Dynamic",
    )
    return filed("stream", document, guarantee, {"deployment": deployment})


def stream_findings(record: Json) -> Iterator[Finding]:
    """Yield what does not follow from the rest of the record of a stream."""
    stream = record["stream"]
    public = {name: part for name, part in stream.items() if name != "certificate"}
    try:
        again = stream_record(public)
        algorithm = algorithm_in(public)
        times = [each["rows"] for each in public["published"]]
        rules = [load(each["hypothesis"]).to_dict() for each in public["published"]]
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as problem:
        yield Finding("stream", f"it cannot be read back ({type(problem).__name__})")
        return
    published = [{"rows": t, "hypothesis": rule} for t, rule in zip(times, rules, strict=True)]
    right = {
        "parts": None,
        **stated(algorithm.parts()),
        "planned_batches": algorithm.plan.batches,
        "published": published,
        "certificate": again["stream"]["certificate"],
    }
    yield from differences("stream", {name: stream.get(name) for name in right}, right)
    if times != sorted(times) or not 0 <= times[0] <= times[-1] <= stream["rows"]:
        yield Finding("stream.published", "its numbers of rows are not increasing")
    if not len(times) - 1 <= stream["batches"] <= stream["planned_batches"]:
        yield Finding("stream.batches", "more was published than was planned")
    yield from derived(record, again)
