"""Options about public unlabelled points, and how their file is read."""

from __future__ import annotations

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
    DATA). Instead of --schema: the columns of the same names get the quantiles of its numbers as
    bins, its texts as categories. For thresholds(...), intervals(...) and half_planes(...):
    candidates begin and end at its column --x."""
    bins: str | None = None
    """With --public: the most bins of a column, by default 20. More bins are more accurate, and
    make more candidates."""
    shift: str | None = None
    """With --public and --class: how the populations differ, as RHO,TAU: a set has in the
    population of the records at most RHO times its share among public rows, plus TAU. By default
    1,0: the same population. The certificate relies on it, and nothing checks it. With "none" the
    certificate is about the best candidate only."""

    @property
    def most_bins(self) -> int:
        """The most bins of a column."""
        return 20 if self.bins is None else whole("fit", "bins", self.bins)

    def check(self, schema: object) -> None:
        """Refuse options that do not go together."""
        if self.public is None:
            for name in ("bins", "shift"):
                if getattr(self, name) is not None:
                    raise ParameterError(f"The '--{name}' option of fit is for --public FILE.")
        elif schema is not None:
            raise ParameterError(
                "fit takes --schema or --public, not both: the bins come from the public rows. A "
                "schema of them can be kept: Schema.from_public(table).to_toml()."
            )

    def opened(
        self,
        data: str,
        spec: str,
        schema: str | None,
        *,
        y: str,
        user: str | None,
        x: list[str] | None,
        labels: list[str] | None,
        form: CsvFormat | None,
    ) -> tuple[ConceptClass, Schema | None, Json]:
        """Return the class, its schema, and the options of the learner that say its points."""
        from littlestone.classes.spec import needs_schema
        from littlestone.data import read_table
        from littlestone.data.public_bins import beside, refuse_same

        self.check(schema)
        if self.public is None:
            return (*open_class(spec, schema, x, labels), {})
        options: Json = {} if self.shift is None else {"shift": _shift(self.shift)}
        if needs_schema(spec):
            found = beside(data, self.public, [y, user], x, self.most_bins, form, "fit")
            return (*open_class(spec, found, x, labels), options)
        if self.bins is not None:
            raise ParameterError("The 'bins' option of fit is for rules, rule lists and trees.")
        refuse_same(data, self.public, "fit")
        table = read_table(self.public, csv=form, caller="fit")
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
