"""Figs 7 and 8 of paper 003 as :mod:`weft.bmmc.analysis` counts them, each number next to the paper's number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from weft._planning import OutOfCoreAnalysis
from weft.bmmc import analysis

Row = dict[str, Any]

# The paper's computer FLEET: 4 processors with a disk and 2^24 bytes of memory each, for 2^25 points. The paper does
# not state the block size.
PROCESSORS = 4
BLOCK_BYTES = 8192
_FIG7_COLUMNS: dict[str, Callable[[OutOfCoreAnalysis], int]] = {
    "butterfly messages": lambda found: found.butterfly_messages,
    "butterfly MB": lambda found: found.butterfly_bytes // 10**6,
    "permutation messages": lambda found: found.permutation_messages,
    "permutation MB": lambda found: found.permutation_bytes // 10**6,
    "messages": lambda found: found.messages,
    "MB": lambda found: found.bytes // 10**6,
}
_FIG7 = {
    analysis.METHODS[0]: (64, 268, 480, 503, 544, 771),
    analysis.METHODS[1]: (64, 268, 504, 603, 568, 872),
    analysis.METHODS[2]: (0, 0, 480, 503, 480, 503),
    analysis.METHODS[3]: (0, 0, 480, 503, 480, 503),
}
# The values of Fig. 8 that the paper's text states. The other percentages are only in a picture.
_FIG8_INSTANCES = 258
_FIG8_BOTH = {analysis.METHODS[3]: 198}


@dataclass(frozen=True)
class Share:
    """The number of instances in which a method is at least as good as the three others."""

    method: str
    both: int
    messages: int
    bytes: int


def figure_7() -> list[Row]:
    """Returns a row for each number: the paper's, ours, whether these two agree, and ours with "least-crossing"."""
    sizes: dict[str, Any] = {
        "memory_bytes": 2**24,
        "block_bytes": BLOCK_BYTES,
        "disks": PROCESSORS,
        "processors": PROCESSORS,
    }
    ours = analysis.analyze(2**25, **sizes, factoring="published")
    least = analysis.analyze(2**25, **sizes, factoring="least-crossing")
    return [
        {
            "method": found.method,
            "what": what,
            "paper": paper,
            "ours": count(found),
            "matched": count(found) == paper,
            "least crossing": count(fewer),
        }
        for found, fewer in zip(ours, least, strict=True)
        for (what, count), paper in zip(_FIG7_COLUMNS.items(), _FIG7[found.method], strict=True)
    ]


def instances() -> Iterator[dict[str, Any]]:
    """Yields the instances of Fig. 8 whose array exceeds the memory of all processors.

    Each processor has 2^17 to 2^35 bytes, and there are 2^20 to 2^35 points, with both kinds of I/O.
    """
    for lg_memory in range(17, 36):
        for lg_points in range(20, 36):
            if 2**lg_points <= PROCESSORS * 2**lg_memory // 16:
                continue
            for asynchronous in (False, True):
                yield {"points": 2**lg_points, "memory_bytes": 2**lg_memory, "asynchronous": asynchronous}


def figure_8(factoring: str) -> tuple[int, list[Share]]:
    """Returns the number of instances, and how often each method sends the fewest messages, bytes, or both."""
    best = {method: [0, 0, 0] for method in analysis.METHODS}
    total = 0
    known: dict[tuple[int, int], tuple[OutOfCoreAnalysis, ...]] = {}
    for instance in instances():
        # Asynchronous I/O has twice as many buffers, so its counts equal those of synchronous I/O in half the memory.
        sizes = (instance["points"], instance["memory_bytes"] // (2 if instance["asynchronous"] else 1))
        if sizes not in known:
            known[sizes] = analysis.analyze(
                **instance, block_bytes=BLOCK_BYTES, disks=PROCESSORS, processors=PROCESSORS, factoring=factoring
            )
        found = known[sizes]
        fewest = min(each.messages for each in found)
        least = min(each.bytes for each in found)
        total += 1
        for each in found:
            wins = (each.messages == fewest, each.bytes == least)
            for place, won in enumerate((all(wins), *wins)):
                best[each.method][place] += won
    return total, [Share(method, *counts) for method, counts in best.items()]


def figure_8_rows(factoring: str) -> list[Row]:
    """Returns Fig. 8 as rows: the numbers in the paper's text next to ours."""
    total, shares = figure_8(factoring)
    rows: list[Row] = [_row("instances", "", _FIG8_INSTANCES, total)]
    for share in shares:
        paper = _FIG8_BOTH.get(share.method)
        percent = None if paper is None else round(100 * paper / _FIG8_INSTANCES, 2)
        rows.append(_row("fewest messages and bytes, %", share.method, percent, round(100 * share.both / total, 2)))
        rows.append(_row("fewest messages, %", share.method, None, round(100 * share.messages / total, 2)))
        rows.append(_row("fewest bytes, %", share.method, None, round(100 * share.bytes / total, 2)))
    return rows


def _row(what: str, method: str, paper: float | None, ours: float) -> Row:
    return {
        "method": method,
        "what": what,
        "paper": paper,
        "ours": ours,
        "matched": None if paper is None else paper == ours,
    }
