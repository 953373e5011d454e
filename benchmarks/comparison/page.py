"""The results of docs/comparison.md, between its two markers, and its tables."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from io import StringIO

from fits import MEASURES
from standing import RELATIONS, Standing, counts, means

__all__ = ["SHOWN", "csv_of_means", "csv_of_measure", "filled"]

MARKS = re.compile(r"(<!-- results -->\n).*?(<!-- end of results -->)", re.DOTALL)
#: Heading, and the method and relation of a column.
COLUMNS = {
    "boosted trees": ("boosted trees", "replace-one"),
    "pure": ("boosted trees, pure", "replace-one"),
    "scorecard": ("scorecard", "replace-one"),
    "DP-EBM": ("DP-EBM", "replace-one"),
    "DP-EBM, own": ("DP-EBM", "own"),
    "forest": ("diffprivlib RandomForestClassifier", "replace-one"),
    "logistic": ("diffprivlib LogisticRegression", "replace-one"),
    "MST": ("MST, gradient boosting", "replace-one"),
    "no privacy": ("gradient boosting", "not private"),
}
#: The measures of which the page shows a table, and the file of each in docs/comparison.
SHOWN = {
    "auroc": "auroc.csv",
    "accuracy": "accuracy.csv",
    "log_loss": "log-loss.csv",
    "calibration": "calibration.csv",
}


def filled(
    page: str,
    standing: Standing,
    titles: Mapping[str, str],
    epsilons: Sequence[str],
    shown: str = "1",
) -> str:
    """Return the page with these results."""
    text = "\n".join([*_standings(standing, titles, epsilons, shown), ""])
    return MARKS.sub(lambda found: f"{found[1]}\n{text}\n{found[2]}", page)


def _standings(
    standing: Standing, titles: Mapping[str, str], epsilons: Sequence[str], shown: str
) -> list[str]:
    """Return on how many tables the default is level or first, and where it is behind."""
    head = ["| epsilon | neighbours | AUROC | accuracy | log loss |", "|--:|---|--:|--:|--:|"]
    rows, behind = [], []
    for epsilon in epsilons:
        for relation in RELATIONS:
            level, where = counts(standing, list(titles), epsilon, relation)
            cells = " | ".join(f"{count} of {len(titles)}" for count in level.values())
            rows.append(f"| {epsilon} | {relation} | {cells} |")
            if epsilon == shown and where:
                behind.append(f"* {relation}: {'; '.join(where)}.")
    return [*head, *rows, "", f"### Where we are behind at epsilon {shown}", "", *behind]


def csv_of_measure(
    standing: Standing, titles: Mapping[str, str], measure: str, shown: str = "1"
) -> str:
    """Return a table of the page as CSV: a measure of each method on each table."""
    text = StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(["table", *COLUMNS])
    for name, *cells in means(standing, list(titles), shown, COLUMNS, measure):
        out.writerow([titles[name], *("" if cell == "-" else cell for cell in cells)])
    return text.getvalue()


def csv_of_means(standing: Standing, tables: Sequence[str], epsilons: Sequence[str]) -> str:
    """Return every mean as CSV: table, epsilon, method, setting, relation, measures, seconds."""
    text = StringIO()
    out = csv.writer(text, lineterminator="\n")
    names = [name for measure in MEASURES for name in (measure, f"{measure} error")]
    out.writerow(["table", "epsilon", "method", "setting", "relation", "seeds", "failed",
                  "seconds", *names])  # fmt: skip
    for table in tables:
        for epsilon in (*epsilons, ""):
            for cell in standing.cells(table, epsilon):
                values = [f"{part[m]:.4f}" for m in MEASURES for part in (cell.mean, cell.error)]
                out.writerow([table, epsilon, cell.method, cell.setting, cell.relation,
                              cell.seeds, cell.failed, f"{cell.seconds:.1f}", *values])  # fmt: skip
    return text.getvalue()
