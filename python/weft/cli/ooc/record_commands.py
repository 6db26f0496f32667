"""`weft ooc permute` and `weft ooc detect`: permutations of records on disks, linear over GF(2)."""

from typing import Annotated

import typer

from weft.bmmc.permute import PermuteOptions
from weft.cli.ooc.commands import ooc_app, run_or_print_plan
from weft.cli.support.choices import Json, Oversubscribe, Ranks
from weft.cli.support.command import on_one_rank
from weft.cli.support.option_tables import Part, with_options
from weft.cli.support.values import size_value
from weft.disk.options import OocOptions

# The options of `ooc fft` that `ooc permute` has.
PERMUTED = ("memory_bytes", "inverse", "shape", "dtype", "disks", "scratch")


@ooc_app.command("permute")
@with_options
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
    *,
    options: Annotated[OocOptions, Part(*PERMUTED, help={"inverse": "The inverse permutation."})],
    block: Annotated[
        str | None,
        typer.Option(
            metavar="BYTES", help="Size of one access to a disk. Default: the longest with the fewest passes."
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the passes and their cost and check the files; write nothing.")
    ] = False,
    as_json: Json = False,
    ranks: Ranks = None,
    oversubscribe: Oversubscribe = False,
) -> int:
    """Permute the 2^n elements of an array on disks by their index in C order.

    The element at index x goes to index A x xor c over GF(2). A file of A has n lines of n digits, the most
    significant bit first. A line such as "complement 5" in this file gives c. With -n each rank has its own disks.
    --memory applies to each rank.
    """
    from weft.cli.ooc import records as ooc_records_command

    chosen = PermuteOptions(
        **{name: getattr(options, name) for name in PERMUTED},
        block_bytes=None if block is None else size_value(block, "--block"),
    )
    request = ooc_records_command.permute_request(source, target, permutation, chosen, as_json)
    return run_or_print_plan(
        context,
        lambda session: ooc_records_command.run(request, session),
        lambda count, session: ooc_records_command.run_dry(request, count, session),
        ranks=ranks,
        oversubscribe=oversubscribe,
        dry_run=dry_run,
    )


@ooc_app.command("detect")
@with_options
def detect_command(
    targets: Annotated[
        str, typer.Argument(metavar="IN", help="Integers of 64 bits: element x is the target of the record at x.")
    ],
    *,
    options: Annotated[OocOptions, Part("shape", "dtype")],
    as_json: Json = False,
) -> int:
    """Test whether a vector of targets is a permutation linear over GF(2), and print its matrix.

    The exit status is 0 for such a permutation, otherwise 1. `weft ooc permute` reads the matrix from a file.
    """
    from weft.cli.ooc import records as ooc_records_command

    found = []
    on_one_rank(lambda session: found.append(ooc_records_command.run_detect(targets, options, as_json, session)))
    return 0 if found == [True] else 1
