"""`page`: one self-contained HTML page about an object; here, about a release.

The page of a release is a pure function of the `Release`: no clock, no path, no environment; so it
is exactly as private as the release, and `littlestone.audit.verify` compares its text among the
outputs.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Sequence
from functools import singledispatch
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from littlestone import __version__
from littlestone.classes import Dimensions, LinearClass, TreeHypothesis
from littlestone.classes.boosted_trees.ensemble import quantile_words
from littlestone.classes.dimensions import Bounds
from littlestone.data.cells import spellings
from littlestone.errors import ParameterError, UnsupportedError, parameter_error
from littlestone.evaluation import SurvivalEvaluation
from littlestone.learners.record import used
from littlestone.learners.registry import LEARNERS
from littlestone.learners.release import Release
from littlestone.report.evaluated import (
    accuracy_asked,
    beside_constants,
    coefficient_facts,
    drawn,
    evaluation_facts,
    group_rows,
    hidden_words,
    meaning,
    proposal_facts,
    spent_facts,
    spent_note,
)
from littlestone.report.first import first_screen, ledger_facts, tripod, unit_of
from littlestone.report.html import (
    Setting,
    claim_names,
    claims,
    data_link,
    drawing,
    figure,
    html_of,
    integer,
    json_in_html,
    number_of,
    outcomes,
    promise_words,
    render,
    trees_figure,
)
from littlestone.report.targets import (
    Shown,
    calculator,
    effects,
    noise_ranges,
    scorecard,
    target_parts,
)
from littlestone.safe_io import write_text

if TYPE_CHECKING:
    from littlestone.classes import ConceptClass
    from littlestone.learners.release import Release
    from littlestone.types import Json


_YES = ("1", "yes", "true")  # a label that says no more than the name of its column


@singledispatch
def _page(obj: Any, **more: Any) -> str:
    if hasattr(obj, "fit"):
        raise UnsupportedError(f"This {type(obj).__name__} is not fitted yet: fit it first.")
    known = ", ".join(sorted(kind.__name__ for kind in _page.registry if kind is not object))
    raise UnsupportedError(
        f"page cannot show an object of type {type(obj).__name__}. It shows: {known}."
    )


#: Registers how the page of an object of a type is made.
page_maker = _page.register


def page(obj: Any, path: str | Path | None = None, **more: Any) -> str:
    """Return a self-contained HTML page: what was found, what is promised, and why.

    Parameters
    ----------
    obj : Release, fitted estimator, Plans, Rehearsal, Dimensions, or document of a stream
    path : str or Path, optional
        Write the page there, too; an existing file is replaced.
    **more
        What this kind of page shows besides: ``concept_class`` and ``pictures`` with `Dimensions`.

    Returns
    -------
    str
        HTML that loads nothing, for light and dark, screen, phone and paper. The object itself is
        inside, as JSON.

    Raises
    ------
    UnsupportedError
        If no package has said what a page of such an object is.

    Notes
    -----
    *Guarantee.* Post-processing of the object: costs no privacy.

    Examples
    --------
    >>> import littlestone as ls
    >>> ls.page(ls.plan(ls.Thresholds(1, 99), epsilon=1))[:15]
    '<!doctype html>'
    """
    text = _page(getattr(obj, "release_", obj), **more)
    if path is not None:
        write_text(path, text)
    return text


@page_maker(Release)
def release_page(release: Release) -> str:
    """Return the page of a fit: the verdict first, then why, and what is promised.

    It is a pure function of the release.
    """
    guarantee, certificate, pictures = release.guarantee, release.certificate, drawn(release)
    evaluation = evaluation_facts(release, matrix=pictures["confusion"] is None)
    return render(
        "page",
        title=heading_of(release),
        first=first_screen(release),
        ledger=ledger_facts(release),
        g=promise_words(guarantee),
        release=release,
        unit=unit_of(release),
        meaning=meaning(release),
        positive=outcomes(release)[0],
        **_of_trees(release),
        asked="" if certificate is None else accuracy_asked(certificate),
        evaluation=evaluation,
        hidden=hidden_words(evaluation),
        groups=group_rows(release),
        **pictures,
        beside_constants=beside_constants(release),
        spent=[
            *proposal_facts(release.parts, release.proposal, sets=release.target is None),
            *spent_facts(release),
            *spent_note(release),
        ],
        coefficients=coefficient_facts(release),
        reads=_reads(release),
        model_link=data_link(release.to_json()),
        provenance=_provenance(release),
        tripod=tripod(release, evaluation),
        claims=claims(
            [
                *claim_names(guarantee.claim),
                *used(release),
                *(certificate.claims if certificate else ()),
            ]
        ),
        embedded=json_in_html(release.to_json()),
    )


def _of_trees(release: Release) -> Json:
    """Return what a page says of the model: of a scorecard its points, of sums what columns do."""
    model, schema = release.sums, release.concept_class.row_schema
    parts: Json = dict.fromkeys(("picture", "trees", "scorecard", "shown", "calculator", "target"))
    parts |= {"folded": [], "left_out": 0}
    if model is None or schema is None:
        return parts | {"picture": drawing(release)}
    noise = noise_ranges(release)
    if model.target is not None:
        level = None if release.interval is None else float(1 - release.interval.alpha)
        shown = Shown(model, schema, (release.columns or {}).get("y", ""), level)
        measured = release.measured
        survival = measured if isinstance(measured, SurvivalEvaluation) else None
        return parts | target_parts(shown, survival, noise)
    setting = Setting(release.concept_class.domain, *outcomes(release))
    card = scorecard(model, schema)
    bars = effects(model, schema) if card is None else card
    kept = [each for each in bars["columns"] if each["range"] > noise.get(each.get("of"), 0)]
    rest = [column for column in bars["columns"] if column not in kept]
    axis = {name: bars.get(name, empty) for name, empty in (("zero", 0), ("axis", []))}
    moving, folded = (
        html_of(figure("bars", "", name, labels=bars["labels"], columns=columns, **axis))
        if columns
        else None
        for columns, name in ((kept, "What each column does"), (rest, "Columns of small effect"))
    )
    trees = html_of(trees_figure(model, setting)) if model.trees else None
    return parts | {
        "shown": moving,
        "folded": [folded] if folded else [],
        "left_out": len(rest),
        "trees": trees,
        "scorecard": card,
        "calculator": calculator(model, schema, _outcome(release)),
    }


def _outcome(release: Release) -> str:
    """Return what the label means, for a line: ``Died``, or ``Stage is IV``."""
    name, positive = ((release.columns or {}).get(what) for what in ("y", "positive"))
    plain = name and all(str(each).lower() in _YES for each in spellings(positive))
    words = str(name) if plain else outcomes(release)[0]
    return words[:1].upper() + words[1:]


def heading_of(release: Release) -> str:
    """Return what a release is of, in the user's words: ``A private scorecard: readmitted``."""
    hypothesis, columns = release.hypothesis, release.columns or {}
    label = columns.get("y")
    if label and columns.get("event"):
        label = f"{label} until {columns['event']}"
    if label and hypothesis.quantile is not None:
        label = f"{quantile_words(hypothesis.quantile)} of {label}"
    kind = "a private rule"
    if release.sums is not None:
        kind = "private boosted trees" if release.sums.depth > 1 else "a private scorecard"
        if isinstance(release.concept_class, LinearClass):
            kind = "a private linear model"
    elif isinstance(hypothesis, TreeHypothesis):
        kind = "a private tree"
    if release.guarantee.seeded:
        kind = f"{kind.replace('private ', '')} (not private)"
    start = kind[0].upper() + kind[1:]
    return f"{start}: {label}" if label else start


def _reads(release: Release) -> str:
    names = (release.columns or {}).get("x")
    if not names:
        return "the model reads the column of the fit"
    if len(names) == 1:
        return f"the model reads the column “{names[0]}”"
    return f"the model reads the {len(names)} columns of its schema by name"


def _provenance(release: Release) -> list[tuple[str, str]]:
    guarantee = release.guarantee
    columns = release.columns or {}
    rows = [
        ("Learner", release.learner),
        ("Concept class", release.concept_class.spec),
        ("Guarantee", str(guarantee)),
        ("Neighbours", guarantee.neighbours.words),
        (unit_of(release).capitalize(), "secret" if release.n is None else integer(release.n)),
    ]
    if release.learner in LEARNERS:
        rows.insert(1, ("How", LEARNERS[release.learner].summary))
    if columns.get("x"):
        rows.append(("Columns read", ", ".join(columns["x"])))
    if columns.get("y"):
        rows.append(_of_label(release, columns))
    if columns.get("user"):
        most = columns.get("samples_per_user")
        each = f"at most {number_of(most, 'records')}" if most else "all records"
        rows.append(("User column", f"{columns['user']} (of each user, {each} were read)"))
    if release.planned:
        rows.append(("Protocol (SHA-256)", release.planned))
    rows.append(("Software", f"littlestone {__version__}"))
    return rows


def _of_label(release: Release, columns: Json) -> tuple[str, str]:
    """Return the line about the column that is predicted."""
    target = release.target
    if target is not None and target.ends:
        ends = ", ".join(f"{float(end):.10g}" for end in target.ends)
        return "Time and event", f"{columns['y']}, {columns.get('event')} (periods end at {ends})"
    if target is not None:
        low, high = (float(getattr(target, name, 0)) for name in ("low", "high"))
        words = f"{columns['y']} (a {target.kind} from {low:,.10g} to {high:,.10g})"
        return "Target column", words
    means = meaning(release)
    if release.concept_class.lists_labels:
        means = f"labels: {', '.join(map(str, release.labels))}"
    return "Label column", f"{columns['y']} ({means})"


_MEANING = {
    "vc": ("VC dimension", "the largest number of points that can be labelled in all ways"),
    "littlestone": (
        "Littlestone dimension",
        "the number of mistakes of the best online learner; private learning is possible if and "
        "only if it is finite",
    ),
    "threshold": (
        "Threshold dimension",
        "the largest number of points on which the class contains thresholds",
    ),
}


@page_maker(Dimensions)
def dimensions_page(
    found: Dimensions, concept_class: ConceptClass, pictures: Sequence[tuple[str, str]] = ()
) -> str:
    """Return a page: the dimensions of a class, in words, and pictures."""
    document = {"class": concept_class.spec, **found.to_dict()}
    return render(
        "dimensions",
        title=f"littlestone: dimensions of {concept_class.spec}",
        spec=concept_class.spec,
        rows=[(*_MEANING[name], _value(value)) for name, value in vars(found).items()],
        size=_value(concept_class.size),
        pictures=pictures,
        embedded=json_in_html(json.dumps(document, sort_keys=True)),
    )


def _value(value: Any) -> str:
    if isinstance(value, Bounds):
        return str(value)
    return "infinite" if value == float("inf") else integer(int(value))


# -- A release in one folder, for who decides whether it is published: each file with its hash.


#: What is in the folder, by name.
FILES = {
    "model.json": "the model: `littlestone predict model.json new.csv` costs no epsilon",
    "page.html": "the page about the model, for readers; it needs no network",
    "record.json": "the release record, verified offline by `littlestone check-record record.json`",
    "schema.toml": "the public columns, with their bins and categories",
    "protocol.json": "the protocol that was fixed before the data were read",
}


def check_new_folder(folder: str | os.PathLike[str], *, caller: str = "write_folder") -> None:
    """Refuse a folder that could not be written: before anything is drawn."""
    where, problem = Path(folder), ""
    if os.path.lexists(where) and not (os.path.isdir(where) and not os.path.islink(where)):
        problem = "It is a file or a link."
    elif os.path.isdir(where) and os.listdir(where):
        problem = "It is not empty: a release needs a folder of its own."
    elif not os.path.isdir(where.absolute().parent):
        problem = "Its folder does not exist: create it first."
    elif not os.access(where.absolute().parent, os.W_OK | os.X_OK):
        problem = "Its folder is write-protected."
    if problem:
        raise parameter_error(caller, "release", "a new or empty folder", str(folder), problem)


def write_folder(
    release: Release, folder: str | os.PathLike[str], *, protocol: str | None = None
) -> None:
    """Write model, page, record, schema and a README with hashes into a new folder.

    Parameters
    ----------
    release : Release
        Not seeded.
    folder : str or path
        New or empty; it is written in one step, whole or not at all.
    protocol : str, optional
        The text of the protocol that was planned beforehand.

    Raises
    ------
    ParameterError
        If the folder is not new or empty, or cannot be written; of a seeded release.

    Notes
    -----
    *Guarantee.* Post-processing of the release: costs no privacy.
    """
    check_new_folder(folder)
    texts = {
        "model.json": release.to_json() + "\n",
        "page.html": page(release),
        "record.json": json.dumps(release.record(), indent=1, ensure_ascii=False) + "\n",
    }
    schema = release.concept_class.row_schema
    if schema is not None:
        texts["schema.toml"] = schema.to_toml()
    if protocol is not None:
        texts["protocol.json"] = protocol
    where = Path(folder).absolute()
    try:
        beside = Path(tempfile.mkdtemp(dir=where.parent, prefix=f".{where.name}."))
        try:
            for name, text in (texts | {"README.md": _readme(release, texts)}).items():
                with (beside / name).open("w", encoding="utf-8", newline="") as file:
                    file.write(text)
                    os.fsync(file.fileno())
            beside.chmod(0o755)
            beside.rename(where)  # replaces an empty folder
        except BaseException:
            shutil.rmtree(beside, ignore_errors=True)
            raise
    except OSError as problem:
        raise ParameterError(
            f"The folder {folder} could not be written ({problem.strerror or 'broken'})."
        ) from None


def _readme(release: Release, texts: dict[str, str]) -> str:
    """Return what the folder is, and the hashes of its files."""
    first = first_screen(release)
    hashes = {
        name: hashlib.sha256(text.encode("utf-8")).hexdigest() for name, text in texts.items()
    }
    about = [
        f"# {heading_of(release)}",
        f"{first['sentence']} {first['verdict']}",
        f"Guarantee: {release.guarantee}.",
        *(f"{name}: {figure}{f' ({line})' * bool(line)}." for name, figure, line in first["tiles"]),
    ]
    lines = [
        *(
            f"{escape(' '.join(text.split()), quote=False)}\n" for text in about
        ),  # names say anything
        *(f"- `{name}`: {FILES[name]}" for name in texts),
        "",
        "SHA-256 (`grep '^[0-9a-f]' README.md | sha256sum -c` checks them):",
        "",
        "```",
        *(f"{digest}  {name}" for name, digest in hashes.items()),
        "```",
        "",
        f"Written by littlestone {__version__}. All of it follows from the model and public facts, "
        "so publishing it costs no privacy beyond the guarantee above.",
    ]
    return "\n".join(lines) + "\n"
