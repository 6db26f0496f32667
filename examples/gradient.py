"""The gradient of a periodic field, by its spectrum, compared with the exact gradient.

weft run -n 4 gradient.py
"""

import numpy as np
import weft
from mpi4py import MPI

comm = MPI.COMM_WORLD
fft = weft.FFT((48, 40, 36), kind="r2c", comm=comm)

# This rank's part of the field. The box has the length 2*pi along each axis. The arrays x, y and z broadcast together.
x, y, z = fft.positions()
field = fft.input.empty()
field[...] = np.sin(3 * x) * np.cos(2 * y) * np.sin(z)
exact = (
    3 * np.cos(3 * x) * np.cos(2 * y) * np.sin(z),
    -2 * np.sin(3 * x) * np.sin(2 * y) * np.sin(z),
    np.sin(3 * x) * np.cos(2 * y) * np.cos(z),
)

# A derivative multiplies the spectrum by i*k.
spectrum = fft.forward(field)
gradient = fft.backward_many([1j * k * spectrum for k in fft.wavenumbers()])

mine = max(np.abs(found - wanted).max(initial=0) for found, wanted in zip(gradient, exact, strict=True))
error = comm.allreduce(mine, MPI.MAX)
if comm.rank == 0:
    print(f"gradient of a field of 48 x 40 x 36 on {comm.size} ranks: off by at most {error:.1e}")
if not error < 1e-12:
    raise SystemExit("the gradient is wrong")
