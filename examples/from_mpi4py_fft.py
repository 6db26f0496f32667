"""From mpi4py-fft to weft: each call of weft has the call of mpi4py-fft in the comment on its right.

Only the scale differs. The forward transform of mpi4py-fft divides by the number of points, which is norm="forward" in
weft. By default weft has the scale of numpy.

weft run -n 4 from_mpi4py_fft.py
"""

import numpy as np
import weft
from mpi4py import MPI

SHAPE = (32, 24, 20)
comm = MPI.COMM_WORLD

fft = weft.FFT(SHAPE, dtype=np.float64, kind="r2c", norm="forward", comm=comm)  # fft = PFFT(comm, SHAPE, dtype=float)
u = fft.input.zeros()  # u = newDistArray(fft, False)
u_hat = fft.output.zeros()  # u_hat = newDistArray(fft, True)

field = np.random.default_rng(5).standard_normal(SHAPE)
u[...] = field[fft.input.slices]  # u[:] = field[u.local_slice()]
u_hat = fft.forward(u, u_hat)  # u_hat = fft.forward(u, u_hat)
back = fft.backward(u_hat)  # back = fft.backward(u_hat)
kx, ky, kz = fft.wavenumbers()  # fftfreq(n, 1 / n)[u_hat.local_slice()[axis]] for each axis

# Pencils: weft.FFT(..., input=(2, 2, 1)) on 4 ranks  # PFFT(..., grid=(2, 2, 1))
# Without input= weft chooses the layout for the machine; fft.explain() describes the choice and its reasons.

exact = np.fft.rfftn(field, norm="forward")[fft.output.slices]
assert np.broadcast_shapes(kx.shape, ky.shape, kz.shape) == u_hat.shape
mine = max(np.abs(u_hat - exact).max(initial=0), np.abs(back - u).max(initial=0))
error = comm.allreduce(mine, MPI.MAX)
if comm.rank == 0:
    print(f"the steps of mpi4py-fft on {comm.size} ranks: off by at most {error:.1e} from numpy")
if not error < 1e-14:
    raise SystemExit("the transform is wrong")
