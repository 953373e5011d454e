"""The examples and the engine's pass, from the command line."""

import json
from pathlib import Path

import pytest

from littlestone.cli.main import main

EXAMPLES = Path(__file__).parents[3] / "examples"
BUDGET = ["--learner", "vc1", "--epsilon", "1", "--delta", "1e-6", "--seed", "5", "--json"]


@pytest.fixture
def fit(capfd, tmp_path):
    """Run ``fit``, return the printed release."""

    def call(data, x, y, spec, *more):
        line = ["fit", str(data), "--x", x, "--y", y, "--class", spec, *BUDGET, *more]
        code = main(line)
        out, err = capfd.readouterr()
        assert code == 0, err
        return json.loads(out)

    return call


def test_networks(fit):
    table = EXAMPLES / "networks" / "blocks.csv"
    asked = (table, "network", "stopped", "prefixes(ipv4)", "--require-certificate")
    assert fit(*asked)["required_samples"] == 813  # a tenth of epsilon is the evaluation's
    found = fit(*asked, "--no-evaluate")
    assert found["certificate"]["holds"]
    assert found["n"] == 1000
    assert found["required_samples"] == 741
    address, _, length = found["hypothesis"]["prefix"].partition("/")
    assert address.startswith("203.0.113.")
    assert int(length) >= 27


def test_a_taxonomy(fit, tmp_path):
    folder = EXAMPLES / "taxonomy"
    spec = f"tree_paths({folder / 'categories.csv'})"
    page = tmp_path / "page.html"
    found = fit(
        folder / "pools.csv", "category", "positive", spec, "--proper", "--report", str(page)
    )
    assert found["certificate"]["holds"]
    path = found["hypothesis"]["path"]
    assert path[:4] == [
        "01 Food and non-alcoholic beverages",
        "01.1 Food",
        "01.1.4 Milk, other dairy products and eggs",
        "01.1.4.5 Cheese",
    ]
    text = page.read_text(encoding="utf-8")
    assert "above that of the best" not in text  # the certificate is about realizable labels
    assert "1e-06" in text


def test_the_examples_are_what_their_makers_write(tmp_path, monkeypatch):
    for name in ("networks", "taxonomy"):
        scope = {"__file__": str(tmp_path / "make.py"), "__name__": "__main__"}
        source = (EXAMPLES / name / "make.py").read_text(encoding="utf-8")
        exec(compile(source, "make.py", "exec"), scope)
        for file in (EXAMPLES / name).glob("*.csv"):
            assert (tmp_path / file.name).read_bytes() == file.read_bytes()
