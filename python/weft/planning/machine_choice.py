"""By which machine a transform is planned: a given one, the one that its ranks are on, or none."""

from __future__ import annotations

import os
from typing import Any

from weft import _planning, errors, options, runtime

# Words in the place of a machine: the one that the ranks are on; none, but a fixed rule.
HERE = "here"
RULE = "rule"
# What plans go by where the caller names nothing: this variable's machine, else what weft takes to be usual.
VARIABLE = "WEFT_MACHINE"
DEFAULT_MACHINE = "infiniband-64"
#: The machine of arrays on disks that stands for one that is not measured.
ASSUMED_MACHINE = "ethernet-10g"


def machine_here(comm: Any = None, *, threads: int = 1) -> _planning.Machine:
    """The machine that the ranks are on, from the user's cache, or else measured in about 0.2 s. Collective.

    What ``weft probe`` measures in 30 s is better known; this is enough to choose between ways. It is kept in
    $XDG_CACHE_HOME/weft (else ~/.cache/weft), by processor, MPI library, what joins the nodes, ranks, nodes and
    threads; rank 0 reads and writes. A file that is damaged or of another version is measured anew. Where nothing can
    be written, a line on standard error says so.

    Errors, on all ranks: InvalidArgument, OutOfMemory, MpiFailure.
    """
    error, count = None, 1
    try:
        count = _count(threads)
    except Exception as reason:
        error = errors.error_pair(reason)
    found: _planning.Machine = runtime.running().machine_here(count, runtime.handle_of(comm), error)
    return found


def measured_before(ranks: int, threads: int) -> _planning.Machine:
    """The machine that was measured before by as many ranks on this node. Local, without MPI."""
    ranks, threads = options.integer(ranks, "ranks", 1), _count(threads)
    found = runtime.running().known_here(ranks, threads) if runtime.running_available() else None
    if found is None:
        raise errors.InvalidArgument(
            f"nothing is known yet of this machine with {ranks} ranks of {threads} threads; run a transform with "
            f'machine="here" on as many, or `weft probe -n {ranks} -o FILE` and give the file'
        )
    machine: _planning.Machine = found
    return machine


def machine_or_word(machine: Any) -> tuple[Any, str]:
    """What the caller named, and the word by which a transform on ranks is planned where that is no machine.

    >>> machine_or_word("celerons"), machine_or_word("rule"), machine_or_word(None)
    (('celerons', 'standard'), (None, 'rule'), (None, 'standard'))
    """
    if is_word(machine, HERE) or is_word(machine, RULE):
        return None, machine
    return machine, "standard"


def is_word(machine: Any, word: str) -> bool:
    """Whether a machine is named by this word; anything else may be given, and be compared in its own way."""
    return isinstance(machine, str) and machine == word


def default_machine() -> tuple[str, str]:
    """What is planned by without ranks where the caller names nothing, and what a plan says of it."""
    word = os.environ.get(VARIABLE)
    if word:
        return word, f"planned by the machine that {VARIABLE} names"
    return DEFAULT_MACHINE, f'no machine was named: planned for "{DEFAULT_MACHINE}", which ships with weft; name yours'


def wants_all_ranks(all_ranks: bool | None, machine: Any) -> bool:
    """Only where a machine is named may ranks own nothing without being asked for.

    >>> wants_all_ranks(None, None), wants_all_ranks(None, "celerons"), wants_all_ranks(True, "celerons")
    (True, False, True)
    """
    if all_ranks is None:
        return machine is None or is_word(machine, RULE)
    return bool(all_ranks)


def _count(threads: Any) -> int:
    return options.integer(threads, "threads", 1, options.THREADS_MAX)
