"""Measure rules of a rare label with and without costs of mistakes, and show both reports.

    python benchmarks/rare.py FOLDER [--tables census caravan] [--draws 5] [--epsilon 1]

Two public tables of which about 94 of 100 records have the label no, as their documentation says:
the KDD census table and Caravan insurance (`benchmarks/comparison` fetches them). A missed
yes costs 15 times as much as a missed no: the public ratio of 94 to 6. Learned from the training
rows and tested on the test rows, each with its own draw; trees with the labels no
and yes. Prints Markdown, and what the report says of the first draw.
"""

from __future__ import annotations

import argparse
import sys
import time
from fractions import Fraction
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent / "comparison"))

from definitions import TABLES
from fetch import prepare

COSTS = {"no": 1, "yes": 15}


def learned(name, concepts, parts, costs, epsilon, draws, *, shown):
    """Return accuracy and balanced accuracy of each draw, seconds, and the first report."""
    from littlestone.cli.terminal import plain
    from littlestone.data import Sample
    from littlestone.learners import registry
    from littlestone.learners.running import run
    from littlestone.source import SeededSource

    X, y, test_X, test_y = parts
    sample = Sample.of(X, y, labels=2)
    coded = None if costs is None else {0: costs["no"], 1: costs["yes"]}
    learner = registry.make("agnostic", concepts, epsilon=epsilon, costs=coded)
    begun, found, said = time.process_time(), [], ""
    for seed in range(draws):
        made = run(learner, sample, SeededSource(seed), evaluate=epsilon / 10)
        answers = made.hypothesis.predict(test_X)
        right = [np.mean(answers[test_y == label] == label) for label in (0, 1)]
        found.append((np.mean(answers == test_y), np.mean(right)))
        said = said or plain(made)
    seconds = (time.process_time() - begun) / draws
    if shown:
        print(f"\n{name}, {concepts.spec}, costs {costs}:\n\n{said}", file=sys.stderr, flush=True)
    return np.array(found), seconds


def main() -> None:
    """Print a table for each data set."""
    import littlestone as ls

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tables", nargs="+", default=["census", "caravan"])
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--epsilon", type=Fraction, default=Fraction(1))
    asked = parser.parse_args()
    for name in asked.tables:
        table = TABLES[name]
        held = np.load(prepare(table, asked.folder))
        codes, labels, test = held["codes"], held["labels"].astype(np.int64), held["test"]
        parts = codes[~test], labels[~test], codes[test], labels[test]
        schema = ls.Schema.from_toml(table.schema)
        print(f"\n{table.title}: {(~test).sum():,} records, {labels.mean():.1%} yes")
        print("| class | costs no : yes | accuracy | balanced accuracy | least | s |")
        print("|---|--:|--:|--:|--:|--:|", flush=True)
        for make in (
            lambda s: ls.DecisionTrees(s, 2, labels=["no", "yes"]),
            lambda s: ls.DecisionTrees(s, 3, labels=["no", "yes"]),
        ):
            for costs in (None, COSTS):
                concepts = make(schema)
                found, seconds = learned(
                    table.title, concepts, parts, costs, asked.epsilon, asked.draws, shown=True
                )
                accuracy, balanced = found.mean(axis=0)
                ratio = "1 : 1" if costs is None else f"1 : {costs['yes']}"
                print(
                    f"| `{concepts.spec}` | {ratio} | {accuracy:.3f} | {balanced:.3f} "
                    f"| {found[:, 1].min():.3f} | {seconds:.0f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
