"""Pairs of ranks exchange messages in both directions at once; prints the time of one exchange for each message length.

Usage: exchange.py --lengths A,B,... [--bytes K] [--distance D]
Rank r exchanges with r xor D; a rank without a partner waits. The timed exchanges of each length add up to K bytes.
Untimed exchanges before them use up the burst of the links. The slowest pair counts.
"""

import argparse
import json
import time

import numpy as np
from mpi4py import MPI

# Twice the burst of the small switch, because a node's link and the switch's port each have one.
ALLOWANCE_BYTES = 256 * 1024
EXCHANGES_MIN, EXCHANGES_MAX = 5, 2000


def count(length: int, total: int) -> int:
    return min(max(total // length, EXCHANGES_MIN), EXCHANGES_MAX)


def exchanges(comm: MPI.Comm, partner: int, length: int, times: int) -> float:
    """Returns the seconds of a number of exchanges."""
    sent, received = np.zeros(length, np.uint8), np.empty(length, np.uint8)
    start_s = time.perf_counter()
    for _ in range(times):
        comm.Sendrecv(sent, partner, 0, received, partner, 0)
    return time.perf_counter() - start_s


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--lengths", required=True)
    parser.add_argument("--bytes", type=int, default=4 << 20)
    parser.add_argument("--distance", type=int, default=1)
    given = parser.parse_args()
    comm = MPI.COMM_WORLD
    partner = comm.rank ^ given.distance
    rows = []
    for length in map(int, given.lengths.split(",")):
        times = count(length, given.bytes)
        mine_s = 0.0
        comm.Barrier()
        if partner < comm.size:
            exchanges(comm, partner, length, count(length, ALLOWANCE_BYTES))
            mine_s = exchanges(comm, partner, length, times)
        slowest_s = comm.allreduce(mine_s, MPI.MAX)
        rows.append({"bytes": length, "exchanges": times, "seconds": slowest_s / times})
    if comm.rank == 0:
        print(json.dumps(rows))


if __name__ == "__main__":
    main()
