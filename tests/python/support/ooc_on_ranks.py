"""Transforms on disks that tests run on the ranks of the pool; `on_ranks` has them, too."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from unittest import mock

import weft
from ooc_arrays import CHANGES


def out_of_core(
    comm: Any,
    folder: str,
    memory_bytes: list[int],
    spoil: str = "",
    source: str = "in.npy",
    target: str = "out.npy",
    **given: Any,
) -> dict[str, Any]:
    """Transforms `source` into `target` in a folder, or in place if `target` is empty.

    The last rank may have other memory, raise in its callback, or have no room for its checkpoint.
    """
    from weft import ooc
    from weft.ooc.checkpoint import files as checkpoint_files
    from weft.ooc.checkpoint import places

    last = comm.rank == comm.size - 1
    told = []
    keep_sums = checkpoint_files.keep_sums

    def progress(at: ooc.Progress) -> None:
        told.append(at.fraction)
        if spoil == "progress" and last and at.at_pass == 1 and 2 * at.panels_done >= at.panels:
            raise RuntimeError("out of patience")

    def keep(paths: Any) -> None:
        if spoil == "keep" and last and told and told[-1] > 0.4:
            raise weft.IoFailure("no room for a note")
        keep_sums(paths)

    read, written = os.path.join(folder, source), os.path.join(folder, target) if target else None
    given = {"in_place": not target, "memory_bytes": memory_bytes[-1 if last else 0], "block_bytes": 4096, **given}
    with mock.patch.object(checkpoint_files, "keep_sums", keep), mock.patch.object(places, "GRACE_S", 0.1):
        moved = ooc.fft(read, written, comm=comm, progress=progress, **given)
    assert told == sorted(told) and told[-1] == 1.0
    return {
        "ranks": moved.plan.ranks,
        "read": moved.read_bytes,
        "written": moved.written_bytes,
        "memory": moved.memory_bytes,
        "messages": moved.messages,
        "sent": moved.sent_bytes,
        "resumed_from": moved.resumed_from,
        "found_not_finite": moved.found_not_finite,
        "planned": [moved.plan.read_bytes, moved.plan.written_bytes, moved.plan.memory_bytes],
    }


def changed_while_read(comm: Any, folder: str, change: int, **given: Any) -> None:
    """Runs a transform whose input the last rank changes at its first report of progress."""
    from weft import ooc

    changes = [CHANGES[change]] if comm.rank == comm.size - 1 else []

    def progress(at: ooc.Progress) -> None:
        if changes:
            changes.pop()(Path(folder))

    ooc.fft(os.path.join(folder, "in.npy"), os.path.join(folder, "out.npy"), comm=comm, progress=progress, **given)


def report_refused(comm: Any, folder: str, **given: Any) -> None:
    """Runs a transform whose report the first rank's listener refuses."""
    from weft.disk.options import OocOptions
    from weft.ooc import transform
    from weft.ooc.listeners import Listeners

    def refuse(*given: object) -> bool:
        raise weft.IoFailure("the report is refused")

    files = (os.path.join(folder, "in.npy"), os.path.join(folder, "out.npy"))
    transform.run(*files, OocOptions(**given), Listeners(done=refuse), comm)


def records(
    comm: Any, folder: str, disks: list[str], source: str = "in.json", permutation: str = "", **given: Any
) -> dict[str, Any]:
    """Permutes a set in a folder into out.json, or transforms it by superlevels."""
    from weft import ooc

    files = (os.path.join(folder, source), os.path.join(folder, "out.json"))
    told = []
    given = {"disks": disks, "comm": comm, "progress": lambda at: told.append(at.fraction), **given}
    moved = ooc.permute(*files, permutation, **given) if permutation else ooc.fft(*files, **given)
    assert told == sorted(told) and told[-1] == 1.0
    sent_bytes = moved.plan.sent_records * 16 if permutation else moved.plan.bytes
    return {
        "read": moved.read_bytes,
        "written": moved.written_bytes,
        "parallel_ios": moved.parallel_ios,
        "messages": moved.messages,
        "sent": moved.sent_bytes,
        "planned": [moved.plan.messages, sent_bytes],
    }
