"""Plans of out-of-core transforms for several ranks: the lengths of blocks, and what the ranks send."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from weft import _planning, errors
from weft._planning import OutOfCorePlan
from weft.disk.arrays import ALIGNMENT_BYTES, FileArray, FileLayout, Output
from weft.ooc import plans
from weft.ooc.cost import Placement, Price, Ways
from weft.ooc.in_place import InPlace
from weft.ooc.job import TransformJob

# To price a plan is to count the blocks of a round: so many in a rank's memory take some milliseconds.
_MOST_BLOCKS = 1 << 17
# As when one process chooses: what takes as long within 1 % keeps the longer blocks.
_AS_FAST = 1.01


def traffic(transform: TransformJob) -> tuple[int, int]:
    """Messages and bytes that all ranks together send, exactly.

    Cost: time proportional to the blocks that the passes read and write.
    """
    plan, source = transform.plan, transform.source.layout()
    target = _target_layout(plan, source, transform.output)
    return _planning.out_of_core_traffic(plan, source.to_core(), target.to_core())


def ways(
    alone: OutOfCorePlan,
    how: dict[str, Any],
    source: FileArray,
    output_of: Callable[[OutOfCorePlan], Output | InPlace],
    placement: Placement,
    ranks: tuple[int, int],
    *,
    blocks_are_free: bool,
) -> Ways:
    """The plan for ranks: in the blocks that one process would take, or where these are free in shorter ones that are
    predicted to be faster, or that memory has room for.

    alone : of one process. how : as plans.in_blocks has it. output_of : what a plan writes, as TransformJob has it.
    ranks : all, and those of a node. Cost: that of pricing a few plans; in place of dealing one.
    """
    given, count = source.layout(), 0
    best: tuple[OutOfCorePlan, Price] | None = None
    refused: errors.InvalidArgument | None = None
    for block in _blocks(alone, blocks_are_free):
        try:
            plan = dealt(plans.in_blocks(alone.shape, **how, block_bytes=block), ranks[0], given)
        except errors.InvalidArgument as error:
            refused = refused or error
            continue
        count += 1
        price = placement.price_on_ranks(plan, ranks[1], given, _target_layout(plan, given, output_of(plan)))
        if best is None or price.seconds * _AS_FAST < best[1].seconds:
            best = plan, price
        if plan.in_place:  # to deal it is to count the blocks of all passes, for the journals
            break
    if best is None:
        assert refused is not None
        raise refused
    return Ways(*best, (), count)


def _blocks(alone: OutOfCorePlan, are_free: bool) -> list[int]:
    """Lengths to look at, that of one process first; none of which memory holds too many to be counted in a moment."""
    blocks = [alone.block_bytes]
    least = max(ALIGNMENT_BYTES, alone.memory_bytes // _MOST_BLOCKS)
    while are_free and blocks[-1] // 2 >= least:
        blocks.append(blocks[-1] // 2)
    return blocks


def _target_layout(plan: OutOfCorePlan, source: FileLayout, output: Output | InPlace) -> FileLayout:
    """In place it is that of the source."""
    return output.layout(plan.output_bytes) if isinstance(output, Output) else source


def dealt(plan: OutOfCorePlan, ranks: int, source: FileLayout) -> OutOfCorePlan:
    """The plan for `ranks` ranks. source : that of the input; in place, ranks' journals depend on it."""
    return _planning.deal_out_of_core(plan, ranks, source.to_core() if plan.in_place else None)
