"""The documentation site: built by its one command, read page by page, opened in a browser."""

import fcntl
import html
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

pytestmark = pytest.mark.site

ROOT = Path(__file__).parents[2]
STARTS = ["start/hold", "start/analyse", "start/audit", "start/theory"]
LOOKED_AT = [
    "index",
    *STARTS,
    "guide/choosing",
    "cli-options",
    "comparison",
    "learners/users",
    "api/index",
    "api/generated/littlestone.AgnosticLearner",
    "gallery/index",
    "gallery/1_learn/plot_01_income_rule",
    "gallery/1_learn/plot_03_scorecard",
    "gallery/1_learn/plot_04_boosted_trees",
    "gallery/3_audit/plot_own_mechanism",
    "gallery/4_theory/plot_littlestone_trees",
]


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The built site; ``LITTLESTONE_SITE`` names one that the same command has built already."""
    if built := os.environ.get("LITTLESTONE_SITE"):
        return Path(built).resolve()
    shared = tmp_path_factory.getbasetemp()
    shared = shared.parent if "PYTEST_XDIST_WORKER" in os.environ else shared
    out = shared / "site"
    with (shared / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # one process builds, the others wait
        if not (out / "index.html").exists():
            command = [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", "docs", str(out)]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr[-4000:]
    return out


@cache
def anchors(path):
    return set(re.findall(r'\b(?:id|name)="([^"]+)"', path.read_text()))


def test_every_link_leads_somewhere(site):
    """Within the site; and nothing is loaded from anywhere else."""
    broken, seen = [], 0
    for page in set(site.rglob("*.html")) - set(site.rglob("_static/**/*.html")):
        text = page.read_text()
        assert not re.search(r"<(?!a )[^>]*\b(?:src|href)=.?(?:https?:)?//", text), page
        for found in set(re.findall(r'\b(?:href|src)="([^"]+)"', text)):
            url = urlsplit(html.unescape(found))
            if url.scheme or url.netloc:
                continue
            seen += 1
            target = (page.parent / unquote(url.path)).resolve() if url.path else page
            known = anchors(target) if target.is_file() and target.suffix == ".html" else set()
            if not target.is_file() or (
                known and url.fragment and unquote(url.fragment) not in known
            ):
                broken.append(f"{page.relative_to(site)} -> {found}")
    assert broken == []
    assert seen > 10_000


def test_the_gallery(site):
    """At least 15 examples, each with a picture, as a notebook and as a program."""
    pages = sorted((site / "gallery").glob("*/plot_*.html"))
    assert len(pages) >= 15
    for page in pages:
        text = page.read_text()
        drawn = r'<img [^>]*src="[^"]*_images/sphx_glr_plot|<figure class="ls-fig"'
        assert re.search(drawn, text), page.name
        for kind in ("ipynb", "py"):
            assert re.search(rf'href="[^"]*_downloads/[^"]*/{page.stem}\.{kind}"', text), page.name


def test_the_reference_knows_source_and_examples(site):
    text = (site / "api/generated/littlestone.AgnosticLearner.html").read_text()
    assert "_modules/littlestone/learners/estimators.html#" in text
    assert "Examples using this" in text
    assert "plot_01_income_rule" in text
    for word in ("Guarantee", "exp-mech.privacy", "alpha", "Raises"):
        assert word in text


def test_the_options_of_every_command_are_listed(site):
    """Made at the build: a section for each command, its options in their groups."""
    text = (site / "cli-options.html").read_text()
    for name in ("plan", "fit", "audit exact", "ledger create", "schema propose"):
        assert f'<section id="{name.replace(" ", "-")}">' in text
    for name in ("--holdout", "--fingerprint", "--samples-per-user"):
        assert f">{name}</span>" in text
    assert "[epsilon: its amount, taken from " in text


@pytest.mark.parametrize("page", LOOKED_AT)
def test_pages_in_a_browser(site, browser, page):
    """No complaint, no picture that is missing, nothing wider than a phone."""
    for width, dark in ((1200, False), (390, True)):
        browser.show(site / f"{page}.html", width=width, dark=dark)
        browser.run(
            "Promise.all([...document.images].map("
            "e => { e.loading = 'eager'; return e.decode().catch(() => 0); }))"
        )
        missing = browser.run(
            "[...document.images].filter(e => !e.naturalWidth).map(e => e.getAttribute('src'))"
        )
        assert missing == []
        assert browser.complaints == []
        assert browser.run("document.documentElement.scrollWidth") <= width
        assert browser.run("document.documentElement.dataset.theme") == (
            "dark" if dark else "light"
        )


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("Theorem 4.6", "learners/users.html"),
        ("choosing epsilon", "guide/choosing.html"),
        ("GenericLearner", "api/generated/littlestone.GenericLearner.html"),
        ("grid search", "guide/pitfalls.html"),
        ("verify mechanism", "audit.html"),
    ],
)
def test_the_search_finds(site, browser, words, page):
    browser.show(site / "search.html", fragment="?q=" + words.replace(" ", "+"))
    found = browser.run(
        """new Promise(done => {
            const look = () => {
                const said = document.querySelector(".search-summary");
                if (said && /finished|found/i.test(said.textContent))
                    done([...document.querySelectorAll("ul.search a")].map(a => a.href));
                else setTimeout(look, 50);
            };
            look();
        })"""
    )
    assert any(link.partition("#")[0].partition("?")[0].endswith(page) for link in found[:12])
    assert browser.complaints == []


def test_light_and_dark_are_switched(site, browser):
    browser.show(site / "index.html", width=1200)
    for mode in ("dark", "light"):
        browser.click(".theme-switch-button")
        browser.click(f".show .theme-change-button[data-mode={mode}]")
        assert browser.run("document.documentElement.dataset.theme") == mode
