"""What every page must be made of."""

import json
import re
from html.parser import HTMLParser


def texts(html):
    """Return what a reader sees of a figure, text by text; it must be well formed."""
    words = [word.strip() for word in Checker(html).words]
    return [word for word in words if word and not word.startswith(".ls-fig {")]


VOID = {"meta", "br", "img", "link", "input", "hr"}


class Checker(HTMLParser):
    """Collect what a page is made of; complain about elements that are not closed in order."""

    def __init__(self, html):
        super().__init__()
        self.open, self.tags, self.links, self.words, self.scripts = [], [], [], [], []
        self.ids = set()
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        attributes = dict(attrs)
        self.links += [(tag, k, v) for k, v in attrs if k in ("src", "href", "srcset", "action")]
        assert not [k for k, _ in attrs if k.startswith("on")]
        if "id" in attributes:
            assert attributes["id"] not in self.ids
            self.ids.add(attributes["id"])
        for name in attributes.get("aria-labelledby", "").split():
            self.words.append(f"->{name}")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        (self.scripts if self.open[-1:] == ["script"] else self.words).append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


def embedded(html):
    """Return the document inside of a page."""
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
