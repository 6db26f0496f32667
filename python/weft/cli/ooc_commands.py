"""`weft ooc`: arrays on disks, and what transforms of them would read, write and send. Needs no MPI."""

from enum import Enum
from typing import Annotated

import typer

import weft
from weft.cli.choices import Json
from weft.cli.commands import app, on_one_rank
from weft.cli.values import shape_value, size_value
from weft.files import named_dtype
from weft.ooc import METHODS

ooc_app = typer.Typer(help="Arrays on disks: to copy them there, and what transforms would read, write and send.")
app.add_typer(ooc_app, name="ooc")


class Method(str, Enum):
    stripe_communicating = "stripe-major/communication"
    memoryload_communicating = "memoryload-major/communication"
    processor_local = "processor-major/no-communication"
    memoryload_local = "memoryload-major/no-communication"


class Paper(str, Enum):
    fig7 = "fig7"
    fig8 = "fig8"


class Factoring(str, Enum):
    published = "published"
    least_crossing = "least-crossing"


@ooc_app.callback(invoke_without_command=True)
def ooc_command(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit()


@ooc_app.command("analyze")
def analyze_command(
    points: Annotated[str | None, typer.Argument(metavar="N", help="Points of the FFT, such as 2^25.")] = None,
    memory: Annotated[
        str | None, typer.Option(metavar="BYTES", help="Memory of each processor, such as 16MiB or 2^24.")
    ] = None,
    block: Annotated[str, typer.Option(metavar="BYTES", help="What a disk reads or writes at once.")] = "64KiB",
    disks: Annotated[int | None, typer.Option(metavar="D", help="Disks of all processors. Default: P.")] = None,
    processors: Annotated[int, typer.Option("-n", metavar="P", help="Processors; none is started.")] = 1,
    method: Annotated[Method | None, typer.Option(help="One of the four variants of the paper. Default: all.")] = None,
    record: Annotated[str, typer.Option(metavar="BYTES", help="Bytes of a point.")] = "16",
    asynchronous: Annotated[
        bool, typer.Option("--async", help="Buffers for I/O that goes on meanwhile: half the memory is left.")
    ] = False,
    factoring: Annotated[
        Factoring, typer.Option(help="Factors of permutations: as published, or those that send least.")
    ] = Factoring.least_crossing,
    paper: Annotated[
        Paper | None, typer.Option(help="Instead of N: a figure of Cormen and Nicol's, beside the paper's numbers.")
    ] = None,
    as_json: Json = False,
) -> int:
    """Count passes, parallel I/Os, messages and bytes of an FFT by superlevels, without data.

    Messages and bytes are those of one processor. All sizes are powers of two.
    """
    from weft.cli import ooc

    if paper is not None:
        if points is not None or memory is not None:
            raise weft.InvalidArgument(
                f"--paper has sizes of its own; got {points or memory} too; give N and --memory, or --paper"
            )
        return on_one_rank(lambda here: ooc.run_paper(paper.value, as_json, here))
    if points is None or memory is None:
        raise weft.InvalidArgument(
            "ooc analyze needs N and --memory, or --paper; one was not given; give such as 2^25 --memory 16MiB"
        )
    options = ooc.Options(
        points=size_value(points, "N"),
        memory_bytes=size_value(memory, "--memory"),
        block_bytes=size_value(block, "--block"),
        disks=processors if disks is None else disks,
        processors=processors,
        methods=METHODS if method is None else (method.value,),
        record_bytes=size_value(record, "--record"),
        asynchronous=asynchronous,
        factoring=factoring.value,
    )
    return on_one_rank(lambda here: ooc.run(options, as_json, here))


@ooc_app.command("copy")
def copy_command(
    source: Annotated[str, typer.Argument(metavar="IN", help="A .npy or raw file, or the .json of a striped set.")],
    target: Annotated[str, typer.Argument(metavar="OUT", help="A .npy, .raw or .bin file, or .json: a striped set.")],
    shape: Annotated[
        str | None, typer.Option(metavar="N0xN1x...", help="Shape of a raw IN, such as 256x256x256.")
    ] = None,
    dtype: Annotated[str | None, typer.Option(metavar="NAME", help="Elements of a raw IN, such as complex128.")] = None,
    disk: Annotated[
        list[str] | None,
        typer.Option(metavar="DIR", help="A directory for a disk of a striped OUT; once a disk. Default: beside OUT."),
    ] = None,
    block: Annotated[
        str, typer.Option(metavar="BYTES", help="What goes to one disk before it is the next one's turn.")
    ] = "1MiB",
) -> int:
    """Copy an array between .npy, raw files and striped sets, part by part.

    Blocks of a set that is read are compared with their checksums.
    """
    from weft.cli import ooc_copy

    options = ooc_copy.Options(
        source=source,
        target=target,
        shape=None if shape is None else shape_value(shape),
        dtype=None if dtype is None else named_dtype(dtype),
        disks=tuple(disk or ()),
        block_bytes=size_value(block, "--block"),
    )
    return on_one_rank(lambda here: ooc_copy.run(options, here))
