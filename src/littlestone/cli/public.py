"""Options about public unlabelled points, and how their file is read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from littlestone.cli.options import open_class, shared, whole
from littlestone.errors import ParameterError, parameter_error

if TYPE_CHECKING:
    from littlestone.classes import ConceptClass
    from littlestone.data import Schema
    from littlestone.data.formats import CsvFormat
    from littlestone.types import Json


@shared
class Public:
    """Public points."""

    public: str | None = None
    """Table of public unlabelled rows (nothing of it is protected, and none of its rows may be in
    DATA). Candidates begin and end at these rows: for thresholds(...), intervals(...) and
    half_planes(...) the column --x; for rules, lists and trees the columns of the same names,
    instead of --schema."""
    bins: str | None = None
    """With --public, for rules, lists and trees: the most bins of a column, by default 20. More
    bins are more accurate, and make more candidates."""
    shift: str | None = None
    """With --public: how the populations differ, as RHO,TAU: a set has in the population of the
    records at most RHO times its share among public rows, plus TAU. By default 1,0: the same
    population. The certificate relies on it, and nothing checks it. With "none" the certificate is
    about the best candidate only."""

    def opened(
        self,
        data: str,
        spec: str,
        schema: str | None,
        *,
        y: str,
        x: list[str] | None,
        labels: list[str] | None,
        form: CsvFormat | None,
    ) -> tuple[ConceptClass, Schema | None, Json]:
        """Return the class, its schema, and the options of the learner that say its points."""
        from littlestone.classes.spec import needs_schema
        from littlestone.data import read_table
        from littlestone.data.public_bins import from_public

        if self.public is None:
            for name in ("bins", "shift"):
                if getattr(self, name) is not None:
                    raise ParameterError(f"The {name!r} option of fit is for --public FILE.")
            return (*open_class(spec, schema, x, labels), {})
        if schema is not None:
            raise ParameterError(
                "fit takes --schema or --public, not both: the bins come from the public rows. A "
                "schema of them can be kept: Schema.from_public(table).to_toml()."
            )
        mine, open_ = Path(data), Path(self.public)
        if mine.exists() and open_.exists() and mine.samefile(open_):
            raise ParameterError(
                "The table of --public must be another one than DATA: points of the records "
                "themselves are not public."
            )
        options: Json = {} if self.shift is None else {"shift": _shift(self.shift)}
        table = read_table(self.public, csv=form, caller="fit")
        if needs_schema(spec):
            chosen = [name for name in table.names if name != y] if x is None else x
            bins = 20 if self.bins is None else whole("fit", "bins", self.bins)
            found = from_public(table, bins=bins, columns=chosen)
            return (*open_class(spec, found, x, labels), options)
        if self.bins is not None:
            raise ParameterError("The 'bins' option of fit is for rules, rule lists and trees.")
        concepts, _ = open_class(spec, None, x, labels)
        return concepts, None, options | {"public": _points(table, concepts, x)}


def _points(table: Any, concepts: ConceptClass, x: list[str] | None) -> list[Any]:
    """Return the public points of a class that has a domain of its own; others are left out."""
    from littlestone.data import OUTSIDE
    from littlestone.data.domains import require_columns
    from littlestone.data.draft import cells_of

    if x is None or len(x) != 1:
        raise parameter_error("fit", "x", f"one column for {concepts.spec}", x, "Name it with --x.")
    require_columns(x, table.names, "fit")
    found = [concepts.domain.cell(raw) for raw in cells_of(table, x[0], "fit", x)]
    return [point for point in found if point is not OUTSIDE]


def _shift(text: str) -> Any:
    return None if text == "none" else text.split(",")


def public_class(concepts: ConceptClass, number: str) -> ConceptClass:
    """Return a class at so many different public points, for plans."""
    from littlestone.classes.public_points import at_so_many

    return at_so_many(concepts, whole("plan", "public_points", number))
