"""Evaluations by public groups: one histogram, a record in one cell, and what may be said of it."""

from __future__ import annotations

import json
from fractions import Fraction as F
from itertools import combinations_with_replacement

import numpy as np
import pytest

import littlestone as ls
from littlestone.audit import verify_mechanism
from littlestone.classes import TreeEnsemble
from littlestone.classes.rules import RuleHypothesis
from littlestone.data import Sample
from littlestone.data.histogram import Groups
from littlestone.errors import ParameterError
from littlestone.evaluation import Evaluation, ScoreHistogram, histogram
from littlestone.evaluation.histogram import release_histogram
from littlestone.evaluation.measures import WIDEST
from littlestone.learners.release import Release
from littlestone.learners.running import _histogram
from littlestone.source import SeededSource

AGE = ls.Schema.from_dict({"age": {"bins": [30]}})
SEX = ls.Schema.from_dict({"sex": {"categories": ["f", "m"]}})
#: Rows of codes: age, and sex, which is not learned from; with a label.
KINDS = [(age, sex, label) for age in (2, 3) for sex in (0, 1, 2, 3) for label in (0, 1)]


def grouping(by=SEX):
    return Groups.parse("test", by, None).over(AGE, "test")


def counted(hypothesis, records, source, by=SEX, epsilon=F(1)):
    """Return the released counts of groups of such records."""
    *points, labels = zip(*records, strict=True)
    sample = Sample.of(np.array(points).T, list(labels))
    how = {"held_out": True, "groups": grouping(by)}
    return _histogram(hypothesis, sample, source, epsilon, **how).groups.counts


def neighbours(kinds, n):
    for records in combinations_with_replacement(kinds, n):
        for new in kinds:
            other = tuple(sorted((*records[1:], new)))
            if other > records:
                yield records, other


def test_a_replaced_record_moves_one_from_one_cell_to_another(monkeypatch):
    """All data sets of two records, all neighbours: group, label and score are of one record."""
    monkeypatch.setattr(histogram, "truncated", lambda rate, reach, source: 0)
    adults = RuleHypothesis(AGE.literals()[:1])
    for kind in KINDS:
        array = np.array(counted(adults, [kind], None))
        assert (array.shape, array.sum(), array.max()) == ((3, 2, 2), 1, 1)
        age, sex, label = kind
        group = {2: 0, 3: 1}.get(sex, 2)
        assert array[group, label, int(age == 3)] == 1
    data = combinations_with_replacement(KINDS, 2)
    found = {records: np.array(counted(adults, records, None)) for records in data}
    for pair in neighbours(KINDS, 2):
        one, other = map(found.__getitem__, pair)
        assert one.sum() == other.sum() == 2
        assert abs(one - other).sum() <= 2


#: Of one cell of scores, and of one category: the law has four cells.
CONSTANT = TreeEnsemble((), F(1), (0, 1))
FEW = [kind for kind in KINDS if kind[0] == 2 and kind[1] in (0, 2)]
WOMEN = ls.Schema.from_dict({"sex": {"categories": ["f"]}})


@pytest.mark.parametrize(
    ("n", "epsilon"),
    [pytest.param(1, F(4), marks=pytest.mark.more), pytest.param(2, F(1), marks=pytest.mark.full)],
)
def test_the_law_of_a_histogram_by_groups(n, epsilon):
    """All data sets and all neighbours: epsilon pays for all groups together, and no less does."""

    def law(records, source):
        return counted(CONSTANT, records, source, WOMEN, epsilon)

    assert verify_mechanism(law, set(neighbours(FEW, n)), epsilon=epsilon).holds
    if n == 1:
        assert not verify_mechanism(law, [(FEW[:1], FEW[-1:])], epsilon=epsilon * F(9, 10)).holds


def test_groups_are_public_few_and_of_other_columns():
    both = ls.Schema.from_dict(
        {"sex": {"categories": ["f", "m"]}, "age": {"bins": [30, 60, 70]}, "site": {"bins": [1]}}
    )
    assert Groups.parse("fit", ["sex", "age"], both).names == (
        "sex is f, age < 30", "sex is f, 30 <= age < 60", "sex is f, 60 <= age < 70",
        "sex is f, age >= 70", "sex is m, age < 30", "sex is m, 30 <= age < 60",
        "sex is m, 60 <= age < 70", "sex is m, age >= 70", "missing or other",
    )  # fmt: skip
    with pytest.raises(ParameterError, match=r"at most 8 groups.*have 2 x 4 x 2"):
        Groups.parse("fit", both, None)
    with pytest.raises(ParameterError, match="no column 'race'"):
        Groups.parse("fit", "race", both)
    with pytest.raises(ParameterError, match="different columns"):
        Groups.parse("fit", ["sex", "sex"], both)
    with pytest.raises(ParameterError, match="needs a schema"):
        Groups.parse("fit", "sex", None)
    with pytest.raises(ParameterError, match="other categories or bins"):
        Groups.parse("fit", ls.Schema.from_dict({"age": {"bins": [9]}}), None).over(AGE, "fit")


N = 3000


def table():
    rng = np.random.default_rng(0)
    age, sex = rng.integers(0, 90, N), rng.choice(["f", "m", "?"], N, p=[0.5, 0.48, 0.02])
    ill = (rng.random(N) < np.where(sex == "f", age / 100, 0.5)).astype(int)
    return {"age": age, "sex": sex, "ill": ill}


class NoDraws:
    """A source that no refused call may reach."""

    seeded = False


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"by": "sex"}, "needs a schema"),
        ({"by": "ill", "schema": AGE}, "no column 'ill'"),
        ({"by": ls.Schema.from_dict({"ill": {"bins": [1]}})}, "other columns than the label"),
        ({"by": SEX, "schema": AGE, "evaluate": None}, "none are held out"),
        ({"by": SEX, "schema": AGE, "epsilon": "1/10"}, "none are held out"),
        ({"by": SEX, "schema": AGE, "model": "rule"}, "none are held out"),
        ({"by": ls.Schema.from_dict({"race": {"bins": [1]}}), "schema": AGE}, "race"),
    ],
)
def test_what_is_refused_is_refused_before_anything_is_drawn(more, why):
    from littlestone.learners.fit import Fit

    with pytest.raises(ParameterError, match=why):
        Fit(**{"y": "ill", "epsilon": 1} | more).plan(table(), NoDraws())


def test_groups_by_columns_that_were_learned_are_refused():
    """Which categories there are is then private, and was paid for by columns of a model alone."""
    learned = ls.data.propose(
        {"sex": ["f", "m"] * 500, "y": [0, 1] * 500}, y="y", epsilon=4, delta=1e-3, random_state=0
    )
    with pytest.raises(ParameterError, match="learned from records"):
        ls.fit(table(), y="ill", epsilon=1, schema=learned, by="sex", random_state=0)


@pytest.fixture(scope="module")
def release():
    return ls.fit(table(), y="ill", epsilon=2, schema=AGE, by=SEX, random_state=1).release_


def test_groups_are_part_of_the_document(release):
    document = json.loads(release.to_json())
    assert Release.from_dict(document).to_json() == release.to_json()
    assert [group["name"] for group in document["groups"]][:2] == ["sex is f", "sex is m"]
    assert document["guarantee"]["epsilon"] == 2
    assert "sex" not in release.concept_class.domain.schema.names, "it was not learned from"
    changed = json.loads(release.to_json())
    changed["evaluation"]["groups"]["counts"][0][0][0] += 1
    with pytest.raises(ParameterError, match="has been changed"):
        Release.from_dict(changed)


def test_what_is_said_is_what_a_count_says(release):
    """Each figure from the released counts, without the code under test; the noise is small."""
    found, histogram = release.groups, release.evaluation
    assert np.array_equal(np.sum(histogram.groups.counts, axis=0), histogram.counts)
    women, men, rest = found
    zeros, ones = np.array(histogram.groups.counts[0], dtype=float)
    answer = np.array(histogram.scores) > 0
    total = zeros.sum() + ones.sum()
    assert women.error.value == pytest.approx((zeros[answer].sum() + ones[~answer].sum()) / total)
    assert women.positive.value == pytest.approx((zeros + ones)[answer].sum() / total)
    assert women.share.value == pytest.approx(total / histogram.n)
    assert abs(women.calibration.value) < 0.2
    assert men.calibration is None or abs(men.calibration.value) < 0.2
    assert (rest.error, rest.auroc, rest.calibration, rest.positive) == (None,) * 4
    shown = [getattr(group, name) for group in found for name in
             ("error", "auroc", "calibration", "positive")]  # fmt: skip
    assert all(band.high - band.low < WIDEST for band in shown if band is not None)


def test_the_page_and_the_lines_say_the_same(release):
    from littlestone.report.evaluated import plain

    page, said = ls.page(release), plain(release)
    error = release.groups[0].error
    cell = f"{error.value:.2f} ({error.low:.2f} to {error.high:.2f})"
    assert f"<td>{cell}</td>" in page
    assert "sex is f: of all" in said
    assert f"error {cell}" in said
    assert "<td>too few to say</td>" in page
    assert "missing or other: of all" in said
    assert "too few to say: error" in said


def test_several_labels_have_an_error_and_a_share():
    rng = np.random.default_rng(0)
    age, sex = rng.integers(0, 90, N), rng.choice(["f", "m"], N)
    kind = np.where(age < 30, "a", np.where(sex == "f", "b", "c"))
    made = ls.fit(
        {"age": age, "sex": sex, "kind": kind}, y="kind", labels=["a", "b", "c"], epsilon=4,
        schema=AGE, by=SEX, random_state=0,
    )  # fmt: skip
    women, men, _ = made.release_.groups
    assert women.error is not None or men.error is not None
    assert (women.auroc, women.calibration, women.positive) == (None,) * 3
    assert 0.4 < women.share.value < 0.6


def test_users_are_in_the_group_of_the_record_that_is_drawn():
    schema = ls.Schema.from_dict({**AGE.to_dict(), **SEX.to_dict()})
    rows = table() | {"who": [f"p{i // 2}" for i in range(N)]}
    made = ls.fit(rows, y="ill", user="who", epsilon=4, schema=schema, by="sex", random_state=0)
    assert made.release_.evaluation.n < N / 2
    assert made.release_.groups[0].share.value == pytest.approx(0.5, abs=0.1)
    with pytest.raises(ParameterError, match="add these columns to the schema"):
        ls.fit(rows, y="ill", user="who", epsilon=4, schema=AGE, by=SEX, random_state=0)


@pytest.mark.parametrize("groups", [None, grouping().groups])
def test_totals_have_the_noise_of_all_groups(groups):
    """Bands of the whole count one noise for each group; coverage of the accuracy says so."""
    counts = np.array([[60, 20], [20, 60]])
    given = counts if groups is None else np.stack([counts, 0 * counts, 0 * counts])
    inside, widths = 0, []
    for seed in range(300):
        how = {"n": 160, "epsilon": F(1, 4), "held_out": False, "groups": groups}
        found = release_histogram([0, 1], given, source=SeededSource(seed), **how)
        n, cells = 160, np.array(found.counts)
        reach = found.reach(4, 0.05) / 2 / n
        inside += abs((n + 2 * np.trace(cells) - cells.sum()) / 2 / n - 0.75) <= reach
        widths.append(Evaluation(found).share_right([0, 1]).half_width)
    assert found.noises == (1 if groups is None else 3)
    assert inside >= 0.9 * 300
    assert inside < 300, "the band is not wider than it must be"


def test_a_changed_histogram_is_refused():
    good = release_histogram(
        [0, 1], np.ones((3, 2, 2), dtype=int), n=12, epsilon=1, source=SeededSource(0),
        groups=grouping().groups,
    ).to_dict()  # fmt: skip
    assert ScoreHistogram.from_dict(good).to_dict() == good
    for wrong in ({"columns": []}, {"counts": good["groups"]["counts"][:2]}, {"more": 1}):
        with pytest.raises(ParameterError):
            ScoreHistogram.from_dict(good | {"groups": good["groups"] | wrong})
