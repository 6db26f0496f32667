"""Fields in files of VTK: an image (.vti) for each time, and a collection (.pvd) of the times."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from weft import redistribution, runtime
from weft._planning import Layout
from weft.arrays import Array
from weft.dns.grid import Grid
from weft.dns.running import Running
from weft.files import check_target, write_file
from weft.files.replacement import Replacement

ENDING = ".vti"
#: The name of the array of vectors.
VELOCITY = "velocity"
_COMPONENTS = ("u", "v", "w")
_BYTE_ORDER = {"little": "LittleEndian", "big": "BigEndian"}[sys.byteorder]
# In the file, the elements of each array follow their number of bytes.
_COUNT = np.dtype(np.uint64)
_PIECE_BYTES = 1 << 24


def arrays_of(names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Returns the fields in each array of an image. The whole velocity is one array of vectors.

    >>> arrays_of(["u", "v", "w", "theta"]), arrays_of(["u", "w"])
    ({'velocity': ('u', 'v', 'w'), 'theta': ('theta',)}, {'u': ('u',), 'w': ('w',)})
    """
    if not set(_COMPONENTS) <= set(names):
        return {name: (name,) for name in names}
    return {VELOCITY: _COMPONENTS} | {name: (name,) for name in names if name not in _COMPONENTS}


@dataclass(frozen=True)
class _Image:
    """The contents of a .vti file: a time, a grid, and arrays on its points with their numbers of components."""

    grid: Grid
    time: float
    arrays: Mapping[str, int]
    dtype: np.dtype[Any]

    def bytes_of(self, name: str) -> int:
        """Returns the size of the elements of an array."""
        return prod(self.grid.shape) * self.arrays[name] * self.dtype.itemsize

    def offsets(self) -> Iterator[tuple[str, int]]:
        """Yields each array and the offset of its number of bytes in the data."""
        offset = 0
        for name in self.arrays:
            yield name, offset
            offset += _COUNT.itemsize + self.bytes_of(name)

    def head(self) -> bytes:
        """Returns the text of the file before the data."""
        extent = " ".join(f"0 {n - 1}" for n in self.grid.shape)
        spacing = " ".join(repr(length / n) for length, n in zip(self.grid.lengths, self.grid.shape, strict=True))
        kind = self.dtype.name.capitalize()  # Float32 or Float64
        lines = [
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<VTKFile type="ImageData" version="1.0" byte_order="{_BYTE_ORDER}" header_type="UInt64">',
            f'<ImageData WholeExtent="{extent}" Origin="0 0 0" Spacing="{spacing}">',
            '<FieldData><DataArray type="Float64" Name="TimeValue" NumberOfTuples="1" format="ascii">'
            f"{float(self.time)!r}</DataArray></FieldData>",
            f'<Piece Extent="{extent}"><PointData>',
            *(
                f'<DataArray type="{kind}" Name={quoteattr(name)} NumberOfComponents="{self.arrays[name]}" '
                f'format="appended" offset="{offset}"/>'
                for name, offset in self.offsets()
            ),
            "</PointData></Piece></ImageData>",
            '<AppendedData encoding="raw">',
            "_",
        ]
        return "\n".join(lines).encode()


_TAIL = b"\n</AppendedData>\n</VTKFile>\n"


class _ImageFile(Replacement):
    """A new .vti file. Rank 0 creates it, the others adopt it, and each rank writes a slab of planes along z."""

    def __init__(self, path: str, image: _Image):
        self._image = image
        self._head = image.head()
        start = len(self._head)
        self._places = {name: start + offset for name, offset in image.offsets()}
        self._end = start + sum(_COUNT.itemsize + image.bytes_of(name) for name in image.arrays)
        super().__init__(path, self._end + len(_TAIL))

    def create(self, name: str | None = None, tell: Callable[[str], object] = lambda path: None) -> str:
        """Creates the temporary file, complete except for the elements, and returns its name."""
        check_target(self.name, (ENDING,))
        temporary = super().create(name, tell)
        counts = [
            (place, np.array(self._image.bytes_of(array), _COUNT).tobytes()) for array, place in self._places.items()
        ]
        self.fill([(0, self._head), *counts, (self._end, _TAIL)])
        return temporary

    def write_planes(self, name: str, first: int, components: Sequence[Array]) -> None:
        """Writes planes of an array from z index `first` on. The given components are in Fortran order."""
        flat = [component.T.reshape(-1) for component in components]
        point_bytes = len(flat) * self._image.dtype.itemsize
        nx, ny, _ = self._image.grid.shape
        start = self._places[name] + _COUNT.itemsize + first * nx * ny * point_bytes

        def parts() -> Iterable[tuple[int, np.ndarray]]:
            step = _PIECE_BYTES // point_bytes
            for lo in range(0, flat[0].size, step):
                points = np.stack([values[lo : lo + step] for values in flat], axis=-1)
                yield start + lo * point_bytes, points.view(np.uint8).reshape(-1)

        self.fill(parts())


class Images:
    """The images of a run and their collection. For `run.vti` these are `run-00000000.vti` and so on, and `run.pvd`.

    The collection lists all images since the beginning of the run. A run that resumes adds images to it.
    """

    def __init__(self, path: str) -> None:
        self._stem, self._ending = os.path.splitext(path)
        self.times: dict[str, float] = {}  # the time of each image, by the name of the image in the folder

    def begin(self) -> None:
        """Begins a new collection. It replaces an older collection when the first image is written."""
        self.times = {}

    def write(self, sim: Running, spectra: Mapping[str, Array], dtype: np.dtype[Any]) -> None:
        """Writes the fields of some spectra as the image of the present time. Collective.

        Memory: this rank's slab of an array, and 16 MiB. Errors, the same on all ranks: IoFailure, and then no new
        image is left; InvalidArgument for a name that is no file.
        """
        path = f"{self._stem}-{sim.counters.steps:08d}{self._ending}"
        arrays = arrays_of(list(spectra))
        image = _Image(sim.grid, sim.time, {name: len(parts) for name, parts in arrays.items()}, dtype)

        def slab_of(field: str) -> tuple[Array, int]:
            return _slab_of(sim, spectra[field], dtype)

        _write_image(_ImageFile(path, image), arrays, slab_of, comm=sim.comm)
        self.times[os.path.basename(path)] = sim.time
        runtime.from_first(sim.comm, self._write_collection)

    def _write_collection(self) -> None:
        lines = [
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<VTKFile type="Collection" version="1.0" byte_order="{_BYTE_ORDER}" header_type="UInt64">',
            "<Collection>",
            *(
                f'<DataSet timestep="{float(time)!r}" part="0" file={quoteattr(name)}/>'
                for name, time in self.times.items()
            ),
            "</Collection>",
            "</VTKFile>",
        ]
        write_file(f"{self._stem}.pvd", ("\n".join(lines) + "\n").encode())


@runtime.collective("fields")
def _write_image(
    file: _ImageFile, arrays: Mapping[str, Sequence[str]], slab_of: Callable[[str], tuple[Array, int]], comm: Any
) -> None:
    """Writes a file from all ranks. `slab_of` returns this rank's planes of a field, and the index of the first."""
    rank = runtime.rank_of(comm)
    try:
        temporary = runtime.from_first(comm, file.create)
        if rank != 0:
            file.adopt(temporary)
        for name, fields in arrays.items():
            slabs = [slab_of(field) for field in fields]
            runtime.agreed(comm, partial(_write_slabs, file, name, slabs))
        runtime.agreed(comm, lambda: file.commit() if rank == 0 else None)
    finally:
        if rank == 0:
            file.discard()


def _write_slabs(file: _ImageFile, name: str, slabs: Sequence[tuple[Array, int]]) -> None:
    file.write_planes(name, slabs[0][1], [values for values, _ in slabs])


def _slab_of(sim: Running, spectrum: Array, dtype: np.dtype[Any]) -> tuple[Array, int]:
    """Returns this rank's planes along z of a field, in Fortran order, and the index of the first. Collective."""
    values, layout = sim.on_grid(spectrum)
    slab = Layout.slab(layout.shape, layout.ranks, len(layout.shape) - 1).with_order([2, 1, 0])
    moved = redistribution.redistribute(values.astype(dtype, copy=False), layout, slab, sim.comm)
    return moved, slab.box(runtime.rank_of(sim.comm))[-1][0]
