"""Paths of trees: laws against brute force, files, JSON."""

from fractions import Fraction
from itertools import combinations, pairwise, product

import numpy as np
import pytest

from littlestone.classes import Prefixes, class_from_dict, load
from littlestone.classes.prefixes import IPV4, IPV6, Notation, PrefixForest, PrefixHypothesis, spans
from littlestone.classes.tree_paths import PathHypothesis, TreePaths
from littlestone.combinatorics import Kernel
from littlestone.data import OUTSIDE, Sample
from littlestone.errors import DataError, ParameterError
from littlestone.source import SeededSource

# -- Classes of paths: laws against brute force, points as texts, files, JSON ----------------------

FOREST = {"a": None, "b": "a", "c": "a", "d": "b", "e": "b", "f": "d", "u": None, "v": "u"}
PATHS = ["", "a", "ab", "abd", "abdf", "abe", "ac", "u", "uv"]  # preorder
RATES = (Fraction(1, 2), Fraction(3, 10), Fraction(2))


def random_sample(rng, points, size):
    chosen = [points[i] for i in rng.integers(0, len(points), size=size)]
    sample = Sample.of(chosen, rng.integers(0, 2, size=size))
    outside = tuple(int(i) for i in rng.integers(0, 3, size=2))
    return Sample.binary(sample.points, sample.zeros, sample.ones, outside)


@pytest.mark.parametrize("rate", RATES)
def test_law_of_tree_paths(oracle, rate):
    kinds = TreePaths(FOREST)
    rng = np.random.default_rng(3)
    for size in (0, 1, 5, 12):
        sample = random_sample(rng, [*FOREST, "no node"], size)
        errors = [
            (
                ("path", tuple(path)) if path else ("never",),
                oracle.count_errors(lambda x, path=path: x in list(path), sample),
            )
            for path in PATHS
        ]
        oracle.assert_same_law(kinds.candidates(sample), errors, rate)
        listed = {h.key: kinds.errors(h, sample) for h in kinds.concepts()}
        assert listed == dict(errors)


def strings(alphabet, length):
    return ["".join(s) for k in range(length + 1) for s in product(alphabet, repeat=k)]


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize(("alphabet", "length"), [("01", 3), ("abc", 2), ("wxyz", 1)])
def test_law_of_prefixes(oracle, alphabet, length, rate):
    codes = Prefixes(alphabet, length)
    rng = np.random.default_rng(4)
    points = strings(alphabet, length)
    for size in (0, 4, 15):
        sample = random_sample(rng, [codes.notation.parse(p) for p in points], size)
        errors = [(("never",), oracle.count_errors(lambda x: False, sample))]
        for v in points:
            wrong = oracle.count_errors(
                lambda x, v=v: v.startswith(codes.notation.write(int(x))), sample
            )
            key = ("prefix path", alphabet, length, codes.notation.parse(v))
            errors.append((key, wrong))
        oracle.assert_same_law(codes.candidates(sample), errors, rate)
        assert {h.key: codes.errors(h, sample) for h in codes.concepts()} == dict(errors)


def test_a_code_that_is_no_prefix_is_outside():
    codes = Prefixes("abc", 2)
    sample = Sample.of([0b111, 0b10000000, -1, 0], [1, 1, 1, 1])  # digit 3, too long, no prefix
    (runs,) = codes._streamed(sample)
    assert (runs.size, set(runs.scores.tolist())) == (codes.size, {-4})
    assert codes.candidates(sample).size == codes.size == 14


def test_scores_of_ten_thousand_ipv6_networks():
    """Run by run, the score is minus the errors of a concept of that run."""
    networks = Prefixes("ipv6")
    rng = np.random.default_rng(6)
    points = []
    for _ in range(2000):
        bits = int(rng.integers(0, 129))
        value = int.from_bytes(rng.bytes(16)) >> (128 - min(bits, 5))  # crowded at the top
        points.append(1 << bits | value << max(bits - 5, 0))
    sample = Sample.of(points, rng.integers(0, 2, size=2000))
    assert networks.spans(sample.points)[2].all()
    pieces = list(networks._streamed(sample))
    starts, lengths, scores = (
        [value for piece in pieces for value in getattr(piece, name).tolist()]
        for name in ("starts", "lengths", "scores")
    )
    assert sum(lengths) == networks.size == 2**129
    assert starts[0] == 0
    assert all(b == a + n for a, n, b in zip(starts, lengths, starts[1:], strict=False))
    for start, length, score in list(zip(starts, lengths, scores, strict=True))[::97]:
        for rank in {start, start + length - 1} if length else ():
            if rank == networks.size - 1:
                continue
            concept = PrefixHypothesis(networks.forest.at_rank(rank), IPV6)
            assert networks.errors(concept, sample) == -score
    drawn = networks.candidates(sample).draw(Fraction(1, 2), SeededSource(1))
    assert isinstance(drawn, PrefixHypothesis)


@pytest.mark.parametrize("how", [Notation("01", 3), Notation("abc", 2), IPV4, IPV6])
def test_preorder(how):
    forest = PrefixForest(how)
    rng = np.random.default_rng(8)
    size = forest.size
    ranks = (
        range(size)
        if size < 100
        else [0, 1, size - 1] + [int.from_bytes(rng.bytes(20)) % size for _ in range(200)]
    )
    for rank in ranks:
        node = forest.at_rank(rank)
        assert node in forest
        first, end = forest.span(node)
        assert first == rank
        children = list(forest.children(node))
        if children:  # the subtrees of the children follow each other, without gaps
            spans_below = [forest.span(child) for child in children]
            assert spans_below[0][0] == first + 1
            assert spans_below[-1][1] == end
            assert all(a[1] == b[0] for a, b in pairwise(spans_below))
        else:
            assert end == first + 1
    nodes = [forest.at_rank(rank) for rank in ranks]
    batch = np.array(nodes, dtype=np.int64 if size < 2**40 else object)
    found = spans(forest, batch)
    assert found == ([forest.span(n)[0] for n in nodes], [forest.span(n)[1] for n in nodes])
    for x, y in combinations(nodes[:30], 2):
        common = 0
        while common < min(forest.depth(x), forest.depth(y)) and forest.ancestor(
            x, common + 1
        ) == forest.ancestor(y, common + 1):
            common += 1
        assert forest.meet(x, y) == common
    assert 0 not in forest
    assert -1 not in forest
    assert "x" not in forest
    assert forest.at_rank(size - 1) * 2 not in forest


def test_reading_addresses():
    domain = Prefixes("ipv4").domain
    written = {
        "10.1.2.3": "10.1.2.3/32",
        "10.1.2.3/8": "10.0.0.0/8",
        " 0.0.0.0/0 ": "0.0.0.0/0",
        "255.255.255.255/32": "255.255.255.255/32",
        "10.1.2.3/08": "10.0.0.0/8",
    }
    for raw, canonical in written.items():
        assert IPV4.write(domain.cell(raw)) == canonical
    odd = ["10.1.2", "10.1.2.300", "::1", "", None, 7.5, "x" * 10_000]
    odd += [f"10.1.2.3/{tail}" for tail in ("33", "", "-1", "8/8", "255.0.0.0", "\u0668", "1e1")]
    assert all(domain.cell(raw) is OUTSIDE for raw in odd)


def test_reading_ipv6():
    domain = Prefixes("ipv6").domain
    assert IPV6.write(domain.cell("2001:DB8:0:0::17/32")) == "2001:db8::/32"
    assert IPV6.write(domain.cell("::1")) == "::1/128"
    odd = ["fe80::1%eth0", "1::2::3", "10.0.0.1", "::/129"]
    assert all(domain.cell(raw) is OUTSIDE for raw in odd)


@pytest.mark.parametrize(("how", "dtype"), [("ipv4", np.int64), ("ipv6", object)])
def test_arrays_of_addresses(how, dtype):
    domain = Prefixes(how).domain
    points = domain.array([domain.notation.write(5), domain.notation.write(1)])
    assert points.dtype == dtype
    assert points.tolist() == [5, 1]
    with pytest.raises(DataError, match=r"an IPv\d address or network"):
        domain.array(["elsewhere"])


def test_reading_codes():
    codes = Prefixes("0123456789", 4)
    assert codes.domain.cell(311) == codes.domain.cell("311") == codes.notation.parse("311")
    assert codes.domain.cell("31111") is OUTSIDE
    assert codes.domain.cell("31x") is OUTSIDE
    assert codes.domain.cell("") is OUTSIDE  # an empty cell is missing, not the empty code
    assert codes.notation.parse("") == 1
    for code in strings("0369", 3):
        assert codes.notation.write(codes.notation.parse(code)) == code
    assert "311" in PrefixHypothesis(codes.notation.parse("311"), codes.notation).describe()


def test_equal_classes_and_specs():
    shuffled = dict(reversed(FOREST.items()))
    assert TreePaths(FOREST) == TreePaths(shuffled)
    assert hash(TreePaths(FOREST)) == hash(TreePaths(shuffled))
    assert TreePaths(FOREST) != TreePaths({**FOREST, "v": None})
    assert TreePaths([None, 0]) == TreePaths({"0": None, 1: 0}) == TreePaths(np.array([-1, 0]))
    assert TreePaths(FOREST).spec == "tree_paths(8 nodes)"
    assert TreePaths(FOREST).domain == TreePaths(shuffled).domain
    assert Prefixes("ipv4") == Prefixes("ipv4", 32) != Prefixes("ipv6")
    assert Prefixes.from_spec("ipv6").spec == "prefixes(ipv6)"
    assert Prefixes.from_spec(" '01' , 7 ") == Prefixes("01", 7)
    assert repr(Prefixes("01", 7)) == "Prefixes(01, 7)"
    assert Prefixes("01", 7).domain == Prefixes("01", 7).domain != Prefixes("01", 6).domain
    assert len({Prefixes("01", 7).domain, Prefixes("01", 7).domain}) == 1
    assert [str(d) for d in (TreePaths(FOREST).domain, Prefixes("01", 7).domain)] == [
        "NodeDomain(8 names)", "PrefixDomain(01, 7)",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "data",
    [
        {"type": "path", "path": []},
        {"type": "path", "path": ["a", "a"]},
        {"type": "path", "path": ["a", 1]},
        {"type": "prefix path", "alphabet": "ipv4", "length": 32, "prefix": "x"},
        {"type": "prefix path", "alphabet": "ipv4", "length": 31, "prefix": "10.0.0.0/8"},
        {"type": "prefix path", "alphabet": "aa", "length": 3, "prefix": "a"},
        {"type": "prefix path", "alphabet": "ab", "length": 3},
        {"type": "tree_paths", "nodes": ["a"], "parents": [0]},
        {"type": "tree_paths", "nodes": ["a"], "parents": []},
        {"type": "tree_paths", "nodes": ["a", "a"], "parents": [-1, -1]},
        {"type": "tree_paths", "nodes": [1], "parents": [-1]},
        {"type": "tree_paths", "nodes": ["a"], "parents": [1]},
        {"type": "tree_paths", "nodes": [], "parents": []},
    ],
)
def test_json_of_a_stranger_is_refused(data):
    with pytest.raises(ParameterError):
        (class_from_dict if data["type"] == "tree_paths" else load)(data)


def test_taxonomy_files(tmp_path):
    file = tmp_path / "kinds.csv"
    file.write_text('﻿parent,node,note\n,animal,top\nanimal,"dog, small",\n')
    kinds = TreePaths.from_csv(file)
    assert kinds == TreePaths({"animal": None, "dog, small": "animal"})
    assert kinds.spec == f"tree_paths({file})"
    assert TreePaths.from_dict(kinds.to_dict()).spec == kinds.spec
    refused = {
        "node\na\n": "needs a header",
        "": "needs a header",
        "node,parent\na,\na,\n": "each once",
        "node,parent\n,a\n": "name every node",
        "node,parent\na,b\n": "must be nodes themselves",
        "node,parent\na,b\nb,a\n": "free of cycles",
    }
    for content, message in refused.items():
        file.write_text(content)
        with pytest.raises(ParameterError, match=message):
            TreePaths.from_csv(file)
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ParameterError, match="UTF-8"):
        TreePaths.from_csv(file)
    with pytest.raises(ParameterError, match="could not be read"):
        TreePaths.from_csv(tmp_path / "none.csv")


def test_refused_parameters():
    for parents, message in [
        ({}, "at least one node"),
        ({"a": "b"}, "nodes themselves"),
        ([1, 0], "free of cycles"),
        ({"a": "a"}, "free of cycles"),
        ({"1": None, 1: None}, "distinct"),
        ({" ": None}, "nonempty names"),
    ]:
        with pytest.raises(ParameterError, match=message):
            TreePaths(parents)
    for arguments, message in [
        (("ipv5",), "'length'"),
        (("a", 3), "at least two different"),
        (("aab", 3), "at least two different"),
        (("ab", 0), "integer >= 1"),
        (("ab",), "an integer"),
        (("a b", 3), "printable"),
        (("ipv4", 31), "left out"),
        (("ab", 10**9), "at most"),
        ((7, 3), "at least two different"),
    ]:
        with pytest.raises(ParameterError, match=message):
            Prefixes(*arguments)
    with pytest.raises(ParameterError, match="'length' parameter of prefixes"):
        Prefixes.from_spec("01, x")
    with pytest.raises(ParameterError, match="distinct names"):
        PathHypothesis(())


def test_predictions():
    points = np.array(["a", "b", "c", "zzz"], dtype=object)
    assert PathHypothesis(("a", "c")).predict(points).tolist() == [1, 0, 1, 0]
    long = PathHypothesis(tuple(f"n{i}" for i in range(100)))
    assert "'...'" not in long.describe()
    assert "..." in long.describe()
    assert PathHypothesis(("a",)).describe() == "1 on 'a', otherwise 0"
    host = PrefixHypothesis(IPV6.parse("::1"), IPV6)
    networks = [IPV6.parse(n) for n in ("::/0", "::/127", "::1", "::2", "8000::/1")]
    expected = [1, 1, 1, 0, 0]
    assert host.predict(np.array(networks, dtype=object)).tolist() == expected
    short = np.array([n for n in networks if n < 2**60], dtype=np.int64)
    assert host.predict(short).tolist() == [1, 0]
    assert host.predict(short[:0]).tolist() == []


@pytest.mark.more
def test_a_taxonomy_of_a_hundred_thousand_nodes():
    rng = np.random.default_rng(9)
    parents = [int(rng.integers(-1, i)) for i in range(100_000)]
    kinds = TreePaths(parents)
    sample = Sample.of([str(i) for i in rng.integers(0, 100_000, size=5000)],
                       rng.integers(0, 2, size=5000))  # fmt: skip
    drawn = kinds.candidates(sample).draw(Fraction(1, 2), SeededSource(2))
    assert len(drawn.path) <= kinds.forest.height
    tree = kinds.tree()
    assert kinds.forest.height / 2 <= tree.height <= kinds.forest.height


def test_vc_dimension_is_1_and_of_subtrees_is_2():
    """No two points are shattered by paths; "lies below v" shatters two leaves."""
    points = np.array(list(FOREST), dtype=object)
    paths = np.array([c.predict(points) for c in TreePaths(FOREST).concepts()])
    below = np.array([[v in path_of(x) for x in points] for v in points], dtype=int)
    assert Kernel(np.unique(paths, axis=0)).vc_dim() == 1
    assert Kernel(np.unique(below, axis=0)).vc_dim() == 2


def path_of(name):
    return next(path for path in PATHS if path.endswith(name))
