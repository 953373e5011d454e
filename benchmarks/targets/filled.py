"""The results of docs/targets.md, between its two markers, and its tables."""

from __future__ import annotations

import csv
import math
import re
from io import StringIO

from standing import Cell, Standing
from tables import DATA

__all__ = ["HEADINGS", "csv_of_kind", "filled"]

MARKS = re.compile(r"(<!-- results -->\n).*?(<!-- end of results -->)", re.DOTALL)
EPSILONS = ("0.5", "1", "2", "4")
PRIVATE = (("DP-EBM", "replace-one"), ("DP-EBM", "as it is"), ("diffprivlib", "replace-one"))
HEADINGS = {
    "quantity": "Quantities: R2",
    "user": "Users: R2, with all records of a user protected together",
    "count": "Counts: proportion of deviance explained",
    "time": "Survival times: concordance",
}
OURS, PURE = ("boosted trees", "replace-one"), ("boosted trees, pure", "replace-one")


def filled(page: str, standing: Standing) -> str:
    """Return the page with these results; its tables are files in docs/targets."""
    lines = []
    for kind, heading in HEADINGS.items():
        table = ["```{csv-table}", f":file: targets/{kind}.csv", ":header-rows: 1", "```"]
        lines += [f"## {heading}", "", *table, ""]
    lines += ["## Where another private library is more accurate", "", *_ahead(standing)]
    text = "\n".join([*lines, ""])
    return MARKS.sub(lambda found: f"{found[1]}\n{text}\n{found[2]}", page)


def csv_of_kind(standing: Standing, kind: str) -> str:
    """Return a table of the page as CSV: the scores on the tables of one kind."""
    rivals = kind in ("quantity", "user")
    named = ["DP-EBM, 1", "as it is, 1", "diffprivlib, 1"] if rivals else []
    plain = ("Cox" if kind == "time" else "gradient boosting", "not private")
    ratio = kind != "time"
    text = StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(["table", *EPSILONS, "pure, 1", *(["mean, 1"] if ratio else []), *named, plain[0]])
    for data in DATA:
        if data.kind != kind:
            continue
        found = [standing.best(data.name, epsilon, *OURS, "score") for epsilon in EPSILONS]
        cells = [*map(_said, found), _said(standing.best(data.name, "1", *PURE, "score"))]
        if ratio:
            cells.append("-" if found[1] is None else f"{found[1].mean['ratio']:.2f}")
        if rivals:
            cells += [_said(standing.best(data.name, "1", *one, "score")) for one in PRIVATE]
        cells.append(_said(standing.best(data.name, "", *plain, "score")))
        out.writerow([data.title, *cells])
    return text.getvalue()


def _said(cell: Cell | None) -> str:
    """Return a mean with its standard error in thousandths."""
    if cell is None or math.isnan(cell.mean["score"]):
        return "-" if cell is None else "failed"
    if cell.mean["score"] < 0:
        return "< 0"
    error = f" ({1000 * cell.error['score']:.0f})" if cell.seeds > 1 else ""
    return f"{cell.mean['score']:.3f}".removeprefix("0") + error


def _ahead(standing: Standing) -> list[str]:
    """Return where the best setting of a private rival has the larger mean, to three decimals.

    Only positive means count. Diffprivlib is pure: it is compared with our pure fits where there
    are any.
    """
    lines = []
    for data in DATA:
        for epsilon in EPSILONS:
            for method, relation in PRIVATE:
                ours, name = standing.best(data.name, epsilon, *OURS, "score"), "ours"
                pure = standing.best(data.name, epsilon, *PURE, "score")
                if pure and method == "diffprivlib":
                    ours, name = pure, "ours, pure,"
                rival = standing.best(data.name, epsilon, method, relation, "score")
                if not (ours and rival):
                    continue
                if round(rival.mean["score"], 3) > max(0.0, round(ours.mean["score"], 3)):
                    sound = ", as it is" if relation == "as it is" else ""
                    lines.append(
                        f"* {data.title}, epsilon {epsilon}: {method}{sound} {_said(rival)}, "
                        f"{name} {_said(ours)}."
                    )
    return lines or ["Nowhere."]
