"""``littlestone audit``: exact privacy losses, chains for every n, and lower bounds by sampling."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from littlestone.cli.options import (
    AsJson,
    Claim,
    Csv,
    Flag,
    Labels,
    label_list,
    needed,
    shared,
    whole,
)
from littlestone.cli.terminal import note, printed, progress_of
from littlestone.errors import (
    ParameterError,
    check_integer,
    parameter_error,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from littlestone.audit.verify import Verification
    from littlestone.classes import ConceptClass


@shared
class Enumerated(Claim):
    """A claim, and the points of the records that are made to check it."""

    labels: Labels = None
    points: str | None = None
    """The points that records may have, separated by commas (for a schema: cells separated by
    commas, rows by semicolons). All labellings are tried."""


def exact(
    *,
    claim: Enumerated = Enumerated(),
    n: int = 3,
    unit: Literal["record", "user"] | None = None,
    samples_per_user: str | None = None,
    records_per_user: str | None = None,
    method: str | None = None,
    outside: Flag = False,
    json: AsJson = False,
) -> int:
    """Verify privacy exactly: all data sets over a few points, all neighbours, all outputs.

    Everything observable is compared: the hypothesis, the model file, the page, the printed text.
    Exit 0 if the claim holds, 1 if it does not. Labels outside --labels are tried too.

    Parameters
    ----------
    n:
        Number of records of each data set; with --unit user, of users.
    unit:
        What one neighbour replaces: a record, or all records of one user. By default what the
        learner protects.
    samples_per_user:
        With --unit user: how many records of each user the learner reads.
    records_per_user:
        With --unit user: try users with 0, 1, ... and up to this number of records; one more than
        --samples-per-user by default, so that some have too many.
    method:
        With --unit user: auto, one-record, group-privacy or user-level.
    outside:
        Also try records whose point lies outside the domain.
    """
    of_users = {
        "samples_per_user": samples_per_user,
        "records_per_user": records_per_user,
        "method": method,
    }
    from littlestone.audit import verify
    from littlestone.report import page
    from littlestone.report.evaluated import plain

    if unit == "user" and claim.learner is None:
        claim = replace(claim, learner="users")
    listed = label_list("audit exact", claim.labels, positive=None)
    concepts, _, learner = claim.opened("audit exact", listed)
    options, most = _of_users(learner, unit, of_users)
    algorithm = claim.algorithm(concepts, **options)
    places = read_points(needed("audit exact", "points", claim.points), concepts)
    check_integer("audit", "n", n, low=1)
    with progress_of("Enumerating all data sets and all paths"):
        result: Verification = verify(
            algorithm,
            points=places,
            n_samples=n,
            outside=outside,
            observers=[page, plain],
            records_per_user=most,
        )
    return _verdict(result, json=json)


def _verdict(found: Any, *, json: bool) -> int:
    """Print what was found, and return the exit code."""
    if not printed(found, json=json):
        note(str(found))
    return 0 if found.holds else 1


def all_n(*, claim: Enumerated = Enumerated(), json: AsJson = False) -> int:
    """Check why a learner is private for every n: step by step, each enumerated, proved or assumed.

    Exit 1 if a step fails. By default, points are the whole domain.
    """
    from littlestone.audit import all_n as chain_of

    listed = label_list("audit all-n", claim.labels, positive=None)
    concepts, _, learner = claim.opened("audit all-n", listed)
    check_protects_records(learner)
    algorithm = claim.algorithm(concepts)
    points = None if claim.points is None else read_points(claim.points, concepts)
    with progress_of("Computing the laws of single records"):
        found = chain_of(algorithm, points=points)
    return _verdict(found, json=json)


def replay(
    *,
    data: str,
    y: str,
    claim: Claim = Claim(),
    x: str | None = None,
    positive: str = "1",
    written: Csv = Csv(),
    pairs: int = 1000,
    json: AsJson = False,
) -> int:
    """Replay a learner's choices on neighbours of a real table; the output is SECRET.

    Computes the exact privacy loss of the choices that were drawn and, for a learner with a single
    draw, of every outcome. Exit 1 if the claim is exceeded.

    Parameters
    ----------
    data:
        The table: CSV or Parquet.
    y:
        Column of the labels.
    x:
        Column of the points; not for classes over rows.
    positive:
        The label that counts as 1.
    pairs:
        Number of neighbours to compare.
    """
    from littlestone.audit import replay as replayed
    from littlestone.data import Sample, read_table

    concepts, public, _ = claim.opened("audit replay")
    algorithm = claim.algorithm(concepts)
    declared = None if public is None else public.csv
    opened = read_table(data, csv=written.csv, declared=declared, caller="audit replay")
    table = Sample.read(
        opened, x=x, y=y, domain=concepts.domain, positive=positive, caller="audit replay"
    )
    with progress_of("Replaying on neighbours"):
        found = replayed(algorithm, table, pairs=pairs)
    return _verdict(found, json=json)


def _integer(text: str) -> object:
    """Return a point such as 2**20; anything else as it was typed."""
    from littlestone.classes import parse_integer

    try:
        return parse_integer(text, "audit")
    except ParameterError:
        return text


def check_protects_records(learner: str) -> None:
    """Refuse a learner whose data sets are made of users."""
    if _protects_users(learner):
        raise ParameterError(
            f"The learner {learner!r} protects users, but these data sets are made of single "
            "records. Verify it with littlestone audit exact --unit user."
        )


def _protects_users(learner: str) -> bool:
    from littlestone.learners.registry import LEARNERS

    if "." in learner:
        from littlestone.papers import page

        return bool(page(learner).UNIT == "users")
    return learner in LEARNERS and LEARNERS[learner].unit == "users"


def _of_users(
    learner: str, unit: str | None, given: Mapping[str, str | None]
) -> tuple[dict[str, Any], int | None]:
    """Check what only a learner of users is given; return its options, and the most records."""
    if not _protects_users(learner):
        if unit == "user":
            raise ParameterError(
                f"The learner {learner!r} protects single records. With --unit user, leave out "
                "--learner or use --learner users."
            )
        for name, value in given.items():
            if value is not None:
                raise ParameterError(
                    f"The {name!r} parameter of audit exact is for the protection of users: add "
                    "--unit user."
                )
        return {}, None
    if unit == "record":
        raise ParameterError(
            f"The learner {learner!r} protects users, so one neighbour replaces a user. Use --unit "
            "user, or choose another learner."
        )
    if given["samples_per_user"] is None:
        raise ParameterError(
            "With --unit user, audit exact needs --samples-per-user, for example 1: how many "
            "records of each user are read."
        )
    counts = {
        name: whole("audit", name, value)
        for name, value in given.items()
        if value is not None and name != "method"
    }
    options: dict[str, Any] = {"samples_per_user": counts["samples_per_user"]}
    if given["method"] is not None:
        options["method"] = given["method"]
    return options, counts.get("records_per_user")


def read_points(text: str, concepts: ConceptClass) -> list[Any]:
    """Return the points of a class that are written as "1,2,3", each once."""
    from littlestone.data import OUTSIDE

    domain = concepts.domain
    rows = domain.schema is not None
    written = [part.strip() for part in text.split(";" if rows else ",")]
    raw: Sequence[object] = written
    if rows:
        raw = [[cell.strip() for cell in part.split(",")] for part in written]
    elif domain.bounds is not None:
        raw = [_integer(part) for part in written]
    places = [domain.cell(cell) for cell in raw]
    if not all(written) or any(place is OUTSIDE for place in places):
        hint = "Separate points by commas (rows by semicolons); --outside tries all others."
        raise parameter_error("audit", "points", f"points of {concepts.spec}", text, hint)
    return list(dict.fromkeys(places))
