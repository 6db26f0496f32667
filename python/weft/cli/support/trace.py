"""Timelines of all ranks as Chrome trace events, which Perfetto (ui.perfetto.dev) opens."""

import json
import time
from collections.abc import Callable
from typing import Any, TypeVar

from weft.cli.support.session import Session

Result = TypeVar("Result")
# Stages and exchanges have separate rows of a timeline, because an exchange may overlap stages.
LINES = ("command", "stage", "exchange")
SIZES = ("bytes_read", "bytes_written", "bytes_sent", "messages", "bytes_from_others")


class Trace:
    """Collects the records of a transform's calls on every rank. All ranks count time from the same barrier."""

    def __init__(self, session: Session, fft: Any):
        self._session = session
        self._fft = fft
        self._events: list[dict] = []
        fft.recording = True
        session.barrier()
        self._origin_s = time.monotonic()  # weft's records use the same clock

    def call(self, name: str, function: Callable[[], Result], transform: bool = False) -> Result:
        """Runs a step and records it; with `transform` also records the stages and exchanges of the call."""
        start_s = time.monotonic() - self._origin_s
        result = function()
        end_s = time.monotonic() - self._origin_s
        self._add(name, "command", start_s, end_s, {})
        if transform:
            for record in self._fft.record:
                sizes = {key: getattr(record, key) for key in SIZES}
                start_s, end_s = record.start_s - self._origin_s, record.end_s - self._origin_s
                if record.kind == "exchange":
                    sizes.update(waited_s=record.waited_s, under_way_s=record.under_way_s)
                self._add(record.name, record.kind, start_s, end_s, sizes)
        return result

    def _add(self, name: str, category: str, start_s: float, end_s: float, sizes: dict) -> None:
        self._events.append(
            {
                "name": name,
                "cat": category,
                "ph": "X",
                "ts": round(start_s * 1e6, 3),
                "dur": round((end_s - start_s) * 1e6, 3),
                "pid": self._session.rank,
                "tid": LINES.index(category),
                "args": sizes,
            }
        )

    def gathered(self) -> bytes:
        """Collective: returns the file's content on the first rank, nothing on the others."""
        lists = self._session.gather(self._events)
        if lists is None:
            return b""
        names = []
        for rank in range(self._session.ranks):
            names.append(_metadata("process_name", rank, 0, f"rank {rank}"))
            names += [_metadata("thread_name", rank, line, f"{name}s") for line, name in enumerate(LINES)]
        events = names + [event for events in lists for event in events]
        return json.dumps({"traceEvents": events, "displayTimeUnit": "ms"}).encode()


def _metadata(name: str, rank: int, line: int, text: str) -> dict:
    return {"name": name, "ph": "M", "pid": rank, "tid": line, "args": {"name": text}}
