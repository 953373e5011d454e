"""Plans of intervals and sets say what fit refuses, and certifies."""

import json
from fractions import Fraction as F

import pytest

import littlestone as ls
from littlestone.cli.main import main
from littlestone.data.targets import Count, Quantity
from littlestone.errors import InfeasibleError, ParameterError
from littlestone.planning import plan_interval

SCHEMA = ls.Schema.from_dict({"age": {"bins": [30]}})


def fitted(n, target, **given):
    how = {"epsilon": 2, "rounds": 2, "interval": 0.8, "random_state": 0} | given
    X, y = [[25], [70]] * (n // 2) + [[25]] * (n % 2), [0, 1] * (n // 2) + [0] * (n % 2)
    if target is None:
        return ls.Scorecard(SCHEMA, **how).fit(X, y)
    loss = "poisson" if isinstance(target, Count) else "huber"
    return ls.ScorecardRegressor(SCHEMA, **how, high=target.high, loss=loss).fit(X, y)


@pytest.mark.first(2)
@pytest.mark.parametrize(
    "target", [None, Quantity(0, 9), Count(9)], ids=["label", "quantity", "count"]
)
@pytest.mark.parametrize(
    "more", [{}, {"holdout": F(1, 3), "evaluate": F(1, 2)}], ids=["plain", "more"]
)
def test_the_least_number_is_that_of_fit(target, more):
    """With as many as are needed fit does what was planned; with one less it refuses."""
    planned = plan_interval("0.8", epsilon=2, target=target, **more)
    made = fitted(planned.n, target, **more).release_.interval
    assert planned.n == planned.required
    assert made == planned.conformal
    for refused in (
        lambda: plan_interval("0.8", epsilon=2, target=target, n=planned.required - 1, **more),
        lambda: fitted(planned.required - 1, target, **more),
    ):
        with pytest.raises(InfeasibleError, match="held-out records") as problem:
            refused()
        assert problem.value.n_needed == planned.conformal.m


@pytest.mark.more
def test_the_command_line_plans_what_fit_does(tmp_path, capsys):
    assert main(["plan", "--interval", "80%", "--epsilon", "4", "--json"]) == 0
    planned = json.loads(capsys.readouterr().out)
    rows = "\n".join(f"{i % 90},{int(i % 90 > 40)}" for i in range(planned["required"]))
    (tmp_path / "t.csv").write_text(f"age,ill\n{rows}\n")
    line = ["fit", str(tmp_path / "t.csv"), "--y", "ill", "--epsilon", "4", "--interval", "80%"]
    bounds = ["--bounds", "age=0:100", "--delta", "1e-6", "--json"]
    assert main([*line, *bounds]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["interval"]["m"] == planned["interval"]["m"]


def test_what_is_said(capsys):
    line = ["plan", "--interval", "80%", "--epsilon", "4"]
    assert main([*line, "--n", "9", "--schema", "s"]) == 3
    assert "held-out records, not 1" in capsys.readouterr().err
    assert main([*line, "--target", "quantity"]) == 0
    assert "with probability 0.8 or more" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("--interval 90%", "--epsilon"),
        ("--interval 90 --epsilon 1", "in (0, 1)"),
        ("--interval 90% --epsilon 1 --class scorecard", "left out with --interval"),
        ("--interval 90% --epsilon 1 --target count", "--high"),
        ("--interval 90% --epsilon 1 --evaluate 2", "smaller than epsilon"),
        ("--holdout 0.2", "for --interval"),
    ],
)
def test_what_is_refused(line, words, capsys):
    assert main(["plan", *line.split()]) == 2
    assert words in capsys.readouterr().err


def test_wrong_numbers_are_refused():
    for change in ({"n": 0}, {"holdout": 2}, {"epsilon": -1}, {"interval": 1}):
        with pytest.raises(ParameterError):
            plan_interval(**({"interval": 0.9, "epsilon": 1} | change))
