"""Released functions: definitions, words, canonical keys, JSON from strangers."""

from __future__ import annotations

import json
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from littlestone.classes import (
    AlwaysZero,
    ConjunctionHypothesis,
    FiniteClass,
    HashFunction,
    HashHypothesis,
    HashSetHypothesis,
    IntervalHypothesis,
    Intervals,
    PointHypothesis,
    Points,
    RuleHypothesis,
    Rules,
    TableHypothesis,
    ThresholdHypothesis,
    Thresholds,
    affine_span,
    class_from_dict,
    conjunction,
    load,
    on_points,
)
from littlestone.data import Schema
from littlestone.data.domains import object_points
from littlestone.errors import LittlestoneError, ParameterError
from littlestone.types import Hypothesis

SCHEMA = Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn", "Rome"]}})
BIG = 2**1024
HASH = HashFunction(2**63, 5, 7, 9)

SMALL_CLASSES = [
    Thresholds(-2, 3),
    Intervals(-2, 3),
    Points(-2, 3),
    FiniteClass([[0, 1], [1, 1], [0, 0]]),
    Rules(SCHEMA, 2),
]
HYPOTHESES = [
    *(h for c in SMALL_CLASSES for h in c.concepts()),
    ThresholdHypothesis(BIG - 1, -BIG, BIG),
    IntervalHypothesis(-BIG, 2**70 + 12345),
    *map(PointHypothesis, (BIG, "o'neill", 0.5, float("inf"), None, b"\x00", ("a", (1, None)))),
    HashHypothesis(HASH, 3),
    HashHypothesis(HASH, 3, (1, BIG)),
    HashSetHypothesis(HASH, (1, 4)),
    HashSetHypothesis(HASH, (0,), (1, 2**80)),
    on_points(["rome", 3, (1, 2)]),
    ConjunctionHypothesis(70, 1 << 69, 1),
    affine_span(5, [(0, 1, 2), (1, 1, 1), (2, 0, 0)]),
    affine_span(2, [(1, 0)]),
]


def test_json_round_trip():
    for hypothesis in HYPOTHESES:
        text = json.dumps(hypothesis.to_dict(), allow_nan=False)
        back = load(json.loads(text))
        assert (back, back.key, hash(back)) == (hypothesis, hypothesis.key, hash(hypothesis))
        assert back.describe() == hypothesis.describe()
        assert json.dumps(back.to_dict()) == text
        assert isinstance(back, Hypothesis)


def test_predictions_on_big_integers_and_objects():
    points = object_points([-BIG - 1, -BIG, 0, BIG, BIG + 1])
    assert ThresholdHypothesis(0, -BIG, BIG).predict(points).tolist() == [0, 0, 0, 1, 0]
    assert ThresholdHypothesis(-BIG - 1, -BIG, BIG).predict(points).tolist() == [0, 1, 1, 1, 0]
    assert IntervalHypothesis(-BIG, 0).predict(points).tolist() == [0, 1, 1, 0, 0]
    assert PointHypothesis(BIG).predict(points).tolist() == [0, 0, 0, 1, 0]
    assert TableHypothesis("11").predict(points).tolist() == [0, 0, 1, 0, 0]
    assert PointHypothesis(BIG).predict(np.array([1, 2])).tolist() == [0, 0]
    assert PointHypothesis("1").predict(np.array([1, 2])).tolist() == [0, 0]
    mixed = object_points([1, "1", (1,), 1.5, None, b"1"])
    for i, point in enumerate(mixed):
        assert PointHypothesis(point).predict(mixed).tolist() == [int(i == j) for j in range(6)]
    rows = np.array([[1, 2], [2, 1]])
    assert PointHypothesis((1, 2)).predict(rows).tolist() == [1, 0]
    assert PointHypothesis((1, 2, 3)).predict(rows).tolist() == [0, 0]
    nothing = np.array([], dtype=np.int64)
    for h in HYPOTHESES:
        assert h.predict(nothing).shape == (0,)
        assert h.predict(nothing).dtype == np.int8


def test_words():
    assert ThresholdHypothesis(0, 1, 9).describe() == "always 1 (x from 1 to 9)"
    assert ThresholdHypothesis(9, 1, 9).describe() == "always 0 (x from 1 to 9)"
    assert IntervalHypothesis(3, 3).describe() == "1 if x = 3, otherwise 0"
    assert PointHypothesis(2**64 - 1).describe() == "1 if x = 2**64 - 1, otherwise 0"
    assert PointHypothesis("a b").describe() == "1 if x = 'a b', otherwise 0"
    assert TableHypothesis("11").describe() == "always 1 (points 0 to 1)"
    assert (
        TableHypothesis("1" * 30 + "0")
        .describe()
        .endswith("19 and 10 more, otherwise 0 (points 0 to 30)")
    )
    assert HashHypothesis(HASH, 0, (1, 2**64)).describe().endswith("0 (x from 1 to 2**64)")
    assert RuleHypothesis(()).describe() == "always 1"


def test_conjunctions_are_canonical_for_every_order_and_repetition():
    literals = SCHEMA.literals()
    domain = np.array(list(np.ndindex(*SCHEMA.n_codes)))
    for chosen in product(literals, repeat=3):
        accepted = np.ones(len(domain), dtype=bool)
        for lit in chosen:
            accepted &= lit.accepts(SCHEMA.n_codes[lit.column])[domain[:, lit.column]]
        rules = {conjunction(order) for order in permutations(chosen)}
        assert len(rules) == 1
        rule = rules.pop()
        assert rule.predict(domain).tolist() == accepted.astype(int).tolist()
        assert isinstance(rule, AlwaysZero) == (not accepted.any())


GOOD = [h.to_dict() for h in HYPOTHESES] + [c.to_dict() for c in SMALL_CLASSES]
LITERAL = conjunction(SCHEMA.literals()[:1]).to_dict()["literals"][0]
BAD = [
    None,
    [],
    {},
    {"type": "neural network"},
    {"type": ["never"]},
    {"type": "never", "extra": 1},
    {"type": "threshold", "above": 1, "low": 1},
    {"type": "threshold", "above": 1.0, "low": 1, "high": 9},
    {"type": "threshold", "above": True, "low": 1, "high": 9},
    {"type": "threshold", "above": "__import__('os')", "low": 1, "high": 9},
    {"type": "threshold", "above": "2**2**2**99", "low": 1, "high": 9},
    {"type": "threshold", "above": 10, "low": 1, "high": 9},
    {"type": "threshold", "above": -1, "low": 1, "high": 9},
    {"type": "threshold", "above": 5, "low": 9, "high": 1},
    {"type": "interval", "first": 2, "last": 1},
    {"type": "point", "point": {"python": "os.system"}},
    {"type": "point", "point": {"bytes": "zz"}},
    {"type": "point", "point": {"int": "1", "more": 2}},
    {"type": "point", "point": True},
    {"type": "point", "point": [[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]},
    {"type": "table", "labels": ""},
    {"type": "table", "labels": "012"},
    {"type": "table", "labels": [0, 1]},
    {"type": "hash", "hash": {}, "bucket": 0},
    {"type": "hash", "hash": {**HASH.to_dict(), "type": "md5"}, "bucket": 0},
    {"type": "hash", "hash": {**HASH.to_dict(), "key": 2**64}, "bucket": 0},
    {"type": "hash", "hash": {**HASH.to_dict(), "buckets": 0}, "bucket": 0},
    {"type": "hash", "hash": HASH.to_dict(), "bucket": 9},
    {"type": "hash", "hash": HASH.to_dict(), "bucket": 1, "low": 1},
    {"type": "rule", "literals": {}},
    {"type": "rule", "literals": [LITERAL, LITERAL]},
    {"type": "rule", "literals": [{**LITERAL, "op": "is"}, {**LITERAL, "op": ">="}]},
    {"type": "rule", "literals": [{**LITERAL, "op": "exec"}]},
    {"type": "rule", "literals": [{**LITERAL, "code": 2}]},
    {"type": "rule", "literals": [{**LITERAL, "column": -1}]},
    {"type": "rule", "literals": [{**LITERAL, "text": 5}]},
    {"type": "rule", "literals": [{**LITERAL, "type": "x"}]},
    {"type": "set", "points": [1]},
    {"type": "set", "points": [2, 1]},
    {"type": "set", "points": [1, 1]},
    {"type": "set", "points": [1, {}]},
    {"type": "conjunction", "n": 2, "ones": 1, "zeros": 1},
    {"type": "conjunction", "n": 2, "ones": 4, "zeros": 0},
    {"type": "affine_subspace", "q": 4, "basis": [], "offset": [0]},
    {"type": "affine_subspace", "q": 3, "basis": [[2, 0]], "offset": [0, 0]},
    {"type": "affine_subspace", "q": 3, "basis": [[0, 0]], "offset": [0, 0]},
    {"type": "affine_subspace", "q": 3, "basis": [[1, 0]], "offset": [1, 0]},
    {"type": "affine_subspace", "q": 3, "basis": [[1]], "offset": [0, 0]},
    {"type": "affine_subspace", "q": 3, "basis": [], "offset": []},
    {"type": "affine_subspace", "q": 3, "basis": [], "offset": [0.5]},
    {"type": "hash_set", "hash": HASH.to_dict(), "buckets": [2, 1]},
    {"type": "hash_set", "hash": HASH.to_dict(), "buckets": [9]},
    {"type": "hash_set", "hash": HASH.to_dict(), "buckets": []},
]


def test_malformed_hypotheses_are_refused():
    for document in BAD:
        with pytest.raises(ParameterError):
            pytest.fail(f"{load(document)} was read")


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda j: st.one_of(
        st.lists(j, max_size=3), st.dictionaries(st.text(max_size=4), j, max_size=3)
    ),
    max_leaves=6,
)


@pytest.mark.more
@settings(max_examples=settings.default.max_examples // 4)
@given(data=st.data(), good=st.sampled_from(GOOD), junk=JSON)
def test_changed_json_is_read_or_refused_but_never_fails_otherwise(data, good, junk):
    broken = json.loads(json.dumps(good))
    where = broken
    while isinstance(where, (dict, list)) and where:
        key = data.draw(st.sampled_from(sorted(where) if isinstance(where, dict) else [0]))
        if data.draw(st.booleans()) or not isinstance(where[key], (dict, list)):
            where[key] = junk
            break
        where = where[key]
    for read in (load, class_from_dict):
        try:
            read(broken)
        except LittlestoneError:
            continue


def test_a_table_needs_labels():
    with pytest.raises(ParameterError, match="'labels' parameter"):
        TableHypothesis("01x")
