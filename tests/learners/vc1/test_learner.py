"""The vc1 learner's parts, shell, registry, examples and refusals."""

import json
from fractions import Fraction as F
from pathlib import Path

import numpy as np
import pytest

import littlestone as ls
from littlestone.audit.mechanism import replace_one, verify_mechanism
from littlestone.classes.trees import ROOT, make_tree
from littlestone.cli.main import main
from littlestone.data import OUTSIDE, Sample
from littlestone.data.sample import OrderedSample, part, sizes
from littlestone.learners import registry, select
from littlestone.learners.release import Release
from littlestone.learners.running import run
from littlestone.learners.vc1 import (
    MOST_CHUNKS,
    VC1,
    ChainMedian,
    TreeGoal,
    chunk_ends,
    public_tree,
)
from littlestone.source import ExactSource, ReplaySource, SeededSource

# -- The learner's parts, shell, registry and refusals ---------------------------------------------

NUMBERS = {"epsilon": 1, "delta": 1e-6, "alpha": 0.1, "beta": 0.05}


def slow_ends(tree, sample, chunks):
    ends, start = [], 0
    for size in sizes(sample.n, chunks):
        ends.append(tree.deterministic(part(sample, sample.kinds[start : start + size])))
        start += size
    return ends


def test_chunks_of_one_record_are_what_the_tree_says():
    tree = make_tree(ls.Prefixes("ab", 3))
    rng = np.random.default_rng(1)
    points = [int(x) for x in rng.integers(1, 16, 40)]
    sample = OrderedSample.listed(points, rng.integers(0, 2, 40).tolist())
    for chunks in (40, 45):
        assert chunk_ends(tree, sample, sample.kinds, chunks) == slow_ends(tree, sample, chunks)


def test_big_domains_use_big_integers():
    tree = make_tree(ls.Thresholds(0, 2**70))
    sample = OrderedSample.listed([2**69 + 5, 2**69 - 7, 1], [0, 1, 0])
    assert chunk_ends(tree, sample, sample.kinds, 3) == [2**69 + 5, 2**69 - 7, ROOT]


def test_records_share_chunks_only_when_they_are_many():
    algorithm = VC1(ls.Thresholds(1, 2**20), **NUMBERS)
    assert not algorithm.shuffles(5)
    assert not algorithm.shuffles(MOST_CHUNKS)
    assert algorithm.shuffles(MOST_CHUNKS + 1)
    assert algorithm.plan.chunk_count(10**7) == MOST_CHUNKS
    assert VC1(ls.Thresholds(1, 9), **NUMBERS, chunks=2).shuffles(5)


@pytest.mark.parametrize("bits", [3, 20, 70])
def test_thresholds_are_learned(bits):
    high = 2**bits
    algorithm = VC1(ls.Thresholds(1, high), **(NUMBERS | {"epsilon": 4}))
    rng = np.random.default_rng(bits)
    for target in (high // 3, high - high // 4, 0, high):
        n = algorithm.required_samples()
        points = [1 + int(rng.integers(0, 2**62)) * high // 2**62 for _ in range(n)]
        sample = Sample.of(points, [int(x > target) for x in points])
        found = algorithm.draw(sample, SeededSource(7))
        wrong = sum(int(x > target) != int(x > found.above) for x in points)
        assert wrong <= 0.1 * n


def test_degenerate_classes_and_samples():
    for cls in (ls.Thresholds(5, 5), ls.Points(1, 1), ls.theory.TreePaths({"a": None})):
        algorithm = VC1(cls, **NUMBERS)
        for data in ([], [(OUTSIDE, 1)], [(OUTSIDE, 0)]):
            sample = OrderedSample.listed([x for x, _ in data], [y for _, y in data])
            assert algorithm.draw(sample, SeededSource(0)) is not None
        assert algorithm.certificate(algorithm.required_samples()).holds


def test_a_path_of_draws_is_a_pure_function():
    """The same answers meet the same weights, whichever way the records are stored."""
    algorithm = VC1(ls.Prefixes("ab", 3), **NUMBERS)
    points, labels = [1, 3, 6, 6, 2, 1], [1, 1, 1, 0, 0, 1]
    ordered = OrderedSample.listed(points, labels)
    shown = []
    for sample in (ordered, Sample.of(points, labels), Sample.of(points[::-1], labels[::-1])):
        source = ReplaySource([1, 0])
        algorithm.draw(sample, source)
        shown.append(source.presented)
    assert shown[0] == shown[1] == shown[2]
    law = ExactSource().law(lambda source: algorithm.draw(ordered, source).key)
    assert float(sum(law.outcomes.values())) == pytest.approx(1)


# --- shell, registry, release ------------------------------------------------------------------


def test_the_registry_and_a_release():
    concepts = ls.Prefixes("ipv6")
    algorithm = registry.make("vc1", concepts, epsilon=1, delta=1e-6)
    assert select.auto(concepts, epsilon=1, delta=1e-6, agnostic=False).name == "vc1"
    assert select.auto(concepts, epsilon=1, agnostic=False).name == "generic"
    assert select.auto(ls.Points(), epsilon=1, delta=1e-6, agnostic=False).name == "generic"
    seen = concepts.domain.array(["2001:db8::/32", "2001:db9::/32"])
    sample = Sample.of(np.array(list(seen) * 500, dtype=object), [1, 0] * 500)
    release = run(algorithm, sample, SeededSource(0), evaluate="1/2")
    assert (release.guarantee.epsilon, release.guarantee.delta) == (F(1), F(1, 10**6))
    assert Release.from_dict(json.loads(release.to_json())).to_json() == release.to_json()


def test_classes_without_a_tree_are_refused():
    for cls in (ls.Intervals(1, 9), ls.theory.FiniteClass([[0, 0], [0, 1], [1, 0], [1, 1]])):
        with pytest.raises(ls.errors.UnsupportedError, match="VC dimension"):
            VC1(cls, **NUMBERS).required_samples()
    with pytest.raises(ls.errors.ParameterError, match="delta"):
        registry.make("vc1", ls.Points(), epsilon=1)


# -- the median depth of a chain: private for every list of ends, and nearly attained --------------


DELTA = F(1, 50)


def verified(values, n, epsilon, good=2, pairs=None):
    """All lists of n ends, and another one in the place of each; or some pairs of lists."""
    path = public_tree(ls.Thresholds(1, values))
    budget = TreeGoal(epsilon, DELTA, F(1, 10), F(1, 20), depth=path.height)
    chooser = ChainMedian(budget, good, required=3)

    def run(ends, source):
        return chooser.choose(ends, path, source)

    pairs = pairs or replace_one([ROOT, *range(1, values + 1)], n)
    return verify_mechanism(run, pairs, epsilon=epsilon, delta=DELTA)


@pytest.mark.first(3)
@pytest.mark.parametrize("good", [1, 2, 3])
@pytest.mark.parametrize("values", [1, 2, 3])
def test_every_list_of_ends(values, good):
    for n in (1, 2, 3)[: 5 - values]:
        assert verified(values, n, F(1), good).holds


@pytest.mark.parametrize("values", [1, 3])
@pytest.mark.parametrize(("few", "good"), [(2, 3), (2, 18), (10, 10)])
def test_few_ends_of_many_are_not_the_root(values, few, good):
    """How many there are is not public; the window is a share of all."""
    most = [ROOT] * (19 - few) + [1] * few
    pairs = [([*most, ROOT], [*most, end]) for end in range(1, values + 1)]
    assert verified(values, 20, F(1), good, pairs).holds


def test_the_median_costs_all_of_epsilon():
    result = verified(1, 4, F(10))
    assert result.holds
    assert result.tightest_epsilon > 0.8 * 10


def test_no_delta_is_left_over():
    """At a small epsilon nothing but bottom pays for the nodes that one end can bring."""
    result = verified(1, 2, F(1, 100))
    assert result.holds
    assert result.worst_delta > 0.9 * float(DELTA)


# -- The examples and the engine's pass, from the command line -------------------------------------

EXAMPLES = Path(__file__).parents[3] / "examples"
BUDGET = ["--learner", "vc1", "--epsilon", "1", "--delta", "1e-6", "--seed", "5", "--json"]


@pytest.fixture
def fit(capfd, tmp_path):
    """Run ``fit``, return the printed release."""

    def call(data, x, y, spec, *more):
        line = ["fit", str(data), "--x", x, "--y", y, "--class", spec, *BUDGET, *more]
        code = main(line)
        out, err = capfd.readouterr()
        assert code == 0, err
        return json.loads(out)

    return call


def test_networks(fit):
    table = EXAMPLES / "networks" / "blocks.csv"
    asked = (table, "network", "stopped", "prefixes(ipv4)", "--require-certificate")
    assert fit(*asked)["required_samples"] == 813  # a tenth of epsilon is the evaluation's
    found = fit(*asked, "--no-evaluate")
    assert found["certificate"]["holds"]
    assert found["n"] == 1000
    assert found["required_samples"] == 741
    address, _, length = found["hypothesis"]["prefix"].partition("/")
    assert address.startswith("203.0.113.")
    assert int(length) >= 27


def test_a_taxonomy(fit, tmp_path):
    folder = EXAMPLES / "taxonomy"
    spec = f"tree_paths({folder / 'categories.csv'})"
    page = tmp_path / "page.html"
    found = fit(folder / "pools.csv", "category", "positive", spec, "--report", str(page))
    assert found["certificate"]["holds"]
    path = found["hypothesis"]["path"]
    assert path[:4] == [
        "01 Food and non-alcoholic beverages",
        "01.1 Food",
        "01.1.4 Milk, other dairy products and eggs",
        "01.1.4.5 Cheese",
    ]
    text = page.read_text(encoding="utf-8")
    assert "above that of the best" not in text  # the certificate is about realizable labels
    assert "1e-06" in text


def test_the_examples_are_what_their_makers_write(tmp_path, monkeypatch):
    for name in ("networks", "taxonomy"):
        scope = {"__file__": str(tmp_path / "make.py"), "__name__": "__main__"}
        source = (EXAMPLES / name / "make.py").read_text(encoding="utf-8")
        exec(compile(source, "make.py", "exec"), scope)
        for file in (EXAMPLES / name).glob("*.csv"):
            assert (tmp_path / file.name).read_bytes() == file.read_bytes()
