"""Files of every kind, good, bad and odd, on which drawn lines and calls work.

`python tests/python/drawn/drawn_files.py FOLDER` makes them, so that a line can be run by hand.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import random
import stat
import struct
import sys
from pathlib import Path
from typing import Any

import numpy as np

# Inputs of weft, and the options that describe a file without a header.
GOOD_ARRAYS: dict[str, tuple[str, ...]] = {
    "real.npy": (),
    "complex.npy": (),
    "field.npy": (),
    "line.npy": (),
    "fortran.npy": (),
    "big-endian.npy": (),
    "integers.npy": (),
    "half.npy": (),
    "long.npy": (),
    "one.npy": (),
    "nan.npy": (),
    "link.npy": (),
    "$a b$ é.npy": (),
    "two\nlines.npy": (),
    "bytes\udcff.npy": (),
    "x.raw": ("--shape", "4x6", "--dtype", "float64"),
    "x.bin": ("--shape", "16x16", "--dtype", "complex128"),
    "scan.nii": (),
    "scan.nii.gz": (),
    "data.h5:/x": (),
    "data.h5:/in/chunks": (),
    "data.h5:/big-endian": (),
    "x.zarr": (),
    "group.zarr/a": (),
    "set.json": (),
}
BAD_ARRAYS = (
    "missing.npy", "none/x.npy", "cut.npy", "cut-header.npy", "objects.npy", "scalar.npy", "nothing.npy",
    "empty.npy", "text.npy", "strings.npy", "records.npy", "dates.npy", "nine-axes.npy", "huge.npy",
    "huge-header.npy", "deep.npy", "negative.npy", "version.npy", "folder", "folder.npy", "folder.h5", "fifo",
    "fifo.npy", "fifo.json", "fifo.h5:/x", "/dev/null", "/dev/zero", "/dev/zero.npy", "/proc/self/mem", "loop.npy",
    "dangling.npy", "unreadable.npy", "closed/x.npy", "data.h5", "data.h5:", "data.h5:/", "data.h5:/missing",
    "data.h5:/in", "data.h5:/scalar", "data.h5:/text", "data.h5:/nothing", "data.h5:/dangling", "data.h5:/null",
    "cut.h5:/x", "text.h5:/x", "missing.h5:/x", "group.zarr", "group.zarr/missing", "empty.zarr", "broken.zarr",
    "missing.zarr", "cut.nii", "cut.nii.gz", "text.nii.gz", "cut-set.json", "lost-set.json", "text.json",
    "wisdom.json", "machine.json", "real.npy/x.npy", "x.raw", "", ".", "..", "/", "~", "*", "no-text\udcff", "-",
    f"{'long' * 80}.npy",
)  # fmt: skip
GOOD_OUTPUTS = (
    "out.npy", "out.raw", "out.bin", "old.npy", "$a$ ü.npy", "folder/out.npy", "write-protected.npy", "out.h5:/x",
    "out.hdf5", "out.zarr", "folder/out.zarr/a/x", "x.zarr",
)  # fmt: skip
BAD_OUTPUTS = (
    "none/out.npy", "real.npy", "complex.npy", "x.raw", "set.json", "folder.npy", "fifo.npy", "full.npy", "loop.npy",
    "dangling.npy", "null.npy", "out.txt", "out", "", ".", "/", "data.h5:/x", "out.h5:/", "group.zarr", "out.zarr/..",
    "folder.h5", "text.h5:/x", "fifo.h5", "real.npy/out.npy", "read-only/out.npy", "closed/out.npy",
    "read-only/out.zarr", "closed/out.h5", "two\nlines out.npy", "out\udcff.npy", "out\udcff.zarr", "out.h5:/\udcff",
    f"{'long' * 80}.npy", f"{'long' * 80}.zarr", "-", ".npy",
)  # fmt: skip
CLOSED = {"write-protected.npy": 0o444, "unreadable.npy": 0, "read-only": 0o555, "closed": 0}
MUTANTS = 8
# The machine of an entry in a file of wisdom.
_IDENTITY = {
    "weft": "0", "processor": "p", "cores_per_node": 2, "l2_bytes": 1 << 20, "l3_share_bytes": 1 << 22,
    "transposes": "none", "engine": "fftw", "mpi": "none", "nodes": 1, "ranks_per_node": 3, "placement": "blocks",
    "fabric": "one node",
}  # fmt: skip
JSON_KINDS = ("wisdom", "machine", "set", "plan")


def fill(folder: Path) -> None:
    """Makes all files, in a folder that is empty."""
    os.chdir(folder)
    _numpy_files()
    _plain_files()
    _hdf5()
    _zarr()
    _nifti()
    _weft_files()
    _special_files()


def close_some(folder: Path) -> None:
    """Removes permissions of some files. A closed folder cannot be copied, so copy the folder first."""
    for name, mode in CLOSED.items():
        os.chmod(folder / name, mode)


def open_all(folder: Path) -> None:
    """Restores permissions, so that the folder can be removed."""
    for name in CLOSED:
        with contextlib.suppress(OSError):
            os.chmod(folder / name, 0o755)


def _numpy_files() -> None:
    # The files are the same each time, because a failure is repeated by its command line alone.
    x = np.random.default_rng(1).standard_normal((4, 6))
    z = np.random.default_rng(2).standard_normal((16, 16)).view(complex)
    arrays: dict[str, Any] = {
        "real": x,
        "complex": z,
        "field": np.ones((4, 4, 4), "f4"),
        "line": np.arange(64).astype(complex),
        "fortran": np.asfortranarray(x),
        "big-endian": x.astype(">f8"),
        "integers": np.arange(24).reshape(4, 6),
        "targets": np.arange(16)[::-1].copy(),
        "half": x.astype("f2"),
        "long": x.astype(np.longdouble),
        "one": np.ones((1, 1)),
        "nan": np.full((4, 6), np.nan),
        "$a b$ é": x,
        "two\nlines": x,
        "bytes\udcff": x,
        "old": np.zeros(3),
        "write-protected": np.zeros(3),
        "objects": np.array([1, "a"], dtype=object),
        "scalar": np.array(1.0),
        "nothing": np.zeros((3, 0)),
        "strings": np.array(["a", "b"]),
        "records": np.zeros(4, [("re", "f8"), ("im", "f8")]),
        "dates": np.zeros(4, "M8[s]"),
        "nine-axes": np.zeros((1,) * 9),
    }
    for name, array in arrays.items():
        np.save(f"{name}.npy", array)
    z.tofile("x.bin")
    x.tofile("x.raw")


def _plain_files() -> None:
    whole = Path("real.npy").read_bytes()
    Path("cut.npy").write_bytes(whole[:-8])
    Path("cut-header.npy").write_bytes(whole[:40])
    Path("version.npy").write_bytes(whole[:6] + b"\x09" + whole[7:])
    for name in ("empty.npy", "empty.csv"):
        Path(name).touch()
    for name in ("text.npy", "text.json", "text.h5", "text.nii.gz", "text.txt"):
        Path(name).write_text("what somebody wrote\n")
    _header_only("huge.npy", "(1099511627776, 64)", size=1 << 40)
    _header_only("huge-header.npy", "(" + "1, " * 30000 + ")")
    _header_only("deep.npy", "(" * 3000 + ")" * 3000)
    _header_only("negative.npy", "(-4, 6)")
    Path("matrix.txt").write_text("0100\n1000\n0001\n0010\ncomplement 5\n")
    Path("singular.txt").write_text("0100\n0100\n0001\n0010\n")
    Path("hosts.txt").write_text("".join(f"host{number}\n" for number in range(64)))
    Path("few-hosts.txt").write_text("a\na\n")
    Path("unreadable.npy").write_bytes(whole)


def _header_only(name: str, shape: str, size: int = 0) -> None:
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    with open(name, "wb") as file:
        file.write(b"\x93NUMPY\x02\x00" + struct.pack("<I", len(text)) + text)
        if size:
            file.truncate(size)  # a hole: it takes no space


def _hdf5() -> None:
    with contextlib.suppress(ImportError):
        import h5py

        x = np.arange(24.0).reshape(4, 6)
        with h5py.File("data.h5", "w") as file:
            file["x"], file["big-endian"], file["scalar"], file["text"] = x, x.astype(">f4"), 1.0, "a text"
            file["nothing"], file["null"] = np.zeros((3, 0)), h5py.Empty("f8")
            file.create_dataset("in/chunks", data=x, chunks=(2, 3), compression="gzip")
            file["dangling"] = h5py.SoftLink("/none")
        Path("cut.h5").write_bytes(Path("data.h5").read_bytes()[:600])


def _zarr() -> None:
    with contextlib.suppress(ImportError):
        import zarr

        x = np.arange(24.0).reshape(4, 6)
        zarr.save_array("x.zarr", x)
        zarr.save_group("group.zarr", a=x)
        zarr.save_array("broken.zarr", x)
        for each in Path("broken.zarr").rglob("*"):
            if each.is_file():
                each.write_bytes(each.read_bytes()[:-5])
    Path("empty.zarr").mkdir()


def _nifti() -> None:
    with contextlib.suppress(ImportError):
        import nibabel

        nibabel.save(nibabel.Nifti1Image(np.ones((4, 4, 4), "f4"), np.eye(4)), "scan.nii")
        whole = Path("scan.nii").read_bytes()
        Path("cut.nii").write_bytes(whole[:-9])
        Path("scan.nii.gz").write_bytes(gzip.compress(whole))
        Path("cut.nii.gz").write_bytes(gzip.compress(whole)[:-20])


def _weft_files() -> None:
    """A set, a machine, a plan and wisdom, and mutants of each."""
    import weft

    Path("disk0").mkdir()
    Path("disk1").mkdir()
    for index in ("set.json", "lost-set.json"):
        with weft.ooc.create_set(["disk0", "disk1"], (8, 8), "complex128", index=index, block_bytes=4096) as made:
            made.write(np.arange(64))
    for lost in Path("disk1").glob("lost-set*"):
        lost.unlink()
    Path("cut-set.json").write_bytes(Path("set.json").read_bytes()[:-30])
    machine = weft.Machine.shipped("celerons")
    Path("machine.json").write_text(machine.to_json())
    Path("plan.json").write_text(weft.plan((4, 6), ranks=3, machine=machine).to_json())
    entry = {"machine": _IDENTITY, "plan": json.loads(Path("plan.json").read_text())}
    Path("wisdom.json").write_text(json.dumps({"weft_wisdom": 2, "entries": [entry]}))
    for kind in JSON_KINDS:
        for number in range(MUTANTS):
            text = mutated(Path(f"{kind}.json").read_text(), random.Random(f"{kind} {number}"))
            Path(f"{kind}-{number}.json").write_text(text)
    Path("deep.json").write_text("[" * 100_000)


def mutated(text: str, draw: random.Random) -> str:
    """Returns JSON with one value that is impossible, missing, or of another type."""
    lines = [line for line in text.splitlines() if line.strip()]
    if draw.random() < 0.2:
        return text[: draw.randrange(len(text))]
    try:
        value = json.loads(text)
    except ValueError:  # one document a line
        place = draw.randrange(len(lines))
        return "\n".join([*lines[:place], mutated(lines[place], draw), *lines[place + 1 :]])
    _change(value, draw)
    return json.dumps(value)


def _change(value: Any, draw: random.Random) -> None:
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    if not keys:
        return
    key = draw.choice(keys)
    if isinstance(value[key], (dict, list)) and value[key] and draw.random() < 0.8:
        _change(value[key], draw)
    elif isinstance(value, dict) and draw.random() < 0.2:
        del value[key]
    else:
        value[key] = draw.choice([None, -1, 0, 1e308, float("nan"), 2**63, "", "x", [], {}, True, [[]], "\ud800\x00"])


def _special_files() -> None:
    for name in ("fifo", "fifo.npy", "fifo.json", "fifo.h5"):
        os.mkfifo(name)
    for name in ("folder", "folder.npy", "folder.h5", "read-only"):
        Path(name).mkdir()
    Path("closed").mkdir()
    Path("closed/x.npy").write_bytes(Path("real.npy").read_bytes())
    for name, target in (("link.npy", "real.npy"), ("loop.npy", "loop.npy"), ("dangling.npy", "no/such.npy")):
        os.symlink(target, name)
    # Devices with names of their own, so that a replaced one is not the system's.
    for name, device in (("null.npy", (1, 3)), ("full.npy", (1, 7))):
        try:
            os.mknod(name, 0o666 | stat.S_IFCHR, os.makedev(*device))
        except OSError:  # only root may make devices
            os.mkfifo(name)


if __name__ == "__main__":
    Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
    fill(Path(sys.argv[1]).resolve())
    if "--open" not in sys.argv[2:]:
        close_some(Path.cwd())
