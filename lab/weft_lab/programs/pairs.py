"""Times pairs of a forward and a backward 2-D transform; prints seconds, as one line of JSON.

Usage: pairs.py --extent L --pairs K [--preset NAME]
The slowest rank counts. The result must agree with the input, a plane wave, and the spectrum must have the wave's peak.
"""

import argparse
import json
import time

import numpy as np
import weft
from mpi4py import MPI


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--extent", type=int, required=True)
    parser.add_argument("--pairs", type=int, required=True)
    parser.add_argument("--preset")
    given = parser.parse_args()
    comm = MPI.COMM_WORLD
    size = given.extent
    planning = weft.Planning(machine="fixed-rule", effort="measure")
    fft = weft.FFT((size, size), comm=comm, exchange=given.preset, planning=planning)
    field, spectrum = fft.input.empty(), fft.output.empty()
    rows, columns = (np.arange(*part.indices(size)[:2]) for part in fft.input.slices)
    wave = np.exp(2j * np.pi * ((3 * rows[:, None] + 5 * columns[None, :]) % size) / size)
    field[...] = wave
    fft.backward(fft.forward(field, out=spectrum), out=field)  # warms up
    peak = float(np.abs(spectrum).max()) if spectrum.size else 0.0
    comm.Barrier()
    start_s = time.perf_counter()
    for _ in range(given.pairs):
        fft.forward(field, out=spectrum)
        fft.backward(spectrum, out=field)
    seconds = comm.allreduce(time.perf_counter() - start_s, MPI.MAX)
    error = comm.allreduce(float(np.abs(field - wave).max()) if field.size else 0.0, MPI.MAX)
    peak = comm.allreduce(peak, MPI.MAX)
    if not (error < 1e-10 and abs(peak / size**2 - 1) < 1e-10):
        raise SystemExit(f"the result must be right; error {error:.1e}, peak {peak:.6g} of {size**2}")
    if comm.rank == 0:
        print(
            json.dumps({"seconds": seconds, "exchange": fft.plan.exchanges[0].describe() if comm.size > 1 else "none"})
        )
    leave_together(comm)


def leave_together(comm: MPI.Comm) -> None:
    """Waits until all ranks are done.

    If ranks end without MPI_Finalize (MPICH over TCP), the last messages of an ended rank are sometimes lost. A rank
    that waits for them then fails.
    """
    comm.Barrier()
    time.sleep(0.3)


if __name__ == "__main__":
    main()
