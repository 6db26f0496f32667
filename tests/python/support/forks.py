"""Runs work in a process that is forked from this one."""

from __future__ import annotations

import json
import os
import signal
import traceback
from collections.abc import Callable
from typing import Any

LIMIT_S = 30


def in_child(work: Callable[[], Any]) -> Any:
    """Returns the result of `work` in the child, sent as JSON. Fails if `work` raises, or takes too long."""
    receiver, sender = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(LIMIT_S)  # ends a child that hangs
        try:
            told = json.dumps({"value": work()})
        except BaseException:
            told = json.dumps({"error": traceback.format_exc()})
        os.write(sender, told.encode())
        os._exit(0)
    os.close(sender)
    with os.fdopen(receiver, "rb") as stream:
        told = stream.read().decode()
    _, status = os.waitpid(child, 0)
    assert status == 0, f"the child ended with status {status}; {int(signal.SIGALRM)} means that it hung"
    found = json.loads(told)
    assert "error" not in found, found["error"]
    return found["value"]
