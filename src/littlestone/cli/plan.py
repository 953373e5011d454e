"""``littlestone plan``: how many records each learner needs, before any data are touched."""

from __future__ import annotations

import json as jsonlib
from typing import TYPE_CHECKING

from littlestone.cli.options import ClassSpec, Flag, is_auto, open_class
from littlestone.errors import (
    LittlestoneError,
    UnsupportedError,
    check_fraction,
    check_integer,
    check_probability,
)

if TYPE_CHECKING:
    from littlestone.classes import ConceptClass
    from littlestone.data import Schema
    from littlestone.types import Json

__all__ = ["plan"]


def plan(
    *,
    concept_class: ClassSpec,
    epsilon: str,
    alpha: str,
    beta: str,
    delta: str | None = None,
    schema: str | None = None,
    agnostic: Flag = False,
    samples_per_user: int | None = None,
    json: Flag = False,
) -> int:
    """Say how many records each learner needs; reads no data.

    Parameters
    ----------
    concept_class:
        What is to be learned, for example "thresholds(1, 2**64)"; or auto, with --schema: says
        from how many records on `fit --class auto` takes which class.
    epsilon:
        Privacy loss that is allowed.
    alpha:
        Error that must not be exceeded.
    beta:
        Probability with which it may be.
    delta:
        What is allowed besides epsilon; pure learners do not use it.
    schema:
        TOML file with the public columns, for classes over rows.
    agnostic:
        Only learners that promise something for data that no concept explains.
    samples_per_user:
        How many records each user has, when users are to be protected. A learner that protects
        records then reads one record of each user.
    json:
        Print one JSON object.
    """
    from littlestone.learners import registry

    parameters = {
        "epsilon": check_fraction("plan", "epsilon", epsilon),
        "delta": None if delta is None else check_probability("plan", "delta", delta),
        "alpha": check_probability("plan", "alpha", alpha),
        "beta": check_probability("plan", "beta", beta),
    }
    users = samples_per_user is not None
    if users:
        check_integer("plan", "samples_per_user", samples_per_user, low=1)
    concepts, public = open_class(concept_class, schema)
    if public is not None and is_auto(concept_class):
        return _auto(public, parameters, json=json)
    plans = [_plan(name, concepts, parameters, users=users) for name in registry.LEARNERS]
    fitting = [p for p in plans if "n" in p and (p["setting"] == "agnostic" or not agnostic)]
    if not fitting:
        reasons = "; ".join(f"{p['learner']}: {p.get('reason', 'realizable only')}" for p in plans)
        raise UnsupportedError(f"No learner can promise this for {concepts.spec}. {reasons}")
    chosen = min(fitting, key=lambda p: int(p["n"]))
    if json:
        result = {"plans": plans, "chosen": chosen["learner"], "lower_bounds": []}
        print(jsonlib.dumps({"class": concepts.spec, **result}, sort_keys=True))
        return 0
    _show(concepts, plans, chosen)
    return 0


def _auto(schema: Schema, parameters: Json, *, json: bool) -> int:
    """Say from how many records on each class of ``--class auto`` is taken."""
    from littlestone.learners import registry
    from littlestone.learners.auto_class import ladder
    from littlestone.report.words import integer

    steps: list[Json] = []
    for concepts in ladder(schema):
        algorithm = registry.make("auto", concepts, **parameters)
        needed = algorithm.required_samples()
        steps.append({"class": concepts.spec, "learner": algorithm.name, "n": needed})
    if json:
        print(jsonlib.dumps({"class": "auto", "ladder": steps, "lower_bounds": []}, sort_keys=True))
        return 0
    from littlestone.cli.terminal import note, table

    rows = [(s["class"], s["learner"], f"{integer(s['n'])} records") for s in steps]
    table("The richest class that is certified", ("class", "learner", "from"), rows)
    note("With fewer records than that, the first class is taken, without a certificate.")
    return 0


def _plan(name: str, concepts: ConceptClass, parameters: Json, *, users: bool) -> Json:
    """Return what one learner needs and promises, or why it does not fit."""
    from littlestone.learners import registry

    entry = registry.LEARNERS[name]
    # A pure learner uses no delta: it promises more than what was allowed.
    own = {**parameters, "delta": None} if entry.pure else parameters
    try:
        algorithm = registry.make(name, concepts, **own)
        n = algorithm.required_samples()
        certificate = algorithm.certificate(n)
    except LittlestoneError as problem:
        return {"learner": name, "status": "unsupported", "reason": str(problem)}
    plan = {
        "learner": name,
        "n": n,
        "unit": algorithm.unit,
        "setting": "agnostic" if entry.agnostic else "realizable",
        "status": certificate.status,
        "guarantee": algorithm.guarantee().to_dict(),
        "certificate": certificate.to_dict(),
    }
    if users and algorithm.unit == "records":
        # One record of each user: then replacing a user is replacing a record.
        plan |= {"unit": "users", "reads": "one record of each user"}
    return plan


def _show(concepts: ConceptClass, plans: list[Json], chosen: Json) -> None:
    from littlestone.cli.terminal import note, table
    from littlestone.report.words import integer

    rows = []
    for plan in plans:
        if "n" not in plan:
            rows.append((plan["learner"], "-", "-", plan["reason"]))
            continue
        mark = " (chosen)" if plan is chosen else ""
        needed = f"{integer(plan['n'])} {plan['unit']}"
        rows.append((plan["learner"] + mark, needed, plan["setting"], plan["status"]))
    table(f"Needed to learn {concepts.spec}", ("learner", "needs", "certifies", "status"), rows)
    if "reads" in chosen:
        note(f"Each of these learners reads {chosen['reads']}.")
    note(
        "realizable: some concept of the class is right on everybody; agnostic: any data, and the "
        "error is compared with that of the best concept."
    )
