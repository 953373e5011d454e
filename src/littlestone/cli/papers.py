"""``littlestone papers``: the numbered algorithms; and what plan and stream do with them."""

from __future__ import annotations

import json as jsonlib
import sys
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from littlestone.cli.options import AsJson, check_outputs, needed, open_class, say_columns, whole
from littlestone.errors import ParameterError, check_fraction, check_probability

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from littlestone.classes import ConceptClass
    from littlestone.cli.options import Paid
    from littlestone.data.read import RowReader
    from littlestone.types import Json


def papers(*, json: AsJson = False) -> int:
    """List the algorithms of the papers: names for --learner, kinds, parameters for --set, sizes.

    What learns is fitted by `fit --learner NAME`, planned and audited; streams are learned by
    `stream --learner NAME`. Mechanisms and constructions are used from Python: littlestone.papers.
    """
    from littlestone.cli.terminal import table
    from littlestone.papers import names, page
    from littlestone.papers.adaptor import settings
    from littlestone.papers.needed import needed

    rows = []
    for name in names():
        found: Any = page(name)
        learns = found.KIND == "learner"
        rows.append(
            {
                "name": name,
                "python": found.__name__,
                "paper": found.PAPER,
                "number": found.NUMBER,
                "kind": found.KIND,
                "unit": found.UNIT if learns else None,
                "what": found.STATEMENT,
                "settings": sorted(settings(found)) if learns else [],
                "needed": [each._asdict() for each in needed() if each.name == name],
            }
        )
    if json:
        print(jsonlib.dumps({"algorithms": rows}, sort_keys=True))
        return 0
    lines = [(r["name"], r["python"], r["number"], r["kind"], r["what"]) for r in rows]
    table("The papers", ("name", "Python", "number", "kind", "what"), lines)
    sizes = [
        (
            each.row,
            each.concept_class,
            *("not known" if n is None else f"{n:,}" for n in (each.certified, each.simulated)),
            each.certified_with or "as printed",
        )
        for each in needed()
    ]
    title = "\nRecords or users for epsilon 1, delta 1e-6, alpha = beta = 0.1"
    table(title, ("name", "class", "certified", "in simulation", "certified with"), sizes)
    return 0


def planned(
    name: str, concepts: ConceptClass, asked: Json, settings: Sequence[str] | None, *, json: bool
) -> int:
    """Print what one algorithm of the papers needs."""
    from littlestone.cli.terminal import facts
    from littlestone.papers import make

    numbers = {key: asked.get(key) for key in ("epsilon", "alpha", "beta", "samples_per_user")}
    learner = make(
        name, concepts, caller="plan", settings=settings or (), delta=asked.get("delta"),
        **{key: value for key, value in numbers.items() if value is not None},
    )  # fmt: skip
    _ = learner.plan
    required = None if learner.uncertified else learner.required_samples()
    guarantee = learner.guarantee()
    if json:
        found = {
            "class": concepts.spec, "learner": learner.name, "unit": learner.unit,
            "required": required, "guarantee": guarantee.to_dict(),
        }  # fmt: skip
        print(jsonlib.dumps(found, sort_keys=True))
        return 0
    needs = f"{required:,} {learner.unit}" if required is not None else "not certified"
    why = "" if required is not None else learner.uncertified
    facts([("Learner", learner.name, ""), ("Privacy", str(guarantee), ""), ("Needs", needs, why)])
    return 0


def streamed(
    name: str,
    terms: Any,
    settings: Sequence[str] | None,
    paid: Paid,
    *,
    reader_of: Callable[[ConceptClass], RowReader],
    lines_of: Callable[[RowReader], Iterator[bytes]],
    out: str | None,
    export: str | None,
    quiet: bool,
) -> int:
    """Learn a stream by an algorithm of the papers, in memory: a kill ends it.

    Writes "t,prediction" and a line for each row; ``export`` gets everything published, as JSON.
    """
    from littlestone.learners.release import LEARNING, parts_of, proposal_of, stated
    from littlestone.papers import page
    from littlestone.papers.adaptor import read_settings
    from littlestone.privacy import Part, total
    from littlestone.safe_io import write_text

    found: Any = page(name)
    if found.KIND != "learner" or found.UNIT != "stream":
        raise ParameterError(f"{name} does not learn streams: lyu.algorithm3 does.")
    for option in ("concept_class", "epsilon", "delta", "horizon"):
        needed("stream", option.removeprefix("concept_"), getattr(terms, option))
    for option in ("constants", "adversary", "records_per_user", "user"):
        if getattr(terms, option) is not None:
            raise ParameterError(f"The {option!r} parameter of stream is not for {name}: --set is.")
    concepts, public = open_class(terms.concept_class, terms.schema)
    say_columns(public)
    check_outputs("stream", paid.ledger, out=out, export=export)
    horizon = whole("stream", "horizon", terms.horizon)
    algorithm = found.printed(
        concepts,
        epsilon=check_fraction("stream", "epsilon", terms.epsilon),
        delta=check_probability("stream", "delta", terms.delta),
        alpha=Fraction(1, 10),
        beta=check_probability("stream", "beta", terms.beta or "1/20"),
        n=horizon,
    )
    algorithm = replace(algorithm, **read_settings("stream", found, settings or ()))
    source, ledger = paid.source("stream"), paid.budget("stream")
    proposal = proposal_of(concepts)
    seeded = source.seeded or (proposal is not None and proposal.guarantee.seeded)
    guarantee = replace(algorithm.guarantee(), seeded=seeded)
    parts = parts_of((Part(LEARNING, guarantee),), proposal)
    if guarantee.epsilon > Fraction(terms.epsilon):
        raise ParameterError(
            f"With these parameters {name} would satisfy {guarantee} only, more than --epsilon. "
            "Set fewer draws or a smaller K_budget."
        )
    reader = reader_of(concepts)
    begun = reader.begin(lines_of(reader))
    if ledger is not None:
        ledger.charge(guarantee, what=f"{name} on {concepts.spec}")
    state = algorithm.start(source)
    published: list[tuple[int, Any]] = [(0, state.published)]
    answers = ["t,prediction"]
    for x, y in _records(reader, begun, concepts):
        h = algorithm.step(state, x, y, source)
        answers.append(f"{state.t},{_label(h, x, concepts)}")
        if state.published != h:
            published.append((state.t, state.published))
    text = "\n".join(answers) + "\n"
    if out is None:
        sys.stdout.write(text)
    else:
        write_text(out, text)
    if export is not None:
        document = {
            "learner": name, "class": concepts.spec, **stated(parts),
            "time": state.t, "halted": state.halted,
            "published": [[t, h.to_dict()] for t, h in published],
        }  # fmt: skip
        write_text(export, jsonlib.dumps(document, indent=1) + "\n")
    if not quiet:
        print(f"{state.t:,} rows, {len(published)} published. {total(parts)}", file=sys.stderr)
    return 0


def _records(reader: Any, begun: Any, concepts: ConceptClass) -> Iterator[tuple[Any, int]]:
    """Yield the rows as points and labels."""
    from littlestone.data import OUTSIDE
    from littlestone.data.domains import canonical

    for group in reader.groups(begun):
        rows = group.points.tolist()
        for x, inside, y in zip(rows, group.inside.tolist(), group.labels.tolist(), strict=True):
            point = canonical(tuple(x) if isinstance(x, list) else x) if inside else OUTSIDE
            yield point, int(y)


def _label(h: Any, x: Any, concepts: ConceptClass) -> int:
    from littlestone.learners.online.state import label_of

    return label_of(h, x, concepts)
