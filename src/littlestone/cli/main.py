"""The command line: a thin shell around the rooms below.

Commands load the rooms below when they are called, so that ``littlestone --version`` is quick. All
errors end here: one clear message on standard error, an exit code, no traceback (a traceback could
show data).
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from cyclopts import App, CycloptsError, MissingArgumentError

from littlestone import __version__
from littlestone.cli.audit import controls, exact, statistical
from littlestone.cli.dims import dims
from littlestone.cli.fit import fit
from littlestone.cli.ledger import create, show
from littlestone.cli.options import flowing
from littlestone.cli.plan import plan
from littlestone.cli.predict import predict
from littlestone.cli.report import report
from littlestone.cli.stream import stream
from littlestone.errors import BudgetError, InfeasibleError, LittlestoneError, ParameterError

if TYPE_CHECKING:
    from littlestone.types import Json

__all__ = ["BAD_INPUT", "DONE", "FAILED", "INFEASIBLE", "REFUSED", "app", "main", "run"]

DONE, FAILED, BAD_INPUT, INFEASIBLE, REFUSED = 0, 1, 2, 3, 4

_EXITS = (
    "Exit codes: 0 done; 1 a verification failed; 2 bad input; 3 too few records for the "
    "required certificate; 4 the privacy budget does not allow it."
)
#: As `littlestone.classes.CLASSES` says it; written out, since --help loads no class.
_CLASSES = (
    "Classes: thresholds(1, 99), intervals(1, 99), points() or points(1, 99), sparse_sets(5) or "
    "sparse_sets(5, 1, 99), conjunctions(8, monotone=True), affine_subspaces(7, 20, 2), "
    "finite(matrix.csv), tree_paths(taxonomy.csv), prefixes(ipv4); over the columns of a --schema: "
    "rules(max_literals=2), decision_trees(depth=2)."
)
_FIRST = (
    "First steps: plan says how many records are enough, fit learns from them.\n\n"
    'littlestone plan --class "thresholds(1, 99)" --epsilon 1 --alpha 0.1 --beta 0.05\n\n'
    'littlestone fit people.csv --x age --y adult --class "thresholds(1, 99)" --epsilon 1'
)

app = App(
    name="littlestone",
    version=__version__,
    help="Private learning with proofs you can run.",
    help_epilogue=f"{_FIRST}\n\n{_EXITS}",
    help_format="plaintext",
)
# In the order in which they are used.
_COMMANDS: tuple[Callable[..., int], ...] = (plan, fit, predict, report, stream, dims)
for _place, _command in enumerate(_COMMANDS):
    _about = f"{_CLASSES}\n\n{_EXITS}" if _command in (plan, fit, stream, dims) else _EXITS
    app.command(flowing(_command), sort_key=_place, help_epilogue=_about)
audit = App(
    name="audit",
    help="Check the privacy of learners: exactly, by bugs put in on purpose, by sampling.",
    help_epilogue=_EXITS,
    help_format="plaintext",
    sort_key=len(_COMMANDS),
)
audit.command(flowing(exact))
audit.command(flowing(controls))
audit.command(flowing(statistical))
app.command(audit)
ledger = App(
    name="ledger",
    help="Keep a privacy budget for a set of records.",
    help_epilogue=_EXITS,
    help_format="plaintext",
    sort_key=len(_COMMANDS) + 1,
)
ledger.command(flowing(create))
ledger.command(flowing(show))
app.command(ledger)

#: What a required parameter may look like.
_EXAMPLES = {
    "--class": '--class "thresholds(1, 99)"',
    "--epsilon": "--epsilon 1",
    "--alpha": "--alpha 0.1",
    "--beta": "--beta 0.05",
    "--learner": "--learner generic",
    "--points": "--points 1,2,3",
    "--y": "--y adult",
    "--out": "--out page.html",
    "DATA": "people.csv",
    "MODEL": "model.json",
    "--state": "--state state",
    "PATH": "budget.db",
}


def main(tokens: Sequence[str]) -> int:
    """Run one command line and return its exit code; never raises an error of ours.

    Parameters
    ----------
    tokens : sequence of str
        The arguments after the program's name.

    Returns
    -------
    int
        0 done; 1 a verification failed, or a defect of this program; 2 bad input; 3 infeasible;
        4 the privacy budget does not allow it.

    Examples
    --------
    >>> main(["--version"])
    0.1.0
    0
    """
    try:
        if any(map(_impossible, tokens)):
            raise ParameterError("An argument holds a character that no command line can hold.")
        code = app(
            list(tokens), exit_on_error=False, print_error=False, result_action="return_value"
        )
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of our output is gone (``| head``): nothing is left to say, and nobody to hear.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except Exception as problem:
        error = _explain(problem)
        print(f"littlestone: {error['message']}", file=sys.stderr)
        if "--json" in tokens:
            print(json.dumps({"error": error}))
        return int(error["exit_code"])
    return code if isinstance(code, int) else DONE


def run() -> None:
    """Console entry point."""
    sys.exit(main(sys.argv[1:]))


def _impossible(token: str) -> bool:
    """Return whether a token cannot come from a system's command line (nor name a file)."""
    try:
        return b"\0" in os.fsencode(token)
    except UnicodeEncodeError:
        return True


def _explain(problem: Exception) -> Json:
    """Return what is said about an error: its kind, a message, and the exit code."""
    kind, message, code = type(problem).__name__, str(problem), BAD_INPUT
    if isinstance(problem, InfeasibleError):
        code = INFEASIBLE
        return {"kind": kind, "message": message, "exit_code": code, "n_needed": problem.n_needed}
    if isinstance(problem, BudgetError):
        return {"kind": kind, "message": message, "exit_code": REFUSED}
    if isinstance(problem, CycloptsError):
        kind = "UsageError"
        if isinstance(problem, MissingArgumentError):
            message = _missing(problem)
    elif not isinstance(problem, LittlestoneError):
        # A defect of ours. Its text could hold data, so only its type is shown.
        code = FAILED
        message = (
            f"A defect of this program ({kind}). Details are not shown, because they could hold "
            "data; set LITTLESTONE_DEBUG=1 to see them, on data that may be seen."
        )
        if os.environ.get("LITTLESTONE_DEBUG"):
            traceback.print_exception(problem)
    return {"kind": kind, "message": message, "exit_code": code}


def _missing(problem: MissingArgumentError) -> str:
    """Teach what a command line lacks, unless it is there and misspelt."""
    message = str(problem)
    name = "" if problem.argument is None else problem.argument.name
    if name not in _EXAMPLES or "Did you mean" in message:
        return message
    command = " ".join(problem.command_chain or ())
    lesson = f"{command} needs {name}, for example {_EXAMPLES[name]}."
    return f"{lesson} See littlestone {command} --help."
