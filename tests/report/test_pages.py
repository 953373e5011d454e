"""Pages of plans, audits, dimensions and streams: well formed, escaped, public."""

import json
import re
from fractions import Fraction

import checker
import numpy as np
import pytest

import littlestone as ls
from littlestone.audit import verify
from littlestone.audit.mechanism import replace_one, verify_mechanism
from littlestone.classes import dimensions
from littlestone.errors import ParameterError, UnsupportedError
from littlestone.learners.online.algorithm import OnlineAlgorithm
from littlestone.learners.online.journal import open_stream, read_public
from littlestone.learners.online.plan import plan_online
from littlestone.learners.registry import LEARNERS
from littlestone.privacy import Guarantee
from littlestone.report import page
from littlestone.report.html import integer
from littlestone.source import ExplicitWeights, exp

from .checker import Checker

AGES = ls.Thresholds(1, 99)


def embedded(html):
    (text,) = Checker(html).scripts
    return json.loads(text)


def plain(html):
    """Assert what holds for every page, and return its words."""
    found = Checker(html)
    assert all(k == "href" and v.startswith("data:") for _, k, v in found.links)
    assert found.tags.count("script") == 1  # the JSON, which is not run
    assert found.tags.count("h1") == 1
    assert not {"link", "iframe", "object", "form", "img"} & set(found.tags)
    assert {word[2:] for word in found.words if word.startswith("->")} <= found.ids
    assert not re.findall(r"url\(|@import", html)
    for part in ('<html lang="en">', "prefers-color-scheme: dark", "@media print", "viewport"):
        assert part in html
    assert html.count("<figure") == html.count('role="img" aria-label="')
    return found.text


@pytest.fixture(scope="module")
def plans():
    return ls.plan(AGES, epsilon=1, delta="1e-6", alpha="0.1", beta="0.05")


def test_the_page_of_a_plan(plans):
    html = page(plans)
    text = plain(html)
    assert f"Collect {plans.chosen.n:,} records" in text
    for c in plans:
        assert f"{c.learner}: {integer(c.n)} records" in text
        for step in c.certificate.steps:
            assert step.formula in text
    for bound in plans.lower_bounds:
        assert bound.claim in text
    assert embedded(html) == json.loads(json.dumps(plans.to_dict()))
    assert checker.check_all(embedded(html))
    assert not any(checker.check_all(embedded(html)).values())


@pytest.mark.more
def test_the_page_of_a_plan_for_users():
    text = plain(page(ls.plan(ls.Thresholds(1, 3), epsilon=1, samples_per_user=2)))
    assert "How many users to learn" in text
    assert "group privacy" in text


def test_the_page_of_a_verification_says_the_verdict_first():
    good = verify(ls.GenericLearner(ls.Thresholds(1, 2), epsilon=1.0), points=[1, 2], n_samples=1)
    text = plain(page(good))
    assert text.index("Holds") < text.index("Pairs of neighbours") < text.index("What it means")
    assert embedded(page(good))["holds"] is True


def leak(bits, source):
    return tuple(bit ^ source.choose(ExplicitWeights(exp(3), 1)) for bit in bits)


def test_the_page_of_a_failure_shows_the_worst_pair():
    bad = verify_mechanism(leak, replace_one([0, 1], 1), epsilon=1, delta=0)
    assert not bad.holds
    text = plain(page(bad))
    assert "does NOT hold" in text
    assert "(0,)" in text
    assert "(1,)" in text


def test_the_page_of_dimensions():
    found = dimensions(AGES)
    html = page(found, concept_class=AGES)
    assert "Littlestone dimension" in plain(html)
    assert embedded(html) == {"class": AGES.spec, **found.to_dict()}


# -- streams ---------------------------------------------------------------------------------


def stream(folder, labels, *, seed=None, group=700):
    plan = plan_online(AGES, epsilon=2, delta="1e-6", horizon=4000)
    about = {"x": ["age"], "y": "adult", "positive": "1", "parameters": "practical"}
    durable = open_stream(
        folder, OnlineAlgorithm(AGES, plan), seed=seed, ledger=None, durability="kill", about=about
    )
    x = np.arange(len(labels)) * 31 % 99 + 1
    for i in range(0, len(labels), group):
        durable.answer(
            x[i : i + group], np.ones(len(x[i : i + group]), bool), labels[i : i + group]
        )
    durable.acknowledge()
    durable.close()
    return read_public(folder)


def test_the_page_of_a_stream(tmp_path):
    x = np.arange(4000) * 31 % 99 + 1
    public = stream(tmp_path / "s", (x > 40).astype(np.int8), seed=1)
    assert len(public["published"]) > 1
    html = page(public)
    text = plain(html)
    assert embedded(html) == public
    assert "NOT PRIVATE (seeded)" in text
    assert "4,000 rows" in text
    assert "For such a short stream no bound on mistakes is proved" in text
    assert "Omega(d): at least 3 [littlestone.soa]" in text
    for each in public["published"]:
        assert f"1 if x > {each['hypothesis']['above']}" in text
    private = stream(tmp_path / "p", (x > 40).astype(np.int8))
    assert "NOT PRIVATE" not in page(private)


def test_the_page_of_a_stream_is_a_function_of_the_public_record(tmp_path):
    """It opens no file, so the private part cannot play a part; what is missing is refused."""
    public = stream(tmp_path / "s", np.zeros(700, np.int8))
    html = page(public)
    for file in (tmp_path / "s").iterdir():
        file.unlink()
    assert page(json.loads(json.dumps(public))) == html
    for name in ("stream", "guarantee", "published", "rows"):
        with pytest.raises(ParameterError):
            page({k: v for k, v in public.items() if k != name})
    with pytest.raises(UnsupportedError):
        page({"format": "something else"})


def test_proved_mistakes_are_said():
    public = {
        "format": "littlestone-stream-1",
        "stream": {"class": AGES.to_dict(), "epsilon": "1", "delta": "1/1000000",
                   "horizon": 10**6, "beta": "1/20"},
        "about": {"x": ["age"], "y": "adult", "positive": "1", "constants": "theory"},
        "guarantee": Guarantee(1, Fraction(1, 10**6), claim="online.privacy").to_dict(),
        "planned_batches": 5, "rows": 10, "batches": 0, "stopped": False,
        "published": [],
    }  # fmt: skip
    text = plain(page(public))
    assert "at most 6,354 mistakes among 1,000,000 adaptive records" in text
    assert "No rule is published yet" in text


# -- the page is something that an observer sees ------------------------------------------------

#: Small enough for all paths: a learner of each kind.
KINDS = {
    "generic": ({}, {}),
    "agnostic": ({}, {}),
    "vc1": ({"delta": "0.2"}, {}),
    "users": ({"samples_per_user": 1}, {"records_per_user": 1}),
    "littlestone": ({"delta": "0.2"}, {}),
    "agnostic:vc1": ({"delta": "0.2"}, {}),
}


@pytest.mark.first(3)
@pytest.mark.parametrize("name", KINDS)
def test_the_page_is_as_private_as_the_release(name):
    more, size = KINDS[name]
    assert name in LEARNERS
    concepts = ls.Points(1, 1) if name == "littlestone" else ls.Thresholds(1, 1)
    learner = ls.learners.registry.make(name, concepts, epsilon=2, alpha="0.4", beta="0.4", **more)
    seen = []

    def observer(release):
        seen.append(page(release))
        return seen[-1]

    found = verify(learner, points=[1], n_samples=2, observers=[observer], **size)
    assert found.holds
    assert len(set(seen)) > 1  # different outputs have different pages


def test_a_page_that_shows_more_is_caught():
    learner = ls.GenericLearner(ls.Thresholds(1, 2), epsilon=1.0)
    learned = []
    algorithm = learner.to_learner()
    draw = type(algorithm).draw

    class Telling(type(algorithm)):
        def draw(self, sample, source):
            learned.append(int(sample.ones.sum()))
            return draw(self, sample, source)

    telling = Telling(**vars(algorithm))
    leaky = verify(
        telling, points=[1, 2], n_samples=2,
        observers=[lambda release: page(release).replace("</main>", f"{learned[-1]}</main>")],
    )  # fmt: skip
    assert not leaky.holds
