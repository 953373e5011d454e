"""Measure two ways to boost trees with several labels: one draw a round, or one for each label.

    python benchmarks/boosting/one_versus_rest.py DIAMONDS_CSV [--draws 3] [--tables Wine,Digits]

*Votes* is what the library does: a round draws one tree that votes for labels. *One versus rest*
boosts a tree of votes -1 and +1 for each label against all others: K draws a round, all on the same
records, so K T draws are composed by the same rules. It gets the better of two numbers of rounds,
chosen on the test rows: the library's T, and T / K. Tables as in ``benchmarks/labels.py``, and
Digits of scikit-learn (1,797 rows, 10 labels, 64 columns of four bins). Prints Markdown, a line
for each setting as it comes: accuracy, log loss and seconds of a fit.
"""

from __future__ import annotations

import argparse
import sys
import time
from fractions import Fraction
from pathlib import Path

import numpy as np

import littlestone as ls
from littlestone.classes import BoostedTreeClass
from littlestone.data import RowDomain, Sample
from littlestone.learners.boosting import Boosting
from littlestone.learners.boosting.losses import Votes
from littlestone.learners.boosting.rounds import largest_round
from littlestone.source import SeededSource

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from labels import BINS, tables

EPSILONS = (0.3, 1.0, 3.0, 10.0)


def votes(schema, points, codes, k, depth, epsilon, delta, seed):
    """Return the probabilities of the library's own sum of trees."""
    concepts = BoostedTreeClass(schema, depth, labels=list(range(2, k + 2)))
    learner = Boosting(concepts, epsilon=epsilon, delta=delta)
    sample = Sample.of(points, codes, labels=k)
    return learner.draw(sample, SeededSource(seed)).probability


def one_versus_rest(schema, points, codes, k, depth, epsilon, delta, seed, share):
    """Return the normalised probabilities of K sums of trees; ``share`` of the rounds for each."""
    plain = Boosting(BoostedTreeClass(schema, depth), epsilon=epsilon, delta=delta)
    rounds = max(2, round(plain.plan.settings(len(codes)).rounds * share))
    learner = Boosting(BoostedTreeClass(schema, depth, rounds), epsilon=epsilon, delta=delta)
    own = learner.plan.settings(len(codes))
    each = largest_round(learner.epsilon, Fraction(learner.delta or 0), k * rounds)
    source, sums = SeededSource(seed), []
    for label in range(k):
        sample = Sample.of(points, (codes == label).astype(int))
        votes, trees = Votes(sample, (0, 0), own.loss), []
        for done in range(rounds):
            rows, rate = learner.round(votes, done)
            trees.append(learner.tree(rows, rate * each / own.round_epsilon, source))
            votes.add(trees[-1], done)
        sums.append(trees)

    def probability(rows):
        margins = np.array([sum(2.0 * t.predict(rows) - 1 for t in trees) for trees in sums])
        chances = 1 / (1 + np.exp(-float(own.loss.step) * margins))
        return (chances / chances.sum(axis=0)).T

    return probability


def main() -> None:
    """Print a line for each setting."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("diamonds", type=Path)
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--tables", default="Wine,Digits,Diamonds")
    parser.add_argument("--depths", default="1,2")
    parser.add_argument("--deltas", default="0,1e-6")
    asked = parser.parse_args()
    from sklearn.datasets import load_digits

    digits = load_digits()
    known = tables(asked.diamonds)
    known["Digits"] = (digits.data, digits.target, {f"p{i}": (0, 16) for i in range(64)})
    print("| table | depth | delta | epsilon | design | accuracy | log loss | seconds |")
    print("|---|--:|--:|--:|---|--:|--:|--:|", flush=True)
    for name in asked.tables.split(","):
        X, y, ranges = known[name]
        names, codes = np.unique(y, return_inverse=True)
        bins = BINS.get(name, 4)
        schema = ls.Schema.from_dict(
            {
                column: {"bins": np.linspace(low, high, bins + 1)[1:-1].round(4).tolist()}
                for column, (low, high) in ranges.items()
            }
        )
        points, k = RowDomain(schema).array(X, caller="benchmark"), len(names)
        for depth in map(int, asked.depths.split(",")):
            for delta in (None if d == "0" else d for d in asked.deltas.split(",")):
                for epsilon in EPSILONS:
                    designs = {"votes": (votes, ())} | {
                        f"one versus rest, {what}": (one_versus_rest, (share,))
                        for what, share in (("T", 1.0), ("T / K", 1 / k))
                    }
                    for design, (fit, more) in designs.items():
                        found = []
                        for seed in range(asked.draws):
                            test = np.random.default_rng(seed).random(len(y)) < 1 / 3
                            began = time.perf_counter()
                            chances = fit(
                                schema, points[~test], codes[~test], k, depth, epsilon, delta,
                                seed, *more,
                            )(points[test])  # fmt: skip
                            spent = time.perf_counter() - began
                            right = chances.argmax(axis=1) == codes[test]
                            loss = -np.log(chances[np.arange(test.sum()), codes[test]])
                            found.append((right.mean(), loss.mean(), spent))
                        accuracy, loss, spent = np.mean(found, axis=0)
                        print(
                            f"| {name} | {depth} | {delta or 0} | {epsilon:g} | {design} | "
                            f"{accuracy:.3f} | {loss:.3f} | {spent:.1f} |",
                            flush=True,
                        )


if __name__ == "__main__":
    main()
