"""Counts of the FFT by superlevels of Cormen and Nicol (paper 003): passes, parallel I/Os, messages, bytes.

A superlevel is a group of butterfly levels that one pass computes, in mini-butterflies that fit in memory.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft import _planning, errors
from weft._planning import OutOfCoreAnalysis
from weft._support import checks

#: The four variants of paper 003, section 6, by their names there.
METHODS: tuple[str, ...] = _planning.SUPERLEVEL_METHODS
#: Ways to factor a permutation. The first has the counts of paper 003. The second sends less.
FACTORINGS = ("published", "least-crossing")
# Buffers in memory for mini-butterflies and for permutations (docs/out-of-core.md gives the reason).
_SYNCHRONOUS = (2, 4)
_ASYNCHRONOUS = (4, 8)


def analyze(
    points: int,
    *,
    memory_bytes: int,
    block_bytes: int,
    disks: int = 1,
    processors: int = 1,
    methods: Sequence[str] = METHODS,
    record_bytes: int = 16,
    asynchronous: bool = False,
    buffers: tuple[int, int] | None = None,
    factoring: str = "least-crossing",
) -> tuple[OutOfCoreAnalysis, ...]:
    """Counts passes, parallel I/Os, messages and bytes of an FFT of 2^n points on parallel disks, for each method.

    memory_bytes : the memory of each processor. The array must exceed the memory of all processors together.
    block_bytes : the size of one transfer of a disk; each buffer must hold two blocks of each disk.
    disks : the number of disks of all processors together, at least one for each processor.
    buffers : the number of parts into which memory is divided, during butterflies and during permutations. One part is
        a memoryload. Default: 2 and 4; for asynchronous I/O 4 and 8.
    factoring : "published" counts as paper 003 does; "least-crossing" chooses factors that send less.

    All sizes are powers of two. Messages and bytes are counted for one processor. If processors differ, messages are
    counted for the busiest processor, and bytes are the average. Errors: InvalidArgument that names the rule. Cost:
    milliseconds for any size.

    Paper 003, Fig. 7:

    >>> fleet = dict(memory_bytes=2**24, block_bytes=8192, disks=4, processors=4)
    >>> stripe, *_, memoryload = analyze(2**25, **fleet, factoring="published")
    >>> stripe.messages, stripe.bytes // 10**6, memoryload.messages, memoryload.bytes // 10**6
    (544, 771, 480, 503)
    >>> stripe.passes, stripe.parallel_ios
    (8, 262144)
    """
    parts = (_ASYNCHRONOUS if asynchronous else _SYNCHRONOUS) if buffers is None else buffers
    n, memory, block, record = checks.integers((points, memory_bytes, block_bytes, record_bytes), "sizes")
    disk_count, processor_count = checks.integers((disks, processors), "disks and processors", checks.INT_MAX)
    counts = checks.integers(parts, "buffers", checks.INT_MAX)
    variants = [checks.text(method, "a method") for method in checks.items(methods, "methods")]
    factors = checks.text(factoring, "factoring")
    if len(counts) != 2:
        raise errors.InvalidArgument(
            f"buffers must be two numbers, such as (2, 4); given {errors.shown(parts)}; give both"
        )
    butterflies, permutations = counts
    return tuple(
        _planning.analyze_superlevels(
            method, n, memory, block, disk_count, processor_count, record, butterflies, permutations, factors
        )
        for method in variants
    )


def superlevel_range(span: int, superlevels: int) -> tuple[int, int]:
    """Returns the smallest and the largest number of points that take `superlevels` superlevels.

    span : records of a mini-butterfly, 2 or more, rounded down to a power of two. superlevels : 1 to 64. Errors:
    InvalidArgument.

    Paper 003, section 6, 2^20 records in each of 256 processors, with and without communication:

    >>> [tuple(n.bit_length() - 1 for n in superlevel_range(2**lg, 2)) for lg in (28, 20)]
    [(29, 56), (21, 40)]
    """
    records = checks.integer(span, "span", 2)
    count = checks.integer(superlevels, "superlevels", 1, 64)
    lg_first, lg_last = _planning.superlevel_range(records.bit_length() - 1, count)
    return 1 << lg_first, 1 << lg_last
