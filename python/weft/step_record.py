"""The steps of a recorded run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class StepRecord:
    """A step of a recorded run on this rank: a stage or an exchange.

    name : name of the step
    kind : "stage" or "exchange"
    start_s : start, by a monotonic clock
    end_s : end, by the same clock
    bytes_read : bytes that weft read from memory
    bytes_written : bytes that weft wrote to memory
    bytes_sent : bytes sent to other ranks
    messages : messages sent to other ranks
    waited_s : exchange only: time in which this rank only waited for messages
    under_way_s : exchange only: time in which messages were under way; under_way_s - waited_s overlaps other work
    bytes_from_others : exchange only: bytes from the memory of other ranks of this node, without a message
    """

    name: str
    kind: str
    start_s: float
    end_s: float
    bytes_read: int
    bytes_written: int
    bytes_sent: int
    messages: int
    waited_s: float
    under_way_s: float
    bytes_from_others: int = 0
