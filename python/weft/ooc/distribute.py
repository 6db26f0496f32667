"""Plans of out-of-core transforms for several ranks: the lengths of blocks, and what the ranks send."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from weft import _planning, errors
from weft._planning import OutOfCorePlan
from weft.disk.arrays import Output, Stored, is_set
from weft.ooc import plans
from weft.ooc.cost import Lying, Placement, Price, Ways
from weft.ooc.job import Transform

# A page, the least that disks take past the system's memory.
_LEAST_BLOCK = 4096
# To price a plan is to count the blocks of a round: so many in a rank's memory take some milliseconds.
_MOST_BLOCKS = 1 << 17
# As when one process chooses: what takes as long within 1 % keeps the longer blocks.
_AS_FAST = 1.01


def traffic(transform: Transform) -> tuple[int, int]:
    """Messages and bytes that all ranks together send, exactly.

    Cost: time proportional to the blocks that the passes read and write.
    """
    plan, source = transform.plan, lying(transform.source)
    return _planning.out_of_core_traffic(plan, source, _target_lying(plan, source, transform.output))


def ways(
    alone: OutOfCorePlan,
    how: dict[str, Any],
    source: Stored,
    output_of: Callable[[OutOfCorePlan], Any],
    placement: Placement,
    ranks: tuple[int, int],
    *,
    blocks_are_free: bool,
) -> Ways:
    """The plan for ranks: in the blocks that one process would take, or where these are free in shorter ones that are
    predicted to be faster, or that memory has room for.

    alone : of one process. how : as plans.in_blocks has it. output_of : what a plan writes, as Transform has it.
    ranks : all, and those of a node. Cost: that of pricing a few plans; in place of dealing one.
    """
    given, count = lying(source), 0
    best: tuple[OutOfCorePlan, Price] | None = None
    refused: errors.InvalidArgument | None = None
    for block in _blocks(alone, blocks_are_free):
        try:
            plan = dealt(plans.in_blocks(alone.shape, **how, block_bytes=block), ranks[0], given)
        except errors.InvalidArgument as error:
            refused = refused or error
            continue
        count += 1
        price = placement.price_on_ranks(plan, ranks[1], given, _target_lying(plan, given, output_of(plan)))
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
    least = max(_LEAST_BLOCK, alone.memory_bytes // _MOST_BLOCKS)
    while are_free and blocks[-1] // 2 >= least:
        blocks.append(blocks[-1] // 2)
    return blocks


def _target_lying(plan: OutOfCorePlan, source: Lying, output: Any) -> Lying:
    """In place the output lies where the source does."""
    return _lying_when_made(output, plan.output_bytes) if isinstance(output, Output) else source


def dealt(plan: OutOfCorePlan, ranks: int, source: Lying) -> OutOfCorePlan:
    """The plan for so many ranks. source : how the input lies; in place, ranks' journals depend on it."""
    return _planning.deal_out_of_core(plan, ranks, source if plan.in_place else None)


def lying(stored: Stored) -> Lying:
    """How an array lies in its files."""
    if not stored.is_set:
        return stored.nbytes, stored.offset, 0, 1, 1, 0, 0
    facts = _planning.striped_set_index(stored.path)
    processors, band_bytes, skew_rows = (facts[name] for name in ("processors", "band_bytes", "skew_rows"))
    return stored.nbytes, 0, facts["block_bytes"], len(facts["files"]), processors, band_bytes, skew_rows


def _lying_when_made(output: Output, nbytes: int) -> Lying:
    if is_set(output.path):
        return nbytes, 0, output.block_bytes, len(output.disks), 1, 0, 0
    return nbytes, output.lead_bytes(), 0, 1, 1, 0, 0
