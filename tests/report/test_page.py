"""The page: self-contained, accessible, escaped, and a function of the release only."""

import base64
import json
import re
from dataclasses import replace
from fractions import Fraction

import pytest

import littlestone as ls
from littlestone.bounds import agnostic, realizable
from littlestone.classes import ThresholdHypothesis, conjunction
from littlestone.data import Schema
from littlestone.evaluation import ScoreHistogram
from littlestone.learners.release import Release
from littlestone.privacy import Guarantee, Neighbours, Part
from littlestone.report import page

from .checker import Checker

HOSTILE = "</script><script>alert('1')</script><img src=x onerror=alert(1)>&\"\u2028"


def threshold_release(**changes):
    release = Release(
        learner="generic",
        concept_class=ls.Thresholds(1, 99),
        hypothesis=ThresholdHypothesis(17, 1, 99),
        parts=(Part("learning", Guarantee(1, claim="exp-mech.privacy")),),
        certificate=realizable(100, epsilon=1, alpha=0.1, beta=0.05, n=5000),
        n=5000,
        required=186,
        columns={"x": ["age"], "y": "adult", "positive": "1"},
    )
    return replace(release, **changes)


def hostile_release():
    schema = Schema.from_dict({HOSTILE: {"categories": [HOSTILE, "b"]}, "age": {"bins": [30]}})
    rule = conjunction([schema.literals()[0], schema.literals()[4]])
    return threshold_release(
        concept_class=ls.Rules(schema, max_literals=2),
        hypothesis=rule,
        columns={"x": list(schema.names), "y": HOSTILE, "positive": HOSTILE},
    )


@pytest.mark.parametrize(
    "release", [threshold_release(), hostile_release()], ids=["plain", "hostile"]
)
def test_the_page_is_self_contained_and_well_formed(release):
    html = page(release)
    checker = Checker(html)
    assert all(k == "href" and v.startswith("data:") for _, k, v in checker.links)
    assert checker.tags.count("script") == 1  # the JSON, which is not run
    assert "img" not in checker.tags
    assert not {"link", "iframe", "object", "form"} & set(checker.tags)
    assert {"url(", "@import"}.isdisjoint(re.findall(r"url\(|@import", html))
    assert checker.tags.count("h1") == 1
    assert {"main", "header", "footer", "figure", "table", "caption", "details"} <= set(
        checker.tags
    )
    referred = {word[2:] for word in checker.words if word.startswith("->")}
    assert referred <= checker.ids
    assert '<html lang="en">' in html
    assert 'name="viewport"' in html
    assert "prefers-color-scheme: dark" in html
    assert "@media print" in html


@pytest.mark.parametrize(
    "release", [threshold_release(), hostile_release()], ids=["plain", "hostile"]
)
def test_the_release_is_inside_and_reads_back(release):
    html = page(release)
    (embedded,) = Checker(html).scripts
    assert Release.from_dict(json.loads(embedded)) == release
    (link,) = [v for _, _, v in Checker(html).links]
    assert base64.b64decode(link.partition("base64,")[2]).decode() == release.to_json()
    assert page(Release.from_dict(json.loads(embedded))) == html


def test_what_it_says():
    text = Checker(page(threshold_release())).text
    for part in (
        "1 if x > 17, otherwise 0",
        "x is age; label 1: adult is 1",
        "Whether adult is 1, from “age”: learned from 5,000 records, with differential privacy.",
        "Not evaluated, so it is not known whether a trivial rule would do as well.",
        "5,000",
        "186",
        "2.72 times",
        "50% 26.8% 73.2%",
        "The certificate holds.",
        "an error rate of at most 10%",
        "except with probability 5%",
        "exp-mech.tight.realizable",
        "records are drawn independently",
        "littlestone predict model.json",
        "McSherry, Talwar",
    ):
        assert part in text, part
    assert "NOT PRIVATE" not in text


def test_the_derivation_shows_every_step():
    release = threshold_release()
    text = Checker(page(release)).text
    for step in release.certificate.steps:
        assert step.formula in text
        assert step.source in text


def test_the_agnostic_certificate_speaks_of_the_best():
    certificate = agnostic(100, epsilon=1, alpha=0.1, beta=0.05, n=5000)
    text = Checker(page(threshold_release(certificate=certificate))).text
    assert "10 percentage points above that of the best" in text


def test_a_seeded_release_says_so_first_and_last():
    seeded = Guarantee(1, claim="exp-mech.privacy", seeded=True)
    html = page(threshold_release(parts=(Part("learning", seeded),)))
    text = Checker(html).text
    assert text.index("NOT PRIVATE (seeded)") < text.index("The rule")
    assert text.count("NOT PRIVATE (seeded)") == 4, "also in the picture, and its description"
    assert "A private rule" not in html
    assert "Learned with differential privacy" not in html


def test_too_few_records_are_said_plainly():
    certificate = realizable(100, epsilon=1, alpha=0.1, beta=0.05, n=10)
    text = Checker(page(threshold_release(certificate=certificate, n=10))).text
    assert "The certificate does not hold" in text


def test_delta_and_users_change_the_words():
    guarantee = Guarantee(1, Fraction(1, 10**6), Neighbours.USER_REPLACE, "exp-mech.privacy")
    text = Checker(page(threshold_release(parts=(Part("learning", guarantee),)))).text
    assert "2.72· p + 1e-06" in text
    assert "What privacy means for one user" in text
    assert "How sure they can be" not in text  # a statement about odds needs delta = 0
    assert "with several records" not in text


def test_an_evaluation_is_shown_with_its_intervals():
    counts = ((3000, 20), (40, 1940))
    told = ScoreHistogram((0, 1), counts, 5000, Fraction(1, 2), Fraction(1, 4))
    text = Checker(page(threshold_release(evaluation=told))).text
    assert re.search(r"1\.2% \([01]\.\d+% to 1\.\d+% at 95%\)", text)
    assert "epsilon 1/2" in text
    assert "The rule has a lower error rate than always predicting 0." in text


def test_a_release_without_column_names():
    html = page(threshold_release(columns=None))
    assert "Label column" not in html
    Checker(html)


def test_an_unregistered_claim_is_named():
    html = page(threshold_release(parts=(Part("learning", Guarantee(1, claim="somebody.else")),)))
    assert "somebody.else" in Checker(html).text


def test_the_page_is_a_function_of_the_release(monkeypatch, tmp_path):
    before = page(threshold_release())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    assert page(threshold_release()) == before
    assert str(tmp_path) not in before
