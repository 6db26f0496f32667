"""Chooses the machine by which a transform is planned: a given machine, the machine of the ranks, or none."""

from __future__ import annotations

import os
from typing import Any

from weft import _planning, errors, runtime
from weft._support import checks

# Words that a user gives instead of a machine: LOCAL for the machine of the ranks, FIXED_RULE for no machine.
LOCAL = "local"
FIXED_RULE = "fixed-rule"
#: The word for a transform on ranks if the user gave neither LOCAL nor FIXED_RULE.
DEFAULT = "default"
# The environment variable that names the default machine of plans, and the default machine without this variable.
MACHINE_VARIABLE = "WEFT_MACHINE"
DEFAULT_MACHINE = "infiniband-64"
#: The assumed machine of arrays on disks, if none is measured.
ASSUMED_MACHINE = "ethernet-10g"


def local_machine(comm: Any = None, *, threads: int = 1) -> _planning.Machine:
    """Returns the machine of the ranks, from the user's cache or measured in about 0.2 s. Collective.

    This measurement is enough to choose between plans; ``weft probe`` measures more precisely, in 30 s. The cache is in
    $XDG_CACHE_HOME/weft (default: ~/.cache/weft). Its key is processor, MPI library, network, ranks, nodes and threads.
    Rank 0 reads and writes the cache. A new measurement replaces a cache file that is damaged or has another version.
    If the cache cannot be written, a line on standard error says so.

    Errors, on all ranks: InvalidArgument, OutOfMemory, MpiFailure.
    """
    error, count = None, 1
    try:
        count = _count(threads)
    except Exception as reason:
        error = errors.error_pair(reason)
    found: _planning.Machine = runtime.running().local_machine(count, runtime.handle_of(comm), error)
    return found


def known_local_machine(ranks: int, threads: int) -> _planning.Machine:
    """Returns an earlier measurement of this node by the same numbers of ranks and threads. Not collective."""
    ranks, threads = checks.integer(ranks, "ranks", 1), _count(threads)
    found = runtime.running().known_local_machine(ranks, threads) if runtime.running_available() else None
    if found is None:
        raise errors.InvalidArgument(
            f"this machine has not been measured with {ranks} ranks of {threads} threads; run such a transform with "
            f'machine="local", or run `weft probe -n {ranks} -o FILE` and give the file'
        )
    machine: _planning.Machine = found
    return machine


def machine_or_word(machine: Any) -> tuple[Any, str]:
    """Splits a user's choice into a machine, or None, and a word. If the choice is no word, the word is DEFAULT.

    >>> machine_or_word("celerons"), machine_or_word("fixed-rule"), machine_or_word(None)
    (('celerons', 'default'), (None, 'fixed-rule'), (None, 'default'))
    """
    if is_word(machine, LOCAL) or is_word(machine, FIXED_RULE):
        return None, machine
    return machine, DEFAULT


def is_word(machine: Any, word: str) -> bool:
    """Returns whether a user gave this word as machine. Compares strings only: other types may override ==."""
    return isinstance(machine, str) and machine == word


def default_machine() -> tuple[str, str]:
    """Returns the default machine of plans without ranks, and the plan's note about it."""
    word = os.environ.get(MACHINE_VARIABLE)
    if word:
        return word, f"planned by the machine that {MACHINE_VARIABLE} names"
    return DEFAULT_MACHINE, f'no machine was named: planned for "{DEFAULT_MACHINE}", which ships with weft; name yours'


def wants_all_ranks(all_ranks: bool | None, machine: Any) -> bool:
    """Returns whether all ranks get a part of the input. The default is False only for a named machine.

    >>> wants_all_ranks(None, None), wants_all_ranks(None, "celerons"), wants_all_ranks(True, "celerons")
    (True, False, True)
    """
    if all_ranks is None:
        return machine is None or is_word(machine, FIXED_RULE)
    return bool(all_ranks)


def _count(threads: Any) -> int:
    return checks.integer(threads, "threads", 1, checks.THREADS_MAX)
