"""Times steps of fluidsim's ns3d solver; bench/turbulence.py runs it in an environment of its own.

    [mpiexec -n 2] PYTHON bench/fluidsim_steps.py POINTS FFT STEPS

The steps are RK4 with 2/3 dealiasing from the Taylor-Green vortex, as in `weft dns bench`, with viscosity and without
hyperviscosity, forcing or output. After two warm-up steps, the time of each step is divided by its four right-hand
sides. Rank 0 prints these seconds in a line of JSON.
"""

import json
import sys
import time

import numpy as np
from fluiddyn.util import mpi
from fluidsim.solvers.ns3d.solver import Simul

EVALUATIONS = 4
WARM_UPS = 2


def simulation(points: int, fft: str):
    params = Simul.create_default_params()
    params.output.HAS_TO_SAVE = False
    oper = params.oper
    oper.nx = oper.ny = oper.nz = points
    oper.Lx = oper.Ly = oper.Lz = 2 * np.pi
    oper.coef_dealiasing = 2 / 3
    oper.truncation_shape = "cubic"
    oper.type_fft = fft
    params.nu_2 = 1 / 1600
    stepping = params.time_stepping
    stepping.type_time_scheme = "RK4"
    stepping.USE_CFL = stepping.USE_T_END = False
    stepping.deltat0 = 1e-3
    stepping.it_end = 1_000_000
    params.init_fields.type = "in_script"
    sim = Simul(params)
    x, y, z = sim.oper.get_XYZ_loc()
    u = np.sin(x) * np.cos(y) * np.cos(z)
    v = -np.cos(x) * np.sin(y) * np.cos(z)
    sim.state.init_statephys_from(vx=u, vy=v, vz=0 * x)
    return sim


def barrier() -> None:
    """Waits for all ranks. Without mpiexec there is no communicator."""
    if mpi.nb_proc > 1:
        mpi.comm.Barrier()


def main() -> None:
    points, fft, steps = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    printed, sys.stdout = sys.stdout, sys.stderr  # the solver prints its parameters
    sim = simulation(points, fft)
    seconds = []
    for _ in range(WARM_UPS + steps):
        barrier()
        start = time.perf_counter()
        sim.time_stepping.one_time_step_computation()
        barrier()
        seconds.append((time.perf_counter() - start) / EVALUATIONS)
    if mpi.rank == 0:
        print(
            json.dumps({"points": points, "fft": fft, "ranks": mpi.nb_proc, "seconds": seconds[WARM_UPS:]}),
            file=printed,
        )


if __name__ == "__main__":
    main()
