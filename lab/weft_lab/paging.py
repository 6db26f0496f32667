"""Counts the page faults of an in-place bit reversal under demand paging, to check Theorem 1 of paper 003.

Out-of-core permutations avoid these faults. The theorem says at least N/4 faults for N >= 2M and N >= 2B. One pass over
the data reads N/B pages.
"""

from collections import OrderedDict
from collections.abc import Iterable, Iterator

# The values of (lg N, lg M, lg B) in the table.
SHOWN = ((12, 11, 3), (14, 10, 4), (16, 12, 5), (18, 14, 6), (20, 16, 9))


def reversed_bits(n: int) -> Iterator[int]:
    """Yields the n-bit reversals of 0, 1, ..., 2^n - 1.

    >>> list(reversed_bits(3))
    [0, 4, 2, 6, 1, 5, 3, 7]
    """
    reversal = 0
    for j in range(1 << n):
        yield reversal
        # Adds 1 at the most significant bit; the carry moves to lower bits.
        bit = 1 << n >> 1
        while reversal & bit:
            reversal ^= bit
            bit >>= 1
        reversal |= bit if j + 1 < 1 << n else 0


def accesses(n: int) -> Iterator[int]:
    """Yields the indices that the paper's loop accesses: A[j] and A[j'] with j < j'.

    >>> list(accesses(3))
    [1, 4, 3, 6]
    """
    for j, reversal in enumerate(reversed_bits(n)):
        if j < reversal:
            yield from (j, reversal)


def lru_faults(indices: Iterable[int], lg_memory: int, lg_page: int) -> int:
    """Returns the faults of accesses in this order. An empty memory of 2^lg_memory records fills, and evicts by LRU.

    >>> lru_faults([0, 1, 2, 0, 5, 2], lg_memory=2, lg_page=1)  # pages 0 0 1 0 2 1, of which two fit
    4
    """
    resident: OrderedDict[int, None] = OrderedDict()
    frames = 1 << lg_memory - lg_page
    faults = 0
    for index in indices:
        page = index >> lg_page
        if page in resident:
            resident.move_to_end(page)
            continue
        faults += 1
        if len(resident) == frames:
            resident.popitem(last=False)
        resident[page] = None
    return faults


def bit_reversal_faults(n: int, m: int, b: int) -> int:
    """Returns the faults of the in-place reversal of 2^n records, with 2^m in memory and 2^b on a page; b <= m."""
    return lru_faults(accesses(n), m, b)


def table(sizes: Iterable[tuple[int, int, int]]) -> str:
    """Returns a table of faults, the theorem's bound, and the pages that two passes over the data read."""
    lines = [f"{'lg N':>5}{'lg M':>5}{'lg B':>5}{'faults':>10}{'N/4':>10}{'2 N/B':>10}"]
    for n, m, b in sizes:
        lines.append(f"{n:>5}{m:>5}{b:>5}{bit_reversal_faults(n, m, b):>10}{1 << n >> 2:>10}{2 << n - b:>10}")
    return "\n".join(lines)
