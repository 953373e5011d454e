"""The explorer: translated formulas, and a real browser that moves, clicks and reads."""

import json
import random
from dataclasses import replace
from fractions import Fraction

import pytest

import littlestone as ls
from littlestone.bounds import realizable
from littlestone.bounds.formulas import evaluate
from littlestone.errors import ParameterError, UnsupportedError
from littlestone.report.explorer import (
    START,
    Axes,
    UntranslatableError,
    compute,
    explorer_page,
    literal,
    needs,
    sources,
    translate,
)

from .checker import Checker

AXES = Axes(
    epsilon=("0.5", "2"), delta=("1e-6",), alpha=("0.05", "0.2"), beta=("0.05",),
    m=("1", "4"),
)  # fmt: skip
CLASSES = [ls.Thresholds(1, 100), ls.theory.FiniteClass([[0, 0, 1], [0, 1, 1], [1, 1, 0]])]
BUDGET = replace(START, delta=Fraction(1, 10**6))


# -- formulas -----------------------------------------------------------------------------------


@pytest.mark.parametrize("formula", ["binomial_above(t, p, b)", "comb(n, k)", "growth(d, n)"])
def test_what_a_page_cannot_compute_is_not_translated(formula):
    with pytest.raises(UntranslatableError):
        translate(formula, dict.fromkeys("tpbnkd", "1"))


def test_unknown_names_and_operators_are_not_translated():
    for formula in ("x + 1", "1 // 2", "f(2)", "1 < 2", "1 or 2", "not 1", "'a'", "True", "[1]"):
        with pytest.raises(UntranslatableError):
            translate(formula, {})


def test_literals():
    assert literal(Fraction(1, 3)) == repr(1 / 3)
    with pytest.raises(UntranslatableError):
        literal(Fraction(1, 10**400))
    with pytest.raises(UntranslatableError):
        literal(-Fraction(10**400))


def test_axes_are_checked():
    for bad in ({"alpha": ()}, {"m": ("4", "1")}, {"beta": ("0", "0.1")}):
        with pytest.raises(ParameterError):
            Axes(**bad)
    for name in ("epsilon", "alpha", "beta", "delta", "m"):
        stops = [Fraction(stop) for stop in Axes().stops(name)]
        assert stops == sorted(set(stops))
        assert {Fraction(point) for point in getattr(Axes(), name)} <= set(stops)


def test_a_class_that_nobody_learns_is_refused(monkeypatch):
    monkeypatch.setattr("littlestone.report.explorer.sources", lambda *_: [])
    with pytest.raises(UnsupportedError):
        explorer_page([ls.Thresholds(1, 3)], axes=AXES)


@pytest.mark.more
def test_processes_give_the_same_page_and_points_are_counted():
    one = Axes(epsilon=("1",), delta=("1e-6",), alpha=("0.1", "0.2"), beta=("0.05",), m=("1", "4"))
    counted = []
    alone = explorer_page(CLASSES[1:], axes=one, progress=lambda *at: counted.append(at))
    assert explorer_page(CLASSES[1:], axes=one, workers=2) == alone
    done, totals = zip(*counted, strict=True)
    assert list(done) == sorted(set(done))
    assert set(totals) == {done[-1]}


def test_formulas_are_found_out_and_grids_are_plans():
    concepts = ls.Thresholds(1, 100)
    small = replace(AXES, beta=("0.05",), alpha=("0.1", "0.2"))
    found = {
        s.curve.name: (s, compute(concepts, s, small))
        for s in sources(concepts, BUDGET)
        if s.curve.name in ("generic", "agnostic", "vc1")
    }
    for name in ("generic", "agnostic"):
        assert found[name][1].javascript
        assert not found[name][1].grid
    source, curve = found["vc1"]
    assert not curve.javascript
    budgets = list(small.budgets(curve.axes))
    assert curve.grid == tuple(needs(concepts, source, budget) for budget in budgets)
    assert curve.axes == ("epsilon", "alpha", "beta", "delta")


# -- the browser --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def explorer(tmp_path_factory):
    path = tmp_path_factory.mktemp("explorer") / "page.html"
    path.write_text(explorer_page(CLASSES, start=BUDGET, axes=AXES), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def everything():
    return [{f"{s.curve.name}/{s.curve.setting}": s for s in sources(c, BUDGET)} for c in CLASSES]


def shown(browser):
    """Return what the table says: learner -> (number, how it is computed)."""
    rows = browser.run(
        "[...document.querySelectorAll('#needs tr')].map(r => [r.dataset.learner,"
        " r.querySelector('.n').dataset.n ?? null, r.querySelector('.dim').textContent])"
    )
    return {name: (None if n is None else float(n), how) for name, n, how in rows}


def move(browser, **stops):
    """Move sliders to given places, as a script."""
    for name, place in stops.items():
        browser.run(
            f"(() => {{ const e = document.getElementById({json.dumps(name)}); e.value = {place};"
            "e.dispatchEvent(new Event('input', {bubbles: true})); })()"
        )


def at(stops):
    beta = ["0.05", "0.1"]
    values = {
        name: Fraction((beta if name == "beta" else AXES.stops(name))[place])
        for name, place in stops.items()
    }
    return replace(
        BUDGET, epsilon=values["epsilon"], alpha=values["alpha"], beta=values["beta"],
        delta=values["delta"], samples_per_user=int(values["m"]),
    )  # fmt: skip


@pytest.mark.browser
def test_numbers_are_those_of_python(browser, explorer, everything):
    browser.show(explorer)
    browser.click("#protect-users")
    # formulas hold for any beta, the grid for its own
    browser.run("STOPS.beta.push('0.1'); document.getElementById('beta').max = 1")
    generator = random.Random(8)
    compared = {"formula": 0, "grid": 0}
    for trial in range(8):
        k = trial % 2
        move(browser, **{"class": k})
        # every other time a point of the grid
        places = {
            name: generator.choice(
                [AXES.stops(name).index(p) for p in getattr(AXES, name)]
                if trial % 4 < 2
                else range(len(AXES.stops(name)))
            )
            for name in ("epsilon", "alpha", "delta", "m")
        }
        places["beta"] = trial // 2 % 2
        move(browser, **places)
        rows = shown(browser)
        assert set(rows) == set(everything[k])
        for name, (n, how) in rows.items():
            how = how.removesuffix(" (one record each)")  # noqa: PLW2901
            if how in compared:
                source = everything[k][name]
                wanted = needs(CLASSES[k], source, at(places))
                assert n == (None if wanted is None else float(wanted)), (name, places)
                compared[how] += 1
    assert compared["formula"] > 25
    assert compared["grid"] > 8
    assert not browser.complaints


@pytest.mark.browser
def test_between_points_of_the_grid_a_number_lies_between(browser, explorer):
    browser.show(explorer)
    n = {}
    for place in (0, 2, len(AXES.stops("epsilon")) - 1):
        move(browser, epsilon=place, alpha=0)
        n[place], how = shown(browser)["vc1/realizable"]
        assert how == ("grid, between points" if place == 2 else "grid")
    first, middle, last = n.values()
    assert first > middle > last
    text = browser.run(
        "document.querySelector('tr[data-learner=\"vc1/realizable\"] .n').textContent"
    )
    assert not text.startswith("≈")
    move(browser, epsilon=2)
    text = browser.run(
        "document.querySelector('tr[data-learner=\"vc1/realizable\"] .n').textContent"
    )
    assert text.startswith("≈ ")


@pytest.mark.browser
def test_by_mouse_and_by_keyboard(browser, explorer):
    browser.show(explorer)
    before = shown(browser)
    where = browser.run("document.getElementById('setting').textContent")
    assert where == "thresholds(1, 100): ε = 1, α = 0.1, β = 0.05, δ = 1e-6"
    assert f">{where}</p>" in explorer.read_text()  # also without scripts
    assert browser.run("document.getElementById('row-m').hidden")
    browser.run("document.getElementById('epsilon').focus()")
    browser.press("End")
    assert browser.run("document.getElementById('epsilon-value').textContent") == "2"
    assert shown(browser)["generic/realizable"][0] < before["generic/realizable"][0]
    browser.press("Home")
    browser.press("ArrowRight")
    assert (
        browser.run("document.getElementById('epsilon').getAttribute('aria-valuetext')")
        == "ε = 0.6"
    )
    browser.click("#protect-users")
    assert not browser.run("document.getElementById('row-m').hidden")
    assert browser.run("document.getElementById('unit').textContent") == "users"
    assert "users/agnostic" in shown(browser)
    browser.click("#protect-records")
    assert "users/agnostic" not in shown(browser)
    lines = "document.querySelectorAll('#chart path.curve').length"
    drawn = browser.run(lines)
    browser.click("#needs tr input")
    assert browser.run(lines) == drawn - 1
    assert browser.run("document.activeElement.type") == "checkbox"  # the focus stays
    browser.press("Space")
    assert browser.run(lines) == drawn
    assert not browser.complaints


@pytest.mark.browser
def test_the_address_keeps_the_setting(browser, explorer):
    browser.show(explorer)
    browser.click("#protect-users")
    move(browser, epsilon=1, alpha=2, m=1, across=1)
    fragment, rows = browser.run("location.hash"), shown(browser)
    assert "across=alpha" in fragment or "across=epsilon" in fragment
    browser.show(explorer, fragment=fragment)
    assert shown(browser) == rows
    assert browser.run("document.getElementById('epsilon-value').textContent") == "0.6"
    browser.show(explorer, fragment="#class=99&epsilon=-1&across=x&protect=all")  # is not trusted
    assert len(shown(browser)) > 3
    assert not browser.complaints


@pytest.mark.browser
def test_without_scripts_the_start_is_there(browser, explorer, everything):
    html = explorer.read_text()
    found = Checker(html)
    assert found.tags.count("script") == 1
    assert "script-src 'sha256-" in html
    assert "'unsafe-inline'" not in html.split("script-src")[1].split(";")[0].split('"')[0]
    n = realizable(101, epsilon=1, alpha="0.1", beta="0.05").n
    assert f'<td class="n">{n:,}</td>' in html.replace("\n", "")
    browser.show(explorer)
    assert shown(browser)["generic/realizable"][0] == n


@pytest.mark.browser
def test_numbers_beyond_doubles(browser, explorer):
    """The functions of the page against the evaluator of certificates."""
    browser.show(explorer)
    for formula in (
        "log(max(size - 1, beta)/beta)", "log(size*size)", "log(size/3 + 1)", "log(size**2)",
        "min(size, 7)", "max(size, 7)/size", "size >= 7", "7 <= size", "7 >= size",
        "log(1 - beta)", "ceil(sqrt(2)*exp(3))", "floor(tanh(beta)*1000)", "cosh(1) - sinh(1)",
        "atanh(beta)**2", "-beta + 2 >= 1 and beta <= 1",
    ):  # fmt: skip
        for size in (Fraction(12345), Fraction(2**4000 + 1)):
            names = {"size": size, "beta": Fraction(1, 20)}
            wanted = evaluate(formula, names)
            made = browser.run(translate(formula, {k: literal(x) for k, x in names.items()}))
            exact = wanted if isinstance(wanted, bool | Fraction) else wanted.mid()
            assert made == (
                exact if isinstance(exact, bool) else pytest.approx(float(exact), rel=1e-12)
            )


# -- every page, at every size --------------------------------------------------------------------


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [390, 1000])
@pytest.mark.browser
def test_nothing_overflows(browser, explorer, pages, width, dark):
    for path in [explorer, *pages]:
        browser.show(path, width=width, dark=dark)
        browser.run("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        assert browser.overflow() == [], path.name
        assert browser.complaints == [], path.name
        light = sum(json.loads(browser.run(
            "JSON.stringify(getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number))"
        )))  # fmt: skip
        assert (light < 200) == dark
        assert browser.run(
            "[...document.querySelectorAll('svg')].every(s => s.getAttribute('aria-hidden') ||"
            " s.querySelector('title, desc') || s.getAttribute('aria-label'))"
        )
        cut = browser.run(
            "[...document.querySelectorAll('svg[viewBox] text')].filter(t => { const s ="
            " t.ownerSVGElement.getBoundingClientRect(), r = t.getBoundingClientRect();"
            " return r.left < s.left - 1 || r.right > s.right + 1; }).map(t => t.textContent)"
        )
        assert cut == [], path.name


@pytest.mark.browser
def test_paper_is_light_and_shows_every_derivation(browser, explorer, pages):
    for path in [explorer, *pages]:
        browser.show(path, dark=True, media="print")
        assert browser.run("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    browser.show(explorer, media="print")
    assert browser.run("getComputedStyle(document.getElementById('controls')).display") == "none"


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Every other kind of page, with long texts."""
    from littlestone.audit import verify
    from littlestone.audit.table import Row
    from littlestone.classes import ThresholdHypothesis, dimensions
    from littlestone.data import Sample
    from littlestone.learners.running import run
    from littlestone.report import page
    from littlestone.source import SeededSource

    folder = tmp_path_factory.mktemp("pages")
    big = ls.Thresholds(1, 2**64)
    learner = ls.learners.registry.make("vc1", big, epsilon=1, delta="1e-6")
    sample = Sample.from_arrays([[5], [2**63]] * 400, [0, 1] * 400, domain=big.domain)
    columns = {"x": ["a_long_name_" * 8], "y": "over_50k", "positive": "yes, indeed"}
    release = run(learner, sample, SeededSource(1), columns=columns)
    result = verify(ls.GenericLearner(ls.Thresholds(1, 2), epsilon=1.0), points=[1, 2], n_samples=2)
    stream = {
        "format": "littlestone-stream-1",
        "stream": {"class": {"type": "thresholds", "low": 1, "high": 2**64}, "epsilon": "1",
                   "delta": "1/1000000", "horizon": 10**6, "beta": "1/20"},
        "about": {"x": ["age"], "y": "adult", "positive": "1", "parameters": "theory"},
        "guarantee": learner.guarantee().to_dict(),
        "planned_batches": 5, "rows": 10**6, "stage": 0, "batches": 3, "stopped": True,
        "published": [{"rows": r, "hypothesis": ThresholdHypothesis(2**40, 1, 2**64).to_dict()}
                      for r in (0, 1000, 10**6)],
    }  # fmt: skip
    made = {
        "fit": page(release),
        "plan": page(ls.plan(ls.Thresholds(1, 64), epsilon=1, delta="1e-6")),
        "verification": page(result),
        "table": page(
            [Row("a name of a case, with its class (1, 3)", "learner", "all lists", result, 1.0)]
        ),
        "dimensions": page(dimensions(big), concept_class=big),
        "stream": page(stream),
    }
    paths = []
    for name, html in made.items():
        paths.append(folder / f"{name}.html")
        paths[-1].write_text(html, encoding="utf-8")
    return paths
