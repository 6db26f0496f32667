"""Parts that all commands share: the application, the options of planning, and the start on ranks."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import typer

import weft
from weft.cli.support import launch, session
from weft.cli.support.environment import DEBUG, surrounding_ranks
from weft.cli.support.session import Session
from weft.cli.support.values import ranks_value
from weft.files import complex_dtype, named_dtype, working_dtype

app = typer.Typer(
    name="weft",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help="FFTs of arrays that are too large for one process, or take it too long.\n\n"
    "-n R runs a command on R ranks. Under mpiexec a command runs on the ranks of mpiexec.",
    epilog=f"An error is one line on standard error, with status 2 (usage) or 1 (failure). {DEBUG}=1 shows tracebacks.",
)


@dataclass(frozen=True)
class Numbers:
    """The type that --dtype names. Cosine and sine transforms use this type; other kinds use only its precision."""

    real: Any
    is_complex: bool

    @property
    def dtype(self) -> Any:
        return complex_dtype(self.real) if self.is_complex else self.real


def numbers_of(name: str) -> Numbers:
    """
    >>> numbers_of("complex64").dtype, numbers_of("complex64").real, numbers_of("f8").dtype
    (dtype('complex64'), dtype('float32'), dtype('float64'))
    """
    dtype = named_dtype(name)
    if dtype.kind not in "fc":
        raise weft.InvalidArgument(
            f"--dtype must be a floating type; given {name}; give float32, float64 or longdouble"
        )
    return Numbers(working_dtype(dtype), dtype.kind == "c")


def start(
    context: typer.Context,
    work: Callable[[Session], int],
    ranks: str | None,
    threads: int,
    oversubscribe: bool,
    *,
    graceful: bool = False,
) -> int:
    """Runs the work on the ranks that mpiexec started, on new ranks, or serially.

    graceful : the work ends by itself after a first SIGTERM or SIGUSR1.
    """
    wanted = ranks_to_start(ranks)
    if wanted is None:
        return session.run_here(work)
    return launch.run_ranks(wanted, threads, context.obj, oversubscribe=oversubscribe, graceful=graceful)


def ranks_to_start(ranks: str | None) -> int | None:
    """Returns the number of ranks to start, or None if the command runs in this process.

    Errors: InvalidArgument if mpiexec started another number of ranks.
    """
    wanted = ranks_value(ranks)
    around = surrounding_ranks()
    if around is None:
        return wanted
    if wanted not in (None, around[1]):
        raise weft.InvalidArgument(
            f"-n must be the number of ranks that mpiexec started, which is {around[1]}; given {wanted}; leave -n out"
        )
    return None


def on_one_rank(work: Callable[[Session], None]) -> int:
    """Does the work in this process. On several ranks the first rank does the work, and all ranks raise its error."""

    def on_first(session: Session) -> int:
        with session.together():
            if session.is_root:
                work(session)
        return 0

    around = surrounding_ranks()
    if around is not None and around[1] > 1:
        return session.run_here(on_first)
    with session.as_weft_errors():
        work(Session())
    return 0
