"""Write reports.csv: links that users opened, and whether each turned out to be bad. MADE DATA.

    python examples/blocklist/make.py

Each of 8,000 users reports one link. Three links are bad; the others are fine, and most of them
were opened by a single user: they may hold names, or say where that user has been. There is no
public list of links. The links are made at random under the name that RFC 2606 reserves.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
ROWS = 8000
BAD = ("prize-draw.example/claim", "parcel.example/fee?id=7", "bank-login.example")
COMMON = ("news.example", "mail.example", "maps.example/route")
WORDS = ("rose", "gate", "lake", "pine", "moon", "dune", "fern", "gull")


def link(rng: np.random.Generator) -> str:
    """Return one opened link."""
    kind = rng.random()
    if kind < 0.45:
        return BAD[int(rng.choice(3, p=[0.5, 0.3, 0.2]))]
    if kind < 0.75:
        return COMMON[int(rng.integers(3))]
    first, second = rng.choice(WORDS, 2)
    return f"{first}-{second}.example/user/{int(rng.integers(10**6))}"


def main() -> None:
    """Write the table."""
    rng = np.random.default_rng(20250601)
    with (HERE / "reports.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["link", "bad"])
        for _ in range(ROWS):
            opened = link(rng)
            table.writerow([opened, int(opened in BAD)])
    print(f"reports.csv: {ROWS:,} rows")


if __name__ == "__main__":
    main()
