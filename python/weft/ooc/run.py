"""Serial run of a transform of an array on disks, after the check of its arguments."""

from __future__ import annotations

import time
from collections.abc import Callable

from weft import errors
from weft.ooc.checkpoint import files as checkpoint_files
from weft.ooc.checkpoint import resume
from weft.ooc.job import Progress, RunReport, TransformJob


def run_prepared(
    transform: TransformJob, progress: Callable[[Progress], object] | None = None, *, moves_only: bool = False
) -> RunReport:
    """Makes the output. After an error or Ctrl-C only the data of a checkpoint remains.

    In place without checkpoints the file is then unusable.

    moves_only : makes all reads and writes of the transform, in the same order, but does not transform: a measurement
        of the disks. The output is then useless, so not in place.
    """
    if moves_only and transform.plan.in_place:
        raise errors.Unsupported(
            f"the time of disks is measured on a separate target; given {transform.output.path} in place; name a target"
        )
    start_s = time.perf_counter()
    clock = PassClock(progress)
    if transform.restart:
        checkpoint_files.discard(transform.output.path)
    if transform.checkpoint_s > 0 and not moves_only:
        done = resume.run(transform, clock)
    else:
        with transform.output.made() as made:
            done = transform.execute(made, clock, moves_only=moves_only)
    seconds = time.perf_counter() - start_s
    return RunReport(
        plan=transform.plan, seconds=seconds, price=transform.ways.price, pass_seconds=tuple(clock.pass_seconds), **done
    )


class PassClock:
    """Measures the time of each pass, and reports progress."""

    def __init__(self, progress: Callable[[Progress], object] | None):
        self.pass_seconds: list[float] = []
        self._progress = progress
        self._start_s = time.perf_counter()

    def __call__(self, *at: int) -> None:
        progress = Progress(*at)
        if progress.panels_done == progress.panels:
            now_s = time.perf_counter()
            self.pass_seconds.append(now_s - self._start_s)
            self._start_s = now_s
        if self._progress is not None:
            self._progress(progress)
