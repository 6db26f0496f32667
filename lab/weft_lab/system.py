"""Runs commands of this machine, and checks whether this machine can run a cluster."""

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass

# The prefix of the lab's namespaces. The lab touches no others.
PREFIX = "weftlab"
PROBE = f"{PREFIX}-probe"
COMMAND_LIMIT_S = 60.0


class LabError(Exception):
    """An error of the lab in one line: the rule, the finding and the remedy."""


def run(command: Sequence[str], given: str = "", limit_s: float = COMMAND_LIMIT_S) -> subprocess.CompletedProcess[str]:
    """Runs a command to its end. The caller checks its status and output."""
    # LC_ALL: the lab shows messages, and compares some with English words.
    return subprocess.run(
        command,
        input=given,
        capture_output=True,
        text=True,
        check=False,
        timeout=limit_s,
        env={**os.environ, "LC_ALL": "C"},
    )


def must(command: Sequence[str], given: str = "") -> str:
    """Runs a command that must succeed; returns its output."""
    done = run(command, given)
    if done.returncode:
        words = " ".join(command)
        what = words if len(words) <= 80 else f"{words[:80]} ..."
        raise LabError(f"`{what}` failed: {first_line(done.stderr) or f'status {done.returncode}'}")
    return done.stdout


def first_line(text: str) -> str:
    r"""
    >>> first_line("Error: Unknown qdisc.\nWe have an error talking to the kernel")
    'Error: Unknown qdisc.'
    """
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


@dataclass(frozen=True)
class Machine:
    """The machine as the checks see it; tests replace it."""

    is_root: Callable[[], bool] = lambda: os.geteuid() == 0
    which: Callable[[str], str | None] = shutil.which
    run: Callable[[Sequence[str]], subprocess.CompletedProcess[str]] = run


_PACKAGES = {"ip": "iproute2", "tc": "iproute2", "nsenter": "util-linux", "unshare": "util-linux", "mount": "mount"}

# Required features of the kernel, and the commands that test them in a separate namespace.
_NAMESPACE = ("network namespaces", (("ip", "netns", "add", PROBE),))
_LINKS = (
    "veth pairs and bridges",
    (
        ("ip", "-n", PROBE, "link", "add", "probe", "type", "veth", "peer", "name", "peer"),
        ("ip", "-n", PROBE, "link", "add", "bridge", "type", "bridge"),
    ),
)
_RATES = (
    "links with a rate (tc's tbf)",
    (
        (
            *("tc", "-n", PROBE, "qdisc", "add", "dev", "probe", "root"),
            *("tbf", "rate", "1mbit", "burst", "10kb", "latency", "5ms"),
        ),
    ),
)
_SHARED = (
    "shared media (tc's ingress, u32 and mirred with an ifb interface)",
    (
        ("ip", "-n", PROBE, "link", "add", "medium", "type", "ifb"),
        ("tc", "-n", PROBE, "qdisc", "add", "dev", "probe", "ingress"),
        (
            *("tc", "-n", PROBE, "filter", "add", "dev", "probe", "parent", "ffff:", "protocol", "all"),
            *("u32", "match", "u32", "0", "0", "action", "mirred", "egress", "redirect", "dev", "medium"),
        ),
    ),
)


def missing(shared_media: bool = False, machine: Machine | None = None) -> str | None:
    """Returns a line about the first missing requirement of a cluster; None if this machine has all.

    Makes and removes a namespace. `shared_media`: hubs or a backplane are wanted.
    """
    machine = machine or Machine()
    if not machine.is_root():
        return "a cluster of network namespaces needs root; run weft-lab as root or with sudo"
    for tool, package in _PACKAGES.items():
        if machine.which(tool) is None:
            return f"there is no `{tool}`; install {package}"
    return _missing_in_kernel(shared_media, machine)


def _missing_in_kernel(shared_media: bool, machine: Machine) -> str | None:
    machine.run(("ip", "netns", "delete", PROBE))  # left by a check that was killed
    try:
        for what, commands in (_NAMESPACE, _LINKS, _RATES, *([_SHARED] if shared_media else [])):
            for command in commands:
                done = machine.run(command)
                if done.returncode:
                    return f"this kernel or container has no {what}: {first_line(done.stderr) or ' '.join(command)}"
    finally:
        machine.run(("ip", "netns", "delete", PROBE))
    return None
