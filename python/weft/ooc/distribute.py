"""Plans of out-of-core transforms for several ranks: their block lengths and their messages."""

from __future__ import annotations

from weft import _planning, errors
from weft._planning import OutOfCorePlan
from weft.disk.arrays import ALIGNMENT_BYTES, FileLayout, Output
from weft.ooc.cost import Alternatives, Price
from weft.ooc.in_place import InPlace
from weft.ooc.job import PlannedTransform, TransformJob
from weft.ooc.plans import PassProblem

# Most blocks in a rank's memory. Prediction counts the blocks of a round; with this limit it takes a few milliseconds.
_MOST_BLOCKS = 1 << 17
# Plans within 1 % count as equally fast. Of these, the plan with the longest blocks is chosen, as in a serial plan.
_AS_FAST = 1.01


def traffic(transform: PlannedTransform) -> tuple[int, int]:
    """Returns the messages and the bytes that all ranks together send, exactly.

    Cost: time proportional to the blocks that the passes read and write.
    """
    plan, source = transform.plan, transform.source.layout()
    target = _target_layout(plan, source, transform.output)
    return _planning.traffic_of_ranks(plan, source.to_core(), target.to_core())


def choose_plan(job: TransformJob, problem: PassProblem, serial: OutOfCorePlan) -> Alternatives:
    """Returns the plan for the ranks of a job. It uses the blocks of the serial plan. If their length is free, it uses
    shorter blocks that are predicted to be faster, or that fit in memory if longer ones do not.

    Cost: the prediction of a few plans; in place, the assignment of one plan to ranks.
    """
    source, count = job.source.layout(), 0
    best: tuple[OutOfCorePlan, Price] | None = None
    refused: errors.InvalidArgument | None = None
    for block in _blocks(serial, job.options.block_bytes is None):
        try:
            plan = distribute_plan(problem.plan(block), job.ranks.count, source)
        except errors.InvalidArgument as error:
            refused = refused or error
            continue
        count += 1
        target = _target_layout(plan, source, job.output(plan))
        price = job.placement.price_on_ranks(plan, job.ranks.per_node, source, target)
        if best is None or price.seconds * _AS_FAST < best[1].seconds:
            best = plan, price
        if plan.in_place:  # one plan only: its assignment counts all blocks, for the journals
            break
    if best is None:
        assert refused is not None
        raise refused
    return Alternatives(*best, (), count)


def _blocks(serial: OutOfCorePlan, are_free: bool) -> list[int]:
    """Returns block lengths to try, first that of the serial plan. Memory holds at most _MOST_BLOCKS shorter blocks."""
    blocks = [serial.block_bytes]
    least = max(ALIGNMENT_BYTES, serial.memory_bytes // _MOST_BLOCKS)
    while are_free and blocks[-1] // 2 >= least:
        blocks.append(blocks[-1] // 2)
    return blocks


def _target_layout(plan: OutOfCorePlan, source: FileLayout, output: Output | InPlace) -> FileLayout:
    """Returns the layout of the output; in place, the layout of the source."""
    return output.layout(plan.output_bytes) if isinstance(output, Output) else source


def distribute_plan(plan: OutOfCorePlan, ranks: int, source: FileLayout) -> OutOfCorePlan:
    """Assigns a plan to `ranks` ranks. source : the layout of the input; journals of a plan in place depend on it."""
    return _planning.distribute_passes(plan, ranks, source.to_core() if plan.in_place else None)
