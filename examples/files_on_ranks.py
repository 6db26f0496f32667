"""Files on ranks: each reads its part of one .npy file and writes its part of another. No rank has the whole array.

weft run -n 4 files_on_ranks.py [FOLDER]

All ranks must see FOLDER; the default is a temporary folder. To transform files only,
`weft fft field.npy spectrum.npy -n 4` does all of this.
"""

import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
import weft
from mpi4py import MPI

SHAPE = (40, 36, 30)
comm = MPI.COMM_WORLD

given = sys.argv[1] if len(sys.argv) > 1 else None
folder = Path(comm.bcast(tempfile.mkdtemp(dir=given) if comm.rank == 0 else None))
source, target = folder / "field.npy", folder / "spectrum.npy"
fft = weft.FFT(SHAPE, kind="r2c", comm=comm)

if comm.rank == 0:
    np.save(source, np.random.default_rng(11).standard_normal(SHAPE))
    whole = (fft.plan.output.shape, np.dtype(complex))
    np.lib.format.open_memmap(target, mode="w+", shape=whole[0], dtype=whole[1])  # of its final size
comm.Barrier()  # both files exist

part = fft.input.empty()
part[...] = np.load(source, mmap_mode="r")[fft.input.slices]  # reads this rank's part only
spectrum = fft.forward(part)
written = np.load(target, mmap_mode="r+")
written[fft.output.slices] = spectrum
written.flush()
comm.Barrier()  # all have written

error = None
if comm.rank == 0:
    exact = np.fft.rfftn(np.load(source))
    error = np.abs(np.load(target) - exact).max() / np.abs(exact).max()
    shutil.rmtree(folder)
    print(f"a file transformed by {comm.size} ranks, each its part: relative error {error:.1e}")
if not comm.bcast(error) < 1e-14:
    raise SystemExit("the file is wrong")
