"""Chooses among the methods that weft.ooc.analyze counts, by weights of messages and bytes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from weft import _planning, errors
from weft._planning import OutOfCoreAnalysis
from weft._support import checks
from weft.planning.machine_choice import ASSUMED_MACHINE
from weft.planning.plans import machine_of


def message_seconds(
    found: OutOfCoreAnalysis, *, machine: Any = None, message_s: float | None = None, byte_s: float | None = None
) -> float:
    """Returns the weighted sum of the messages and bytes of one processor, in seconds.

    message_s, byte_s : seconds of each message and of each byte; give both or neither.
    machine : without message_s and byte_s, the weights are those of this machine's network between nodes, for messages
        of the average length. Values as for :func:`weft.plan`; None: an assumed machine.

    Errors: InvalidArgument for one weight alone, or a negative one.

    >>> from weft import ooc
    >>> fleet = dict(memory_bytes=2**24, block_bytes=8192, disks=4, processors=4)
    >>> stripe, *_, memoryload = ooc.analyze(2**25, **fleet, factoring="published")
    >>> message_seconds(stripe, message_s=1.0, byte_s=0.0), message_seconds(memoryload, message_s=1.0, byte_s=0.0)
    (544.0, 480.0)
    """
    checks.instance(found, OutOfCoreAnalysis, "an analysis", "weft.ooc")
    if (message_s is None) != (byte_s is None):
        raise errors.InvalidArgument(
            "weights are the seconds of a message and those of a byte; given one of them; give both, or a machine"
        )
    if message_s is None or byte_s is None:
        network = machine_of(ASSUMED_MACHINE if machine is None else machine)
        return _planning.message_seconds(network, False, found.messages, found.bytes)
    weights = checks.seconds(message_s, "message_s"), checks.seconds(byte_s, "byte_s")
    for weight in weights:
        if not (math.isfinite(weight) and weight >= 0):
            raise errors.InvalidArgument(f"a weight must be 0 seconds or more; given {weight}; for example 1e-5")
    return found.messages * weights[0] + found.bytes * weights[1]


def cheapest(analyses: Sequence[OutOfCoreAnalysis], **weights: Any) -> OutOfCoreAnalysis:
    """Returns the analysis with the least weighted sum of messages and bytes.

    Of analyses with equal sums, the one with the fewest parallel I/Os is returned.

    `weights` and errors are as for :func:`message_seconds`. Raises InvalidArgument also if there are no analyses.

    >>> from weft import ooc
    >>> sizes = dict(memory_bytes=2**24, block_bytes=8192, disks=4, processors=4)
    >>> found = ooc.analyze(2**25, **sizes, factoring="published")
    >>> cheapest(found, message_s=0.0, byte_s=1e-8).method
    'processor-major/no-communication'
    """
    several = checks.items(analyses, "analyses")
    if not several:
        raise errors.InvalidArgument("there must be at least one method; given none; name methods")
    return min(several, key=lambda one: (message_seconds(one, **weights), one.parallel_ios))
