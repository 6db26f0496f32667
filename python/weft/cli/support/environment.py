"""Facts about the process of a command: its ranks, its cores, and the parent that started it."""

import os
from collections.abc import Mapping

# `weft -n` sets this for its ranks: a folder for the exit status and the names of temporary files.
RUN_FOLDER = "WEFT_RUN_FOLDER"
# Set to 1 if the standard error of the parent is a terminal. The ranks themselves write into a pipe.
ON_TERMINAL = "WEFT_ON_TERMINAL"
# Set to 1 if the parent's current folder was deleted. mpiexec does not start in such a folder.
NO_FOLDER = "WEFT_NO_FOLDER"
# WEFT_DEBUG=1 shows tracebacks and the messages of mpiexec.
DEBUG = "WEFT_DEBUG"

# Variables that launchers set for each rank: (size, rank). Slurm also sets its variables in shells without ranks. So
# Slurm's size counts only together with a rank of PMIx or PMI.
_LAUNCHERS = (
    ("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"),
    ("PMI_SIZE", "PMI_RANK"),
    ("SLURM_STEP_NUM_TASKS", "PMIX_RANK"),
    ("SLURM_STEP_NUM_TASKS", "PMI_RANK"),
)


def surrounding_ranks(environ: Mapping[str, str] = os.environ) -> tuple[int, int] | None:
    """Returns (rank, size) if a launcher has started this process as a rank, otherwise None.

    >>> surrounding_ranks({"PMI_SIZE": "4", "PMI_RANK": "1"})
    (1, 4)
    """
    for size, rank in _LAUNCHERS:
        if environ.get(size, "").isdigit() and environ.get(rank, "").isdigit():
            return int(environ[rank]), int(environ[size])
    return None


def usable_cores() -> int:
    """Returns the number of cores that this process may use."""
    return len(os.sched_getaffinity(0))


def debugging() -> bool:
    return os.environ.get(DEBUG, "") not in ("", "0")
