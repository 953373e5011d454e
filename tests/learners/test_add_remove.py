"""Add-remove neighbours: twice the rate, and a number of records that nothing says."""

from dataclasses import replace
from fractions import Fraction as F
from itertools import combinations_with_replacement
from math import comb, exp

import pyarrow as pa
import pytest

import littlestone as ls
from littlestone import audit, papers
from littlestone.data import Sample, UserSample
from littlestone.errors import ParameterError, UnsupportedError
from littlestone.learners import registry, running
from littlestone.learners.exponential import Agnostic, Generic
from littlestone.learners.release import Release
from littlestone.learners.running import run
from littlestone.papers import li_wang_ye
from littlestone.papers.adaptor import settings
from littlestone.privacy import Neighbours
from littlestone.report import page
from littlestone.report.evaluated import plain
from littlestone.source import SeededSource

LINE = ls.Thresholds(1, 2)
DOSES = ls.Schema.from_dict({"dose": {"bins": [5]}})
ADDED = Neighbours.USER_ADD_REMOVE
ROWS = ls.theory.FiniteClass([[0, 0, 1], [0, 1, 0], [1, 1, 0]])


def secret(concepts, epsilon=1, make=Generic):
    return make(concepts, epsilon=epsilon, neighbours="add-remove")


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("concepts", "points", "make"),
    [
        (LINE, [1, 2], Generic),
        (LINE, [1, 2], Agnostic),
        (ROWS, [0, 1, 2], Agnostic),
        (ls.Intervals(1, 2), [1, 2], Generic),
        (ls.Points(1, 3), [1, 3], Generic),
    ],
    ids=str,
)
def test_private_on_all_data_sets_of_all_sizes(concepts, points, make):
    """The model file, the page and the summary are compared, too: also of no records at all."""
    made = secret(concepts, make=make)
    result = audit.verify(made, points=points, n_samples=2, outside=True, observers=[page, plain])
    assert result.holds, result
    assert (result.neighbours, result.refusals) == ("add-remove", 0)
    kinds = 2 * len(points) + 2
    assert result.datasets == 1 + kinds + kinds**2
    assert result.pairs == 2 * kinds + 4 * kinds**2
    assert 0.8 < result.tightest_epsilon <= 1


def test_the_law_by_hand():
    """Weights e**-errors, over all multisets of at most three records; and the largest ratio."""
    kinds = [(x, y) for x in (1, 2) for y in (0, 1)]
    laws = {}
    for size in range(4):
        for data in combinations_with_replacement(kinds, size):
            weights = [exp(-sum((x > u) != y for x, y in data)) for u in range(3)]
            laws[data] = [w / sum(weights) for w in weights]
            if data:
                xs, ys = [x for x, _ in data], [y for _, y in data]
                found = audit.output_distribution(secret(LINE), xs, ys)
                law = {h.above: low for h, (low, _) in found.items()}
                assert [law[u] for u in range(3)] == pytest.approx(laws[data])
    assert len(laws) == sum(comb(size + 3, size) for size in range(4))
    ratios = [
        p / q
        for data in laws
        for i in range(len(data))
        for p, q in zip(laws[data], laws[(*data[:i], *data[i + 1 :])], strict=True)
    ]
    assert max(*ratios, *(1 / r for r in ratios)) <= exp(1)


# --- broken variants ------------------------------------------------------------------------------


def holds(made):
    return audit.verify(made, points=[1], n_samples=2).holds


class TwiceAgain(Generic):
    """The rate is doubled, and doubled again."""

    def rate(self, sensitivity):
        return 2 * super().rate(sensitivity)


class Rising(Generic):
    """Scores that do not all fall: half of the errors are counted as hits."""

    def draw(self, sample, source):
        swapped = replace(sample, counts=3 * sample.counts[::-1])
        return super().draw(swapped, source)


def test_a_number_of_records_that_is_told_is_caught(monkeypatch):
    assert holds(secret(LINE))
    monkeypatch.setattr(running, "secret_n", lambda guarantee: False)
    assert not holds(secret(LINE))


@pytest.mark.parametrize("make", [TwiceAgain, Rising])
def test_broken_rates_are_caught(make):
    assert not holds(secret(LINE, make=make))


def test_twice_the_rate_under_replace_one_is_caught():
    class Mislabelled(Generic):
        def rate(self, sensitivity):
            return self.epsilon / sensitivity

    assert not holds(Mislabelled(LINE, epsilon=1))


# --- what is said, and what is not ----------------------------------------------------------------


def test_the_release_is_the_same_for_every_number_of_records(tmp_path):
    made = ls.GenericLearner(ls.Thresholds(1, 99), epsilon=1, neighbours="add-remove")
    required = made.required_samples()
    assert required == ls.GenericLearner(ls.Thresholds(1, 99), epsilon=2).required_samples()
    texts = set()
    for n in (0, 1, 200):
        made.fit(Sample.of([3, 70] * n, [0, 1] * n))
        found = made.release_
        assert found.n is None
        assert found.certificate.n == found.required == required
        said = found.to_dict()
        said.pop("hypothesis")
        texts.add(str(said))
        found.save(tmp_path / "model.json")
        assert ls.load(tmp_path / "model.json") == found
        assert "their number is secret" in plain(found)
        assert "a secret number of records" in ls.page(found)
    assert len(texts) == 1


def test_arrays_and_tables_are_refused():
    """Their length is in plain sight."""
    made = ls.GenericLearner(ls.Thresholds(1, 9), epsilon=8, neighbours="add-remove")
    for given in (
        lambda: made.fit([2, 8], [0, 1]),
        lambda: made.fit([], []),
        lambda: made.fit(pa.table({"dose": [2], "ill": [0]}), "ill", x="dose"),
    ):
        with pytest.raises(ParameterError, match=r"takes a littlestone\.data\.Sample under"):
            given()
    made.fit(Sample.of([2, 8] * 50, [0, 1] * 50))
    assert made.predict([1, 9]).tolist() == [0, 1]


@pytest.mark.parametrize("concepts", [ls.Thresholds(1, 9), ls.Rules(DOSES, 1)], ids=repr)
def test_a_table_without_rows_is_read_as_its_neighbour_is(concepts, tmp_path):
    made = ls.GenericLearner(concepts, epsilon="0.3", neighbours="add-remove")
    shown = []
    for rows in ("", "2,0\n"):
        (tmp_path / "t.csv").write_text(f"dose,ill\n{rows}")
        x = None if isinstance(concepts, ls.Rules) else "dose"
        sample = Sample.read(tmp_path / "t.csv", x=x, y="ill", domain=concepts.domain)
        assert sample.n == len(rows) // 4
        document = made.fit(sample).release_.to_dict()
        document.pop("hypothesis")
        shown.append(document)
    assert shown[0] == shown[1]


def test_what_would_need_the_number_is_refused():
    made = ls.GenericLearner(ls.Thresholds(1, 9), epsilon=1, neighbours="add-remove")
    sample = Sample.of([1, 2], [0, 1])
    with pytest.raises(UnsupportedError, match="the number of records is secret"):
        made.fit(sample, evaluate=0.1)
    with pytest.raises(ParameterError, match="no costs under add-remove"):
        made.set_params(costs={0: 1, 1: 2}).fit(sample)
    with pytest.raises(UnsupportedError, match="under replace-one"):
        ls.theory.Subsampled(secret(LINE), rate=0.5).required_samples()
    with pytest.raises(ParameterError, match="replace-one or add-remove"):
        ls.GenericLearner(LINE, epsilon=1, neighbours="user-replace").required_samples()


def test_one_relation_for_each_ledger(tmp_path):
    """Into a ledger of replace-one it enters at twice its epsilon; the converse never enters."""
    made = ls.GenericLearner(ls.Thresholds(1, 9), epsilon="0.3", neighbours="add-remove")
    sample = Sample.of([1, 8], [0, 1])
    replaced = ls.Ledger(tmp_path / "replace.db", epsilon=1)
    made.fit(sample, ledger=replaced)
    assert replaced.spent().epsilon == F(6, 10)
    removed = ls.Ledger(tmp_path / "remove.db", epsilon=1, neighbours="add-remove")
    made.fit(sample, ledger=removed)
    assert removed.spent().epsilon == F(3, 10)
    with pytest.raises(ParameterError, match="implies nothing under add-remove"):
        ls.GenericLearner(ls.Thresholds(1, 9), epsilon=1).fit([1, 8], [0, 1], ledger=removed)
    assert removed.spent().epsilon == F(3, 10)


@pytest.mark.more
def test_other_audits_compare_replacements_at_twice_epsilon():
    made = secret(ls.Thresholds(1, 9))
    assert audit.all_n(made).holds
    assert registry.make("generic", LINE, epsilon=1).neighbours is Neighbours.REPLACE_ONE
    found = audit.replay(made, Sample.of([2, 8] * 20, [0, 1] * 20), pairs=50)
    assert found.holds
    assert found.epsilon == 2
    assert found.outcomes > 1


# --- users who are added or removed ---------------------------------------------------------------


def test_no_estimator_of_the_papers_is_told_the_relation():
    """Their documents print how many users there are."""
    for algorithm in map(papers.page, papers.names()):
        if algorithm.KIND == "learner":
            assert "neighbours" not in settings(algorithm)
    with pytest.raises(TypeError, match="neighbours"):
        papers.Theorem46(LINE, epsilon=1, neighbours=ADDED)
    with pytest.raises(ParameterError, match="no parameter 'neighbours'"):
        papers.make("lwy.theorem4.6", LINE, epsilon=1, samples_per_user=2,
                    settings=["neighbours=user-add-remove"])  # fmt: skip


def test_where_a_learner_promises_it_the_number_of_users_is_as_secret(monkeypatch):
    guarantee = li_wang_ye.Theorem46.guarantee
    monkeypatch.setattr(
        li_wang_ye.Theorem46, "guarantee", lambda self: replace(guarantee(self), neighbours=ADDED)
    )
    made = papers.Theorem46(LINE, epsilon=8, samples_per_user=1)
    with pytest.raises(ParameterError, match=r"takes a littlestone\.data\.Sample under"):
        made.fit([1, 2], [0, 1], groups=["a", "b"])
    learner, texts = made.to_learner(), set()
    for n in (40, 41):
        users = UserSample.from_arrays([1, 2] * n, [0, 1] * n, range(2 * n), LINE.domain)
        document = run(learner, users, SeededSource(0)).to_dict()
        assert Release.from_dict(document).n is None
        document.pop("hypothesis")
        texts.add(str(document))
    assert len(texts) == 1
    with pytest.raises(UnsupportedError, match="the number of records is secret"):
        run(learner, users, SeededSource(0), evaluate="1/10")
