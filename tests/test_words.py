"""Words that the project does not use, each with what to say instead.

They are house words, metaphors and translations: a reader who knows the field does not know them.
"""

from __future__ import annotations

import ast
import re
import tokenize
from pathlib import Path

import pytest
import strings

ROOT = Path(__file__).parents[1]
#: A pattern, and what to say instead. Patterns are matched without regard to case.
BANNED = {
    r"(?<!head)\brooms?\b(?! for)": "package, folder, module",
    r"\bhouses?\b(?! prices?)": "package, design",
    r"\bdoors?\b": "start page, interface",
    r"\bstands?\b(?! (?:for|alone|out))": "is",
    r"\btold\b": "distinguished, given",
    r"\b(?:errs|erred|erring)\b": "is wrong, makes a mistake",
    r"\bheld\b(?![- ]out)": "stored, kept",
    r"\bswept\b": "streamed",
    r"\bcoded\b": "encoded",
    r"\bdealt\b|\bdealings?\b": "split",
    r"\bparted\b": "split",
    r"\bplaced\b": "put, by row",
    r"\bpriced\b": "cost-weighted",
    r"\b(?:loud|loudly|loudness)\b": "high-epsilon, distinguishable",
    r"\bapart from\b|\b(?:told|tells?|telling) .{0,20}apart\b": "except, distinguish",
    r"\bsettled\b": "verified, decided",
    r"\bleaving\b": "minus, without",
    r"\bcurrenc(?:y|ies)\b": "accounting",
    r"\bstrangers?\b": "outsider",
    r"\bpagers?\b": "page",
    r"(?<!-)\bflats?\b": "affine subspace",
    r"\bquietly\b|\bhushed\b": "without engine messages",
    r"\bspoil(?:t|ed|s|ing)?\b": "corrupted",
    r"\brunnable\b": "feasible",
    r"\bwhoever\b": "anyone who",
    r"\bgoes on\b|\bgo on\b|\bwent on\b": "continues",
    r"Records there were": "Number of records",
    r"Wrong here, about": "Error",
    r"answered to": "confusion matrix",
    r"a name with a space": "quote names with spaces",
}
PAGES = sorted(
    path
    for path in (
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("examples/**/*.md"),
        *ROOT.glob("examples/gallery/**/*.py"),
        *ROOT.glob("src/littlestone/**/*.html"),
        *ROOT.glob("src/littlestone/**/*.jinja"),
    )
)
MODULES = sorted((ROOT / "src").rglob("*.py"))


def found(text: str) -> list[str]:
    """Return the banned words of a text, with what to say instead."""
    text = text.lower()
    return [
        f"{match[0]!r} (say: {instead})"
        for pattern, instead in BANNED.items()
        for match in re.finditer(pattern.lower(), text)
    ]


def texts(source: str) -> list[str]:
    """Return all texts of a module: docstrings, messages, helps."""
    return [
        node.value
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value
    ]


def test_pages_use_the_words_of_the_field():
    for path in PAGES:
        assert found(path.read_text(encoding="utf-8")) == [], path


@pytest.mark.more
def test_docstrings_and_messages_use_the_words_of_the_field():
    wrong = {
        path.relative_to(ROOT).as_posix(): words
        for path in MODULES
        if (words := found("\n\n".join(texts(path.read_text("utf-8")))))
    }
    assert wrong == {}


@pytest.mark.more
def test_comments_use_the_words_of_the_field():
    wrong = {}
    for path in MODULES:
        with path.open("rb") as file:
            said = [
                t.string for t in tokenize.tokenize(file.readline) if t.type == tokenize.COMMENT
            ]
        if words := found("\n".join(said)):
            wrong[path.relative_to(ROOT).as_posix()] = words
    assert wrong == {}


@pytest.mark.more
def test_names_use_the_words_of_the_field():
    """Names of functions, classes, parameters and variables, word by word."""
    names = set()
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                names.add(node.name)
            elif isinstance(node, ast.arg):
                names.add(node.arg)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.add(node.id)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                names.add(node.attr)
    words = "\n".join(sorted(re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", name) for name in names))
    assert found(words) == []


def test_a_banned_word_is_noticed():
    assert found("The pages of this Room.") == ["'room' (say: package, folder, module)"]
    assert found("Held-out records; there is room for more; what it stands for.") == []


def test_the_documents_do_not_grow():
    """Say a thing once, and link; logs and long tables are files that the site links."""
    words = sum(len(p.read_text("utf-8").split()) for p in PAGES if p.suffix == ".md")
    assert words <= 60_000


@pytest.mark.more
def test_the_table_of_texts_has_errors_help_and_pages():
    """`python tools/strings.py` lists what is read whole: each kind, with what is filled in."""
    rows = list(strings.table())
    assert {place for place, _, _ in rows} >= {"error", "help", "page", "text"}
    assert len(rows) > 3000
    assert any(text == "The table given to {caller} has no rows, so nothing was drawn."
               for _, _, text in rows)  # fmt: skip
