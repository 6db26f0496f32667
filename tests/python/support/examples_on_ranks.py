"""Examples of the documents, on ranks."""

from __future__ import annotations

from typing import Any


def error_of_example(comm: Any, code: str) -> float:
    """Runs on ranks an example that begins with `comm = None`; returns the error that the example computes."""
    first, _, others = code.partition("\n")
    assert first.startswith("comm = None"), first
    namespace: dict[str, Any] = {"comm": comm}
    exec("import numpy as np\nimport weft\n" + others, namespace)
    assert namespace["fft"].plan.problem.ranks == comm.size
    return float(namespace["error"])
