"""Cases that cannot run: one clear message, on ranks too, and nothing is left behind."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections import namedtuple
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import weft
import weft.dns as dns
from cli_helpers import assert_done, assert_refused, here, on_ranks
from cli_helpers import weft as command
from files_on_ranks import full_disk
from small_case import SMALL
from weft.dns import case as cases
from weft.dns import run_folder

if TYPE_CHECKING:
    from pool import Pool

pytestmark = pytest.mark.skipif(
    not weft.running_available(), reason="simulations need weft's extension module over MPI"
)
SHAPE = (12, 10, 12)
CASE = SMALL.replace('kind = "blob"\n', "").replace('names = ["theta", "u"]\n', "")
OF_FILES = CASE.replace('kind = "taylor-green"', 'kind = "files"\nfiles = ["u.npy", "v.npy", "w.npy"]')


@pytest.fixture
def case(tmp_path: Path) -> Path:
    return written(tmp_path, CASE)


def written(folder: Path, text: str) -> Path:
    path = folder / "small.toml"
    path.write_text(text)
    return path


def refused(folder: Path, ranks: int, status: int, *words: str) -> None:
    """Checks that a run of the case is refused by one line, and that the folder is as it was."""
    before = sorted(os.listdir(folder))
    assert_refused(command("dns", "run", "small.toml", *on_ranks(ranks), cwd=folder), status, *words)
    assert sorted(os.listdir(folder)) == before


# ---- names and endings of fields ----


@pytest.mark.parametrize("name", ["f.xyz", "f", "f.csv", "f.npy.gz", ".npy"])
def test_fields_with_another_ending_are_refused(tmp_path: Path, name: str) -> None:
    words = "the name of fields must end in .npy, .raw, .bin, .h5, .hdf5, .zarr or .vti; given "
    with pytest.raises(weft.InvalidArgument, match=re.escape(f"{words}'{name}'; for example ")):
        dns.fields(name)
    case = written(tmp_path, CASE.replace("fields.npy", name))
    with pytest.raises(weft.InvalidArgument, match=re.escape(f"{words}'{name}'")):
        cases.read_case(str(case))


@pytest.mark.parametrize("name", ["a.NPY", "a.raw", "a.bin", "a.h5", "a.hdf5", "a.zarr", "b/a.vti", "a.Vti"])
def test_all_endings_that_can_be_written_are_taken(name: str) -> None:
    assert dns.fields(name).path == name


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_run_with_another_ending_leaves_nothing(tmp_path: Path, ranks: int) -> None:
    written(tmp_path, CASE.replace("fields.npy", "f.xyz"))
    refused(tmp_path, ranks, 2, "the name of fields must end in", "given 'f.xyz'")


def test_hdf5_fields_need_h5py(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(weft.Unsupported, match=r"takes the package h5py, .*; given a.h5; pip install h5py"):
        dns.fields("a.h5")
    with pytest.raises(weft.Unsupported, match="pip install h5py"):
        cases.read_case(str(written(tmp_path, CASE.replace("fields.npy", "fields.h5"))))


@pytest.mark.parametrize("ranks", [1, 2])
def test_an_image_with_two_arrays_of_one_name_is_refused(tmp_path: Path, ranks: int) -> None:
    text = CASE.replace('"theta"', '"velocity"').replace("fields.npy", "fields.vti")
    written(tmp_path, text)
    refused(tmp_path, ranks, 2, "arrays of a .vti file must differ in name", "another name to the scalar")
    cases.read_case(str(written(tmp_path, text.replace("steps = 5", 'steps = 5\nnames = ["u", "velocity"]'))))


def test_too_many_scalars_are_refused(tmp_path: Path) -> None:
    sections = [f'[[scalar]]\nname = "s{number}"\ndiffusivity = 0.1\n' for number in range(31)]
    assert len(cases.read_case(str(written(tmp_path, CASE + "".join(sections)))).fields) == 3 + 32
    sections.append('[[scalar]]\nname = "more"\ndiffusivity = 0.1\n')
    written(tmp_path, CASE + "".join(sections))
    refused(tmp_path, 2, 2, "a case must have at most 32 sections [[scalar]]; given 33; leave some out")


# ---- arrays of a case ----


def save_velocity(folder: Path, **changed: Any) -> None:
    for name in "uvw":
        np.save(folder / f"{name}.npy", changed.get(name, np.zeros(SHAPE)))


@pytest.mark.parametrize("ranks", [1, 2])
def test_an_array_of_another_shape_is_refused(tmp_path: Path, ranks: int) -> None:
    save_velocity(tmp_path, v=np.zeros((12, 10, 14)))
    written(tmp_path, OF_FILES)
    words = ("velocity.files must have the shape of the grid, (12, 10, 12);", "v.npy has (12, 10, 14); give an array")
    refused(tmp_path, ranks, 2, *words)
    assert_refused(command("dns", "check", "small.toml", "--machine", "celerons", cwd=tmp_path), 2, *words)


@pytest.mark.parametrize(("number", "ranks"), [(np.inf, 1), (np.nan, 2)])
def test_an_array_that_is_not_finite_is_refused(tmp_path: Path, number: float, ranks: int) -> None:
    wrong = np.zeros(SHAPE)
    wrong[11, 3, 2] = number  # an element of the last rank
    save_velocity(tmp_path, w=wrong)
    written(tmp_path, OF_FILES)
    refused(tmp_path, ranks, 2, "the field w must have finite numbers; some are not; correct them")
    save_velocity(tmp_path)
    np.save(tmp_path / "t.npy", wrong)
    written(tmp_path, OF_FILES.replace("diffusivity = 0.1", 'diffusivity = 0.1\nkind = "file"\nfile = "t.npy"'))
    refused(tmp_path, ranks, 2, "the field theta must have finite numbers")


def test_a_run_of_files_goes_to_another_grid(tmp_path: Path) -> None:
    """The case's arrays have the shape of the first grid. A resumed run does not need them."""
    save_velocity(tmp_path)
    written(tmp_path, OF_FILES)
    assert_done(command("dns", "run", "small.toml", "--to", "a", cwd=tmp_path))
    for name in "uvw":
        (tmp_path / f"{name}.npy").unlink()
    refused(tmp_path, 1, 2, "velocity.files must exist; there is no", "u.npy")
    assert_done(command("dns", "resume", "a", "--until", "0.22", cwd=tmp_path))
    assert_done(command("dns", "resample", "a", "b", "--shape", "16x16x16", cwd=tmp_path))
    assert_done(command("dns", "resume", "b", "--until", "0.22", cwd=tmp_path))


# ---- full disks ----


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_run_without_room_for_its_table_leaves_nothing(case: Path, tmp_path: Path, ranks: int) -> None:
    """The table is a link to a device that is always full."""
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "budget.csv").symlink_to("/dev/full")
    refused(tmp_path, ranks, 1, "cannot write the table small/budget.csv: No space left on device")
    assert os.listdir(tmp_path / "small") == ["budget.csv"]


def test_a_full_disk_leaves_nothing(case: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "new" / "results"
    with full_disk():
        assert here(["dns", "run", str(case), "--to", str(target)]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("weft: error: an output must be writable as a whole;")
    assert line.endswith("No space left on device; free some space or write to another disk")
    assert os.listdir(tmp_path) == ["small.toml"]
    target.mkdir(parents=True)
    (target / "notes").write_text("older")
    with full_disk():
        assert here(["dns", "run", str(case), "--to", str(target)]) == 1
    assert os.listdir(target) == ["notes"]


@pytest.mark.parametrize("at", [0, 2])
def test_ranks_without_room_for_a_checkpoint_leave_nothing(case: Path, tmp_path: Path, pool: Pool, at: int) -> None:
    options = {"path": str(case), "folder": str(tmp_path / "results"), "at": at}
    outcomes = pool.outcomes("dns_on_ranks.case_on_a_full_disk", 3, **options)
    assert [outcome.raised for outcome in outcomes] == ["IoFailure"] * 3
    assert all("No space left on device" in outcome.message for outcome in outcomes)
    assert os.listdir(tmp_path) == ["small.toml"]


@pytest.mark.parametrize(("target", "reason"), [("file", "Not a directory"), ("file/a/b", "Not a directory")])
def test_a_folder_that_cannot_be_made_is_refused(case: Path, tmp_path: Path, target: str, reason: str) -> None:
    (tmp_path / "file").write_text("older")
    words = (f"cannot make the folder of the run, {target}: {reason}; give another one with --to",)
    assert_refused(command("dns", "run", str(case), "--to", target, cwd=tmp_path), 1, *words)
    assert sorted(os.listdir(tmp_path)) == ["file", "small.toml"]


def test_a_run_that_has_begun_stays(tmp_path: Path) -> None:
    """If an output cannot be written later, the run stays and can be resumed."""
    written(tmp_path, CASE.replace("fields.npy", "fields.vti"))
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "fields-00000005.vti").mkdir()  # the second image cannot be written
    done = command("dns", "run", "small.toml", cwd=tmp_path)
    assert done.status == 2, done
    assert "fields-00000005.vti" in done.err
    names = {"budget.csv", "case.toml", "checkpoints", "fields-00000000.vti", "fields-00000005.vti", "fields.pvd"}
    assert set(os.listdir(tmp_path / "small")) == names
    (tmp_path / "small" / "fields-00000005.vti").rmdir()
    assert_done(command("dns", "resume", "small", cwd=tmp_path))


# ---- free space ----

Usage = namedtuple("Usage", "total used free")


def with_free(monkeypatch: pytest.MonkeyPatch, free: int) -> list[str]:
    """Lets every disk have this many free bytes. Returns a list that gets the paths whose disks are asked for."""
    asked: list[str] = []

    def usage(path: Any) -> Usage:
        asked.append(str(path))
        return Usage(2 * free, free, free)

    monkeypatch.setattr(shutil, "disk_usage", usage)
    return asked


CHECKPOINT = 2 * 4 * 7 * 7 * 4 * 16  # AB2 keeps two registers of four fields, each with |n| < 4, 10/3 and 4
FIELDS = 4 * 12 * 10 * 12 * 8


def test_needed_bytes_are_those_of_checkpoints_and_fields(case: Path, tmp_path: Path) -> None:
    read = cases.read_case(str(case))
    assert cases.checkpoint_bytes(read) == CHECKPOINT
    assert run_folder.least_disk_bytes(read) == 3 * CHECKPOINT + 3 * FIELDS  # steps 0, 5 and 10
    assert run_folder.disk_bytes(read, 17) == 3 * CHECKPOINT + 4 * FIELDS
    changed = cases.with_values(read, {"run.wall_time": '"1h"'})
    assert run_folder.least_disk_bytes(changed) == 3 * CHECKPOINT + FIELDS
    text = CASE.replace("steps = 5", 'time = 0.05\ndtype = "float32"\nnames = ["w"]').replace("dt = 0.02", "")
    timed = cases.read_case(str(written(tmp_path, text)))
    assert run_folder.least_disk_bytes(timed) == 3 * CHECKPOINT + 5 * FIELDS // 8
    found = tmp_path / "small"
    assert_done(command("dns", "run", str(written(tmp_path, CASE)), cwd=tmp_path))
    assert sum(each.stat().st_size for each in found.glob("fields-*.npy")) == 3 * FIELDS + 3 * 4 * 128
    (newest, _) = sorted((found / "checkpoints").iterdir(), reverse=True)
    assert sum(each.stat().st_size for each in newest.glob("*.npy")) == CHECKPOINT + 8 * 128


@pytest.mark.parametrize("short", [0, 1])
def test_too_little_free_space_is_refused(
    case: Path, tmp_path: Path, short: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A disk with one byte less than needed is refused."""
    asked = with_free(monkeypatch, 3 * CHECKPOINT + 3 * FIELDS - short)
    target = tmp_path / "new" / "results"
    assert here(["dns", "check", str(case), "--to", str(target), "--machine", "celerons", "--json"]) == short
    told = capsys.readouterr()
    assert json.loads(told.out)["free_disk_bytes"] == 3 * CHECKPOINT + 3 * FIELDS - short
    assert here(["dns", "run", str(case), "--to", str(target)]) == short
    assert set(asked) == {str(tmp_path)}
    refusals = [told.err, capsys.readouterr().err]
    if not short:
        assert refusals == ["", ""]
        return
    for said in refusals:
        (line,) = said.splitlines()
        assert line.startswith("weft: error: the results of a run must fit on their disk; small needs at least 0.2 MiB")
        remedy = "write fewer fields or float32, set run.wall_time, or give another folder with --to"
        assert line.endswith(f" free; free some space, {remedy}")
    assert os.listdir(tmp_path) == ["small.toml"]


def test_check_prints_the_free_space(
    case: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with_free(monkeypatch, 5 << 30)
    assert here(["dns", "check", str(case), "--machine", "celerons"]) == 0
    text = capsys.readouterr().out
    assert "disk:   about 0.2 MiB, for fields and checkpoints; the disk of small has 5.0 GiB free\n" in text


def test_too_little_free_space_is_refused_on_ranks(case: Path, tmp_path: Path, pool: Pool) -> None:
    options = {"path": str(case), "folder": str(tmp_path / "results"), "free": 1000}
    outcomes = pool.outcomes("dns_on_ranks.case_on_a_small_disk", 3, **options)
    assert [outcome.raised for outcome in outcomes] == ["IoFailure"] * 3
    assert len({outcome.message for outcome in outcomes}) == 1
    assert "must fit on their disk" in outcomes[0].message
    assert os.listdir(tmp_path) == ["small.toml"]
