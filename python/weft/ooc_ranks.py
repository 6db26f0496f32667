"""Out-of-core transforms by several ranks: what the first of them does for all, and what they send."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from . import _planning, errors, ooc_kept, ooc_plan, ooc_ranks_kept, ooc_staging, runtime
from ._planning import OutOfCorePlan
from .ooc_files import Need, Output, Stored, disk_needs, is_set
from .ooc_price import Lying, Placement, Price, Ways
from .striped import files_of_new_set, unnamed

if TYPE_CHECKING:
    from .ooc_transform import Transform


# A page, the least that disks take past the system's memory.
_LEAST_BLOCK = 4096
# To price a plan is to count the blocks of a round: so many in a rank's memory take some milliseconds.
_MOST_BLOCKS = 1 << 17
# As when one process chooses: what takes as long within 1 % keeps the longer blocks.
_AS_FAST = 1.01


def scratch_needs(plan: OutOfCorePlan, directories: tuple[str, ...], block_bytes: int) -> list[Need]:
    """What the temporary files of all ranks take, each in the directories of its own disks."""
    needs = []
    for rank in range(plan.ranks):
        first, end = _planning.disks_of_rank(len(directories), plan.ranks, rank)
        for nbytes in _planning.out_of_core_scratch(plan, rank):
            if nbytes > 0:
                needs += disk_needs("temporary files", directories[first:end], nbytes, block_bytes)
    return needs


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

    alone : of one process. how : as ooc_plan.in_blocks has it. output_of : what a plan writes, as Transform has it.
    ranks : all, and those of a node. Cost: that of pricing a few plans; in place of dealing one.
    """
    given, count = lying(source), 0
    best: tuple[OutOfCorePlan, Price] | None = None
    refused: errors.InvalidArgument | None = None
    for block in _blocks(alone, blocks_are_free):
        try:
            plan = dealt(ooc_plan.in_blocks(alone.shape, **how, block_bytes=block), ranks[0], given)
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


def run(
    comm: Any,
    prepare: Callable[[int], Transform],
    arguments: str,
    progress: Callable[..., object] | None,
    note_temporary: Callable[[str | None], object] = lambda path: None,
) -> tuple[OutOfCorePlan, Transform | None, dict[str, Any]]:
    """:func:`together` for a transform, with checkpoints where it has them. Returns the plan, what the first rank has
    prepared (None elsewhere) and what the ranks together did."""
    handle = runtime.handle_of(comm)
    transform, facts = _prepared(comm, prepare, arguments, _facts)
    plan = transform.plan if transform is not None else _planned(facts, runtime.running().size_of(handle))
    if facts["restart"]:
        runtime.from_first(comm, lambda: transform is not None and ooc_kept.discard(transform.output.path))

    def execute(output: list[Any], **kept: Any) -> dict[str, Any]:
        done: dict[str, Any] = runtime.running().run_out_of_core_on_ranks(
            plan, tuple(facts["input"]), tuple(output), *facts["how"], progress, handle, **kept
        )
        return done

    if facts["checkpoint_s"] > 0:
        return plan, transform, ooc_ranks_kept.run(comm, transform, plan, execute, note_temporary)
    return plan, transform, _filled(comm, transform, execute, note_temporary)


def together(
    comm: Any,
    prepare: Callable[[int], Any],
    arguments: str,
    facts_of: Callable[[Any], dict[str, Any]],
    execute: Callable[[Any, dict[str, Any], list[Any]], dict[str, Any]],
    note_temporary: Callable[[str | None], object] = lambda path: None,
) -> tuple[Any, dict[str, Any]]:
    """Collective: the first rank prepares and makes the output, all ranks fill it.

    prepare : given the number of ranks, on the first of them; what it makes has `source`, `output` and `memory_bytes`
        as Transform has them, and is returned there, None elsewhere. arguments : must be the same text on all ranks.
    note_temporary : told of the files of an unfinished output; None: all of them are to stay, the output is complete.
    facts_of : what the other ranks need to know of it, as JSON has it. execute : fills the output, on all ranks.
    Errors are the same on all ranks, and then nothing is left of the output.
    """
    prepared, facts = _prepared(comm, prepare, arguments, facts_of)
    done = _filled(comm, prepared, lambda output: execute(prepared, facts, output), note_temporary)
    return prepared, done


def _prepared(
    comm: Any, prepare: Callable[[int], Any], arguments: str, facts_of: Callable[[Any], dict[str, Any]]
) -> tuple[Any, dict[str, Any]]:
    """Collective: what the first rank prepares, None elsewhere, and the facts of it."""
    _require_same(comm, arguments)
    ranks = runtime.running().size_of(runtime.handle_of(comm))
    prepared: list[Any] = []

    def described() -> dict[str, Any]:
        prepared.append(prepare(ranks))
        return facts_of(prepared[0])

    facts = runtime.from_first(comm, described)
    return prepared[0] if prepared else None, facts


def _filled(
    comm: Any,
    prepared: Any,
    execute: Callable[[list[Any]], dict[str, Any]],
    note_temporary: Callable[[str | None], object],
) -> dict[str, Any]:
    """Collective: makes the output and fills it. After an error nothing is left of it."""
    fresh: list[str] = []
    done: dict[str, Any] = {}
    error = None
    try:
        with ExitStack() as stack:

            def made() -> list[Any]:
                source = prepared.source
                if source.unpacking is not None:
                    note_temporary(source.path)
                fresh.extend(_files_to_be(prepared.output) if isinstance(prepared.output, Output) else ())
                for path in fresh:  # before they are there: what is stopped meanwhile leaves none
                    note_temporary(path)
                output = stack.enter_context(prepared.output.made(note_temporary))
                is_new = isinstance(prepared.output, Output)  # not in place
                stack.enter_context(ooc_staging.in_place(source, prepared.memory_bytes, looks_again=is_new))
                return list(output.as_given())

            done = execute(runtime.from_first(comm, made))
    except Exception as reason:
        if not done:  # all ranks have it
            raise
        error = reason  # the first rank's, when it gave the output its name
    runtime.agree(comm, error)
    if fresh:
        note_temporary(None)
    return done


def _files_to_be(output: Output) -> list[str]:
    """Of a set, until it has its name and after; not what is there already, and somebody else's."""
    if not is_set(output.path):
        return []
    names = [path for index in (unnamed(output.path), output.path) for path in files_of_new_set(index, output.disks)]
    return [str(path) for path in dict.fromkeys(names) if not os.path.lexists(path)]


def _facts(transform: Transform) -> dict[str, Any]:
    """What the other ranks need to know, as JSON has it."""
    plan = transform.plan
    return {
        "plan": {
            "shape": list(plan.shape),
            "kind": plan.kind,
            "axes": list(plan.axes),
            "dtype": plan.precision,
            "input_dtype": transform.source.dtype.str,
            "memory_bytes": transform.memory_bytes,
            "block_bytes": plan.block_bytes,
            "order": transform.order,
            "threads": plan.threads,
            "keep_sources": transform.checkpoint_s > 0,
            "in_place": plan.in_place,
        },
        "lying": lying(transform.source),
        "checkpoint_s": transform.checkpoint_s,
        "restart": transform.restart,
        "input": list(transform.source.as_given()),
        "how": [
            list(transform.scratch),
            transform.backend,
            transform.effort,
            1 if transform.inverse else -1,
            transform.scale,
        ],
    }


def _planned(facts: dict[str, Any], ranks: int) -> OutOfCorePlan:
    given = dict(facts["plan"])
    return dealt(ooc_plan.in_blocks(given.pop("shape"), **given), ranks, tuple(facts["lying"]))


def _require_same(comm: Any, arguments: str) -> None:
    module, handle = runtime.running(), runtime.handle_of(comm)
    arguments = errors.in_utf8(arguments)
    first = module.broadcast_text(handle, arguments, 0)
    error = None
    if first != arguments:
        error = errors.Disagreement(
            f"all ranks must give the same arguments; rank 0 gave {first}, rank {module.rank_of(handle)} {arguments}; "
            "give the same"
        )
    runtime.agree(comm, error)
