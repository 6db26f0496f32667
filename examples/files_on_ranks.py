"""Files on ranks: each rank reads its part of one .npy file, and writes its part of another.

Only rank 0 has whole arrays, to make the first file and to check the second.

weft run -n 4 files_on_ranks.py [FOLDER]

All ranks must see FOLDER; the default is the folder for temporary files. The command
`weft fft field.npy spectrum.npy -n 4` also transforms a file in this way.
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
    np.lib.format.open_memmap(target, mode="w+", shape=fft.plan.output.shape, dtype=complex)  # has its final size
comm.Barrier()  # both files exist

part = fft.input.empty()
part[...] = np.load(source, mmap_mode="r")[fft.input.slices]  # reads this rank's part only
spectrum = fft.forward(part)
written = np.load(target, mmap_mode="r+")
written[fft.output.slices] = spectrum
written.flush()
comm.Barrier()  # all ranks have written their parts

error = None
if comm.rank == 0:
    exact = np.fft.rfftn(np.load(source))
    error = np.abs(np.load(target) - exact).max() / np.abs(exact).max()
    shutil.rmtree(folder)
    print(f"a file transformed by {comm.size} ranks, each its part: relative error {error:.1e}")
if not comm.bcast(error) < 1e-14:
    raise SystemExit("the file is wrong")
