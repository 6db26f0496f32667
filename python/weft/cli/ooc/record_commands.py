"""`weft ooc permute` and `weft ooc detect`: permutations of records on disks, linear over GF(2)."""

from typing import Annotated

import typer

from weft.cli.ooc.commands import Memory, OutDisks, RawDtype, ScratchFolders, ooc_app, run_or_tell
from weft.cli.support.choices import Json, Oversubscribe, Ranks, RawShape
from weft.cli.support.command import on_one_rank
from weft.cli.support.values import folders_value, shape_value, size_value
from weft.files import named_dtype


@ooc_app.command("permute")
def permute_command(
    context: typer.Context,
    source: Annotated[str, typer.Argument(metavar="IN", help="A .npy or raw file, or the .json of a striped set.")],
    target: Annotated[str, typer.Argument(metavar="OUT", help="A .npy, .raw or .bin file, or .json: a striped set.")],
    permutation: Annotated[
        str,
        typer.Argument(
            metavar="HOW",
            help="identity, reversal, bit-reversal, rotation:K, gray-code, inverse-gray-code, axes:1,0,... or a file "
            "with a matrix over GF(2).",
        ),
    ],
    memory: Memory,
    inverse: Annotated[bool, typer.Option("--inverse", help="The inverse permutation.")] = False,
    shape: RawShape = None,
    dtype: RawDtype = None,
    block: Annotated[
        str | None,
        typer.Option(
            metavar="BYTES", help="Size of one access to a disk. Default: the longest with the fewest passes."
        ),
    ] = None,
    disk: OutDisks = None,
    scratch: ScratchFolders = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the passes and their cost and check the files; write nothing.")
    ] = False,
    as_json: Json = False,
    ranks: Ranks = None,
    oversubscribe: Oversubscribe = False,
) -> int:
    """Permute the 2^n elements of an array on disks by their index in C order.

    The element at index x goes to A x xor c over GF(2). A file with a matrix has n lines of n digits, the most
    significant bit first, and may have a line such as "complement 5". With -n each rank has its own disks. --memory
    applies to each rank.
    """
    from weft.cli.ooc import records as ooc_records_command

    given = {
        "memory_bytes": size_value(memory, "--memory"),
        "inverse": inverse,
        "shape": None if shape is None else shape_value(shape),
        "dtype": None if dtype is None else named_dtype(dtype),
        "block_bytes": None if block is None else size_value(block, "--block"),
        "disks": folders_value(disk),
        "scratch": folders_value(scratch) or None,
    }
    options = ooc_records_command.permute_options(source, target, permutation, given, as_json)
    return run_or_tell(
        context,
        lambda here: ooc_records_command.run(options, here),
        lambda count, here: ooc_records_command.run_dry(options, count, here),
        ranks=ranks,
        oversubscribe=oversubscribe,
        dry_run=dry_run,
    )


@ooc_app.command("detect")
def detect_command(
    targets: Annotated[
        str, typer.Argument(metavar="IN", help="Integers of 64 bits: element x is the target of the record at x.")
    ],
    shape: RawShape = None,
    dtype: RawDtype = None,
    as_json: Json = False,
) -> int:
    """Test whether a vector of targets is a permutation linear over GF(2), and print its matrix.

    The exit status is 0 if it is, otherwise 1. `weft ooc permute` reads the matrix from a file.
    """
    from weft.cli.ooc import records as ooc_records_command

    given = {
        "shape": None if shape is None else shape_value(shape),
        "dtype": None if dtype is None else named_dtype(dtype),
    }
    found = []
    on_one_rank(lambda here: found.append(ooc_records_command.run_detect(targets, given, as_json, here)))
    return 0 if found == [True] else 1
