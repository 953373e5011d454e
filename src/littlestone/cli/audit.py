"""``littlestone audit``: exact privacy losses, chains for every n, and lower bounds by sampling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from littlestone.cli.options import (
    AsJson,
    Claim,
    Csv,
    Flag,
    label_list,
    needed,
    shared,
    spellings_in,
    whole,
)
from littlestone.cli.terminal import caution, note, printed, progress_of
from littlestone.errors import ParameterError, check_integer, parameter_error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from littlestone.audit.verify import Verification
    from littlestone.classes import ConceptClass


#: More data sets than these are announced.
_MANY = 500


@shared
class Enumerated(Claim):
    """A claim, and the points of the records that are made to check it."""

    labels: str | None = None
    """Public list of the labels, separated by commas, for decision trees, boosted trees,
    scorecards, linear models and finite classes."""
    points: str | None = None
    """Points that the records may have, separated by commas, for example 1,2,3. With --schema, they
    are rows, for example "Bonn,17; Rome,44". All labellings are tried."""


def exact(
    *,
    claim: Enumerated = Enumerated(),
    n: int = 3,
    samples_per_user: str | None = None,
    records_per_user: str | None = None,
    method: str | None = None,
    outside: Flag = False,
    max_datasets: int = 10_000,
    json: AsJson = False,
) -> int:
    """Verify privacy exactly, on all data sets over a few points and for all outputs.

    Everything observable is compared on all neighbours: the hypothesis, the model file, the page
    and the printed text. The exit code is 0 if the claim holds and 1 if it does not. Neighbours
    differ in one record. Labels outside --labels are tried, too.

    Parameters
    ----------
    n:
        Number of records in each data set. With --learner users, it is the number of users, and
        neighbours differ in all records of one user.
    samples_per_user:
        With --learner users: the number of records that the learner reads per user.
    records_per_user:
        With --learner users: the largest number of records of a user; all numbers from 0 are tried.
        By default it is one more than --samples-per-user, so that some users have too many.
    method:
        With --learner users: method that protects users (auto, one-record, group-privacy or
        user-level).
    outside:
        Also try records whose point lies outside the domain.
    max_datasets:
        Largest number of data sets that are enumerated; more are refused beforehand.
    """
    from littlestone.audit import verify
    from littlestone.report import page
    from littlestone.report.evaluated import plain

    listed = label_list("audit exact", claim.labels, positive=None)
    concepts, _ = claim.opened("audit exact", listed)
    options: dict[str, Any] = {} if method is None else {"method": method}
    if samples_per_user is not None:
        options["samples_per_user"] = whole("audit exact", "samples_per_user", samples_per_user)
    algorithm = claim.algorithm(concepts, **options)
    places = read_points(needed("audit exact", "points", claim.points), concepts)
    check_integer("audit", "n", n, low=1)
    check_integer("audit", "max_datasets", max_datasets, low=1)

    def before(count: int) -> None:
        if count > max_datasets:
            raise ParameterError(
                f"audit exact would enumerate {count:,} data sets, more than {max_datasets:,}. "
                f"Use fewer points or a smaller --n, or allow them: --max-datasets {count}."
            )
        if count > _MANY:
            caution([f"audit exact enumerates {count:,} data sets, which can take minutes."])

    with progress_of("Enumerating all data sets and all paths"):
        result: Verification = verify(
            algorithm,
            points=places,
            n_samples=n,
            outside=outside,
            observers=[page, plain],
            before=before,
            records_per_user=None
            if records_per_user is None
            else whole("audit exact", "records_per_user", records_per_user),
        )
    return _verdict(result, json=json)


def _verdict(found: Any, *, json: bool) -> int:
    """Print what was found, and return the exit code."""
    if not printed(found, json=json):
        note(str(found))
    return 0 if found.holds else 1


def all_n(*, claim: Enumerated = Enumerated(), json: AsJson = False) -> int:
    """Check the privacy of a learner for every number of records, step by step.

    Each step of the argument is enumerated, tested, proved or assumed, as the output says. The exit
    code is 1 if a step fails.
    """
    from littlestone.audit import all_n as chain_of

    listed = label_list("audit all-n", claim.labels, positive=None)
    concepts, _ = claim.opened("audit all-n", listed)
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
    """Compare a learner's draws on a real table and on its neighbours; the output is SECRET.

    The output contains the exact privacy loss of the choices that were drawn and, for a learner
    with a single draw, of every outcome. It is computed from the records, so do not publish it. The
    exit code is 1 if the claim is exceeded.

    Parameters
    ----------
    data:
        Table of labelled records: a Parquet or CSV file, or the URL of a table in a database.
    y:
        Column of labels.
    x:
        Predictor column, for classes over one column.
    positive:
        Value of --y that means label 1, or several spellings of it, such as "yes|Yes"; every other
        value means 0. Matching is case-sensitive, except that 1 also matches
        true and yes in upper or lower case.
    pairs:
        Number of neighbours to compare, which are tables that differ from this one in one record.
    """
    from littlestone.audit import replay as replayed
    from littlestone.data import Sample, read_table

    concepts, public = claim.opened("audit replay")
    algorithm = claim.algorithm(concepts)
    declared = None if public is None else public.csv
    opened = read_table(data, csv=written.csv, declared=declared, caller="audit replay")
    table = Sample.read(
        opened, x=x, y=y, domain=concepts.domain, positive=spellings_in(positive),
        caller="audit replay",
    )  # fmt: skip
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
