"""Broken readers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from littlestone.data.sample import Sample
from littlestone.errors import DataError

from .mutant import mutant, patched

_ARRAY = "data.domains:IntegerDomain.array"


@mutant(
    "n depends on the data",
    "data.containers:Stream.tables",
    "one odd cell",
    "test_units_limits_and_spellings_are_read_alike",
)
def rows_with_nulls_are_dropped(original, self, *rows):
    """A missing cell removes its record, so n tells how many there are."""
    return (table.drop_null() for table in original(self, *rows))


@mutant(
    "n depends on the data",
    "data.sample:grouped",
    "data/test_stored.py::test_integers_of_every_type",
)
def records_outside_are_dropped(original, *given):
    """What lies outside the domain is not counted."""
    made = original(*given)
    return Sample.binary(made.points, made.zeros, made.ones)


@mutant("types guessed from the data", "data.tables:_texts", "one odd cell")
def a_column_is_typed_by_its_cells(original, cells):
    """If all cells are digits the column is numeric: one odd cell rewrites 07 everywhere."""
    texts = original(cells).to_pylist()
    if all(text and text.isdigit() for text in texts):
        texts = [str(int(text)) for text in texts]
    return pa.array(texts, pa.large_string())


@mutant(
    "equal to the engine only",
    "data.codes:distinct_cells",
    "test_a_collation_does_not_merge_records",
)
def texts_merge_by_a_collation(original, column):
    """The engine takes Bonn and bonn for one text and shows the one that came first."""
    cells, where = original(column)
    first = {}
    return [cell and first.setdefault(cell.casefold(), cell) for cell in cells], where


@mutant(
    "equal to the engine only",
    "data.containers:bytewise",
    "test_texts_of_engines_with_collations_are_grouped_by_their_bytes",
)
def texts_grouped_as_a_database_compares_them(original, frame):
    """Spark or PostgreSQL has a collation: Bonn and bonn are one group, with the name of either."""
    return frame


@mutant(
    "types guessed from the data",
    "data.lines:_with_points",
    "test_decimal_commas_are_for_numbers_and_a_schema_declares_them",
)
def a_decimal_sign_that_is_guessed(original, cells):
    """One number with a point, and the column is taken for one with points."""
    pointed = any(cell.replace(".", "").isdigit() and "." in cell for cell in cells.to_pylist())
    return cells if pointed else original(cells)


@mutant(
    "n depends on the data",
    "data.lines:_split",
    "test_one_unclosed_quote_swallows_records_only_where_that_was_declared",
)
def quotes_that_span_lines_undeclared(original, data, form, width):
    """As every CSV parser does: one unclosed quote swallows the records after it."""
    return original(data, replace(form, quoted_line_breaks=True), width)


@mutant("domain from the data", _ARRAY, "test_layout_follows_from_the_public_bounds")
def a_domain_that_starts_at_the_least_value(original, self, *given, **options):
    """Points are counted from the smallest one in the table."""
    values = original(self, *given, **options)
    return values - values.min() + self.low


@mutant(
    "domain from the data",
    "data.schema:Column.codes",
    "data/test_stored.py::test_codes_of_numbers_of_every_type",
)
def bins_at_the_quantiles_of_the_column(original, self, values):
    """'Equal frequency' bins: the edges are records."""

    steps = np.linspace(0, 1, len(self.edges or ()) + 2)[1:-1]
    quantiles = property(lambda column: tuple(np.quantile(values, steps).astype(np.int64)))
    with patched("data.schema:Column.integer_edges", lambda _: quantiles, kind="value"):
        return original(self, values)


@mutant(
    "label set from the data", "learners.sklearn_base:PrivateClassifier._targets", "public labels"
)
def the_set_of_labels_is_that_of_the_data(original, self, y):
    """The larger label that occurs is 1 (as scikit-learn does): without a 1, every 0 is one."""
    return (np.asarray(y) == np.max(y)).astype(np.int64)


@mutant("order of the data", "data.domains:canonical_order", "test_users_in_arrays_are_strict")
def names_in_the_order_of_arrival(original, point):
    """Distinct points are numbered as they come, so the first candidate is the first record's."""
    return 0


@mutant(
    "a zone inherited",
    "data.codes:_moments",
    "data/test_meanings.py::test_codes_are_those_of_the_words_of_the_schema",
)
def a_zone_of_the_container(original, cells, calendar):
    """A timestamp is looked at in the zone that its file or session names."""
    zone = getattr(cells.type, "tz", None)
    return original(cells, calendar if zone is None else replace(calendar, zone=zone))


@mutant(
    "a zone inherited",
    "data.cells:Calendar.local",
    "data/test_meanings.py::test_codes_are_those_of_the_words_of_the_schema",
)
def a_zone_of_the_machine(original, self, seconds):
    """A moment is looked at where the program runs: on this machine perhaps in Kolkata."""
    return original(replace(self, zone="Asia/Kolkata"), seconds)


@mutant("cut by all records", "data.targets:UserSample._cut", "test_a_cut_depends_on_one_user_only")
def one_stream_of_numbers_cuts_all_users(original, self, users, *given):
    """Which records of a user are kept depends on how many users before have too many."""
    keys = np.zeros_like(self.keys)
    keys[users] = np.arange(len(users))
    return original(replace(self, keys=keys), users, *given)


@mutant("off by one", "data.targets:UserSample._cut", "test_a_cut_of_many_users_in_blocks")
def one_record_more_for_each_user(original, self, users, most, *given):
    """A user keeps one record more than the noise is for."""
    return original(self, users, most + 1, *given)


@mutant("exact count shown", "data.sample:Sample.__repr__", "test_nothing_private_is_shown")
def a_sample_that_shows_its_positives(original, self):
    """The repr of a sample, which ends up in logs and notebooks."""
    return f"Sample(n={self.n}, positives={self.positives})"


@mutant("refusal by the data", _ARRAY, "test_refusals_name_column_and_rule_only")
def a_refusal_that_quotes_the_cells(original, self, column, **options):
    """The message of an error shows the range of the column."""
    try:
        return original(self, column, **options)
    except DataError as refused:
        raise DataError(f"{refused} Got {column}.") from None


@mutant("parts overlap", "data.stored:Stored.batches", "test_stored_rows_are_the_sorted_table")
def the_last_batch_is_counted_twice(original, self, *line):
    """What is left in memory is added to the counts, though it is in the store already."""
    batches = list(original(self, *line))
    return iter(batches + batches[-1:])


@mutant(
    "types guessed from the data",
    "data.schema:Column.codes",
    "test_no_cell_changes_the_code_of_another_one",
)
def integers_as_numpy_likes_them(original, self, values):
    """One integer beyond 2**63 makes doubles of a whole list."""
    if set(map(type, values)) == {int}:
        values = np.array(list(values))
    return original(self, values)
