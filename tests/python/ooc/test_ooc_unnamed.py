"""A set gets its name when it is complete. Remains of an ended process cannot be taken for a result."""

import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import weft
from ooc_arrays import KIB, assert_close, values
from weft.disk import striped
from weft.ooc import open_set

N = 1 << 14


def run(folder: Path, progress: object = None) -> object:
    return weft.ooc.fft(
        folder / "in.npy",
        folder / "out.json",
        memory_bytes=64 * KIB,
        block_bytes=4 * KIB,
        checkpoint=0,
        progress=progress,
    )


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    np.save(tmp_path / "in.npy", values((N,), "complex128"))
    return tmp_path


def killed(folder: Path, instant: int) -> None:
    """Kills a transform without checkpoints at this report of progress; 0: when the set gets its name."""
    child = os.fork()
    if child:
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
        return
    left = instant

    def end(*_: object) -> None:
        nonlocal left
        left -= 1
        if left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)

    try:
        if instant == 0:
            os.replace = end
        run(folder, end if instant else None)
    finally:
        os._exit(1)


@pytest.mark.parametrize("instant", [0, 1, 2, 9])
def test_a_killed_transform_leaves_no_set_with_its_name(folder: Path, instant: int) -> None:
    killed(folder, instant)
    assert names(folder) == ["in.npy", "out.0", "out.weft-part.json", *["out.weft-part.json.sums"][instant:]]
    with pytest.raises(weft.IoFailure, match=r"one process at a time.*weft ooc discard .*out\.json"):
        run(folder)
    assert weft.ooc.discard(folder / "out.json") and names(folder) == ["in.npy"]
    assert not weft.ooc.discard(folder / "out.json")
    run(folder)
    assert names(folder) == ["in.npy", "out.0", "out.json", "out.json.sums"]
    with open_set(folder / "out.json", verify=True) as found:
        assert_close(found.read(), np.fft.fft(np.load(folder / "in.npy")), N)


def test_a_signal_just_after_a_set_is_made_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def create_and_end(*given: Any, **how: Any) -> None:
        create_set(*given, **how).close()
        raise SystemExit(143)

    create_set = striped.create_set
    monkeypatch.setattr(striped, "create_set", create_and_end)
    with pytest.raises(SystemExit), striped.made([str(folder)], (8,), "f8", str(folder / "a.json")):
        pass
    assert names(folder) == ["in.npy"]


def test_the_second_maker_of_a_set_leaves_that_of_the_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = ([str(folder)], (8,), "f8", str(folder / "a.json"))
    striped.create_unnamed(*given).close()
    theirs = names(folder)
    monkeypatch.setattr(striped, "require_new", lambda index: None)  # the other set is made just after this check
    with pytest.raises(weft.IoFailure), striped.made(*given):
        pass
    assert names(folder) == theirs


def test_a_set_with_the_name_of_its_checksums_only_is_discarded(folder: Path) -> None:
    """A set whose process ended between its two names is not complete, and is removed as a whole."""
    killed(folder, 0)
    os.replace(folder / "out.weft-part.json.sums", folder / "out.json.sums")
    assert weft.ooc.discard(folder / "out.json") and names(folder) == ["in.npy"]


def test_checksums_of_an_older_set_are_not_taken(folder: Path) -> None:
    (folder / "out.json.sums").write_bytes(b"of other blocks")
    run(folder)
    with open_set(folder / "out.json", verify=True) as found:
        assert_close(found.read(), np.fft.fft(np.load(folder / "in.npy")), N)


def test_a_set_that_a_process_works_on_is_not_discarded(folder: Path) -> None:
    def progress(_: object) -> None:
        with pytest.raises(weft.IoFailure, match="one process at a time"):
            weft.ooc.discard(folder / "out.json")
        seen.append(names(folder))

    seen: list[list[str]] = []
    run(folder, progress)
    assert seen and all("out.json" not in each for each in seen) and "out.json" in names(folder)


def test_a_name_that_another_takes_meanwhile_stays_theirs(folder: Path) -> None:
    def progress(_: object) -> None:
        (folder / "out.json").write_text("theirs")

    with pytest.raises(weft.IoFailure, match=r"there is a file .*out\.json now"):
        run(folder, progress)
    assert (folder / "out.json").read_text() == "theirs"
    (folder / "out.json").unlink()
    striped.give_name(str(folder / "out.json"))
    with open_set(folder / "out.json", verify=True) as found:
        assert_close(found.read(), np.fft.fft(np.load(folder / "in.npy")), N)
