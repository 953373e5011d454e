"""What notebooks show: HTML that a sandbox shows whole, escaped, of released things only."""

import re
import warnings
from html.parser import HTMLParser

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_html_repr

import littlestone as ls
from littlestone.audit import mechanism as observing
from littlestone.learners.release import Release
from littlestone.notebooks import Card, Table

#: All that a fragment may hold: nothing that runs, loads, or styles the rest of a notebook.
TAGS = {"div", "p", "strong", "table", "thead", "tbody", "tr", "th", "td", "details", "summary"}
ATTRIBUTES = {"style", "scope"}
X, Y = [20, 40, 60, 80] * 100, [0, 0, 1, 1] * 100
EVIL = "<script>alert('1')</script><img src=x onerror=\"y\">&amp;"


class Fragment(HTMLParser):
    """A fragment, read: its texts; refuses other tags, attributes, and tags that do not match."""

    def __init__(self, html):
        super().__init__()
        self.open, self.texts = [], []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        if tag == "br":
            return
        assert tag in TAGS
        assert {name for name, _ in attrs} <= ATTRIBUTES
        for name, value in attrs:
            if name == "style":
                assert re.fullmatch(r"[a-z0-9#: ;-]+", value)
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    @property
    def text(self):
        return " | ".join(self.texts)


def thresholds(**options):
    return ls.AgnosticLearner(ls.Thresholds(1, 99), epsilon=1, alpha=0.2, **options)


@pytest.fixture(scope="module")
def fitted():
    return thresholds().fit(X, Y, evaluate=0.2)


def test_a_learner_before_and_after(fitted):
    before = Fragment(thresholds()._repr_html_()).text
    assert "AgnosticLearner: nothing is learned yet" in before
    assert "Thresholds(1, 99)" in before
    after = Fragment(fitted._repr_html_()).text
    for part in ("AgnosticLearner on thresholds(1, 99)", "Rule", "Guarantee", "Certificate",
                 "Error rate", "Always", "Parameters", "holds"):  # fmt: skip
        assert part in after
    assert fitted._repr_mimebundle_() == {
        "text/plain": repr(fitted),
        "text/html": fitted._repr_html_(),
    }


def test_a_release(fitted):
    release = fitted.release_
    text = repr(release)
    assert str(release) == text
    title, *lines = text.splitlines()
    assert title == "agnostic on thresholds(1, 99)"
    assert [re.split(r"\s{2,}| [01]\b", line.strip())[0] for line in lines] == [
        "Rule", "Guarantee", "Certificate", "Error rate", "Always"]  # fmt: skip
    shown = Fragment(release._repr_html_()).text
    for line in lines:
        assert re.split(r"\s{2,}", line.strip())[1] in shown


@pytest.mark.parametrize("evaluate", [None, 0.2])
def test_a_release_is_shown_by_what_was_released_only(evaluate):
    """What is read back from the JSON is shown alike: nothing else can be in it."""
    release = thresholds().fit(X, Y, evaluate=evaluate).release_
    again = Release.from_dict(release.to_dict())
    assert again._repr_html_() == release._repr_html_()
    assert repr(again) == repr(release)


def test_exact_verification_sees_what_a_notebook_shows(monkeypatch):
    """A view that told the number of labels 1, of which the release says nothing, is caught."""
    learner = ls.GenericLearner(ls.Thresholds(1, 2), epsilon=1)
    assert ls.audit.verify(learner, points=[1, 2], n_samples=2).holds
    run, samples = observing.run, []
    honest = Release._repr_html_

    def remembering(algorithm, sample, *rest, **options):
        samples.append(int(sample.ones.sum()))
        return run(algorithm, sample, *rest, **options)

    monkeypatch.setattr(observing, "run", remembering)
    monkeypatch.setattr(Release, "_repr_html_", lambda self: f"{honest(self)}{samples[-1]}")
    assert not ls.audit.verify(learner, points=[1, 2], n_samples=2).holds


def test_what_is_seeded_is_marked():
    seeded = thresholds(random_state=1)
    assert "NOT PRIVATE" in Fragment(seeded.fit(X, Y)._repr_html_()).text
    assert '<strong style="color:#d1242f">NOT PRIVATE</strong>' in seeded._repr_html_()
    online = ls.OnlineLearner(ls.Thresholds(1, 9), epsilon=1, delta=1e-6, horizon=9, random_state=1)
    assert "NOT PRIVATE" in Fragment(online._repr_html_()).text
    secure = ls.OnlineLearner(ls.Thresholds(1, 9), epsilon=1, delta=1e-6, horizon=9)
    assert "NOT PRIVATE" not in Fragment(secure._repr_html_()).text


def test_a_certificate(fitted):
    certificate = fitted.release_.certificate
    assert repr(certificate) == f"<Certificate: {certificate}>"
    shown = Fragment(certificate._repr_html_()).text
    for step in certificate.steps:
        assert step.formula in shown
    for part in ("error <= 0.2", "400 records", "holds", "exp-mech.line"):
        assert part in shown


def test_plans():
    plans = ls.plan(ls.Thresholds(1, 99), epsilon=1)
    shown = Fragment(plans._repr_html_()).text
    for candidate in plans.candidates:
        assert candidate.learner in shown
        assert candidate.n is None or f"{candidate.n:,} {candidate.unit}" in shown
    assert plans.why in shown


def test_verifications():
    learner = ls.GenericLearner(ls.Thresholds(1, 2), epsilon=1)
    found = ls.audit.verify(learner, points=[1, 2], n_samples=2)
    assert repr(found) == f"<Verification {found}>"
    chain = ls.audit.all_n(learner)
    assert repr(chain) == str(chain)
    broken = ls.audit.verify_mechanism(
        lambda data, source: data[0] if source.below(4) else 1 - data[0], [((0,), (1,))], epsilon=1
    )
    assert repr(broken).startswith("<MechanismVerification FAILS")


def test_everything_is_escaped():
    schema = ls.Schema.from_dict({EVIL: {"categories": [EVIL, "b"]}})
    learner = ls.AgnosticLearner(ls.Rules(schema, max_literals=1), epsilon=1000)
    learner.fit(np.array([[EVIL], ["b"]] * 50, dtype=object), [1, 0] * 50)
    for shown in (learner, learner.release_):
        html = shown._repr_html_()
        assert "<script" not in html
        assert "<img" not in html
        assert EVIL in "".join(Fragment(html).texts)
    matrix = np.array([[0, 1], [1, 0]])
    listed = ls.theory.FiniteClass(matrix, labels=[EVIL, "no"])
    several = ls.AgnosticLearner(listed, epsilon=1000).fit([0, 1] * 9, [EVIL, "no"] * 9, evaluate=9)
    assert EVIL in "".join(Fragment(several._repr_html_()).texts)
    card = Card(EVIL, [(EVIL, EVIL)], Table((EVIL,), ((EVIL,),), EVIL))
    assert "".join(Fragment(card.html()).texts).count(EVIL) == 6


def test_long_texts_are_clipped():
    html = Card("x", [("", "y" * 10**6)], Table(("z",), (("z" * 10**6,),))).html()
    assert len(html) < 2500
    assert "…" in html


def test_no_warning_and_pipelines_are_still_shown(fitted):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "AgnosticLearner" in make_pipeline(fitted)._repr_html_()
        assert "AgnosticLearner" in estimator_html_repr(fitted)
        assert "AgnosticLearner" in fitted._repr_mimebundle_()["text/html"]


def test_pictures_are_shown_not_printed(fitted):
    picture = ls.plot(fitted.release_)
    assert picture._repr_html_().startswith("<style>")
