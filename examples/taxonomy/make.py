"""Write categories.csv, a taxonomy of food, and pools.csv, pooled tests on it. MADE DATA.

    python examples/taxonomy/make.py

The categories follow the headings of division 01 of COICOP 2018, the classification of household
consumption that the United Nations Statistics Division publishes: an excerpt, shortened, with one
made level of products below. A laboratory mixed what it held of one category and tested the pool;
the pool is positive if and only if the category contains the contaminated product. The tests are
made. Which laboratory tested what is a business secret.

Learn what is contaminated, without telling what any single laboratory found::

    littlestone fit examples/taxonomy/pools.csv --x category --y positive \
        --class "tree_paths(examples/taxonomy/categories.csv)" \
        --learner vc1 --epsilon 1 --delta 1e-6
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
ROWS = 900
CONTAMINATED = "washed-rind cheese"
CATEGORIES = {
    "01 Food and non-alcoholic beverages": {
        "01.1 Food": {
            "01.1.1 Cereals and cereal products": ["rice", "flour", "bread", "pasta", "muesli"],
            "01.1.2 Meat": ["beef", "pork", "lamb", "poultry", "sausages"],
            "01.1.3 Fish and other seafood": ["fresh fish", "smoked fish", "shellfish"],
            "01.1.4 Milk, other dairy products and eggs": {
                "01.1.4.1 Raw and whole milk": [],
                "01.1.4.2 Skimmed milk": [],
                "01.1.4.5 Cheese": ["fresh cheese", "hard cheese", CONTAMINATED, "blue cheese"],
                "01.1.4.6 Yoghurt": ["plain yoghurt", "fruit yoghurt"],
                "01.1.4.8 Eggs": [],
            },
            "01.1.5 Oils and fats": ["butter", "margarine", "olive oil"],
            "01.1.6 Fruits and nuts": ["apples", "berries", "citrus", "nuts"],
            "01.1.7 Vegetables and pulses": ["salads", "tomatoes", "potatoes", "beans"],
            "01.1.8 Sugar and confectionery": ["chocolate", "jam", "ice cream"],
            "01.1.9 Ready-made food": ["soups", "baby food", "sauces"],
        },
        "01.2 Non-alcoholic beverages": ["juices", "coffee", "tea", "water", "soft drinks"],
    }
}


def nodes(tree: object, parent: str = "") -> list[tuple[str, str]]:
    """Return all (node, parent) pairs, parents first."""
    if isinstance(tree, list):
        return [(name, parent) for name in tree]
    pairs = []
    for name, below in dict(tree).items():  # type: ignore[call-overload]
        pairs += [(name, parent), *nodes(below, name)]
    return pairs


def main() -> None:
    """Write both tables."""
    rng = np.random.default_rng(20250302)
    pairs = nodes(CATEGORIES)
    parents = dict(pairs)
    above, at = set(), CONTAMINATED
    while at:
        above.add(at)
        at = parents[at]
    with (HERE / "categories.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["node", "parent"])
        table.writerows(pairs)
    names = [name for name, _ in pairs]
    # laboratories test broad pools more often than single products, and where they suspect more
    weights = np.array([4.0 if name in above else 1.0 for name in names])
    with (HERE / "pools.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["category", "positive"])
        for name in rng.choice(names, ROWS, p=weights / weights.sum()):
            table.writerow([name, int(name in above)])
    print(f"categories.csv: {len(pairs)} nodes; pools.csv: {ROWS:,} rows")


if __name__ == "__main__":
    main()
