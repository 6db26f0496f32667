"""The power of a random field in shells of its wavenumber, on all ranks; compared with the power by numpy.

weft run -n 4 power_spectrum.py
"""

import numpy as np
import weft
from mpi4py import MPI

SHAPE = (32, 30, 28)
SHELLS = 30  # enough for the corners of the box of wavenumbers


def power_in_shells(spectrum, wavenumbers):
    """Returns sums of |spectrum|^2: over the modes whose wavenumber rounds to 0, to 1, to 2 and so on."""
    kx, ky, kz = wavenumbers
    shell = np.rint(np.sqrt(kx**2 + ky**2 + kz**2)).astype(int)
    # Only half of a real field's spectrum is stored. Modes at the ends of its last axis count once, other modes twice.
    weights = np.where((kz == 0) | (np.abs(kz) == SHAPE[2] / 2), 1, 2)
    return np.bincount(shell.ravel(), (weights * np.abs(spectrum) ** 2).ravel(), minlength=SHELLS)


comm = MPI.COMM_WORLD
# All ranks generate the same field, and each keeps its part.
field = np.random.default_rng(7).standard_normal(SHAPE)
fft = weft.FFT(SHAPE, kind="r2c", norm="forward", comm=comm)  # the spectrum is divided by the number of points
part = fft.input.empty()
part[...] = field[fft.input.slices]
power = comm.allreduce(power_in_shells(fft.forward(part), fft.wavenumbers()))

k = np.meshgrid(*(np.fft.fftfreq(n, 1 / n) for n in SHAPE[:2]), np.arange(SHAPE[2] // 2 + 1), indexing="ij")
serial = power_in_shells(np.fft.rfftn(field, norm="forward"), k)
error = np.abs(power - serial).max()
parseval = abs(power.sum() - np.mean(field**2))
if comm.rank == 0:
    print(
        f"power spectrum on {comm.size} ranks: variance {power[1:].sum():.6f}, by numpy {field.var():.6f}, shells off "
        f"by at most {error:.1e}"
    )
if not (error < 1e-15 and parseval < 1e-13):
    raise SystemExit("the spectrum is wrong")
