"""``littlestone dims`` and ``papers``: dimensions of a class; the numbered algorithms.

Neither reads data. `planned` is what plan does with an algorithm.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from littlestone.cli.options import AsJson, ClassSpec, Flag, Page, check_outputs, open_class
from littlestone.cli.terminal import facts, note, printed, progress_of, table
from littlestone.errors import SearchLimitError, UnsupportedError, check_integer
from littlestone.safe_io import write_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from littlestone.classes import ConceptClass, Dimensions
    from littlestone.classes.finite import Listing
    from littlestone.types import Json


#: A witness that is printed has at most 2**6 leaves; a picture shows fewer levels still.
_PRINTED, _DRAWN = 6, 4
#: A class with closed forms is searched for further witnesses only up to this size.
_LISTED = 256
#: What is printed of each witness, and how many of its points in a line.
_SHOWN = {
    "shattered_set": "concepts label these points in all possible ways.",
    "shattered_tree": "levels 1 to {}; the two points below a point follow its labels 0 and 1; "
    "every path of labels is that of a concept.",
    "threshold_sequence": "for each point, some concept is 1 from there on, and 0 before it.",
}
_IN_LINE = 16


def dims(
    *,
    concept_class: ClassSpec,
    schema: str | None = None,
    witness: Flag = False,
    max_nodes: int = 100_000,
    report: Page = None,
    json: Flag = False,
) -> int:
    """Compute the exact VC, Littlestone and threshold dimensions of a class.

    Closed forms are used where they are known; otherwise, small classes are searched. For other
    classes, or if a search reaches --max-nodes, bounds are printed instead.

    Parameters
    ----------
    concept_class:
        Concept class (the set of functions to choose from), for example "finite(matrix.csv)" or
        "thresholds(1, 2**64)".
    witness:
        Also print what proves the lower bounds: a shattered tree (its first six levels, if it is
        deeper) and, for a small class, a shattered set and a threshold sequence. Rows are printed
        as codes of cells; --json adds the concepts.
    schema:
        TOML file with the public schema of the columns, for classes over several columns.
    max_nodes:
        Largest number of nodes of each search. It is not a time limit, so the result is the same on
        every machine.
    json:
        Print the result as one JSON object. A dimension that is not determined is an object with
        the keys lower, upper and reason.
    """
    from littlestone.classes import dimensions

    check_integer("dims", "max_nodes", max_nodes, low=0)
    check_outputs("dims", schema, report=report)
    concepts, _ = open_class(concept_class, schema)
    with progress_of("Searching"):
        found = dimensions(concepts, max_nodes=max_nodes)
        result = found.to_dict()
        if witness:
            result["witness"] = _witness(concepts, found, max_nodes)
        page = _page(concepts, found, max_nodes) if report is not None else ""
    if report is not None:
        write_text(report, page)
    if printed(result, json=json):
        return 0
    names = ("VC dimension", "Littlestone dimension", "Threshold dimension")
    rows: list[tuple[str, ...]] = [("Class", concepts.spec)]
    rows += [(name, _words(value), "bold") for name, value in zip(names, vars(found).values())]  # noqa: B905
    if report is not None:
        rows.append(("Page", report))
    facts(rows)
    if any(isinstance(value, dict) for value in found.to_dict().values()):
        note(f"between: undecided after {max_nodes:,} nodes (--max-nodes), or not searched.")
    for name, about in _SHOWN.items() if witness else ():
        _show_witness(name.replace("_", " ").capitalize(), about, result["witness"][name])
    return 0


def _show_witness(title: str, about: str, shown: Json) -> None:
    """Print the points of a witness, or why there is none; of a tree a line for each level."""
    note(f"{title}: {shown.get('missing', about.format(shown.get('depth')))}")
    lines = [shown.get("points", [])]
    if "leaves" in shown:
        lines = [lines[0][2**level - 1 : 2 ** (level + 1) - 1] for level in range(shown["depth"])]
    for points in filter(None, lines):
        names = [str(*p.values()) if isinstance(p, dict) else str(p) for p in points[:_IN_LINE]]
        more = f", and {len(points) - _IN_LINE:,} more (--json)" if len(points) > _IN_LINE else ""
        note(f"  {', '.join(names)}{more}")


def _words(value: object) -> str:
    from littlestone.report.html import integer

    return integer(value) if isinstance(value, int) else str(value)


def _witness(concepts: ConceptClass, found: Dimensions, max_nodes: int) -> Json:
    """Return what proves the lower bounds, as far as it can be found and written out."""
    from littlestone.classes import shattered_tree
    from littlestone.classes.dimensions import Bounds, as_json

    names = ("shattered_set", "shattered_tree", "threshold_sequence")
    so_far: Json = {
        name: value.witness()
        for name, value in zip(names, vars(found).values(), strict=True)
        if isinstance(value, Bounds) and value.witness is not None
    }
    out: Json = {}
    try:
        depth = concepts.version_space(max_nodes).littlestone_dim()
        tree = shattered_tree(concepts, min(depth, _PRINTED), max_nodes=max_nodes)
        out["shattered_tree"] = tree.to_dict()
    except (SearchLimitError, UnsupportedError) as reason:
        out["shattered_tree"] = {"missing": str(reason)}
    try:
        listed = _small(concepts, max_nodes)
    except (SearchLimitError, UnsupportedError) as reason:
        missing = {"missing": str(reason)}
        return out | {"shattered_set": missing, "threshold_sequence": missing} | so_far
    for question in (listed.kernel.shattered_set, listed.kernel.threshold_sequence):
        name = question.__name__
        try:
            out[name] = as_json(listed, question())
        except SearchLimitError as reason:
            out[name] = {"missing": str(reason)}
    return out | so_far


def _page(concepts: ConceptClass, found: Dimensions, max_nodes: int) -> str:
    """Return the page, with the pictures that can be drawn."""
    from littlestone.classes import make_tree, shattered_tree
    from littlestone.report import Setting, dimensions_page
    from littlestone.report.html import drawing, point_names

    pictures: list[tuple[str, str]] = []
    with suppress(SearchLimitError, UnsupportedError):  # the page says what is undecided
        depth = concepts.version_space(max_nodes).littlestone_dim()
        tree = shattered_tree(concepts, min(depth, _DRAWN), max_nodes=max_nodes)
        part = "" if tree.depth == depth else f", {tree.depth} of its {depth} levels"
        pictures.append((f"A mistake tree{part}", drawing(tree)))
    if found.vc in (0, 1):
        with suppress(
            SearchLimitError, UnsupportedError
        ):  # `make_tree` names the classes that have one
            pictures.append(("The tree of the class", drawing(make_tree(concepts))))
    if isinstance(found.littlestone, int):
        with suppress(SearchLimitError, UnsupportedError):
            small = _small(concepts, max_nodes)
            decomposition = small.kernel.decomposition(None, 1, found.littlestone)
            columns = Setting(columns=point_names(concepts, small.points))
            pictures.append(("A decomposition", drawing(decomposition, columns)))
    return dimensions_page(found, concepts, pictures)


def _small(concepts: ConceptClass, max_nodes: int) -> Listing:
    """List a class if it is small; one with closed forms only if it is tiny."""
    from littlestone.classes.dimensions import is_closed
    from littlestone.classes.finite import listing

    if is_closed(concepts) and concepts.size > _LISTED:
        raise UnsupportedError("It is not searched for: the dimension has a closed form.")
    return listing(concepts, max_nodes)


# -- ``littlestone papers``: the numbered algorithms; and what plan and stream do with them.


def papers(*, json: AsJson = False) -> int:
    """List the algorithms that are implemented from papers, and how many records they need.

    A learner is run by `fit --learner NAME`, with its parameters given by --set; `plan` and `audit`
    accept both options, too. Streams, mechanisms and constructions are used from Python
    (littlestone.papers). With --json, the parameters of the learners are listed, too.
    """
    from littlestone.papers import names, needed, page
    from littlestone.papers.adaptor import settings

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
    if printed({"algorithms": rows}, json=json):
        return 0
    lines = [(r["name"], r["python"], r["number"], r["kind"], r["what"]) for r in rows]
    title = "The algorithms of the papers (Python: littlestone.papers)"
    table(title, ("name", "in Python", "in the paper", "kind", "what it is or does"), lines)
    sizes = [
        (
            each.row,
            each.concept_class,
            *("not known" if n is None else f"{n:,}" for n in (each.certified, each.simulated)),
            each.certified_with or "as printed",
        )
        for each in needed()
    ]
    title = "\nRecords or users needed for epsilon 1, delta 1e-6, alpha = beta = 0.1"
    head = ("name", "class", "certified number", "enough in simulations", "parameters (--set)")
    table(title, head, sizes)
    return 0


def planned(
    name: str, concepts: ConceptClass, asked: Json, settings: Sequence[str] | None, *, json: bool
) -> int:
    """Print what one algorithm of the papers needs."""
    from littlestone.papers import make

    numbers = {key: asked.get(key) for key in ("epsilon", "alpha", "beta", "samples_per_user")}
    learner = make(
        name, concepts, caller="plan", settings=settings or (), delta=asked.get("delta"),
        **{key: value for key, value in numbers.items() if value is not None},
    )  # fmt: skip
    _ = learner.plan
    required = None if learner.uncertified else learner.required_samples()
    guarantee = learner.guarantee()
    found = {
        "class": concepts.spec, "learner": learner.name, "unit": learner.unit,
        "required": required, "guarantee": guarantee.to_dict(),
    }  # fmt: skip
    if printed(found, json=json):
        return 0
    lacking = f"not certified: {learner.uncertified}"
    needs = lacking if required is None else f"{required:,} {learner.unit}"
    facts([("Learner", learner.name), ("Privacy", str(guarantee)), ("Needs", needs)])
    return 0
