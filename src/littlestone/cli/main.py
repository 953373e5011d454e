"""The command line: a thin shell around the packages below.

Commands load the packages below when they are called, so that ``littlestone --version`` is quick.
All errors end here: one clear message on standard error, an exit code, no traceback (a traceback
could show data).
"""

from __future__ import annotations

import codecs
import difflib
import errno
import json
import os
import re
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

from cyclopts import App, CycloptsError, MissingArgumentError, UnknownOptionError

from littlestone import __version__
from littlestone.cli.audit import all_n, exact, replay
from littlestone.cli.fit import fit, rehearse
from littlestone.cli.options import EXAMPLES
from littlestone.cli.plan import plan
from littlestone.cli.predict import check_record, create, export, predict, report, score, show
from littlestone.cli.schema import check, check_schema, new, propose
from littlestone.cli.stream import stream
from littlestone.cli.terminal import Help
from littlestone.cli.theory import dims, papers
from littlestone.errors import (
    BudgetError,
    InfeasibleError,
    LittlestoneError,
    ParameterError,
    StoppedError,
    without_passwords,
)

if TYPE_CHECKING:
    from littlestone.types import Json


DONE, FAILED, BAD_INPUT, INFEASIBLE, REFUSED, STOPPED, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130

#: What the system says when the standard output takes nothing more.
_UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)

_EXITS = (
    "Exit codes: 0 done; 1 a verification failed, or the program has a bug; 2 bad input; 3 too few "
    "records; 4 the privacy budget does not allow the release; 5 stopped after part of the "
    "release, and the epsilon of that part is spent; 130 interrupted."
)
_PRICES = f"Options without a note [epsilon: ...] cost no epsilon.\n\n{_EXITS}"
_FREE = "This command costs no epsilon."
#: Commands with no option whose cost in epsilon is named.
_NEVER_CHARGED = (predict, report, export, check_record, dims, papers, new, check_schema, show)
#: As `littlestone.classes.CLASSES` says it; written out, since --help loads no class.
_CLASSES = (
    "Classes: thresholds(1, 99), intervals(1, 99), points() or points(1, 99), sparse_sets(5) or "
    "sparse_sets(5, 1, 99), conjunctions(8, monotone=True), affine_subspaces(7, 20, 2), "
    "finite(matrix.csv), tree_paths(taxonomy.csv), prefixes(ipv4); "
    "over the columns of a --schema: "
    "rules(max_literals=2), decision_trees(depth=2), "
    "boosted_trees(depth=2), scorecard, linear."
)
_SUMS = ", boosted_trees(depth=2), scorecard, linear"  # plan and stream have no bound for them
_FIRST = (
    "First steps: plan computes how many records are enough, and fit learns from "
    'them.\n\nlittlestone plan --class "thresholds(1, 99)" --epsilon 1 --alpha 0.1 --beta '
    '0.05\n\nlittlestone fit people.csv --x age --y adult --class "thresholds(1, 99)" --epsilon '
    "1"
)


_HELP = Help()
app = App(
    name="littlestone",
    suppress_keyboard_interrupt=False,  # it ends in `main`, with a word about the ledger
    version=__version__,
    help="Private learning with proofs you can run.",
    help_epilogue=f"{_FIRST}\n\n{_EXITS}",
    help_format="plaintext",
    help_formatter=_HELP,
)
# In the order in which they are used.
_COMMANDS: tuple[Callable[..., int], ...] = (
    plan,
    check,
    rehearse,
    fit,
    predict,
    score,
    report,
    export,
    check_record,
    stream,
    dims,
    papers,
)
for _place, _command in enumerate(_COMMANDS):
    _of_class = _command in (plan, fit, stream, dims)
    _price = f"{_FREE}\n\n{_EXITS}" if _command in _NEVER_CHARGED else _PRICES
    _known = _CLASSES.replace(_SUMS, "") if _command in (plan, stream) else _CLASSES
    _about = f"{_known}\n\n{_price}" if _of_class else _price
    app.command(_command, sort_key=_place, help_epilogue=_about)
# Groups of commands: what they are about, their place in the list, and what is in them.
_GROUPS: dict[str, tuple[str, int, tuple[Callable[..., int], ...]]] = {
    "audit": (
        "Verify the privacy of learners exactly on small tables, for every n, or by replay.",
        len(_COMMANDS),
        (exact, all_n, replay),
    ),
    "ledger": (
        "Keep a privacy budget for a set of records.",
        len(_COMMANDS) + 1,
        (create, show),
    ),
    "schema": (
        "Draft a schema (a public description of columns), check one, or learn one privately.",
        -1,  # the first step
        (new, propose, check_schema),
    ),
}
for _name, (_about, _place, _commands) in _GROUPS.items():
    _group = App(
        name=_name,
        help=_about,
        help_epilogue=_EXITS,
        help_format="plaintext",
        sort_key=_place,
    )
    for _command in _commands:
        _about = f"{_FREE}\n\n{_EXITS}" if _command in _NEVER_CHARGED else _PRICES
        _named = "check" if _command is check_schema else None
        _group.command(_command, name=_named, help_epilogue=_about)
    app.command(_group)

#: What a required parameter may look like.
_EXAMPLES = {f"--{name}": f"--{name} {value}" for name, value in EXAMPLES.items()} | {
    **{"DATA": "people.csv", "--data": "--data people.csv"},
    "MODEL": "model.json",
    "PATH": "budget.db",
    "FILE": "schema.toml",
}
#: What other programs call an option, which no letters betray.
_CALLED = {
    **dict.fromkeys(("--page", "--html"), "--report"),
    **dict.fromkeys(("--output", "--save"), "--out"),
    **dict.fromkeys(("--random-state", "--rng"), "--seed"),
    **dict.fromkeys(("--label", "--outcome", "--response"), "--y"),
    **dict.fromkeys(("--features", "--predictors", "--columns"), "--x"),
}
#: What --out is of a command that writes no page.
_OUTPUTS = {"fit": "--out model.json", "schema propose": "--out schema.toml"}

#: The commands that draw what costs epsilon.
_DRAWS = ("fit", "check", "score", "stream", "schema propose")

_INTERRUPTED = (
    "Interrupted: nothing was released. Epsilon that a ledger had recorded is spent (littlestone "
    "ledger show)."
)


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
        4 the privacy budget does not allow it; 5 stopped, with a cost; 130 interrupted.

    Examples
    --------
    >>> main(["--version"])
    0.2.0.dev0
    0
    """
    _write_any_text()
    with _interrupts() as pressed:
        return _main(tokens, pressed)


def _with_pipe(tokens: Sequence[str]) -> list[str]:
    """Return the tokens; "-" in the place of a table is standard input."""
    dash = "-"
    pairs = zip(["", *tokens], tokens, strict=False)
    return [
        "/dev/stdin" if word == dash and not last.startswith("--") else word for last, word in pairs
    ]


def _main(tokens: Sequence[str], pressed: list[int]) -> int:
    try:
        if any(map(_impossible, tokens)):
            raise ParameterError(
                "An argument contains a character that cannot occur on a command line."
            )
        code = app(
            _with_pipe(_HELP.read(tokens)),
            exit_on_error=False,
            print_error=False,
            result_action="return_value",
        )
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of our output is gone (``| head``): nothing is left to say, and nobody to hear.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except KeyboardInterrupt:
        return _interrupted(tokens)
    except Exception as problem:
        if pressed:  # an engine that is interrupted raises an error of its own
            return _interrupted(tokens)
        error = _explain(problem, tokens)
        _report(error, tokens)
        return int(error["exit_code"])
    return code if isinstance(code, int) else DONE


@contextmanager
def _interrupts() -> Iterator[list[int]]:
    """Remember that Ctrl-C was pressed, whatever an engine makes of it."""
    pressed: list[int] = []

    def press(number: int, frame: object) -> None:
        pressed.append(number)
        raise KeyboardInterrupt

    ours = threading.current_thread() is threading.main_thread()
    if not ours or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield pressed
        return
    signal.signal(signal.SIGINT, press)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _interrupted(tokens: Sequence[str]) -> int:
    _report({"kind": "Interrupted", "message": _INTERRUPTED, "exit_code": INTERRUPTED}, tokens)
    return INTERRUPTED


def run() -> None:
    """Console entry point."""
    # A standard stream that is closed is nowhere; its number must not become that of a file.
    while (handle := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(handle)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - for ever
    sys.exit(main(sys.argv[1:]))


def _write_any_text() -> None:
    """Let no encoding of the terminal stop what has been drawn: other characters are escaped."""
    codecs.register_error("littlestone.escaped", _escaped)
    for file in (sys.stdout, sys.stderr):
        if hasattr(file, "reconfigure"):
            file.reconfigure(errors="littlestone.escaped")


def _escaped(problem: UnicodeError) -> tuple[str, int]:
    """Write characters that an encoding lacks as JSON does."""
    assert isinstance(problem, UnicodeEncodeError)
    return json.dumps(problem.object[problem.start : problem.end])[1:-1], problem.end


def _report(error: Json, tokens: Sequence[str]) -> None:
    """Say what went wrong, on standard error and as JSON; where nobody listens, say nothing."""
    try:
        print(f"littlestone: {error['message']}", file=sys.stderr)
        if "--json" in tokens:
            print(json.dumps({"error": error}))
        sys.stdout.flush()
    except OSError:  # the standard output is full, or gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _impossible(token: str) -> bool:
    """Return whether a token cannot come from a system's command line (nor name a file)."""
    try:
        return b"\0" in os.fsencode(token)
    except UnicodeEncodeError:
        return True


def _explain(problem: Exception, tokens: Sequence[str]) -> Json:
    """Return what is said about an error: its kind, a message, and the exit code."""
    kind, message, code = type(problem).__name__, str(problem), BAD_INPUT
    if isinstance(problem, InfeasibleError):
        needed = {"n_needed": problem.n_needed}
        return {"kind": kind, "message": message, "exit_code": INFEASIBLE, **needed}
    if isinstance(problem, BudgetError):
        return {"kind": kind, "message": message, "exit_code": REFUSED}
    if isinstance(problem, CycloptsError):
        kind, unused = "UsageError", r"Unused Tokens: \[(.*)\]"
        message = re.sub(unused, r"Unexpected on the command line: \1", message)
        if isinstance(problem, MissingArgumentError):
            message = _missing(problem)
        if isinstance(problem, UnknownOptionError):
            message = _unknown(problem)
        if not any(words in message for words in ("--help", "Did you mean", "Choose from")):
            message += f" See {' '.join(['littlestone', *(problem.command_chain or ())])} --help."
    elif isinstance(problem, OSError) and problem.errno in _UNWRITABLE and not problem.filename:
        kind = "OutputError"
        message = f"The standard output could not be written ({os.strerror(problem.errno or 0)})."
        if _typed(tokens)[0] in _DRAWS:
            message += (
                " The result is lost, unless it was written to a file (--out); epsilon that a "
                "ledger recorded is spent."
            )
    elif isinstance(problem, LittlestoneError):
        code = STOPPED if isinstance(problem, StoppedError) else BAD_INPUT
        message = _in_options(message, tokens)
    else:
        # A defect of ours. Its text could hold data, so only its type is shown.
        code = FAILED
        message = (
            f"A defect of this program ({kind}). Details are not shown, because they could hold "
            "data; set LITTLESTONE_DEBUG=1 to see them, on data that may be seen."
        )
        if os.environ.get("LITTLESTONE_DEBUG"):
            traceback.print_exception(problem)
    return {"kind": kind, "message": without_passwords(message), "exit_code": code}


def _in_options(message: str, tokens: Sequence[str] = ()) -> str:
    """Say in the words of the command line what the library says in those of Python.

    Examples
    --------
    >>> _in_options("The 'samples_per_user' parameter of fit must be left out without strict=True.")
    "The '--samples-per-user' option of fit must be left out without --strict."
    >>> _in_options("The 'delta' parameter of VC1Learner must be in (0, 1).", ["fit", "data.csv"])
    "The '--delta' option of fit must be in (0, 1)."
    >>> _in_options("The 'depth' parameter of DecisionTrees must be 1 to 4.", ["fit", "data.csv"])
    "The 'depth' parameter of decision_trees must be 1 to 4."
    >>> _in_options("Raise alpha, or say less (shift=None).")
    'Raise alpha, or say less (--shift none).'
    """
    command, options = _typed(tokens)

    def named(found: re.Match[str]) -> str:
        name, of, caller = found.groups()
        spelt = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", caller or "").lower()
        if caller and f"{spelt}(" in _CLASSES:
            return f"'{name}' parameter of {spelt}"
        if name not in options and "_" not in name:
            return found[0]
        return f"'{_option(name)}' option{of or ''}{command or caller if of else ''}"

    caller = "|".join([*filter(None, [re.escape(command)]), r"a [a-z]+", r"[A-Za-z]\w*"])
    parameter = r"'([a-z_]+)' parameter(?! of column)"  # of a schema's file it is a key
    message = re.sub(rf"{parameter}(?:( of )({caller}))?", named, message)
    message = re.sub(r"\b(samples_per_user|records_per_user)\b", lambda f: _option(f[1]), message)
    message = re.sub(r"\bcsv=(?=\")", "--csv ", message).replace("strict=True", "--strict")
    if command and "table" not in options:  # a place, not an option
        places = {"rehearse": "TWIN argument", "audit replay": "'--data' option"}
        words = f"{places.get(command, 'DATA argument')} of {command}"
        message = re.sub(r"'(table|data)' parameter of [a-z ]*?(?= must)", words, message)
        message = re.sub(r"(?<=able given to )[a-z]+\b", command, message)
    return message.replace("shift=None", "--shift none")


def _typed(tokens: Sequence[str]) -> tuple[str, frozenset[str]]:
    """Return the command that was typed, and the names of its options in Python."""
    chain, apps, _ = app.parse_commands(list(tokens))
    command = apps[-1].default_command
    if not chain or command is None:
        return "", frozenset()
    return " ".join(chain), _options(*chain)


@cache
def _options(*chain: str) -> frozenset[str]:
    """Return the names of a command's options in Python."""
    command = app.parse_commands(chain)[1][-1]
    names = (name for each in command.assemble_argument_collection() for name in each.names)
    return frozenset(
        name.removeprefix("--").replace("-", "_") for name in names if name.startswith("--")
    )


def _option(name: str) -> str:
    return "--class" if name == "concept_class" else f"--{name.replace('_', '-')}"


def _unknown(problem: UnknownOptionError) -> str:
    """Name the option that was meant, by what other programs call it or else by its letters."""
    typed = str(problem.token.keyword or problem.token.value).partition("=")[0]
    names = [name for each in problem.argument_collection for name in each.names]
    meant = [name for name in [_CALLED.get(typed)] if name in names]
    meant = meant or difflib.get_close_matches(typed, names, n=1, cutoff=0.7)
    return f"Unknown option: {typed}." + "".join(f" Did you mean {name}?" for name in meant)


def _missing(problem: MissingArgumentError) -> str:
    """Teach what a command line lacks, unless it is there and misspelt."""
    message = str(problem)
    name = "" if problem.argument is None else problem.argument.name
    if name not in _EXAMPLES or "Did you mean" in message:
        return message
    command = " ".join(problem.command_chain or ())
    example = _OUTPUTS.get(command, _EXAMPLES[name]) if name == "--out" else _EXAMPLES[name]
    required = getattr(problem.argument, "required", True)
    needs = f"{command} needs {name}" if required else f"{name} needs a value"
    return f"{needs}, for example {example}. See littlestone {command} --help."
