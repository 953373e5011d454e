"""Bugs in reading."""

from __future__ import annotations

from littlestone.audit.controls.control import Control

__all__ = ["IN_DATA"]

IN_DATA: tuple[Control, ...] = (
    Control(
        "rows with nulls are dropped",
        "n depends on the data",
        "A missing cell removes its record, so n tells how many there are.",
        "data.counting",
        "keys = bytewise(frame.select(**first).select(**then))",
        "keys = bytewise(frame.select(**first).select(**then).drop_nulls())",
        ("one odd cell", "one odd cell in a file"),
    ),
    Control(
        "records outside are dropped",
        "n depends on the data",
        "What lies outside the domain is not counted.",
        "data.sample",
        "    return Sample(points, zeros, ones, (outside_zeros, outside_ones))",
        "    return Sample(points, zeros, ones)",
        "one odd cell",
    ),
    Control(
        "a column is typed by its cells",
        "types guessed from the data",
        "If all cells are digits the column is numeric: one odd cell rewrites 07 everywhere.",
        "data.tables",
        "    return pa.array([text(cell) for cell in cells], pa.large_string())",
        "    cells = [text(cell) for cell in cells]\n"
        "    if all(cell and cell.isdigit() for cell in cells):\n"
        "        cells = [str(int(cell)) for cell in cells]\n"
        "    return pa.array(cells, pa.large_string())",
        "one odd cell",
    ),
    Control(
        "texts merge by a collation",
        "equal to the engine only",
        "The engine takes Bonn and bonn for one text and shows the one that came first.",
        "data.tables",
        "    if not texts:\n        return frame",
        "    if texts or not texts:\n        return frame",
        "collations",
    ),
    Control(
        "a domain that starts at the least value",
        "domain from the data",
        "Points are counted from the smallest one in the table.",
        "data.domains",
        "            return values.astype(np.int64 if self.small else object)",
        "            return (values - values.min() + self.low).astype(np.int64)",
        "one number in an array",
    ),
    Control(
        "bins at the quantiles of the column",
        "domain from the data",
        "'Equal frequency' bins: the edges are records.",
        "data.columns",
        "            limits = np.array(self.integer_edges, dtype=np.int64)",
        "            steps = np.linspace(0, 1, len(self.integer_edges) + 2)[1:-1]\n"
        "            limits = np.quantile(values, steps).astype(np.int64)",
        "one number in an array",
    ),
    Control(
        "the set of labels is that of the data",
        "label set from the data",
        "The larger label that occurs is 1 (as scikit-learn does): without a 1, every 0 is one.",
        "learners.shell",
        "        positive = equal(labels, classes[1])",
        "        positive = equal(labels, np.unique(labels)[-1])",
        "public labels",
    ),
    Control(
        "names in the order of arrival",
        "order of the data",
        "Distinct points are numbered as they come, so the first candidate is the first record's.",
        "data.points",
        "    keys = sorted(table, key=canonical_order)",
        "    keys = list(table)",
        "order of rows",
    ),
    Control(
        "one stream of numbers cuts all users",
        "cut by all records",
        "Which records of a user are kept depends on how many users before have too many.",
        "data.users",
        "        seeds = mixed(self.keys[users] ^ mixed(",
        "        seeds = mixed(np.arange(len(users), dtype=np.uint64) ^ mixed(",
        "the cut of one user",
    ),
    Control(
        "one record more for each user",
        "off by one",
        "A user keeps one record more than the noise is for.",
        "data.users",
        "chosen = record_row[order[ordinal < most]]",
        "chosen = record_row[order[ordinal <= most]]",
        "the cut of one user",
    ),
    Control(
        "a sample that shows its positives",
        "exact count shown",
        "The repr of a sample, which ends up in logs and notebooks.",
        "data.sample",
        '        return f"Sample(n={self.n})"  # nothing else is public',
        '        return f"Sample(n={self.n}, positives={self.positives})"',
        "nothing is shown",
    ),
    Control(
        "a refusal that quotes the cells",
        "refusal by the data",
        "The message of an error shows the range of the column.",
        "data.domains",
        '                raise refusal(owner, "X", self.rule)',
        "                raise refusal(owner, str(values.tolist()), self.rule)",
        "nothing is shown",
    ),
)
