"""Pages that stand elsewhere in the repository, links between them, pictures in light and dark."""

import csv
import io
import os.path
import re
from pathlib import Path

from rich.console import Console
from sphinx.search.en import SearchEnglish

from littlestone.cli.main import app as commands
from littlestone.cli.terminal import Help

ROOT = Path(__file__).parents[2]
#: Pages of the repository, and where the site shows them; each has a stub there.
SHOWN = {
    "README.md": "index",
    "ARCHITECTURE.md": "project/architecture",
    "NOTATION.md": "project/notation",
    "CHANGELOG.md": "project/changelog",
    "CONTRIBUTING.md": "project/contributing",
    "SECURITY.md": "project/security",
    "examples/hospital/README.md": "examples/hospital",
    "examples/adult/README.md": "examples/adult",
    "examples/users/README.md": "examples/users",
    "examples/blocklist/README.md": "examples/blocklist",
}
_STUBS = {page: path for path, page in SHOWN.items() if page != "index"}
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s#]+)(#[^)\s]*)?\)")
_CODE = re.compile(r"(^```.*?^```|`[^`\n]+`)", re.DOTALL | re.MULTILINE)
_MAP = re.compile(
    r"^```{csv-table}\n:file: docs/project/map\.csv\n.*?^```$", re.DOTALL | re.MULTILINE
)
_OPTIONS = "<!-- options of every command -->"
_NOT_RUN = re.compile(r"<!-- not run here: (.*?) -->")
_DARK = re.compile(r"@media \(prefers-color-scheme: ?dark\) ?\{[^{}]*\{[^}]*\}\s*\}")


def files_of_the_map(text):
    """Return the source files that a text names in code, as written -> path in the package."""
    package, folder, found = ROOT / "src" / "littlestone", Path(), {}
    for words in re.findall(r"`([\w./]+\.py)`", text):
        path = Path(words) if "/" in words else folder / words
        if (package / path).is_file():
            found[words], folder = path, path.parent
    return found


def map_rows():
    """Return the rows of the map from the papers to the code."""
    with (ROOT / "docs" / "project" / "map.csv").open(newline="") as file:
        return list(csv.reader(file))


def map_table():
    """Return the map as a table, in which each source file is linked to the page that shows it."""
    head, *rows = (f"| {' | '.join(row)} |" for row in map_rows())
    for i, row in enumerate(rows):
        for words, path in files_of_the_map(row).items():
            url = f"../source/{path.with_suffix('.html').as_posix()}"
            rows[i] = rows[i].replace(f"`{words}`", f'<a href="{url}"><code>{words}</code></a>')
    return "\n".join((head, "|---|---|---|---|", *rows)) + "\n"


class _Collected(Help):
    """Keep the panels of ``--help-all`` instead of printing them."""

    def __init__(self, name):
        super().__init__()
        self.command, self.panels = name, []

    def __call__(self, console, options, panel):
        """Keep a panel, or one for each of its groups."""
        self.panels += self.groups(panel)

    def render_usage(self, console, options, usage):
        """Keep nothing: the heading is the usage."""


def _words(entry):
    """Return what the help of an option says, with its choices and its default."""
    text = getattr(entry.description, "primary_renderable", entry.description)
    words = [str(text or "")]
    if entry.choices:
        words.append(f"[{', '.join(entry.choices)}]")
    if entry.default and entry.default != "None":
        words.append(f"[default: {entry.default}]")
    pieces = re.split(r"(`[^`]+`)", " ".join(words).replace("|", "\\|"))
    for i in range(0, len(pieces), 2):
        text = pieces[i].replace("<", "&lt;").replace("*", "\\*")
        pieces[i] = re.sub(r"--[a-z][\w-]*", r"`\g<0>`", text)
    return "".join(pieces)


def option_tables(apps=commands, chain=()):
    """Return a section for each command: its options in their groups."""
    for name in apps:
        if name.startswith("-"):
            continue
        command, names = apps[name], (*chain, name)
        if command.default_command is None:
            yield from option_tables(command, names)
            continue
        collected = _Collected(" ".join(names))
        shown, commands.help_formatter = commands.help_formatter, collected
        try:
            commands.help_print([*names], console=Console(file=io.StringIO()))
        finally:
            commands.help_formatter = shown
        yield f"## `{' '.join(names)}`\n\n{(command.help or '').split(chr(10) * 2)[0]}\n"
        for panel in collected.panels:
            rows = [
                f"| `{' '.join((*entry.names, entry.positional_label or '')).strip()}` "
                f"| {_words(entry)} |"
                for entry in panel.entries
            ]
            if rows:
                yield "\n".join((f"| {panel.title} | |", "|---|---|", *rows)) + "\n"


def show_files(app):
    """Make a page of each source file that a row of the map names."""
    for row in map_rows():
        for path in files_of_the_map(" ".join(row)).values():
            code = (ROOT / "src" / "littlestone" / path).read_text()
            shown = app.builder.highlighter.highlight_block(code, "python", linenos="inline")
            body = f"<h1>{path.as_posix()}</h1>{shown}"
            yield (f"source/{path.with_suffix('')}", {"title": path, "body": body}, "page.html")


def read(app, page, content):
    """Put the repository's page in the place of its stub, and turn links towards the site."""
    path = Path(app.env.doc2path(page)).resolve()
    if path.suffix != ".md":
        return
    shown = ROOT / _STUBS[page] if page in _STUBS else path
    text = shown.read_text() if page in _STUBS else content[0]
    text = _NOT_RUN.sub(r"*Not run by the tests: \1.*\n", text)
    pieces = _CODE.split(text)
    for i in range(0, len(pieces), 2):
        pieces[i] = _LINK.sub(lambda found: _turn(found, shown, path), pieces[i])
    content[0] = _MAP.sub(lambda _: map_table(), "".join(pieces))
    if _OPTIONS in content[0]:
        content[0] = content[0].replace(_OPTIONS, "\n".join(option_tables()))


def _turn(found, shown, path):
    """Return a link from where the page stands to where the site shows its target."""
    image, words, target, rest = found.groups()
    if "://" in target or target.startswith("mailto:"):
        return found[0]
    words = _LINK.sub(lambda inner: _turn(inner, shown, path), words)
    there = (shown.parent / target).resolve()
    if there.is_dir():
        return words  # the site has no page for a folder
    name = there.relative_to(ROOT).as_posix()
    if name in SHOWN:
        there = ROOT / "docs" / f"{SHOWN[name]}.md"
    return f"{image}[{words}]({os.path.relpath(there, path.parent)}{rest or ''})"


def fix_pictures(app, exception):
    """Leave the reader's own setting out of pictures: the site has a switch, and a light ground."""
    for path in Path(app.outdir, "_images").glob("*.svg"):
        path.write_text(_DARK.sub("", path.read_text()))


def fix_sources(app, exception):
    """Lead the links from the source of an object to its own page, under the name it has there."""
    link = re.compile(r'(api/generated/([\w.]+?(\w+))\.html)#[\w.]*?\b\3((?:\.\w+)?")')
    for path in Path(app.outdir, "_modules").rglob("*.html"):
        path.write_text(link.sub(r"\1#\2\4", path.read_text()))


def guarantees(*event):
    """Make a list of a docstring's section "Guarantee": one point for each ``Privacy : ...``."""
    lines = event[-1]
    if event[1] == "property":
        lines.insert(0, "")  # else napoleon takes what stands before a colon for a type
    if "Guarantee" not in lines:
        return
    start = lines.index("Guarantee") + 2
    rules = (i for i in range(start + 1, len(lines)) if lines[i].startswith("----"))
    end = next(rules, len(lines) + 1) - 1
    for i in range(start, end):
        lines[i] = re.sub(r"^(\w[\w ]*) : ", r"* **\1**: ", lines[i])
        if lines[i].startswith("    "):
            lines[i] = lines[i][2:]


def example_first(*event):
    """Move a docstring's section "Examples" behind its first paragraph: the page opens with it."""
    lines = event[-1]
    if event[1] not in ("class", "function") or "Examples" not in lines:
        return
    start = lines.index("Examples")
    rules = (i for i in range(start + 2, len(lines)) if lines[i].startswith("----"))
    end = next(rules, len(lines) + 1) - 1
    example = [*lines[start + 2 : end], ""]
    del lines[start:end]
    first = lines.index("") + 1 if "" in lines else len(lines)
    lines[first:first] = example


def attributes(*event):
    """Keep the underscore at the end of an attribute's name, which docutils takes for a link."""
    lines = event[-1]
    for i, line in enumerate(lines):
        if line.startswith((":ivar ", ":vartype ")):
            head, colon, rest = line[1:].partition(":")
            lines[i] = ":" + re.sub(r"_(?=,|$)", r"\\_", head) + colon + rest


class Search(SearchEnglish):
    """English, in which a number such as 4.6 is one word: theorems are looked up by number."""

    js_splitter_code = (
        r"var splitQuery = (query) => query.match(/[\p{L}\p{N}_]+(?:\.\p{N}+)*/gu) || [];"
    )

    def split(self, input):  # noqa: A002 - Sphinx's name
        """Return the words of a text."""
        return re.findall(r"\w+(?:\.\d+)*", input)


def setup(app):
    """Connect the hooks."""
    app.add_search_language(Search)
    app.connect("source-read", read)
    app.connect("autodoc-process-docstring", example_first, priority=300)
    app.connect("autodoc-process-docstring", guarantees, priority=400)  # before napoleon
    app.connect("autodoc-process-docstring", attributes, priority=600)  # after it
    app.connect("html-collect-pages", show_files)
    app.connect("build-finished", fix_pictures)
    app.connect("build-finished", fix_sources)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
