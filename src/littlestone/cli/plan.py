"""``littlestone plan``: how many records each learner needs, before any data are touched."""

from __future__ import annotations

import json as jsonlib
from typing import TYPE_CHECKING

from littlestone.cli.options import ClassSpec, Flag, is_auto, open_class, whole
from littlestone.errors import (
    LittlestoneError,
    UnsupportedError,
    check_fraction,
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
    samples_per_user: str | None = None,
    json: Flag = False,
) -> int:
    """Say how many records each learner needs; reads no data.

    Marked as chosen is the learner that `fit` takes by itself (--learner auto).

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
        Say nothing of learners that promise nothing for data that no concept explains.
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
    each = None
    if samples_per_user is not None:
        each = whole("plan", "samples_per_user", samples_per_user)
    concepts, public = open_class(concept_class, schema)
    if public is not None and is_auto(concept_class):
        return _auto(public, parameters, json=json)
    plans = [
        _plan(name, concepts, parameters, each=each, group=group)
        for name, entry in registry.LEARNERS.items()
        for group in (False, True)
        # Users: their own learners, one record of each, and for pure ones all with epsilon/m.
        if (entry.unit == "records" or each is not None)
        and (not group or (entry.unit == "records" and entry.pure and each not in (None, 1)))
    ]
    fitting = [p for p in plans if "n" in p and (p["setting"] == "agnostic" or not agnostic)]
    if not fitting:
        reasons = "; ".join(f"{p['learner']}: {p.get('reason', 'realizable only')}" for p in plans)
        raise UnsupportedError(f"No learner can promise this for {concepts.spec}. {reasons}")
    extra = {} if each is None else {"samples_per_user": each}
    chosen = _chosen(concepts, {**parameters, **extra})
    least = min(fitting, key=lambda p: int(p["n"]))["learner"]
    cheaper = least if least != chosen else None
    if json:
        result = {"plans": plans, "chosen": chosen, "cheaper": cheaper, "lower_bounds": []}
        print(jsonlib.dumps({"class": concepts.spec, **result}, sort_keys=True))
        return 0
    _show(concepts, plans, chosen, cheaper)
    return 0


def _chosen(concepts: ConceptClass, parameters: Json) -> str | None:
    """Return the learner that `fit` takes by itself; None if it refuses."""
    from littlestone.learners import registry

    try:
        return registry.make("auto", concepts, **parameters).name
    except LittlestoneError:
        return None


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


def _plan(
    name: str, concepts: ConceptClass, parameters: Json, *, each: int | None, group: bool = False
) -> Json:
    """Return what one learner needs and promises, or why it does not fit.

    With users of ``each`` records, a learner of records reads one of them, or (``group``) all,
    with epsilon/m: then replacing a user costs epsilon.
    """
    from littlestone.learners import registry
    from littlestone.privacy import Guarantee, Neighbours

    entry = registry.LEARNERS[name]
    # A pure learner uses no delta: it promises more than what was allowed.
    own = {**parameters, "delta": None} if entry.pure else parameters
    if group and each is not None:
        own = {**own, "epsilon": own["epsilon"] / each}
    if entry.unit == "users":
        own = {**own, "samples_per_user": each}
    try:
        algorithm = registry.make(name, concepts, **own)
        n = algorithm.required_samples()
        certificate = algorithm.certificate(n)
    except LittlestoneError as problem:
        reason = {"learner": name, "status": "unsupported", "reason": str(problem)}
        lacking = own["delta"] is None and not entry.pure
        return {**reason, "needs": "--delta"} if lacking else reason
    plan = {
        "learner": name,
        "n": n,
        "unit": algorithm.unit,
        "setting": "agnostic" if entry.agnostic else "realizable",
        "status": certificate.status,
        "guarantee": algorithm.guarantee().to_dict(),
        "certificate": certificate.to_dict(),
    }
    if group and each is not None:
        guarantee = Guarantee(
            parameters["epsilon"], neighbours=Neighbours.USER_REPLACE, claim="users.privacy"
        )
        plan |= {"unit": "users", "n": -(-n // each), "guarantee": guarantee.to_dict()}
        plan |= {"reads": f"{each} records of each user", "epsilon_of_a_record": f"epsilon/{each}"}
    elif each is not None and algorithm.unit == "records":
        # One record of each user: then replacing a user is replacing a record.
        plan |= {"unit": "users", "reads": "one record of each user"}
    return plan


def _show(
    concepts: ConceptClass, plans: list[Json], chosen: str | None, cheaper: str | None
) -> None:
    from littlestone.cli.terminal import note, table
    from littlestone.report.words import integer

    rows, notes = [], []
    for plan in plans:
        name, status = plan["learner"], plan["status"]
        if "n" not in plan:
            rows.append((name, "-", "-", f"needs {plan['needs']}" if "needs" in plan else status))
            notes.append(f"{name}: {plan['reason']}")
            continue
        mark = ", group privacy" if "epsilon_of_a_record" in plan else ""
        mark += " (chosen)" if name == chosen else ""
        rows.append((name + mark, f"{integer(plan['n'])} {plan['unit']}", plan["setting"], status))
        if "epsilon_of_a_record" in plan:
            text = f"Group privacy: it reads {plan['reads']}, with {plan['epsilon_of_a_record']}."
            notes += [text] if text not in notes else []
        elif "reads" in plan and plan["reads"] not in "".join(notes):
            notes.append(f"A learner that protects records reads {plan['reads']}.")
    table(f"Needed to learn {concepts.spec}", ("learner", "needs", "certifies", "status"), rows)
    if chosen is None:
        note("fit takes none of them by itself: name one with --learner.")
    else:
        note("chosen: what fit takes by itself.")
    if cheaper is not None:
        less = "cheaper" if chosen is not None else "least"
        note(f"{less}, if some concept is right on everybody: --learner {cheaper}")
    note(
        "realizable: some concept of the class is right on everybody; agnostic: any data, and the "
        "error is compared with that of the best concept."
    )
    for text in notes:
        note(text)
