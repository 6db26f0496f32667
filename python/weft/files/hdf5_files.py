"""Finds the files with the elements of an HDF5 dataset, which may be other files than the one that the user names.

Links lead to other files, a virtual dataset consists of other datasets, and the elements of a dataset may be in raw
files. If such a file is missing or too short, HDF5 reads fill values without an error.
"""

import glob
import os
import re
from collections.abc import Iterator
from typing import Any

from weft import errors

# The place of a block's number in the file name of a virtual dataset's source.
_NUMBERED = re.compile(r"%\d*b")


def files_of(h5py: Any, dataset: Any, name: str) -> tuple[str, ...]:
    """Returns the paths of the files with the elements, without links or repeats, first the dataset's own file.

    Errors: IoFailure for a file that is missing or too short.
    """
    found: dict[str, None] = {}
    _collect(h5py, dataset, name, found, set())
    return tuple(found)


def _collect(h5py: Any, dataset: Any, name: str, found: dict[str, None], datasets: set[tuple[str, str]]) -> None:
    own = os.path.realpath(dataset.file.filename)
    if (own, dataset.name) in datasets:
        return
    datasets.add((own, dataset.name))
    found[own] = None
    found.update(dict.fromkeys(_raw_files(dataset, own, name)))
    for file, inside in _sources(dataset, own, name):
        found[file] = None
        if inside is None:
            continue
        with h5py.File(file, "r") as opened:
            source = opened.get(inside)
            if not isinstance(source, h5py.Dataset):
                raise _missing(name, f"{file}:{inside}")
            _collect(h5py, source, name, found, datasets)


def _raw_files(dataset: Any, own: str, name: str) -> Iterator[str]:
    """Yields the raw files of a dataset. Their names are relative to a prefix, otherwise to the current folder.

    The prefix is the variable HDF5_EXTFILE_PREFIX, otherwise that of the dataset.
    """
    prefix = os.fsdecode(dataset.id.get_access_plist().get_efile_prefix() or b"")
    folder = os.environ.get("HDF5_EXTFILE_PREFIX", prefix).replace("${ORIGIN}", os.path.dirname(own))
    left = dataset.nbytes
    for file, offset, most in dataset.external or ():
        path = os.path.realpath(os.path.join(folder, file))
        part = min(left, most)
        left -= part
        if part > 0 and not os.path.isfile(path):
            raise _missing(name, path)
        if part > 0 and os.path.getsize(path) < offset + part:
            raise errors.IoFailure(
                f"a file must hold all its elements; {name} has {part} bytes from byte {offset} of {path} on, "
                f"which has {os.path.getsize(path)}: it is truncated; copy or save it again"
            )
        yield path


def _sources(dataset: Any, own: str, name: str) -> Iterator[tuple[str, str | None]]:
    """Yields the sources of a virtual dataset: a file, and the dataset in it, which is None for numbered names."""
    if not dataset.is_virtual:
        return
    for source in dataset.virtual_sources():
        if _NUMBERED.search(source.file_name):
            pattern = _NUMBERED.sub("*", glob.escape(source.file_name))
            files = [file for folder in _folders(own) for file in sorted(glob.glob(os.path.join(folder, pattern)))]
            yield from ((os.path.realpath(file), None) for file in files)
        elif _NUMBERED.search(source.dset_name):
            yield _located(source.file_name, own, name), None
        else:
            yield _located(source.file_name, own, name), source.dset_name


def _located(file: str, own: str, name: str) -> str:
    """Returns the path at which HDF5 finds a source.

    HDF5 looks in the folders of HDF5_VDS_PREFIX, in the folder of the virtual dataset, and in the current folder.
    """
    if file == ".":
        return own
    paths = [os.path.join(folder, file) for folder in _folders(own)]
    if os.path.isabs(file):  # the source may have moved together with the file that names it
        paths += [os.path.join(folder, os.path.basename(file)) for folder in _folders(own)]
    found = next((path for path in paths if os.path.isfile(path)), None)
    if found is None:
        raise _missing(name, file)
    return os.path.realpath(found)


def _folders(own: str) -> list[str]:
    prefixes = os.environ.get("HDF5_VDS_PREFIX", "").split(":")
    return [each.replace("${ORIGIN}", os.path.dirname(own)) for each in prefixes if each] + [os.path.dirname(own), ""]


def _missing(name: str, file: str) -> Exception:
    return errors.IoFailure(
        f"all files of a dataset must exist, because HDF5 reads fill values otherwise; {name} needs {file}, "
        "which does not exist; restore it, or copy the dataset with h5py if fill values are meant"
    )
