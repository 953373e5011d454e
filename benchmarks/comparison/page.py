"""The tables of docs/comparison.md."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from io import StringIO

from fits import MEASURES
from standing import RELATIONS, Standing, counts, means

__all__ = ["SHOWN", "csv_of_behind", "csv_of_means", "csv_of_measure", "csv_of_standings"]

#: Heading, and the method and relation of a column.
COLUMNS = {
    "boosted trees": ("boosted trees", "replace-one"),
    "linear": ("linear", "replace-one"),
    "auto": ("auto", "replace-one"),
    "pure": ("boosted trees, pure", "replace-one"),
    "scorecard": ("scorecard", "replace-one"),
    "S-BDT": ("S-BDT", "replace-one"),
    "S-BDT, own": ("S-BDT", "own"),
    "DP-EBM": ("DP-EBM", "replace-one"),
    "DP-EBM, own": ("DP-EBM", "own"),
    "forest": ("diffprivlib RandomForestClassifier", "replace-one"),
    "logistic": ("diffprivlib LogisticRegression", "replace-one"),
    "MST": ("MST, gradient boosting", "replace-one"),
    "no privacy": ("gradient boosting", "not private"),
}
#: The measures by which `counts` judges, as headings.
COUNTED = ("AUROC", "accuracy", "log loss")
#: The measures of which the page shows a table, and the file of each in docs/comparison.
SHOWN = {
    "auroc": "auroc.csv",
    "accuracy": "accuracy.csv",
    "log_loss": "log-loss.csv",
    "calibration": "calibration.csv",
}


def csv_of_standings(standing: Standing, titles: Mapping[str, str], epsilons: Sequence[str]) -> str:
    """Return on how many tables the default, and `auto`, are level or better, as CSV."""
    text = StringIO()
    out = csv.writer(text, lineterminator="\n")
    autos = [f"auto: {measure}" for measure in COUNTED]
    out.writerow(["epsilon", "neighbours", "tables", *COUNTED, *autos])
    for epsilon in epsilons:
        for relation in RELATIONS:
            compared = [n for n in titles if standing.best(n, epsilon, "DP-EBM", relation, "auroc")]
            cells = [
                count
                for method in ("boosted trees", "auto")
                for count in counts(standing, compared, epsilon, relation, method)[0].values()
            ]
            out.writerow([epsilon, relation, len(compared), *cells])
    return text.getvalue()


def csv_of_behind(standing: Standing, titles: Mapping[str, str], shown: str = "1") -> str:
    """Return where a rival is ahead of the default, as CSV."""
    text = StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(["neighbours", "table", "measure", "ours", "best other library"])
    for relation in RELATIONS:
        for line in counts(standing, list(titles), shown, relation)[1]:
            name, values = line.split(": ")
            table, _, measure = name.partition(", ")
            measure = measure.replace("auroc", "AUROC")
            out.writerow([relation, titles[table], measure, *values.split(", ")])
    return text.getvalue()


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
