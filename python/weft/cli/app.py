"""The command line: registers the commands, runs one and reports its failure.

Each command reads its options. Then it runs in this process or, with -n, starts itself again on ranks.
"""

import functools
import itertools
import re
import sys
from typing import Annotated, Any

import typer

import weft
from weft.cli.bench import commands as bench_commands
from weft.cli.commands import planning as planning_commands
from weft.cli.commands import system as system_commands
from weft.cli.commands import transforms as transform_commands
from weft.cli.commands import wisdom as wisdom_commands
from weft.cli.dns import commands as dns_commands
from weft.cli.ooc import commands as ooc_commands
from weft.cli.ooc import record_commands as ooc_record_commands
from weft.cli.support import session, streams
from weft.cli.support.command import app
from weft.cli.support.environment import debugging, surrounding_ranks
from weft.cli.support.session import FAILURE_STATUS, USAGE_STATUS, Session

__all__ = [
    "app",
    "bench_commands",
    "dns_commands",
    "main",
    "ooc_commands",
    "ooc_record_commands",
    "planning_commands",
    "system_commands",
    "transform_commands",
    "wisdom_commands",
]
# The order of the commands in `weft --help`. Groups of commands follow them.
ORDER = ("probe", "plan", "map", "project", "fft", "filter", "spectrum", "bench", "verify", "info", "run")
app.registered_commands.sort(key=lambda command: ORDER.index(command.name or ""))
# The base class of click's usage errors. typer does not export it. The class is of typer's own copy of click, or of the
# package click.
ClickException: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


@app.callback(invoke_without_command=True)
def weft_command(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    if version:
        print(f"weft {weft.__version__}")
        raise typer.Exit()
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit()


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line; returns the exit status."""
    words = sys.argv[1:] if arguments is None else arguments
    with streams.standard_streams():
        return _status_of(words)


def _status_of(words: list[str]) -> int:
    try:
        status = typer.main.get_command(app)(words, prog_name="weft", standalone_mode=False, obj=words) or 0
        sys.stdout.flush()
        return status
    except ClickException as error:
        message = error.format_message().replace("\n\t", " ")  # a list of the possible values
        return _refused(_with_value(_with_remedy(message), error, words), error.exit_code, error)
    except (typer.Abort, KeyboardInterrupt):
        return _refused("interrupted", 130, None)
    except streams.ReaderGone:
        return FAILURE_STATUS
    except (weft.WeftError, OSError, MemoryError) as error:
        refused = session.as_weft_error(error)
        return _refused(str(refused), session.exit_status(refused), error)
    except Exception as error:
        return _refused(session.unexpected(error), FAILURE_STATUS, error)


def _with_value(message: str, error: ClickException, words: list[str]) -> str:
    """Adds the refused value of an option to the parser's message, and removes or replaces phrases of the parser."""
    message = message.replace("Value error, ", "").replace(": Input should be ", ": it must be ")
    if not isinstance(error, typer.BadParameter):
        return message
    parts = [part for word in words for part in (word.split("=", 1) if word.startswith("--") else [word])]
    for name in getattr(error.param, "opts", ()):
        given = [after for word, after in itertools.pairwise(parts) if word == name]
        if len(given) == 1 and given[0] not in message:
            return f"{message}; given {given[0]}"
    return message


def _with_remedy(message: str) -> str:
    """Adds a remedy to the parser's message about extra numbers, which are probably a shape.

    >>> _with_remedy("Got unexpected extra argument(s) (64)")
    'Got unexpected extra argument(s) (64); write a shape as one word, such as 64x64x64'
    """
    if re.fullmatch(r"Got unexpected extra argument\S* \([\d ]+\)", message):
        return f"{message}; write a shape as one word, such as 64x64x64"
    return message


def _refused(message: str, status: int, error: BaseException | None) -> int:
    """Reports an error that occurred before any communication between ranks; returns the exit status."""
    around = surrounding_ranks()
    if around is not None and around[1] > 1 and status in (USAGE_STATUS, FAILURE_STATUS):
        # Other ranks may have other arguments and wait for this rank. So this rank joins them, and one rank prints.
        kind = weft.InvalidArgument if status == USAGE_STATUS else weft.WeftError
        return session.run_here(functools.partial(_fail, kind(message), error))
    rank = 0 if around is None else around[0]
    if rank == 0:
        if debugging() and error is not None:
            session.print_traceback(error)
        print(f"weft: error: {session.in_one_line(message)}", file=sys.stderr, flush=True)
    return session.leave_status(status, rank)


def _fail(refusal: weft.WeftError, reason: BaseException | None, session: Session) -> int:
    raise refusal from reason
